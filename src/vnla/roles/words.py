"""Sentences as tensors: what is said to an agent, a row each."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Words(NamedTuple):
    """Sentences as tokens."""

    tokens: Tensor  # (batch, words), padded
    length: Tensor  # (batch,)

    def backwards(self) -> Words:
        """Each sentence in reverse order, padded at the end."""
        place = torch.arange(self.tokens.shape[1], device=self.tokens.device)
        source = (self.length[:, None] - 1 - place).clamp(min=0)
        reverse = self.tokens.gather(1, source)
        return Words(reverse.masked_fill(place >= self.length[:, None], 0), self.length)

    def mask(self) -> Tensor:
        """Which places hold a word: (batch, words)."""
        return torch.arange(self.tokens.shape[1], device=self.tokens.device) < self.length[:, None]

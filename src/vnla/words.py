"""Sentences as tensors: end-goals, and what an advisor may say (`vnla.assistance.words`)."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad


class Words(NamedTuple):
    """Sentences as tokens."""

    tokens: Tensor  # (batch, words), padded
    length: Tensor  # (batch,)

    @classmethod
    def none(cls, sentences: int, device: torch.device | str = "cpu") -> Words:
        """So many sentences without a word."""
        length = torch.zeros(sentences, dtype=torch.int64, device=device)
        return cls(length.new_empty(sentences, 0), length)

    def rows(self, which: Tensor) -> Words:
        """Some of the sentences."""
        return Words(self.tokens[which], self.length[which])

    def to(self, device: torch.device | str) -> Words:
        """The same on `device`."""
        return Words(self.tokens.to(device), self.length.to(device))

    def widened(self, words: int, padding: int) -> Words:
        """With room for at least so many words."""
        return self._replace(tokens=pad(self.tokens, (0, max(0, words - self.tokens.shape[1])), value=padding))

    def backwards(self) -> Words:
        """Each sentence in reverse order, padded at the end."""
        place = torch.arange(self.tokens.shape[1], device=self.tokens.device)
        source = (self.length[:, None] - 1 - place).clamp(min=0)
        reverse = self.tokens.gather(1, source)
        return Words(reverse.masked_fill(place >= self.length[:, None], 0), self.length)

    def mask(self) -> Tensor:
        """Which places hold a word: (batch, words)."""
        return torch.arange(self.tokens.shape[1], device=self.tokens.device) < self.length[:, None]

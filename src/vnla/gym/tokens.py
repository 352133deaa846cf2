"""Instructions as rows of numbers of one length, for learners that take no text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from gymnasium import spaces

from vnla.camera import Ints
from vnla.common.errors import InputError
from vnla.tasks.vocabulary import LONGEST, Vocabulary


@dataclass(frozen=True)
class InstructionTokens:
    """Reads instructions with a vocabulary."""

    vocabulary: Vocabulary
    length: int = LONGEST

    def __post_init__(self) -> None:
        if self.length < 1:
            raise InputError(f"tokens: an instruction has at least one word, not {self.length}")

    @property
    def space(self) -> spaces.MultiDiscrete[np.int64]:
        """What one instruction may be. Learners that know the space give each word an input of its own."""
        return spaces.MultiDiscrete(np.full(self.length, len(self.vocabulary)))

    def __call__(self, instructions: Sequence[str]) -> Ints:
        """Return words as numbers, filled up with 0: (instructions, length)."""
        tokens, _ = self.vocabulary.encode(instructions, self.length)
        found: Ints = np.zeros((len(instructions), self.length), np.int64)
        found[:, : tokens.shape[1]] = tokens.numpy()
        return found

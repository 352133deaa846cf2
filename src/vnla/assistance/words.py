"""What an advisor may say, and says, as tensors.

An instruction is read backwards (`vnla.agents.encoder`), so what an agent reads of a phrase is its *tail*: the words and
full stop in reverse order, then the end mark. `Phrases` makes the tails of a table once, however often it is heard.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from torch import Tensor
from torch.nn.functional import pad

from vnla.words import Words

__all__ = ["Phrases", "Utterance", "Words", "tails_of"]


@dataclass(frozen=True, eq=False)
class Phrases:
    """A table of what may be said, with the full stop that parts it from the end-goal. The last row is silence."""

    words: Words
    end: int
    """The token that ends an instruction."""
    text: Callable[[int], str]
    """What a row says, for people."""

    @property
    def silence(self) -> int:
        """The row that says nothing."""
        return len(self.words.length) - 1

    @cached_property
    def tails(self) -> Words:
        """Every row as it is read; of silence the end mark alone."""
        return tails_of(self.words, self.end)

    def spoken(self, rows: Tensor) -> Words:
        """The words of some rows. One that composes a sentence when it is heard does so here and in `text`."""
        return self.words.rows(rows)

    def read_out(self, rows: Tensor) -> Words:
        """The same as they are read."""
        return self.tails.rows(rows)


def tails_of(words: Words, end: int) -> Words:
    """Sentences as they are read: backwards, then the end mark."""
    backwards = words.backwards()
    marked = pad(backwards.tokens, (0, 1)).scatter(1, words.length[:, None], end)
    return Words(marked, words.length + 1)


@dataclass(frozen=True, eq=False)
class Utterance:
    """What an advisor says, or would say, to every agent of a batch."""

    index: Tensor  # (batch,), rows of the table
    table: Phrases
    more: Callable[[Tensor], Tensor] | None = None
    """Of those who asked (batch,), how many requests their answers took besides: for questions back. None where none did."""

    @cached_property
    def words(self) -> Words:
        """The words that each agent hears: (batch, …)."""
        return self.table.spoken(self.index)

    @cached_property
    def tails(self) -> Words:
        """The same as they are read."""
        return self.table.read_out(self.index)

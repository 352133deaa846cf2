"""Words and their numbers: the end-goals' words by falling frequency, then what the advisor may say.

`<PAD>` is 0, `<UNK>` 1 and `<EOS>` 2, as in the authors' code. On disk a vocabulary is one word a line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch
from torch import Tensor

from vnla.assistance.advisor import TemplateAdvisor
from vnla.common import files
from vnla.common.errors import InputError

PADDING, UNKNOWN, END = "<PAD>", "<UNK>", "<EOS>"
SPECIAL = (PADDING, UNKNOWN, END)
LONGEST = 50
"""Words of the longest instruction, as in the authors' code."""

_WHAT = "a vocabulary, one word a line"


@dataclass(frozen=True)
class Vocabulary(Mapping[str, int]):
    """Words and their numbers."""

    words: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.words[: len(SPECIAL)] != SPECIAL:
            raise InputError(f"vocabulary: it must begin with {' '.join(SPECIAL)}")
        if len(set(self.words)) < len(self.words):
            twice = next(word for word, count in Counter(self.words).items() if count > 1)
            raise InputError(f"vocabulary: it has the word {twice!r} twice")

    @classmethod
    def build(cls, end_goals: Iterable[str]) -> Vocabulary:
        """Return the vocabulary of the training set's end-goals, words of equal frequency in alphabetical order."""
        counts = Counter(word for each in end_goals for word in each.split())
        words = sorted(counts, key=lambda word: (-counts[word], word))
        said = {word for aggregate in (True, False) for word in TemplateAdvisor(aggregate=aggregate).words()}
        return cls((*SPECIAL, *words, *sorted(said.difference(words))))

    def with_words(self, words: Iterable[str]) -> Vocabulary:
        """This and the words that it lacks, after its own, in alphabetical order."""
        missing = sorted(set(words).difference(self._number))
        return Vocabulary((*self.words, *missing)) if missing else self

    @classmethod
    def read(cls, path: Path) -> Vocabulary:
        """Return the vocabulary in a file."""
        words = tuple(line for _, line in files.read_lines(path, _WHAT))
        try:
            return cls(words)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None

    def text(self) -> str:
        """Return what is written to a file."""
        return "".join(f"{word}\n" for word in self.words)

    @cached_property
    def _number(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    def __getitem__(self, word: str) -> int:
        return self._number[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __len__(self) -> int:
        return len(self.words)

    @property
    def padding(self) -> int:
        """The number that fills rows up."""
        return self._number[PADDING]

    @property
    def unknown(self) -> int:
        """The number of every word that has none."""
        return self._number[UNKNOWN]

    @property
    def end(self) -> int:
        """The number that ends an instruction for the agent; `encode` leaves it to the agent to add."""
        return self._number[END]

    def encode(self, sentences: Sequence[str], longest: int = LONGEST) -> tuple[Tensor, Tensor]:
        """Return numbers (sentences, most words), padded, and lengths. What is not known is `<UNK>`.

        A sentence of more than `longest` words keeps the first `longest` - 1 and its last, which is the full stop: what is
        asked for comes first in an end-goal.
        """
        place = {sentence: number for number, sentence in enumerate(dict.fromkeys(sentences))}  # many ask for the same
        rows = [
            [self._number.get(word, self.unknown) for word in cut(sentence.lower().split(), longest)] for sentence in place
        ]
        most = max(map(len, rows), default=0)
        tokens = torch.tensor([row + [self.padding] * (most - len(row)) for row in rows], dtype=torch.int64)
        lengths = torch.tensor([len(row) for row in rows], dtype=torch.int64)
        which = torch.tensor([place[sentence] for sentence in sentences], dtype=torch.int64)
        return tokens.reshape(len(rows), most)[which], lengths[which]

    def decode(self, tokens: Tensor) -> list[str]:
        """Return the sentences of rows of numbers, without padding and end."""
        skipped = {self.padding, self.end}
        return [" ".join(self.words[each] for each in row if each not in skipped) for row in tokens.tolist()]


@dataclass(frozen=True)
class Forgiving:
    """A vocabulary that has a number for every word: that of the unknown for those that it lacks."""

    vocabulary: Vocabulary

    @property
    def padding(self) -> int:
        """Fills sentences up."""
        return self.vocabulary.padding

    @property
    def end(self) -> int:
        """Ends an instruction."""
        return self.vocabulary.end

    def __contains__(self, _: object) -> bool:
        return True

    def __getitem__(self, word: str) -> int:
        return self.vocabulary.get(word, self.vocabulary.unknown)


def cut(words: Sequence[str], longest: int) -> list[str]:
    """Return at most `longest` words: the first ones and the last."""
    if longest < 1:
        raise InputError(f"vocabulary: a longest sentence of {longest} words leaves nothing")
    return [*words[: longest - 1], words[-1]] if len(words) > longest else list(words)

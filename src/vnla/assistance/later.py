"""Sentences that are composed when somebody hears them, by an advisor for whom each is dear.

`BoundAdvisor.say` is called for everybody, before it is known who asks. Here it gives a table whose rows are nothing yet:
those that are heard are composed then, all of a step together, and once. That is for agents on a CPU: on a GPU everybody
reads at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from vnla.assistance.advisor import Lexicon
from vnla.assistance.words import Phrases, Utterance, tails_of
from vnla.common.errors import InputError
from vnla.words import Words

UNKNOWN = "<UNK>"
"""The word in the place of one that an agent lacks."""
Compose = Callable[[Sequence[int]], Sequence[str]]
"""Rows of a batch → what is said to each."""


@dataclass(frozen=True, eq=False)
class SentencesLater:
    """What is said to a batch, as far as somebody has heard it."""

    batch: int
    compose: Compose
    _composed: dict[int, str] = field(default_factory=dict)

    def of(self, rows: Sequence[int]) -> list[str]:
        """What is said to some agents; nothing in the row after the last of them, which is silence."""
        new = [row for row in dict.fromkeys(rows) if row not in self._composed and row < self.batch]
        if new:
            self._composed.update(zip(new, self.compose(new), strict=True))
        return [self._composed.get(row, "") for row in rows]

    def text(self, row: int) -> str:
        """What is said to one agent."""
        return self.of([row])[0]


@dataclass(frozen=True, eq=False)
class PhrasesLater(Phrases):
    """They as a table, for agents that have these words."""

    lexicon: Lexicon
    sentences: SentencesLater
    spell: Callable[[str], Sequence[str]]

    def spoken(self, rows: Tensor) -> Words:
        """The words of some rows; those that the agents lack are unknown to them."""
        spelled = [self.spell(text) if text else () for text in self.sentences.of(rows.tolist())]
        tokens = torch.full((len(spelled), self.words.tokens.shape[1]), self.lexicon.padding, dtype=torch.int64)
        for row, words in enumerate(spelled):
            numbers = [self.lexicon[word if word in self.lexicon else UNKNOWN] for word in words]
            tokens[row, : len(numbers)] = torch.tensor(numbers, dtype=torch.int64)
        return Words(tokens, torch.tensor([len(words) for words in spelled], dtype=torch.int64))

    def read_out(self, rows: Tensor) -> Words:
        """The same as they are read."""
        return tails_of(self.spoken(rows), self.end)


def silence_of(longest: int, lexicon: Lexicon) -> Phrases:
    """A table of silence alone, as wide as the longest sentence: as an episode begins."""
    return Phrases(_blank(0, longest, lexicon), lexicon.end, lambda _: "")


def heard_later(
    silence: Phrases,
    lexicon: Lexicon,
    batch: int,
    compose: Compose,
    spell: Callable[[str], Sequence[str]],
    more: Callable[[Tensor], Tensor] | None = None,
) -> Utterance:
    """Return what is said to a batch: each row of the table is composed when it is heard."""
    sentences = SentencesLater(batch, compose)
    blank = _blank(batch, silence.words.tokens.shape[1], lexicon)
    table = PhrasesLater(blank, lexicon.end, sentences.text, lexicon, sentences, spell)
    return Utterance(torch.arange(batch), table, more)


def on_a_cpu(name: str, device: torch.device | str) -> None:
    """Refuse to speak to agents elsewhere."""
    if torch.device(device).type != "cpu":
        raise InputError(f"advisor {name}: speaks to agents on a CPU alone; say --device cpu")


def _blank(batch: int, longest: int, lexicon: Lexicon) -> Words:
    tokens = torch.full((batch + 1, longest), lexicon.padding, dtype=torch.int64)
    return Words(tokens, torch.zeros(batch + 1, dtype=torch.int64))

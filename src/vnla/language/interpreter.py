"""An interpreter: tells agents, in words that they know, what somebody else says to them.

It knows the house and how many actions are meant, as advisors do, and says what the parser understands
(`vnla.language.grounding`). What nobody could understand it passes over in silence. Agents still have to follow by sight.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import torch

from vnla.assistance.advisor import Advisor, BoundAdvisor, Lexicon, tabulated
from vnla.assistance.phrases import FULL_STOP
from vnla.assistance.words import Phrases, Utterance
from vnla.camera import VIEWS
from vnla.episode import StepContext
from vnla.language.grounding import denote
from vnla.language.parser import parse
from vnla.language.surroundings import Surroundings
from vnla.language.wording import worded
from vnla.world.actions import Nav
from vnla.world.compiled import World


@dataclass(frozen=True)
class Houses:
    """The houses of a world, as the parser knows them."""

    world: World
    around: Callable[[str], Surroundings]
    """Gives a house by its name."""
    wholly: bool = False
    """Whether a sentence means nothing of which not every word was understood."""

    def meant(self, sentence: str, pose: int, k: int) -> tuple[Nav, ...]:
        """What a sentence means at a pose of the world, if so many actions are meant."""
        parsed = parse(sentence)
        if self.wholly and parsed.why is not None:
            return ()
        house, first = self.at(pose)
        return denote(parsed, house, pose - first * VIEWS, house.after, count=k, guided=True).plan[:k]

    def at(self, pose: int) -> tuple[Surroundings, int]:
        """Return the house of a pose of the world, and its first viewpoint."""
        number = bisect_right(self.world.firsts, pose // VIEWS) - 1
        return self.around(self.world.houses[number]), self.world.firsts[number]


@dataclass(frozen=True)
class Interpreter(BoundAdvisor):
    """Listens to a speaker, and says what was meant to those who have a request left."""

    captured: ClassVar[bool] = False
    remembers = True

    speaker: BoundAdvisor
    houses: Houses
    advisor: Advisor  # of the agents' own language
    lexicon: Lexicon
    phrases: Phrases
    _known: dict[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, speaker: BoundAdvisor, houses: Houses, advisor: Advisor, lexicon: Lexicon) -> Interpreter:
        """Between a speaker and agents that know an advisor's language in these words."""
        return cls(speaker, houses, advisor, lexicon, tabulated([_longest(advisor), ()], lexicon, str, houses.world.device))

    def say(self, now: StepContext) -> Utterance:
        """What was meant, in a table of its own."""
        heard, device = self.speaker.say(now), now.pose.device
        rows = (now.budget > 0).nonzero().flatten().tolist()
        poses, said = now.pose.tolist(), heard.index.tolist()
        told = {row: self._in_own_words(heard.table.text(said[row]), poses[row]) for row in rows}
        sentences = [_longest(self.advisor), *dict.fromkeys(told.values()), ()]  # so that all tables have as much room
        number = {sentence: place for place, sentence in enumerate(sentences)}
        index = [number[told.get(row, ())] for row in range(len(poses))]
        texts = [" ".join(sentence) for sentence in sentences]
        return Utterance(torch.tensor(index, device=device), tabulated(sentences, self.lexicon, texts.__getitem__, device))

    def _in_own_words(self, text: str, pose: int) -> tuple[str, ...]:
        if (text, pose) not in self._known:
            self._known[text, pose] = worded(self.houses.meant(text, pose, self.advisor.k), self.advisor, self.lexicon)
        return self._known[text, pose]


def _longest(advisor: Advisor) -> tuple[str, ...]:
    """As many words as a subgoal could ever have."""
    return (FULL_STOP,) * (4 * advisor.k + 8)

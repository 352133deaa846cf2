"""An interpreter that asks back: where what it heard may mean several things, it asks the speaker which, at a price.

What it tells the agent is in the agent's own words, as `vnla.language.interpreter` does. A question is asked when the agent
has asked for help and has requests left for it; what it costs is charged by `vnla.episode.request`, wherever that is.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import torch
from torch import Tensor

from vnla.assistance.advisor import Advisor, BoundAdvisor, Lexicon
from vnla.assistance.later import heard_later, silence_of
from vnla.assistance.phrases import COMMA, FULL_STOP, until_stop
from vnla.assistance.words import Phrases, Utterance
from vnla.camera import VIEWS
from vnla.episode import StepContext, may_ask_back
from vnla.language.dialogue import Asking, QuestionBack, ask_back, choice_of, without_what_tells_apart
from vnla.language.grammar import text_of
from vnla.language.grounding import TakenWay
from vnla.language.interpreter import Houses
from vnla.language.readings import readings
from vnla.language.surroundings import Surroundings
from vnla.language.wording import worded
from vnla.world.actions import Nav

if TYPE_CHECKING:
    from vnla.houses.folder import WorldFolder

LONGEST_READ = 6
"""Actions of a plan that is put into the agent's words."""


class Exchange(NamedTuple):
    """What was said between a speaker and the reader about one request."""

    sentence: str
    question: str
    """"" where none was asked."""
    answer: str
    told: str
    """To the agent."""


@dataclass(frozen=True, eq=False)
class AskingInterpreter(BoundAdvisor):
    """Listens to a speaker, asks back where it is to, and says what was meant."""

    captured: ClassVar[bool] = False
    remembers = True

    speaker: BoundAdvisor
    houses: Houses
    advisor: Advisor  # of the agents' own language
    lexicon: Lexicon
    asking: Asking | None
    shortened: bool
    phrases: Phrases
    _counts: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def of(
        cls,
        speaker: BoundAdvisor,
        houses: Houses,
        advisor: Advisor,
        lexicon: Lexicon,
        asking: Asking | None,
        *,
        shortened: bool = False,
    ) -> AskingInterpreter:
        """Between a speaker and agents that know an advisor's language in these words. It asks nothing back without
        `asking`; `shortened` sentences lack what tells things apart."""
        return cls(speaker, houses, advisor, lexicon, asking, shortened, silence_of(4 * advisor.k + 8, lexicon))

    @property
    def account(self) -> Mapping[str, int]:
        """How often it asked back, and what became of it."""
        with self._lock:
            return dict(sorted((Counter(self.speaker.account) + self._counts).items()))

    def say(self, now: StepContext) -> Utterance:
        """What was meant, which is found out when somebody hears it."""
        found: dict[int, Exchange] = {}
        compose = partial(self._compose, now, found)
        more = partial(self._more, compose, found, len(now.pose))
        return heard_later(self.phrases, self.lexicon, len(now.pose), compose, _spelled, more)

    def _compose(self, now: StepContext, found: dict[int, Exchange], rows: Sequence[int]) -> list[str]:
        new = [row for row in rows if row not in found]
        if new:
            heard = self.speaker.say(now)
            _ = heard.table.spoken(heard.index[new])  # those who compose do so for all of them together
            for row in new:
                found[row] = self._exchange(now, row, heard.table.text(int(heard.index[row])))
        return [found[row].told for row in rows]

    def _more(
        self, compose: Callable[[Sequence[int]], Sequence[str]], found: Mapping[int, Exchange], batch: int, who: Tensor
    ) -> Tensor:
        """Requests that questions to those who asked cost."""
        rows, more = who.nonzero().flatten().tolist(), torch.zeros(batch, dtype=torch.int64)
        compose(rows)
        for row in rows:
            if found[row].question and self.asking is not None:
                more[row] = self.asking.price
        return more

    def _exchange(self, now: StepContext, row: int, sentence: str) -> Exchange:
        """Read a sentence that was said to an agent, and ask back where that is to be."""
        sentence = without_what_tells_apart(sentence) if self.shortened else sentence
        around, first = self.houses.at(int(now.pose[row]))
        pose, k = int(now.pose[row]) - first * VIEWS, self.advisor.k
        found = readings(sentence, around, pose, around.after, count=k, guided=True)
        allowed = self.asking is not None and bool(may_ask_back(now.budget[row], self.asking.price))
        question = ask_back(found, around, pose, self.asking) if allowed and self.asking is not None else None
        if question is None:
            return Exchange(sentence, "", "", self._worded(found[0].plan if found else ()))
        actions, poses = now.episodes.environment.taught_way(now.pose[row : row + 1], now.episodes.goals[row : row + 1], k)
        plan = until_stop([int(each) for each in actions])
        right = question.right(plan, int(poses[len(plan)]) - first * VIEWS)
        answer = self.speaker.answer(now, row, question.choices, right)
        chosen = choice_of(answer, question)
        with self._lock:
            self._counts["asked back"] += 1
            self._counts["asked back, none was right"] += right is None
        return Exchange(sentence, str(question), answer, self._worded(meant_by(question, chosen).plan))

    def _worded(self, plan: Sequence[Nav]) -> str:
        return text_of(worded(plan[: self.advisor.k], self.advisor, self.lexicon))


def _spelled(text: str) -> list[str]:
    return [*text.replace(COMMA, f" {COMMA}").split(), FULL_STOP]


def meant_by(question: QuestionBack, chosen: int | None) -> TakenWay:
    """The reading that an answer chose; the cheapest where it chose none."""
    return question.readings[chosen or 0]


def houses_of(folder: WorldFolder) -> Callable[[str], Surroundings]:
    """Return what gives a house of a world by its name, looked at once, whoever asks first."""
    houses, looking = {house.name: house for house in folder.houses}, threading.Lock()

    @cache
    def looked(name: str) -> Surroundings:
        return Surroundings.of(folder, houses[name])

    def around(name: str) -> Surroundings:
        with looking:
            return looked(name)

    return around

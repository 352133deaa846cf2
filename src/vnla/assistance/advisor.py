"""The advisor Φ (section 6.3): what to do next, in words.

`Advisor` says what it is to be one. It is made by name and options, and becomes a `BoundAdvisor` when it is known which
words the agent has and on which device it walks; a voice gives everybody a row of a table of phrases, and may give another
table at every step.

`TemplateAdvisor` is the paper's. It asks the navigation teacher for the next k actions and describes them. A plan of k
actions is one number below 6^k, its code, so its table holds every possible subgoal, made once, and no text is handled while
agents walk.

An indirect advisor only speaks; a direct one also acts in the agent's place for k steps (Table 3). Either may be silent.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

import torch
from torch import Tensor

from vnla.assistance.phrases import COMMA, FULL_STOP, every_subgoal, subgoal_text, subgoal_words
from vnla.assistance.words import Phrases, Utterance
from vnla.common.capture import fused
from vnla.common.errors import InputError
from vnla.common.outside import check_fields
from vnla.episode import StepContext
from vnla.words import Words
from vnla.world.actions import NAV_ACTIONS, Nav
from vnla.world.budgets import SUBGOAL_ACTIONS
from vnla.world.compiled import Environment, World

if TYPE_CHECKING:
    from vnla.houses.folder import WorldFolder

NONE_OF_THEM = "neither"
"""The answer to a question back where all choices are wrong."""
LONGEST_SUBGOAL = 7
"""Of the paper's advisor: a table of 6^7 subgoals still takes seconds and megabytes."""


class Lexicon(Protocol):
    """The words that an agent has, with a number each, and the numbers of two that are none."""

    @property
    def padding(self) -> int:
        """Fills sentences up."""

    @property
    def end(self) -> int:
        """Ends an instruction."""

    def __contains__(self, word: object) -> bool: ...

    def __getitem__(self, word: str, /) -> int: ...


class BoundAdvisor(ABC):
    """An advisor ready to speak to agents on a device."""

    captured: ClassVar[bool] = True
    """Whether `say` keeps to tensors of fixed sizes on the device, so that a GPU graph can hold it. One that does not is run
    operation by operation, and the agents with it."""

    remembers: bool = False
    """Whether `say` looks at `StepContext.past`. Without it there is no past, unless others remember it, and looking is an
    error."""

    own_steps: bool = False
    """Whether `StepContext.step` may be another number for each episode. Nothing but time is lost where it is not said."""

    phrases: Phrases
    """The table as an episode begins. No later one may have longer phrases."""

    @property
    def account(self) -> Mapping[str, int]:
        """Counts of what it did that stand under a table of results; most have nothing to tell."""
        return {}

    @abstractmethod
    def say(self, now: StepContext) -> Utterance:
        """What to tell every agent of the batch in this situation, whether or not it asks."""

    def answer(self, now: StepContext, row: int, choices: Sequence[str], right: int | None) -> str:  # noqa: ARG002
        """What it answers to an agent that asks back which of some choices it meant, of which one or none is `right`."""
        return NONE_OF_THEM if right is None else choices[right]


class Advisor(ABC):
    """Who answers. What it can be told about itself are the fields of its dataclass."""

    k: int
    """How many actions an answer is good for: a direct advisor acts for so long, and help budgets are drawn for it."""
    direct: bool = False
    """Whether it acts for the agent during those actions, at test time too."""
    speaks: bool = True
    """Whether it says anything."""
    trains: ClassVar[bool] = True
    """Whether a run may be trained with it, and a run's configuration, which may be untrusted, may name it."""
    manner: ClassVar[frozenset[str]] = frozenset()
    """Its options that determine how it works and not what it says: they may change where an evaluation goes on."""

    @abstractmethod
    def words(self) -> Sequence[str]:
        """Every word that it may say, sorted."""

    @abstractmethod
    def ready(self, lexicon: Lexicon, device: torch.device | str = "cpu") -> BoundAdvisor:
        """Its voice, for agents that have these words."""

    def ready_in(
        self, folder: WorldFolder, world: World, lexicon: Lexicon, device: torch.device | str = "cpu"
    ) -> BoundAdvisor:
        """The advisor bound to the houses of a world: the same everywhere, unless it speaks of what is there."""
        del folder, world
        return self.ready(lexicon, device)

    def check_role(self, name: str, longest: int, what: str = "it") -> None:
        """Refuse a plan of more actions than `what` can describe, and an advisor that neither speaks nor acts."""
        if not 1 <= self.k <= longest:
            raise InputError(f"{name}: k is {self.k}, but {what} can describe 1 to {longest} actions")
        if not (self.direct or self.speaks):
            raise InputError(f"{name}: one that neither speaks nor acts is no help; use the help policy 'none'")

    def check_words(self, lexicon: Lexicon) -> None:
        """Refuse a lexicon that lacks a word of the advisor."""
        missing = [word for word in self.words() if word not in lexicon]
        if missing:
            raise InputError(f"vocabulary: it lacks the advisor's word {missing[0]!r}")

    def text(self, code: int) -> str:
        """What a row of its table says, where a recording has kept the row alone."""
        raise InputError(f"{type(self).__name__}: what row {code} of its table said was not recorded")


class Advice(NamedTuple):
    """A plan, one for each agent."""

    plan: Tensor  # (batch, k), actions; after a `stop` only `stop`
    subgoal: Tensor  # (batch,), code of what is said


@dataclass(frozen=True)
class TemplateAdvisor(Advisor):
    """Describes the navigation teacher's next k actions with the paper's phrases."""

    k: int = SUBGOAL_ACTIONS
    """How many actions a subgoal describes."""
    direct: bool = False
    """Whether it acts for the agent during those actions, at test time too."""
    speaks: bool = True
    """Whether it says the subgoal."""
    aggregate: bool = True
    """Whether repeated actions are said together; "easy" language does not."""

    def __post_init__(self) -> None:
        check_fields(self)
        self.check_role("advisor", LONGEST_SUBGOAL, "a subgoal")

    @property
    def silence(self) -> int:
        """The code of no subgoal."""
        return int(NAV_ACTIONS**self.k)

    def __call__(self, environment: Environment, pose: Tensor, goals: Tensor) -> Advice:
        """Advice for agents at `pose`: equation 1 of the paper."""
        actions, _ = environment.taught_way(pose, goals, self.k)
        said = _code(actions) if self.speaks else torch.full_like(pose, self.silence)
        return Advice(torch.stack(actions, dim=1), said)

    def code(self, plan: Tensor) -> Tensor:
        """The number of a plan: its actions (…, k) as digits to the base 6, the first one highest."""
        return _code(plan.unbind(dim=-1))

    def plan(self, code: int) -> tuple[Nav, ...]:
        """The plan of a number."""
        digits = [code // NAV_ACTIONS**place % NAV_ACTIONS for place in reversed(range(self.k))]
        return tuple(Nav(digit) for digit in digits)

    def text(self, code: int) -> str:
        """What is said for a code; nothing for silence."""
        return "" if code == self.silence else subgoal_text(self.plan(code), aggregate=self.aggregate)

    def ready(self, lexicon: Lexicon, device: torch.device | str = "cpu") -> TemplateVoice:
        """With the table of every subgoal."""
        self.check_words(lexicon)
        words = [(*subgoal, FULL_STOP) for subgoal in every_subgoal(self.k, aggregate=self.aggregate)]
        return TemplateVoice(self, tabulated([*words, ()], lexicon, self.text, device))

    def words(self) -> list[str]:
        """Every word that the advisor may say, sorted: a phrase tells how often one action follows itself, so those of all
        such phrases, without all the plans that are made of them."""
        alike = [(action,) * times for action in Nav for times in range(1, self.k + 1)]
        words = {word for plan in alike for word in subgoal_words(plan, aggregate=self.aggregate)}
        return sorted(words | {FULL_STOP} | ({COMMA} if self.k > 1 else set()))


def _code(actions: Sequence[Tensor]) -> Tensor:
    code = torch.zeros_like(actions[0])
    for action in actions:
        code = code * NAV_ACTIONS + action
    return code


@dataclass(frozen=True)
class TemplateVoice(BoundAdvisor):
    """The paper's advisor with its table."""

    own_steps = True

    advisor: TemplateAdvisor
    phrases: Phrases  # every subgoal, by its code

    def say(self, now: StepContext) -> Utterance:
        """The code of the plan from where the agent is."""
        return Utterance(_subgoal(self.advisor, now.episodes.environment, now.pose, now.episodes.goals), self.phrases)


@fused
def _subgoal(advisor: TemplateAdvisor, environment: Environment, pose: Tensor, goals: Tensor) -> Tensor:
    return advisor(environment, pose, goals).subgoal


def tabulated(
    sentences: Sequence[Sequence[str]], lexicon: Lexicon, text: Callable[[int], str], device: torch.device | str = "cpu"
) -> Phrases:
    """A table of sentences; the last one is to be empty: silence."""
    rows = [[lexicon[word] for word in sentence] for sentence in sentences]
    most = max(map(len, rows))
    tokens = torch.tensor([row + [lexicon.padding] * (most - len(row)) for row in rows])
    words = Words(tokens, torch.tensor([len(row) for row in rows])).to(device)
    phrases = Phrases(words, lexicon.end, text)
    _ = phrases.tails  # made here, once: a GPU graph that makes them would make them again at every replay
    return phrases

"""The help-requesting policies of section 7: none, first, random, learned, teacher; two more rules; two other algorithms.

SPACED and ENTROPY are not in the paper: simple rules that a learned policy has to be better than.

What a policy has to know of an episode in advance it says in `plan`, once, when episodes begin; at every step it sees the
situation with its own plan in it. Requests beyond the budget are refused by the algorithm, not here. What differs in
training the policy knows itself. To add one, write the class, anywhere, and name it: `--help-policy package.module:Class`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor

from vnla.assistance.advisor import Advisor, TemplateAdvisor
from vnla.assistance.help_teacher import entropy
from vnla.common.errors import InputError
from vnla.common.outside import check_fields
from vnla.common.randomness import Purpose, uniform
from vnla.episode import Episodes, StepContext
from vnla.world.actions import NAV_ACTIONS, REQUEST
from vnla.world.budgets import LONGEST_EPISODE


class Help(NamedTuple):
    """What help there is: whose, and for which share of the time (τ of the help budgets)."""

    advisor: Advisor
    ratio: float


class HelpPolicy(ABC):
    """When to ask for help. Its options are the fields of its dataclass.

    What a policy looks at it says in its class. To look at what was not asked for is an error, never an empty tensor.
    """

    deliberates: ClassVar[bool] = False
    """Whether it looks at what the agent would do tentatively, or at anything else that pass 1 finds."""
    consults: ClassVar[bool] = False
    """Whether it goes by the agent's help module. One that does also says whether that module `learns`."""
    remembers: ClassVar[bool] = False
    """Whether it looks at `situation.past`, the poses before this step."""
    learns: ClassVar[bool] = False
    """Whether the help module has to imitate the help teacher in training."""
    invited: ClassVar[bool] = True
    """Whether it is the agent that asks. If not, a teacher steps in by itself and the agent is not aware of it. That is what
    the policy means, and nobody else can know it."""
    asks: ClassVar[bool] = True
    """Whether it ever asks. Nothing but memory is lost where a policy that never does leaves it out."""
    own_steps: ClassVar[bool] = False
    """Whether `situation.step` may be another number for each episode. Nothing but time is lost where it is not said."""
    choices: ClassVar[Mapping[str, Sequence[float]]] = {}
    """Options that are chosen on a dev set, and the values that are tried (`vnla tune`)."""

    def __init_subclass__(cls, **options: object) -> None:
        """A policy that decides anew makes no promise that it has not made itself."""
        super().__init_subclass__(**options)
        if "__call__" in vars(cls) and "asks" not in vars(cls):
            cls.asks = True

    @abstractmethod
    def __call__(self, situation: StepContext) -> Tensor:
        """Whether each agent asks now: (batch,) booleans. `situation.plan` is what `plan` gave."""

    def plan(self, episodes: Episodes) -> Tensor:
        """What the policy keeps for each episode: (batch, anything)."""
        return episodes.key.new_empty(len(episodes), 0)

    def in_training(self) -> HelpPolicy:
        """Who asks while the agent is trained."""
        return self

    def help(self, given: Help, *, training: bool) -> Help:  # noqa: ARG002
        """The help that there is in training or at test time, where it is not what is `given`."""
        return given


def take_after(policy: HelpPolicy, inner: HelpPolicy) -> None:
    """Let a policy that decides by another one look at what that one looks at, and ask in the same way."""
    for flag in ("invited", "consults", "remembers"):
        object.__setattr__(policy, flag, getattr(inner, flag))  # it may be frozen


@dataclass(frozen=True)
class Never(HelpPolicy):
    """NONE: never requests help."""

    asks: ClassVar[bool] = False
    own_steps: ClassVar[bool] = True

    def __call__(self, situation: StepContext) -> Tensor:
        """Nobody."""
        return torch.zeros_like(situation.budget, dtype=torch.bool)


@dataclass(frozen=True)
class AtFirst(HelpPolicy):
    """FIRST: requests continuously from the beginning, until the budget is used up."""

    own_steps: ClassVar[bool] = True

    def __call__(self, situation: StepContext) -> Tensor:
        """Whoever still can."""
        return situation.budget > 0


@dataclass(frozen=True)
class Spaced(HelpPolicy):
    """SPACED: requests at the first step and whenever a subgoal is over, until the budget is used up. Not in the paper."""

    own_steps: ClassVar[bool] = True

    def __call__(self, situation: StepContext) -> Tensor:
        """Whoever has no action of a subgoal left to follow, and still can."""
        return situation.subgoal_over & (situation.budget > 0)


@dataclass(frozen=True)
class AtRandom(HelpPolicy):
    """RANDOM: requests at as many steps as the budget has, chosen uniformly from the time budget before the episode."""

    longest: int = LONGEST_EPISODE
    """It asks at none of the steps after so many."""

    def __post_init__(self) -> None:
        check_fields(self, longest=(1, 10_000))

    def plan(self, episodes: Episodes) -> Tensor:
        """At which steps to ask: (batch, steps), with every step that an episode may come to."""
        steps = torch.arange(max(self.longest, LONGEST_EPISODE), device=episodes.key.device)
        seed = episodes.seed[:, None] if isinstance(episodes.seed, Tensor) else episodes.seed
        lots = uniform(seed, episodes.key[:, None], Purpose.RANDOM_HELP, steps)
        lots = lots.masked_fill(steps >= episodes.time_budget[:, None].clamp(max=self.longest), torch.inf)
        rank = lots.argsort(dim=1).argsort(dim=1)
        return (rank < episodes.help_budget[:, None]) & (lots < torch.inf)

    def __call__(self, situation: StepContext) -> Tensor:
        """Whoever drew this step."""
        step = situation.step
        return situation.plan[:, step] if isinstance(step, int) else situation.plan.index_select(1, step[None]).squeeze(1)


@dataclass(frozen=True)
class AsTaught(HelpPolicy):
    """TEACHER: follows the help-requesting teacher."""

    deliberates: ClassVar[bool] = True
    own_steps: ClassVar[bool] = True

    def __call__(self, situation: StepContext) -> Tensor:
        """Whoever the teacher tells to."""
        if situation.teacher_request is None:
            raise InputError("to ask as the help teacher does, it has to be known what the teacher says")
        return situation.teacher_request


@dataclass(frozen=True)
class Learned(HelpPolicy):
    """LEARNED: does what the agent's own help module finds more probable. In training the help teacher decides."""

    deliberates: ClassVar[bool] = True
    consults: ClassVar[bool] = True
    learns: ClassVar[bool] = True
    own_steps: ClassVar[bool] = True

    def __call__(self, situation: StepContext) -> Tensor:
        """Whoever would rather ask."""
        if situation.ask is None:
            raise InputError("the learned help policy needs an agent with a help module")
        return situation.ask().argmax(dim=-1) == REQUEST

    def in_training(self) -> HelpPolicy:
        """The help teacher, whom the module imitates."""
        return AsTaught()


@dataclass(frozen=True)
class Entropy(HelpPolicy):
    """ENTROPY: requests where the entropy of the tentative distribution is above a threshold. Not in the paper.

    In training the help teacher decides, so the navigation module is that of LEARNED and TEACHER: any such run can be
    evaluated with this rule.
    """

    deliberates: ClassVar[bool] = True
    own_steps: ClassVar[bool] = True
    threshold: float = 0.8
    """In nats, of which six actions have ln 6 = 1.79 at most; by itself about that of the help teacher's rule (b)."""

    def __post_init__(self) -> None:
        check_fields(self, threshold=(0, math.log(NAV_ACTIONS)))

    def __call__(self, situation: StepContext) -> Tensor:
        """Whoever is that uncertain."""
        return entropy(situation.tentative) > self.threshold

    def in_training(self) -> HelpPolicy:
        """The help teacher."""
        return AsTaught()


@dataclass(frozen=True)
class Mixture(HelpPolicy):
    """The teacher acts at each step with probability β: imitation learning; with β = 1, behaviour cloning.

    For training with `TemplateAdvisor(k=1, direct=True, speaks=False)` and a help budget of one request a step (section 4).
    """

    invited: ClassVar[bool] = False
    beta: float = 1.0

    def __call__(self, situation: StepContext) -> Tensor:
        """Whoever the coin tells to."""
        episodes = situation.episodes
        return uniform(episodes.seed, episodes.key, Purpose.MIXTURE, situation.step) < self.beta


@dataclass(frozen=True)
class Cloning(Never):
    """Behaviour cloning: in training the navigation teacher always acts; at test time there is no help."""

    def in_training(self) -> HelpPolicy:
        """The teacher at every step."""
        return Mixture(beta=1.0)

    def help(self, given: Help, *, training: bool) -> Help:  # noqa: ARG002
        """Somebody who acts for one step at a time and says nothing: all the time, then never."""
        return Help(TemplateAdvisor(k=1, direct=True, speaks=False), 1.0 if training else 0.0)


@dataclass(frozen=True)
class Imitation(Cloning):
    """Imitation learning with a mixed policy: in training the navigation teacher acts with probability β."""

    beta: float = 0.5

    def __post_init__(self) -> None:
        check_fields(self)
        if not 0 <= self.beta <= 1:
            raise InputError(f"help policy imitation: beta is {self.beta}, but a probability is between 0 and 1")

    def in_training(self) -> HelpPolicy:
        """The teacher, now and then."""
        return Mixture(beta=self.beta)

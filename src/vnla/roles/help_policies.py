"""The help-requesting policies of section 7: none, first, random, learned, teacher; and two that make other algorithms.

What a policy has to know of an episode in advance it says in `plan`, once, when episodes begin; at every step it sees the
situation with its own plan in it. Requests beyond the budget are refused by the algorithm, not here. To add a policy: write
the class and name it in `HELP_POLICIES`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import torch
from torch import Tensor

from vnla.common.errors import InputError
from vnla.common.randomness import Purpose, uniform
from vnla.episodes import Episodes, Situation
from vnla.world.actions import REQUEST
from vnla.world.budgets import LONGEST_EPISODE


class HelpPolicy(Protocol):
    """When to ask for help."""

    @property
    def invited(self) -> bool:
        """Whether it is the agent that asks. If not, a teacher steps in by itself and the agent is not aware of it."""

    @property
    def deliberates(self) -> bool:
        """Whether it looks at what the agent would do tentatively, or at anything else that pass 1 finds."""

    def plan(self, episodes: Episodes) -> Tensor:
        """What the policy keeps for each episode: (batch, anything)."""

    def __call__(self, situation: Situation) -> Tensor:
        """Whether each agent asks now: (batch,) booleans. `situation.plan` is what `plan` gave."""


class _Planless:
    """A policy that needs to know nothing in advance."""

    invited: ClassVar[bool] = True
    deliberates: ClassVar[bool] = False

    def plan(self, episodes: Episodes) -> Tensor:
        """Nothing."""
        return episodes.key.new_empty(len(episodes), 0)


@dataclass(frozen=True)
class Never(_Planless):
    """NONE: never requests help."""

    def __call__(self, situation: Situation) -> Tensor:
        """Nobody."""
        return torch.zeros_like(situation.budget, dtype=torch.bool)


@dataclass(frozen=True)
class AtFirst(_Planless):
    """FIRST: requests continuously from the beginning, until the budget is used up."""

    def __call__(self, situation: Situation) -> Tensor:
        """Whoever still can."""
        return situation.budget > 0


@dataclass(frozen=True)
class AtRandom:
    """RANDOM: requests at as many steps as the budget has, chosen uniformly from the time budget before the episode."""

    invited: ClassVar[bool] = True
    deliberates: ClassVar[bool] = False
    longest: int = LONGEST_EPISODE

    def plan(self, episodes: Episodes) -> Tensor:
        """At which steps to ask: (batch, longest)."""
        steps = torch.arange(self.longest, device=episodes.key.device)
        seed = episodes.seed[:, None] if isinstance(episodes.seed, Tensor) else episodes.seed
        lots = uniform(seed, episodes.key[:, None], Purpose.RANDOM_HELP, steps)
        lots = lots.masked_fill(steps >= episodes.time_budget[:, None], torch.inf)
        rank = lots.argsort(dim=1).argsort(dim=1)
        return (rank < episodes.help_budget[:, None]) & (lots < torch.inf)

    def __call__(self, situation: Situation) -> Tensor:
        """Whoever drew this step."""
        step = situation.step
        return situation.plan[:, step] if isinstance(step, int) else situation.plan.index_select(1, step[None]).squeeze(1)


@dataclass(frozen=True)
class AsTaught(_Planless):
    """TEACHER: follows the help-requesting teacher."""

    deliberates: ClassVar[bool] = True

    def __call__(self, situation: Situation) -> Tensor:
        """Whoever the teacher tells to."""
        if situation.teacher_request is None:
            raise InputError("to ask as the help teacher does, it has to be known what the teacher says")
        return situation.teacher_request


@dataclass(frozen=True)
class Learned(_Planless):
    """LEARNED: does what the agent's own help module finds more probable."""

    deliberates: ClassVar[bool] = True

    def __call__(self, situation: Situation) -> Tensor:
        """Whoever would rather ask."""
        if situation.ask is None:
            raise InputError("the learned help policy needs an agent with a help module")
        return situation.ask().argmax(dim=-1) == REQUEST


@dataclass(frozen=True)
class Mixture(_Planless):
    """The teacher acts at each step with probability β: imitation learning; with β = 1, behaviour cloning.

    For training with `Advisor(k=1, direct=True, speaks=False)` and a help budget of one request a step (section 4).
    """

    invited: ClassVar[bool] = False
    beta: float = 1.0

    def __call__(self, situation: Situation) -> Tensor:
        """Whoever the coin tells to."""
        episodes = situation.episodes
        return uniform(episodes.seed, episodes.key, Purpose.MIXTURE, situation.step) < self.beta


HELP_POLICIES: dict[str, Callable[[], HelpPolicy]] = {
    "none": Never,
    "first": AtFirst,
    "random": AtRandom,
    "learned": Learned,
    "teacher": AsTaught,
}


def help_policy(name: str) -> HelpPolicy:
    """The policy of that name, as commands take it."""
    if name not in HELP_POLICIES:
        raise InputError(f"help policy {name}: unknown; choose from {', '.join(HELP_POLICIES)}")
    return HELP_POLICIES[name]()

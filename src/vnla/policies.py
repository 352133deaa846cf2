"""The help-requesting policies of section 7: none, first, random, learned, teacher.

A policy is asked once, when episodes begin, for a rule that decides at every step; what it has to remember or draw for an
episode it keeps in that rule. Requests beyond the budget are refused by the algorithm, not here. To add a policy: write the
class and name it in `HELP_POLICIES`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import torch
from torch import Tensor

from vnla.actions import Ask
from vnla.budgets import LONGEST_EPISODE
from vnla.episodes import Episodes, Situation
from vnla.errors import InputError
from vnla.randomness import Purpose, uniform
from vnla.teachers.help import HelpTeacher

Decide = Callable[[Situation], Tensor]
"""Whether each agent asks now: (batch,) booleans."""


class HelpPolicy(Protocol):
    """When to ask for help."""

    def begin(self, episodes: Episodes) -> Decide:
        """The rule for these episodes."""


@dataclass(frozen=True)
class Never:
    """NONE: never requests help."""

    def begin(self, episodes: Episodes) -> Decide:
        nobody = torch.zeros_like(episodes.help_budget, dtype=torch.bool)
        return lambda _: nobody


@dataclass(frozen=True)
class AtFirst:
    """FIRST: requests continuously from the beginning, until the budget is used up."""

    def begin(self, episodes: Episodes) -> Decide:  # noqa: ARG002
        return lambda situation: situation.budget > 0


@dataclass(frozen=True)
class AtRandom:
    """RANDOM: requests at as many steps as the budget has, chosen uniformly from the time budget before the episode."""

    longest: int = LONGEST_EPISODE

    def begin(self, episodes: Episodes) -> Decide:
        steps = torch.arange(self.longest, device=episodes.key.device)
        seed = episodes.seed[:, None] if isinstance(episodes.seed, Tensor) else episodes.seed
        lots = uniform(seed, episodes.key[:, None], Purpose.RANDOM_HELP, steps)  # (batch, longest)
        lots = torch.where(steps < episodes.time_budget[:, None], lots, torch.inf)
        rank = lots.argsort(dim=1).argsort(dim=1)
        chosen = (rank < episodes.help_budget[:, None]) & (lots < torch.inf)
        return lambda situation: chosen[:, situation.step]


@dataclass(frozen=True)
class AsTaught:
    """TEACHER: follows the help-requesting teacher."""

    teacher: HelpTeacher = field(default_factory=HelpTeacher)

    def begin(self, episodes: Episodes) -> Decide:  # noqa: ARG002
        return lambda situation: self.teacher(situation).request


@dataclass(frozen=True)
class Learned:
    """LEARNED: does what the agent's own help module finds more probable."""

    def begin(self, episodes: Episodes) -> Decide:  # noqa: ARG002
        return self._decide

    @staticmethod
    def _decide(situation: Situation) -> Tensor:
        if situation.ask is None:
            raise InputError("the learned help policy needs an agent with a help module")
        return situation.ask.argmax(dim=-1) == Ask.REQUEST


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

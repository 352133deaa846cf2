"""The help-requesting teacher (section 6.2): rules (a)-(e), each a pure function over a batch.

The teacher requests help when any of its rules does and budget is left. Deviations from the paper's text: none. The authors'
code counts the start pose in rule (c), so that eight steps without moving trigger it where the paper says nine;
`HelpTeacher(counts_start_pose=True)` does the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import torch
from torch import Tensor

from vnla.common.errors import InputError
from vnla.common.outside import check_fields
from vnla.episode import StepContext
from vnla.world.actions import FORWARD, NAV_ACTIONS

ALL_RULES = "abcde"


class Reason(IntEnum):
    """Why help was requested or not. Where several rules hold, the smallest of these numbers is recorded."""

    NO_BUDGET = 0
    ARRIVED = 1  # rule (e)
    DEVIATED = 2  # rule (a)
    CONFUSED = 3  # rule (b)
    UNMOVED = 4  # rule (c)
    USE_IT_UP = 5  # rule (d)
    NO_NEED = 6


_NO_NEED = int(Reason.NO_NEED)  # plain for `torch.compile`, like `vnla.world.actions.FORWARD`

RESULT_NAMES = {
    Reason.NO_BUDGET: "exceed",
    Reason.ARRIVED: "arrive",
    Reason.DEVIATED: "deviate",
    Reason.CONFUSED: "uncertain",
    Reason.UNMOVED: "unmoved",
    Reason.USE_IT_UP: "why_not",
    Reason.NO_NEED: "pass",
}
"""What the reasons are called in the authors' results files."""


def deviates(off_path: Tensor, threshold: float) -> Tensor:
    """Rule (a): the agent is more than `threshold` metres off the shortest path."""
    return off_path > threshold


def is_confused(tentative: Tensor, threshold: float) -> Tensor:
    """Rule (b): the tentative distribution's entropy is less than `threshold` nats below that of the uniform one."""
    return entropy(tentative) > math.log(NAV_ACTIONS) - threshold


def entropy(tentative: Tensor) -> Tensor:
    """Return the entropy of a distribution over actions, in nats: (batch,)."""
    nats: Tensor = torch.special.entr(tentative).sum(dim=-1)
    return nats


def is_stuck(unmoved: Tensor, threshold: int) -> Tensor:
    """Rule (c): the agent has been at the same viewpoint for the last `threshold` steps."""
    return unmoved >= threshold


def has_budget_to_spare(budget: Tensor, steps_left: Tensor) -> Tensor:
    """Rule (d): there are at least as many requests left as steps."""
    return budget >= steps_left


def would_leave_goal(at_goal: Tensor, tentative: Tensor) -> Tensor:
    """Rule (e): the agent is at a goal but `forward` is its most probable action."""
    return at_goal & (tentative.argmax(dim=-1) == FORWARD)


class Verdict(NamedTuple):
    """What the teacher says: whether to request, and the `Reason`, one for each agent."""

    request: Tensor
    reason: Tensor


@dataclass(frozen=True)
class HelpTeacher:
    """The teacher with a choice of rules and the thresholds of the paper's hyperparameter table."""

    rules: str = ALL_RULES
    deviation: float = 8.0
    """δ, metres."""
    uncertainty: float = 1.0
    """ε, nats."""
    non_moving: int = 9
    """μ, steps."""
    counts_start_pose: bool = False
    """Let rule (c) count the pose that the agent came to rest in as a step, as the authors' code does."""

    def __post_init__(self) -> None:
        check_fields(self, deviation=(0, math.inf), non_moving=(1, 1_000_000))
        unknown = set(self.rules) - set(ALL_RULES)
        if unknown:
            raise InputError(f"help teacher: no rule ({min(unknown)}); the rules are {', '.join(ALL_RULES)}")

    def __call__(self, situation: StepContext) -> Verdict:
        """Whether each agent should ask, and why."""
        has_budget = situation.budget > 0
        reason = torch.full_like(situation.budget, Reason.NO_NEED)
        for rule, why in _WEAKEST_FIRST:
            if rule in self.rules:
                reason = reason.masked_fill(self._holds(rule, situation), why)
        reason = reason.masked_fill(~has_budget, Reason.NO_BUDGET)
        return Verdict(request=has_budget & (reason != _NO_NEED), reason=reason)

    def _holds(self, rule: str, now: StepContext) -> Tensor:
        match rule:
            case "a":
                return deviates(now.off_path, self.deviation)
            case "b":
                return is_confused(now.tentative, self.uncertainty)
            case "c":
                return is_stuck(now.unmoved, self.non_moving - self.counts_start_pose)
            case "d":
                return has_budget_to_spare(now.budget, now.steps_left)
            case _:
                return would_leave_goal(now.at_goal, now.tentative)


_WEAKEST_FIRST = (
    ("d", Reason.USE_IT_UP),
    ("c", Reason.UNMOVED),
    ("b", Reason.CONFUSED),
    ("a", Reason.DEVIATED),
    ("e", Reason.ARRIVED),
)

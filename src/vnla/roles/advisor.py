"""The advisor Φ (section 6.3): what to do next, in words.

It asks the navigation teacher for the next k actions and describes them. A plan of k actions is one number below 6^k, its
code, so the words of every possible subgoal are a table made once, and no text is handled while agents walk.

An indirect advisor only speaks; a direct one also acts in the agent's place for k steps (Table 3). Either may be silent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import torch
from torch import Tensor

from vnla.common.errors import InputError
from vnla.roles.phrases import FULL_STOP, subgoal_text, subgoal_words
from vnla.world.actions import NAV_ACTIONS, Nav
from vnla.world.budgets import SUBGOAL_ACTIONS
from vnla.world.compiled import Environment

_MOST_ACTIONS = 7  # a table of 6^7 subgoals still takes seconds and megabytes


class Advice(NamedTuple):
    """The advisor's answer, one for each agent."""

    plan: Tensor  # (batch, k), actions; after a `stop` only `stop`
    subgoal: Tensor  # (batch,), code of what is said


@dataclass(frozen=True)
class Advisor:
    """How the advisor answers."""

    k: int = SUBGOAL_ACTIONS
    """How many actions a subgoal describes."""
    direct: bool = False
    """Whether it acts for the agent during those actions, at test time too."""
    speaks: bool = True
    """Whether it says the subgoal."""
    aggregate: bool = True
    """Whether repeated actions are said together; "easy" language does not."""

    def __post_init__(self) -> None:
        if not 1 <= self.k <= _MOST_ACTIONS:
            raise InputError(f"advisor: k is {self.k}, but a subgoal can describe 1 to {_MOST_ACTIONS} actions")
        if not (self.direct or self.speaks):
            raise InputError("advisor: one that neither speaks nor acts is no help; use the help policy 'none'")

    @property
    def silence(self) -> int:
        """The code of no subgoal."""
        return int(NAV_ACTIONS**self.k)

    def __call__(self, environment: Environment, pose: Tensor, goals: Tensor) -> Advice:
        """Advice for agents at `pose`: equation 1 of the paper."""
        actions, code = [], torch.zeros_like(pose)
        for _ in range(self.k):
            action = environment.nav_teacher(pose, goals)
            pose = environment.step(pose, action, goals)
            actions.append(action)
            code = code * NAV_ACTIONS + action  # as `code` does
        return Advice(torch.stack(actions, dim=1), code if self.speaks else torch.full_like(pose, self.silence))

    def code(self, plan: Tensor) -> Tensor:
        """The number of a plan: its actions (…, k) as digits to the base 6, the first one highest."""
        code = torch.zeros_like(plan[..., 0])
        for action in plan.unbind(dim=-1):
            code = code * NAV_ACTIONS + action
        return code

    def plan(self, code: int) -> tuple[Nav, ...]:
        """The plan of a number."""
        digits = [code // NAV_ACTIONS**place % NAV_ACTIONS for place in reversed(range(self.k))]
        return tuple(Nav(digit) for digit in digits)

    def text(self, code: int) -> str:
        """What is said for a code; nothing for silence."""
        return "" if code == self.silence else subgoal_text(self.plan(code), aggregate=self.aggregate)

    def words(self) -> list[str]:
        """Every word that the advisor may say, sorted."""
        plans = product(Nav, repeat=self.k)
        return sorted({word for plan in plans for word in subgoal_words(plan, aggregate=self.aggregate)} | {FULL_STOP})


@dataclass(frozen=True)
class Subgoals:
    """The words of every subgoal, as tokens; row `code`, and the last row is silence."""

    tokens: Tensor  # (6^k + 1, most words), padded
    length: Tensor  # (6^k + 1,)
    padding: int

    @classmethod
    def table(cls, advisor: Advisor, vocabulary: Mapping[str, int], padding: int = 0) -> Subgoals:
        """All that an advisor may say, each with the full stop that parts it from the end-goal."""
        missing = [word for word in advisor.words() if word not in vocabulary]
        if missing:
            raise InputError(f"vocabulary: it lacks the advisor's word {missing[0]!r}")
        rows = [
            [vocabulary[word] for word in (*subgoal_words(plan, aggregate=advisor.aggregate), FULL_STOP)]
            for plan in product(Nav, repeat=advisor.k)
        ]
        rows.append([])
        most = max(map(len, rows))
        tokens = torch.tensor([row + [padding] * (most - len(row)) for row in rows])
        return cls(tokens, torch.tensor([len(row) for row in rows]), padding)

    def to(self, device: torch.device | str) -> Subgoals:
        """The same table on `device`."""
        return Subgoals(self.tokens.to(device), self.length.to(device), self.padding)

    def prepend(self, subgoal: Tensor, end_goal: Tensor, length: Tensor) -> tuple[Tensor, Tensor]:
        """Instructions: the words of each subgoal code, then the end-goal's tokens (batch, words) of the given length.

        The result is (batch, most words + words), padded, and its lengths. A new subgoal replaces an earlier one because
        it is always put before the bare end-goal.
        """
        said = self.length[subgoal]
        place = torch.arange(self.tokens.shape[1] + end_goal.shape[1], device=end_goal.device)  # (all words,)
        in_subgoal = place < said[:, None]
        from_subgoal = self.tokens[subgoal].gather(1, place.clamp(max=self.tokens.shape[1] - 1).expand(len(said), -1))
        offset = (place - said[:, None]).clamp(0, end_goal.shape[1] - 1)
        from_end_goal = end_goal.gather(1, offset)
        beyond = place >= (said + length)[:, None]
        instruction = torch.where(in_subgoal, from_subgoal, from_end_goal)
        return instruction.masked_fill(beyond, self.padding), said + length

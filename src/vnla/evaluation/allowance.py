"""The help budgets that episodes of anybody's are held to.

    allowance = Allowance(seed=123)
    allowance.largest(tasks)  # of each task

Help budgets are drawn (`vnla.world.budgets`). The scorer gives the seed: whoever walks under several seeds could otherwise
hand in, for each task, the walk that went best.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from vnla.assistance.advisor import BoundAdvisor
from vnla.evaluation.evaluate import SEEDS
from vnla.tasks.task_set import TaskSet
from vnla.world.budgets import HELP_RATIO, SUBGOAL_ACTIONS, help_budget

_LUCK = 5.0  # standard deviations; one honest file in three million has more


@dataclass(frozen=True)
class Allowance:
    """How often an agent may ask: τ and k of the help budgets, and the seed that draws them."""

    ratio: float = HELP_RATIO
    k: int = SUBGOAL_ACTIONS
    seed: int | None = SEEDS[0]
    """None allows every budget that can be drawn; the figures of such files cannot be compared."""
    advisor: BoundAdvisor | None = None
    """Who answered, where that is known: then records have to be complete (`vnla.evaluation.complete`)."""

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds that count in an evaluation of several: the scorer's, of which a results file has the first."""
        if self.seed == SEEDS[0]:
            return SEEDS
        return () if self.seed is None else (self.seed,)

    def __str__(self) -> str:
        """Where budgets come from, for messages."""
        seed = "" if self.seed is None else f"seed {self.seed}, "
        return f"{seed}τ = {self.ratio:g} and k = {self.k}"

    def drawn(self, tasks: TaskSet, seed: int | Tensor) -> Tensor:
        """The help budget that a seed draws for each task."""
        return help_budget(tasks.time_budget, tasks.key, ratio=self.ratio, k=self.k, seed=seed)

    def largest(self, tasks: TaskSet) -> list[int]:
        """The help budget of each task; the larger one where two could have been drawn."""
        if self.seed is None:
            return self.exact(tasks).ceil().long().tolist()
        return self.drawn(tasks, self.seed).tolist()

    def exact(self, tasks: TaskSet) -> Tensor:
        """The mean budget of each task, over all seeds."""
        return tasks.time_budget.to(torch.float64) * self.ratio / self.k

    def most(self, tasks: TaskSet) -> float:
        """How many requests budgets of all tasks together can allow."""
        if self.seed is not None:
            return math.inf  # each task has been held to its own
        exact = self.exact(tasks)
        part = exact - exact.floor()
        return float(exact.sum() + _LUCK * (part * (1 - part)).sum().sqrt())

    def complaint(self, said: int, allowed: int) -> str:
        """Return why a task cannot have had a help budget of `said`, of which so much is allowed; nothing where it can."""
        given = f"τ = {self.ratio:g} and k = {self.k}"
        if self.seed is None:
            return f"{said}, but {given} give this task {allowed} at most" if said > allowed else ""
        return "" if said == allowed else f"{said}, but seed {self.seed} draws {allowed} for this task ({given})"

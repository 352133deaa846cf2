"""Walks under way, any number at once: the rules of the environment, on tensors alone.

One step carries out either a request or a navigation action, in the order of the paper's Algorithm 1: in each time step the
agent may ask once, hears the subgoal, and then moves. A request takes no time; a request that cannot be answered is passed
over and the navigation action beside it is carried out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import torch
from torch import Tensor

from vnla.evaluation.measures import is_success, spl
from vnla.roles.advisor import TemplateAdvisor
from vnla.tasks.task_set import TaskSet
from vnla.world.actions import Ask, Nav
from vnla.world.budgets import help_budget
from vnla.world.compiled import viewpoint_of

NO_ACTION = -1
"""Stands for "no navigation action was carried out"."""


@dataclass(frozen=True)
class Walks:
    """Tensors of one entry an agent."""

    task: Tensor  # (batch,), number in the task set
    pose: Tensor  # (batch,)
    time_left: Tensor  # (batch,), time steps
    help_left: Tensor  # (batch,), requests
    subgoal: Tensor  # (batch,), the advisor's code of what it said last
    plan: Tensor  # (batch, k), actions of the last advice
    acting: Tensor  # (batch,), how many actions of the plan a direct advisor has yet to carry out
    asked: Tensor  # (batch,), whether the agent has asked in this time step
    walked: Tensor  # (batch,), metres

    def with_rows(self, rows: Tensor, others: Walks) -> Walks:
        """These walks with those numbered `rows` replaced by `others`."""
        names = [each.name for each in fields(self)]
        return replace(self, **{name: getattr(self, name).index_copy(0, rows, getattr(others, name)) for name in names})


class Outcome(NamedTuple):
    """What a step did: (batch,) each."""

    executed: Tensor  # the navigation action carried out, or NO_ACTION
    answered: Tensor  # whether the advisor was asked and answered
    stopped: Tensor  # whether the episode ended by `stop`
    out_of_time: Tensor  # whether it ended because no time is left
    success: Tensor  # whether it ended near a goal
    spl: Tensor  # success weighted by (normalised inverse) path length; 0 until the end


@dataclass(frozen=True)
class Rules:
    """The environment's dynamics."""

    tasks: TaskSet
    advisor: TemplateAdvisor
    ratio: float
    success_radius: float

    def begin(self, tasks: Sequence[int], seeds: Sequence[int]) -> Walks:
        """Walks at the start of `tasks`, each with the help budget that `Episodes` draws for its seed."""
        every = self.tasks
        task = torch.tensor(tasks, device=every.start.device)
        time, key = every.time_budget[task], every.key[task]
        seed = torch.tensor([each % 2**63 for each in seeds], device=task.device)  # Gymnasium draws seeds of 128 bits
        return Walks(
            task=task,
            pose=every.start[task],
            time_left=time,
            help_left=help_budget(time, key, ratio=self.ratio, k=self.advisor.k, seed=seed),
            subgoal=torch.full_like(task, self.advisor.silence),
            plan=task.new_full((len(tasks), self.advisor.k), Nav.STOP),
            acting=torch.zeros_like(task),
            asked=torch.zeros_like(task, dtype=torch.bool),
            walked=torch.zeros_like(task, dtype=torch.float64),
        )

    def heard(self, walks: Walks) -> Tensor:
        """Whether a request would be answered now."""
        return (walks.help_left > 0) & ~walks.asked

    def step(self, walks: Walks, nav: Tensor, ask: Tensor) -> tuple[Walks, Outcome]:
        """One action pair for each walk."""
        answered = (ask == Ask.REQUEST) & self.heard(walks)
        if answered.any():
            walks = self._advised(walks, answered)
        moved, executed = self._moved(walks, nav)
        after = Walks(
            **{each.name: _where(answered, getattr(walks, each.name), getattr(moved, each.name)) for each in fields(Walks)}
        )
        executed = torch.where(answered, NO_ACTION, executed)
        return after, self._outcome(after, executed, answered)

    def _advised(self, walks: Walks, answered: Tensor) -> Walks:
        advice = self.advisor(self.tasks.environment, walks.pose, self.tasks.goals[walks.task])
        return replace(
            walks,
            help_left=walks.help_left - answered.long(),
            subgoal=torch.where(answered, advice.subgoal, walks.subgoal),
            plan=_where(answered, advice.plan, walks.plan),
            acting=torch.where(answered, self.advisor.k if self.advisor.direct else 0, walks.acting),
            asked=walks.asked | answered,
        )

    def _moved(self, walks: Walks, nav: Tensor) -> tuple[Walks, Tensor]:
        """The walks a time step later, and the action that a direct advisor or else the agent chose."""
        environment = self.tasks.environment
        place = (self.advisor.k - walks.acting).clamp(max=self.advisor.k - 1)
        planned = walks.plan.gather(1, place[:, None]).squeeze(1)
        executed = torch.where(walks.acting > 0, planned, nav)
        pose = environment.step(walks.pose, executed, self.tasks.goals[walks.task])
        metres = environment.world.distance_between(viewpoint_of(walks.pose), viewpoint_of(pose))
        moved = replace(
            walks,
            pose=pose,
            time_left=walks.time_left - 1,
            acting=(walks.acting - 1).clamp(min=0),
            asked=torch.zeros_like(walks.asked),
            walked=walks.walked + metres,
        )
        return moved, executed

    def _outcome(self, walks: Walks, executed: Tensor, answered: Tensor) -> Outcome:
        every = self.tasks
        goals = every.goals[walks.task]
        stopped = executed == Nav.STOP
        out_of_time = (walks.time_left <= 0) & ~stopped
        left = every.environment.distance_left(walks.pose, goals)
        success = (stopped | out_of_time) & is_success(left, self.success_radius)
        shortest = every.environment.distance_left(every.start[walks.task], goals).to(walks.walked)
        return Outcome(executed, answered, stopped, out_of_time, success, spl(success, shortest, walks.walked))


def _where(mask: Tensor, yes: Tensor, no: Tensor) -> Tensor:
    """`torch.where` with a mask over the first dimension."""
    return torch.where(mask.reshape(-1, *[1] * (yes.ndim - 1)), yes, no)

"""One episode as plain arrays: where the agent was, what it did, what it was told, and what the teacher would have done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from vnla.assistance.phrases import with_subgoal
from vnla.camera import Ints
from vnla.evaluation.scores import is_success
from vnla.evaluation.trace import NOTHING, Trace
from vnla.tasks.task import Task
from vnla.tasks.task_set import TaskSet
from vnla.world.actions import Nav


class About(NamedTuple):
    """Whose episode it is."""

    actor: str
    """agent, teacher or person."""
    seed: int | None = None
    """Of the help budget, where it is known."""
    participant: str = ""
    condition: str = ""


class Batch(NamedTuple):
    """Some episodes, on the host: a row of `trace` for each of `tasks`."""

    tasks: TaskSet
    trace: Trace
    about: Sequence[About]


@dataclass(frozen=True)
class Recording:
    """One episode of T actions."""

    task: Task
    about: About
    pose: Ints  # (T + 1,)
    nav: Ints  # (T,)
    request: NDArray[np.bool_]  # (T,), before the action
    said: tuple[str, ...]  # T, what the advisor said before the action; nothing where it was not asked
    taught: Ints  # (T + 1,), the navigation teacher's action
    metres: NDArray[np.float32]  # (T + 1,), to the nearest goal
    blocked: NDArray[np.bool_]  # (T + 1,), whether nothing is in view
    time_budget: int
    help_budget: int  # NOTHING where it is not known
    success: bool

    @property
    def steps(self) -> int:
        """T."""
        return len(self.nav)

    @property
    def stopped(self) -> bool:
        """Whether it ended by `stop`, and not because the time was over."""
        return bool(self.steps and self.nav[-1] == Nav.STOP)

    @property
    def time_left(self) -> Ints:
        """Before each action and after the last: (T + 1,)."""
        return self.time_budget - np.arange(self.steps + 1)

    @property
    def help_left(self) -> Ints:
        """Requests left before each action, and before that of this step: (T + 1,); NOTHING where it is not known."""
        if self.help_budget == NOTHING:
            return np.full(self.steps + 1, NOTHING)
        return self.help_budget - np.concatenate([[0], np.cumsum(self.request)])

    def instructions(self) -> tuple[str, ...]:
        """What the agent has before it when it acts, and after the last action: what was said last, and the end-goal."""
        heard, found = "", []
        for said in (*self.said, ""):
            heard = said or heard
            found.append(with_subgoal(heard, self.task.end_goal))
        return tuple(found)


def recordings(batch: Batch) -> Iterator[Recording]:
    """The episodes of a batch, one by one."""
    tasks, trace = batch.tasks, batch.trace
    environment = tasks.environment
    pose = trace.pose.to(tasks.goals.device)
    goals = tasks.goals[:, None].expand_as(pose)
    taught, metres, blocked = (
        _host(each)
        for each in (environment.nav_teacher(pose, goals), environment.distance_left(pose, goals), environment.blocked(pose))
    )
    success = _host(is_success(environment.distance_left(pose[:, -1], tasks.goals)))
    poses, nav, request, phrase = (_host(each) for each in (trace.pose, trace.nav, trace.request, trace.phrase))
    rows = zip(
        tasks.tasks, batch.about, trace.length.tolist(), tasks.time_budget.tolist(), trace.help_budget.tolist(), strict=True
    )
    for row, (task, about, length, time_budget, help_budget) in enumerate(rows):
        yield Recording(
            task=task,
            about=about,
            pose=poses[row, : length + 1],
            nav=nav[row, :length],
            request=request[row, :length],
            said=tuple("" if each == NOTHING else trace.texts[each] for each in phrase[row, :length]),
            taught=taught[row, : length + 1],
            metres=metres[row, : length + 1],
            blocked=blocked[row, : length + 1],
            time_budget=max(time_budget, length),  # of people nothing is known but how long they took
            help_budget=help_budget,
            success=bool(success[row]),
        )


def _host(tensor: Tensor) -> NDArray[Any]:
    array: NDArray[Any] = tensor.cpu().numpy()
    return array

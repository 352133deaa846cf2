"""Many tasks made ready to run: one environment with all their goals, and tensors from which batches are gathered."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from vnla.camera import LEVEL_ROW, VIEWS, view_index
from vnla.common.errors import InputError
from vnla.common.randomness import episode_key
from vnla.episode import Episodes
from vnla.tasks.task import Task, sought_keys
from vnla.tasks.vocabulary import Vocabulary
from vnla.words import Words
from vnla.world.actions import Nav
from vnla.world.budgets import HELP_RATIO, LONGEST_EPISODE, SUBGOAL_ACTIONS, TimeBudgets, training_time_budget
from vnla.world.compiled import Environment, World, viewpoint_of
from vnla.world.forward import INFORMED

Value = TypeVar("Value", bound=Hashable)


@dataclass(frozen=True)
class TaskSet:
    """Tensors of one entry a task."""

    tasks: tuple[Task, ...]
    environment: Environment
    key: Tensor  # (tasks,)
    start: Tensor  # (tasks,), pose
    goals: Tensor  # (tasks,), goal set
    time_budget: Tensor  # (tasks,)
    end_goals: Words  # (tasks, …), in the words of a vocabulary; none where nobody reads them
    sought: Tensor  # (tasks, 2), what stands for the object and the room

    @classmethod
    def compile(
        cls,
        world: World,
        tasks: Sequence[Task],
        budgets: TimeBudgets | None = None,
        longest: int = LONGEST_EPISODE,
        vocabulary: Vocabulary | None = None,
    ) -> TaskSet:
        """`tasks` in `world`, with time budgets for evaluation, or for training where no `budgets` are given.

        A training budget comes from the lengths of the teacher's ways in the data set, which are those of the paper's
        `forward`; with another it is no less than the teacher needs. Whoever reads the end-goals gives the `vocabulary` to
        read them with.
        """
        if not tasks:
            raise InputError("there are no tasks to run")
        number = _viewpoint_numbers(world)
        _check_world(number, tasks)
        end_goals = [task.end_goal for task in tasks]
        words = Words(*vocabulary.encode(end_goals)) if vocabulary is not None else Words.none(len(tasks))
        goal_sets, goals = _distinct([(task.house, task.goals) for task in tasks])
        start = [number[task.house][task.start] * VIEWS + view_index(LEVEL_ROW, task.heading) for task in tasks]
        sought = _of_each(lambda pair: sought_keys(*pair), [(task.object, task.goal_room) for task in tasks])
        compiled = cls(
            tasks=tuple(tasks),
            environment=Environment.compile(world, goal_sets),
            key=_whole_numbers([episode_key(task.id) for task in tasks]).to(world.device),
            start=_whole_numbers(start).to(world.device),
            goals=goals.to(world.device),
            time_budget=_time_budgets(tasks, budgets, longest).to(world.device),
            end_goals=words.to(world.device),
            sought=sought.to(world.device),
        )
        return compiled if budgets is not None or world.forward == INFORMED else compiled._with_time_for_the_teacher(longest)

    def _with_time_for_the_teacher(self, longest: int) -> TaskSet:
        _, needed = teacher_trajectories(self.environment, self.start, self.goals, longest)
        return replace(self, time_budget=torch.maximum(self.time_budget, needed.clamp(max=longest)))

    def __len__(self) -> int:
        return len(self.tasks)

    def houses(self) -> Tensor:
        """Return the number of each task's house, on the host."""
        first = self.environment.world.first.cpu()
        return torch.searchsorted(first, viewpoint_of(self.start.cpu()), right=True) - 1

    def rows(self, which: Sequence[int]) -> TaskSet:
        """Return some of the tasks, by their numbers, in this order."""
        some = torch.tensor(which, dtype=torch.int64, device=self.key.device)
        chosen = {name: getattr(self, name)[some] for name in ("key", "start", "goals", "time_budget", "sought")}
        tasks = tuple(self.tasks[number] for number in which)
        return replace(self, tasks=tasks, end_goals=self.end_goals.rows(some), **chosen)

    def episodes(
        self, which: Tensor, *, seed: int | Tensor, ratio: float = HELP_RATIO, k: int = SUBGOAL_ACTIONS
    ) -> Episodes:
        """Episodes of the tasks numbered `which`, with help budgets drawn for this seed."""
        return Episodes.begin(
            self.environment,
            key=self.key[which],
            start=self.start[which],
            goals=self.goals[which],
            time_budget=self.time_budget[which],
            end_goals=self.end_goals.rows(which),
            sought=self.sought[which],
            seed=seed,
            ratio=ratio,
            k=k,
        )


def _time_budgets(tasks: Sequence[Task], budgets: TimeBudgets | None, longest: int) -> Tensor:
    if budgets is None:
        return _of_each(lambda lengths: training_time_budget(lengths, longest), [task.lengths for task in tasks])
    return _of_each(budgets.__getitem__, [(task.start_room, task.goal_room or task.object) for task in tasks])


def _distinct(values: Sequence[Value]) -> tuple[list[Value], Tensor]:
    """Return the values that differ, in the order in which they first come, and which of them each value is."""
    number: dict[Value, int] = {}
    which = [number.setdefault(value, len(number)) for value in values]
    return list(number), _whole_numbers(which)


def _of_each(work: Callable[[Value], Any], values: Sequence[Value]) -> Tensor:
    """What `work` makes of each value, a number or several; equal ones, which tasks have many of, are worked out once."""
    distinct, which = _distinct(values)
    return _whole_numbers([work(value) for value in distinct])[which]


def _whole_numbers(values: Sequence[Any]) -> Tensor:
    """Return a tensor of numbers, or of rows of them; NumPy reads a long list in a sixth of the time that PyTorch takes."""
    return torch.from_numpy(np.array(values, dtype=np.int64))


def _viewpoint_numbers(world: World) -> dict[str, dict[str, int]]:
    """House → viewpoint → its number in the world."""
    return {
        house: {viewpoint: number for number, viewpoint in enumerate(graph.ids, first)}
        for house, graph, first in zip(world.houses, world.graphs, world.firsts[:-1], strict=True)
    }


def _check_world(number: Mapping[str, Mapping[str, int]], tasks: Sequence[Task]) -> None:
    """Tasks of another world are noticed here, with a line about both."""
    for task in tasks:
        house = number.get(task.house)
        if house is None:
            raise InputError(
                f"task {task.id}: is in house {task.house}, which this world of {len(number)} houses does not have"
            )
        if not house.keys() >= {task.start, *task.goals}:
            stranger = next(each for each in (task.start, *task.goals) if each not in house)
            raise InputError(
                f"task {task.id}: house {task.house} of this world has no viewpoint {stranger};"
                " were these tasks made for another world?"
            )


def teacher_trajectories(
    environment: Environment, start: Tensor, goals: Tensor, longest: int = LONGEST_EPISODE
) -> tuple[Tensor, Tensor]:
    """Return the teacher's actions from `start`, (batch, longest), `stop` repeated at the end, and how many it takes.

    The count includes the final `stop`; where the teacher needs more than `longest` actions it is `longest + 1`.
    """
    actions, _ = environment.taught_way(start, goals, longest)
    trajectory = torch.stack(actions, dim=1)
    return trajectory, (trajectory != Nav.STOP).sum(dim=1) + 1

"""How sure an agent is, beside whether it was right: what a guarantee is calibrated on (`vnla.evaluation.calibrate`).

    subject = Subject.of(players, tasks, ratio=0.4)
    print(subject.sample.sureness[~subject.sample.wrong])

Every task is run twice. Once by the agent as it is evaluated: how probable did it find `stop` where it stopped, and was that
at a goal? Once by the navigation teacher, with the agent looking on: where would it have left the teacher's way, and how
much doubt did it have there (`vnla.roles.certain`)?
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vnla.bcui import bcui
from vnla.common.progress import Share, unheard
from vnla.evaluation.evaluate import fitting_batch, greedy
from vnla.evaluation.measures import is_success
from vnla.players import Players
from vnla.roles.acting import LED
from vnla.roles.certain import Certain, doubt
from vnla.roles.help_policies import Help
from vnla.rollout import Rollout
from vnla.tasks.task_set import TaskSet
from vnla.world.actions import STOP
from vnla.world.budgets import LONGEST_EPISODE

NEVER_WRONG, OUT_OF_TIME = 1.0, -1.0
"""Stand for a doubt where the agent would never have left the teacher's way, and where that way is too long."""

Array = NDArray[Any]
Measure = Callable[[Rollout], tuple[Tensor, ...]]
"""Of a batch of episodes some columns, (episodes,) each."""


@dataclass(frozen=True)
class Sample:
    """What is known of some tasks, an entry each."""

    house: Array  # number of the house
    sureness: Array  # the probability of `stop` where the agent stopped; 0 if it did not
    wrong: Array  # whether it ended elsewhere
    doubt: Array  # the least doubt that it had where it would have left the teacher's way

    def rows(self, which: Array) -> Sample:
        """Those of some tasks."""
        return Sample(**{each.name: getattr(self, each.name)[which] for each in fields(self)})


@dataclass(frozen=True)
class Subject:
    """An agent in some houses, and what is known of it there."""

    players: Players  # as it is evaluated
    tasks: TaskSet
    sample: Sample  # of all tasks

    @classmethod
    def of(cls, players: Players, tasks: TaskSet, *, ratio: float, seed: int = 0, progress: Share = unheard) -> Subject:
        """The agent with help for the share `ratio` of the time, then the teacher."""
        count = len(tasks)
        sureness, wrong = over(players, tasks, ending, ratio=ratio, seed=seed, progress=lambda n, _: progress(n, 2 * count))
        (left,) = over(guarded(players), unhurried(tasks), leaving, progress=lambda n, _: progress(count + n, 2 * count))
        numbers = {name: number for number, name in enumerate(dict.fromkeys(task.house for task in tasks.tasks))}
        house = np.array([numbers[task.house] for task in tasks.tasks])
        return cls(players, tasks, Sample(house, sureness, wrong, left))

    def walks(self, least: float, which: Array) -> Walks:
        """How some tasks go if somebody acts wherever the doubt is `least` or more."""
        return Walks(*over(guarded(self.players, least), unhurried(self.tasks), walking, which))


class Walks(NamedTuple):
    """How guarded episodes went, an entry each."""

    success: Array
    as_taught: Array  # whether each step was the teacher's
    requests: Array
    steps: Array


def guarded(players: Players, least: float = 0.0) -> Players:
    """The same agent with somebody who acts for it wherever its doubt is `least` or more; by itself, always."""
    policy = Certain(least)
    advisor = policy.help(Help(players.advisor, 0.0), training=False).advisor
    return replace(players, help_policy=policy, advisor=advisor, acting=LED, deliberate=True)


def unhurried(tasks: TaskSet) -> TaskSet:
    """The same tasks with the longest time: enough for the teacher in every task that AskNav and NoRoom keep."""
    return replace(tasks, time_budget=torch.full_like(tasks.time_budget, LONGEST_EPISODE))


def over(
    players: Players,
    tasks: TaskSet,
    measure: Measure,
    which: Array | None = None,
    *,
    ratio: float = 1.0,
    seed: int = 0,
    progress: Share = unheard,
) -> list[Array]:
    """What `measure` finds in the episodes of the tasks `which`, or of all: columns of an entry a task."""
    steps, found = int(tasks.time_budget.max()), []
    rows = torch.as_tensor(np.arange(len(tasks)) if which is None else which, device=tasks.key.device)
    done = 0
    with greedy(players.agent):
        for part in torch.split(rows, fitting_batch(players, tasks, steps)):
            episodes = tasks.episodes(part, seed=seed, ratio=ratio, k=players.advisor.k)
            found.append([column.cpu().numpy() for column in measure(bcui(episodes, players, longest=steps))])
            done += len(part)
            progress(done, len(rows))
    return [np.concatenate(column) for column in zip(*found, strict=True)]


def ending(rollout: Rollout) -> tuple[Tensor, Tensor]:
    """The probability of `stop` where the agent stopped, else 0; and whether it ended elsewhere than at a goal."""
    sureness = torch.zeros_like(rollout.episodes.start, dtype=torch.float32)
    for moment in rollout.moments:
        stopped = moment.going & (moment.nav == STOP)
        here = torch.where(stopped, moment.final[:, STOP].exp(), sureness[moment.row])
        sureness = sureness.index_copy(0, moment.row, here)
    return sureness, ~arrived(rollout)


def leaving(rollout: Rollout) -> tuple[Tensor]:
    """Of episodes led by the teacher: the least doubt where the agent would have done something else."""
    least = torch.full_like(rollout.episodes.start, NEVER_WRONG, dtype=torch.float32)
    for moment in rollout.moments:
        leaves = moment.going & (moment.final.exp().argmax(dim=1) != moment.taught)  # as `vnla.roles.acting` chooses
        here = torch.where(leaves, doubt(moment.tentative), NEVER_WRONG)
        least = least.index_copy(0, moment.row, torch.minimum(least[moment.row], here))
    return (torch.where(arrived(rollout), least, OUT_OF_TIME),)


def walking(rollout: Rollout) -> tuple[Tensor, ...]:
    """The columns of `Walks`."""
    nav, taught, request = (rollout.table(name) for name in ("nav", "taught", "request"))
    return arrived(rollout), (nav == taught).all(dim=1), request.sum(dim=1), (nav >= 0).sum(dim=1)


def arrived(rollout: Rollout) -> Tensor:
    """Whether each episode ended at a goal."""
    episodes = rollout.episodes
    return is_success(episodes.environment.distance_left(rollout.last_pose(), episodes.goals))

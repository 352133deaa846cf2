"""How sure an agent is, beside whether it was right: what a guarantee is calibrated on (`vnla.evaluation.calibrate`).

    sample = sampled(context, tasks, ratio=0.4)
    print(sample.sureness[~sample.wrong])

Every task is run by the agent as it is evaluated: how probable did it find `stop` at its last step, and was that at a goal?
Then with somebody who acts for it wherever it has a certain doubt (`vnla.assistance.certain`), for each of `DOUBTS`. At the
first the navigation teacher leads it all the way: where would the agent have left that way, and how much doubt did it have
there?
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vnla.assistance.acting import LED
from vnla.assistance.certain import Certain, doubt
from vnla.assistance.help_policies import Help
from vnla.bcui import bcui
from vnla.common.progress import Share, unheard
from vnla.evaluation.evaluate import fitting_batch, greedy
from vnla.evaluation.scores import is_success
from vnla.rollout import Rollout, RolloutContext
from vnla.tasks.task import Task
from vnla.tasks.task_set import TaskSet
from vnla.world.actions import STOP
from vnla.world.budgets import LONGEST_EPISODE

DOUBTS = (0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, *(hundredth / 100 for hundredth in range(8, 32, 2)), 0.35, 0.4, 1.0)
"""From where on somebody may act, fixed before anything is seen: at the first always, at the last never."""

NEVER_LEFT, OUT_OF_TIME = 1.0, -1.0
"""Stand for a doubt where the agent would never have left the teacher's way, and where that way is too long."""

Array = NDArray[Any]
Measure = Callable[[Rollout], tuple[Tensor, ...]]
"""Of a batch of episodes some columns, (episodes,) each."""


@dataclass(frozen=True)
class Sample:
    """What is known of some tasks, a row each."""

    house: Array  # number of the house
    sureness: Array  # the probability of `stop` at the last step
    wrong: Array  # whether the agent ended elsewhere
    doubt: Array  # the least doubt that it had where it would have left the teacher's way
    success: Array  # (tasks, DOUBTS), if somebody acts from this doubt on
    requests: Array  # likewise, at how many steps somebody did
    steps: Array  # likewise, of how many

    def rows(self, which: Array) -> Sample:
        """Those of some tasks."""
        return Sample(**{each.name: getattr(self, each.name)[which] for each in fields(self)})


def sampled(context: RolloutContext, tasks: TaskSet, *, ratio: float, seed: int = 0, progress: Share = unheard) -> Sample:
    """Runs of every task, the first with help for the share `ratio` of the time."""
    count, runs = len(tasks), 1 + len(DOUBTS)

    def counted(run: int) -> Share:
        return lambda done, _: progress(run * count + done, runs * count)

    sureness, wrong = over(context, tasks, ending, ratio=ratio, seed=seed, progress=counted(0))
    unhurried = replace(tasks, time_budget=torch.full_like(tasks.time_budget, LONGEST_EPISODE))
    walks = [
        over(guarded(context, least), unhurried, guarded_walk, progress=counted(run)) for run, least in enumerate(DOUBTS, 1)
    ]
    success, requests, steps, left = (np.stack(column, axis=1) for column in zip(*walks, strict=True))
    return Sample(house_numbers(tasks.tasks), sureness, wrong, left[:, 0], success, requests, steps)


def house_numbers(tasks: Sequence[Task]) -> Array:
    """The house of each task as a number."""
    return np.unique([task.house for task in tasks], return_inverse=True)[1]


def guarded(context: RolloutContext, least: float) -> RolloutContext:
    """The same agent with somebody who acts for it wherever its doubt is `least` or more."""
    policy = Certain(least)
    advisor = policy.help(Help(context.advisor, 0.0), training=False).advisor
    return replace(context, help_policy=policy, advisor=advisor, acting=LED, deliberate=True)


def over(
    context: RolloutContext,
    tasks: TaskSet,
    measure: Measure,
    *,
    ratio: float = 1.0,
    seed: int = 0,
    progress: Share = unheard,
) -> list[Array]:
    """What `measure` finds in the episodes of all tasks: columns of an entry a task."""
    steps, found = int(tasks.time_budget.max()), []
    every = torch.arange(len(tasks), device=tasks.key.device)
    with greedy(context.agent):
        for which in torch.split(every, fitting_batch(context, tasks.end_goals, steps)):
            episodes = tasks.episodes(which, seed=seed, ratio=ratio, k=context.advisor.k)
            found.append([column.cpu().numpy() for column in measure(bcui(episodes, context, longest=steps))])
            progress(int(which[-1]) + 1, len(tasks))
    return [np.concatenate(column) for column in zip(*found, strict=True)]


def ending(rollout: Rollout) -> tuple[Tensor, Tensor]:
    """The probability of `stop` at the last step, and whether that was elsewhere than at a goal."""
    sureness = torch.zeros_like(rollout.episodes.start, dtype=torch.float32)
    for transition in rollout.transitions:
        here = torch.where(transition.active, transition.final[:, STOP].exp(), sureness[transition.row])
        sureness = sureness.index_copy(0, transition.row, here)
    return sureness, ~arrived(rollout)


def guarded_walk(rollout: Rollout) -> tuple[Tensor, ...]:
    """Success, requests, steps, and what `leaving` finds."""
    nav, request = rollout.table("nav"), rollout.table("request")
    return arrived(rollout), request.sum(dim=1), (nav >= 0).sum(dim=1), leaving(rollout)


def leaving(rollout: Rollout) -> Tensor:
    """Of episodes that the teacher leads: the least doubt of each agent where it would have done something else."""
    least = torch.full_like(rollout.episodes.start, NEVER_LEFT, dtype=torch.float32)
    for transition in rollout.transitions:
        leaves = transition.active & (
            transition.final.exp().argmax(dim=1) != transition.taught
        )  # as `vnla.assistance.acting` chooses
        here = torch.where(leaves, doubt(transition.tentative), NEVER_LEFT)
        least = least.index_copy(0, transition.row, torch.minimum(least[transition.row], here))
    return torch.where(arrived(rollout), least, OUT_OF_TIME)


def arrived(rollout: Rollout) -> Tensor:
    """Whether each episode ended at a goal."""
    episodes = rollout.episodes
    return is_success(episodes.environment.distance_left(rollout.last_pose(), episodes.goals))

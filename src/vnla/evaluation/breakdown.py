"""Where an agent succeeds, fails and asks (the appendix, "Qualitative Analysis"): its evaluation in parts.

    requests_over_time(evaluation)                                 # fig:request_dist
    early_requests(evaluation), early_requests_otherwise(evaluation)
    success_by(evaluation, teacher_actions(evaluation))            # fig:success_len (a); agent_actions for (b)
    best_and_worst(success_by(evaluation, objects(evaluation)))    # fig:success_obj; goal_rooms for fig:success_room

The paper looks at one seed; here all seeds of an evaluation count, and intervals are over tasks in the same houses, because
runs of one task are not independent. Shares are per cent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vnla.evaluation.confidence import FACTOR, Interval, over_episodes, per_cent
from vnla.evaluation.evaluate import Evaluation
from vnla.tasks.task_set import teacher_trajectories

TIME_BINS = 10
WIDTH = 5
"""Numbers of actions that share a bucket."""
FREQUENT = 50
"""Objects and rooms that appear more often than this are compared."""
TOP = 5

Labels = NDArray[Any]
"""(seeds, tasks) or (tasks,): to which part an episode belongs; "" or a negative number: to none."""


@dataclass(frozen=True)
class SubsetShare:
    """Some of the episodes, and how large the share is there: of successes, or of all requests."""

    label: str
    share: Interval  # per cent; without an interval where it is of a single task
    tasks: int
    episodes: int

    def as_dict(self) -> dict[str, Any]:
        """Return the part for a JSON file; what cannot be known is null."""
        return {"label": self.label, **self.share.as_dict(), "tasks": self.tasks, "episodes": self.episodes}


def requests_over_time(evaluation: Evaluation, bins: int = TIME_BINS) -> list[SubsetShare]:
    """Which share of all requests is made in each part of an episode's time; the time ends with the last action taken.

    A request before action t of n, counted from 0, is made at t/n.
    """
    asked = evaluation.trace.request.numpy()  # (episodes, steps)
    length = evaluation.trace.length.numpy()[:, None]
    place = np.arange(asked.shape[1]) * bins // np.maximum(length, 1)  # (episodes, steps), exact: whole numbers only
    shape = evaluation.scores.success.shape
    total = asked.sum(axis=1).reshape(shape)
    parts = []
    for i in range(bins):
        here = (asked & (place == i)).sum(axis=1).reshape(shape)
        label = f"{100 * i / bins:g}–{100 * (i + 1) / bins:g}%"
        parts.append(_part(label, here, total))
    return parts


def early_requests(evaluation: Evaluation, share: int = 5) -> Interval:
    """Return which share of all requests is made in the first 1/`share` of the time, a fifth unless said otherwise."""
    return requests_over_time(evaluation, share)[0].share


def early_requests_otherwise(evaluation: Evaluation, share: int = 5) -> list[SubsetShare]:
    """Return `early_requests` by other ways to count: as the mean over episodes; with the longest time that any task allows
    as the time; and of the episodes with each help budget alone."""
    asked = evaluation.trace.request.numpy()  # (episodes, steps)
    steps = np.arange(asked.shape[1])
    shape = evaluation.scores.success.shape
    made = asked.sum(axis=1)
    early = (asked & (steps * share < evaluation.trace.length.numpy()[:, None])).sum(axis=1)
    beginning = (asked & (steps * share < len(steps))).sum(axis=1)
    parts = [
        _part("mean over episodes", (early / np.maximum(made, 1)).reshape(shape), (made > 0).reshape(shape)),
        _part(f"in the first {100 / share:g}% of the longest time", beginning.reshape(shape), made.reshape(shape)),
    ]
    budget = evaluation.trace.help_budget.numpy()
    for each in np.unique(budget[made > 0]):
        label = f"of episodes with {each} request{'s' if each > 1 else ''} at most"
        parts.append(_part(label, *(np.where(budget == each, of, 0).reshape(shape) for of in (early, made))))
    return parts


def teacher_actions(evaluation: Evaluation) -> Labels:
    """Return how many actions the navigation teacher takes, the final `stop` included: (tasks,)."""
    tasks = evaluation.tasks
    longest = int(max(max(task.lengths) for task in tasks.tasks))
    return teacher_trajectories(tasks.environment, tasks.start, tasks.goals, longest)[1].cpu().numpy()


def agent_actions(evaluation: Evaluation) -> Labels:
    """Return how many actions the agent took, a final `stop` included: (seeds, tasks)."""
    return evaluation.scores.steps


def objects(evaluation: Evaluation) -> Labels:
    """Return the object that each task asks for: (tasks,)."""
    return np.array([task.object for task in evaluation.tasks.tasks])


def goal_rooms(evaluation: Evaluation) -> Labels:
    """Return the kind of room in which each task has its goals; "" where the end-goal does not say: (tasks,)."""
    return np.array([task.goal_room for task in evaluation.tasks.tasks])


def success_by(evaluation: Evaluation, labels: Labels, width: int = WIDTH) -> list[SubsetShare]:
    """Return the success rate of each part that has episodes, in the order of the labels.

    Numbers are put into buckets of `width`: 1 to 5 actions, 6 to 10 and so on.
    """
    success = evaluation.scores.success
    numeric = np.issubdtype(labels.dtype, np.number)
    keys = np.where(labels > 0, (labels - 1) // width, -1) if numeric else labels
    each = np.broadcast_to(keys, success.shape)
    parts = []
    for key in np.unique(each):
        inside = each == key
        if numeric and key >= 0:
            parts.append(_success(_range(int(key), width), success & inside, inside))
        elif not numeric and key:
            parts.append(_success(str(key), success & inside, inside))
    return parts


def best_and_worst(
    parts: Sequence[SubsetShare], top: int = TOP, more_than: int = FREQUENT
) -> tuple[list[SubsetShare], list[SubsetShare]]:
    """Of the parts of more than so many tasks those with the highest shares and those with the lowest, in falling order.

    Nothing is in both: where there are too few, the best are chosen first.
    """
    ranked = sorted((part for part in parts if part.tasks > more_than), key=lambda part: (-part.share.value, part.label))
    return ranked[:top], ranked[max(top, len(ranked) - top) :]


def _range(bucket: int, width: int) -> str:
    first, last = bucket * width + 1, (bucket + 1) * width
    return str(first) if width == 1 else f"{first}–{last}"


def _success(label: str, success: NDArray[Any], inside: NDArray[Any]) -> SubsetShare:
    """A success rate. Where all went alike nothing tells how tasks vary, so its interval is Wilson's for so many."""
    part = _part(label, success, inside)
    if part.tasks < 2 or 0 < part.share.value < 100:
        return part
    reach = 100 * FACTOR**2 / (part.tasks + FACTOR**2)
    low, high = (100 - reach, 100.0) if part.share.value else (0.0, reach)
    return replace(part, share=Interval(part.share.value, low, high, part.share.over))


def _part(label: str, top: NDArray[Any], bottom: NDArray[Any]) -> SubsetShare:
    """Return the ratio of the sums of (seeds, tasks), over the tasks that count at all."""
    counts = np.atleast_2d(bottom).sum(axis=0) > 0
    tasks = int(counts.sum())
    if not tasks:
        return SubsetShare(label, Interval(math.nan, math.nan, math.nan), 0, 0)
    share = per_cent(over_episodes(np.atleast_2d(top)[:, counts], np.atleast_2d(bottom)[:, counts], whole=1))
    return SubsetShare(label, share, tasks, int((bottom > 0).sum()))

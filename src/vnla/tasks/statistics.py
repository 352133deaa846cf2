"""A data set in numbers: its splits beside the paper's Tables 1 and 5, and what the appendix's figures show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from vnla.tasks.dataset import Dataset
from vnla.tasks.task import Task

SHOWN = ("train", "test_seen", "test_unseen")
"""The splits that the paper's figures show."""

TOP = 20
LONG = 10
"""The paper says how many paths require at least so many actions (about 85%)."""


class SplitSize(NamedTuple):
    """Data points and goals of a split."""

    points: int
    goals: int


PAPER = {
    "asknav": {
        "train": SplitSize(94_798, 139_757),
        "val_seen": SplitSize(4_874, 7_768),
        "val_unseen": SplitSize(5_005, 8_245),
        "test_seen": SplitSize(4_917, 7_470),
        "test_unseen": SplitSize(5_001, 7_537),
    },
    "noroom": {
        "train": SplitSize(78_011, 136_835),
        "val_seen": SplitSize(5_018, 9_966),
        "val_unseen": SplitSize(5_003, 9_318),
        "test_seen": SplitSize(5_014, 9_733),
        "test_unseen": SplitSize(5_010, 10_148),
    },
}
"""Table 1 (AskNav) and Table 5 (NoRoom)."""

PAPER_LONG_SHARE = 0.85


@dataclass(frozen=True)
class SplitStatistics:
    """One split. Counts are of data points, most frequent first; of `lengths` of paths, one a goal."""

    points: int
    goals: int
    buildings: int
    end_goals: int
    """Different pairs of building and end-goal."""
    mean_actions: float | None
    long_share: float | None
    """Share of paths of at least ten actions."""
    objects: dict[str, int]
    start_rooms: dict[str, int]
    goal_rooms: dict[str, int]
    """Empty where the tasks do not say: NoRoom."""
    lengths: dict[int, int]


def split_statistics(tasks: Sequence[Task]) -> SplitStatistics:
    """The figures of a split."""
    lengths = [length for task in tasks for length in task.lengths]
    return SplitStatistics(
        points=len(tasks),
        goals=len(lengths),
        buildings=len({task.house for task in tasks}),
        end_goals=len({(task.house, task.end_goal) for task in tasks}),
        mean_actions=fmean(lengths) if lengths else None,
        long_share=sum(length >= LONG for length in lengths) / len(lengths) if lengths else None,
        objects=_most_common(task.object for task in tasks),
        start_rooms=_most_common(task.start_room for task in tasks),
        goal_rooms=_most_common(task.goal_room for task in tasks),
        lengths=dict(sorted(Counter(lengths).items())),
    )


def dataset_statistics(dataset: Dataset) -> dict[str, SplitStatistics]:
    """The figures of every split that a data set has."""
    return {split: split_statistics(dataset.split(split)) for split in dataset.paths}


def _most_common(values: Iterable[str]) -> dict[str, int]:
    counts = Counter(value for value in values if value)
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

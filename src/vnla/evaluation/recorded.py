"""What people did, scored like what agents do: results files in which a task may be there often, or not at all.

A record may have two more fields than those of `vnla.evaluation.results`: who did it, and under which condition. Everything
is recomputed from the walks. Episodes of one person are not independent, so for intervals whole persons are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vnla.common import files
from vnla.common.errors import InputError
from vnla.evaluation.confidence import Interval, over_houses
from vnla.evaluation.metrics import METRICS, Metric, score
from vnla.evaluation.results import LARGEST, WHAT, Result, read_result, trace_of
from vnla.evaluation.scores import Scores
from vnla.tasks.task import Task
from vnla.tasks.task_set import TaskSet
from vnla.world.compiled import World

EVERYTHING = "recorded"
"""The condition of records that name none."""


@dataclass(frozen=True)
class Recorded(Result):
    """One episode of somebody."""

    participant: str | None = None
    condition: str | None = None


@dataclass(frozen=True)
class Condition:
    """All episodes under one condition."""

    scores: Scores
    participants: tuple[str, ...]
    """Who did each."""
    metrics: Mapping[str, Metric]

    def summary(self) -> dict[str, Interval]:
        """Each figure with its 95% interval over persons; without one where there is only one person."""
        return {name: self._figure(metric) for name, metric in self.metrics.items()}

    def _figure(self, metric: Metric) -> Interval:
        found = over_houses(*metric.sums(self.scores), houses=self.participants)
        return Interval(*(metric.scale * each for each in found))

    def as_dict(self) -> dict[str, Any]:
        """For a JSON file; what cannot be known is null."""
        figures = {
            name: {field: value if math.isfinite(value) else None for field, value in figure._asdict().items()}
            | {"unit": self.metrics[name].unit}
            for name, figure in self.summary().items()
        }
        return {"episodes": len(self.participants), "participants": len(set(self.participants)), "figures": figures}


def read_recorded(path: Path) -> list[Recorded]:
    """The records of a file; whatever is wrong with one is an error that names it."""
    records = files.read_json(path, WHAT, LARGEST)
    if not isinstance(records, list) or not records:
        raise InputError(f"{path}: has no records; expected {WHAT}")
    return [_read(record, f"{path}: record {number}") for number, record in enumerate(records)]


def _read(record: Any, where: str) -> Recorded:
    result = read_result(record, where)
    for field in ("participant", "condition"):
        if not isinstance(record.get(field), str | None):
            raise InputError(f"{where}: field {field} is {record[field]!r}; expected text")
    return Recorded(**vars(result), participant=record.get("participant"), condition=record.get("condition"))


def score_recorded(
    path: Path, world: World, tasks: Iterable[Task], metrics: Mapping[str, Metric] = METRICS
) -> dict[str, Condition]:
    """The metrics of a file by condition, in the order in which it names them."""
    records, by_id = read_recorded(path), {task.id: task for task in tasks}
    for number, record in enumerate(records):
        if record.instr_id not in by_id:
            raise InputError(f"{path}: record {number}: field instr_id: {record.instr_id!r} is no task of this data set")
    compiled = TaskSet.compile(world, [by_id[record.instr_id] for record in records])
    trace = trace_of(compiled, [(f"{path}: record {number}", record) for number, record in enumerate(records)])
    scores = score(trace.to(world.device), compiled.environment, compiled.goals, metrics=metrics)
    conditions = np.array([record.condition or EVERYTHING for record in records])
    names = [record.participant or f"record {number}" for number, record in enumerate(records)]
    found = {}
    for condition in dict.fromkeys(conditions.tolist()):
        which = np.flatnonzero(conditions == condition)
        rows = Scores({name: array[which] for name, array in scores.items()})
        found[condition] = Condition(rows, tuple(names[i] for i in which.tolist()), metrics)
    return found

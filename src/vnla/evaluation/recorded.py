"""What people did, scored like what agents do: results files in which a task may be there often, or not at all.

A record may have two more fields than those of `vnla.evaluation.results`: who did it, and under which condition. Everything
is recomputed from the walks, each of which has to be one that its task allows: from its start, by one action after another,
in its time, with no more requests than there were. Episodes of one person are not independent, so intervals are
over persons, with all that they did.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from vnla.common import files
from vnla.common.errors import InputError
from vnla.evaluation.confidence import Interval, difference_over_houses, over_houses
from vnla.evaluation.metrics import METRICS, Metric, score
from vnla.evaluation.replay import RecordedWalks, broken_rules
from vnla.evaluation.results import WHAT, Result, read_result, trace_of
from vnla.evaluation.scores import Scores
from vnla.evaluation.spreadsheet import ABOUT_TASK, about_task, as_csv, columns_of
from vnla.evaluation.trace import NOTHING, Trace
from vnla.houses.house import House
from vnla.tasks.task import Task
from vnla.tasks.task_set import TaskSet
from vnla.world.budgets import TimeBudgets
from vnla.world.compiled import World
from vnla.world.forward import INFORMED

LARGEST = 2048 * files.MEGABYTE
EVERYTHING = "recorded"
"""The condition of records that name none."""


@dataclass(frozen=True)
class Recorded(Result):
    """One episode of somebody."""

    participant: str | None = None
    condition: str | None = None


@dataclass(frozen=True)
class ConditionScores:
    """All episodes under one condition."""

    scores: Scores
    participants: tuple[str, ...]
    """Who did each."""
    tasks: tuple[Task, ...]
    metrics: Mapping[str, Metric]

    def summary(self) -> dict[str, Interval]:
        """Return each figure with its 95% interval over persons; without one where there is only one person."""
        return {
            name: over_houses(*metric.sums(self.scores), houses=self.participants, whole=metric.whole, what="people").scaled(
                metric.scale
            )
            for name, metric in self.metrics.items()
        }

    def minus(self, other: ConditionScores) -> dict[str, Interval]:
        """Return how much more each figure is than under another condition. Who did both is left out with both."""
        people = self.participants, other.participants
        return {
            name: difference_over_houses(
                metric.sums(self.scores), metric.sums(other.scores), people, whole=metric.whole, what="people"
            ).scaled(metric.scale)
            for name, metric in self.metrics.items()
        }

    def as_dict(self, first: tuple[str, ConditionScores] | None = None) -> dict[str, Any]:
        """For a JSON file, with the difference to a condition, given with its name; what cannot be known is null."""
        found: dict[str, Any] = {
            "episodes": len(self.participants),
            "participants": len(set(self.participants)),
            "figures": self._plain(self.summary()),
        }
        if first is not None:
            found["difference"] = {"to": first[0], "figures": self._plain(self.minus(first[1]))}
        return found

    def _plain(self, figures: Mapping[str, Interval]) -> dict[str, Any]:
        return {name: figure.as_dict() | {"unit": self.metrics[name].unit} for name, figure in figures.items()}


def read_recorded(path: Path) -> list[Recorded]:
    """Return the records of a file; whatever is wrong with one is an error that names it."""
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
    path: Path,
    houses: Iterable[House],
    tasks: Iterable[Task],
    budgets: TimeBudgets,
    metrics: Mapping[str, Metric] = METRICS,
) -> dict[str, ConditionScores]:
    """Return the metrics of a file by condition, in the order in which it names them."""
    records = read_recorded(path)
    compiled = _compiled(path, records, houses, tasks, budgets)
    trace = _trace(path, records, compiled)
    scores = score(trace, compiled.environment, compiled.goals, metrics=metrics)
    conditions = np.array([record.condition or EVERYTHING for record in records])
    names = [record.participant or f"record {number}" for number, record in enumerate(records)]
    found = {}
    for condition in dict.fromkeys(conditions.tolist()):
        which = np.flatnonzero(conditions == condition)
        rows = Scores({name: array[which] for name, array in scores.items()})
        people = tuple(names[i] for i in which.tolist())
        found[condition] = ConditionScores(rows, people, tuple(compiled.tasks[i] for i in which.tolist()), metrics)
    return found


def _compiled(
    path: Path, records: Sequence[Recorded], houses: Iterable[House], tasks: Iterable[Task], budgets: TimeBudgets
) -> TaskSet:
    """Return the task of each record, in the houses that are needed. Nobody does a task twice under one condition."""
    by_id = {task.id: task for task in tasks}
    done: dict[tuple[str | None, ...], int] = {}
    for number, record in enumerate(records):
        if record.instr_id not in by_id:
            raise InputError(f"{path}: record {number}: field instr_id: {record.instr_id!r} is no task of this data set")
        before = done.setdefault((record.participant, record.condition, record.instr_id), number)
        if before != number and record.participant is not None:
            raise InputError(f"{path}: record {number}: is of the same person, condition and task as record {before}")
    found = [by_id[record.instr_id] for record in records]
    needed = {task.house for task in found}
    world = World.compile([house for house in houses if house.name in needed], forward=_forward(path, records))
    return TaskSet.compile(world, found, budgets)


def _forward(path: Path, records: Sequence[Recorded]) -> str:
    """Return where `forward` goes, by all records alike; one that does not say is as in the paper."""
    said = {record.forward or INFORMED for record in records}
    if len(said) > 1:
        raise InputError(f"{path}: some records have forward informed and others plain; score them as two files")
    return said.pop() if said else INFORMED


def _trace(path: Path, records: Sequence[Recorded], compiled: TaskSet) -> Trace:
    """Return the walks of the records, if they are walks that their tasks allow."""
    for number, (record, time) in enumerate(zip(records, compiled.time_budget.tolist(), strict=True)):
        if record.help_budget is not None and not 0 <= record.help_budget <= time:
            where = f"{path}: record {number}: field help_budget"
            raise InputError(f"{where} is {record.help_budget}; expected 0 to {time}, a request a step")
    trace = trace_of(compiled, [(f"{path}: record {number}", record) for number, record in enumerate(records)])
    for number in (trace.pose[:, 0] != compiled.start).nonzero().flatten().tolist():
        raise InputError(f"{path}: record {number}: field trajectory: entry 0: the task begins with another heading")
    walks = RecordedWalks.of_trace(compiled, trace, [record.agent_nav is not None for record in records])
    episodes = compiled.episodes(torch.arange(len(records)), seed=0)
    budget = torch.where(trace.help_budget == NOTHING, episodes.time_budget, trace.help_budget)  # unknown: a request a step
    for number, what in broken_rules(replace(episodes, help_budget=budget), walks).items():
        raise InputError(f"{path}: record {number}: {what}")
    return trace


def spreadsheet(conditions: Mapping[str, ConditionScores]) -> str:
    """A row an episode as CSV: who did which task under which condition, and every score, but for what the help teacher
    thought where no record says so."""
    sheets = {name: dict(columns_of(each.scores)) for name, each in conditions.items()}
    names = [name for name in next(iter(sheets.values())) if _is_known(name, sheets.values())]
    rows: list[tuple[object, ...]] = []
    for condition, each in conditions.items():
        values = (sheets[condition][name].tolist() for name in names)
        episodes = zip(each.participants, each.tasks, *values, strict=True)
        rows += [(who, condition, *about_task(task), *row) for who, task, *row in episodes]
    return as_csv(["participant", "condition", *ABOUT_TASK, *names], rows)


def _is_known(name: str, sheets: Iterable[Mapping[str, Any]]) -> bool:
    teachers = name.startswith(("ask_", "reasons"))
    return not teachers or any(sheet[each].any() for sheet in sheets for each in sheet if each.startswith("reasons."))

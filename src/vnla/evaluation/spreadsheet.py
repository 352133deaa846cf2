"""Evaluations as a CSV file, one row an episode, for spreadsheets and data frames. `docs/formats.md` has the columns.

sheet = Spreadsheet()
sheet.add("learned", "test_seen", evaluation)
sheet.write(Path("episodes.csv"))
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from vnla.assistance.help_teacher import RESULT_NAMES, Reason
from vnla.common.files import write_text
from vnla.evaluation.scores import Scores
from vnla.tasks.task import Task
from vnla.tasks.task_set import TaskSet

ABOUT_TASK = ("task", "house", "start", "start_room", "object", "goal_room", "end_goal")
ABOUT = ("run", "split", "seed", *ABOUT_TASK)
"""The columns before the scores."""

_REASONS = tuple(RESULT_NAMES[reason] for reason in Reason)
_LAST_AXIS = {"reasons": _REASONS, "reasons_at_requests": _REASONS}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class Scored(Protocol):
    """Tasks that were run under seeds, and the scores of these episodes: an evaluation, say."""

    @property
    def tasks(self) -> TaskSet: ...

    @property
    def seeds(self) -> Sequence[int | str]: ...

    @property
    def scores(self) -> Scores: ...


@dataclass(frozen=True)
class Spreadsheet:
    """Rows of several evaluations; one that lacks a column of another has nothing there."""

    _parts: list[tuple[str, str, tuple[Task, ...], tuple[int | str, ...], Mapping[str, Any]]] = field(default_factory=list)

    def add(self, run: str, split: str, evaluation: Scored) -> None:
        """The episodes of an evaluation, which is not kept itself."""
        columns = dict(columns_of(evaluation.scores))
        self._parts.append((run, split, tuple(evaluation.tasks.tasks), tuple(evaluation.seeds), columns))

    def text(self) -> str:
        """Return the file."""
        names = list(dict.fromkeys(name for *_, columns in self._parts for name in columns))
        return as_csv((*ABOUT, *names), self._rows(names))

    def _rows(self, names: Sequence[str]) -> Iterator[tuple[object, ...]]:
        for run, split, tasks, seeds, columns in self._parts:
            for place, seed in enumerate(seeds):
                values = [columns[name][place].tolist() if name in columns else [""] * len(tasks) for name in names]
                for task, *row in zip(tasks, *values, strict=True):
                    yield run, split, seed, *about_task(task), *row

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        write_text(path, self.text())


def about_task(task: Task) -> tuple[object, ...]:
    """Return what `ABOUT_TASK` names."""
    return task.id, task.house, task.start, task.start_room, task.object, task.goal_room, task.end_goal


def as_csv(header: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a CSV file."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows([cell(each) for each in row] for row in (header, *rows))
    return stream.getvalue()


def columns_of(scores: Scores) -> Iterator[tuple[str, Any]]:
    """Return the scores as arrays (seeds, tasks): of one with another axis, an array for each place on it."""
    for name, array in scores.items():
        if array.ndim == len(scores.shape):
            yield name, array
        else:
            flat = array.reshape(*scores.shape, -1)
            places = _LAST_AXIS.get(name, tuple(map(str, range(flat.shape[-1]))))
            yield from ((f"{name}.{place}", flat[..., i]) for i, place in enumerate(places))


def cell(value: object) -> object:
    """Return a value as it is written: truth as 1 and 0, what is not known as nothing.

    Spreadsheet programs carry out text that begins like a formula. An apostrophe before it makes it text to them.
    """
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    if isinstance(value, bool | np.bool_):
        return int(value)
    return "" if isinstance(value, float) and math.isnan(value) else value

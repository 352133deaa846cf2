"""The schedule of each participant: who does what in which order.

A cell is an order of the conditions and a group of tasks. Orders are the rows of a Williams square: every condition is
equally often at every place, and follows every other equally often. The tasks of a group come in one order for all, so
every task is done equally often under every condition.

A new participant gets the cell that fewest have completed. Whoever is at work is counted as if they will complete, or
else all who come in one hour would get the same cell; who drops out is not counted. Among equals the cell that fewest have
begun is taken, and then a keyed draw decides.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from vnla.serve.study.design import Design, ScheduleEntry, StudyCondition


class Cell(NamedTuple):
    """An order of conditions, by number, and a group of tasks."""

    order: tuple[int, ...]
    group: int


class Count(NamedTuple):
    """The participants of a cell."""

    completed: int = 0
    at_work: int = 0
    begun: int = 0
    """All, with those who dropped out."""


class Try(NamedTuple):
    """A task that was done or is under way; `passed` is None as long as it is."""

    number: int
    place: int
    task: str
    passed: bool | None
    began: float = 0
    acknowledged: int = 0
    """The last event that the participant had seen when it was over."""


class Next(NamedTuple):
    """What comes next: a task at a place; or nothing, because all is done, or because practice did not go well."""

    what: Literal["task", "done", "out"]
    place: int = 0
    task: str = ""


def williams(count: int) -> list[tuple[int, ...]]:
    """Return orders of so many things: as many as there are things, or twice as many where their number is odd."""
    first = [(each + 1) // 2 if each % 2 else (count - each // 2) % count for each in range(count)]
    rows = [tuple((each + shift) % count for each in first) for shift in range(count)]
    mirrored = [row[::-1] for row in rows] if count % 2 else []
    return list(dict.fromkeys([*rows, *mirrored]))


def cells(design: Design) -> list[Cell]:
    """Return all cells of a study."""
    count = len(design.conditions)
    orders = williams(count) if design.arrangement == "within" else [(each,) for each in range(count)]
    return [Cell(order, group) for group in range(len(design.groups)) for order in orders]


def chosen(counts: Sequence[Count], draw: Callable[[int], bytes]) -> int:
    """Return the cell of a new participant."""
    ranks = [(each.completed + each.at_work, each.begun, draw(i)) for i, each in enumerate(counts)]
    return ranks.index(min(ranks))


def schedule(design: Design, cell: Cell) -> list[ScheduleEntry]:
    """Return all that a participant of a cell does."""
    conditions = [design.conditions[each] for each in cell.order]
    return [*_practice(design, conditions), *_blocks(design, cell, conditions)]


def _practice(design: Design, conditions: Sequence[StudyCondition]) -> Iterator[ScheduleEntry]:
    """Yield practice once for everything that has to be done, as it first occurs."""
    first = {each.kind: each for each in reversed(conditions) if each.mode != "watch"}
    for condition in conditions:
        if design.practice.passes and first.get(condition.kind) is condition:
            yield ScheduleEntry(kind="practice", condition=condition, tasks=tuple(design.practice.tasks))


def _blocks(design: Design, cell: Cell, conditions: Sequence[StudyCondition]) -> Iterator[ScheduleEntry]:
    tasks = design.groups[cell.group]
    size = len(tasks) // design.blocks
    for block, condition in enumerate(conditions):
        found = [
            ScheduleEntry(kind="task", condition=condition, tasks=(task,))
            for task in tasks[block * size : (block + 1) * size]
        ]
        if design.catch and condition.mode != "watch":
            catch = design.catch[block % len(design.catch)]
            place = 1 + _drawn(design.seed, cell, block) % size  # never the first, which one is careful with
            found.insert(place, ScheduleEntry(kind="catch", condition=condition, tasks=(catch,)))
        yield from found


def _drawn(*parts: object) -> int:
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:8], "big")


def what_next(design: Design, todo: Sequence[ScheduleEntry], tries: Sequence[Try]) -> Next:
    """Return what a participant with these tries, all over, does next."""
    for number, place in enumerate(todo):
        passed = [each.passed for each in tries if each.place == number]
        if place.kind != "practice":
            if not passed:
                return Next("task", number, place.tasks[0])
        elif sum(map(bool, passed)) < design.practice.passes:
            if len(passed) >= design.practice.most:
                return Next("out")
            return Next("task", number, place.tasks[len(passed) % len(place.tasks)])
    return Next("done")

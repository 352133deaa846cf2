"""Reads `<id>_connectivity.json`: the viewpoints of a building and the edges between them.

The file is a list; a record's place in it is the viewpoint's number, which the `visible` and `unobstructed` lists of the
others count by. Excluded viewpoints therefore stay. A pose is a 4×4 matrix by rows, with the position in its last column.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any

from vnla.common import files
from vnla.common.errors import InputError
from vnla.houses.house import Point, Rotation, Viewpoint
from vnla.houses.matterport.notes import Note, shown

WHAT = "connectivity JSON, a list of viewpoints"
LARGEST = 64 * files.MEGABYTE
"""Real files are below 2 MB."""


@dataclass(frozen=True)
class Connectivity:
    """The content of one file. `viewpoints` have no rooms yet."""

    path: Path
    viewpoints: tuple[Viewpoint, ...]
    edges: tuple[tuple[int, int], ...]
    notes: tuple[Note, ...]

    def place(self, viewpoint: int) -> str:
        """Where a viewpoint stands in the file."""
        return record_place(self.path, viewpoint)


def record_place(path: Path, record: int) -> str:
    """The place of a record, counted from 0 as the file itself counts them."""
    return f"{path}: record {record}"


def read_connectivity(path: Path) -> Connectivity:
    """The graph in a connectivity file."""
    values = files.read_json(path, WHAT, LARGEST)
    if not isinstance(values, list):
        raise InputError(f"{path}: holds {_kind(values)}; expected {WHAT}")
    records = [_Record(record_place(path, number), value, len(values)) for number, value in enumerate(values)]
    viewpoints = tuple(record.viewpoint() for record in records)
    neighbours = [record.marked("unobstructed") for record in records]
    notes: list[Note] = []
    edges = _edges(path, viewpoints, neighbours, notes)
    return Connectivity(path, viewpoints, edges, tuple(notes))


class _Record:
    """One record, whose fields are asked for by name and kind."""

    def __init__(self, place: str, value: Any, size: int) -> None:
        if not isinstance(value, dict):
            raise InputError(f"{place}: is {_kind(value)}; expected an object with image_id, pose and the other fields")
        self.place = place
        self.value: dict[str, Any] = value
        self.size = size

    def viewpoint(self) -> Viewpoint:
        rotation, position = self.pose()
        visible = self.marked("visible")
        return Viewpoint(
            id=self.text("image_id"),
            position=position,
            included=self.flag("included"),
            height=self.number("height", self.field("height")),
            rotation=rotation,
            visible=visible,
        )

    def field(self, name: str) -> Any:
        if name not in self.value:
            raise InputError(f"{self.place}: field {name} is missing")
        return self.value[name]

    def wrong(self, name: str, value: object, expected: str) -> InputError:
        return InputError(f"{self.place}: field {name} is {shown(value)}; expected {expected}")

    def text(self, name: str) -> str:
        value = self.field(name)
        if not isinstance(value, str) or value.split() != [value]:
            raise self.wrong(name, value, "text without spaces")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise self.wrong(name, value, "text that UTF-8 can hold") from None
        return value

    def flag(self, name: str) -> bool:
        value = self.field(name)
        if not isinstance(value, bool):
            raise self.wrong(name, value, "true or false")
        return value

    def number(self, name: str, value: object) -> float:
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self.wrong(name, value, "a number")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise self.wrong(name, value, "a finite number")
        return number

    def sequence(self, name: str, length: int, of: str) -> list[Any]:
        value = self.field(name)
        if not isinstance(value, list):
            raise self.wrong(name, value, f"a list of {of}")
        if len(value) != length:
            raise InputError(f"{self.place}: field {name} has {len(value)} values; expected {length} {of}")
        return value

    def marked(self, name: str) -> tuple[int, ...]:
        """The numbers of the viewpoints for which a list of flags says true, in rising order."""
        values = self.sequence(name, self.size, "values true or false, one for each viewpoint")
        if not set(map(type, values)) <= {bool}:
            index = next(index for index, value in enumerate(values) if not isinstance(value, bool))
            raise self.wrong(f"{name}[{index}]", values[index], "true or false")
        return tuple(compress(range(self.size), values))

    def numbers(self, name: str, length: int) -> list[float]:
        """A list of finite numbers: read all together, and one by one only where something is wrong."""
        values = self.sequence(name, length, "numbers")
        try:
            numbers = list(map(float, values)) if set(map(type, values)) <= {float, int} else [math.nan]
        except OverflowError:
            numbers = [math.nan]
        if not math.isfinite(sum(numbers)):  # which it is only if each of them is
            numbers = [self.number(f"{name}[{index}]", value) for index, value in enumerate(values)]
        return numbers

    def pose(self) -> tuple[Rotation, Point]:
        m = self.numbers("pose", 16)
        if m[12:] != [0.0, 0.0, 0.0, 1.0]:
            raise self.wrong("pose[12:16]", m[12:], "0, 0, 0, 1 (a matrix by rows that turns and moves)")
        return (m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]), (m[3], m[7], m[11])


def _edges(
    path: Path, viewpoints: tuple[Viewpoint, ...], neighbours: Sequence[Sequence[int]], notes: list[Note]
) -> tuple[tuple[int, int], ...]:
    edges: list[tuple[int, int]] = []
    directed = {(i, j) for i, row in enumerate(neighbours) for j in row}
    for i, j in sorted({(i, j) if i < j else (j, i) for i, j in directed}):
        place = record_place(path, i)
        if i == j:
            raise InputError(f"{place}: field unobstructed[{i}] joins the viewpoint to itself; expected false")
        odd = _oddity(viewpoints, i, j, both=(i, j) in directed and (j, i) in directed)
        if odd is None:
            edges.append((i, j))
        elif viewpoints[i].included and viewpoints[j].included:
            raise InputError(f"{place}: field unobstructed[{j}]: {odd}")
        else:
            notes.append(Note("edge of an excluded viewpoint left out", place, f"unobstructed[{j}]: {odd}"))
    return tuple(edges)


def _oddity(viewpoints: tuple[Viewpoint, ...], i: int, j: int, both: bool) -> str | None:
    if not both:
        return f"the edge between viewpoints {i} and {j} goes one way only; both records must have it or neither"
    if viewpoints[i].position[:2] == viewpoints[j].position[:2]:
        return f"viewpoints {i} and {j} stand straight above each other, so no view shows the way"
    return None


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")

"""Reads `<id>.house`: the levels, rooms and objects of a building, and the room of each panorama.

The first line is `ASCII 1.1`; then comes one record a line, fields by spaces, the first letter its kind. A −1 where another
record is meant is "none". A record whose own number is −1, or an object without a category (so without a name), is left out
with a note. Records may have more fields than the format says, never fewer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from vnla.common.errors import InputError
from vnla.houses.house import Box, Level, Object, OrientedBox, Point, Room
from vnla.houses.matterport.notes import Note, shown
from vnla.houses.matterport.sources import TextFile

WHAT = "a .house file, starting with the line ASCII 1.1"
FIRST_LINE = ["ASCII", "1.1"]

FIELDS = {"H": 29, "L": 18, "R": 20, "P": 13, "S": 17, "V": 10, "I": 36, "C": 6, "O": 24, "E": 14}
"""How many fields a record has at least, its letter included."""
PORTAL_FIELDS = 15

COUNTED = ("image", "panorama", "vertex", "surface", "segment", "object", "category", "region", "portal", "level")
"""The kinds in the order of the header's counts."""
KINDS = {"L": "level", "R": "region", "C": "category", "O": "object"}
UNUSED = {"S": "surface", "V": "vertex", "I": "image", "E": "segment"}


@dataclass(frozen=True)
class HouseFile:
    """The content of one file. `lines` has for "level", "room" and "object" the line of each record in its tuple."""

    source: TextFile
    levels: tuple[Level, ...]
    rooms: tuple[Room, ...]
    objects: tuple[Object, ...]
    panoramas: dict[str, int | None]
    lines: dict[str, tuple[int, ...]]
    panorama_lines: dict[str, int]
    notes: tuple[Note, ...]

    def place(self, kind: str, record: int) -> str:
        """The line of a level, room or object."""
        return self.source.place(self.lines[kind][record])

    def panorama_place(self, viewpoint: str) -> str:
        """The line of a panorama."""
        return self.source.place(self.panorama_lines[viewpoint])


def read_house_file(source: TextFile) -> HouseFile:
    """The records of a .house file."""
    reader = _Reader(source)
    lines = source.lines(WHAT)
    number, text = next(lines, (1, ""))
    if text.split() != FIRST_LINE:
        raise InputError(f"{source.place(number)}: the line is {shown(text)}; expected ASCII 1.1")
    for number, text in lines:
        if text.strip():
            reader.read(_Line(source, number, text))
    return reader.result()


class _Line:
    """One record, whose fields are asked for by position and name."""

    def __init__(self, source: TextFile, number: int, text: str) -> None:
        self.source = source
        self.number = number
        self.fields = text.split()
        self.kind = self.fields[0]
        self.numerals = self.fields if _plain(text) else [each if _plain(each) else "" for each in self.fields]

    @property
    def place(self) -> str:
        return self.source.place(self.number)

    def wrong(self, position: int, name: str, expected: str) -> InputError:
        value = shown(self.fields[position])
        return InputError(f"{self.place}: {self.kind} record, field {position} ({name}) is {value}; expected {expected}")

    def need(self, count: int) -> None:
        if len(self.fields) < count:
            raise InputError(f"{self.place}: {self.kind} record has {len(self.fields)} fields; expected {count}")

    def whole(self, position: int, name: str) -> int:
        try:
            return int(self.numerals[position])
        except ValueError:
            raise self.wrong(position, name, "a whole number") from None

    def index(self, position: int, name: str) -> int | None:
        """A reference to another record: None for −1 and whatever else is negative."""
        value = self.whole(position, name)
        return None if value < 0 else value

    def number_at(self, position: int, name: str) -> float:
        try:
            value = float(self.numerals[position])
        except ValueError:
            raise self.wrong(position, name, "a number") from None
        if not math.isfinite(value):
            raise self.wrong(position, name, "a finite number")
        return value

    def points(self, position: int, *names: str) -> Iterator[Point]:
        """Points one after the other: read all together, and number by number only where something is wrong."""
        try:
            numbers = list(map(float, self.numerals[position : position + 3 * len(names)]))
        except ValueError:
            numbers = [math.nan]
        if not math.isfinite(sum(numbers)):  # which it is only if each of them is
            parts = [f"{name} {axis}" for name in names for axis in "xyz"]
            numbers = [self.number_at(position + offset, part) for offset, part in enumerate(parts)]
        return zip(numbers[0::3], numbers[1::3], numbers[2::3], strict=True)

    def name(self, position: int) -> str:
        """A name, in which `#` stands for a space."""
        return self.fields[position].replace("#", " ")


class _RawObject(NamedTuple):
    line: _Line
    id: int
    room: int | None
    category: int
    box: OrientedBox


@dataclass
class _Reader:
    source: TextFile
    declared: tuple[int, ...] | None = None
    found: Counter[str] = field(default_factory=Counter)
    levels: list[Level] = field(default_factory=list)
    rooms: list[Room] = field(default_factory=list)
    objects: list[_RawObject] = field(default_factory=list)
    categories: dict[int, tuple[str, tuple[int, str] | None]] = field(default_factory=dict)
    panoramas: dict[str, int | None] = field(default_factory=dict)
    lines: dict[str, list[int]] = field(default_factory=lambda: {"level": [], "room": []})
    panorama_lines: dict[str, int] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)

    def read(self, line: _Line) -> None:
        if line.kind not in FIELDS:
            kinds = " ".join(FIELDS)
            raise InputError(f"{line.place}: the record's kind is {shown(line.kind)}; expected one of {kinds}")
        line.need(FIELDS[line.kind])
        if line.kind in UNUSED:
            self.found[UNUSED[line.kind]] += 1
        elif line.kind == "H":
            self._header(line)
        elif line.kind == "P":
            self._panorama_or_portal(line)
        else:
            self.found[KINDS[line.kind]] += 1
            number = line.index(1, f"number of the {KINDS[line.kind]}")
            if number is None:
                self._skip(line, "its own number is −1")
            else:
                _NUMBERED[line.kind](self, line, number)

    def _skip(self, line: _Line, why: str) -> None:
        kind = KINDS[line.kind]
        self.notes.append(Note(f"{kind} left out", line.place, f"the {kind} is left out: {why}"))

    def _header(self, line: _Line) -> None:
        if self.declared is not None:
            raise InputError(f"{line.place}: a second H record; expected one")
        self.declared = tuple(line.whole(3 + i, f"count of {kind} records") for i, kind in enumerate(COUNTED))

    def _level(self, line: _Line, number: int) -> None:
        self.levels.append(Level(number, self._box(line, 7)))
        self.lines["level"].append(line.number)

    def _region(self, line: _Line, number: int) -> None:
        self.rooms.append(Room(number, line.fields[5], line.index(2, "level"), self._box(line, 9)))
        self.lines["room"].append(line.number)

    def _box(self, line: _Line, position: int) -> Box | None:
        """A box, or None for one that is inside out along every axis: it holds nothing, so nobody measured it."""
        box = Box(*line.points(position, "lower corner", "upper corner"))
        if all(low > high for low, high in zip(box.low, box.high, strict=True)):
            self.notes.append(Note("no box", line.place, "the box is inside out and taken as unknown"))
            return None
        return box

    def _category(self, line: _Line, number: int) -> None:
        if number in self.categories:
            raise InputError(f"{line.place}: category {number} is there twice")
        coarse = line.index(4, "number among the 40 categories")
        self.categories[number] = (line.name(3), None if coarse is None else (coarse, line.name(5)))

    def _object(self, line: _Line, number: int) -> None:
        category = line.index(3, "category")
        box = OrientedBox(*line.points(4, "centre", "axis 0", "axis 1", "half-length"))
        if category is None:
            self._skip(line, "it has no category, so no name")
        else:
            self.objects.append(_RawObject(line, number, line.index(2, "region"), category, box))

    def _panorama_or_portal(self, line: _Line) -> None:
        # A viewpoint's id can be all digits; then only the length tells.
        if _is_whole(line.fields[1]) and len(line.fields) >= PORTAL_FIELDS:
            self.found["portal"] += 1
            return
        self.found["panorama"] += 1
        name = line.fields[1]
        if name in self.panoramas:
            raise InputError(f"{line.place}: the panorama {shown(name)} is already on line {self.panorama_lines[name]}")
        line.whole(2, "number of the panorama")
        self.panoramas[name] = line.index(3, "region")
        self.panorama_lines[name] = line.number

    def result(self) -> HouseFile:
        objects = tuple(self._named(raw) for raw in self.objects)
        self._check_counts()
        self._note_unused()
        lines = {kind: tuple(numbers) for kind, numbers in self.lines.items()}
        lines["object"] = tuple(raw.line.number for raw in self.objects)
        return HouseFile(
            self.source,
            tuple(self.levels),
            tuple(self.rooms),
            objects,
            self.panoramas,
            lines,
            self.panorama_lines,
            tuple(self.notes),
        )

    def _named(self, raw: _RawObject) -> Object:
        if raw.category not in self.categories:
            raise raw.line.wrong(3, "category", "the number of a C record")
        label, coarse = self.categories[raw.category]
        return Object(raw.id, label, raw.room, raw.box, coarse)

    def _check_counts(self) -> None:
        if self.declared is None:
            self.notes.append(Note("header", str(self.source), "there is no H record"))
            return
        for kind, declared in zip(COUNTED, self.declared, strict=True):
            if declared != self.found[kind]:
                message = f"the header counts {declared} {kind} records, the file has {self.found[kind]}"
                self.notes.append(Note("header", str(self.source), message))

    def _note_unused(self) -> None:
        for kind in (*UNUSED.values(), "portal"):
            if self.found[kind]:
                message = f"{self.found[kind]} {kind} records are not used"
                self.notes.append(Note("records not used", str(self.source), message))


_NUMBERED = {"L": _Reader._level, "R": _Reader._region, "C": _Reader._category, "O": _Reader._object}


def _plain(text: str) -> bool:
    # Python would read 1_000 and Arabic digits as numbers too; no other reader of these files does.
    return text.isascii() and "_" not in text


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and text.isascii()

"""Reads a plain JSON file of houses, field by field, and makes what it leaves out."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files as package_files
from itertools import pairwise
from pathlib import Path

import numpy as np

from vnla.common import files
from vnla.common.errors import InputError
from vnla.houses.house import UPRIGHT, Box, House, HouseError, Level, Object, OrientedBox, Point, Room, Rotation, Viewpoint
from vnla.houses.matterport.notes import Note
from vnla.houses.plain.doubts import RoomBoxes, doubts
from vnla.houses.plain.fields import Field, unique
from vnla.houses.plain.making import (
    HEIGHT,
    MOST_DOORS,
    SPACING,
    Door,
    count_viewpoints,
    make_edges,
    make_viewpoints,
    touching,
)
from vnla.houses.rooms import NO_LABEL, ROOM_NAMES

FORMAT, VERSION = "vnla-plain-world", 1
SCHEMA = "world.schema.json"
WHAT = "a plain world: an object with houses"
PARTS = ("train", "dev", "test")
MOST_HOUSES, MOST_ROOMS, MOST_VIEWPOINTS, MOST_OBJECTS = 10_000, 2_000, 5_000, 100_000
"""Of a file; of a house."""
MOST_IN_ALL = {"rooms": 200_000, "viewpoints": 500_000, "objects": 1_000_000}
"""Of all houses of a file together."""

LETTERS = {name: letter for letter, name in ROOM_NAMES.items() if letter != NO_LABEL}
"""Kind of a room → its letter."""
STOREY = 0.6
"""Metres between the floors of rooms on one level, at most."""


@dataclass(frozen=True)
class PlainWorld:
    """The houses of a file, which part each is for, where the file says so, and what is odd about them."""

    houses: tuple[House, ...]
    splits: Mapping[str, Sequence[str]]
    notes: tuple[Note, ...] = ()


def schema_text() -> str:
    """The JSON Schema of such files."""
    return package_files("vnla.houses.plain").joinpath(SCHEMA).read_text(encoding="utf-8")


def read_plain(path: Path) -> PlainWorld:
    """The world in a file."""
    whole = Field(f"{path}: file", files.read_json(path, WHAT))
    top = {
        name: replace(field, where=f"{path}: {name}")
        for name, field in whole.fields(["houses"], ["format", "version"]).items()
    }
    if "format" in top:
        top["format"].one_of([FORMAT])
    if "version" in top and top["version"].value != VERSION:
        raise top["version"].wrong(f"{VERSION}, which this vnla reads")
    listed = [each.fields(["name", "rooms"], _HOUSE) for each in top["houses"].items(MOST_HOUSES, 1)]
    unique((each["name"], each["name"].name()) for each in listed)
    _check_sums(path, listed)
    drawn = [_House(each) for each in listed]
    if (made := sum(each.made for each in drawn)) > MOST_IN_ALL["viewpoints"]:
        raise InputError(f"{path}: its houses need {made:,} viewpoints; at most {MOST_IN_ALL['viewpoints']:,}")
    houses = tuple(each.house() for each in drawn)
    parts = {house.name: each["split"].one_of(PARTS) for house, each in zip(houses, listed, strict=True) if "split" in each}
    if parts and len(parts) < len(houses):
        missing = next(house.name for house in houses if house.name not in parts)
        raise InputError(f"{path}: the house {missing} has no split, but others have; give all of them one, or none")
    splits = {part: [name for name, its in parts.items() if its == part] for part in PARTS} if parts else {}
    boxes = [RoomBoxes(house, tuple(each.room), each.low, each.high) for house, each in zip(houses, drawn, strict=True)]
    return PlainWorld(houses, splits, tuple(doubts(boxes)))


def _check_sums(path: Path, listed: Sequence[Mapping[str, Field]]) -> None:
    """Refuse a file whose houses have more together than anybody has memory for, before anything is made of them."""
    for name, most in MOST_IN_ALL.items():
        lists = (each[name].value for each in listed if name in each)
        found = sum(len(value) for value in lists if isinstance(value, list))
        if found > most:
            raise InputError(f"{path}: its houses have {found:,} {name}; at most {most:,} in a file")


_HOUSE = ("split", "doors", "viewpoints", "edges", "objects")


class _House:
    """One house of a file."""

    def __init__(self, fields: Mapping[str, Field]) -> None:
        self.fields, self.name = fields, fields["name"].name()
        listed = [each.fields(["name", "kind", "box"]) for each in fields["rooms"].items(MOST_ROOMS, 1)]
        self.room = unique((each["name"], each["name"].name()) for each in listed)
        boxes = [_box(each["box"]) for each in listed]
        level = _levels([box.low[2] for box in boxes])
        kinds = [LETTERS[each["kind"].one_of(LETTERS)] for each in listed]
        self.rooms = tuple(
            Room(i, kind, floor, box) for i, (kind, floor, box) in enumerate(zip(kinds, level, boxes, strict=True))
        )
        self.low, self.high = np.array([box.low for box in boxes]), np.array([box.high for box in boxes])  # (rooms, 3)
        self.made = 0 if "viewpoints" in fields else count_viewpoints(self.rooms)
        if self.made > MOST_VIEWPOINTS:
            raise InputError(
                f"{fields['rooms'].where}: need {self.made:,} viewpoints, one for every {SPACING:g} m or so; at most"
                f" {MOST_VIEWPOINTS:,}. Are boxes in metres? Otherwise give viewpoints of your own"
            )

    def house(self) -> House:
        """All of it, checked as a whole."""
        viewpoints = self._viewpoints()
        edges = self._edges(viewpoints)
        levels = tuple(Level(i, _around(boxes)) for i, boxes in sorted(self._floors.items()))
        try:
            return House(self.name, tuple(viewpoints), tuple(edges), self.rooms, tuple(self._objects()), levels)
        except HouseError as error:
            where = self.fields["name"].where.removesuffix(".name")
            raise InputError(f"{where}: {error}") from None

    @property
    def _floors(self) -> dict[int, list[Box | None]]:
        """Level → the boxes of the rooms on it."""
        found: dict[int, list[Box | None]] = {}
        for room in self.rooms:
            if room.level is not None:
                found.setdefault(room.level, []).append(room.box)
        return found

    def _viewpoints(self) -> list[Viewpoint]:
        if "viewpoints" not in self.fields:
            return make_viewpoints(self.rooms, list(self.room))
        listed = [
            each.fields(["id", "position"], ["room", "heading"])
            for each in self.fields["viewpoints"].items(MOST_VIEWPOINTS, 1)
        ]
        unique((each["id"], each["id"].name()) for each in listed)
        return [self._viewpoint(each) for each in listed]

    def _viewpoint(self, fields: Mapping[str, Field]) -> Viewpoint:
        x, y, *z = fields["position"].numbers(2, 3)
        room = fields["room"].number_of(self.room) if "room" in fields else self._room_at((x, y, z[0] if z else None))
        if room is None and not z:
            raise fields["position"].wrong("a place in one of the rooms, or three numbers with the camera's height")
        floor = None if room is None else self._floor(room)
        height = HEIGHT if floor is None or not z else z[0] - floor
        at = (x, y, z[0] if z else round((floor or 0.0) + HEIGHT, 3))
        turn = fields["heading"].number(-360, 360) if "heading" in fields else 0.0
        return Viewpoint(fields["id"].name(), at, room, height=round(height, 3), rotation=towards(turn))

    def _edges(self, viewpoints: Sequence[Viewpoint]) -> list[tuple[int, int]]:
        if "edges" not in self.fields:
            return make_edges(viewpoints, self.rooms, self._doors())
        if "viewpoints" not in self.fields:
            raise InputError(f"{self.fields['edges'].where}: join viewpoints, but the house has no field viewpoints")
        if "doors" in self.fields:
            raise InputError(f"{self.fields['doors'].where}: are for edges that are made; the house has edges of its own")
        number = {stand.id: i for i, stand in enumerate(viewpoints)}
        found = []
        for edge in self.fields["edges"].items(MOST_VIEWPOINTS * 20):
            i, j = (end.number_of(number) for end in _pair(edge))
            found.append((min(i, j), max(i, j)))
        return sorted(set(found))

    def _doors(self) -> list[Door]:
        """Those that are said, or where rooms touch."""
        found: list[Door] = []
        if "doors" not in self.fields:
            found = touching(self.rooms)
            if len(found) > MOST_DOORS:
                raise InputError(
                    f"{self.fields['rooms'].where}: touch in more than {MOST_DOORS:,} places; say where doors are"
                )
            return found
        for each in self.fields["doors"].items(MOST_DOORS):
            door = each.fields(["between"], ["at"])
            one, other = (end.number_of(self.room) for end in _pair(door["between"]))
            found.append(Door((one, other), door["at"].point() if "at" in door else self._middle(one, other)))
        return found

    def _middle(self, one: int, other: int) -> Point:
        """Between two rooms, where nobody says where their door is."""
        centres = [_centre(self.rooms[each].box) for each in (one, other)]
        x, y, z = ((a + b) / 2 for a, b in zip(*centres, strict=True))
        return x, y, z

    def _objects(self) -> list[Object]:
        if "objects" not in self.fields:
            return []
        listed = [
            each.fields(["label", "centre"], ["room", "size", "turn"]) for each in self.fields["objects"].items(MOST_OBJECTS)
        ]
        return [self._object(number, each) for number, each in enumerate(listed)]

    def _object(self, number: int, fields: Mapping[str, Field]) -> Object:
        centre = fields["centre"].point()
        room = fields["room"].number_of(self.room) if "room" in fields else self._room_at(centre)
        x, y, z = fields["size"].numbers(3, least=0) if "size" in fields else (0.5, 0.5, 0.5)
        turn = math.radians(fields["turn"].number(-360, 360) if "turn" in fields else 0.0)
        box = OrientedBox(
            centre, (math.cos(turn), math.sin(turn), 0.0), (-math.sin(turn), math.cos(turn), 0.0), (x / 2, y / 2, z / 2)
        )
        return Object(number, _label(fields["label"]), room, box)

    def _room_at(self, point: tuple[float, float, float | None]) -> int | None:
        """The room that a point is in; of a point on the floor plan alone the first one there."""
        x, y, z = point
        low, high = (each if z is not None else each[:, :2] for each in (self.low, self.high))
        at = np.array([x, y] if z is None else [x, y, z])
        inside = np.flatnonzero(((low <= at) & (at <= high)).all(axis=1))
        return int(inside[0]) if len(inside) else None

    def _floor(self, room: int) -> float:
        box = self.rooms[room].box
        assert box is not None
        return box.low[2]


def towards(heading: float) -> Rotation:
    """The rotation of a panorama whose middle looks so many degrees clockwise from north."""
    if not heading:
        return UPRIGHT
    angle = math.radians(heading)
    sine, cosine = math.sin(angle), math.cos(angle)
    return (cosine, 0.0, sine, -sine, 0.0, cosine, 0.0, -1.0, 0.0)


def _box(field: Field) -> Box:
    """Two corners."""
    corners = field.items(2, 2)
    low, high = (each.point() for each in corners)
    if any(not a < b for a, b in zip(low, high, strict=True)):
        raise field.wrong("the lower corner, then the upper one, as metres [east, north, up]")
    return Box(low, high)


def _pair(field: Field) -> tuple[Field, Field]:
    one, other = field.items(2, 2)
    return one, other


def _label(field: Field) -> str:
    """What people call a thing: words in lower case."""
    words = " ".join(field.text("what people call it").lower().split())
    if len(words) > 60 or not all(each.isalnum() or each in " -'" for each in words):
        raise field.wrong("what people call it: words of letters, such as coffee table")
    return words


def _levels(floors: Sequence[float]) -> list[int]:
    """Levels by the heights of floors, the lowest first: rooms a step apart are on one."""
    order = sorted(set(floors))
    starts = [order[0], *(b for a, b in pairwise(order) if b - a > STOREY)]
    return [bisect_right(starts, floor) - 1 for floor in floors]


def _around(boxes: Sequence[Box | None]) -> Box:
    measured = [box for box in boxes if box is not None]
    lows, highs = zip(*(box.low for box in measured), strict=True), zip(*(box.high for box in measured), strict=True)
    (a, b, c), (d, e, f) = map(min, lows), map(max, highs)
    return Box((a, b, c), (d, e, f))


def _centre(box: Box | None) -> Point:
    assert box is not None
    x, y, z = ((low + high) / 2 for low, high in zip(box.low, box.high, strict=True))
    return x, y, z

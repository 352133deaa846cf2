"""A house as plain data: viewpoints joined by edges, rooms on levels, objects in rooms.

Everything is validated when a `House` is made. What makes a house unusable (duplicate ids, self edges, positions that are
not numbers, references to nothing) raises `HouseError` with every problem found; what is odd but common in scanned
buildings (parts that cannot be reached from each other, objects outside their room's box) is kept and listed in
`House.warnings`. Nothing is dropped in silence.

Coordinates are metres: x to the east, y to the north, z up.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from vnla.common.errors import InputError
from vnla.houses.rooms import ROOM_NAMES

Point = tuple[float, float, float]
Rotation = tuple[float, float, float, float, float, float, float, float, float]

UPRIGHT: Rotation = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0)
"""Rotation of a panorama whose own axes are x east (right), y down and z north (ahead).

Its skybox face 3 looks north, 4 east, 1 south, 2 west, 0 up and 5 down.
"""


class Problem(NamedTuple):
    """Something wrong with one record: `kind` is "viewpoint", "edge", "level", "room" or "object"."""

    kind: str
    record: int
    message: str

    def __str__(self) -> str:
        return f"{self.kind} {self.record}: {self.message}"


class HouseError(InputError):
    """A house that cannot be used; `problems` has all that was found, `str` the first and the count of the others."""

    def __init__(self, house: str, problems: Sequence[Problem]) -> None:
        self.house = house
        self.problems = tuple(problems)
        others = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(f"house {house}: {problems[0]}{others}")


@dataclass(frozen=True, slots=True)
class Box:
    """A box along the axes."""

    low: Point
    high: Point

    def contains(self, point: Point, margin: float = 0.0) -> bool:
        """Whether `point` lies in the box grown by `margin` metres on every side."""
        sides = zip(self.low, point, self.high, strict=True)
        return all(low - margin <= value <= high + margin for low, value, high in sides)


@dataclass(frozen=True, slots=True)
class OrientedBox:
    """A box with its own directions: a centre, two unit axes (the third is their cross product) and three half-lengths."""

    centre: Point
    axis0: Point = (1.0, 0.0, 0.0)
    axis1: Point = (0.0, 1.0, 0.0)
    radii: Point = (0.0, 0.0, 0.0)

    def corners(self) -> tuple[Point, ...]:
        """The eight corners."""
        (a, b, c), (d, e, f) = self.axis0, self.axis1
        axis2 = (b * f - c * e, c * d - a * f, a * e - b * d)
        signs = [(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
        return tuple(
            (
                self.centre[0] + self._along(sign, axis2, 0),
                self.centre[1] + self._along(sign, axis2, 1),
                self.centre[2] + self._along(sign, axis2, 2),
            )
            for sign in signs
        )

    def _along(self, sign: tuple[int, int, int], axis2: Point, coordinate: int) -> float:
        axes = (self.axis0, self.axis1, axis2)
        parts = zip(sign, self.radii, axes, strict=True)
        return sum(side * radius * axis[coordinate] for side, radius, axis in parts)


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """A place where the agent can stand. An excluded one keeps its number in the house but takes no part in it."""

    id: str
    position: Point
    room: int | None = None
    included: bool = True
    height: float = 1.5
    """Height of the camera above the floor, metres."""
    rotation: Rotation = UPRIGHT
    """Orientation of the panorama, row-major."""
    visible: tuple[int, ...] = ()
    """Numbers of the viewpoints in sight; nothing but export needs it."""


@dataclass(frozen=True, slots=True)
class Level:
    """A floor of the house."""

    id: int
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Room:
    """A region of the house: `label` is its Matterport3D letter. The box is None where nobody measured it."""

    id: int
    label: str
    level: int | None = None
    box: Box | None = None

    @property
    def name(self) -> str:
        """The label as people say it."""
        return ROOM_NAMES[self.label]


@dataclass(frozen=True, slots=True)
class Object:
    """A thing in the house. `label` is what people call it; `category` its class among Matterport3D's 40."""

    id: int
    label: str
    room: int | None
    box: OrientedBox
    category: tuple[int, str] | None = None


@dataclass(frozen=True)
class House:
    """A building. `edges` are pairs of viewpoint numbers (positions in `viewpoints`), smaller first, each pair once.

    The order in which edges and `visible` numbers are given says nothing, so a house keeps them in rising order: equal
    buildings compare equal.
    """

    name: str
    viewpoints: tuple[Viewpoint, ...]
    edges: tuple[tuple[int, int], ...]
    rooms: tuple[Room, ...] = ()
    objects: tuple[Object, ...] = ()
    levels: tuple[Level, ...] = ()

    def __post_init__(self) -> None:
        problems = list(_errors(self))
        if problems:
            raise HouseError(self.name, problems)
        object.__setattr__(self, "edges", tuple(sorted(self.edges)))
        object.__setattr__(self, "viewpoints", tuple(map(_in_order, self.viewpoints)))

    @cached_property
    def warnings(self) -> tuple[Problem, ...]:
        """What is odd about the house and may be as it is."""
        return tuple(_warnings(self))

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """For each viewpoint the included viewpoints one edge away, in rising order; none for an excluded viewpoint."""
        found: list[list[int]] = [[] for _ in self.viewpoints]
        for i, j in self.edges:
            if self.viewpoints[i].included and self.viewpoints[j].included:
                found[i].append(j)
                found[j].append(i)
        return tuple(tuple(sorted(each)) for each in found)

    @cached_property
    def stands(self) -> tuple[int, ...]:
        """Numbers of the included viewpoints, in rising order: where one can stand."""
        return tuple(i for i, viewpoint in enumerate(self.viewpoints) if viewpoint.included)

    @cached_property
    def number(self) -> dict[str, int]:
        """Viewpoint id → its number."""
        return {viewpoint.id: i for i, viewpoint in enumerate(self.viewpoints)}

    @cached_property
    def room_by_id(self) -> dict[int, Room]:
        """Room id → room."""
        return {room.id: room for room in self.rooms}

    def room_of(self, viewpoint: int) -> Room | None:
        """The room that a viewpoint is in."""
        room = self.viewpoints[viewpoint].room
        return None if room is None else self.room_by_id[room]

    def parts(self) -> list[list[int]]:
        """The included viewpoints in groups that can reach each other, largest group first."""
        groups = [sorted(group) for group in connected({here: self.neighbours[here] for here in self.stands})]
        return sorted(groups, key=lambda group: (-len(group), group[0]))

    def outside_their_room(self) -> frozenset[int]:
        """Ids of the objects whose centre is not in their room's box; data generation ignores them (appendix)."""
        return frozenset(_outside_their_room(self))


def connected(beside: Mapping[int, Iterable[int]]) -> list[list[int]]:
    """The numbers in groups that can reach each other, by those `beside` each."""
    groups: list[list[int]] = []
    seen: set[int] = set()
    for start in beside:
        if start in seen:
            continue
        group = [start]
        seen.add(start)
        for here in group:
            fresh = [there for there in beside[here] if there not in seen]
            seen.update(fresh)
            group.extend(fresh)
        groups.append(group)
    return groups


def _in_order(viewpoint: Viewpoint) -> Viewpoint:
    visible = tuple(sorted(set(viewpoint.visible)))
    return viewpoint if visible == viewpoint.visible else replace(viewpoint, visible=visible)


def _errors(house: House) -> Iterator[Problem]:
    yield from _duplicates("viewpoint", [viewpoint.id for viewpoint in house.viewpoints])
    yield from _duplicates("level", [level.id for level in house.levels])
    yield from _duplicates("room", [room.id for room in house.rooms])
    yield from _duplicates("object", [thing.id for thing in house.objects])
    yield from _viewpoint_errors(house)
    yield from _edge_errors(house)
    yield from _room_errors(house)
    yield from _object_errors(house)


def _duplicates(kind: str, ids: Sequence[object]) -> Iterator[Problem]:
    counts = Counter(ids)
    first: dict[object, int] = {}
    for index, each in enumerate(ids):
        if counts[each] > 1 and first.setdefault(each, index) != index:
            yield Problem(kind, index, f"the id {each!r} is already used by {kind} {first[each]}")


def _viewpoint_errors(house: House) -> Iterator[Problem]:
    rooms = {room.id for room in house.rooms}
    for index, viewpoint in enumerate(house.viewpoints):
        if viewpoint.id.split() != [viewpoint.id]:
            yield Problem("viewpoint", index, f"the id {viewpoint.id!r} is empty or has a space in it")
        if not _finite(viewpoint.position) or not _finite((viewpoint.height, *viewpoint.rotation)):
            yield Problem("viewpoint", index, "its pose has a value that is not a finite number")
        if viewpoint.room is not None and viewpoint.room not in rooms:
            yield Problem("viewpoint", index, f"it is in room {viewpoint.room}, which does not exist")
        if viewpoint.visible and not 0 <= min(viewpoint.visible) <= max(viewpoint.visible) < len(house.viewpoints):
            yield Problem("viewpoint", index, "it sees a viewpoint that does not exist")


def _edge_errors(house: House) -> Iterator[Problem]:
    yield from _duplicates("edge", house.edges)
    for index, (i, j) in enumerate(house.edges):
        if not (0 <= i < len(house.viewpoints) and 0 <= j < len(house.viewpoints)):
            yield Problem("edge", index, f"it joins {i} and {j}, but there are {len(house.viewpoints)} viewpoints")
        elif i == j:
            yield Problem("edge", index, f"it joins viewpoint {i} to itself")
        elif i > j:
            yield Problem("edge", index, f"it joins {i} and {j}: the smaller number comes first")
        elif house.viewpoints[i].position[:2] == house.viewpoints[j].position[:2]:
            yield Problem("edge", index, f"viewpoints {i} and {j} stand straight above each other: no view shows the way")


def _room_errors(house: House) -> Iterator[Problem]:
    levels = {level.id for level in house.levels}
    for index, level in enumerate(house.levels):
        yield from _box_errors("level", index, level.box)
    for index, room in enumerate(house.rooms):
        if room.label not in ROOM_NAMES:
            yield Problem("room", index, f"the label {room.label!r} is none of {' '.join(ROOM_NAMES)}")
        if room.level is not None and room.level not in levels:
            yield Problem("room", index, f"it is on level {room.level}, which does not exist")
        yield from _box_errors("room", index, room.box)


def _box_errors(kind: str, index: int, box: Box | None) -> Iterator[Problem]:
    if box is None:
        return
    if not _finite((*box.low, *box.high)):
        yield Problem(kind, index, "its box has a value that is not a finite number")
    elif any(low > high for low, high in zip(box.low, box.high, strict=True)):
        yield Problem(kind, index, "its box has a lower side above the upper one")


def _object_errors(house: House) -> Iterator[Problem]:
    rooms = {room.id for room in house.rooms}
    for index, thing in enumerate(house.objects):
        box = thing.box
        if not thing.label:
            yield Problem("object", index, "it has no label")
        if thing.room is not None and thing.room not in rooms:
            yield Problem("object", index, f"it is in room {thing.room}, which does not exist")
        if not _finite((*box.centre, *box.axis0, *box.axis1, *box.radii)):
            yield Problem("object", index, "its box has a value that is not a finite number")


def _warnings(house: House) -> Iterator[Problem]:
    groups = house.parts()
    for group in groups[1:]:
        first = house.viewpoints[group[0]].id
        what = "it has no neighbour" if len(group) == 1 else f"it and {len(group) - 1} others form a part of their own"
        yield Problem("viewpoint", group[0], f"{first} cannot be reached from most of the house: {what}")
    outside = _outside_their_room(house)
    for index, thing in enumerate(house.objects):
        if thing.id in outside:
            yield Problem("object", index, f"the {thing.label} lies outside the box of its room {thing.room}")


def _outside_their_room(house: House) -> set[int]:
    boxes = {room.id: room.box for room in house.rooms}
    return {
        thing.id
        for thing in house.objects
        if thing.room is not None and (box := boxes[thing.room]) is not None and not box.contains(thing.box.centre)
    }


def _finite(values: Iterable[float]) -> bool:
    return all(map(math.isfinite, values))

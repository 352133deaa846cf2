"""Viewpoints and edges for rooms that come without them.

A room gets a viewpoint in its middle, or a grid of them, about two metres apart. Viewpoints of a room are joined with those
around them; two rooms where a door is said to be, or, if no doors are said at all, where their walls touch: over the two
viewpoints that are nearest to each other by way of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from vnla.camera import Float64
from vnla.houses.house import Box, Point, Room, Viewpoint

SPACING = 2.0
"""Metres between viewpoints, about."""
MARGIN = 0.6
"""Metres from a viewpoint to the nearest wall, where the room is that wide."""
REACH = 3.0
"""Metres up to which viewpoints of a room are joined."""
HEIGHT = 1.5
"""Of the camera above the floor."""
TOUCHING = 0.3
"""Metres between the walls of rooms that lie side by side."""
DOORWAY = 0.7
"""Metres of wall that two rooms share at least where there may be a door."""

MOST_DOORS = 10_000
"""Doors of a house."""

_CLOSE = 1e-9
_MOST_NEAREST = 64

Edge = tuple[int, int]


class Door(NamedTuple):
    """A way between two rooms: their numbers, and where it is."""

    rooms: tuple[int, int]
    at: Point


def count_viewpoints(rooms: Iterable[Room]) -> int:
    """How many viewpoints `make_viewpoints` would make."""
    return sum(math.prod(_count(room.box.low[axis], room.box.high[axis]) for axis in (0, 1)) for room in rooms if room.box)


def make_viewpoints(rooms: Sequence[Room], names: Sequence[str]) -> list[Viewpoint]:
    """Viewpoints spread over the floors of rooms."""
    made = []
    for room, name in zip(rooms, names, strict=True):
        assert room.box is not None, "every room of a plain file has a box"
        across, along = (_spread(room.box.low[axis], room.box.high[axis]) for axis in (0, 1))
        places = [(x, y, round(room.box.low[2] + HEIGHT, 3)) for x in across for y in along]
        made += [Viewpoint(f"{name}-{i}", place, room.id, height=HEIGHT) for i, place in enumerate(places)]
    return made


def _spread(low: float, high: float) -> list[float]:
    """Places between two walls."""
    length, count = max(0.0, high - low - 2 * MARGIN), _count(low, high)
    return [round((low + high) / 2 + (i - (count - 1) / 2) * (length / max(count - 1, 1)), 3) for i in range(count)]


def _count(low: float, high: float) -> int:
    return int(max(0.0, high - low - 2 * MARGIN) / SPACING) + 1


def make_edges(viewpoints: Sequence[Viewpoint], rooms: Sequence[Room], doors: Iterable[Door]) -> list[Edge]:
    """Edges between viewpoints, the smaller number first."""
    by_room: dict[int, list[int]] = {room.id: [] for room in rooms}
    for number, stand in enumerate(viewpoints):
        if stand.room is not None:
            by_room[stand.room].append(number)
    found = {edge for inside in by_room.values() for edge in _inside(viewpoints, inside)}
    places = {room: _FloorPlaces.of(viewpoints, inside) for room, inside in by_room.items()}
    for door in dict.fromkeys(doors):
        one, other = door.rooms
        way = _through(viewpoints, places[one], places[other], door.at)
        if way is not None:
            found.add(way)
    return sorted(found)


def _inside(viewpoints: Sequence[Viewpoint], inside: Sequence[int]) -> set[Edge]:
    """Those in reach of each other, and the shortest ways that join what would be left apart."""
    if len(inside) < 2:
        return set()
    place = np.array([viewpoints[i].position for i in inside])
    pairs = cKDTree(place).query_pairs(REACH * (1 + _CLOSE))
    near = {
        _ordered(i, j)
        for i, j in ((inside[one], inside[other]) for one, other in pairs)
        if _apart(viewpoints, i, j) and math.dist(viewpoints[i].position, viewpoints[j].position) <= REACH
    }
    return near | _spanning(viewpoints, inside, place)


def _spanning(viewpoints: Sequence[Viewpoint], inside: Sequence[int], place: Float64) -> set[Edge]:
    """The shortest edges that join all of a room's viewpoints, which have their `place` (viewpoints, 3)."""
    nearest = np.zeros(len(inside), dtype=np.int64)
    distance = np.linalg.norm(place - place[0], axis=1)
    left, found = np.ones(len(inside), dtype=bool), set()
    left[0] = False
    while left.any():
        new = int(np.where(left, distance, np.inf).argmin())
        if _apart(viewpoints, inside[new], inside[nearest[new]]):
            found.add(_ordered(inside[new], inside[int(nearest[new])]))
        left[new] = False
        closer = np.linalg.norm(place - place[new], axis=1)
        nearest, distance = np.where(closer < distance, new, nearest), np.minimum(closer, distance)
    return found


class _FloorPlaces(NamedTuple):
    """Where the viewpoints of a room are on the floor; of several above each other the first is meant."""

    numbers: list[int]
    at: Float64  # (places, 2)

    @classmethod
    def of(cls, viewpoints: Sequence[Viewpoint], inside: Sequence[int]) -> _FloorPlaces:
        first: dict[tuple[float, ...], int] = {}
        for i in inside:
            first.setdefault(viewpoints[i].position[:2], i)
        return cls(list(first.values()), np.array(list(first)).reshape(-1, 2))

    def nearest(self, door: Point) -> list[int]:
        """The viewpoints that are nearest to a door, and second nearest; of very many that are as near, some."""
        away = np.linalg.norm(self.at - door[:2], axis=1)
        some = np.argpartition(away, _MOST_NEAREST)[:_MOST_NEAREST] if len(away) > _MOST_NEAREST else np.arange(len(away))
        second = np.sort(away[some])[:2].max(initial=0)
        return [self.numbers[i] for i in np.sort(some[away[some] <= second + _CLOSE])]


def _through(viewpoints: Sequence[Viewpoint], one: _FloorPlaces, other: _FloorPlaces, door: Point) -> Edge | None:
    """The edge between the viewpoints of two rooms that are nearest to each other by way of a door.

    Two that stand above each other are not joined, so the nearest of a room may not do, but then the second nearest does.
    """
    first, second = one.nearest(door), other.nearest(door)
    pairs = [(i, j) for i in first for j in second if _apart(viewpoints, i, j)]
    return _ordered(*min(pairs, key=lambda pair: _way(viewpoints, pair, door))) if pairs else None


def touching(rooms: Sequence[Room]) -> list[Door]:
    """A door wherever rooms share enough of a wall."""
    boxes = [room.box for room in rooms if room.box is not None]
    known = [room.id for room in rooms if room.box is not None]
    low, high = np.array([box.low for box in boxes]).reshape(-1, 3), np.array([box.high for box in boxes]).reshape(-1, 3)
    found = []
    for i, box in enumerate(boxes):
        shared = np.minimum(high[i], high[i + 1 :]) - np.maximum(low[i], low[i + 1 :])  # (others, 3)
        near = np.flatnonzero((shared[:, :2] >= -TOUCHING - _CLOSE).all(axis=1) & (shared[:, 2] >= DOORWAY - _CLOSE))
        for j in (near + i + 1).tolist():
            at = _between(box, boxes[j])
            if at is not None:
                found.append(Door((known[i], known[j]), at))
                if len(found) > MOST_DOORS:
                    return found
    return found


def _between(one: Box, other: Box) -> Point | None:
    """The middle of the wall that two boxes share; None where they share too little of one."""
    low = [max(a, b) for a, b in zip(one.low, other.low, strict=True)]
    high = [min(a, b) for a, b in zip(one.high, other.high, strict=True)]
    shared = [b - a for a, b in zip(low, high, strict=True)]
    beside = sorted(shared[:2])
    if beside[0] < -TOUCHING or beside[1] < DOORWAY or shared[2] < DOORWAY:
        return None
    return (low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2


def _way(viewpoints: Sequence[Viewpoint], pair: Edge, door: Point) -> float:
    return sum(math.dist(viewpoints[i].position[:2], door[:2]) for i in pair)


def _apart(viewpoints: Sequence[Viewpoint], i: int, j: int) -> bool:
    """Whether two do not stand straight above each other: no view would show the way."""
    return viewpoints[i].position[:2] != viewpoints[j].position[:2]


def _ordered(i: int, j: int) -> Edge:
    return (i, j) if i < j else (j, i)

"""Viewpoints and edges for rooms that come without them.

A room gets a viewpoint in its middle, or a grid of them, about two metres apart. Viewpoints of a room are joined with those
around them; two rooms where a door is said to be, or, if no doors are said at all, where their walls touch: over the two
viewpoints that are nearest to each other by way of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

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

Edge = tuple[int, int]


class Door(NamedTuple):
    """A way between two rooms: their numbers, and where it is."""

    rooms: tuple[int, int]
    at: Point


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
    length = max(0.0, high - low - 2 * MARGIN)
    count = int(length / SPACING) + 1
    return [round((low + high) / 2 + (i - (count - 1) / 2) * (length / max(count - 1, 1)), 3) for i in range(count)]


def make_edges(viewpoints: Sequence[Viewpoint], rooms: Sequence[Room], doors: Sequence[Door] | None) -> list[Edge]:
    """Edges between viewpoints, the smaller number first; doors that nobody has said are where walls touch."""
    by_room: dict[int, list[int]] = {room.id: [] for room in rooms}
    for number, stand in enumerate(viewpoints):
        if stand.room is not None:
            by_room[stand.room].append(number)
    found = {edge for inside in by_room.values() for edge in _inside(viewpoints, inside)}
    for door in _touching(rooms) if doors is None else doors:
        pairs = [(i, j) for i in by_room[door.rooms[0]] for j in by_room[door.rooms[1]] if _apart(viewpoints, i, j)]
        if pairs:
            found.add(_ordered(*min(pairs, key=lambda pair: _way(viewpoints, pair, door.at))))
    return sorted(found)


def _inside(viewpoints: Sequence[Viewpoint], inside: Sequence[int]) -> set[Edge]:
    """Those in reach of each other, and the shortest ways that join what would be left apart."""
    near = {
        _ordered(i, j)
        for i, j in combinations(inside, 2)
        if _apart(viewpoints, i, j) and math.dist(viewpoints[i].position, viewpoints[j].position) <= REACH
    }
    return near | _spanning(viewpoints, inside)


def _spanning(viewpoints: Sequence[Viewpoint], inside: Sequence[int]) -> set[Edge]:
    """The shortest edges that join all of a room's viewpoints."""
    if len(inside) < 2:
        return set()
    place = np.array([viewpoints[i].position for i in inside])
    nearest = np.zeros(len(inside), dtype=np.int64)
    distance = np.linalg.norm(place - place[0], axis=1)
    joined, found = {0}, set()
    while len(joined) < len(inside):
        new = min((i for i in range(len(inside)) if i not in joined), key=lambda i: distance[i])
        if _apart(viewpoints, inside[new], inside[nearest[new]]):
            found.add(_ordered(inside[new], inside[int(nearest[new])]))
        joined.add(new)
        closer = np.linalg.norm(place - place[new], axis=1)
        nearest, distance = np.where(closer < distance, new, nearest), np.minimum(closer, distance)
    return found


def _touching(rooms: Sequence[Room]) -> Iterable[Door]:
    for one, other in combinations(rooms, 2):
        at = None if one.box is None or other.box is None else _between(one.box, other.box)
        if at is not None:
            yield Door((one.id, other.id), at)


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

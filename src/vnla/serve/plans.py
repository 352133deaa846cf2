"""The floor plan of a house as the page draws it: rooms and walls of each storey, viewpoints and edges, in metres.

Rooms are the boxes that a house has of them. Where their sides meet, walls stand, with a passage wherever an edge goes
through; so a plan can be made of any house, also of one that nobody knows the doors of. A bare plan names no room: it is all
that somebody gets to see who looks for something.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from vnla.houses.generate.plan import WALL, Rectangle
from vnla.houses.generate.walls import Wall, sides, without
from vnla.houses.house import Box, House
from vnla.houses.rooms import NO_LABEL
from vnla.report.plan import XY, StoreyPanel, storeys
from vnla.serve.places import PlaceNames

PASSAGE = 0.9
"""Metres of wall that are left open where an edge goes through it."""

_TOGETHER = 0.25
"""Walls closer to each other than this, in metres, are one: the boxes of scanned rooms do not quite touch."""
_SHORTEST = 0.2
"""Metres of wall between two passages that are worth drawing."""
_OUTDOORS = "pxy"
"""Labels of rooms without walls: porches, outdoor areas, balconies."""


def plan(house: House, places: PlaceNames, *, bare: bool = False) -> dict[str, Any]:
    """Return the plan of a house: storeys from the lowest up, viewpoints by name, edges as pairs of names."""
    floors = storeys(house)
    storey_of = {i: number for number, storey in enumerate(floors) for i in storey.viewpoints}
    names = places.viewpoints(house)
    return {
        "house": places.name(house),
        "storeys": [_storey(house, storey, bare) for storey in floors],
        "viewpoints": {
            name: {"at": _rounded(house.viewpoints[i].position), "storey": storey_of[i]} for i, name in names.items()
        },
        "edges": [[names[i], names[j]] for i, j in house.edges if i in names and j in names],
    }


def _storey(house: House, storey: StoreyPanel, bare: bool) -> dict[str, Any]:
    rooms = [(room, room.box) for room in storey.rooms if room.box is not None]
    ways = _ways(house, storey)
    walls = _joined(wall for room, box in rooms if room.label not in _OUTDOORS for wall in sides(_area(box)))
    left = [piece for wall in walls for piece in without(wall, _passages(wall, ways)) if piece.length > _SHORTEST]
    return {
        "name": storey.name,
        "rooms": [
            {"polygon": _corners(_area(box))} | ({} if bare or room.label == NO_LABEL else {"label": room.name})
            for room, box in rooms
        ],
        "walls": [_corners(_thick(wall)) for wall in left],
    }


def _area(box: Box) -> Rectangle:
    return Rectangle(*box.low[:2], *box.high[:2])


def _ways(house: House, storey: StoreyPanel) -> list[tuple[XY, XY]]:
    """Return both ends of the edges of a storey, and of those that leave it."""
    here = set(storey.viewpoints)
    pairs = ((i, j) for i, j in house.edges if (i in here or j in here) and i in house.neighbours[j])
    return [(house.viewpoints[i].position[:2], house.viewpoints[j].position[:2]) for i, j in pairs]


def _joined(walls: Iterable[Wall]) -> Iterator[Wall]:
    """Yield the same walls; those on one line that touch or overlap are one."""
    ordered = sorted(walls, key=lambda wall: (wall.along, wall.at))
    line: list[Wall] = []
    for wall in ordered:
        if line and (wall.along != line[0].along or wall.at - line[0].at > _TOGETHER):
            yield from _stretches(line)
            line = []
        line.append(wall)
    yield from _stretches(line)


def _stretches(line: list[Wall]) -> Iterator[Wall]:
    """Yield walls of about one line as stretches that do not touch."""
    ends = sorted((wall.low, wall.high) for wall in line)
    while ends:
        low, high = ends.pop(0)
        while ends and ends[0][0] <= high + _TOGETHER:
            high = max(high, ends.pop(0)[1])
        yield Wall(line[0].along, line[0].at, low, high)


def _passages(wall: Wall, ways: Iterable[tuple[XY, XY]]) -> Iterator[tuple[float, float]]:
    """Yield the stretches of a wall that edges go through."""
    along, across = (0, 1) if wall.along == "x" else (1, 0)
    for start, end in ways:
        if (start[across] - wall.at) * (end[across] - wall.at) < 0:
            share = (wall.at - start[across]) / (end[across] - start[across])
            place = start[along] + share * (end[along] - start[along])
            yield place - PASSAGE / 2, place + PASSAGE / 2


def _thick(wall: Wall) -> Rectangle:
    """Return a wall seen from above."""
    half = WALL / 2
    if wall.along == "x":
        return Rectangle(wall.low, wall.at - half, wall.high, wall.at + half)
    return Rectangle(wall.at - half, wall.low, wall.at + half, wall.high)


def _corners(area: Rectangle) -> list[list[float]]:
    west, south, east, north = area.west, area.south, area.east, area.north
    return [_rounded(corner) for corner in ((west, south), (east, south), (east, north), (west, north))]


def _rounded(place: Iterable[float]) -> list[float]:
    """Round coordinates to the centimetre."""
    return [round(each, 2) for each in place]

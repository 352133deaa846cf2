"""Scenes of houses of which nothing is known but boxes: rooms with floors, walls and lamps, and a box for each object.

    scene = scene_of_boxes(house)

A wall has an opening wherever an edge of the house leads through it, for that is how an agent walks. Walls and floors look
as in one of the generated houses' styles, which the name of the house draws; an object has the colour that its label draws.
"""

from __future__ import annotations

import colorsys
import math
import zlib
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from vnla.houses.generate.style import Style
from vnla.houses.generate.styles import draw_style
from vnla.houses.house import Box, House, Object, Point, Room
from vnla.houses.scene import NO_OBJECT, Light, Material, Part, Scene

WALL = 0.05
"""Metres of a wall, inside of its room."""
OPENING = 0.9
"""Metres across an opening in a wall."""
BELOW, ABOVE = 1.6, 0.6
"""Metres of an opening below and above the height at which an edge leads through it."""
LAMP_APART = 4.0
"""Metres between the lamps of a room, about."""
THINNEST = 0.01
"""Metres of an object whose size is 0 in some direction."""
_FLOOR, _CEILING = 0.1, 0.05

Hole = tuple[float, float, float, float]
"""Of a wall: from, to, bottom, top."""


def has_boxes(house: House) -> bool:
    """Whether enough is known of a house to draw it: rooms, and where each of them is."""
    return bool(house.rooms) and all(room.box is not None for room in house.rooms)


def scene_of_boxes(house: House) -> Scene:
    """Return what a house looks like as boxes."""
    style = draw_style(np.random.default_rng(zlib.crc32(house.name.encode())))
    ways = [(house.viewpoints[i].position, house.viewpoints[j].position) for i, j in house.edges]
    parts: list[Part] = []
    lights: list[Light] = []
    for room in house.rooms:
        if room.box is not None:
            parts += _shell(room, room.box, style, ways)
            lights += _lamps(room.box, style)
    things = [_thing(each) for each in house.objects]
    owner = (NO_OBJECT,) * len(parts) + tuple(each.id for each in house.objects)
    return Scene((*parts, *things), owner, tuple(lights), sun=style.sun, sky=style.sky)


def _shell(room: Room, box: Box, style: Style, ways: Sequence[tuple[Point, Point]]) -> Iterator[Part]:
    """Yield the floor, the ceiling and the walls of a room."""
    (west, south, floor), (east, north, top) = box.low, box.high
    yield _block((west, south, floor - _FLOOR), (east, north, floor), style.floor(room.label))
    yield _block((west, south, top), (east, north, top + _CEILING), style.ceiling)
    for axis in (0, 1):  # a wall at either end of it
        for at, inner in ((box.low[axis], box.low[axis] + WALL), (box.high[axis], box.high[axis] - WALL)):
            span = (box.low[1 - axis], box.high[1 - axis])
            holes = [hole for way in ways if (hole := _hole(way, axis, at, span, (floor, top)))]
            for low, high, bottom, upper in _pieces(span, (floor, top), holes):
                near, far = min(at, inner), max(at, inner)
                corners = ((near, low), (far, high)) if axis == 0 else ((low, near), (high, far))
                yield _block((*corners[0], bottom), (*corners[1], upper), style.wall(room.label))


def _hole(
    way: tuple[Point, Point], axis: int, at: float, span: tuple[float, float], height: tuple[float, float]
) -> Hole | None:
    """Return the opening that an edge needs in the wall at a coordinate of `axis`; None where it passes by it."""
    one, other = way
    if (one[axis] < at) == (other[axis] < at):
        return None
    share = (at - one[axis]) / (other[axis] - one[axis])
    along, up = (one[each] + share * (other[each] - one[each]) for each in (1 - axis, 2))
    if not (span[0] < along < span[1] and height[0] < up < height[1]):
        return None
    low, high = max(span[0], along - OPENING / 2), min(span[1], along + OPENING / 2)
    return low, high, max(height[0], up - BELOW), min(height[1], up + ABOVE)


def _pieces(span: tuple[float, float], height: tuple[float, float], holes: Sequence[Hole]) -> Iterator[Hole]:
    """Yield what is left of a wall, as upright stripes between the ends of its openings."""
    ends = sorted({*span, *(end for hole in holes for end in hole[:2])})
    for low, high in pairwise(ends):
        bottom = height[0]
        for hole in sorted((hole for hole in holes if hole[0] <= low and high <= hole[1]), key=lambda each: each[2]):
            if hole[2] > bottom:
                yield low, high, bottom, hole[2]
            bottom = max(bottom, hole[3])
        if bottom < height[1]:
            yield low, high, bottom, height[1]


def _lamps(box: Box, style: Style) -> Iterator[Light]:
    """Yield lamps below the ceiling of a room."""
    counts = [max(1, round((box.high[axis] - box.low[axis]) / LAMP_APART)) for axis in (0, 1)]
    x, y = (
        [box.low[axis] + (i + 0.5) * (box.high[axis] - box.low[axis]) / counts[axis] for i in range(counts[axis])]
        for axis in (0, 1)
    )
    z = max((box.low[2] + box.high[2]) / 2, box.high[2] - 0.4)
    yield from (Light((east, north, z), style.light_colour, style.light_power) for east in x for north in y)


def _thing(thing: Object) -> Part:
    """Return the box of an object, turned as it is; of one that leans, the upright box around it."""
    material = Material(_colour(thing.label))
    (a, b, c), (_, _, f) = thing.box.axis0, thing.box.axis1
    if max(abs(c), abs(f)) < 1e-6:
        x, y, z = (max(THINNEST, 2 * each) for each in thing.box.radii)
        return Part("box", thing.box.centre, (x, y, z), material, turn=math.atan2(b, a))
    corners = np.array(thing.box.corners())  # (8, 3)
    x, y, z = np.maximum(np.ptp(corners, axis=0), THINNEST).tolist()
    return Part("box", thing.box.centre, (x, y, z), material)


def _colour(label: str) -> tuple[float, float, float]:
    """Return the colour of a label, always the same."""
    number = zlib.crc32(label.encode())
    return colorsys.hsv_to_rgb(number % 360 / 360, 0.35 + number // 360 % 50 / 100, 0.4 + number // 18_000 % 50 / 100)


def _block(low: Point, high: Point, material: Material) -> Part:
    x, y, z = ((a + b) / 2 for a, b in zip(low, high, strict=True))
    width, depth, tall = (b - a for a, b in zip(low, high, strict=True))
    return Part("box", (x, y, z), (width, depth, tall), material)

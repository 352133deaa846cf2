"""A plan built: walls with their openings, floors, ceilings and the ground, as parts of a scene.

    built = build_structure(plan, style)
    scene.add(built.parts)
    for piece in built.pieces:      # doors, windows, stairs, railings: things that people name
        scene.add(piece.parts, owner=number)

A wall between two rooms is two slabs back to back, each with the material of the room that sees it. All parts are boxes
along the axes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vnla.houses.generate.fittings import Fitting, box, door, jambs, railings, stairs, window
from vnla.houses.generate.plan import WALL, FloorPlan, Opening, PlannedRoom, Rectangle
from vnla.houses.generate.style import Style
from vnla.houses.generate.walls import Wall, outer, sides
from vnla.houses.scene import Material, Part

__all__ = ["Structure", "build_structure"]

SLAB = 0.3
"""Metres from the ceiling of a storey to the floor of the next."""

FLOOR = 0.1
CEILING = 0.05
SKIRTING = (0.012, 0.09)
"""Thickness and height of the board along the foot of a wall."""

GROUND = Material((0.33, 0.45, 0.22), "grass", accent=(0.25, 0.36, 0.16), scale=1.5)
AROUND = 15.0
"""Metres of ground around the building."""


@dataclass(frozen=True)
class Structure:
    """The building itself, and the parts of it that are objects."""

    parts: tuple[Part, ...]
    pieces: tuple[Fitting, ...]


def build_structure(plan: FloorPlan, style: Style) -> Structure:
    """Everything that a house has before furniture comes in."""
    parts = [_ground(plan)]
    for room in plan.rooms:
        parts += _floor(plan, style, room)
        if not room.outdoor:
            parts += _ceiling(plan, style, room)
            parts += _walls(plan, style, room)
    pieces: list[Fitting] = []
    for opening in plan.openings:
        if opening.kind == "window":
            pieces.append(window(plan, style, opening))
        elif opening.kind == "door":
            pieces.append(door(plan, style, opening))
        else:
            parts += _lining(plan, style, opening)
    for flight in plan.stairs:
        pieces.append(stairs(plan, style, flight))
        parts += _well(plan, style, flight.flight, flight.upper_room)
    pieces += railings(plan, style)
    return Structure(tuple(parts), tuple(pieces))


def _ground(plan: FloorPlan) -> Part:
    around = Rectangle.around(room.area for room in plan.rooms).grown(AROUND)
    floor = min(level.floor for level in plan.levels)
    return box(around, floor - 0.15, floor - 0.05, GROUND)


def _floor(plan: FloorPlan, style: Style, room: PlannedRoom) -> Iterator[Part]:
    """The floor, with a hole where stairs come up."""
    level = plan.level_by_id[room.level]
    holes = [each.flight for each in plan.stairs if each.upper_room == room.id]
    for area in _around(room.area, holes):
        yield box(area, level.floor - FLOOR, level.floor, style.floor(room.label))


def _ceiling(plan: FloorPlan, style: Style, room: PlannedRoom) -> Iterator[Part]:
    """The ceiling, with a hole where stairs go up, and the roof over it where no room is above."""
    level = plan.level_by_id[room.level]
    top = level.floor + level.height
    holes = [each.flight for each in plan.stairs if each.lower_room == room.id]
    for area in _around(room.area, holes):
        yield box(area, top, top + CEILING, style.ceiling)
    if not any(other.level == room.level + 1 and other.area.overlaps(room.area) for other in plan.rooms):
        yield box(room.area.grown(WALL / 2), top + CEILING, top + SLAB, style.outside)


def _around(area: Rectangle, holes: Sequence[Rectangle]) -> Iterator[Rectangle]:
    """A rectangle without a hole in it, as rectangles. All holes of a room are the same: flights stand above each other."""
    if not holes:
        yield area
        return
    hole = holes[0]
    strips = (
        Rectangle(area.west, area.south, hole.west, area.north),
        Rectangle(hole.east, area.south, area.east, area.north),
        Rectangle(hole.west, area.south, hole.east, hole.south),
        Rectangle(hole.west, hole.north, hole.east, area.north),
    )
    yield from (strip for strip in strips if strip.width > 0 and strip.depth > 0)


def _well(plan: FloorPlan, style: Style, flight: Rectangle, upper_room: int) -> list[Part]:
    """The four sides of the hole in the floor, through the thickness of the slab."""
    level = plan.level_by_id[plan.room_by_id[upper_room].level]
    strips = [flight.strip(side, 0.02) for side in ("west", "east", "south", "north")]
    return [box(strip, level.floor - SLAB, level.floor + 0.004, style.trim) for strip in strips]


def _walls(plan: FloorPlan, style: Style, room: PlannedRoom) -> Iterator[Part]:
    """The inner faces of a room's walls, and the outer ones where the outside is behind them."""
    level = plan.level_by_id[room.level]
    holes = [opening for opening in plan.openings if opening.level == room.level]
    indoors = [other for other in plan.rooms if not other.outdoor]
    thickness, board = SKIRTING
    x, y = room.area.centre
    for wall in sides(room.area):
        inward = 1 if (y if wall.along == "x" else x) > wall.at else -1
        cut = [opening for opening in holes if wall.holds(opening)]
        for low, high, bottom, top in _pieces(wall, cut, level.height):
            face = _slab(wall, low, high, 0.0, inward * WALL / 2)
            yield box(face, level.floor + bottom, level.floor + top, style.wall(room.label))
            if bottom == 0.0 and high - low > 0.02:
                foot = _slab(wall, low, high, inward * WALL / 2, inward * (WALL / 2 + thickness))
                yield box(foot, level.floor, level.floor + board, style.trim)
    for wall in outer(room, indoors):
        outward = -1 if (y if wall.along == "x" else x) > wall.at else 1
        cut = [opening for opening in holes if wall.holds(opening)]
        long = Wall(wall.along, wall.at, wall.low - WALL / 2, wall.high + WALL / 2)
        for low, high, bottom, top in _pieces(long, cut, level.height + SLAB):
            face = _slab(wall, low, high, 0.0, outward * WALL / 2)
            yield box(face, level.floor + (bottom or -FLOOR), level.floor + top, style.outside)


def _pieces(wall: Wall, cut: Sequence[Opening], height: float) -> Iterator[tuple[float, float, float, float]]:
    """A wall without its openings, as rectangles: from, to, bottom, top. What is left beside, below and above each."""
    low = wall.low
    for opening in sorted(cut, key=lambda each: each.x if wall.along == "x" else each.y):
        middle = opening.x if wall.along == "x" else opening.y
        begin, end = middle - opening.width / 2, middle + opening.width / 2
        yield low, begin, 0.0, height
        if opening.bottom > 0:
            yield begin, end, 0.0, opening.bottom
        yield begin, end, opening.top, height
        low = end
    yield low, wall.high, 0.0, height


def _slab(wall: Wall, low: float, high: float, one: float, other: float) -> Rectangle:
    """A rectangle along a wall, between two distances from its line."""
    near, far = sorted((wall.at + one, wall.at + other))
    return Rectangle(low, near, high, far) if wall.along == "x" else Rectangle(near, low, far, high)


def _lining(plan: FloorPlan, style: Style, opening: Opening) -> Iterator[Part]:
    """A thin frame inside an arch."""
    floor = plan.level_by_id[opening.level].floor
    wall = opening.clearance(WALL / 2 + 0.01)
    edge = 0.03
    yield from (box(jamb, floor, floor + opening.top, style.trim) for jamb in jambs(opening, wall, edge))
    yield box(wall, floor + opening.top - edge, floor + opening.top, style.trim)

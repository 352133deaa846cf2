"""Doors, windows, stairs and railings: the parts of a building that are objects in their own right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from vnla.houses.generate.plan import WALL, FloorPlan, Opening, PlannedRoom, Rectangle, StairFlight
from vnla.houses.generate.style import Style
from vnla.houses.generate.walls import Wall, outer, sides, without
from vnla.houses.house import OrientedBox
from vnla.houses.scene import Material, Part

PANE = Material((0.86, 0.93, 1.0), gloss=0.3, glow=0.9)
"""A window seen from inside by day."""

CATEGORIES = {
    "door": (4, "door"),
    "garage door": (4, "door"),
    "window": (9, "window"),
    "stairs": (16, "stairs"),
    "railing": (30, "railing"),
}
"""Label → number and name of its class among Matterport3D's 40."""

RAIL = 0.95
"""Height of a railing."""


@dataclass(frozen=True, slots=True)
class Fitting:
    """An object of the building: what people call it, the room it counts to, its shape and its box."""

    label: str
    room: int
    parts: tuple[Part, ...]
    box: OrientedBox

    @property
    def category(self) -> tuple[int, str]:
        """Its class among Matterport3D's 40."""
        return CATEGORIES[self.label]


def box(area: Rectangle, bottom: float, top: float, material: Material) -> Part:
    """A box along the axes."""
    x, y = area.centre
    return Part("box", (x, y, (bottom + top) / 2), (area.width, area.depth, top - bottom), material)


def hull(area: Rectangle, bottom: float, top: float) -> OrientedBox:
    """The box of an object that lies along the axes."""
    x, y = area.centre
    return OrientedBox((x, y, (bottom + top) / 2), radii=(area.width / 2, area.depth / 2, (top - bottom) / 2))


def door(plan: FloorPlan, style: Style, opening: Opening) -> Fitting:
    """A door: its frame, and its leaf standing open (or shut, if it leads to nowhere)."""
    floor = plan.level_by_id[opening.level].floor
    leaf = plan.leaves[opening]
    top = floor + opening.top
    parts = [box(leaf, floor + 0.01, top - 0.03, style.doors), *_knobs(opening, leaf, floor, style.metal)]
    parts += _frame(opening, floor, style.trim, sill=False)
    shut = opening.rooms[1] is None
    label = "garage door" if shut and plan.room_by_id[opening.rooms[0]].label == "g" else "door"
    area = _inner_half(plan, opening) if shut else leaf
    return Fitting(label, opening.rooms[0], tuple(parts), hull(area, floor, top))


def _knobs(opening: Opening, leaf: Rectangle, floor: float, metal: Material) -> Iterator[Part]:
    """A knob on both faces of a leaf, near the side away from the hinge."""
    x, y = leaf.centre
    for side in (-1, 1):
        if leaf.width < leaf.depth:
            far = leaf.north - 0.07 if leaf.north - opening.y > opening.y - leaf.south else leaf.south + 0.07
            at = (x + side * (leaf.width / 2 + 0.03), far, floor + 1.0)
        else:
            far = leaf.east - 0.07 if leaf.east - opening.x > opening.x - leaf.west else leaf.west + 0.07
            at = (far, y + side * (leaf.depth / 2 + 0.03), floor + 1.0)
        yield Part("sphere", at, (0.06, 0.06, 0.06), metal)


def _frame(opening: Opening, floor: float, material: Material, sill: bool) -> Iterator[Part]:
    """Jambs, head and, for a window, a sill: a little thicker than the wall."""
    edge, proud = 0.045, 0.015
    wall = opening.clearance(WALL / 2 + proud)
    bottom, top = floor + opening.bottom, floor + opening.top
    for jamb in jambs(opening, wall, edge):
        yield box(jamb, bottom, top, material)
    yield box(wall, top - edge, top, material)
    if sill:
        yield box(opening.clearance(WALL / 2 + 0.05), bottom, bottom + edge, material)


def jambs(opening: Opening, area: Rectangle, edge: float) -> list[Rectangle]:
    """Strips at the two ends of an opening."""
    return [area.strip(side, edge) for side in (("west", "east") if opening.along == "x" else ("south", "north"))]


def window(plan: FloorPlan, style: Style, opening: Opening) -> Fitting:
    """A window: frame, sill, bars and a pane that daylight comes through."""
    floor = plan.level_by_id[opening.level].floor
    bottom, top = floor + opening.bottom, floor + opening.top
    parts = [box(opening.clearance(0.01), bottom, top, PANE), *_frame(opening, floor, style.trim, sill=True)]
    bars = max(0, round(opening.width / 0.8) - 1)
    glass = opening.clearance(0.025)
    for bar in range(1, bars + 1):
        share = bar / (bars + 1)
        if opening.along == "x":
            at = glass.west + share * glass.width
            parts.append(box(Rectangle(at - 0.02, glass.south, at + 0.02, glass.north), bottom, top, style.trim))
        else:
            at = glass.south + share * glass.depth
            parts.append(box(Rectangle(glass.west, at - 0.02, glass.east, at + 0.02), bottom, top, style.trim))
    return Fitting("window", opening.rooms[0], tuple(parts), hull(_inner_half(plan, opening), bottom, top))


def _inner_half(plan: FloorPlan, opening: Opening) -> Rectangle:
    """The half of an opening in a wall that lies in its own room: an object belongs to the room its centre is in."""
    area = plan.room_by_id[opening.rooms[0]].area
    hole = opening.clearance(WALL / 2)
    return Rectangle(
        max(hole.west, area.west), max(hole.south, area.south), min(hole.east, area.east), min(hole.north, area.north)
    )


def stairs(plan: FloorPlan, style: Style, flight: StairFlight) -> Fitting:
    """A flight of steps with a handrail on its open side."""
    lower, upper = plan.room_by_id[flight.lower_room], plan.room_by_id[flight.upper_room]
    floor, head = plan.level_by_id[lower.level].floor, plan.level_by_id[upper.level].floor
    count = flight.steps(head - floor)
    rise = (head - floor) / count
    wood = style.wood[0]
    parts: list[Part] = []
    open_side = _open_side(lower.area, flight)
    for step in range(count):
        tread = flight.tread(step / count, (step + 1) / count)
        top = floor + rise * (step + 1)
        parts.append(box(tread, max(floor, top - 2 * rise), top - 0.04, style.trim))
        parts.append(box(tread, top - 0.04, top, wood))
        rail = tread.strip(open_side, 0.05)
        parts.append(box(rail, top + RAIL - 0.06, top + RAIL + rise - 0.06, wood))
        x, y = rail.centre
        parts.append(Part("cylinder", (x, y, top + RAIL / 2), (0.03, 0.03, RAIL), style.metal))
    return Fitting("stairs", lower.id, tuple(parts), hull(flight.flight, floor, head))


def _open_side(room: Rectangle, stairs: StairFlight) -> str:
    """The long side of a flight that looks into the room."""
    x, y = room.centre
    if stairs.rises in ("north", "south"):
        return "east" if stairs.flight.centre[0] < x else "west"
    return "north" if stairs.flight.centre[1] < y else "south"


def railings(plan: FloorPlan, style: Style) -> Iterator[Fitting]:
    """Railings around balconies and porches, and around the holes that stairs come up through."""
    for room in plan.rooms:
        if room.label in "yp":
            floor = plan.level_by_id[room.level].floor
            for wall in _guarded(plan, room):
                yield _railing(wall, room, floor, style)
    climbing = {(each.lower_room, each.flight) for each in plan.stairs}
    for flight in plan.stairs:
        upper = plan.room_by_id[flight.upper_room]
        floor = plan.level_by_id[upper.level].floor
        foot = {"north": "south", "south": "north", "east": "west", "west": "east"}[flight.rises]
        # Where the next flight starts above this one, its own steps guard the hole.
        if (upper.id, flight.flight) not in climbing:
            for side in (_open_side(upper.area, flight), foot):
                yield _railing(_side(flight.flight, side), upper, floor, style)


def _side(area: Rectangle, side: str) -> Wall:
    south, north, west, east = sides(area)
    return {"south": south, "north": north, "west": west, "east": east}[side]


def _guarded(plan: FloorPlan, room: PlannedRoom) -> list[Wall]:
    """The open sides of a balcony; a porch at ground level has a way out in its longest side."""
    edges = outer(room, plan.rooms)
    if room.level != min(plan.level_by_id) or not edges:
        return edges
    longest = max(edges, key=lambda wall: wall.length)
    middle = (longest.low + longest.high) / 2
    return [wall for wall in edges if wall is not longest] + without(longest, [(middle - 0.7, middle + 0.7)])


def _railing(wall: Wall, room: PlannedRoom, floor: float, style: Style) -> Fitting:
    """Posts and two rails along a line, inside of the room."""
    x, y = room.area.centre
    inward = 1 if (y if wall.along == "x" else x) > wall.at else -1
    near, far = sorted((wall.at, wall.at + inward * 0.05))
    area = Rectangle(wall.low, near, wall.high, far) if wall.along == "x" else Rectangle(near, wall.low, far, wall.high)
    parts = [box(area, floor + RAIL - 0.05, floor + RAIL, style.wood[0]), box(area, floor + 0.08, floor + 0.11, style.metal)]
    posts = max(2, round(wall.length / 0.14))
    for post in range(posts + 1):
        at = wall.low + 0.02 + (wall.length - 0.04) * post / posts
        px, py = (at, (near + far) / 2) if wall.along == "x" else ((near + far) / 2, at)
        parts.append(Part("box", (px, py, floor + RAIL / 2), (0.02, 0.02, RAIL), style.metal))
    return Fitting("railing", room.id, tuple(parts), hull(area, floor, floor + RAIL))

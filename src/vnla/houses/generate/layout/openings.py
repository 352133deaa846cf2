"""Doors, arches and windows: which are wanted is known, here each finds its place in a wall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from numpy.random import Generator

from vnla.houses.generate.layout.blocks import Kind
from vnla.houses.generate.plan import FloorPlan, Opening, PlannedLevel, PlannedRoom, Rectangle
from vnla.houses.generate.walls import Wall, outer, shared

CORNER = 0.25
"""Metres between an opening and the end of its wall, at least."""

NARROW = frozenset("ctuj")
"""Rooms with narrower doors."""


class NoWallError(Exception):
    """Two rooms that should open into each other share no wall that is long enough."""


@dataclass(frozen=True, slots=True)
class Windows:
    """The windows of one kind of room: how wide, from what height, and how often a wall that could have one does."""

    narrowest: float
    widest: float
    bottom: float
    share: float


LIVING = Windows(1.4, 2.4, 0.5, 0.95)
WINDOWS: dict[str, Windows] = {
    **dict.fromkeys("lfnrdBCm", LIVING),
    **dict.fromkeys("bkoivwz", Windows(1.0, 1.8, 0.85, 0.9)),
    **dict.fromkeys("aS", Windows(0.6, 1.0, 1.2, 0.8)),
    **dict.fromkeys("tju", Windows(0.5, 0.8, 1.3, 0.6)),
    **dict.fromkeys("hse", Windows(0.7, 1.2, 0.8, 0.6)),
    "g": Windows(0.8, 1.4, 1.3, 0.5),
}
"""Label → its windows; rooms that are not listed have none."""


def place_way(
    random: Generator, rooms: Sequence[PlannedRoom], taken: Sequence[Opening], first: int, second: int, kind: Kind
) -> Opening:
    """A door or an arch between two rooms, where it is in nobody's way."""
    one, other = rooms[first], rooms[second]
    wall = shared(one.area, other.area)
    if wall is None:
        raise NoWallError
    if kind == "arch":
        return _arch(random, wall, one, other)
    narrow = bool({one.label, other.label} & NARROW)
    return _door(random, rooms, taken, wall, one, other.id, 0.75 if narrow else 0.85)


def _arch(random: Generator, wall: Wall, one: PlannedRoom, other: PlannedRoom) -> Opening:
    """An arch; between passages it takes up nearly all of their width."""
    passage = {one.label, other.label} <= set("hes")
    corner = 0.15 if passage else CORNER
    widest = wall.length - 2 * corner
    if widest < 0.75:
        raise NoWallError
    width = round(widest if passage and widest < 2.2 else min(widest, float(random.uniform(1.5, 2.6))), 2)
    low, high = wall.low + corner + width / 2, wall.high - corner - width / 2
    place = low + (high - low) * (0.5 if random.random() < 0.5 else float(random.random()))
    x, y = wall.point(_tidy(place, low, high))
    return Opening("arch", one.level, (one.id, other.id), x, y, wall.along, width, top=2.25)


def _door(
    random: Generator,
    rooms: Sequence[PlannedRoom],
    taken: Sequence[Opening],
    wall: Wall,
    one: PlannedRoom,
    other: int | None,
    width: float,
) -> Opening:
    """The first of some places where no leaf meets another door; beside a corner rather than in the middle."""
    width = min(width, wall.length - 2 * CORNER)
    if width < 0.65:
        raise NoWallError
    low, high = wall.low + CORNER + width / 2, wall.high - CORNER - width / 2
    places = [low, high] if random.random() < 0.5 else [high, low]
    places.insert(int(random.choice([0, 2, 2])), (low + high) / 2)
    places += [low + (high - low) * part for part in (0.25, 0.75)]
    found = []
    for place in places:
        x, y = wall.point(_tidy(place, low, high))
        found.append(Opening("door", one.level, (one.id, other), x, y, wall.along, width))
    return min(found, key=lambda opening: _conflicts(rooms, taken, opening))


def _tidy(place: float, low: float, high: float) -> float:
    return min(max(round(place * 20) / 20, low), high)


def _conflicts(rooms: Sequence[PlannedRoom], taken: Sequence[Opening], opening: Opening) -> int:
    """How many other doors a door would get in the way of."""
    near = [each for each in taken if each.level == opening.level and set(each.rooms) & set(opening.rooms) - {None}]
    plan = FloorPlan((), tuple(rooms), (*near, opening))
    mine = opening.clearance(0.5)
    count = 0
    for each in near:
        theirs = each.clearance(0.5)
        count += 3 * _beside(opening, each)
        count += opening in plan.leaves and plan.leaves[opening].overlaps(theirs)
        count += each in plan.leaves and plan.leaves[each].overlaps(mine)
    return count


def _beside(one: Opening, other: Opening) -> bool:
    """Whether two openings overlap, or nearly, in the same wall."""
    return one.along == other.along and one.clearance(0.05).grown(0.1).overlaps(other.clearance(0.05))


def front_door(random: Generator, rooms: Sequence[PlannedRoom], taken: Sequence[Opening], entry: int) -> Opening:
    """The door to the outside, in the entryway's longest outer wall on the side away from the hallway."""
    room = rooms[entry]
    walls = [wall for wall in outer(room, rooms) if wall.length > 1.5]
    inner = [opening for opening in taken if entry in opening.rooms and opening.kind == "arch"]
    if not walls:
        raise NoWallError
    farthest = max(walls, key=lambda wall: (_apart(wall, inner), wall.length))
    return _door(random, rooms, taken, farthest, room, None, 1.0)


def garage_door(
    random: Generator, rooms: Sequence[PlannedRoom], taken: Sequence[Opening], garage: PlannedRoom, wall: Wall
) -> Opening:
    """The door for the car."""
    return replace(_door(random, rooms, taken, wall, garage, None, float(random.choice([2.4, 2.7, 4.8]))), top=2.15)


def _apart(wall: Wall, inner: Sequence[Opening]) -> float:
    x, y = wall.point((wall.low + wall.high) / 2)
    return round(min((abs(each.x - x) + abs(each.y - y) for each in inner), default=0.0), 1)


def place_windows(
    random: Generator, rooms: Sequence[PlannedRoom], taken: Sequence[Opening], level: PlannedLevel
) -> list[Opening]:
    """Windows in the outer walls of a level's rooms, clear of doors."""
    indoors = [room for room in rooms if not room.outdoor]
    top = min(2.2, level.height - 0.25)
    found: list[Opening] = []
    for room in indoors:
        kind = WINDOWS.get(room.label)
        if kind is None or room.level != level.id:
            continue
        for wall in outer(room, indoors):
            if random.random() < kind.share:
                found += _windows(random, room, wall, kind, top)
    return [window for window in found if not any(_beside(window, other) for other in taken)]


def _windows(random: Generator, room: PlannedRoom, wall: Wall, kind: Windows, top: float) -> list[Opening]:
    space = wall.length - 2 * 0.35
    width = min(float(random.uniform(kind.narrowest, kind.widest)), space)
    if width < 0.5:
        return []
    count = max(1, min(3, int(wall.length / (width + 1.6))))
    gap = wall.length / count
    places = [wall.point(wall.low + gap * (each + 0.5)) for each in range(count)]
    return [
        Opening("window", room.level, (room.id, None), x, y, wall.along, width, bottom=kind.bottom, top=top)
        for x, y in places
    ]


def outside(random: Generator, rooms: Sequence[PlannedRoom], wall: Wall, room: PlannedRoom, label: str) -> Rectangle | None:
    """The area of a porch, balcony or terrace along an outer wall; None where something else is in the way."""
    shallow, deep = {"p": (1.6, 2.6), "y": (1.2, 1.9), "x": (2.6, 4.5)}[label]
    depth = round(float(random.uniform(shallow, deep)), 1)
    longest = {"p": 6.0, "y": 4.5, "x": 7.0}[label]
    middle = (wall.low + wall.high) / 2
    for length in (min(wall.length + 2.0, longest), min(wall.length, longest)):
        low = round(middle - length / 2, 1)
        high = round(low + length, 1)
        outward = 1 if wall.at > room.area.centre[1 if wall.along == "x" else 0] else -1
        near, far = sorted((wall.at, round(wall.at + outward * depth, 1)))
        area = Rectangle(low, near, high, far) if wall.along == "x" else Rectangle(near, low, far, high)
        # A little apart from everything else, so that it is in front of nobody's window at the corner.
        if not any(each.level == room.level and each.area.overlaps(area.grown(-0.05)) for each in rooms):
            return area
    return None


def opened_to(opening: Opening, room: int) -> Opening:
    """A door to the outside that now leads to a porch."""
    return replace(opening, rooms=(opening.rooms[0], room))

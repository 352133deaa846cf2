"""What every floor plan needs, however it is drawn: a walk, the storeys of a house and what stands on each.

A viewpoint belongs to the storey of its room. Scanned buildings do not always say, so whatever has no level of its own goes
to the storey whose floor is nearest in height, and a house without any levels is cut into storeys by height alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from vnla.common.errors import InputError
from vnla.houses.house import House, Object, Room

STOREY_HEIGHT = 2.0
"""Floors closer than this, in metres, are one storey where nobody said which level they are on."""

XY = tuple[float, float]
Bounds = tuple[float, float, float, float]
"""West, south, east and north, in metres."""


@dataclass(frozen=True, slots=True)
class Step:
    """One moment of a walk: the pose, the advisor's words if help was requested there, and the action taken next."""

    viewpoint: int
    view: int
    said: str | None = None
    action: str | None = None


@dataclass(frozen=True, slots=True)
class Stay:
    """A stay at one viewpoint. `number` is the step it began with, which is the number of actions taken until then."""

    viewpoint: int
    number: int


@dataclass(frozen=True, slots=True)
class StoreyPanel:
    """What one panel shows."""

    name: str
    viewpoints: tuple[int, ...]
    rooms: tuple[Room, ...]
    objects: tuple[Object, ...]


def visits(walk: Sequence[Step]) -> list[Stay]:
    """The walk without the turning on the spot."""
    stays = groupby(enumerate(walk), key=lambda item: item[1].viewpoint)
    return [Stay(viewpoint, next(stay)[0]) for viewpoint, stay in stays]


def requests(walk: Sequence[Step]) -> list[tuple[str, int]]:
    """A letter for each step at which help was requested: A to Z, then A2, B2 and so on."""
    asked = [number for number, step in enumerate(walk) if step.said is not None]
    rounds = [divmod(i, 26) for i in range(len(asked))]
    letters = [f"{chr(ord('A') + letter)}{turn + 1 if turn else ''}" for turn, letter in rounds]
    return list(zip(letters, asked, strict=True))


def spoken(words: str | None) -> str:
    """The advisor's tokens are separated by spaces; people write a comma without one before it."""
    return (words or "").replace(" ,", ",")


def check(house: House, walk: Sequence[Step], goals: Sequence[int]) -> None:
    """Raise `InputError` where a walk or a goal names a viewpoint that the house does not have."""
    for what, numbers in (("the walk visits", [step.viewpoint for step in walk]), ("a goal is", goals)):
        for number in numbers:
            if not 0 <= number < len(house.viewpoints) or not house.viewpoints[number].included:
                raise InputError(f"house {house.name}: {what} viewpoint {number}, which is not among its viewpoints")


def storeys(house: House) -> list[StoreyPanel]:
    """The storeys that have something to show, lowest first."""
    floors = _floors(house)
    if not floors:
        raise InputError(f"house {house.name}: it has no viewpoints and no rooms, so there is nothing to draw")
    rooms = {room.id: _room_level(house, room, floors) for room in house.rooms}
    viewpoints = {
        i: _nearest(floors, each.position[2] - each.height) if each.room is None else rooms[each.room]
        for i, each in enumerate(house.viewpoints)
        if each.included
    }
    things = {
        thing.id: _under(floors, thing.box.centre[2]) if thing.room is None else rooms[thing.room] for thing in house.objects
    }
    found = [
        StoreyPanel(
            name=f"Level {level}",
            viewpoints=tuple(i for i, where in viewpoints.items() if where == level),
            rooms=tuple(room for room in house.rooms if rooms[room.id] == level),
            objects=tuple(thing for thing in house.objects if things[thing.id] == level),
        )
        for level in sorted(floors, key=lambda level: (floors[level], level))
    ]
    return [storey for storey in found if storey.viewpoints or storey.rooms]


def bounds(house: House, storey: StoreyPanel) -> Bounds:
    """The rectangle that holds the rooms and viewpoints of a storey, and the far ends of the stairs that leave it."""
    here = set(storey.viewpoints)
    ends = [there for i in storey.viewpoints for there in house.neighbours[i] if there not in here]
    points = [house.viewpoints[i].position[:2] for i in (*storey.viewpoints, *ends)]
    for room in storey.rooms:
        if room.box is not None:
            points += [room.box.low[:2], room.box.high[:2]]
    if not points:
        return (0.0, 0.0, 0.0, 0.0)
    xs, ys = zip(*points, strict=True)
    return (min(xs), min(ys), max(xs), max(ys))


def footprint(thing: Object) -> list[XY]:
    """The outline of an object seen from above: the convex hull of its corners, anticlockwise."""
    corners = sorted({(round(x, 4), round(y, 4)) for x, y, _ in thing.box.corners()})
    if len(corners) < 3:
        return corners
    return _half_hull(corners)[:-1] + _half_hull(corners[::-1])[:-1]


def _half_hull(points: Iterable[XY]) -> list[XY]:
    hull: list[XY] = []
    for x, y in points:
        while len(hull) > 1:
            (ax, ay), (bx, by) = hull[-2:]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                break
            hull.pop()
        hull.append((x, y))
    return hull


def _floors(house: House) -> dict[int, float]:
    """Level → height of its floor, measured wherever the house gives a clue."""
    clues: dict[int, list[float]] = {}
    for level in house.levels:
        if level.box is not None:
            clues.setdefault(level.id, []).append(level.box.low[2])
    for room in house.rooms:
        if room.level is not None:
            stands = [each.position[2] - each.height for each in house.viewpoints if each.room == room.id]
            known = [room.box.low[2]] if room.box is not None else stands
            clues.setdefault(room.level, []).extend(known)
    known_floors = {level: min(heights) for level, heights in clues.items() if heights}
    return known_floors or _floors_by_height(house)


def _floors_by_height(house: House) -> dict[int, float]:
    heights = [each.position[2] - each.height for each in house.viewpoints if each.included]
    heights += [room.box.low[2] for room in house.rooms if room.box is not None]
    floors: list[float] = []
    for height in sorted(heights):
        if not floors or height - floors[-1] >= STOREY_HEIGHT:
            floors.append(height)
    return dict(enumerate(floors))


def _room_level(house: House, room: Room, floors: dict[int, float]) -> int:
    if room.level in floors:
        return room.level
    if room.box is not None:
        return _nearest(floors, room.box.low[2])
    heights = [each.position[2] - each.height for each in house.viewpoints if each.room == room.id]
    return _nearest(floors, min(heights, default=0.0))


def _nearest(floors: dict[int, float], height: float) -> int:
    return min(floors, key=lambda level: (abs(floors[level] - height), level))


def _under(floors: dict[int, float], height: float) -> int:
    below = {level: floor for level, floor in floors.items() if floor <= height}
    return _nearest(below or floors, height)

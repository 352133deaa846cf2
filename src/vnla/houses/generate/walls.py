"""Walls of a plan: where two rooms touch, and where a room meets the outside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from vnla.houses.generate.plan import Opening, PlannedRoom, Rectangle

_TOUCH = 1e-6


@dataclass(frozen=True, slots=True)
class Wall:
    """A stretch of wall along x or y, from `low` to `high`, on the line where the other coordinate is `at`."""

    along: Literal["x", "y"]
    at: float
    low: float
    high: float

    @property
    def length(self) -> float:
        """Metres."""
        return self.high - self.low

    def point(self, position: float) -> tuple[float, float]:
        """The point at a position along the wall."""
        return (position, self.at) if self.along == "x" else (self.at, position)

    def holds(self, opening: Opening) -> bool:
        """Whether an opening lies in this stretch."""
        across, position = (opening.y, opening.x) if opening.along == "x" else (opening.x, opening.y)
        return self.along == opening.along and abs(self.at - across) < _TOUCH and self.low < position < self.high


def sides(area: Rectangle) -> tuple[Wall, Wall, Wall, Wall]:
    """The four walls of a room: south, north, west, east."""
    return (
        Wall("x", area.south, area.west, area.east),
        Wall("x", area.north, area.west, area.east),
        Wall("y", area.west, area.south, area.north),
        Wall("y", area.east, area.south, area.north),
    )


def shared(first: Rectangle, second: Rectangle) -> Wall | None:
    """The wall between two rooms that touch."""
    for mine, other in zip(sides(first), _facing(second), strict=True):
        low, high = max(mine.low, other.low), min(mine.high, other.high)
        if abs(mine.at - other.at) < _TOUCH and high - low > _TOUCH:
            return Wall(mine.along, mine.at, low, high)
    return None


def _facing(area: Rectangle) -> tuple[Wall, Wall, Wall, Wall]:
    """The walls that touch another room's south, north, west and east walls."""
    south, north, west, east = sides(area)
    return north, south, east, west


def without(wall: Wall, gaps: Iterable[tuple[float, float]]) -> list[Wall]:
    """What is left of a wall when stretches of it are taken away."""
    left: list[Wall] = []
    low = wall.low
    for begin, end in sorted(gaps):
        if begin > low + _TOUCH:
            left.append(Wall(wall.along, wall.at, low, min(begin, wall.high)))
        low = max(low, end)
    if low < wall.high - _TOUCH:
        left.append(Wall(wall.along, wall.at, low, wall.high))
    return [each for each in left if each.length > _TOUCH]


def outer(room: PlannedRoom, rooms: Sequence[PlannedRoom]) -> list[Wall]:
    """The stretches of a room's walls that no other of `rooms` on its level touches."""
    reach = room.area.grown(_TOUCH)
    others = (each for each in rooms if each.level == room.level and each.id != room.id)
    beside = [_facing(each.area) for each in others if each.area.overlaps(reach)]
    found: list[Wall] = []
    for side, wall in enumerate(sides(room.area)):
        facing = [walls[side] for walls in beside]
        found += without(wall, [(each.low, each.high) for each in facing if abs(each.at - wall.at) < _TOUCH])
    return found

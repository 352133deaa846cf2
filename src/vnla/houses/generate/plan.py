"""What a floor plan is: rooms as rectangles on levels, openings in the walls between them, and flights of stairs.

A plan says where things are, not what they look like. `vnla.houses.generate.layout` draws plans, `structure` builds walls
and stairs from them, `furnish` fills their rooms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

WALL = 0.12
"""Thickness of a wall in metres. Walls stand centred on the edges of room rectangles."""

LEAF = 0.04
"""Thickness of the leaf of a door."""

RISER = 0.18
"""Height of a step in metres, about."""

DOOR_CLEARANCE = 0.9
"""Metres in front of a door, on both sides, that stay free."""


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle along the axes; y grows to the north."""

    west: float
    south: float
    east: float
    north: float

    @property
    def width(self) -> float:
        """Length from west to east."""
        return self.east - self.west

    @property
    def depth(self) -> float:
        """Length from south to north."""
        return self.north - self.south

    @property
    def area(self) -> float:
        """Square metres."""
        return self.width * self.depth

    def mirrored(self) -> Rectangle:
        """The rectangle on the other side of the line x = 0."""
        return Rectangle(-self.east, self.south, -self.west, self.north)

    @property
    def centre(self) -> tuple[float, float]:
        """The middle."""
        return (self.west + self.east) / 2, (self.south + self.north) / 2

    @classmethod
    def around(cls, areas: Iterable[Rectangle]) -> Rectangle:
        """The smallest rectangle that holds all of `areas`."""
        west, south, east, north = zip(*((area.west, area.south, area.east, area.north) for area in areas), strict=True)
        return cls(min(west), min(south), max(east), max(north))

    def strip(self, side: str, width: float) -> Rectangle:
        """The strip of a width along the side north, south, east or west."""
        west = self.east - width if side == "east" else self.west
        south = self.north - width if side == "north" else self.south
        east = self.west + width if side == "west" else self.east
        north = self.south + width if side == "south" else self.north
        return Rectangle(west, south, east, north)

    def grown(self, by: float) -> Rectangle:
        """The rectangle with every side moved outwards by `by` metres (inwards where negative)."""
        return Rectangle(self.west - by, self.south - by, self.east + by, self.north + by)

    def contains(self, x: float, y: float, margin: float = 0.0) -> bool:
        """Whether a point lies inside, at least `margin` from every side."""
        return self.west + margin <= x <= self.east - margin and self.south + margin <= y <= self.north - margin

    def overlaps(self, other: Rectangle) -> bool:
        """Whether the two share more than an edge."""
        return self.west < other.east and other.west < self.east and self.south < other.north and other.south < self.north


@dataclass(frozen=True, slots=True)
class PlannedLevel:
    """A storey: `floor` is the height of its floor, `height` from floor to ceiling."""

    id: int
    floor: float
    height: float


@dataclass(frozen=True, slots=True)
class PlannedRoom:
    """A room; `label` is its Matterport letter. Outdoor rooms (porch, balcony, outdoors) have no ceiling or outer walls."""

    id: int
    label: str
    level: int
    area: Rectangle

    @property
    def outdoor(self) -> bool:
        """Whether one stands under the sky here."""
        return self.label in "pxy"


@dataclass(frozen=True, slots=True)
class Opening:
    """A hole in a wall, centred at (x, y) on the line between two rooms, or between a room and the outside (None).

    Doors and arches reach the floor; arches are wider and have no leaf. A leaf opens into the first of its two rooms.
    `along` is the direction in which the wall runs.
    """

    kind: Literal["door", "arch", "window"]
    level: int
    rooms: tuple[int, int | None]
    x: float
    y: float
    along: Literal["x", "y"]
    width: float
    bottom: float = 0.0
    top: float = 2.05

    @property
    def passable(self) -> bool:
        """Whether one can walk through."""
        return self.kind != "window" and self.rooms[1] is not None

    def clearance(self, depth: float = DOOR_CLEARANCE) -> Rectangle:
        """The floor that must stay free on both sides of a door or an arch."""
        half = self.width / 2
        if self.along == "x":
            return Rectangle(self.x - half, self.y - depth, self.x + half, self.y + depth)
        return Rectangle(self.x - depth, self.y - half, self.x + depth, self.y + half)


@dataclass(frozen=True, slots=True)
class StairFlight:
    """A straight flight in a stair room, from the floor of its level up to the next one.

    `flight` is its rectangle, inside both the lower and the upper room (which lie above each other); it rises towards
    `rises`. At its foot and its head both rooms have floor to stand on.
    """

    lower_room: int
    upper_room: int
    flight: Rectangle
    rises: Literal["north", "south", "east", "west"]

    def ends(self, beyond: float = 0.0) -> tuple[tuple[float, float], tuple[float, float]]:
        """The points in the middle of its foot and its head, or that many metres before the one and after the other."""
        x, y = self.flight.centre
        area = self.flight.grown(beyond)
        if self.rises in ("north", "south"):
            low, high = (x, area.south), (x, area.north)
        else:
            low, high = (area.west, y), (area.east, y)
        return (low, high) if self.rises in ("north", "east") else (high, low)

    @staticmethod
    def steps(rise: float) -> int:
        """How many steps a flight of that height has; the last is level with the upper floor."""
        return round(rise / RISER)

    def tread(self, low: float, high: float) -> Rectangle:
        """The part of the flight between two shares of the way up, each from 0 (foot) to 1 (head)."""
        area = self.flight
        if self.rises in ("south", "west"):
            low, high = 1 - high, 1 - low
        if self.rises in ("north", "south"):
            return Rectangle(area.west, area.south + low * area.depth, area.east, area.south + high * area.depth)
        return Rectangle(area.west + low * area.width, area.south, area.west + high * area.width, area.north)


@dataclass(frozen=True)
class FloorPlan:
    """A whole building."""

    levels: tuple[PlannedLevel, ...]
    rooms: tuple[PlannedRoom, ...]
    openings: tuple[Opening, ...]
    stairs: tuple[StairFlight, ...] = ()

    @cached_property
    def room_by_id(self) -> dict[int, PlannedRoom]:
        """Room id → room."""
        return {room.id: room for room in self.rooms}

    @cached_property
    def level_by_id(self) -> dict[int, PlannedLevel]:
        """Level id → level."""
        return {level.id: level for level in self.levels}

    def mirrored(self) -> FloorPlan:
        """The plan on the other side of the line x = 0."""
        rises: dict[str, Literal["north", "south", "east", "west"]] = {"east": "west", "west": "east"}
        return FloorPlan(
            self.levels,
            tuple(replace(room, area=room.area.mirrored()) for room in self.rooms),
            tuple(replace(opening, x=-opening.x) for opening in self.openings),
            tuple(
                replace(stairs, flight=stairs.flight.mirrored(), rises=rises.get(stairs.rises, stairs.rises))
                for stairs in self.stairs
            ),
        )

    def openings_of(self, room: int) -> Iterator[Opening]:
        """The openings in the walls of a room."""
        return (opening for opening in self.openings if room in opening.rooms)

    def keep_free(self, room: int) -> list[Rectangle]:
        """The parts of a room's floor where nothing may stand: in front of doors, on stairs and at their ends."""
        free = [opening.clearance() for opening in self.openings_of(room) if opening.kind != "window"]
        for stairs in self.stairs:
            if room in (stairs.lower_room, stairs.upper_room):
                free.append(stairs.flight.grown(DOOR_CLEARANCE))
        return free

    @cached_property
    def leaves(self) -> dict[Opening, Rectangle]:
        """Where the leaf of each door stands when it is open, as it always is."""
        return {opening: _leaf(self, opening) for opening in self.openings if opening.kind == "door"}


def door_leaf(plan: FloorPlan, opening: Opening) -> Rectangle | None:
    """Where the leaf of a door stands; None for windows and arches."""
    return plan.leaves.get(opening)


def _leaf(plan: FloorPlan, opening: Opening) -> Rectangle:
    """The leaf at right angles to its wall, in the first of its rooms, hinged on the side of the nearer corner.

    There it lies along the next wall, or at least leaves most of the room to walk in. A door to nowhere is shut.
    """
    if opening.rooms[1] is None:
        return opening.clearance(LEAF / 2)
    x, y = plan.room_by_id[opening.rooms[0]].area.centre
    half, reach = opening.width / 2, opening.width - 0.05
    if opening.along == "x":
        hinge = opening.x - half if opening.x < x else opening.x + half - LEAF
        south, north = _swing(opening.y, y, reach)
        return Rectangle(hinge, south, hinge + LEAF, north)
    hinge = opening.y - half if opening.y < y else opening.y + half - LEAF
    west, east = _swing(opening.x, x, reach)
    return Rectangle(west, hinge, east, hinge + LEAF)


def _swing(wall: float, middle: float, reach: float) -> tuple[float, float]:
    """From the face of a wall towards the middle of the room."""
    inward = 1 if middle > wall else -1
    low, high = sorted((wall + inward * WALL / 2, wall + inward * (WALL / 2 + reach)))
    return low, high

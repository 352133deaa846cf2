"""A room while it is being furnished: what stands where, and whether one more thing fits.

Everything is tested as an upright box, turned about the vertical, with a range of heights above the floor.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from random import Random

from vnla.houses.generate.catalogue import CatalogueEntry, Furniture
from vnla.houses.generate.free_space import FreeSpace
from vnla.houses.generate.plan import WALL, FloorPlan, Opening, PlannedRoom, Rectangle, door_leaf
from vnla.houses.generate.style import Style

Side = str
"""north, east, south or west."""

TURNS: dict[Side, float] = {"north": 0.0, "east": -math.pi / 2, "south": math.pi, "west": math.pi / 2}
"""How a piece is turned when its back is to that wall."""

WALL_GAP = 0.015
"""From the wall's face, so that skirting boards show."""
SLACK = 0.004
"""Boxes that share less than this do not collide."""
FLAT = 0.03
"""Things up to this height are walked over: rugs, mats."""
MOST_COVERED = 0.52
"""Share of a room's floor that may be furnished; the rest is for walking."""


class Solid:
    """An upright box in a room: centre, turn, lengths before turning, and from which to which height."""

    __slots__ = (
        "cos",
        "depth",
        "east",
        "high",
        "low",
        "north",
        "sin",
        "south",
        "straight",
        "turn",
        "west",
        "width",
        "x",
        "y",
    )

    def __init__(self, x: float, y: float, turn: float, width: float, depth: float, low: float, high: float) -> None:
        self.x, self.y, self.turn, self.width, self.depth, self.low, self.high = x, y, turn, width, depth, low, high
        self.cos, self.sin = math.cos(turn), math.sin(turn)
        self.straight = min(abs(self.cos), abs(self.sin)) < 1e-6
        across = (abs(self.cos) * width + abs(self.sin) * depth) / 2
        along = (abs(self.sin) * width + abs(self.cos) * depth) / 2
        self.west, self.east, self.south, self.north = x - across, x + across, y - along, y + along

    @classmethod
    def over(cls, area: Rectangle, low: float, high: float) -> Solid:
        """The box over a rectangle."""
        x, y = area.centre
        return cls(x, y, 0.0, area.width, area.depth, low, high)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """A point of its own coordinates in the room's."""
        return self.x + self.cos * x - self.sin * y, self.y + self.sin * x + self.cos * y

    def corners(self) -> tuple[tuple[float, float], ...]:
        """The outline on the floor, anticlockwise."""
        w, d = self.width / 2, self.depth / 2
        return self.at(-w, -d), self.at(w, -d), self.at(w, d), self.at(-w, d)

    def grown(self, by: float) -> Solid:
        """Wider and deeper by `by` on each side."""
        return Solid(self.x, self.y, self.turn, self.width + 2 * by, self.depth + 2 * by, self.low, self.high)

    def before(self, depth: float) -> Solid:
        """The space `depth` metres deep before its front."""
        x, y = self.at(0.0, -(self.depth + depth) / 2)
        return Solid(x, y, self.turn, self.width, depth, self.low, self.high)

    def overlaps(self, other: Solid) -> bool:
        """Whether the two share more than `SLACK`."""
        if self.high <= other.low + SLACK or other.high <= self.low + SLACK:
            return False
        if self.west >= other.east - SLACK or other.west >= self.east - SLACK:
            return False
        if self.south >= other.north - SLACK or other.south >= self.north - SLACK:
            return False
        return (self.straight and other.straight) or not (self._apart(other) or other._apart(self))

    def _apart(self, other: Solid) -> bool:
        """Whether one of its own sides separates the two."""
        dx, dy = other.x - self.x, other.y - self.y
        cos, sin = abs(self.cos * other.cos + self.sin * other.sin), abs(self.sin * other.cos - self.cos * other.sin)
        across = (self.width + cos * other.width + sin * other.depth) / 2
        along = (self.depth + sin * other.width + cos * other.depth) / 2
        return abs(self.cos * dx + self.sin * dy) >= across - SLACK or abs(self.cos * dy - self.sin * dx) >= along - SLACK


@dataclass(frozen=True, slots=True)
class Placement:
    """A piece in its place. `host` is what it stands on or hangs from, by its number in `Space.stood`."""

    entry: CatalogueEntry
    piece: Furniture
    solid: Solid
    host: int | None = None

    @property
    def flat(self) -> bool:
        """Whether one walks over it."""
        return self.solid.low < SLACK and self.solid.high <= FLAT

    @property
    def on_floor(self) -> bool:
        """Whether it takes floor away from walkers."""
        return self.host is None and self.solid.low < SLACK and not self.flat


class Space:
    """A room being furnished."""

    def __init__(self, plan: FloorPlan, room: PlannedRoom, style: Style, random: Random) -> None:
        self.room, self.style, self.random = room, style, random
        self.height = plan.level_by_id[room.level].height
        self.inner = room.area.grown(-WALL / 2 - WALL_GAP)
        self.stood: list[Placement] = []
        self.fronts: list[tuple[int, Solid]] = []
        self.openings = list(plan.openings_of(room.id))
        self.flights = [each.flight for each in plan.stairs if room.id in (each.lower_room, each.upper_room)]
        self.walls = _walls(plan, room)
        self._doors = [Solid.over(area, 0.0, 2.1) for area in plan.keep_free(room.id)]
        leaves = [door_leaf(plan, opening) for opening in self.openings]
        self._doors += [Solid.over(leaf, 0.02, 2.1) for leaf in leaves if leaf is not None]
        self._stairs = [Solid.over(flight.grown(0.02), 0.0, 9.0) for flight in self.flights]
        self._windows = [
            Solid.over(each.clearance(0.45), each.bottom, each.top) for each in self.openings if each.kind == "window"
        ]
        self._floor = FreeSpace.of_room(plan, room.id)
        # Before a stroke of furniture a narrow room may already be too tight; then there is nothing to keep passable.
        self._passable = self._floor.passable()
        self._covered = 0.0

    @property
    def area(self) -> float:
        """Floor inside the walls, without stairs."""
        return self.inner.area - sum(flight.area for flight in self.flights)

    def windows(self) -> list[Opening]:
        """The room's windows."""
        return [opening for opening in self.openings if opening.kind == "window"]

    def hosts(self, labels: Collection[str]) -> list[int]:
        """Numbers of the pieces with one of these labels, in the order in which they were placed."""
        return [number for number, each in enumerate(self.stood) if each.entry.label in labels]

    def count(self, label: str) -> int:
        """How many of a label there are."""
        return sum(each.entry.label == label for each in self.stood)

    def against(self, side: Side, along: float, depth: float) -> tuple[float, float, float]:
        """Where the middle of a piece goes that has its back to a wall, `along` metres from its west or south end."""
        inner = self.inner
        if side in ("north", "south"):
            y = inner.north - depth / 2 if side == "north" else inner.south + depth / 2
            return inner.west + along, y, TURNS[side]
        x = inner.east - depth / 2 if side == "east" else inner.west + depth / 2
        return x, inner.south + along, TURNS[side]

    def length(self, side: Side) -> float:
        """Length of a wall inside the room."""
        return self.inner.width if side in ("north", "south") else self.inner.depth

    def fits(self, solid: Solid, without: Collection[int] = (), at_window: bool = False) -> bool:
        """Whether nothing is in the way: walls, doors, stairs, windows, and all pieces but those in `without`."""
        inner, slack = self.inner, 0.002
        if solid.west < inner.west - slack or solid.east > inner.east + slack or solid.high > self.height + slack:
            return False
        if solid.south < inner.south - slack or solid.north > inner.north + slack:
            return False
        flat = solid.high <= FLAT
        if any(solid.overlaps(each) for each in self._stairs):
            return False
        if not flat and any(solid.overlaps(each) for each in self._doors):
            return False
        if not at_window and any(solid.overlaps(each) for each in self._windows):
            return False
        for number, each in enumerate(self.stood):
            if each.flat != flat and (flat or each.flat):
                continue
            if number not in without and solid.overlaps(each.solid):
                return False
        return True

    def stand(
        self,
        entry: CatalogueEntry,
        piece: Furniture,
        x: float,
        y: float,
        turn: float,
        clear: float = 0.0,
        companion: int | None = None,
    ) -> bool:
        """Puts a piece on the floor if it fits, leaves `clear` metres before it and does not block the way."""
        width, depth, height = piece.size
        solid = Solid(x, y, turn, width, depth, 0.0, height)
        if not self.fits(solid):
            return False
        if any(owner != companion and solid.overlaps(front) for owner, front in self.fronts):
            return False
        front = solid.before(clear) if clear > 0 else None
        if front is not None and any(each.on_floor and front.overlaps(each.solid) for each in self.stood):
            return False
        if not self._walkable(solid):
            return False
        self.stood.append(Placement(entry, piece, solid))
        if front is not None:
            self.fronts.append((len(self.stood) - 1, front))
        return True

    def put(self, entry: CatalogueEntry, piece: Furniture, solid: Solid, host: int | None = None) -> None:
        """Adds a piece that has been found to fit and takes no floor."""
        self.stood.append(Placement(entry, piece, solid, host))

    def _walkable(self, solid: Solid) -> bool:
        """Blocks the floor under a piece unless that would cut the room in two or fill it."""
        covered = self._covered + solid.width * solid.depth
        if covered > MOST_COVERED * self.area:
            return False
        tried = self._floor.copy()
        tried.block(solid.corners())
        if self._passable and not tried.passable():
            return False
        self._floor, self._covered = tried, covered
        return True


def _walls(plan: FloorPlan, room: PlannedRoom) -> list[Side]:
    """Sides with a wall to hang things on: all of an indoor room, outdoors those of the house behind."""
    if not room.outdoor:
        return list(TURNS)
    return [side for side in TURNS if any(_behind(room, other, side) for other in plan.rooms)]


def _behind(room: PlannedRoom, other: PlannedRoom, side: Side) -> bool:
    if other.outdoor or other.level != room.level:
        return False
    here, there = room.area, other.area
    if side in ("north", "south"):
        touching = abs(here.north - there.south) < 1e-6 if side == "north" else abs(here.south - there.north) < 1e-6
        return touching and there.west <= here.west + 1e-6 and there.east >= here.east - 1e-6
    touching = abs(here.east - there.west) < 1e-6 if side == "east" else abs(here.west - there.east) < 1e-6
    return touching and there.south <= here.south + 1e-6 and there.north >= here.north - 1e-6

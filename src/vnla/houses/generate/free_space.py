"""Where one can stand and walk: a grid over a room or a level, with walls, stairs, open door leaves and furniture blocked.

    space = FreeSpace.of_room(plan, room)        # or FreeSpace(plan, level)
    space.block(Rectangle(1, 1, 2, 3))           # also an OrientedBox, or the corners of any convex outline
    space.free(0.5, 0.5, radius=0.25)            # a person of that radius fits there
    space.line_free((0.5, 0.5), (0.5, 3.5))      # and can walk straight from here to there
    space.connected(space.doors, radius=0.25)    # every door can be reached from every other

The furnisher blocks what it wants to place on a `copy()`, keeps it if `passable()` still holds, and drops it otherwise.
Cells are 0.1 m and plans are drawn on multiples of that, so walls fall on whole cells.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order

from vnla.houses.generate.plan import WALL, FloorPlan, Opening, PlannedRoom, Rectangle, door_leaf
from vnla.houses.house import OrientedBox

XY = tuple[float, float]
Points = NDArray[np.float64]
Footprint = Rectangle | OrientedBox | Sequence[XY]
"""What stands on the floor: a rectangle, a box (seen from above), or the corners of a convex outline in order."""

CELL = 0.1
"""Side of a grid cell, metres."""

RADIUS = 0.2
"""Half the width of whoever walks through a house, metres."""

_STUB = 0.9
"""How far the grid of one room reaches out of its doors, so that standing in a door counts as free."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Something that stands on the floor of a level."""

    level: int
    outline: Footprint


class FreeSpace:
    """The floor of one level as a grid of cells that are free or blocked."""

    doors: list[XY]
    """Where one can walk in and out: the middle of each door and arch."""
    _west: float
    _south: float
    _grid: NDArray[np.bool_]
    _distance: NDArray[np.float64] | None

    def __init__(self, plan: FloorPlan, level: int) -> None:
        rooms = [room for room in plan.rooms if room.level == level]
        self._lay([room.area for room in rooms], margin=0.2)
        for room in rooms:
            self._open(room.area.grown(-WALL / 2))
        for opening in plan.openings:
            if opening.level == level and opening.passable:
                self._open(opening.clearance(WALL))
        self.doors = [(each.x, each.y) for each in plan.openings if each.level == level and each.passable]
        self._block_fixtures(plan, rooms, [each for each in plan.openings if each.level == level])

    @classmethod
    def of_room(cls, plan: FloorPlan, room: int) -> FreeSpace:
        """The floor of one room, with a little beyond each of its doors."""
        space = cls.__new__(cls)
        planned = plan.room_by_id[room]
        openings = [each for each in plan.openings_of(room) if each.passable]
        space._lay([planned.area], margin=_STUB + 0.1)
        space._open(planned.area.grown(-WALL / 2))
        for opening in openings:
            space._open(_stub(opening, planned.area))
        space.doors = [(each.x, each.y) for each in openings]
        space._block_fixtures(plan, [planned], openings)
        return space

    def copy(self) -> FreeSpace:
        """The same floor, to try something on."""
        twin = FreeSpace.__new__(FreeSpace)
        twin._west, twin._south, twin._grid, twin._distance = self._west, self._south, self._grid.copy(), self._distance
        twin.doors = self.doors
        return twin

    @property
    def grid(self) -> NDArray[np.bool_]:
        """Free cells, (columns from west to east, rows from south to north)."""
        return self._grid

    def block(self, footprint: Footprint) -> None:
        """Block every cell that the footprint touches."""
        corners = np.asarray(_corners(footprint))
        columns, rows = self._span(Rectangle(*corners.min(axis=0).tolist(), *corners.max(axis=0).tolist()).grown(CELL))
        x, y = self._centres(columns, rows)
        touched = np.ones((len(x), len(y)), dtype=bool)
        for (ax, ay), (bx, by) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            # Outward normal of an anticlockwise side; a cell is out when even its nearest corner lies beyond the side.
            nx, ny = by - ay, ax - bx
            beyond = (x[:, None] - ax) * nx + (y[None, :] - ay) * ny
            touched &= beyond < (abs(nx) + abs(ny)) * CELL / 2 - 1e-9
        self._grid[columns, rows] &= ~touched
        self._distance = None

    def distance(self, x: float, y: float) -> float:
        """Metres from a point to the nearest thing in the way; 0 where something is."""
        return float(self._clearance()[self._cell(x, y)])

    def free(self, x: float, y: float, radius: float = RADIUS) -> bool:
        """Whether someone of that radius can stand here."""
        return self.distance(x, y) >= radius

    def line_free(self, start: XY, end: XY, radius: float = RADIUS) -> bool:
        """Whether someone of that radius can walk straight from `start` to `end`."""
        return bool(self.lines_free(np.array([start]), np.array([end]), radius)[0])

    def lines_free(self, starts: Points, ends: Points, radius: float = RADIUS) -> NDArray[np.bool_]:
        """The same for many lines (lines, 2) at once."""
        if len(starts) == 0:
            return np.zeros(0, dtype=bool)
        # The same points are looked at whichever end comes first and whatever other lines are asked for.
        swapped = (starts[:, 0] > ends[:, 0]) | ((starts[:, 0] == ends[:, 0]) & (starts[:, 1] > ends[:, 1]))
        low, high = np.where(swapped[:, None], ends, starts), np.where(swapped[:, None], starts, ends)
        blocks = math.ceil(float(np.linalg.norm(high - low, axis=1).max()) / 5.0)
        part = np.linspace(0.0, 1.0, 1 + 100 * max(1, blocks))[:, None]
        across, up = self._grid.shape
        columns = ((low[:, 0] + part * (high[:, 0] - low[:, 0]) - self._west) / CELL).astype(np.int32)  # (points, lines)
        rows = ((low[:, 1] + part * (high[:, 1] - low[:, 1]) - self._south) / CELL).astype(np.int32)
        # A line between two points of the grid stays in it.
        inside = (np.minimum(columns[0], columns[-1]) >= 0) & (np.maximum(columns[0], columns[-1]) < across)
        inside &= (np.minimum(rows[0], rows[-1]) >= 0) & (np.maximum(rows[0], rows[-1]) < up)
        free = (self._clearance() >= radius).take(columns * up + rows, mode="clip").all(axis=0)
        walkable: NDArray[np.bool_] = free & inside
        return walkable

    def path(self, start: XY, ends: Sequence[XY], radius: float = RADIUS) -> list[XY] | None:
        """The cells of a way from `start` to whichever of `ends` is the fewest cells away; None where there is none."""
        numbers = np.full(self._grid.shape, -1)
        free = self._clearance() >= radius
        free[self._cell(*start)] = True
        numbers[free] = np.arange(int(free.sum()))
        steps = [(numbers[:-1], numbers[1:]), (numbers[:, :-1], numbers[:, 1:])]
        pairs = np.concatenate([np.stack([a, b], axis=-1).reshape(-1, 2) for a, b in steps])
        pairs = pairs[(pairs >= 0).all(axis=1)]
        cells = int(free.sum())
        graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(cells, cells)).tocsr()
        order, before = breadth_first_order(graph, numbers[self._cell(*start)], directed=False)
        goals = {int(numbers[self._cell(*end)]) for end in ends} - {-1}
        reached = next((int(cell) for cell in order if int(cell) in goals), None)
        if reached is None:
            return None
        way = [reached]
        while before[way[-1]] >= 0:
            way.append(int(before[way[-1]]))
        columns, rows = np.nonzero(free)
        return [self._centre(columns[i], rows[i]) for i in reversed(way)]

    def snapped(self, x: float, y: float) -> XY:
        """The centre of the cell that a point lies in."""
        return self._centre(*self._cell(x, y))

    def regions(self, radius: float = RADIUS) -> NDArray[np.int32]:
        """For each cell the number of the connected region it lies in; 0 where someone of that radius cannot be."""
        numbers, _ = ndimage.label(self._clearance() >= radius)
        return np.asarray(numbers, dtype=np.int32)

    def connected(self, points: Iterable[XY], radius: float = RADIUS) -> bool:
        """Whether all points are free and can be reached from each other."""
        regions = self.regions(radius)
        found = {int(regions[self._cell(x, y)]) for x, y in points}
        return not found or (len(found) == 1 and 0 not in found)

    def passable(self, radius: float = 0.25) -> bool:
        """Whether all doors can be reached from each other, and hardly any of the free floor is cut off from them."""
        regions = self.regions(radius)
        found = {int(regions[self._cell(x, y)]) for x, y in self.doors}
        if 0 in found or len(found) > 1:
            return False
        stands = int((regions > 0).sum())
        reached = int((regions == found.pop()).sum()) if found else stands
        return stands == 0 or reached >= 0.9 * stands

    def spots(self, radius: float = RADIUS, within: Rectangle | None = None, reachable: bool = False) -> Points:
        """Centres (cells, 2) of the cells where someone of that radius can stand, in all or in a rectangle.

        With `reachable`, only of those that can be walked to from where most doors are: no pockets between furniture.
        """
        free = self._clearance() >= radius
        if reachable:
            free = free & self._main()
        columns, rows = np.nonzero(free)
        points: Points = np.stack([self._west + (columns + 0.5) * CELL, self._south + (rows + 0.5) * CELL], axis=1).round(3)
        return points if within is None else points_within(points, within)

    def _main(self) -> NDArray[np.bool_]:
        """The cells of the region that most doors are in, or of the largest where there are no doors."""
        regions = self.regions()
        found = np.array([regions[self._cell(x, y)] for x, y in self.doors], dtype=int)
        counts = np.bincount(found[found > 0]) if (found > 0).any() else np.bincount(regions[regions > 0])
        main: NDArray[np.bool_] = regions == (int(counts.argmax()) if len(counts) else -1)
        return main

    def _lay(self, areas: Sequence[Rectangle], margin: float) -> None:
        self._west = _down(min(area.west for area in areas) - margin)
        self._south = _down(min(area.south for area in areas) - margin)
        width = max(area.east for area in areas) + margin - self._west
        depth = max(area.north for area in areas) + margin - self._south
        self._grid = np.zeros((math.ceil(width / CELL), math.ceil(depth / CELL)), dtype=bool)
        self._distance = None
        self.doors = []

    def _block_fixtures(self, plan: FloorPlan, rooms: Sequence[PlannedRoom], openings: Iterable[Opening]) -> None:
        """Flights fill the floor they stand on and leave a hole in the one above; door leaves stand open."""
        ids = {room.id for room in rooms}
        for stairs in plan.stairs:
            if ids & {stairs.lower_room, stairs.upper_room}:
                self.block(stairs.flight)
        for opening in openings:
            leaf = door_leaf(plan, opening)
            if leaf is not None:
                self.block(leaf)

    def _open(self, area: Rectangle) -> None:
        columns, rows = self._span(area)
        x, y = self._centres(columns, rows)
        inside_x = (x > area.west) & (x < area.east)
        inside_y = (y > area.south) & (y < area.north)
        self._grid[columns, rows] |= inside_x[:, None] & inside_y[None, :]
        self._distance = None

    def _span(self, area: Rectangle) -> tuple[slice, slice]:
        columns = slice(*(max(0, math.ceil((x - self._west) / CELL)) for x in (area.west - CELL, area.east)))
        rows = slice(*(max(0, math.ceil((y - self._south) / CELL)) for y in (area.south - CELL, area.north)))
        return columns, rows

    def _centres(self, columns: slice, rows: slice) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        across, up = self._grid.shape
        x: NDArray[np.float64] = self._west + (np.arange(across, dtype=np.float64)[columns] + 0.5) * CELL
        y: NDArray[np.float64] = self._south + (np.arange(up, dtype=np.float64)[rows] + 0.5) * CELL
        return x, y

    def _centre(self, column: int, row: int) -> XY:
        return round(float(self._west + (column + 0.5) * CELL), 3), round(float(self._south + (row + 0.5) * CELL), 3)

    def _cell(self, x: float, y: float) -> tuple[int, int]:
        column, row = int((x - self._west) / CELL), int((y - self._south) / CELL)
        across, up = self._grid.shape
        return min(max(column, 0), across - 1), min(max(row, 0), up - 1)

    def _clearance(self) -> NDArray[np.float64]:
        if self._distance is not None:
            return self._distance
        # The nearest blocked cell reaches half a cell towards us from its centre.
        cells: NDArray[np.float64] = ndimage.distance_transform_edt(self._grid)
        distance: NDArray[np.float64] = np.maximum(cells * CELL - CELL / 2, 0.0)
        self._distance = distance
        return distance


def points_within(points: Points, area: Rectangle) -> Points:
    """Those of some points (points, 2) that lie in a rectangle, edges included."""
    low, high = (area.west, area.south), (area.east, area.north)
    return points[((points >= low) & (points <= high)).all(axis=1)]


def _down(value: float) -> float:
    return math.floor(round(value / CELL, 6)) * CELL


def _stub(opening: Opening, area: Rectangle) -> Rectangle:
    """The floor of a door or an arch from the wall's inner face outwards."""
    reach = opening.clearance(_STUB)
    if opening.along == "x":
        inner = opening.y - WALL if opening.y > area.centre[1] else opening.y + WALL
        south, north = (inner, reach.north) if opening.y > area.centre[1] else (reach.south, inner)
        return Rectangle(reach.west, south, reach.east, north)
    inner = opening.x - WALL if opening.x > area.centre[0] else opening.x + WALL
    west, east = (inner, reach.east) if opening.x > area.centre[0] else (reach.west, inner)
    return Rectangle(west, reach.south, east, reach.north)


def _corners(footprint: Footprint) -> list[XY]:
    """The outline, anticlockwise."""
    if isinstance(footprint, Rectangle):
        west, south, east, north = footprint.west, footprint.south, footprint.east, footprint.north
        return [(west, south), (east, south), (east, north), (west, north)]
    points = [(x, y) for x, y, _ in footprint.corners()] if isinstance(footprint, OrientedBox) else list(footprint)
    return _hull(points)


def _hull(points: Sequence[XY]) -> list[XY]:
    """The convex hull, anticlockwise (Andrew's monotone chain)."""
    ordered = sorted({(round(x, 6), round(y, 6)) for x, y in points})
    return _chain(ordered)[:-1] + _chain(ordered[::-1])[:-1]


def _chain(points: Sequence[XY]) -> list[XY]:
    chain: list[XY] = []
    for x, y in points:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], (x, y)) <= 0:
            chain.pop()
        chain.append((x, y))
    return chain


def _turn(a: XY, b: XY, c: XY) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

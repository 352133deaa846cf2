"""The frame of a building: one main hallway, on each storey in the same place, with branches off it and rows beside it.

Seen before the building is turned and mirrored, the main hallway runs from west to east::

          +-----+----------------+--------+-----+
     cap  |     | row of blocks  | stairs | row |      depth to the north
          |     +----------------+--------+-----+
          |     |          main hallway         |
          |     +----------------+--+-----------+
          |     |  row           |  |   row     |      depth to the south
          +-----+----------------+  +-----------+
                           | row |  | row |            a branch goes on between two more rows
                           +-----+--+-----+
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.random import Generator

from vnla.houses.generate.layout import blocks
from vnla.houses.generate.layout.blocks import Area
from vnla.houses.generate.layout.program import Program


@dataclass(frozen=True, slots=True)
class Branch:
    """A second hallway at right angles to the main one, through the row on one side of it and on beyond that row."""

    side: int
    """1 to the north, −1 to the south."""
    at: int
    width: int
    length: int
    depths: tuple[int, int]
    """Depths of the rows to the west and to the east of it."""


@dataclass(frozen=True, slots=True)
class StoreyFrame:
    """The skeleton that all storeys of a building share. The main hallway's south side is y = 0, its west end x = 0."""

    length: int
    hall: int
    depths: dict[int, int]
    """Depth of the row to the north (1) and to the south (−1)."""
    stairs: tuple[int, int] | None
    """West side and width of the room of the stairs, in the northern row."""
    branches: tuple[Branch, ...]
    cap: int
    """Width of the rooms at the west end; 0 where there are none."""


@dataclass(frozen=True, slots=True)
class BlockRow:
    """A place for blocks along a hallway, from `start` as far as `length`; `axis`, `sign` and `base` say where it is.

    Along x: north (sign 1) or south (−1) of the line y = base. Along y: east (1) or west (−1) of the line x = base.
    """

    axis: str
    sign: int
    base: int
    start: int
    length: int
    depth: int
    from_end: bool = False
    """Whether blocks are packed against the far end, where a row is not full."""
    branch: Branch | None = None
    """The branch that it lies along; None for the main hallway."""

    def placed(self, offset: int, area: Area) -> Area:
        """A rectangle of a block, which begins `offset` along the row, in the coordinates of the frame."""
        west, south, east, north = area
        along = (self.start + offset + west, self.start + offset + east)
        across = sorted((self.base + self.sign * south, self.base + self.sign * north))
        if self.axis == "x":
            return along[0], across[0], along[1], across[1]
        return across[0], along[0], across[1], along[1]


def draw_frame(random: Generator, program: Program, slack: float = 0.0) -> StoreyFrame:
    """A frame that should hold the widest storey of a program, with so much more length than it seems to need."""
    need = max(blocks.widest(storey) for storey in program.storeys)
    several = len(program.storeys) > 1
    stairs = int(random.integers(22, 27)) if several else 0
    sides = _branch_sides(random, need, several)
    ratio = random.uniform(0.35, 0.75)
    cells = stairs + 15 * len(sides)
    length = round((need * (random.uniform(0.94, 1.02) + slack) + cells) / (2 + 2 * ratio * len(sides)))
    hall = int(random.integers(14, 20)) + (3 if program.workplace else 0)
    depths = {1: program.depth + int(random.integers(-2, 4)), -1: program.depth + int(random.integers(-4, 4))}
    if several:
        depths[1] = max(depths[1], 50)
    branches = tuple(
        Branch(
            side,
            _branch_position(random, length),
            int(random.integers(13, 17)),
            max(round(length * ratio), 40),
            (program.depth + int(random.integers(-4, 4)), program.depth + int(random.integers(-4, 4))),
        )
        for side in sides
    )
    cell = (round(float(random.uniform(0.15, 0.85)) * (length - stairs)), stairs) if several else None
    return StoreyFrame(length, hall, depths, cell, branches, int(random.integers(48, 68)) if program.cap else 0)


def _branch_sides(random: Generator, need: int, several: bool) -> list[int]:
    """Branches only where the main hallway would be too long; the northern row has no room for one beside stairs."""
    if need < 200 or (need < 300 and random.random() < 0.5):
        return []
    if several or random.random() < 0.5 or need < 380:
        return [-1]
    return [-1, 1]


def _branch_position(random: Generator, length: int) -> int:
    """At an end of the main hallway (an L) or between (a T)."""
    if random.random() < 0.35:
        return length - 15
    return round(float(random.uniform(0.3, 0.7)) * (length - 15))


def rows_of(frame: StoreyFrame, branches: Sequence[Branch]) -> list[BlockRow]:
    """The rows of a storey: up to two on each side of the main hallway, and two along each branch."""
    rows: list[BlockRow] = []
    for side, base in ((1, frame.hall), (-1, 0)):
        cell = next(((each.at, each.width) for each in branches if each.side == side), None)
        if side == 1 and frame.stairs is not None:
            cell = frame.stairs
        depth = frame.depths[side]
        if cell is None:
            rows.append(BlockRow("x", side, base, 0, frame.length, depth))
            continue
        west, width = cell
        rows.append(BlockRow("x", side, base, 0, west, depth, from_end=True))
        rows.append(BlockRow("x", side, base, west + width, frame.length - west - width, depth))
    for branch in branches:
        begin = frame.hall + frame.depths[1] if branch.side == 1 else -frame.depths[-1] - branch.length
        west_base, east_base, south = branch.at, branch.at + branch.width, branch.side == -1
        rows.append(BlockRow("y", -1, west_base, begin, branch.length, branch.depths[0], south, branch))
        rows.append(BlockRow("y", 1, east_base, begin, branch.length, branch.depths[1], south, branch))
    return rows

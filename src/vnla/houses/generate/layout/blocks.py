"""Blocks: a few rooms that belong together, drawn as one rectangle that lies along a hallway.

A bedroom with its bathroom and closet, a living room with kitchen and dining room, a garage with the laundry: each block is
a rectangle cut up by straight cuts, with a list of which rooms open into each other and which into the hallway. Blocks can
be stretched a little, so that a row of them fills the length of a hallway exactly.

Lengths in this package are whole decimetres until the plan is finished: rooms that share a wall share it exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from numpy.random import Generator

HALL = -1
"""In a link: the hallway that a block lies along."""

Area = tuple[int, int, int, int]
"""West, south, east and north, in decimetres."""

Kind = Literal["door", "arch"]


@dataclass(frozen=True, slots=True)
class Link:
    """A way between two rooms of a block (by their order), or between a room and the hallway."""

    first: int
    second: int
    kind: Kind = "door"


@dataclass(frozen=True, slots=True)
class Cut:
    """A rectangle cut into parts along x (side by side along the hallway) or y (one behind the other, the front one first).

    A part is a room's label or is cut up further. Sizes are shares of the length: they are scaled to what there is.
    """

    axis: Literal["x", "y"]
    parts: tuple[tuple[float, Cut | str], ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A rectangle of rooms; `width` along the hallway in decimetres is what it would like to have."""

    width: int
    rooms: Cut | str
    links: tuple[Link, ...]
    mirrored: bool = False

    @property
    def labels(self) -> list[str]:
        """The labels of its rooms in the order that links count them."""
        return [label for label, _ in _cut(self.rooms, (0, 0, 1000, 1000))]

    def laid(self, width: int, depth: int) -> list[tuple[str, Area]]:
        """Its rooms when it fills `width` × `depth`, with the hallway to the south."""
        rooms = _cut(self.rooms, (0, 0, width, depth))
        if not self.mirrored:
            return rooms
        return [(label, (width - east, south, width - west, north)) for label, (west, south, east, north) in rooms]


def _cut(rooms: Cut | str, area: Area) -> list[tuple[str, Area]]:
    if isinstance(rooms, str):
        return [(rooms, area)]
    west, south, east, north = area
    total = sum(size for size, _ in rooms.parts)
    start, end = (west, east) if rooms.axis == "x" else (south, north)
    found: list[tuple[str, Area]] = []
    done, low = 0.0, start
    for size, part in rooms.parts:
        done += size
        high = start + round((end - start) * done / total)
        found += _cut(part, (low, south, high, north) if rooms.axis == "x" else (west, low, east, high))
        low = high
    return found


SIZES: dict[str, tuple[float, float]] = {
    "a": (5.0, 9.5),
    "b": (11.0, 19.0),
    "d": (12.0, 20.0),
    "e": (6.0, 12.0),
    "f": (18.0, 32.0),
    "g": (18.0, 34.0),
    "i": (12.0, 22.0),
    "j": (5.0, 9.0),
    "k": (11.0, 19.0),
    "l": (22.0, 38.0),
    "m": (14.0, 28.0),
    "n": (18.0, 34.0),
    "o": (9.0, 16.0),
    "r": (20.0, 36.0),
    "u": (5.0, 9.0),
    "v": (14.0, 24.0),
    "w": (14.0, 26.0),
    "z": (9.0, 16.0),
    "B": (10.0, 18.0),
    "C": (32.0, 52.0),
    "S": (9.0, 16.0),
}
"""Square metres, from and to, of a room that fills the depth of a row by itself."""

OPEN_TO_HALL = frozenset("ldfnBe")
"""Rooms that are often joined to the hallway by an arch rather than a door."""


def breadth(random: Generator, label: str, depth: int) -> float:
    """How wide a room is, in metres, where it is `depth` decimetres deep."""
    least, most = SIZES[label]
    return float(min(max(random.uniform(least, most) / (depth / 10), 1.7), 9.0))


def block(random: Generator, width: float, rooms: Cut | str, *links: tuple[int, int] | tuple[int, int, Kind]) -> Block:
    """A block from lengths in metres, one way round or the other."""
    return Block(round(width * 10), rooms, tuple(Link(*link) for link in links), mirrored=bool(random.random() < 0.5))


def single(random: Generator, depth: int, label: str) -> Block:
    """One room by itself."""
    arched = label in OPEN_TO_HALL and random.random() < 0.6
    return block(random, breadth(random, label, depth), label, (0, HALL, "arch" if arched else "door"))


def suite(random: Generator, depth: int) -> Block:
    """A bedroom with a bathroom and a closet of its own."""
    bed, side = breadth(random, "b", depth) + 0.2, random.uniform(1.9, 2.5)
    aside = Cut("y", ((1.8, "c"), (2.6, "a")))
    return block(random, bed + side, Cut("x", ((bed, "b"), (side, aside))), (0, HALL), (0, 1), (2, 0))


def bedroom_and_bathroom(random: Generator, depth: int) -> Block:
    """A bedroom with a closet, beside a bathroom that opens to the hallway."""
    bed, side = breadth(random, "b", depth), random.uniform(1.9, 2.4)
    aside = Cut("y", ((2.6, "a"), (1.9, "c")))
    return block(random, bed + side, Cut("x", ((bed, "b"), (side, aside))), (0, HALL), (1, HALL), (0, 2))


def bedroom_and_closet(random: Generator, depth: int) -> Block:
    """A bedroom with a closet, beside a toilet that opens to the hallway."""
    bed, side = breadth(random, "b", depth), random.uniform(1.5, 1.9)
    aside = Cut("y", ((1.9, "t"), (2.2, "c")))
    return block(random, bed + side, Cut("x", ((bed, "b"), (side, aside))), (0, HALL), (1, HALL), (0, 2))


def two_bedrooms(random: Generator, depth: int) -> Block:
    """Two bedrooms with a bathroom between them that both open into, and a closet for one of them."""
    left, right, between = breadth(random, "b", depth), breadth(random, "b", depth), random.uniform(1.9, 2.4)
    aside = Cut("y", ((1.8, "c"), (2.7, "a")))
    rooms = Cut("x", ((left, "b"), (between, aside), (right, "b")))
    return block(random, left + between + right, rooms, (0, HALL), (3, HALL), (0, 1), (2, 0), (2, 3))


def around_a_stub(random: Generator, front: str, rear: str) -> Block:
    """A room at the back, reached by a short passage beside a small room at the front."""
    width = random.uniform(3.4, 4.2)
    rooms = Cut("y", ((2.2, Cut("x", ((width - 1.35, front), (1.35, "h")))), (2.9, rear)))
    return block(random, width, rooms, (0, HALL), (1, HALL, "arch"), (2, 1))


def behind_a_stub(random: Generator) -> Block:
    """A bedroom at the back with bathroom and closet at the front, on both sides of a short passage."""
    width = random.uniform(4.8, 5.6)
    front = Cut("x", ((width - 3.15, "a"), (1.35, "h"), (1.8, "c")))
    rooms = Cut("y", ((2.2, front), (3.0, "b")))
    bathroom = (0, 3) if random.random() < 0.5 else (0, HALL)
    return block(random, width, rooms, bathroom, (1, HALL, "arch"), (3, 1), (3, 2))


def entrance(random: Generator, depth: int) -> Block:
    """An entryway, often with a coat closet and a toilet at its side."""
    width = min(breadth(random, "e", depth) + 0.3, 2.8)
    if random.random() < 0.4:
        return block(random, width, "e", (0, HALL, "arch"))
    side = random.uniform(1.4, 1.8)
    aside = Cut("y", ((1.9, "c"), (2.4, "t")))
    return block(random, width + side, Cut("x", ((width, "e"), (side, aside))), (0, HALL, "arch"), (0, 1), (2, 0))


def living(random: Generator, depth: int) -> Block:
    """Living room, dining room and kitchen, open to each other."""
    room, kitchen = breadth(random, "l", depth), breadth(random, "k", depth)
    if depth >= 50 and random.random() < 0.5:
        side = random.uniform(4.0, 5.2)
        aside = Cut("y", ((2.5, "d"), (2.6, "k")))
        rooms = Cut("x", ((room, "l"), (side, aside)))
        return block(random, room + side, rooms, (0, HALL, "arch"), (1, HALL), (0, 1, "arch"), (1, 2, "arch"))
    dining = breadth(random, "d", depth)
    rooms = Cut("x", ((room, "l"), (dining, "d"), (kitchen, "k")))
    return block(random, room + dining + kitchen, rooms, (0, HALL, "arch"), (2, HALL), (0, 1, "arch"), (1, 2, "arch"))


def kitchen(random: Generator, depth: int) -> Block:
    """A kitchen with a pantry and a laundry room."""
    width, side = breadth(random, "k", depth), random.uniform(1.7, 2.2)
    aside = Cut("y", ((1.8, "c"), (2.6, "j")))
    return block(random, width + side, Cut("x", ((width, "k"), (side, aside))), (0, HALL, "arch"), (0, 1), (2, 0))


def garage(random: Generator, depth: int) -> Block:
    """A garage, reached through the laundry room."""
    width, side = breadth(random, "g", depth), random.uniform(2.0, 2.6)
    aside = Cut("y", ((2.5, "j"), (2.2, "u")))
    rooms = Cut("x", ((side, aside), (width, "g")))
    return block(random, width + side, rooms, (0, HALL), (2, 0), (1, 2))


def pair(random: Generator, depth: int, first: str, second: str, kind: Kind) -> Block:
    """Two rooms side by side that open into each other; the first also opens to the hallway."""
    left, right = breadth(random, first, depth), breadth(random, second, depth)
    rooms = Cut("x", ((left, first), (right, second)))
    return block(random, left + right, rooms, (0, HALL, "door"), (1, 0, kind) if kind == "door" else (0, 1, kind))


def washrooms(random: Generator) -> Block:
    """Toilets on both sides of a short passage with a washroom at its end."""
    front = Cut("x", ((1.5, "t"), (1.35, "h"), (1.5, "t")))
    rooms = Cut("y", ((2.2, front), (2.4, "a")))
    return block(random, random.uniform(4.3, 4.8), rooms, (0, 1), (1, HALL, "arch"), (2, 1), (3, 1))


def widest(blocks: Sequence[Block]) -> int:
    """The sum of the widths."""
    return sum(each.width for each in blocks)

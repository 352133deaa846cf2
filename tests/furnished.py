"""Furnished houses of any size for tests: scattered viewpoints, rooms as boxes over a grid, random things in them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vnla.houses.house import Box, House, Level, Object, OrientedBox, Room
from vnla.houses.scatter import real_sized_houses, scattered_house

THINGS = (
    "picture", "chair", "table", "pillow", "lamp", "curtains", "towel", "sink", "bed", "plant", "armchair", "sofa",
    "mirror", "bookshelf", "oven", "vase", "toilet", "rug", "clothes", "stool", "desk", "umbrella", "chest of drawers",
    "tv", "coffee table", "nightstand", "basket", "clock", "wardrobe", "potted plant", "kitchen cabinets", "bathtub",
    "window", "wall", "door frame", "unknown",
)  # fmt: skip
ROOMS = "hhabbkldecosaufvthgi"
_SIDE = 6.0  # metres of a room's sides
_KINDS = 14  # of things in a kind of room
_STOREY = 2.8


def furnished(bare: House, objects: int, seed: int) -> House:
    """`bare` with a room for every square of a grid that has viewpoints, and that many objects in the rooms' boxes."""
    random = np.random.default_rng([seed, objects])
    squares = [_square(viewpoint.position) for viewpoint in bare.viewpoints]
    numbers = {square: i for i, square in enumerate(sorted(set(squares)))}
    rooms = tuple(Room(i, ROOMS[random.integers(len(ROOMS))], square[2], _box(square)) for square, i in numbers.items())
    things = []
    for i in range(objects):
        room = rooms[random.integers(len(rooms))]
        assert room.box is not None
        # Low numbers are likelier: a kind of room has things of its own, and of those a few in plenty.
        place = ord(room.label) * 5 + int(_KINDS * random.random() ** 2)
        x, y, z = random.uniform(room.box.low, room.box.high)
        things.append(Object(i, THINGS[place % len(THINGS)], room.id, OrientedBox((float(x), float(y), float(z)))))
    return replace(
        bare,
        viewpoints=tuple(replace(each, room=numbers[square]) for each, square in zip(bare.viewpoints, squares, strict=True)),
        rooms=rooms,
        objects=tuple(things),
        levels=tuple(Level(level) for level in sorted({square[2] for square in numbers})),
    )


def small_houses(count: int = 8, viewpoints: int = 30, objects: int = 60) -> list[House]:
    """A few houses of 30 viewpoints."""
    return [furnished(scattered_house(f"h{i}", viewpoints, i), objects, i) for i in range(count)]


def paper_sized_houses(count: int = 90, objects: int = 350) -> list[House]:
    """Houses with as many viewpoints as the real buildings have, and objects in proportion."""
    bare = real_sized_houses(count)
    mean = sum(len(house.viewpoints) for house in bare) / count
    return [furnished(house, int(objects * len(house.viewpoints) / mean), i) for i, house in enumerate(bare)]


def _square(position: tuple[float, float, float]) -> tuple[int, int, int]:
    x, y, z = position
    return int(np.floor(x / _SIDE)), int(np.floor(y / _SIDE)), int(z // _STOREY)


def _box(square: tuple[int, int, int]) -> Box:
    x, y, level = square
    return Box((x * _SIDE, y * _SIDE, level * _STOREY), ((x + 1) * _SIDE, (y + 1) * _SIDE, (level + 1) * _STOREY))

"""A source of worlds of your own: hotels, with bedrooms on both sides of a hallway, and a few things to look for.

vnla world import from examples.world_source:Hotels worlds/hotels --option rooms=8
vnla tasks make worlds/hotels tasks/hotels --fewest 1
vnla train runs/hotels --world worlds/hotels --tasks tasks/hotels --iterations 100
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vnla import Box, House, Object, OrientedBox, Room, Viewpoint, WorldSource

THINGS = ("bed", "desk", "towel", "picture", "lamp")
WIDTH, DEPTH, HEIGHT, EYES = 4.0, 5.0, 2.6, 1.5


@dataclass(frozen=True)
class Hotels(WorldSource):
    """Hotels that differ in where things are."""

    hotels: int = 3
    rooms: int = 6

    def houses(self) -> Iterable[House]:
        return (self.hotel(number) for number in range(self.hotels))

    def splits(self) -> Mapping[str, Sequence[str]]:
        names = [f"hotel{number}" for number in range(self.hotels)]
        return {"train": names[:-2], "dev": names[-2:-1], "test": names[-1:]}

    def choices(self) -> Mapping[str, Any]:
        return {"features": "symbolic"}

    def hotel(self, number: int) -> House:
        """The hallway is room 0; its places are joined in a row, and each to the bedroom beside it."""
        length = WIDTH * ((self.rooms + 1) // 2)
        rooms, objects = [Room(0, "h", box=Box((0, 0, 0), (length, 2, HEIGHT)))], []
        stands, edges = [Viewpoint(f"hall{i}", (WIDTH * (i + 0.5), 1.0, EYES), 0) for i in range(int(length / WIDTH))], []
        edges += [(i, i + 1) for i in range(len(stands) - 1)]
        for each in range(self.rooms):
            beside, side = divmod(each, 2)
            south = 2.0 if side else -DEPTH
            west, middle = WIDTH * beside, south + DEPTH / 2
            rooms.append(Room(each + 1, "b", box=Box((west, south, 0), (west + WIDTH, south + DEPTH, HEIGHT))))
            edges.append((beside, len(stands)))
            stands.append(Viewpoint(f"bed{each}", (west + 1.9, middle, EYES), each + 1))
            for thing in (THINGS[0], THINGS[1 + (each + number) % (len(THINGS) - 1)]):
                place = OrientedBox((west + 0.5 + len(objects) % 3, south + 1, 0.5), radii=(0.3, 0.3, 0.3))
                objects.append(Object(len(objects), thing, each + 1, place))
        return House(f"hotel{number}", tuple(stands), tuple(edges), tuple(rooms), tuple(objects))

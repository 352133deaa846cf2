"""A whole generated house: plan, style, building, furniture, viewpoints. Deterministic in its seed.

Each step draws from a stream of its own, so that a change in one (another sofa) leaves the others (the plan) as they were.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from vnla.houses.generate.fittings import Fitting
from vnla.houses.generate.free_space import Obstacle
from vnla.houses.generate.furnish import Furnishing, PlacedPiece, furnish
from vnla.houses.generate.layout import draw_plan
from vnla.houses.generate.plan import FloorPlan, PlannedLevel, Rectangle
from vnla.houses.generate.structure import build_structure
from vnla.houses.generate.styles import draw_style
from vnla.houses.generate.viewpoints import ClosedRoomError, place_viewpoints
from vnla.houses.generate.wishes import Wishes
from vnla.houses.house import Box, House, Level, Object, Room
from vnla.houses.mirror import mirrored
from vnla.houses.scene import NO_OBJECT, Scene

VIEWPOINTS_A_ROOM = 5.3
"""Of the rooms asked for; plans come out a little larger, so that a house of 117 viewpoints has about 24 rooms."""

FEWEST_ROOMS, MOST_ROOMS = 6, 80

MOST_DRAWS = 20
"""How often a house is drawn until every room can be reached."""

FEWEST_VIEWPOINTS_A_ROOM = 2
"""Where rooms or storeys are wished for that the preset's viewpoints would not fill."""


class _Stream(IntEnum):
    """What random numbers are for. The values are part of every house: add, never renumber."""

    PLAN = 1
    STYLE = 2
    FURNITURE = 3
    VIEWPOINTS = 4


@dataclass(frozen=True)
class GeneratedHouse:
    """A house as data, and what it looks like."""

    house: House
    scene: Scene
    plan: FloorPlan

    def mirrored(self, name: str) -> GeneratedHouse:
        """The mirror image of the house, under another name."""
        return GeneratedHouse(mirrored(self.house, name), self.scene.mirrored(), self.plan.mirrored())


def generate_house(name: str, seed: int, viewpoints: int, wishes: Wishes | None = None) -> GeneratedHouse:
    """A house of about that many viewpoints, as somebody wishes it; more where it has too many rooms for so few.

    Where furniture leaves no way to a room, everything is drawn again. One seed in some hundreds of large houses needs that.
    """
    for draw in range(MOST_DRAWS - 1):
        try:
            return _drawn(name, seed, viewpoints, wishes, draw)
        except ClosedRoomError:
            continue
    return _drawn(name, seed, viewpoints, wishes, MOST_DRAWS - 1)


def _drawn(name: str, seed: int, viewpoints: int, wishes: Wishes | None, draw: int) -> GeneratedHouse:
    rooms = min(MOST_ROOMS, max(FEWEST_ROOMS, round(viewpoints / VIEWPOINTS_A_ROOM)))
    plan = draw_plan(_random(seed, _Stream.PLAN, draw), rooms, wishes)
    if wishes is not None:
        viewpoints = max(viewpoints, FEWEST_VIEWPOINTS_A_ROOM * len(plan.rooms))
    style = draw_style(_random(seed, _Stream.STYLE, draw), () if wishes is None else wishes.styles)
    structure = build_structure(plan, style)
    furnishing = furnish(plan, style, _random(seed, _Stream.FURNITURE, draw))
    random = _random(seed, _Stream.VIEWPOINTS, draw)
    stands, edges = place_viewpoints(plan, _obstacles(plan, furnishing), random, viewpoints)
    pieces: list[Fitting | PlacedPiece] = [*structure.pieces, *furnishing.pieces]
    house = House(
        name=name,
        viewpoints=stands,
        edges=edges,
        rooms=tuple(
            Room(room.id, room.label, room.level, _box(plan.level_by_id[room.level], room.area)) for room in plan.rooms
        ),
        objects=tuple(
            Object(number, piece.label, piece.room, piece.box, piece.category) for number, piece in enumerate(pieces)
        ),
        levels=tuple(
            Level(level.id, _box(level, Rectangle.around(room.area for room in plan.rooms if room.level == level.id)))
            for level in plan.levels
        ),
    )
    owned = [(part, NO_OBJECT) for part in structure.parts]
    owned += [(part, number) for number, piece in enumerate(pieces) for part in piece.parts]
    parts, owner = zip(*owned, strict=True)
    lights = tuple(light for piece in furnishing.pieces for light in piece.lights)
    return GeneratedHouse(house, Scene(parts, owner, lights, sun=style.sun, sky=style.sky), plan)


def _random(seed: int, stream: _Stream, draw: int) -> np.random.Generator:
    return np.random.default_rng([seed, stream, *([draw] if draw else [])])


def _obstacles(plan: FloorPlan, furnishing: Furnishing) -> Iterable[Obstacle]:
    for piece in furnishing.pieces:
        if piece.footprint is not None:
            yield Obstacle(plan.room_by_id[piece.room].level, piece.footprint)


def _box(level: PlannedLevel, area: Rectangle) -> Box:
    return Box((area.west, area.south, level.floor), (area.east, area.north, level.floor + level.height))

"""Furniture in rooms, as people arrange it.

    furnishing = furnish(plan, style, numpy.random.default_rng(7))
    furnishing.pieces[0].label                  # "bed"

What belongs in a room, how many and where is data in the catalogue; here it is acted on, in the order in which one moves in:
fitted units, large pieces and what goes around them, curtains, lamps, rugs, pictures, and at last the small things on tops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from numpy.random import Generator

from vnla.houses.generate.catalogue.pieces import moved
from vnla.houses.generate.furnish.programme import furnish_room
from vnla.houses.generate.furnish.space import Placement, Space
from vnla.houses.generate.plan import FloorPlan, PlannedRoom
from vnla.houses.generate.style import Style
from vnla.houses.house import OrientedBox
from vnla.houses.scene import Light, Part

__all__ = ["Furnishing", "PlacedPiece", "furnish"]


@dataclass(frozen=True)
class PlacedPiece:
    """A thing in its place, in the coordinates of the house."""

    label: str
    room: int
    category: tuple[int, str]
    """Its class among Matterport3D's 40."""
    parts: tuple[Part, ...]
    box: OrientedBox
    footprint: tuple[tuple[float, float], ...] | None
    """Outline of the floor that it takes from walkers, anticlockwise; None for what hangs, lies flat or has a host."""
    lights: tuple[Light, ...] = ()
    host: int | None = None
    """What it stands on or hangs from: its number among the pieces."""


@dataclass(frozen=True)
class Furnishing:
    """All furniture of a house."""

    pieces: tuple[PlacedPiece, ...]


def furnish(plan: FloorPlan, style: Style, random: Generator) -> Furnishing:
    """Furniture for every room. A room's contents depend on the seed and its own number, not on the other rooms."""
    seed = int(random.integers(2**63))
    pieces: list[PlacedPiece] = []
    for room in plan.rooms:
        space = Space(plan, room, style, Random(f"{seed}/{room.id}"))
        furnish_room(space)
        pieces += _placed(space, plan, room, len(pieces))
    return Furnishing(tuple(pieces))


def _placed(space: Space, plan: FloorPlan, room: PlannedRoom, first: int) -> Iterator[PlacedPiece]:
    floor = plan.level_by_id[room.level].floor
    for each in space.stood:
        solid = each.solid
        x, y, z, turn = solid.x, solid.y, floor + solid.low, solid.turn
        yield PlacedPiece(
            label=each.entry.label,
            room=room.id,
            category=each.entry.category,
            parts=moved(each.piece.parts, x, y, z, turn),
            box=OrientedBox(
                (x, y, floor + (solid.low + solid.high) / 2),
                (solid.cos, solid.sin, 0.0),
                (-solid.sin, solid.cos, 0.0),
                (solid.width / 2, solid.depth / 2, (solid.high - solid.low) / 2),
            ),
            footprint=solid.corners() if each.on_floor else None,
            lights=tuple(_light(light, each, floor) for light in each.piece.lights),
            host=None if each.host is None else first + each.host,
        )


def _light(light: Light, stood: Placement, floor: float) -> Light:
    x, y = stood.solid.at(light.position[0], light.position[1])
    return Light((x, y, floor + stood.solid.low + light.position[2]), light.colour, light.power)

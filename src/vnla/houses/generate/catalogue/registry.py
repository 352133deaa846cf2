"""The catalogue itself: one entry for each label, and the rules that say where such a thing goes.

A new thing is one function that builds it and one `@thing(...)` line above it. Rules are plain data; `vnla.houses.generate
.furnish` acts on them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

from vnla.houses.generate.catalogue.pieces import Furniture
from vnla.houses.generate.style import Style

Maker = Callable[..., Furniture]
"""`maker(random, style)` builds a piece; keyword arguments with defaults let a room ask for a size (see `curtains`)."""


@dataclass(frozen=True, slots=True)
class AtWall:
    """Stands with its back to a wall, with `clear` metres of free floor before it."""

    clear: float = 0.5
    corner: bool = False
    """Prefers the end of a wall."""
    facing: tuple[str, ...] = ()
    """Prefers the wall straight opposite one of these."""
    at_window: bool = False
    """Prefers the wall under a window."""


@dataclass(frozen=True, slots=True)
class InRow:
    """One of the units that stand side by side along a wall: kitchen, laundry."""


@dataclass(frozen=True, slots=True)
class InMiddle:
    """Stands free, as near to the middle of the room as there is room, with `clear` metres all around."""

    clear: float = 0.5


@dataclass(frozen=True, slots=True)
class AtSpot:
    """Goes to the spots that its host keeps for it."""

    hosts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Beside:
    """Stands to the left or right of its host, `gap` metres away, their backs in line."""

    hosts: tuple[str, ...]
    gap: float = 0.03


@dataclass(frozen=True, slots=True)
class InFront:
    """Stands `gap` metres before its host."""

    hosts: tuple[str, ...]
    gap: float = 0.4
    faces_host: bool = False


@dataclass(frozen=True, slots=True)
class OnTop:
    """Stands on a top of one of its hosts."""

    hosts: tuple[str, ...]
    turned: float = 0.3
    """Largest turn, radians, away from straight."""


@dataclass(frozen=True, slots=True)
class OnWall:
    """Hangs on a wall with its middle `height` above the floor, above one of the hosts where it has any."""

    height: float = 1.55
    above: tuple[str, ...] = ()
    only_above: bool = False
    """Goes nowhere else."""
    as_wide: bool = False
    """Its maker takes a `width`, which is its host's."""


@dataclass(frozen=True, slots=True)
class AtWindow:
    """Hangs at a window; its maker takes the window's `width` and a `height`."""

    drop: float = 0.0
    """Hangs this far below the sill; more than there is means down to the floor."""


@dataclass(frozen=True, slots=True)
class OnCeiling:
    """Hangs from the ceiling, over one of the hosts where there is one."""

    above: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OnFloor:
    """Lies flat where one may walk: under or before a host, at the door, or in the middle of the room."""

    under: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    at_door: bool = False


Rule = AtWall | InRow | InMiddle | AtSpot | Beside | InFront | OnTop | OnWall | AtWindow | OnCeiling | OnFloor

CATEGORIES = {
    name: index
    for index, name in enumerate(
        [
            "void",
            "wall",
            "floor",
            "chair",
            "door",
            "table",
            "picture",
            "cabinet",
            "cushion",
            "window",
            "sofa",
            "bed",
            "curtain",
            "chest_of_drawers",
            "plant",
            "sink",
            "stairs",
            "ceiling",
            "toilet",
            "stool",
            "towel",
            "mirror",
            "tv_monitor",
            "shower",
            "column",
            "bathtub",
            "counter",
            "fireplace",
            "lighting",
            "beam",
            "railing",
            "shelving",
            "blinds",
            "gym_equipment",
            "seating",
            "board_panel",
            "furniture",
            "appliances",
            "clothes",
            "objects",
            "misc",
            "unlabel",
        ]
    )
}
"""Matterport3D's 40 classes by name."""


@dataclass(frozen=True)
class Entry:
    """All that is known of a label before one is made."""

    label: str
    maker: Maker
    category: tuple[int, str]
    rule: Rule
    rooms: Mapping[str, float]
    """Room label → how many one expects in a room of ordinary size."""
    area: float
    """Square metres below which a room has none."""
    rank: int
    """Things of a low rank are placed first."""

    def make(self, random: Random, style: Style, **fit: float) -> Furniture:
        """One of them, with its own draw of design, size and colour."""
        return replace(self.maker(random, style, **fit), label=self.label)


CATALOGUE: dict[str, Entry] = {}
"""Label → entry."""

_Made = TypeVar("_Made", bound=Maker)


def thing(
    label: str, category: str, rule: Rule, rooms: Mapping[str, float], area: float = 0.0, rank: int = 5
) -> Callable[[_Made], _Made]:
    """Registers the maker below it. A key of `rooms` may name several rooms that expect the same number: `{"lf": 2}`."""

    def register(maker: _Made) -> _Made:
        if label in CATALOGUE:
            raise ValueError(f"the catalogue already has {label!r}")
        each = {room: count for letters, count in rooms.items() for room in letters}
        CATALOGUE[label] = Entry(label, maker, (CATEGORIES[category], category), rule, each, area, rank)
        return maker

    return register

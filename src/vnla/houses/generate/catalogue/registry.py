"""The catalogue itself: one entry for each label, and the rules that say where such a thing goes.

Rules are plain data from `things.toml`; `vnla.houses.generate.furnish` acts on them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from random import Random
from types import ModuleType
from typing import Any, get_args

from vnla.houses.generate.catalogue.pieces import Elements, Furniture, build
from vnla.houses.generate.style import Style

Maker = Callable[..., Elements]
"""`maker(random, style)` yields what a piece consists of; keyword arguments with defaults let a room ask for a size."""


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
class AtAnchor:
    """Goes to the anchors that its host keeps for it."""

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


Rule = AtWall | InRow | InMiddle | AtAnchor | Beside | InFront | OnTop | OnWall | AtWindow | OnCeiling | OnFloor

RULES: dict[str, Callable[..., Rule]] = {rule.__name__: rule for rule in get_args(Rule)}


@dataclass(frozen=True)
class CatalogueEntry:
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
        return build(self.label, self.maker(random, style, **fit))


def read_entries(text: str) -> dict[str, CatalogueEntry]:
    """Label → entry, from a table of things as TOML; the makers are functions of the themes' modules."""
    table = tomllib.loads(text)
    categories, groups = table.pop("categories"), table.pop("groups")
    entries: dict[str, CatalogueEntry] = {}
    for theme, things in table.items():
        makers = import_module(f"{__package__}.{theme}")
        for label, row in things.items():
            if label in entries:
                raise ValueError(f"the catalogue already has {label!r}")
            entries[label] = _entry(label, makers, row, categories, groups)
    return entries


def _entry(
    label: str, makers: ModuleType, row: dict[str, Any], categories: list[str], groups: Mapping[str, list[str]]
) -> CatalogueEntry:
    [(rule, fields)] = [(name, row[name]) for name in row if name in RULES]
    lists = {name: _hosts(hosts, groups) for name, hosts in fields.items() if isinstance(hosts, list)}
    return CatalogueEntry(
        label,
        maker=getattr(makers, row.get("maker", label.replace(" ", "_"))),
        category=(categories.index(row["category"]), row["category"]),
        rule=RULES[rule](**{**fields, **lists}),
        rooms={room: count for letters, count in row["rooms"].items() for room in letters},
        area=row.get("area", 0.0),
        rank=row["rank"],
    )


def _hosts(labels: list[str], groups: Mapping[str, list[str]]) -> tuple[str, ...]:
    """The labels, with those of a group in place of its name."""
    return tuple(host for label in labels for host in (groups[label[1:]] if label.startswith("*") else [label]))

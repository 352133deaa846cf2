"""Fitted units side by side along the walls: a kitchen, a laundry."""

from __future__ import annotations

from collections.abc import Sequence

from vnla.houses.generate.catalogue import CatalogueEntry
from vnla.houses.generate.catalogue.registry import InRow
from vnla.houses.generate.furnish.space import TURNS, Side, Space

_FREE_BEFORE = 0.75
"""Floor kept free before a unit, to stand at it."""
_STEP = 0.1


def fit_row(space: Space, wanted: Sequence[CatalogueEntry]) -> None:
    """Places units one after the other, first along the longest wall, then along the next."""
    units = arranged([entry for entry in wanted if isinstance(entry.rule, InRow)])
    walls: list[Side] = sorted(
        TURNS, key=lambda side: (-space.length(side) + 2.0 * _cut(space, side), space.random.random())
    )
    for side in walls[:3]:
        units = _along(space, side, units)
        if not units:
            return


def arranged(units: Sequence[CatalogueEntry]) -> list[CatalogueEntry]:
    """Appliances by rank with a cabinet between each two, the other cabinets after them."""
    cabinets = [entry for entry in units if entry.category[1] == "cabinet"]
    order: list[CatalogueEntry] = []
    for entry in sorted((entry for entry in units if entry.category[1] != "cabinet"), key=lambda entry: entry.rank):
        order.append(entry)
        if cabinets:
            order.append(cabinets.pop())
    return order + cabinets


def _cut(space: Space, side: Side) -> int:
    """How many doors a wall has."""
    return sum(opening.kind != "window" and _on(space, opening.x, opening.y, side) for opening in space.openings)


def _on(space: Space, x: float, y: float, side: Side) -> bool:
    inner = space.inner
    gaps = {
        "north": abs(inner.north - y),
        "south": abs(y - inner.south),
        "east": abs(inner.east - x),
        "west": abs(x - inner.west),
    }
    return min(gaps, key=gaps.__getitem__) == side


def _along(space: Space, side: Side, units: Sequence[CatalogueEntry]) -> list[CatalogueEntry]:
    """Fills one wall from one end and returns what found no place."""
    backwards = space.random.random() < 0.5
    length, at = space.length(side), 0.0
    left: list[CatalogueEntry] = []
    for entry in units:
        piece = entry.make(space.random, space.style)
        width, depth, _ = piece.size
        start = at
        while start + width <= length + 1e-6:
            along = start + width / 2
            x, y, turn = space.against(side, length - along if backwards else along, depth)
            if space.stand(entry, piece, x, y, turn, _FREE_BEFORE):
                at = start + width
                break
            start += _STEP
        else:
            left.append(entry)
    return left

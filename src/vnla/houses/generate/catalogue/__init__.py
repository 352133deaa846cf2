"""The catalogue of furniture: every label that can stand in a generated house, by theme.

`CATALOGUE` maps a label to its `Entry`. A new thing is one maker function in the file of its theme, with a `@thing` line.
"""

from __future__ import annotations

from vnla.houses.generate.catalogue import (  # noqa: F401 - importing a theme registers its things
    bathroom,
    beds,
    decoration,
    electronics,
    kitchen,
    leisure,
    lighting,
    office,
    outdoor,
    seating,
    storage,
    tables,
    textiles,
)
from vnla.houses.generate.catalogue.pieces import Furniture, Spot, Top, bounds_of
from vnla.houses.generate.catalogue.registry import CATALOGUE, Entry

__all__ = ["CATALOGUE", "Entry", "Furniture", "Spot", "Top", "bounds_of"]

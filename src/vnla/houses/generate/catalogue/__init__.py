"""The catalogue of furniture: every label that can stand in a generated house.

`CATALOGUE` maps a label to its `CatalogueEntry`. A new thing is one line in `things.toml`, and one function of
its name in the module of its theme that yields what it consists of.
"""

from __future__ import annotations

from pathlib import Path

from vnla.houses.generate.catalogue.pieces import Anchor, Furniture, Top, bounds_of
from vnla.houses.generate.catalogue.registry import CatalogueEntry, read_entries

__all__ = ["CATALOGUE", "Anchor", "CatalogueEntry", "Furniture", "Top", "bounds_of"]

CATALOGUE = read_entries(Path(__file__).with_name("things.toml").read_text("utf-8"))
"""Label → entry."""

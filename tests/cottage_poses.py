"""The cottage as a reader of advice knows it, and poses in it that look level."""

from __future__ import annotations

from vnla.camera import VIEWS, view_index
from vnla.houses.cottage import cottage
from vnla.language.sights import plain_sights
from vnla.language.surroundings import Surroundings

AROUND = Surroundings(cottage(), plain_sights(cottage()))


def pose(viewpoint: str, heading: int) -> int:
    """The pose at a viewpoint that looks level in a heading, counted in twelfths of a turn."""
    return AROUND.graph.ids.index(viewpoint) * VIEWS + view_index(1, heading)

"""Where the storeys of a house lie on the page: all at one scale, side by side or in rows, whichever is larger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vnla.houses.house import Box, House
from vnla.report.labels import XY, Rectangle
from vnla.report.plan import Bounds, StoreyPanel, bounds, storeys

WIDTH = 1600
TALLEST = 960
"""Most pixels that the panels take from top to bottom."""
MARGIN = 56
HEADER = 138
FOOTER = 112
GAP = 56
PANEL_TITLE = 50
SIDE = 330
"""Width of the list of what the advisor said."""
LARGEST_SCALE = 90.0
"""Pixels in a metre; a hut should not fill the page."""


@dataclass(frozen=True)
class Panel:
    """A storey and where it lies on the page."""

    storey: StoreyPanel
    bounds: Bounds
    left: float
    bottom: float
    scale: float

    def at(self, position: Sequence[float]) -> XY:
        """The pixel of a place in the house."""
        return (
            self.left + (position[0] - self.bounds[0]) * self.scale,
            self.bottom + (position[1] - self.bounds[1]) * self.scale,
        )

    def over(self, box: Box) -> Rectangle:
        """The part of the page that a room covers."""
        return (*self.at(box.low), *self.at(box.high))

    @property
    def rectangle(self) -> Rectangle:
        """The part of the page that the panel covers."""
        return (*self.at(self.bounds[:2]), *self.at(self.bounds[2:]))


def arrange(house: House, right: float) -> tuple[list[Panel], int]:
    """The panels at the largest scale that fits between the margins, and the height of the page."""
    found = storeys(house)
    boxes = [_padded(bounds(house, storey)) for storey in found]
    options = [_rows(boxes, columns) for columns in range(1, len(boxes) + 1)]
    scale, rows = max(((_scale(boxes, rows, right - MARGIN), rows) for rows in options), key=lambda option: option[0])
    tall = [max(_height(boxes[i]) for i in row) * scale for row in rows]
    page = round(HEADER + FOOTER + sum(tall) + PANEL_TITLE * len(rows) + GAP * (len(rows) - 1))
    page = max(page, 620)  # the list beside the plan needs some height of its own
    panels = []
    top = float(page - HEADER)
    for row, height in zip(rows, tall, strict=True):
        top -= PANEL_TITLE
        spare = right - MARGIN - sum(_width(boxes[i]) for i in row) * scale - GAP * (len(row) - 1)
        left = MARGIN + max(0.0, spare) / (len(row) + 1)
        for i in row:
            panels.append(Panel(found[i], boxes[i], left, top - _height(boxes[i]) * scale, scale))
            left += _width(boxes[i]) * scale + GAP + max(0.0, spare) / (len(row) + 1)
        top -= height + GAP
    return panels, page


def _padded(box: Bounds) -> Bounds:
    """Room for the dots at the border, and some size for a storey with a single viewpoint."""
    west, south, east, north = box
    pad_x, pad_y = (max(0.1, (3.0 - extent) / 2) for extent in (east - west, north - south))
    return (west - pad_x, south - pad_y, east + pad_x, north + pad_y)


def _rows(boxes: Sequence[Bounds], columns: int) -> list[list[int]]:
    return [list(range(start, min(start + columns, len(boxes)))) for start in range(0, len(boxes), columns)]


def _scale(boxes: Sequence[Bounds], rows: Sequence[Sequence[int]], width: float) -> float:
    across = min((width - GAP * (len(row) - 1)) / sum(_width(boxes[i]) for i in row) for row in rows)
    down = (TALLEST - PANEL_TITLE * len(rows)) / sum(max(_height(boxes[i]) for i in row) for row in rows)
    return min(across, down, LARGEST_SCALE)


def _width(box: Bounds) -> float:
    return box[2] - box[0]


def _height(box: Bounds) -> float:
    return box[3] - box[1]


def stub(start: XY, end: XY) -> XY:
    """Where a line to another storey ends: well before the far end, which is not on this panel's floor."""
    length = max(1e-6, ((end[0] - start[0]) ** 2 + (end[1] - start[1]) ** 2) ** 0.5)
    part = min(0.7, 70 / length)
    return (start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part)

"""One picture all around a viewpoint, in place of its 36 views, which show everything four times over.

Its columns are headings, clockwise from 0, and its rows elevations, as many degrees to a pixel up and down as around. It is
divided into square cells; at both ends a column of cells is repeated from the other, so that a network sees no edge there.
A view shows shares of cells (`shares`): the mean of anything over a view is the mean of what the cells have, so weighted.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from vnla.camera.views import HEIGHT, VERTICAL_FIELD, VIEWS, WIDTH, Float64, view_angles

CELL = 32
"""Side of a cell in pixels: what one value of a network's last layer stands for."""
CELLS_AROUND = 32
CELLS_REPEATED = 1
"""At each end."""
STEP = 2 * math.pi / (CELLS_AROUND * CELL)
"""Radians of a pixel: 0.35 degrees, as in the middle of a view 224 pixels wide it is 0.39."""
CELLS_WIDE = CELLS_AROUND + 2 * CELLS_REPEATED
CELLS_HIGH = math.ceil((max(view_angles()[1]) + VERTICAL_FIELD / 2) * 2 / (CELL * STEP) - 1e-9)
"""From the lower edge of the lowest views to the upper edge of the highest."""
AROUND_WIDTH, AROUND_HEIGHT = CELLS_WIDE * CELL, CELLS_HIGH * CELL


def angles_around() -> tuple[Float64, Float64]:
    """Headings of the columns and elevations of the rows, in radians."""
    headings: Float64 = (np.arange(AROUND_WIDTH, dtype=np.float64) + 0.5 - CELLS_REPEATED * CELL) * STEP
    elevations: Float64 = (AROUND_HEIGHT / 2 - 0.5 - np.arange(AROUND_HEIGHT, dtype=np.float64)) * STEP
    return headings, elevations


@cache
def shares() -> Float64:
    """The share of each view that each cell has: (36, cells high, cells wide); those of a view add up to 1."""
    tangent = math.tan(VERTICAL_FIELD / 2)
    x = ((np.arange(WIDTH) + 0.5) / WIDTH * 2 - 1) * tangent * WIDTH / HEIGHT
    y = 1 - (np.arange(HEIGHT) + 0.5) / HEIGHT * 2
    right, up = np.meshgrid(x, y * tangent)
    found = np.empty((VIEWS, CELLS_HIGH, CELLS_WIDE))
    for view, (heading, elevation) in enumerate(zip(*view_angles(), strict=True)):
        level = math.cos(elevation) - up * math.sin(elevation)  # how far a ray goes ahead on the ground, and how far up
        rise = math.sin(elevation) + up * math.cos(elevation)
        around = (heading + np.arctan2(right, level)) % (2 * math.pi)
        above = np.arctan2(rise, np.hypot(right, level))
        column = np.minimum(around / (CELL * STEP), CELLS_AROUND - 1).astype(np.int64) + CELLS_REPEATED
        row = np.clip(CELLS_HIGH / 2 - above / (CELL * STEP), 0, CELLS_HIGH - 1).astype(np.int64)
        found[view] = np.bincount((row * CELLS_WIDE + column).ravel(), minlength=found[view].size).reshape(found[view].shape)
    return found / (WIDTH * HEIGHT)

"""The camera: 36 views at every viewpoint, and where a neighbour lies in each of them.

A view is one of 12 headings and 3 elevations, `view = 12·row + heading`; row 0 looks down, 1 level, 2 up. Heading 0 is +y
and grows clockwise. Positions and directions are held in float32 and angles in float64, as the C++ simulator does, so that
compiled tables and the MatterSim drop-in agree with it to the last view.

`shares` is for one picture all around a viewpoint, in place of its 36 views, which show everything four times over.

Its columns are headings, clockwise from 0, and its rows elevations, as many degrees to a pixel up and down as around. It is
divided into square cells; at both ends a column of cells is repeated from the other, so that a network sees no edge there.
A view shows shares of cells (`shares`): the mean of anything over a view is the mean of what the cells have, so weighted.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

HEADINGS = 12
ROWS = 3
VIEWS = HEADINGS * ROWS
TURN = 2 * math.pi / HEADINGS
"""What one turning action adds to heading or elevation: 30 degrees, in radians."""

WIDTH, HEIGHT = 640, 480
VERTICAL_FIELD = math.radians(60)
HALF_FIELD = VERTICAL_FIELD * WIDTH / HEIGHT / 2
"""Half of the horizontal field of view, 40 degrees: the simulator scales the vertical field linearly with the width."""

LEVEL_ROW = 1

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Ints = NDArray[np.int64]


class Relative(NamedTuple):
    """Where targets lie as seen by a camera; right and up are positive. Arrays of one shape."""

    heading: Float64
    elevation: Float64
    distance: Float64
    visible: NDArray[np.bool_]


def camera_axes(heading: float, elevation: float) -> Float32:
    """The camera's right, down and ahead in the world, as rows."""
    sine, cosine = math.sin(heading), math.cos(heading)
    rise, level = math.sin(elevation), math.cos(elevation)
    return np.array(
        [(cosine, -sine, 0.0), (sine * rise, cosine * rise, -level), (sine * level, cosine * level, rise)], np.float32
    )


def view_index(row: int, heading: int) -> int:
    """The number of a view from its row (0 down, 1 level, 2 up) and heading step."""
    return HEADINGS * row + heading % HEADINGS


def view_angles() -> tuple[Float64, Float64]:
    """Heading and elevation of each of the 36 views, in radians."""
    rows, headings = np.divmod(np.arange(VIEWS, dtype=np.float64), HEADINGS)
    return headings * TURN, (rows - LEVEL_ROW) * TURN


def relative(offset: Float32, heading: Float64, elevation: Float64, half_field: float = HALF_FIELD) -> Relative:
    """How targets at `offset` (…, 3) from the camera appear in a camera of the given heading and elevation (…).

    A target is visible when its horizontal angle to the view's centre is within half of the horizontal field of view; its
    elevation plays no part. A target straight above or below is never visible.
    """
    upright = math.pi / 2 - heading
    ahead_x = np.cos(upright).astype(np.float32)
    ahead_y = np.sin(upright).astype(np.float32)
    x, y, z = offset[..., 0], offset[..., 1], offset[..., 2]
    flat = np.sqrt(x * x + y * y)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.float32(1) / flat
        cosine = (x * scale) * ahead_x + (y * scale) * ahead_y
        visible = cosine.astype(np.float64) >= math.cos(half_field)
    across = (x * ahead_y - y * ahead_x).astype(np.float64)
    along = (x * ahead_x + y * ahead_y).astype(np.float64)
    length = np.sqrt(x * x + y * y + z * z).astype(np.float64)
    rise = np.arctan2(z.astype(np.float64), flat.astype(np.float64))
    rel_heading, rel_elevation, rel_distance, seen = np.broadcast_arrays(
        np.arctan2(across, along), rise - elevation, length, visible
    )
    return Relative(rel_heading, rel_elevation, rel_distance, seen)


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

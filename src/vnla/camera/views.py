"""The camera: 36 views at every viewpoint, and where a neighbour lies in each of them.

A view is one of 12 headings and 3 elevations, `view = 12·row + heading`; row 0 looks down, 1 level, 2 up. Heading 0 is +y
and grows clockwise. Positions and directions are held in float32 and angles in float64, as the C++ simulator does, so that
compiled tables and the MatterSim drop-in agree with it to the last view.
"""

from __future__ import annotations

import math
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

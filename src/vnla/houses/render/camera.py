"""Single frames of a scene, with the simulator's camera."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from vnla.camera import HEIGHT, VERTICAL_FIELD, WIDTH, camera_axes
from vnla.houses.render.raster import Camera, Frame, draw
from vnla.houses.render.stage import PreparedScene


def render_view(
    stage: PreparedScene,
    position: Sequence[float],
    heading: float,
    elevation: float,
    width: int = WIDTH,
    height: int = HEIGHT,
    vfov: float = VERTICAL_FIELD,
    samples: int = 1,
) -> Frame:
    """The frame of a camera at `position` (metres); angles in radians, heading 0 is +y and grows clockwise.

    `samples` = 2 looks at 2 × 2 points in each pixel, for smooth edges.
    """
    tangent = math.tan(vfov / 2)
    camera = Camera(np.array(position, np.float32), camera_axes(heading, elevation), tangent * width / height, tangent)
    return draw(stage.surfaces, camera, width, height, samples)

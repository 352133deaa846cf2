"""Scenes made ready, and single frames of them with the simulator's camera."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vnla.houses.render.lighting import bake, window_panes
from vnla.houses.render.mesh import Mesh, build_mesh
from vnla.houses.render.raster import Camera, Frame, Surfaces, draw, tone_table
from vnla.houses.render.textures import pack
from vnla.houses.scene import Scene
from vnla.world.views import HEIGHT, VERTICAL_FIELD, WIDTH


@dataclass(frozen=True)
class Stage:
    """A scene that can be drawn: its mesh, and all that the compiled loops read."""

    mesh: Mesh
    surfaces: Surfaces


def prepare(scene: Scene, workers: int | None = None) -> Stage:
    """Triangles, textures and light of a scene: once for each house, a second or two for a large one.

    Light is computed on `workers` threads, all cores unless told; their number changes nothing in the result.
    """
    mesh = build_mesh(scene)
    baked = bake(mesh, workers or os.cpu_count() or 1)
    textures = pack(mesh.materials)
    panes = window_panes(mesh)
    finish = np.array(
        [(m.gloss, m.glow, m.pattern == "metal", number in panes) for number, m in enumerate(mesh.materials)], np.float32
    )
    lamps = [(*lamp.position, *(min(lamp.power, 1.5) * c for c in lamp.colour)) for lamp in scene.lights] or [(0.0,) * 6]
    return Stage(
        mesh,
        Surfaces(
            mesh.position,
            mesh.normal,
            mesh.uv,
            mesh.spot,
            mesh.triangles,
            mesh.patch,
            mesh.solids.centre,
            mesh.solids.radius,
            mesh.solids.triangles,
            np.ascontiguousarray(mesh.solids.owner[mesh.patches.part]),
            mesh.patches.material,
            mesh.patches.grid,
            baked.lamp,
            baked.light,
            np.array(lamps, np.float32).reshape(-1, 6),
            textures.texels,
            textures.first,
            textures.size,
            finish,
            _sky_colours(scene),
            tone_table(),
        ),
    )


def render_view(
    stage: Stage,
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


def camera_axes(heading: float, elevation: float) -> NDArray[np.float32]:
    """The camera's right, down and ahead in the world, as rows."""
    sine, cosine = math.sin(heading), math.cos(heading)
    rise, level = math.sin(elevation), math.cos(elevation)
    return np.array(
        [(cosine, -sine, 0.0), (sine * rise, cosine * rise, -level), (sine * level, cosine * level, rise)], np.float32
    )


def _sky_colours(scene: Scene) -> NDArray[np.float32]:
    """Linear light from straight above, from the horizon and from the ground."""
    sky, ground = _light_of(scene.sky), _light_of(scene.ground)
    return np.array([sky * 0.85, sky * 0.55 + 0.4, ground * 0.9], np.float32)


def _light_of(colour: ArrayLike) -> NDArray[np.float64]:
    light: NDArray[np.float64] = np.asarray(colour, np.float64) ** 2.2
    return light

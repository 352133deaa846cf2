"""Scenes made ready to be drawn: triangles, textures and light, computed once for each house."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vnla.common.machine import cores_here
from vnla.common.threads import both
from vnla.houses.render.lighting import bake, darkness, window_panes
from vnla.houses.render.mesh import Mesh, build_mesh
from vnla.houses.render.raster import Surfaces, tone_table
from vnla.houses.render.textures import pack, white
from vnla.houses.scene import Scene


@dataclass(frozen=True)
class PreparedScene:
    """A scene that can be drawn: its mesh, and all that the compiled loops read."""

    mesh: Mesh
    surfaces: Surfaces


def prepare(scene: Scene, workers: int | None = None, *, lit: bool = True) -> PreparedScene:
    """Triangles, textures and light of a scene: once for each house, a second or two for a large one.

    Light is computed on `workers` threads, all cores unless told; their number changes nothing in the result. Without it
    pictures are dark and without colours, but object ids and depth are what they are.
    """
    mesh, workers = build_mesh(scene), workers or cores_here()
    light = (lambda: bake(mesh, workers)) if lit else (lambda: darkness(mesh))
    baked, textures = both(light, lambda: pack(mesh.materials) if lit else white(len(mesh.materials)), workers)
    panes = window_panes(mesh)
    finish = np.array(
        [(m.gloss, m.glow, m.pattern == "metal", number in panes) for number, m in enumerate(mesh.materials)], np.float32
    )
    lamps = [(*lamp.position, *(min(lamp.power, 1.5) * c for c in lamp.colour)) for lamp in scene.lights] or [(0.0,) * 6]
    return PreparedScene(
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


def _sky_colours(scene: Scene) -> NDArray[np.float32]:
    """Linear light from straight above, from the horizon and from the ground."""
    sky, ground = _light_of(scene.sky), _light_of(scene.ground)
    return np.array([sky * 0.85, sky * 0.55 + 0.4, ground * 0.9], np.float32)


def _light_of(colour: ArrayLike) -> NDArray[np.float64]:
    light: NDArray[np.float64] = np.asarray(colour, np.float64) ** 2.2
    return light

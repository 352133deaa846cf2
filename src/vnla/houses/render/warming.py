"""Compiles the renderer's kernels before they are needed.

They are compiled when they are first used, and kept on disk. Processes that are started together would all find them missing
and compile the same; so before they begin a very small scene is lit and drawn, in which every kernel has something to do, by
two processes at once if there are two.
"""

from __future__ import annotations

import numpy as np

from vnla.houses.render.panorama import around_of, render_panorama, views_of
from vnla.houses.render.stage import prepare
from vnla.houses.scene import NO_OBJECT, Light, Material, Part, Scene
from vnla.houses.skybox import FACES


def compile_kernels() -> None:
    """Compile what is not on disk yet: half a minute once, and a moment from then on."""
    compile_drawing()
    compile_others()


def compile_drawing() -> None:
    """The kernels that draw, which are more than half of all."""
    render_panorama(prepare(_scene(), workers=1, lit=False), (0.0, 0.0, 1.5), size=8)


def compile_others() -> None:
    """The kernels that follow light, and those that cut views out of a panorama."""
    prepare(_scene(), workers=1)
    faces = np.zeros((FACES, 8, 8, 3), np.uint8)
    views_of(faces, 8, 6)
    around_of(faces)


def _scene() -> Scene:
    plain, glass = Material((0.8, 0.8, 0.8)), Material((0.6, 0.7, 0.9), glow=1.0)
    floor = Part("box", (0.0, 0.0, -0.05), (3.0, 3.0, 0.1), plain)
    pane = Part("box", (0.0, 1.4, 1.2), (1.2, 0.04, 1.2), glass)
    table = Part("cylinder", (0.8, 0.0, 0.4), (0.6, 0.6, 0.8), plain)
    return Scene((floor, pane, table), (NO_OBJECT, NO_OBJECT, 1), (Light((0.0, 0.0, 2.0)),))

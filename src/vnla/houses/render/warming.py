"""Compiles the renderer's kernels before they are needed.

They are compiled when they are first used, and kept on disk. Processes that are started together would all find them missing
and compile the same; so whoever starts them draws a very small scene first, in which every kernel has something to do.
"""

from __future__ import annotations

from vnla.houses.render.panorama import around_of, render_panorama, views_of
from vnla.houses.render.stage import prepare
from vnla.houses.scene import NO_OBJECT, Light, Material, Part, Scene


def compile_kernels() -> None:
    """Compile what is not on disk yet: half a minute once, and a moment from then on."""
    plain, glass = Material((0.8, 0.8, 0.8)), Material((0.6, 0.7, 0.9), glow=1.0)
    floor = Part("box", (0.0, 0.0, -0.05), (3.0, 3.0, 0.1), plain)
    pane = Part("box", (0.0, 1.4, 1.2), (1.2, 0.04, 1.2), glass)
    table = Part("cylinder", (0.8, 0.0, 0.4), (0.6, 0.6, 0.8), plain)
    scene = Scene((floor, pane, table), (NO_OBJECT, NO_OBJECT, 1), (Light((0.0, 0.0, 2.0)),))
    faces = render_panorama(prepare(scene, workers=1), (0.0, 0.0, 1.5), size=8).rgb
    views_of(faces, 8, 6)
    around_of(faces)

"""How fast generated houses are made, lit and drawn.

vnla bench render
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from benchmarks.measure import Measurement, median_seconds
from vnla.houses.generate.build import generate_house
from vnla.houses.render.camera import render_view
from vnla.houses.render.panorama import render_panorama, views_of
from vnla.houses.render.stage import prepare

FACE = 288


def bench_render(
    viewpoints: int = 60, seed: int = 3, seconds: float = 3.0, workers: int | None = None
) -> Iterator[Measurement]:
    """Single frames of 224×224, and all 36 views of 224×168 of a viewpoint through a cube map, on all cores."""
    cores = workers or os.cpu_count() or 1
    began = time.perf_counter()
    made = generate_house("bench", seed, viewpoints)
    yield Measurement("generate a house", time.perf_counter() - began, "s", note=f"{len(made.house.objects)} objects")
    prepare(generate_house("small", 1, 12).scene)  # compiles
    began = time.perf_counter()
    stage = prepare(made.scene)
    spent = time.perf_counter() - began
    yield Measurement("light it", spent, "s", note=f"{len(stage.mesh.triangles):,} triangles")
    places = [viewpoint.position for viewpoint in made.house.viewpoints]
    field = math.radians(60)

    def frames(number: int) -> None:
        render_view(stage, places[number % len(places)], number % 12 * math.pi / 6, 0.0, 224, 224, field)

    def views(number: int) -> None:
        views_of(render_panorama(stage, places[number % len(places)], FACE).rgb, 224, 168)

    with ThreadPoolExecutor(cores) as pool:
        for name, work, count, each in (("frames of 224×224", frames, 48, 1), ("views of 224×168", views, 4 * cores, 36)):
            spent = median_seconds(partial(_all, pool, work, count), seconds)
            yield Measurement(name, count * each / spent, "1/s", note=f"{cores} threads")


def _all(pool: ThreadPoolExecutor, work: Callable[[int], None], count: int) -> None:
    for _ in pool.map(work, range(count)):
        pass

"""A small world for whoever has none: made once, in a few seconds, and stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from vnla.common.files import user_cache
from vnla.common.lock import alone_in
from vnla.common.machine import cores_here
from vnla.houses.folder import MANIFEST as WORLD
from vnla.tasks.dataset import MANIFEST as TASKS

FEWEST = 2
"""Labels that occur less often are left out; in so few houses most things are rare."""
SEED = 7
WARM = "ready for many"
"""What a server says in the terminal when nobody has to wait for anything that can be done beforehand."""

Report = Callable[[str, float, float], None]
"""What is being done, and how much of how much is done of it."""


def cache_folder() -> Path:
    """Return the user's own folder for what can be made again."""
    return user_cache() / "serve"


def small_world(folder: Path, report: Report) -> tuple[Path, Path]:
    """Return a world and its tasks in `folder`; make what is missing. Features are encoded when they are needed."""
    from vnla.experiments.material import make_tasks, make_world
    from vnla.houses.generate.world import PRESETS

    world, tasks = folder / "world", folder / "tasks"
    with alone_in(folder):
        if not (world / WORLD).exists():
            houses = replace(PRESETS["small"], train=2, dev=1, test=2)
            make_world(world, "small", houses, SEED, None, cores_here(), _of(report, "building"))
        if not (tasks / TASKS).exists():
            make_tasks(world, tasks, "asknav", SEED, None, FEWEST, None, _of(report, "looking for tasks in"))
    return world, tasks


def _of(report: Report, what: str) -> Callable[[float, float, str], None]:
    return lambda done, of, unit: report(f"{what} {unit}", done, of)

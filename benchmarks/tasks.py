"""How fast a data set is made from a generated world, as `vnla tasks make` does it.

vnla bench tasks
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Measurement, seconds_of
from vnla.houses.folder import read_world, write_world
from vnla.houses.generate.world import PRESETS, as_extra, make_houses, recipes, splits
from vnla.houses.house import House
from vnla.tasks.making import Made, make_dataset
from vnla.tasks.recipes import ASKNAV


def bench_tasks(preset: str = "small", seed: int = 0) -> Iterator[Measurement]:
    """Generating the houses, and AskNav for them: found, sampled and written."""
    wanted = recipes(PRESETS[preset], seed)
    houses: list[House] = []
    spent = seconds_of(lambda: houses.extend(make_houses(wanted)))
    viewpoints = sum(len(house.viewpoints) for house in houses)
    yield Measurement("houses generated", len(houses) / spent, "houses/s", note=f"{len(houses)} houses")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "world"
        write_world(
            path, houses, source="generated", splits=splits(PRESETS[preset], wanted), extra=as_extra(preset, seed, wanted)
        )
        world = read_world(path)
        made: list[Made] = []
        spent = seconds_of(lambda: made.append(make_dataset(world, Path(folder) / "asknav", ASKNAV, seed=seed)))
    points = sum(map(len, made[0].points.splits.values()))
    yield Measurement("AskNav made", spent, "s", note=f"{points:,} points, {viewpoints:,} viewpoints")
    yield Measurement("points", points / spent, "points/s")

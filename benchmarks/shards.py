"""What it costs to cut work into shards and to put them together again, beside doing all of it at once.

An entry of `vnla bench scale`. Times are the processor's, so that whoever else is at work on the machine changes little.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.measure import Measurement
from benchmarks.sizes import Scale
from vnla.camera import VIEWS
from vnla.common import checksums
from vnla.houses.folder import read_world, write_world
from vnla.houses.generate.world import PRESETS, HouseRecipe, as_extra, make_houses, recipes
from vnla.houses.generate.world import SplitSizes as Houses
from vnla.houses.scatter import real_sized_houses
from vnla.pipeline.shards import tasks
from vnla.pipeline.shards.features import feature_parts, merge, share_of
from vnla.pipeline.shards.shard import divide, shards
from vnla.pipeline.shards.tasks import WorkedByShards, task_parts
from vnla.pipeline.shards.world import houses_of, make_part, world_parts
from vnla.tasks.making import make_dataset
from vnla.tasks.recipes import ASKNAV
from vnla.vision.encoders import Size
from vnla.vision.store import ARRAY, Header, StoreWriter, viewpoints_of
from vnla.world.compiled import World

COUNT = 4
"""Shards."""
MOST_BUILT, MOST_ENCODED = 12, 30
"""Houses that are made, and whose features are put together, at most: more take longer and give the same ratio."""
MANY_HOUSES, MANY_SHARDS = 100_000, 1_000


def bench_shards(scale: Scale) -> Iterator[Measurement]:
    """Houses, data sets and features by shards, and how a large piece of work is divided."""
    yield from _world(scale)
    yield from _tasks(scale)
    yield from _features(scale)
    yield from _division(scale)


def _world(scale: Scale) -> Iterator[Measurement]:
    """A world made by shards, one after the other, and put together, beside one made at once."""
    houses, wanted = _wanted(scale)
    extra = as_extra("small", scale.seed, wanted)
    with tempfile.TemporaryDirectory(dir=scale.folder or None) as folder:
        place = Path(folder)
        at_once = _processor(
            lambda: write_world(place / "one", list(make_houses(wanted, 1)), source="generated", extra=extra)
        )
        parts = world_parts(place / "many", "small", scale.seed, houses, wanted)
        cut = _processor(lambda: [make_part(parts, shard, wanted, 1) for shard in shards(COUNT)])
        joined = _processor(
            lambda: write_world(place / "many", list(houses_of(parts, wanted)), source="generated", extra=extra)
        )
    note = f"× at once; {len(wanted)} houses, {COUNT} shards"
    yield Measurement("world, all shards and the merge", cut + joined, "s", at_once, note)
    yield Measurement("  the merge of the world alone", joined, "s", at_once, "× at once")


def _tasks(scale: Scale) -> Iterator[Measurement]:
    """The data set of a world by shards and a merge, beside one made at once."""
    _, wanted = _wanted(scale)
    with tempfile.TemporaryDirectory(dir=scale.folder or None) as folder:
        place = Path(folder)
        write_world(place / "world", list(make_houses(wanted, 1)), source="generated")
        world = read_world(place / "world")
        made = partial(make_dataset, world, recipe=ASKNAV, seed=scale.seed, size=0, fewest=1)
        at_once = _processor(lambda: made(place / "one"))
        parts = task_parts(place / "many", world, ASKNAV, seed=scale.seed, fewest=1)
        cut = _processor(lambda: [tasks.make_part(parts, shard, world.houses, ASKNAV) for shard in shards(COUNT)])
        joined = _processor(lambda: made(place / "many", worked=WorkedByShards(parts, world.houses, ASKNAV)))
    yield Measurement("data set, all shards and the merge", cut + joined, "s", at_once, "× at once")
    yield Measurement("  the merge of the data set alone", joined, "s", at_once, "× at once")


def _wanted(scale: Scale) -> tuple[Houses, list[HouseRecipe]]:
    """The parts of a small world, and its houses."""
    preset = PRESETS["small"]
    houses = preset.divided(max(3, min(scale.houses, MOST_BUILT)))
    return houses, recipes(preset, scale.seed, houses)


def _features(scale: Scale) -> Iterator[Measurement]:
    """Features of shards put together, each part held against its checksum, beside a checksum of the array."""
    world = World.compile(real_sized_houses(max(COUNT, min(scale.houses, MOST_ENCODED)), scale.seed))
    header = Header("bench", "", scale.view_size, Size(64, 48), 60.0, "", viewpoints_of(world))
    with tempfile.TemporaryDirectory(dir=scale.folder or None) as folder:
        out = Path(folder) / "bench"
        parts = feature_parts(out, header)
        for shard in shards(COUNT):
            with parts.making(shard) as place:
                assert place is not None
                _fill(place, replace(header, viewpoints=share_of(shard, header)))
        joined = _processor(lambda: merge(parts, header))
        checked = _processor(lambda: checksums.of_file(out / ARRAY))
        size = (out / ARRAY).stat().st_size / 1e6
    yield Measurement("features, the merge", joined, "s", checked, f"× a checksum of the {size:,.0f} MB")
    yield Measurement("  a processor merges", size / joined, "MB/s")


def _division(scale: Scale) -> Iterator[Measurement]:
    """Houses of real sizes divided among shards."""
    sizes = [float(len(house.viewpoints)) for house in real_sized_houses(MOST_ENCODED, scale.seed)]
    weights = [sizes[number % len(sizes)] for number in range(MANY_HOUSES)]
    shares: list[list[int]] = []
    spent = _processor(lambda: shares.extend(divide(weights, MANY_SHARDS)))
    loads = [sum(weights[piece] for piece in share) for share in shares]
    yield Measurement(f"{MANY_HOUSES:,} houses divided among {MANY_SHARDS:,} shards", spent, "s")
    yield Measurement("  viewpoints of the largest share", max(loads), "", min(loads), "× the smallest", judged=False)


def _fill(path: Path, header: Header) -> None:
    with StoreWriter(path, header, durable=False) as store:
        row = np.arange(VIEWS * header.dimension, dtype=np.float32).reshape(1, VIEWS, header.dimension) % 512
        for number in range(len(header.viewpoints)):
            store.write(number, row)
        store.finish()


def _processor(work: Callable[[], object]) -> float:
    """Seconds of this process's processor that `work` takes."""
    began = time.process_time()
    work()
    return time.process_time() - began

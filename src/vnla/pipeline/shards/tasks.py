"""Data points that shards have worked out, and the data set of all of them.

What is shared are houses: the points of one depend on no other, but for which labels are frequent. Which points go to which
split, words and time budgets are left to the merge.

::

    asknav.shards/2-of-8/17.npz       the valid points of house 17, as `vnla.tasks.points` has them
    asknav.shards/2-of-8/17.jsonl     the record of each, one a line
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vnla.camera import HEADINGS
from vnla.common import files
from vnla.common.arrays import WHOLE, ArraySpec, check_arrays, read_arrays, unpacked, write_arrays
from vnla.common.errors import InputError
from vnla.common.progress import Count, unheard
from vnla.houses.folder import WorldFolder
from vnla.houses.house import House
from vnla.pipeline.shards.parts import ShardParts
from vnla.pipeline.shards.shard import Shard, divide, shards
from vnla.tasks.buckets import FEWEST, Bucket, Filters, buckets_of
from vnla.tasks.making import identity
from vnla.tasks.points import ARRAYS, TURNS, HousePoints, house_points
from vnla.tasks.recipes import FEWEST_ACTIONS, MOST_ACTIONS, DatasetRecipe
from vnla.tasks.records import RecordMaker
from vnla.world.graph import Graph

_WHAT = "the points of a house that a shard has worked out"
_LARGEST = 512 * files.MEGABYTE
_MOST_CANDIDATES = 1 << 40


def task_parts(out: Path, world: WorldFolder, recipe: DatasetRecipe, *, seed: int = 0, fewest: int = FEWEST) -> ShardParts:
    """The parts of a data set. How large its splits are is for the merge to say."""
    return ShardParts(out, "tasks", {"world": identity(world)["sha256"], **asdict(recipe), "seed": seed, "fewest": fewest})


def make_part(
    parts: ShardParts, shard: Shard, houses: Sequence[House], recipe: DatasetRecipe, progress: Count = unheard
) -> tuple[int, bool]:
    """Work out the points of a shard's houses; how many houses there are, and whether there was anything to do."""
    mine = shard.of_all(_divided(houses, shard.count))
    with parts.making(shard) as place:
        if place is not None:
            filters = Filters.of(houses, rooms=recipe.rooms, fewest=parts.config["fewest"])
            for number in mine:
                if not _arrays(place, number).exists():
                    _write(place, number, house_points(houses[number], filters, recipe, parts.config["seed"]), recipe)
                progress(1)
    return len(mine), place is not None


def share_of(shard: Shard, houses: Sequence[House]) -> int:
    """How many houses are a shard's."""
    return len(shard.of_all(_divided(houses, shard.count)))


class WorkedByShards:
    """What all shards have worked out, for `vnla.tasks.making`; nothing is read before all are known to be whole."""

    def __init__(self, parts: ShardParts, houses: Sequence[House], recipe: DatasetRecipe) -> None:
        count = len(parts.complete())
        divided = zip(shards(count), _divided(houses, count), strict=True)
        self._place = {number: parts.place(shard) for shard, mine in divided for number in mine}
        self._number = {house.name: number for number, house in enumerate(houses)}
        self._recipe = recipe
        self._read: tuple[int, list[str]] = (-1, [])

    def points(self, house: House, filters: Filters) -> HousePoints:
        """Those of a house, as on one machine."""
        number = self._number[house.name]
        path = _arrays(self._place[number], number)
        arrays = read_arrays(path, _WHAT, _LARGEST)
        buckets = tuple(buckets_of(house, filters, self._recipe))
        _check_points(path, arrays, house, buckets)
        whole = {name: unpacked(arrays[name]) for name in ARRAYS}
        whole |= {name: arrays[name].astype(np.int8) for name in ("moves", "lengths")}
        return HousePoints(house, Graph.of(house), buckets, candidates=int(arrays["candidates"]), **whole)

    def line(self, house: int, point: int) -> str:
        """The record of a point. Those of a split come house by house, so one file is kept in memory."""
        if self._read[0] != house:
            self._read = house, files.read_text(_lines(self._place[house], house), _WHAT, limit=_LARGEST).splitlines()
        if point >= len(self._read[1]):
            raise InputError(f"{_lines(self._place[house], house)}: has no line {point + 1}; expected {_WHAT}")
        return self._read[1][point]


def _check_points(path: Path, arrays: Mapping[str, NDArray[Any]], house: House, buckets: Sequence[Bucket]) -> None:
    """Refuse arrays that cannot be the points of a house in these buckets."""
    specs = {
        "bucket": ArraySpec(WHOLE, ("points",), 0, len(buckets) - 1),
        "start": ArraySpec(WHOLE, ("points",), 0, len(house.stands) - 1),
        "heading": ArraySpec(WHOLE, ("points",), 0, HEADINGS - 1),
        "first": ArraySpec(WHOLE, ("points + 1",), 0),
        "moves": ArraySpec(WHOLE, ("rows", MOST_ACTIONS), min(TURNS.values()), np.iinfo(np.int8).max),
        "lengths": ArraySpec(WHOLE, ("rows",), FEWEST_ACTIONS, MOST_ACTIONS),
        "candidates": ArraySpec(WHOLE, (), 0, _MOST_CANDIDATES),
    }
    check_arrays(path, _WHAT, arrays, specs)
    goals = np.array([len(bucket.goals) for bucket in buckets], np.int64)[unpacked(arrays["bucket"])]
    first = np.cumsum([0, *goals])
    if not np.array_equal(arrays["first"], first) or first[-1] != len(arrays["lengths"]):
        raise InputError(f"{path}: first does not count the goals of its points; expected {_WHAT}")


def _write(place: Path, number: int, points: HousePoints, recipe: DatasetRecipe) -> None:
    """What a house has; the arrays last, by which it is known that it is done."""
    records = RecordMaker(points, recipe)
    files.write_text(_lines(place, number), "".join(f"{records.line(point)}\n" for point in range(len(points))))
    write_arrays(_arrays(place, number), points.arrays | {"candidates": np.array(points.candidates)})


def _arrays(place: Path, number: int) -> Path:
    return place / f"{number}.npz"


def _lines(place: Path, number: int) -> Path:
    return place / f"{number}.jsonl"


def _divided(houses: Sequence[House], count: int) -> list[list[int]]:
    return divide([len(house.viewpoints) for house in houses], count)

"""AskNav or NoRoom for any world: section 5 and the appendix, "Data Generation", from houses to five splits.

The seen sets are sampled first, from the training buildings; a bucket of which a point was sampled is in no other split, so
that no (building, end-goal) pair is in two, and what it had left is not used. All other buckets of the training buildings
are the training set. The unseen sets are sampled from the dev and the test buildings.

Mirror images of training buildings (`vnla.houses.mirror`) add training points, of the buckets that are for training in the
building itself. All other splits, words and time budgets are those of the world without them.

Deterministic in the seed. A building's points depend on no other building, except that labels must be frequent in the
whole world; which of them are sampled depends on all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from vnla.common.errors import InputError
from vnla.houses.house import House
from vnla.houses.mirror import mirrors_of
from vnla.tasks.buckets import FEWEST, Exclusion, Filters
from vnla.tasks.building_splits import BuildingSplits
from vnla.tasks.points import HousePoints, house_points
from vnla.tasks.recipes import DatasetRecipe, random_for
from vnla.tasks.sampling import SIZE, sample

SPLITS = ("train", "val_seen", "val_unseen", "test_seen", "test_unseen")
SEEN = ("val_seen", "test_seen")
UNSEEN = {"val_unseen": "dev", "test_unseen": "test"}

SHARE = 8
"""One of so many buckets of the training buildings may go to each seen set where the world is smaller than the paper's."""

Place = tuple[int, int]
"""A data point: the number of its house and its own number there."""

Work = Callable[[House, Filters], HousePoints]
"""Who has the valid points of a house."""

Track = Callable[[Sequence[House]], Iterable[House]]
"""Hands on what it is given one by one: a progress bar."""


@dataclass(frozen=True)
class Generated:
    """A data set in the making. Points are places in `houses`, in the order of houses and buckets."""

    recipe: DatasetRecipe
    seed: int
    size: int
    houses: tuple[HousePoints, ...]
    splits: dict[str, tuple[Place, ...]]
    left_out: Counter[Exclusion]
    """How many objects were left out, and why."""
    unused: int
    """Valid points in no split: the rest of sampled buckets, and what exceeds the wanted sizes."""

    @property
    def mirrored(self) -> frozenset[int]:
        """The numbers of the houses that are mirror images of others."""
        mirrors = mirrors_of(points.house.name for points in self.houses)
        return frozenset(number for number, points in enumerate(self.houses) if points.house.name in mirrors)

    def goals(self, split: str) -> int:
        """Return how many goals the points of a split have together."""
        firsts = [points.first.tolist() for points in self.houses]
        return sum(firsts[house][point + 1] - firsts[house][point] for house, point in self.splits[split])


def generate(
    houses: Sequence[House],
    recipe: DatasetRecipe,
    parts: BuildingSplits,
    *,
    seed: int,
    size: int | None = None,
    most_train: int | None = None,
    fewest: int = FEWEST,
    track: Track = iter,
    work: Work | None = None,
) -> Generated:
    """Return the data set of `houses`.

    `size` is the least number of points of each dev and test set; by default 5,000, and fewer in small worlds.
    `most_train` cuts the training set to a random sample of that many points. Points are worked out here, unless somebody
    has them already (`work`).
    """
    filters = Filters.of(houses, rooms=recipe.rooms, fewest=fewest)
    work = work or (lambda house, filters: house_points(house, filters, recipe, seed))
    points = tuple(work(house, filters) for house in track(houses))
    mirrors = mirrors_of(house.name for house in houses)
    own = [house for house in houses if house.name not in mirrors]
    left_out = Counter(reason for house in own for reason in filters.reasons(house) if reason is not None)
    pools = {part: _pool(points, set(members) - mirrors.keys()) for part, members in parts.parts.items()}
    if size is None:
        size = _proportionate(pools["train"], recipe)
    splits = split_points(pools, recipe, seed, size, [each.house.name for each in points])
    if not splits["train"]:
        raise InputError(_no_training(len(houses), left_out, size, pools["train"]))
    copies = _mirrored(points, parts, splits["train"])
    splits["train"] = _at_most(most_train, splits["train"], seed, recipe) + _at_most(most_train, copies, seed, recipe)
    unused = sum(map(len, points)) - sum(map(len, splits.values()))
    return Generated(recipe, seed, size, points, splits, left_out, unused)


def _at_most(most: int | None, places: tuple[Place, ...], seed: int, recipe: DatasetRecipe) -> tuple[Place, ...]:
    """Return a random sample of at most so many training points, in their order."""
    if most is None or len(places) <= most:
        return places
    lots = random_for(seed, recipe.name, "most_train").random(len(places)).argsort()
    return tuple(places[i] for i in np.sort(lots[:most]))


def _mirrored(points: Sequence[HousePoints], parts: BuildingSplits, training: Iterable[Place]) -> tuple[Place, ...]:
    """Return the points of the training buildings' mirror images, of what is trained in the buildings themselves."""
    mirrors = mirrors_of(each.house.name for each in points)
    number = {each.house.name: house for house, each in enumerate(points)}
    trained = {(house, points[house].buckets[points[house].bucket[point]].end_goal) for house, point in training}
    return tuple(
        (house, point)
        for house, each in enumerate(points)
        if each.house.name in mirrors and each.house.name in parts.parts["train"]
        for point, bucket in enumerate(each.bucket.tolist())
        if (number[mirrors[each.house.name]], each.buckets[bucket].end_goal) in trained
    )


def generate_tests(houses: Sequence[House], recipe: DatasetRecipe, filters: Filters, *, seed: int, size: int) -> Generated:
    """Return a test set of at least `size` points in houses that nobody is trained in; all other splits are empty."""
    points = tuple(house_points(house, filters, recipe, seed) for house in houses)
    names = [house.name for house in houses]
    drawn, _ = _drawn(_pool(points, names), recipe, seed, size, "test_unseen", names)
    if not drawn:
        raise InputError(f"these {len(houses)} houses have no valid data point; give more or larger ones")
    left_out = Counter(reason for house in houses for reason in filters.reasons(house) if reason is not None)
    splits = {**dict.fromkeys(SPLITS, ()), "test_unseen": drawn}
    return Generated(recipe, seed, size, points, splits, left_out, sum(map(len, points)) - len(drawn))


Pool = dict[tuple[int, int], list[Place]]
"""Buckets, each a house and its own number there, with their points."""


def _pool(points: Sequence[HousePoints], names: Iterable[str]) -> Pool:
    pool: Pool = {}
    names = set(names)
    for house, each in enumerate(points):
        if each.house.name in names:
            for point, bucket in enumerate(each.bucket.tolist()):
                pool.setdefault((house, bucket), []).append((house, point))
    return pool


def _proportionate(pool: Pool, recipe: DatasetRecipe) -> int:
    """5,000 points, or in a smaller world what an eighth of the training buildings' buckets give."""
    return min(SIZE, ceil(sum(min(recipe.most, len(points)) for points in pool.values()) / SHARE))


def split_points(
    pools: dict[str, Pool], recipe: DatasetRecipe, seed: int, size: int, names: Sequence[str]
) -> dict[str, tuple[Place, ...]]:
    """Return the five splits; `names` are those of the houses."""
    rest = dict(pools["train"])
    splits: dict[str, tuple[Place, ...]] = {}
    for split in SEEN:
        splits[split], used = _drawn(rest, recipe, seed, size, split, names)
        rest = {bucket: points for bucket, points in rest.items() if bucket not in used}
    for split, part in UNSEEN.items():
        splits[split], _ = _drawn(pools[part], recipe, seed, size, split, names)
    splits["train"] = tuple(place for points in rest.values() for place in points)
    trained = {house for house, _ in splits["train"]}
    for split in SEEN:
        splits[split] = tuple(place for place in splits[split] if place[0] in trained)
    return {split: splits[split] for split in SPLITS}


def _drawn(
    pool: Pool, recipe: DatasetRecipe, seed: int, size: int, split: str, names: Sequence[str]
) -> tuple[tuple[Place, ...], set[tuple[int, int]]]:
    """Return a sample of a pool by Algorithm 2, and the buckets that it came from."""
    buckets = list(pool)
    chosen = sample(
        [len(pool[bucket]) for bucket in buckets],
        [names[house] for house, _ in buckets],
        most=recipe.most,
        random=random_for(seed, recipe.name, split),
        least=size,
    )
    places = [pool[buckets[number]][point] for number, points in sorted(chosen.items()) for point in points]
    return tuple(places), {buckets[number] for number in chosen}


def _no_training(houses: int, left_out: Counter[Exclusion], size: int, pool: Pool) -> str:
    if pool:
        return f"no training points are left after sets of {size} were sampled; give a smaller --size"
    why = ", ".join(f"{count} {reason}" for reason, count in left_out.most_common(3)) or "there are no objects"
    return (
        f"the training buildings of this world of {houses} houses have no valid data point (objects left out: {why});"
        " give it more or larger houses, or a smaller --fewest"
    )

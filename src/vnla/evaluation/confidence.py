"""Means and how far to trust them: over seeds, as the paper reports them, over episodes, over houses, and over trainings.

Every figure here is a ratio of two sums over episodes. A mean is one whose lower sum counts the episodes; precision, say, is
one that counts requests. So all of them are averaged, and resampled, in the same way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

FACTOR = 1.95
"""Standard errors in the paper's 95% interval; the authors' code has this number too."""

ENOUGH_HOUSES = 10
"""From so many on intervals over houses cover about what they say."""

SAMPLES, LEVEL = 1000, 0.95
Floats = NDArray[np.float64]
_UNKNOWN = (math.nan, math.nan)


class Bootstrap(TypedDict, total=False):
    """How figures are resampled."""

    samples: int
    """1,000 unless said otherwise."""
    seed: int
    level: float
    """Of the interval: 0.95 unless said otherwise."""


class Estimate(NamedTuple):
    """A mean over seeds, and the half-width of its interval: not a number where there is only one seed."""

    mean: float
    margin: float
    each: tuple[float, ...]  # the figure of each seed

    def __str__(self) -> str:
        if math.isnan(self.mean):
            return "–"  # a precision where nobody asked, say
        return f"{self.mean:.2f}" if math.isnan(self.margin) else f"{self.mean:.2f} ± {self.margin:.2f}"


class Interval(NamedTuple):
    """A figure over all episodes, and its interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        if math.isnan(self.value):
            return "–"
        return f"{self.value:.2f}" if math.isnan(self.low) else f"{self.value:.2f} ({self.low:.2f} to {self.high:.2f})"

    def scaled(self, factor: float) -> Interval:
        """Return the interval in a unit so many times smaller."""
        return Interval(*(factor * each for each in self))

    def as_dict(self) -> dict[str, float | None]:
        """Return the interval for a JSON file; what cannot be known is null."""
        return {name: finite(value) for name, value in self._asdict().items()}


def finite(value: float) -> float | None:
    """Return a number for a JSON file; what cannot be known is null."""
    return value if math.isfinite(value) else None


def few_houses(houses: int) -> str:
    """What stands beside a table whose 95% intervals are over few houses; nothing where they are enough, or have none."""
    if not 1 < houses < ENOUGH_HOUSES:
        return ""
    return (
        f"Intervals over {houses} houses: too few to cover 95%; in simulations those over 4 houses covered 80%, and those"
        " over 18 houses 93.5%."
    )


def same_houses(houses: int) -> str:
    """What stands beside a table whose intervals are over seeds or tasks, where there are few houses."""
    if houses >= ENOUGH_HOUSES:
        return ""
    where = "one house" if houses == 1 else f"the same {houses} houses"
    return f"Intervals are over what happened in {where}; they do not say what other houses would give."


def over_seeds(values: Sequence[float]) -> Estimate:
    """The paper's mean and 95% interval: 1.95 standard errors of the mean over the seeds."""
    array = np.array(values, dtype=np.float64)
    margin = FACTOR * array.std(ddof=1) / math.sqrt(len(array)) if len(array) > 1 else math.nan
    return Estimate(float(array.mean()), float(margin), tuple(array.tolist()))


def ratio(top: ArrayLike, bottom: ArrayLike) -> float:
    """The ratio of two sums; not a number where there is nothing to count."""
    below = float(np.sum(bottom))
    return float(np.sum(top)) / below if below else math.nan


def over_episodes(top: ArrayLike, bottom: ArrayLike | None = None, **options: Unpack[Bootstrap]) -> Interval:
    """Return the ratio of two sums over episodes with a bootstrap interval; without `bottom`, the mean of `top`.

    With two axes (seeds, tasks) whole tasks are drawn, with all their seeds: runs of one task are not independent.
    """
    above = np.atleast_2d(np.asarray(top, dtype=np.float64))
    below = np.ones_like(above) if bottom is None else np.atleast_2d(np.asarray(bottom, dtype=np.float64))
    sums = np.stack([above.sum(axis=0), below.sum(axis=0)], axis=1)  # (tasks, 2)
    return Interval(ratio(above, below), *_bounds(sums, **options))


def over_houses(
    top: ArrayLike, bottom: ArrayLike | None = None, *, houses: ArrayLike, **options: Unpack[Bootstrap]
) -> Interval:
    """Return the same for other houses than these: whole houses are drawn, with all that happened in them.

    `houses` names the house of each entry of `top`. One house tells nothing about others: there is no interval then.
    """
    above = np.asarray(top, dtype=np.float64)
    below = np.ones_like(above) if bottom is None else np.asarray(bottom, dtype=np.float64)
    names, which = np.unique(np.asarray(houses), return_inverse=True)
    sums = _sums((above, below), which, len(names))
    return Interval(ratio(above, below), *(_bounds(sums, **options) if len(names) > 1 else _UNKNOWN))


def difference_over_houses(
    one: tuple[ArrayLike, ArrayLike], other: tuple[ArrayLike, ArrayLike], houses: tuple[Sequence[str], Sequence[str]]
) -> Interval:
    """Return how much more the ratio of two sums is than that of two others, for other houses.

    A house is drawn with all that happened in it on both sides, so what is easy or hard on both is not in the difference.
    """
    names, which = np.unique(np.asarray([*houses[0], *houses[1]]), return_inverse=True)
    sides = np.split(which.ravel(), [len(houses[0])])
    each = [_sums(side, rows, len(names)) for side, rows in zip((one, other), sides, strict=True)]
    value = ratio(*each[0].T) - ratio(*each[1].T)
    if len(names) < 2:
        return Interval(value, *_UNKNOWN)
    drawn = _redrawn(np.concatenate(each, axis=1))  # (samples, 4)
    counted = drawn[(drawn[:, 1] > 0) & (drawn[:, 3] > 0)]
    return Interval(value, *_middle(counted[:, 0] / counted[:, 1] - counted[:, 2] / counted[:, 3]))


def retained_over_houses(values: ArrayLike, without: ArrayLike, usual: ArrayLike, *, houses: ArrayLike) -> Interval:
    """Return how much of what the usual brings is kept, (values − without) / (usual − without) of means, for other houses.

    A house is drawn with all that happened in it on all sides. Not a number where the usual brings nothing.
    """
    names, which = np.unique(np.asarray(houses), return_inverse=True)
    sums = _sums((values, without, usual), which, len(names))
    drawn = _redrawn(sums)
    brought = drawn[:, 2] > drawn[:, 1]
    found = (drawn[brought, 0] - drawn[brought, 1]) / (drawn[brought, 2] - drawn[brought, 1])
    kept, none, most = sums.sum(axis=0)
    if most <= none:
        return Interval(math.nan, *_UNKNOWN)
    return Interval((kept - none) / (most - none), *(_middle(found) if len(names) > 1 else _UNKNOWN))


def _sums(values: Sequence[ArrayLike], which: NDArray[np.intp], count: int) -> Floats:
    """The sums of each house, by its number: (houses, values)."""
    return np.stack([np.bincount(which.ravel(), np.ravel(each), count) for each in values], axis=1)


def over_trainings(
    values: ArrayLike, minus: ArrayLike | None = None, *, houses: ArrayLike, **options: Unpack[Bootstrap]
) -> Interval:
    """Return the mean of (trainings, tasks) for other trainings, houses and tasks; `houses` are those of the tasks.

    Trainings, houses, and in each house tasks are drawn again and again. Of a difference, that to the mean of `minus`, both
    sides are given the same houses and tasks, and trainings of their own. One training tells nothing about others: then it
    is that one in every draw. One house tells nothing either, and there is no interval.
    """
    sides = [np.atleast_2d(np.asarray(each, dtype=np.float64)) for each in (values, minus) if each is not None]
    value, *other = (float(each.mean()) for each in sides)
    names, seed = tuple(np.asarray(houses).tolist()), options.get("seed", 0)
    times = _tasks_drawn(names, options.get("samples", SAMPLES), seed)
    random, found = np.random.default_rng([seed, 1]), []
    for each in sides:
        means = each @ times.T / times.sum(axis=1)  # (trainings, samples)
        trainings = random.integers(len(each), size=means.shape)
        found.append(np.take_along_axis(means, trainings, axis=0).mean(axis=0))
    bounds = _middle(found[0] - sum(found[1:]), options.get("level", LEVEL)) if len(set(names)) > 1 else _UNKNOWN
    return Interval(value - sum(other), *bounds)


def over_tasks(sums: ArrayLike, minus: ArrayLike | None = None, *, houses: ArrayLike) -> Interval:
    """Return the ratio of two sums over tasks, (2, tasks), for other houses and tasks; `houses` are those of the tasks.

    Of a difference, that to the ratio of `minus`, both sides are given the same houses and tasks: what makes a task hard for
    both cancels out. One house tells nothing about others, and there is no interval.
    """
    sides = [np.asarray(each, dtype=np.float64) for each in (sums, minus) if each is not None]
    value, *other = (ratio(*each) for each in sides)
    names = tuple(np.asarray(houses).tolist())
    if len(set(names)) < 2:
        return Interval(value - sum(other), *_UNKNOWN)
    above, below = np.moveaxis(np.stack(sides) @ _tasks_drawn(names, SAMPLES, 0).T, 1, 0)  # (sides, samples) each
    counted = (below > 0).all(axis=0)
    found = above[:, counted] / below[:, counted]
    return Interval(value - sum(other), *_middle(found[0] - found[1:].sum(axis=0)))


@lru_cache(maxsize=5)  # 40 MB each at the paper's sizes
def _tasks_drawn(houses: tuple[str, ...], samples: int, seed: int) -> Floats:
    """How often each task is drawn when whole houses are, and in each as many of its tasks as it has: (samples, tasks)."""
    names, which = np.unique(np.array(houses), return_inverse=True)
    size = np.bincount(which)
    order, first = np.argsort(which, kind="stable"), np.cumsum(size) - size
    random, times = np.random.default_rng(seed), np.zeros((samples, len(houses)))
    for row in times:
        house = random.integers(len(names), size=len(names))
        count = size[house]
        place = np.repeat(first[house], count) + random.integers(np.repeat(count, count))
        row[order] = np.bincount(place, minlength=len(houses))
    return times


def _bounds(sums: Floats, samples: int = SAMPLES, seed: int = 0, level: float = LEVEL) -> tuple[float, float]:
    """Where the ratio lies when rows (…, 2), the upper and the lower sum of each, are drawn again and again."""
    drawn = _redrawn(sums, samples, seed)
    counted = drawn[drawn[:, 1] > 0]
    return _middle(counted[:, 0] / counted[:, 1], level)


def _redrawn(rows: Floats, samples: int = SAMPLES, seed: int = 0) -> Floats:
    """What as many rows as there are add up to, when they are drawn again and again: (samples, …)."""
    random, columns = np.random.default_rng(seed), np.ascontiguousarray(rows.T)  # by columns takes a third of the time
    drawn = (random.integers(len(rows), size=len(rows)) for _ in range(samples))
    return np.array([[column[each].sum() for column in columns] for each in drawn])


def _middle(found: Floats, level: float = LEVEL) -> tuple[float, float]:
    """Between which bounds such a share of what was found lies."""
    if not len(found):
        return _UNKNOWN
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def per_cent(share: Interval) -> Interval:
    """A share in per cent."""
    return share.scaled(100)


def minus(one: Interval, other: Interval) -> Interval:
    """The difference of two independent figures; the distances to their bounds are squared and added (MOVER)."""
    below = math.hypot(one.value - one.low, other.high - other.value)
    above = math.hypot(one.high - one.value, other.value - other.low)
    value = one.value - other.value
    return Interval(value, value - below, value + above)

"""Means and how far to trust them: over seeds, as the paper reports them, over tasks, over houses, and over trainings.

Every figure here is a ratio of two sums over episodes. A mean is one whose lower sum counts the episodes; precision, say, is
one that counts requests. Tasks of one house resemble each other, so the figure is computed again without each house in turn
(the delete-one jackknife), and its variance follows from how much that changes it. The interval has quantiles of Student's
t, with Satterthwaite's degrees of freedom for houses of these sizes, so that it covers with few houses as well.
`benchmarks/experiments/interval_coverage.py` simulates how often.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit, stdtrit

FACTOR = 1.95
"""Standard errors in the paper's 95% interval; the authors' code has this number too."""

LEVEL = 0.95
"""How often an interval is to contain the figure that it is about."""

Floats = NDArray[np.float64]
_UNKNOWN = (math.nan, math.nan)


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
    """A figure over all episodes, and its 95% interval."""

    value: float
    low: float
    high: float
    over: str = ""
    """What it is over, and how many: "18 houses", say, or "3 trainings, 18 houses"."""

    def __str__(self) -> str:
        if math.isnan(self.value):
            return "–"
        return f"{self.value:.2f}" if math.isnan(self.low) else f"{self.value:.2f} ({self.low:.2f} to {self.high:.2f})"

    def scaled(self, factor: float) -> Interval:
        """Return the interval in a unit so many times smaller; a factor below zero turns it round."""
        low, high = sorted((factor * self.low, factor * self.high))
        return Interval(factor * self.value, low, high, self.over)

    def within(self, whole: float | None) -> Interval:
        """Return a difference of shares of a whole without what no difference can be; any figure where there is no whole."""
        if whole is None:
            return self
        low, high = (float(np.clip(bound, -whole, whole)) for bound in (self.low, self.high))
        return Interval(self.value, low, high, self.over)

    def as_dict(self) -> dict[str, float | str | None]:
        """Return the interval for a JSON file; what cannot be known is null."""
        return {"value": finite(self.value), "low": finite(self.low), "high": finite(self.high), "over": self.over}


class _Spread(NamedTuple):
    """How much a figure varies, and how well that is known."""

    variance: float
    freedom: float
    """Degrees of freedom of the variance."""


def finite(value: float) -> float | None:
    """Return a number for a JSON file; what cannot be known is null."""
    return value if math.isfinite(value) else None


def houses_note(*houses: int, what: str = "houses") -> str:
    """Return what stands beside a table with intervals over so many houses; several counts are of its columns or rows."""
    fewest, most = min(houses), max(houses)
    if most < 2:
        return f"One {_ONE[what]} has no interval."
    number = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
    return f"95% intervals over {number} {what} (jackknife, t)."


def seeds_note(seeds: int, houses: int | None = None) -> str:
    """Return what stands beside a table of the paper's intervals: what they are over, and what they do not say."""
    where = "houses" if houses is None else "one house" if houses == 1 else f"{houses:,} houses"
    return (
        f"± is {FACTOR} standard errors over {seeds} seeds of the help budgets, as in the paper: the same tasks in the same"
        f" {where}. It does not say what other tasks, houses or trainings would give."
    )


def over_seeds(values: Sequence[float]) -> Estimate:
    """Return the paper's mean and 95% interval: 1.95 standard errors of the mean over the seeds."""
    array = np.array(values, dtype=np.float64)
    margin = FACTOR * array.std(ddof=1) / math.sqrt(len(array)) if len(array) > 1 else math.nan
    return Estimate(float(array.mean()), float(margin), tuple(array.tolist()))


def ratio(top: ArrayLike, bottom: ArrayLike) -> float:
    """Return the ratio of two sums; not a number where there is nothing to count."""
    below = float(np.sum(bottom))
    return float(np.sum(top)) / below if below else math.nan


def over_episodes(top: ArrayLike, bottom: ArrayLike | None = None, *, whole: float | None = None) -> Interval:
    """Return the ratio of two sums over episodes for other tasks in the same houses; without `bottom`, the mean of `top`.

    With two axes (seeds, tasks) a task is left out with all its seeds: runs of one task are not independent.
    """
    above = np.atleast_2d(np.asarray(top, dtype=np.float64))
    tasks = np.broadcast_to(np.arange(above.shape[1]), above.shape)
    below = None if bottom is None else np.atleast_2d(bottom)
    return over_houses(above, below, houses=tasks, whole=whole, what="tasks")


def over_houses(
    top: ArrayLike,
    bottom: ArrayLike | None = None,
    *,
    houses: ArrayLike,
    whole: float | None = None,
    what: str = "houses",
) -> Interval:
    """Return the ratio of two sums for other houses than these, with what is done in them.

    `houses` names the house of each entry of `top`, and `what` says what else these may be. A share is a share of the
    `whole`, 1 or 100. One house tells nothing about others: there is no interval then.
    """
    above = np.asarray(top, dtype=np.float64)
    below = np.ones_like(above) if bottom is None else np.asarray(bottom, dtype=np.float64)
    (sums,) = _house_sums([(above, below)], [houses])
    spread, over = _left_out(sums, sums[:, 1], _ratio, what)
    return _around(ratio(above, below), [spread], over, whole)


def difference_over_houses(
    one: Sequence[ArrayLike],
    other: Sequence[ArrayLike],
    houses: tuple[ArrayLike, ArrayLike],
    *,
    whole: float | None = None,
    what: str = "houses",
) -> Interval:
    """Return how much more the ratio of two sums is than that of two others, for other houses.

    A house is left out with all that happened in it on both sides, so what is easy or hard on both is not in the difference.
    """
    sides = _house_sums([one, other], houses)
    value = ratio(*sides[0].T) - ratio(*sides[1].T)
    weight = sum(side[:, 1] / (side[:, 1].sum() or 1) for side in sides)
    spread, over = _left_out(
        np.concatenate(sides, axis=1), np.asarray(weight), lambda sums: _ratio(sums[:, :2]) - _ratio(sums[:, 2:]), what
    )
    return _around(value, [spread], over).within(whole)


def retained_over_houses(values: ArrayLike, without: ArrayLike, usual: ArrayLike, *, houses: ArrayLike) -> Interval:
    """Return how much of what the usual brings is kept, (values − without) / (usual − without) of means, for other houses.

    Not a number where the usual brings nothing; without an interval where it brings nothing once a house is left out.
    """
    none = np.asarray(without, dtype=np.float64)
    kept, most = (np.asarray(each, dtype=np.float64) - none for each in (values, usual))
    sums, counts = _house_sums([(kept, most), (kept, np.ones_like(none))], [houses, houses])
    spread, over = _left_out(sums, counts[:, 1], lambda each: np.where(each[:, 1] > 0, _ratio(each), math.nan), "houses")
    return _around(float(_ratio(sums.sum(axis=0, keepdims=True))[0]) if most.sum() > 0 else math.nan, [spread], over)


def over_trainings(
    values: ArrayLike, minus: ArrayLike | None = None, *, houses: ArrayLike, whole: float | None = None
) -> Interval:
    """Return the mean of (trainings, tasks) for other trainings and houses; `houses` are those of the tasks.

    The variances between houses and between trainings are added. Of a difference, that to the mean of `minus`, both sides
    have the same houses and tasks, and trainings of their own. One training tells nothing about others: the interval is over
    houses alone then. One house tells nothing either, and there is no interval.
    """
    sides = [np.atleast_2d(np.asarray(each, dtype=np.float64)) for each in (values, minus) if each is not None]
    which = np.unique(np.asarray(houses), return_inverse=True)[1]
    value, *other = (each.mean(axis=0) for each in sides)
    (sums,) = _house_sums([(value - sum(other), np.ones_like(value))], [which])
    between_houses, over = _left_out(sums, sums[:, 1], _ratio, "houses")
    between_trainings = [_between_trainings(each, which) for each in sides if len(each) > 1]
    trainings = " and ".join(dict.fromkeys(str(len(each)) for each in sides))
    over = f"{trainings} trainings, {over}" if trainings != "1" else over
    spread = [between_houses, *between_trainings]
    return _around(ratio(*sums.T), spread, over).within(whole) if other else _around(ratio(*sums.T), spread, over, whole)


_ONE = {"houses": "house", "tasks": "task", "people": "person"}


def _house_sums(sides: Sequence[Sequence[ArrayLike]], houses: Sequence[ArrayLike]) -> list[Floats]:
    """Return the sums of each house, those of all sides in one order: (houses, values) of each side."""
    named = [np.ravel(np.asarray(each)) for each in houses]
    names, which = np.unique(np.concatenate(named), return_inverse=True)
    rows = np.split(which.ravel(), np.cumsum([len(each) for each in named])[:-1])
    return [
        np.stack([np.bincount(row, np.ravel(each), len(names)) for each in side], axis=1)
        for side, row in zip(sides, rows, strict=True)
    ]


def _ratio(sums: Floats) -> Floats:
    """Return the ratios of two columns; not a number where there is nothing to count."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[:, 0] / sums[:, 1], dtype=np.float64)


def _left_out(sums: Floats, weight: Floats, figure: Callable[[Floats], Floats], what: str) -> tuple[_Spread, str]:
    """Return how much a figure of the sums of rows varies, by leaving each row out, and how many rows of what these are.

    Rows without weight do not count. Of n rows of one weight the degrees of freedom are n − 1; where some weigh more they
    are fewer, as Bell and McCaffrey have it for a mean.
    """
    rows, share = sums[weight > 0], weight[weight > 0] / (weight.sum() or 1)
    over = f"{len(rows):,} {what if len(rows) != 1 else _ONE[what]}"
    if len(rows) < 2:
        return _Spread(*_UNKNOWN), over
    total = rows.sum(axis=0, keepdims=True)
    apart = figure(total - rows) - figure(total)
    pull = share**2 / (1 - share)
    freedom = 1 / ((share**2).sum() + pull.sum() ** 2 - (pull**2).sum())
    return _Spread(float((apart**2).sum()) * (len(rows) - 1) / len(rows), float(freedom)), over


def _between_trainings(values: Floats, houses: NDArray[np.intp]) -> _Spread:
    """Return how much the mean of (trainings, tasks) varies because trainings do.

    Trainings also differ by the houses and tasks that each happens to be better at. That is in the variance between houses
    already, so it is taken off, as far as there is any.
    """
    count, ones = len(values), np.ones(values.shape[1])
    apart = values - values.mean(axis=0)
    chance = sum(
        _left_out(sums, sums[:, 1], _ratio, "houses")[0].variance
        for sums in _house_sums([(each, ones) for each in apart], [houses] * count)
    )
    variance = (float((apart.mean(axis=1) ** 2).sum()) - chance) / (count * (count - 1))
    return _Spread(max(0.0, variance), count - 1)


def _half_width(parts: Sequence[_Spread]) -> float:
    """Return that of the interval around a sum of independent figures: a standard error times the quantile of Student's t.

    The degrees of freedom of the sum are Satterthwaite's. Where a part is small by chance they are too many, so the interval
    is no narrower than that of each part alone.
    """
    variance = sum(each.variance for each in parts)
    if not variance:
        return 0.0
    freedom = variance**2 / sum(each.variance**2 / each.freedom for each in parts)
    alone = [_Spread(variance, freedom), *parts]
    return max(float(stdtrit(each.freedom, (1 + LEVEL) / 2)) * math.sqrt(each.variance) for each in alone)


def _around(value: float, spread: Sequence[_Spread], over: str, whole: float | None = None) -> Interval:
    """Return the interval around a figure; that of a share of a `whole` is symmetric in the logarithm of its odds.

    So it covers small shares better, and stays between nothing and the whole. Where all episodes succeed, or none, nothing
    tells how much houses differ, and there is no interval.
    """
    if not math.isfinite(spread[0].variance) or (whole is not None and value in (0, whole)):
        return Interval(value, *_UNKNOWN, over)
    half = _half_width(spread)
    if whole is None or not 0 < value < whole:
        return Interval(value, value - half, value + half, over)
    share = value / whole
    reach = half / whole / (share * (1 - share))
    low, high = (whole * float(expit(logit(share) + each)) for each in (-reach, reach))
    return Interval(value, low, high, over)


def per_cent(share: Interval) -> Interval:
    """Return a share in per cent."""
    return share.scaled(100)


def minus(one: Interval, other: Interval) -> Interval:
    """Return the difference of two independent figures; the distances to their bounds are squared and added (MOVER)."""
    below = math.hypot(one.value - one.low, other.high - other.value)
    above = math.hypot(one.high - one.value, other.value - other.low)
    value = one.value - other.value
    return Interval(value, value - below, value + above, " and ".join(dict.fromkeys((one.over, other.over))))

"""The figures of verified entries, with intervals over houses.

    success = FIGURES["success"].of(entry, "fresh")
    gained = difference(one, other, FIGURES["area"], "common")

Every figure is the mean of something over tasks, so its interval leaves out each house in turn
(`vnla.evaluation.confidence`). The area under the curve of success against help is one, too: the trapezoid rule gives each τ
a weight, by the mean help budgets of these tasks, and the area is the mean over tasks of their weighted successes.

What an entry leaves out counts against it in every figure: a task without a record that can be believed has failed with all
its requests made, and has succeeded without help where a figure is about what help brings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vnla.common.errors import InputError
from vnla.evaluation.confidence import Interval, difference_over_houses, finite, houses_note, minus, over_houses
from vnla.experiments.benchmark.definition import COMMON, FRESH, read_definition
from vnla.experiments.benchmark.verification import VerifiedCondition, VerifiedEntry

NOROOM = "noroom"
Floats = NDArray[np.float64]


class TaskValues(NamedTuple):
    """What a figure is the mean of."""

    values: Floats  # (tasks,)
    houses: NDArray[np.str_]  # (tasks,), the house of each


@dataclass(frozen=True)
class BenchmarkFigure:
    """A figure of an entry on a set of houses."""

    name: str
    title: str
    unit: str
    """Shares have the unit "%" and differences of them "points"; both are told in hundredths."""
    values: Callable[[VerifiedEntry, str], TaskValues]
    """What it is the mean of, for an entry and a set of houses."""
    lower_is_better: bool = False

    @property
    def whole(self) -> float | None:
        """What its values are shares of."""
        return 1.0 if self.unit == "%" else None

    @property
    def scale(self) -> float:
        """By what its values are multiplied to be told."""
        return 100.0 if self.unit in ("%", "points") else 1.0

    def of(self, entry: VerifiedEntry, houses: str) -> Interval:
        """Return the figure of an entry on the common or the fresh houses."""
        return self._share(entry, houses).scaled(self.scale)

    def _share(self, entry: VerifiedEntry, houses: str) -> Interval:
        values, each = self.values(entry, houses)
        return over_houses(values, houses=each, whole=self.whole)

    def _minus(self, one: tuple[VerifiedEntry, str], other: tuple[VerifiedEntry, str]) -> Interval:
        """Return the difference in houses that have nothing to do with each other."""
        found = minus(self._share(*one), self._share(*other)).within(self.whole).scaled(self.scale)
        return found._replace(over=f"{found.over} on each side, unpaired")


class CurvePoint(NamedTuple):
    """A point of the curve of success against help."""

    ratio: float
    """τ."""
    success: Interval
    """Per cent."""
    requests: Interval
    """Requests made, an episode."""
    help_budget: float
    """Requests allowed, an episode."""


def charged(price: float) -> BenchmarkFigure:
    """Return the mean of success less a price for each request, the price being in success."""

    def values(entry: VerifiedEntry, houses: str) -> TaskValues:
        done = _main(entry, houses)
        return TaskValues(_floats(done.scores.success) - price * _floats(done.scores.requests), done.houses)

    return BenchmarkFigure(f"charged_{price:.2f}", f"success less {price:g} a request", "points", values)


def curve(entry: VerifiedEntry, houses: str) -> tuple[CurvePoint, ...]:
    """Return the curve of success against help, a point for each τ."""
    return tuple(
        CurvePoint(
            done.condition.ratio,
            over_houses(done.scores.success, houses=done.houses, whole=1).scaled(100),
            over_houses(done.scores.requests, houses=done.houses),
            _mean_budget(done),
        )
        for done in _swept(entry, houses)
    )


def difference(one: VerifiedEntry, other: VerifiedEntry, figure: BenchmarkFigure, houses: str) -> Interval:
    """Return how much more of a figure one entry has than another.

    Both were in the common houses, so their values are paired house by house. Fresh houses are others for each artefact:
    the two figures are independent, and their variances add. `over` says which.
    """
    if one.entry.preset != other.entry.preset:
        sizes = f"{one.entry.preset.name} and {other.entry.preset.name}"
        raise InputError(f"{other.entry.path}: is of another size of the benchmark ({sizes}); compare entries of one")
    if houses == FRESH and one.entry.manifest.fresh_seed != other.entry.manifest.fresh_seed:
        return figure._minus((one, houses), (other, houses))
    first, second = figure.values(one, houses), figure.values(other, houses)
    left, right = ((each.values, np.ones_like(each.values)) for each in (first, second))
    found = difference_over_houses(left, right, (first.houses, second.houses), whole=figure.whole).scaled(figure.scale)
    return found._replace(over=f"{found.over}, paired")


def overfit(entry: VerifiedEntry, figure: BenchmarkFigure | None = None) -> Interval:
    """Return how much more of a figure, of success by itself, an entry has in the common houses than in its fresh ones.

    The common houses are public: whoever has trained in them, or has chosen an agent by them, is better there.
    """
    return (figure or FIGURES["success"])._minus((entry, COMMON), (entry, FRESH))


def figures_of(entry: VerifiedEntry) -> dict[str, Any]:
    """Return every figure and curve of an entry in each set of houses that it walked in, for a JSON file."""
    sets = entry.entry.manifest.sets
    return {
        "figures": {
            houses: {name: each.of(entry, houses).as_dict() | {"unit": each.unit} for name, each in FIGURES.items()}
            for houses in sets
        },
        "curves": {houses: [_as_dict(point) for point in curve(entry, houses)] for houses in sets},
    }


def _as_dict(point: CurvePoint) -> dict[str, Any]:
    return {
        "ratio": point.ratio,
        "success": point.success.as_dict(),
        "requests": point.requests.as_dict(),
        "help_budget": finite(point.help_budget),
    }


def note(*entries: VerifiedEntry) -> str:
    """Return what stands beside a table of these figures."""
    counts = (set(_main(each, houses).houses.tolist()) for each in entries for houses in each.entry.manifest.sets)
    return houses_note(*map(len, counts))


def _area(entry: VerifiedEntry, houses: str) -> TaskValues:
    done = _swept(entry, houses)
    weights = trapezoid_weights([_mean_budget(each) for each in done])
    successes = np.stack([_floats(each.scores.success) for each in done])  # (τ, tasks)
    return TaskValues(weights @ successes, done[0].houses)


def trapezoid_weights(places: list[float]) -> Floats:
    """Return how much each value counts in the mean height of the line through values at these places, which rise.

    The weights add up to 1; values at one place all count the same.
    """
    widths = np.diff(np.asarray(places, dtype=np.float64))
    if not widths.sum() > 0:
        return np.full(len(places), 1 / len(places))
    weights: Floats = (np.append(widths, 0) + np.append(0, widths)) / 2 / widths.sum()
    return weights


def _gain(entry: VerifiedEntry, houses: str) -> TaskValues:
    done, alone = _main(entry, houses), _swept(entry, houses)[0]
    unaided = np.where(alone.sound, _floats(alone.scores.success), 1.0)
    return TaskValues(_floats(done.scores.success) - unaided, done.houses)


def _swept(entry: VerifiedEntry, houses: str) -> list[VerifiedCondition]:
    definition = entry.entry.definition
    return [entry.of(houses, definition.swept, ratio) for ratio in sorted(definition.ratios)]


def _main(entry: VerifiedEntry, houses: str, task: str | None = None) -> VerifiedCondition:
    definition = entry.entry.definition
    return entry.of(houses, task or definition.swept, definition.ratio)


def _mean_budget(done: VerifiedCondition) -> float:
    return float(done.scores.help_budget.mean())


def _floats(values: NDArray[np.generic]) -> Floats:
    return values.astype(np.float64)


def _plain(name: str, title: str, unit: str, score: str, task: str | None = None) -> BenchmarkFigure:
    """Return the mean of a score at τ of the main figures."""

    def values(entry: VerifiedEntry, houses: str) -> TaskValues:
        done = _main(entry, houses, task)
        return TaskValues(_floats(done.scores[score]), done.houses)

    return BenchmarkFigure(name, title, unit, values, lower_is_better=score == "requests")


_FIGURES = (
    _plain("success", "success rate", "%", "success"),
    _plain("room_success", "room-finding success rate", "%", "room_success"),
    _plain("spl", "SPL", "%", "spl"),
    _plain("requests", "requests an episode", "requests", "requests"),
    _plain("noroom_success", "success rate on NoRoom", "%", "success", NOROOM),
    _plain("noroom_room_success", "room-finding success rate on NoRoom", "%", "room_success", NOROOM),
    _plain("noroom_spl", "SPL on NoRoom", "%", "spl", NOROOM),
    _plain("noroom_requests", "requests an episode on NoRoom", "requests", "requests", NOROOM),
    BenchmarkFigure("area", "area under success against help", "%", _area),
    BenchmarkFigure("gain", "what asking brings", "points", _gain),
    *map(charged, read_definition().prices),
)
FIGURES = MappingProxyType({each.name: each for each in _FIGURES})
"""By name."""

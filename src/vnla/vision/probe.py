"""A linear probe: what can be read from features by one weighted sum, and does it carry over to houses never seen?

For each object label (is one in view?) and each room type (is the viewpoint in one?) a ridge regression on standardised
features is fitted to the views of the training houses, all labels at once in closed form, and its scores rank the views
of unseen houses. The measure is average precision; a ranking by chance has the label's share of the views. Not in the
paper, which never asks whether its features show what the agent is sent to find.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.common.progress import Count, unheard
from vnla.houses.house import House
from vnla.houses.rooms import in_room
from vnla.vision.symbolic import symbolic_features
from vnla.world.compiled import World

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

PENALTIES = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
"""Of ridge regression, as multiples of the number of views."""
LEAST_SHARE = 0.005
"""Of a view's pixels that an object must cover to count as visible: 190 pixels of 224 × 168."""
NEWTON_STEPS = 40
"""Enough to make probabilities of scores."""
HELD_OUT = 5
"""One training house in five, at least one, chooses the penalty."""


@dataclass(frozen=True)
class ProbeResult:
    """Average precision of each label on unseen houses; `nan` where training or test views have none of it, or only it."""

    labels: tuple[str, ...]
    precision: Float64  # (labels,)
    chance: Float64  # (labels,), the share of test views that have the label
    positives: NDArray[np.int64]  # (labels,), test views that have the label
    penalty: float
    train_views: int
    test_views: int

    @property
    def measured(self) -> Bools:
        """Which labels could be measured."""
        return ~np.isnan(self.precision)

    @property
    def mean_precision(self) -> float:
        """Mean over the labels that could be measured."""
        return float(self.precision[self.measured].mean())

    @property
    def mean_chance(self) -> float:
        """What `mean_precision` would be by chance."""
        return float(self.chance[self.measured].mean())

    def as_json(self) -> dict[str, Any]:
        """Everything as plain values; labels that could not be measured have null."""
        rows = zip(self.labels, self.precision.tolist(), self.chance.tolist(), self.positives.tolist(), strict=True)
        return {
            "mean_average_precision": self.mean_precision,
            "mean_chance": self.mean_chance,
            "penalty": self.penalty,
            "train_views": self.train_views,
            "test_views": self.test_views,
            "labels": {
                label: {"average_precision": None if np.isnan(value) else value, "chance": chance, "positives": count}
                for label, value, chance, count in rows
            },
        }


def probe(
    features: NDArray[np.floating[Any]],
    targets: Bools,
    train: Bools,
    test: Bools,
    *,
    labels: Sequence[str] | None = None,
    houses: Ints | None = None,
) -> ProbeResult:
    """Fit on the views of `train`, measure on those of `test`.

    `features` is (views, dimension), `targets` (views, labels), the masks (views,). `houses` numbers the house of each view,
    so that the penalty is chosen on whole houses; without it, on blocks of neighbouring views.
    """
    names = tuple(labels) if labels is not None else tuple(map(str, range(targets.shape[1])))
    _check(features, targets, train, test, names)
    groups = houses if houses is not None else np.arange(len(features)) * HELD_OUT // max(1, len(features))
    inside, outside = _held_out(groups, train)
    known = features[train].astype(np.float32)
    penalty = _best_penalty(known, targets[train], inside, outside)
    scores = _Ridge(known, targets[train]).scores(features[test].astype(np.float32), penalty)
    learned = targets[train].any(axis=0) & ~targets[train].all(axis=0)
    precision = np.where(learned, average_precision(scores, targets[test]), np.nan)
    positives = targets[test].sum(axis=0)
    precision[positives == len(scores)] = np.nan
    return ProbeResult(names, precision, positives / len(scores), positives, penalty, len(known), len(scores))


def average_precision(scores: NDArray[np.floating[Any]], targets: Bools) -> Float64:
    """Average precision of each column (views, labels): the mean, over the positives, of the precision down to each.

    Equal scores are one step of the ranking, so constant scores give the share of positives. Without positives: nan.
    """
    order = np.argsort(-scores, axis=0, kind="stable")
    hits = np.cumsum(np.take_along_axis(targets, order, axis=0), axis=0)  # (views, labels)
    ranked = np.take_along_axis(scores, order, axis=0)
    last = np.ones(ranked.shape, dtype=np.bool_)  # whether the next score is lower
    last[:-1] = ranked[1:] < ranked[:-1]
    precision = hits / np.arange(1, len(scores) + 1)[:, None]
    # At the last view of each run of equal scores: how many positives have come up to here, and up to the run before.
    before = np.maximum.accumulate(np.where(last, hits, 0), axis=0)
    gained = np.diff(before, axis=0, prepend=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        value: Float64 = (gained * precision).sum(axis=0) / hits[-1]
    return value


class _Ridge:
    """Ridge regression for any penalty, from one eigendecomposition."""

    def __init__(self, features: Float32, targets: Bools) -> None:
        self._mean = features.mean(axis=0)
        deviation = features.std(axis=0)
        self._scale = np.where(deviation > 1e-6, 1 / np.maximum(deviation, 1e-6), 0).astype(np.float32)
        x = self._standard(features)
        y = (targets - targets.mean(axis=0)).astype(np.float32)
        values, self._vectors = np.linalg.eigh((x.T @ x).astype(np.float64))  # (dimension,), (dimension, dimension)
        self._values = np.maximum(values, 0)
        self._along = self._vectors.T @ (x.T @ y).astype(np.float64)  # (dimension, labels)
        self._views = len(x)

    def scores(self, features: Float32, penalty: float) -> Float32:
        """(views, labels). The constant term is left out: it changes no ranking."""
        scores: Float32 = self._standard(features) @ self._weights(penalty)
        return scores

    def plain(self, penalty: float) -> tuple[Float32, Float32]:
        """The weights (dimension, labels) and constants (labels,) that give the same scores from features as they are."""
        weights = self._scale[:, None] * self._weights(penalty)
        return weights, -(self._mean @ weights)

    def _weights(self, penalty: float) -> Float32:
        weights = self._vectors @ (self._along / (self._values + penalty * self._views)[:, None])
        rounded: Float32 = weights.astype(np.float32)
        return rounded

    def _standard(self, features: Float32) -> Float32:
        standard: Float32 = (features - self._mean) * self._scale
        return standard


@dataclass(frozen=True)
class LinearProbe:
    """A probe to be used: the probability of a label is the logistic function of `features @ weight + bias`."""

    labels: tuple[str, ...]
    weight: Float32  # (dimension, labels)
    bias: Float32  # (labels,)
    measured: ProbeResult
    """How well labels were read in houses, each of them left out of the fit."""


def fit_reader(features: Float32, targets: Bools, labels: Sequence[str], houses: Ints) -> LinearProbe:
    """Fit a probe to all views, (views, dimension) and (views, labels), to read labels in other houses.

    Its scores become probabilities by what they are worth where they were not fitted: each fifth of the `houses`, which
    are numbered view by view, is scored by a probe of the others. Labels that no view has, or all, are left out.
    """
    varied = np.flatnonzero(targets.any(axis=0) & ~targets.all(axis=0))
    names = tuple(labels[each] for each in varied.tolist())
    if not names:
        raise InputError("no label is in some views of the training houses and not in others; there is nothing to read")
    targets = targets[:, varied]
    penalty = _best_penalty(features, targets, *_held_out(houses, np.ones(len(houses), dtype=np.bool_)))
    fold, scores = _folds(houses), np.zeros(targets.shape, dtype=np.float32)
    for left_out in (fold == each for each in np.unique(fold)):
        scores[left_out] = _Ridge(features[~left_out], targets[~left_out]).scores(features[left_out], penalty)
    slope, offset = _calibrated(scores, targets)
    weight, constant = _Ridge(features, targets).plain(penalty)
    positives = targets.sum(axis=0)
    measured = ProbeResult(
        names, average_precision(scores, targets), positives / len(scores), positives, penalty, len(scores), len(scores)
    )
    return LinearProbe(names, weight * slope, constant * slope + offset, measured)


def _folds(houses: Ints) -> Ints:
    """The fifth that each view belongs to: whole houses, or blocks of neighbouring views where there is one house."""
    _, number = np.unique(houses, return_inverse=True)
    return number % HELD_OUT if number.any() else np.arange(len(houses)) * HELD_OUT // max(1, len(houses))


class _Logistic(NamedTuple):
    """For each label the logistic function of `slope * x + offset`."""

    slope: Float64  # (labels,)
    offset: Float64  # (labels,)

    def loss(self, x: Float64, y: Float64) -> Float64:
        """How improbable targets `y` are, (labels,); both are (views, labels)."""
        z = self.slope * x + self.offset
        found: Float64 = (np.logaddexp(0, z) - y * z).sum(axis=0)
        return found

    def stepped(self, x: Float64, y: Float64, held: Float64) -> _Logistic:
        """One of Newton's steps further; the more it is `held` back, (labels,), the shorter it is."""
        chance = 1 / (1 + np.exp(-np.clip(self.slope * x + self.offset, -50, 50)))
        off, weight = y - chance, chance * (1 - chance)
        steep, both, flat = (weight * x * x).sum(axis=0), (weight * x).sum(axis=0), weight.sum(axis=0)  # second derivatives
        up, across = (off * x).sum(axis=0), off.sum(axis=0)  # downhill
        steep, flat = steep + held * (1 + steep), flat + held * (1 + flat)
        size = np.maximum(steep * flat - both * both, 1e-12)
        return _Logistic(self.slope + (flat * up - both * across) / size, self.offset + (steep * across - both * up) / size)


def _calibrated(scores: Float32, targets: Bools) -> tuple[Float32, Float32]:
    """Slope and offset (labels,) of a logistic function that makes probabilities of scores (views, labels); a slope of 0
    where high scores are no good sign.

    Platt's method: targets are a little inside of 0 and 1.
    """
    middle, scale = scores.mean(axis=0), np.maximum(scores.std(axis=0), 1e-9)
    yes = targets.sum(axis=0)
    no = len(targets) - yes
    usual = np.log((yes + 1) / (no + 1))
    inside = np.where(targets, (yes + 1) / (yes + 2), 1 / (no + 2))
    slope, offset = _fitted(((scores - middle) / scale).astype(np.float64), inside, usual)
    good = slope > 0
    plain_slope, plain_offset = np.where(good, slope / scale, 0), np.where(good, offset - slope * middle / scale, usual)
    return plain_slope.astype(np.float32), plain_offset.astype(np.float32)


def _fitted(x: Float64, y: Float64, usual: Float64) -> _Logistic:
    """The best logistic functions, from those on that say the `usual` whatever x is: each label takes a step if it makes
    things better, and holds back from then on if it does not."""
    labels = len(usual)
    best = tried = _Logistic(np.zeros(labels), usual)
    loss, held = np.full(labels, np.inf), np.full(labels, 1e-6)
    for _ in range(NEWTON_STEPS):
        found = tried.loss(x, y)
        better = found < loss
        best = _Logistic(*(np.where(better, *pair) for pair in zip(tried, best, strict=True)))
        loss, held = np.where(better, found, loss), np.where(better, held / 10, held * 10)
        tried = best.stepped(x, y, held)
    return best


def _best_penalty(features: Float32, targets: Bools, inside: Bools, outside: Bools) -> float:
    ridge = _Ridge(features[inside], targets[inside])
    means = [_mean_precision(ridge.scores(features[outside], penalty), targets[outside]) for penalty in PENALTIES]
    return PENALTIES[int(np.argmax(means))]


def _mean_precision(scores: Float32, targets: Bools) -> float:
    present = targets.any(axis=0)
    return float(average_precision(scores[:, present], targets[:, present]).mean()) if present.any() else 0.0


def _held_out(groups: Ints, train: Bools) -> tuple[Bools, Bools]:
    """Which training views to fit on and which to choose the penalty on: every fifth group, and never all of them."""
    own = groups[train]
    _, number = np.unique(own, return_inverse=True)
    outside = number % HELD_OUT == HELD_OUT - 1
    if not outside.any():
        outside = number == number.max()
    if outside.all():
        outside = np.arange(len(own)) >= len(own) - max(1, len(own) // HELD_OUT)
    return ~outside, outside


def _check(features: NDArray[Any], targets: Bools, train: Bools, test: Bools, names: tuple[str, ...]) -> None:
    views = len(features)
    shapes = (features.ndim, targets.shape, train.shape, test.shape)
    if shapes != (2, (views, len(names)), (views,), (views,)):
        raise ValueError(f"features {features.shape}, targets {targets.shape} and masks {train.shape} do not fit")
    if (train & test).any():
        raise ValueError("a view is both a training and a test view")
    if train.sum() < 2 or not test.any():
        raise InputError("a probe needs views of training houses and of other houses")
    if not (targets[train].any(axis=0) & targets[test].any(axis=0)).any():
        raise InputError("no label is seen both in the training houses and in the others; use a larger world")


@dataclass(frozen=True)
class Targets:
    """What is to be read from each view, labels in columns: objects by their name, room types as `in: kitchen`."""

    labels: tuple[str, ...]
    table: Bools  # (viewpoints, 36, labels)


@dataclass(frozen=True)
class Visibility:
    """How much of each view objects of each label cover, 0 to 1, as a renderer knows it."""

    labels: tuple[str, ...]
    share: NDArray[np.floating[Any]]  # (viewpoints, 36, labels), viewpoints in the world's order


def listed_visibility(houses: Sequence[House], world: World) -> Visibility:
    """Visibility where nobody has rendered the views: 1 for labels in the room and the field of view, else 0."""
    features = symbolic_features(houses, world)
    return Visibility(features.labels, (features.array > 0).astype(np.float32))


def drawn_visibility(
    houses: Sequence[House], world: World, sightings: Callable[[str], NDArray[np.void]], progress: Count = unheard
) -> Visibility:
    """Visibility from the renderer. `sightings` gives a house's records (`vnla.houses.sightings.SIGHTING`)."""
    by_name = {house.name: house for house in houses}
    labels = sorted({thing.label for name in world.houses for thing in by_name[name].objects})
    column = {label: i for i, label in enumerate(labels)}
    share = np.zeros((len(world.ids), VIEWS, len(labels)), dtype=np.float32)
    for name, graph in zip(world.houses, world.graphs, strict=True):
        house, seen = by_name[name], sightings(name)
        label_of = {thing.id: column[thing.label] for thing in house.objects}
        seen = seen[np.isin(seen["object"], list(label_of))]  # what is no object of the house has no label
        row = {house.number[each]: world.viewpoint(name, each) for each in graph.ids}
        where = np.array([row[each] for each in seen["viewpoint"].tolist()], dtype=np.int64)
        what = np.array([label_of[each] for each in seen["object"].tolist()], dtype=np.int64)
        # Several objects of one label in a view count together.
        np.add.at(share, (where, seen["view"].astype(np.int64), what), seen["share"])
        progress(len(graph.ids))
    return Visibility(tuple(labels), share)


def probe_targets(houses: Sequence[House], world: World, visibility: Visibility, least: float = LEAST_SHARE) -> Targets:
    """Object labels that cover at least the share `least` of a view, and the type of the room the viewpoint is in."""
    rooms = _room_types(houses, world)
    kinds = sorted({room for room in rooms if room is not None})
    inside = np.array([[room == kind for kind in kinds] for room in rooms], dtype=np.bool_).reshape(len(rooms), len(kinds))
    table = np.concatenate([visibility.share >= least, np.repeat(inside[:, None, :], VIEWS, axis=1)], axis=2)
    return Targets((*visibility.labels, *map(in_room, kinds)), table)


def _room_types(houses: Sequence[House], world: World) -> list[str | None]:
    by_name = {house.name: house for house in houses}
    found: list[str | None] = []
    for name, graph in zip(world.houses, world.graphs, strict=True):
        house = by_name[name]
        rooms = [house.room_of(house.number[each]) for each in graph.ids]
        found += [None if room is None else room.name for room in rooms]
    return found

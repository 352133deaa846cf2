"""A guarantee for a trained agent, from fresh houses with one task each.

    sample = sampled(context, tasks, ratio=0.4)    # vnla.evaluation.sureness
    calibration = calibrate(sample, risk=0.1, confidence=0.9)
    print(calibration.found, calibration.certain, calibration.taught)

Three promises, each with its threshold. *Found it*: the agent says so only where it gave `stop` a certain probability; at
most the share `risk` of what it says is wrong. *Certain*: somebody acts for it from a certain doubt on; it gets there in all
but the share `risk` of the episodes. *As taught*: likewise, and so many episodes are the teacher's, step for step.
`docs/asking.md` has the theorems and where they end.

Tasks of one house resemble each other: several would count for less than the statistics believe.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from vnla.common.errors import InputError
from vnla.common.progress import Share, unheard
from vnla.evaluation.confidence import finite, ratio
from vnla.evaluation.conformal import (
    ThresholdTest,
    fewest_for_passing,
    fewest_for_quantile,
    last_passed,
    lower_quantile,
    try_thresholds,
)
from vnla.evaluation.sureness import DOUBTS, Array, Sample, house_numbers
from vnla.tasks.task import Task

STOPS = (0.99, 0.9, 0.8, 0.7, 0.5, 0.3, 0.1, 0.0)
"""Probabilities of `stop` to be tried, fixed before anything is seen; at the last, every episode counts."""


@dataclass(frozen=True)
class Calibration:
    """The thresholds that some houses allow."""

    risk: float
    confidence: float
    houses: int
    stops: tuple[ThresholdTest, ...]
    """Probabilities of `stop` from where on the agent may say that it has found the object."""
    doubts: tuple[ThresholdTest, ...]
    """Doubts from where on somebody acts, by the episodes that fail."""
    taught: float | None
    """The doubt from where on somebody has to act for so many episodes to be the teacher's; None if its way is too long."""

    @property
    def found(self) -> float | None:
        """The lowest probability of `stop` that passed, if one did."""
        return last_passed(self.stops)

    @property
    def certain(self) -> float | None:
        """The highest doubt that passed, if one did."""
        return last_passed(self.doubts)

    def as_dict(self) -> dict[str, Any]:
        """For a JSON file."""
        return {
            **{name: getattr(self, name) for name in ("risk", "confidence", "houses", "found", "certain", "taught")},
            "stops": [each._asdict() for each in self.stops],
            "doubts": [each._asdict() for each in self.doubts],
        }


def calibrate(sample: Sample, *, risk: float, confidence: float) -> Calibration:
    """Thresholds from tasks of different houses."""
    houses = len(sample.house)
    if len(np.unique(sample.house)) < houses:
        raise InputError("calibration: a house has several tasks, which are not independent; give one task a house")
    check_enough(houses, risk, confidence)
    says = sample.sureness >= np.array(STOPS)[:, None]  # (STOPS, tasks)
    equal = [(1 - confidence) / len(STOPS)] * len(STOPS)  # hardly anybody reaches the strictest: each needs a part
    first = [1 - confidence, *[0.0] * (len(DOUBTS) - 1)]  # where somebody always acts everything is known to go well
    failures = (~sample.success).sum(axis=0)
    return Calibration(
        risk=risk,
        confidence=confidence,
        houses=houses,
        stops=tuple(try_thresholds(STOPS, says.sum(axis=1), (says & sample.wrong).sum(axis=1), risk=risk, parts=equal)),
        doubts=tuple(try_thresholds(DOUBTS, [houses] * len(DOUBTS), failures, risk=risk, parts=first)),
        taught=max((each for each in DOUBTS if each <= lower_quantile(sample.doubt, risk)), default=None),
    )


def check_enough(houses: int, risk: float, confidence: float) -> None:
    """Refuse fewer houses than the promises take."""
    for name, value in (("risk", risk), ("confidence", confidence)):
        if not 0 < value < 1:
            raise InputError(f"{name} {value}: must be above 0 and below 1")
    fewest = max(fewest_for_quantile(risk), fewest_for_passing(risk, (1 - confidence) / len(STOPS)))
    if houses < fewest:
        raise InputError(
            f"{houses} houses to calibrate in are too few: a risk of {risk} with confidence {confidence} takes {fewest}"
            " or more, with a task each; make more, or allow a larger risk"
        )


def check_fresh(tasks: Iterable[Task], known: Iterable[Task]) -> None:
    """Refuse houses that the agent knows, from training or because it was chosen there. Viewpoints tell them apart."""
    seen = {(task.house, task.start) for task in known}
    houses = {task.house for task in tasks if (task.house, task.start) in seen}
    if houses:
        others = f", and in {len(houses) - 1} others of these" if len(houses) > 1 else ""
        raise InputError(
            f"house {min(houses)}: the agent was trained or chosen in it{others}; a guarantee takes fresh houses"
        )


def some_tasks(tasks: Sequence[Task], each: int, seed: int) -> list[Task]:
    """At most so many tasks of each house, drawn by a seed."""
    return [tasks[place] for place in some_a_house(house_numbers(tasks), np.random.default_rng(seed), each)]


def some_a_house(house: Array, random: np.random.Generator, each: int = 1) -> Array:
    """Places of some tasks of each house, where `house` is that of every task."""
    order = random.permutation(len(house))
    order = order[house[order].argsort(kind="stable")]
    _, first, which = np.unique(house[order], return_index=True, return_inverse=True)
    chosen: Array = order[np.arange(len(order)) - first[which] < each]
    return chosen


class Held(NamedTuple):
    """How promises are kept: shares of the episodes, and of the steps; not a number where nothing was promised."""

    says: float  # the agent says that it has found the object
    wrong: float  # of these: it has not
    success: float  # certain: it gets there
    asks: float  # certain: steps at which somebody acts
    as_taught: float  # as taught: each step is the teacher's
    asks_as_taught: float  # as taught: steps at which somebody acts

    def as_dict(self) -> dict[str, float | None]:
        """For a JSON file; what cannot be known is null."""
        return {name: finite(value) for name, value in self._asdict().items()}


def held(calibration: Calibration, sample: Sample) -> Held:
    """How promises are kept in the houses of a sample, each of which counts the same, however many tasks it has."""
    weight = 1 / np.bincount(sample.house)[sample.house]
    says = weight * (sample.sureness >= (math.inf if calibration.found is None else calibration.found))
    certain, taught = (_guarded(sample, weight, least) for least in (calibration.certain, calibration.taught))
    return Held(
        says=ratio(says, weight),
        wrong=ratio(says * sample.wrong, says),
        success=certain.success,
        asks=certain.asks,
        as_taught=taught.as_taught,
        asks_as_taught=taught.asks,
    )


class _Guarded(NamedTuple):
    success: float
    asks: float
    as_taught: float


def _guarded(sample: Sample, weight: Array, least: float | None) -> _Guarded:
    """Shares if somebody acts from the doubt `least` on: episodes that succeed, steps with help, episodes as taught."""
    if least is None:
        return _Guarded(math.nan, math.nan, math.nan)
    place = DOUBTS.index(least)
    return _Guarded(
        success=ratio(weight * sample.success[:, place], weight),
        asks=ratio(weight * sample.requests[:, place], weight * sample.steps[:, place]),
        as_taught=ratio(weight * (sample.doubt >= least), weight),
    )


def check(
    here: Sample,
    *,
    risk: float,
    confidence: float,
    times: int,
    there: Sample | None = None,
    seed: int = 0,
    progress: Share = unheard,
) -> list[Held]:
    """Calibrate on one half of the houses, drawn anew each time, and see how promises are kept in the other half, or
    `there`."""
    random, found = np.random.default_rng(seed), []
    houses = np.unique(here.house)
    for done in range(1, times + 1):
        is_mine = np.isin(here.house, random.permutation(houses)[: len(houses) // 2])
        mine, others = here.rows(is_mine), here.rows(~is_mine)
        calibration = calibrate(mine.rows(some_a_house(mine.house, random)), risk=risk, confidence=confidence)
        found.append(held(calibration, others if there is None else there))
        progress(done, times)
    return found

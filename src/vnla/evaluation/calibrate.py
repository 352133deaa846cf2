"""A guarantee for a trained agent, from fresh houses with one task each.

    sample = Subject.of(players, tasks, ratio=0.4).sample   # vnla.evaluation.sureness
    calibration = calibrate(sample, risk=0.1, delta=0.1)
    print(calibration.found, calibration.least)

Two promises, each with its threshold. *Found it*: the agent says so only if it stops with a probability that has passed;
then at most the share `risk` of what it says is wrong. *Certain*: somebody acts for it wherever its doubt is large enough
(`vnla.roles.certain`); then it gets there in all but the share `risk` of the episodes. `docs/asking.md` has the theorems and
where they end. Tasks of one house resemble each other: several would count for less than the statistics believe.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from vnla.common.errors import InputError
from vnla.common.progress import Share, unheard
from vnla.evaluation.confidence import ratio
from vnla.evaluation.conformal import Tried, fewest_for_passing, fewest_for_quantile, lower_quantile, try_thresholds
from vnla.evaluation.sureness import OUT_OF_TIME, Array, Sample, Subject
from vnla.tasks.task import Task

THRESHOLDS = (0.99, 0.98, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.0)
"""Of the probability of `stop`, fixed before anything is seen; at the last, whoever stops says so."""


@dataclass(frozen=True)
class Calibration:
    """The thresholds that some houses allow."""

    risk: float
    delta: float
    houses: int
    tried: tuple[Tried, ...]
    """Every threshold of *found it*, the strictest first."""
    least: float | None
    """The doubt at which somebody acts; None if the teacher's own way is too long too often."""

    @property
    def found(self) -> Tried | None:
        """The lowest threshold that passed, if one did."""
        return next((each for each in reversed(self.tried) if each.passed), None)

    def says(self, sample: Sample) -> Array:
        """In which tasks the agent says that it has found the object."""
        return sample.sureness >= (math.inf if self.found is None else self.found.threshold)

    def as_dict(self) -> dict[str, Any]:
        """For a JSON file."""
        return {
            "risk": self.risk,
            "delta": self.delta,
            "houses": self.houses,
            "found": {
                "threshold": self.found and self.found.threshold,
                "tried": [each._asdict() for each in self.tried],
            },
            "certain": {"least": self.least},
        }


def calibrate(sample: Sample, *, risk: float, delta: float) -> Calibration:
    """Thresholds from tasks of different houses."""
    if len(np.unique(sample.house)) < len(sample.house):
        raise InputError("calibration: a house has several tasks; they are not independent, so give one task a house")
    if len(sample.house) < (fewest := fewest_houses(risk, delta)):
        raise InputError(f"{len(sample.house)} houses: a risk of {risk} at δ = {delta} takes at least {fewest}")
    least = lower_quantile(sample.doubt, risk)
    return Calibration(
        risk=risk,
        delta=delta,
        houses=len(sample.house),
        tried=tuple(try_thresholds(sample.sureness, sample.wrong, THRESHOLDS, risk, delta)),
        least=None if least == OUT_OF_TIME else least,
    )


def fewest_houses(risk: float, delta: float) -> int:
    """How many houses both promises take."""
    for name, value in (("risk", risk), ("δ", delta)):
        if not 0 < value < 1:
            raise InputError(f"{name} {value}: must be between 0 and 1")
    return max(fewest_for_quantile(risk), fewest_for_passing(risk, delta, len(THRESHOLDS)))


def one_a_house(house: Array, houses: Array, random: np.random.Generator) -> Array:
    """One task of each of some houses, where `house` is that of every task: their places."""
    order = random.permutation(np.flatnonzero(np.isin(house, houses)))
    chosen: Array = order[np.unique(house[order], return_index=True)[1]]
    return chosen


def check_fresh(tasks: Iterable[Task], known: Iterable[Task]) -> None:
    """Refuse houses that the agent knows, from training or because it was chosen there. Viewpoints tell them apart."""
    seen = {(task.house, task.start) for task in known}
    houses = {task.house for task in tasks if (task.house, task.start) in seen}
    if houses:
        raise InputError(
            f"house {min(houses)}: the agent was trained or chosen in it"
            f"{f', and in {len(houses) - 1} others of these' if len(houses) > 1 else ''}; a guarantee takes fresh houses"
        )


class Held(NamedTuple):
    """How two promises are kept."""

    says: float  # share of the episodes in which it says that it has found the object
    wrong: float  # share of these in which it has not; not a number if there are none
    success: float  # share of the episodes in which it gets there if somebody acts wherever it is not certain
    as_taught: float  # share of the episodes that are the teacher's, step for step
    asks: float  # share of the steps at which somebody acts


def held(calibration: Calibration, subject: Subject, houses: Array, random: np.random.Generator) -> Held:
    """How promises are kept in some houses: the first in all tasks there, each house counting the same, the second in one
    task of each house."""
    sample = subject.sample
    weight = np.isin(sample.house, houses) / np.bincount(sample.house)[sample.house]
    says = calibration.says(sample) * weight
    walks = subject.walks(calibration.least or 0.0, one_a_house(sample.house, houses, random))
    return Held(
        says=ratio(says, weight),
        wrong=ratio(says * sample.wrong, says),
        success=float(walks.success.mean()),
        as_taught=float(walks.as_taught.mean()),
        asks=ratio(walks.requests, walks.steps),
    )


def check(
    here: Subject,
    *,
    risk: float,
    delta: float,
    splits: int,
    there: Subject | None = None,
    seed: int = 0,
    progress: Share = unheard,
) -> list[Held]:
    """Calibrate on one half of the houses, drawn anew each time, and look how the promises are kept in the other half; or in
    all houses `there`."""
    random, found = np.random.default_rng(seed), []
    houses = np.unique(here.sample.house)
    for done in range(1, splits + 1):
        mine, others = np.array_split(random.permutation(houses), 2)
        calibration = calibrate(here.sample.rows(one_a_house(here.sample.house, mine, random)), risk=risk, delta=delta)
        others = others if there is None else np.unique(there.sample.house)
        found.append(held(calibration, there or here, others, random))
        progress(done, splits)
    return found

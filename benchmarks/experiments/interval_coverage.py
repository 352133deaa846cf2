"""How often 95% intervals contain what they are about, with few houses and few trainings: a simulation.

    python benchmarks/experiments/interval_coverage.py results/paper/full/learned/test_unseen.npz coverage.json

How much success differs between houses is measured in the evaluation, whose walks tell which tasks are in one house. Then
houses, trainings and episodes are drawn again and again, with a known rate of success, and it is counted how often the
intervals of `vnla.evaluation.confidence` contain it. Beside them stands the percentile bootstrap, which draws houses and
trainings with replacement.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from vnla.camera import VIEWS
from vnla.common.files import write_text
from vnla.common.machine import commit, machine_words
from vnla.evaluation.confidence import Floats, Interval, difference_over_houses, over_houses, over_trainings

SIMULATIONS, DRAWS, SEED = 2000, 400, 0
HOUSES = (2, 3, 4, 8, 18, 200)
TRAININGS = (1, 3, 5)
TASKS = 280
"""Of a house on average; of one in 200 it is a fifth."""
LESS = 0.08
"""By how much the second of two agents succeeds less often."""
APART = 0.03
"""Standard deviation between houses of what two agents differ by."""
TRAINED, TRAINED_HERE = 0.01, 0.02
"""Standard deviations between trainings, and of what a training is better or worse at in a single house."""

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class HouseSpread:
    """How success differs between houses."""

    rate: float
    between: float
    """Standard deviation between houses, without what chance adds in so many tasks."""
    houses: int
    smallest: int
    largest: int

    @property
    def correlation(self) -> float:
        """That of two tasks of one house."""
        return self.between**2 / (self.rate * (1 - self.rate))


@dataclass(frozen=True)
class CoverageSetting:
    """What is simulated."""

    figure: str
    """rate, ratio or difference."""
    rate: float
    houses: int
    trainings: int
    unequal: bool
    """Whether houses have between a tenth and twice as many tasks as on average."""


def measured(path: Path) -> HouseSpread:
    """Return how success differs between the houses of an evaluation: viewpoints that a walk connects are in one house."""
    with np.load(path) as found:
        place, length = found["trace.pose"].astype(np.int64) // VIEWS, found["trace.length"].astype(np.int64)
        success = found["scores.success"].mean(axis=0)
    on_the_way = np.arange(place.shape[1] - 1) < length[:, None]
    ways = (place[:, :-1][on_the_way], place[:, 1:][on_the_way])
    size = int(place.max()) + 1
    _, part = connected_components(coo_array((np.ones(len(ways[0])), ways), shape=(size, size)), directed=False)
    reach = sorted(
        (int(each[0]), int(each[-1])) for each in (np.flatnonzero(part == one) for one in np.unique(part[place[:, 0]]))
    )
    first = [low for number, (low, _) in enumerate(reach) if all(high < low for _, high in reach[:number])]
    house = np.searchsorted(first, place[: len(success), 0], side="right")
    each = [success[house == one] for one in np.unique(house)]
    chance = np.mean([one.var(ddof=1) / len(one) for one in each])
    between = np.sqrt(np.var([one.mean() for one in each], ddof=1) - chance)
    sizes = [len(one) for one in each]
    return HouseSpread(float(success.mean()), float(between), len(each), min(sizes), max(sizes))


class Simulation:
    """Houses, trainings and episodes with a known rate of success."""

    def __init__(self, setting: CoverageSetting, correlation: float) -> None:
        self.setting = setting
        self.correlation = correlation
        self.random = np.random.default_rng(
            [SEED, HOUSES.index(setting.houses), setting.trainings, int(1000 * setting.rate)]
        )

    @property
    def truth(self) -> float:
        """What the intervals are to contain."""
        return LESS if self.setting.figure == "difference" else self.setting.rate

    def intervals(self) -> tuple[Interval, tuple[float, float]]:
        """Return the interval of one simulation, and that of the percentile bootstrap."""
        setting, random = self.setting, self.random
        tasks = self._sizes()
        rates = self._rates()
        if setting.figure == "ratio":  # some two requests a task, of which so many are right
            bottom = random.poisson(random.gamma(8, 0.25, size=setting.houses) * tasks) + 1
            top = random.binomial(bottom, rates)
            found = over_houses(top, bottom, houses=np.arange(setting.houses), whole=1)
            return found, self._percentile([top[None] / bottom], bottom)
        sides = [rates]
        if setting.figure == "difference":
            sides.append(rates - LESS + random.normal(0, APART, size=setting.houses))
        means = [self._trained(each, tasks) for each in sides]  # (trainings, houses) each
        return self._interval(means, tasks), self._percentile(means, tasks)

    def _sizes(self) -> Ints:
        mean = TASKS if self.setting.houses < max(HOUSES) else TASKS // 5
        reach = (mean // 10, 2 * mean) if self.setting.unequal else (mean * 9 // 10, mean * 11 // 10)
        return self.random.integers(*reach, size=self.setting.houses)

    def _rates(self) -> Floats:
        """Return a rate for each house, by the beta distribution."""
        much = 1 / self.correlation - 1
        return self.random.beta(self.setting.rate * much, (1 - self.setting.rate) * much, size=self.setting.houses)

    def _trained(self, rates: Floats, tasks: Ints) -> Floats:
        """Return which share of its tasks each training does in each house; one training stands for itself."""
        shape, random = (self.setting.trainings, self.setting.houses), self.random
        if shape[0] > 1:
            rates = rates + random.normal(0, TRAINED, size=(shape[0], 1)) + random.normal(0, TRAINED_HERE, size=shape)
        return random.binomial(tasks, np.clip(rates, 0, 1), size=shape) / tasks

    def _interval(self, means: list[Floats], tasks: Ints) -> Interval:
        if self.setting.trainings > 1:
            houses = np.repeat(np.arange(len(tasks)), tasks)
            return over_trainings(*(np.repeat(each, tasks, axis=1) for each in means), houses=houses, whole=1)
        houses, sums = np.arange(len(tasks)), [(each[0] * tasks, tasks) for each in means]
        if len(sums) == 1:
            return over_houses(*sums[0], houses=houses, whole=1)
        return difference_over_houses(sums[0], sums[1], (houses, houses), whole=1)

    def _percentile(self, means: list[Floats], tasks: Ints) -> tuple[float, float]:
        """Return the middle 95% of the figures of houses and trainings that are drawn with replacement."""
        drawn = self.random.integers(len(tasks), size=(DRAWS, len(tasks)))
        found = []
        for each in means:
            rates = (each * tasks)[:, drawn].sum(axis=2) / tasks[drawn].sum(axis=1)  # (trainings, draws)
            found.append(np.take_along_axis(rates, self.random.integers(len(rates), size=rates.shape), axis=0).mean(axis=0))
        low, high = np.quantile(found[0] - sum(found[1:]), [0.025, 0.975])
        return float(low), float(high)


def settings(rate: float) -> list[CoverageSetting]:
    """Return all that is simulated."""
    alone = [
        ("rate", rate, False),
        ("rate", rate, True),
        ("rate", 0.05, True),
        ("ratio", 0.6, True),
        ("difference", rate, True),
    ]
    several = [("rate", rate, True), ("difference", rate, True)]
    return [
        CoverageSetting(figure, p, houses, trainings, unequal)
        for trainings in TRAININGS
        for figure, p, unequal in (alone if trainings == 1 else several)
        for houses in HOUSES
    ]


def covered(setting: CoverageSetting, correlation: float) -> dict[str, Any]:
    """Return how many per cent of the intervals contain the truth, and how wide half of them are at most, in points."""
    simulation = Simulation(setting, correlation)
    rows = np.array([[*found[:3], *other] for found, other in (simulation.intervals() for _ in range(SIMULATIONS))])
    known = rows[~np.isnan(rows[:, 1])]
    contains = [(known[:, low] <= simulation.truth) & (simulation.truth <= known[:, low + 1]) for low in (1, 3)]
    return {
        **asdict(setting),
        "covers": round(100 * float(contains[0].mean()), 1),
        "percentile_bootstrap_covers": round(100 * float(contains[1].mean()), 1),
        "points_wide": round(100 * float(np.median(known[:, 2] - known[:, 1])), 1),
        "without_interval": len(rows) - len(known),
    }


def main(evaluation: str, out: str) -> None:
    """Print the table, and write it."""
    spread = measured(Path(evaluation))
    rows = []
    for setting in settings(round(spread.rate, 2)):
        row = covered(setting, spread.correlation)
        rows.append(row)
        print(" | ".join(str(each) for each in row.values()), flush=True)
    record = {
        "command": f"python benchmarks/experiments/interval_coverage.py {evaluation} {out}",
        "commit": commit(),
        "machine": machine_words(),
        "simulations": SIMULATIONS,
        "draws_of_the_bootstrap": DRAWS,
        "between_houses": {**asdict(spread), "correlation": spread.correlation},
        "difference": {"points": 100 * LESS, "between_houses": 100 * APART},
        "between_trainings": {"points": 100 * TRAINED, "in_a_house": 100 * TRAINED_HERE},
        "rows": rows,
    }
    write_text(Path(out), json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

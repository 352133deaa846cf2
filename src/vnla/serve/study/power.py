"""How many people a study needs to find a difference between two conditions.

What is compared is each person's share of tasks that went well: paired where everybody does both conditions, and otherwise
between two groups, by Student's t test. A person with the chance p of success in a task has in m tasks a share with the
variance p(1-p)/m. Chances differ among people, with standard deviation `spread`, and those of one person under two
conditions are correlated. So the variance of a share over people is

    (P(1-P) - spread²) / m + spread²,

with the mean chance P, and that of a person's difference is the sum of both less 2 · correlation · spread².
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from vnla.common.errors import InputError

MOST = 100_000
"""More people than that are not looked for."""


@dataclass(frozen=True)
class Expected:
    """What is expected of people. Shares are between 0 and 1."""

    success: float = 0.5
    """The share of tasks that go well under the first condition."""
    spread: float = 0.15
    """The standard deviation of people's chances."""
    correlation: float = 0.5
    """Of a person's chances under two conditions."""

    def variances(self, difference: float, tasks: int) -> tuple[float, float]:
        """Return the variances of a person's share under both conditions."""
        means = (self.success, self.success + difference)
        if not all(0 < mean < 1 and self.spread**2 < mean * (1 - mean) for mean in means):
            raise InputError(
                f"{100 * means[0]:g}% and {100 * means[1]:g}% with a spread of {100 * self.spread:g} points: "
                "no chances are like that; expected shares between 0% and 100% and a spread that fits between"
            )
        first, second = ((mean * (1 - mean) - self.spread**2) / tasks + self.spread**2 for mean in means)
        return first, second


@dataclass(frozen=True)
class PowerAnalysis:
    """A two-sided test between two conditions that finds a true difference with probability `power`."""

    arrangement: Literal["within", "between"]
    level: float = 0.05
    power: float = 0.8

    def finds(self, people: int, difference: float, tasks: int, expected: Expected) -> float:
        """Return the probability that so many people, all together, show the difference."""
        from scipy.stats import nct, t

        first, second = expected.variances(difference, tasks)
        if self.arrangement == "within":
            variance, freedom = first + second - 2 * expected.correlation * expected.spread**2, people - 1
            error = math.sqrt(variance / people)
        else:
            error, freedom = math.sqrt((first + second) / (people / 2)), people - 2
        bound = t.ppf(1 - self.level / 2, freedom)
        shift = abs(difference) / error
        return float(nct.sf(bound, freedom, shift) + nct.cdf(-bound, freedom, shift))

    def people(self, difference: float, tasks: int, expected: Expected, cells: int = 1) -> int | None:
        """Return the fewest people, as many in every one of so many cells; None if it takes more than `MOST`."""
        low, high = 1, max(1, math.ceil(4 / cells))
        while self.finds(high * cells, difference, tasks, expected) < self.power:
            low, high = high, 2 * high
            if high * cells > MOST:
                return None
        while low < high:
            middle = (low + high) // 2
            enough = middle * cells >= 4 and self.finds(middle * cells, difference, tasks, expected) >= self.power
            low, high = (low, middle) if enough else (middle + 1, high)
        return high * cells

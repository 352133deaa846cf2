"""Thresholds with a guarantee, from cases that were drawn as the next one will be. Statistics alone: nothing here acts.

`lower_quantile` is split conformal prediction (Vovk et al. 2005). `try_thresholds` is Learn-then-Test (Angelopoulos et al.
2021): each threshold is a hypothesis, tested exactly, and the chance that one passes which should not is bounded over all of
them. `docs/asking.md` has the theorems.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr

Floats = NDArray[np.float64]


def lower_quantile(scores: ArrayLike, risk: float) -> float:
    """A number below which one more score lies with probability `risk` at most: the ⌊risk·(N + 1)⌋-th lowest of N.

    Minus infinity where there are too few scores to say.
    """
    ordered = np.sort(np.asarray(scores, dtype=np.float64), axis=None)
    rank = math.floor(_exactly(risk) * (len(ordered) + 1))
    return float(ordered[rank - 1]) if rank else -math.inf


def fewest_for_quantile(risk: float) -> int:
    """How many scores `lower_quantile` takes."""
    return math.ceil(1 / _exactly(risk)) - 1


def binomial_p_value(wrong: ArrayLike, of: ArrayLike, risk: float) -> Floats:
    """The chance of so few wrong ones among so many if each were wrong with probability `risk`; of none at all, 1."""
    found: Floats = np.asarray(bdtr(np.asarray(wrong, float), np.asarray(of, np.int64), risk), np.float64)
    return found


class ThresholdTest(NamedTuple):
    """A threshold: how many cases it concerns, how many of them were wrong, and whether it passed."""

    threshold: float
    cases: int
    wrong: int
    p_value: float
    passed: bool


def try_thresholds(
    thresholds: Sequence[float], cases: ArrayLike, wrong: ArrayLike, *, risk: float, parts: Sequence[float]
) -> list[ThresholdTest]:
    """Test of each threshold, the strictest first: "a case that it concerns is wrong with probability `risk` at most".

    With probability 1 − Σ `parts` no threshold passes of which that is false.
    """
    p_values = binomial_p_value(wrong, cases, risk)
    columns = (
        thresholds,
        np.asarray(cases).tolist(),
        np.asarray(wrong).tolist(),
        p_values.tolist(),
        passing(p_values, parts),
    )
    return [ThresholdTest(*row) for row in zip(*columns, strict=True)]


def passing(p_values: ArrayLike, parts: Sequence[float]) -> list[bool]:
    """Which hypotheses pass; with probability 1 − Σ `parts` none that is false, however the p-values hang together.

    The fallback procedure (Wiens 2003): each has its part of the error, and one that passes hands all it had to the next. If
    the first has all of it, this is testing in a fixed sequence.
    """
    passed, level = [], 0.0
    for value, part in zip(np.asarray(p_values).tolist(), parts, strict=True):
        level += part
        passed.append(value <= level)
        level *= passed[-1]
    return passed


def last_passed(tried: Sequence[ThresholdTest]) -> float | None:
    """The least strict threshold that passed, if one did."""
    return next((each.threshold for each in reversed(tried) if each.passed), None)


def fewest_for_passing(risk: float, part: float) -> int:
    """How many cases, none of them wrong, it takes to pass with this part of the error."""
    return math.ceil(math.log(part) / math.log1p(-risk))


def _exactly(share: float) -> Fraction:
    """The number that a person wrote: 0.1 is a tenth."""
    return Fraction(str(share))

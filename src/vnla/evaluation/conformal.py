"""Thresholds with a guarantee, from cases that were drawn as the next one will be. Statistics alone: nothing here acts.

`lower_quantile` is split conformal prediction (Vovk et al. 2005). `passing` is Learn-then-Test (Angelopoulos et al. 2021):
each threshold is a hypothesis, tested exactly, and the chance that one passes which should not is bounded over all of them.
`docs/asking.md` has the theorems.
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


class Tried(NamedTuple):
    """How often cases whose score reaches a threshold were wrong, and whether it passed."""

    threshold: float
    reached: int
    wrong: int
    p_value: float
    passed: bool


def try_thresholds(
    scores: ArrayLike, wrong: ArrayLike, thresholds: Sequence[float], risk: float, delta: float
) -> list[Tried]:
    """Every threshold, the strictest first: "a case that reaches it is wrong with probability `risk` at most".

    With probability 1 − `delta` no threshold passes of which that is false.
    """
    strictest_first = np.sort(np.asarray(thresholds, dtype=np.float64))[::-1]
    reach = np.asarray(scores, dtype=np.float64) >= strictest_first[:, None]  # (thresholds, cases)
    reached, errors = reach.sum(axis=1), (reach & np.asarray(wrong, dtype=bool)).sum(axis=1)
    p_values = binomial_p_value(errors, reached, risk)
    columns = (strictest_first, reached, errors, p_values, passing(p_values, delta))
    return [Tried(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def passing(p_values: ArrayLike, delta: float) -> NDArray[np.bool_]:
    """Which hypotheses pass; with probability 1 − `delta` none that is false, however the p-values hang together.

    The fallback procedure (Wiens 2003): each has an equal part of `delta`, and one that passes hands all it had to the next.
    """
    values = np.asarray(p_values, dtype=np.float64)
    passed, parts = np.zeros(len(values), dtype=bool), 0
    for place, value in enumerate(values):
        parts += 1
        passed[place] = value <= delta * parts / len(values)
        parts *= passed[place]
    return passed


def fewest_for_passing(risk: float, delta: float, hypotheses: int) -> int:
    """How many cases it takes until the first of so many hypotheses can pass, if none of the cases is wrong."""
    return math.ceil(math.log(delta / hypotheses) / math.log1p(-risk))


def _exactly(share: float) -> Fraction:
    """The number that a person wrote: 0.1 is a tenth."""
    return Fraction(str(share))

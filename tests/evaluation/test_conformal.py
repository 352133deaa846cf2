"""Thresholds with a guarantee: the finite-sample rules worked out by hand, and that they hold over many draws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vnla.evaluation.conformal import (
    binomial_p_value,
    fewest_for_passing,
    fewest_for_quantile,
    last_passed,
    lower_quantile,
    passing,
    try_thresholds,
)

RISKS = st.sampled_from([0.05, 0.1, 0.2, 0.25, 0.3, 0.5])
DRAWS = 2000


def tolerance(share: float, draws: int = DRAWS) -> float:
    """Five standard errors of a share."""
    return 5 * math.sqrt(share * (1 - share) / draws)


def test_the_quantile_by_hand() -> None:
    """Of 19 scores and the next one, each is as likely as the others to be the lowest or the second: 2 of 20 are a tenth."""
    assert lower_quantile(range(19), 0.1) == 1
    assert lower_quantile(range(18), 0.1) == 0  # a tenth of 19 places is not two
    assert lower_quantile(range(9), 0.1) == 0
    assert lower_quantile(range(8), 0.1) == -math.inf
    assert lower_quantile([], 0.1) == -math.inf


def test_a_tenth_is_a_tenth() -> None:
    """0.29·100 is 28.999999999999996 in binary."""
    assert lower_quantile(range(99), 0.29) == 28


@given(RISKS)
def test_so_many_scores_are_enough_and_one_fewer_is_not(risk: float) -> None:
    fewest = fewest_for_quantile(risk)
    assert math.isfinite(lower_quantile(range(fewest), risk))
    assert fewest == 0 or lower_quantile(range(fewest - 1), risk) == -math.inf


@settings(max_examples=20)
@given(RISKS, st.integers(20, 80), st.integers(0, 2**32 - 1), st.booleans())
def test_one_more_score_is_seldom_below(risk: float, count: int, seed: int, tied: bool) -> None:
    """Exchangeable and far from independent: all scores of a draw share an offset and a scale."""
    random = np.random.default_rng(seed)
    scores = random.gumbel(size=(DRAWS, count + 1)) * random.gamma(1, size=(DRAWS, 1)) + random.normal(size=(DRAWS, 1))
    scores = scores.round() if tied else scores
    below = np.mean([each[-1] < lower_quantile(each[:-1], risk) for each in scores])
    expected = math.floor(risk * (count + 1) + 1e-9) / (count + 1)
    assert below <= expected + tolerance(expected)
    assert tied or below >= expected - tolerance(expected)


def test_p_values_by_hand() -> None:
    assert binomial_p_value(0, 22, 0.1) == pytest.approx(0.9**22)
    assert binomial_p_value(1, 3, 0.5) == pytest.approx(4 / 8)
    assert binomial_p_value([0, 5], [0, 5], 0.2).tolist() == [1, 1]  # nothing is known; as bad as can be


@given(st.integers(0, 60), st.integers(0, 60), RISKS)
def test_p_values_are_sums_of_binomial_terms(one: int, other: int, risk: float) -> None:
    wrong, of = sorted((one, other))
    terms = [math.comb(of, k) * risk**k * (1 - risk) ** (of - k) for k in range(wrong + 1)]
    assert binomial_p_value(wrong, of, risk) == pytest.approx(sum(terms))


def test_who_passes_hands_its_part_on() -> None:
    parts = [0.025] * 4
    assert passing([0.02, 0.05, 0.07, 0.1], parts) == [True, True, True, True]
    assert passing([0.03, 0.05, 0.02, 0.05], parts) == [False, False, True, True]
    assert passing([0.02, 0.06, 0.03, 0.02], parts) == [True, False, False, True]
    assert passing([], []) == []


def test_a_fixed_sequence_ends_where_one_does_not_pass() -> None:
    assert passing([0.09, 0.01, 0.2, 0.01], [0.1, 0, 0, 0]) == [True, True, False, False]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(0.01, 0.5))
def test_all_that_bonferroni_lets_pass_and_nothing_above_all_of_it(p_values: list[float], error: float) -> None:
    part = error / len(p_values)
    passed = passing(p_values, [part] * len(p_values))
    assert all(good for good, value in zip(passed, p_values, strict=True) if value <= part)
    assert not any(good for good, value in zip(passed, p_values, strict=True) if value > error * (1 + 1e-9))


@given(RISKS, st.sampled_from([0.005, 0.02, 0.1, 0.2]))
def test_so_many_cases_are_enough_to_pass(risk: float, part: float) -> None:
    fewest = fewest_for_passing(risk, part)
    assert binomial_p_value(0, fewest, risk) <= part < binomial_p_value(0, fewest - 1, risk)


def test_thresholds_with_their_cases() -> None:
    rows = try_thresholds([0.99, 0.9, 0.5], [0, 50, 60], [0, 0, 10], risk=0.1, parts=[0.03] * 3)
    assert [row[:3] for row in rows] == [(0.99, 0, 0), (0.9, 50, 0), (0.5, 60, 10)]
    assert [row.passed for row in rows] == [False, True, False]
    assert rows[1].p_value == pytest.approx(0.9**50)
    assert last_passed(rows) == 0.9
    assert last_passed(rows[:1]) is None


THRESHOLDS = (0.9, 0.8, 0.6, 0.4, 0.2, 0.0)


@pytest.mark.parametrize("error", [0.05, 0.2])
@pytest.mark.parametrize("rising", [True, False, None])
def test_false_thresholds_seldom_pass(rising: bool | None, error: float) -> None:
    """At the edge of what is allowed: whoever reaches a threshold is wrong a little more often than the risk, at the strict
    ones, at the others, or at all of them."""
    random, risk, failures = np.random.default_rng(7), 0.2, 0
    parts = [error / len(THRESHOLDS)] * len(THRESHOLDS)
    false = [each for each in THRESHOLDS if _mean_error(each, rising) > risk]
    for _ in range(DRAWS):
        scores = random.random(120)
        chance = np.full(120, 0.2005) if rising is None else 0.401 * (1 - scores if rising else scores)
        wrong = random.random(120) < chance
        reach = scores >= np.array(THRESHOLDS)[:, None]
        rows = try_thresholds(THRESHOLDS, reach.sum(axis=1), (reach & wrong).sum(axis=1), risk=risk, parts=parts)
        failures += any(row.passed and row.threshold in false for row in rows)
    assert false
    assert failures / DRAWS <= error + tolerance(error)


def _mean_error(threshold: float, rising: bool | None) -> float:
    """P(wrong | score ≥ threshold) of the draws above."""
    middle = (1 + threshold) / 2
    return 0.2005 if rising is None else 0.401 * (1 - middle if rising else middle)

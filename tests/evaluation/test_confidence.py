"""Intervals worked out by hand, and what a bootstrap must not do."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vnla.evaluation.confidence import over_episodes, over_houses, over_seeds, ratio


def test_the_margin_is_1_95_standard_errors() -> None:
    """The standard deviation of 1 to 5 is √2.5; over √5 seeds and times 1.95: 1.37886."""
    found = over_seeds([1, 2, 3, 4, 5])
    assert found.mean == 3
    assert found.margin == pytest.approx(1.37886, abs=1e-5)
    assert str(found) == "3.00 ± 1.38"


def test_one_seed_has_no_margin() -> None:
    found = over_seeds([52.1])
    assert math.isnan(found.margin)
    assert str(found) == "52.10"


def test_a_ratio_is_of_sums_and_unknown_where_nothing_counts() -> None:
    assert ratio([1, 0], [1, 9]) == 0.1  # the mean of the two ratios would be 0.5
    assert math.isnan(ratio([0, 0], [0, 0]))


def test_a_bootstrap_of_equal_values_has_no_width() -> None:
    assert over_episodes([3.0] * 20) == (3, 3, 3)


def test_a_bootstrap_is_about_as_wide_as_theory_says() -> None:
    """For a share of one half over 400 episodes the half-width is 1.96 · √(0.25 / 400) = 0.049."""
    found = over_episodes(np.arange(400) % 2, samples=2000)
    assert found.value == 0.5
    assert found.high - found.low == pytest.approx(0.098, rel=0.15)
    assert found.low < 0.5 < found.high


def test_more_seeds_of_the_same_tasks_are_not_more_tasks() -> None:
    values = np.arange(50) % 3
    assert over_episodes(np.stack([values] * 5)) == pytest.approx(over_episodes(values))


def test_a_bootstrap_resamples_both_sums_of_a_ratio_together() -> None:
    """Every task has the ratio 2, so every sample has."""
    counts = np.arange(1, 30)
    assert over_episodes(2 * counts, counts) == (2, 2, 2)


def test_a_bootstrap_of_nothing_is_unknown() -> None:
    assert all(math.isnan(each) for each in over_episodes([0, 0], [0, 0]))


def test_whole_houses_are_drawn() -> None:
    """Three of four succeed in one house, one of four in the other: two draws give 6, 4, 4 or 2 of 8, never 5."""
    top, houses = [1, 1, 1, 0, 0, 0, 0, 1], ["a"] * 4 + ["b"] * 4
    assert over_houses(top, houses=houses) == (0.5, 0.25, 0.75)
    assert over_houses(top, houses=houses, level=0.4) == (0.5, 0.5, 0.5)


def test_a_large_house_counts_more() -> None:
    """One of one, and none of three: twice the first is 1, both 1/4, twice the second 0."""
    found = over_houses([1, 0], [1, 3], houses=["a", "b"])
    assert found == (0.25, 0, 1)


def test_all_seeds_of_a_house_belong_together() -> None:
    houses = np.array(["a", "a", "b", "c"])
    values = np.array([1, 0, 1, 0])
    twice = over_houses(np.stack([values, values]), houses=np.stack([houses, houses]))
    assert twice == over_houses(values, houses=houses)


def test_one_house_says_nothing_about_others() -> None:
    found = over_houses([1, 0, 1, 1], houses=["a"] * 4)
    assert found.value == 0.75 and math.isnan(found.low) and math.isnan(found.high)
    assert all(math.isnan(each) for each in over_houses([], houses=[]))

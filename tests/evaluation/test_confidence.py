"""Intervals worked out by hand, and what a bootstrap must not do."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vnla.evaluation.confidence import few_houses, over_episodes, over_houses, over_seeds, over_trainings, ratio, same_houses


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


HOUSES = ["a", "a", "b", "b"]


def test_trainings_are_drawn() -> None:
    """One training always succeeds, the other never: two draws have the mean 0, ½, ½ or 1, whatever houses and tasks."""
    values = [[1] * 4, [0] * 4]
    assert over_trainings(values, houses=HOUSES) == (0.5, 0, 1)
    assert over_trainings(values, houses=HOUSES, level=0.4) == (0.5, 0.5, 0.5)


def test_houses_are_drawn_with_the_tasks_in_them() -> None:
    """All succeed in one house, none in the other; a house of other size than the rest counts by its tasks."""
    assert over_trainings([[1, 1, 0, 0]], houses=HOUSES) == (0.5, 0, 1)
    assert over_trainings([[1, 1, 0, 0]], houses=HOUSES, level=0.4) == (0.5, 0.5, 0.5)
    assert over_trainings([[1, 0, 0, 0]], houses=["a", "b", "b", "b"], level=0.4) == (0.25, 0.25, 0.25)


def test_tasks_of_a_house_are_drawn_too() -> None:
    """Half of the tasks of every house succeed, so that houses differ in nothing: the spread is that of 40 tasks, which for
    a share of one half is 1.96 · √(0.25 / 40) = 0.155 to either side."""
    found = over_trainings([np.arange(40) % 2], houses=np.arange(40) // 10, samples=4000)
    assert found.value == 0.5
    assert found.high - found.low == pytest.approx(0.31, rel=0.15)


def test_trainings_houses_and_tasks_are_drawn_together() -> None:
    """The mean of two trainings over two houses of one task each, v + w, is ((v₁ + v₂) + (w₁ + w₂)) / 2 with four coins:
    0 and 2 have 1/16 each, so 90% lie within, and 80% lie between ½ and 3/2."""
    values = [[0, 1], [1, 2]]
    assert over_trainings(values, houses=["a", "b"], samples=4000, level=0.90) == (1, 0, 2)
    assert over_trainings(values, houses=["a", "b"], samples=4000, level=0.80) == (1, 0.5, 1.5)


def test_a_difference_has_the_same_tasks_on_both_sides() -> None:
    """Each task is one tenth better, so every draw is; drawn apart, tasks of 0 and 1 would differ by much."""
    values = np.array([[0.0, 1.0, 0.0, 1.0]])
    found = over_trainings(values + 0.1, values, houses=HOUSES)
    assert found == pytest.approx((0.1, 0.1, 0.1))


def test_a_difference_has_trainings_of_its_own_on_each_side() -> None:
    """With the same trainings on both sides the difference would be 0 in every draw; apart it is -1, -½, 0, ½ or 1."""
    values = [[1] * 4, [0] * 4]
    assert over_trainings(values, values, houses=HOUSES) == (0, -1, 1)
    assert over_trainings(values, [[0.25] * 4], houses=HOUSES) == (0.25, -0.25, 0.75)


def test_one_training_is_always_that_one_and_one_house_tells_nothing() -> None:
    assert over_trainings([1, 0, 1, 0], houses=["a", "b", "c", "d"]) == over_trainings(
        [[1, 0, 1, 0]] * 3, houses=["a", "b", "c", "d"]
    )
    found = over_trainings([[1, 0], [1, 1]], houses=["a", "a"])
    assert found.value == 0.75 and math.isnan(found.low) and math.isnan(found.high)


def test_what_is_said_of_few_houses() -> None:
    assert few_houses(4).startswith(
        "Intervals over 4 houses: too few to cover 95%; in simulations those over 4 houses covered 80%"
    )
    assert [bool(few_houses(houses)) for houses in (0, 1, 2, 9, 10, 18)] == [False, False, True, True, False, False]
    assert "in the same 4 houses" in same_houses(4) and "in one house" in same_houses(1)
    assert same_houses(10) == ""

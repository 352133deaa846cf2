"""Intervals worked out by hand, and how often they contain what they are about."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from vnla.evaluation.confidence import (
    Interval,
    difference_over_houses,
    houses_note,
    over_episodes,
    over_houses,
    over_seeds,
    over_trainings,
    per_cent,
    ratio,
    seeds_note,
)

T1, T2, T3 = 12.7062, 4.30265, 3.18245
"""The 97.5% quantiles of Student's t with 1, 2 and 3 degrees of freedom, from a printed table."""


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


def test_of_tasks_it_is_the_interval_of_a_mean() -> None:
    """The standard deviation of 1, 2, 3, 6 is √(14/3), that of their mean √(7/6), and there are 3 degrees of freedom."""
    found = over_episodes([1, 2, 3, 6])
    assert found[:3] == pytest.approx((3, 3 - T3 * math.sqrt(7 / 6), 3 + T3 * math.sqrt(7 / 6)), rel=1e-5)
    assert found.over == "4 tasks"
    assert over_episodes([3.0] * 20)[:3] == (3, 3, 3)


def test_more_seeds_of_the_same_tasks_are_not_more_tasks() -> None:
    values = np.arange(50) % 3
    assert over_episodes(np.stack([values] * 5))[:3] == pytest.approx(over_episodes(values)[:3])


def test_both_sums_of_a_ratio_are_left_out_together() -> None:
    """Every task has the ratio 2, so it stays 2 whichever is left out."""
    counts = np.arange(1, 30)
    assert over_episodes(2 * counts, counts)[:3] == (2, 2, 2)


def test_of_nothing_all_is_unknown() -> None:
    for found in (over_episodes([0, 0], [0, 0]), over_houses([], houses=[]), over_trainings([[]], houses=[])):
        assert all(math.isnan(each) for each in found[:3])


def test_houses_of_one_size_are_a_t_interval_of_their_means() -> None:
    """The means of four houses are 1, 2, 3 and 6, whatever tasks make them up: the interval is that of four values."""
    top, houses = [0, 2, 1, 3, 3, 3, 0, 12], list("aabbccdd")
    found = over_houses(top, houses=houses)
    assert found[:3] == pytest.approx(over_episodes([1, 2, 3, 6])[:3])
    assert found.over == "4 houses"


def test_a_large_house_counts_more() -> None:
    """One of one and none of three are 1 of 4. Left out, the first leaves 0 and the second 1: the variance is half of
    (1/4)² + (3/4)², and there is one degree of freedom."""
    found = over_houses([1, 0], [1, 3], houses=["a", "b"])
    half = T1 * math.sqrt((1 / 16 + 9 / 16) / 2)
    assert found[:3] == pytest.approx((0.25, 0.25 - half, 0.25 + half), rel=1e-5)


def test_unequal_houses_have_fewer_degrees_of_freedom() -> None:
    """Weights 1/2, 1/4, 1/4 have w² / (1 − w) = 1/2, 1/12, 1/12, so the degrees of freedom are
    1 / (3/8 + (2/3)² − 19/72) = 9/5. The means 0, 1, 3 have the mean 1; left out, each leaves 2, 1 and 1/3."""
    found = over_houses([0, 0, 1, 3], houses=["a", "a", "b", "c"])
    assert found.value == 1
    standard_error = math.sqrt(2 / 3 * (1 + 0 + 4 / 9))
    # between the quantiles for 1 and 2 degrees of freedom, and nearer to that for 2
    assert T2 < (found.high - 1) / standard_error < (T1 + T2) / 2


def test_all_seeds_of_a_house_belong_together() -> None:
    houses = np.array(["a", "a", "b", "c"])
    values = np.array([1, 0, 1, 0])
    twice = over_houses(np.stack([values, values]), houses=np.stack([houses, houses]))
    assert twice == pytest.approx(over_houses(values, houses=houses))


def test_one_house_says_nothing_about_others() -> None:
    found = over_houses([1, 0, 1, 1], houses=["a"] * 4)
    assert found.value == 0.75 and math.isnan(found.low) and math.isnan(found.high)
    assert found.over == "1 house"


def test_a_house_where_nothing_counts_is_none_of_them() -> None:
    """Nobody asked in house c, so a precision knows two houses."""
    found = over_houses([1, 2, 0], [2, 2, 0], houses=["a", "b", "c"])
    assert found == over_houses([1, 2], [2, 2], houses=["a", "b"]) and found.over == "2 houses"


def test_a_share_is_symmetric_in_the_logarithm_of_its_odds() -> None:
    """Two houses with 1 and 3 of 4: 1/2 ± 12.7 · 1/4, which is ± 12.7 for the logarithm of the odds, whose slope is 4."""
    found = over_houses([1, 3], [4, 4], houses=["a", "b"], whole=1)
    assert found[:3] == pytest.approx((0.5, 1 / (1 + math.exp(T1)), 1 / (1 + math.exp(-T1))), rel=1e-4)
    same = over_houses([100, 300], [4, 4], houses=["a", "b"], whole=100)
    assert same[:3] == pytest.approx(per_cent(found)[:3])


def test_where_all_fail_nothing_tells_how_houses_differ() -> None:
    for share in (0, 1):
        found = over_houses([share] * 4, houses=["a", "a", "b", "b"], whole=1)
        assert found.value == share and math.isnan(found.low) and math.isnan(found.high)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 20)), min_size=2, max_size=8))
def test_a_share_stays_a_share(counts: list[tuple[int, int]]) -> None:
    top, bottom = ([min(each) for each in counts], [each[1] for each in counts])
    found = over_houses(top, bottom, houses=np.arange(len(counts)), whole=1)
    if not math.isnan(found.low):
        assert 0 <= found.low <= found.value + 1e-12 and found.value - 1e-12 <= found.high <= 1


def test_what_is_hard_for_both_cancels_out() -> None:
    """Half of the houses are hard; one agent succeeds a little more often in each, always by the same."""
    houses = [f"{i}" for i in range(20) for _ in range(10)]
    base = np.array([0.9 if int(house) % 2 else 0.1 for house in houses])
    ones = np.ones_like(base)
    paired = difference_over_houses((base + 0.05, ones), (base, ones), (houses, houses), whole=1)
    alone = over_houses(base + 0.05, houses=houses, whole=1)
    assert paired.value == pytest.approx(0.05)
    assert paired.high - paired.low < 1e-9
    assert alone.high - alone.low > 0.2


def test_a_difference_of_shares_is_at_most_the_whole() -> None:
    """100 points in one house and none in the other are 50 ± 12.7 · 50: more than there can be."""
    found = difference_over_houses(([1, 0], [1, 1]), ([0, 0], [1, 1]), (["a", "b"], ["a", "b"]), whole=1)
    assert found == (0.5, -1, 1, "2 houses")


def test_sides_may_be_of_different_houses() -> None:
    """One side is done by a and b, the other by b and c; without b, say, they are those of a and of c."""
    found = difference_over_houses(([3, 5], [1, 1]), ([1, 1], [1, 1]), (["a", "b"], ["b", "c"]), what="people")
    # left out: a leaves 5 − 1, b leaves 3 − 1, c leaves 4 − 1, where all have 4 − 1
    assert found.value == 3 and found.over == "3 people"
    assert found.high - found.value > T2 * math.sqrt(2 / 3 * 2) - 1e-4  # of weights 1/4, 1/2, 1/4: fewer degrees than 2


HOUSES = ["a", "a", "b", "b"]


def test_trainings_alone_are_a_t_interval_of_their_means() -> None:
    """Houses do not differ. The trainings have the means 0, 1 and 2, whose standard error is √(1/3)."""
    found = over_trainings([[0] * 4, [1] * 4, [2] * 4], houses=HOUSES)
    assert found[:3] == pytest.approx((1, 1 - T2 / math.sqrt(3), 1 + T2 / math.sqrt(3)), rel=1e-5)
    assert found.over == "3 trainings, 2 houses"


def test_variances_of_trainings_and_houses_are_added() -> None:
    """Four houses and four trainings that both have the means 0, 2, 4, 6: each part has the variance 5/3 and 3 degrees of
    freedom, so the sum has 10/3 and 6, for which the quantile of Student's t is 2.44691."""
    values = np.add.outer([0, 2, 4, 6], [0, 2, 4, 6])
    found = over_trainings(values, houses=list("abcd"))
    half = 2.44691 * math.sqrt(10 / 3)
    assert found[:3] == pytest.approx((6, 6 - half, 6 + half), rel=1e-5)


def test_what_trainings_differ_by_in_single_houses_counts_once() -> None:
    """One training is better by 2 in two houses, the other by 2 in the other two: their means are the same, and what is left
    is that houses differ by nothing on average."""
    values = [[3, 3, 1, 1], [1, 1, 3, 3]]
    assert over_trainings(values, houses=list("abcd"))[:3] == (2, 2, 2)
    # one is better by 4 in a alone: its mean is by 1 higher, as often as not by the chance that such a house is among them
    found = over_trainings([[6, 2, 2, 2], [2, 2, 2, 2]], houses=list("abcd"))
    assert found == over_trainings([[4, 2, 2, 2]], houses=list("abcd"))._replace(over="2 trainings, 4 houses")


def test_it_is_never_narrower_than_over_houses_alone() -> None:
    """By Satterthwaite's degrees of freedom alone five trainings would make an interval over two houses narrower."""
    houses = over_trainings([[0, 1]], houses=["a", "b"])
    both = over_trainings([[0, 1 + each] for each in (-0.2, -0.1, 0, 0.1, 0.2)], houses=["a", "b"])
    assert both.low <= houses.low + 1e-9 and both.high >= houses.high - 1e-9


def test_a_difference_has_the_same_tasks_on_both_sides() -> None:
    """Each task is one tenth better; tasks of 0 and 1 would differ by much."""
    values = np.array([[0.0, 1.0, 0.0, 1.0]])
    found = over_trainings(values + 0.1, values, houses=HOUSES)
    assert found[:3] == pytest.approx((0.1, 0.1, 0.1))


def test_a_difference_has_trainings_of_its_own_on_each_side() -> None:
    """With the same trainings on both sides the difference would always be 0. Apart, each side has the variance 1/4 with
    one degree of freedom."""
    values = [[1] * 4, [0] * 4]
    half = T1 * math.sqrt(0.25)  # that of one side alone, which is more than the sum's, 4.30 · √(1/2)
    assert over_trainings(values, values, houses=HOUSES)[:3] == pytest.approx((0, -half, half), rel=1e-5)
    one = over_trainings(values, [[0.25] * 4], houses=HOUSES)
    assert one[:3] == pytest.approx((0.25, 0.25 - T1 / 2, 0.25 + T1 / 2), rel=1e-5)
    assert one.over == "2 and 1 trainings, 2 houses"


def test_one_training_is_over_houses_alone_and_one_house_tells_nothing() -> None:
    found = over_trainings([1, 0, 1, 0], houses=["a", "b", "c", "d"])
    assert found == over_houses([1, 0, 1, 0], houses=["a", "b", "c", "d"]) and found.over == "4 houses"
    found = over_trainings([[1, 0], [1, 1]], houses=["a", "a"])
    assert found.value == 0.75 and math.isnan(found.low) and math.isnan(found.high)


def test_an_interval_turned_round_keeps_its_order() -> None:
    assert Interval(2, 1, 4, "2 houses").scaled(-2) == (-4, -8, -2, "2 houses")
    assert Interval(2, math.nan, 4).as_dict() == {"value": 2, "low": None, "high": 4, "over": ""}


def test_what_is_said_beside_tables() -> None:
    assert houses_note(18) == "95% intervals over 18 houses (jackknife, t)."
    assert houses_note(4, 18, 11) == "95% intervals over 4 to 18 houses (jackknife, t)."
    assert houses_note(1) == "One house has no interval."
    assert houses_note(1, what="people") == "One person has no interval."
    assert "over 5 seeds of the help budgets" in seeds_note(5, 4) and "the same 4 houses" in seeds_note(5, 4)


Counts = NDArray[np.int64]


def simulated(houses: int, rate: float, random: np.random.Generator) -> tuple[Counts, Counts]:
    """Return successes and tasks of each house: rates that differ by 3% of their largest variance, sizes by a half."""
    tasks = random.integers(100, 500, size=houses)
    rates = random.beta(rate * 97 / 3, (1 - rate) * 97 / 3, size=houses)
    return random.binomial(tasks, rates), tasks


def percentile_bootstrap(top: Counts, bottom: Counts, random: np.random.Generator) -> tuple[float, float]:
    """Return what is not used: the middle 95% of the figures of houses that are drawn again and again."""
    drawn = random.integers(len(top), size=(400, len(top)))
    low, high = np.quantile(top[drawn].sum(axis=1) / bottom[drawn].sum(axis=1), [0.025, 0.975])
    return float(low), float(high)


@pytest.mark.parametrize("rate", [0.34, 0.05])
@pytest.mark.parametrize("houses", [2, 4, 18])
def test_95_per_cent_of_the_intervals_contain_the_rate(houses: int, rate: float) -> None:
    """Of 1,500 intervals that cover 95%, 92 to 98% contain the rate but for one in ten million times."""
    random = np.random.default_rng(houses)
    found = [over_houses(*simulated(houses, rate, random), houses=np.arange(houses), whole=1) for _ in range(1500)]
    assert 0.92 < np.mean([each.low <= rate <= each.high for each in found]) < 0.98


def test_a_percentile_bootstrap_does_not_cover() -> None:
    """With four houses it contains the rate about four times in five, and so fails the test above."""
    random = np.random.default_rng(4)
    found = [percentile_bootstrap(*simulated(4, 0.34, random), random) for _ in range(1500)]
    assert np.mean([low <= 0.34 <= high for low, high in found]) < 0.9


@pytest.mark.parametrize(("houses", "trainings"), [(2, 3), (4, 3), (18, 2)])
def test_intervals_of_differences_over_few_trainings_cover(houses: int, trainings: int) -> None:
    """Houses differ by 3 points on both sides, and trainings by 1 to 3; those of one side are not those of the other."""
    random, hits = np.random.default_rng(houses), 0
    for _ in range(600):
        difficulty = random.normal(0, 8, size=houses)
        one = difficulty + random.normal(0, 3, size=houses) + random.normal(0, 3, size=(trainings, 1))
        other = difficulty + random.normal(0, 1, size=(trainings, houses))
        found = over_trainings(40 + one, 34 + other, houses=np.arange(houses), whole=100)
        hits += found.low <= 6 <= found.high
    assert hits > 0.92 * 600

"""Time budgets by hand, help budgets by hand and by their mean."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from vnla.common.errors import InputError
from vnla.world.budgets import (
    HELP_RATIO,
    LONGEST_EPISODE,
    SUBGOAL_ACTIONS,
    TimeBudgets,
    help_budget,
    training_time_budget,
    upper_bound,
)


@pytest.mark.parametrize(
    ("lengths", "budget"),
    [([10], 10), ([10, 13], 12), ([11, 12], 12), ([12, 13], 12), ([20, 40], 25), ([25], 25), ([7, 8, 8], 8)],
)
def test_training_budget_is_the_rounded_mean_and_at_most_25(lengths: list[int], budget: int) -> None:
    """10 and 13: 11.5 rounds to 12; 12 and 13: 12.5 rounds to the even 12; 20 and 40: 30 is cut."""
    assert training_time_budget(lengths) == budget


def test_a_budget_needs_a_trajectory() -> None:
    with pytest.raises(InputError, match="at least one trajectory"):
        training_time_budget([])


def test_the_upper_bound_worked_out_by_hand() -> None:
    """8, 10, 12: mean 10, deviation 2 (by n - 1), standard error 2/sqrt(3) = 1.15470; 10 + 1.95·1.15470 = 12.25167."""
    assert upper_bound([8, 10, 12]) == pytest.approx(12.25167, abs=1e-5)
    assert upper_bound([24, 26]) == 25.0, "25 + 1.95 is cut to the longest episode"
    assert upper_bound([8]) == 25.0, "one trajectory has no standard error"


def test_evaluation_budgets_are_per_pair_and_an_unseen_pair_gets_the_longest() -> None:
    budgets = TimeBudgets.from_training(
        [(("hallway", "kitchen"), 8), (("hallway", "kitchen"), 10), (("hallway", "kitchen"), 12), (("porch", "bar"), 9)]
    )
    assert budgets["hallway", "kitchen"] == 12
    assert budgets["porch", "bar"] == 25
    assert budgets["kitchen", "hallway"] == 25, "the pair is ordered: from start to goal"


@pytest.mark.parametrize(
    ("time", "ratio", "k", "choices"), [(25, 0.4, 4, {2, 3}), (20, 0.4, 4, {2}), (5, 0.4, 4, {0, 1}), (10, 0.0, 4, {0})]
)
def test_the_help_budget_is_one_of_the_two_whole_numbers_next_to_it(
    time: int, ratio: float, k: int, choices: set[int]
) -> None:
    """25·0.4/4 = 2.5; 20·0.4/4 = 2 exactly; 5·0.4/4 = 0.5."""
    drawn = help_budget(torch.full((500,), time), torch.arange(500), ratio=ratio, k=k, seed=1)
    assert set(drawn.tolist()) == choices


@given(st.integers(1, 25), st.floats(0.0, 1.0), st.integers(1, 7), st.integers(0, 2**31))
@settings(max_examples=50, deadline=None)
def test_the_mean_help_budget_is_the_exact_one(time: int, ratio: float, k: int, seed: int) -> None:
    """The mean of n draws of a Bernoulli variable is within five of its standard errors, or it is not Bernoulli."""
    n = 20_000
    exact = time * ratio / k
    drawn = help_budget(torch.full((n,), time), torch.arange(n), ratio=ratio, k=k, seed=seed).double()
    fraction = exact - math.floor(exact)
    error = math.sqrt(fraction * (1 - fraction) / n)
    assert float(drawn.mean()) == pytest.approx(exact, abs=5 * error + 1e-6)


def test_budgets_depend_on_seed_and_episode_alone() -> None:
    episodes = torch.tensor([5, 6, 7, 8])
    together = help_budget(torch.full((4,), 25), episodes, seed=3)
    alone = torch.cat([help_budget(torch.tensor([25]), episodes[i : i + 1], seed=3) for i in (3, 1, 0, 2)])
    assert torch.equal(together[[3, 1, 0, 2]], alone)
    many = torch.arange(1000)
    assert not torch.equal(
        help_budget(torch.full((1000,), 25), many, seed=3), help_budget(torch.full((1000,), 25), many, seed=4)
    )


def test_the_numbers_are_those_of_the_papers_table() -> None:
    assert (LONGEST_EPISODE, HELP_RATIO, SUBGOAL_ACTIONS) == (25, 0.4, 4)
    assert TimeBudgets().longest == 25
    assert upper_bound([7]) == 25.0 and upper_bound([7, 7]) == 7.0
    # 20 steps at τ = 0.4 and k = 4 are exactly two requests.
    assert help_budget(torch.tensor([20]), torch.tensor([5]), seed=1).tolist() == [2]

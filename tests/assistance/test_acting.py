"""Choosing an action from a distribution, and who acts."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from agents.small import cottage_environment, drawn_episodes
from vnla.assistance import acting
from vnla.assistance.acting import ALONE, BCUI, LED, most_probable, sampled
from vnla.common.randomness import Purpose, uniform
from vnla.common.selection import take_rows
from vnla.episode import Episodes
from vnla.world.compiled import Environment

MANY = 60_000


@pytest.fixture(scope="module")
def environment() -> Environment:
    return cottage_environment()


@pytest.fixture(scope="module")
def many(environment: Environment) -> Episodes:
    few = drawn_episodes(environment, torch.arange(1))
    return replace(take_rows(few, torch.zeros(MANY, dtype=torch.long)), key=torch.arange(MANY))


def test_actions_are_drawn_as_often_as_they_are_probable(many: Episodes) -> None:
    """60 000 draws: the sum of (seen - expected)²/expected over five possible actions has 4 degrees of freedom; it passes
    23.5 once in ten thousand times. Forward, of probability 0, is never drawn."""
    shares = torch.tensor([0.5, 0.2, 0.1, 0.05, 0.0, 0.15])
    for step in range(3):
        seen = sampled(shares.expand(MANY, 6), many, step).bincount(minlength=6)
        assert int(seen[4]) == 0
        expected = shares[shares > 0].double() * MANY
        assert float(((seen[shares > 0] - expected) ** 2 / expected).sum()) < 23.5


def test_draws_of_different_steps_and_seeds_are_independent(many: Episodes) -> None:
    """Two fair choices of six agree once in six times: 10 000 of 60 000, five deviations of sqrt(60000·5/36) = 91.3."""
    even = torch.full((MANY, 6), 1 / 6)
    first = sampled(even, many, 0)
    for other in (sampled(even, many, 1), sampled(even, replace(many, seed=many.seed + 1), 0)):
        assert abs(int((first == other).sum()) - MANY / 6) < 5 * math.sqrt(MANY * 5 / 36)


def test_a_draw_belongs_to_its_episode_and_step_alone(many: Episodes) -> None:
    """Again, in another order and in another company, the same episode draws the same; from one number a draw is the
    action whose share of [0, 1) it falls into."""
    shares = torch.rand(MANY, 6, generator=torch.Generator().manual_seed(1)).softmax(dim=1)
    rows = torch.randperm(MANY, generator=torch.Generator().manual_seed(2))[:500]
    drawn = sampled(shares, many, 7)
    assert torch.equal(sampled(shares[rows], take_rows(many, rows), 7), drawn[rows])
    number = uniform(many.seed, many.key, Purpose.NAV_ACTION, 7)
    edges = torch.nn.functional.pad(shares.double().cumsum(dim=1), (1, 0))
    below = edges.gather(1, drawn[:, None]).squeeze(1)
    above = edges.gather(1, drawn[:, None] + 1).squeeze(1)
    assert ((below <= number) & (number < above)).float().mean() > 0.9999


@cache
def once() -> Environment:
    return cottage_environment()


possible = st.lists(st.booleans(), min_size=6, max_size=6).filter(any)


@given(possible, st.integers(0, 2**20), st.sampled_from([0.0, 0.25, 0.5, 1 - 2.0**-24, 1 - 2.0**-53]))
@settings(deadline=None, max_examples=100)
def test_what_is_impossible_is_never_drawn_whatever_the_number(allowed: list[bool], seed: int, number: float) -> None:
    """Float32 probabilities need not sum to exactly 1: a number close to 1 may pass them all."""
    logits = torch.randn(64, 6, generator=torch.Generator().manual_seed(seed)) * 5
    shares = logits.masked_fill(~torch.tensor(allowed), -torch.inf).softmax(dim=1)
    few = drawn_episodes(once(), torch.arange(64))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(acting, "uniform", lambda *_: torch.full((64,), number, dtype=torch.float64))
        drawn = sampled(shares, few, 0)
    assert (shares.gather(1, drawn[:, None]) > 0).all()


def test_the_most_probable_action_is_the_first_of_equals(environment: Environment) -> None:
    few = drawn_episodes(environment, torch.arange(2))
    shares = torch.tensor([[0.1, 0.2, 0.3, 0.1, 0.0, 0.3], [0.0, 0.0, 0.0, 0.0, 0.4, 0.6]])
    assert most_probable(shares, few, 0).tolist() == [2, 5]


@pytest.mark.parametrize(("who", "direct", "samples"), [(BCUI, True, True), (ALONE, False, False), (LED, True, False)])
def test_the_teacher_acts_during_interventions_where_they_are_direct(
    environment: Environment, who: acting.Acting, direct: bool, samples: bool
) -> None:
    """The distribution is even with left a little ahead; over 200 episodes a sample has other actions too."""
    few = drawn_episodes(environment, torch.arange(200))
    shares = torch.tensor([0.20, 0.16, 0.16, 0.16, 0.16, 0.16]).expand(200, 6)
    taught, intervened = torch.full((200,), 3), torch.arange(200) < 100
    done: Tensor = who(shares, taught, intervened, few, 0)
    assert (done[:100] == 3).all() == direct
    assert (len(done[100:].unique()) == 6) == samples
    if not samples:
        assert (done[100:] == 0).all()

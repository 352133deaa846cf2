"""Asking by what it is worth, and trying both."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from agents.small import cottage_environment, drawn_episodes, players_of, small_agent
from vnla.assistance.help_policies import AtFirst, HelpPolicy
from vnla.assistance.registry import help_policy
from vnla.assistance.valued import Drawn, Tried, Valued
from vnla.bcui import bcui
from vnla.common.errors import InputError
from vnla.episode import Episodes, StepContext
from vnla.world.compiled import Environment


@pytest.fixture(scope="module")
def environment() -> Environment:
    return cottage_environment()


def situation(episodes: Episodes, ask: Tensor | None, step: int = 0) -> StepContext:
    zero = torch.zeros_like(episodes.key)
    given = None if ask is None else lambda: ask
    return StepContext(episodes, step, episodes.start, zero, episodes.help_budget, torch.empty(0), zero[:, None], ask=given)


def test_it_asks_where_a_request_is_worth_more_than_the_margin(environment: Environment) -> None:
    now = situation(drawn_episodes(environment, torch.arange(3)), torch.tensor([[1.0, 1.05], [1.0, 1.3], [2.0, 1.0]]))
    assert help_policy("valued")(now).tolist() == [True, True, False]
    assert help_policy("valued", {"margin": 0.1})(now).tolist() == [False, True, False]
    with pytest.raises(InputError, match="takes an agent with a help module"):
        Valued()(situation(now.episodes, None))


def test_drawn_asks_as_often_as_the_module_says(environment: Environment) -> None:
    """Preference ln 3 means three times of four: of 4000, 3000 give or take five deviations of 27."""
    episodes = drawn_episodes(environment, torch.arange(4000))
    ask = torch.tensor([[0.0, 1.0986123]]).expand(4000, 2)
    asked = Drawn()(situation(episodes, ask))
    assert abs(int(asked.sum()) - 3000) < 5 * 28
    assert torch.equal(asked, Drawn()(situation(episodes, ask)))
    assert not torch.equal(asked, Drawn()(situation(episodes, ask, step=1)))


def twins(environment: Environment, pairs: int, policy: HelpPolicy, silence: float) -> tuple[Tensor, Tensor, Tensor]:
    """Poses and requests of twins, and the step at which each tries."""
    episodes = drawn_episodes(environment, torch.arange(pairs).repeat(2))
    context = replace(players_of(small_agent(), environment), help_policy=Tried(policy, silence))
    with torch.no_grad():
        rollout = bcui(episodes, context)
    return rollout.table("pose"), rollout.table("request"), Tried.step_of(episodes)


@pytest.mark.parametrize("silence", [0.0, 1.0])
def test_twins_are_alike_up_to_their_step_where_one_asks(environment: Environment, silence: float) -> None:
    pairs = 60
    pose, request, when = twins(environment, pairs, AtFirst(), silence)
    assert torch.equal(when[:pairs], when[pairs:])
    for row in range(pairs):
        step = int(when[row])
        if step >= pose.shape[1]:
            continue  # all had ended
        assert torch.equal(pose[row, : step + 1], pose[row + pairs, : step + 1])
        assert torch.equal(request[row, :step], request[row + pairs, :step])
        assert not request[row + pairs, step]
        if silence:
            assert not request[row, :step].any()
    asked = request[torch.arange(pairs), when[:pairs].clamp(max=pose.shape[1] - 1)]
    assert asked.sum() > 5


@pytest.mark.parametrize("hold", [1, 3])
def test_the_twin_that_does_not_ask_holds_back_for_some_steps(environment: Environment, hold: int) -> None:
    """Whoever always asks, and has requests enough, asks again as soon as it may."""
    pairs, rows = 40, torch.arange(40).repeat(2)
    episodes = replace(drawn_episodes(environment, rows), help_budget=torch.full((2 * pairs,), 20))
    context = replace(players_of(small_agent(), environment), help_policy=Tried(AtFirst(), 0.0, hold))
    with torch.no_grad():
        rollout = bcui(episodes, context)
    request, active, when = rollout.table("request"), rollout.table("active"), Tried.step_of(episodes)
    step = torch.arange(request.shape[1])
    held = (step >= when[pairs:, None]) & (step < when[pairs:, None] + hold)
    assert torch.equal(request[:pairs], active[:pairs])
    assert torch.equal(request[pairs:], active[pairs:] & ~held) and (active[pairs:] & held).sum(dim=1).max() == hold


def test_every_step_of_the_time_is_tried(environment: Environment) -> None:
    episodes = drawn_episodes(environment, torch.full((3000,), 4), seed=torch.arange(3000))
    counts = torch.bincount(Tried.step_of(episodes), minlength=7)
    assert len(counts) == 7 and (abs(counts - 3000 / 7) < 5 * 20).all()

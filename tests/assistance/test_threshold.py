"""Asking above a threshold, and what is wrong in the cottage."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from agents.small import cottage_environment, drawn_episodes, pose_at
from vnla.assistance.help_policies import AtFirst
from vnla.assistance.if_wrong import is_mistaken
from vnla.assistance.registry import help_policy
from vnla.assistance.threshold import Threshold, Withheld
from vnla.common.errors import InputError
from vnla.episode import Episodes, StepContext
from vnla.world.actions import Nav
from vnla.world.compiled import Environment

ENTRYWAY, LIVING_WEST = 2, 3
"""Goal sets of `agents.small.GOALS`."""


@pytest.fixture(scope="module")
def environment() -> Environment:
    return cottage_environment()


def situation(episodes: Episodes, odds: list[float], budget: list[int], step: int = 0) -> StepContext:
    """Where the help module finds asking so many times as probable as not."""
    logits = torch.stack([torch.zeros(len(odds)), torch.tensor(odds).log()], dim=1)
    zero = torch.zeros_like(episodes.key)
    return StepContext(
        episodes, step, episodes.start, zero, torch.tensor(budget), torch.empty(0), zero[:, None], ask=lambda: logits
    )


def test_it_asks_where_the_probability_is_above_the_threshold(environment: Environment) -> None:
    """Odds of 1:3, 3:2 and 4:1 are probabilities of 0.25, 0.6 and 0.8."""
    episodes, odds = drawn_episodes(environment, torch.arange(3)), [1 / 3, 1.5, 4.0]
    last = situation(episodes, odds, [1, 1, 1])
    assert help_policy("threshold")(last).tolist() == [False, True, True]
    assert Threshold(threshold=0.7)(last).tolist() == [False, False, True]
    assert Threshold(threshold=0.2)(last).tolist() == [True, True, True]


def test_the_threshold_is_lower_with_requests_to_spare_and_after_some_steps(environment: Environment) -> None:
    """With 0.1 less for a request beyond the last, 0.7 is 0.5 with three left; with 0.05 less a step, 0.55 after three."""
    episodes, odds = drawn_episodes(environment, torch.arange(3)), [1.5, 1.5, 1.5]
    assert Threshold(threshold=0.7, spare=0.1)(situation(episodes, odds, [1, 2, 3])).tolist() == [False, False, True]
    falls = Threshold(threshold=0.7, fall=0.05)
    asks = [bool(falls(situation(episodes, odds, [1, 1, 1], step)).all()) for step in range(4)]
    assert asks == [False, False, False, True]


def test_a_threshold_is_a_probability() -> None:
    with pytest.raises(InputError, match=r"help policy threshold: threshold is 2[.]0, but a probability is between 0 and 1"):
        help_policy("threshold", {"threshold": 2.0})


@pytest.mark.parametrize(
    ("viewpoint", "heading", "goals", "right"),
    [
        ("hall_south", 6, ENTRYWAY, Nav.FORWARD),  # the entryway lies ahead to the south
        ("hall_south", 0, LIVING_WEST, Nav.LEFT),  # the way to the living room leaves to the west
        ("hall_south", 6, LIVING_WEST, Nav.RIGHT),
        ("entryway", 0, ENTRYWAY, Nav.STOP),
    ],
)
def test_every_action_but_the_teachers_is_wrong(
    environment: Environment, viewpoint: str, heading: int, goals: int, right: Nav
) -> None:
    tentative = 0.1 + 0.4 * torch.eye(6)  # action i is the most probable one in row i
    pose = pose_at(environment, viewpoint, heading).expand(6)
    wrong = is_mistaken(tentative, environment, pose, torch.full((6,), goals))
    assert [action for action in Nav if not wrong[action]] == [right]


def test_in_silent_episodes_nobody_asks_and_others_ask_as_they_would(environment: Environment) -> None:
    """Of 4000 episodes with a share of a quarter, 1000 are silent give or take five deviations of 27, at every step."""
    episodes = drawn_episodes(environment, torch.arange(4000))

    def asks(step: int, silence: float) -> Tensor:
        return Withheld(AtFirst(), silence)(situation(episodes, [1.0] * 4000, [1] * 4000, step))

    assert asks(0, 0.0).all() and not asks(0, 1.0).any()
    assert abs(int((~asks(0, 0.25)).sum()) - 1000) < 5 * 28
    assert torch.equal(asks(0, 0.25), asks(7, 0.25))

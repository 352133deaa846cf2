"""What is all around a viewpoint, as policies observe it: `views` and `exits`, by hand in the cottage.

hall_south is at the origin. From there living_east is 2.5 m to the west and 0.5 m to the north, hall_north is 3 m to the
north and 0.2 m to the east, the kitchen 3 m to the east and 0.5 m to the south, and the entryway 3 m to the south.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest
import torch
from torch import Tensor

from agents.small import WORDS, cottage_environment, drawn_episodes, players_of, pose_at, views_of, with_budgets
from agents.test_policy import Alone, Plain
from vnla.agents.agent import Agent, Sizes
from vnla.agents.observing import ObservedViews, features_for, sensors_for
from vnla.agents.one_at_a_time import OneAtATime
from vnla.agents.panorama import MOST_EXITS, Exits, LevelViews, level_poses, listed_exits
from vnla.agents.policy_agent import PolicyAgent
from vnla.agents.sensor_registry import sensors_named
from vnla.assistance.acting import ALONE
from vnla.assistance.help_policies import Learned, Never
from vnla.bcui import bcui
from vnla.common.errors import InputError
from vnla.episode import Episodes
from vnla.observation import Observation
from vnla.rollout import RolloutContext
from vnla.world.actions import Nav
from vnla.world.compiled import viewpoint_of

ENVIRONMENT = cottage_environment()
SIZES = Sizes(WORDS, {"drawn": 8, "views": 96, "exits": Exits.size}, ("views", "exits"))


class Around(Plain):
    """A module that observes all that is around it."""

    observes: ClassVar[tuple[str, ...]] = ("view", "views", "exits")

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes)
        self.given = list[Observation]()

    def act(self, seen: Observation, state: Any) -> Any:
        self.given.append(seen)
        return super().act(seen, state)


class AloneAround(Alone):
    observes: ClassVar[tuple[str, ...]] = Around.observes


def context_of(agent: Agent) -> RolloutContext:
    context = players_of(agent, ENVIRONMENT, Learned() if isinstance(agent, PolicyAgent) else Never(), ALONE)
    named = sensors_named("views,exits")
    return replace(
        context, sensors={name: each.ready(agent, ENVIRONMENT.world, context.views) for name, each in named.items()}
    )


def in_the_hall() -> Episodes:
    """One episode that begins in hall_south and looks north, with time for two steps."""
    episodes = with_budgets(drawn_episodes(ENVIRONMENT, torch.tensor([30])), [2], [0])
    return replace(episodes, start=pose_at(ENVIRONMENT, "hall_south", 0))


def expected_views(pose: Tensor) -> Tensor:
    return views_of(ENVIRONMENT)["drawn"][level_poses(pose)]


def test_a_module_observes_twelve_headings_and_the_exits() -> None:
    torch.manual_seed(1)
    policy = Around(SIZES)
    agent = PolicyAgent(policy, ObservedViews.declared(Around, SIZES)).eval()
    with torch.no_grad():
        rollout = bcui(in_the_hall(), context_of(agent))
    first = policy.given[0]
    start = rollout.episodes.start
    assert torch.equal(first["views"], expected_views(start)) and first["views"].shape == (1, 12, 8)
    assert torch.equal(first["views"][:, 0], first["view"]), "the first heading is its own"
    assert first["exits"].shape == (1, MOST_EXITS, len(Exits.FIELDS)) and "sensors" not in first
    assert int(first["exits"][0, :, 0].sum()) == 4
    assert first.vector.shape == (1, sum(SIZES.views.values()))


def test_one_at_a_time_it_is_told_where_the_exits_lead() -> None:
    actor = AloneAround()
    agent = PolicyAgent(OneAtATime(actor, ()), ObservedViews.declared(AloneAround, SIZES)).eval()
    with torch.no_grad():
        bcui(in_the_hall(), context_of(agent))
    first, turned = (seen for _, seen in actor.given[:2])
    np.testing.assert_array_equal(first["views"], expected_views(in_the_hall().start)[0].numpy())
    west, north, east, south = sorted(first["exits"], key=lambda each: each["heading"])
    assert (west["heading"], west["metres"], west["action"]) == (-78.7, 2.55, "left")
    assert (north["heading"], north["metres"], north["action"]) == (3.8, 3.01, "forward")
    assert (east["heading"], east["metres"], east["action"]) == (99.5, 3.04, "right")
    assert (south["heading"], south["metres"]) == (174.3, 3.01)
    assert all(each["elevation"] == 0 and not each["visited"] and not each["came_from"] for each in first["exits"])
    np.testing.assert_array_equal(turned["views"], np.roll(first["views"], 1, axis=0), "it turned left")
    assert sorted(each["heading"] for each in turned["exits"]) == pytest.approx([-155.7, -48.7, 33.8, 129.5], abs=0.11)


def test_where_it_came_from_is_known_again() -> None:
    class Forward(AloneAround):
        def act(self, seen: Observation, state: Any) -> Any:
            super().act(seen, state)
            return Nav.FORWARD, state

    actor = Forward()
    agent = PolicyAgent(OneAtATime(actor, ()), ObservedViews.declared(Forward, SIZES)).eval()
    episodes = in_the_hall()
    with torch.no_grad():
        rollout = bcui(episodes, context_of(agent))
    assert viewpoint_of(rollout.table("pose")[0, 1]) == viewpoint_of(pose_at(ENVIRONMENT, "hall_north", 0))
    back = [each for each in actor.given[1][1]["exits"] if each["came_from"]]
    assert len(back) == 1 and back[0]["visited"] and back[0]["metres"] == 3.01
    assert abs(back[0]["heading"]) == pytest.approx(176.2, abs=0.1)


def test_sensors_are_taken_for_what_is_declared_and_once() -> None:
    class Both(Around):
        observes: ClassVar[tuple[str, ...]] = ("views", "exits", "sensor:exits", "sensor:places")

    assert (features_for(Around, "usual"), sensors_for(Around)) == ("usual", "views,exits")
    assert sensors_for(Both) == "exits,places,views"
    sizes = SIZES._replace(views={**SIZES.views, "places": 9}, sensors=("views", "exits", "places"))
    shown = {name: torch.rand(2, size) for name, size in sizes.views.items()}
    found = ObservedViews.declared(Both, sizes).observation(shown)
    assert list(found) == ["views", "exits", "sensors"] and list(found["sensors"]) == ["exits", "places"]
    assert found.vector.shape == (2, 96 + Exits.size + 9), "the exits are in it once"
    undeclared = ObservedViews.declared(Plain, sizes).observation(shown)
    assert list(undeclared) == ["view", "views", "sensors"] and list(undeclared["sensors"]) == ["exits", "places"]
    with pytest.raises(InputError, match=r"agent Around: observes views, but there is drawn; name it in --sensor"):
        ObservedViews.declared(Around, Sizes(WORDS, {"drawn": 8}))

    class Reading(Around):
        observes: ClassVar[tuple[str, ...]] = ("text_around",)

    with pytest.raises(
        InputError, match="agent Reading: observes text_around, which no run shows; vnla evaluate --agent does"
    ):
        ObservedViews.declared(Reading, sizes)


def test_words_and_pictures_are_no_views() -> None:
    every = {"a": torch.rand(36, 3), "pictures": torch.rand(36, 4), "text": torch.ones(36, 5).long(), "b": torch.rand(36, 2)}
    assert LevelViews().size_with(every) == 12 * 5
    with pytest.raises(InputError, match="views: are features of views, but there is text; name some in --features"):
        LevelViews().size_with({"text": every["text"]})


def test_exits_that_are_not_there_are_not_listed() -> None:
    assert listed_exits(torch.zeros(Exits.size)) == []

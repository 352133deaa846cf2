"""What an agent notices besides the view, by hand; and that it reaches the agent, the same in every mind."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from agents.small import cottage_environment, drawn_episodes, players_of, pose_at, small_agent, with_budgets
from vnla.agents.sensor_notes import sensors_note
from vnla.agents.sensor_registry import ALL_AROUND, DETECTED_AROUND, ONE_VIEW, SENSORS, UNTRAINED, sensors_named
from vnla.agents.sensors import Been, Clock, Requests, Sensor, SinceRequest, Spotted
from vnla.assistance.help_policies import AsTaught, AtFirst
from vnla.bcui import bcui, feature_dropout_of, seen
from vnla.camera import HEADINGS
from vnla.cli.parts import KINDS, OURS, lines
from vnla.common.errors import InputError
from vnla.episode import StepContext, nowhere, remembered
from vnla.rollout import RolloutContext
from vnla.world.actions import Nav
from vnla.world.compiled import NOWHERE, Environment, look_up


@pytest.fixture(scope="module")
def environment() -> Environment:
    return cottage_environment()


def situation(environment: Environment, pose: Tensor, **values: object) -> StepContext:
    """Of one episode."""
    episodes = with_budgets(drawn_episodes(environment, torch.arange(len(pose))), [12] * len(pose), [2] * len(pose))
    zero = torch.zeros_like(pose)
    usual = StepContext(episodes, 3, pose, zero, zero + 2, torch.empty(len(pose), 0), zero[:, None], since_request=zero + 4)
    return replace(usual, **values)  # type: ignore[arg-type]


def noticed(numbers: Tensor) -> list[int]:
    """Which numbers of the only row are 1."""
    return (numbers[0] == 1).nonzero().squeeze(1).tolist()


def test_the_clock_has_the_steps_left_and_others_what_they_are_called(environment: Environment) -> None:
    now = situation(environment, pose_at(environment, "hall_south", 0))
    assert noticed(Clock()(now)) == [9]
    assert noticed(Requests()(now)) == [2]
    assert noticed(Requests()(replace(now, budget=torch.tensor([40])))) == [5]
    assert noticed(SinceRequest()(now)) == [4]
    assert noticed(SinceRequest()(replace(now, since_request=torch.tensor([25])))) == [9]


def test_it_remembers_where_it_looked_from_here_and_where_it_was(environment: Environment) -> None:
    """It turned from 0 to 60 degrees at one place, went to the next, looking the same way, and came back looking there."""
    here = pose_at(environment, "hall_south", 0)
    ahead = look_up(environment.world.ahead, here)
    assert int(ahead) >= 0, "there is a place ahead of it in the cottage"
    elsewhere = 36 * ahead + here % 36
    past = nowhere(here, 6)
    for step, pose in enumerate((here + 10, here + 11, elsewhere)):
        past = remembered(past, step, pose)
    assert past.tolist() == [[int(here) + 10, int(here) + 11, int(elsewhere), -1, -1, -1]]
    numbers = Been()(situation(environment, here, past=past))
    assert noticed(numbers[:, :HEADINGS]) == [10, 11]  # 60 and 30 degrees to the left of where it looks now
    assert numbers[0, HEADINGS:].tolist() == [1, 1, 1, 0]  # returned, was ahead, there is a place ahead, has just come
    fresh = Been()(situation(environment, here, past=nowhere(here, 6)))
    assert fresh[0].tolist() == [0.0] * HEADINGS + [0, 0, 1, 0]


def test_standing_still_is_no_return(environment: Environment) -> None:
    here = pose_at(environment, "hall_south", 0)
    past = remembered(remembered(nowhere(here, 4), 0, here), 1, here + 1)
    numbers = Been()(situation(environment, here + 2, past=past, unmoved=torch.tensor([2])))
    assert numbers[0, HEADINGS] == 0 and numbers[0, -1] == pytest.approx(0.2)


def with_sensors(environment: Environment, *, asks: bool = True) -> RolloutContext:
    sensors = sensors_named("clock,requests,advice,been")
    agent = small_agent(view_size=8 + sum(sensor.size for sensor in sensors.values()))
    return replace(players_of(agent, environment, AtFirst() if asks else AsTaught()), sensors=sensors)


def test_the_agent_is_given_what_its_sensors_say_at_every_step(environment: Environment) -> None:
    context = with_sensors(environment)
    rollout = bcui(with_budgets(drawn_episodes(environment, torch.arange(4)), [7] * 4, [2] * 4), context)
    for transition in rollout.transitions:
        now = StepContext(
            rollout.episodes, transition.step, transition.pose, transition.unmoved, transition.budget, transition.tentative,
            transition.nav[:, None], since_request=transition.since_request, past=transition.past,
        )  # fmt: skip
        if len(transition.row) == 4:
            view = torch.cat(list(seen(now, context, {}).values()), dim=1)
            assert torch.equal(transition.ask_features[:, : view.shape[1]], view)
    first = rollout.transitions
    assert [int(each.since_request[0]) for each in first[:3]] == [4, 0, 0] or first[0].nav[0] == Nav.STOP


def test_a_sensor_changes_what_the_agent_does(environment: Environment) -> None:
    context = with_sensors(environment)
    episodes = drawn_episodes(environment, torch.arange(40))
    without = replace(context, sensors={name: Silent(sensor.size) for name, sensor in context.sensors.items()})
    one, other = (bcui(episodes, each).last_pose() for each in (context, without))
    assert not torch.equal(one, other)


class Silent(Sensor):
    """Notices nothing."""

    def __init__(self, size: int) -> None:
        self.size = size  # type: ignore[misc]

    def __call__(self, situation: StepContext) -> Tensor:
        return torch.zeros(len(situation.pose), self.size)


def test_who_does_not_remember_keeps_no_past(environment: Environment) -> None:
    rollout = bcui(drawn_episodes(environment, torch.arange(3)), players_of(small_agent(), environment))
    assert all(transition.past.shape[1] == 0 for transition in rollout.transitions)


def test_names_are_checked() -> None:
    assert list(sensors_named("clock, been")) == ["clock", "been"] and not sensors_named("")
    assert set(SENSORS) == {*ONE_VIEW, *ALL_AROUND, "panorama-all", *DETECTED_AROUND, "objects-ahead"}
    assert UNTRAINED == ("clock", "requests", "advice", "been")
    with pytest.raises(
        InputError, match="sensor smell: unknown; choose from clock, requests, advice, been, spotted, panorama"
    ):
        sensors_named("smell")


def test_what_a_sensor_knows_beyond_the_view_is_said() -> None:
    """Poses are compared by the numbers of viewpoints: who remembers them recognises places exactly."""
    for name, sensor in sensors_named(",".join(SENSORS)).items():
        said = sensors_note([name])
        assert said == f"{name}: {sensor.note}." if sensor.note else not said
        assert ("recognised exactly" in said) == sensor.remembers, name
        assert ("labels of the objects and rooms of the training houses" in said) == isinstance(sensor, Spotted), name
        assert said or name not in ALL_AROUND, name


def test_a_list_of_sensors_has_no_options_that_nobody_can_give() -> None:
    ours = {line.name: line.options for line in lines(KINDS["sensors"]) if line.source == OURS}
    assert ours == {name: {} for name in SENSORS}


def test_a_veil_hides_the_same_numbers_all_along_an_episode_and_others_in_the_next(environment: Environment) -> None:
    context = replace(players_of(small_agent(), environment, AsTaught()), feature_dropout=0.5)
    episodes = with_budgets(drawn_episodes(environment, torch.arange(20)), [6] * 20, [2] * 20)
    shown = feature_dropout_of(episodes, context)["drawn"]
    assert set(shown.unique().tolist()) == {0.0, 2.0} and abs(float(shown.mean()) - 1) < 0.3
    assert len({tuple(row) for row in shown.tolist()}) > 10
    assert torch.equal(feature_dropout_of(episodes, context)["drawn"], shown)
    for transition in bcui(episodes, context).transitions:
        seen_now = context.views["drawn"][transition.pose] * shown[transition.row]
        assert torch.allclose(transition.ask_features[:, :8], seen_now)
    assert feature_dropout_of(episodes, replace(context, feature_dropout=0.0)) == {}


def test_everybody_remembers_at_a_step_of_its_own() -> None:
    poses = torch.tensor([40, 50])
    past = remembered(nowhere(poses, 3), torch.tensor([2, 0]), poses)
    assert past.tolist() == [[NOWHERE, NOWHERE, 40], [50, NOWHERE, NOWHERE]]

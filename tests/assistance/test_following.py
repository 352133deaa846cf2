"""What is taught while a subgoal is being followed: worked out on the cottage, and against the world's tables."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from agents.small import cottage_environment, drawn_episodes, players_of, pose_at, small_agent, with_budgets
from vnla.assistance.acting import BCUI, Acting, sampled
from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.following import Course, Following, Led
from vnla.assistance.help_policies import AtFirst
from vnla.bcui import bcui
from vnla.camera import VIEWS, view_index
from vnla.common.errors import InputError
from vnla.common.selection import take_rows
from vnla.episode import Episodes
from vnla.rollout import Rollout
from vnla.training.config import RunConfig
from vnla.world.actions import Nav
from vnla.world.compiled import Environment

K = 4


@pytest.fixture(scope="module")
def environment() -> Environment:
    return cottage_environment()


@pytest.fixture(scope="module")
def following(environment: Environment) -> Following:
    return Following.within(environment.world)


def to_the_bathroom(environment: Environment) -> Episodes:
    """The goal is the upper floor's bathroom, over the stairs."""
    begun = Episodes.begin(
        environment, key=torch.tensor([1]), start=pose_at(environment, "entryway", 9), goals=torch.tensor([0]),
        time_budget=torch.tensor([20]), seed=0,
    )  # fmt: skip
    assert environment.nav_teacher(pose_at(environment, "hall_north", 0), begun.goals).tolist() == [Nav.FORWARD]
    return begun


def test_whoever_has_gone_too_far_is_led_back_to_where_the_plan_ends(environment: Environment, following: Following) -> None:
    """A plan that ends at the south of the hall, facing 90; the agent is at its north end, facing 0, from where the way on
    is ahead and the way back at 183.8: sooner by the left. There, facing 330, 120 to the right, then a camera that is up."""
    episodes = to_the_bathroom(environment)
    end = pose_at(environment, "hall_south", 3)
    route = end[:, None].repeat(1, K + 1)

    def course(pose: Tensor, since: int) -> Course:
        taught = environment.nav_teacher(pose, episodes.goals)
        return following(route, pose, taught, torch.tensor([since]), K, episodes, 9)

    north = pose_at(environment, "hall_north", 0)
    assert course(north, 2).taught.tolist() == [Nav.LEFT]
    assert course(north, K).taught.tolist() == [Nav.FORWARD], "the subgoal is over"
    assert course(north, 0).taught.tolist() == [Nav.FORWARD], "a new plan from here"
    assert course(pose_at(environment, "hall_south", 11), 2).taught.tolist() == [Nav.RIGHT]
    upwards = end - view_index(1, 3) + view_index(2, 3)
    assert course(upwards, 2).taught.tolist() == [Nav.DOWN]
    onward = environment.nav_teacher(end, episodes.goals)
    assert torch.equal(course(end, 2).taught, onward), "it is there"
    bathroom = pose_at(environment, "bathroom", 0)
    assert course(bathroom, 2).taught.tolist() == [Nav.STOP], "a goal ends it"


def test_from_everywhere_it_leads_to_every_pose_of_the_house(environment: Environment, following: Following) -> None:
    """From every seventh of 13·36 poses to all. Forward goes to what is ahead, as where nobody has a goal; in the cottage
    that is always the viewpoint that is meant. The longest way has eight edges, each a turn by up to 180 degrees and two
    rows, and as much at the end."""
    count = len(environment.world.ids) * VIEWS
    pose, end = (each.flatten() for each in torch.meshgrid(torch.arange(0, count, 7), torch.arange(count), indexing="ij"))
    for _ in range(9 * 9):
        action = following.toward(pose, end)
        assert bool((action == Nav.STOP)[pose == end].all())
        pose = environment.world.after[pose * 6 + action]
    assert torch.equal(pose, end)


@pytest.mark.parametrize("k", [1, 4])
def test_on_the_plan_nothing_is_different(environment: Environment, k: int) -> None:
    """Led through their subgoals, agents learn from the same actions, whether or not they are to follow by themselves."""
    rollouts = [_walked(environment, each, k) for each in (Led(), Following.within(environment.world))]
    assert int(torch.stack([m.request.sum() for m in rollouts[0].transitions]).sum()) > 10
    for one, other in zip(rollouts[0].transitions, rollouts[1].transitions, strict=True):
        for name in ("row", "pose", "taught", "nav", "after", "request", "final"):
            assert torch.equal(getattr(one, name), getattr(other, name)), name


def test_who_acts_alone_is_told_the_way_to_the_plans_end(environment: Environment) -> None:
    """At the end of training nobody is led: all actions are the agent's own, and what is taught differs where it strays."""
    alone = Following.within(environment.world)
    alone.advance(1.0)
    by_itself = _walked(environment, Led(), K, Acting(sampled, direct=False))
    followed = _walked(environment, alone, K)
    differ = 0
    for one, other in zip(by_itself.transitions, followed.transitions, strict=True):
        assert torch.equal(one.nav, other.nav)
        differ += int((one.taught != other.taught).sum())
    assert differ > 0


def test_a_share_of_the_subgoals_is_the_agents_own_and_each_as_a_whole(environment: Environment) -> None:
    """3,000 episodes that ask at once: of share 0.3 some 900 follow alone, five deviations of sqrt(3000·0.21) = 25. The
    draw belongs to the episode and to when it asked, whoever else is in the batch."""
    following, keys = Following.within(environment.world), torch.arange(3000)
    following.advance(0.3)
    episodes = drawn_episodes(environment, keys)
    pose, route = episodes.start, following.begin(episodes.start, K)
    taught = environment.nav_teacher(pose, episodes.goals)
    led = [following(route, pose, taught, keys * 0 + since, K, episodes, 5 + since).led for since in range(K)]
    assert abs(int((~led[0]).sum()) - 900) < 126
    assert all(torch.equal(led[0], each) for each in led)
    assert not bool(following(route, pose, taught, keys * 0 + K, K, episodes, 5 + K).led.any()), "the subgoal is over"
    some = keys[7:90:3]
    few = following(route[some], pose[some], taught[some], some * 0, K, take_rows(episodes, some), 5).led
    assert torch.equal(few, led[0][some])


def test_a_direct_advisor_leaves_nothing_to_follow() -> None:
    with pytest.raises(InputError, match="a direct advisor acts itself"):
        RunConfig(world="w", tasks="t", following=True, advisor=TemplateAdvisor(direct=True))


def _walked(environment: Environment, following: Led, k: int, acting: Acting = BCUI) -> Rollout:
    """Sixty episodes of an agent that knows nothing and asks at first."""
    context = replace(players_of(small_agent(), environment, AtFirst(), acting, TemplateAdvisor(k=k)), following=following)
    episodes = drawn_episodes(environment, torch.arange(60))
    with torch.no_grad():
        return bcui(with_budgets(episodes, [15] * 60, [3] * 60), context)

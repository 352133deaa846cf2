"""Algorithm 1 with agents that follow a script, worked out by hand on the cottage.

The walk of most tests begins at the entryway facing west (270), towards the bathroom; bearings: `tests/test_world.py`. The
agent, left alone, would turn. Requests come at steps 1 and 3 (and are refused at step 8), with k = 4:

    step  place, heading    request  budget before  teacher  own  done by  done
    0     entryway    270            2              right    L    agent    left      nothing was asked yet
    1     entryway    240   yes      2              right    L    teacher  right     "turn 90 degrees right, go forward"
    2     entryway    270            1              right    L    teacher  right
    3     entryway    300   yes      1              right    L    teacher  right     "turn right, go forward, turn right, …"
    4     entryway    330            0              forward  L    teacher  forward
    5     hall south  330            0              right    L    teacher  right     the first request would have ended here
    6     hall south    0            0              forward  L    teacher  forward   the fourth step of the second request
    7     hall north    0            0              forward  R    agent    right     stairs foot at 354.29
    8     hall north   30   refused  0              left     R    agent    right     35.71 to the left, in view, beyond 30
    9     hall north   60            0              left     L    agent    left      65.71 to the left, out of view

At step 1, facing 240, the hall at 354.29 is 114.29 to the right: three turns to 330, then forward. At step 3, facing 300:
one turn, forward to the hall's south end at 330, where the north end is 33.81 to the right: a turn, forward. As codes to the
base 6, right right right forward is 1·216 + 1·36 + 1·6 + 4 = 262, right forward right forward 216 + 4·36 + 6 + 4 = 370.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
import torch
from torch import Tensor

from agents.small import (
    At,
    Scripted,
    cottage_environment,
    drawn_episodes,
    players_of,
    pose_at,
    small_agent,
    told,
    with_budgets,
)
from vnla.agents.layers.deferred import collect_gradients
from vnla.agents.paper import PaperAgent
from vnla.assistance.acting import ALONE, BCUI, LED, Acting
from vnla.assistance.advisor import Advisor, TemplateAdvisor
from vnla.assistance.help_policies import AsTaught, AtFirst, HelpPolicy, Learned, Mixture, Never
from vnla.assistance.help_teacher import HelpTeacher, Reason
from vnla.assistance.registry import HELP_POLICIES, help_policy
from vnla.bcui import bcui, log_distribution
from vnla.camera import VIEWS, view_index
from vnla.common.batching import Batching
from vnla.common.randomness import Purpose, uniform
from vnla.episode import Episodes
from vnla.houses.cottage import cottage
from vnla.rollout import Rollout
from vnla.words import Words
from vnla.world.actions import ASK_START, NAV_START, Ask, Nav
from vnla.world.compiled import Environment, World

L, R, U, D, F, S = Nav

OWN = [L, L, L, L, L, L, L, R, R, L, U, U, U]
DONE = [L, R, R, R, F, R, F, R, R, L]
TAUGHT = [R, R, R, R, F, R, F, F, L, L]
SILENCE = 6**4
TrainOn = Callable[..., tuple[PaperAgent, Rollout]]
FIRST_SAID, SECOND_SAID = 262, 370


@pytest.fixture(scope="module")
def environment() -> Environment:
    return cottage_environment()


def to_the_bathroom(environment: Environment, time: int = 10, requests: int = 2) -> Episodes:
    begun = Episodes.begin(
        environment,
        key=torch.tensor([1]),
        start=pose_at(environment, "entryway", 9),
        goals=torch.tensor([0]),
        time_budget=torch.tensor([time]),
        seed=1,
    )
    return with_budgets(begun, [time], [requests])


def one_word(batch: int = 1) -> Words:
    return Words(torch.full((batch, 1), 9), torch.ones(batch, dtype=torch.long))


def hand_worked(environment: Environment, acting: Acting = BCUI, **options: object) -> tuple[Rollout, Scripted]:
    agent = Scripted([OWN])
    context = players_of(agent, environment, At((1, 3, 8)), acting, **options)  # type: ignore[arg-type]
    return bcui(to_the_bathroom(environment), context), agent


def test_lines_9_and_33_the_poses_are_those_worked_out_by_hand(environment: Environment) -> None:
    rollout, _ = hand_worked(environment)
    places = [("entryway", 9), ("entryway", 8), ("entryway", 9), ("entryway", 10), ("entryway", 11)]
    places += [("hall_south", 11), ("hall_south", 0), ("hall_north", 0), ("hall_north", 1), ("hall_north", 2)]
    assert told(rollout, "pose") == [[int(pose_at(environment, *each)) for each in places]]
    assert int(rollout.last_pose()) == int(pose_at(environment, "hall_north", 1))


def test_lines_22_to_27_the_teacher_acts_for_k_steps_after_the_last_request_and_the_agent_else(
    environment: Environment,
) -> None:
    rollout, _ = hand_worked(environment)
    assert told(rollout, "taught") == [TAUGHT]
    assert told(rollout, "nav") == [DONE]


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_the_teacher_acts_for_exactly_k_steps(environment: Environment, k: int) -> None:
    """Asked at step 1, the agent that only ever looks up is overruled at steps 1 to k."""
    agent = Scripted([[U] * 13])
    context = players_of(agent, environment, At((1,)), BCUI, TemplateAdvisor(k=k))
    rollout = bcui(to_the_bathroom(environment), context)
    overruled = [step for step, nav in enumerate(told(rollout, "nav")[0]) if nav != U]
    assert overruled == list(range(1, k + 1))


def test_lines_14_and_17_a_request_costs_one_and_needs_one(environment: Environment) -> None:
    rollout, _ = hand_worked(environment)
    assert told(rollout, "budget") == [[2, 2, 1, 1, 0, 0, 0, 0, 0, 0]]
    assert [step for step, request in enumerate(told(rollout, "request")[0]) if request] == [1, 3]


def test_lines_15_to_19_the_subgoal_is_heard_between_the_passes_and_stays(environment: Environment) -> None:
    rollout, agent = hand_worked(environment)
    assert agent.told("heard 1") == [SILENCE, SILENCE, *[FIRST_SAID] * 2, *[SECOND_SAID] * 6]
    assert agent.told("heard 2") == [SILENCE, *[FIRST_SAID] * 2, *[SECOND_SAID] * 7]
    codes = told(rollout, "heard")[0]
    assert (codes[1], codes[3]) == (FIRST_SAID, SECOND_SAID)
    advisor = TemplateAdvisor()
    assert advisor.text(FIRST_SAID) == "turn 90 degrees right, go forward"
    assert advisor.text(SECOND_SAID) == "turn right, go forward, turn right, go forward"


def test_lines_11_and_21_pass_one_hears_the_last_request_and_pass_two_this_one(environment: Environment) -> None:
    _, agent = hand_worked(environment)
    assert agent.told("ask 1") == [ASK_START, 0, 1, 0, 1, 0, 0, 0, 0, 0]
    assert agent.told("ask 2") == [0, 1, 0, 1, 0, 0, 0, 0, 0, 0]


def test_the_last_action_of_the_next_step_is_the_one_carried_out(environment: Environment) -> None:
    """Not the agent's own where the teacher overruled it."""
    _, agent = hand_worked(environment)
    assert agent.told("nav") == [NAV_START, *DONE[:-1]]


def test_lines_9_and_30_an_episode_ends_at_stop_or_when_the_time_is_over(environment: Environment) -> None:
    for time, expected in ((10, 10), (4, 4), (1, 1)):
        context = players_of(Scripted([OWN]), environment, Never(), BCUI)
        assert len(bcui(to_the_bathroom(environment, time), context).transitions) == expected
    context = players_of(Scripted([[L, R, S, L, L]]), environment, Never(), BCUI)
    assert told(bcui(to_the_bathroom(environment, 5), context), "nav") == [[L, R, S]]


def test_no_episode_takes_more_than_the_longest(environment: Environment) -> None:
    context = players_of(Scripted([[U] * 13]), environment, Never(), BCUI)
    assert len(bcui(to_the_bathroom(environment, 10), context, longest=3).transitions) == 3


def test_the_teachers_stop_ends_the_episode(environment: Environment) -> None:
    """From the landing facing west down to half-way: down, forward, stop; asked at once, k = 4."""
    world = World.compile([cottage()])
    down = Environment.compile(world, [("cottage", ["stairs_middle"])])
    start = pose_at(environment, "landing", 9)
    begun = Episodes.begin(
        down, key=torch.tensor([1]), start=start, goals=torch.tensor([0]), time_budget=torch.tensor([9]), seed=1
    )
    context = players_of(Scripted([[L] * 9]), down, At((0,)), BCUI)
    rollout = bcui(with_budgets(begun, [9], [1]), context)
    assert told(rollout, "nav") == [[D, F, S]]
    assert int(rollout.last_pose()) == world.viewpoint("cottage", "stairs_middle") * VIEWS + view_index(0, 9)


def test_alone_the_agent_hears_but_acts_for_itself(environment: Environment) -> None:
    """At test time with an indirect advisor it turns left all the time, whatever it was told at step 1, facing 240."""
    rollout, agent = hand_worked(environment, ALONE)
    assert told(rollout, "nav") == [OWN[:10]]
    assert agent.told("heard 2")[:3] == [SILENCE, FIRST_SAID, FIRST_SAID]
    assert agent.told("nav") == [NAV_START, *OWN[:9]]


def test_a_direct_advisor_leads_at_test_time_by_the_plan_it_made(environment: Environment) -> None:
    """The four actions after the request of step 3 are right, forward, right, forward: the plan of code 370."""
    advisor = TemplateAdvisor(direct=True, speaks=False)
    rollout, agent = hand_worked(environment, LED, advisor=advisor)
    assert told(rollout, "nav") == [DONE]
    assert tuple(DONE[3:7]) == advisor.plan(SECOND_SAID)
    assert agent.told("heard 2") == [SILENCE] * 10
    assert agent.told("ask 2") == [0, 1, 0, 1, 0, 0, 0, 0, 0, 0], "the agent itself asked, and knows"


def test_lines_13_the_help_teacher_judges_the_tentative_distribution(environment: Environment) -> None:
    """An agent whose tentative choice is even (logits 0) is confused at the first step (rule b) and asks; the final
    distribution is sure. Sure in both passes, it has no need."""
    even = Scripted([OWN], sure=0.0)
    certain = Scripted([OWN])
    even.final, confused = certain.final, even
    rollouts = [
        bcui(to_the_bathroom(environment), players_of(agent, environment, AsTaught(), BCUI)) for agent in (confused, certain)
    ]
    assert [told(each, "reason")[0][0] for each in rollouts] == [Reason.CONFUSED, Reason.NO_NEED]
    assert [told(each, "request")[0][:3] for each in rollouts] == [[True, True, False], [False, False, False]]
    assert told(rollouts[0], "reason")[0][2] == Reason.NO_BUDGET


def test_the_teacher_is_asked_for_its_verdict_under_every_policy(environment: Environment) -> None:
    """The help module learns from it whoever decides: rule (d) holds from the step with as many left as requests."""
    rollout = bcui(to_the_bathroom(environment, 4, 2), players_of(Scripted([OWN]), environment, Never(), ALONE))
    assert told(rollout, "teacher_request") == [[False, False, True, True]]
    assert told(rollout, "request") == [[False] * 4]


def test_the_nav_loss_of_the_walk_is_the_one_worked_out_by_hand(environment: Environment) -> None:
    """Logits: ln 5 for the agent's own action, 0 for the rest. Own 5/10, others 1/10; where forward is blocked own 5/9 and
    others 1/9. The only neighbour of the entryway, at 354.29, is out of view facing 270, 240 and 300: steps 0 to 3. At the
    hall's north end facing 60 are the dining room (offset (2.8, 0.2), bearing 85.91) and nothing else: not blocked.

    The teacher agrees with the agent's own choice only at step 9. 4 steps with 1/9, 5 with 1/10, one with 1/2:
    4·ln 9 + 5·ln 10 + ln 2 = 8.788898 + 11.512925 + 0.693147 = 20.994971.
    """
    agent = Scripted([OWN], sure=math.log(5))
    rollout = bcui(to_the_bathroom(environment), players_of(agent, environment, At((1, 3, 8)), LED))
    assert told(rollout, "nav") == [DONE]
    blocked = [bool(environment.blocked(transition.pose)) for transition in rollout.transitions]
    assert blocked == [True] * 4 + [False] * 6
    assert float(rollout.nav_loss()) == pytest.approx(20.994971, abs=1e-5)


def three_walks(environment: Environment) -> tuple[Episodes, Scripted]:
    """Three episodes from the entryway facing west: one stops at step 1, one has three steps, one five."""
    one = to_the_bathroom(environment)
    begun = Episodes.begin(
        environment, key=torch.arange(3), start=one.start.expand(3), goals=one.goals.expand(3),
        time_budget=torch.tensor([9, 3, 5]), seed=1,
    )  # fmt: skip
    scripts = [[L, S, U, U, U, U, U, U, U], [R] * 9, [U] * 9]
    return with_budgets(begun, [9, 3, 5], [0, 0, 0]), Scripted(scripts, sure=math.log(5))


def test_each_step_of_the_loss_is_a_mean_over_the_episodes_that_go_on(environment: Environment) -> None:
    """The teacher turns right. Facing 270, 240 and 300 forward is blocked, facing 330 it is not; looking up does not
    change that.

    step 0: L, R, U at 270: 1/9, 5/9, 1/9.       mean of ln 9, ln 9/5, ln 9
    step 1: S at 240, R at 300, U at 270 (up):   the teacher turns right at 240 and 300; at 270 with the camera up it
            first levels it: down. 1/9, 5/9, 1/9.  the same mean
    step 2: (ended), R at 330: the teacher goes forward: 1/10; U: 1/9.  (ln 10 + ln 9)/2
    step 3, 4: only the third: ln 9 each.
    2·(2.197225·2 + 0.587787)/3 + (2.302585 + 2.197225)/2 + 2·2.197225 = 3.321491 + 2.249905 + 4.394449 = 9.965845
    """
    episodes, agent = three_walks(environment)
    rollout = bcui(episodes, players_of(agent, environment))
    assert [len(each) for each in told(rollout, "pose")] == [2, 3, 5]
    assert float(rollout.nav_loss()) == pytest.approx(9.965845, abs=1e-5)


def test_what_an_ended_episode_would_do_next_is_not_in_the_losses(environment: Environment) -> None:
    """Kept in the batch and masked, it may turn, go or stop after its end: the loss is the one worked out above."""
    losses = []
    for rest in (U, F, S):
        episodes, agent = three_walks(environment)
        agent.final[0, 2:] = rest
        agent.tentative[0, 2:] = rest
        masking = replace(players_of(agent, environment), batching=Batching(fixed=True))
        rollout = bcui(episodes, masking, longest=9)
        assert len(rollout.transitions) == 9
        assert all(len(transition.row) == 3 for transition in rollout.transitions)
        assert [len(each) for each in told(rollout, "pose")] == [2, 3, 5]
        losses.append(float(rollout.nav_loss()))
    assert losses == pytest.approx([9.965845] * 3, abs=1e-5)


def test_kept_episodes_learn_on_until_they_are_at_a_goal(environment: Environment) -> None:
    """From the landing facing west to half-way below. The agent stops at once, then would look down, go forward, look up.

    The teacher: down at steps 0 and 1, forward at step 2, and at the goal stop. Own S, D, F: 1/10, 1/2, 1/2 (half-way is in
    view, 8.53 to the right). Without keeping ended episodes the loss is ln 10 = 2.302585; with it, ln 10 + 2·ln 2 = 3.688879
    and nothing after step 2, though the walk goes on.
    """
    down = Environment.compile(environment.world, [("cottage", ["stairs_middle"])])
    begun = Episodes.begin(
        down, key=torch.tensor([1]), start=pose_at(environment, "landing", 9), goals=torch.tensor([0]),
        time_budget=torch.tensor([6]), seed=1,
    )  # fmt: skip
    for keeps, expected in ((False, math.log(10)), (True, math.log(10) + 2 * math.log(2))):
        agent = Scripted([[S, D, F, U, U, U]], sure=math.log(5))
        context = players_of(agent, down, keeps_ended=keeps)
        rollout = bcui(with_budgets(begun, [6], [0]), context, longest=6)
        assert float(rollout.nav_loss()) == pytest.approx(expected, abs=1e-5)
        assert told(rollout, "nav") == [[S]], "what is told of the episode ends where it ended"
        assert int(rollout.last_pose()) == int(begun.start)
        assert [int(transition.learns) for transition in rollout.transitions] == ([1, 1, 1, 0, 0, 0] if keeps else [1])


def test_a_kept_episode_learns_at_its_goal_until_it_ends(environment: Environment) -> None:
    """At the bathroom, the goal, it has two steps and should stop, but does not; after them it counts no more."""
    begun = to_the_bathroom(environment, time=2, requests=0)
    begun = replace(begun, start=pose_at(environment, "bathroom", 0))
    context = players_of(Scripted([[U, D, U, D]]), environment, keeps_ended=True)
    rollout = bcui(begun, context, longest=4)
    assert [bool(transition.learns) for transition in rollout.transitions] == [True, True, False, False]


def test_a_kept_episode_that_stopped_requests_no_more(environment: Environment) -> None:
    """It stops at once with three requests left and would ask for one at every step."""
    context = players_of(Scripted([[S, L, L, L]]), environment, AtFirst(), keeps_ended=True)
    rollout = bcui(to_the_bathroom(environment, 4, 3), context, longest=4)
    assert [bool(transition.request) for transition in rollout.transitions] == [True, False, False, False]
    assert [int(transition.budget) for transition in rollout.transitions] == [3, 2, 2, 2]


def test_kept_episodes_ask_for_nothing_and_their_help_loss_is_that_of_their_time(environment: Environment) -> None:
    agent = small_agent(3)
    key = torch.arange(12)
    episodes = drawn_episodes(environment, key)
    kept, left = (bcui(episodes, players_of(agent, environment, AtFirst(), keeps_ended=keeps)) for keeps in (True, False))
    assert all(len(transition.row) == 12 for transition in kept.transitions)
    assert len(left.transitions[-1].row) < 12
    assert all(not (transition.request & ~transition.active).any() for transition in kept.transitions)
    torch.testing.assert_close(kept.ask_loss(agent.ask), left.ask_loss(agent.ask))
    assert kept.nav_loss() > left.nav_loss()
    assert told(kept, "nav") == told(left, "nav")


def test_forward_is_impossible_exactly_where_nothing_is_in_view(environment: Environment) -> None:
    key = torch.arange(40)
    rollout = bcui(drawn_episodes(environment, key), players_of(small_agent(1), environment))
    seen = set()
    for transition in rollout.transitions:
        blocked = environment.blocked(transition.pose)
        for probabilities in (transition.tentative, transition.final.exp()):
            assert torch.equal(probabilities[:, F] == 0, blocked)
            torch.testing.assert_close(probabilities.sum(dim=1), torch.ones(len(blocked)))
        seen |= set(blocked.tolist())
        assert not (blocked & (transition.nav == F)).any()
    assert seen == {True, False}


def test_the_distribution_is_a_softmax_over_what_is_possible() -> None:
    """Logits 0 for all: 1/6 each, or 1/5 with forward blocked."""
    result = log_distribution(torch.zeros(2, 6), torch.tensor([False, True])).exp()
    torch.testing.assert_close(result, torch.tensor([[1 / 6] * 6, [0.2, 0.2, 0.2, 0.2, 0.0, 0.2]]))


def test_a_learned_policy_never_asks_without_budget(environment: Environment) -> None:
    """Its help module would rather ask always; it does so until the budget is used up, like `first`."""
    agent = small_agent(2).eval()
    with torch.no_grad():
        agent.help.output.bias.copy_(torch.tensor([-1e4, 1e4]))
    key = torch.arange(30)
    eager, first = (
        bcui(drawn_episodes(environment, key), players_of(agent, environment, policy)) for policy in (Learned(), AtFirst())
    )
    assert told(eager, "request") == told(first, "request")
    for requests, budget in zip(told(eager, "request"), eager.episodes.help_budget.tolist(), strict=True):
        assert requests == [step < budget for step in range(len(requests))]


TEACHING = TemplateAdvisor(k=1, direct=True, speaks=False)


def drawn_walk(environment: Environment, policy: Mixture | Never, acting: Acting = BCUI) -> tuple[Rollout, Scripted]:
    """Forty episodes of agents that only ever look up, with a request for every step."""
    key = torch.arange(40)
    episodes = drawn_episodes(environment, key)
    agent = Scripted([[U] * 25] * 40)
    episodes = replace(episodes, help_budget=episodes.time_budget)
    return bcui(episodes, players_of(agent, environment, policy, acting, TEACHING)), agent


def test_behaviour_cloning_is_the_mixture_with_the_teacher_alone(environment: Environment) -> None:
    rollout, agent = drawn_walk(environment, Mixture(beta=1.0))
    assert told(rollout, "nav") == told(rollout, "taught")
    assert {ask for each in agent.seen for ask in each["ask 2"]} == {Ask.DO_NOTHING}
    assert {ask for each in agent.seen[1:] for ask in each["ask 1"]} == {Ask.DO_NOTHING}
    assert {code for each in agent.seen for code in each["heard 2"]} == {6**1}, "silence: 6 codes before it with k = 1"


def test_a_mixture_lets_the_teacher_act_where_the_coin_says_so(environment: Environment) -> None:
    """With β = 0.3 the teacher acts at the steps whose keyed number is below 0.3, and at no other."""
    rollout, agent = drawn_walk(environment, Mixture(beta=0.3))
    acted = 0
    for transition in rollout.transitions:
        coin = uniform(5, transition.row, Purpose.MIXTURE, transition.step) < 0.3
        assert torch.equal(transition.request, coin)
        assert torch.equal(transition.nav, torch.where(coin, transition.taught, U))
        acted += int(coin.sum())
    share = acted / sum(len(transition.row) for transition in rollout.transitions)
    assert 0.2 < share < 0.4
    assert {ask for each in agent.seen for ask in each["ask 2"]} == {Ask.DO_NOTHING}


def test_with_no_teacher_in_the_mixture_and_at_test_time_the_agent_acts_alone(environment: Environment) -> None:
    for policy, acting in ((Mixture(beta=0.0), BCUI), (Never(), ALONE)):
        rollout, _ = drawn_walk(environment, policy, acting)
        assert {nav for walk in told(rollout, "nav") for nav in walk} == {U}
        assert not any(request for walk in told(rollout, "request") for request in walk)


@dataclass(frozen=True)
class Following:
    """Carries out the teacher's action without an intervention."""

    def __call__(self, probabilities: Tensor, taught: Tensor, intervened: Tensor, *_: object) -> Tensor:  # noqa: ARG002
        return taught


@pytest.mark.parametrize("advisor", [TEACHING, TemplateAdvisor(direct=True, speaks=False)])
def test_a_teacher_that_steps_in_unasked_leaves_the_agents_mind_alone(environment: Environment, advisor: Advisor) -> None:
    """Same actions, same views: the agent's distributions must be those of an agent that nobody stepped in for, memory and
    coverage included, as they are at test time."""
    agent, key = small_agent(5).eval(), torch.arange(10)
    episodes = drawn_episodes(environment, key)
    episodes = replace(episodes, help_budget=episodes.time_budget)
    cloned = bcui(episodes, players_of(agent, environment, Mixture(beta=1.0), BCUI, advisor))
    alone = bcui(episodes, players_of(agent, environment, Never(), Following(), advisor))  # type: ignore[arg-type]
    assert told(cloned, "nav") == told(alone, "nav")
    for one, other in zip(cloned.transitions, alone.transitions, strict=True):
        torch.testing.assert_close(one.final, other.final)


def test_an_advisor_that_acts_in_silence_leaves_the_askers_mind_alone(environment: Environment) -> None:
    """Asked by the agent, at steps 1 and 3, it says nothing: there is nothing new to read and no reason to forget what was
    read. The request itself the agent feels by its embedding, which has no weight here."""
    agent, key = small_agent(5).eval(), torch.arange(10)
    torch.nn.init.zeros_(agent.navigation.ask_input.weight)
    episodes = drawn_episodes(environment, key)
    episodes = replace(episodes, help_budget=episodes.time_budget)
    silent = TemplateAdvisor(direct=True, speaks=False)
    asked = bcui(episodes, players_of(agent, environment, At((1, 3)), Following(), silent))  # type: ignore[arg-type]
    alone = bcui(episodes, players_of(agent, environment, Never(), Following(), silent))  # type: ignore[arg-type]
    assert any(any(each) for each in told(asked, "request"))
    for one, other in zip(asked.transitions, alone.transitions, strict=True):
        torch.testing.assert_close(one.final, other.final)


def outcome(rollout: Rollout) -> list[tuple[object, ...]]:
    """What an episode comes to, one tuple an episode, numbers apart from distributions."""
    names = ("pose", "nav", "request", "budget", "reason", "taught", "after")
    heard = [
        [subgoal for subgoal, asked in zip(*each, strict=True) if asked]
        for each in zip(told(rollout, "heard"), told(rollout, "request"), strict=True)
    ]
    return list(zip(*(told(rollout, name) for name in names), heard, rollout.last_pose().tolist(), strict=True))


def distributions(rollout: Rollout) -> list[Tensor]:
    return [torch.tensor(each) for each in told(rollout, "final")]


@pytest.mark.parametrize("policy", HELP_POLICIES)
@pytest.mark.parametrize("acting", [ALONE, BCUI], ids=["evaluation", "training"])
def test_outcomes_do_not_change_with_the_batch(environment: Environment, policy: str, acting: Acting) -> None:
    """A hundred episodes together, some by sevens in another order, and two alone."""
    agent, keys = small_agent(9).eval(), torch.arange(300, 400)

    def run(key: Tensor) -> Rollout:
        with torch.no_grad():
            return bcui(
                drawn_episodes(environment, key),
                players_of(agent, environment, help_policy(policy), acting),
            )

    whole = run(keys)
    expected, shapes = outcome(whole), distributions(whole)
    assert len({nav for walk in told(whole, "nav") for nav in walk}) >= 5, "agents that all do the same prove nothing"
    order = torch.randperm(100, generator=torch.Generator().manual_seed(2))
    for part in [*order[:21].split(7), *order[:2].split(1)]:
        some = run(keys[part])
        assert outcome(some) == [expected[i] for i in part.tolist()]
        for i, shape in zip(part.tolist(), distributions(some), strict=True):
            torch.testing.assert_close(shape, shapes[i], atol=1e-4, rtol=1e-4)


@pytest.fixture
def train_on(environment: Environment) -> TrainOn:
    """Lets a new agent learn from some episodes, by shrinking batches or by masking them as on a GPU."""

    def train(key: Tensor, policy: HelpPolicy, *, on_a_gpu: bool, deliberate: bool = True) -> tuple[PaperAgent, Rollout]:
        agent = small_agent(9).train()
        context = replace(players_of(agent, environment, policy, BCUI), deliberate=deliberate)
        return agent, bcui(drawn_episodes(environment, key), replace(context, batching=Batching(fixed=on_a_gpu)))

    return train


@pytest.mark.parametrize("policy", HELP_POLICIES)
def test_masking_as_on_a_gpu_gives_what_shrinking_gives(train_on: TrainOn, policy: str) -> None:
    results = []
    for on_a_gpu in (False, True):
        agent, rollout = train_on(torch.arange(500, 540), help_policy(policy), on_a_gpu=on_a_gpu)
        results.append((rollout, rollout.nav_loss(), rollout.ask_loss(agent.ask)))
    (shrunk, *losses), (masked, *masked_losses) = results
    assert len(masked.transitions) == 25 and all(len(transition.row) == 40 for transition in masked.transitions)
    assert len(shrunk.transitions[-1].row) < 40
    assert outcome(shrunk) == outcome(masked)
    torch.testing.assert_close(torch.stack(losses), torch.stack(masked_losses))
    for name in ("pose", "nav", "request"):
        wide, narrow = masked.table(name), shrunk.table(name)
        assert torch.equal(wide[:, : narrow.shape[1]], narrow)
        assert (wide[:, narrow.shape[1] :] == (0 if name == "request" else -1)).all()


@pytest.mark.parametrize("policy", ["none", "first", "random"])
@pytest.mark.parametrize("on_a_gpu", [False, True], ids=["shrinking", "masking"])
def test_who_does_not_look_at_the_first_pass_learns_the_same_without_it(
    train_on: TrainOn, policy: str, on_a_gpu: bool
) -> None:
    key = torch.arange(500, 540)
    results = []
    for deliberate in (True, False):
        agent, rollout = train_on(key, help_policy(policy), on_a_gpu=on_a_gpu, deliberate=deliberate)
        loss = rollout.nav_loss()
        loss.backward()
        collect_gradients(agent)
        results.append((rollout, loss.detach(), [each.grad for each in agent.navigation.parameters()]))
    (thoughtful, loss, slopes), (quick, its_loss, its_slopes) = results
    assert not quick.transitions[0].tentative.numel() and thoughtful.transitions[0].tentative.numel()
    for name in ("pose", "nav", "request", "budget", "taught", "after"):
        assert told(quick, name) == told(thoughtful, name), name
    assert any(any(each) for each in told(quick, "request")) == (policy != "none")
    torch.testing.assert_close(its_loss, loss)
    torch.testing.assert_close(its_slopes, slopes)


def test_the_gradients_of_masking_and_shrinking_are_the_same(train_on: TrainOn) -> None:
    gradients = []
    for on_a_gpu in (False, True):
        agent, rollout = train_on(torch.arange(500, 520), AsTaught(), on_a_gpu=on_a_gpu)
        (rollout.nav_loss() + rollout.ask_loss(agent.ask)).backward()
        collect_gradients(agent)
        gradients.append({name: each.grad for name, each in agent.named_parameters()})
    for name, gradient in gradients[0].items():
        torch.testing.assert_close(gradient, gradients[1][name], atol=1e-4, rtol=1e-4, msg=name)


def test_the_help_teacher_counts_steps_at_one_viewpoint_through_the_walk(environment: Environment) -> None:
    """An agent that looks up and down by the entryway has been there for 9 steps at step 9: rule (c). With the start pose
    counted, at step 8."""
    for teacher, expected in ((HelpTeacher("c"), 9), (HelpTeacher("c", counts_start_pose=True), 8)):
        context = replace(players_of(Scripted([[U, D] * 6]), environment, Never(), ALONE), help_teacher=teacher)
        rollout = bcui(to_the_bathroom(environment, 12, 1), context)
        wanted = told(rollout, "teacher_request")[0]
        assert wanted.index(True) == expected


def test_an_episode_without_time_takes_no_step(environment: Environment) -> None:
    key = torch.arange(2)
    episodes = with_budgets(drawn_episodes(environment, key), [0, 3], [1, 1])
    rollout = bcui(episodes, players_of(Scripted([[U] * 4] * 2), environment, AtFirst()))
    assert [len(each) for each in told(rollout, "nav")] == [0, 3]
    assert int(rollout.last_pose()[0]) == int(episodes.start[0])

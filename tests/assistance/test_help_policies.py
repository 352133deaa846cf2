"""Help policies over whole episodes, and that an episode's outcome never depends on its batch."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.help_policies import AtRandom, Spaced
from vnla.assistance.help_teacher import HelpTeacher
from vnla.assistance.registry import HELP_POLICIES, help_policy
from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.common.randomness import Purpose, uniform
from vnla.episode import Episodes, StepContext, count_unmoved
from vnla.houses.cottage import cottage
from vnla.world.compiled import Environment, World

LONGEST = 25


@pytest.fixture(scope="module")
def environment() -> Environment:
    world = World.compile([cottage()])
    return Environment.compile(
        world, [("cottage", ["bathroom"]), ("cottage", ["kitchen", "bedroom_west"]), ("cottage", ["entryway"])]
    )


def episodes_of(environment: Environment, key: Tensor, seed: int = 5) -> Episodes:
    """Episodes that begin and end where their key says."""
    poses = 13 * VIEWS
    return Episodes.begin(
        environment, key=key, start=key * 7919 % poses, goals=key % 3, time_budget=5 + key % 21, seed=seed, ratio=0.4, k=4
    )


def rollout(episodes: Episodes, policy_name: str) -> dict[str, Tensor]:
    """Agents that act on keyed random numbers: poses and requests of every step, and what the advisor said last."""
    environment = episodes.environment
    policy = help_policy(policy_name)
    plan = policy.plan(episodes)
    advisor = TemplateAdvisor()
    pose, budget = episodes.start, episodes.help_budget
    unmoved, since_request = torch.zeros_like(budget), torch.full_like(budget, advisor.k)
    said = torch.full_like(pose, advisor.silence)
    poses, requests = [], []
    for step in range(LONGEST):
        draws = torch.arange(8)
        lots = uniform(episodes.seed, episodes.key[:, None], Purpose.NAV_ACTION, step * 8 + draws)
        tentative = torch.softmax(lots[:, :6] * 4, dim=1)
        now = StepContext(
            episodes, step, pose, unmoved, budget, tentative, plan, ask=lambda lots=lots: lots[:, 6:],
            since_request=since_request, k=advisor.k,
        )  # fmt: skip
        ask = policy(replace(now, teacher_request=HelpTeacher()(now).request)) & (budget > 0) & (step < episodes.time_budget)
        said = torch.where(ask, advisor(environment, pose, episodes.goals).subgoal, said)
        budget = budget - ask.long()
        since_request = torch.where(ask, 0, since_request + 1)
        after = environment.step(pose, tentative.argmax(dim=1), episodes.goals)
        unmoved = count_unmoved(unmoved, pose, after)
        pose = after
        poses.append(pose)
        requests.append(ask)
    return {"pose": torch.stack(poses, 1), "ask": torch.stack(requests, 1), "said": said, "budget": budget}


@pytest.mark.parametrize("policy", HELP_POLICIES)
@pytest.mark.parametrize("size", [1, pytest.param(7, marks=pytest.mark.slow)])
def test_outcomes_do_not_change_with_batch_size_or_batch_mates(environment: Environment, policy: str, size: int) -> None:
    keys = torch.arange(100, 170)
    together = rollout(episodes_of(environment, keys), policy)
    order = torch.randperm(len(keys), generator=torch.Generator().manual_seed(1))
    for part in order.split(size)[:10]:
        alone = rollout(episodes_of(environment, keys[part]), policy)
        for name, values in alone.items():
            assert torch.equal(values, together[name][part]), f"{name} changed"


def test_none_never_asks(environment: Environment) -> None:
    assert not rollout(episodes_of(environment, torch.arange(50)), "none")["ask"].any()


def test_first_asks_from_the_first_step_until_the_budget_is_used_up(environment: Environment) -> None:
    episodes = episodes_of(environment, torch.arange(50))
    asked = rollout(episodes, "first")["ask"]
    expected = torch.arange(LONGEST) < episodes.help_budget[:, None]
    assert torch.equal(asked, expected)


def test_spaced_asks_at_the_first_step_and_after_every_four_until_the_budget_is_used_up(environment: Environment) -> None:
    """A budget of three, say: at the steps 0, 4 and 8, unless the time is over before."""
    episodes = episodes_of(environment, torch.arange(50))
    asked = rollout(episodes, "spaced")["ask"]
    step = torch.arange(LONGEST)
    in_turn = (step % 4 == 0) & (step // 4 < episodes.help_budget[:, None])
    assert torch.equal(asked, in_turn & (step < episodes.time_budget[:, None]))


def test_spaced_goes_by_the_subgoals_of_its_advisor(environment: Environment) -> None:
    """With subgoals of two actions: at the first step; not while the second action is to come; again after it."""
    episodes = episodes_of(environment, torch.arange(4))
    budget, nothing = torch.tensor([1, 1, 1, 0]), torch.empty(0)
    since = torch.tensor([2, 0, 1, 1])  # never asked; asked one step ago; two steps ago, twice
    now = StepContext(episodes, 5, episodes.start, budget, budget, nothing, nothing, since_request=since, k=2)
    assert Spaced()(now).tolist() == [True, False, True, False]
    unknown = StepContext(episodes, 5, episodes.start, budget, budget, nothing, nothing, since_request=since)
    with pytest.raises(InputError, match="how many actions a subgoal has"):
        Spaced()(unknown)


def test_entropy_asks_above_its_threshold_alone(environment: Environment) -> None:
    """Of two equally likely actions it is ln 2 = 0.693, of four ln 4 = 1.386, of one 0."""
    episodes = episodes_of(environment, torch.arange(3))
    chances = torch.tensor([[0.5, 0.5, 0, 0, 0, 0], [0.25, 0.25, 0.25, 0.25, 0, 0], [1.0, 0, 0, 0, 0, 0]])
    now = StepContext(episodes, 0, episodes.start, episodes.goals, episodes.help_budget, chances, torch.empty(0))
    asked = {each: help_policy("entropy", {"threshold": each})(now).tolist() for each in (0.0, 0.69, 0.7, 1.39)}
    assert asked == {
        0.0: [True, True, False], 0.69: [True, True, False], 0.7: [False, True, False], 1.39: [False, False, False],
    }  # fmt: skip
    assert help_policy("entropy").in_training() == help_policy("teacher"), "its agent is that of LEARNED and TEACHER"
    for wrong in (-0.1, 1.8):
        with pytest.raises(InputError, match="threshold"):
            help_policy("entropy", {"threshold": wrong})


def test_random_asks_as_often_as_the_budget_says_within_the_time_budget(environment: Environment) -> None:
    episodes = episodes_of(environment, torch.arange(400))
    asked = rollout(episodes, "random")["ask"]
    assert torch.equal(asked.sum(dim=1), episodes.help_budget)
    assert not (asked & (torch.arange(LONGEST) >= episodes.time_budget[:, None])).any()


def test_random_asks_at_none_of_the_steps_after_its_longest(environment: Environment) -> None:
    episodes, policy = episodes_of(environment, torch.arange(200)), AtRandom(longest=5)
    now = StepContext(
        episodes, 0, episodes.start, episodes.start, episodes.help_budget, torch.empty(0), policy.plan(episodes)
    )
    asked = torch.stack([policy(replace(now, step=step)) for step in range(LONGEST)], dim=1)
    possible = torch.minimum(episodes.help_budget, episodes.time_budget.clamp(max=5))
    assert torch.equal(asked[:, :5].sum(dim=1), possible) and not asked[:, 5:].any()


def test_random_chooses_every_step_equally_often(environment: Environment) -> None:
    """3000 episodes of 10 steps and one request: each step is chosen 300 times give or take five deviations (16.4 each)."""
    key = torch.arange(3000)
    ten, one = torch.full((3000,), 10), torch.ones(3000, dtype=torch.long)
    begun = Episodes.begin(environment, key=key, start=key % 400, goals=key % 3, time_budget=ten, seed=2, ratio=0.4, k=4)
    assert torch.equal(begun.help_budget, one)
    plan = AtRandom().plan(begun)
    now = [StepContext(begun, step, begun.start, key, one, torch.empty(0), plan) for step in range(LONGEST)]
    chosen = Counter(step for step in range(LONGEST) for _ in range(int(AtRandom()(now[step]).sum())))
    assert set(chosen) == set(range(10))
    assert all(abs(count - 300) < 5 * 16.5 for count in chosen.values())


def test_teacher_uses_all_its_budget_before_the_time_is_over(environment: Environment) -> None:
    """Rule (d) sees to it."""
    episodes = episodes_of(environment, torch.arange(60))
    assert (rollout(episodes, "teacher")["budget"] == 0).all()


def test_learned_does_what_the_help_module_finds_more_probable(environment: Environment) -> None:
    episodes = episodes_of(environment, torch.arange(2))
    decide = help_policy("learned")
    plan, nothing = decide.plan(episodes), torch.empty(0)
    ask = torch.tensor([[0.4, 0.6], [0.6, 0.4]])
    now = StepContext(episodes, 0, episodes.start, episodes.goals, episodes.help_budget, nothing, plan, lambda: ask)
    assert decide(now).tolist() == [True, False]
    without = StepContext(episodes, 0, episodes.start, episodes.goals, episodes.help_budget, nothing, plan)
    with pytest.raises(InputError, match="needs an agent with a help module"):
        decide(without)


def test_who_asks_as_the_teacher_does_has_to_know_what_it_says(environment: Environment) -> None:
    episodes = episodes_of(environment, torch.arange(2))
    decide, nothing = help_policy("teacher"), torch.empty(0)
    now = StepContext(episodes, 0, episodes.start, episodes.goals, episodes.help_budget, nothing, nothing)
    with pytest.raises(InputError, match="what the teacher says"):
        decide(now)
    told = torch.tensor([True, False])
    assert torch.equal(decide(replace(now, teacher_request=told)), told)


def test_an_unknown_policy_is_refused_with_the_choices() -> None:
    with pytest.raises(InputError, match="choose from none, first, random, learned, teacher"):
        help_policy("oracle")

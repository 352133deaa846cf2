"""Ceilings against brute force: one episode at a time, every set of steps, every sequence of actions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
import torch
from torch import Tensor

from cottage_players import FOLLOWING, VOCABULARY, WORLD
from cottage_players import context as untrained
from vnla.assistance.acting import ALONE, LED, Acting, sampled
from vnla.assistance.help_policies import AsTaught, AtFirst, AtRandom, Cloning, HelpPolicy, Learned, Never, take_after
from vnla.assistance.if_wrong import AskIfWrong
from vnla.bcui import bcui
from vnla.common.batching import Batching
from vnla.common.errors import InputError
from vnla.common.randomness import Purpose, uniform
from vnla.episode import Episodes, StepContext
from vnla.evaluation.ceilings import lines, requests, subject
from vnla.evaluation.ceilings.lines import Ceilings, ceilings, draw_schedules
from vnla.evaluation.ceilings.requests import request_pairs
from vnla.evaluation.ceilings.subject import GAITS, STOPPING, Gait, Subject, metres_left
from vnla.evaluation.evaluate import evaluate, greedy
from vnla.evaluation.scores import SUCCESS_RADIUS
from vnla.rollout import Rollout, RolloutContext
from vnla.tasks.cottage import cottage_tasks
from vnla.tasks.task_set import TaskSet
from vnla.world.actions import Nav
from vnla.world.budgets import TimeBudgets

TIME, REQUESTS = 6, 2
SHORT = TaskSet.compile(WORLD, cottage_tasks(WORLD), TimeBudgets(longest=TIME), vocabulary=VOCABULARY)
RATIO = 4 * REQUESTS / TIME
"""Of the time, with k = 4: every episode has two requests, and nothing is left to chance."""


def players(acting: Acting = ALONE, policy: HelpPolicy | None = None) -> RolloutContext:
    """With an agent that does this and that, and something else when it is told something else."""
    return replace(_players(), acting=acting, help_policy=policy or AsTaught())


@cache
def _players() -> RolloutContext:
    who = untrained()
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(5)
        for weights in who.agent.parameters():
            weights.normal_(std=1.2)
    return who


def subject_of(policy: HelpPolicy | None = None, seeds: tuple[int, ...] = (1,), batch: int | None = None) -> Subject:
    return Subject(players(ALONE, policy or AtRandom()), SHORT, seeds, RATIO, batch)


@dataclass(frozen=True)
class At(HelpPolicy):
    """Asks at these steps."""

    steps: frozenset[int] = frozenset()

    def __call__(self, now: StepContext) -> Tensor:
        return torch.full_like(now.budget, now.step in self.steps, dtype=torch.bool)


@dataclass(frozen=True)
class But(HelpPolicy):
    """Another policy but at one step."""

    inner: HelpPolicy = field(default_factory=Never)
    step: int = 0
    asks_there: bool = False

    def __post_init__(self) -> None:
        take_after(self, self.inner)

    def plan(self, episodes: Episodes) -> Tensor:
        return self.inner.plan(episodes)

    def __call__(self, now: StepContext) -> Tensor:
        own = self.inner(now)
        return torch.full_like(own, self.asks_there) if now.step == self.step else own


def alone(who: RolloutContext, task: int, seed: int = 1) -> Rollout:
    """One episode by itself."""
    with greedy(who.agent):
        return bcui(SHORT.episodes(torch.tensor([task]), seed=seed, ratio=RATIO), who, longest=TIME)


def ending(who: RolloutContext, task: int, seed: int = 1) -> float:
    return float(SHORT.environment.distance_left(alone(who, task, seed).last_pose(), SHORT.goals[task : task + 1]))


@pytest.fixture(scope="module")
def found() -> Ceilings:
    return ceilings(subject_of())


def test_schedules_are_those_of_brute_force(found: Ceilings) -> None:
    for task in range(0, len(SHORT), 3):
        metres = {
            steps: ending(players(ALONE, At(frozenset(steps))), task)
            for size in range(REQUESTS + 1)
            for steps in combinations(range(TIME), size)
        }
        full = [left for steps, left in metres.items() if len(steps) == REQUESTS]
        assert found.lines["best"].metres[task] == min(metres.values())
        assert found.lines["worst"].metres[task] == max(metres.values())
        assert found.lines["mean"].metres[task] == pytest.approx(np.mean(full))
        assert found.lines["mean"].success[task] == np.mean(np.array(full) <= SUCCESS_RADIUS)
        assert found.lines["never"].metres[task] == metres[()]


def test_following_is_an_episode_in_which_the_teacher_acts_for_the_length_of_a_subgoal(found: Ceilings) -> None:
    who = players(LED, AtRandom())
    assert found.lines["own_following"].metres.tolist() == [ending(who, task) for task in range(len(SHORT))]


@dataclass(frozen=True)
class Walk:
    """Actions by the number drawn for this walk and step."""

    number: int

    def __call__(self, chances: Tensor, episodes: Episodes, step: int) -> Tensor:
        place = (1 << 20) * self.number + step
        drawn = uniform(episodes.seed, episodes.key, Purpose.NAV_ACTION, place)
        return torch.searchsorted(chances.double().cumsum(dim=1), drawn[:, None], right=True).squeeze(1).clamp(max=5)


@pytest.mark.parametrize("policy", [AtRandom(), AsTaught()])
def test_the_placebo_is_as_many_walks_with_the_own_requests_and_sampled_actions(policy: HelpPolicy) -> None:
    few, differs = ceilings(subject_of(policy, batch=7), schedules=9), 0
    for task in range(0, len(SHORT), 2):
        each = np.array([ending(players(Acting(Walk(number), direct=False), policy), task) for number in range(9)])
        differs += len(set(each.tolist())) > 1
        assert few.lines["placebo_best"].metres[task] == each.min()
        assert few.lines["placebo_mean"].metres[task] == pytest.approx(each.mean())
        assert few.lines["placebo_mean"].success[task] == pytest.approx((each <= SUCCESS_RADIUS).mean())
    assert differs > 1, "walks that all end alike prove nothing"


def test_the_first_walk_of_the_placebo_is_what_training_would_sample() -> None:
    one = ceilings(subject_of(AtFirst()), schedules=1)
    who = players(Acting(sampled, direct=False), AtFirst())
    expected = [ending(who, task) for task in range(len(SHORT))]
    assert one.lines["placebo_best"].metres.tolist() == one.lines["placebo_mean"].metres.tolist() == expected


def test_asking_if_wrong_is_in_the_range_of_the_schedules(found: Ceilings) -> None:
    who = players(ALONE, AskIfWrong())
    assert found.lines["if_wrong"].metres.tolist() == [ending(who, task) for task in range(len(SHORT))]
    assert (found.lines["if_wrong"].metres >= found.lines["best"].metres).all()


def test_it_matters_when_to_ask(found: Ceilings) -> None:
    """Or else the tests here would show nothing."""
    assert (found.lines["best"].metres < found.lines["worst"].metres).sum() > 2
    assert (found.lines["own"].metres != found.lines["own_stopping"].metres).any()


def test_anybody_is_the_best_of_all_sequences_of_actions() -> None:
    time = 4
    brief = TaskSet.compile(WORLD, cottage_tasks(WORLD), TimeBudgets(longest=time))
    sequences = torch.tensor(list(product(Nav, repeat=time)))
    least = subject.least_metres(brief)
    for task in range(len(brief)):
        pose, goals = (getattr(brief, name)[task].expand(len(sequences)) for name in ("start", "goals"))
        for action in sequences.T:
            pose = brief.environment.step(pose, action, goals)
        assert least[task] == brief.environment.distance_left(pose, goals).min()


def test_the_time_ceiling_is_an_agent_that_does_as_the_teacher_says(found: Ceilings) -> None:
    who = players(FOLLOWING, Never())
    assert found.lines["nav_teacher"].metres.tolist() == [ending(who, task) for task in range(len(SHORT))]


def test_stopping_ends_the_walk_where_it_is_first_a_success(found: Ceilings) -> None:
    who = replace(players(policy=AtRandom()), acting=STOPPING.acting(ALONE))
    for task in range(len(SHORT)):
        rollout = alone(who, task)
        assert not any((transition.nav == Nav.STOP).any() for transition in rollout.transitions)
        poses = torch.cat([rollout.episodes.start, *(transition.after for transition in rollout.transitions)])
        left = SHORT.environment.distance_left(poses, SHORT.goals[task].expand_as(poses)).tolist()
        first = next((each for each in left if each <= SUCCESS_RADIUS), left[-1])
        assert found.lines["own_stopping"].metres[task] == first


def test_who_arrives_and_walks_on_would_have_succeeded_by_stopping() -> None:
    """The teacher's walk from the start of a task, as far as the goal, and then back."""
    who = players(FOLLOWING, Never())
    rollout = alone(who, 0)
    away = rollout.episodes.start
    there = torch.full_like(away, int(SHORT.environment.goal_viewpoints[SHORT.goals[0], 0]) * 36)
    transition = rollout.transitions[0]
    rollout.transitions = [
        replace(transition, step=step, active=transition.active | True, after=pose)
        for step, pose in enumerate((there, away))
    ]
    assert metres_left(rollout).item() > SUCCESS_RADIUS
    assert metres_left(rollout, stops=True).item() == 0


@pytest.mark.parametrize("policy", [Never(), AtFirst(), AtRandom(), AsTaught(), Learned()])
def test_what_no_help_policy_can_change(policy: HelpPolicy) -> None:
    """For one set of times, stopping well is never worse; no policy leaves the range of the schedules; time is time."""
    lines = ceilings(subject_of(policy, seeds=(1, 2))).lines
    worst, mean, best = (lines[name].success for name in ("worst", "mean", "best"))
    assert (worst <= mean).all() and (mean <= best).all()
    for name in ("own", "never", "rules", "if_wrong"):
        assert (worst <= lines[name].success).all() and (lines[name].success <= best).all(), name
    assert (lines["placebo_mean"].success <= lines["placebo_best"].success).all()
    assert (lines["own"].success <= lines["own_stopping"].success).all()
    assert (lines["own_following"].success <= lines["own_both"].success).all()
    for name, line in lines.items():
        assert (line.success <= lines["anybody"].success).all(), name


def test_the_agent_as_it_is_is_what_evaluation_finds(found: Ceilings) -> None:
    who = found.subject.context
    assert found.lines["own"].metres.tolist() == evaluate(who, SHORT, seeds=(1,), ratio=RATIO).scores.nav_error[0].tolist()


def test_batches_and_company_change_nothing(found: Ceilings) -> None:
    again = ceilings(subject_of(seeds=(1, 2), batch=37), schedules=10)
    few = ceilings(subject_of(), schedules=10)
    for name, line in few.lines.items():
        assert again.lines[name].metres[: len(SHORT)].tolist() == line.metres.tolist()
    assert found.lines["own"].metres.tolist() == few.lines["own"].metres.tolist()


@pytest.mark.parametrize("policy", [AtRandom(), AsTaught()])
def test_who_has_ended_may_stay_in_the_batch(policy: HelpPolicy) -> None:
    """As on a GPU."""
    leaving = subject_of(policy)
    staying = replace(leaving, context=replace(leaving.context, batching=Batching(fixed=True)))
    one, other = (ceilings(each, schedules=10).lines for each in (leaving, staying))
    assert {name: line.metres.tolist() for name, line in one.items()} == {
        name: line.metres.tolist() for name, line in other.items()
    }
    pairs = [request_pairs(each) for each in (leaving, staying)]
    assert pairs[0].asking.tolist() == pairs[1].asking.tolist()
    assert pairs[0].silent.tolist() == pairs[1].silent.tolist()


def test_of_many_schedules_some_are_drawn_without_replacement() -> None:
    rows = draw_schedules(subject_of(), 10)
    assert rows.tried.tolist() == [10] * len(SHORT)
    assert (rows.exactly == 15).all() and (rows.there == 22).all()
    assert rows.full.all()
    for task in range(len(SHORT)):
        assert len(set(rows.number[rows.episode == task].tolist())) == 10
    rows = draw_schedules(subject_of(), 18)
    for task in range(len(SHORT)):
        numbers = rows.number[rows.episode == task].tolist()
        assert sorted(numbers)[:15] == list(range(15)) and len(set(numbers)) == 18
    assert (draw_schedules(subject_of(), 22).tried == 22).all()


def test_what_a_sample_may_have_missed(found: Ceilings) -> None:
    """None of ten: at 95% at most 1 − 0.05^(1/10), 26%, of the schedules succeed."""
    assert (found.missed, found.at_most) == (0, found.success("best").value)
    assert not found.sampled.any()
    few = ceilings(subject_of(), schedules=10)
    assert few.sampled.all()
    assert few.missed == pytest.approx(0.2589, abs=1e-4)
    solved = few.lines["best"].success > 0
    assert few.unsolved.tolist() == (~solved & (few.lines["anybody"].success > 0)).tolist()
    assert few.success("best").value <= found.success("best").value <= few.at_most


def test_without_requests_there_is_one_schedule() -> None:
    found = ceilings(replace(subject_of(Cloning()), ratio=0.0))
    assert found.schedules.tried.tolist() == [1] * len(SHORT)
    for name in ("worst", "mean", "best", "never", "if_wrong"):
        assert found.lines[name].metres.tolist() == found.lines["own"].metres.tolist()
    pairs = request_pairs(found.subject)
    assert len(pairs) == 0 and np.isnan(pairs.worth().success.value)
    assert all(pairs.parts(by) == [] for by in pairs.divisions)


@pytest.mark.parametrize("policy", [Never(), AtFirst(), AtRandom(), AsTaught(), Learned()])
def test_pairs_are_those_of_brute_force(policy: HelpPolicy) -> None:
    pairs = request_pairs(subject_of(policy))
    seen = set()
    for place in range(len(pairs)):
        task, step = int(pairs.states.episode[place]), int(pairs.states.step[place])
        seen.add((task, step))
        if task % 3 == 0:
            asking, silent = (ending(players(ALONE, But(policy, step, asks)), task) for asks in (True, False))
            assert (pairs.asking[place], pairs.silent[place]) == (asking, silent)
    expected = set()
    for task in range(len(SHORT)):
        for transition in alone(players(ALONE, policy), task).transitions:
            if transition.active and transition.budget > 0:
                expected.add((task, transition.step))
    assert seen == expected and len(seen) == len(pairs)
    assert (pairs.weight == 1).all()


def test_some_states_stand_for_all() -> None:
    every, some = request_pairs(subject_of(Never())), request_pairs(subject_of(Never()), states=2)
    for task in range(len(SHORT)):
        of_task = (pairs.states.episode == task for pairs in (every, some))
        all_of_it, drawn = (int(each.sum()) for each in of_task)
        assert drawn == min(2, all_of_it)
    assert some.weight.sum() == pytest.approx(len(every))
    assert request_pairs(subject_of(Never()), states=99).asking.tolist() == every.asking.tolist()


def test_every_state_is_in_one_part_of_each_division() -> None:
    pairs = request_pairs(subject_of(AsTaught(), seeds=(1, 2)))
    for by in pairs.divisions:
        parts = pairs.parts(by)
        assert sum(part.states for part in parts) == len(pairs), by
        mean = sum(part.success.value * part.states for part in parts) / len(pairs)
        assert mean == pytest.approx(pairs.worth().success.value), by


def test_when_the_agent_asks_is_what_it_did() -> None:
    pairs = request_pairs(subject_of(AtFirst()))
    assert pairs.states.asked.all()
    assert [part.label for part in pairs.parts("agent")] == ["asks"]
    assert [part.label for part in pairs.parts("requests")] == ["1", "2"]


def test_a_house_alone_has_no_interval(found: Ceilings) -> None:
    assert np.isnan(found.success("own").low)


def test_seeds_are_needed_and_differ() -> None:
    with pytest.raises(InputError, match="each once"):
        subject_of(seeds=(1, 1))


def test_walks_have_names() -> None:
    assert {lines.SUFFIXES[walk] for walk in GAITS} == {"", "_following", "_stopping", "_both"}
    assert Gait(led=True).acting(ALONE) == LED
    assert requests.TENTHS == 10


def test_the_best_and_the_worst_schedule_include_what_also_happened() -> None:
    """Two episodes of two tried schedules each; the agent's own requests went better in one and worse in the other."""
    tried = lines.Schedules(
        np.array([0, 0, 1, 1]), np.arange(4), np.ones(4, dtype=bool), np.array([2.0, 2.0]), np.array([9.0, 9.0]),
        np.array([2, 2]),
    )  # fmt: skip
    metres, own = np.array([5.0, 7.0, 4.0, 6.0]), np.array([1.0, 9.0])
    assert [tried.lines(metres, [])[name].metres.tolist() for name in (lines.BEST, lines.WORST)] == [[5, 4], [7, 6]]
    found = tried.lines(metres, [own])
    assert [found[name].metres.tolist() for name in (lines.BEST, lines.WORST)] == [[1, 4], [7, 9]]
    assert found[lines.MEAN].metres.tolist() == [6, 5], "of the tried ones alone"


@pytest.mark.parametrize("policy", [AtRandom(), AtFirst(), AsTaught(), Never()])
def test_of_few_schedules_the_best_is_no_worse_than_what_the_agent_did(policy: HelpPolicy) -> None:
    few = ceilings(subject_of(policy), schedules=1)
    assert (few.lines[lines.WORST].metres >= few.lines[lines.OWN].metres).all()
    for name in (lines.OWN, lines.NEVER, lines.RULES, lines.IF_WRONG):
        assert (few.lines[lines.BEST].metres <= few.lines[name].metres).all(), name

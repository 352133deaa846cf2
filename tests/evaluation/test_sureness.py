"""What is measured of an agent's sureness, in the cottage; above all: who is certain enough goes the teacher's way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn.functional import one_hot

from cottage_players import TASKS, context, scripted
from vnla.agents.paper import PaperAgent
from vnla.assistance.acting import ALONE
from vnla.assistance.help_policies import AtFirst, Never
from vnla.bcui import bcui
from vnla.common.batching import Batching
from vnla.episode import Episodes
from vnla.evaluation.evaluate import greedy
from vnla.evaluation.sureness import (
    DOUBTS,
    NEVER_LEFT,
    OUT_OF_TIME,
    Sample,
    ending,
    guarded,
    guarded_walk,
    house_numbers,
    leaving,
    over,
    sampled,
)
from vnla.rollout import Rollout, RolloutContext, Transition
from vnla.tasks.task_set import TaskSet, teacher_trajectories
from vnla.world.actions import NAV_ACTIONS, Nav

SURE = torch.tensor([0.05, 0.05, 0.05, 0.05, 0.05, 0.75])


def opinionated(seed: int, scale: float, fixed: bool = False) -> RolloutContext:
    """An agent that knows nothing and has opinions, the stronger the larger its weights are."""
    who = context(ALONE, AtFirst())
    assert isinstance(who.agent, PaperAgent)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        agent = PaperAgent(who.agent.config)
    with torch.no_grad():
        for parameter in agent.parameters():
            parameter.mul_(scale)
    return replace(who, agent=agent, batching=Batching(fixed=fixed))


def all_of(tasks: TaskSet) -> Episodes:
    return tasks.episodes(torch.arange(len(tasks)), seed=0, ratio=1.0, k=1)


@pytest.mark.parametrize(("seed", "scale", "fixed"), [(0, 1.0, False), (1, 3.0, False), (2, 6.0, False), (3, 6.0, True)])
def test_who_would_not_have_left_the_way_goes_it_step_for_step(seed: int, scale: float, fixed: bool) -> None:
    """Whatever the threshold: exactly those whose doubt was large enough wherever they would have been wrong."""
    who = opinionated(seed, scale, fixed)
    taught, lengths = teacher_trajectories(TASKS.environment, TASKS.start, TASKS.goals)
    with greedy(who.agent):
        least = leaving(bcui(all_of(TASKS), guarded(who, 0.0)))
        for threshold in least.sort().values[1::2].tolist():
            nav = bcui(all_of(TASKS), guarded(who, threshold)).table("nav")
            same = [torch.equal(nav[row, :length], taught[row, :length]) for row, length in enumerate(lengths.tolist())]
            assert same == (least >= threshold).tolist()


@pytest.fixture(scope="module")
def sample() -> Sample:
    return sampled(opinionated(2, 6.0), TASKS, ratio=0.4)


def test_a_sample_has_every_doubt_from_always_to_never(sample: Sample) -> None:
    _, lengths = teacher_trajectories(TASKS.environment, TASKS.start, TASKS.goals)
    assert sample.success.shape == sample.requests.shape == sample.steps.shape == (len(TASKS), len(DOUBTS))
    assert sample.requests[:, 0].tolist() == sample.steps[:, 0].tolist() == lengths.tolist()
    assert sample.success[:, 0].all() and not sample.requests[:, -1].any()
    alone = over(replace(opinionated(2, 6.0), help_policy=Never()), TASKS, ending, ratio=0.0)
    assert sample.success[:, -1].tolist() == (~alone[1]).tolist()  # the cottage's tasks have all the time there is
    assert sample.house.tolist() == [0] * len(TASKS)


def test_as_taught_means_success(sample: Sample) -> None:
    """So that the promise on the way is one on the end of it."""
    for place, least in enumerate(DOUBTS):
        assert sample.success[sample.doubt >= least, place].all()


def test_some_rows(sample: Sample) -> None:
    some = sample.rows(np.array([5, 0]))
    assert some.steps.tolist() == sample.steps[[5, 0]].tolist()
    assert some.wrong.tolist() == sample.wrong[[5, 0]].tolist()


def led() -> Rollout:
    """The teacher's walks with an untrained agent looking on."""
    who = guarded(context(ALONE), 0.0)
    with greedy(who.agent):
        return bcui(all_of(TASKS), who)


def agreeing(transition: Transition) -> Transition:
    """The same moment with agents who would do what the teacher does."""
    return replace(transition, final=one_hot(transition.taught, NAV_ACTIONS).float().log())


def test_only_doubt_where_the_agent_is_wrong_counts() -> None:
    """All agree with the teacher but at the second step, where probabilities of pass 1 are known."""
    rollout = led()
    transitions = [agreeing(each) for each in rollout.transitions]
    assert leaving(replace(rollout, transitions=transitions)).tolist() == [NEVER_LEFT] * len(TASKS)
    tentative = torch.tensor([0.1, 0.5, 0.0, 0.1, 0.3, 0.0]).expand(len(TASKS), -1)
    transitions[1] = replace(transitions[1], tentative=tentative, final=transitions[1].final.roll(1, dims=1))
    assert leaving(replace(rollout, transitions=transitions)).tolist() == pytest.approx([0.3] * len(TASKS))


def test_a_way_that_is_too_long_is_no_promise() -> None:
    hurried = replace(TASKS, time_budget=torch.full_like(TASKS.time_budget, 3))
    who = guarded(context(ALONE), 0.0)
    assert over(who, hurried, guarded_walk)[3].tolist() == [OUT_OF_TIME] * len(TASKS)


def test_how_sure_an_agent_is_comes_from_its_last_step() -> None:
    """The teacher's walks, whatever the agent thinks of them until the last step."""
    rollout = led()
    last = rollout.table("nav").ne(-1).sum(dim=1) - 1
    transitions = [
        replace(each, final=torch.where((last[each.row] == each.step)[:, None], SURE, torch.full((6,), 1 / 6)).log())
        for each in rollout.transitions
    ]
    sureness, wrong = ending(replace(rollout, transitions=transitions))
    assert sureness.tolist() == pytest.approx([0.75] * len(TASKS))
    assert not wrong.any()
    assert over(context(scripted(Nav.STOP), Never()), TASKS, ending)[1].all()


def test_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    who = opinionated(2, 6.0)
    whole = over(who, TASKS, ending, ratio=0.4)
    seen: list[tuple[int, int]] = []
    monkeypatch.setattr("vnla.evaluation.sureness.fitting_batch", lambda *_: 4)
    parts = over(who, TASKS, ending, ratio=0.4, progress=lambda done, count: seen.append((done, count)))
    assert seen == [(4, 6), (6, 6)]
    for one, other in zip(whole, parts, strict=True):
        assert one.tolist() == pytest.approx(other.tolist(), abs=1e-6)


def test_progress_counts_all_runs() -> None:
    seen: list[tuple[int, int]] = []
    sampled(context(ALONE), TASKS, ratio=0.4, progress=lambda done, count: seen.append((done, count)))
    every = len(TASKS) * (1 + len(DOUBTS))
    assert seen == [(done, every) for done in range(len(TASKS), every + 1, len(TASKS))]


def test_houses_have_numbers() -> None:
    tasks = [replace(TASKS.tasks[0], house=name) for name in ("b", "a", "b")]
    assert house_numbers(tasks).tolist() == [1, 0, 1]

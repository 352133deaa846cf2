"""What is measured of an agent's sureness, in the cottage; above all: who is certain enough goes the teacher's way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn.functional import one_hot

from cottage_players import FOLLOWING, TASKS, players, scripted
from vnla.agent.paper import PaperAgent
from vnla.bcui import bcui
from vnla.common.batching import Batching
from vnla.evaluation.evaluate import greedy
from vnla.evaluation.sureness import NEVER_WRONG, OUT_OF_TIME, Subject, ending, guarded, leaving, over, unhurried
from vnla.players import Players
from vnla.roles.acting import ALONE
from vnla.roles.help_policies import AtFirst, Never
from vnla.rollout import Moment, Rollout
from vnla.tasks.task_set import teacher_trajectories
from vnla.world.actions import NAV_ACTIONS, Nav


def opinionated(seed: int, scale: float, fixed: bool = False) -> Players:
    """An agent that knows nothing and has opinions, the stronger the larger its weights are."""
    who = players(ALONE, AtFirst())
    assert isinstance(who.agent, PaperAgent)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        agent = PaperAgent(who.agent.config)
    with torch.no_grad():
        for parameter in agent.parameters():
            parameter.mul_(scale)
    return replace(who, agent=agent, batching=Batching(fixed=fixed))


@pytest.mark.parametrize(("seed", "scale", "fixed"), [(0, 1.0, False), (1, 3.0, False), (2, 6.0, False), (3, 6.0, True)])
def test_who_would_not_have_left_the_way_goes_it_step_for_step(seed: int, scale: float, fixed: bool) -> None:
    """Whatever the threshold: exactly those whose doubt was large enough wherever they would have been wrong."""
    who = opinionated(seed, scale, fixed)
    (least,) = over(guarded(who), unhurried(TASKS), leaving)
    taught, lengths = teacher_trajectories(TASKS.environment, TASKS.start, TASKS.goals)
    for threshold in np.sort(least)[1::2].tolist():
        with greedy(who.agent):
            episodes = unhurried(TASKS).episodes(torch.arange(len(TASKS)), seed=0, ratio=1.0, k=1)
            nav = bcui(episodes, guarded(who, threshold)).table("nav")
        same = [torch.equal(nav[row, :length], taught[row, :length]) for row, length in enumerate(lengths.tolist())]
        assert same == (least >= threshold).tolist()


@pytest.mark.parametrize("seed", range(3))
def test_walks_say_the_same(seed: int) -> None:
    subject = Subject.of(opinionated(seed, 6.0), TASKS, ratio=0.4)
    threshold = float(np.median(subject.sample.doubt))
    walks = subject.walks(threshold, np.arange(len(TASKS)))
    assert walks.as_taught.tolist() == (subject.sample.doubt >= threshold).tolist()
    assert walks.success[walks.as_taught].all()
    assert (walks.requests < walks.steps).any()
    led = subject.walks(0.0, np.array([4, 1]))
    _, lengths = teacher_trajectories(TASKS.environment, TASKS.start, TASKS.goals)
    assert led.requests.tolist() == led.steps.tolist() == lengths[[4, 1]].tolist()


def test_never_asking_is_the_agent_alone() -> None:
    who = opinionated(1, 6.0)
    walks = Subject.of(who, TASKS, ratio=0.4).walks(NEVER_WRONG, np.arange(len(TASKS)))
    alone = over(replace(who, help_policy=Never()), unhurried(TASKS), ending, ratio=0.0)
    assert walks.requests.tolist() == [0] * len(TASKS)
    assert walks.success.tolist() == (~alone[1]).tolist()


def led() -> Rollout:
    """The teacher's walks with an untrained agent looking on."""
    who = guarded(players(ALONE))
    with greedy(who.agent):
        return bcui(unhurried(TASKS).episodes(torch.arange(len(TASKS)), seed=0, ratio=1.0, k=1), who)


def agreeing(moment: Moment) -> Moment:
    """The same moment with agents who would do what the teacher does."""
    return replace(moment, final=one_hot(moment.taught, NAV_ACTIONS).float().log())


def test_only_doubt_where_the_agent_is_wrong_counts() -> None:
    """All agree with the teacher but at the second step, where probabilities of pass 1 are known."""
    rollout = led()
    moments = [agreeing(each) for each in rollout.moments]
    assert leaving(replace(rollout, moments=moments))[0].tolist() == [NEVER_WRONG] * len(TASKS)
    tentative = torch.tensor([0.1, 0.5, 0.0, 0.1, 0.3, 0.0]).expand(len(TASKS), -1)
    moments[1] = replace(moments[1], tentative=tentative, final=moments[1].final.roll(1, dims=1))
    (least,) = leaving(replace(rollout, moments=moments))
    assert least.tolist() == pytest.approx([0.3] * len(TASKS))


def test_a_way_that_is_too_long_is_no_promise() -> None:
    hurried = replace(TASKS, time_budget=torch.full_like(TASKS.time_budget, 3))
    (least,) = over(guarded(players(ALONE)), hurried, leaving)
    assert least.tolist() == [OUT_OF_TIME] * len(TASKS)


def test_who_stops_is_as_sure_as_the_probability_of_stopping() -> None:
    """One stops at once, one never does, one goes with the teacher."""
    sureness, wrong = over(players(scripted(Nav.STOP), Never()), TASKS, ending)
    assert wrong.all() and (sureness > 0).all() and (sureness < 1).all()
    sureness, wrong = over(players(scripted(), Never()), TASKS, ending)
    assert wrong.all() and not sureness.any()
    sureness, wrong = over(players(FOLLOWING, Never()), TASKS, ending)
    assert not wrong.any() and (sureness > 0).all()


def test_some_tasks_go_as_they_do_among_others() -> None:
    who, which = opinionated(2, 6.0), np.array([5, 0, 3])
    for all_of_them, some in zip(
        over(who, TASKS, ending, ratio=0.4), over(who, TASKS, ending, which, ratio=0.4), strict=True
    ):
        assert some.tolist() == pytest.approx(all_of_them[which].tolist(), abs=1e-6)


def test_progress_counts_both_runs() -> None:
    seen: list[tuple[int, int]] = []
    Subject.of(players(ALONE), TASKS, ratio=0.4, progress=lambda done, count: seen.append((done, count)))
    assert seen == [(6, 12), (12, 12)]

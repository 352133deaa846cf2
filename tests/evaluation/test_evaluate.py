"""Evaluation runs in the cottage: a perfect agent, an untrained one, and that nothing depends on the batch."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from cottage_players import TASKS, context, scripted
from vnla.agents.paper import PaperAgent
from vnla.assistance.acting import ALONE, Acting, sampled
from vnla.assistance.help_policies import AtFirst, AtRandom, HelpPolicy, Learned, Never
from vnla.common.errors import InputError
from vnla.evaluation.evaluate import CPU_BATCH, SEEDS, Evaluation, evaluate, fitting_batch, run_task
from vnla.evaluation.metrics import METRICS
from vnla.evaluation.trace import TENSORS
from vnla.world.actions import Nav

WANDERING = Acting(sampled, direct=True)


def evaluation(acting: Acting | None = None, policy: HelpPolicy | None = None, **options: object) -> Evaluation:
    who = context(policy=policy) if acting is None else context(acting, policy)
    return evaluate(who, TASKS, **options)  # type: ignore[arg-type]


def same(one: Evaluation, other: Evaluation) -> bool:
    traces = [torch.equal(getattr(one.trace, name), getattr(other.trace, name)) for name in TENSORS]
    traces.append(one.trace.texts == other.trace.texts)
    scores = [np.array_equal(array, other.scores[name]) for name, array in one.scores.items()]
    return all(traces) and all(scores)


def test_an_agent_that_follows_the_teacher_is_perfect() -> None:
    summary = evaluation(seeds=[1, 2]).summary()
    for name in ("success_rate", "room_success_rate", "oracle_rate", "spl", "ndtw"):
        assert summary[name].mean == pytest.approx(100), name
    assert summary["nav_error"].mean == summary["oracle_error"].mean == 0
    shortest = sum(TASKS.environment.distance_left(TASKS.start, TASKS.goals).tolist()) / len(TASKS)
    assert summary["length"].mean == pytest.approx(shortest, rel=1e-5)
    assert summary["success_rate"].margin == 0


def test_an_agent_that_stops_at_once_has_not_moved() -> None:
    found = evaluation(scripted(Nav.STOP), Never(), seeds=[1])
    summary = found.summary()
    assert summary["success_rate"].mean == summary["length"].mean == summary["requests"].mean == 0
    assert summary["steps"].mean == 1
    assert summary["nav_error"].mean == pytest.approx(found.scores.shortest.mean())


def test_who_never_stops_uses_all_of_the_time() -> None:
    found = evaluation(scripted(), Never(), seeds=[1])
    assert found.scores.steps.tolist() == [TASKS.time_budget.tolist()]


@pytest.mark.parametrize("batch", [1, 4, 7, None])
@pytest.mark.parametrize("policy", [AtRandom(), Learned()])
def test_results_do_not_depend_on_the_batch(batch: int | None, policy: HelpPolicy) -> None:
    whole = evaluation(WANDERING, policy, seeds=SEEDS[:3], batch=18)
    assert len(set(whole.scores.steps.ravel().tolist())) > 3  # episodes that end at different times
    assert same(whole, evaluation(WANDERING, policy, seeds=SEEDS[:3], batch=batch))


def test_a_seed_gives_the_same_whatever_others_there_are() -> None:
    three = evaluation(WANDERING, AtRandom(), seeds=[5, 6, 2**70 + 7])
    alone = evaluation(WANDERING, AtRandom(), seeds=[2**70 + 7])
    assert np.array_equal(three.scores.steps[2], alone.scores.steps[0])
    assert torch.equal(three.trace.rows(slice(12, 18)).pose, alone.trace.pose)
    assert not np.array_equal(three.scores.steps[0], three.scores.steps[1])


def test_the_first_requests_use_the_whole_budget() -> None:
    """25 steps, τ = 0.4 and k = 4 make 2.5 requests: 2 or 3."""
    found = evaluation(policy=AtFirst())
    assert set(found.scores.help_budget.ravel().tolist()) == {2, 3}
    assert found.summary()["budget_used"].mean == 100
    assert np.array_equal(found.scores.requests, found.scores.help_budget)


def test_ratio_and_k_decide_the_budget() -> None:
    assert set(evaluation(policy=AtFirst(), ratio=0.0).scores.requests.ravel().tolist()) == {0}
    assert set(evaluation(policy=AtFirst(), ratio=0.16, k=1).scores.help_budget.ravel().tolist()) == {4}


def test_agreement_with_the_teacher() -> None:
    taught = evaluation(seeds=[1]).summary()
    assert taught["ask_f1"].mean == taught["ask_accuracy"].mean == 100
    never = evaluation(policy=Never(), seeds=[1])
    assert never.summary()["ask_recall"].mean == 0
    figures = never.as_dict()["figures"]
    assert figures["ask_precision"]["mean"] is None  # there was no request to be right or wrong
    assert figures["success_rate"]["margin"] is None  # one seed has no spread


def test_reasons_add_up_to_steps_and_requests() -> None:
    found = evaluation(WANDERING, AtRandom())
    assert sum(found.reasons["steps"].values()) == found.scores.steps.sum()
    assert sum(found.reasons["requests"].values()) == found.scores.requests.sum() > 0
    assert found.reasons["requests"]["exceed"] == 0


def test_the_summary_is_the_mean_over_seeds_of_means_over_episodes() -> None:
    found = evaluation(WANDERING, AtRandom())
    means = found.scores.nav_error.mean(axis=1)
    assert found.summary()["nav_error"].each == pytest.approx(means.tolist())
    assert found.summary()["nav_error"].margin == pytest.approx(1.95 * means.std(ddof=1) / np.sqrt(5))
    assert found.over_tasks("nav_error").value == pytest.approx(means.mean())
    assert set(found.summary()) == set(METRICS)
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["episodes"] == 6


@pytest.mark.parametrize("training", [True, False])
def test_the_agent_is_left_as_it_was(training: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    who = context(ALONE)
    who.agent.train(training)
    seen, begin = [], who.agent.begin
    monkeypatch.setattr(who.agent, "begin", lambda start: seen.append(who.agent.training) or begin(start))
    evaluate(who, TASKS, seeds=[1])
    assert seen == [False]
    assert who.agent.training is training
    broken = replace(who, views={name: views[:, 1:] for name, views in who.views.items()})
    with pytest.raises(RuntimeError):
        evaluate(broken, TASKS, seeds=[1])
    assert who.agent.training is training
    assert torch.is_grad_enabled()


def test_progress_counts_episodes() -> None:
    seen: list[tuple[int, int]] = []
    evaluation(seeds=[1, 2], batch=5, progress=lambda done, count: seen.append((done, count)))
    assert seen == [(5, 12), (10, 12), (12, 12)]


def test_seeds_must_be_given_and_differ() -> None:
    for seeds in ([], [3, 3]):
        with pytest.raises(InputError, match="seed"):
            evaluation(seeds=seeds)


def test_one_task_runs_as_it_does_in_the_evaluation() -> None:
    found = evaluation(WANDERING, AtRandom(), seeds=[867])
    rollout = run_task(context(WANDERING, AtRandom()), TASKS, "3", seed=867)
    assert int(rollout.last_pose()) == int(found.trace.pose[3, -1])
    assert len(rollout.transitions) == found.scores.steps[0, 3]
    with pytest.raises(InputError, match="nowhere"):
        run_task(context(), TASKS, "nowhere")


def test_a_batch_of_a_large_agent_is_smaller() -> None:
    small = context()
    assert isinstance(small.agent, PaperAgent)
    large = replace(small, agent=PaperAgent(replace(small.agent.config, hidden=4096)))
    assert 1 <= fitting_batch(large, TASKS.end_goals, 25) < fitting_batch(small, TASKS.end_goals, 25) == CPU_BATCH

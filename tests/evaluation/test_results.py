"""The results file: there and back, scored again, replayed in the simulator, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from cottage_players import HOUSE, TASKS, context
from vnla.assistance.acting import Acting, sampled
from vnla.assistance.help_policies import AtRandom
from vnla.common.errors import InputError
from vnla.episode import act, start
from vnla.evaluation.checked import check, read_records
from vnla.evaluation.evaluate import Evaluation, evaluate
from vnla.evaluation.metrics import score
from vnla.evaluation.results import Result, read_result, results_of, results_of_trace, trace_of, write_results
from vnla.evaluation.scores import Scores
from vnla.evaluation.trace import NOTHING, Trace
from vnla.houses.matterport import write_connectivity
from vnla.mattersim import Simulator
from vnla.tasks.task_set import TaskSet
from vnla.world.actions import Nav

SEEDS = (123, 435)


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return evaluate(context(Acting(sampled, direct=True), AtRandom()), TASKS, seeds=SEEDS)


@pytest.fixture
def file(evaluation: Evaluation, tmp_path: Path) -> Path:
    path = tmp_path / "results" / "asknav.json"
    write_results(path, results_of(evaluation))
    return path


def read_results(path: Path) -> dict[str, Result]:
    """Task → its record."""
    found = [read_result(record, f"{path}: record {i}") for i, record in enumerate(read_records(path))]
    return {result.instr_id: result for result in found}


def score_results(path: Path) -> Scores:
    """Of a file that is believed, in the order of the tasks."""
    found = read_results(path)
    trace = trace_of(TASKS, [(str(path), found[task.id]) for task in TASKS.tasks])
    return score(trace, TASKS.environment, TASKS.goals)


def rewritten(path: Path, change: Any) -> Path:
    """The file with its first record changed."""
    records = json.loads(path.read_text())
    change(records[0])
    path.write_text(json.dumps(records))
    return path


def test_results_come_back_as_they_were_written(evaluation: Evaluation, file: Path) -> None:
    assert list(read_results(file).values()) == results_of(evaluation, 123)
    assert results_of(evaluation, 123) != results_of(evaluation, 435)


def test_forward_where_nothing_is_ahead_is_no_stop(file: Path) -> None:
    """Zeros would mean `stop`, and the walk goes on: the scorer would refuse an honest record."""
    tasks = TASKS.rows([1])
    episodes = tasks.episodes(torch.tensor([0]), seed=SEEDS[0])
    turned = next(turns for turns in range(12) if bool(blocked_after(tasks, turns)))
    walk = [Nav.RIGHT] * turned + [Nav.FORWARD, Nav.RIGHT, Nav.STOP]
    state, poses = start(episodes, k=4), [int(episodes.start)]
    for step, action in enumerate(walk):
        state = act(state, step, torch.tensor([int(action)]))
        poses.append(int(state.pose))
    nothing = torch.full((1, len(walk)), NOTHING)
    trace = Trace(
        pose=torch.tensor([poses]), length=torch.tensor([len(walk)]), nav=torch.tensor([[int(each) for each in walk]]),
        request=nothing > 0, teacher_request=nothing > 0, reason=nothing, phrase=nothing, help_budget=torch.tensor([0]),
    )  # fmt: skip
    (result,) = results_of_trace(tasks, trace, [False])
    assert result.agent_nav is not None and result.agent_nav[turned] is None
    write_results(file, [result])
    assert check(file, tasks).trace.length.tolist() == [len(walk)]


def blocked_after(tasks: TaskSet, turns: int) -> Tensor:
    """Whether nothing is ahead after so many turns to the right from where the task begins."""
    pose = tasks.start
    for _ in range(turns):
        pose = tasks.environment.step(pose, torch.tensor([int(Nav.RIGHT)]), tasks.goals)
    return tasks.environment.blocked(pose)


@pytest.mark.parametrize("seed", SEEDS)
def test_scores_from_the_file_are_those_of_the_run(evaluation: Evaluation, seed: int, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    write_results(path, results_of(evaluation, seed)[::-1])  # the order of the records says nothing
    found, run = score_results(path), evaluation.scores.rows(SEEDS.index(seed))
    assert set(found) == set(run)
    for name in run:
        assert np.array_equal(found[name], run[name]), name


def test_a_record_has_the_authors_fields(evaluation: Evaluation, file: Path) -> None:
    for record, task in zip(json.loads(file.read_text()), TASKS.tasks, strict=True):
        actions = len(record["agent_nav"])
        assert (record["instr_id"], record["scan"]) == (task.id, "cottage")
        assert record["trajectory"][0] == [task.start, pytest.approx(task.heading * np.pi / 6), 0]
        assert len(record["trajectory"]) == actions + 1
        for name in ("agent_ask", "teacher_ask", "teacher_ask_reason", "subgoals"):
            assert len(record[name]) == actions
        said = [subgoal is not None for subgoal in record["subgoals"]]
        assert said == [bool(asked) for asked in record["agent_ask"]]
        assert isinstance(record["is_success"], bool)
    requests = sum(sum(record["agent_ask"]) for record in json.loads(file.read_text()))
    assert requests == evaluation.scores.requests[0].sum() > 0


def test_the_actions_replayed_in_the_simulator_give_the_trajectory(evaluation: Evaluation, tmp_path: Path) -> None:
    write_connectivity(tmp_path / "cottage_connectivity.json", HOUSE)
    simulator = Simulator()
    simulator.setRenderingEnabled(False)
    simulator.setDiscretizedViewingAngles(True)
    simulator.setCameraResolution(640, 480)
    simulator.setCameraVFOV(np.radians(60))
    simulator.setNavGraphPath(str(tmp_path))
    simulator.init()
    moved = 0
    for result in results_of(evaluation):
        assert result.agent_nav is not None
        simulator.newEpisode("cottage", *result.trajectory[0])
        for move, (viewpoint, heading, elevation) in zip(result.agent_nav, result.trajectory[1:], strict=True):
            simulator.makeAction(*move)
            state = simulator.getState()
            assert state.location.viewpointId == viewpoint
            assert (state.heading, state.elevation) == pytest.approx((heading, elevation))
            moved += move[0] > 0
    assert moved > 5


def test_a_trajectory_alone_can_be_scored(evaluation: Evaluation, tmp_path: Path) -> None:
    path = tmp_path / "bare.json"
    records = [{"instr_id": each.instr_id, "trajectory": each.trajectory} for each in results_of(evaluation)]
    path.write_text(json.dumps(records))
    found = score_results(path)
    assert np.array_equal(found.nav_error, evaluation.scores.nav_error[0])
    assert np.array_equal(found.steps, evaluation.scores.steps[0])
    assert found.requests.sum() == found.reasons.sum() == 0


def test_requests_as_truth_values_are_read(file: Path) -> None:
    """The authors' random policy writes them so."""
    before = read_results(file)
    path = rewritten(file, lambda record: record.update(agent_ask=[bool(each) for each in record["agent_ask"]]))
    assert "true" in path.read_text() or "false" in path.read_text()
    assert read_results(path) == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda record: record.update(instr_id=7), "record 0: field instr_id is 7"),
        (lambda record: record.update(trajectory=[]), "field trajectory: expected a list"),
        (lambda record: record.update(trajectory=[["entryway", "north", 0]]), "field trajectory: expected a list"),
        (lambda record: record.update(scan="castle"), "field scan is 'castle'"),
        (lambda record: record["trajectory"][0].__setitem__(0, "attic"), "no viewpoint 'attic'"),
        (lambda record: record["trajectory"][0].__setitem__(0, "kitchen"), "it begins at kitchen, but task 0 at entryway"),
        (lambda record: record["trajectory"][-1].__setitem__(0, "bedroom_west"), "bedroom_west is no neighbour of"),
        (lambda record: record["agent_ask"].append(0), "field agent_ask: expected a list with an entry for each"),
        (lambda record: record["agent_ask"].__setitem__(0, 2), "field agent_ask: entry 0 is 2; expected 0 or 1"),
        (lambda record: record["agent_nav"].__setitem__(0, [1, 1, 0]), "field agent_nav: entry 0"),
        (
            lambda record: record["teacher_ask_reason"].__setitem__(0, "bored"),
            "field teacher_ask_reason: entry 0 is 'bored'",
        ),
        (lambda record: record.update(is_success="yes"), "field is_success is 'yes'"),
    ],
)
def test_what_is_wrong_is_named(file: Path, change: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        score_results(rewritten(file, change))
    assert message in str(error.value)
    assert str(file) in str(error.value)


def test_a_seed_that_was_not_run_is_refused(evaluation: Evaluation) -> None:
    with pytest.raises(InputError, match="no seed 5; its seeds are 123, 435"):
        results_of(evaluation, 5)

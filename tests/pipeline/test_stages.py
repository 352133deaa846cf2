"""Stages: their order, what is kept, what is done again, several at a time, failures, and processes that are killed."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import stage_work
from processes import is_gone
from stage_work import be_told_twice, climbing, count_all, diary, linger, make, make_all, make_if, make_new, make_some, meet
from vnla.common.errors import InputError
from vnla.experiments.reporting import commits_of, seconds_in
from vnla.pipeline.scheduler import StageCallbacks, run_stages
from vnla.pipeline.stages import Stage, StageGraph, StageRecords


def chain(folder: Path) -> list[Stage]:
    """a, then b and c; each makes a file of its name."""
    first = Stage("a", make, (folder, "a"), folder / "a", config=1)
    rest = [Stage(name, make, (folder, name), folder / name, after=("a",), config=1) for name in "bc"]
    return [first, *rest]


def run(stages: list[Stage], folder: Path, cores: int = 2) -> StageRecords:
    return run_stages(stages, folder, StageCallbacks(), cores)


def test_stages_are_done_in_order_and_kept(tmp_path: Path) -> None:
    records = run(chain(tmp_path), tmp_path)
    assert diary(tmp_path)[0] == "a" and sorted(diary(tmp_path)) == ["a", "b", "c"]
    assert all(records.is_done(stage) and records.seconds(stage) > 0 for stage in chain(tmp_path))
    run(chain(tmp_path), tmp_path)
    assert sorted(diary(tmp_path)) == ["a", "b", "c"]


def test_another_configuration_is_done_again_with_all_that_builds_on_it(tmp_path: Path) -> None:
    run(chain(tmp_path), tmp_path)
    a, b, c = chain(tmp_path)
    run([a, replace(b, config=2), c], tmp_path)
    assert diary(tmp_path)[3:] == ["b"]
    run([replace(a, config=2), replace(b, config=2), c], tmp_path)
    assert diary(tmp_path)[4] == "a" and sorted(diary(tmp_path)[5:]) == ["b", "c"]


def test_a_record_names_every_commit_that_a_stage_was_done_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage("a", make, (tmp_path, "a"), tmp_path / "a", resumes=True)
    for name, done in (("0123456+", False), ("89abcde", True)):
        monkeypatch.setattr("vnla.pipeline.stages.commit", lambda name=name: name)
        records = StageRecords(tmp_path / "stages", StageGraph([stage]))
        records.begin(stage)
        records.end(stage, 1.0, done=done)
    assert json.loads(records.file(stage).read_text())["commits"] == ["0123456+", "89abcde"]
    assert commits_of(tmp_path / "stages") == ["0123456+", "89abcde"]


def test_what_was_removed_is_made_again(tmp_path: Path) -> None:
    run(chain(tmp_path), tmp_path)
    (tmp_path / "b").unlink()
    run(chain(tmp_path), tmp_path)
    assert diary(tmp_path)[3:] == ["b"]


def test_leftovers_of_an_unfinished_stage_are_removed_unless_it_can_go_on(tmp_path: Path) -> None:
    fresh = Stage("fresh", make_new, (tmp_path, "fresh"), tmp_path / "fresh")
    (tmp_path / "fresh").write_text("left over")
    run([fresh], tmp_path)
    assert (tmp_path / "fresh").read_text() == "fresh"

    going = Stage("going", make_new, (tmp_path, "going"), tmp_path / "going", config=1, resumes=True)
    StageRecords(tmp_path / "stages", StageGraph([going])).begin(going)
    (tmp_path / "going").write_text("left over")
    with pytest.raises(InputError, match="stage going: going is there"):
        run([going], tmp_path)
    run([replace(going, config=2)], tmp_path)  # what another configuration left is of no use
    assert (tmp_path / "going").read_text() == "going"


def test_two_are_at_work_at_the_same_time_where_there_are_two_cores(tmp_path: Path) -> None:
    stages = [
        Stage("one", meet, (tmp_path, "one", "two"), tmp_path / "one"),
        Stage("two", meet, (tmp_path, "two", "one"), tmp_path / "two"),
    ]
    run(stages, tmp_path, cores=2)
    assert sorted(diary(tmp_path)) == ["one", "two"]


def is_apart(name: str, lines: list[str]) -> bool:
    """Whether nothing else was going on between a stage's beginning and its end."""
    return lines.index(f"{name}-") == lines.index(f"{name}+") + 1


@pytest.mark.parametrize(
    ("cores", "whole", "device", "apart"),
    [(1, False, "", "abc"), (2, True, "", "c"), (3, False, "gpu", "abc")],
    ids=["one core", "one takes all", "one device"],
)
def test_what_does_not_fit_waits(tmp_path: Path, cores: int, whole: bool, device: str, apart: str) -> None:
    stages = [Stage(name, linger, (tmp_path, name), tmp_path / name, device=device) for name in "abc"]
    run([*stages[:2], replace(stages[2], cores=None if whole else 1)], tmp_path, cores)
    assert all(is_apart(name, diary(tmp_path)) for name in apart)


def test_joint_stages_wait_for_each_other_and_are_one_call(tmp_path: Path) -> None:
    a = Stage("a", linger, (tmp_path, "a"), tmp_path / "a")
    b = Stage("b", make, (tmp_path, "b"), tmp_path / "b", joint=make_all)
    c = Stage("c", make, (tmp_path, "c"), tmp_path / "c", after=("a",), joint=make_all)
    run([a, b, c], tmp_path)
    assert diary(tmp_path) == ["a+", "a-", "b+c"]
    (tmp_path / "c").unlink()
    run([a, b, c], tmp_path)  # the other one is kept
    assert diary(tmp_path)[3:] == ["c"]


class Told(StageCallbacks):
    """An audience that remembers how far stages were."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, float, float, str]] = []

    def moved(self, stage: Stage, done: float, of: float, note: str) -> None:
        self.heard.append((stage.name, done, of, note))


def test_groups_of_joint_stages_are_calls_of_their_own(tmp_path: Path) -> None:
    def stage(name: str, group: str, *after: str) -> Stage:
        return Stage(name, make, (tmp_path, name), tmp_path / name, after=after, joint=make_all, group=group)

    stages = [stage("a", "first"), stage("b", "first"), stage("c", "second", "a"), stage("d", "second", "b")]
    run_stages(stages, tmp_path, StageCallbacks(), 2)
    assert diary(tmp_path) == ["a+b", "c+d"]


def test_of_joint_stages_each_is_told_how_far_it_is_itself(tmp_path: Path) -> None:
    stages = [Stage(name, make, (tmp_path, name), tmp_path / name, joint=count_all) for name in "ab"]
    callbacks = Told()
    run_stages(stages, tmp_path, callbacks, 2)
    assert callbacks.heard == [("a", 1, 4, "a"), ("b", 2, 4, "b")]


def test_of_joint_stages_only_those_fail_that_have(tmp_path: Path) -> None:
    """What builds on the others is done, and the next call begins with the one that failed alone."""
    joint = [Stage(name, make, (tmp_path, name), tmp_path / name, joint=make_some) for name in ("a", "bad", "c")]
    after = [Stage(f"{name} after", make, (tmp_path, f"{name}2"), tmp_path / f"{name}2", (name,)) for name in ("bad", "c")]
    with pytest.raises(InputError, match=r"stage bad: bad is no name \(details: .*bad\.txt\)$"):
        run([*joint, *after], tmp_path)
    assert diary(tmp_path) == ["a+c", "c2"]
    with pytest.raises(InputError, match="stage bad: bad is no name"):
        run(joint, tmp_path)
    assert diary(tmp_path) == ["a+c", "c2"], "the others are kept"
    assert (tmp_path / "a").exists() and (tmp_path / "c").exists() and not (tmp_path / "bad").exists()


def test_a_failure_is_told_and_what_does_not_build_on_it_is_finished(tmp_path: Path) -> None:
    needed = tmp_path / "needed"
    stages = [
        Stage("bad", make_if, (tmp_path, "bad", needed), tmp_path / "bad"),
        Stage("lost", make, (tmp_path, "lost"), tmp_path / "lost", after=("bad",)),
        Stage("good", make, (tmp_path, "good"), tmp_path / "good"),
        Stage("better", make, (tmp_path, "better"), tmp_path / "better", after=("good",)),
    ]
    with pytest.raises(InputError, match=r"stage bad: needed is missing \(details: .*bad.txt\)"):
        run(stages, tmp_path)
    assert sorted(diary(tmp_path)) == ["better", "good"]
    needed.touch()
    run(stages, tmp_path)
    assert diary(tmp_path)[2:] == ["bad", "lost"]


def test_a_killed_worker_costs_only_its_stage(tmp_path: Path) -> None:
    stages = [
        Stage("victim", stage_work.die, (tmp_path, "victim"), tmp_path / "victim"),
        *(Stage(name, make, (tmp_path, name), tmp_path / name) for name in "abc"),
    ]
    with pytest.raises(InputError, match="stage victim: its process was killed by SIGKILL"):
        run(stages, tmp_path)
    assert sorted(diary(tmp_path)) == ["a", "b", "c"]
    run(stages, tmp_path)
    assert diary(tmp_path)[3:] == ["victim"]


def test_a_graph_that_cannot_be_carried_out_is_refused(tmp_path: Path) -> None:
    a, b, _ = chain(tmp_path)
    with pytest.raises(ValueError, match="stage b: it builds on a, which does not come before it"):
        StageGraph([b, a])
    with pytest.raises(ValueError, match="stage a: there are two of that name"):
        StageGraph([a, a])


def begin(folder: Path) -> subprocess.Popen[bytes]:
    """A process that climbs."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen([sys.executable, stage_work.__file__, str(folder)], env=environment, stderr=subprocess.PIPE)


@pytest.mark.parametrize("odd", [10**400, math.inf, math.nan, -1, True, "1", None])
def test_seconds_that_are_none_are_a_damaged_record(odd: Any, tmp_path: Path) -> None:
    """The stage is done again; what was made before stands nowhere any more."""
    stages = chain(tmp_path)[:1]
    records = run(stages, tmp_path)
    file = records.file(stages[0])
    file.write_text(json.dumps(json.loads(file.read_text()) | {"seconds": odd}))
    assert not records.is_done(stages[0]) and records.seconds(stages[0]) == 0
    with pytest.raises(InputError, match=r"field seconds is .*; expected a number"):
        seconds_in(file.parent)
    run(stages, tmp_path)
    assert diary(tmp_path) == ["a", "a"] and 0 < records.seconds(stages[0]) < 1000


def wait_for(what: Path, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not what.exists():
        assert time.monotonic() < end, f"{what} did not appear"
        time.sleep(0.02)


def test_a_worker_that_is_told_again_while_it_leaves_says_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    stage = Stage("twice", be_told_twice, (tmp_path, "left"), tmp_path / "made")
    with pytest.raises(InputError, match="twice"):
        run([stage], tmp_path)
    wait_for(tmp_path / "left")
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    "number",
    [pytest.param(signal.SIGINT, marks=pytest.mark.slow), signal.SIGTERM, signal.SIGKILL],
    ids=lambda each: each.name,
)
def test_an_interrupted_stage_goes_on_where_it_was(tmp_path: Path, number: signal.Signals) -> None:
    process = begin(tmp_path)
    wait_for(tmp_path / "step.txt")
    time.sleep(0.3)
    process.send_signal(number)
    process.wait(20)
    assert process.returncode != 0
    assert is_gone(int((tmp_path / "climber.pid").read_text()))  # the worker does not outlive who started it
    assert not (tmp_path / "top").exists()
    reached = int((tmp_path / "step.txt").read_text())
    assert 0 < reached < stage_work.STEPS
    run(climbing(tmp_path), tmp_path)
    lines = diary(tmp_path)
    assert lines.count("before") == 1 and lines[-1] == "after"
    # nothing is done twice but the step in hand
    assert len([line for line in lines if line.startswith("step")]) <= stage_work.STEPS + 1
    seconds = json.loads((tmp_path / "stages" / "climb.json").read_text())["seconds"]
    assert seconds > 0.05 * (stage_work.STEPS - reached)


def test_only_one_may_work_in_a_folder(tmp_path: Path) -> None:
    process = begin(tmp_path)
    wait_for(tmp_path / "step.txt")
    with pytest.raises(InputError, match="another process is at work there"):
        run(climbing(tmp_path), tmp_path)
    process.terminate()
    process.wait(20)

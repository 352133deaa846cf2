"""Stages on a real Ray cluster of several nodes: a node that is killed, a cluster that is gone, a polite stop, equal bytes.

    pip install 'vnla[ray]' && pytest -m slow tests/pipeline/test_cluster.py

Without Ray they are skipped; what needs no cluster is tested in any case.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import many_machines
import tiny_paper
from benchmarks.sizes import Scale
from benchmarks.stages import bench_stages
from many_machines import Many, many
from stage_work import STEPS, WAIT, climb, climbing, diary, make
from vnla.common.errors import InputError
from vnla.pipeline.cluster import RayExecutor, UnreachableError, run_on_node
from vnla.pipeline.executor import WorkerLost
from vnla.pipeline.scheduler import StageCallbacks, run_stages
from vnla.pipeline.shards.parts import code
from vnla.pipeline.stages import Stage
from vnla.pipeline.workers import StageCall, StageResult

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray: pip install 'vnla[ray]'")


class Diary(StageCallbacks):
    """An audience that remembers which stages were begun again."""

    def __init__(self) -> None:
        self.lost_ones: list[str] = []

    def lost(self, stage: Stage, _fate: str) -> None:
        self.lost_ones.append(stage.name)


def test_a_machine_with_another_version_says_so_and_does_nothing(tmp_path: Path) -> None:
    call = StageCall(make, (tmp_path, "a"), 1)
    outcome = run_on_node(call, 1, None, {**code(), "numpy": "0.9"})
    assert isinstance(outcome, StageResult) and outcome.failure is not None
    assert "has another version (numpy" in outcome.failure.error and not outcome.failure.is_fault
    assert diary(tmp_path) == []


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match=r"--cluster auto: give ray://HOST:PORT, or local"):
        RayExecutor("auto")


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is here")
def test_without_ray_it_is_said_how_to_get_it() -> None:
    with pytest.raises(InputError, match=r"pip install 'vnla\[ray\]'"), RayExecutor("ray://localhost:1"):
        pass


@pytest.fixture(scope="module")
def machines() -> Iterator[Many]:
    with many(2) as made:
        yield made


def wait_until(true: Callable[[], bool], seconds: float = 240) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.slow
@needs_ray
def test_a_stage_goes_on_elsewhere_when_its_machine_is_gone(tmp_path: Path, machines: Many) -> None:
    folders = [tmp_path / name for name in "abc"]
    for folder in folders:
        folder.mkdir()
    third = machines.add()
    stages = [
        Stage(each.name, climb, (each, "top"), each / "top", resumes=True) for each in folders
    ]  # one on each of three nodes

    def fail() -> None:
        wait_until(lambda: all((each / "step.txt").exists() for each in folders))
        machines.kill(third)

    failing = threading.Thread(target=fail, daemon=True)
    failing.start()
    callbacks = Diary()
    with RayExecutor(machines.address) as executor:
        assert executor.machines == 3 and executor.cores_of_one == 1
        run_stages(stages, tmp_path, callbacks, 1, executor=executor)
    assert len(callbacks.lost_ones) == 1
    for folder in folders:
        assert (folder / "top").exists()
        assert len(diary(folder)) <= STEPS + 1  # nothing is done twice but the step in hand


@pytest.mark.slow
@needs_ray
def test_experiments_on_a_cluster_end_with_the_bytes_of_one_machine(tmp_path: Path, machines: Many) -> None:
    for name, cluster in (("one", None), ("many", machines.address)):
        tiny_paper.run_table(tmp_path / name, cluster=cluster)
    one, other = (tiny_paper.contents_of(tmp_path / name) for name in ("one", "many"))
    assert one.keys() == other.keys() and "world/features/pixels/features.f16" in one
    assert [name for name in one if one[name] != other[name]] == []


@pytest.mark.slow
@needs_ray
def test_a_polite_stop_reaches_the_machines_and_the_same_command_goes_on(tmp_path: Path, machines: Many) -> None:
    command = [sys.executable, many_machines.__file__, machines.address, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    (tmp_path / WAIT).touch()
    process = subprocess.Popen(command, env=environment)
    wait_until((tmp_path / "step.txt").exists)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) != 0
    time.sleep(1)
    reached = (tmp_path / "step.txt").read_text()
    assert int(reached) < STEPS
    (tmp_path / WAIT).unlink()
    time.sleep(1)
    assert (tmp_path / "step.txt").read_text() == reached  # nobody goes on without us
    with RayExecutor(machines.address) as executor:
        run_stages(climbing(tmp_path), tmp_path, StageCallbacks(), 1, executor=executor)
    lines = diary(tmp_path)
    assert lines.count("before") == 1 and lines[-1] == "after" and len(lines) <= STEPS + 3


@pytest.mark.slow
@needs_ray
def test_what_a_stage_costs_there_is_measured(tmp_path: Path, machines: Many, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.stages.COUNT", 60)
    here, there = bench_stages(Scale(folder=str(tmp_path), cluster=machines.address))
    assert here.value > 0 and there.reference == here.value and there.value > 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@needs_ray
def test_a_cluster_that_is_gone_is_a_line_and_the_same_call_goes_on(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    with many(1) as gone:
        failing = threading.Thread(target=lambda: (wait_until((tmp_path / "step.txt").exists), gone.kill_all()), daemon=True)
        failing.start()
        with pytest.raises(UnreachableError, match=r"lost .*what is done is kept"), RayExecutor(gone.address) as executor:
            run_stages(climbing(tmp_path), tmp_path, StageCallbacks(), 1, executor=executor)
    with pytest.raises(InputError, match="no Ray cluster that can be used answers there"), RayExecutor(gone.address):
        pass
    assert not [each for each in recwarn if "Ray Client" in str(each.message)]
    run_stages(climbing(tmp_path), tmp_path, StageCallbacks(), 1)
    assert diary(tmp_path)[-1] == "after" and diary(tmp_path).count("before") == 1


def test_a_killed_process_on_a_machine_is_told(tmp_path: Path) -> None:
    import stage_work

    outcome = run_on_node(StageCall(stage_work.die, (tmp_path, "a"), 1), 1, None, code())
    assert isinstance(outcome, WorkerLost) and "was killed by SIGKILL" in outcome.fate

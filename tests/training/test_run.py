"""A run goes on while what it learned is written: what is written then, in which order, and what if it cannot be."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import torch
from torch import Tensor

from cottage_run import write_cottage
from vnla.common import files
from vnla.common.device_stream import HostStream, PendingTensors
from vnla.common.errors import InputError
from vnla.training import run as training_run
from vnla.training import trainer as training_trainer
from vnla.training.checkpoints import LAST, LOG, checkpoint_file, read_notes
from vnla.training.config import RunConfig, TrainingConfig
from vnla.training.data import RunData
from vnla.training.log import LogLine, RunLog
from vnla.training.run import RunCallbacks
from vnla.training.together import train
from vnla.training.trainer import Trainer

PATIENCE = 60.0
"""Seconds after which a test no longer waits for what should have happened."""
SPLITS = ("best_val_seen.safetensors", "best_val_unseen.safetensors")


@pytest.fixture(scope="module", autouse=True)
def _reports_each() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training_run, "REPORT_EVERY", 1)
        yield


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> RunConfig:
    world, tasks = write_cottage(tmp_path_factory.mktemp("cottage"))
    return RunConfig(
        world=str(world), tasks=str(tasks), features="symbolic", validate_every=4, keeps_checkpoints=True,
        training=TrainingConfig(iterations=8, batch=4, learning_rate=1e-2),
        agent_options={"hidden": 8, "help_hidden": 8, "word_embedding": 8},
    )  # fmt: skip


@pytest.fixture(scope="module")
def material(config: RunConfig) -> RunData:
    return RunData.load(config)


@pytest.fixture(scope="module")
def whole(config: RunConfig, material: RunData, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a run that nothing happened to."""
    path = tmp_path_factory.mktemp("whole") / "run"
    assert train(path, config, material) is None
    return written(path)


def written(run: Path) -> dict[str, bytes]:
    return {str(path.relative_to(run)): path.read_bytes() for path in (run / LOG, *run.rglob("*.safetensors"))}


class Arrival:
    """Of tensors that come when they have been asked after several times, or when somebody waits for them."""

    def __init__(self, stream: LateStream) -> None:
        self._lane, self._asked = stream, 0

    def query(self) -> bool:
        self._asked += 1
        return self._asked > 3

    def synchronize(self) -> None:
        self._lane.waited += self._asked <= 3


class LateStream(HostStream):
    """Nothing that is read from it is there at once, as on a GPU."""

    def __init__(self) -> None:
        self.waited = 0
        self.after: list[int] = []
        """How often it was waited for up to each iteration."""

    def queued(self) -> None:
        self.after.append(self.waited)

    def read(self, tensors: Mapping[str, Tensor]) -> PendingTensors:
        return PendingTensors(super().read(tensors).tensors(), Arrival(self))  # type: ignore[arg-type]


def test_what_comes_late_from_a_device_is_written_all_the_same(
    config: RunConfig, material: RunData, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = LateStream()
    monkeypatch.setattr(training_trainer, "lane_of", lambda _: stream)
    monkeypatch.setattr(training_run, "SAVE_SECONDS", 0.0)
    assert train(tmp_path / "run", config, material) is None
    assert written(tmp_path / "run") == whole
    assert stream.after[:4] == [0, 0, 0, 0], "it waited for a checkpoint"
    assert len(set(stream.after[4:])) == 1, "only the validation after the fourth iteration waits"


def test_it_learns_while_a_checkpoint_is_made_and_the_checkpoint_stays_what_it_was(
    config: RunConfig, material: RunData, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    further, late = threading.Event(), []

    def make(tensors: dict[str, Tensor], notes: Mapping[str, str]) -> bytes:
        if notes["done"] == "4":
            late.append(further.wait(PATIENCE))
        return checkpoint_file(tensors, notes)

    def note(record: LogLine) -> None:
        if record["iteration"] == 7:
            further.set()

    monkeypatch.setattr(training_run, "checkpoint_file", make)
    assert train(tmp_path / "run", config, material, RunCallbacks(report=note)) is None
    assert late == [True, True], "the agent's file and the state, both after three more iterations"
    assert written(tmp_path / "run") == whole


def test_the_last_file_makes_a_checkpoint_count(
    config: RunConfig, material: RunData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order, write, sync = [], files.write_bytes, RunLog.sync

    def noted(path: Path, data: bytes) -> None:
        if path.suffix == ".safetensors":
            order.append(path.name)
        write(path, data)

    def synced(log: RunLog) -> None:
        order.append(LOG)
        sync(log)

    monkeypatch.setattr(files, "write_bytes", noted)
    monkeypatch.setattr(RunLog, "sync", synced)
    train(tmp_path / "run", config, material, iterations=4)
    assert order == [*SPLITS, "4.safetensors", LOG, LAST]


@pytest.mark.parametrize("which", [SPLITS[1], LAST])
def test_what_cannot_be_written_ends_it_and_nothing_counts_that_is_not_whole(
    config: RunConfig, material: RunData, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    which: str,
) -> None:  # fmt: skip
    write = files.write_bytes

    def full(path: Path, data: bytes) -> None:
        if path.name == which:
            raise InputError(f"{path}: cannot be written (No space left on device)")
        write(path, data)

    with monkeypatch.context() as patch, pytest.raises(InputError, match=rf"{which}: cannot be written \(No space left"):
        patch.setattr(files, "write_bytes", full)
        train(tmp_path / "run", config, material)
    assert not (tmp_path / "run" / LAST).exists()
    assert train(tmp_path / "run", None, material) is None
    assert written(tmp_path / "run") == whole


def test_what_is_no_longer_numbers_is_not_written_though_it_is_noticed_late(
    config: RunConfig, material: RunData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream, finite = LateStream(), Trainer.finite

    def lost(trainer: Trainer) -> PendingTensors:
        return stream.read({"agent.part": torch.tensor(False)}) if trainer.done == 6 else finite(trainer)

    monkeypatch.setattr(training_trainer, "lane_of", lambda _: stream)
    monkeypatch.setattr(Trainer, "finite", lost)
    monkeypatch.setattr(training_run, "SAVE_SECONDS", 0.0)
    with pytest.raises(InputError, match="at iteration 6 or before its losses are no longer numbers"):
        train(tmp_path / "run", config, material)
    assert len(stream.after) > 6, "it was noticed at once"
    assert read_notes(tmp_path / "run" / LAST)["done"] == "5"

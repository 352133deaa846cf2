"""Trainings side by side: each ends as if it had been alone."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from cottage_run import write_cottage
from vnla.common.errors import InputError
from vnla.common.lane import HostLane
from vnla.training.checkpoints import LAST, LOG
from vnla.training.config import RunConfig, TrainingConfig
from vnla.training.data import RunData
from vnla.training.run import Progress
from vnla.training.together import Audience, _Materials, train, train_together

SIZES = {"hidden": 16, "help_hidden": 16, "word_embedding": 8}
WRITTEN = (LAST, LOG, "best_val_seen.safetensors", "best_val_unseen.safetensors", "config.json")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_cottage(tmp_path_factory.mktemp("cottage"))


def config_of(folders: tuple[Path, Path], policy: str, seed: int = 0, iterations: int = 12) -> RunConfig:
    training = TrainingConfig(iterations=iterations, batch=4, learning_rate=1e-2, seed=seed)
    return RunConfig(
        world=str(folders[0]), tasks=str(folders[1]), features="symbolic", help_policy=policy, validate_every=5,
        training=training, agent=SIZES,
    )  # fmt: skip


def configs_of(folders: tuple[Path, Path]) -> dict[str, RunConfig]:
    return {
        "none": config_of(folders, "none"),
        "learned": config_of(folders, "learned", iterations=15),
        "other": config_of(folders, "learned", seed=5),
    }


def test_a_run_trained_with_others_ends_as_if_alone(folders: tuple[Path, Path], tmp_path: Path) -> None:
    configs = configs_of(folders)
    assert train_together([(tmp_path / "together" / name, config) for name, config in configs.items()], "cpu") is None
    for name, config in configs.items():
        alone = tmp_path / "alone" / name
        assert train(alone, config, RunData.load(config)) is None
        for file in WRITTEN:
            assert (tmp_path / "together" / name / file).read_bytes() == (alone / file).read_bytes(), (name, file)


def test_learning_to_ask_does_not_change_how_an_agent_learns_to_walk(folders: tuple[Path, Path], tmp_path: Path) -> None:
    configs = {name: config_of(folders, name) for name in ("learned", "teacher")}
    assert train_together([(tmp_path / name, config) for name, config in configs.items()], "cpu") is None
    learned, teacher = (load_file(tmp_path / name / LAST) for name in configs)
    walking = [name for name in learned if name.startswith("agent.navigation.")]
    assert walking and all(torch.equal(learned[name], teacher[name]) for name in walking)
    assert any(not torch.equal(learned[name], teacher[name]) for name in learned if name.startswith("agent.help."))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_so_it_is_on_a_gpu(folders: tuple[Path, Path], tmp_path: Path) -> None:
    configs = configs_of(folders)
    train_together([(tmp_path / "together" / name, config) for name, config in configs.items()], "cuda")
    for name, config in configs.items():
        train_together([(tmp_path / "alone" / name, config)], "cuda")
        for file in WRITTEN:
            assert (tmp_path / "together" / name / file).read_bytes() == (tmp_path / "alone" / name / file).read_bytes()


def test_runs_go_on_together_after_a_polite_stop(folders: tuple[Path, Path], tmp_path: Path) -> None:
    configs = configs_of(folders)
    runs = [(tmp_path / "stopped" / name, config) for name, config in configs.items()]
    asked = threading.Event()

    def stop_once(_: object) -> None:
        if not asked.is_set():
            asked.set()
            os.kill(os.getpid(), signal.SIGTERM)

    assert train_together(runs, "cpu", Audience(lambda _: Progress(report=stop_once))) == signal.SIGTERM
    assert all((path / LAST).exists() for path, _ in runs)
    # No configuration: what is in the folders is what goes on.
    assert train_together([(path, None) for path, _ in runs], "cpu") is None
    assert train_together([(tmp_path / "whole" / name, config) for name, config in configs.items()], "cpu") is None
    for name in configs:
        for file in WRITTEN:
            assert (tmp_path / "stopped" / name / file).read_bytes() == (tmp_path / "whole" / name / file).read_bytes()


def test_the_world_is_loaded_once(folders: tuple[Path, Path], tmp_path: Path) -> None:
    materials = _Materials("cpu")
    config = config_of(folders, "none")
    material = materials.of(config)
    assert materials.of(config_of(folders, "learned", seed=3)) is material
    shutil.copytree(folders[1], tmp_path / "tasks")
    other = materials.of(replace(config, tasks=str(tmp_path / "tasks")))
    assert other.views is material.views and other.world is material.world and other.dataset is not material.dataset


def test_one_run_twice_is_refused(folders: tuple[Path, Path], tmp_path: Path) -> None:
    config = config_of(folders, "none")
    with pytest.raises(InputError, match="given twice"):
        train_together([(tmp_path / "run", config), (tmp_path / "run", config)], "cpu")


def test_runs_that_are_done_are_left_alone(folders: tuple[Path, Path], tmp_path: Path) -> None:
    config = config_of(folders, "none", iterations=3)
    train_together([(tmp_path / "run", config)], "cpu")
    before = (tmp_path / "run" / LAST).stat().st_mtime_ns
    time.sleep(0.01)
    longer = replace(config, help_policy="first")
    assert train_together([(tmp_path / "run", None), (tmp_path / "more", longer)], "cpu") is None
    assert (tmp_path / "run" / LAST).stat().st_mtime_ns == before
    assert (tmp_path / "more" / LAST).exists()


def test_what_a_lane_draws_follows_from_its_seed_alone() -> None:
    first, second = HostLane(), HostLane()
    with first.drawing(1):
        expected = torch.rand(3)
    with second.drawing(2):
        torch.rand(5)
    with first.drawing(1):
        assert torch.equal(torch.rand(3), expected)

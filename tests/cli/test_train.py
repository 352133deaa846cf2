"""`vnla train` as a person meets it: one run, several at once, and what it says to bad input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import command
from cottage_run import write_cottage
from vnla.training.checkpoints import CONFIG, LAST
from vnla.training.config import RunConfig

Vnla = Callable[..., tuple[int, str]]
SHORT = ["--features", "symbolic", "--iterations", "2", "--batch", "4", "--hidden", "8"]


@pytest.fixture
def vnla(vnla: command.Vnla) -> Vnla:
    def run(*arguments: object) -> tuple[int, str]:
        answer = vnla(*arguments)
        return answer.status, answer.err

    return run


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    world, tasks = write_cottage(tmp_path_factory.mktemp("cottage"))
    return ["--world", str(world), "--tasks", str(tasks), *SHORT]


def runs_in(folder: Path) -> dict[str, RunConfig]:
    return {path.parent.name: RunConfig.read(path) for path in folder.glob(f"*/{CONFIG}")}


def test_several_policies_each_get_a_folder(vnla: Vnla, data: list[str], tmp_path: Path) -> None:
    status, said = vnla("train", tmp_path / "runs", *data, "--help-policy", "none,learned")
    assert status == 0, said
    runs = runs_in(tmp_path / "runs")
    assert {name: config.help_policy for name, config in runs.items()} == {"none": "none", "learned": "learned"}
    assert all((tmp_path / "runs" / name / LAST).exists() for name in runs)
    assert "learned   iteration 2" in said


def test_several_seeds_of_several_policies(vnla: Vnla, data: list[str], tmp_path: Path) -> None:
    status, said = vnla("train", tmp_path / "runs", *data, "--help-policy", "none,first", "--seed", "3,4")
    assert status == 0, said
    found = {name: (config.help_policy, config.training.seed) for name, config in runs_in(tmp_path / "runs").items()}
    assert found == {
        "none-seed3": ("none", 3), "none-seed4": ("none", 4), "first-seed3": ("first", 3), "first-seed4": ("first", 4),
    }  # fmt: skip


def test_a_folder_of_runs_goes_on(vnla: Vnla, data: list[str], tmp_path: Path) -> None:
    vnla("train", tmp_path / "runs", *data, "--seed", "1,2")
    for name in ("seed1", "seed2"):
        (tmp_path / "runs" / name / LAST).unlink()
    assert vnla("train", tmp_path / "runs")[0] == 0
    assert (tmp_path / "runs" / "seed2" / LAST).exists()
    (tmp_path / "runs" / "seed1" / LAST).unlink()
    assert vnla("train", tmp_path / "runs" / "seed1", tmp_path / "runs" / "seed2")[0] == 0
    assert (tmp_path / "runs" / "seed1" / LAST).exists()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--help-policy", "none,shouting"], "help policy shouting: unknown"),
        (["--seed", "1,two"], "--seed 1,two: give whole numbers"),
        (["--seed", "-1"], "--seed -1: give whole numbers"),
    ],
)
def test_bad_lists_leave_nothing(vnla: Vnla, data: list[str], tmp_path: Path, options: list[str], complaint: str) -> None:
    status, said = vnla("train", tmp_path / "runs", *data, *options)
    assert status == 2
    assert complaint in said
    assert not (tmp_path / "runs").exists()


def test_new_runs_go_to_one_folder(vnla: Vnla, data: list[str], tmp_path: Path) -> None:
    status, said = vnla("train", tmp_path / "a", tmp_path / "b", *data)
    assert status == 2
    assert "give one folder for new runs" in said
    assert "there is no run yet" in vnla("train", tmp_path / "a")[1]

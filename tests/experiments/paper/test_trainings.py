"""Trainings as stages: alone and side by side, with the agent of every validation kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from cottage_run import write_cottage
from vnla.experiments.trainings import material_of, train_beginning, train_rest, train_run, train_runs
from vnla.pipeline.executor import SomeFailedError
from vnla.training.checkpoints import CONFIG, LAST, checkpoint, load_agent
from vnla.training.config import RunConfig, TrainingConfig


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> RunConfig:
    world, tasks = write_cottage(tmp_path_factory.mktemp("cottage"))
    return RunConfig(
        world=str(world),
        tasks=str(tasks),
        features="symbolic",
        validate_every=2,
        keeps_checkpoints=True,
        training=TrainingConfig(iterations=3, batch=4, learning_rate=1e-2),
        agent_options={"hidden": 16, "help_hidden": 16, "word_embedding": 8},
    )


def nobody(done: float, of: float, note: str) -> None:
    """Hears how far it is."""


def test_the_agent_of_every_validation_can_be_loaded(config: RunConfig, tmp_path: Path) -> None:
    run = tmp_path / "run"
    train_run(run, config, "cpu", nobody)
    assert sorted(path.name for path in (run / "checkpoints").iterdir()) == ["2.safetensors", "3.safetensors"]
    material = material_of(config, "cpu")
    earlier, later, last = (load_agent(run, config, material, which).state_dict() for which in (2, 3, "last"))
    assert all(torch.equal(later[name], last[name]) for name in last)
    assert any(not torch.equal(earlier[name], last[name]) for name in last)
    assert checkpoint(run, "last") == run / LAST


def test_a_training_in_two_parts_ends_as_in_one(config: RunConfig, tmp_path: Path) -> None:
    whole, beginning, rest = tmp_path / "whole", tmp_path / "beginning", tmp_path / "rest"
    train_run(whole, config, "cpu", nobody)
    train_beginning(beginning, config, "cpu", 2, nobody)
    assert [path.name for path in (beginning / "checkpoints").iterdir()] == ["2.safetensors"]
    train_rest(rest, beginning, config, "cpu", nobody)
    for name in (LAST, "checkpoints/2.safetensors", "checkpoints/3.safetensors"):
        one, two = load_file(whole / name), load_file(rest / name)
        assert one.keys() == two.keys() and all(torch.equal(one[each], two[each]) for each in one)
    assert (rest / CONFIG).read_text() == (whole / CONFIG).read_text()
    train_rest(rest, tmp_path / "nowhere", config, "cpu", nobody)  # what is there is continued


def test_side_by_side_they_end_as_they_do_alone(config: RunConfig, tmp_path: Path) -> None:
    configs = [config, replace(config, help_policy="random")]
    for number, each in enumerate(configs):
        train_run(tmp_path / f"alone{number}", each, "cpu", nobody)
    heard: list[list[tuple[float, float]]] = [[], []]

    def hear(done: float, of: float, note: str = "", which: int = 0) -> None:
        assert "it/s" in note
        heard[which].append((done, of))

    given = [(tmp_path / f"together{number}", each, "cpu") for number, each in enumerate(configs)]
    train_runs(given, hear)
    for number in range(2):
        alone, together = (load_file(tmp_path / f"{how}{number}" / LAST) for how in ("alone", "together"))
        assert all(torch.equal(alone[name], together[name]) for name in alone)
    assert [each[-1] for each in heard] == [(3, 3), (3, 3)], "each tells how far it is itself"


def test_of_trainings_side_by_side_only_that_fails_which_diverges(config: RunConfig, tmp_path: Path) -> None:
    wild = replace(config, training=replace(config.training, learning_rate=1e30))
    given = [(tmp_path / name, each, "cpu") for name, each in (("good", config), ("wild", wild))]
    with pytest.raises(SomeFailedError) as error:
        train_runs(given, lambda *_: None)
    assert [*error.value.lines] == [1] and "wild: at iteration 2 or before" in error.value.lines[1]
    assert checkpoint(tmp_path / "good", 3).exists() and not (tmp_path / "wild" / LAST).exists()


def test_a_run_goes_on_when_its_world_was_moved(config: RunConfig, tmp_path: Path) -> None:
    train_run(tmp_path / "run", replace(config, training=replace(config.training, iterations=1)), "cpu", nobody)
    Path(config.world).rename(tmp_path / "elsewhere")
    try:
        moved = replace(config, world=str(tmp_path / "elsewhere"))
        train_run(tmp_path / "run", moved, "cpu", nobody)
    finally:
        (tmp_path / "elsewhere").rename(config.world)
    assert checkpoint(tmp_path / "run", 3).exists()
    assert RunConfig.read(tmp_path / "run" / "config.json") == moved

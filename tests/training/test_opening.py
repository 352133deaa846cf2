"""Whether a run can begin in a folder, or go on there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from vnla.common.errors import InputError
from vnla.training.checkpoints import CONFIG, LAST, checkpoint_file, is_finished, open_run
from vnla.training.config import RunConfig, TrainingConfig


@pytest.fixture
def config(tmp_path: Path) -> RunConfig:
    for name in ("world", "tasks"):
        (tmp_path / name).mkdir()
    places = {name: str(tmp_path / name) for name in ("world", "tasks")}
    return RunConfig(**places, training=TrainingConfig(iterations=10))


@pytest.fixture
def run(tmp_path: Path, config: RunConfig) -> Path:
    """A run that has done four iterations."""
    path = tmp_path / "run"
    path.mkdir()
    (path / CONFIG).write_text(config.text(path))
    (path / LAST).write_bytes(checkpoint_file({}, {"done": "4", "validated": "4"}))
    return path


def longer(config: RunConfig, iterations: int) -> RunConfig:
    return replace(config, training=replace(config.training, iterations=iterations))


def test_a_new_run_needs_a_configuration_and_room(config: RunConfig, tmp_path: Path) -> None:
    assert open_run(tmp_path / "new", config) == config
    assert not (tmp_path / "new").exists()
    with pytest.raises(InputError, match="no run yet"):
        open_run(tmp_path / "new", None)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "something").touch()
    with pytest.raises(InputError, match="not empty"):
        open_run(tmp_path / "full", config)


def test_a_run_that_exists_keeps_its_configuration(run: Path, config: RunConfig) -> None:
    assert open_run(run, config) == open_run(run, None) == config
    with pytest.raises(InputError, match="this run has help_policy learned, not none"):
        open_run(run, replace(config, help_policy="none"))
    with pytest.raises(InputError, match="this run has batch 100, not 50"):
        open_run(run, replace(config, training=replace(config.training, batch=50)))


def test_it_may_be_given_more_iterations_or_fewer_but_not_fewer_than_it_has_done(run: Path, config: RunConfig) -> None:
    for iterations in (20, 4):
        assert open_run(run, longer(config, iterations)).training.iterations == iterations
    with pytest.raises(InputError, match="run: has done 4 iterations; --iterations 3 is fewer"):
        open_run(run, longer(config, 3))


@pytest.mark.parametrize("name", ["world", "tasks"])
def test_what_is_not_where_it_was_has_to_be_said(run: Path, config: RunConfig, tmp_path: Path, name: str) -> None:
    (tmp_path / name).rename(tmp_path / "elsewhere")
    with pytest.raises(InputError, match=rf"run: was trained on {tmp_path / name}, which is not there; .* --{name}"):
        open_run(run, None)
    moved = replace(config, **{name: str(tmp_path / "elsewhere")})
    assert open_run(run, moved) == moved


@pytest.mark.usefixtures("run")
def test_what_moves_together_is_found(tmp_path: Path) -> None:
    (tmp_path / "all").mkdir()
    for name in ("run", "world", "tasks"):
        (tmp_path / name).rename(tmp_path / "all" / name)
    found = open_run(tmp_path / "all" / "run", None)
    assert (found.world, found.tasks) == (str(tmp_path / "all" / "world"), str(tmp_path / "all" / "tasks"))


def test_a_run_is_finished_when_its_last_validation_is(run: Path, config: RunConfig) -> None:
    assert not is_finished(run, config)
    assert is_finished(run, longer(config, 4))
    (run / LAST).write_bytes(checkpoint_file({}, {"done": "4", "validated": "2"}))
    assert not is_finished(run, longer(config, 4))
    (run / LAST).unlink()
    assert not is_finished(run, config)

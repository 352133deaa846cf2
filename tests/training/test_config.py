"""A run's configuration: what it refuses, and where it says its world is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from vnla.common.errors import InputError
from vnla.training.config import RunConfig, TrainingConfig, found_from, seen_from


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"learning_rate": -1.0}, "learning rate -1.0"),
        ({"learning_rate": 0.0}, "learning rate 0.0"),
        ({"learning_rate": float("nan")}, "learning rate nan"),
        ({"weight_decay": -1.0}, "weight decay -1.0"),
        ({"precision": "float8"}, "precision float8: unknown; choose from float32, tf32, bfloat16"),
    ],
)
def test_numbers_that_nothing_can_be_trained_with(wrong: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        TrainingConfig(**wrong)


def test_places_are_noted_from_the_run_where_they_may_move_with_it(tmp_path: Path) -> None:
    run, world = tmp_path / "runs" / "one", tmp_path / "worlds" / "small"
    config = RunConfig(world=str(world), tasks="/elsewhere/tasks")
    run.mkdir(parents=True)
    (run / "config.json").write_text(config.text(run))
    saved = json.loads((run / "config.json").read_text())
    assert saved["world"] == "../../worlds/small"
    assert saved["tasks"] == "/elsewhere/tasks"  # nothing but the root holds both
    assert RunConfig.read(run / "config.json") == config
    (tmp_path / "runs").rename(tmp_path / "moved")
    assert RunConfig.read(tmp_path / "moved" / "one" / "config.json") == config


def test_a_link_to_a_run_finds_the_same_world(tmp_path: Path) -> None:
    run, world = tmp_path / "disk" / "runs" / "one", tmp_path / "disk" / "world"
    run.mkdir(parents=True)
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "runs").symlink_to(tmp_path / "disk" / "runs")
    linked = tmp_path / "here" / "runs" / "one"
    assert seen_from(linked, str(world)) == seen_from(run, str(world)) == "../../world"
    assert found_from(linked, "../../world") == str(world)


def test_absolute_and_empty_places_stay_as_they_are(tmp_path: Path) -> None:
    assert found_from(tmp_path, "/data/world") == "/data/world"
    assert found_from(tmp_path, "") == seen_from(tmp_path, "") == ""

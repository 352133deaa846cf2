"""Agents trained in several numbers of houses: which houses each has, which stages there are, and the whole of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tiny_beyond import SCALE
from vnla.cli.beyond import BeyondOptions
from vnla.common.errors import InputError
from vnla.experiments.beyond.arms import SCALES, arms_by_houses
from vnla.experiments.beyond.comparison_stages import run_comparison
from vnla.experiments.beyond.plan import ComparisonPlan
from vnla.experiments.beyond.training_houses import house_counts, with_points
from vnla.houses.folder import read_world
from vnla.tasks.dataset import read_dataset
from vnla.tasks.sampling import Fold
from vnla.training.config import RunConfig


def test_each_agent_once_for_each_number_and_learned_in_the_fewest() -> None:
    arms = arms_by_houses(SCALES["small"], ["best"], (2, 4), mirrored=True)
    assert [arm.name for arm in arms] == ["learned", "best-2", "best-4", "best-2-mirrored", "best-4-mirrored"]
    assert [arm.phases[-1].fold for arm in arms] == ["first:2", "first:2", "first:4", "first:2,mirrored", "first:4,mirrored"]
    assert [phase.name for phase in arms[4].phases] == ["start-senses-4-mirrored", "best-4-mirrored"]
    assert all(phase.fold == arm.phases[-1].fold for arm in arms for phase in arm.phases)


@pytest.mark.parametrize("text", ["", "61,", "a", "0,4", "4,4", "-1", "1" * 9])
def test_numbers_that_make_no_sense(text: str) -> None:
    with pytest.raises(InputError, match="expected numbers of houses"):
        house_counts(text)


def test_the_plan_of_the_command() -> None:
    """As many training points a house as the paper has, up to four times as many in all."""
    plan = BeyondOptions(preset="paper", houses="122,61", mirrored=True).plan(seed=0)
    assert (plan.train, plan.mirrored, len(plan.arms)) == (122, True, 5)
    paper = SCALES["paper"].preset
    assert plan.preset.most_train["asknav"] == 2 * paper.most_train["asknav"]
    assert with_points(paper, 1000).most_train["asknav"] == 4 * paper.most_train["asknav"]
    assert with_points(paper, 20) == paper, "fewer houses do with the preset's"
    small = with_points(SCALES["small"].preset, 960)
    assert small.most_train["asknav"] == 4 * 94_798, "a preset that keeps all points keeps as many as the paper's at most"
    assert BeyondOptions().plan(0).train is None
    with pytest.raises(InputError, match="--mirrored: is about the houses of --houses"):
        BeyondOptions(mirrored=True).plan(0)


@pytest.mark.slow
def test_a_curve_from_nothing_to_the_report(tmp_path: Path) -> None:
    scale = replace(SCALE, preset=replace(SCALE.preset, training=replace(SCALE.preset.training, iterations=3)))
    arms = arms_by_houses(scale, ["best"], (1, 4), mirrored=True)
    plan = ComparisonPlan(scale, arms, sweeps=False, ceilings=False, peers=False, train=4, mirrored=True)
    run_comparison(tmp_path, plan, command="tiny", console=Console(stderr=True), cores=2)
    world = read_world(tmp_path / "world")
    assert len(world.splits["train"]) == 8 and len(world.splits["test"]) == 2
    tasks = read_dataset(tmp_path / "tasks" / "asknav").split("train")
    config = RunConfig.read(tmp_path / "runs" / "best-1-mirrored" / "seed0" / "config.json")
    first = world.splits["train"][0]
    assert {task.house for task in Fold.of_text(config.fold).tasks(tasks)} == {first, f"{first}-mirrored"}
    rows = _rows(tmp_path, "table-b5")
    agents = ("BEST", "BEST, mirror images too")
    assert [row["cells"][:2] for row in rows] == [[agent, count] for agent in agents for count in ("1", "4")]
    drawn = json.loads((tmp_path / "figures" / "figure-houses.json").read_text())
    assert [point[0] for point in drawn["BEST"]["test_unseen"]] == [1, 4]
    success = {row["cells"][0]: row["cells"][1] for row in _rows(tmp_path, "table-b1") if row["group"] == "Test unseen"}
    assert drawn["BEST"]["test_unseen"][1][1] == pytest.approx(success["BEST-4"]["mean"])


def _rows(out: Path, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((out / "tables" / f"{table}.json").read_text())["rows"]
    return found

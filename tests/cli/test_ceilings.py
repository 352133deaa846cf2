"""`vnla ceilings`: what it prints and writes, and what it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from command import Vnla
from cottage_run import write_cottage
from vnla.cli import main

FEW = ("--split", "test_seen", "--limit", 3, "--schedules", 12)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An agent that has not learned when to ask, and one that has."""
    folder = tmp_path_factory.mktemp("ceilings")
    world, tasks = write_cottage(folder)
    options = ["--world", world, "--tasks", tasks, "--features", "symbolic", "--help-policy", "none,learned"]
    with pytest.raises(SystemExit):
        main([str(each) for each in ["train", folder / "runs", *options, "--iterations", 2, "--batch", 4, "--hidden", 8]])
    return folder / "runs"


@pytest.mark.parametrize("name", ["none", "learned"])
def test_whoever_was_trained_has_ceilings(vnla: Vnla, runs: Path, name: str, tmp_path: Path) -> None:
    file = tmp_path / "ceilings.json"
    status, out, err = vnla("ceilings", runs / name, *FEW, "--json", file)
    assert status == 0, err
    told = " ".join(out.split())
    assert "as it is" in told and "if its next action is wrong" in told and "what a request is worth" in told
    printed = [line.strip().split("  ")[0] for line in out.splitlines()]
    best = printed.index("at the best times")
    assert printed[best + 1 : best + 3] == ["placebo: sampled actions, best", "placebo: sampled actions, mean"]
    assert "3 tasks in 1 house under 1 seed. One house has no interval" in told
    found: dict[str, Any] = json.loads(file.read_text())
    rates = {line: each["success"]["value"] for line, each in found["lines"].items()}
    assert rates["worst"] <= rates["own"] <= rates["best"] <= rates["anybody"] <= 100
    assert rates["placebo_mean"] <= rates["placebo_best"] <= rates["anybody"] and "search_panorama" in rates
    assert found["lines"]["own"]["success"]["low"] is None
    assert found["schedules"]["tried"] <= 3 * 12
    assert found["requests"]["all"]["states"] > 0
    if name == "none":
        assert found["lines"]["own"] == found["lines"]["never"]


def test_several_runs_have_one_report(vnla: Vnla, runs: Path, tmp_path: Path) -> None:
    status, _, err = vnla("ceilings", runs, runs / "none", *FEW, "--seeds", 2, "--states", 1, "--out", tmp_path / "out")
    assert status == 0, err
    page = (tmp_path / "out" / "report.html").read_text()
    assert "How much better the agent could do" in page and "vnla ceilings" in page
    assert "Sensors: view only; forward informed." in page
    assert {path.name for path in (tmp_path / "out" / "figures").glob("*.png")} == {
        f"figure-{what}-{number}.png" for what in ("ceilings", "requests") for number in (1, 2)
    }
    with (tmp_path / "out" / "episodes.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["run"] for row in rows] == ["learned"] * 6 + ["none"] * 6
    assert all(float(row["best.metres"]) <= float(row["own.metres"]) <= float(row["worst.metres"]) for row in rows)
    assert all(float(row["placebo_best.metres"]) <= float(row["placebo_mean.metres"]) + 1e-9 for row in rows)
    table = list(csv.reader((tmp_path / "out" / "tables" / "ceilings-1.csv").read_text().splitlines()))
    labels = [row[1] for row in table]
    assert labels[labels.index("at the best times") + 1].startswith("placebo")


def test_without_help_there_is_no_request_to_make(vnla: Vnla, runs: Path, tmp_path: Path) -> None:
    status, out, err = vnla("ceilings", runs / "none", *FEW, "--ratio", 0, "--out", tmp_path / "out")
    assert status == 0, err
    assert "There was no request to make." in out
    assert [path.name for path in (tmp_path / "out" / "figures").glob("*.png")] == ["figure-ceilings.png"]


def test_a_sample_says_what_it_may_have_missed(vnla: Vnla, runs: Path) -> None:
    status, out, err = vnla("ceilings", runs / "learned", *FEW)
    assert status == 0, err
    assert "schedules were tried: 3 episodes had too many." in " ".join(out.split())


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--split", "test_somewhere"], "has no split 'test_somewhere'"),
        (["--checkpoint", "nope"], "has no checkpoint nope"),
        (["--device", "nope"], "device nope: unknown"),
        (["--schedules", 0], "--schedules"),
        (["--states", 0], "--states"),
        (["--limit", 0], "--limit"),
        (["--seeds", 6], "--seeds"),
        (["--ratio", 2], "--ratio"),
        (["--world", "nowhere"], "nowhere"),
    ],
)
def test_what_cannot_be_is_one_line(vnla: Vnla, runs: Path, options: list[object], complaint: str) -> None:
    status, _, err = vnla("ceilings", runs / "learned", *options)
    assert status == 2
    errors = [line for line in err.splitlines() if "error" in line]
    assert len(errors) == 1 and complaint in errors[0]


def test_what_is_no_run_is_said_before_anything_is_tried(vnla: Vnla, runs: Path, tmp_path: Path) -> None:
    status, _, err = vnla("ceilings", runs / "learned", tmp_path / "nothing", *FEW)
    assert status == 2
    assert "nothing" in err and len(err.splitlines()) == 1


@pytest.mark.parametrize("option", ["--json", "--out"])
def test_a_place_that_cannot_be_written_is_said_before_anything_is_tried(
    vnla: Vnla, runs: Path, option: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("kept")
    status, _, err = vnla("ceilings", runs / "learned", option, tmp_path / "file" / "within")
    assert status == 2
    assert "cannot be written" in err and len(err.splitlines()) == 1


def test_a_split_without_tasks(vnla: Vnla, runs: Path, tmp_path: Path) -> None:
    _, tasks = write_cottage(tmp_path)
    (tasks / "asknav_test_seen.json").write_text("[]")
    status, _, err = vnla("ceilings", runs / "learned", *FEW, "--tasks", tasks)
    assert status == 2
    assert "no tasks" in err

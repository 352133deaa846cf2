"""`vnla calibrate` in a village of cottages: promises, their file, a check, and what is refused."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from command import Vnla
from cottage_run import SPLITS, write_cottage
from vnla import cli
from vnla.houses.cottage import cottage
from vnla.houses.folder import write_world
from vnla.training.checkpoints import CONFIG
from vnla.training.config import RunConfig

HOUSES = 14
LENIENT = ("--risk", 0.5, "--confidence", 0.5)  # takes a handful of houses


@pytest.fixture(scope="module")
def village(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a world whose first house is for training and the others for test, a data set, and a run."""
    folder = tmp_path_factory.mktemp("village")
    _, tasks = write_cottage(folder / "one")
    names = [f"cottage{number:02d}" for number in range(1 + HOUSES)]
    houses = [replace(cottage(), name=name) for name in names]
    write_world(folder / "world", houses, source="drawn", splits={"train": names[:1], "test": names[1:]})
    records = json.loads((tasks / "asknav_train.json").read_text())
    (folder / "tasks").mkdir()
    for split in SPLITS:
        chosen = names[1:] if split == "test_unseen" else names[:1]
        every = [{**each, "scan": name, "path_id": f"{name}-{each['path_id']}"} for name in chosen for each in records]
        (folder / "tasks" / f"asknav_{split}.json").write_text(json.dumps(every))
    options = ["--world", folder / "world", "--tasks", folder / "tasks", "--features", "symbolic", "--help-policy", "first"]
    with pytest.raises(SystemExit):
        cli.main([str(each) for each in ["train", folder / "run", *options, "--iterations", 2, "--batch", 4, "--hidden", 8]])
    return folder


def test_promises_are_told_and_kept(vnla: Vnla, village: Path, tmp_path: Path) -> None:
    said = vnla("calibrate", village / "run", *LENIENT, "--json", tmp_path / "c.json")
    assert said.status == 0, said.err
    words = " ".join(said.out.split())
    assert "Found it:" in words and "at least 50% of the episodes succeed, with confidence 50%" in words
    assert "are the teacher's, step for step" in words and "nan" not in words
    kept = json.loads((village / "run" / "calibration.json").read_text())
    assert kept == json.loads((tmp_path / "c.json").read_text())
    assert kept["houses"] == len(kept["tasks"]) == HOUSES
    assert kept["certain"] >= 0 and kept["doubts"][0]["wrong"] == 0
    assert kept["command"].startswith("vnla calibrate") and "--risk 0.5" in kept["command"]


@pytest.mark.slow
def test_the_same_seed_draws_the_same_tasks(vnla: Vnla, village: Path, tmp_path: Path) -> None:
    drawn = []
    for place, seed in enumerate((3, 3, 4)):
        said = vnla("calibrate", village / "run", *LENIENT, "--seed", seed, "--json", tmp_path / f"{place}.json")
        assert said.status == 0, said.err
        drawn.append(json.loads((tmp_path / f"{place}.json").read_text())["tasks"])
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_check_calibrates_often_and_keeps_nothing(vnla: Vnla, village: Path, tmp_path: Path) -> None:
    (village / "run" / "calibration.json").unlink(missing_ok=True)
    said = vnla("calibrate", village / "run", *LENIENT, "--check", 5, "--json", tmp_path / "c.json")
    assert said.status == 0, said.err
    assert "certain: succeeds" in said.out and "spread" in said.out and "nan" not in said.out
    assert len(json.loads((tmp_path / "c.json").read_text())["times"]) == 5
    assert not (village / "run" / "calibration.json").exists()


def test_a_check_may_look_elsewhere(vnla: Vnla, village: Path, tmp_path: Path) -> None:
    """At two houses, which would be too few to calibrate in."""
    other = tmp_path / "tasks"
    other.mkdir()
    for file in (village / "tasks").glob("*.json"):
        every = json.loads(file.read_text())
        few = [each for each in every if each["scan"] <= "cottage02"]
        (other / file.name).write_text(json.dumps(few))
    said = vnla("calibrate", village / "run", *LENIENT, "--check", 2, "--other-tasks", other)
    assert said.status == 0, said.err
    assert "walking in 2 houses" in said.err
    alone = vnla("calibrate", village / "run", *LENIENT, "--other-tasks", other)
    assert alone.status == 2 and "--check" in alone.err


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--split", "test_seen", *LENIENT], "house cottage00: the agent was trained or chosen in it"),
        (
            ["--risk", 0.1],
            f"{HOUSES} houses to calibrate in are too few: a risk of 0.1 with confidence 0.9 takes 42 or more",
        ),
        (["--risk", 0.3, "--check", 3], f"{HOUSES // 2} houses to calibrate in are too few"),
        (["--risk", 0], "risk 0.0: must be above 0 and below 1"),
        (["--confidence", 1], "confidence 1.0: must be above 0 and below 1"),
        (["--split", "nowhere"], "has no split 'nowhere'"),
        (["--checkpoint", "nope"], "has no checkpoint nope; it has val_seen, val_unseen, last"),
        (["--world", "nowhere", *LENIENT], "nowhere"),
        (["--tasks", "nowhere", *LENIENT], "nowhere: no such directory"),
        (["--device", "nope"], "device nope: unknown"),
    ],
)
def test_what_cannot_be_is_one_line(vnla: Vnla, village: Path, options: list[object], complaint: str) -> None:
    said = vnla("calibrate", village / "run", *options)
    assert said.status == 2
    assert complaint in said.err.splitlines()[-1]
    assert not said.out


def test_houses_of_the_training_are_refused(vnla: Vnla, village: Path, tmp_path: Path) -> None:
    """A data set whose test houses are others and the one of the training."""
    tasks = tmp_path / "tasks"
    tasks.mkdir()
    every = [each for file in (village / "tasks").glob("*_unseen.json") for each in json.loads(file.read_text())]
    for split in SPLITS:
        (tasks / f"asknav_{split}.json").write_text(json.dumps(every))
    said = vnla("calibrate", village / "run", *LENIENT, "--tasks", tasks)
    assert said.status == 2
    assert said.err == (
        "vnla: error: house cottage00: the agent was trained or chosen in it; a guarantee takes fresh houses\n"
    )


def test_a_world_without_features_is_refused(vnla: Vnla, village: Path) -> None:
    places = ("--world", village / "world", "--tasks", village / "tasks")
    said = vnla("calibrate", "pretrained", *places, *LENIENT)
    assert said.status == 2
    assert "efficientnet-lite0" in said.err.splitlines()[-1] and "vnla features make" in said.err.splitlines()[-1]
    assert "that these houses are fresh is up to you" in said.err
    alone = vnla("calibrate", "pretrained")
    assert alone.status == 2 and "say which --world and --tasks" in alone.err


def test_houses_in_which_the_agent_was_chosen_are_refused(vnla: Vnla, village: Path, tmp_path: Path) -> None:
    """The run's own data set is validated in a house that is for test, too; none of its training is."""
    run, tasks = shutil.copytree(village / "run", tmp_path / "run"), shutil.copytree(village / "tasks", tmp_path / "tasks")
    every = json.loads((tasks / "asknav_test_unseen.json").read_text())
    (tasks / "asknav_val_unseen.json").write_text(json.dumps([each for each in every if each["scan"] == "cottage03"]))
    config = replace(RunConfig.read(run / CONFIG), world=str(village / "world"), tasks=str(tasks))
    (run / CONFIG).write_text(config.text(run))
    said = vnla("calibrate", run, *LENIENT)
    assert said.status == 2
    assert "house cottage03: the agent was trained or chosen in it; a guarantee takes fresh houses" in said.err


def test_what_is_calibrated_is_what_was_asked_for(vnla: Vnla, village: Path, tmp_path: Path) -> None:
    """Risk, confidence, split, checkpoint, world and tasks are what the file says, and what was used."""
    tasks = shutil.copytree(village / "tasks", tmp_path / "tasks")
    every = json.loads((tasks / "asknav_test_unseen.json").read_text())
    (tasks / "asknav_test_seen.json").write_text(json.dumps([each for each in every if each["scan"] > "cottage02"]))
    where = "--world", village / "world", "--tasks", tasks, "--split", "test_seen"
    file = tmp_path / "c.json"
    said = vnla("calibrate", village / "run", "--risk", 0.6, "--confidence", 0.4, *where, "--json", file)
    assert said.status == 0, said.err
    found = json.loads(file.read_text())
    assert (found["risk"], found["confidence"], found["houses"]) == (0.6, 0.4, HOUSES - 2)
    assert set(found["tasks"]) == {f"cottage{number:02d}" for number in range(3, HOUSES + 1)}

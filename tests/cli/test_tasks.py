"""`vnla tasks` as a person meets it: good input, bad input, and nothing half-written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import Vnla
from furnished import small_houses
from vnla.cli import tasks
from vnla.houses.folder import write_world
from vnla.tasks.dataset import read_dataset


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("worlds") / "eight"
    splits = {"train": ["h0", "h1", "h2", "h3"], "dev": ["h4", "h5"], "test": ["h6", "h7"]}
    write_world(path, small_houses(), source="test", splits=splits)
    return path


@pytest.mark.parametrize("task", ["asknav", "noroom"])
def test_make_and_stats(vnla: Vnla, world: Path, tmp_path: Path, task: str) -> None:
    out = tmp_path / "out"
    answer = vnla("tasks", "make", world, out, "--task", task, "--seed", 3)
    assert answer.status == 0, answer.err
    assert "the world's own splits" in answer.out
    dataset = read_dataset(out)
    assert dataset.task == task
    assert dataset.manifest["seed"] == 3
    assert dataset.manifest["world"]["name"] == "eight"
    assert f"{len(dataset.split('train')):,}" in answer.out
    answer = vnla("tasks", "stats", out)
    assert answer.status == 0, answer.err
    assert {"asknav": "94,798", "noroom": "78,011"}[task] in answer.out
    names = {path.name for path in (out / "statistics").iterdir()}
    rooms = {"goal_rooms.png"} if task == "asknav" else set()
    assert names == {"objects.png", "start_rooms.png", "path_lengths.png", "statistics.json"} | rooms
    data = json.loads((out / "statistics" / "statistics.json").read_text())
    assert data["splits"]["train"]["points"] == len(dataset.split("train"))
    assert read_dataset(out).split("test_seen")  # the pictures are in nobody's way


def test_json(vnla: Vnla, world: Path, tmp_path: Path) -> None:
    made = json.loads(vnla("tasks", "make", world, tmp_path / "out", "--gzip", "--size", 20, "--json").out)
    assert made["files"]["train"] == "asknav_train.json.gz"
    assert made["size"] == 20
    assert 20 <= made["splits"]["test_unseen"]["points"] < 30
    told = json.loads(vnla("tasks", "stats", tmp_path / "out", "--figures", tmp_path / "pictures", "--json").out)
    assert told["splits"]["train"]["points"] == made["splits"]["train"]["points"]
    assert told["paper"]["train"]["points"] == 94_798
    assert (tmp_path / "pictures" / "objects.png").exists()
    assert not (tmp_path / "out" / "statistics").exists()


def test_the_same_command_gives_the_same_bytes(vnla: Vnla, world: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert vnla("tasks", "make", world, tmp_path / name, "--seed", 5).status == 0
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


def test_options_reach_the_recipe(vnla: Vnla, world: Path, tmp_path: Path) -> None:
    few = json.loads(vnla("tasks", "make", world, tmp_path / "few", "--starts", 1, "--json").out)
    many = json.loads(vnla("tasks", "make", world, tmp_path / "many", "--json").out)
    cut = json.loads(vnla("tasks", "make", world, tmp_path / "cut", "--most-train", 50, "--json").out)
    each = json.loads(vnla("tasks", "make", world, tmp_path / "each", "--per", "object", "--json").out)
    assert few["splits"]["train"]["points"] < many["splits"]["train"]["points"] != each["splits"]["train"]["points"]
    assert cut["splits"]["train"]["points"] == 50


def test_a_training_set_far_above_the_papers_is_said(
    vnla: Vnla, world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "_FAR_ABOVE", 0.0)
    answer = vnla("tasks", "make", world, tmp_path / "out")
    assert "the paper's has 94,798; --most-train 94798 keeps as many" in answer.out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["make", "{tmp}/nowhere", "{tmp}/out"], "nowhere: no such directory; expected a world folder"),
        (["make", "{world}", "{world}"], "exists already; give a new folder"),
        (["make", "{world}", "{tmp}/out", "--task", "r2r"], "'r2r' is not one of"),
        (["make", "{world}", "{tmp}/out", "--seed", "-1"], "--seed"),
        (["make", "{world}", "{tmp}/out", "--fewest", "9999"], "have no valid data point (objects left out:"),
        (["make", "{world}", "{tmp}/out", "--size", "99999"], "no training points are left"),
        (["make", "{world}", "{tmp}/out", "--splits", "{tmp}/none.json"], "none.json: no such file; expected a split"),
        (["stats", "{tmp}"], "has neither manifest.json nor asknav_train.json"),
        (["stats", "{tmp}/nowhere"], "nowhere: no such directory; expected a data set folder"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    vnla: Vnla, world: Path, tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    answer = vnla("tasks", *(each.format(tmp=tmp_path, world=world) for each in arguments))
    assert answer.status == 2
    assert complaint in answer.err
    assert answer.err.startswith("vnla: error: ") and answer.err.count("\n") == 1
    assert not any(tmp_path.iterdir())


def test_a_bad_record_is_named(vnla: Vnla, world: Path, tmp_path: Path) -> None:
    """Without the manifest, which would notice the change first."""
    vnla("tasks", "make", world, tmp_path / "out")
    (tmp_path / "out" / "manifest.json").unlink()
    file = tmp_path / "out" / "asknav_train.json"
    records = json.loads(file.read_text())
    records[17]["heading"] = 0.1
    file.write_text(json.dumps(records))
    answer = vnla("tasks", "stats", tmp_path / "out")
    assert answer.status == 2
    assert "asknav_train.json: record 17: field heading: 0.1 is not a multiple of 30 degrees" in answer.err
    assert not (tmp_path / "out" / "statistics").exists()

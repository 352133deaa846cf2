"""`vnla bench` as a person meets it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import torch
import typer

from benchmarks.setting import KeepGoing, bare_setting
from command import Vnla
from vnla.assistance.acting import most_probable, sampled
from vnla.cli import bench
from vnla.common.errors import InputError
from vnla.world.actions import Nav

TINY = ("--hidden", 8, "--view-size", 8)
COMMANDS = {
    "world": ("--houses", 2, "--seconds", 0.01),
    "train": ("--batch", 2, "--iterations", 1, "--seconds", 0.01, *TINY),
    "evaluate": ("--points", 3, "--seeds", 2, *TINY),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_benchmark_prints_a_table_and_writes_what_it_measured(vnla: Vnla, tmp_path: Path, name: str) -> None:
    path = tmp_path / "measured.json"
    answer = vnla("bench", name, *COMMANDS[name], "--json", path)
    assert answer.status == 0, answer.err
    record = json.loads(path.read_text())
    (benchmark,) = record["benchmarks"]
    assert benchmark["name"] == name
    assert benchmark["options"]["device"] == "cpu"
    for line in benchmark["measurements"]:
        assert line["value"] > 0
        assert line["name"].strip() in answer.out
    assert {"processor", "flags", "cores", "threads", "memory_gb", "gpu"} <= set(record["machine"])


def test_only_visitors_need_a_server(vnla: Vnla, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("websockets", "websockets.asyncio.client"):
        monkeypatch.setitem(sys.modules, name, None)
    for name in ("benchmarks.serve", "benchmarks.hostile", "benchmarks.visitors", "benchmarks.suite"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert vnla("bench", "world", *COMMANDS["world"], "--json", tmp_path / "measured.json").status == 0
    answer = vnla("bench", "serve", "--json", tmp_path / "served.json")
    assert answer.status == 2 and "install it with: pip install 'vnla[serve]'" in answer.err


@pytest.mark.slow
def test_what_scale_costs(vnla: Vnla, tmp_path: Path) -> None:
    """Beyond memory, by two processes, from the start, by shards and in stages, each beside the plain way."""
    options = ("--houses", 3, "--batch", 4, "--iterations", 2, "--cache", "70MB", "--folder", tmp_path, *TINY)
    answer = vnla("bench", "scale", *options, "--json", tmp_path / "measured.json")
    assert answer.status == 0, answer.err
    (benchmark,) = json.loads((tmp_path / "measured.json").read_text())["benchmarks"]
    names = [line["name"] for line in benchmark["measurements"]]
    assert len(names) == len(set(names)), "by which two measurements are compared"
    assert {"iteration, features on disk", "iteration, 2 processes", "start, kernels on disk"} <= set(names)
    shards = {f"{what}, all shards and the merge" for what in ("world", "data set")}
    assert shards | {"features, the merge", "a stage handed out"} <= set(names)
    assert answer.err == "", "those who train together part without a word"
    assert [path.name for path in tmp_path.iterdir()] == ["measured.json"], "the feature file is gone"


def test_an_entry_of_scale_that_is_not_there(vnla: Vnla) -> None:
    answer = vnla("bench", "scale", "--entries", "memory,speed")
    assert answer.status == 2 and "entry speed: unknown; choose from memory, processes, start, shards, stages" in answer.err


def test_compare_marks_what_got_slower_and_says_so_in_the_exit_status(vnla: Vnla, tmp_path: Path) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    vnla("bench", "world", *COMMANDS["world"], "--json", old)
    assert vnla("bench", "compare", old, old).status == 0
    record = json.loads(old.read_text())
    record["benchmarks"][0]["measurements"][0]["value"] *= 1.3
    new.write_text(json.dumps(record))
    answer = vnla("bench", "compare", old, new)
    assert answer.status == 1
    assert "slower by more than 10%: world: compile 2 buildings" in answer.out
    assert "1.30" in answer.out
    assert vnla("bench", "compare", old, new, "--tolerance", 0.5).status == 0
    assert vnla("bench", "compare", new, old).status == 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("compare", "nowhere.json", "nowhere.json"), "nowhere.json: no such file"),
        (("train", "--device", "tpu"), "device tpu: unknown; choose cpu or cuda"),
        (("train", "--precision", "int3", "--batch", 1, *TINY), "precision int3: unknown"),
        (("tasks", "--preset", "huge"), "preset huge: unknown; choose from small, paper"),
    ],
)
def test_bad_input_is_one_line_and_status_two(vnla: Vnla, arguments: tuple[object, ...], complaint: str) -> None:
    answer = vnla("bench", *arguments)
    assert answer.status == 2
    assert complaint in answer.err
    assert answer.err.count("\n") == 1


def test_a_file_that_cannot_be_written_is_told_before_anything_is_measured(vnla: Vnla, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept")
    answer = vnla("bench", "world", *COMMANDS["world"], "--json", tmp_path / "file" / "within")
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert "cannot be written (Not a directory)" in answer.err


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_no_traceback(vnla: Vnla) -> None:
    answer = vnla("bench", "all", "--device", "cuda")
    assert (answer.status, answer.err.count("\n")) == (2, 1)
    assert "no GPU" in answer.err


def test_nobody_stops_where_it_is_measured() -> None:
    setting = bare_setting(2, hidden=8, view_size=8, seed=0, device="cpu", houses=2)
    episodes = setting.tasks.episodes(torch.arange(2), seed=0)
    probabilities = torch.tensor([[0.1, 0.0, 0.0, 0.2, 0.0, 0.7], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]])
    assert KeepGoing(most_probable)(probabilities, episodes, 0).tolist() == [Nav.RIGHT, Nav.RIGHT]
    assert KeepGoing(sampled)(probabilities[1:], episodes, 0).tolist() == [Nav.RIGHT, Nav.RIGHT]


@pytest.mark.parametrize("arguments", [(), ("train", "--device", "cuda"), ("compare", "old.json", "new.json")])
def test_an_installed_package_without_benchmarks_says_where_they_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setattr(bench, "CHECKOUT", tmp_path)
    app = typer.Typer()
    app.callback()(lambda: None)
    bench.register(app)
    with pytest.raises(InputError, match="not in the installed package; they are in the folder benchmarks"):
        app(["bench", *arguments], standalone_mode=False)

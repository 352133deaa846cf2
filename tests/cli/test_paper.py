"""`vnla paper`, `vnla demo` and `vnla walk` as commands: what they say about wrong input, and how progress looks."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console

from cottage_run import write_cottage
from stage_work import make
from vnla.cli import main
from vnla.common.errors import InputError
from vnla.experiments.embedded import FEATURES, package_checksums
from vnla.experiments.material import encode_views
from vnla.experiments.presets import SMALL
from vnla.pipeline.progress import ProgressBars, ProgressLines
from vnla.pipeline.stages import Stage


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["paper", "OUT", "--preset", "huge"], "preset huge: unknown; choose from small, paper"),
        (["paper", "OUT", "--table", "8"], "Invalid value for '--table'"),
        (
            ["paper", "OUT", "--world", "WORLD"],
            "has no features efficientnet-lite0-128; `vnla features make WORLD --encoder efficientnet-lite0`"
            " and then `vnla features reduce WORLD --encoder efficientnet-lite0 --size 128` makes them",
        ),
        (["paper", "OUT", "--world", "WORLD", "--features", "pixels"], "`vnla features make WORLD --encoder pixels` makes"),
        (["paper", "OUT", "--world", "NOWHERE"], "NOWHERE: there is no world at this path; make one with `vnla world make"),
        (["paper", "OUT", "--world", "EMPTY"], "EMPTY: there is no world at this path"),
        (["paper", "OUT", "--device", "nope"], "device nope: unknown; choose cpu, cuda"),
        (["demo", "OUT", "--device", "gpu"], "device gpu: unknown; choose cpu, cuda"),
        (["demo", "OUT", "--threads", "3", "--workers", "2"], "3 threads: there are 2 cores to work on"),
        (["demo", "OUT", "--encoder", "panoramas"], "encoder 'panoramas': unknown; choose one of efficientnet-lite0, "),
    ],
)
def test_wrong_input_is_one_line(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world, _ = write_cottage(tmp_path)
    (tmp_path / "empty").mkdir()
    places = {
        "OUT": str(tmp_path / "out"),
        "WORLD": str(world),
        "NOWHERE": str(tmp_path / "none"),
        "EMPTY": str(tmp_path / "empty"),
    }
    for name, path in places.items():
        words = words.replace(name, path)
    with pytest.raises(SystemExit) as left:
        main([places.get(each, each) for each in arguments])
    assert left.value.code == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_walk_draws_the_cottage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["walk", "--out", str(tmp_path), "--task", "2"])
    assert left.value.code == 0
    assert "the teacher takes" in capsys.readouterr().out
    assert len(list(tmp_path.glob("*-2.png"))) == 1


def test_walk_and_show_take_the_small_world(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (["walk", "small", "--house", "house013"], ["world", "show", "--house", "house013"]):
        with pytest.raises(SystemExit) as left:
            main(words)
        assert left.value.code == 0
        assert "this is the small world that comes with vnla" in capsys.readouterr().err
    assert [path.name for path in Path("walk").iterdir()] == ["house013-0.png"]


def stages(folder: Path) -> list[Stage]:
    return [Stage(name, make, (folder, name), folder / name, weight=weight) for name, weight in (("a", 1), ("b", 3))]


def test_lines_say_what_part_of_the_whole_is_done(tmp_path: Path) -> None:
    out = io.StringIO()
    a, b = stages(tmp_path)
    lines = ProgressLines([a, b], Console(file=out, width=200))
    lines.kept(a)  # one of four parts
    lines.began(b)
    lines.moved(b, 1, 2, "halves")  # and half of three
    lines.failed(b, "no [luck]")
    told = out.getvalue().splitlines()
    assert [" ".join(line.split()) for line in told] == [
        "0:00 25% a: kept",
        "0:00 25% b: begins",
        "0:00 62% b: failed: no [luck]",
    ]


def test_a_busy_machine_and_changed_code_are_told_once_before_the_work_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def work(*_: object, **__: object) -> None:
        busy, changed = capsys.readouterr().err.splitlines()
        assert busy == "note: busy" and changed.startswith("note: the code differs from commit 0123456;")
        raise InputError("enough")

    monkeypatch.setattr("vnla.common.machine.busy_hint", lambda _: "note: busy")
    monkeypatch.setattr("vnla.common.machine.commit", lambda: "0123456+")
    monkeypatch.setattr("vnla.experiments.running.run_stages", work)
    with pytest.raises(SystemExit):
        main(["demo", str(tmp_path / "out"), "--device", "cpu"])
    assert capsys.readouterr().err == "vnla: error: enough\n"


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Stage]:
    """The stages that a command would carry out; it fails in their place."""
    begun: list[Stage] = []

    def work(stages: Sequence[Stage], *_: object, **__: object) -> None:
        begun.extend(stages)
        raise InputError("enough")

    monkeypatch.setattr("vnla.experiments.running.run_stages", work)
    return begun


@pytest.mark.parametrize(("given", "trained"), [([], 1.0), (["--threads", "3"], 3)])
def test_threads_are_those_of_each_training_and_evaluation(
    given: list[str], trained: float, tmp_path: Path, begun: list[Stage]
) -> None:
    with pytest.raises(SystemExit):
        main(["demo", str(tmp_path / "out"), "--device", "cpu", "--workers", "4", *given])
    assert {stage.cores for stage in begun if stage.name.startswith(("train/", "evaluate/"))} == {trained}


@pytest.mark.parametrize(("given", "name"), [([], SMALL.features), (["--encoder", "panorama-lite0"], "panorama-lite0")])
def test_the_demo_is_trained_on_the_features_of_the_encoder_that_was_chosen(
    given: list[str], name: str, tmp_path: Path, begun: list[Stage]
) -> None:
    with pytest.raises(SystemExit):
        main(["demo", str(tmp_path / "out"), "--device", "cpu", *given])
    by_name = {stage.name: stage for stage in begun}
    shipped = {"shipped": package_checksums()[FEATURES]} if name == SMALL.features else {}
    assert by_name["features"].config == {"encoder": name, "reduced": 128, **shipped}
    assert by_name["train/learned"].config["features"] == by_name["features"].makes.name == f"{name}-128"


@pytest.mark.parametrize("given", [["--make-features"], ["--seed", "3"]])
def test_features_that_do_not_come_with_the_package_are_made(given: list[str], tmp_path: Path, begun: list[Stage]) -> None:
    with pytest.raises(SystemExit):
        main(["demo", str(tmp_path / "out"), "--device", "cpu", *given])
    features = next(stage for stage in begun if stage.name == "features")
    assert features.work is encode_views and features.config == {"encoder": SMALL.features, "reduced": 128}


def test_bars_show_running_stages_and_the_whole(tmp_path: Path) -> None:
    out = io.StringIO()
    a, b = stages(tmp_path)
    shown = ProgressBars([a, b], Console(file=out, force_terminal=True, width=120))
    with shown.bars:
        shown.began(a)
        shown.moved(a, 30, 40, "it/s")
        shown.bars.refresh()
        shown.ended(a, 65.0)
        shown.began(b)
        shown.failed(b, "no [luck]")
        shown.bars.refresh()
    text = out.getvalue()
    assert "30/40" in text and "25%" in text and "1 min" in text and "no [luck]" in text

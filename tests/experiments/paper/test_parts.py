"""Trainings made a few at a time in folders of their own, packed, and gathered for the tables."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from inline_stages import inline_stages
from tiny_paper import TINY
from vnla.cli import main
from vnla.common.errors import InputError
from vnla.evaluation.evaluation_file import EVALUATION
from vnla.experiments.gathering import gather, pack
from vnla.experiments.layout import ExperimentLayout
from vnla.experiments.paper.paper_parts import PaperPart, PartResult, missing_stages, run_part, stages_of
from vnla.experiments.paper.paper_report import ALL_TABLES, Contents, PaperReport
from vnla.experiments.paper.paper_stages import PaperStages, report_of, run_experiments
from vnla.experiments.presets import ExperimentPreset
from vnla.pipeline.stages import Stage
from vnla.training.checkpoints import CONFIG

PIXELS = replace(TINY, features="pixels")
TABLE_2 = Contents("Table 2 in parts", (2, 6), peers=False)
COMMIT = "0123456789ab"
OTHERS = ("none", "first", "random")


def source(out: Path, preset: ExperimentPreset = TINY, contents: Contents = TABLE_2) -> PaperReport:
    return report_of(out, preset, contents, command="tiny")


def stages(out: Path, preset: ExperimentPreset = TINY, contents: Contents = TABLE_2) -> list[Stage]:
    return PaperStages(source(out, preset, contents)).stages()


def make(out: Path, part: PaperPart, preset: ExperimentPreset = TINY) -> PartResult:
    return run_part(source(out, preset), 0, part, console=Console(file=io.StringIO()), cores=1)


def make_two(folder: Path, preset: ExperimentPreset = TINY) -> Path:
    """Make two folders that know nothing of each other, and pack them."""
    with inline_stages(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("vnla.pipeline.stages.commit", lambda: COMMIT)
        one = make(folder / "one", PaperPart(("learned",), packed=folder / "one.zip"), preset)
        two = make(folder / "two", PaperPart(OTHERS, packed=folder / "two.zip"), preset)
    assert [name for name in one.missing if name.startswith("train/")] == [f"train/{name}" for name in OTHERS]
    assert {name.partition("/")[2] for name in two.missing} == {
        "learned", *(f"{who}/{split}" for who in ("learned", "teacher") for split in ("test_seen", "test_unseen")),
    }  # fmt: skip
    assert not (folder / "one" / "report.html").exists()
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two folders, and what was packed of them."""
    return make_two(tmp_path_factory.mktemp("parts"))


def test_what_some_trainings_need(tmp_path: Path) -> None:
    every = stages(tmp_path, PIXELS, Contents("all", ALL_TABLES))

    def names(*trainings: str) -> list[str]:
        return [stage.name for stage in stages_of(every, trainings) if not stage.name.startswith(("evaluate", "world"))]

    assert names("first") == ["tasks/asknav", "features", "train/first"]
    assert names("noroom-random") == ["tasks/noroom", "features", "train/noroom-random"]
    assert names() == [stage.name for stage in every if not stage.name.startswith(("evaluate", "world"))]
    # Table 3 compares two trainings at equal success, so neither has its evaluations alone
    learned, both = ({each.name for each in stages_of(every, given)} for given in (["learned"], ["learned", "silent"]))
    assert "evaluate/teacher/test_seen" in learned and "evaluate/iterations" not in learned
    assert {"evaluate/iterations", "evaluate/direct/val_seen", "evaluate/direct-silent/test_seen"} <= both - learned
    with pytest.raises(InputError, match="--only best: these tables need no such training; choose from learned, none,"):
        stages_of(every, ["best"])


def check_table(made: Path, out: Path, preset: ExperimentPreset) -> None:
    """Table 2 of what was packed: every row is that of the folder that it was made in."""
    first = make(out, PaperPart(sources=(made / "one.zip",)), preset)
    assert [name for name in first.missing if name.startswith("train/")] == [f"train/{name}" for name in OTHERS]
    assert make(out, PaperPart(sources=(made / "two", made / "two.zip")), preset).missing == []  # a folder does as well
    run_experiments(out, preset, TABLE_2, command="tiny", console=Console(file=io.StringIO()), cores=1)

    assert not list(out.rglob("*.safetensors")) and not (out / "world" / "features").exists()
    document = json.loads((out / "document.json").read_text())
    items = [item for section in document["sections"] for item in section["items"]]
    assert {item["name"] for item in items if item["kind"] == "table"} == {"early-requests", "table-2", "table-6"}
    assert {"figure-requests", "figure-training"} <= {item["name"] for item in items if item["kind"] == "figure"}
    assert not [item for item in items if item["kind"] == "episode"]  # nobody is here to be watched
    assert document["provenance"]["settings"]["commits of the stages"].startswith(COMMIT)
    for who, where in (("learned", "one"), ("teacher", "one"), ("random", "two")):
        here, there = (ExperimentLayout.of(each).evaluation(who, "test_unseen") for each in (out, made / where))
        assert (here / EVALUATION).read_bytes() == (there / EVALUATION).read_bytes()


@pytest.mark.slow
def test_a_table_is_made_of_what_was_packed_elsewhere(made: Path, tmp_path: Path) -> None:
    check_table(made, tmp_path / "out", TINY)


@pytest.mark.slow
def test_nothing_is_encoded_for_the_tables(tmp_path: Path) -> None:
    check_table(make_two(tmp_path, PIXELS), tmp_path / "out", PIXELS)


def test_an_archive_has_no_weights_and_every_episode(made: Path) -> None:
    with zipfile.ZipFile(made / "one.zip") as archive:
        names = archive.namelist()
    assert {name.partition("/")[0] for name in names} == {"stages", "runs", "evaluations"}
    assert sum(name.endswith(EVALUATION) for name in names) == 4 and not any("safetensors" in name for name in names)
    before = (made / "one.zip").read_bytes()
    pack(made / "one.zip", made / "one", stages(made / "one"))
    assert (made / "one.zip").read_bytes() == before


def changed_record(folder: Path, name: str, **fields: object) -> None:
    path = folder / "stages" / name
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def other_configuration(folder: Path) -> None:
    path = folder / "runs" / "learned" / CONFIG
    path.write_text(json.dumps({**json.loads(path.read_text()), "validate_every": 7}))


def other_seeds(folder: Path) -> None:
    """The episodes of another evaluation, of other tasks."""
    evaluations = folder / "evaluations" / "learned"
    shutil.copy(evaluations / "test_seen" / EVALUATION, evaluations / "test_unseen" / EVALUATION)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda folder: changed_record(folder, "train-learned.json", commits=[f"{COMMIT}+"]), "a commit with changes"),
        (lambda folder: changed_record(folder, "world.json", commits=[]), "world names no commit"),
        (lambda folder: changed_record(folder, "world.json", fingerprint="0"), "world builds on other stages"),
        (lambda folder: (folder / "stages" / "train-learned.json").unlink(), "without train/learned, which it builds on"),
        (other_configuration, "train/learned has validate_every 7, here it is 1, unlike its record"),
        (other_seeds, "evaluate/learned/test_unseen is of other tasks or seeds"),
        (lambda folder: shutil.rmtree(folder / "stages"), "no stage of these experiments is done"),
    ],
)
def test_a_piece_that_does_not_belong_here_is_refused(
    damage: Callable[[Path], object], words: str, made: Path, tmp_path: Path
) -> None:
    shutil.copytree(made / "one", tmp_path / "piece", ignore=shutil.ignore_patterns("world", "*.safetensors"))
    shutil.copytree(made / "two", tmp_path / "out", ignore=shutil.ignore_patterns("features", "*.safetensors"))
    damage(tmp_path / "piece")
    with pytest.raises(InputError, match=words):
        gather(tmp_path / "out", stages(tmp_path / "out"), tmp_path / "piece")
    assert "evaluate/teacher/test_unseen" in missing_stages(stages(tmp_path / "out"), tmp_path / "out")


def test_uncommitted_pieces_are_taken_where_that_is_said(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made / "one", tmp_path / "piece", ignore=shutil.ignore_patterns("world", "*.safetensors"))
    changed_record(tmp_path / "piece", "train-learned.json", commits=[f"{COMMIT}+"])
    shutil.copytree(made / "two", tmp_path / "out", ignore=shutil.ignore_patterns("features", "*.safetensors"))
    taken = gather(tmp_path / "out", stages(tmp_path / "out"), tmp_path / "piece", uncommitted=True)
    assert "train/learned" in taken and not missing_stages(stages(tmp_path / "out"), tmp_path / "out")


def test_other_options_are_named(made: Path, tmp_path: Path) -> None:
    longer = replace(TINY, training=replace(TINY.training, iterations=9))
    with pytest.raises(InputError, match=r"one.zip: train/learned has training.iterations 2, here it is 9; give the same"):
        gather(tmp_path, stages(tmp_path, longer), made / "one.zip")
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


def test_two_runs_of_one_training_are_not_mixed(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made / "one", tmp_path / "again", ignore=shutil.ignore_patterns("world"))
    with (tmp_path / "again" / "runs" / "learned" / "log.jsonl").open("a") as log:
        log.write("{}\n")
    with pytest.raises(InputError, match="has another run of train/learned than"):
        gather(made / "one", stages(made / "one"), tmp_path / "again")


@pytest.mark.parametrize("name", ["../outside", "/outside", "runs/../../outside", ".hidden", "a/" * 9 + "b", "runs//x"])
def test_an_archive_writes_nowhere_else(name: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr(name, "x")
    with pytest.raises(InputError, match=r"bad.zip: has a file .* which cannot be; expected trainings that"):
        gather(tmp_path / "out", stages(tmp_path / "out"), tmp_path / "bad.zip")
    assert not (tmp_path / "outside").exists() and not (tmp_path.parent / "outside").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--gather", "nowhere.zip"], "nowhere.zip: no such folder or file; expected what `vnla paper --pack`"),
        (["--allow-uncommitted"], "--allow-uncommitted: is for --gather"),
        (["--only", "best", "--table", "2"], "--only best: these tables need no such training"),
        (["--only", "first", "--shard", "1/2"], "--shard: shares all the work; leave it out"),
        (["--pack", "."], "is a directory; give the name of a file"),
    ],
)
def test_wrong_parts_are_one_line(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["paper", str(tmp_path / "out"), "--device", "cpu", *arguments])
    assert left.value.code == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1 and not (tmp_path / "out").exists()

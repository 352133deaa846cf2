"""Entries on disk: what is written is read again, and what was done to one afterwards is one line."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tiny_benchmark import DEFINITION, Walks, edit_manifest, manifest_of, written
from vnla.common.errors import InputError
from vnla.experiments.benchmark import entry as entries
from vnla.experiments.benchmark.entry import Manifest, open_entry, packed_results, results_name


@pytest.fixture
def copied(entry: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(entry, tmp_path / "entry"))


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as refused:
        open_entry(path)
    message = str(refused.value)
    assert len(message.splitlines()) == 1 and len(message) < 700 and message.isprintable()
    return message


def test_an_entry_comes_back_as_it_was_written(entry: Path, manifest: Manifest) -> None:
    found = open_entry(entry)
    files = found.manifest.files
    assert set(files) == {"card.md", *(results_name(each) for each in found.conditions)}
    assert found.manifest == Manifest(**{**vars(manifest), "files": files})
    assert found.card == "# Walker\n"
    assert json.loads(found.text) == found.manifest.as_dict() | {
        "authors": ["Somebody"],
        "observes": ["symbols"],
        "sensors": [],
        "sets": ["common", "fresh"],
    }


def test_the_same_walks_are_the_same_bytes(walks: Walks) -> None:
    results = walks["common/asknav-0.40"]
    assert packed_results(results) == packed_results(list(results)) != packed_results(results[1:])


def test_an_entry_is_never_overwritten(entry: Path, manifest: Manifest, walks: Walks) -> None:
    with pytest.raises(InputError, match="exists already"):
        written(entry, manifest, walks)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda value: value.update(format="vnla"), "is not manifest.json"),
        (lambda value: value.update(version=2), "field version is 2; this vnla reads version 1"),
        (lambda value: value.update(version=True), "field version is True"),
        (lambda value: value.update(benchmark="2"), "is an entry of version '2' of the benchmark"),
        (lambda value: value.update(benchmark=[]), "is an entry of version [] of the benchmark"),
        (lambda value: value.update(definition="0" * 64), "was made by another definition of AskNav-Open 1"),
        (lambda value: value.update(preset="easy"), "field preset is 'easy'; expected tiny, quick, full"),
        (lambda value: value.update(preset=["tiny"]), "field preset is ['tiny']"),
        (lambda value: value.update(preset={}), "field preset is {}"),
        (lambda value: value.update(seconds=float("nan")), "is damaged"),
        (lambda value: value.update(seconds=float("inf")), "is damaged"),
        (lambda value: value.update(seconds="nan"), "field seconds is 'nan'"),
        (lambda value: value.update(seconds=-1), "field seconds is -1"),
        (lambda value: value["code"].update(machine=float("nan")), "is damaged"),
        (lambda value: value["artefact"].update(parts={"deep": float("inf")}), "is damaged"),
        (lambda value: value.update(fresh_seed=10**30), "is damaged"),
        (lambda value: value.update(fresh_seed=-1), "is damaged"),
        (lambda value: value.update(fresh_seed=1.0), "is damaged"),
        (lambda value: value.update(name=" "), "is damaged"),
        (lambda value: value.update(name="x" * 5000), "no text of at most 2000 characters"),
        (lambda value: value.update(name="\ud800"), "is damaged"),
        (lambda value: value.update(summary=7), "is damaged"),
        (lambda value: value.update(authors="Eve"), "is no list"),
        (lambda value: value.update(authors=[]), "is damaged"),
        (lambda value: value.update(track=None), "is damaged"),
        (lambda value: value["track"].update(forward="sideways"), "'sideways' is none of informed, plain"),
        (lambda value: value["track"].update(forward=[]), "is damaged"),
        (lambda value: value["artefact"].update(kind="wish"), "'wish' is none of run"),
        (lambda value: value.update(answers={"x": -1}), "is damaged"),
        (lambda value: value.update(errors=[]), "is damaged"),
        (lambda value: value.update(score=1.0), "is damaged"),
        (lambda value: value.pop("made"), "is damaged"),
        (lambda value: value.update(files={f"f{i}": "0" for i in range(501)}), "names 501 files; 500 at most"),
        (lambda value: value["files"].update({"../outside": "0" * 64}), "the file '../outside' is missing"),
        (lambda value: value["files"].update({"manifest.json": "0" * 64}), "the file 'manifest.json'"),
        (lambda value: value["files"].update({"card.md": "0" * 64}), "card.md: has changed since the manifest"),
        (lambda value: value["files"].pop("card.md"), "the file 'card.md' is not in the manifest"),
    ],
)
def test_manifests_that_cannot_be(copied: Path, change: Callable[[dict[str, Any]], object], message: str) -> None:
    edit_manifest(copied, change)
    assert message in refusal(copied)


@pytest.mark.parametrize("text", ["", "[]", "null", "{", '{"format": ' + "[" * 100_000, '{"format": ' + "9" * 10_000 + "}"])
def test_what_is_no_manifest(copied: Path, text: str) -> None:
    (copied / "manifest.json").write_text(text)
    assert "manifest.json" in refusal(copied)


def test_a_manifest_too_large(copied: Path) -> None:
    with (copied / "manifest.json").open("a") as stream:
        stream.write(" " * (1 << 20))
    assert "is too large" in refusal(copied)


def test_a_file_added_cut_or_removed(copied: Path) -> None:
    results = copied / "results" / "common" / "asknav-0.40.json.gz"
    (copied / "journals").mkdir()
    (copied / "journals" / "\x1b[31m").write_text("red")
    assert "is not in the manifest" in refusal(copied)
    shutil.rmtree(copied / "journals")
    data = results.read_bytes()
    results.write_bytes(data[: len(data) // 2])
    assert "asknav-0.40.json.gz: has changed since the manifest was written" in refusal(copied)
    results.unlink()
    assert "asknav-0.40.json.gz' is missing" in refusal(copied)


@pytest.mark.parametrize("make", [lambda path, target: path.symlink_to(target), lambda path, _: os.mkfifo(path)])
def test_links_and_pipes(copied: Path, tmp_path: Path, make: Callable[[Path, Path], None]) -> None:
    card = copied / "card.md"
    shutil.move(card, tmp_path / "card.md")
    make(card, tmp_path / "card.md")
    assert "is a link, or no plain file" in refusal(copied)


def test_a_folder_that_links_outside(copied: Path, tmp_path: Path) -> None:
    shutil.move(copied / "results", tmp_path / "results")
    (copied / "results").symlink_to(tmp_path / "results")
    assert "is a link" in refusal(copied)


def test_too_many_and_too_much(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "LARGEST_ENTRY", 10)
    assert "which no entry is" in refusal(copied)
    monkeypatch.undo()
    for number in range(1100):
        (copied / f"{number}").mkdir()
    assert "has more than 500 files" in refusal(copied)


def test_what_is_no_entry(tmp_path: Path) -> None:
    assert "no such directory" in refusal(tmp_path / "nothing")
    assert "manifest.json: no such file" in refusal(tmp_path)


def test_the_artefact_and_the_beacon_draw_the_fresh_houses() -> None:
    seeds = [manifest_of(*each).fresh_seed for each in (["one"], ["other"])] + [manifest_of("one", beacon="b").fresh_seed]
    assert len(set(seeds)) == 3
    assert seeds[0] == manifest_of("one").fresh_seed
    assert DEFINITION.seed not in seeds

"""The short form of `make torture`: a little of every part, and that each of them would notice."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from torture.flips import flips
from torture.fuzz import fuzz
from torture.kills import STUDY, kills
from torture.readers import READERS, Reader
from vnla.common.errors import InputError

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize("reader", READERS, ids=lambda each: each.name)
def test_a_reader_raises_nothing_but_input_errors(reader: Reader, tmp_path: Path) -> None:
    found = fuzz(reader, tmp_path / "f", seed=1, inputs=60, seconds=2)
    assert not found["wrong"], found["wrong"][0]
    assert found["inputs"] > 1


def test_a_reader_that_raises_something_else_is_found(tmp_path: Path) -> None:
    def make(folder: Path) -> Path:
        (folder / "a.json").write_text('{"size": [1, 2]}')
        return folder / "a.json"

    def careless(path: Path) -> object:
        try:
            value = json.loads(path.read_bytes())
        except (ValueError, RecursionError):
            raise InputError("no JSON") from None
        return value["size"][1]

    found = fuzz(Reader("careless", make, careless), tmp_path / "f", seed=1, inputs=2000, seconds=20)
    assert {each["error"].split()[0] for each in found["wrong"]} >= {"KeyError", "TypeError"}


def test_an_endless_reader_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torture.fuzz.SECONDS", 0.05)

    def make(folder: Path) -> Path:
        (folder / "a").write_bytes(b"x")
        return folder / "a"

    def endless(path: Path) -> None:
        while path.read_bytes() != b"x":
            pass

    found = fuzz(Reader("endless", make, endless), tmp_path / "f", seed=1, inputs=3)
    assert "_TooLongError" in found["wrong"][0]["error"]


def test_a_changed_bit_is_noticed(tmp_path: Path) -> None:
    for found in flips(tmp_path, seed=1, most=60):
        assert not found["wrong"] and found["refused"] > 0.8 * found["bits"], found


def test_what_was_told_of_a_study_is_there_after_a_kill(tmp_path: Path) -> None:
    (found,) = kills(tmp_path, seed=1, count=4, commands=[STUDY])
    assert not found["wrong"] and found["told"] > 0


@pytest.mark.skipif(shutil.which("cc") is None, reason="what stands between a command and the disk has to be compiled")
@pytest.mark.parametrize("part", [("faults", "3"), ("kills", "2")])
def test_making_features_survives(part: tuple[str, str], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    work, out = tmp_path_factory.getbasetemp() / "torture", tmp_path / "out.json"
    command = [sys.executable, "-m", "torture", part[0], "--most", part[1], "--only", "features make", "--work", str(work)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join([*sys.path, str(TESTS)])}
    done = subprocess.run([*command, "--out", str(out)], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    (row,) = json.loads(out.read_text())["rows"]
    assert not row["wrong"] and row.get("operations", 20) >= 20

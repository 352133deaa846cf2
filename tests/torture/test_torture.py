"""The short form of `make torture`: a little of every part, and that each of them would notice."""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

from torture.flips import flips
from torture.fuzz import fuzz, fuzz_all
from torture.kills import STUDY, kills
from torture.mutants import mutants_of
from torture.reach import TRACED, reach
from torture.readers import READERS, Reader
from vnla.common.errors import InputError

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize("reader", READERS, ids=lambda each: each.name)
def test_a_reader_raises_nothing_but_input_errors(reader: Reader, tmp_path: Path) -> None:
    found = fuzz(reader, tmp_path / "f", seed="1", inputs=20, seconds=0.2)
    assert not found.wrong, found.wrong
    assert found.inputs > 1


def test_the_page_counts_the_readers() -> None:
    page = (TESTS.parent / "docs" / "reliability.md").read_text(encoding="utf-8")
    assert f"changed files for every reader, {len(READERS)} of them" in page


HUGE = b"1" + b"0" * 400
FOUND = (
    ("data set", b'"task": "asknav"', b'"task": ["asknav"]'),
    ("data set", b'"longest": 25', b'"longest": 1e999'),
    ("data set", b"asknav_train.json", b"9" * 5000),
    ("data set", b"12.5", b"NaN"),
    ("asknav", b'"path_id": 0, "heading": ', b'"path_id": 0, "heading": ' + HUGE),
    ("features", b"32,", b"1e999,"),
    ("features", b"60.0", HUGE),
    ("log", b'"iteration": 10', b'"iteration": 1e999'),
    ("log", b"{", b"[" * 100_000),
    ("bench", b'"value": 1.5', b'"value": ' + HUGE),
    ("iterations", b"3", b"1e999"),
    ("iterations", b'{"learned": 3}', b"[]"),
    ("sweep", b"[1.5, 0.5]", b"7"),
    ("stage", b'"seconds": 1.5', b'"seconds": {}'),
    ("stage", b'"done": true, ', b""),
    ("ceilings", b'{"success": 1}', b"7"),
    ("study", b"{", b"[" * 100_000),
    ("session", b"{", b"[" * 100_000),
    ("recipe", b"[\n        7,", b"[\n        1.5,"),
    ("mattersim", b"1.0", HUGE),
    ("asknav", b'"path_id": 0, "heading": ', b'"path_id": 0, "heading": -' + HUGE + b', "more": '),
    ("configuration", b'"batch": 100', b'"batch": -1'),
    ("configuration", b'"validate_every": 1000', b'"validate_every": 0'),
    ("evaluation", b"PK", b"PX"),
    ("weights.pth", b"PK", b"PX"),
    ("panorama.png", b"IHDR", b"IHDX"),
)
"""What once ended in something else than one line: the reader, and what was put in the place of what."""


@pytest.mark.parametrize(("name", "old", "new"), FOUND)
def test_what_was_found_is_mended(name: str, old: bytes, new: bytes, tmp_path: Path) -> None:
    reader = next(each for each in READERS if each.name == name)
    path = reader.make(tmp_path)
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))
    with pytest.raises(InputError):
        reader.read(path)


def test_a_results_file_without_records_is_refused(tmp_path: Path) -> None:
    reader = next(each for each in READERS if each.name == "walks")
    (path := reader.make(tmp_path)).write_text("[]")
    with pytest.raises(InputError, match="has no records"):
        reader.read(path)


def test_an_archive_with_something_else_in_it_is_refused(tmp_path: Path) -> None:
    reader = next(each for each in READERS if each.name == "evaluation")
    path = reader.make(tmp_path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("scores.extra", b"no array")
    with pytest.raises(InputError, match=r"scores\.extra. is no array"):
        reader.read(path)


@pytest.mark.parametrize("name", ["tasks", "texts"])
def test_a_text_with_what_is_no_character_is_refused(name: str, tmp_path: Path) -> None:
    reader = next(each for each in READERS if each.name == "evaluation")
    path = reader.make(tmp_path)
    with np.load(path) as found:
        arrays = dict(found)
    assert name in arrays
    arrays[name] = np.array([0x110000], "<u4").view("<U1")
    np.savez(path, **arrays)
    with pytest.raises(InputError, match="has a character that there is none of"):
        reader.read(path)


def test_weights_over_several_disks_are_refused(tmp_path: Path) -> None:
    reader = next(each for each in READERS if each.name == "weights.pth")
    path = reader.make(tmp_path)
    data = path.read_bytes()
    end = data.rindex(b"PK\5\6")
    path.write_bytes(data[:end] + struct.pack("<4sLQL", b"PK\6\7", 0, 0, 2) + data[end:])
    with pytest.raises(InputError, match="span multiple disks"):
        reader.read(path)


def test_a_link_out_of_an_hdf5_file_is_not_followed(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    reader = next(each for each in READERS if each.name == "hdf5")
    path = reader.make(tmp_path)
    shutil.copy(path, tmp_path / "other.h5")
    with h5py.File(path, "r+") as archive:
        del archive["one_b"]
        archive["one_b"] = h5py.ExternalLink("other.h5", "/one_b")
    with pytest.raises(InputError, match="is a link to elsewhere"):
        reader.read(path)


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

    found = fuzz(Reader("careless", make, careless), tmp_path / "f", seed="1", inputs=600, seconds=10)
    assert {each["error"].split()[0] for each in found.wrong.values()} >= {"KeyError", "TypeError"}


def test_an_endless_reader_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torture.fuzz.SECONDS", 0.05)

    def make(folder: Path) -> Path:
        (folder / "a").write_bytes(b"x")
        return folder / "a"

    def endless(path: Path) -> None:
        while path.read_bytes() != b"x":
            pass

    found = fuzz(Reader("endless", make, endless), tmp_path / "f", seed="1", inputs=3)
    assert any("_TooLongError" in name for name in found.wrong)


def _small(name: str, read: Callable[[Path], object]) -> Reader:
    def make(folder: Path) -> Path:
        (folder / "a").write_text("[1, 2, 3]")
        return folder / "a"

    return Reader(name, make, read)


def test_readers_are_tried_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tried does not depend on how many processes there are; who crashes is a finding; a package may be missing."""

    def plain(path: Path) -> object:
        try:
            return len(json.loads(path.read_bytes()))
        except (TypeError, ValueError, RecursionError):
            raise InputError("no list") from None

    def crashing(path: Path) -> None:
        if b"null" in path.read_bytes():
            os.kill(os.getpid(), signal.SIGKILL)

    def without(path: Path) -> object:
        return import_module("a_package_that_nobody_has") or path

    def deaf(path: Path) -> None:
        if b"null" in path.read_bytes():
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGPROF])
            while True:
                pass

    readers = (_small("plain", plain), _small("crashing", crashing), _small("without", without), _small("deaf", deaf))
    monkeypatch.setattr("torture.fuzz.SECONDS", 0.1)
    monkeypatch.setattr("torture.fuzz.PATIENCE", 2)
    monkeypatch.setattr("torture.fuzz.READERS", readers)
    monkeypatch.setattr("torture.fuzz.LINES", 2)
    monkeypatch.setattr("torture.fuzz.CHUNK", 100)
    monkeypatch.setattr("torture.fuzz.MOST_WRONG", 2)
    found = [{row["reader"]: row for row in fuzz_all(tmp_path, 1, 400, jobs=jobs)} for jobs in (1, 3)]
    for rows in found:
        assert rows["plain"]["inputs"] == 400 and not rows["plain"]["wrong"]
        assert rows["without"]["left out"] == "needs a_package_that_nobody_has" and not rows["without"]["inputs"]
        assert {each["error"] for each in rows["deaf"]["wrong"]} == {f"the process ended with {-signal.SIGVTALRM}"}
        crashes = rows["crashing"]["wrong"]
        assert 2 <= len(crashes) <= 4, "then it is left alone"
        assert all(each["error"] == "the process ended with -9" for each in crashes)
        assert all(b"null" in base64.b64decode(each["input"]) for each in crashes)
    assert found[0]["plain"]["taken"] == found[1]["plain"]["taken"] > 40
    (late,) = fuzz_all(tmp_path, 1, 10**9, only=["plain"], seconds=0)
    assert late["inputs"] == 0


def test_every_line_and_way_is_seen_once(tmp_path: Path) -> None:
    (tmp_path / "ways.py").write_text("def sign(x):\n    if x < 0:\n        return -1\n    return 0 if x == 0 else 1\n")
    module = module_from_spec(spec := spec_from_file_location("ways", tmp_path / "ways.py"))
    spec.loader.exec_module(module)
    counts = []
    with reach(f"{tmp_path}{os.sep}", set()) as reached:
        for number, value in enumerate((5, 7, -1, -2, 0)):
            reached.begin(TRACED * number)
            module.sign(value)
            reached.end()
            counts.append(len(reached.all))
    assert counts[0] == counts[1] < counts[2] == counts[3]
    assert counts[4] > counts[3] or sys.version_info < (3, 12), "two ways in one line"


def test_a_changed_bit_is_noticed(tmp_path: Path) -> None:
    for found in flips(tmp_path, seed=1, most=60):
        assert not found["wrong"] and found["refused"] > 0.6 * found["bits"], found  # a small archive is half names


def test_what_was_told_of_a_study_is_there_after_a_kill(tmp_path: Path) -> None:
    (found,) = kills(tmp_path, seed=1, count=4, commands=[STUDY])
    assert not found["wrong"] and found["told"] > 0


@pytest.mark.skipif(shutil.which("cc") is None, reason="what stands between a command and the disk has to be compiled")
@pytest.mark.parametrize("part", [("faults", "3"), ("kills", "2")])
def test_importing_a_world_survives(part: tuple[str, str], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    work, out = tmp_path_factory.getbasetemp() / "torture", tmp_path / "out.json"
    command = [sys.executable, "-m", "torture", part[0], "--most", part[1], "--only", "world import", "--work", str(work)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join([*sys.path, str(TESTS)])}
    done = subprocess.run([*command, "--out", str(out)], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    (row,) = json.loads(out.read_text())["rows"]
    assert not row["wrong"] and row.get("operations", 20) >= 20


SAMPLE = '''
"""Words."""
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from x import y
def nearest(values: "list[int]", limit=3) -> "int | None":
    """The smallest below 3."""
    if not values:
        raise ValueError("no 7 values")
    return min(values) if values[0] < limit and True else -1
'''


def test_mistakes_are_made_in_what_is_done_and_not_in_what_is_said() -> None:
    found = mutants_of(SAMPLE)
    assert sorted(each.what for each in found) == [
        "0 → 1", "1 → 2", "3 → 4", "And", "Lt", "True → False", "condition turned round", "condition turned round",
        "min → max", "return None", "without Not", "without USub",
    ]  # fmt: skip
    assert len({each.source for each in found}) == len(found) - 1, "not x, turned round, is x without not"
    for each in found:
        compile(each.source, "sample", "exec")


@pytest.mark.slow
def test_a_mutant_that_no_test_notices_is_told(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "torture", "mutants", "--only", "world/actions.py", "--work", str(tmp_path)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join([*sys.path, str(TESTS)])}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    (row,) = json.loads(done.stdout)["rows"]
    assert row["killed"] == row["mutants"] == row["of"] > 5 and not row["survivors"]
    inner = "from torture import mutants; mutants.MODULES = {'world/actions.py': ('assistance/test_phrases.py',)};"
    inner += f"print(*mutants.mutants(__import__('pathlib').Path({str(tmp_path)!r}), 0, None))"
    done = subprocess.run([sys.executable, "-c", inner], env=environment, capture_output=True, text=True, timeout=600)
    assert "world/actions.py:" in done.stderr and "'survivors': [{" in done.stdout

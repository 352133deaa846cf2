"""The parts of shards: what is missing, foreign, damaged or of another version is a line, and nothing is put together."""

from __future__ import annotations

import errno
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vnla.common.errors import InputError
from vnla.pipeline.shards import parts as module
from vnla.pipeline.shards.parts import RECORD, ShardParts, first_difference
from vnla.pipeline.shards.shard import Shard, shards


def parts_in(folder: Path, **config: Any) -> ShardParts:
    return ShardParts(folder / "out", "numbers", {"seed": 0, **config})


def make(parts: ShardParts, shard: Shard) -> None:
    with parts.making(shard) as place:
        assert place is not None
        (place / "number.txt").write_text(str(shard.number))


@pytest.fixture
def whole(tmp_path: Path) -> ShardParts:
    """Three finished parts."""
    for shard in shards(3):
        make(parts_in(tmp_path), shard)
    return parts_in(tmp_path)


def record(parts: ShardParts, shard: Shard, **changes: Any) -> None:
    path = parts.place(shard) / RECORD
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_all_parts_are_there(whole: ShardParts) -> None:
    assert whole.complete() == shards(3)
    whole.remove()
    assert not whole.folder.exists()


def test_a_finished_part_is_not_made_again(whole: ShardParts) -> None:
    with whole.making(Shard(2, 3)) as place:
        assert place is None


SECOND = Shard(2, 3)
WRONG: dict[str, tuple[Callable[[ShardParts], object], str]] = {
    "none": (lambda parts: shutil.rmtree(parts.folder), "there are no shards"),
    "missing": (lambda parts: shutil.rmtree(parts.place(SECOND)), "shard 2/3 is missing or unfinished.*--shard 2/3"),
    "unfinished": (lambda parts: record(parts, SECOND, done=False), "shard 2/3 is missing or unfinished"),
    "not JSON": (lambda parts: (parts.place(SECOND) / RECORD).write_text("{"), "not valid JSON.*--shard 2/3"),
    "not a record": (lambda parts: (parts.place(SECOND) / RECORD).write_text("[]"), "is not the record of a shard"),
    "a file damaged": (lambda parts: (parts.place(SECOND) / "number.txt").write_text("3"), "number.txt: is not the file"),
    "a file gone": (lambda parts: (parts.place(SECOND) / "number.txt").unlink(), "number.txt: cannot be read"),
    "a file with NUL in its name": (lambda parts: record(parts, SECOND, files={"a\0b": ""}), r"lists the file 'a\\x00b'"),
    "a file with no character in its name": (lambda parts: record(parts, SECOND, files={"\ud800": ""}), "lists the file"),
    "a file elsewhere": (
        lambda parts: record(parts, SECOND, files={"../../x": ""}),
        r"lists the file '\.\./\.\./x' \(no name",
    ),
    "another seed": (
        lambda parts: record(parts, SECOND, config={"seed": 7}),
        "made with something else .seed 7 there, 0 here",
    ),
    "another thing": (lambda parts: record(parts, SECOND, what="letters"), "is not a part of numbers"),
    "another version": (
        lambda parts: record(parts, SECOND, code={**module.code(), "vnla": "0.0.9"}),
        "made by another version .vnla 0.0.9 there",
    ),
    "moved": (lambda parts: parts.place(SECOND).rename(parts.folder / "1-of-4"), "has shards of 3 and of 4"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_part_is_one_line(whole: ShardParts, name: str) -> None:
    spoil, line = WRONG[name]
    spoil(whole)
    with pytest.raises(InputError, match=line) as error:
        whole.complete()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["1-of-99999999999", "0-of-3", "4-of-3", "1-of-" + "9" * 200])
def test_a_folder_that_can_be_no_shard_is_none(whole: ShardParts, name: str) -> None:
    shutil.copytree(whole.place(SECOND), whole.folder / name)
    assert whole.complete() == shards(3)


def test_a_shard_that_does_not_belong_to_the_others_is_told_before_it_works(whole: ShardParts, tmp_path: Path) -> None:
    other = parts_in(tmp_path, seed=7)
    with pytest.raises(InputError, match="seed 0 there, 7 here"), other.making(Shard(1, 3)):
        raise AssertionError
    with pytest.raises(InputError, match="has shards of 3, this is one of 4"), whole.making(Shard(1, 4)):
        raise AssertionError


def test_a_full_disk_is_a_line_and_the_same_call_goes_on(tmp_path: Path) -> None:
    parts = parts_in(tmp_path)
    with (
        pytest.raises(InputError, match=r"No space left on device.*continues where it was"),
        parts.making(Shard(1, 1)) as place,
    ):
        assert place is not None
        (place / "first.txt").write_text("kept")
        raise OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(InputError, match="shard 1/1 is missing or unfinished"):
        parts.complete()
    with parts.making(Shard(1, 1)) as place:
        assert place is not None and (place / "first.txt").read_text() == "kept"
    assert parts.complete() == [Shard(1, 1)]


def test_two_processes_do_not_make_the_same_part(tmp_path: Path) -> None:
    parts = parts_in(tmp_path)
    with (
        parts.making(Shard(1, 2)),
        pytest.raises(InputError, match="another process is at work there"),
        parts.making(Shard(1, 2)),
    ):
        raise AssertionError


def test_differences_in_words() -> None:
    assert first_difference({"a": 1, "b": [2]}, {"a": 1, "b": [2]}) is None
    assert first_difference({"a": 1}, {"a": 2}) == "a 2 there, 1 here"
    assert first_difference({}, {"a": "x" * 100}) == f"a {'x' * 57}… there, null here"

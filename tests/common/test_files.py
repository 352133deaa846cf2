"""Reading with limits and writing atomically."""

from __future__ import annotations

import gzip
import os
import stat
import time
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vnla.common import files
from vnla.common.errors import InputError


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_missing_file_a_folder_and_a_file_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert files.existing_file(tmp_path / "file", "a file") == tmp_path / "file"
    assert files.existing_folder(tmp_path, "a folder") == tmp_path
    with pytest.raises(InputError, match="no such file; expected a thing"):
        files.existing_file(tmp_path / "none", "a thing")
    with pytest.raises(InputError, match="is a directory; expected a thing"):
        files.existing_file(tmp_path, "a thing")
    with pytest.raises(InputError, match="is not a directory; expected a thing"):
        files.existing_folder(tmp_path / "file", "a thing")
    with pytest.raises(InputError, match="no such directory"):
        files.existing_folder(tmp_path / "none", "a thing")


@pytest.mark.parametrize("name", ["9" * 5000, "a\0b", "a/" * 3000])
def test_what_can_be_no_name_of_a_file_is_no_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="no such file"):
        files.existing_file(tmp_path / name, "a thing")
    with pytest.raises(InputError, match="no such directory"):
        files.existing_folder(tmp_path / name, "a thing")


def test_text_up_to_the_limit_is_read_and_text_above_it_refused(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("12345")
    assert files.read_text(tmp_path / "t", "text", limit=5) == "12345"
    with pytest.raises(InputError, match="too large for text"):
        files.read_text(tmp_path / "t", "text", limit=4)


def test_text_is_read_up_to_256_megabytes_if_nothing_else_is_said(tmp_path: Path) -> None:
    with (tmp_path / "t").open("wb") as stream:
        stream.truncate(256 * 2**20 + 1)  # no block of it is on disk
    with pytest.raises(InputError, match=r"too large for text \(limit 256 MB\)"):
        files.read_text(tmp_path / "t", "text")


def test_bytes_that_are_not_text_are_named(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"ab\n\xff")
    with pytest.raises(InputError, match="byte 3 is not UTF-8"):
        files.read_text(tmp_path / "t", "text")
    with pytest.raises(InputError, match="not UTF-8"):
        list(files.read_lines(tmp_path / "t", "text"))


def test_lines_are_numbered_from_one_and_lose_their_ends(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"one  X\r\n\r\nthree")
    assert list(files.read_lines(tmp_path / "t", "text")) == [(1, "one  X"), (2, ""), (3, "three")]


def test_a_line_that_is_too_long_is_named_by_its_number(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("just ten!\n" + "x" * 10)
    assert len(list(files.read_lines(tmp_path / "t", "text", longest=10))) == 2
    (tmp_path / "t").write_text("short\n" + "x" * 11)
    with pytest.raises(InputError, match="line 2 is longer than 10 characters"):
        list(files.read_lines(tmp_path / "t", "text", longest=10))


def test_many_short_lines_are_stopped_at_the_limit(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("ab\n" * 10)
    assert len(list(files.read_lines(tmp_path / "t", "text", limit=30))) == 10
    with pytest.raises(InputError, match="too large"):
        list(files.read_lines(tmp_path / "t", "text", limit=29))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": [1, 2', "line 1 column 12 is not valid JSON"),
        ("", "line 1 column 1 is not valid JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("9" * 5_000, "a number that cannot be read"),
    ],
)
def test_bad_json_is_answered_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "j").write_text(text)
    with pytest.raises(InputError, match=message):
        files.read_json(tmp_path / "j", "some JSON")


def test_lines_of_a_zip_member_are_those_of_the_file(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/text", "one\ntwo\n")
    assert files.zip_members(tmp_path / "a.zip", "a zip") == ("folder/text",)
    assert list(files.read_zip_lines(tmp_path / "a.zip", "folder/text", "text")) == [(1, "one"), (2, "two")]


def test_a_zip_member_that_unpacks_to_more_than_the_limit_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb", "x\n" * 1_000_000)
    assert (tmp_path / "a.zip").stat().st_size < 10_000
    with pytest.raises(InputError, match=r"a\.zip:bomb: 2 MB is too large"):
        list(files.read_zip_lines(tmp_path / "a.zip", "bomb", "text", limit=files.MEGABYTE))


@pytest.mark.parametrize("way", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_member_that_is_unpacked_all_at_once_is_refused(tmp_path: Path, way: int) -> None:
    """Its stated size says nothing about the memory that it takes."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w", way) as archive:
        archive.writestr("text", "one\n" * 1000)
    with pytest.raises(InputError, match=r"a\.zip: cannot be unpacked \(neither stored nor deflated\)"):
        list(files.read_zip_lines(tmp_path / "a.zip", "text", "text"))
    with pytest.raises(InputError, match="neither stored nor deflated"):
        files.check_zip(tmp_path / "a.zip", "a zip")


def test_a_little_gzipped_text_takes_little_memory_whatever_the_limit(tmp_path: Path) -> None:
    (path := tmp_path / "a.gz").write_bytes(gzip.compress(b"a little"))
    tracemalloc.start()
    try:
        assert files.read_gzip(path, "text", limit=2048 * files.MEGABYTE) == "a little"
        assert tracemalloc.get_traced_memory()[1] < 8 * files.MEGABYTE
    finally:
        tracemalloc.stop()


def test_gzipped_text_above_the_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(b"x" * files.MEGABYTE))
    assert files.read_gzip(path, "text") == "x" * files.MEGABYTE
    with pytest.raises(InputError, match="too large for text"):
        files.read_gzip(path, "text", limit=files.MEGABYTE - 1)
    assert files.read_gzip(path, "text", limit=files.MEGABYTE) == "x" * files.MEGABYTE


@given(st.text())
def test_a_file_name_is_no_path_whoever_wrote_it(text: str) -> None:
    name = files.file_name(text)
    assert Path(name).name == name and not name.startswith(".") and 0 < len(name) <= 100


def test_blanks_without_end_are_refused_while_they_are_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small file that unpacks to more than anybody writes: refused long before the limit, in a zip before it is begun."""
    blanks = files.SMALL_TEXT + files.MEGABYTE
    (path := tmp_path / "a.gz").write_bytes(gzip.compress(b" " * 2 * blanks))
    message = r"unpacks to more than 100 times its [\d,]+ bytes; expected text"
    with pytest.raises(InputError, match=message):
        files.read_gzip(path, "text", limit=2048 * files.MEGABYTE)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("blanks", b"\n" * blanks)
        archive.writestr("few", b"\n" * 1000)
    with monkeypatch.context() as patch:
        patch.setattr(files, "_lines", lambda *_: pytest.fail("it was unpacked"))
        with pytest.raises(InputError, match=f"a.zip:blanks: {message}"):
            list(files.read_zip_lines(tmp_path / "a.zip", "blanks", "text"))
    assert len(list(files.read_zip_lines(tmp_path / "a.zip", "few", "text"))) == 1000
    monkeypatch.setattr(files, "MOST_LINES", 999)
    with pytest.raises(InputError, match=r"a.zip:few: has more than 999 lines; expected text"):
        list(files.read_zip_lines(tmp_path / "a.zip", "few", "text"))
    monkeypatch.setattr(files, "MOST_PACKED", 10_000)
    assert len(files.read_gzip(path, "text")) == 2 * blanks


def test_lines_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("\n" * 10)
    assert len(list(files.read_lines(tmp_path / "a", "text", most=10))) == 10
    with pytest.raises(InputError, match="a: has more than 9 lines; expected text"):
        list(files.read_lines(tmp_path / "a", "text", most=9))


@pytest.mark.parametrize(
    ("text", "name"), [("../../../x", "x"), ("X", "X"), ("a b/ü.png", "a-b-.png"), ("..", "unnamed"), ("x" * 300, "x" * 100)]
)
def test_a_file_name_keeps_what_it_can(text: str, name: str) -> None:
    assert files.file_name(text) == name


def test_a_damaged_zip_is_an_input_error(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("text", "one\ntwo\n")
    whole = (tmp_path / "a.zip").read_bytes()
    (tmp_path / "a.zip").write_bytes(whole.replace(b"one\ntwo", b"one\nTWO"))
    with pytest.raises(InputError, match="damaged"):
        list(files.read_zip_lines(tmp_path / "a.zip", "text", "text"))
    files.check_zip(tmp_path / "a.zip", "a zip")
    with pytest.raises(InputError, match="damaged or no zip archive"):
        files.check_zip(tmp_path / "a.zip", "a zip", sums=True)
    (tmp_path / "a.zip").write_bytes(whole[:20])
    with pytest.raises(InputError, match="no zip archive"):
        files.zip_members(tmp_path / "a.zip", "a zip")


def test_writing_replaces_the_whole_file_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "down" / "t"
    files.write_text(target, "old and long")
    files.write_text(target, "new")
    assert target.read_text() == "new"
    assert names(target.parent) == ["t"]


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o001])
def test_what_is_made_is_as_open_as_the_user_wants(mask: int, tmp_path: Path) -> None:
    before = os.umask(mask)
    try:
        files.write_text(tmp_path / "t", "text")
        with files.new_folder(tmp_path / "f"):
            pass
    finally:
        assert os.umask(before) == mask
    assert stat.S_IMODE((tmp_path / "t").stat().st_mode) == 0o666 & ~mask
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == 0o777 & ~mask


def on_disk(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what is synced and renamed from now on, in that order; a renamed thing by its new name."""
    seen: list[str] = []
    fsync, replace = os.fsync, os.replace

    def synced(handle: int) -> None:
        seen.append(Path(f"/proc/self/fd/{handle}").readlink().name)
        fsync(handle)

    def renamed(old: Path, new: Path) -> None:
        seen.append(f"→ {Path(new).name}")
        replace(old, new)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", renamed)
    return seen


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not tell what a handle is")
def test_what_is_renamed_is_on_disk_before_and_its_folder_after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = on_disk(monkeypatch)
    files.write_text(tmp_path / "t", "text")
    assert seen[0].startswith(".t.part-") and seen[1:] == ["→ t", tmp_path.name]
    seen.clear()
    with files.new_folder(tmp_path / "f") as folder:
        (folder / "inner").mkdir()
        (folder / "inner" / "a").write_text("1")
        (folder / "b").write_text("2")
        (folder / "gone").symlink_to("nowhere")
    place = seen.index("→ f")
    assert sorted(seen[:place])[1:] == ["a", "b", "inner"] and seen[place - 1].startswith(".f.part-")
    assert seen[place + 1 :] == [tmp_path.name]


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="cannot be written"):
        files.write_text(tmp_path / "folder", "text")
    assert names(tmp_path) == ["folder"]


def test_a_new_folder_appears_when_it_is_complete(tmp_path: Path) -> None:
    place = tmp_path / "a" / "b" / "c"
    with files.new_folder(place) as folder:
        (folder / "x").write_text("1")
        assert not place.exists()
    assert names(place.parent) == ["c"]
    assert (place / "x").read_text() == "1"
    with files.new_folder(place.with_name("d")):
        pass
    assert names(place.parent) == ["c", "d"]


def test_a_new_folder_that_fails_leaves_nothing_not_even_its_parents(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="bad"), files.new_folder(tmp_path / "a" / "b") as folder:
        (folder / "x").write_text("1")
        raise InputError("bad")
    assert names(tmp_path) == []
    (tmp_path / "a").mkdir()
    with pytest.raises(InputError, match="bad"), files.new_folder(tmp_path / "a" / "b"):
        raise InputError("bad")
    assert names(tmp_path) == ["a"], "it was there before"


def test_an_existing_folder_is_taken_only_when_it_is_empty(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with files.new_folder(tmp_path / "empty") as folder:
        (folder / "x").write_text("1")
    assert names(tmp_path / "empty") == ["x"]
    with pytest.raises(InputError, match="exists already"), files.new_folder(tmp_path / "empty"):
        pass
    assert names(tmp_path / "empty") == ["x"]
    with pytest.raises(InputError, match="exists already"):
        files.vacant(tmp_path / "empty" / "x")
    assert files.vacant(tmp_path / "none") == tmp_path / "none"


def test_what_a_killed_writer_has_left_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The writer is stopped before it renames and may not clean up: as if it had been killed."""

    def killed(*_: object) -> None:
        raise SystemExit

    for name in ("config.json", "other.txt"):
        with monkeypatch.context() as patch, pytest.raises(SystemExit):
            patch.setattr(os, "replace", killed)
            patch.setattr(os, "unlink", lambda _: None)
            files.write_text(tmp_path / name, "{}")
    for name in ("config.json", ".config.json", ".gitignore.original", ".lock"):
        (tmp_path / name).touch()
    assert len(names(tmp_path)) == 6
    assert [path.name.rpartition(".")[0] for path in files.left_over(tmp_path, "config.json", "*.safetensors")] == [
        ".config.json"
    ]
    assert files.left_over(tmp_path / "nowhere", "*") == []


def test_where_a_file_can_be_written_nothing_is_left_by_trying(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept")
    assert files.writable(tmp_path / "file") == tmp_path / "file"
    assert files.writable(tmp_path / "new" / "folder" / "file").name == "file"
    assert names(tmp_path) == ["file"] and (tmp_path / "file").read_text() == "kept"


def test_where_no_file_can_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("kept")
    with pytest.raises(InputError, match=r"file/within: cannot be written \(Not a directory\)"):
        files.writable(tmp_path / "file" / "within")
    with pytest.raises(InputError, match="is a directory; give the name of a file"):
        files.writable(tmp_path)

    def refuse(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    with pytest.raises(InputError, match=r"new: cannot be written \(Permission denied\)"):
        files.writable(tmp_path / "new")


def killed_writer(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer of that file is stopped before it renames and may not clean up."""

    def stopped(*_: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr(os, "replace", stopped)
        patch.setattr(os, "unlink", lambda _: None)
        files.write_text(folder / name, "half")


def test_the_next_writer_removes_what_a_killed_one_has_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    killed_writer(tmp_path, "a.json", monkeypatch)
    killed_writer(tmp_path, "b.json", monkeypatch)
    (tmp_path / ".a.json.original").touch()
    monkeypatch.setattr(files, "_YOUNG", 0.0)
    monkeypatch.setattr(files, "_rests", {})  # as in another process
    files.write_text(tmp_path / "a.json", "whole")
    assert [path.name[:13] for path in files.left_over(tmp_path, "*")] == [".b.json.part-"]
    assert (tmp_path / ".a.json.original").exists()
    assert files.read_text(tmp_path / "a.json", "a text") == "whole"


def test_what_a_writer_is_at_work_on_is_not_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_YOUNG", 0.0)
    with files.new_folder(tmp_path / "made") as folder, files.new_file(tmp_path / "a.json") as working:
        (folder / "x").touch()
        monkeypatch.setattr(files, "_rests", {})
        files.write_text(tmp_path / "a.json", "other")
        with pytest.raises(InputError), files.new_folder(tmp_path / "made"):
            raise InputError("no")
        working.write_text("mine")
    assert (tmp_path / "a.json").read_text() == "mine"
    assert (tmp_path / "made" / "x").exists()


@pytest.mark.parametrize(("age", "left"), [(0, 1), (50, 1), (70, 0)])
def test_what_is_young_is_not_removed(age: float, left: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its writer may not hold it yet; a minute is enough for that."""
    killed_writer(tmp_path, "a.json", monkeypatch)
    (rest,) = files.left_over(tmp_path, "a.json")
    os.utime(rest, (time.time() - age,) * 2)
    monkeypatch.setattr(files, "_rests", {})
    files.write_text(tmp_path / "a.json", "whole")
    assert len(files.left_over(tmp_path, "a.json")) == left


def test_the_next_writer_of_a_folder_removes_what_a_killed_one_has_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (rest := tmp_path / ".made.part-abcdefgh").mkdir()
    (rest / "x").touch()
    monkeypatch.setattr(files, "_YOUNG", 0.0)
    with files.new_folder(tmp_path / "made"):
        pass
    assert names(tmp_path) == ["made"]


def test_a_link_that_looks_like_something_unfinished_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "x").touch()
    (link := tmp_path / ".a.json.part-abcdefgh").symlink_to(tmp_path / "kept")
    monkeypatch.setattr(files, "_YOUNG", 0.0)
    files.write_text(tmp_path / "a.json", "whole")
    assert link.is_symlink() and names(tmp_path / "kept") == ["x"]


def test_parts_that_are_missing_or_of_another_kind_are_one_line(tmp_path: Path) -> None:
    for wrong in (lambda: {}["x"], lambda: int("x"), lambda: None.x, lambda: 10.0**400):
        line = pytest.raises(InputError, match=r"a.json: is damaged \(.*\); expected a thing")
        with line, files.taken_apart(tmp_path / "a.json", "a thing"):
            wrong()


def test_many_members_of_an_archive_count_together(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(4):
            archive.writestr(str(number), bytes(600))
    files.check_zip(tmp_path / "a.zip", "a thing", 2400)
    with pytest.raises(InputError, match="too large for a thing"):
        files.check_zip(tmp_path / "a.zip", "a thing", 2399)


def test_a_member_of_an_archive_is_named_in_one_line_whatever_its_name(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a\nb\x1b", bytes(600))
    with pytest.raises(InputError) as refused:
        files.check_zip(tmp_path / "a.zip", "a thing", 500)
    assert str(refused.value) == f"{tmp_path / 'a.zip'}:'a\\nb\\x1b': 0 MB is too large for a thing (limit 0 MB)"

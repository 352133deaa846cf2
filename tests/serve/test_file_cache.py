"""What is made once and kept: by many who ask at once, in so much room, on disks that fail."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from vnla.common.errors import InputError
from vnla.serve import file_cache
from vnla.serve.file_cache import FileCache, Makes


class Maker:
    """Counts what it makes."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def of(self, *names: str, size: int = 10) -> Makes:
        def make() -> Mapping[str, bytes]:
            self.made.append(names[0])
            return {name: name[0].encode() * size for name in names}

        return make


def test_what_was_made_is_kept_also_by_the_next_shelf(tmp_path: Path) -> None:
    maker = Maker()
    for _ in range(2):
        kept = FileCache(tmp_path / "new")
        assert kept.get("b.webp", "ab", maker.of("a.webp", "b.webp")) == b"b" * 10
        assert kept.get("a.webp", "ab", maker.of("a.webp", "b.webp")) == b"a" * 10
    assert maker.made == ["a.webp"]


def test_many_who_ask_at_once_wait_for_one_maker(tmp_path: Path) -> None:
    everybody = threading.Barrier(8)
    made = []

    def make() -> Mapping[str, bytes]:
        made.append(1)
        threading.Event().wait(0.2)
        return {"a.webp": b"a", "b.webp": b"b"}

    def ask(number: int) -> bytes:
        everybody.wait()
        return kept.get("ab"[number % 2] + ".webp", "ab", make)

    kept = FileCache(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(8))) == [b"a", b"b"] * 4
    assert len(made) == 1


def test_what_nobody_asked_for_longest_goes_first(tmp_path: Path) -> None:
    maker, kept = Maker(), FileCache(tmp_path, room=30)
    for name in ("a.webp", "b.webp", "c.webp", "a.webp", "d.webp"):
        kept.get(name, name, maker.of(name))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.webp", "c.webp", "d.webp"]
    kept.get("e.glb", "e", maker.of("e.glb", size=100))
    assert [path.name for path in tmp_path.iterdir()] == ["e.glb"], "what was asked for just now stays"


def test_others_files_are_nothing_to_it(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("precious")
    (tmp_path / ".a.webp.part-abcd1234").write_bytes(b"left by a writer that was killed")
    kept = FileCache(tmp_path, room=5)
    kept.get("a.webp", "a", Maker().of("a.webp"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.webp", "thesis.txt"]


def test_a_file_that_has_vanished_is_made_again(tmp_path: Path) -> None:
    maker, kept = Maker(), FileCache(tmp_path)
    kept.get("a.webp", "a", maker.of("a.webp"))
    (tmp_path / "a.webp").unlink()
    assert kept.get("a.webp", "a", maker.of("a.webp")) == b"a" * 10
    assert len(maker.made) == 2


def test_a_full_disk_keeps_nothing_and_hands_it_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> None:  # noqa: ARG001
        raise InputError(f"{path}: cannot be written (No space left on device)")

    monkeypatch.setattr(file_cache, "write_bytes", full)
    kept = FileCache(tmp_path)
    assert kept.get("a.webp", "a", Maker().of("a.webp")) == b"a" * 10
    assert not list(tmp_path.iterdir())


def test_a_failure_is_told_to_who_asked_and_not_remembered(tmp_path: Path) -> None:
    def fail() -> Mapping[str, bytes]:
        raise InputError("no pictures")

    kept = FileCache(tmp_path)
    with pytest.raises(InputError, match="no pictures"):
        kept.get("a.webp", "a", fail)
    assert kept.get("a.webp", "a", Maker().of("a.webp")) == b"a" * 10


def test_what_was_shipped_is_neither_made_nor_kept(tmp_path: Path) -> None:
    (tmp_path / "shipped.webp").write_bytes(b"shipped")
    cache = FileCache(tmp_path / "cache", shipped={"a.webp": tmp_path / "shipped.webp"})
    assert cache.has("a.webp") and not cache.has("b.webp")
    assert cache.get("a.webp", "group", lambda: {"a.webp": b"made"}) == b"shipped"
    assert cache.get("b.webp", "group", lambda: {"b.webp": b"made"}) == b"made"
    assert cache.has("b.webp")

"""The parts that shards have made, in a folder beside what they are parts of.

::

    worlds/big.shards/2-of-8/shard.json     of what, by which version and configuration, a checksum of every file
    worlds/big.shards/2-of-8/…              the part itself

`shard.json` is there from the beginning, so that a shard goes on only with its own, and says that the part is finished when
it is. A shard that begins looks at what the others have written so far, and so does the merge: one that has another version
or another configuration is told in a line, before anything is computed or put together.
"""

from __future__ import annotations

import json
import platform
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path, PurePath
from typing import Any

import vnla
from vnla.common import checksums, files
from vnla.common.errors import InputError
from vnla.common.lock import LOCK, alone_in
from vnla.pipeline.shards.shard import MOST, Shard, shards

FORMAT, VERSION = "vnla-shard", 1
RECORD = "shard.json"
WHAT = "the record of a shard"
LIBRARIES = ("numpy", "torch", "onnxruntime", "numba")
"""Those whose version can change a result in its last bits."""


@cache
def code() -> dict[str, str]:
    """Which program this is: its version, a checksum of its source, and what it computes with."""
    python = ".".join(platform.python_version_tuple()[:2])
    libraries = {name: metadata.version(name) for name in LIBRARIES}
    return {"vnla": vnla.__version__, "source": checksums.of_program()[:12], "python": python, **libraries}


def first_difference(here: Mapping[str, Any], there: Mapping[str, Any]) -> str | None:
    """The first difference between two descriptions, in words; None if there is none."""
    name = next((name for name in {**here, **there} if here.get(name) != there.get(name)), None)
    return None if name is None else f"{name} {_brief(there.get(name))} there, {_brief(here.get(name))} here"


def _brief(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


@dataclass(frozen=True)
class ShardParts:
    """The parts of `out`, which is what `what` names. `config` is all that decides the result, as JSON holds it."""

    out: Path
    what: str
    config: Mapping[str, Any]

    @property
    def folder(self) -> Path:
        """Where the parts are."""
        return self.out.absolute().parent / f"{self.out.absolute().name}.shards"

    def place(self, shard: Shard) -> Path:
        """The folder of a part."""
        return self.folder / shard.folder

    @contextmanager
    def making(self, shard: Shard) -> Iterator[Path | None]:
        """The folder to fill with a part, or to go on with; None if it is finished. It counts when the block ends well."""
        for other in self._found():
            if other.count != shard.count:
                raise InputError(
                    f"{self.folder}: has shards of {other.count}, this is one of {shard.count}; remove the others"
                )
            self._check(other, self._read(other))
        place = self.place(shard)
        try:
            with alone_in(place):
                if (place / RECORD).exists() and self._read(shard)["done"]:
                    yield None
                    return
                self._write(shard, done=False)
                yield place
                self._write(shard, done=True)
        except OSError as error:
            raise InputError(
                f"{error.filename or place}: cannot be written ({error.strerror}); the same command continues where it was"
            ) from None

    def complete(self) -> list[Shard]:
        """The shards, all of them, each checked to be whole and of this version and configuration."""
        found = self._found()
        if not found:
            raise InputError(f"{self.folder}: there are no shards; make them with --shard 1/n, 2/n, … n/n")
        count = found[0].count
        if other := next((each for each in found if each.count != count), None):
            raise InputError(f"{self.folder}: has shards of {count} and of {other.count}; remove those that are not wanted")
        records = {shard: self._read(shard) for shard in found}
        for shard, record in records.items():
            self._check(shard, record)
        missing = [str(shard) for shard in shards(count) if shard not in records or not records[shard]["done"]]
        if missing:
            which = f"shard {missing[0]} is" if len(missing) == 1 else f"shards {_few(missing)} are"
            raise InputError(f"{self.folder}: {which} missing or unfinished; run the same command with --shard {missing[0]}")
        for shard, record in records.items():
            self._check_files(shard, record["files"])
        return found

    def remove(self) -> None:
        """Remove all parts: they have been put together."""
        shutil.rmtree(self.folder)

    def _found(self) -> list[Shard]:
        places = self.folder.iterdir() if self.folder.is_dir() else ()
        names = [place.name.partition("-of-") for place in places if (place / RECORD).exists()]
        found = [Shard(int(number), int(count)) for number, _, count in names if number.isdecimal() and count.isdecimal()]
        found = [shard for shard in found if 1 <= shard.number <= shard.count <= MOST]
        return sorted(found, key=lambda shard: (shard.count, shard.number))

    def _read(self, shard: Shard) -> dict[str, Any]:
        path = self.place(shard) / RECORD
        again = f"remove {path.parent} and run the same command with --shard {shard}"
        try:
            record = files.read_json(path, WHAT)
        except InputError as error:
            raise InputError(f"{error}; {again}") from None
        kinds = {"done": bool, "code": dict, "config": dict, "files": dict, "what": str}
        if not isinstance(record, dict) or not all(isinstance(record.get(name), kind) for name, kind in kinds.items()):
            raise InputError(f"{path}: is not {WHAT}; {again}")
        if record.get("format") != FORMAT or record.get("version") != VERSION:
            raise InputError(f"{path}: is not {WHAT} that this vnla reads; {again}")
        return record

    def _check(self, shard: Shard, record: Mapping[str, Any]) -> None:
        """That a part belongs here."""
        where = f"{self.place(shard)}: shard {shard}"
        if (record["what"], record.get("shard"), record.get("of")) != (self.what, shard.number, shard.count):
            raise InputError(f"{where} is not a part of {self.what}; remove it and make it again")
        if difference := first_difference(code(), record["code"]):
            raise InputError(
                f"{where} was made by another version ({difference}); use one version for all, and make it again"
            )
        if difference := first_difference(self.config, record["config"]):
            raise InputError(
                f"{where} was made with something else ({difference}); remove it, or give what it was made with"
            )

    def _check_files(self, shard: Shard, expected: Mapping[str, str]) -> None:
        place = self.place(shard)
        again = f"remove {place} and run the same command with --shard {shard}"
        for name, digest in expected.items():
            path = place / name
            try:
                if PurePath(name).is_absolute() or ".." in PurePath(name).parts or not name.isprintable():
                    raise ValueError("no name of a file in this folder")
                same = checksums.of_file(path) == digest
            except OSError as error:
                raise InputError(f"{path}: cannot be read ({error.strerror}); {again}") from None
            except ValueError as error:  # what can be no name of a file
                raise InputError(f"{place / RECORD}: lists the file {name[:100]!r} ({error}); {again}") from None
            if not same:
                raise InputError(f"{path}: is not the file that {RECORD} describes: damaged; {again}")

    def _write(self, shard: Shard, *, done: bool) -> None:
        place = self.place(shard)
        record = {
            "format": FORMAT,
            "version": VERSION,
            "what": self.what,
            "shard": shard.number,
            "of": shard.count,
            "done": done,
            "code": code(),
            "config": dict(self.config),
            "files": {path.relative_to(place).as_posix(): checksums.of_file(path) for path in _files(place)} if done else {},
        }
        files.write_text(place / RECORD, json.dumps(record, indent=1) + "\n")


LARGE = ".f16"
"""How the names of files end that have a checksum of their own beside them, and are not read twice for another."""


def _files(place: Path) -> list[Path]:
    found = (path for path in place.rglob("*") if path.is_file() and path.name not in (RECORD, LOCK))
    return sorted(path for path in found if path.suffix != LARGE)


def _few(names: Sequence[str], most: int = 8) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")

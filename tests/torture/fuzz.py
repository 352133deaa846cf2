"""Inputs that nobody has thought of, for every reader: changed files, guided by which lines of ours they reach.

A loop of our own. An input that reaches a pair of lines, one after the other, that none before it reached is kept and
changed further. Only every tenth input is traced, which is what costs; the others take what was learned. An input may take
2 s and 512 MB, and the reader may raise `InputError` and nothing else.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import resource
import shutil
import signal
import sys
import time
import traceback
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from torture.readers import READERS, Reader
from vnla.common.errors import InputError

SECONDS, MEMORY = 2.0, 512 << 20
TRACED = 10
MOST_KEPT, MOST_BYTES, MOST_WRONG = 400, 60_000, 20
OURS = f"{os.sep}vnla{os.sep}"

TOKENS = [
    b"null", b"true", b"NaN", b"-Infinity", b"1e999", b"-1", b"0", b"1.5", b"9" * 30, b"1" + b"0" * 400, b'""', b"[]", b"{}",
    b"[" * 2000, b'{"a":' * 500, b'"\\ud800"', b"\\u0000", b"\x1b[2J", b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"../../x",
    b"\n", b"\r", b"\t", b",", b":", b"%s", b"$x", "٣".encode(), "é".encode(), b"[system]", b"a.b:Class", b"os:system",
]  # fmt: skip
ODD = (None, True, -1, 0, 1.5, 10**30, -(10**400), float("nan"), float("inf"), "", "x", "\ud800", "\x1b[2J", "../x",
       [], {}, [[]], {"a": 1}, "9" * 5000, [0] * 40)  # fmt: skip


class _TooLongError(BaseException):
    """An input takes too long."""


def changed(data: bytes, random: Random, others: Sequence[bytes], packed: str = "") -> bytes:
    """The bytes with something done to them; of a file that is packed, perhaps inside."""
    if packed and random.random() < 0.5:
        inside = _inside(data, random, others, packed)
        if inside is not None:
            return inside
    if random.random() < 0.4:
        value = _json_changed(data, random)
        if value is not None:
            return value
    for _ in range(random.choice((1, 1, 1, 2, 4, 8))):
        data = _bytes_changed(data, random, others)
    return data[:MOST_BYTES]


def _bytes_changed(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    place = random.randrange(len(data) + 1)
    end = min(len(data), place + random.choice((1, 2, 4, 8, 40)))
    match random.randrange(8):
        case 0 if data:
            place = min(place, len(data) - 1)
            return data[:place] + bytes([data[place] ^ 1 << random.randrange(8)]) + data[place + 1 :]
        case 1:
            return data[:place] + data[end:]
        case 2:
            return data[:end] + data[place:]
        case 3:
            return data[:place] + random.choice(TOKENS) + data[end:]
        case 4:
            return data[:place] + random.choice(TOKENS) + data[place:]
        case 5:
            return data[:place] + random.randbytes(end - place) + data[end:]
        case 6:
            other = random.choice(others)
            return data[:place] + other[random.randrange(len(other) + 1) :]
        case _:
            return data[:place]


def _json_changed(data: bytes, random: Random) -> bytes | None:
    """A value somewhere in JSON, or in a line of it, replaced, removed or doubled."""
    head, _, rest = data.partition(b"\n")
    lines = rest.startswith(b"{")
    try:
        value = json.loads(head if lines else data)
    except (ValueError, RecursionError):
        return None
    places = list(_places(value))
    if not places:
        return json.dumps(random.choice(ODD)).encode()
    for _ in range(random.choice((1, 1, 2))):
        inner, key = random.choice(places)
        try:
            match random.randrange(4):
                case 0:
                    del inner[key]
                case 1 if isinstance(inner, list):
                    inner.append(inner[key])
                case 2 if isinstance(inner, dict):
                    inner[str(random.choice(ODD))] = inner.pop(key)
                case _:
                    inner[key] = random.choice(ODD)
        except (LookupError, TypeError):
            pass
    text = json.dumps(value).encode()
    return text + b"\n" + rest if lines else text


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    inner = list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    for key, each in inner[:60]:
        yield value, key
        yield from _places(each)


def _inside(data: bytes, random: Random, others: Sequence[bytes], packed: str) -> bytes | None:
    """The same archive with other content."""
    try:
        if packed == "gzip":
            return gzip.compress(changed(gzip.decompress(data), random, others), 1, mtime=0)
        buffer = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
            names = old.namelist()
            chosen = random.choice(names)
            for name in names:
                inner = old.read(name)
                new.writestr(name, changed(inner, random, others) if name == chosen else inner)
        return buffer.getvalue()
    except Exception:
        return None


class Fuzzed:
    """One reader, tried with input after input."""

    def __init__(self, reader: Reader, folder: Path, seed: int) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.reader, self.random = reader, Random(f"{seed} {reader.name}")
        self.path = reader.make(folder)
        self.kept = [self.path.read_bytes()]
        self.reached: set[tuple[str, int, int]] = set()
        self.inputs, self.taken, self.slowest = 0, 0, 0.0
        self.wrong: dict[str, dict[str, Any]] = {}
        self._before = 0
        self.largest = 0
        self._try(self.kept[0], traced=True)
        if self.wrong or not self.taken:
            raise RuntimeError(f"{reader.name}: does not take its own sample: {self.wrong}")
        self._memory = _memory()

    def run(self, inputs: int, seconds: float | None = None) -> None:
        """Try so many inputs, or as many as some seconds allow."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while self.inputs < inputs and len(self.wrong) < MOST_WRONG and (deadline is None or time.monotonic() < deadline):
            data = changed(self.random.choice(self.kept), self.random, self.kept, self.reader.packed)
            traced = self.inputs % TRACED == 0
            found = len(self.reached)
            self._try(data, traced=traced)
            if traced and len(self.reached) > found and len(data) <= MOST_BYTES:
                self.kept.append(data)
                if len(self.kept) > MOST_KEPT:
                    del self.kept[self.random.randrange(1, len(self.kept))]

    def _try(self, data: bytes, *, traced: bool) -> None:
        self.path.write_bytes(data)
        self.inputs += 1
        began = time.process_time()  # others may have the processor meanwhile
        signal.setitimer(signal.ITIMER_PROF, SECONDS * (10 if traced else 1))
        if traced:
            sys.settrace(self._trace)
        try:
            self.reader.read(self.path)
            self.taken += 1
        except InputError as error:
            if "\n" in str(error).strip():
                self._note(error, data, "more than one line")
        except (Exception, _TooLongError) as error:
            self._note(error, data)
        finally:
            sys.settrace(None)
            signal.setitimer(signal.ITIMER_PROF, 0)
        if not traced:
            self.slowest = max(self.slowest, time.process_time() - began)
        if self.inputs % 50 == 0 and hasattr(self, "_memory"):
            self.largest = max(self.largest, _memory() - self._memory)
            if self.largest > MEMORY:
                self._note(MemoryError("takes too much memory"), data)
                self._memory = _memory()

    def _note(self, error: BaseException, data: bytes, what: str = "") -> None:
        frames = [each for each in traceback.extract_tb(error.__traceback__) if OURS in each.filename]
        place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
        key = f"{type(error).__name__} {place} {what}"
        self.wrong.setdefault(
            key, {"error": f"{key}: {str(error)[:200]}", "input": base64.b64encode(data[:4000]).decode(), "bytes": len(data)}
        )

    def _trace(self, frame: FrameType, _event: str, _value: object) -> Any:
        if OURS not in frame.f_code.co_filename:
            return None
        return self._line

    def _line(self, frame: FrameType, event: str, _value: object) -> Any:
        if event == "line":
            self.reached.add((frame.f_code.co_filename, self._before, frame.f_lineno))
            self._before = frame.f_lineno
        return self._line

    def report(self) -> dict[str, Any]:
        """What came of it."""
        return {
            "reader": self.reader.name,
            "inputs": self.inputs,
            "taken": self.taken,
            "kept": len(self.kept),
            "pairs of lines": len(self.reached),
            "slowest": round(self.slowest, 3),
            "memory MB": round(self.largest / (1 << 20)),
            "wrong": list(self.wrong.values()),
        }


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _too_long(_number: int, _frame: FrameType | None) -> None:
    raise _TooLongError(f"takes more than {SECONDS} s of the processor")


def fuzz(reader: Reader, folder: Path, seed: int, inputs: int, seconds: float | None = None) -> dict[str, Any]:
    """A report on one reader."""
    before = signal.signal(signal.SIGPROF, _too_long)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fuzzed = Fuzzed(reader, folder, seed)
            fuzzed.run(inputs, seconds)
            return fuzzed.report()
    finally:
        signal.signal(signal.SIGPROF, before)


def fuzz_all(work: Path, seed: int, inputs: int, only: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """Every reader in a process of its own: one that crashes is a finding, and its input is the file that it left."""
    for reader in READERS:
        if only and reader.name not in only:
            continue
        folder, said = work / "fuzz" / reader.name, work / "fuzz" / f"{reader.name}.json"
        said.parent.mkdir(parents=True, exist_ok=True)
        said.unlink(missing_ok=True)
        process = os.fork()
        if not process:
            status = 1
            try:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
                said.write_text(json.dumps(fuzz(reader, folder, seed, inputs)))
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        _, status = os.waitpid(process, 0)
        if said.exists():
            yield json.loads(said.read_text())
        else:
            yield {"reader": reader.name, "inputs": 0, "wrong": [{"error": f"the process ended with {status}"}]}

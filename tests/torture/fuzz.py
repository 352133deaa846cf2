"""Inputs that nobody has thought of, for every reader: changed files, guided by which lines of ours they reach.

A loop of our own. An input that reaches a line, or a way out of a branch, that none before it reached is kept and changed
further. An input may take 2 s and 512 MB, and the reader may raise `InputError` and nothing else. Of a library that is not
back after 10 s the process is ended, which is a finding as a crash is.

A reader's inputs are tried in several lines, each with what it has kept itself; a line goes on chunk by chunk, each in a
process of its own. What a chunk tries is settled by the seed, the line and the inputs before it, whoever is first.
"""

from __future__ import annotations

import base64
import gc
import gzip
import io
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import vnla
from torture.reach import Reach, reach
from torture.readers import READERS, Reader
from vnla.common.errors import InputError

SECONDS, MEMORY, PATIENCE = 2.0, 512 << 20, 5
MOST_KEPT, MOST_BYTES, MOST_WRONG = 400, 60_000, 20
LINES, CHUNK = 8, 2000
OURS = f"{Path(vnla.__file__).parent}{os.sep}"
MEMORY_DISK = Path("/dev/shm")

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
    for _ in range(random.choice((1, 1, 2))):
        place = _place(value, random)
        if place is None:
            value = deepcopy(random.choice(ODD))
            continue
        inner, key = place
        match random.randrange(4):
            case 0:
                del inner[key]
            case 1 if isinstance(inner, list):
                inner.append(inner[key])
            case 2 if isinstance(inner, dict):
                inner[str(random.choice(ODD))] = inner.pop(key)
            case _:
                inner[key] = deepcopy(random.choice(ODD))
    text = json.dumps(value).encode()
    return text + b"\n" + rest if lines else text


def _place(value: Any, random: Random) -> tuple[Any, Any] | None:
    """A list or dictionary somewhere in a value, and a key of it."""
    found = None
    while isinstance(value, list | dict) and value and (found is None or random.random() < 0.8):
        key = random.randrange(len(value)) if isinstance(value, list) else random.choice([*value])
        found, value = (value, key), value[key]
    return found


def _inside(data: bytes, random: Random, others: Sequence[bytes], packed: str) -> bytes | None:
    """The same archive with other content."""
    try:
        if packed == "gzip":
            return gzip.compress(changed(gzip.decompress(data), random, others), 1, mtime=0)
        buffer = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
            members = old.infolist()
            chosen = random.choice(members)
            for member in members:
                inner = old.read(member)
                new.writestr(member, changed(inner, random, others) if member is chosen else inner)
        return buffer.getvalue()
    except Exception:
        return None


class Fuzzed:
    """One reader, tried with input after input; what another has `kept` is where it begins."""

    def __init__(
        self, reader: Reader, folder: Path, random: Random, reached: Reach, kept: Sequence[bytes] = (), *, own: bool = True
    ) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.reader, self.random, self.reached = reader, random, reached
        self.path = reader.make(folder)
        sample = self.path.read_bytes()
        self.kept = list(kept) or [sample]
        self.largest_kept = min(MOST_BYTES, 4 * len(sample) + 4000)
        self.inputs, self.taken, self.slowest = 0, 0, 0.0
        self.wrong: dict[str, dict[str, Any]] = {}
        self.largest, self._memory = 0, sys.maxsize
        if own:
            self._try(sample)
            if self.wrong or not self.taken:
                raise RuntimeError(f"{reader.name}: does not take its own sample: {self.wrong}")
        self._memory = _memory()

    def run(self, inputs: int, seconds: float | None = None) -> None:
        """Try so many inputs, or as many as some seconds allow."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while self.inputs < inputs and len(self.wrong) < MOST_WRONG and (deadline is None or time.monotonic() < deadline):
            data = changed(self.random.choice(self.kept), self.random, self.kept, self.reader.packed)
            found = len(self.reached.all)
            self._try(data)
            if len(self.reached.all) > found and len(data) <= self.largest_kept:
                self.kept.append(data)
                if len(self.kept) > MOST_KEPT:
                    del self.kept[self.random.randrange(1, len(self.kept))]

    def _try(self, data: bytes) -> None:
        self.path.write_bytes(data)
        slower = self.reached.begin(self.inputs)
        self.inputs += 1
        began = time.process_time()  # others may have the processor meanwhile
        signal.setitimer(signal.ITIMER_PROF, SECONDS * slower)
        signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE * SECONDS * slower)  # ends the process, be it in a library's loop
        try:
            self.reader.read(self.path)
            self.taken += 1
        except InputError as error:
            if "\n" in str(error).strip():
                self._note(error, data, "more than one line")
        except (Exception, _TooLongError) as error:
            self._note(error, data)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            self.reached.end()
        if slower == 1:
            self.slowest = max(self.slowest, time.process_time() - began)
        self.largest = max(self.largest, (memory := _memory()) - self._memory)
        if memory - self._memory > MEMORY:
            self._note(MemoryError("takes too much memory"), data)
            self._memory = memory

    def _note(self, error: BaseException, data: bytes, what: str = "") -> None:
        frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename.startswith(OURS)]
        place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
        key = f"{type(error).__name__} {place} {what}"
        self.wrong.setdefault(key, {"error": f"{key}: {str(error)[:200]}", **_shown(data)})


def _shown(data: bytes) -> dict[str, Any]:
    return {"input": base64.b64encode(data[:4000]).decode(), "bytes": len(data)}


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _too_long(_number: int, _frame: FrameType | None) -> None:
    raise _TooLongError(f"takes more than {SECONDS} s of the processor")


@dataclass
class Tried:
    """What came of a part of a reader's inputs, or of all."""

    inputs: int = 0
    taken: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    largest: int = 0
    wrong: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, other: Tried) -> None:
        """Both together."""
        self.inputs, self.taken, self.seconds = (
            self.inputs + other.inputs,
            self.taken + other.taken,
            self.seconds + other.seconds,
        )
        self.slowest, self.largest = max(self.slowest, other.slowest), max(self.largest, other.largest)
        self.wrong = {**other.wrong, **self.wrong}

    def report(self, reader: str) -> dict[str, Any]:
        """As a row of the report."""
        return {
            "reader": reader,
            "inputs": self.inputs,
            "taken": self.taken,
            "processor seconds": round(self.seconds, 1),
            "inputs a second": round(self.inputs / self.seconds) if self.seconds else 0,
            "slowest": round(self.slowest, 3),
            "memory MB": round(self.largest / (1 << 20)),
            "wrong": list(self.wrong.values()),
        }


@dataclass
class State:
    """What a line knows after some of its inputs."""

    kept: list[bytes] = field(default_factory=list)
    reached: set[tuple[str, int, int, int]] = field(default_factory=set)

    def text(self) -> str:
        """As JSON."""
        return json.dumps({"kept": [base64.b64encode(each).decode() for each in self.kept], "reached": [*self.reached]})

    @classmethod
    def read(cls, path: Path) -> State:
        """From a file, if there is one."""
        if not path.exists():
            return cls()
        value = json.loads(path.read_text())
        return cls([base64.b64decode(each) for each in value["kept"]], {tuple(each) for each in value["reached"]})


def fuzz(
    reader: Reader, folder: Path, seed: str, inputs: int, seconds: float | None = None, state: State | None = None
) -> Tried:
    """Try inputs for one reader, beginning with what is known and adding to it."""
    state = State() if state is None else state
    before = signal.signal(signal.SIGPROF, _too_long)
    began = time.process_time()
    try:
        with warnings.catch_warnings(), reach(OURS, state.reached) as reached:
            warnings.simplefilter("ignore")
            fuzzed = Fuzzed(reader, folder, Random(f"{seed} {reader.name}"), reached, state.kept, own=not state.kept)
            fuzzed.run(inputs, seconds)
    finally:
        signal.signal(signal.SIGPROF, before)
    state.kept = fuzzed.kept
    spent = time.process_time() - began
    return Tried(fuzzed.inputs, fuzzed.taken, spent, fuzzed.slowest, fuzzed.largest, fuzzed.wrong)


@dataclass
class Line:
    """A part of a reader's inputs, one chunk after the other."""

    reader: Reader
    folder: Path
    seed: str
    left: int
    done: int = 0

    def begin(self, seconds: float | None) -> int:
        """The next chunk in a process of its own, whose number is given: one that crashes is a finding."""
        self._said.unlink(missing_ok=True)
        process = os.fork()
        if process:
            return process
        status = 1
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            _, most = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (_address_space() + 4 * MEMORY, most))
            state = State.read(self._state)
            tried = fuzz(
                self.reader, self.folder / "files", f"{self.seed} {self.done}", min(CHUNK, self.left), seconds, state
            )
            self._state.write_text(state.text())
            self._said.write_text(json.dumps(vars(tried)))
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)

    def end(self, status: int, path: Path) -> Tried:
        """What the chunk has found; of one that crashed, the input that it left at `path` in its folder."""
        if self._said.exists():
            tried = Tried(**json.loads(self._said.read_text()))
        else:
            left = self.folder / "files" / path
            what = f"the process ended with {os.waitstatus_to_exitcode(status)}"
            data = left.read_bytes() if left.exists() else b""
            tried = Tried(inputs=1, wrong={f"{what}, no. {self.done} of {self.seed}": {"error": what, **_shown(data)}})
        self.done += tried.inputs
        self.left -= tried.inputs
        return tried

    @property
    def _state(self) -> Path:
        return self.folder / "state.json"

    @property
    def _said(self) -> Path:
        return self.folder / "said.json"


def _address_space() -> int:
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:  # no such file on this system
        return 64 << 30


def fuzz_all(
    work: Path, seed: int, inputs: int, only: Sequence[str] = (), jobs: int = 1, seconds: float | None = None
) -> Iterator[dict[str, Any]]:
    """A report on each reader after so many inputs, or when the time is over; whoever has fewest is next, so that all have
    about as many then. Readers that need what is not installed are left out, which their reports say."""
    deadline = None if seconds is None else time.monotonic() + seconds
    with ExitStack() as stack:
        if MEMORY_DISK.is_dir() and os.access(MEMORY_DISK, os.W_OK):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vnla-fuzz-", dir=MEMORY_DISK)))
        else:
            shutil.rmtree(folder := work / "fuzz", ignore_errors=True)
        lines: dict[str, list[Line]] = {}
        paths: dict[str, Path] = {}
        for reader in READERS:
            if only and reader.name not in only:
                continue
            (place := folder / reader.name / "sample").mkdir(parents=True)
            try:
                path = reader.make(place)
                reader.read(path)  # so that processes need not import or compile it
            except ImportError as missing:
                yield {"reader": reader.name, "inputs": 0, "left out": f"needs {missing.name}", "wrong": []}
                continue
            except InputError as error:
                yield {"reader": reader.name, "inputs": 0, "wrong": [{"error": f"does not take its own sample: {error}"}]}
                continue
            paths[reader.name] = path.relative_to(place)
            parts = [inputs // LINES + (each < inputs % LINES) for each in range(LINES)]
            lines[reader.name] = [
                Line(reader, folder / reader.name / str(number), f"{seed} {number}", part)
                for number, part in enumerate(parts)
                if part
            ]
            for line in lines[reader.name]:
                line.folder.mkdir()
        gc.collect()
        stack.callback(gc.unfreeze)
        gc.freeze()  # or each process would look through all that is loaded, for a fifth of a second
        yield from _take_turns(lines, paths, jobs, deadline)


def _take_turns(
    lines: dict[str, list[Line]], paths: dict[str, Path], jobs: int, deadline: float | None
) -> Iterator[dict[str, Any]]:
    found = {name: Tried() for name in lines}
    running: dict[int, Line] = {}
    while True:
        left = None if deadline is None else deadline - time.monotonic()
        while len(running) < jobs and (left is None or left > 0):
            at_work = [line.reader.name for line in running.values()]
            free = [
                (found[name].inputs + CHUNK * at_work.count(name), line.done, number, name)
                for name, own in lines.items()
                for number, line in enumerate(own)
                if line.left > 0 and line not in running.values() and len(found[name].wrong) < MOST_WRONG
            ]
            if not free:
                break
            *_, number, name = min(free)
            line = lines[name][number]
            running[line.begin(left)] = line
        if not running:
            break
        process, status = os.waitpid(-1, 0)
        if process not in running:
            continue
        line = running.pop(process)
        name = line.reader.name
        tried = line.end(status, paths[name])
        for key in tried.wrong.keys() - found[name].wrong.keys():
            print(f"{name}: {key}", file=sys.stderr, flush=True)  # the report may be hours away
        found[name].add(tried)
        if not any(each.left > 0 for each in lines[name]):
            yield found.pop(name).report(name)
            del lines[name]
    for name, tried in found.items():
        yield tried.report(name)

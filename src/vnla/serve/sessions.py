"""Visitors' sessions: an append-only log each, on disk before anybody sees it, and the state that follows from it.

A log is a JSONL file. A line has the time and either an `event`, as the visitor sees it, or the episode that is `wanted`,
which the visitor does not see: the events after it are of this episode. A server that was killed loses nothing that it
has sent; a last line that was cut off is removed. When the disk is full nothing is sent that is not recorded.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from vnla.common import files
from vnla.common.errors import InputError
from vnla.language.reader import TextReading
from vnla.serve.episode_spec import EpisodeSpec
from vnla.serve.events import EVENT, BegunEvent, EndedEvent, Event, Pose, Score
from vnla.serve.keys import ensure_key
from vnla.serve.limits import Limits, ReadingTime, TokenBucket
from vnla.serve.persons import PersonsWalk
from vnla.serve.reduce import NOTHING, State, reduced

WHAT = "the log of a visitor's session"
_LARGEST = 64 * files.MEGABYTE

Subscriber = Callable[[Event], None]


class Session:
    """One visitor's session."""

    def __init__(self, name: str, path: Path, limits: Limits) -> None:
        self.name = name
        self.state: State = NOTHING
        self.spec: EpisodeSpec | None = None
        self.walk: PersonsWalk | None = None
        """The visitor's own walk, where one is under way and somebody has asked for it since the server began."""
        self.score = Score(yours=0, its=0, tasks=0)
        self.done: set[str] = set()
        """Ids of the tasks that the visitor has done."""
        self.days: set[str] = set()
        """The days whose task the visitor has begun."""
        self.subscribers: set[Subscriber] = set()
        self.lock = asyncio.Lock()
        self.previews = TokenBucket(limits.previews, limits.previews_burst)
        self.reading_time = ReadingTime(limits)
        self.readings: OrderedDict[tuple[str, Pose | None], TextReading] = OrderedDict()
        """How texts were read that the visitor has been shown the reading of."""
        self._path, self._limits = path, limits
        self._size = 0

    @property
    def mode(self) -> str | None:
        """The visitor's mode: watch, help or beat."""
        begun = self.state["begun"]
        return begun and cast(str, begun["mode"])

    def append(self, events: Iterable[Event], spec: EpisodeSpec | None = None) -> None:
        """Record some events, and before them the episode that they are of; then send them."""
        first = self.state["number"] + 1
        numbered = [event.model_copy(update={"number": i}) for i, event in enumerate(events, start=first)]
        if self.state["number"] + len(numbered) > self._limits.events:
            raise InputError("this session has become too long; open the page anew")
        lines = self._before()
        if spec is not None:
            lines.append({"wanted": spec.model_dump(mode="json", exclude_defaults=True)})
        lines += [{"event": event.model_dump(mode="json")} for event in numbered]
        self._write(lines, durable=any(isinstance(event, EndedEvent) for event in numbered))
        self._take(numbered, spec)
        for event in numbered:
            for subscriber in tuple(self.subscribers):
                subscriber(self._shown(event))

    def _before(self) -> list[dict[str, Any]]:
        """Return other lines to record before some events."""
        return []

    def _shown(self, event: Event) -> Event:
        """Return an event as the visitor sees it."""
        return event

    def _take(self, events: Sequence[Event], spec: EpisodeSpec | None) -> None:
        self.spec = spec or self.spec
        self.state = reduced((self._shown(event).model_dump(mode="json") for event in events), self.state)
        for event in events:
            if isinstance(event, BegunEvent) and event.day:
                self.days.add(event.day)
            if isinstance(event, EndedEvent) and event.score:
                self.score = event.score
                assert self.spec is not None and self.spec.task is not None
                self.done.add(self.spec.task)

    def _write(self, lines: Sequence[dict[str, Any]], *, durable: bool) -> None:
        now = round(time.time(), 3)
        data = "".join(json.dumps({"at": now, **line}, separators=(",", ":")) + "\n" for line in lines).encode()
        try:
            handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError as error:
            raise InputError(_unrecorded(error)) from None
        try:
            if os.write(handle, data) < len(data):
                raise OSError(0, "the disk is full")
            if durable:
                os.fsync(handle)
        except OSError as error:
            os.ftruncate(handle, self._size)
            raise InputError(_unrecorded(error)) from None
        finally:
            os.close(handle)
        self._size += len(data)

    def read(self) -> None:
        """Restore the session from its log, and remove a last line that was cut off."""
        for number, line in enumerate(log_lines(self._path), start=1):
            try:
                self._read(line)
            except (ValueError, ValidationError, LookupError, TypeError, AssertionError, RecursionError, OverflowError):
                raise _no_line(self._path, number) from None
        self._size = len(_complete(self._path))
        if self._path.stat().st_size > self._size:
            os.truncate(self._path, self._size)

    def _read(self, line: dict[str, Any]) -> None:
        if "wanted" in line:
            self.spec = EpisodeSpec.model_validate(line["wanted"])
        else:
            self._take([EVENT.validate_python(line["event"])], None)


def log_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a log, without one at the end that is still being written or was cut off."""
    for number, line in enumerate(_complete(path).split(b"\n")[:-1], start=1):
        try:
            found = json.loads(line.decode())
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise _no_line(path, number)
        yield found


def _complete(path: Path) -> bytes:
    """Return the lines of a log that were written to their ends."""
    if files.existing_file(path, WHAT).stat().st_size > _LARGEST:
        raise InputError(f"{path}: is too large for {WHAT}")
    data = path.read_bytes()
    return data[: data.rfind(b"\n") + 1]


def _no_line(path: Path, number: int) -> InputError:
    return InputError(f"{path}: line {number} is not a line of {WHAT}")


def _unrecorded(error: OSError) -> str:
    return f"the server cannot record this ({error.strerror}); nothing that was recorded is lost, try again later"


class Sessions:
    """The sessions of a folder; those in use are in memory."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self._folder, self._limits = folder, limits
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._paths = {path.stem: path for path in folder.glob("*.jsonl")}
            self.secret = ensure_key(folder, "these sessions")
        except OSError as error:
            raise InputError(f"{folder}: sessions cannot be kept there ({error.strerror})") from None
        self._in_use: OrderedDict[str, Session] = OrderedDict()
        self._new = TokenBucket(limits.new, limits.crowd)

    def open(self, name: str | None) -> Session:
        """Return the session of that name; a new one without a name, or for a name that nobody has."""
        if name is None or name not in self._paths:
            return self._begin()
        session = self._in_use.get(name)
        if session is None:
            session = Session(name, self._paths[name], self._limits)
            session.read()
        return self._use(session)

    def _begin(self) -> Session:
        if len(self._paths) >= self._limits.sessions:
            raise InputError("this server has as many sessions as it can keep; ask whoever runs it to make room")
        if not self._new.take():
            raise InputError("too many visitors come at once; try again in a moment")
        name = secrets.token_hex(16)
        session = Session(name, self._folder / f"{name}.jsonl", self._limits)
        session.append([])
        self._paths[name] = self._folder / f"{name}.jsonl"
        return self._use(session)

    def _use(self, session: Session) -> Session:
        self._in_use[session.name] = session
        self._in_use.move_to_end(session.name)
        for each in [each for each in self._in_use.values() if not each.subscribers and each is not session]:
            if len(self._in_use) <= self._limits.awake:
                break
            del self._in_use[each.name]
        return session

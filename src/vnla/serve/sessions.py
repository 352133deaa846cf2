"""Visitors' sessions: an append-only log each, on disk before anybody sees it, and the state that follows from it.

A log is a JSONL file. A line has the time and either an `event`, as the visitor sees it, or the episode that is `wanted`,
which the visitor does not see: the events after it are of this episode. A server that was killed loses nothing that it
has sent; a last line that was cut off is removed. When the disk is full nothing is sent that is not recorded.

A session without an event is not on the disk. There is room for so many, of so many bytes; to make room, or when they are
old, sessions that nobody goes on with expire, those that were used longest ago first.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import os
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, cast

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
YOUNG = 3600.0
"""Seconds in which a session does not expire to make room: its visitor may come back any moment."""
EXPIRED = "expired"
"""The folder of sessions that nobody can go on with any more, in which a person did something."""
_MARGIN = 1.25
"""How much more than there is room for may be recorded of sessions that have begun."""
_PERSONS = (b'"mode":"beat"', b'"by":"visitor"')
"""What there is in the log of a session in which a person did more than watch."""

_FORCING = ThreadPoolExecutor(4, "vnla sessions")
"""Waits for the disk."""

Recorded = Callable[[str, int], None]
"""Is told the name of a session and how many bytes its log is going to have, or has if nothing came of it; may refuse."""
Subscriber = Callable[[Event], None]


class Session:
    """One visitor's session."""

    def __init__(self, name: str, path: Path, limits: Limits, recorded: Recorded = lambda *_: None) -> None:
        self.name = name
        self.state: State = NOTHING
        self.spec: EpisodeSpec | None = None
        self.walk: PersonsWalk | None = None
        """The visitor's own walk, where one is under way and somebody has asked for it since the server began."""
        self.unfinished: tuple[EpisodeSpec, State] | None = None
        """A walk of the visitor's own that they have left for another mode before it was over, and its state then."""
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
        self._path, self._limits, self._recorded = path, limits, recorded
        self._size = 0

    @property
    def mode(self) -> str | None:
        """The visitor's mode: watch, help or beat."""
        begun = self.state["begun"]
        return begun and cast(str, begun["mode"])

    @property
    def is_cut_off(self) -> bool:
        """Whether an agent's walk neither ended nor waits for an answer: the rest of it was not recorded."""
        state = self.state
        return self.mode in ("watch", "help") and bool(state["steps"]) and not (state["waits"] or state["ended"])

    @property
    def busy(self) -> bool:
        """Whether somebody sees its events, or something is being done in it."""
        return bool(self.subscribers) or self.lock.locked()

    async def append(self, events: Iterable[Event], spec: EpisodeSpec | None = None) -> None:
        """Record some events, and before them the episode that they are of; then send them.

        One caller at a time: whoever appends holds the lock of the session."""
        first = self.state["number"] + 1
        numbered = [event.model_copy(update={"number": i}) for i, event in enumerate(events, start=first)]
        if self.state["number"] + len(numbered) > self._limits.events:
            raise InputError("this session has become too long; open the page anew")
        lines = self._before()
        if spec is not None:
            lines.append({"wanted": spec.model_dump(mode="json", exclude_defaults=True)})
        lines += [{"event": event.model_dump(mode="json")} for event in numbered]
        await self._record_lines(lines, durable=any(isinstance(event, EndedEvent) for event in numbered))
        self._take(numbered, spec)
        for event in numbered:
            for subscriber in tuple(self.subscribers):
                subscriber(self._shown(event))

    async def _record_lines(self, lines: Sequence[dict[str, Any]], *, durable: bool) -> None:
        """Write lines; what is `durable` waits for the disk on a thread, so that nobody else has to."""
        if durable:
            write = partial(self._write, lines, durable=True)
            await asyncio.shield(asyncio.get_running_loop().run_in_executor(_FORCING, write))
        else:
            self._write(lines, durable=False)

    def _before(self) -> list[dict[str, Any]]:
        """Return other lines to record before some events."""
        return []

    def _shown(self, event: Event) -> Event:
        """Return an event as the visitor sees it."""
        return event

    def _want(self, spec: EpisodeSpec) -> None:
        """Take another episode; a walk of the visitor's own that is not over waits until they come back."""
        if self.mode == "beat" and not self.state["ended"]:
            assert self.spec is not None
            self.unfinished = self.spec, self.state
        self.spec = spec

    def _take(self, events: Sequence[Event], spec: EpisodeSpec | None) -> None:
        if spec is not None:
            self._want(spec)
        self.state = reduced((self._shown(event).model_dump(mode="json") for event in events), self.state)
        for event in events:
            if isinstance(event, BegunEvent) and event.mode == "beat":
                self.unfinished = None
                if event.day:
                    self.days.add(event.day)
            if isinstance(event, EndedEvent) and event.score:
                self.score = event.score
                assert self.spec is not None and self.spec.task is not None
                self.done.add(self.spec.task)

    def _write(self, lines: Sequence[dict[str, Any]], *, durable: bool) -> None:
        now = round(time.time(), 3)
        data = "".join(json.dumps({"at": now, **line}, separators=(",", ":")) + "\n" for line in lines).encode()
        self._recorded(self.name, self._size + len(data))
        try:
            self._append_bytes(data, durable=durable)
        except OSError as error:
            self._recorded(self.name, self._size)
            raise InputError(_unrecorded(error)) from None
        self._size += len(data)

    def _append_bytes(self, data: bytes, *, durable: bool) -> None:
        """Write at the end of the log, all or nothing."""
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            if os.write(handle, data) < len(data):
                raise OSError(0, "the disk is full")
            if durable:
                os.fsync(handle)
        except OSError:
            os.ftruncate(handle, self._size)
            raise
        finally:
            os.close(handle)

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
            self._want(EpisodeSpec.model_validate(line["wanted"]))
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


_NO_ROOM = "this server has as many sessions as it can keep; try again in an hour"


def _unrecorded(error: OSError) -> str:
    return f"the server cannot record this ({error.strerror}); nothing that was recorded is lost, try again later"


class _Stored(NamedTuple):
    """What is known of a session on the disk."""

    used: float
    """When it was used last, in seconds since 1970."""
    size: int


class Sessions:
    """The sessions of a folder; those in use are in memory."""

    def __init__(self, folder: Path, limits: Limits, *, keeps: bool = False, clock: Callable[[], float] = time.time) -> None:
        """If it `keeps` them, sessions that expire are moved to a folder `expired` where a person did something in them;
        otherwise all are deleted."""
        self._folder, self._limits, self._keeps, self._clock = folder, limits, keeps, clock
        self._lock = Lock()
        """Held while what is stored is counted, which the threads do that wait for the disk."""
        try:
            folder.mkdir(0o700, parents=True, exist_ok=True)  # whoever knows the name of a log can go on with its session
            found = [(path.stem, path.stat()) for path in folder.glob("*.jsonl")]
            self.secret = ensure_key(folder, "these sessions")
        except OSError as error:
            raise InputError(f"{folder}: sessions cannot be kept there ({error.strerror})") from None
        found.sort(key=lambda each: each[1].st_mtime)
        self._stored = OrderedDict((name, _Stored(stat.st_mtime, stat.st_size)) for name, stat in found)  # used last is last
        self._bytes = sum(each.size for each in self._stored.values())
        self._in_use: OrderedDict[str, Session] = OrderedDict()
        self._new = TokenBucket(limits.new, limits.crowd)
        self._opening = asyncio.Lock()
        self._remove(self._expired())

    async def open(self, name: str | None, new: TokenBucket | None = None) -> Session:
        """Return the session of that name; a new one without a name, or for a name that nobody has.

        `new` are the new sessions of an address."""
        async with self._opening:
            if name is not None and name in self._in_use:
                return self._use(self._in_use[name])
            if name is None or name not in self._stored:
                return await self._begin(new)
            session = Session(name, self._path(name), self._limits, self._recorded)
            await asyncio.to_thread(session.read)
            return self._use(session)

    async def _begin(self, new: TokenBucket | None) -> Session:
        if new is not None and not new.take():
            raise InputError("too many visitors come from your address; try again in some minutes")
        if not self._new.take():
            raise InputError("too many visitors come at once; try again in a moment")
        if expired := self._expired():  # else nobody waits for a thread, and behind it all others who come
            await asyncio.to_thread(self._remove, expired)
        if self._is_full():
            raise InputError(_NO_ROOM)
        name = secrets.token_hex(16)
        return self._use(Session(name, self._path(name), self._limits, self._recorded))

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.jsonl"

    def _use(self, session: Session) -> Session:
        self._in_use[session.name] = session
        self._in_use.move_to_end(session.name)
        for each in [each for each in self._in_use.values() if not each.busy and each is not session]:
            if len(self._in_use) <= self._limits.awake:
                break
            del self._in_use[each.name]
        return session

    def _recorded(self, name: str, size: int) -> None:
        """Note how large a session is becoming; refuse that where there is no room."""
        with self._lock:
            before = self._stored.get(name, _Stored(0.0, 0)).size
            if size > before and self._bytes + size - before > _MARGIN * self._limits.stored:
                raise InputError(_NO_ROOM)
            self._bytes += size - before
            self._stored.pop(name, None)
            if size:
                self._stored[name] = _Stored(self._clock(), size)

    def _is_full(self) -> bool:
        return len(self._stored) >= self._limits.sessions or self._bytes > self._limits.stored

    def _expired(self) -> list[Path]:
        """Forget sessions that expire, the old ones and those that take the room that is needed; return their logs."""
        now, found = self._clock(), []
        keep = math.inf if self._limits.keep is None else self._limits.keep
        with self._lock:
            for name, stored in [*self._stored.items()]:
                idle = now - stored.used
                if idle <= keep and (idle < YOUNG or not self._is_full()):
                    break
                session = self._in_use.get(name)
                if session is None or not session.busy:
                    self._in_use.pop(name, None)
                    self._bytes -= self._stored.pop(name).size
                    found.append(self._path(name))
        return found

    def _remove(self, logs: Iterable[Path]) -> None:
        """Delete logs, or move them where nobody goes on with them."""
        for path in logs:
            with contextlib.suppress(OSError):  # gone already, or not ours to remove: then the next start finds it again
                if self._keeps and any(mark in path.read_bytes() for mark in _PERSONS):
                    (self._folder / EXPIRED).mkdir(exist_ok=True)
                    path.replace(self._folder / EXPIRED / path.name)
                else:
                    path.unlink()

"""The task of the day: one a day, the same for everybody who serves the same world with the same version, in five minutes.

It follows from the date (UTC), the version of the package and the tasks of the world, so no server of ours is needed. On its
day its house is in no other mode: nothing that a server tells elsewhere has the names of what is in it. Who has done it is
in the table of the day, without a name; a session is in it once.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from vnla import __version__
from vnla.common import files
from vnla.common.errors import InputError
from vnla.serve.agent_walk import AgentWalk
from vnla.serve.events import DayResult, EndedEvent, Frozen
from vnla.serve.goals import Goals
from vnla.serve.persons import PersonsWalk
from vnla.serve.places import VisitorWorld
from vnla.tasks.task import Task

SECONDS = 300
"""How long somebody may look for it."""
SHORTEST = 8
"""Actions that a task of the day takes at least, if there is such a one."""
MOST_ROWS = 50
"""Rows of the table that are told; all are counted."""
LONGEST_TOKEN = 100
_LARGEST = 16 * files.MEGABYTE
_DIGITS = 16


class DayTable(Frozen):
    """How all who have done a task of the day did, on this server; the best first."""

    date: str
    seconds: int = SECONDS
    tries: int = 0
    found: int = 0
    rows: tuple[tuple[bool, int, int, int], ...] = ()
    """Whether it was found, steps, requests, seconds."""


class Daily:
    """The tasks of the day of a world, and the tables of a folder."""

    def __init__(
        self, goals: Goals, folder: Path, secret: bytes, shown: Collection[str] = (), clock: Callable[[], float] = time.time
    ) -> None:
        """`shown` are houses that everybody has seen with their names; no task of the day is in them."""
        self.clock = clock
        self._latest = 0.0
        self._goals, self._folder, self._secret, self._shown = goals, folder, secret, frozenset(shown)
        self._known: dict[str, Task | None] = {}

    def now(self) -> float:
        """Return the time, which never goes back: a clock that is set does not give anybody a day or a second again."""
        self._latest = max(self._latest, self.clock())
        return self._latest

    @property
    def date(self) -> str:
        """The day, by universal time."""
        return _date(self.now())

    def task(self, date: str) -> Task:
        """Return the task of a day."""
        known = self._known
        if date not in known:
            self._known = known = {**dict([*known.items()][-1:]), date: self._chosen(date)}
        found = known[date]
        if found is None:
            raise InputError("there is no task of the day here: it needs a world of two houses at least")
        return found

    def seed(self, date: str) -> int:
        """Return the seed of a day's help budget."""
        return _number("seed", date) % 2**31

    @property
    def withheld(self) -> frozenset[str]:
        """The houses that no other mode shows: that of today's task, and that of yesterday's for as long as somebody may
        still be at it, where any other is left."""
        now = self.now()
        try:
            before, today = (self.task(_date(at)).house for at in (now - SECONDS, now))
        except InputError:
            return frozenset()
        both = frozenset((before, today))
        return both if {task.house for task in self._goals.offered} - both else frozenset((today,))

    def check_open(self, house: str) -> None:
        """Refuse to show the house of today's task."""
        if house in self.withheld:
            raise InputError("the task of the day is in this house; it opens again at midnight, universal time")

    def _chosen(self, date: str) -> Task | None:
        """Return a task of one house of several, if possible of those that the agent was not trained in."""
        for tasks in (self._goals.offered, [*self._goals.tasks.values()]):
            houses = sorted({task.house for task in tasks})
            free = [house for house in houses if house not in self._shown]
            if len(houses) > 1 and free:
                house = free[_number("house", date) % len(free)]
                here = sorted((task for task in tasks if task.house == house), key=lambda task: task.id)
                long = [task for task in here if min(task.lengths) >= SHORTEST] or here
                return long[_number("task", date, *(task.id for task in long)) % len(long)]
        return None

    def read_token(self, token: str) -> dict[str, Any]:
        """Return what a token says, if it was made here."""
        parts = token.split("~")
        if (
            len(token) > LONGEST_TOKEN
            or len(parts) != 6
            or not hmac.compare_digest(self.token(parts[:-1]).encode(), token.encode())
        ):
            raise InputError("this result was not made here, or it was changed")
        date, *numbers = parts[:-1]
        success, steps, requests, seconds = map(int, numbers)
        return {"date": date, "success": bool(success), "steps": steps, "requests": requests, "seconds": seconds}

    def token(self, parts: Sequence[object]) -> str:
        """Return some facts as text that nobody else can make."""
        text = "~".join(map(str, parts))
        return f"{text}~{hmac.digest(self._secret, text.encode(), 'sha256').hex()[:_DIGITS]}"

    def enter(self, session: str, result: DayResult) -> None:
        """Put a result into the table of its day, durably; the session is known by digits that lead nowhere."""
        who = hmac.digest(self._secret, f"{result.date} {session}".encode(), "sha256").hex()[:_DIGITS]
        row = [result.success, result.steps, result.requests, result.seconds]
        line = json.dumps({"who": who, "row": row}, separators=(",", ":")) + "\n"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            handle = os.open(self._path(result.date), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(handle, line.encode())
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise InputError(f"the server cannot record this ({error.strerror}); try again later") from None

    def table(self) -> DayTable:
        """Return the table of today. Who was entered twice, as after a crash, counts as the first time."""
        rows: dict[str, tuple[bool, int, int, int]] = {}
        for who, row in self._rows(self.date):
            rows.setdefault(who, row)
        ordered = sorted(rows.values(), key=lambda row: (not row[0], *row[1:]))
        return DayTable(
            date=self.date, tries=len(rows), found=sum(row[0] for row in ordered), rows=tuple(ordered[:MOST_ROWS])
        )

    def _rows(self, date: str) -> Iterator[tuple[str, tuple[bool, int, int, int]]]:
        """Yield the lines of a table that were written to their ends."""
        path = self._path(date)
        if not path.is_file():
            return
        for line in files.read_text(path, "a table of a day", _LARGEST).split("\n")[:-1]:
            try:
                found = json.loads(line)
                success, steps, requests, seconds = found["row"]
                yield str(found["who"]), (bool(success), int(steps), int(requests), int(seconds))
            except (ValueError, TypeError, KeyError):
                continue  # cut off by a crash, and followed by others

    def _path(self, date: str) -> Path:
        return self._folder / f"{date}.jsonl"


@dataclass(frozen=True)
class Days:
    """The tasks of the day, and the world under the names that it has in them alone."""

    daily: Daily
    world: VisitorWorld

    def ended(
        self, session: str, begun: Mapping[str, Any], walk: PersonsWalk, ended: EndedEvent, its: AgentWalk | None
    ) -> EndedEvent:
        """Return how a task of the day ended, beside the agent's walk. It is in the table before anybody is told."""
        assert ended.ending is not None
        result = self._result(begun, walk, its)
        self.daily.enter(session, result)
        told: dict[str, object] = {"ending": ended.ending.model_copy(update={"day": result})}
        if its is not None:
            told |= {"walk": [self.world.pose(pose) for pose in its.poses], "its_success": its.success}
        return ended.model_copy(update=told)

    def _result(self, begun: Mapping[str, Any], walk: PersonsWalk, its: AgentWalk | None) -> DayResult:
        metres = [self.world.metres(pose, walk.task) for pose in walk.poses]
        used = SECONDS - (begun["until"] / 1000 - self.daily.now())
        requests, seconds = walk.requests - walk.requests_left, round(min(SECONDS, max(0, used)))
        return DayResult(
            date=begun["day"],
            success=walk.success,
            steps=walk.step,
            requests=requests,
            seconds=seconds,
            its_success=None if its is None else its.success,
            its_steps=None if its is None else len(its.steps),
            marks=[_sign(before - after) for before, after in pairwise(metres)],
            token=self.daily.token([begun["day"], int(walk.success), walk.step, requests, seconds]),
        )


def _date(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).date().isoformat()


def _number(*parts: str) -> int:
    """Return a number that follows from the version and some texts."""
    data = json.dumps([__version__, *parts]).encode()
    return int.from_bytes(hashlib.sha256(data).digest()[:8])


def _sign(nearer: float) -> int:
    return 0 if abs(nearer) < 0.01 else 1 if nearer > 0 else -1

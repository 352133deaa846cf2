"""What commands print with: tables and sentences on stdout, progress on stderr, JSON where it is asked for."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from vnla.common.lines import TimedLog, duration
from vnla.common.progress import Count, Tell
from vnla.report.printing import SafeConsole, harmless

__all__ = [
    "LARGEST_SEED",
    "PlainProgress",
    "TimedLog",
    "counting",
    "hint_at_start",
    "hint_if_busy",
    "plain",
    "print_json",
    "progress_bar",
    "say",
    "telling",
]

LARGEST_SEED = 2**63 - 1
"""Larger ones do not fit into the numbers that random ones are drawn from."""


ESTIMATE_SECONDS = 5.0
"""From when on an estimate of the time left is told."""


@contextmanager
def telling() -> Iterator[Tell]:
    """A bar with an estimate of the time left at a terminal; elsewhere a line when something begins, ends, or takes long."""
    with progress_bar() as bar:
        yield InLines(TimedLog(bar.console)) if bar.disable else _Bar(bar)


def counting(tell: Tell, what: str, of: int) -> Count:
    """Return a function that is called with how many more are done of something, and tells how many are."""
    done = 0

    def add(more: int) -> None:
        nonlocal done
        done += more
        tell(what, done, of)

    return add


class _Bar:
    """One bar for one thing after the other."""

    def __init__(self, bar: Progress) -> None:
        self._bar, self._what, self._task = bar, "", bar.add_task("", total=None)

    def __call__(self, what: str, done: int = 0, of: int | None = None, /) -> None:
        if what != self._what:
            self._bar.remove_task(self._task)
            self._what, self._task = what, self._bar.add_task(escape(_one_line(what)), total=of)
        self._bar.update(self._task, completed=done, total=of)


class InLines:
    """A line where something begins or ends, an early one with an estimate of the time left, and others now and then."""

    def __init__(self, lines: TimedLog, clock: Callable[[], float] = time.monotonic) -> None:
        self._lines, self._clock, self._what = lines, clock, ""
        self._began, self._first, self._estimated = 0.0, 0, False

    def __call__(self, what: str, done: int = 0, of: int | None = None, /) -> None:
        if what != self._what:
            self._began, self._first, self._estimated = self._clock(), done, False
        left = self._left(done, of)
        if what != self._what or done == of or self._lines.due or (left and not self._estimated):
            told = _one_line(what)
            self._lines.say(told if of is None else f"{told} {done:,}/{of:,}{left}", done / of if of else None)
            self._what, self._estimated = what, bool(left)

    def _left(self, done: int, of: int | None) -> str:
        """Return how long the rest takes, once enough is done to tell."""
        passed, more = self._clock() - self._began, done - self._first
        if not of or done >= of or not more or passed < ESTIMATE_SECONDS:
            return ""
        return f", about {duration(passed / more * (of - done))} left"


def _one_line(what: str) -> str:
    """What is in hand may have the name of a file in it, and that anything: one line, and nothing a terminal obeys."""
    return harmless(" ".join(what.split()))


class PlainProgress(Progress):
    """Rich's `Progress` for where there is no terminal: no bars, but a plain line now and then on every task in hand.

    A line has a task's description, how much is done of how much, its text fields, and how long it will still take.
    """

    def __init__(self, console: Console, lines: TimedLog | None = None) -> None:
        super().__init__(console=console, disable=True, auto_refresh=False)
        self._lines, self._told = lines or TimedLog(console), False

    def advance(self, task_id: TaskID, advance: float = 1) -> None:
        """More is done, and perhaps a line is due."""
        super().advance(task_id, advance)
        self._tell()

    def update(self, task_id: TaskID, **changes: Any) -> None:
        """Something has changed, and perhaps a line is due."""
        super().update(task_id, **changes)
        self._tell()

    def _tell(self) -> None:
        going = [task for task in self.tasks if not task.finished]
        early = not self._told and any((task.elapsed or 0.0) >= ESTIMATE_SECONDS and task.completed for task in going)
        if going and (self._lines.due or early):
            self._told = True
            self._lines.say(", ".join(_words(task) for task in going), _part(going))


def _words(task: Task) -> str:
    """How far a task is."""
    of = "" if task.total is None else f"/{task.total:,.0f}"
    left = "" if task.time_remaining is None else f"about {duration(task.time_remaining)} left"
    texts = [str(value) for value in task.fields.values() if value]
    return ", ".join(part for part in (f"{task.description} {task.completed:,.0f}{of}", *texts, left) if part)


def _part(tasks: list[Task]) -> float | None:
    """The part that is done of all of them."""
    totals = [task.total for task in tasks if task.total]
    return sum(task.completed for task in tasks if task.total) / sum(totals) if totals else None


def progress_bar(*columns: ProgressColumn) -> Progress:
    """A bar with an estimate of the time left, on stderr, and with more columns if there are any; in a pipe or a log file a
    plain line now and then. What runs a moment only says nothing there."""
    console = Console(stderr=True)
    if not console.is_terminal:
        return PlainProgress(console)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        *columns,
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )


def hint_if_busy(threads: int | None = None) -> None:
    """A line on stderr if other programs keep the machine busy; for a long command to call as it begins."""
    from vnla.common.machine import busy_hint

    hint = busy_hint(threads)
    if hint is not None:
        typer.echo(hint, err=True)


def hint_at_start(threads: int | None = None) -> None:
    """Lines on stderr if the machine is busy, and if the code is not what its commit has; for commands that keep records."""
    from vnla.common.machine import uncommitted_hint

    hint_if_busy(threads)
    hint = uncommitted_hint()
    if hint is not None:
        typer.echo(hint, err=True)


def plain() -> Console:
    """A console for what comes from files: names may hold [brackets] and worse; they are text, never markup or commands."""
    return SafeConsole(markup=False, highlight=False)


def say(text: str, *, err: bool = False) -> None:
    """A line with something in it that comes from a file."""
    typer.echo(harmless(text), err=err)


def print_json(value: object) -> None:
    """Print a value as JSON."""
    typer.echo(json.dumps(value, indent=2))

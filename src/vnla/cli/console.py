"""What commands print with: tables and sentences on stdout, progress on stderr, JSON where it is asked for."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

LINE_SECONDS = 10.0
"""Between two lines that say how far something is, where there is no terminal to draw a bar on."""


class Tell(Protocol):
    """Says what is being done and, where it can be counted, how much of it is."""

    def __call__(self, what: str, done: int = 0, of: int | None = None, /) -> None: ...


@contextmanager
def telling() -> Iterator[Tell]:
    """A bar with an estimate of the time left at a terminal; elsewhere a line when something begins, ends, or takes long."""
    with progress_bar() as bar:
        yield _Lines() if bar.disable else _Bar(bar)


class _Bar:
    """One bar for one thing after the other."""

    def __init__(self, bar: Progress) -> None:
        self._bar, self._what, self._task = bar, "", bar.add_task("", total=None)

    def __call__(self, what: str, done: int = 0, of: int | None = None, /) -> None:
        if what != self._what:
            self._bar.remove_task(self._task)
            self._what, self._task = what, self._bar.add_task(escape(what), total=of)
        self._bar.update(self._task, completed=done, total=of)


class _Lines:
    """A line on stderr now and then."""

    def __init__(self) -> None:
        self._what, self._last = "", 0.0

    def __call__(self, what: str, done: int = 0, of: int | None = None, /) -> None:
        now = time.monotonic()
        if what != self._what or done == of or now - self._last >= LINE_SECONDS:
            typer.echo(what if of is None else f"{what} {done:,}/{of:,}", err=True)
            self._what, self._last = what, now


def progress_bar() -> Progress:
    """A bar with an estimate of the time left; nothing where nobody looks."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def plain() -> Console:
    """A console for what comes from files: names may hold [brackets]; they are text, never markup."""
    return Console(markup=False, highlight=False)


def print_json(value: object) -> None:
    """Print a value as JSON."""
    typer.echo(json.dumps(value, indent=2))

"""What commands print with: tables and sentences on stdout, progress on stderr, JSON where it is asked for."""

from __future__ import annotations

import json

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


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

"""What running the `vnla` command gives; the fixture that runs it is `vnla` in `tests/conftest.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """Exit status, and what was said."""

    status: int
    out: str
    err: str


Vnla = Callable[..., Answer]


def every_command() -> dict[str, Any]:
    """Every command as Typer makes it, by the words that name it."""
    from vnla import cli

    def below(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        if not hasattr(command, "commands"):
            yield " ".join(path), command
        for name, each in getattr(command, "commands", {}).items():
            yield from below(each, (*path, name))

    return dict(below(cli.command(), ()))

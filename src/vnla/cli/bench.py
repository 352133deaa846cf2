"""`vnla bench`: the commands of the folder `benchmarks`, which a checkout has and the installed package does not."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import typer

import vnla
from vnla.cli.help import Group
from vnla.common.errors import InputError

CHECKOUT = Path(vnla.__file__).parents[2]
"""The folder that has `src` in it, where the package is used from a checkout."""
_SUMMARY = "Measure how fast the parts are on this machine."


def register(app: typer.Typer) -> None:
    """Add `vnla bench` to `app`, or where there are no benchmarks a command that says where they are."""
    if not (CHECKOUT / "benchmarks" / "commands.py").is_file():
        anything = {"ignore_unknown_options": True, "allow_extra_args": True}
        app.command("bench", help=_SUMMARY, context_settings=anything)(_elsewhere)
        return
    if str(CHECKOUT) not in sys.path:
        sys.path.append(str(CHECKOUT))
    app.add_typer(importlib.import_module("benchmarks.commands").app, name="bench", help=_SUMMARY, cls=Group)


def _elsewhere() -> None:
    raise InputError(
        "vnla bench: the benchmarks are not in the installed package; they are in the folder benchmarks of the source"
        " distribution and of a checkout, where `make install` installs vnla"
    )

"""Several trainings by one command: each has the options of all, and some of its own."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from vnla.cli.options import given_of, is_given, names_in
from vnla.common.errors import InputError
from vnla.common.files import file_name


@dataclass(frozen=True)
class AskedTraining:
    """What a person asked of a training, or of several that differ in policy and seed alone."""

    folders: Sequence[Path]
    values: Mapping[str, Any]
    """All options of the command."""
    given: Set[str]
    """Those that were not left at their defaults."""


def variants_of(
    context: typer.Context, values: Mapping[str, Any], folders: Sequence[Path], lines: Sequence[str], shared: type[Any]
) -> list[AskedTraining]:
    """Return what a command with `values` asks for: one training, or one for each line such as "clock=--sensor clock".

    The options of the dataclass `shared` belong to the whole command.
    """
    given = given_of(context, values)
    if not lines:
        return [AskedTraining(folders, values, given)]
    if len(folders) > 1:
        raise InputError("--variant: give one folder; each variant gets a folder in it")
    parsed = [_parsed(context, line, names_in(shared)) for line in lines]
    names = [name for name, _ in parsed]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"--variant {twice}: was given twice")
    return [
        AskedTraining([folders[0] / name], {**values, **_together(values, own)}, given | own.keys()) for name, own in parsed
    ]


def _together(options: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Own options, which replace those of all; what may be repeated, a tuple before Typer 0.29, is added to it."""
    return {
        name: [*(options[name] or []), *value] if isinstance(value, (list, tuple)) else value for name, value in own.items()
    }


def _parsed(context: typer.Context, line: str, shared: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """The name of a variant, and the options that it was given."""
    name, sign, arguments = line.partition("=")
    if not sign or name != file_name(name):
        raise InputError(f'--variant {line}: give a name and options, such as "clock=--sensor clock"')
    try:
        words = shlex.split(arguments)
        its: Any = context.command.make_context("train", ["here", *words], parent=context.parent, help_option_names=[])
    except Exception as error:
        message = getattr(error, "format_message", None)  # Typer's errors about options
        if message is None and not isinstance(error, ValueError):
            raise
        raise InputError(f"--variant {name}: {message() if message else error}") from None
    own = {each: value for each, value in its.params.items() if is_given(its, each)}
    _, *folders = own.pop("run")
    outside = [f"--{each.replace('_', '-')}" for each in own if each in shared] + [str(each) for each in folders]
    if outside:
        raise InputError(f"--variant {name}: {outside[0]} is for all of them; give it outside")
    return name, own

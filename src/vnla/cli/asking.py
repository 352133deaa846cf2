"""Commands asked from Python: options by name, checked, converted and completed by Typer as on the command line.

    given = asked(train, [run], {"iterations": 20, "seed": [0, 1]})

So whatever calls a command's parts has its options, its defaults and its messages, and no list of them beside the command's.
"""

from __future__ import annotations

import difflib
import functools
import json
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import typer
import typer.main

from vnla.common.errors import InputError
from vnla.common.options import OWN

Given = dict[str, Any]
"""All that a command's function is called with, by the names of its parameters."""
Made = TypeVar("Made")

RANGE = "A..B"
"""Metavar of options that are given as two ends."""


def asked(
    command: Callable[..., Any],
    arguments: Sequence[object],
    options: Mapping[str, Any],
    among: Collection[str] | None = None,
) -> Given:
    """What a command's function would be called with if somebody typed these arguments, and options `among` some or all.

    Options have the names that they have on the command line: `help_policy` for --help-policy. None stands for the default.
    """
    parser = _parser(command)
    chosen = [each for each in _options(parser) if among is None or _name(each) in among]
    known = {_python(spelled): each for each in chosen for spelled in each.opts}
    words = [word for name, value in options.items() for word in _words(_found(command, known, name), value)]
    try:
        context = parser.make_context(command.__name__, [*words, "--", *map(_text, arguments)])
        given: Given = parser.invoke(context)
    except Exception as error:
        message = getattr(error, "format_message", None)  # Typer's errors about options
        if message is None:
            raise
        raise InputError(message()) from None
    return given


@functools.cache
def _parser(command: Callable[..., Any]) -> Any:
    """A command with the same parameters that does nothing but return what it is given."""

    @functools.wraps(command)
    def given(**values: Any) -> Given:
        return values

    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(command.__name__)(given)
    return typer.main.get_command(app)


def _options(parser: Any) -> list[Any]:
    return [each for each in parser.params if each.opts[0].startswith("--") and each.name != "help"]


def _name(parameter: Any) -> str:
    return _python(parameter.opts[0])


def _python(option: str) -> str:
    """Return an option as Python spells it."""
    return option.removeprefix("--").replace("-", "_")


def _found(command: Callable[..., Any], known: Mapping[str, Any], name: str) -> Any:
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"choose from {', '.join(known)}"
        raise InputError(f"{command.__name__}: has no option {name}; {hint}")
    return known[name]


def _words(parameter: Any, value: Any) -> list[str]:
    """An option as somebody would type it; nothing for None, and for a switch that is off."""
    option = parameter.opts[0]
    if value is None:
        return []
    if parameter.is_flag:
        if not isinstance(value, bool):
            raise InputError(f"{option}: takes True or False, not {value!r}")
        return [option] if value else []
    if isinstance(value, Mapping):
        if parameter.metavar != OWN:
            raise InputError(f"{option}: takes no mapping; its value is {parameter.metavar or 'one value'}")
        return [f"{option}={name}={json.dumps(each, default=_text)}" for name, each in value.items()]
    several = isinstance(value, Iterable) and not isinstance(value, str | bytes | os.PathLike | type)
    values = [_text(each) for each in value] if several else [_text(value)]
    if parameter.multiple:
        return [f"{option}={each}" for each in values]
    return [f"{option}={('..' if parameter.metavar == RANGE else ',').join(values)}"]


def _text(value: object) -> str:
    """A value as it is typed; a class by the name under which it is found again."""
    if isinstance(value, type):
        if value.__module__ == "__main__" or "<locals>" in value.__qualname__:
            raise InputError(
                f"{value.__qualname__}: a run could not find this class again; move it into a module of yours, a file beside"
                " your program, and import it from there"
            )
        return f"{value.__module__}:{value.__qualname__}"
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)

"""Writes commands.md from what the commands say of themselves: `make docs`, or this file alone.

A test compares the page with the commands, so that it cannot be out of date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from vnla.cli import app
from vnla.common.files import write_text

PAGE = Path(__file__).with_name("commands.md")

BEGINS = """\
# Every command

What `vnla COMMAND --help` says, in one place. Wrong input gets one line and exit status 2; a command that was interrupted
leaves with 130, and the same command goes on. [In the shell](start.md#in-your-shell) the names of commands and options
complete themselves.

This page is written by [commands.py](commands.py) from the commands themselves.
"""


def commands() -> str:
    """The page."""
    return "\n".join([BEGINS, *of("vnla", typer.main.get_command(app))])


def of(name: str, command: Any) -> Iterator[str]:
    """A command, or those of a group, each by its name as it is typed."""
    if not hasattr(command, "commands"):
        yield from one(name, command)
        return
    if name != "vnla":
        yield f"## {name}\n\n{paragraphs(command.help or '')}\n"
    for verb, inner in command.commands.items():
        if not inner.hidden:
            yield from of(f"{name} {verb}", inner)


def one(name: str, command: Any) -> Iterator[str]:
    """A command: how it is called, what it does, and what each word means."""
    context = command.make_context(name, [], resilient_parsing=True)
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    yield f"{'#' * min(3, len(name.split()))} {name}\n\n```text\n{usage}\n```\n\n{paragraphs(command.help or '')}\n"
    if rows := [f"| {word(left)} | {cell(right)} |" for left, right in given(command, context)]:
        yield "\n".join(["| given | what it is |", "| --- | --- |", *rows, ""])


def given(command: Any, context: Any) -> Iterator[tuple[str, str]]:
    """What a command may be given, but for `--help`, which all may."""
    for parameter in command.params:
        record = None if getattr(parameter, "hidden", False) else parameter.get_help_record(context)
        if record:
            yield record


def paragraphs(text: str) -> str:
    """A help text as Markdown: its examples are lines to copy."""
    found = [" ".join(each.split()) for each in re.split(r"\n\n|\s+(?=Example: )", text)]
    told = [prose(each) for each in found if not each.startswith("Example: ")]
    shown = [each.removeprefix("Example: ") for each in found if each.startswith("Example: ")]
    return "\n\n".join([*told, *(["\n".join(["```sh", *shown, "```"])] if shown else [])])


def prose(text: str) -> str:
    """A sentence in which only what is between backticks is markup, and options are code."""
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [re.sub(r"(?<![\w-])--[a-z][\w-]*", r"`\g<0>`", escaped(part)) for part in parts[::2]]
    return "".join(parts)


def escaped(text: str) -> str:
    """Characters that Markdown would take for its own."""
    return re.sub(r"[*_<>\[\]|]", r"\\\g<0>", text)


def word(text: str) -> str:
    """An option or an argument, as code."""
    return f"`{' '.join(text.split())}`".replace("|", "\\|")


def cell(text: str) -> str:
    """What is said of it."""
    return prose(" ".join(text.split()))


if __name__ == "__main__":
    write_text(PAGE, commands())

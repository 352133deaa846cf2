"""Writes commands.md from what the commands say of themselves, and the keywords of Python functions (`vnla.api.options`):
`make docs`, or this file alone.

A test compares both with the commands, so that they cannot be out of date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from vnla import api
from vnla.cli import app
from vnla.cli.asking import RANGE
from vnla.common.files import write_text
from vnla.common.options import OWN

PAGE = Path(__file__).with_name("commands.md")

KEYWORDS = Path(str(api.__file__)).with_name("options.py")
PRINTED = {"shard", "json"}
"""What is about machines and printing, of which functions have no need."""
TYPED_DICTS = {
    "WorldOptions": (("world make",), PRINTED),
    "ImportOptions": (("world import matterport", "world import json", "world import from"), PRINTED | {"verbose"}),
    "TaskOptions": (("tasks make",), PRINTED),
    "FeatureOptions": (("features make",), PRINTED),
    "TrainOptions": (("train",), PRINTED),
    "LoadOptions": (("watch",), {"episode", "split", "seed", "ratio", "out", "video", "ask", "price"}),
    "WalkOptions": (("watch",), {"checkpoint", "world", "tasks", "forward", "device", "out", "video", "ask", "price"}),
    "EvaluateOptions": (("evaluate",), PRINTED | {"csv", "recorded", "dry_run"}),
    "ScoreOptions": (("score",), PRINTED | {"world", "tasks", "csv", "schema"}),
    "CompareOptions": (("compare",), PRINTED),
}
"""Keywords of a function → whose options they are, and those that are left out."""

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


def keywords() -> str:
    """The module with the keywords of the functions: its head as it stands, and a class for each function."""
    head = KEYWORDS.read_text(encoding="utf-8").partition("\n\n\nclass ")[0]
    return "\n\n\n".join([head, *(typed_dict(name, *each) for name, each in TYPED_DICTS.items())]) + "\n"


def typed_dict(name: str, paths: tuple[str, ...], left_out: set[str]) -> str:
    """The keywords of one function."""
    found: dict[str, str] = {}
    for path in paths:
        command = typer.main.get_command(app)
        for verb in path.split():
            command = command.commands[verb]
        options = (each for each in command.params if each.opts[0].startswith("--") and each.name != "help")
        found |= {each.opts[0].removeprefix("--").replace("-", "_"): python_type(each) for each in options}
    fields = [f"    {each}: {kind}" for each, kind in found.items() if each not in left_out]
    whose = ", ".join(f"`vnla {path}`" for path in paths)
    return "\n".join([f"class {name}(TypedDict, total=False):", f'    """Options of {whose}."""', "", *fields])


def python_type(parameter: Any) -> str:
    """What Python may be given for an option (`vnla.cli.asking` makes of it what a person would type)."""
    annotation = parameter.type_descriptor.annotation
    if parameter.is_flag:
        return "bool"
    if parameter.metavar == "NUMBERS":
        return "int | str | Sequence[int]"
    kinds = {OWN: "Own", RANGE: "Ends"}
    if parameter.metavar in kinds:
        kind = kinds[parameter.metavar]
    elif parameter.multiple:
        kind = "str | Sequence[str]"
    elif annotation is str and parameter.metavar in ("NAME", "NAMES", "KIND"):
        kind = "Names" if "commas" in parameter.help or parameter.metavar == "NAMES" else "Name"
    else:
        kind = {Path: "Place"}.get(annotation, "str" if issubclass(annotation, str) else annotation.__name__)
    return kind if parameter.default is not None or parameter.required else f"{kind} | None"


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
    write_text(KEYWORDS, keywords())

"""`--help` of every command prints what is written into it, and every command prints on any terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from command import Vnla
from vnla.cli import app
from vnla.houses.cottage import cottage
from vnla.houses.folder import write_world


def commands(command: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command and group below the app, with the words that name it."""
    command = command or typer.main.get_command(app)
    yield path, command
    for name, each in getattr(command, "commands", {}).items():
        yield from commands(each, (*path, name))


COMMANDS = dict(commands())


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("width", [60, 100])
def test_what_a_help_text_says_is_printed(
    vnla: Vnla, monkeypatch: pytest.MonkeyPatch, path: tuple[str, ...], width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    answer = vnla(*path, "--help")
    assert answer.status == 0, answer.err
    assert max(map(len, answer.out.splitlines())) <= width
    command = COMMANDS[path]
    shown = words(answer.out)
    for text in (*(command.help or "").split("\n\n"), command.epilog or ""):
        assert words(text) in shown
    for parameter in command.params:
        assert all(each in shown for each in parameter.opts if each.startswith("-"))
        assert words(parameter.help or "") in shown, parameter.name


def test_a_list_of_commands_has_the_first_sentence_of_each(vnla: Vnla) -> None:
    shown = words(vnla("--help").out)
    for name, command in COMMANDS[()].commands.items():
        assert f"{name} {words(command.help).partition('. ')[0]}" in shown


def test_what_typer_refuses_is_a_sentence(vnla: Vnla) -> None:
    assert vnla("--loudly").err == "vnla: error: No such option: --loudly. See vnla --help\n"


DRIVER = """
import os, sys
from vnla.cli import main
for width in {widths}:
    os.environ["COLUMNS"] = str(width)
    for arguments in {runs}:
        try:
            main(arguments)
        except SystemExit as left:
            assert left.code == 0, (width, arguments)
        sys.stdout.write("\\n%\\n")
"""


@pytest.mark.parametrize(("encoding", "widths"), [("ascii", (40,)), pytest.param("latin-1", (80,), marks=pytest.mark.slow)])
def test_every_terminal_will_do(encoding: str, widths: tuple[int, ...], tmp_path: Path) -> None:
    write_world(tmp_path / "world", [cottage()], source="generated")
    runs = [*([*path, "--help"] for path in COMMANDS), ["walk"], ["world", "show", "world"]]
    script = DRIVER.format(widths=widths, runs=runs)
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "LANG": "C", "LC_ALL": "C", "PYTHONPATH": paths}
    made = subprocess.run([sys.executable, "-c", script], env=environment, cwd=tmp_path, capture_output=True, check=False)
    assert made.returncode == 0, made.stderr.decode(errors="replace")
    outputs = made.stdout.decode(encoding).split("\n%\n")[:-1]
    assert len(outputs) == len(widths) * len(runs)
    for number, output in enumerate(outputs):
        width, arguments = widths[number // len(runs)], runs[number % len(runs)]
        if "--help" not in arguments:  # of those, a terminal folds a few lines
            assert max(map(len, output.splitlines())) <= width, arguments
        if arguments == ["world", "show", "world"]:
            assert {"10,567", "21,468", "13.0"} <= set(re.findall(r"[\d.,]*\d", output))


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("vnla wor", ["world"]), ("vnla world ma", ["make"]), ("vnla train --objective-", ["--objective-option"])],
)
def test_a_shell_completes_commands_and_options(typed: str, offered: list[str]) -> None:
    told = {"_VNLA_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    done = subprocess.run([sys.executable, "-m", "vnla"], env=os.environ | told, capture_output=True, text=True)
    assert (done.stdout.split(), done.stderr) == (offered, "")

"""Every option and argument of every command, given odd values: one line that says what is wrong, and no traceback.

The commands and what they take are read from Typer, so a new option is tried as soon as it is there. Folders and files that
a command needs are missing, and what would begin real work is stopped, so that little is done.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NoReturn

import pytest

from command import Vnla, every_command
from vnla.common import registry
from vnla.common.errors import InputError

COMMANDS = every_command()
NUMBERS = ("", "9" * 400, "nan", "inf", "-1", "0", "-9" + "0" * 30)
TEXTS = (
    "", "9" * 400, "nan", "-1", "a\0b", "\udc80", "[" * 10_000, "..x:y", ":y", "x:", "os:system", "x" * 5000, "a\nb\x1b[2J",
    "x/" * 3000,
)  # fmt: skip
WORK = (
    "vnla.experiments.paper.paper_stages.run_experiments",
    "vnla.experiments.paper.paper_parts.run_part",
    "vnla.experiments.beyond.comparison_stages.run_comparison",
    "benchmarks.commands._measure",
    "vnla.cli.walk._teacher_walk",
    "vnla.cli.serve.listening",
    "vnla.cli.mcp._serve",
    "vnla.report.house_pictures.draw_pictures",
    "vnla.vision.encoders.efficientnet.untouched_network",
    "vnla.cli.study.listening",
    "vnla.serve.study.power.PowerAnalysis",
    "vnla.houses.generate.unfinished.unfinished",
    "vnla.experiments.benchmark.houses.BenchmarkHouses.base",
    "vnla.experiments.benchmark.houses.BenchmarkHouses.fresh",
    "vnla.experiments.benchmark.signing.make_key",
)
"""What begins the work of commands that need no file."""

INSTALLED = cache(entry_points)
"""What packages offer, which is looked up for every name that is unknown: the same for all of them."""


def stopped(*_: object, **__: object) -> NoReturn:
    raise InputError("the work would begin here")


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is not there, in the working folder, which is empty; and nothing begins."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("vnla.common.machine.busy_hint", lambda *_: None)
    monkeypatch.setattr(registry, "entry_points", INSTALLED)
    for place in WORK:
        monkeypatch.setattr(place, stopped)
    return tmp_path / "nowhere" / "at" / "all"


def odd(parameter: Any, nowhere: Path) -> Iterator[str]:
    """Values for an option or argument."""
    annotation = str(parameter.type_descriptor.annotation)
    if parameter.name == "threads" or getattr(parameter, "is_flag", False):
        return  # how many PyTorch takes is tried in tests/common/test_machine.py
    yield from NUMBERS if "int" in annotation or "float" in annotation else (*TEXTS, str(nowhere.parents[2]), str(nowhere))
    if parameter.opts[0].endswith("option"):
        for value in ("9" * 400, "NaN", "[" * 10_000, "\udc80"):
            yield f"beta={value}"


def arguments(path: str, command: Any, parameter: Any, value: str, nowhere: Path) -> list[str]:
    """The command with this value, and with what else it cannot be without."""
    words: list[str] = []
    for each in command.params:
        if each is not parameter and not each.required:
            continue
        given = value if each is parameter else "json" if each.name == "form" else str(nowhere)
        words += [f"{each.opts[0]}={given}"] if each.opts[0].startswith("-") else ["--", given][given[:1] != "-" :]
    options = [word for word in words if word.startswith("--") and word != "--"]
    return [*path.split(), *options, *(word for word in words if word not in options)]


@pytest.mark.parametrize("path", COMMANDS)
def test_an_odd_value_is_answered_in_one_line(vnla: Vnla, nowhere: Path, path: str) -> None:
    command = COMMANDS[path]
    for parameter in command.params:
        for value in odd(parameter, nowhere):
            words = arguments(path, command, parameter, value, nowhere)
            answer = vnla(*words)
            tried = f"{path} {parameter.opts[0]}={value[:40]!r}: {answer.err[-2000:]}"
            assert answer.status in (0, 1, 2), tried
            assert "Traceback" not in answer.err, tried
            if answer.status == 2:
                complaints = [line for line in answer.err.splitlines() if line.startswith("vnla: error: ")]
                assert len(complaints) == 1 and answer.err.endswith(f"{complaints[0]}\n"), tried
                assert len(complaints[0]) < 2000 and "\x1b" not in answer.err, tried
    assert not nowhere.exists()

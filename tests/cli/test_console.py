"""Progress where there is no terminal: lines now and then, and none of what takes a moment."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

from vnla.cli.console import InLines, PlainProgress, TimedLog, progress_bar, telling


def test_a_pipe_gets_lines_on_every_task_in_hand() -> None:
    out = io.StringIO()
    console = Console(file=out, width=20)
    with PlainProgress(console, TimedLog(console, seconds=0)) as progress:
        one, two = progress.add_task("one", total=4, speed=""), progress.add_task("two", total=4, speed="")
        progress.advance(one, 1)
        progress.update(two, completed=2, description="[two]", speed="3 it/s")
        progress.advance(one, 3)
        progress.advance(two, 2)
    told = [" ".join(line.split()) for line in out.getvalue().splitlines()]
    assert told[0].startswith("0:00 12% one 1/4") and told[0].endswith("two 0/4")
    assert "38% one 1/4" in told[1] and told[1].endswith("[two] 2/4, 3 it/s")
    assert told[2].startswith("0:00 50% [two] 2/4, 3 it/s")
    assert len(told) == 3, "what is done is not in hand any more"


def test_what_takes_a_moment_says_nothing_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar() as progress:
        assert list(progress.track(range(3), description="building")) == [0, 1, 2]
    assert capsys.readouterr() == ("", "")


def test_what_is_tracked_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vnla.common.lines.LINE_SECONDS", 0.0)
    with progress_bar() as progress:
        for _ in progress.track(range(3), description="building"):
            time.sleep(0.01)
    told = capsys.readouterr().err
    assert "building 1/3" in told and "building 2/3" in told


def test_elsewhere_there_is_a_line_where_something_begins_ends_or_takes_long() -> None:
    out, seconds = io.StringIO(), iter([0.0, 0.0, 1.0, 2.0, 12.0, 12.0, 20.0, 21.0])
    tell = InLines(TimedLog(Console(file=out, width=80), seconds=10, clock=lambda: next(seconds)))
    tell("loading")
    tell("evaluating", 0, 5000)
    tell("evaluating", 1000, 5000)  # a second later
    tell("evaluating", 2000, 5000)
    tell("evaluating", 4000, 5000)
    tell("evaluating", 5000, 5000)
    assert [" ".join(line.split()[1:]) for line in out.getvalue().splitlines()] == [
        "loading",
        "0% evaluating 0/5,000",
        "40% evaluating 2,000/5,000",
        "100% evaluating 5,000/5,000",
    ]


def test_what_takes_long_says_early_how_long_it_still_takes() -> None:
    """After six seconds a tenth is done, so the rest takes 54; the next line comes when it is due."""
    out, clock = io.StringIO(), iter([100.0, 100.0, 106.0, 107.0, 160.0])
    tell = InLines(TimedLog(Console(file=out, width=80), seconds=1000), clock=lambda: next(clock))
    for done in (0, 10, 12, 100):
        tell("looking around in the houses", done, 100)
    assert [" ".join(line.split()[1:]) for line in out.getvalue().splitlines()] == [
        "0% looking around in the houses 0/100",
        "10% looking around in the houses 10/100, about 54 s left",
        "100% looking around in the houses 100/100",
    ]


def test_a_name_of_a_file_does_nothing_to_the_terminal(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for forced in (False, True):
        if forced:
            monkeypatch.setenv("FORCE_COLOR", "1")
            monkeypatch.setenv("TERM", "xterm")
        with telling() as tell:
            tell("loading a\nb\x1b]0;owned\x07")
        said = capfd.readouterr().err
        assert "loading a b␛]0;owned" in said and "\x1b]" not in said


def test_at_a_terminal_there_is_a_bar(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # what Rich takes for a terminal
    monkeypatch.setenv("TERM", "xterm")
    with telling() as tell:
        tell("loading [bold]")
        tell("evaluating", 0, 12)
        tell("evaluating", 6, 12)
        tell("evaluating", 12, 12)
    shown = capfd.readouterr()
    assert not shown.out
    assert "12/12" in shown.err and "━" in shown.err and "evaluating 12/12" not in shown.err

"""How far a command is, at a terminal and elsewhere."""

from __future__ import annotations

import pytest

from vnla.cli import console


def test_elsewhere_there_is_a_line_where_something_begins_ends_or_takes_long(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = iter([0.0, 1.0, 2.0, 2.0 + console.LINE_SECONDS, 20.0, 21.0])
    monkeypatch.setattr("time.monotonic", lambda: next(seconds))
    tell = console._Lines()
    tell("loading")
    tell("evaluating", 0, 5000)
    tell("evaluating", 1000, 5000)  # a second later
    tell("evaluating", 2000, 5000)
    tell("evaluating", 4000, 5000)
    tell("evaluating", 5000, 5000)
    assert capfd.readouterr().err.splitlines() == [
        "loading",
        "evaluating 0/5,000",
        "evaluating 2,000/5,000",
        "evaluating 5,000/5,000",
    ]


def test_at_a_terminal_there_is_a_bar(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # what Rich takes for a terminal
    monkeypatch.setenv("TERM", "xterm")
    with console.telling() as tell:
        tell("loading [bold]")
        tell("evaluating", 0, 12)
        tell("evaluating", 6, 12)
        tell("evaluating", 12, 12)
    shown = capfd.readouterr()
    assert not shown.out
    assert "12/12" in shown.err and "━" in shown.err and "evaluating 12/12" not in shown.err

"""Progress where there is no terminal: lines now and then, and none of what takes a moment."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

from vnla.cli.console import Lines, ProgressLines, progress_bar


def test_a_pipe_gets_lines_on_every_task_in_hand() -> None:
    out = io.StringIO()
    console = Console(file=out, width=20)
    with ProgressLines(console, Lines(console, seconds=0)) as progress:
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

"""Plain lines: at once or now and then, with the time and the part that is done."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from vnla.common.lines import TimedLog, duration


class Clock:
    """A time that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_lines_come_now_and_then_with_the_time_since_the_beginning() -> None:
    out, clock = io.StringIO(), Clock()
    lines = TimedLog(Console(file=out, width=20), seconds=20, clock=clock)
    for seconds, done in ((1, 1), (19, 2), (21, 3), (22, 4), (40, 5), (95, 6)):
        clock.now = 100.0 + seconds
        lines.now_and_then(f"{done}/10 [houses] of a village", done / 10)
    lines.say("written")
    assert out.getvalue().splitlines() == [
        "  0:21   30%  3/10 [houses] of a village",
        "  1:35   60%  6/10 [houses] of a village",
        "  1:35  written",
    ]


@pytest.mark.parametrize(
    ("seconds", "words"), [(1.24, "1.2 s"), (59.4, "59 s"), (90, "2 min"), (3_600, "1 h 00 min"), (9_000, "2 h 30 min")]
)
def test_a_time_reads_as_people_say_it(seconds: float, words: str) -> None:
    assert duration(seconds) == words

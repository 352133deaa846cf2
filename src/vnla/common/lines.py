"""Plain lines on how far something is, where nobody watches a bar: a log file, a pipe.

lines = Lines(Console(stderr=True))
lines.say("features: begins")                                  # at once:              "  0:00  features: begins"
lines.now_and_then("encoding 300/2,000 viewpoints", part=0.15)  # every twenty seconds: "  0:20   15%  encoding …"
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

LINE_SECONDS = 20.0
"""Between two lines on how far everything is."""


class TimedLog:
    """Lines with the time since the beginning, and the part of the whole that is done where it is known."""

    def __init__(self, console: Console, seconds: float | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        """On a console, at least so many seconds apart; `LINE_SECONDS` if that is not said."""
        self._console, self._clock = console, clock
        self._seconds = LINE_SECONDS if seconds is None else seconds
        self._began = self._said = clock()

    @property
    def due(self) -> bool:
        """Whether the last line was said long enough ago."""
        return self._clock() - self._said >= self._seconds

    def say(self, what: str, part: float | None = None) -> None:
        """A line now."""
        self._said = self._clock()
        minutes, seconds = divmod(int(self._said - self._began), 60)
        share = "" if part is None else f"{part:5.0%}  "
        line = f"{minutes:3d}:{seconds:02d} {share or ' '}{what}"
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def now_and_then(self, what: str, part: float | None = None) -> None:
        """A line if the last one was said long enough ago."""
        if self.due:
            self.say(what, part)


def duration(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"

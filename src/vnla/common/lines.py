"""How long work goes on, told in plain lines: for logs and wherever there is no terminal to draw a bar in."""

from __future__ import annotations

import time
from collections.abc import Callable

LINE_SECONDS = 20.0
"""Between two lines on how far everything is."""


class Lines:
    """Writes lines that begin with the time since the first and the share of the work that is done."""

    def __init__(self, write: Callable[[str], None], every: float = LINE_SECONDS) -> None:
        self._write, self._every = write, every
        self._began = self._said = time.monotonic()

    @property
    def due(self) -> bool:
        """Whether nothing has been said for some time."""
        return time.monotonic() - self._said >= self._every

    def say(self, part: float, what: str) -> None:
        """A line, with that part of everything done."""
        self._said = time.monotonic()
        minutes, seconds = divmod(int(self._said - self._began), 60)
        self._write(f"{minutes:3d}:{seconds:02d} {part:5.0%}  {what}")

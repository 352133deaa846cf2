"""What one visitor, and all of them, may ask of a server."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The bounds of a server."""

    sessions: int = 10_000
    """Sessions that are kept."""
    awake: int = 1_000
    """Sessions in memory; who comes back to another is read from disk."""
    connections: int = 500
    message: int = 8_192
    """Bytes of a visitor's message."""
    events: int = 20_000
    """Events of a session."""
    rate: float = 20.0
    """Messages a second of one connection, in the long run."""
    burst: int = 60
    """Messages that may come at once."""
    new: float = 20.0
    """New sessions a second, in the long run."""
    crowd: int = 500
    """New sessions that may come at once."""
    unread: int = 256
    """Messages that may wait for a slow visitor."""


class Bucket:
    """Lets through so many a second, and a burst of some more."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._left, self._then = burst, clock()

    def take(self) -> bool:
        """Whether one more may pass now."""
        now = self._clock()
        self._left = min(self._burst, self._left + self._rate * (now - self._then))
        self._then = now
        if self._left < 1:
            return False
        self._left -= 1
        return True

"""Limits on what one visitor, and all of them, may ask of a server."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from vnla.common.errors import InputError

Result = TypeVar("Result")


@dataclass(frozen=True)
class Limits:
    """The bounds of a server."""

    sessions: int = 10_000
    """Sessions that are stored."""
    awake: int = 1_000
    """Sessions in memory; who comes back to another is read from disk."""
    stored: int = 4 * 1024**3
    """Bytes of all sessions together."""
    keep: float | None = None
    """Seconds after which a session that nobody goes on with is expired; None for never, unless room is needed."""
    connections: int = 500
    """Visitors who are connected."""
    before_hello: int = 200
    """Connections whose visitor has not said hello yet; beyond that the address with the most of them loses its oldest."""
    hello: float = 10.0
    """Seconds that a connection has to say hello."""
    sending: float = 20.0
    """Seconds in which a visitor has to take a message."""
    request: float = 10.0
    """Seconds that a request has to arrive, its headers and whatever follows them."""
    response: float = 60.0
    """Seconds in which whoever has asked for something has to take it."""
    address_connections: int = 50
    """Visitors who are connected from one address."""
    address_requests: float = 50.0
    """Requests a second of one address, in the long run; opening the page takes some twenty."""
    address_requests_burst: float = 1_000
    address_new: float = 0.1
    """New sessions a second of one address, in the long run."""
    address_crowd: float = 60
    """New sessions of one address that may come at once."""
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
    previews: float = 10.0
    """Texts a second that the page shows one session as they are understood, in the long run."""
    previews_burst: int = 30
    """Texts that may come at once."""
    reading: float = 0.5
    """Seconds of processor time a second in which texts of one session are read, in the long run."""
    reading_burst: float = 5.0
    """Seconds of processor time that may be taken at once."""


class TooFastError(InputError):
    """Somebody asks for more than a server does for one session; a moment later it does."""

    def __init__(self) -> None:
        super().__init__("that was too fast; wait a moment")


class TokenBucket:
    """Lets so many pass a second, and a burst of some more."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._left, self._then = burst, clock()

    def take(self) -> bool:
        """Take one, and return whether it may pass now."""
        if self.left() < 1:
            return False
        self._left -= 1
        return True

    def left(self) -> float:
        """Return how much is in it now; less than nothing where more was spent than there was."""
        now = self._clock()
        self._left = min(self._burst, self._left + self._rate * (now - self._then))
        self._then = now
        return self._left

    def spend(self, amount: float) -> None:
        """Take out what something has cost."""
        self._left = self.left() - amount


class ReadingTime:
    """The processor time in which texts of one session are read.

    How long a text takes is measured afterwards. What a text means must not depend on it, so none is given up midway: who
    has had too much waits before the next one.
    """

    def __init__(self, limits: Limits, used: Callable[[], float] = time.thread_time) -> None:
        self._bucket, self._used = TokenBucket(limits.reading, limits.reading_burst), used

    def measure(self, read: Callable[[], Result]) -> Result:
        """Return what `read` returns, if there is time for it."""
        if self._bucket.left() <= 0:
            raise TooFastError
        began = self._used()
        try:
            return read()
        finally:
            self._bucket.spend(self._used() - began)

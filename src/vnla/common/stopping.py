"""SIGINT and SIGTERM as something to look at, or to wait with, so that work ends where it is whole."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

AT_ONCE = 0.5
"""Seconds in which two signals are one: `timeout`, for example, sends each to the process and to its group."""


class Interrupted(KeyboardInterrupt):
    """The process was told to stop, by a signal of this number."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


class Stop:
    """What was heard: the last signal, and how many there were."""

    def __init__(self) -> None:
        self.number: int | None = None
        self.times = 0
        self._last = -AT_ONCE

    def note(self, number: int) -> bool:
        """Take in a signal; whether it is one more."""
        now = time.monotonic()
        before, self._last = self._last, now
        if now - before < AT_ONCE:
            return False
        self.number, self.times = number, self.times + 1
        return True


@contextmanager
def signals_noted(react: Callable[[Stop], None] = lambda _: None) -> Iterator[Stop]:
    """SIGINT and SIGTERM are noted for the length of the block, and stop nothing by themselves.

    `react` is called at each, between two instructions of the main thread; what it raises is raised there. Other threads
    than the main one hear nothing.
    """
    stop = Stop()

    def note(number: int, _: FrameType | None) -> None:
        if stop.note(number):
            react(stop)

    with _answered(note, signal.SIGINT, signal.SIGTERM):
        yield stop


@contextmanager
def held_up(*numbers: int) -> Iterator[None]:
    """Signals of these numbers wait until the block is over: they are noted, and raised again at its end."""
    noted: list[int] = []
    try:
        with _answered(lambda number, _: noted.append(number), *numbers):
            yield
    finally:
        for again in noted:
            signal.raise_signal(again)


@contextmanager
def _answered(handler: Callable[[int, FrameType | None], None], *numbers: int) -> Iterator[None]:
    """Signals of these numbers call `handler` for the length of the block, if the main thread is in it.

    Python hands signals to that one, and only there can it be said what they do.
    """
    heard = numbers if threading.current_thread() is threading.main_thread() else ()
    before = {number: signal.signal(number, handler) for number in heard}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, signal.SIG_DFL if earlier is None else earlier)

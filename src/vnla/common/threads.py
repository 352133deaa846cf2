"""Work on several threads, for loops that run without Python's lock; where there is to be one thread, it is the caller's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")
Other = TypeVar("Other")


def on_threads(work: Callable[[Given], Made], given: Iterable[Given], workers: int) -> list[Made]:
    """Return what `work` returns for each, in that order."""
    if workers == 1:
        return [*map(work, given)]
    with ThreadPoolExecutor(workers) as threads:
        return [*threads.map(work, given)]


def both(first: Callable[[], Made], second: Callable[[], Other], workers: int) -> tuple[Made, Other]:
    """Return what both return, done at once if there is more than one worker."""
    if workers == 1:
        return first(), second()
    with ThreadPoolExecutor(1) as beside:
        waiting = beside.submit(second)
        return first(), waiting.result()

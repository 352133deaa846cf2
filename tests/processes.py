"""Waiting for processes to end."""

from __future__ import annotations

import os
import time
from collections.abc import Callable


def is_gone(number: int, seconds: float = 10, kill: Callable[[int, int], None] = os.kill) -> bool:
    """Whether a process is gone after some time; with `os.killpg`, whether no process of a group is left."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            kill(number, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False

"""A folder that one process works in at a time.

The lock belongs to the process that holds it, so one that was killed leaves none behind; the file it is held on stays.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from vnla.common.errors import InputError

LOCK = ".lock"


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Nobody else works in the folder, which is made if it is not there, for the length of the block."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            who = lock.read(20).strip()
            raise InputError(f"{folder}: another process is at work there ({who}); wait for it or stop it") from None
        except OSError:  # a file system without locks
            pass
        else:
            with suppress(OSError):  # a full disk; who it is, is good to know and no more
                os.ftruncate(lock.fileno(), 0)
                os.write(lock.fileno(), f"{os.getpid()}\n".encode())
        yield

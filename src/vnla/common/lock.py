"""A folder that one process works in at a time.

The lock belongs to the process that holds it, so one that was killed leaves none behind; the file it is held on stays. A
link in its place is not followed: what it leads to is somebody else's.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from vnla.common.errors import InputError

LOCK = ".lock"


@contextmanager
def alone_in(folder: Path, *, shared: bool = False, private: bool = False) -> Iterator[None]:
    """Nobody else works in the folder, which is made if it is not there, for the length of the block.

    Those who share it may work in it together. A private one is made so that its owner alone can list it.
    """
    try:
        import fcntl
    except ImportError:  # not on Windows
        yield
        return
    with _opened(folder, 0o700 if private else 0o777) as lock:
        try:
            fcntl.flock(lock, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
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


def _opened(folder: Path, mode: int) -> TextIO:
    path = folder / LOCK
    try:
        folder.mkdir(mode, parents=True, exist_ok=True)
        return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o666), "a+")
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise InputError(f"{path}: is a symbolic link; remove it") from None
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None

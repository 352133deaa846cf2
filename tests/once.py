"""Folders that all processes of the tests share: the first that wants something makes it there, and the others read it."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

_of_this_run: list[Path] = []


def share(factory: pytest.TempPathFactory) -> None:
    """Have the processes of this run of the tests share folders."""
    base = factory.getbasetemp()
    _of_this_run[:] = [base.parent if "PYTEST_XDIST_WORKER" in os.environ else base]


@contextmanager
def shared_folder(name: str) -> Iterator[Path]:
    """A folder that the processes of a run share, in which one of them works at a time; outside of a run, this one's own."""
    folder = (_of_this_run[0] if _of_this_run else Path(_own().name)) / name
    folder.mkdir(exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


@cache
def _own() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()

"""What is made once for all processes of the tests: the first that wants it makes it, and the others read it."""

from __future__ import annotations

import fcntl
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

import pytest

Made = TypeVar("Made")

_folders: list[Path] = []


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """Return the folder of all processes of this run of the tests."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def share_in(folder: Path) -> None:
    """Keep in a folder what is made from now on."""
    _folders[:] = [folder]


def made_once(name: str, make: Callable[[], Made]) -> Made:
    """Return what `make` returns, made by one of the processes; where none share a folder, made here."""
    if not _folders:
        return make()
    path = _folders[0] / f"{name}.pickle"
    with (_folders[0] / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            made = make()
            path.write_bytes(pickle.dumps(made))
            return made
    return cast(Made, pickle.loads(path.read_bytes()))

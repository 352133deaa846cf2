"""What must be settled before any test is imported: without a GPU, Triton runs its kernels in Python.

It decides so when it is imported, and `torch.compile` imports it, too. Who only hands tests out to workers, which wait for
that one to begin, imports neither. Of the workers one compiles a kernel, and the others wait and find it on disk. And no
example of a property is wrong for being slow: the machine may be busy. And the command is here, which tests of every kind
run.
"""

from __future__ import annotations

import fcntl
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from command import Answer, Vnla

settings.register_profile("busy", deadline=None, max_examples=50)
settings.load_profile("busy")


def pytest_configure(config: pytest.Config) -> None:
    hands_out = config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput")
    if hasattr(config, "workerinput") and config.cache is not None:
        compile_in_turn(config.cache.mkdir("kernels") / "lock")
    if hands_out or find_spec("triton") is None:
        return
    import torch

    if not torch.cuda.is_available():
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TRITON_INTERPRET", "1")
            __import__("triton")


def compile_in_turn(lock: Path) -> None:
    """From now on a kernel is looked for on disk, and compiled, while no other worker does so."""
    from numba.core.dispatcher import Dispatcher

    plain, turn, depth = Dispatcher.compile, threading.RLock(), [0]  # kernels are compiled within others

    def in_turn(kernel: Any, signature: Any) -> Any:
        with turn, lock.open("w") as file:
            if not depth[0]:
                fcntl.flock(file, fcntl.LOCK_EX)
            depth[0] += 1
            try:
                return plain(kernel, signature)
            finally:
                depth[0] -= 1
                if not depth[0]:
                    fcntl.flock(file, fcntl.LOCK_UN)  # whoever was forked meanwhile has the file, too

    Dispatcher.compile = in_turn


@pytest.fixture
def vnla(capfd: pytest.CaptureFixture[str]) -> Vnla:
    """The command, run in this process."""
    from vnla.cli import main

    def run(*arguments: object) -> Answer:
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        assert isinstance(left.value.code, int)
        return Answer(left.value.code, captured.out, captured.err)

    return run

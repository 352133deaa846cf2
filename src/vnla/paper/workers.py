"""A process that carries out stages, one after the other, and says how far it is.

Workers live as long as the whole run, so that PyTorch is loaded, and the world read, once in each. A worker that is told to
stop (SIGTERM) drops what it does, but for a training, which saves first. It leaves when the process that started it is gone.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any

from vnla.common.errors import InputError

PROGRESS_SECONDS = 0.2
"""Between two words on how far a stage is."""

_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


class Stopped(BaseException):
    """Raised in a worker that was told to stop."""


@dataclass(frozen=True)
class Order:
    """What a worker is to do: `work(*given, report)` with that many threads."""

    work: Callable[..., None]
    given: tuple[Any, ...]
    threads: int


@dataclass(frozen=True)
class Progress:
    """So much is done, of so much."""

    done: float
    of: float
    note: str = ""


@dataclass(frozen=True)
class Outcome:
    """An order was carried out, if there is no `error`; `details` are for whoever mends it."""

    error: str = ""
    details: str = ""


@dataclass
class Worker:
    """A worker as its foreman sees it."""

    process: BaseProcess
    pipe: Connection
    _told_to_stop: bool = field(default=False, repr=False)

    @classmethod
    def start(cls) -> Worker:
        """A new process; it inherits nothing, so that threads and signal handlers of this one do no harm."""
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs,), name="vnla worker")
        # Ctrl-C reaches all processes of a terminal, this one from its first moment; whether to stop is the foreman's
        # decision. What is ignored stays ignored in a process that is started.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            process.start()
        finally:
            signal.signal(signal.SIGINT, before)
        theirs.close()
        return cls(process, ours)

    def begin(self, order: Order) -> None:
        """Have an order carried out."""
        self.pipe.send(order)

    def stop(self) -> None:
        """Tell it to stop, once."""
        if not self._told_to_stop and self.process.is_alive() and self.process.pid is not None:
            self._told_to_stop = True
            os.kill(self.process.pid, signal.SIGTERM)

    def leave(self, seconds: float = 10.0) -> None:
        """Let it go; what does not leave by itself is killed."""
        self.pipe.close()  # an idle worker leaves when nobody can send it anything any more
        self.process.join(seconds)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _work(pipe: Connection) -> None:
    signal.signal(signal.SIGTERM, _stop)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    try:
        while True:
            order = pipe.recv()
            pipe.send(_carry_out(order, pipe))
    except (Stopped, EOFError, BrokenPipeError, ConnectionResetError):
        pass


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise Stopped


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)


def _carry_out(order: Order, pipe: Connection) -> Outcome:
    _use_threads(order.threads)
    last = 0.0

    def report(done: float, of: float, note: str = "") -> None:
        nonlocal last
        if time.monotonic() - last >= PROGRESS_SECONDS or done >= of:
            last = time.monotonic()
            pipe.send(Progress(done, of, note))

    try:
        order.work(*order.given, report)
    except InputError as error:
        return Outcome(" ".join(str(error).split()), traceback.format_exc())
    except Exception as error:
        return Outcome(f"{type(error).__name__}: {' '.join(str(error).split())}", traceback.format_exc())
    return Outcome()


def _use_threads(count: int) -> None:
    """By the environment for what is loaded later, by a call for what is there."""
    os.environ.update(dict.fromkeys(_THREADS, str(count)))
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(count)

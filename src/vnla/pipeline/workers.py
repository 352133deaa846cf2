"""A process that carries out stages, one after the other, and says how far it is.

Workers live as long as the whole run, so that PyTorch is loaded, and the world read, once in each. A worker that is told to
stop (SIGTERM) drops what it does, but for a training, which saves first. It leaves when the process that started it is gone.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any

from vnla.common.errors import InputError
from vnla.common.machine import use_threads
from vnla.common.process_pool import Failure, Member

PROGRESS_SECONDS = 0.2
"""Between two words on how far a stage is."""


class Stopped(BaseException):
    """Raised in a worker that was told to stop."""


@dataclass(frozen=True)
class StageCall:
    """What a worker is to do: `work(*given, report)` with that many threads."""

    work: Callable[..., None]
    given: tuple[Any, ...]
    threads: int


@dataclass(frozen=True)
class StageProgress:
    """So much is done, of so much; of which of the stages that are done together."""

    done: float
    of: float
    note: str = ""
    which: int = 0


@dataclass(frozen=True)
class StageResult:
    """An order was carried out, if there is no `failure`; of stages that are done together all but those that `failed`."""

    failure: Failure | None = None
    failed: Mapping[int, Failure] = field(default_factory=dict)

    def of(self, which: int) -> Failure | None:
        """What went wrong with one of the stages, if anything."""
        return self.failure or self.failed.get(which)


class SomeFailedError(InputError):
    """Raised by a joint work of which some stages have failed, and the others are done."""

    def __init__(self, lines: Mapping[int, str]) -> None:
        """With a line about each that has failed, by its place among those that were given."""
        self.lines = dict(lines)
        super().__init__("; ".join(self.lines.values()))


class StageWorker(Member):
    """A worker as the process that started it sees it."""

    def __init__(self) -> None:
        super().__init__(_work, name="vnla worker", daemon=False)  # a stage may have a crew of its own
        self._told_to_stop = False

    def stop(self) -> None:
        """Tell it to stop, once."""
        if not self._told_to_stop and self.process.is_alive() and self.process.pid is not None:
            self._told_to_stop = True
            os.kill(self.process.pid, signal.SIGTERM)


def _work(pipe: Connection) -> None:
    signal.signal(signal.SIGTERM, _stop)
    try:
        while True:
            call = pipe.recv()
            pipe.send(_run(call, pipe))
    except Stopped:
        pass
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it leaves, however often it is told to


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise Stopped


def _run(call: StageCall, pipe: Connection) -> StageResult:
    use_threads(call.threads)
    sent: dict[int, float] = {}

    def report(done: float, of: float, note: str = "", which: int = 0) -> None:
        if time.monotonic() - sent.get(which, 0.0) >= PROGRESS_SECONDS or done >= of:
            sent[which] = time.monotonic()
            pipe.send(StageProgress(done, of, note, which))

    try:
        call.work(*call.given, report)
    except SomeFailedError as error:
        return StageResult(failed={which: Failure(line, line, False) for which, line in error.lines.items()})
    except Exception as error:
        return StageResult(Failure.of(error))
    return StageResult()

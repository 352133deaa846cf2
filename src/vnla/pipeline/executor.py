"""Who runs stages: processes of this machine here, those of a cluster in `vnla.pipeline.cluster`.

A worker is a process that runs stages, one after the other, and says how far it is. Workers live as long as the whole run:
PyTorch is loaded, and the world read, once in each. A worker that gets SIGTERM drops what it does, but for a training, which
saves first. It leaves when the process that started it is gone.
"""

from __future__ import annotations

import os
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from types import FrameType
from typing import Any, Protocol

from vnla.common.errors import InputError
from vnla.common.machine import use_threads
from vnla.common.process_pool import GONE, Failure, Member
from vnla.pipeline.stages import Stage

LEAVE_SECONDS = 10.0
"""How long a worker with nothing to do may take to leave."""
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
        super().__init__(_work, name="vnla worker", daemon=False)  # a stage may have processes of its own
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


@dataclass(frozen=True)
class WorkerLost:
    """Whoever had an order is gone without a word; `fate` says what became of it."""

    fate: str


StageEvent = StageProgress | StageResult | WorkerLost


class StageFuture(Protocol):
    """An order that is being carried out."""

    def stop(self) -> None:
        """Have it save what it has and end."""


class Executor(ABC):
    """Where stages are run; one that takes a whole machine takes `machine_cores`."""

    machine_cores: int
    tries = 1
    """How often a stage is begun before it counts as failed, if whoever had it was lost."""

    def cores(self, stage: Stage) -> float:
        """Return how many cores a stage takes: what it says, or those of a machine."""
        return stage.cores or self.machine_cores

    @abstractmethod
    def fits(self, stage: Stage, running: Sequence[Stage], taken: float) -> bool:
        """Whether there is room for a stage beside those that are `running` on so many cores; of stages that are done
        together one stands for all."""

    def devices(self, running: Sequence[Stage]) -> int:  # noqa: ARG002
        """Return on how many devices stages that can be done together are to be divided."""
        return 1

    @abstractmethod
    def begin(self, call: StageCall, stage: Stage) -> StageFuture:
        """Have a call made, which is that of `stage`, or of several like it."""

    @abstractmethod
    def events(self, futures: Sequence[Any], seconds: float) -> list[tuple[Any, StageEvent]]:
        """Return what has happened to some futures; wait at most so long for it."""

    @abstractmethod
    def close(self, *, at_once: bool) -> None:
        """Let everybody go; whoever is still at work ends `at_once`."""


class LocalExecutor(Executor):
    """Processes of this machine. A stage that takes all cores has the machine for itself."""

    def __init__(self, cores: int) -> None:
        self.machine_cores = cores
        self._idle: list[StageWorker] = []
        self._busy: list[StageWorker] = []

    def fits(self, stage: Stage, running: Sequence[Stage], taken: float) -> bool:
        """Whether enough cores are free, and the device."""
        if stage.device and any(each.device == stage.device for each in running):
            return False
        return not running or (stage.cores is not None and stage.cores <= self.machine_cores - taken)

    def begin(self, call: StageCall, stage: Stage) -> StageWorker:  # noqa: ARG002
        """Give it to a worker that has nothing to do, or to a new one."""
        worker = self._idle.pop(0) if self._idle else StageWorker()
        self._busy.append(worker)
        worker.send(call)
        return worker

    def events(self, futures: Sequence[StageWorker], seconds: float) -> list[tuple[StageWorker, StageEvent]]:
        """What comes through the pipes."""
        by_pipe = {worker.pipe: worker for worker in futures}
        return [(worker, self._hear(worker)) for worker in (by_pipe[each] for each in wait(list(by_pipe), seconds))]  # type: ignore[index]

    def _hear(self, worker: StageWorker) -> StageEvent:
        try:
            events: StageProgress | StageResult = worker.receive()
        except GONE:
            self._busy.remove(worker)
            worker.leave(LEAVE_SECONDS)
            return WorkerLost(f"its process {worker.fate()}")
        if isinstance(events, StageResult):
            self._busy.remove(worker)
            self._idle.insert(0, worker)  # whoever has just worked has most of what is needed in memory
        return events

    def close(self, *, at_once: bool) -> None:
        """Those that have nothing to do leave by themselves."""
        for worker in [*self._idle, *self._busy]:
            worker.leave(0.0 if at_once else LEAVE_SECONDS)

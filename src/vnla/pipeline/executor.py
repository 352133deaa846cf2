"""Who carries out orders: processes of this machine here, those of a cluster in `vnla.pipeline.cluster`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Any, Protocol

from vnla.common.process_pool import GONE
from vnla.pipeline.stages import Stage
from vnla.pipeline.workers import StageCall, StageProgress, StageResult, StageWorker

LEAVE_SECONDS = 10.0
"""How long a worker with nothing to do may take to leave."""


@dataclass(frozen=True)
class WorkerLost:
    """Whoever had an order is gone without a word; `fate` says what became of it."""

    fate: str


StageEvent = StageProgress | StageResult | WorkerLost


class StageFuture(Protocol):
    """An order that is being carried out."""

    def stop(self) -> None:
        """Have it save what it has and end."""


class Executor(Protocol):
    """Where stages are carried out."""

    tries: int
    """How often a stage is begun before it counts as failed, if whoever had it was lost."""

    def fits(self, stage: Stage, running: Sequence[Stage], taken: float) -> bool:
        """Whether there is room for a stage beside those that are `running` on so many cores; of stages that are done
        together one stands for all."""

    def cores(self, stage: Stage) -> float:
        """How many cores a stage takes."""

    def side(self, stage: Stage, running: Sequence[Stage]) -> int:
        """On how many devices stages that can be done together are to be divided."""

    def begin(self, call: StageCall, stage: Stage) -> StageFuture:
        """Have an order carried out, which is that of a stage, or of several like it."""

    def events(self, futures: Sequence[Any], seconds: float) -> list[tuple[Any, StageEvent]]:
        """Return what has happened to some futures; wait at most so long for it."""

    def close(self, *, at_once: bool) -> None:
        """Let everybody go; whoever is still at work ends `at_once`."""


class LocalExecutor:
    """Processes of this machine. A stage that takes all cores has the machine for itself."""

    tries = 1

    def __init__(self, cores: int) -> None:
        self._cores = cores
        self._idle: list[StageWorker] = []
        self._busy: list[StageWorker] = []

    def fits(self, stage: Stage, running: Sequence[Stage], taken: float) -> bool:
        """Whether enough cores are free, and the device."""
        if stage.device and any(each.device == stage.device for each in running):
            return False
        return not running or (stage.cores is not None and stage.cores <= self._cores - taken)

    def cores(self, stage: Stage) -> float:
        """What it says, or all."""
        return stage.cores or self._cores

    def side(self, stage: Stage, running: Sequence[Stage]) -> int:  # noqa: ARG002
        """There is one device of a name."""
        return 1

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

"""Has the stages of a graph carried out: in parallel where there is room, in their order, what is done kept.

Stages are handed out in the order of the graph to an executor (`vnla.pipeline.executor`): as many workers as this machine
has cores, or a cluster. One that does not fit waits until others have ended, and nothing overtakes it. When a stage
fails, those that do not build on it are finished first. When the process is told to stop, trainings save what they have and
everything else is dropped; the same call later goes on.

Where several machines share the stages, each does its own, and looks now and then whether those of others are done.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from math import ceil
from pathlib import Path

from vnla.common import files
from vnla.common.errors import InputError
from vnla.common.lock import alone_in
from vnla.common.process_pool import Failure
from vnla.common.stopping import Interrupted, Stop, signals_noted
from vnla.pipeline.executor import (
    Executor,
    LocalExecutor,
    StageCall,
    StageEvent,
    StageFuture,
    StageProgress,
    StageResult,
    WorkerLost,
)
from vnla.pipeline.stages import Given, Stage, StageGraph, StageRecords

RECORDS = "stages"
"""The folder of the records, beside what the stages make."""

TICK_SECONDS = 0.5
LOOK_SECONDS = 5.0
"""Between two looks at what others have done."""
SEEN_SECONDS = 30.0
"""How long it may take until a file is seen that another machine has written to a disk of both."""
STOP_SECONDS = 120.0
"""How long a worker may take to save what it has."""


class WaitingError(InputError):
    """What is left to do waits for stages that others do."""


class StageCallbacks:
    """What is called as stages go on; these do nothing."""

    def kept(self, stage: Stage) -> None:
        """A stage was done before."""

    def began(self, stage: Stage) -> None:
        """A stage begins, or goes on."""

    def moved(self, stage: Stage, done: float, of: float, note: str) -> None:
        """A stage has got so far."""

    def ended(self, stage: Stage, seconds: float) -> None:
        """A stage is done."""

    def failed(self, stage: Stage, error: str) -> None:
        """A stage failed."""

    def lost(self, stage: Stage, fate: str) -> None:
        """Whoever had a stage is gone, and it is begun again."""

    def stopping(self) -> None:
        """Everybody was told to stop."""

    def tick(self) -> None:
        """Time passes."""


@dataclass
class _RunningStages:
    """Stages that are being done by somebody."""

    stages: list[Stage]
    future: StageFuture
    cores: float
    began: float

    @property
    def seconds(self) -> float:
        """Since it began, for each of its stages."""
        return (time.monotonic() - self.began) / len(self.stages)


class StageState(Enum):
    """How it stands with a stage."""

    WAITING = "for others"
    READY = "to begin"
    OVER = "there is nothing to do any more, or somebody is at it"


def run_stages(
    stages: Sequence[Stage],
    out: Path,
    callbacks: StageCallbacks,
    cores: int,
    *,
    executor: Executor | None = None,
    only: Collection[str] | None = None,
    patience: float = 0.0,
) -> StageRecords:
    """Carry out what is not done yet; the records, with the seconds that each stage took.

    On so many cores of this machine, unless another `executor` is given. With `only`, others do all stages but these: what
    builds on theirs is waited for at most so many seconds (`patience`), in which nothing is done.

    Raises `Interrupted` if it was told to stop, an `InputError` that names the first stage that failed, and a `WaitingError`
    if the rest waits for others.
    """
    graph = StageGraph(stages)
    records = StageRecords(out / RECORDS, graph)
    with alone_in(out, shared=only is not None), signals_noted() as stop:
        scheduler = _Scheduler(graph, records, callbacks, executor or LocalExecutor(cores), stop, only)
        scheduler.run(patience)
    return records


class _Scheduler:
    def __init__(
        self,
        graph: StageGraph,
        records: StageRecords,
        callbacks: StageCallbacks,
        executor: Executor,
        stop: Stop,
        only: Collection[str] | None,
    ) -> None:
        self.graph, self.records, self.callbacks, self.executor, self.stop = graph, records, callbacks, executor, stop
        self.own = set(graph.stages if only is None else only)
        self.done: set[str] = set()
        self.failed: dict[str, str] = {}
        self.tries: dict[str, int] = {}
        self.jobs: list[_RunningStages] = []

    def run(self, patience: float = 0.0) -> None:
        """Until nothing is left to do, or somebody said stop, or what others do is not done in time."""
        self._look()
        try:
            self._work(patience)
            if self.stop.number is not None:
                self._stop()
                raise Interrupted(self.stop.number)
        finally:
            self.executor.close(at_once=bool(self.jobs))
        if self.failed:
            name, error = next(iter(self.failed.items()))
            raise InputError(f"stage {name}: {error}")
        if waiting := self._waiting():
            missing = ", ".join(dict.fromkeys(self._missing(waiting)))
            count = "1 stage waits" if len(waiting) == 1 else f"{len(waiting)} stages wait"
            raise WaitingError(f"{count} for what others do ({missing}); the same command goes on when they have")

    def _work(self, patience: float) -> None:
        waited, looked = 0.0, time.monotonic()
        while self.stop.number is None:
            self._hand_out()
            if not self.jobs and not (waited < patience and self._waiting()):
                return
            if self.jobs:
                self._listen()
            else:
                time.sleep(TICK_SECONDS)
                waited += TICK_SECONDS
                self.callbacks.tick()
            if self._waiting() and time.monotonic() - looked > LOOK_SECONDS:
                self._look()
                looked = time.monotonic()

    def _look(self) -> None:
        """See what is done. Of pieces nothing is asked where the stage is done that they are pieces of."""
        for stage in self.graph.stages.values():
            whole = not stage.piece_of and set(self.graph.basis(stage)) <= self.done
            if stage.name not in self.done and whole and self.records.is_done(stage):
                self._keep(stage)
        for stage in self.graph.stages.values():
            if stage.piece_of and stage.name not in self.done:
                done = set(stage.after) <= self.done and self.records.is_done(stage)
                if stage.piece_of in self.done or done:
                    self._keep(stage)

    def _keep(self, stage: Stage) -> None:
        self.done.add(stage.name)
        self.callbacks.kept(stage)

    def _waiting(self) -> list[Stage]:
        """Own stages that are left because others have not done theirs."""
        if len(self.own) == len(self.graph.stages):
            return []
        return [stage for stage in self.graph.stages.values() if self._state(stage) is StageState.WAITING]

    def _missing(self, waiting: Sequence[Stage]) -> list[str]:
        """Stages of others that are waited for."""
        found, left = [], [name for stage in waiting for name in stage.after]
        while left:
            name = left.pop(0)
            if name not in self.done and name not in self.own:
                found.append(name)
            elif name not in self.done:
                left += self.graph.stages[name].after
        return found

    def _hand_out(self) -> None:
        """Begin whatever can begin, in order; what does not fit holds up what comes after it."""
        for stage in self.graph.stages.values():
            together = self.graph.joined(stage)
            states = [self._state(each) for each in together]
            if self._state(stage) is StageState.READY and StageState.WAITING not in states:
                running = [job.stages[0] for job in self.jobs]
                if not self.executor.fits(stage, running, sum(job.cores for job in self.jobs)):
                    return
                ready = [each for each, state in zip(together, states, strict=True) if state is StageState.READY]
                self._begin(ready[: ceil(len(ready) / max(1, self.executor.devices(running)))])

    def _state(self, stage: Stage) -> StageState:
        if stage.name in self.done or stage.name in self.failed or stage.name not in self.own:
            return StageState.OVER
        if any(stage is each for job in self.jobs for each in job.stages) or self._is_lost(stage):
            return StageState.OVER
        return StageState.READY if set(stage.after) <= self.done else StageState.WAITING

    def _is_lost(self, stage: Stage) -> bool:
        """Whether something that a stage builds on has failed."""
        return any(name in self.failed or self._is_lost(self.graph.stages[name]) for name in stage.after)

    def _begin(self, stages: list[Stage]) -> None:
        first = stages[0]
        cores = self.executor.cores(first)
        for stage in stages:
            self.records.begin(stage)
            self.callbacks.began(stage)
            self.tries[stage.name] = self.tries.get(stage.name, 0) + 1
        given: Given = first.given if first.joint is None else (tuple(stage.given for stage in stages),)
        future = self.executor.begin(StageCall(first.joint or first.work, given, threads=max(1, int(cores))), first)
        self.jobs.append(_RunningStages(stages, future, cores, time.monotonic()))

    def _listen(self) -> None:
        """Wait a moment for news, and take it in."""
        jobs = {id(job.future): job for job in self.jobs}
        for future, events in self.executor.events([job.future for job in self.jobs], TICK_SECONDS):
            self._hear(jobs[id(future)], events)
        self.callbacks.tick()

    def _hear(self, job: _RunningStages, events: StageEvent) -> None:
        if isinstance(events, StageProgress):
            self.callbacks.moved(job.stages[events.which], events.done, events.of, events.note)
        elif isinstance(events, StageResult):
            self.jobs.remove(job)
            for which, stage in enumerate(job.stages):
                self._end(stage, events.of(which), job.seconds)
        else:
            self.jobs.remove(job)
            self._lost(job, events)

    def _end(self, stage: Stage, failure: Failure | None, seconds: float) -> None:
        if failure is not None:
            details = self.records.file(stage, "txt")
            files.write_text(details, failure.details)
            self._fail(stage, f"{failure.error} (details: {details})")
        elif not self._appears(stage.makes):
            self._fail(stage, f"{stage.makes} was not made")
        else:
            self.records.end(stage, seconds, done=True)
            self.done.add(stage.name)
            self.callbacks.ended(stage, seconds)

    def _appears(self, path: Path) -> bool:
        """Whether a path is there; what other machines have made may take a moment to be seen."""
        until = time.monotonic() + (SEEN_SECONDS if self.executor.tries > 1 else 0.0)
        while not path.exists() and time.monotonic() < until:
            time.sleep(TICK_SECONDS)
        return path.exists()

    def _lost(self, job: _RunningStages, gone: WorkerLost) -> None:
        """Somebody is gone without a word: it was told to stop, or something happened to it."""
        for stage in job.stages:
            if self.stop.number is not None:
                self.records.end(stage, job.seconds, done=False)
            elif self.tries[stage.name] < self.executor.tries:
                self.records.end(stage, job.seconds, done=False)
                self.callbacks.lost(stage, gone.fate)
            else:
                self._fail(stage, f"{gone.fate}; the same command continues where it was")

    def _fail(self, stage: Stage, error: str) -> None:
        self.failed[stage.name] = error
        self.callbacks.failed(stage, error)

    def _stop(self) -> None:
        """Have everybody save and leave; a second signal, or too long a wait, ends it at once."""
        self.callbacks.stopping()
        deadline, times = time.monotonic() + STOP_SECONDS, self.stop.times
        for job in self.jobs:
            job.future.stop()
        while self.jobs and time.monotonic() < deadline and self.stop.times == times:
            self._listen()

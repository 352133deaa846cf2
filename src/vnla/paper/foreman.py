"""Has the stages of a graph carried out: in parallel where the machine allows, in their order, what is done kept.

Stages are handed out in the order of the graph to as many workers as there are cores; one that takes the whole machine waits
until the others have ended, and nothing overtakes it. When a stage fails, those that do not build on it are finished first.
When the process is told to stop, trainings save what they have and everything else is dropped; the same call later goes on.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from multiprocessing.connection import wait
from pathlib import Path
from typing import Protocol

from vnla.common import files
from vnla.common.crew import GONE
from vnla.common.errors import InputError
from vnla.common.lock import alone_in
from vnla.common.stopping import Interrupted, Stop, signals_noted
from vnla.paper.stages import Given, Records, Stage, StageGraph
from vnla.paper.workers import Order, Outcome, Progress, Worker

RECORDS = "stages"
"""The folder of the records, beside what the stages make."""

TICK_SECONDS = 0.5
STOP_SECONDS = 120.0
"""How long a worker may take to save what it has."""
LEAVE_SECONDS = 10.0
"""How long a worker with nothing to do may take to leave."""


class Audience(Protocol):
    """Who is told how it goes on."""

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

    def stopping(self) -> None:
        """Everybody was told to stop."""

    def tick(self) -> None:
        """Time passes."""


@dataclass
class _Job:
    """Stages that are being done by a worker."""

    stages: list[Stage]
    worker: Worker
    cores: float
    began: float

    @property
    def seconds(self) -> float:
        """Since it began, for each of its stages."""
        return (time.monotonic() - self.began) / len(self.stages)


class State(Enum):
    """How it stands with a stage."""

    WAITING = "for others"
    READY = "to begin"
    OVER = "there is nothing to do any more, or somebody is at it"


def carry_out(stages: Sequence[Stage], out: Path, audience: Audience, cores: int) -> Records:
    """Carry out what is not done yet; the records, with the seconds that each stage took.

    Raises `Interrupted` if it was told to stop, and an `InputError` that names the first stage that failed.
    """
    graph = StageGraph(stages)
    records = Records(out / RECORDS, graph)
    with alone_in(out), signals_noted() as told:
        _Foreman(graph, records, audience, cores, told).run()
    return records


class _Foreman:
    def __init__(self, graph: StageGraph, records: Records, audience: Audience, cores: int, told: Stop) -> None:
        self.graph, self.records, self.audience, self.cores, self.told = graph, records, audience, cores, told
        self.done: set[str] = set()
        self.failed: dict[str, str] = {}
        self.jobs: list[_Job] = []
        self.idle: list[Worker] = []

    def run(self) -> None:
        """Until nothing is left to do, or somebody said stop."""
        for stage in self.graph.stages.values():
            if set(stage.after) <= self.done and self.records.is_done(stage):
                self.done.add(stage.name)
                self.audience.kept(stage)
        try:
            while self.told.number is None:
                self._hand_out()
                if not self.jobs:
                    break
                self._listen()
            if self.told.number is not None:
                self._stop()
                raise Interrupted(self.told.number)
        finally:
            for worker in [*self.idle, *(job.worker for job in self.jobs)]:
                worker.leave(0.0 if self.jobs else LEAVE_SECONDS)
        if self.failed:
            name, error = next(iter(self.failed.items()))
            raise InputError(f"stage {name}: {error}")

    def _hand_out(self) -> None:
        """Begin whatever can begin, in order; what does not fit holds up what comes after it."""
        for stage in self.graph.stages.values():
            together = self.graph.joined(stage)
            states = [self._state(each) for each in together]
            if self._state(stage) is State.READY and State.WAITING not in states:
                if not self._fits(stage):
                    return
                self._begin([each for each, state in zip(together, states, strict=True) if state is State.READY])

    def _state(self, stage: Stage) -> State:
        running = {each.name for job in self.jobs for each in job.stages}
        if stage.name in self.done | self.failed.keys() | running or self._is_lost(stage):
            return State.OVER
        return State.READY if set(stage.after) <= self.done else State.WAITING

    def _is_lost(self, stage: Stage) -> bool:
        """Whether something that a stage builds on has failed."""
        return any(name in self.failed or self._is_lost(self.graph.stages[name]) for name in stage.after)

    def _fits(self, stage: Stage) -> bool:
        running = [each for job in self.jobs for each in job.stages]
        if stage.device and any(each.device == stage.device for each in running):
            return False
        free = self.cores - sum(job.cores for job in self.jobs)
        return not self.jobs or (stage.cores is not None and stage.cores <= free)

    def _begin(self, stages: list[Stage]) -> None:
        first = stages[0]
        cores = first.cores or self.cores
        for stage in stages:
            self.records.begin(stage)
            self.audience.began(stage)
        worker = self.idle.pop(0) if self.idle else Worker()
        given: Given = first.given if first.joint is None else (tuple(stage.given for stage in stages),)
        worker.send(Order(first.joint or first.work, given, threads=max(1, int(cores))))
        self.jobs.append(_Job(stages, worker, cores, time.monotonic()))

    def _listen(self) -> None:
        """Wait a moment for news from the workers, and take it in."""
        by_pipe = {job.worker.pipe: job for job in self.jobs}
        for ready in wait(list(by_pipe), TICK_SECONDS):
            job = by_pipe[ready]  # type: ignore[index]
            try:
                news = job.worker.receive()
            except GONE:
                self._lost(job)
            else:
                self._hear(job, news)
        self.audience.tick()

    def _hear(self, job: _Job, news: object) -> None:
        if isinstance(news, Progress):
            self.audience.moved(job.stages[news.which], news.done, news.of, news.note)
        elif isinstance(news, Outcome):
            self.jobs.remove(job)
            self.idle.insert(0, job.worker)  # whoever has just worked has most of what is needed in memory
            for stage in job.stages:
                self._end(stage, news, job.seconds)

    def _end(self, stage: Stage, outcome: Outcome, seconds: float) -> None:
        if outcome.failure is not None:
            details = self.records.file(stage, "txt")
            files.write_text(details, outcome.failure.details)
            self._fail(stage, f"{outcome.failure.error} (details: {details})")
        elif not stage.makes.exists():
            self._fail(stage, f"{stage.makes} was not made")
        else:
            self.records.end(stage, seconds, done=True)
            self.done.add(stage.name)
            self.audience.ended(stage, seconds)

    def _lost(self, job: _Job) -> None:
        """A worker is gone without a word: it was told to stop, or something happened to it."""
        self.jobs.remove(job)
        job.worker.leave(LEAVE_SECONDS)
        if self.told.number is not None:
            for stage in job.stages:
                self.records.end(stage, job.seconds, done=False)
            return
        for stage in job.stages:
            self._fail(stage, f"its process {job.worker.fate()}; the same command goes on where it was")

    def _fail(self, stage: Stage, error: str) -> None:
        self.failed[stage.name] = error
        self.audience.failed(stage, error)

    def _stop(self) -> None:
        """Have everybody save and leave; a second signal, or too long a wait, ends it at once."""
        self.audience.stopping()
        deadline, times = time.monotonic() + STOP_SECONDS, self.told.times
        for job in self.jobs:
            job.worker.stop()
        while self.jobs and time.monotonic() < deadline and self.told.times == times:
            self._listen()

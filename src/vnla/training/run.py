"""A run at work: iterations, validations, checkpoints, curves.

What is on disk is always a whole state. A killed run goes on from its last checkpoint and ends with the same weights.
Several runs may be carried out in turn (`vnla.training.together`): none of them notices.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from vnla.agents.agent import Agent
from vnla.common import files
from vnla.common.device_stream import PendingTensors
from vnla.common.errors import InputError
from vnla.common.progress import Share, unheard
from vnla.common.stopping import Interrupted, Stop
from vnla.evaluation.evaluate import evaluate
from vnla.evaluation.metrics import METRICS
from vnla.training.checkpoints import (
    AGENT,
    CONFIG,
    LAST,
    VALIDATION,
    CheckpointNotes,
    Tensors,
    best_rates,
    check_words,
    checkpoint,
    checkpoint_file,
    first_agent,
    left_over,
    load_part_tensors,
    read_checkpoint,
    validated_at,
)
from vnla.training.config import WORDS, RunConfig
from vnla.training.context import make_agent, make_context, make_practice
from vnla.training.data import RunData
from vnla.training.log import LogLine, RunLog
from vnla.training.ranks import Ranks, short
from vnla.training.split import SplitTrainer
from vnla.training.trainer import Trainer, mixed_precision

if TYPE_CHECKING:
    from vnla.vision.probe import ProbeResult

CPU_BATCH = 512
"""Episodes that a validation on a CPU runs together: as many as end within seconds, for it may be cut off between two
batches."""
REPORT_EVERY = 10
"""Iterations between two lines of the log."""
SAVE_SECONDS = 60.0
"""Between two checkpoints; validations save as well."""
ANEW = "begin anew with a lower --learning-rate"
VALIDATION_SEED = 123
FIGURES = {name: METRICS[name] for name in ("success_rate", "room_success_rate", "nav_error", "requests")}
"""What a validation tells; holding each path against the shortest would be a quarter of its operations."""


@dataclass
class RunCallbacks:
    """Functions that are called while a run goes on."""

    report: Callable[[LogLine], None] = lambda _: None
    validating: Callable[[str, int, int], None] = lambda _split, _done, _all: None
    """Called with the split, the number of its episodes that are done, and of all."""
    validated: Callable[[LogLine], None] = lambda _: None
    reading: Share = unheard
    """Called with the number of houses that were looked at to learn to read views, and of all."""


class DivergedError(InputError):
    """What trainings learn is no longer numbers. Trainings beside them do not notice."""

    def __init__(self, lines: Mapping[Path, str]) -> None:
        """Of some runs, with a line about each."""
        self.lines = dict(lines)
        names = ", ".join(map(str, self.lines))
        several = f"{len(self.lines)} runs have ended because their losses are no longer numbers: {names}; {ANEW}"
        super().__init__(several if len(self.lines) > 1 else next(iter(self.lines.values())))


class _CutOff(BaseException):
    """Ends a validation: somebody asked to stop."""


class Run:
    """A training that can be advanced by one iteration at a time, with all that belongs to it: reports, validations,
    checkpoints. It goes on from the last checkpoint if there is one."""

    def __init__(
        self,
        path: Path,
        config: RunConfig,
        material: RunData,
        progress: RunCallbacks | None = None,
        iterations: int | None = None,
        *,
        eager: bool = False,
        ranks: Ranks | None = None,
    ) -> None:
        """Of a run that `open_run` has opened; it ends after `iterations` if that is earlier than it would. It may be
        trained by several processes, `ranks`, of which one writes.

        Nothing is written before it is entered, as a context. `eager` changes how a GPU is told what to do (`Trainer`), not
        what it does, and is no part of the configuration.
        """
        self.path, self.config = path, config
        self._progress = progress or RunCallbacks()
        agent = make_agent(config, material)
        self.reads = self._prepare(agent, material)
        """How well its agent reads views in houses that it was not fitted to, where it has just learned to."""
        if config.training.iterations and not agent.learns:
            raise InputError(f"agent {config.agent}: cannot be trained; --iterations 0 makes a run of it as it is")
        self._judged = make_context(config, material, agent, training=False)
        self._splits = {split: material.evaluation_tasks(split) for split in VALIDATION}
        self._words = material.dataset.vocabulary.text()
        check_words(path, config, self._words)
        self._writes = ranks is None or ranks.writes
        self._trainer = (Trainer if ranks is None else partial(SplitTrainer, ranks=ranks))(
            make_context(config, material, agent, training=True),
            material.training_tasks(timed=config.timed or config.aim.timed, fold=config.fold),
            config.training,
            ratio=config.help(training=True).ratio,
            learns_to_ask=config.aim.teaches_asking(config.policy),
            objective=config.aim,
            practice=make_practice(config, material, agent),
            eager=eager,
        )
        notes = self._trainer.resume(path / LAST) if (path / LAST).exists() else {}
        self._best = best_rates(path / LAST, notes)
        self._validated = validated_at(notes, self.done if config.training.iterations else -1)
        self.last = min(iterations or config.training.iterations, config.training.iterations)
        """The iteration after which the run ends."""
        self._awaited: deque[tuple[PendingTensors, Callable[[Tensors], None]]] = deque()
        """What is on its way from the device, and what is to be done with it then."""
        self._log: RunLog | _Unwritten
        self._writer: _Writer | _Unwritten

    def _prepare(self, agent: Agent, material: RunData) -> ProbeResult | None:
        """Give an agent what it goes on or begins with, or has to learn before all else."""
        last = self.path / LAST
        if last.exists() or self.config.begins_with:
            first = last if last.exists() else first_agent(self.config)
            load_part_tensors({AGENT: agent}, read_checkpoint(first)[0], first)
        elif agent.spotter is not None:
            reader = material.reader(self.config.fold, self._progress.reading)
            agent.spotter.take(reader.labels, torch.from_numpy(reader.weight), torch.from_numpy(reader.bias))
            return reader.measured
        return None

    def __enter__(self) -> Run:
        """Make the run's folder what it has to be for this run to go on; whoever does this is alone there."""
        self._first, self._began, self._saved = self.done, time.monotonic(), time.monotonic()
        if not self._writes:
            self._log, self._writer = _Unwritten(), _Unwritten()
            return self
        for path in left_over(self.path):
            path.unlink(missing_ok=True)
        # By the first it is known as a run, which can go on whatever happens next.
        for name, text in ((CONFIG, self.config.text(self.path)), (WORDS, self._words)):
            file = self.path / name
            if not file.exists() or files.read_text(file, "a file of a run") != text:
                files.write_text(file, text)
        self._log = RunLog(self.path, self.done)
        self._writer = _Writer()
        return self

    def __exit__(self, why: type[BaseException] | None, *_: object) -> None:
        """Wait until all is on disk, or only for what is being written if it has to be left at once."""
        with ExitStack() as held:
            held.callback(self._log.close)
            held.callback(self._writer.close, waits=why is None or not issubclass(why, Interrupted))
            if why is None:
                self.finish()

    @property
    def uncaptured(self) -> str | None:
        """Who takes part that a GPU graph cannot hold, so that iterations run operation by operation; None if nobody."""
        return self._trainer.uncaptured

    @property
    def done(self) -> int:
        """Iterations done, or on their way on the device."""
        return self._trainer.done

    @property
    def active(self) -> bool:
        """Whether there is more to do."""
        return self.done < self.last or self._validation_due

    @property
    def ready(self) -> bool:
        """Whether the device has room for another iteration."""
        return self._trainer.stream.has_room()

    def about(self) -> dict[str, str]:
        """Return what has to be the same in all processes that train this run."""
        return {"configuration": short(self.config.text(self.path)), "words": short(self._words), "done": str(self.done)}

    def advance(self, stop: Stop | None = None) -> None:
        """One iteration, and what is due after it. A run whose last validation was cut off by a `stop` begins with that."""
        if not self._validation_due:
            self._iterate()
        if self._validation_due:
            with suppress(_CutOff):
                self.save(self._validate(stop or Stop()))
        elif time.monotonic() - self._saved >= SAVE_SECONDS:
            self.save()

    @property
    def _validation_due(self) -> bool:
        due = self.done % self.config.validate_every == 0 or self.done >= self.last
        return due and self.done > self._validated

    def _iterate(self) -> None:
        losses = self._trainer.iterate()
        if self.done % REPORT_EVERY == 0 or self.done >= self.last:
            with self._trainer.stream.entered():
                both = self._trainer.stream.read({"losses": losses.both()})
            self._awaited.append((both, partial(self._report, self.done)))
            self._receive()

    def save(self, better: Sequence[Path] = ()) -> None:
        """Have a checkpoint written, after the one before, and in files where it is `better` the agent alone. Neither the
        device nor training waits for it."""
        notes = {"done": str(self.done), "best": json.dumps(self._best), "validated": str(self._validated)}
        self._awaited.append((self._trainer.finite(), partial(self._check, self.done)))
        self._awaited.append((self._trainer.state(), partial(self._keep, notes, better)))
        self._saved = time.monotonic()
        self._receive()

    def finish(self) -> None:
        """Wait for what is on its way from the device, and do what is to be done with it."""
        self._receive(wait=True)

    def _receive(self, wait: bool = False) -> None:
        """Do what is to be done with all that has come from the device, in the order in which it was asked for, or wait for
        the rest as well."""
        while self._awaited and (wait or self._awaited[0][0].arrived):
            reading, then = self._awaited.popleft()
            then(reading.tensors())

    def _report(self, iteration: int, found: Tensors) -> None:
        """Write down the losses of an iteration."""
        nav, ask = found["losses"].tolist()
        if not (isfinite(nav) and isfinite(ask)):
            raise self._diverged(iteration)
        record = {"iteration": iteration, "nav_loss": nav, "ask_loss": ask}
        self._log.write(record)
        speed = (iteration - self._first) / (time.monotonic() - self._began)
        self._progress.report({**record, "iterations_a_second": speed, "of": self.last})

    def _check(self, iteration: int, finite: Tensors) -> None:
        """Nothing is kept of an agent that is no longer numbers."""
        if not all(finite.values()):
            raise self._diverged(iteration)

    def _keep(self, notes: CheckpointNotes, better: Sequence[Path], state: Tensors) -> None:
        """Have a state written. All that is told of its iterations is in the log by now."""
        self._writer.write(partial(self._write, notes, better, state))

    def _write(self, notes: CheckpointNotes, better: Sequence[Path], state: Tensors) -> None:
        """The files of a checkpoint; the last of them makes it count."""
        if better:
            agent = {name: each for name, each in state.items() if name.startswith(AGENT)}
            data = checkpoint_file(agent, {"done": notes["done"]})
            for path in better:
                files.write_bytes(path, data)
        data = checkpoint_file(state, notes)
        self._log.sync()  # what is told of iterations is on disk before they count as done
        files.write_bytes(self.path / LAST, data)

    def _diverged(self, iteration: int) -> DivergedError:
        """Return why the run ends; nothing of what is still on its way is written."""
        self._awaited.clear()
        line = (
            f"{self.path}: at iteration {iteration:,} or before its losses are no longer numbers: what it learned has grown"
            f" without bounds; {ANEW}"
        )
        return DivergedError({self.path: line})

    def _validate(self, stop: Stop) -> list[Path]:
        """Success on the validation splits, recorded whole or not at all; the files in which the agent is to be kept, those
        of splits on which it is better than before."""
        self._awaited.append((self._trainer.finite(), partial(self._check, self.done)))
        self._receive(wait=True)
        found = {split: self._evaluated(split, stop) for split in self._splits}
        better = [split for split, figures in found.items() if figures["success_rate"] > self._best.get(split, -1.0)]
        self._best.update({split: found[split]["success_rate"] for split in better})
        record: LogLine = {"iteration": self.done, **found}
        self._log.write(record)
        self._validated = self.done
        self._progress.validated(record)
        kept: list[str | int] = [*better, self.done] if self.config.keeps_checkpoints else [*better]
        return [checkpoint(self.path, which) for which in kept]

    def _evaluated(self, split: str, stop: Stop) -> dict[str, float]:
        """Figures of a validation split."""

        def progress(done: int, of: int) -> None:
            if stop.number is not None:
                raise _CutOff
            self._progress.validating(split, done, of)

        tasks = self._splits[split]
        progress(0, len(tasks))
        ratio = self.config.help(training=False).ratio
        batch = None if tasks.key.is_cuda else CPU_BATCH
        precision = mixed_precision(self.config.training.precision, tasks.key.device)
        with self._trainer.stream.entered(), precision:
            found = evaluate(
                self._judged, tasks, seeds=(VALIDATION_SEED,), ratio=ratio, batch=batch, metrics=FIGURES, progress=progress
            ).summary()
        return {name: figure.mean for name, figure in found.items()}


class _Writer:
    """Writes in the background, one checkpoint after the other."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="checkpoints")
        self._writing: Future[None] | None = None

    def write(self, work: Callable[[], None]) -> None:
        """Do what writes a checkpoint, once the one before is written: no more than two are ever in memory."""
        self.wait()
        self._writing = self._thread.submit(work)

    def wait(self) -> None:
        """Until all is written; says what could not be."""
        writing, self._writing = self._writing, None
        if writing is not None:
            writing.result()

    def close(self, *, waits: bool) -> None:
        """Nothing more will come; what still `waits` to be written is written, or dropped."""
        try:
            if waits:
                self.wait()
        finally:
            self._thread.shutdown(wait=waits, cancel_futures=not waits)


class _Unwritten:
    """Stands for the log and the writer where another process writes."""

    def write(self, *_: object) -> None:
        """Nothing."""

    def sync(self) -> None:
        """Nothing."""

    def close(self, *, waits: bool = True) -> None:
        """Nothing."""

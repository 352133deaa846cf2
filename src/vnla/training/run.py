"""Carries out a run: iterations, validation, checkpoints, curves; resumes; leaves cleanly when told to.

What is on disk is always a whole state. A killed run goes on from its last checkpoint and ends with the same weights.
Several runs may be carried out in turn (`vnla.training.together`): none of them notices.
"""

from __future__ import annotations

import json
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

from vnla.common import files
from vnla.common.errors import InputError
from vnla.common.lane import Reading
from vnla.evaluation.confidence import Estimate
from vnla.evaluation.evaluate import evaluate
from vnla.tasks.task_set import TaskSet
from vnla.training.cast import make_agent, make_players
from vnla.training.checkpoints import CONFIG, LAST, LOG, VALIDATION, checkpoint
from vnla.training.config import RunConfig
from vnla.training.data import RunData
from vnla.training.trainer import Trainer, mixed_precision

REPORT_EVERY = 10
"""Iterations between two lines of the log."""
SAVE_SECONDS = 60.0
"""Between two checkpoints; validations save as well."""
VALIDATION_SEED = 123
PAUSE = 5e-4
"""Seconds before asking again whether a GPU has room for more."""

Record = dict[str, Any]


@dataclass
class Progress:
    """What the caller may show while a run is going on."""

    report: Callable[[Record], None] = lambda _: None
    validated: Callable[[Record], None] = lambda _: None


@dataclass
class Stop:
    """Whether somebody asked to stop, by SIGINT or SIGTERM."""

    asked: int | None = None


def open_run(path: Path, config: RunConfig | None) -> RunConfig:
    """The configuration of a run to begin or to go on with; a run that exists keeps the one it has."""
    saved = path / CONFIG
    if saved.exists():
        found = RunConfig.read(saved)
        if config is not None and config != found:
            raise InputError(f"{path}: this run was begun with another configuration; give a new folder, or no options")
        return found
    if config is None:
        raise InputError(f"{path}: there is no run yet; say which --world and --tasks to train on")
    if path.exists() and any(path.iterdir()):
        raise InputError(f"{path}: is not empty and holds no run; give a new folder")
    files.write_text(saved, config.text())
    return config


class Run:
    """A training that can be advanced by one iteration at a time, with all that belongs to it: reports, validations,
    checkpoints. It goes on from the last checkpoint if there is one."""

    def __init__(
        self,
        path: Path,
        config: RunConfig,
        material: RunData,
        progress: Progress | None = None,
        iterations: int | None = None,
        *,
        eager: bool = False,
    ) -> None:
        """Of a run that `open_run` has opened; it ends after `iterations` if that is earlier than it would.

        `eager` changes how a GPU is told what to do (`Trainer`), not what it does, and is no part of the configuration.
        """
        self.path, self.config = path, config
        self._progress = progress or Progress()
        agent = make_agent(config, material)
        self._judged = make_players(config, material, agent, training=False)
        self._splits = {split: material.evaluation_tasks(split) for split in VALIDATION}
        self._trainer = Trainer(
            make_players(config, material, agent, training=True),
            material.training_tasks(),
            replace(config.training, ratio=config.help(training=True).ratio),
            learns_to_ask=config.policy.learns,
            eager=eager,
        )
        self._best = _resume(path, self._trainer)
        self._last = min(iterations or config.training.iterations, config.training.iterations)
        self._log = _Log(path, self.done)
        self._unreported: deque[tuple[int, Reading]] = deque()
        self._writer = _Writer()
        self._first, self._began, self._saved = self.done, time.monotonic(), time.monotonic()

    @property
    def done(self) -> int:
        """Iterations done, or on their way on the device."""
        return self._trainer.done

    @property
    def going(self) -> bool:
        """Whether there is more to do."""
        return self.done < self._last

    @property
    def ready(self) -> bool:
        """Whether the device has room for another iteration."""
        return self._trainer.lane.has_room()

    def advance(self) -> None:
        """One iteration, and what is due after it."""
        losses = self._trainer.iterate()
        if self.done % REPORT_EVERY == 0 or not self.going:
            with self._trainer.lane.entered():
                self._unreported.append((self.done, self._trainer.lane.read(losses.both())))
            self._report()
        if self.done % self.config.validate_every == 0 or not self.going:
            self._validate()
        elif time.monotonic() - self._saved < SAVE_SECONDS:
            return
        self.save()

    def save(self) -> None:
        """Write a checkpoint, after the one before; the disk works while training goes on."""
        self._report(wait=True)
        self._writer.wait()
        self._writer.write(self.path / LAST, self._trainer.state({"best": json.dumps(self._best)}))
        self._saved = time.monotonic()

    def close(self) -> None:
        """Wait until all is on disk."""
        try:
            self._writer.close()
        finally:
            self._log.close()

    def _report(self, wait: bool = False) -> None:
        """Write down the losses that have come from the device, or wait for all."""
        while self._unreported and (wait or self._unreported[0][1].arrived):
            iteration, reading = self._unreported.popleft()
            nav, ask = reading.numbers()
            record = {"iteration": iteration, "nav_loss": nav, "ask_loss": ask}
            self._log.write(record)
            speed = (iteration - self._first) / (time.monotonic() - self._began)
            self._progress.report({**record, "iterations_a_second": speed, "of": self._last})

    def _validate(self) -> None:
        """Success on the validation splits; the agent is kept where it is better than before."""
        self._report(wait=True)
        record: Record = {"iteration": self.done}
        agent_file = cache(self._trainer.agent_file)
        for split, tasks in self._splits.items():
            figures = self._evaluated(tasks)
            record[split] = {
                name: figures[name].mean for name in ("success_rate", "room_success_rate", "nav_error", "requests")
            }
            if record[split]["success_rate"] > self._best.get(split, -1.0):
                self._best[split] = record[split]["success_rate"]
                self._writer.write(self.path / f"best_{split}.safetensors", agent_file())
        if self.config.keeps_checkpoints:
            self._writer.write(checkpoint(self.path, self.done), agent_file())
        self._log.write(record)
        self._progress.validated(record)

    def _evaluated(self, tasks: TaskSet) -> dict[str, Estimate]:
        ratio = self.config.help(training=False).ratio
        precision = mixed_precision(self.config.training.precision, tasks.key.device)
        with self._trainer.lane.entered(), precision:
            return evaluate(self._judged, tasks, seeds=(VALIDATION_SEED,), ratio=ratio).summary()


def train(
    path: Path, config: RunConfig, material: RunData, progress: Progress | None = None, iterations: int | None = None
) -> int | None:
    """Train until `iterations` are done; the signal that ended it earlier, if one did."""
    return carry_out([Run(path, config, material, progress, iterations)])


def carry_out(runs: Sequence[Run]) -> int | None:
    """Advance the runs in turn until all are done, each as fast as it can; the signal that ended it earlier, if one did."""
    with _signals() as stop:
        try:
            while stop.asked is None and (going := [run for run in runs if run.going]):
                ready = [run for run in going if run.ready]
                for run in ready:
                    if stop.asked is None:
                        run.advance()
                if not ready:
                    time.sleep(PAUSE)
            if stop.asked is not None:
                for run in runs:
                    run.save()
        finally:
            for run in runs:
                run.close()
    return stop.asked


def _resume(path: Path, trainer: Trainer) -> dict[str, float]:
    """Put the trainer where the last checkpoint was, if there is one; the best success rates so far."""
    file = path / LAST
    if not file.exists():
        return {}
    noted = trainer.resume(file)
    found: dict[str, float] = json.loads(noted.get("best", "{}"))
    return found


class _Writer:
    """Writes files one after the other in the background, in the order in which they were given."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="checkpoints")
        self._writing: list[Future[None]] = []

    def write(self, path: Path, data: bytes) -> None:
        self._writing.append(self._thread.submit(files.write_bytes, path, data))

    def wait(self) -> None:
        """Until all is written; says what could not be."""
        while self._writing:
            self._writing.pop(0).result()

    def close(self) -> None:
        try:
            self.wait()
        finally:
            self._thread.shutdown()


class _Log:
    """`log.jsonl` and TensorBoard curves, cut back to where a resumed run goes on."""

    def __init__(self, path: Path, done: int) -> None:
        file = path / LOG
        if file.exists():
            kept = [line for line in file.read_text().splitlines() if _iteration(line) <= done]
            files.write_text(file, "".join(f"{line}\n" for line in kept))
        self._stream = file.open("a", buffering=1)
        self._curves = _curves(path, done)

    def write(self, record: Record) -> None:
        self._stream.write(json.dumps(record) + "\n")
        for name, value in _flat(record):
            if self._curves is not None and name != "iteration":
                self._curves.add_scalar(name, value, record["iteration"])

    def close(self) -> None:
        self._stream.close()
        if self._curves is not None:
            self._curves.close()


def _curves(path: Path, done: int) -> Any:
    """TensorBoard's writer, where it is installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(path / "tensorboard"), purge_step=done + 1)


def _flat(record: Record, prefix: str = "") -> Iterator[tuple[str, float]]:
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}/")
        else:
            yield f"{prefix}{name}", value


def _iteration(line: str) -> int:
    """The iteration of a line; a line that was cut off by a crash counts as none that is kept."""
    try:
        return int(json.loads(line)["iteration"])
    except (ValueError, KeyError, TypeError):
        return 1 << 62


@contextmanager
def _signals() -> Iterator[Stop]:
    """SIGINT and SIGTERM end the loop after the iteration in hand instead of the process."""
    stop = Stop()

    def ask(number: int, _: FrameType | None) -> None:
        stop.asked = number

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

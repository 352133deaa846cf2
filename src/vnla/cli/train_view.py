"""What `vnla train` shows of its runs: a bar for each at a terminal, and lines now and then where there is none."""

from __future__ import annotations

import signal
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from vnla.common.lines import TimedLog, duration
from vnla.common.stopping import Stop
from vnla.training.config import RunConfig
from vnla.training.log import LogLine
from vnla.training.run import Run, RunCallbacks
from vnla.training.together import TrainingCallbacks

if TYPE_CHECKING:
    from vnla.vision.probe import ProbeResult

READING = "learning what is in view: house"


class TrainingView:
    """Hears what happens to runs and says it; what is the same at a terminal and elsewhere."""

    def __init__(self, console: Console, runs: Mapping[Path, RunConfig]) -> None:
        self.runs, self.names = runs, _names(list(runs))
        self.loaded, self.signals = False, 0
        self._console = console
        self._began = time.monotonic()
        self._validating: dict[Path, float] = {}

    def audience(self) -> TrainingCallbacks:
        """The ears."""

        def progress(path: Path) -> RunCallbacks:
            heard = (partial(each, path) for each in (self.report, self._validates, self._validated, self.reads))
            return RunCallbacks(*heard)

        return TrainingCallbacks(progress, self._begins, self._stopping, self._diverges)

    def say(self, what: str) -> None:
        """A line of its own."""
        self._console.print(what, markup=False, highlight=False, soft_wrap=True)

    def ends(self, diverged: Collection[Path] = ()) -> None:
        """Everything is done, but for what has diverged."""
        seconds = time.monotonic() - self._began
        for path, config in self.runs.items():
            if path not in diverged:
                self.say(f"{path}: {config.training.iterations:,} iterations are done; this took {duration(seconds)}")

    def begins(self, runs: Sequence[Run], seconds: float) -> None:
        """Loading took so long."""
        raise NotImplementedError

    def report(self, path: Path, record: LogLine) -> None:
        """A run has come so far."""
        raise NotImplementedError

    def validates(self, path: Path, split: str, done: int, of: int) -> None:
        """A run's validation has come so far."""
        raise NotImplementedError

    def reads(self, path: Path, done: int, of: int) -> None:
        """A run's agent learns to read views, in so many houses by now."""
        raise NotImplementedError

    def _begins(self, runs: Sequence[Run]) -> None:
        self.loaded = True
        self.begins(runs, time.monotonic() - self._began)
        for run in runs:
            if run.reads:
                self.say(f"{run.path}: {_read(run.reads)}")
            if run.uncaptured:
                self.say(f"{run.path}: {run.uncaptured} cannot be held by a GPU graph; it runs operation by operation")

    def _validates(self, path: Path, split: str, done: int, of: int) -> None:
        self._validating.setdefault(path, time.monotonic())
        self.validates(path, split, done, of)

    def _validated(self, path: Path, record: LogLine) -> None:
        seconds = time.monotonic() - self._validating.pop(path, time.monotonic())
        rates = "   ".join(
            f"{split}: success {figures['success_rate']:.1f}%, room {figures['room_success_rate']:.1f}%, "
            f"error {figures['nav_error']:.2f} m, {figures['requests']:.1f} requests"
            for split, figures in record.items()
            if split != "iteration"
        )
        name = f"{self.names[path]:9s} " if self.names[path] else ""
        self.say(f"{name}iteration {record['iteration']:,}   {rates}   (validated in {duration(seconds)})")

    def _diverges(self, _: Path, line: str) -> None:
        """Where others go on it is said at once; the error at the end says it again."""
        if len(self.runs) > 1:
            self.say(f"{line}; the others go on")

    def _stopping(self, stop: Stop) -> None:
        """In the middle of anything, so even of printing: then there is one line less."""
        self.signals = stop.times
        name = signal.Signals(stop.number or 0).name
        with suppress(RuntimeError):
            if stop.times > 1 or not self.loaded:
                self.say(f"{name}: leaving at once")
            else:
                self.say(f"{name}: stopping after this iteration and saving …; Ctrl-C again exits at once")


class Bars(TrainingView):
    """A bar for each run, below the lines on what was found."""

    def __init__(self, console: Console, runs: Mapping[Path, RunConfig]) -> None:
        super().__init__(console, runs)
        self.bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[speed]}"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[state]}"),
            console=console,
        )
        self._tasks = {
            path: self.bar.add_task(
                self.names[path] or "training", total=config.training.iterations, speed="", state="loading …"
            )
            for path, config in runs.items()
        }

    def begins(self, runs: Sequence[Run], seconds: float) -> None:
        """The bars stand where the runs do."""
        for run in runs:
            self.bar.update(self._tasks[run.path], completed=run.done, state=f"loaded in {duration(seconds)}")

    def report(self, path: Path, record: LogLine) -> None:
        """Its bar moves."""
        speed = f"{record['iterations_a_second']:.2f} it/s"
        self.bar.update(self._tasks[path], completed=record["iteration"], speed=speed, state=_losses(record))

    def validates(self, path: Path, split: str, done: int, of: int) -> None:
        """Its bar says so."""
        self.bar.update(self._tasks[path], state=f"validating {split} {done:,}/{of:,} …")

    def reads(self, path: Path, done: int, of: int) -> None:
        """Its bar says so."""
        self.bar.update(self._tasks[path], state=f"{READING} {done:,}/{of:,} …")


class Log(TrainingView):
    """Lines with the time and the share of the work that is done."""

    def __init__(self, console: Console, runs: Mapping[Path, RunConfig]) -> None:
        super().__init__(console, runs)
        self._lines = TimedLog(console)
        self._done = dict.fromkeys(runs, 0)
        self._at: dict[Path, str] = {}
        self.say("loading …")

    def say(self, what: str) -> None:
        """A line of its own."""
        total = sum(config.training.iterations for config in self.runs.values())
        self._lines.say(what, sum(self._done.values()) / total if total else None)

    def begins(self, runs: Sequence[Run], seconds: float) -> None:
        """A line."""
        self._done = {run.path: run.done for run in runs}
        self.say(f"loaded in {duration(seconds)}")

    def report(self, path: Path, record: LogLine) -> None:
        """Remembered for the next line."""
        iteration, speed = record["iteration"], record["iterations_a_second"]
        self._done[path] = iteration
        left = duration((record["of"] - iteration) / speed) if speed else "no idea how much"
        words = f"iteration {iteration:,}/{record['of']:,}, {speed:.2f} it/s, {_losses(record)}, {left} left"
        self._note(path, words, now=path not in self._at)

    def validates(self, path: Path, split: str, done: int, of: int) -> None:
        """Remembered for the next line; where a split begins it is said."""
        self._note(path, f"validating {split} {done:,}/{of:,}", now=done == 0)

    def reads(self, path: Path, done: int, of: int) -> None:
        """Remembered for the next line; where it begins it is said."""
        self._note(path, f"{READING} {done:,}/{of:,}", now=done == 0)

    def _note(self, path: Path, what: str, *, now: bool = False) -> None:
        self._at[path] = f"{self.names[path]} {what}".lstrip()
        if now or self._lines.due:
            self.say("; ".join(self._at.values()))


@contextmanager
def shown(runs: Mapping[Path, RunConfig], console: Console) -> Iterator[TrainingView]:
    """Whoever shows the progress of `runs` on a console, for the length of the block."""
    if not console.is_terminal:
        yield Log(console, runs)
        return
    bars = Bars(console, runs)
    with bars.bar:
        yield bars


def _names(runs: Sequence[Path]) -> dict[Path, str]:
    """What to call each run: as little as tells them apart."""
    if len(runs) == 1:
        return {runs[0]: ""}
    alike = len({run.name for run in runs}) < len(runs)
    return {run: str(run) if alike else run.name for run in runs}


def _read(found: ProbeResult) -> str:
    return (
        f"reads {len(found.labels)} labels from single views; mean average precision in houses left out"
        f" {found.mean_precision:.3f}, by chance {found.mean_chance:.3f}"
    )


def _losses(record: LogLine) -> str:
    return f"navigation {record['nav_loss']:.2f} ask {record['ask_loss']:.2f}"

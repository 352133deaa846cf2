"""How a run of stages goes on, for people: bars in a terminal, plain lines where there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from vnla.common import lines
from vnla.common.lines import duration
from vnla.pipeline.scheduler import StageCallbacks
from vnla.pipeline.stages import Stage


class _Overall:
    """What part of the whole is done, by the weights of the stages."""

    def __init__(self, stages: Sequence[Stage]) -> None:
        self.total = sum(stage.weight for stage in stages)
        self._parts: dict[str, float] = {}

    def note(self, stage: Stage, part: float) -> float:
        """That much of a stage is done; the part of the whole."""
        self._parts[stage.name] = stage.weight * min(1.0, part)
        return self.part

    @property
    def part(self) -> float:
        return sum(self._parts.values()) / self.total if self.total else 1.0


class ProgressBars(StageCallbacks):
    """A bar for each stage at work and one for everything, below the lines on what is done."""

    def __init__(self, stages: Sequence[Stage], console: Console) -> None:
        self._overall = _Overall(stages)
        self._console = console
        self._kept = 0
        self.bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[at]}", style="progress.percentage"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}", style="dim"),
            console=console,
            speed_estimate_period=180,
            transient=True,
        )
        self._all = self.bars.add_task("[bold]everything", total=1.0, at="0%", note=f"{len(stages)} stages")
        self._tasks: dict[str, TaskID] = {}

    def kept(self, stage: Stage) -> None:
        """It counts, and is not shown."""
        self._move(stage, 1.0)
        self._kept += 1
        self.bars.update(self._all, note=f"{self._kept} stages kept")

    def began(self, stage: Stage) -> None:
        """It gets a bar."""
        self._tasks[stage.name] = self.bars.add_task(stage.name, total=None, at="", note="")

    def moved(self, stage: Stage, done: float, of: float, note: str) -> None:
        """Its bar moves."""
        if of:
            self.bars.update(self._tasks[stage.name], completed=done, total=of, at=f"{done:,.0f}/{of:,.0f}", note=note)
            self._move(stage, done / of)

    def ended(self, stage: Stage, seconds: float) -> None:
        """Its bar becomes a line."""
        self.bars.remove_task(self._tasks.pop(stage.name))
        self._move(stage, 1.0)
        self._console.print(f"[green]✓[/green] {stage.name} [dim]{duration(seconds)}", highlight=False)

    def failed(self, stage: Stage, error: str) -> None:
        """Its bar becomes a line."""
        self.bars.remove_task(self._tasks.pop(stage.name))
        self._console.print(f"[red]✗[/red] {stage.name}:", end=" ", highlight=False)
        self._console.print(error, style="red", markup=False, highlight=False, soft_wrap=True)

    def lost(self, stage: Stage, fate: str) -> None:
        """Its bar becomes a line; there will be another."""
        self.bars.remove_task(self._tasks.pop(stage.name))
        self._console.print(f"{stage.name}: {fate}; it is begun again", markup=False, highlight=False, soft_wrap=True)

    def stopping(self) -> None:
        """A word of patience."""
        self._console.print("stopping: trainings save first; once more to leave at once", highlight=False)

    def tick(self) -> None:
        """Rich redraws by itself."""

    def _move(self, stage: Stage, part: float) -> None:
        whole = self._overall.note(stage, part)
        self.bars.update(self._all, completed=whole, at=f"{whole:.0%}")


class ProgressLines(StageCallbacks):
    """Lines with the time since the beginning."""

    def __init__(self, stages: Sequence[Stage], console: Console) -> None:
        self._overall = _Overall(stages)
        self._lines = lines.TimedLog(console)
        self._at: dict[str, str] = {}

    def kept(self, stage: Stage) -> None:
        """A line."""
        self._overall.note(stage, 1.0)
        self._say(f"{stage.name}: kept")

    def began(self, stage: Stage) -> None:
        """A line."""
        self._at[stage.name] = stage.name
        self._say(f"{stage.name}: begins")

    def moved(self, stage: Stage, done: float, of: float, note: str) -> None:
        """Remembered for the next line."""
        if of:
            self._overall.note(stage, done / of)
            self._at[stage.name] = f"{stage.name} {done:,.0f}/{of:,.0f} {note}".rstrip()

    def ended(self, stage: Stage, seconds: float) -> None:
        """A line."""
        self._at.pop(stage.name)
        self._overall.note(stage, 1.0)
        self._say(f"{stage.name}: done in {duration(seconds)}")

    def failed(self, stage: Stage, error: str) -> None:
        """A line."""
        self._at.pop(stage.name)
        self._say(f"{stage.name}: failed: {error}")

    def lost(self, stage: Stage, fate: str) -> None:
        """A line."""
        self._at.pop(stage.name)
        self._say(f"{stage.name}: {fate}; it is begun again")

    def stopping(self) -> None:
        """A line."""
        self._say("stopping: trainings save first")

    def tick(self) -> None:
        """A line on everything now and then."""
        if self._at:
            self._lines.now_and_then(", ".join(self._at.values()), self._overall.part)

    def _say(self, what: str) -> None:
        self._lines.say(what, self._overall.part)


@contextmanager
def shown(stages: Sequence[Stage], console: Console) -> Iterator[StageCallbacks]:
    """Whoever shows the progress of `stages` on a console, for the length of the block."""
    if not console.is_terminal:
        yield ProgressLines(stages, console)
        return
    terminal = ProgressBars(stages, console)
    with terminal.bars:
        yield terminal

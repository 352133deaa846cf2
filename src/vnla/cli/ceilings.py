"""`vnla ceilings`: what is left to win for a trained agent, and in what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vnla.cli.console import plain, telling
from vnla.cli.options import (
    CheckpointOption,
    DeviceOption,
    FiguresOption,
    OtherTasksOption,
    RatioOption,
    SeedsOption,
    ThreadsOption,
    as_typed,
    takes_options,
)
from vnla.common.files import writable, write_text
from vnla.common.options import option
from vnla.common.progress import Tell

if TYPE_CHECKING:
    from vnla.evaluation.ceilings.subject import Subject
    from vnla.report.ceilings import CeilingsEntry

EPISODES = "episodes.csv"


@dataclass(frozen=True)
class CeilingOptions:
    """What is tried with every run."""

    split: str = option("test_unseen", "val_seen, …, test_unseen.", metavar="NAME")
    limit: int | None = option(None, "Use only this many tasks of the split: a random sample. [default: all]", min=1)
    seeds: SeedsOption = 1
    schedules: int = option(
        400, "Number of schedules of requests to try in each episode, and of sampled walks as their placebo.", min=1
    )
    states: int | None = option(
        None, "Compare asking with not asking at this many random steps of each episode. [default: all]", min=1
    )
    ratio: RatioOption = None
    checkpoint: CheckpointOption = None
    tasks: OtherTasksOption = None
    world: Path | None = option(None, "World for pretrained; for a run, where its world is now.", metavar="DIR")
    device: DeviceOption = None

    def check(self, run: Path) -> None:
        """Refuse what is no run, before anything large is loaded."""
        from vnla.agents import pretrained
        from vnla.training.checkpoints import CONFIG
        from vnla.training.config import RunConfig

        RunConfig.read(pretrained.folder_of(run) / CONFIG)

    def entry(self, run: Path, tell: Tell) -> CeilingsEntry:
        """Try everything with one run."""
        from vnla.evaluation.ceilings.lines import ceilings
        from vnla.evaluation.ceilings.requests import request_pairs
        from vnla.report.ceilings import CeilingsEntry

        tell(f"loading {run}")
        subject = self._subject(run)
        tell("counting schedules")
        found = ceilings(subject, schedules=self.schedules, progress=partial(tell, f"{run.name}: trying schedules"))
        pairs = request_pairs(subject, states=self.states, progress=partial(tell, f"{run.name}: trying requests"))
        return CeilingsEntry(str(run), self.split, found, pairs)

    def _subject(self, run: Path) -> Subject:
        from vnla.cli.embedded import open_run
        from vnla.common.machine import device_named
        from vnla.evaluation.ceilings.subject import Subject
        from vnla.evaluation.evaluate import SEEDS
        from vnla.training.context import make_context

        trained = open_run(run, world=self.world, tasks=self.tasks, device=device_named(self.device))
        config, material = trained.config, trained.material
        context = make_context(config, material, trained.agent_for(self.split, self.checkpoint), training=False)
        tasks = material.evaluation_tasks(self.split, self.limit)
        return Subject(context, tasks, SEEDS[: self.seeds], config.with_ratio(self.ratio).help(training=False).ratio)

    def command(self, runs: Sequence[Path]) -> str:
        """The command that does this."""
        noted = ("split", "limit", "seeds", "schedules", "states", "ratio", "checkpoint", "tasks", "world")
        return " ".join(["vnla ceilings", *map(str, runs), *as_typed(self, *noted)])


@takes_options()
def ceilings(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN", help="Folders of runs, or folders of several, or: pretrained."),
    ],
    *,
    options: CeilingOptions,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write a report here, with tables, figures and episodes.csv.")
    ] = None,
    as_json: FiguresOption = None,
    threads: ThreadsOption = None,
) -> None:
    """Measure how much better an agent would do if it asked where it errs, followed advice perfectly, or stopped perfectly.
    Also evaluate a scripted searcher and the best times to ask with their placebo, and measure what a request is worth.

    Example: vnla ceilings runs/learned --limit 400 --out ceilings

    Example: vnla ceilings pretrained --world worlds/small --tasks tasks/small --limit 100
    """
    from vnla.common.machine import device_named, use_threads
    from vnla.report.ceilings import SMALL, ceilings_table, worth_table
    from vnla.report.table_formats import terminal
    from vnla.report.writing import REPORT
    from vnla.training.checkpoints import runs_in

    use_threads(threads)
    device = device_named(options.device)
    every = list(dict.fromkeys(run for each in runs for run in runs_in(each)))
    for place in filter(None, (out and out / REPORT, as_json)):
        writable(place)
    for run in every:
        options.check(run)
    entries = []
    for run in every:
        with telling() as tell:
            entries.append(options.entry(run, tell))
        for table in (ceilings_table(entries[-1], metres=False), worth_table(entries[-1], SMALL)):
            plain().print(terminal(table))
    if as_json is not None:
        _write_json(as_json, entries)
    if out is not None:
        typer.echo(f"report: {_write_report(out, entries, options.command(runs), device)}")


def _write_json(path: Path, entries: Sequence[CeilingsEntry]) -> None:
    """All figures of every run."""
    from vnla.report.document import json_text

    each = [
        {"run": entry.run, "split": entry.split, **entry.found.as_dict(), "requests": entry.pairs.as_dict()}
        for entry in entries
    ]
    write_text(path, json_text(each[0] if len(each) == 1 else each))


def _write_report(out: Path, entries: Sequence[CeilingsEntry], command: str, device: str) -> Path:
    """The report, and beside it a row for every episode."""
    from vnla.evaluation.spreadsheet import Spreadsheet
    from vnla.report.ceilings import ceilings_document
    from vnla.report.writing import write

    sheet = Spreadsheet()
    for entry in entries:
        sheet.add(Path(entry.run).absolute().name, entry.split, entry.found)
    sheet.write(out / EPISODES)
    return write(ceilings_document(entries, command, device), out)

"""`vnla paper`: every experiment of the paper, with all tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from vnla.cli.console import LARGEST_SEED, hint_at_start
from vnla.cli.options import as_typed, takes_options
from vnla.cli.sharing import ShardOption
from vnla.common.errors import InputError
from vnla.common.files import writable
from vnla.common.options import option

if TYPE_CHECKING:
    from vnla.experiments.paper.paper_parts import PaperPart, PartResult
    from vnla.experiments.paper.paper_report import Contents, PaperReport
    from vnla.experiments.presets import ExperimentPreset
    from vnla.pipeline.sharing import Sharing
    from vnla.report.document import Finding, ReportTable

EverythingArgument = Annotated[
    Path, typer.Argument(metavar="OUT", help="Folder for everything; what is already in it is kept.")
]
WAITING = 75
"""Exit status of a shard whose stages wait for others: to be tried again, as `sysexits.h` has it."""


@dataclass(frozen=True)
class ExperimentOptions:
    """What experiments are like."""

    preset: str = option("small", "small: minutes on two cores; paper: the paper's sizes.", metavar="NAME")
    iterations: int | None = option(None, "Iterations of each training. [default: the preset's]", min=1)
    validate_every: int | None = option(None, "Iterations between two validations. [default: the preset's]", min=1)
    precision: str | None = option(None, "float32, tf32 or bfloat16. [default: the preset's]", metavar="NAME")
    world: Path | None = option(None, "A world of your own, with features. [default: one is generated]", metavar="DIR")
    features: str | None = option(None, "Encoder of the features, or symbolic. [default: the preset's]", metavar="NAME")
    peers: bool = option(
        True, "Also evaluate agents that learn nothing; with Table 2, also train SPACED.", "--peers/--no-peers"
    )

    def given(self, preset: ExperimentPreset) -> ExperimentPreset:
        """Return a preset with what differs from it."""
        names = ("iterations", "validate_every", "precision", "features")
        return preset.given(**{name: getattr(self, name) for name in names})


@dataclass(frozen=True)
class WorkOptions:
    """With which seed experiments are done, and on what."""

    seed: int = option(0, "Seed of houses, data sets and trainings.", min=0, max=LARGEST_SEED)
    device: str | None = option(None, "cpu, cuda, cuda:1. [default: a GPU if there is one]")
    workers: int | None = option(None, "Cores to work on. [default: all]", min=1)
    threads: int | None = option(
        None, "Threads of each training and evaluation. [default: trainings share the cores]", min=1
    )

    def noted_seed(self) -> list[str]:
        """Return the option for the seed, where it is not the usual one."""
        return as_typed(self, "seed") if self.seed else []


@dataclass(frozen=True)
class SharedWorkOptions(WorkOptions):
    """The same, where other machines may take part."""

    cluster: str = option(
        "local", "local: this machine; ray://HOST:PORT: a Ray cluster that can read and write OUT.", metavar="WHERE"
    )
    shard: ShardOption = None
    wait: float = option(
        0, "With --shard: how long to wait for other shards before exiting with status 75.", metavar="MINUTES", min=0
    )

    def here(self) -> dict[str, Any]:
        """Return what says where stages run, for those who run them."""
        from vnla.pipeline.sharing import Sharing

        return {
            "console": Console(stderr=True),
            "device": device_of(self.device, self.cluster),
            "cores": self.workers,
            "threads": self.threads,
            "begins": cache(hint_at_start),  # once, in however many goes stages are carried out
            "sharing": Sharing.asked_for(self.shard, self.wait),
            "cluster": self.cluster,
        }


@dataclass(frozen=True)
class PartOptions:
    """Which part of the experiments is made here, and what was made elsewhere."""

    only: list[str] | None = option(
        None,
        "Do only this training and its evaluations, such as learned, none, first, random, spaced or silent, and write the"
        " report if nothing is missing; may be repeated.",
        metavar="NAME",
    )
    gather: list[Path] | None = option(
        None,
        "Begin with what this folder or archive contains; may be repeated. Without --only nothing is trained.",
        metavar="FROM",
    )
    allow_uncommitted: bool = option(False, "With --gather: also accept what uncommitted code has made.")
    pack: Path | None = option(
        None, "Write what is done, without weights, to this zip archive, for --gather elsewhere.", metavar="FILE"
    )

    def part(self) -> PaperPart | None:
        """Return the part that was asked for; None where it is everything, made here."""
        from vnla.experiments.paper.paper_parts import PaperPart

        if self.allow_uncommitted and not self.gather:
            raise InputError("--allow-uncommitted: is for --gather, which refuses such pieces")
        if not (self.only or self.gather or self.pack):
            return None
        for source in self.gather or ():
            if not source.exists():
                raise InputError(f"{source}: no such folder or file; expected what `vnla paper --pack` has written")
        if self.pack is not None:
            writable(self.pack)
        only, sources = tuple(dict.fromkeys(self.only or ())), tuple(self.gather or ())
        return PaperPart(only, sources, self.allow_uncommitted, self.pack)


@takes_options()
def paper(
    out: EverythingArgument,
    table: Annotated[
        list[int] | None, typer.Option(min=1, max=7, help="Only this table; may be repeated. [default: all seven]")
    ] = None,
    *,
    options: ExperimentOptions,
    parts: PartOptions,
    work: SharedWorkOptions,
) -> None:
    """Run every experiment of the paper and write a report: OUT/report.html, with tables and figures beside it.

    What is done is kept: stop it at any time, and the same command continues. Machines that share the folder OUT divide
    the work with --shard i/n, and --shard merge writes the report; a Ray cluster does everything with --cluster
    ray://HOST:10001. Machines without a common folder do some of the trainings each, with --only and --pack; --gather
    puts them together.

    Example: vnla paper out --preset small

    Example: vnla paper out --preset paper --table 2 --only first --only random --device cuda --pack two.zip

    Example: vnla paper out --preset paper --table 2 --gather two.zip --gather three.zip
    """
    from vnla.experiments.paper.paper_report import ALL_TABLES, Contents
    from vnla.experiments.presets import preset_of

    preset = options.given(preset_of(options.preset))
    contents = Contents("The paper's experiments", tuple(sorted(set(table))) if table else ALL_TABLES, peers=options.peers)
    words = [
        f"vnla paper {out} --preset {options.preset}",
        *as_typed(options, "iterations", "validate_every", "precision", "world", "features"),
        *work.noted_seed(),
        *(f"--table {number}" for number in (contents.tables if table else ())),
        *(() if options.peers else ("--no-peers",)),
    ]
    run_paper(out, preset, contents, " ".join(words), work, world=options.world, part=parts.part())


def run_paper(
    out: Path,
    preset: ExperimentPreset,
    contents: Contents,
    command: str,
    work: SharedWorkOptions,
    *,
    world: Path | None = None,
    part: PaperPart | None = None,
    beside: Callable[[Console], AbstractContextManager[None]] | None = None,
) -> PaperReport | None:
    """Run experiments with progress on stderr, and print their tables; leaves with the signal's status when stopped.

    Where a `part` of them is made and others are missing then, that is said, and there are no tables. While they are made
    for the first time, something may go on `beside` them on their console. Returns what the report was made from, if there
    is one.
    """
    from vnla.experiments.paper.paper_parts import run_part
    from vnla.experiments.paper.paper_stages import report_of, run_experiments
    from vnla.report.writing import REPORT

    here = work.here()
    first = beside is not None and not (out / REPORT).exists()
    with resumable(), beside(here["console"]) if beside is not None and first else nullcontext():
        if part is not None:
            source = report_of(out, preset, contents, command=command, world=world, seed=work.seed, **here)
            if not _is_complete(run_part(source, work.seed, part, **here), part):
                return None
        source = run_experiments(out, preset, contents, command=command, world=world, seed=work.seed, **here)
    if not is_whole(here["sharing"]):
        return None
    print_found(source.tables(), source.layout.report)
    return source


def _is_complete(made: PartResult, part: PaperPart) -> bool:
    """Say what was gathered and packed, and what is missing for the report; return whether nothing is."""
    for words, names in (("gathered", made.gathered), (f"packed in {part.packed}:", made.packed)):
        if names:
            typer.echo(f"{words} {_counted(names)}")
    if made.missing:
        trainings = [name.partition("/")[2] for name in made.missing if name.startswith("train/")]
        need = f"trainings {', '.join(trainings)}" if trainings else ", ".join(made.missing)
        typer.echo(f"missing for the report: {_counted(made.missing)} ({need}); make them with --only, or --gather them")
    return not made.missing


def _counted(names: Sequence[str]) -> str:
    """Return how many trainings and evaluations there are among stages."""
    kinds = [name.partition("/")[0] for name in names]
    counts = {"training": kinds.count("train"), "evaluation": kinds.count("evaluate")}
    return " and ".join(f"{number} {kind}{'' if number == 1 else 's'}" for kind, number in counts.items())


def device_of(device: str | None, cluster: str | None) -> str:
    """The device that was asked for: one of this machine, or of those of a cluster, whose GPUs Ray numbers anew."""
    from vnla.common.machine import device_named
    from vnla.experiments.running import is_elsewhere

    if not is_elsewhere(cluster):
        return device_named(device)
    if device not in (None, "cpu", "cuda"):
        raise InputError(f"device {device}: on a cluster choose cpu or cuda; without it, cpu")
    return device or "cpu"


def is_whole(sharing: Sharing | None) -> bool:
    """Whether there is a report now; if not, a line says how to come by it."""
    if sharing is None or sharing.shard is None:
        return True
    typer.echo(f"shard {sharing.shard} is done; when all are, the same command with --shard merge writes the report")
    return False


@contextmanager
def resumable() -> Iterator[None]:
    """Leaves with the signal's status when what runs here is stopped, and says that it can go on."""
    from vnla.common.stopping import Interrupted
    from vnla.pipeline.scheduler import WaitingError

    try:
        yield
    except WaitingError as waiting:
        typer.echo(str(waiting), err=True)
        raise typer.Exit(WAITING) from None
    except Interrupted as stop:
        typer.echo(f"stopped by {stop} and saved; the same command continues where it was", err=True)
        raise typer.Exit(128 + stop.number) from None


def print_found(found: Sequence[tuple[ReportTable, Sequence[Finding]]], report: Path) -> None:
    """Tables with their findings, and where the report is."""
    from vnla.report.table_formats import terminal

    console = Console(highlight=False)
    for table, findings in found:
        console.print(terminal(table))
        for finding in findings:
            console.print(f"• {finding.claim}: {finding.verdict}. {finding.detail}", markup=False)
        console.print()
    console.print(f"Report: {report}", markup=False, soft_wrap=True)

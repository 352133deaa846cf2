"""`vnla paper`: every experiment of the paper, with all tables and figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from vnla.cli.console import LARGEST_SEED, hint_if_busy
from vnla.cli.options import as_typed, takes_options
from vnla.cli.sharing import ShardOption
from vnla.common.errors import InputError
from vnla.common.options import option

if TYPE_CHECKING:
    from vnla.experiments.paper.paper_report import Contents
    from vnla.experiments.presets import ExperimentPreset
    from vnla.pipeline.sharing import Sharing
    from vnla.report.document import Finding, ReportTable

EverythingArgument = Annotated[
    Path, typer.Argument(metavar="OUT", help="Folder for everything; if it has some of it, that is kept.")
]
WAITING = 75
"""Exit status of a shard whose stages wait for others: to be tried again, as `sysexits.h` has it."""


@dataclass(frozen=True)
class ExperimentOptions:
    """What experiments are like."""

    preset: str = option("small", "small: minutes on two cores; paper: the paper's sizes.", metavar="NAME")
    iterations: int | None = option(None, "Of each training. [default: the preset's]", min=1)
    validate_every: int | None = option(None, "Iterations between two validations. [default: the preset's]", min=1)
    precision: str | None = option(None, "float32, tf32 or bfloat16. [default: the preset's]", metavar="NAME")
    world: Path | None = option(None, "A world of your own, with features. [default: one is generated]", metavar="DIR")
    features: str | None = option(None, "Whose features, or symbolic. [default: the preset's]", metavar="NAME")
    peers: bool = option(
        True, "Beside them agents that learn nothing; beside Table 2 also SPACED, trained.", "--peers/--no-peers"
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
    threads: int | None = option(None, "Of each training and evaluation. [default: trainings share the cores]", min=1)

    def noted_seed(self) -> list[str]:
        """Return the option for the seed, where it is not the usual one."""
        return as_typed(self, "seed") if self.seed else []


@dataclass(frozen=True)
class SharedWorkOptions(WorkOptions):
    """The same, where other machines may take part."""

    cluster: str = option("local", "local: this machine; ray://HOST:PORT: a Ray cluster that sees OUT.", metavar="WHERE")
    shard: ShardOption = None
    wait: float = option(0, "With --shard: for what others do, before leaving with status 75.", metavar="MINUTES", min=0)

    def here(self) -> dict[str, Any]:
        """Return what says where stages run, for those who run them."""
        from vnla.pipeline.sharing import Sharing

        return {
            "console": Console(stderr=True),
            "device": device_of(self.device, self.cluster),
            "cores": self.workers,
            "threads": self.threads,
            "begins": hint_if_busy,
            "sharing": Sharing.asked_for(self.shard, self.wait),
            "cluster": self.cluster,
        }


@takes_options()
def paper(
    out: EverythingArgument,
    table: Annotated[
        list[int] | None, typer.Option(min=1, max=7, help="Only this table; may be repeated. [default: all seven]")
    ] = None,
    *,
    options: ExperimentOptions,
    work: SharedWorkOptions,
) -> None:
    """Run every experiment of the paper and write a report: OUT/report.html, with tables and figures beside it.

    What is done is kept: stop it at any time, and the same command goes on where it was. Several machines that see OUT share
    the work by --shard i/n, and --shard merge writes the report; a Ray cluster does it all at --cluster ray://HOST:10001.

    Example: vnla paper out --preset small
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
    run_paper(out, preset, contents, " ".join(words), work, world=options.world)


def run_paper(
    out: Path,
    preset: ExperimentPreset,
    contents: Contents,
    command: str,
    work: SharedWorkOptions,
    *,
    world: Path | None = None,
) -> None:
    """Run experiments with progress on stderr, and print their tables; leaves with the signal's status when stopped."""
    from vnla.experiments.paper.paper_stages import run_experiments

    here = work.here()
    with resumable():
        source = run_experiments(out, preset, contents, command=command, world=world, seed=work.seed, **here)
    if is_whole(here["sharing"]):
        print_found(source.tables(), source.layout.report)


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
        typer.echo(f"stopped by {stop} and saved; the same command goes on where it was", err=True)
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

"""`vnla paper`: every experiment of the paper, with all tables and figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from vnla.cli.console import LARGEST_SEED, hint_if_busy
from vnla.cli.sharing import ShardOption
from vnla.common.errors import InputError

if TYPE_CHECKING:
    from vnla.experiments.paper.paper_report import Contents, PaperReport
    from vnla.experiments.presets import ExperimentPreset
    from vnla.pipeline.sharing import Sharing
    from vnla.report.document import Finding, ReportTable

EverythingArgument = Annotated[
    Path, typer.Argument(metavar="OUT", help="Folder for everything; if it has some of it, that is kept.")
]
ValidateEveryOption = Annotated[
    int | None, typer.Option(min=1, help="Iterations between two validations. [default: the preset's]")
]
PrecisionOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="float32, tf32 or bfloat16. [default: the preset's]")
]
OwnWorldOption = Annotated[
    Path | None, typer.Option(metavar="DIR", help="A world of your own, with features. [default: one is generated]")
]
FeaturesOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="Whose features, or symbolic. [default: the preset's]")
]
PeersOption = Annotated[bool, typer.Option(help="Beside them agents that learn nothing.")]
DeviceOption = Annotated[str | None, typer.Option(help="cpu, cuda, cuda:1. [default: a GPU if there is one]")]
WorkersOption = Annotated[int | None, typer.Option(min=1, help="Cores to work on. [default: all]")]
ThreadsOption = Annotated[
    int | None, typer.Option(min=1, help="Of each training and evaluation. [default: trainings share the cores]")
]
ClusterOption = Annotated[
    str, typer.Option(metavar="WHERE", help="local: this machine; ray://HOST:PORT: a Ray cluster that sees OUT.")
]
WaitOption = Annotated[
    float, typer.Option(min=0, metavar="MINUTES", help="With --shard: for what others do, before leaving with status 75.")
]
WAITING = 75
"""Exit status of a shard whose stages wait for others: to be tried again, as `sysexits.h` has it."""


def paper(
    out: EverythingArgument,
    preset: Annotated[
        str, typer.Option(metavar="NAME", help="small: minutes on two cores; paper: the paper's sizes.")
    ] = "small",
    table: Annotated[
        list[int] | None, typer.Option(min=1, max=7, help="Only this table; may be repeated. [default: all seven]")
    ] = None,
    iterations: Annotated[int | None, typer.Option(min=1, help="Of each training. [default: the preset's]")] = None,
    validate_every: ValidateEveryOption = None,
    precision: PrecisionOption = None,
    world: OwnWorldOption = None,
    features: FeaturesOption = None,
    peers: PeersOption = True,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of houses, data sets and trainings.")] = 0,
    device: DeviceOption = None,
    workers: WorkersOption = None,
    threads: ThreadsOption = None,
    cluster: ClusterOption = "local",
    shard: ShardOption = None,
    wait: WaitOption = 0,
) -> None:
    """Run every experiment of the paper and write a report: OUT/report.html, with tables and figures beside it.

    What is done is kept: stop it at any time, and the same command goes on where it was. Several machines that see OUT share
    the work by --shard i/n, and --shard merge writes the report; a Ray cluster does it all at --cluster ray://HOST:10001.

    Example: vnla paper out --preset small
    """
    from vnla.experiments.paper.paper_report import ALL_TABLES, Contents
    from vnla.experiments.presets import preset_of

    chosen = preset_of(preset).given(
        iterations=iterations, validate_every=validate_every, precision=precision, features=features
    )
    contents = Contents("The paper's experiments", tuple(sorted(set(table))) if table else ALL_TABLES, peers=peers)
    given = {
        "--iterations": iterations,
        "--validate-every": validate_every,
        "--precision": precision,
        "--world": world,
        "--features": features,
        "--seed": seed or None,
    }
    command = " ".join(
        [
            f"vnla paper {out} --preset {preset}",
            *(f"{option} {value}" for option, value in given.items() if value is not None),
            *(f"--table {number}" for number in (contents.tables if table else ())),
            *(() if peers else ("--no-peers",)),
        ]
    )
    sharing = sharing_of(shard, wait)
    source = run_all(
        out,
        chosen,
        contents,
        command,
        world=world,
        seed=seed,
        device=device,
        workers=workers,
        threads=threads,
        sharing=sharing,
        cluster=cluster,
    )
    if is_whole(sharing):
        print_tables(source)


def run_all(
    out: Path,
    preset: ExperimentPreset,
    contents: Contents,
    command: str,
    *,
    world: Path | None = None,
    seed: int,
    device: str | None,
    workers: int | None,
    threads: int | None,
    sharing: Sharing | None = None,
    cluster: str | None = None,
) -> PaperReport:
    """Run experiments with progress on stderr; leaves with the signal's status when stopped."""
    from vnla.experiments.paper.paper_stages import run_experiments

    chosen = device_of(device, cluster)
    with resumable():
        return run_experiments(
            out,
            preset,
            contents,
            command=command,
            console=Console(stderr=True),
            world=world,
            seed=seed,
            device=chosen,
            cores=workers,
            threads=threads,
            begins=hint_if_busy,
            sharing=sharing,
            cluster=cluster,
        )


def device_of(device: str | None, cluster: str | None) -> str:
    """The device that was asked for: one of this machine, or of those of a cluster, whose GPUs Ray numbers anew."""
    from vnla.common.machine import device_named
    from vnla.experiments.running import is_elsewhere

    if not is_elsewhere(cluster):
        return device_named(device)
    if device not in (None, "cpu", "cuda"):
        raise InputError(f"device {device}: on a cluster choose cpu or cuda; without it, cpu")
    return device or "cpu"


def sharing_of(shard: str | None, minutes: float) -> Sharing | None:
    """What the options say about sharing the work with other machines."""
    from vnla.pipeline.sharing import Sharing

    return Sharing.asked_for(shard, minutes)


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


def print_tables(source: PaperReport) -> None:
    """Every table with its findings, and where the report is."""
    print_found(source.tables(), source.layout.report)


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

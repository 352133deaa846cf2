"""The commands of `vnla bench`: measurements of this machine, and two of them compared."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from vnla.cli.console import LARGEST_SEED, plain
from vnla.cli.options import AgentOption, BatchOption, CoresOption, EagerOption, SeedsOption
from vnla.common.files import writable, write_text
from vnla.common.registry import options_of
from vnla.report.printing import Table

if TYPE_CHECKING:
    from benchmarks.compare import Line
    from benchmarks.measure import Benchmark

SLOWER = 1
"""Exit status of a comparison in which something got slower."""

JsonOption = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Also write the measurements to this file.")]
DeviceOption = Annotated[str, typer.Option(help="cpu or cuda.")]
SecondsOption = Annotated[float, typer.Option(min=0.01, help="About how long each line is measured.")]
PrecisionOption = Annotated[str, typer.Option(metavar="NAME", help="float32, bfloat16, or on a GPU tf32.")]
HiddenOption = Annotated[int, typer.Option(min=1, help="Hidden size.")]
ViewSizeOption = Annotated[int, typer.Option(min=1, help="Length of a view's features.")]
SeedOption = Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of everything.")]

app = typer.Typer(no_args_is_help=True)


@app.command("all", epilog="Example: vnla bench all --json today.json")
def everything(
    device: DeviceOption = "cpu",
    seed: SeedOption = 0,
    quick: Annotated[
        bool, typer.Option("--quick", help="Use small sizes, to see whether everything runs rather than how fast.")
    ] = False,
    json_file: JsonOption = None,
) -> None:
    """Measure everything that makes sense on the device, at the paper's sizes. This takes minutes."""
    from benchmarks.measure import device_named
    from benchmarks.suite import suite

    _measure(suite(device_named(device), seed, quick=quick), json_file)


@app.command("world", epilog="Example: vnla bench world --json world.json")
def world(
    houses: Annotated[int, typer.Option(min=1, max=10_000, help="Number of real-sized buildings to compile.")] = 90,
    seed: SeedOption = 0,
    seconds: SecondsOption = 1.0,
    device: DeviceOption = "cpu",
    json_file: JsonOption = None,
) -> None:
    """Compile buildings into tables and step through them, on one thread or on a GPU."""
    _one("world", json_file, houses=houses, seconds=seconds, device=device, seed=seed)


@app.command("tasks", epilog="Example: vnla bench tasks --preset paper")
def tasks(
    preset: Annotated[str, typer.Option(metavar="NAME", help="Which generated world: small or paper.")] = "small",
    seed: SeedOption = 0,
    json_file: JsonOption = None,
) -> None:
    """Generate houses and make AskNav for them, as `vnla tasks make` does."""
    from vnla.common.errors import InputError
    from vnla.houses.generate.world import PRESETS

    if preset not in PRESETS:
        raise InputError(f"preset {preset}: unknown; choose from {', '.join(PRESETS)}")
    _one("tasks", json_file, preset=preset, seed=seed)


@app.command("render", epilog="Example: vnla bench render")
def render(
    viewpoints: Annotated[int, typer.Option(min=8, help="Size of the house.")] = 60,
    seed: SeedOption = 3,
    seconds: SecondsOption = 3.0,
    workers: CoresOption = None,
    json_file: JsonOption = None,
) -> None:
    """Generate a house, light it, and draw frames and views of it."""
    _one("render", json_file, viewpoints=viewpoints, workers=workers, seconds=seconds, seed=seed)


@app.command("train", epilog="Example: vnla bench train --precision bfloat16")
def train(
    batch: BatchOption = 100,
    hidden: HiddenOption = 512,
    view_size: ViewSizeOption = 2048,
    precision: PrecisionOption = "float32",
    device: DeviceOption = "cpu",
    eager: EagerOption = False,
    iterations: Annotated[
        int | None, typer.Option(min=1, help="Iterations to time. [default: 15 on a CPU, 50 on a GPU]")
    ] = None,
    agent: AgentOption = "paper",
    agent_option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="An option of the agent, e.g. layers=2.")
    ] = None,
    sensor: Annotated[
        str, typer.Option("--sensor", "--sense", metavar="NAMES", help="Sensors beside the view, as in `vnla train`.")
    ] = "",
    objective: Annotated[str, typer.Option(metavar="NAME", help="imitation, worth, reward; or package.module:Class.")] = (
        "imitation"
    ),
    advisor_language: Annotated[str, typer.Option(metavar="NAME", help="How the advisor speaks: template or grammar.")] = (
        "template"
    ),
    practice: Annotated[
        int, typer.Option(min=0, metavar="N", help="Practice walks for each episode, as in `vnla train`.")
    ] = 0,
    seconds: SecondsOption = 3.0,
    seed: SeedOption = 0,
    json_file: JsonOption = None,
) -> None:
    """Time training iterations of the learned policy at the paper's sizes, their parts and their floor.

    The floor is how long the machine's own matrix products take for the arithmetic of one iteration.
    """
    own = options_of(agent_option or [], "--agent-option")
    # What is as usual has no name here, so that files compare.
    other: dict[str, Any] = {"agent": agent, "options": own} if own or agent != "paper" else {}
    other |= {"objective": objective} if objective != "imitation" else {}
    other |= {"sensors": sensor} if sensor else {}
    other |= {"language": advisor_language} if advisor_language != "template" else {}
    other |= {"practice": practice} if practice else {}
    _one(
        "train", json_file, batch=batch, hidden=hidden, view_size=view_size, precision=precision, eager=eager,
        device=device, iterations=iterations, seconds=seconds, seed=seed, **other,
    )  # fmt: skip


@app.command("evaluate", epilog="Example: vnla bench evaluate --device cuda")
def evaluate(
    points: Annotated[
        int | None, typer.Option(min=1, help="Data points of the split. [default: 500 on a CPU, 5000 on a GPU]")
    ] = None,
    seeds: SeedsOption = 5,
    hidden: HiddenOption = 512,
    view_size: ViewSizeOption = 2048,
    precision: PrecisionOption = "float32",
    device: DeviceOption = "cpu",
    seed: SeedOption = 0,
    json_file: JsonOption = None,
) -> None:
    """Evaluate a whole split under several seeds as one batch."""
    from benchmarks.evaluate import POINTS
    from benchmarks.measure import device_named

    points = points or POINTS[device_named(device)]
    _one(
        "evaluate", json_file, points=points, seeds=seeds, hidden=hidden, view_size=view_size, precision=precision,
        device=device, seed=seed,
    )  # fmt: skip


@app.command("scale", epilog="Example: vnla bench scale --houses 1000 --cache 3GB")
def scale(
    entries: Annotated[str, typer.Option(metavar="NAMES", help="Only these entries, separated by commas.")] = "",
    houses: Annotated[int, typer.Option(min=2, help="Houses of real sizes; 1000 have 10.8 GB of features.")] = 100,
    cache: Annotated[str, typer.Option(metavar="SIZE", help="Size of the cache of features in memory, or host.")] = "1GB",
    processes: Annotated[int, typer.Option(min=2, max=64, help="Number of processes that train together.")] = 2,
    batch: Annotated[int, typer.Option(min=2, help="Episodes in a batch.")] = 100,
    hidden: HiddenOption = 512,
    view_size: ViewSizeOption = 1280,
    iterations: Annotated[int, typer.Option(min=1, help="Number of iterations to time, of each.")] = 15,
    device: DeviceOption = "cpu",
    folder: Annotated[str, typer.Option(metavar="DIR", help="Folder for temporary files.")] = "",
    cluster: Annotated[
        str,
        typer.Option(
            metavar="WHERE",
            help="local, or ray://HOST:PORT to hand out stages there as well; it must be able to read --folder.",
        ),
    ] = "local",
    seed: SeedOption = 0,
    json_file: JsonOption = None,
) -> None:
    """Compare trainings with more features than memory, and by several processes, with plain ones in turn.

    How long a start takes; what shards and their merge cost beside doing all at once; how long it takes to hand out a stage.
    """
    from vnla.common.tables import room_in

    _one(
        "scale", json_file, entries=entries, houses=houses, cache=room_in(cache), processes=processes, batch=batch,
        hidden=hidden, view_size=view_size, iterations=iterations, device=device, folder=folder,
        cluster=cluster, seed=seed,
    )  # fmt: skip


@app.command("serve", epilog="Example: vnla bench serve --visitors 200 --json serve.json")
def serve(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Folder of a run, or: pretrained.")] = "pretrained",
    world: Annotated[str, typer.Option(metavar="DIR", help="World, as in `vnla serve`; its features must be made.")] = "",
    tasks: Annotated[str, typer.Option(metavar="DIR", help="Data set, as in `vnla serve`.")] = "",
    visitors: Annotated[
        int, typer.Option(min=1, max=500, help="Number of visitors at once, each of whom takes a step a second.")
    ] = 200,
    seconds: Annotated[float, typer.Option(min=1, help="How long they stay.")] = 30.0,
    modes: Annotated[str, typer.Option(metavar="NAMES", help="beat, watch, help, separated by commas. [default: all]")] = "",
    hostile: Annotated[
        bool, typer.Option("--hostile", help="Add hostile visitors, who try to keep the others out.")
    ] = False,
    seed: SeedOption = 0,
    json_file: JsonOption = None,
) -> None:
    """Start a server on two cores, send many visitors to it, and measure how long they wait and what a page fetches."""
    from vnla.cli.serve import check_installed

    check_installed()
    given = {"run": run, "world": world, "tasks": tasks, "modes": modes, "hostile": hostile}
    other: dict[str, Any] = {name: value for name, value in given.items() if value and value != "pretrained"}
    _one("serve", json_file, visitors=visitors, seconds=seconds, seed=seed, **other)


@app.command("compare", epilog="Example: vnla bench compare yesterday.json today.json --tolerance 0.1")
def compare(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="Measurements that --json wrote.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="Later ones.")],
    tolerance: Annotated[float, typer.Option(min=0, help="Share of the speed that may be lost before it counts.")] = 0.1,
    any_machine: Annotated[bool, typer.Option("--any-machine", help="Compare measurements of different machines.")] = False,
) -> None:
    """Show two files of measurements side by side. The exit status is 1 if anything got slower than the tolerance allows."""
    from benchmarks.compare import compare as compared
    from benchmarks.compare import read_both

    before, after = read_both(old, new, any_machine=any_machine)
    lines = compared(before, after)
    table = Table("what", "old", "new", "unit", "new/old", "", title=f"{_origin(old, before)} → {_origin(new, after)}")
    shown = ""
    for line in lines:
        if line.benchmark.title != shown:
            shown = line.benchmark.title
            table.add_row(shown, style="bold")
        table.add_row(*_compared(line, tolerance))
    plain().print(table)
    worse = [line for line in lines if line.worse(tolerance)]
    if worse:
        names = ", ".join(f"{line.benchmark.name}: {line.name.strip()}" for line in worse)
        plain().print(f"slower by more than {tolerance:.0%}: {names}", soft_wrap=True)
        raise typer.Exit(SLOWER)


def _origin(path: Path, record: Any) -> str:
    return f"{path.name} ({record.date}, {record.commit or 'no commit'})"


def _compared(line: Line, tolerance: float) -> tuple[str, ...]:
    mark = "slower" if line.worse(tolerance) else "faster" if line.better(tolerance) else ""
    values = ("–" if each is None else _number(each.value) for each in (line.old, line.new))
    return (f"  {line.name}", *values, line.unit, "" if line.ratio is None else f"{line.ratio:.2f}", mark)


def _one(name: str, json_file: Path | None, **options: Any) -> None:
    from benchmarks.measure import device_named
    from benchmarks.suite import benchmark

    device_named(options.get("device", "cpu"))
    _measure([benchmark(name, **options)], json_file)


def _measure(benchmarks: Iterable[Benchmark], json_file: Path | None) -> None:
    """Run benchmarks, print each as a table when it is done, and write all of them."""
    from benchmarks.record import Measured, Record

    if json_file is not None:
        writable(json_file)
    done: list[Measured] = []
    for each in benchmarks:
        with Console(stderr=True).status(f"measuring {each.name} …"):
            done.append(Measured.of(each, list(each.run())))
        table = Table("what", "value", "unit", "times", "", title=done[-1].title, title_justify="left")
        for line in done[-1].measurements:
            ratio = "" if line.ratio is None else f"{line.ratio:,.2f}"
            table.add_row(line.name, _number(line.value), line.unit, ratio, line.note)
        plain().print(table)
        if each.times:
            plain().print(each.times)
    if json_file is not None:
        write_text(json_file, Record.here(done, " ".join(["vnla", *sys.argv[1:]])).text())


def _number(value: float) -> str:
    return f"{value:,.4g}" if value < 1000 else f"{value:,.0f}"

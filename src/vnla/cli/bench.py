"""`vnla bench`: measurements of this machine."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from vnla.files import write_text

if TYPE_CHECKING:
    from vnla.bench import Measurement

JsonOption = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Also write the measurements to this file.")]

app = typer.Typer(help="Measure how fast the parts are on this machine.", no_args_is_help=True)


@app.command("world")
def world(
    houses: Annotated[int, typer.Option(min=1, max=10_000, help="How many real-sized buildings to compile.")] = 90,
    seed: Annotated[int, typer.Option(help="Seed of the buildings and of the random walks.")] = 0,
    seconds: Annotated[float, typer.Option(min=0.01, help="About how long each line is measured.")] = 1.0,
    json_file: JsonOption = None,
) -> None:
    """Compile buildings into tables and step through them, on one thread.

    Example: vnla bench world --json world.json
    """
    from vnla.bench import CPP_STEPS_A_SECOND, bench_world

    low, high = CPP_STEPS_A_SECOND
    _measure("world", bench_world(houses, seed, seconds), json_file)
    typer.echo(f"times: of {high:,} steps/s, the upper end of {low:,}-{high:,} measured for the C++ simulator")


@app.command("train")
def train(
    batch: Annotated[int, typer.Option(min=1, help="Episodes in a batch.")] = 100,
    hidden: Annotated[int, typer.Option(min=1, help="Hidden size.")] = 512,
    view_size: Annotated[int, typer.Option(min=1, help="Length of a view's features.")] = 2048,
    iterations: Annotated[int, typer.Option(min=1, help="Iterations to time.")] = 5,
    precision: Annotated[str, typer.Option(metavar="NAME", help="float32 or bfloat16.")] = "float32",
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    seed: Annotated[int, typer.Option(help="Seed of everything.")] = 0,
    json_file: JsonOption = None,
) -> None:
    """Time training iterations of the learned policy at the paper's sizes, and their parts.

    Example: vnla bench train
    """
    from vnla.bench_train import bench_train

    measured = bench_train(
        batch=batch, hidden=hidden, view_size=view_size, iterations=iterations, precision=precision, device=device, seed=seed
    )
    _measure("train", measured, json_file)


@app.command("render")
def render(
    viewpoints: Annotated[int, typer.Option(min=8, help="Size of the house.")] = 60,
    seed: Annotated[int, typer.Option(help="Seed of the house.")] = 3,
    seconds: Annotated[float, typer.Option(min=0.01, help="About how long each line is measured.")] = 3.0,
    workers: Annotated[int | None, typer.Option(min=1, help="Threads. [default: all cores]")] = None,
    json_file: JsonOption = None,
) -> None:
    """Generate a house, light it, and draw frames and views of it.

    Example: vnla bench render
    """
    from vnla.bench_render import bench_render

    _measure("render", bench_render(viewpoints, seed, seconds, workers), json_file)


def _measure(name: str, measurements: Iterable[Measurement], json_file: Path | None) -> None:
    from vnla.bench import as_json

    table = Table("what", "value", "unit", "times", "", title=name, title_justify="left")
    measured = []
    with Console(stderr=True).status("measuring …"):
        for each in measurements:
            measured.append(each)
            ratio = "" if each.ratio is None else f"{each.ratio:,.2f}"
            value = f"{each.value:,.4g}" if each.value < 1000 else f"{each.value:,.0f}"
            table.add_row(each.name, value, each.unit, ratio, each.note)
    Console().print(table)
    if json_file is not None:
        write_text(json_file, json.dumps(as_json(name, measured), indent=2) + "\n")

"""`vnla bench`: measurements of this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from vnla.files import write_text

app = typer.Typer(help="Measure how fast the parts are on this machine.", no_args_is_help=True)


@app.command("world")
def world(
    houses: Annotated[int, typer.Option(min=1, max=10_000, help="How many real-sized buildings to compile.")] = 90,
    seed: Annotated[int, typer.Option(help="Seed of the buildings and of the random walks.")] = 0,
    seconds: Annotated[float, typer.Option(min=0.01, help="About how long each line is measured.")] = 1.0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Also write the measurements to this file.")] = None,
) -> None:
    """Compile buildings into tables and step through them, on one thread.

    Example: vnla bench world --json world.json
    """
    from vnla.bench import CPP_STEPS_A_SECOND, Measurement, as_json, bench_world

    console = Console()
    table = Table("what", "value", "unit", "× C++", "", title="world", title_justify="left")
    measured: list[Measurement] = []
    with Console(stderr=True).status("measuring …"):
        for each in bench_world(houses, seed, seconds):
            measured.append(each)
            ratio = "" if each.ratio is None else f"{each.ratio:,.1f}"
            table.add_row(
                each.name, f"{each.value:,.4g}" if each.value < 1000 else f"{each.value:,.0f}", each.unit, ratio, each.note
            )
    console.print(table)
    low, high = CPP_STEPS_A_SECOND
    console.print(
        f"× C++: times {high:,} steps/s, the upper end of {low:,}-{high:,} measured for the C++ simulator.", soft_wrap=True
    )
    if json_file is not None:
        write_text(json_file, json.dumps(as_json("world", measured), indent=2) + "\n")

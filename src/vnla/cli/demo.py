"""`vnla demo`: the whole way from nothing to trained agents, in minutes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from vnla.cli.console import LARGEST_SEED
from vnla.cli.paper import DeviceOption, ThreadsOption, WorkersOption, print_tables, run_all


def demo(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder for everything.")] = Path("demo"),
    encoder: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Whose features: panorama-lite0 takes a fraction of the time. [default: efficientnet-lite0]"
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of houses, data set and trainings.")] = 0,
    device: DeviceOption = None,
    workers: WorkersOption = None,
    threads: ThreadsOption = None,
) -> None:
    """Generate houses, draw and encode them, make AskNav, train agents under the five help policies, compare them.

    Writes OUT/report.html and prints the table. What is done is kept: stop it at any time, and run it again to go on.

    Example: vnla demo
    """
    from vnla.experiments.paper.paper_report import Contents
    from vnla.experiments.presets import SMALL
    from vnla.vision.encoders import kind_of

    kind_of(encoder or SMALL.features)
    contents = Contents("Five help policies in small houses", (1, 2), 2, 1, everything=False, peers=False)
    source = run_all(
        out,
        replace(SMALL, features=encoder or SMALL.features),
        contents,
        f"vnla demo {out}" + (f" --encoder {encoder}" if encoder else "") + (f" --seed {seed}" if seed else ""),
        seed=seed,
        device=device,
        workers=workers,
        threads=threads,
    )
    print_tables(source)

"""`vnla demo`: the whole way from nothing to trained agents, in minutes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from vnla.cli.options import takes_options
from vnla.cli.paper import SharedWorkOptions, WorkOptions, run_paper


@takes_options()
def demo(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder for everything.")] = Path("demo"),
    encoder: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Encoder of the views: panorama-lite0 takes a fraction of the time. [default: efficientnet-lite0]",
        ),
    ] = None,
    make_features: Annotated[
        bool, typer.Option("--make-features", help="Draw and encode all views, minutes, though they come with vnla.")
    ] = False,
    *,
    work: WorkOptions,
) -> None:
    """Generate houses, draw and encode them, make AskNav, train agents under the five help policies, compare them.

    Writes OUT/report.html and prints the table. What is done is kept: stop it at any time, and run it again to continue.

    Example: vnla demo
    """
    from vnla.experiments.paper.paper_report import Contents
    from vnla.experiments.presets import SMALL
    from vnla.vision.encoders import kind_of

    kind_of(encoder or SMALL.features)
    contents = Contents("Five help policies in small houses", (1, 2), 2, 1, everything=False, peers=False)
    words = [f"vnla demo {out}", *([f"--encoder {encoder}"] if encoder else []), *work.noted_seed()]
    words += ["--make-features"] if make_features else []
    preset = replace(SMALL, features=encoder or SMALL.features, makes_features=make_features)
    run_paper(out, preset, contents, " ".join(words), SharedWorkOptions(**vars(work)))

"""`vnla demo`: the whole way from nothing to trained agents, in minutes."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vnla.cli.console import plain
from vnla.cli.first_walk import beside_first_walk
from vnla.cli.options import takes_options
from vnla.cli.paper import SharedWorkOptions, WorkOptions, run_paper

if TYPE_CHECKING:
    from vnla.experiments.paper.paper_report import PaperReport


@takes_options()
def demo(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder for everything.")] = Path("demo"),
    encoder: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Encoder of the views; others than the default take minutes longer. [default: efficientnet-lite0]",
        ),
    ] = None,
    make_features: Annotated[
        bool,
        typer.Option(
            "--make-features",
            help="Draw and encode all views here, which takes minutes, instead of using the features that come with vnla.",
        ),
    ] = False,
    *,
    work: WorkOptions,
) -> None:
    """Generate houses, draw and encode them, make AskNav, train agents under the five help policies, compare them.

    Writes OUT/report.html, prints the tables, and at the end shows how long each part took. While the agents are being
    trained it shows a walk of the agent that comes with vnla. What is done is kept: stop it at any time, and run it again
    to continue.

    Example: vnla demo
    """
    from vnla.experiments.paper.paper_report import Contents
    from vnla.experiments.presets import DEMO
    from vnla.vision.encoders import kind_of

    began = time.monotonic()
    kind_of(encoder or DEMO.features)
    contents = Contents("Five help policies in small houses", (1, 2), 2, 1, everything=False, peers=False)
    words = [f"vnla demo {out}", *([f"--encoder {encoder}"] if encoder else []), *work.noted_seed()]
    words += ["--make-features"] if make_features else []
    preset = replace(DEMO, features=encoder or DEMO.features, makes_features=make_features)
    found = run_paper(out, preset, contents, " ".join(words), SharedWorkOptions(**vars(work)), beside=beside_first_walk)
    if found is not None:
        print_order_and_times(found, time.monotonic() - began)


def print_order_and_times(found: PaperReport, seconds: float) -> None:
    """Print whether the policies come in the order of Table 2, and where the time went."""
    from vnla.experiments.evaluations import TESTS
    from vnla.experiments.paper.paper_results import PaperResults
    from vnla.experiments.paper.policy_order import policy_order
    from vnla.experiments.times import times_table
    from vnla.report.table_formats import terminal

    results, console = PaperResults(found.layout, found.preset), plain()
    for split in TESTS:
        order = policy_order(results, split)
        console.print(f"• {order.claim}: {order.verdict}. {order.detail}")
    console.print()
    console.print(terminal(times_table(found.layout.out, seconds)))

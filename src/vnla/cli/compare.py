"""`vnla compare`: agents side by side, and what each pair differs by."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vnla.cli.console import plain, say
from vnla.cli.options import FiguresOption, as_typed, takes_options
from vnla.cli.score import ContestOptions, warn_of_any_budget
from vnla.common.errors import InputError
from vnla.common.files import writable, write_bytes, write_text

if TYPE_CHECKING:
    from vnla.evaluation.contest import Entry, Pair


@takes_options()
def compare(
    agents: Annotated[
        list[str],
        typer.Argument(
            metavar="A B …", help="Results files, or evaluations (evaluation.npz, or its folder); NAME=PATH gives a name."
        ),
    ],
    *,
    options: ContestOptions,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write a report here, with tables (CSV, LaTeX) and the figure.")
    ] = None,
    as_json: FiguresOption = None,
) -> None:
    """Compare agents task by task, with paired intervals over houses.

    Every file is checked and scored again from its walks, as by vnla score, and held to the help budgets of one seed, 123.
    For an evaluation with several seeds, the mean over these seeds counts.

    Example: vnla compare ours=evaluations/learned theirs=mine.json --world worlds/small --tasks tasks/small --out compared
    """
    from vnla.evaluation.contest import pairs
    from vnla.evaluation.metrics import METRICS
    from vnla.report.contest import SMALL, claims_of, entries_table, pairs_table
    from vnla.report.document import json_text
    from vnla.report.table_formats import terminal
    from vnla.report.writing import REPORT

    if len(agents) < 2:
        raise InputError("name at least two agents to compare")
    for place in filter(None, (out and out / REPORT, as_json)):
        writable(place)
    entries = options.entries(agents)
    found = pairs(entries)
    asked_for = entries[0].metrics.keys() - METRICS.keys()
    among = {*SMALL, *asked_for} if len(found) > 1 else None
    for table in (entries_table(entries), pairs_table(found, among=among)):
        plain().print(terminal(table))
    warn_of_any_budget(entries)
    for line in (line for entry in entries for line in claims_of(entry)):
        say(line, err=True)
    if as_json is not None:
        text = json_text({"agents": [each.as_dict() for each in entries], "pairs": [each.as_dict() for each in found]})
        write_text(as_json, text)
    if out is not None:
        typer.echo(f"report: {write_report(out, agents, options, entries, found)}")


def write_report(
    out: Path, agents: Sequence[str], options: ContestOptions, entries: Sequence[Entry], found: Sequence[Pair]
) -> Path:
    """Write what agents differ by as a report; return its first page."""
    from vnla.report.charts import svg
    from vnla.report.contest import FIGURE, contest_canvas, contest_document
    from vnla.report.writing import write

    canvas = contest_canvas(entries, found)
    write_bytes(out / "figures" / f"{FIGURE}.svg", svg(canvas))
    noted = [name for name in ("ratio", "k") if getattr(options, name) != getattr(ContestOptions(), name)]
    flags = [f"--{name}" for name in ("partial", "lenient") if getattr(options, name)]
    flags += [f"--metric {name}" for name in options.metric or ()]
    command = " ".join(["vnla compare", *agents, *as_typed(options, "world", "tasks", "split", "seed", *noted), *flags])
    return write(contest_document(entries, command, canvas), out)

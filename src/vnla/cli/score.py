"""`vnla score`: anybody's results files, checked and scored again."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files as package_files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vnla.cli.console import plain, say, telling
from vnla.cli.options import EpisodesOption, FiguresOption
from vnla.common.errors import InputError
from vnla.common.files import writable, write_text

if TYPE_CHECKING:
    from vnla.evaluation.contest import Entry, ScoringData

World = Annotated[Path | None, typer.Option(metavar="DIR", help="World in which it was done.", show_default=False)]
Tasks = Annotated[Path | None, typer.Option(metavar="DIR", help="Data set with its tasks.", show_default=False)]
Split = Annotated[
    str | None, typer.Option(metavar="NAME", help="val_seen, …, test_unseen. [default: the one that the files are of]")
]
Ratio = Annotated[float, typer.Option(min=0, max=1, help="τ of the help budgets.")]
K = Annotated[int, typer.Option(min=1, max=7, help="k of the help budgets.")]
Seed = Annotated[
    int | None,
    typer.Option(help="Seed of the help budgets, to hold every task to its own. [default: any budget that can be drawn]"),
]
Partial = Annotated[bool, typer.Option("--partial", help="The files are meant to have some tasks of the split only.")]
Lenient = Annotated[
    bool,
    typer.Option("--lenient", help="Count wrong records and missing tasks as failures, and name them, instead of refusing."),
]
Metrics = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="A metric of your own, package.module:name; may be repeated.")
]


def _print_schema(wanted: bool) -> None:
    if wanted:
        typer.echo(package_files("vnla.evaluation").joinpath("results.schema.json").read_text(encoding="utf-8"), nl=False)
        raise typer.Exit


def score(
    results: Annotated[
        list[str], typer.Argument(metavar="RESULTS", help="Results files, or folders with one; NAME=FILE gives it a name.")
    ],
    world: World = None,
    tasks: Tasks = None,
    split: Split = None,
    ratio: Ratio = 0.4,
    k: K = 4,
    seed: Seed = None,
    partial: Partial = False,
    lenient: Lenient = False,
    metric: Metrics = None,
    as_json: FiguresOption = None,
    as_csv: EpisodesOption = None,
    schema: Annotated[  # noqa: ARG001
        bool,
        typer.Option("--schema", help="Print the JSON Schema of a results file.", callback=_print_schema, is_eager=True),
    ] = False,
) -> None:
    """Check results files of any agent, and score them from the paths alone.

    Every task must be there once, every step possible, every budget kept. What a file says of its own success is compared
    with what was found, and never believed.

    Example: vnla score mine.json --world worlds/small --tasks tasks/small

    Example: vnla score ours=a.json theirs=b.json --world worlds/small --tasks tasks/small --seed 123 --json scores.json
    """
    from vnla.evaluation.spreadsheet import Spreadsheet
    from vnla.report.contest import claims_of, entries_table
    from vnla.report.document import json_text
    from vnla.report.tables import terminal

    for place in filter(None, (as_json, as_csv)):
        writable(place)
    material = material_of(world, tasks, metric, ratio, k, seed, split=split, partial=partial, lenient=lenient)
    entries = entered(results, material)
    by_split: dict[str, list[Entry]] = {}
    for entry in entries:
        by_split.setdefault(entry.split, []).append(entry)
    for some in by_split.values():
        plain().print(terminal(entries_table(some)))
    for entry in entries:
        for line in claims_of(entry):
            say(line, err=True)
        _name_wrong(entry)
    if as_json is not None:
        write_text(as_json, json_text([entry.as_dict() for entry in entries]))
    if as_csv is not None:
        sheet = Spreadsheet()
        for entry in entries:
            sheet.add(entry.name, entry.split, entry)
        sheet.write(as_csv)


MOST_NAMED = 20
"""Records that are named on the terminal; `--json` has them all."""


def _name_wrong(entry: Entry) -> None:
    """Say which records were counted as failures."""
    named = [*entry.wrong, *(f"{entry.path}: has no record of task {task}" for task in entry.missing)]
    for line in named[:MOST_NAMED]:
        say(f"counted as a failure: {line}", err=True)
    if len(named) > MOST_NAMED:
        typer.echo(f"… and {len(named) - MOST_NAMED:,} more; --json FILE has them all", err=True)


def material_of(
    world: Path | None,
    tasks: Path | None,
    metric: Sequence[str] | None,
    ratio: float,
    k: int,
    seed: int | None,
    **options: Any,
) -> ScoringData:
    """What files are held against, loaded."""
    from vnla.evaluation.checked import Allowance
    from vnla.evaluation.contest import ScoringData
    from vnla.evaluation.metrics import metrics_named

    if world is None or tasks is None:
        raise InputError("say in which --world and on which --tasks it was done")
    return ScoringData.load(world, tasks, Allowance(ratio, k, seed), metrics_named(metric or ()), **options)


def entered(given: Sequence[str], material: ScoringData) -> list[Entry]:
    """The entries that a person named, each a path or NAME=PATH; names that are there twice get a number."""
    from vnla.evaluation.contest import enter, name_of

    entries: list[Entry] = []
    with telling() as tell:
        for done, text in enumerate(given):
            label, path = _labelled(text)
            tell("checking and scoring", done, len(given))
            taken = {entry.name for entry in entries}
            name = label or name_of(path)
            name = next(each for each in (name, *(f"{name} ({i})" for i in range(2, len(given) + 2))) if each not in taken)
            entries.append(enter(path, material, name))
        tell("checking and scoring", len(given), len(given))
    return entries


def _labelled(text: str) -> tuple[str | None, Path]:
    """A name, where one is given, and a path. What is there as a whole is a path, whatever signs are in it."""
    name, sign, path = text.partition("=")
    if not sign or Path(text).exists():
        return None, Path(text)
    if not name or not path:
        raise InputError(f"{text!r}: expected a file, or NAME=FILE")
    return name, Path(path)

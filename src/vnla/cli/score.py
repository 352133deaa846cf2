"""`vnla score`: anybody's results files, checked and scored again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files as package_files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vnla.cli.console import LARGEST_SEED, plain, say, telling
from vnla.cli.options import EpisodesOption, FiguresOption, MetricOption, takes_options
from vnla.common.errors import InputError
from vnla.common.files import writable, write_text
from vnla.common.options import option

if TYPE_CHECKING:
    from vnla.evaluation.contest import Entry, ScoringData


@dataclass(frozen=True)
class ContestOptions:
    """What results files are held against."""

    world: Annotated[
        Path | None, typer.Option(metavar="DIR", help="World that the agents walked in.", show_default=False)
    ] = None
    tasks: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Data set that the tasks are from.", show_default=False)
    ] = None
    split: str | None = option(None, "val_seen, …, test_unseen. [default: that of the files]", metavar="NAME")
    ratio: float = option(0.4, "τ of the help budgets.", min=0, max=1)
    k: int = option(4, "k of the help budgets.", min=1, max=7)
    seed: str | None = option(
        None, "Seed of the help budgets that every task must keep; any: accept every budget, for scores that are compared"
        " with no others. [default: 123]", metavar="N|any",
    )  # fmt: skip
    partial: bool = option(False, "Accept files that lack some of the tasks, and leave these out of every figure.")
    lenient: bool = option(
        False, "Count wrong records and missing tasks as failures and name them, instead of refusing the file."
    )
    metric: MetricOption = None

    def entries(self, given: Sequence[str]) -> list[Entry]:
        """Return the entries that a person named, each a path or NAME=PATH; names that are there twice get a number."""
        from vnla.evaluation.contest import enter, name_of

        material = self._material()
        entries: list[Entry] = []
        with telling() as tell:
            for done, text in enumerate(given):
                label, path = _labelled(text)
                tell("checking and scoring", done, len(given))
                taken = {entry.name for entry in entries}
                name = label or name_of(path)
                numbered = (f"{name} ({number})" for number in range(2, len(given) + 2))
                entries.append(enter(path, material, next(each for each in (name, *numbered) if each not in taken)))
            tell("checking and scoring", len(given), len(given))
        return entries

    def _material(self) -> ScoringData:
        from vnla.evaluation.allowance import Allowance
        from vnla.evaluation.contest import ScoringData
        from vnla.evaluation.metrics import metrics_named

        if self.world is None or self.tasks is None:
            raise InputError("say in which --world and on which --tasks it was done")
        allowance, metrics = Allowance(self.ratio, self.k, self._seed()), metrics_named(self.metric or ())
        return ScoringData.load(
            self.world, self.tasks, allowance, metrics, split=self.split, partial=self.partial, lenient=self.lenient
        )

    def _seed(self) -> int | None:
        """Return the seed that draws the help budgets; None where any of them will do."""
        from vnla.evaluation.contest import ANY_SEED
        from vnla.evaluation.evaluate import SEEDS

        if self.seed is None:
            return SEEDS[0]
        if self.seed == ANY_SEED:
            return None
        if not re.fullmatch(r"-?[0-9]{1,19}", self.seed) or abs(int(self.seed)) > LARGEST_SEED:
            raise InputError(f"--seed {self.seed[:40]!r}: expected a whole number, or: {ANY_SEED}")
        return int(self.seed)


def _print_schema(wanted: bool) -> None:
    if wanted:
        typer.echo(package_files("vnla.evaluation").joinpath("results.schema.json").read_text(encoding="utf-8"), nl=False)
        raise typer.Exit


@takes_options()
def score(
    results: Annotated[
        list[str], typer.Argument(metavar="RESULTS", help="Results files, or folders with one; NAME=FILE gives it a name.")
    ],
    *,
    options: ContestOptions,
    as_json: FiguresOption = None,
    as_csv: EpisodesOption = None,
    schema: Annotated[  # noqa: ARG001
        bool,
        typer.Option("--schema", help="Print the JSON Schema of a results file.", callback=_print_schema, is_eager=True),
    ] = False,
) -> None:
    """Check results files of any agent, and score them from the paths alone.

    Every task must have one record, every step must be possible, and every budget must be kept. What a file
    says about its own success is compared with the score and does not count.

    Help budgets are random, so all agents get the draws of one seed, 123, as in vnla evaluate. A file with other budgets is
    refused. --seed any accepts every budget and marks the figures: any budget; not comparable.

    Example: vnla score mine.json --world worlds/small --tasks tasks/small

    Example: vnla score ours=a.json theirs=b.json --world worlds/small --tasks tasks/small --json scores.json
    """
    from vnla.evaluation.spreadsheet import Spreadsheet
    from vnla.report.contest import claims_of, entries_table
    from vnla.report.document import json_text
    from vnla.report.table_formats import terminal

    for place in filter(None, (as_json, as_csv)):
        writable(place)
    entries = options.entries(results)
    by_split: dict[str, list[Entry]] = {}
    for entry in entries:
        by_split.setdefault(entry.split, []).append(entry)
    for some in by_split.values():
        plain().print(terminal(entries_table(some)))
    warn_of_any_budget(entries)
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


def warn_of_any_budget(entries: Sequence[Entry]) -> None:
    """Say aloud that figures are of budgets that the scorer did not draw."""
    if any(entry.any_budget for entry in entries):
        say("--seed any: any budget; not comparable: do not set these figures beside those of other agents", err=True)


MOST_NAMED = 20
"""Records that are named on the terminal; `--json` has them all."""


def _name_wrong(entry: Entry) -> None:
    """Say which records were counted as failures."""
    named = [*entry.wrong, *(f"{entry.path}: has no record of task {task}" for task in entry.missing)]
    for line in named[:MOST_NAMED]:
        say(f"counted as a failure: {line}", err=True)
    if len(named) > MOST_NAMED:
        typer.echo(f"… and {len(named) - MOST_NAMED:,} more; --json FILE has them all", err=True)


def _labelled(text: str) -> tuple[str | None, Path]:
    """A name, where one is given, and a path. What is there as a whole is a path, whatever signs are in it."""
    name, sign, path = text.partition("=")
    if not sign or Path(text).exists():
        return None, Path(text)
    if not name or not path:
        raise InputError(f"{text!r}: expected a file, or NAME=FILE")
    return name, Path(path)

"""What visitors gave as a data set: Parquet with a card, and the sentences in the form of those written by hand.

::

    README.md                                 the card: what this is, how it was collected, every column
    data/advice-00000-of-00001.parquet        a row a sentence
    sentences.jsonl                           the same as `vnla/language/data/handwritten.jsonl` has them

Contributors have numbers that are drawn anew for every export. Rows are in the order of places, which says nothing of when
they were given.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from vnla.camera import view_index
from vnla.common import files
from vnla.language.handwritten import written_line
from vnla.recordings.parquet import CARD, DATA, Column, arrow_type, feature_lines, pyarrow_module, size_category
from vnla.serve.contributions.store import StoredContribution

SENTENCES = "sentences.jsonl"
FILE = "advice-00000-of-00001.parquet"
ACTIONS_OF_NOTHING = 4
"""Actions of the way that a sentence is written with which nobody understood: as many as the paper's advisor describes."""

COLUMNS = (
    Column("text", "string", "what was typed"),
    Column("how", "string", "answer: the agent had asked; unasked; what_if: tried beside the walk"),
    Column("understood", "string", "what the agent was told, in its words; null where nothing was understood"),
    Column("plan", "string[]", "the actions that this stands for"),
    Column("read", "string[]", "stretches of the text that were understood"),
    Column("unread", "string[]", "stretches that were not"),
    Column("house", "string", "id of the house in its world"),
    Column("generator", "int64", "version of the generator that made the house; null where none did"),
    Column("house_seed", "int64", "its seed"),
    Column("house_viewpoints", "int64", "viewpoints that were asked for; by these three it is made again"),
    Column("viewpoint", "string", "id of the viewpoint where the agent stood"),
    Column("heading", "int8", "one of 12, clockwise from north"),
    Column("row", "int8", "0 down, 1 level, 2 up"),
    Column("end_goal", "string", "what the agent was looking for"),
    Column("step", "int64", "actions that it had taken"),
    Column("steps_left", "int64", "time that was left"),
    Column("requests_left", "int64", "requests that were left"),
    Column("way", "string[]", "the navigation teacher's next actions, at most 12"),
    Column("way_alone", "int64", "how many of them lead where they lead also without a goal"),
    Column("metres", "float64", "from there to the nearest goal"),
    Column("followed", "string[]", "what the agent did until it asked again, heard something else, or ended"),
    Column("ended", "string", "how the episode ended: stopped, time, left; null where its visitor left it before"),
    Column("end_viewpoint", "string", "where it ended"),
    Column("end_heading", "int8", "and how it looked there"),
    Column("end_row", "int8", ""),
    Column("success", "bool", "whether that was within 2 m of a goal"),
    Column("metres_at_end", "float64", "and how far it was"),
    Column("contributor", "int64", "which sentences one browser gave: a number drawn anew for every export"),
    Column("day", "string", "when it was given, in UTC; no time of the day is kept"),
    Column("reader", "string", "version of what read it"),
    Column("agent", "string", "digits of the agent's weights"),
    Column("world", "string", "digits of the world"),
    Column("vnla", "string", "version of the program"),
    Column("consent", "string", "version of the text that was agreed to"),
    Column("schema_version", "int64", "of these columns"),
)


class ExportedAdvice(NamedTuple):
    """What has come of an export."""

    rows: int
    contributors: int
    sentences: int
    """Lines of `sentences.jsonl`."""


def export_advice(stored: Sequence[StoredContribution], out: Path, command: str = "") -> ExportedAdvice:
    """Write what was given as the new folder `out`."""
    pyarrow, parquet = pyarrow_module("pyarrow"), pyarrow_module("pyarrow.parquet")
    ordered = sorted(stored, key=_place)
    names = sorted({each.contributor for each in ordered})
    random.SystemRandom().shuffle(names)
    numbers = {name: number for number, name in enumerate(names, start=1)}
    rows = [_row(each, numbers[each.contributor]) for each in ordered]
    schema = pyarrow.schema([(column.name, arrow_type(pyarrow, column.kind)) for column in COLUMNS])
    lines = list(dict.fromkeys(_lines(ordered)))
    with files.new_folder(out) as folder:
        (folder / DATA).mkdir()
        table = pyarrow.Table.from_pylist(rows, schema=schema)
        parquet.write_table(table, folder / DATA / FILE, compression="zstd")
        files.write_text(folder / SENTENCES, "".join(f"{line}\n" for line in lines))
        size = (folder / DATA / FILE).stat().st_size
        files.write_text(folder / CARD, _card(len(rows), len(names), len(lines), size, command))
    return ExportedAdvice(len(rows), len(names), len(lines))


def _place(each: StoredContribution) -> tuple[object, ...]:
    given = each.contribution
    key = (given.made.seed, given.made.number) if given.made else (-1, -1)
    return (*key, given.house, given.viewpoint, given.row, given.heading, given.text, given.step, each.contributor)


def _row(each: StoredContribution, contributor: int) -> dict[str, Any]:
    given, came = each.contribution, each.outcome
    row = given.model_dump(exclude={"parts", "made", "alone"})
    made = given.made
    return row | {
        "read": [given.text[start:end] for start, end, understood in given.parts if understood],
        "unread": [given.text[start:end] for start, end, understood in given.parts if not understood],
        "generator": made and made.generator,
        "house_seed": made and made.seed,
        "house_viewpoints": made and made.number,
        "way_alone": given.alone,
        "followed": came.followed,
        "ended": came.ended,
        "end_viewpoint": came.viewpoint,
        "end_heading": came.heading,
        "end_row": came.row,
        "success": came.success,
        "metres_at_end": came.metres,
        "contributor": contributor,
    }


def _lines(stored: Sequence[StoredContribution]) -> Iterator[str]:
    """Yield the sentences as walks with what was said to them.

    What a person meant nobody knows. What they were shown is the way to the goal: a walk has as many of its actions as were
    understood, or four where nothing was.
    """
    for each in stored:
        given = each.contribution
        plan = given.way[: len(given.plan) if given.understood else ACTIONS_OF_NOTHING]
        if given.made is not None and plan and len(plan) <= given.alone:
            view = view_index(given.row, given.heading)
            yield written_line(given.made.model_dump(), given.viewpoint, view, plan, " ".join(given.text.split()))


def _card(rows: int, contributors: int, lines: int, nbytes: int, command: str) -> str:
    header = [
        "---",
        "pretty_name: Advice that visitors gave",
        "language:",
        "- en",
        "license: other",
        "task_categories:",
        "- robotics",
        "tags:",
        "- vision-and-language-navigation",
        "- vnla",
        "size_categories:",
        f"- {size_category(rows)}",
        "configs:",
        "- config_name: default",
        "  data_files:",
        "  - split: advice",
        "    path: data/advice-*.parquet",
        "dataset_info:",
        "  features:",
        *(line for column in COLUMNS for line in feature_lines(column)),
        "  splits:",
        "  - name: advice",
        f"    num_bytes: {nbytes}",
        f"    num_examples: {rows}",
        "---",
        "",
    ]
    table = "\n".join(f"| `{column.name}` | {column.kind} | {column.meaning} |" for column in COLUMNS)
    made = f"\nMade by `{command.replace('`', '')}`.\n" if command else ""
    return "\n".join(header) + _BODY.format(rows=rows, contributors=contributors, lines=lines, made=made, table=table)


_BODY = """\
# Advice that visitors gave

What visitors of a page of `vnla serve` typed to an agent that looks for something in a house: {rows:,} sentences of
{contributors:,} contributors, each with where the agent stood, how it was read, and what came of it.
{made}
## How it was collected

A visitor may agree on the page to give what they type. It is off until they do, and they are told what is kept. Kept is what
is in the table below, and nothing else: no address, no name, no id of a session, no time of the day. A contributor is a
browser; a number joins its sentences, and the same browser has another one in every export. Whoever withdraws has all their
sentences deleted, so a later export has fewer. If you publish this, keep to the latest export, and read the
sentences first: people may have typed something about themselves.

Those who help on a page are no sample of anybody. They see the way to the goal on a plan, pieces of sentences to choose
from, and how their words are read while they type. So many sentences follow what the reader understands.

## Columns

| column | type | meaning |
| --- | --- | --- |
{table}

`plan`, `way` and `followed` have the actions left, right, up, down, forward and stop.

## sentences.jsonl

{lines:,} of the sentences, without repetitions, as walks: `house` (generator, preset, seed, number), `viewpoint`,
`heading`, `row`, `plan`, `sentence`. They have the form of the sentences that were written by hand for `vnla`, and are
scored by the same program. The `plan` of a walk is what the way to the goal begins with, in as many actions as were
understood, or in four where nothing was: it is what the visitor was shown, not surely what they meant. Sentences of houses
that were not generated, and of ways that need the goal to be walked, are in the Parquet file alone.

## Licence

Whoever collected this says under which terms it may be used. Visitors agreed that their sentences may be published.
"""

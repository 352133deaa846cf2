"""The table of a part of the board, and the tables of an entry's page."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from vnla.evaluation.confidence import Interval
from vnla.experiments.benchmark.board.listed import BEACONS, BoardPart, ListedEntry, one_line
from vnla.experiments.benchmark.definition import COMMON, FRESH, read_definition
from vnla.experiments.benchmark.figures import FIGURES, BenchmarkFigure, charged
from vnla.report.document import UNKNOWN, Cell, ReportTable, Row, Value

LONGEST_FACT = 60
"""Characters of what an entry says of itself in a cell."""
PEOPLE_NOTE = "People"
REFERENCE_NOTE = (
    "Reference lines: they know what no agent can know, or walked in the common houses alone, so nobody competes with them"
)


class BoardCell(NamedTuple):
    """A cell: a number with its interval below it, or words."""

    text: str
    margin: str = ""
    numeric: bool = False


class BoardRow(NamedTuple):
    """The row of an entry."""

    letter: str
    entry: ListedEntry
    cells: tuple[BoardCell, ...]


class BoardTable(NamedTuple):
    """All rows of a part, under the headings that they stand below."""

    columns: tuple[str, ...]
    numeric: tuple[bool, ...]
    groups: tuple[tuple[str, tuple[BoardRow, ...]], ...]
    note: str


def board_table(part: BoardPart) -> BoardTable:
    """Return the table of a part."""
    letters = part.letters()
    rows = {each.page: _row(part, each, letters) for each in part.everybody}
    headed = (("", part.entries), (PEOPLE_NOTE, part.people), (REFERENCE_NOTE, part.references))
    groups = tuple((title, tuple(rows[each.page] for each in entries)) for title, entries in headed if entries)
    numeric = tuple(cell.numeric for cell in groups[0][1][0].cells)
    return BoardTable(_columns(), numeric, groups, part.note)


def _columns() -> tuple[str, ...]:
    prices = (f"Charged {price:g}" for price in read_definition().prices)
    return (
        "Success, fresh", "Success, common", "Common − fresh", "Area under the curve", "Requests", *prices, "NoRoom success",
        "Cannot be told from", "Beacon", "Signed", "Houses", "Observes", "Trained on",
    )  # fmt: skip


def _row(part: BoardPart, entry: ListedEntry, letters: dict[str, str]) -> BoardRow:
    names = ("area", "requests", *(charged(price).name for price in read_definition().prices), "noroom_success")
    houses = FRESH if FRESH in entry.sets else COMMON
    measured = [
        _measured(value_of(FIGURES["success"], entry.success)),
        _measured(value_of(FIGURES["success"], entry.figure("success", COMMON))),
        _measured(Value.of(entry.overfit(FIGURES["success"]), "points")),
        *(_measured(value_of(FIGURES[name], entry.figure(name, houses)), houses) for name in names),
    ]
    trust = (_alike(part, entry, letters), BEACONS[entry.beacon], signed(entry), _houses(entry))
    facts = (_observes(entry), one_line(entry.manifest.trained, LONGEST_FACT) or UNKNOWN)
    cells = (*measured, *(BoardCell(each) for each in (*trust, *facts)))
    return BoardRow(letters.get(entry.page, ""), entry, cells)


def value_of(figure: BenchmarkFigure, found: Interval) -> Value:
    """Return a figure as tables show it."""
    return Value.of(found, figure.unit)


def _measured(value: Value, houses: str = FRESH) -> BoardCell:
    """Return a number with its interval below it; where it is not of the fresh houses that stands there, too."""
    number = value.number(value.mean) if value.known else UNKNOWN
    margin = value.text.removeprefix(number).strip()
    return BoardCell(number, margin if houses == FRESH else f"{margin} {houses}".strip(), numeric=True)


def _alike(part: BoardPart, entry: ListedEntry, letters: dict[str, str]) -> str:
    """Return the letters of the entries from which nobody can tell this one, in each set of houses."""
    if entry.page not in letters:
        return UNKNOWN
    if len(letters) == 1:
        return "nobody to compare with"
    found = {houses: [letters[each.page] for each in part.not_told_apart(entry, houses)] for houses in (FRESH, COMMON)}
    return "; ".join(f"{houses}: {', '.join(each) or 'none'}" for houses, each in found.items())


def _observes(entry: ListedEntry) -> str:
    manifest = entry.manifest
    return one_line(", ".join(manifest.observes), LONGEST_FACT) + (
        f"; sensors: {one_line(', '.join(manifest.sensors), LONGEST_FACT)}" if manifest.sensors else ""
    )


def signed(entry: ListedEntry) -> str:
    """Return by which key an entry was signed."""
    signature = entry.verified.signature
    return "unsigned" if signature is None else f"key {signature.fingerprint}"


def _houses(entry: ListedEntry) -> str:
    return ", ".join(f"{entry.houses(houses)} {houses}" for houses in (FRESH, COMMON) if houses in entry.sets)


def figures_table(entry: ListedEntry, note: str) -> ReportTable:
    """Return every figure of an entry in both sets of houses."""
    rows: list[Row] = [
        (
            figure.title[:1].upper() + figure.title[1:] + _unit(figure),
            *(value_of(figure, entry.figure(name, houses)) for houses in (FRESH, COMMON)),
            Value.of(entry.overfit(figure), "points" if figure.unit == "%" else figure.unit),
        )
        for name, figure in FIGURES.items()
    ]
    columns = ["Figure", "Fresh houses", "Common houses", "Common − fresh"]
    return ReportTable("figures", "Every figure", columns, rows, note)


def _unit(figure: BenchmarkFigure) -> str:
    return {"%": " (%)", "points": " (points)"}.get(figure.unit, "")


def curve_table(name: str, title: str, entries: tuple[ListedEntry, ...], houses: str, note: str = "") -> ReportTable:
    """Return success and requests of entries at each τ, which is what a figure of curves shows."""
    ratios = sorted(read_definition().ratios)
    columns = ["Entry", *(f"τ {ratio:g}: {what}" for ratio in ratios for what in ("success", "requests"))]
    rows = [(each.name, *_points(each, houses)) for each in entries]
    return ReportTable(name, title, columns, rows, note)


def _points(entry: ListedEntry, houses: str) -> Iterator[Cell]:
    points = {point.ratio: point for point in entry.curve(houses) or entry.curve(COMMON)}
    for ratio in sorted(read_definition().ratios):
        point = points.get(ratio)
        yield None if point is None else Value.of(point.success, "%")
        yield None if point is None else Value.of(point.requests)


def entry_curve_table(entry: ListedEntry) -> ReportTable:
    """Return success and requests of one entry at each τ, in the houses that it was in."""
    columns, sides = ["τ"], []
    for houses in (each for each in (FRESH, COMMON) if each in entry.sets):
        columns += [f"Success, {houses} (%)", f"Requests, {houses}", f"Allowed, {houses}"]
        sides.append(entry.curve(houses))
    rows: list[Row] = []
    for points in zip(*sides, strict=True):
        row: list[Cell] = [f"{points[0].ratio:g}"]
        for point in points:
            row += [Value.of(point.success, "%"), Value.of(point.requests), Value(point.help_budget)]
        rows.append(row)
    return ReportTable("points", "Success at each τ", columns, rows)


def differences_table(part: BoardPart, entry: ListedEntry) -> ReportTable | None:
    """Return by how much an entry succeeds more often than each other of its part; nothing where it is alone."""
    others = [each for each in part.compared() if each.page != entry.page]
    if entry not in part.compared() or not others:
        return None
    rows: list[Row] = []
    for other in others:
        gains = [part.differences[entry.page, other.page, houses] for houses in (FRESH, COMMON)]
        shown = [cell for gain in gains for cell in (Value.of(gain, "points"), _verdict(gain))]
        rows.append((other.name, *shown))
    columns = ["Less the success of", "Fresh, points", "Fresh: can it be told?", "Common, points", "Common: can it be told?"]
    return ReportTable("differences", "Beside the others of its track", columns, rows, DIFFERENCES_NOTE)


DIFFERENCES_NOTE = (
    "A difference can be told if its whole 95% interval is on one side of zero. In the common houses both did the same"
    " tasks, so the difference is taken house by house (paired); fresh houses are others for each entry (unpaired). Of"
    " twenty pairs that do not differ one is told apart by chance."
)


def _verdict(gain: Interval) -> str:
    if math.isnan(gain.low):
        return "no, there is no interval"
    return "yes, better" if gain.low > 0 else "yes, worse" if gain.high < 0 else "no"

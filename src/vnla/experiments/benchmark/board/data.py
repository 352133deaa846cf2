"""Every figure of a board, for programs: data.json and board.csv."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vnla.evaluation.spreadsheet import as_csv
from vnla.experiments.benchmark.board.listed import BoardPart, ListedEntry, is_told
from vnla.experiments.benchmark.definition import definition_checksum, read_definition
from vnla.experiments.benchmark.figures import FIGURES, figures_of

FORMAT, VERSION = "asknav-open-board", 1
COLUMNS = (
    "preset",
    "track",
    "entry",
    "page",
    "reference",
    "houses",
    "figure",
    "ratio",
    "unit",
    "value",
    "low",
    "high",
    "over",
)


def as_dict(parts: Sequence[BoardPart], beacons: Mapping[str, str]) -> dict[str, Any]:
    """Return all that a board shows, but for cards and walks."""
    definition = read_definition()
    return {
        "format": FORMAT,
        "version": VERSION,
        "benchmark": definition.called,
        "definition": definition_checksum(),
        "parts": [_part(each) for each in parts],
        "registered": dict(sorted(beacons.items())),
    }


def _part(part: BoardPart) -> dict[str, Any]:
    return {
        "preset": part.preset.name,
        "track": str(part.track),
        "entries": [_entry(each) for each in part.everybody],
        "differences": [
            {"one": one, "other": other, "houses": houses, **gain.as_dict(), "told": is_told(gain)}
            for (one, other, houses), gain in part.differences.items()
        ],
    }


def _entry(entry: ListedEntry) -> dict[str, Any]:
    verified, manifest = entry.verified, entry.manifest
    signature = verified.signature
    return {
        "page": entry.page,
        "name": entry.name,
        "kind": manifest.artefact.kind,
        "digest": manifest.artefact.digest,
        "reference": manifest.reference,
        "beacon": {"value": manifest.beacon, "whose": entry.beacon},
        "fresh_seed": manifest.fresh_seed,
        "signature": None if signature is None else signature.as_dict(),
        "wrong": verified.wrong,
        "missing": verified.missing,
        **figures_of(verified),
        "overfit": {name: entry.overfit(each).as_dict() for name, each in FIGURES.items()},
    }


def as_sheet(parts: Sequence[BoardPart]) -> str:
    """Return a CSV file with a row for each figure of each entry in each set of houses."""
    return as_csv(COLUMNS, (row for part in parts for entry in part.everybody for row in _rows(part, entry)))


def _rows(part: BoardPart, entry: ListedEntry) -> Iterator[tuple[object, ...]]:
    ratio = read_definition().ratio
    about = (part.preset.name, str(part.track), entry.name, entry.page, entry.manifest.reference)
    for houses in entry.sets:
        for name, figure in FIGURES.items():
            at = "" if name == "area" else ratio
            yield *about, houses, name, at, figure.unit, *entry.figure(name, houses)
        for point in entry.curve(houses):
            yield *about, houses, "curve_success", point.ratio, "%", *point.success
            yield *about, houses, "curve_requests", point.ratio, "requests", *point.requests

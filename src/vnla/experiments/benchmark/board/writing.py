"""Writes a board into a folder: pages that load nothing, with one script of our own that moves a mark over a plan."""

from __future__ import annotations

import base64
import hashlib
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any

from markupsafe import Markup

from vnla.common import files
from vnla.common.errors import InputError
from vnla.common.progress import untold
from vnla.experiments.benchmark.board.curves import entry_figure, part_figures
from vnla.experiments.benchmark.board.data import FORMAT, as_dict, as_sheet
from vnla.experiments.benchmark.board.listed import (
    BEACONS,
    BOARD,
    LONGEST_NAME,
    BoardPart,
    ListedEntry,
    common_minus_fresh_note,
    listed,
    one_line,
    parts,
)
from vnla.experiments.benchmark.board.tables import (
    DIFFERENCES_NOTE,
    BoardTable,
    board_table,
    curve_table,
    differences_table,
    entry_curve_table,
    figures_table,
    signed,
)
from vnla.experiments.benchmark.board.walks import RULE, common_houses, shown_walk
from vnla.experiments.benchmark.definition import FRESH, BenchmarkPreset, read_definition
from vnla.experiments.benchmark.entry import LONGEST_TEXT, Manifest
from vnla.experiments.benchmark.houses import BenchmarkHouses
from vnla.experiments.benchmark.verification import VerifiedEntry
from vnla.houses.house import House
from vnla.report.document import Figure, ReportTable, duration, json_text
from vnla.report.html import DENSITY, render
from vnla.report.markdown import safe_markdown
from vnla.report.printing import harmless

INDEX, HOW, DATA, SHEET, ENTRIES = "index.html", "how.html", "data.json", "board.csv", "entries"
LONGEST_LABEL = 30
"""Characters of the name of a fact."""
POINTS_NOTE = "Success in per cent, in fresh houses; of reference lines that were in the common ones alone, in those."
MOST_NAMED = 20
"""Failures that a page names; the rest is counted."""


def write_board(
    entries: Sequence[VerifiedEntry], out: Path, *, houses: Path, beacons: Mapping[str, str] | None = None, cores: int = 1
) -> Path:
    """Write the board of some entries and return its first page; a board that is there already is replaced.

    `houses` is where the benchmark's houses are, and `beacons` are those that the board drew, by digest. Every file is
    replaced as a whole, the first page last.
    """
    _check_place(out)
    drawn = dict(beacons or {})
    found = listed(entries, drawn)
    every, plans = parts(found), _Houses(houses, cores)
    for part in every:
        for entry in part.everybody:
            files.write_text(out / ENTRIES / f"{entry.page}.html", _entry_page(part, entry, found, plans.of(part.preset)))
    for page in (out / ENTRIES).glob("*.html"):
        if page.stem not in {entry.page for entry in found}:
            page.unlink()
    files.write_text(out / DATA, json_text(as_dict(every, drawn)))
    files.write_text(out / SHEET, as_sheet(every))
    files.write_text(out / HOW, _how_page(found, drawn))
    files.write_text(out / INDEX, _index_page(every, found))
    return out / INDEX


def _check_place(out: Path) -> None:
    """Refuse a folder with anything in it but an earlier board."""
    if out.is_dir() and any(out.iterdir()):
        value = files.read_json(out / DATA, "a board") if (out / DATA).is_file() else None
        if not isinstance(value, dict) or value.get("format") != FORMAT:
            raise InputError(f"{out}: has files in it that are no board; name a new folder")


class _Houses:
    """The common houses of each size, which are read once."""

    def __init__(self, folder: Path, cores: int) -> None:
        self._folder, self._cores = folder, cores
        self._read: dict[str, dict[str, House]] = {}

    def of(self, preset: BenchmarkPreset) -> dict[str, House]:
        """Return the houses by name."""
        if preset.name not in self._read:
            made = BenchmarkHouses(read_definition(), preset, self._folder, self._cores).common(
                untold
            )  # verification has made them
            self._read[preset.name] = common_houses(made.world)
        return self._read[preset.name]


@cache
def _asset(name: str) -> str:
    return package_files("vnla.report").joinpath("templates", name).read_text(encoding="utf-8")


def _rendered(template: str, **values: Any) -> str:
    """Return a page that may have our style sheet and our script in it, and load nothing.

    The browser is told the checksums of both, so whatever untrusted text might become, it is neither.
    """
    style, script = _asset("report.css") + _asset("board.css"), _asset("board.js")
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none';"
        " form-action 'none'"
    )
    return render(
        template, policy=policy, style=Markup(style), script=Markup(script), density=DENSITY,
        called=read_definition().called, line=one_line, beacons=BEACONS, **values,
    )  # fmt: skip


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _index_page(every: Sequence[BoardPart], found: Sequence[ListedEntry]) -> str:
    return _rendered(
        "board", shown=[_shown(each) for each in every], definition=read_definition(), entries=found,
        several_presets=len({each.preset.name for each in every}) > 1,
        differences_note=DIFFERENCES_NOTE, overfit_note=common_minus_fresh_note(),
    )  # fmt: skip


def _shown(part: BoardPart) -> tuple[BoardPart, BoardTable, list[Figure], ReportTable]:
    """Return a part with its table, its figures and the table of what the figures show."""
    title = f"{part.title}: success and requests at each τ"
    points = curve_table(f"points-{part.slug}", title, part.everybody, FRESH, POINTS_NOTE)
    return part, board_table(part), part_figures(part), points


def _how_page(found: Sequence[ListedEntry], beacons: Mapping[str, str]) -> str:
    submitted = {each.manifest.artefact.digest for each in found if each.beacon == BOARD}
    unused = [digest for digest in sorted(beacons) if digest not in submitted]
    return _rendered("board-how", definition=read_definition(), registered=len(beacons), unused=unused)


def _entry_page(part: BoardPart, entry: ListedEntry, found: Sequence[ListedEntry], houses: dict[str, House]) -> str:
    return _rendered(
        "board-entry", entry=entry, part=part, manifest=entry.manifest, facts=list(_facts(entry, found)), card=_card(entry),
        authors=one_line(", ".join(entry.manifest.authors), LONGEST_TEXT),
        summary=one_line(entry.manifest.summary, LONGEST_TEXT),
        figures=figures_table(entry, part.note), curve=entry_figure(entry), points=entry_curve_table(entry),
        differences=differences_table(part, entry), overfit_note=common_minus_fresh_note(), failures=list(_failures(entry)),
        went_wrong=_went_wrong(entry.manifest), walk=shown_walk(entry, houses), rule=RULE, verify=_verify(entry),
    )  # fmt: skip


def _card(entry: ListedEntry) -> Markup | None:
    text = entry.verified.entry.card
    return safe_markdown(text) if text.strip() else None


def _facts(entry: ListedEntry, found: Sequence[ListedEntry]) -> Iterator[tuple[str, str]]:
    """Yield what the manifest says, a fact a line."""
    manifest = entry.manifest
    yield "Artefact", f"{manifest.artefact.kind}, digest `{manifest.artefact.digest}`"
    yield "Beacon", f"{BEACONS[entry.beacon]}{f', `{one_line(manifest.beacon, LONGEST_NAME)}`' if manifest.beacon else ''}"
    yield "Fresh houses", f"seed {manifest.fresh_seed}, which the artefact's digest and the beacon draw"
    yield "Signature", signed(entry)
    yield "Size", f"{entry.verified.entry.preset.name}, {read_definition().called}"
    told = {
        "Observes": ", ".join(manifest.observes),
        "Sensors": ", ".join(manifest.sensors) or "none",
        "Trained on": manifest.trained,
        "Made": manifest.made,
        **{f"Code: {name}": str(value) for name, value in manifest.code.items()},
    }
    for name, text in told.items():
        if line := one_line(text, LONGEST_TEXT):
            yield one_line(name, LONGEST_LABEL), line
    yield "Walks took", duration(manifest.seconds)
    same = [each.name for each in found if each.page != entry.page and each.manifest.artefact == manifest.artefact]
    if same:
        yield "Same artefact", f"{len(same)} other entries have it, too: {one_line(', '.join(same), LONGEST_TEXT)}"


def _failures(entry: ListedEntry) -> Iterator[tuple[str, int, list[str]]]:
    """Yield each kind of thing that is wrong with an entry: how often, and the first of them by name."""
    conditions = entry.verified.conditions.values()
    kinds: tuple[tuple[str, Callable[[Any], Sequence[str]]], ...] = (
        ("records that cannot be, counted as failures", lambda each: each.wrong),
        ("tasks without a record, counted as failures", lambda each: _missing(each)),
        ("claims of records that are not what was found, and not counted", lambda each: each.claims),
    )
    for what, lines_of in kinds:
        lines = [line for each in conditions for line in lines_of(each)]
        yield what, len(lines), [one_line(line, LONGEST_TEXT) for line in lines[:MOST_NAMED]]


def _missing(done: Any) -> list[str]:
    return [f"{done.condition.name}: task {task}" for task in done.missing]


def _went_wrong(manifest: Manifest) -> list[tuple[str, int, str]]:
    """Return condition, answers and errors as the entry tells of them; nothing can check that."""
    names = dict.fromkeys((*manifest.answers, *manifest.errors))
    return [
        (
            one_line(name, LONGEST_NAME),
            manifest.answers.get(name, 0),
            one_line(", ".join(f"{kind}: {count:,}" for kind, count in manifest.errors.get(name, {}).items()), LONGEST_TEXT)
            or "none",
        )
        for name in list(names)[: 4 * MOST_NAMED]
    ]


def _verify(entry: ListedEntry) -> str:
    return f"vnla benchmark verify {shlex.quote(harmless(entry.verified.entry.path.name))}"

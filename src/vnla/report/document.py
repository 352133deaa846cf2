"""What a report says, before anybody renders it: numbers, tables, figures, findings and told episodes, in sections.

    rows = [Group("Test seen"), ("LEARNED", Value.of(evaluation.over_tasks("success_rate"), "%", paper=52.09))]
    table = Table("table-2", "Help policies", ["Policy", "Success (%)"], rows, command="vnla paper --only table-2")
    finding = Finding.difference("LEARNED succeeds more often than RANDOM", 9.1, 8.0, 10.2, "points")
    document = Document("The paper, run again", "What was found.", [Section("Results", "", [table, finding])], provenance)
    write(document, Path("out"))  # vnla.report.writing

Nothing here draws or formats for one medium; `vnla.report.table_formats` and `vnla.report.html` do. How a number reads is
decided here alone. The items of a section are shown in their order; findings belong to the table or figure before them.
"""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import math
import platform
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from vnla import __version__
from vnla.common.errors import InputError
from vnla.common.lines import duration as duration
from vnla.common.machine import commit, machine_words
from vnla.evaluation.confidence import Estimate, Interval

UNKNOWN = "–"
"""Stands where there is no number."""

_DIGITS = {"%": 1, "points": 1, "m": 2}
MOST_DIGITS = 4
"""Digits after the point that a bound is given with where fewer would hide on which side of a threshold it lies."""
ZERO_INSIDE = "The interval contains zero, so these tasks do not decide it."
"""Why a difference is inconclusive."""
NO_INTERVAL = "Without an interval, these tasks do not decide it."
"""Why a figure that is the same for all tasks, say, decides nothing."""
_LOPSIDED = 0.25  # by this share of the longer side the sides of an interval may differ and still read as one ±
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_PNG, _JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"


@dataclass(frozen=True, slots=True)
class Value:
    """One measured number, its 95% interval where there is one, and the paper's figure to stand beside it."""

    mean: float
    low: float | None = None
    high: float | None = None
    unit: str = ""
    paper: float | None = None
    paper_margin: float | None = None
    digits: int | None = None  # after the point; None: what the unit is usually given with
    over: str = ""  # what the interval is over: "5 seeds of the help budgets", "4 houses"

    @classmethod
    def of(
        cls,
        found: Estimate | Interval,
        unit: str = "",
        paper: float | None = None,
        paper_margin: float | None = None,
        digits: int | None = None,
    ) -> Value:
        """What `vnla.evaluation` found, over seeds or over episodes."""
        if isinstance(found, Estimate):
            low, high = found.mean - found.margin, found.mean + found.margin
            over = f"{len(found.each)} seeds of the help budgets"
            return cls(found.mean, _known(low), _known(high), unit, paper, paper_margin, digits, over)
        return cls(found.value, _known(found.low), _known(found.high), unit, paper, paper_margin, digits, found.over)

    @property
    def known(self) -> bool:
        """Whether there is a number at all."""
        return math.isfinite(self.mean)

    @property
    def text(self) -> str:
        """The number and its interval, without the unit: 52.1 ± 0.2, or 52.1 (49.8 to 53.0) where it is lopsided."""
        if not self.known:
            return UNKNOWN
        mean = self.number(self.mean)
        if self.low is None or self.high is None:
            return mean
        below, above = self.mean - self.low, self.high - self.mean
        if abs(above - below) > _LOPSIDED * max(above, below) and self.number(above) != self.number(below):
            return f"{mean} ({self.number(self.low)} to {self.number(self.high)})"
        return f"{mean} ± {self.number((above + below) / 2)}"

    @property
    def paper_text(self) -> str | None:
        """The paper's figure in the same form."""
        if self.paper is None:
            return None
        margin = "" if self.paper_margin is None else f" ± {self.number(self.paper_margin)}"
        return f"{self.number(self.paper)}{margin}"

    def number(self, value: float) -> str:
        """A number with as many digits as this one has."""
        digits = _DIGITS.get(self.unit, 2) if self.digits is None else self.digits
        return f"{value:,.{digits}f}".replace("-", "−") if round(value, digits) else f"{0:.{digits}f}"

    def __str__(self) -> str:
        """As a sentence has it, with the unit."""
        space = "" if self.unit in ("", "%") else " "
        return f"{self.text}{space}{self.unit}" if self.known else UNKNOWN


Cell = str | int | Value | None
Row = Sequence[Cell]


@dataclass(frozen=True, slots=True)
class RowGroup:
    """A heading between rows: what follows, up to the next one, is about this."""

    title: str


@dataclass(frozen=True)
class ReportTable:
    """A table; `note` explains its rows and `command` makes it again."""

    kind: ClassVar = "table"
    name: str  # also of its files: table-2
    title: str
    columns: Sequence[str]
    rows: Sequence[Row | RowGroup]
    note: str = ""
    command: str = ""

    def __post_init__(self) -> None:
        _check_name(self.name)
        for number, row in enumerate(self.rows, start=1):
            if not isinstance(row, RowGroup) and (isinstance(row, str) or len(row) != len(self.columns)):
                raise ValueError(f"{self.name}: row {number} should have {len(self.columns)} cells: {row!r}")

    def is_numeric(self, column: int) -> bool:
        """Whether a column holds numbers and nothing else."""
        cells = [row[column] for row in self.rows if not isinstance(row, RowGroup)]
        return any(isinstance(cell, int | Value) for cell in cells) and not any(isinstance(cell, str) for cell in cells)

    @property
    def has_paper(self) -> bool:
        """Whether any cell has a figure of the paper."""
        rows = [row for row in self.rows if not isinstance(row, RowGroup)]
        return any(isinstance(cell, Value) and cell.paper is not None for row in rows for cell in row)


def settled(bound: float) -> float:
    """A bound as exactly as it can be told, so that a verdict never rests on what nobody sees."""
    return round(bound, MOST_DIGITS)


def difference_text(gain: float, low: float, high: float, unit: str, thresholds: Sequence[float] = (0.0,)) -> str:
    """A gain with its sign and its interval: +9.1 points (95% interval +8.0 to +10.2)."""
    text = f"{_signed(gain, Value(gain, unit=unit).number)}{'%' if unit == '%' else f' {unit}'.rstrip()}"
    if math.isnan(low) or math.isnan(high):
        return f"{text} (no interval)"
    bounds = [_signed(bound, lambda value: bound_text(value, unit, thresholds)) for bound in (low, high)]
    return f"{text} (95% interval {' to '.join(bounds)})"


def bound_text(bound: float, unit: str, thresholds: Sequence[float]) -> str:
    """A bound with enough digits to see on which side of each threshold it is: −0.003, where −0.0 would look like zero."""
    text = ""
    for digits in range(_DIGITS.get(unit, 2), MOST_DIGITS + 1):
        number = Value(bound, unit=unit, digits=digits).number
        text = number(bound)
        if not any(number(each) == text for each in thresholds if settled(each) != settled(bound)):
            break
    return text


def cell_text(cell: Cell) -> str:
    """A cell as people read it, without the paper's figure."""
    if cell is None:
        return UNKNOWN
    if isinstance(cell, Value):
        return cell.text
    return f"{cell:,}" if isinstance(cell, int) else cell


@dataclass(frozen=True)
class Figure:
    """A picture of data. `alt` says in words what is to be seen; `data` is what was drawn, as JSON can hold it."""

    kind: ClassVar = "figure"
    name: str
    title: str
    image: bytes = field(repr=False)  # PNG or SVG
    alt: str
    caption: str = ""
    data: Any = field(default=None, repr=False)
    command: str = ""

    def __post_init__(self) -> None:
        _check_name(self.name)


@dataclass(frozen=True)
class Finding:
    """Whether a claim holds here: True, False, or None where it is inconclusive, as the interval does not decide it."""

    kind: ClassVar = "finding"
    claim: str
    holds: bool | None
    detail: str = ""
    ours: bool = False
    """Whether it is a claim that the paper does not make, in a report about the paper's."""

    @classmethod
    def difference(cls, claim: str, gain: float, low: float, high: float, unit: str = "points", more: str = "") -> Finding:
        """A claim that holds where a gain is above zero, by an interval of that gain."""
        low, high = settled(low), settled(high)
        unknown = math.isnan(low) or math.isnan(high)
        holds = None if unknown or low <= 0 <= high else low > 0
        why = "" if holds is not None else NO_INTERVAL if unknown else ZERO_INSIDE
        return cls(claim, holds, " ".join(filter(None, (f"{difference_text(gain, low, high, unit)}.", why, more))))

    @property
    def verdict(self) -> Literal["holds", "does not hold", "inconclusive"]:
        """In words, so that no colour is needed."""
        return "inconclusive" if self.holds is None else "holds" if self.holds else "does not hold"


@dataclass(frozen=True)
class EpisodeFrame:
    """What the agent saw at one moment, when and where that was, and what the advisor said there."""

    image: bytes = field(repr=False)  # PNG or JPEG
    alt: str
    title: str
    letter: str = ""  # of the request, as on the map
    said: str = ""


@dataclass(frozen=True)
class EpisodeReport:
    """One episode, told: the map of the walk, the views on the way, the words, and why it failed if it did."""

    kind: ClassVar = "episode"
    name: str
    title: str  # the end-goal
    success: bool
    outcome: str  # how it ended, in a sentence
    wrong: str = ""  # what went wrong, in a sentence; nothing for a success
    map: bytes = field(default=b"", repr=False)  # PNG; nothing where there is no picture
    map_alt: str = ""
    frames: Sequence[EpisodeFrame] = ()  # where it began, asked and ended
    film: bytes = field(default=b"", repr=False)  # the film strip of every step, PNG or JPEG
    film_alt: str = ""
    story: Sequence[str] = ()  # line by line
    facts: Mapping[str, str] = field(default_factory=dict)  # task, house, seed, …
    command: str = ""

    def __post_init__(self) -> None:
        _check_name(self.name)


Item = ReportTable | Figure | Finding | EpisodeReport


@dataclass(frozen=True)
class Section:
    """A part of a report; `text` is paragraphs, an empty line between them."""

    title: str
    text: str = ""
    items: Sequence[Item] = ()


@dataclass(frozen=True)
class Provenance:
    """Where the numbers are from: enough to make them again."""

    commands: Sequence[str] = ()
    commit: str | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    seeds: Sequence[int] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)  # what → how long it took
    machine: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)  # whatever else decides the numbers
    made: str = ""  # when, as ISO 8601 writes it

    @classmethod
    def collect(
        cls,
        command: str,
        *,
        seeds: Sequence[int],
        device: str,
        settings: Mapping[str, str],
        seconds: Mapping[str, float] | None = None,
    ) -> Provenance:
        """Return what is known here and now, with what only whoever made the numbers knows."""
        packages = {name: importlib.metadata.version(name) for name in ("torch", "numpy", "scipy")}
        return cls(
            commands=[command],
            commit=commit(),
            versions={"vnla": __version__, "Python": platform.python_version(), **packages},
            seeds=list(seeds),
            seconds=seconds or {},
            machine=f"{machine_words(device)}, {platform.system()}",
            settings=settings,
            made=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        )


@dataclass(frozen=True)
class Document:
    """A whole report."""

    title: str
    summary: str
    sections: Sequence[Section]
    provenance: Provenance = Provenance()

    def __post_init__(self) -> None:
        names = [item.name for item in self.items() if not isinstance(item, Finding)]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"report: more than one item is named {', '.join(twice)}")

    def items(self) -> Iterator[Item]:
        """Everything in the sections, in order."""
        for section in self.sections:
            yield from section.items

    def tables(self) -> list[ReportTable]:
        """The tables, in order."""
        return [item for item in self.items() if isinstance(item, ReportTable)]

    def figures(self) -> list[Figure]:
        """The figures, in order."""
        return [item for item in self.items() if isinstance(item, Figure)]


def image_type(image: bytes) -> Literal["png", "jpeg", "svg"]:
    """What kind of picture these bytes are, which is also how its file name ends."""
    if image.startswith(_PNG):
        return "png"
    if image.startswith(_JPEG):
        return "jpeg"
    if b"<svg" in image[:2048]:
        return "svg"
    raise InputError("report: a picture is neither PNG, JPEG nor SVG")


def json_text(value: Any) -> str:
    """What is written to a JSON file."""
    return json.dumps(_finite(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    """JSON has no word for what is not a number, so it becomes null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else value


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _signed(value: float, number: Callable[[float], str]) -> str:
    """A number with its sign; none where all that is told of it is zero."""
    text = number(value)
    return f"+{text}" if value > 0 and text.strip("0.") else text


def _check_name(name: str) -> None:
    if not _SLUG.fullmatch(name):
        raise ValueError(f"{name!r} is not a name such as table-2: lower-case words and numbers with hyphens between them")

"""A report as one HTML file: styles and pictures inside, no script, nothing fetched; for screens, phones and paper.

    files.write_text(Path("report.html"), page(document))

The templates beside this module say what a page looks like. Everything that comes from a document is escaped; between
backticks text is set as code.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from vnla.common.machine import UNCOMMITTED
from vnla.report.document import (
    Document,
    Finding,
    Provenance,
    ReportTable,
    Row,
    RowGroup,
    Value,
    cell_text,
    duration,
    image_type,
    json_text,
)
from vnla.report.table_formats import csv_text, latex

MARKS = {True: ("✓", "holds"), False: ("✗", "fails"), None: ("?", "open")}
DENSITY = 1.6
"""Pixels of a figure for each pixel of the page, so that its letters are as large as those of the text around it."""
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
"""What a browser may load for the page: nothing that is not in it."""
_MEDIA = {"png": "image/png", "jpeg": "image/jpeg", "svg": "image/svg+xml"}


def page(document: Document) -> str:
    """Return the whole file."""
    slugs = [re.sub(r"[^a-z0-9]+", "-", section.title.lower()).strip("-") for section in document.sections]
    anchors = [f"section-{number}-{slug}".rstrip("-") for number, slug in enumerate(slugs, start=1)]
    runs = [groupby(section.items, key=lambda item: isinstance(item, Finding)) for section in document.sections]
    sections = list(zip(anchors, document.sections, runs, strict=True))
    facts, verdicts = _facts(document.provenance), list(_verdicts(document))
    return render("report", document=document, sections=sections, verdicts=verdicts, facts=facts, density=DENSITY)


def render(template: str, **values: Any) -> str:
    """Return a template with values in it, all of them escaped."""
    return _environment().get_template(f"{template}.html.jinja").render({"policy": POLICY, "marks": MARKS, **values})


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("vnla.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "bodies": _bodies,
        "cell_text": cell_text,
        "columns": _columns,
        "csv": csv_text,
        "inline": _inline,
        "json": json_text,
        "latex": latex,
        "paragraphs": lambda text: [each for each in map(str.strip, re.split(r"\n\s*\n", text)) if each],
        "picture_url": lambda image: _data_url(image, _MEDIA[image_type(image)]),
        "size": _size,
        "text_url": lambda text, media: _data_url(text.encode(), media),
    }
    environment.tests["measured"] = lambda cell: isinstance(cell, Value)
    return environment


def _verdicts(document: Document) -> Iterator[tuple[str, str, str]]:
    """Yield how many claims hold, how many do not, and how many are inconclusive."""
    holds = [item.holds for item in document.items() if isinstance(item, Finding)]
    words = {True: ("holds", "hold"), False: ("does not hold", "do not hold"), None: ("is inconclusive", "are inconclusive")}
    for verdict, mark in MARKS.items():
        if number := holds.count(verdict):
            yield *mark, f"{number} {'claim' if number == 1 else 'claims'} {words[verdict][number > 1]}"


def _commit(name: str) -> str:
    return f"{name} (with changes that are not committed)" if name.endswith(UNCOMMITTED) else name


def _facts(provenance: Provenance) -> list[tuple[str, str]]:
    facts = [
        ("Made", provenance.made),
        ("Commit", _commit(provenance.commit or "")),
        ("Machine", provenance.machine),
        ("Versions", ", ".join(f"{name} {version}" for name, version in provenance.versions.items())),
        ("Seeds", ", ".join(map(str, provenance.seeds))),
        *provenance.settings.items(),
        ("Times", ", ".join(f"{what} {duration(seconds)}" for what, seconds in provenance.seconds.items())),
    ]
    return [(name[:1].upper() + name[1:], fact) for name, fact in facts if fact]


class _Column(NamedTuple):
    """What the cells of a column have in common."""

    title: str
    attributes: dict[str, str]
    paper_width: int  # characters of its longest figure of the paper: with as much space for each, ours stand in line


def _columns(table: ReportTable) -> Iterator[_Column]:
    for number, title in enumerate(table.columns):
        cells = [row[number] for row in table.rows if not isinstance(row, RowGroup)]
        width = max((len(cell.paper_text or "") for cell in cells if isinstance(cell, Value)), default=0)
        yield _Column(title, {"class": "number"} if table.is_numeric(number) else {}, width)


def _bodies(table: ReportTable) -> list[tuple[str | None, list[Row]]]:
    """Return the rows under each heading; None where rows have none."""
    bodies: list[tuple[str | None, list[Row]]] = []
    for row in table.rows:
        if isinstance(row, RowGroup):
            bodies.append((row.title, []))
        else:
            if not bodies:
                bodies.append((None, []))
            bodies[-1][1].append(row)
    return bodies


def _size(image: bytes, density: float) -> dict[str, int]:
    """Return the width and height of a PNG on the page, so that nothing moves while the page is laid out."""
    if image_type(image) != "png":
        return {}
    sides = {"width": image[16:20], "height": image[20:24]}
    return {name: round(int.from_bytes(side, "big") / density) for name, side in sides.items()}


def _data_url(content: bytes, media: str) -> str:
    return f"data:{media};base64,{base64.b64encode(content).decode()}"


def _inline(text: str) -> Markup:
    """Return escaped text with code between backticks."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))

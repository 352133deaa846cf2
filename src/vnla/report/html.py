"""A report as one HTML file: styles and pictures inside, no script, nothing fetched; for screens, phones and paper.

    files.write_text(Path("report.html"), page(document))

Everything that comes from a document is escaped. Between backticks text is set as code.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from functools import cache, singledispatch
from html import escape
from importlib.resources import files
from itertools import groupby

from vnla.report.document import (
    Cell,
    Document,
    Episode,
    Figure,
    Finding,
    Frame,
    Group,
    Item,
    Provenance,
    Section,
    Table,
    Value,
    cell_text,
    duration,
    image_type,
    json_text,
)
from vnla.report.tables import csv_text, latex

_MARKS = {True: ("✓", "holds"), False: ("✗", "fails"), None: ("?", "open")}
_MEDIA = {"png": "image/png", "jpeg": "image/jpeg", "svg": "image/svg+xml"}
_CODE = re.compile(r"`([^`]+)`")
DENSITY = 1.6
"""Pixels of a figure for each pixel of the page, so that its letters are as large as those of the text around it."""
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
"""What a browser may load for the page: nothing that is not in it."""


def page(document: Document) -> str:
    """The whole file."""
    anchors = _anchors(document.sections)
    parts = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>{escape(document.title)}</title>",
        f"<style>\n{_style()}</style>",
        "</head>",
        "<body>",
        f"<header><h1>{escape(document.title)}</h1>",
        f'<div class="summary">{_paragraphs(document.summary)}</div>{_at_a_glance(document)}</header>',
        _contents(document, anchors),
        "<main>",
        *(_section(section, anchor) for section, anchor in zip(document.sections, anchors, strict=True)),
        _provenance(document.provenance),
        "</main>",
        "</body>",
        "</html>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


@cache
def _style() -> str:
    return files("vnla.report").joinpath("assets", "report.css").read_text(encoding="utf-8")


def _anchors(sections: Sequence[Section]) -> list[str]:
    """A different name for each section, to link to."""
    slugs = [re.sub(r"[^a-z0-9]+", "-", section.title.lower()).strip("-") for section in sections]
    return [f"section-{number}-{slug}".rstrip("-") for number, slug in enumerate(slugs, start=1)]


def _contents(document: Document, anchors: Sequence[str]) -> str:
    entries = []
    for section, anchor in zip(document.sections, anchors, strict=True):
        named = [item for item in section.items if not isinstance(item, Finding)]
        inner = "".join(f'<li><a href="#{item.name}">{escape(item.title)}</a></li>' for item in named)
        below = f"<ol>{inner}</ol>" if inner else ""
        entries.append(f'<li><a href="#{anchor}">{escape(section.title)}</a>{below}</li>')
    entries.append('<li><a href="#provenance">How this was made</a></li>')
    return f'<nav class="contents" aria-label="Contents"><h2>Contents</h2><ol>{"".join(entries)}</ol></nav>'


def _at_a_glance(document: Document) -> str:
    """How many claims hold, do not, and cannot be told."""
    verdicts = [item.holds for item in document.items() if isinstance(item, Finding)]
    words = {True: ("holds", "hold"), False: ("does not hold", "do not hold"), None: ("cannot be told", "cannot be told")}
    entries = []
    for verdict, (mark, name) in _MARKS.items():
        number = verdicts.count(verdict)
        if number:
            claims = f"{number} {'claim' if number == 1 else 'claims'} {words[verdict][number > 1]}"
            entries.append(f'<li><span class="mark {name}"><span aria-hidden="true">{mark}</span> {claims}</span></li>')
    return f'<ul class="glance">{"".join(entries)}</ul>' if entries else ""


def _section(section: Section, anchor: str) -> str:
    """Heading, text and items; findings in a row are one list."""
    parts = [f'<section aria-labelledby="{anchor}">', f'<h2 id="{anchor}">{escape(section.title)}</h2>']
    parts.append(_paragraphs(section.text))
    for are_findings, items in groupby(section.items, key=lambda item: isinstance(item, Finding)):
        told = "\n".join(map(_item, items))
        parts.append(f'<ul class="findings">{told}</ul>' if are_findings else told)
    return "\n".join(part for part in [*parts, "</section>"] if part)


@singledispatch
def _item(item: Item) -> str:
    raise TypeError(f"{type(item).__name__} is nothing that a section can hold")


@_item.register
def _finding(item: Finding) -> str:
    mark, name = _MARKS[item.holds]
    verdict = f'<span class="mark {name}"><span aria-hidden="true">{mark}</span> {item.verdict}</span>'
    detail = f' <span class="detail">{_inline(item.detail)}</span>' if item.detail else ""
    return f"<li>{verdict}<span>{_inline(item.claim)}{detail}</span></li>"


@_item.register
def _table(item: Table) -> str:
    numeric = [item.is_numeric(i) for i in range(len(item.columns))]
    widths = [_paper_width(item, i) for i in range(len(item.columns))]
    head = "".join(
        f'<th scope="col"{_number(right)}>{_inline(column)}</th>'
        for column, right in zip(item.columns, numeric, strict=True)
    )
    body = "".join(_body(item, numeric, widths))
    title = f'<caption><h3 id="{item.name}">{escape(item.title)}</h3></caption>'
    table = f"<table>{title}<thead><tr>{head}</tr></thead>{body}</table>"
    about = f' role="region" aria-labelledby="{item.name}"'
    files = [
        _download("CSV", f"{item.name}.csv", "text/csv", csv_text(item)),
        _download("LaTeX", f"{item.name}.tex", "text/x-tex", latex(item)),
    ]
    legend = '<p class="quiet">Small and grey: the paper.</p>' if item.has_paper else ""
    note = f'<p class="quiet">{_inline(item.note)}</p>' if item.note else ""
    foot = _foot(item.command, files)
    return f'<div class="item"><div class="scroll" tabindex="0"{about}>{table}</div>{legend}{note}{foot}</div>'


def _body(table: Table, numeric: Sequence[bool], widths: Sequence[int]) -> Iterator[str]:
    """Rows, those under one heading together."""
    open_body = False
    for row in table.rows:
        if isinstance(row, Group) or not open_body:
            yield "</tbody><tbody>" if open_body else "<tbody>"
            open_body = True
        if isinstance(row, Group):
            heading = f'<th scope="rowgroup" colspan="{len(table.columns)}">{_inline(row.title)}</th>'
            yield f'<tr class="group">{heading}</tr>'
        else:
            first, *rest = [
                f"{_number(right)}>{_cell(cell, width)}" for cell, right, width in zip(row, numeric, widths, strict=True)
            ]
            yield f'<tr><th scope="row"{first}</th>{"".join(f"<td{cell}</td>" for cell in rest)}</tr>'
    if open_body:
        yield "</tbody>"


def _number(right: bool) -> str:
    return ' class="number"' if right else ""


def _paper_width(table: Table, column: int) -> int:
    """The most characters that a figure of the paper has in a column: with as much space for each, ours stand in line."""
    cells = [row[column] for row in table.rows if not isinstance(row, Group)]
    return max((len(cell.paper_text or "") for cell in cells if isinstance(cell, Value)), default=0)


def _cell(cell: Cell, paper_width: int) -> str:
    if not isinstance(cell, Value):
        return _inline(cell_text(cell))
    value = f'<span class="value">{escape(cell.text)}</span>'
    if not paper_width:
        return value
    paper = "" if cell.paper_text is None else f'<span class="unseen">paper: </span>{escape(cell.paper_text)}'
    return f'{value} <span class="paper" style="min-width:{paper_width}ch">{paper}</span>'


@_item.register
def _figure(item: Figure) -> str:
    data = (
        [_download("data", f"{item.name}.json", "application/json", json_text(item.data))] if item.data is not None else []
    )
    caption = _paragraphs(item.caption)
    return (
        f'<figure class="item"><h3 id="{item.name}">{escape(item.title)}</h3>'
        f'<div class="wide">{_image(item.image, item.alt, DENSITY)}</div>'
        f"<figcaption>{caption}{_foot(item.command, data)}</figcaption></figure>"
    )


@_item.register
def _episode(item: Episode) -> str:
    mark, name = _MARKS[item.success]
    verdict = (
        f'<span class="mark {name}"><span aria-hidden="true">{mark}</span> {"success" if item.success else "failure"}</span>'
    )
    parts = [
        f'<article class="item episode" aria-labelledby="{item.name}"><div class="together">',
        f'<h3 id="{item.name}">{escape(item.title)}</h3>',
        f'<p class="outcome">{verdict} · {_inline(item.outcome)}</p>',
        f'<p class="outcome">{_inline(item.wrong)}</p>' if item.wrong else "",
        f'<div class="wide">{_image(item.map, item.map_alt)}</div>' if item.map else "",
        "</div>",
        f'<ul class="frames">{"".join(map(_frame, item.frames))}</ul>' if item.frames else "",
        _more(
            "Every step, as a film strip", f'<div class="wide">{_image(item.film, item.film_alt)}</div>' if item.film else ""
        ),
        _more("Every step, in words", _lines(item.story)),
        _foot(item.command, [f"{escape(what)}: {escape(fact)}" for what, fact in item.facts.items()]),
        "</article>",
    ]
    return "\n".join(part for part in parts if part)


def _frame(frame: Frame) -> str:
    letter = f'<span class="letter">{escape(frame.letter)}</span> ' if frame.letter else ""
    said = f"<p>{letter}{escape(frame.said)}</p>" if frame.said or letter else ""
    asked = ' class="asked"' if letter else ""
    return f'<li{asked}>{_image(frame.image, frame.alt)}<p class="quiet">{escape(frame.title)}</p>{said}</li>'


def _more(title: str, content: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{content}</details>" if content else ""


def _lines(story: Sequence[str]) -> str:
    return f'<ol class="story">{"".join(f"<li>{escape(line)}</li>" for line in story)}</ol>' if story else ""


def _foot(command: str, links: Sequence[str]) -> str:
    """The small print below an item: the command that makes it, and its files."""
    parts = [f"<code>{escape(command)}</code>"] if command else []
    parts += links
    return f'<div class="foot quiet">{"".join(f"<span>{part}</span>" for part in parts)}</div>' if parts else ""


def _provenance(provenance: Provenance) -> str:
    facts = [
        ("Made", provenance.made),
        ("Commit", provenance.commit or ""),
        ("Machine", provenance.machine),
        ("Versions", ", ".join(f"{name} {version}" for name, version in provenance.versions.items())),
        ("Seeds", ", ".join(map(str, provenance.seeds))),
        *provenance.settings.items(),
        ("Times", ", ".join(f"{what} {duration(seconds)}" for what, seconds in provenance.seconds.items())),
    ]
    listed = "".join(
        f"<dt>{escape(name[:1].upper() + name[1:])}</dt><dd>{_inline(fact)}</dd>" for name, fact in facts if fact
    )
    commands = escape("\n".join(provenance.commands))
    return (
        '<section aria-labelledby="provenance"><h2 id="provenance">How this was made</h2>'
        + (f"<pre><code>{commands}</code></pre>" if commands else "")
        + (f'<dl class="facts">{listed}</dl>' if listed else "")
        + "</section>"
    )


def _image(image: bytes, alt: str, density: float = 1) -> str:
    """A picture with `density` pixels to one of the page."""
    kind = image_type(image)
    width, height = (round(each / density) for each in _png_size(image))
    size = f' width="{width}" height="{height}"' if kind == "png" else ""
    return f'<img src="{_data(_MEDIA[kind], image)}" alt="{escape(alt)}"{size} decoding="sync">'


def _png_size(image: bytes) -> tuple[int, int]:
    """Width and height, so that nothing moves while the page is laid out."""
    return int.from_bytes(image[16:20], "big"), int.from_bytes(image[20:24], "big")


def _download(text: str, name: str, media: str, content: str) -> str:
    return f'<a class="no-print" download="{escape(name)}" href="{_data(media, content.encode())}">{escape(text)}</a>'


def _data(media: str, content: bytes) -> str:
    return f"data:{media};base64,{base64.b64encode(content).decode()}"


def _paragraphs(text: str) -> str:
    paragraphs = (each.strip() for each in re.split(r"\n\s*\n", text))
    return "".join(f"<p>{_inline(each)}</p>" for each in paragraphs if each)


def _inline(text: str) -> str:
    """Escaped text with code between backticks."""
    return _CODE.sub(r"<code>\1</code>", escape(text))

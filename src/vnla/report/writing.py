"""Writes a report into a folder.

::

    report.html              everything, in one file that can be sent around
    document.json            everything but the pictures
    tables/NAME.csv          each table; also .json and .tex
    figures/NAME.png         each figure, and the data behind it as .json
    episodes/NAME-map.png    the pictures of each episode
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import singledispatch
from pathlib import Path
from typing import Any

from vnla.common import files
from vnla.report import tables
from vnla.report.document import Document, Episode, Figure, Finding, Item, Table, image_type, json_text
from vnla.report.html import page

REPORT, DOCUMENT = "report.html", "document.json"


def write(document: Document, folder: Path) -> Path:
    """Write a report; the path of its page. Each file is replaced as a whole, the page last."""
    for table in document.tables():
        files.write_text(folder / f"tables/{table.name}.csv", tables.csv_text(table))
        files.write_text(folder / f"tables/{table.name}.json", json_text(tables.as_dict(table)))
        files.write_text(folder / f"tables/{table.name}.tex", tables.latex(table))
    for figure in document.figures():
        files.write_text(folder / f"figures/{figure.name}.json", json_text(figure.data))
    for name, image in _pictures(document):
        files.write_bytes(folder / name, image)
    files.write_text(folder / DOCUMENT, json_text(as_dict(document)))
    files.write_text(folder / REPORT, page(document))
    return folder / REPORT


def as_dict(document: Document) -> dict[str, Any]:
    """The document for a JSON file; pictures are the names of their files."""
    sections = [
        {"title": section.title, "text": section.text, "items": [_item(item) for item in section.items]}
        for section in document.sections
    ]
    return {
        "title": document.title,
        "summary": document.summary,
        "sections": sections,
        "provenance": asdict(document.provenance),
    }


@singledispatch
def _item(item: Item) -> dict[str, Any]:
    raise TypeError(f"{type(item).__name__} is nothing that a section can hold")


@_item.register
def _table(item: Table) -> dict[str, Any]:
    return tables.as_dict(item)


@_item.register
def _finding(item: Finding) -> dict[str, Any]:
    return {"kind": "finding", "claim": item.claim, "holds": item.holds, "verdict": item.verdict, "detail": item.detail}


@_item.register
def _figure(item: Figure) -> dict[str, Any]:
    return {
        "kind": "figure",
        "name": item.name,
        "title": item.title,
        "image": _figure_file(item),
        "alt": item.alt,
        "caption": item.caption,
        "data": item.data,
        "command": item.command,
    }


@_item.register
def _episode(item: Episode) -> dict[str, Any]:
    pictures = [name for name, _ in _episode_pictures(item)]
    frames = [{"title": frame.title, "letter": frame.letter, "said": frame.said, "alt": frame.alt} for frame in item.frames]
    return {
        "kind": "episode",
        "name": item.name,
        "title": item.title,
        "success": item.success,
        "outcome": item.outcome,
        "wrong": item.wrong,
        "frames": frames,
        "story": list(item.story),
        "facts": dict(item.facts),
        "pictures": pictures,
        "command": item.command,
    }


def _pictures(document: Document) -> Iterator[tuple[str, bytes]]:
    """File name → picture, for everything that has one."""
    for item in document.items():
        if isinstance(item, Figure):
            yield _figure_file(item), item.image
        elif isinstance(item, Episode):
            yield from _episode_pictures(item)


def _figure_file(figure: Figure) -> str:
    return f"figures/{figure.name}.{image_type(figure.image)}"


def _episode_pictures(episode: Episode) -> Iterator[tuple[str, bytes]]:
    for what, image in (("map", episode.map), ("film", episode.film)):
        if image:
            yield f"episodes/{episode.name}-{what}.{image_type(image)}", image

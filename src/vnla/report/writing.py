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
from pathlib import Path
from typing import Any

from vnla.common import files
from vnla.report import tables
from vnla.report.document import Document, Episode, Figure, Item, Table, image_type, json_text
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


_FIELDS = {
    "finding": ("claim", "holds", "verdict", "detail"),
    "figure": ("name", "title", "image", "alt", "caption", "data", "command"),
    "episode": ("name", "title", "success", "outcome", "wrong", "frames", "story", "facts", "pictures", "command"),
}
"""What the file has of each kind of item."""


def _item(item: Item) -> dict[str, Any]:
    if isinstance(item, Table):
        return tables.as_dict(item)
    replaced: dict[str, Any] = {}
    if isinstance(item, Figure):
        replaced["image"] = _figure_file(item)
    if isinstance(item, Episode):
        fields = ("title", "letter", "said", "alt")
        replaced["frames"] = [{name: getattr(frame, name) for name in fields} for frame in item.frames]
        replaced["pictures"] = [name for name, _ in _episode_pictures(item)]
    found = {name: replaced[name] if name in replaced else getattr(item, name) for name in _FIELDS[item.kind]}
    return {"kind": item.kind, **found}


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

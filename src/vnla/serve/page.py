"""The built page, as it is shipped with the package."""

from __future__ import annotations

import mimetypes
from functools import cache
from pathlib import Path

from vnla.serve.answers import ASK_AGAIN, FOREVER, Content

FOLDER = Path(__file__).parent / "assets"
INDEX = "index.html"
_NOT_BUILT = b"<!doctype html><title>vnla</title><p>The page has not been built; in a checkout of vnla run: make web"


@cache
def assets() -> dict[str, Content]:
    """Name → file. All names but that of the index change with what is in the file."""
    found = {path.name: _content(path) for path in sorted(FOLDER.glob("*")) if path.is_file()}
    return {INDEX: Content(_NOT_BUILT, "text/html"), **found}


def _content(path: Path) -> Content:
    kind = "text/javascript" if path.suffix == ".js" else mimetypes.guess_type(path.name)[0]
    return Content(path.read_bytes(), kind or "application/octet-stream", ASK_AGAIN if path.name == INDEX else FOREVER)

"""Pictures and meshes of houses that come with the package, so that a first visitor waits for nothing.

They are those of three houses of the small world (`vnla.experiments.embedded`), under the names that a `FileCache` stores
them by. `release/page_houses.py` makes them; the walk that the page plays first is in one of these houses.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from vnla.serve.file_cache import KINDS

FOLDER = Path(__file__).parent / "first"
CHECKSUMS = "checksums.json"
HOUSES = ("house013", "house015", "house016")
"""Houses that the agents of the package have not seen, nor those that the demo trains."""


@cache
def shipped_files() -> dict[str, Path]:
    """Return the files that come with the package, by name."""
    return files_in(FOLDER)


def files_in(folder: Path) -> dict[str, Path]:
    """Return the pictures and meshes in a folder, by name."""
    return {path.name: path for kind in KINDS for path in sorted(folder.glob(kind))}

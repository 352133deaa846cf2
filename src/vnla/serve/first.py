"""The recorded episode that the page plays before anything is loaded, as it is shipped with the package.

`vnla serve` records another one with `record`: events, plan and pictures of one walk of the pretrained agent.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from vnla.serve.answers import FOREVER, Content

FOLDER = Path(__file__).parent / "first"
EVENTS = "first.json"


@dataclass(frozen=True)
class First:
    """The recording, and the pictures that it shows, by their digits."""

    events: Content | None
    faces: dict[str, Content]


@cache
def first_episode() -> First:
    """What is shipped; without events where nothing is."""
    if not (FOLDER / EVENTS).is_file():
        return First(None, {})
    faces = {path.stem: Content(path.read_bytes(), "image/webp", FOREVER) for path in FOLDER.glob("*.webp")}
    return First(Content((FOLDER / EVENTS).read_bytes(), "application/json"), faces)

"""The word lists in `tasks/data`: what is left out of the data sets, how words are used, and why, entry by entry."""

from __future__ import annotations

import csv
import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

_NO_WORD = re.compile(r"[^a-z0-9'-]+")


def plain(label: str) -> str:
    """A label as an end-goal says it: lower-case words with single spaces; signs such as / and # part words."""
    return _NO_WORD.sub(" ", label.lower()).strip()


@cache
def table(name: str) -> tuple[dict[str, str], ...]:
    """The rows of a CSV file in `tasks/data`."""
    text = files("vnla.tasks").joinpath("data", name).read_text(encoding="utf-8")
    return tuple(csv.DictReader(text.splitlines()))


@cache
def matterport_splits() -> dict[str, tuple[str, ...]]:
    """The buildings of Matterport3D in train (61), dev (11) and test (18), as Room-to-Room splits them."""
    value: Any = json.loads(files("vnla.tasks").joinpath("data", "matterport_splits.json").read_text(encoding="utf-8"))
    return {name: tuple(members) for name, members in value.items()}

"""A list of objects in JSON, read one by one: a results file may be large and untrusted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

MOST = 1_000_000
"""Objects in a list; there are hundreds of thousands in the largest that are made."""
_BLANKS = re.compile(r"[ \t\n\r]*")


def objects_in(text: str) -> Iterator[dict[str, Any] | None]:
    """The objects in a list in JSON, and null for whatever else stands in it; a `ValueError` says what is wrong with it."""
    decoder = json.JSONDecoder()
    place = _past_blanks(text, 0)
    if not text.startswith("[", place):
        if not text.startswith(("{", '"'), place):
            decoder.raw_decode(text, place)
        raise ValueError("is not a list")
    place = _past_blanks(text, place + 1)
    more = not text.startswith("]", place)
    found = 0
    while more:
        if (found := found + 1) > MOST:
            raise ValueError(f"has more than {MOST:,} records")
        record, place = decoder.raw_decode(text, place)
        yield record if isinstance(record, dict) else None
        place = _past_blanks(text, place)
        more = text.startswith(",", place)
        if more:
            place = _past_blanks(text, place + 1)
    if not text.startswith("]", place):
        raise json.JSONDecodeError("Expecting ',' delimiter", text, place)
    if (end := _past_blanks(text, place + 1)) < len(text):
        raise json.JSONDecodeError("Extra data", text, end)


def _past_blanks(text: str, place: int) -> int:
    """Where the blanks end that stand at a place."""
    found = _BLANKS.match(text, place)
    return found.end() if found else place

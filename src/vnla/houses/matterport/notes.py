"""What a reader found odd but could live with, and where. A reader that leaves something out says so with a note."""

from __future__ import annotations

from typing import NamedTuple


class Note(NamedTuple):
    """`kind` groups the notes in a summary; `place` is the file with its record or line."""

    kind: str
    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


def shown(value: object) -> str:
    """`value` as a message shows it: short, whatever the file had there."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."

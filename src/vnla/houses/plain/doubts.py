"""What is odd about the houses of a plain file and may be meant: a line for each kind, with how many there are and where.

Rooms that share space are odd where they share more than walls: a piece of more than `SHARED` metres each way. Rooms that
are measured to the outside of their walls share less. An object that names no room and has its centre in none is odd, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vnla.camera import Float64
from vnla.houses.house import House
from vnla.houses.matterport.notes import Note

SHARED = 0.3
"""Metres that two rooms may share in one direction: walls of that thickness may lie in both."""
OVERLAPPING, OUTSIDE = "rooms that overlap", "objects in no room"
_CLOSE = 1e-9
_NAMED = 5


class RoomBoxes(NamedTuple):
    """A house with the names of its rooms and the corners of their boxes, in one order."""

    house: House
    names: Sequence[str]
    low: Float64  # (rooms, 3)
    high: Float64  # (rooms, 3)


def doubts(houses: Sequence[RoomBoxes]) -> list[Note]:
    """Return a note of each kind that there is."""
    pairs, overlapping = 0, list[str]()
    objects, outside = 0, list[str]()
    for each in houses:
        name = each.house.name
        for first in range(len(each.names)):
            others = overlapping_after(each, first)
            pairs += len(others)
            some = others[: max(0, _NAMED - len(overlapping))]
            overlapping += [f"{each.names[first]} and {each.names[other]} of {name}" for other in some]
        lost = [number for number, thing in enumerate(each.house.objects) if thing.room is None]
        objects += len(lost)
        outside += [f"{each.house.objects[i].label} (objects[{i}]) of {name}" for i in lost[: _NAMED - len(outside)]]
    return [
        *_note(OVERLAPPING, pairs, f"of rooms that overlap by more than {SHARED:g} m each way", overlapping,
            "what lies in both counts as in the one that comes first in the file"),
        *_note(OUTSIDE, objects, "in no room", outside, "no task asks for them; move them, or name their room"),
    ]  # fmt: skip


def overlapping_after(boxes: RoomBoxes, first: int) -> list[int]:
    """Return the later rooms that share a piece of more than `SHARED` metres in every direction with one."""
    after = first + 1
    shared = np.minimum(boxes.high[first], boxes.high[after:]) - np.maximum(boxes.low[first], boxes.low[after:])
    found: list[int] = (np.flatnonzero((shared > SHARED + _CLOSE).all(axis=1)) + after).tolist()
    return found


def _note(kind: str, count: int, what: str, named: Sequence[str], advice: str) -> list[Note]:
    """Return one note on all of a kind, the first few by name; none where there are none."""
    if not count:
        return []
    noun = {OVERLAPPING: "pair", OUTSIDE: "object"}[kind] + ("" if count == 1 else "s")
    more = f" and {count - len(named):,} more" if count > len(named) else ""
    return [Note(kind, f"{count:,} {noun} {what}", f"{', '.join(named)}{more}; {advice}")]

"""Reads `panorama_to_region.txt`: the room of each panorama.

One line a panorama: its index, the viewpoint id, mostly the index of the region (−1: none), and last the region's letter.
"""

from __future__ import annotations

from dataclasses import dataclass

from vnla.common.errors import InputError
from vnla.houses.matterport.notes import Note, shown
from vnla.houses.matterport.sources import TextFile
from vnla.houses.rooms import ROOM_NAMES

WHAT = "panorama_to_region.txt, one line a panorama"


@dataclass(frozen=True, slots=True)
class PanoramaLine:
    """One line. `region` is None where the line says −1, and `numbered` is false where it says nothing."""

    line: int
    label: str
    region: int | None
    numbered: bool


@dataclass(frozen=True)
class PanoramaFile:
    """The content of one file, by viewpoint id."""

    source: TextFile
    panoramas: dict[str, PanoramaLine]
    notes: tuple[Note, ...]

    def place(self, viewpoint: str) -> str:
        """The line of a viewpoint."""
        return self.source.place(self.panoramas[viewpoint].line)


def read_panorama_to_region(source: TextFile) -> PanoramaFile:
    """The rooms in a panorama_to_region.txt."""
    panoramas: dict[str, PanoramaLine] = {}
    labels: dict[int, str] = {}
    notes: list[Note] = []
    for line, text in source.lines(WHAT):
        fields = text.split()
        if not fields:
            continue
        place = source.place(line)
        name, panorama = _panorama(place, line, fields)
        if name in panoramas:
            raise InputError(f"{place}: the viewpoint {shown(name)} is already on line {panoramas[name].line}")
        panoramas[name] = panorama
        region, label = panorama.region, panorama.label
        if region is not None and labels.setdefault(region, label) != label:
            message = f"region {region} has the letter {label} here and {labels[region]} above"
            notes.append(Note("region with two labels", place, message))
    return PanoramaFile(source, panoramas, tuple(notes))


def _panorama(place: str, line: int, fields: list[str]) -> tuple[str, PanoramaLine]:
    if len(fields) < 3:
        raise InputError(f"{place}: has {len(fields)} fields; expected index, viewpoint, region (may be missing) and letter")
    label = fields[-1]
    if label not in ROOM_NAMES:
        raise InputError(f"{place}: the last field is {shown(label)}; expected one of the letters {' '.join(ROOM_NAMES)}")
    numbered = len(fields) > 3 and fields[2].removeprefix("-").isdecimal() and fields[2].isascii()
    if not numbered:
        return fields[1], PanoramaLine(line, label, None, numbered=False)
    region = _whole(place, fields[2])
    return fields[1], PanoramaLine(line, label, region if region >= 0 else None, numbered=True)


def _whole(place: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:  # thousands of digits
        raise InputError(f"{place}: the third field is {shown(text)}; expected the index of a region") from None

"""What people call things, rooms and colours: the nouns of the grammar, from `data/things.txt` and its like.

Labels that are not there are never mentioned: too small, or nothing one would steer by.
"""

from __future__ import annotations

import colorsys
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vnla.houses.scene import Colour, Material, Part
from vnla.language import word_lists

_HUNG = {"chandelier", "fan", "wall lamp", "air conditioner", "curtains", "blinds", "window", "clock", "shelf"}
"""Seen and faced, but neither walked up to nor passed: they hang, or are all along a wall."""


class Noun(NamedTuple):
    """What people call a kind of thing, and what they call it when nobody has trained on that."""

    name: str
    words: tuple[str, ...]
    held_out: tuple[str, ...]


def _nouns(file: str) -> tuple[Noun, ...]:
    found = ((name, *word_lists.with_held_out(text)) for name, text in word_lists.entries(file))
    return tuple(Noun(name, *(tuple(map(" ".join, words)) for words in both)) for name, *both in found)


_LINES = _nouns("things.txt")
THINGS = tuple(noun._replace(name=noun.name.split(", ")[0]) for noun in _LINES)
"""Kinds of things, by number."""
ROOMS = _nouns("rooms.txt")
"""Kinds of rooms, by number; their names are Matterport3D's letters."""
HUES = _nouns("colours.txt")
"""Colours, by number."""

_LABELS = {label: number for number, noun in enumerate(_LINES) for label in noun.name.split(", ")}
_BY_CATEGORY = {name: _LABELS[noun] for name, noun in word_lists.entries("categories.txt")}
_ROOM_NUMBER = {noun.name: number for number, noun in enumerate(ROOMS)}
_HUE_NUMBER = {noun.name: number for number, noun in enumerate(HUES)}

NOTHING = -1
"""Stands for no noun and for no colour."""
DOOR = _LABELS["door"]
STAIRS = _LABELS["stairs"]


def thing_of(label: str, category: str | None = None) -> int:
    """The number of the noun for a thing, or NOTHING."""
    found = _LABELS.get(label.lower())
    return _BY_CATEGORY.get(category or "", NOTHING) if found is None else found


def room_of(label: str) -> int:
    """The number of the noun for a room's letter, or NOTHING."""
    return _ROOM_NUMBER.get(label, NOTHING)


def _mistaken() -> NDArray[np.bool_]:
    ends = [[word.split() for word in noun.words + noun.held_out] for noun in THINGS]
    return np.array(
        [[any(b[-len(a) :] == a for a in one for b in other) for other in ends] for one in ends]
    )  # "table" may be a coffee table


MISTAKEN = _mistaken()
"""(things, things): whether a word for the first may be taken for the second; for itself it always may."""


def hangs(thing: int) -> bool:
    """Whether nobody would walk up to such a thing, or past it."""
    return THINGS[thing].name in _HUNG or thing in (DOOR, STAIRS)


def hue_of(parts: Iterable[Part], least: float = 0.6) -> int:
    """The colour that most of a thing's surface has, by area, or NOTHING where none has so much of it."""
    areas: dict[int, float] = {}
    for part in parts:
        a, b, c = part.size
        name = _material_hue(part.material)
        areas[name] = areas.get(name, 0.0) + a * b + b * c + c * a
    if not areas:
        return NOTHING
    hue = max(areas, key=lambda each: areas[each])
    return hue if areas[hue] >= least * sum(areas.values()) else NOTHING


def _material_hue(material: Material) -> int:
    if material.glow > 0 or material.gloss > 0.7 or material.pattern in ("picture", "screen", "books", "metal"):
        return NOTHING
    if material.pattern in ("wood", "planks"):
        hue, saturation, _ = colorsys.rgb_to_hsv(*material.colour)
        return _HUE_NUMBER["wooden"] if 12 <= hue * 360 <= 50 and saturation > 0.25 else NOTHING
    name = colour_name(material.colour)
    if material.pattern in ("stripes", "checks", "dots", "leaves", "marble") and material.accent is not None:
        name = name if name == colour_name(material.accent) else None
    return NOTHING if name is None else _HUE_NUMBER[name]


def colour_name(colour: Colour) -> str | None:
    """What most people would call a colour, or None where they would not agree."""
    hue, saturation, value = colorsys.rgb_to_hsv(*colour)
    degrees = hue * 360
    if value < 0.2:
        return "black"
    if saturation < 0.1:
        return "white" if value > 0.85 else "grey" if 0.25 < value < 0.75 else None
    if saturation < 0.2:
        return None
    for name, low, high, pale, dark in _REGIONS:
        if low <= degrees < high:
            if saturation < 0.4 and value > 0.7:
                return pale
            return dark if value < 0.5 else name if saturation >= 0.45 else None
    return None


# Degrees of hue from and to, and what the region is called when it is pale, or dark.
_REGIONS: tuple[tuple[str | None, float, float, str | None, str | None], ...] = (
    ("red", 0, 10, "pink", "brown"),
    (None, 10, 18, None, "brown"),
    ("orange", 18, 38, "beige", "brown"),
    ("yellow", 44, 62, "beige", None),
    ("green", 75, 160, "green", "green"),
    ("blue", 200, 250, "blue", "blue"),
    ("purple", 258, 295, "purple", "purple"),
    ("pink", 305, 340, "pink", "purple"),
    ("red", 348, 360.1, "pink", "red"),
)

"""Room labels: the letters that Matterport3D gives to regions, and the names people use."""

from __future__ import annotations

NO_LABEL = "-"

ROOM_NAMES = {
    "a": "bathroom",
    "b": "bedroom",
    "c": "closet",
    "d": "dining room",
    "e": "entryway",
    "f": "family room",
    "g": "garage",
    "h": "hallway",
    "i": "library",
    "j": "laundry room",
    "k": "kitchen",
    "l": "living room",
    "m": "meeting room",
    "n": "lounge",
    "o": "office",
    "p": "porch",
    "r": "recreation room",
    "s": "stairs",
    "t": "toilet",
    "u": "utility room",
    "v": "tv room",
    "w": "gym",
    "x": "outdoor area",
    "y": "balcony",
    "z": "other room",
    "B": "bar",
    "C": "classroom",
    "D": "dining booth",
    "S": "spa",
    "Z": "junk",
    NO_LABEL: "no label",
}
"""Letter of a region → the name that end-goals and reports use."""

ROOM_LABELS = tuple(label for label in ROOM_NAMES if label != NO_LABEL)
"""The letters by number, as compiled worlds have them."""


def in_room(name: str) -> str:
    """What a view shows that is in a room of this name, as a label among those of objects."""
    return f"in: {name}"

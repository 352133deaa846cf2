"""End-goals in words and back (section 5): "find an armchair in the living room .", "find curtains in one of the bedrooms ."

Singular or plural, a or an, and the plurals of rooms are inflect's, the library that the paper uses. Where it is wrong, and
for words such as "clothing" that take no article, `tasks/data/word_forms.csv` has the form. The lists in `tasks/data` give a
reason for every entry.
"""

from __future__ import annotations

import csv
import json
import re
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from vnla.assistance.phrases import FULL_STOP
from vnla.common.nouns import nouns
from vnla.houses.rooms import NO_LABEL, ROOM_NAMES

_NO_WORD = re.compile(r"[^a-z0-9'-]+")


def plain(label: str) -> str:
    """Return a label as an end-goal says it: lower-case words with single spaces; signs such as / and # part words."""
    return _NO_WORD.sub(" ", label.lower()).strip()


@cache
def table(name: str) -> tuple[dict[str, str], ...]:
    """Return the rows of a CSV file in `tasks/data`."""
    text = files("vnla.tasks").joinpath("data", name).read_text(encoding="utf-8")
    return tuple(csv.DictReader(text.splitlines()))


@cache
def matterport_splits() -> dict[str, tuple[str, ...]]:
    """Return the buildings of Matterport3D in train (61), dev (11) and test (18), as Room-to-Room splits them."""
    value: Any = json.loads(files("vnla.tasks").joinpath("data", "matterport_splits.json").read_text(encoding="utf-8"))
    return {name: tuple(members) for name, members in value.items()}


class Form(StrEnum):
    """How a noun is used: only a singular takes an article."""

    SINGULAR = "singular"
    PLURAL = "plural"
    MASS = "mass"


def end_goal(label: str, room: str | None = None, rooms: int = 1) -> str:
    """What is asked for an object label in plain words, in one of `rooms` rooms of the label `room`, if that is said."""
    words = ["find", with_article(label)]
    if room is not None:
        words += ["in the", ROOM_NAMES[room]] if rooms == 1 else ["in one of the", room_plural(room)]
    return " ".join([*words, FULL_STOP])


class EndGoal(NamedTuple):
    """What is to be found."""

    thing: str
    room: str | None
    """The name of the room's kind; None where any will do."""


def read_end_goal(text: str) -> EndGoal:
    """Return what an end-goal in the words of `end_goal` asks for."""
    words = text.lower().removesuffix(FULL_STOP).strip().removeprefix("find ")
    for parting, names in ((" in one of the ", _plurals()), (" in the ", {name: name for name in ROOM_NAMES.values()})):
        thing, found, room = words.rpartition(parting)
        if found and room in names:
            return EndGoal(_without_article(thing), names[room])
    return EndGoal(_without_article(words), None)


def _without_article(thing: str) -> str:
    return next((thing.removeprefix(each) for each in ("a ", "an ", "the ", "some ") if thing.startswith(each)), thing)


@cache
def _plurals() -> dict[str, str]:
    return {room_plural(label): name for label, name in ROOM_NAMES.items() if label != NO_LABEL}


@cache
def with_article(label: str) -> str:
    """Return what is said for a label: "a towel", "an armchair", but "curtains" and "toilet paper"."""
    return str(nouns().a(label)) if form(label) is Form.SINGULAR else label


@cache
def form(label: str) -> Form:
    """The form of a label, which is that of its head: "chest of drawers" is singular, "kitchen cabinets" is plural."""
    head = label.split(" of ")[0].split(" with ")[0].split()[-1]
    known = {row["word"]: Form(row["form"]) for row in table("word_forms.csv")}
    for word in (label, head):
        if word in known:
            return known[word]
    return Form.PLURAL if nouns().singular_noun(head) else Form.SINGULAR


@cache
def room_plural(label: str) -> str:
    """Return the plural of a room label's name."""
    known = {row["label"]: row["plural"] for row in table("rooms_in_goals.csv") if row["plural"]}
    return known.get(label) or str(nouns().plural_noun(ROOM_NAMES[label]))

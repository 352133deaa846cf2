"""An end-goal read back from its words: "find a towel in one of the bathrooms ." is a towel, in a bathroom."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from vnla.assistance.phrases import FULL_STOP
from vnla.houses.rooms import NO_LABEL, ROOM_NAMES
from vnla.tasks.end_goals import room_plural

_ARTICLES = ("a ", "an ", "the ", "some ")


class EndGoal(NamedTuple):
    """What is to be found."""

    thing: str
    room: str | None
    """The name of the room's kind; None where any will do."""


def read_end_goal(text: str) -> EndGoal:
    """What an end-goal asks for."""
    words = text.lower().removesuffix(FULL_STOP).strip().removeprefix("find ")
    for parting, names in ((" in one of the ", _plurals()), (" in the ", {name: name for name in ROOM_NAMES.values()})):
        thing, found, room = words.rpartition(parting)
        if found and room in names:
            return EndGoal(_bare(thing), names[room])
    return EndGoal(_bare(words), None)


def _bare(thing: str) -> str:
    return next((thing.removeprefix(each) for each in _ARTICLES if thing.startswith(each)), thing)


@cache
def _plurals() -> dict[str, str]:
    return {room_plural(label): name for label, name in ROOM_NAMES.items() if label != NO_LABEL}

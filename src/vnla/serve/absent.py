"""Things and rooms that a text names and a house does not have: a visitor is told this instead of "not understood"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from vnla.houses.house import House
from vnla.language.things import NOTHING, ROOMS, THINGS, room_of, thing_of

_WORD = re.compile(r"[a-z][a-z'’-]*")
_LONGEST = 3
"""Words of a name."""

Kind = tuple[str, int]
"""A kind of thing or room, by its number among those."""


def absent(text: str, parts: Iterable[tuple[int, int, bool]], house: House) -> tuple[str, ...]:
    """Return the names in what was not understood of a text that stand for nothing in a house, each once."""
    there = _kinds(house)
    named = (name for start, end, understood in parts if not understood for name in _named(text[start:end].lower()))
    return tuple(dict.fromkeys(name for name in named if _names()[name] not in there))


def _named(text: str) -> Iterator[str]:
    """Yield the names in a stretch of text, the longest that begin at each word."""
    words = _WORD.findall(text)
    first = 0
    while first < len(words):
        for count in range(min(_LONGEST, len(words) - first), 0, -1):
            found = _name(" ".join(words[first : first + count]))
            if found is not None:
                yield found
                break
        else:
            count = 1
        first += count


def _name(words: str) -> str | None:
    return next((each for each in (words, words.removesuffix("s"), words.removesuffix("es")) if each in _names()), None)


@cache
def _names() -> dict[str, Kind]:
    """Return what people call things and rooms."""
    nouns = (("room", ROOMS), ("thing", THINGS))
    every = ((kind, i, noun) for kind, some in nouns for i, noun in enumerate(some))
    return {name: (kind, i) for kind, i, noun in every for name in (*noun.words, *noun.held_out)}


def _kinds(house: House) -> set[Kind]:
    """Return the kinds of things and rooms that a house has."""
    things = {thing_of(each.label, each.category and each.category[1]) for each in house.objects} - {NOTHING}
    return {("thing", each) for each in things} | {("room", room_of(each.label)) for each in house.rooms}

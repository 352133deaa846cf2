"""The readings of a text between which its reader decides: the plans that it may mean, with what each costs.

    first, second, *_ = readings("go through the door", around, pose, around.after)

`vnla.language.grounding` takes the cheapest; here are the others, too, for those who would rather ask. A turn of which
nobody says to which side ("turn 60 degrees, then go forward") is read with both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product

from vnla.language.frames import Step
from vnla.language.grounding import TakenWay, ways_to_take
from vnla.language.parser import parse
from vnla.language.relaxed_matching import GroundingContext
from vnla.language.surroundings import Surroundings
from vnla.world.actions import Nav

MOST = 6
"""Readings that are told."""


_TURN = re.compile(r"\b(?:turn|rotate|swivel|spin|pivot)\b")
_SAID = re.compile(r"\b(?:left|right|around)\b")
_CLAUSE_ENDS = re.compile(r"(,|\bthen\b|\band\b)")
_MOST_TURNS = 2


def readings(
    text: str,
    around: Surroundings,
    pose: int,
    step: Step,
    seen: Sequence[int] = (),
    *,
    count: int | None = None,
    guided: bool = False,
) -> list[TakenWay]:
    """Return what a text may mean at a pose, the cheapest first, each plan once; the arguments are those of `denote`."""
    found: dict[tuple[Nav, ...], TakenWay] = {}
    places = ((sided, GroundingContext(around, step, seen, True, count, guided)) for sided in with_sides(text))
    ways = (way for sided, place in places for way in ways_to_take(parse(sided), place, pose) if way.plan)
    for way in sorted(ways, key=lambda way: (way.cost, len(way.plan))):
        found.setdefault(way.plan, way)
    return list(found.values())[:MOST]


def with_sides(text: str) -> list[str]:
    """A text, or the ways to complete it by the sides of turns that nobody told, as far as these are understood."""
    if parse(text).why is None:
        return [text]
    clauses, found = _CLAUSE_ENDS.split(text), []
    places = [i for i, each in enumerate(clauses) if _TURN.search(each) and not _SAID.search(each)][:_MOST_TURNS]
    for sides in product(("left", "right"), repeat=len(places)):
        told = dict(zip(places, sides, strict=True))
        sided = (_TURN.sub(rf"\g<0> {told[i]}", each, count=1) if i in told else each for i, each in enumerate(clauses))
        found.append("".join(sided))
    return [each for each in found if parse(each).why is None] or [text]

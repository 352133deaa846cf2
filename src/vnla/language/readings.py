"""The readings of a text between which its reader decides: the plans that it may mean, with what each costs.

    first, second, *_ = readings("go through the door", around, pose, around.after)

`vnla.language.grounding` takes the cheapest; here are the others, too, for those who would rather ask. A turn of which
nobody says to which side ("turn 60 degrees, then go forward") is read with both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from vnla.language.frames import Frame, Step
from vnla.language.grounding import is_exact, priced, ways_to_take
from vnla.language.parser import Parsed, parse
from vnla.language.relaxed_matching import GroundingContext
from vnla.language.surroundings import Surroundings
from vnla.world.actions import Nav

MOST = 6
"""Readings that are told."""


_TURN = re.compile(r"\b(?:turn|rotate|swivel|spin|pivot)\b(?! (?:[a-z]+ )?(?:left|right|around)\b)")
_MOST_TURNS = 2
_SAID = re.compile(r"\b(?:left|right)\b|\baround\b")


class CandidateReading(NamedTuple):
    """One plan that a text may mean."""

    plan: tuple[Nav, ...]
    pose: int
    """Where it ends."""
    cost: float
    frames: tuple[Frame, ...]


def readings(
    text: str,
    around: Surroundings,
    pose: int,
    step: Step,
    seen: Sequence[int] = (),
    *,
    count: int | None = None,
    guided: bool = False,
) -> list[CandidateReading]:
    """Return what a text may mean at a pose, the cheapest first, each plan once; the arguments are those of `denote`."""
    found: dict[tuple[Nav, ...], CandidateReading] = {}
    every = [
        each
        for sided in with_sides(text)
        for each in _readings(parse(sided), pose, GroundingContext(around, step, seen, True, count, guided))
    ]
    for each in sorted(every, key=lambda each: (each.cost, len(each.plan))):
        found.setdefault(each.plan, each)
    return list(found.values())[:MOST]


def with_sides(text: str) -> list[str]:
    """A text, or the ways to complete it by the sides of turns that nobody told, as far as these are understood."""
    if parse(text).why is None:
        return [text]
    places = [match.end() for match in _TURN.finditer(text) if not _SAID.search(_clause(text, match))][:_MOST_TURNS]
    found = []
    for sides in product((" left", " right"), repeat=len(places)):
        told = text
        for place, side in reversed(list(zip(places, sides, strict=True))):
            told = told[:place] + side + told[place:]
        found.append(told)
    return [each for each in found if parse(each).why is None] or [text]


def _clause(text: str, match: re.Match[str]) -> str:
    """The clause in which a word stands."""
    before = re.split(r",|\bthen\b|\band\b", text[: match.start()])[-1]
    return before + re.split(r",|\bthen\b|\band\b", text[match.start() :])[0]


def _readings(parsed: Parsed, pose: int, place: GroundingContext) -> list[CandidateReading]:
    place.loosely = not all(is_exact(each) for clause in parsed.clauses for each in clause.frames)
    found = []
    for way in ways_to_take(parsed, place, pose):
        frames = tuple(each for each in way.frames if each is not None)
        if way.plan:
            found.append(CandidateReading(way.plan, way.pose, priced(way, parsed, place).cost, frames))
    return found

"""Clauses: what one stretch of signs says is to be done, by the rules of `data/rules.txt`, as frames of a house.

A rule takes as many signs as it can; the one that takes the most counts. What it found becomes one frame or several, the
likeliest first: landmarks have a noun but no thing yet, since which one is meant is seen at a pose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import product
from typing import NamedTuple, get_args

from vnla.language import word_lists
from vnla.language.frames import Frame, Landmark, Look, Turn, Walk
from vnla.language.surroundings import SIDES, Side
from vnla.language.things import DOOR, NOTHING, STAIRS

TURN = 3
"""Actions of "turn left", where no more is said: a right angle."""
MOST = 12
"""Steps, or turns, that anybody would count."""
FAR = 0
"""Steps of a walk that goes as far as it can."""
UNSAID = -2
"""Stands for a room that is "this room"."""
STEP_LENGTH = 2.0
"""Metres of a step, about, where no house tells how far it is."""
_DEGREES = 30
_FOOT = 0.3048

_SIDES: tuple[Side, ...] = ("left", "right")
_BEHIND: Side = "behind"


class Remark(str):
    """What somebody should be told about a clause, though it may be understood."""

    __slots__ = ()


Groups = Mapping[str, str | None]
Build = Callable[[Groups], Iterator[Frame | Remark]]

_BUILDERS: dict[str, Build] = {}
"""Functions that make frames of a rule's groups, by the name that `data/rules.txt` has for each."""


def _builder(build: Build) -> Build:
    _BUILDERS[build.__name__[1:]] = build
    return build


def _number(digits: str | None, least: int = 1) -> float:
    return min(float(digits[1:]), 1000.0) if digits else least


def _count(digits: str | None, what: str) -> Iterator[int | Remark]:
    """How often something is to be done; notes where nobody can do it so often."""
    number = _number(digits)
    if not number:
        yield Remark(f"0 {what}: there is nothing to do")
    elif number != int(number):
        yield Remark(f"{number:g} {what}: {what} are whole; say {int(number)} or {int(number) + 1}")
    else:
        if number > MOST:
            yield Remark(f"{number:g} {what}: {MOST} at most are told at a time")
        yield min(int(number), MOST)


def _landmarks(found: Groups, name: str = "thing") -> Iterator[Landmark]:
    said = found[name]
    if not said:
        return
    nouns = [{"door": DOOR, "stairs": STAIRS}[said]] if said in ("door", "stairs") else map(int, said[5:].split("_"))
    hue = re.search(r"\d+", found.get("hues") or "")
    yield from (Landmark(NOTHING, noun, int(hue[0]) if hue else NOTHING) for noun in nouns)


def _sides(found: Groups, name: str = "side") -> tuple[Side, ...]:
    """The side that is said, or both."""
    return tuple(side for side in _SIDES if found[name] in (None, side)) or _SIDES


def _on(found: Groups) -> Side | None:
    on = found.get("on")
    return next((side for side in (*SIDES, _BEHIND) if side == on), None)


@_builder
def _turn(found: Groups) -> Iterator[Frame | Remark]:
    amounts = {"slightly": 1, "half": 2, "quarter": 3, "sharp": 4, "nearly": 5, None: TURN}
    degrees, times = found["degrees"], found["times"]
    if found["number"]:  # "left 60", "two to the right"
        degrees, times = (found["number"], None) if _number(found["number"]) > MOST else (None, found["number"])
    counts: list[int | Remark] = [amounts[found["amount"]]]
    if times:
        counts = list(_count(times, "turns"))
    elif degrees:
        counts = list(_turns_of(_number(degrees)))
    for count in counts:
        yield from (count,) if isinstance(count, Remark) else (Turn(side, count) for side in reversed(_sides(found)))


def _turns_of(degrees: float) -> Iterator[int | Remark]:
    """How many turns an angle is: the nearest, and the other one where two are."""
    turns = degrees / _DEGREES
    if degrees in (0, 2 * 180):
        yield Remark(f"{degrees:g} degrees: that is no turn at all")
        return
    near = int(turns + 0.5)
    if turns != near:
        around = " or ".join(str(each * _DEGREES) for each in (int(turns), int(turns) + 1) if each)
        yield Remark(
            f"{degrees:g} degrees: a turn is 30 degrees, so it takes {max(near, 1) * _DEGREES} (possible: {around})"
        )
    if near > MOST:
        yield Remark(f"{degrees:g} degrees: {MOST * _DEGREES} at most are told at a time")
    yield max(min(near, MOST), 1)
    if turns - int(turns) == 0.5 and turns > 1:
        yield int(turns)


@_builder
def _so_often(found: Groups) -> Iterator[Frame]:
    """As often as a side is said: "left, left"."""
    row, side = found["row"] or "", found["first"]
    yield Turn("left" if side == "left" else "right", row.count(side or ""))


@_builder
def _by_the_clock(found: Groups) -> Iterator[Frame]:
    hour = int(_number(found["hour"])) % 12
    if hour:
        yield Turn("right", hour) if hour <= 6 else Turn("left", 12 - hour)


@_builder
def _look(found: Groups) -> Iterator[Frame | Remark]:
    counts = _turns_of(_number(found["degrees"])) if found["degrees"] else _count(found["times"], "looks")
    yield from (each if isinstance(each, Remark) else Look(found["way"] == "up", each) for each in counts)


@_builder
def _walk(found: Groups) -> Iterator[Frame | Remark]:
    yield from _walks(found, None)


def _walks(found: Groups, toward: Landmark | None) -> Iterator[Frame | Remark]:
    """So many steps, or as many as some metres are."""
    steps, unit = found["steps"], found["unit"] or "steps"
    if unit == "steps" or not steps:
        yield from (each if isinstance(each, Remark) else Walk(each, toward) for each in _count(steps, "steps"))
        return
    metres = _number(steps) * (_FOOT if unit == "feet" else 1.0)
    yield (
        Walk(max(round(metres / STEP_LENGTH), 1), toward, metres) if metres else Remark(f"0 {unit}: there is nothing to do")
    )


@_builder
def _walk_often(found: Groups) -> Iterator[Frame]:
    """As often as it is said: "forward, forward"."""
    yield Walk(min((found["row"] or "").count("ahead"), MOST))


@_builder
def _toward(found: Groups) -> Iterator[Frame | Remark]:
    if found["steps"]:
        for landmark in (*_landmarks(found), None):
            yield from _walks(found, landmark)
    else:
        yield from (Walk(1, landmark) for landmark in _landmarks(found))
        yield from _builders()["reach"](found)


def _room(name: str | None) -> int:
    return NOTHING if name is None else UNSAID if name == "here room" else int(name[4:])


def _noun(found: Groups) -> int:
    return int(found["holding"][5:].split("_")[0]) if found["holding"] else NOTHING


def _said(found: Groups, *names: str) -> bool:
    return any(found[name] for name in names)


_SLOTS: dict[str, Callable[[Groups], Iterable[object]]] = {
    "side": _sides,
    "round": lambda found: reversed(_sides(found)),
    "on": lambda found: (_on(found),),
    "ahead": lambda _: ("ahead",),
    "thing": _landmarks,
    "none": lambda _: (None,),
    "nothing": lambda _: (NOTHING,),
    "here": lambda _: (UNSAID,),
    "room": lambda found: (_room(found["room"]),) if found["room"] else (),
    "into": lambda found: (_room(found["room"]),),
    "from": lambda found: (_room(found["from"]),),
    "another": lambda found: () if found["from"] == "here room" else (_room(found["from"]),),
    "holding": lambda found: (_noun(found),),
    "held": lambda found: (_noun(found),) if found["holding"] and not found["room"] else (),
    "nth": lambda found: (int(found["nth"] or 0),),
    "way": lambda found: (True, False) if found["door"] == "door" else (False, True),
    "elsewhere": lambda found: () if _said(found, "room", "holding") else (False, True),
    "doors": lambda found: (True, False) if found["thing"] == "door" else (),
    "stairs": lambda found: (True, False) if found["thing"] == "stairs" else (),
    "up": lambda found: (found["way"] == "up",),
    "whole": lambda _: (True, False),
    "part": lambda _: (False, True),
}
"""What may stand for each word of `[frames]` in `data/rules.txt`."""
_FRAMES = {each.__name__: each for each in get_args(Frame)}


def _made(alternatives: str, found: Groups) -> Iterator[Frame | Remark]:
    """The frames that a line of `[frames]` makes: of each alternative all that its words may stand for."""
    for each in alternatives.split(" | "):
        name, *slots = each.split()
        if name in _FRAMES:
            values = [[int(slot)] if slot.isdigit() else _SLOTS[slot](found) for slot in reversed(slots)]
            yield from (_FRAMES[name](*reversed(chosen)) for chosen in product(*values))
        else:
            yield from _builders()[name](found)


@cache
def _builders() -> dict[str, Build]:
    """What makes frames of a rule's groups: functions, and the lines of `[frames]`."""
    lines = map(word_lists.entry, word_lists.sections("rules.txt")["frames"])
    return _BUILDERS | {name: partial(_made, text) for name, text in lines}


class Rule(NamedTuple):
    """A pattern over symbols, and what makes frames of its groups."""

    pattern: re.Pattern[str]
    name: str
    """Of what makes frames of its groups."""


class Rules(NamedTuple):
    """The rules of `data/rules.txt`."""

    always: tuple[Rule, ...]
    named: tuple[Rule, ...]
    """Of sentences in which something was named before."""
    unnamed: tuple[Rule, ...]
    stop_at: re.Pattern[str]
    """Where one stops, which is said after it."""
    aside: re.Pattern[str]
    """What only tells more of something."""
    soft: frozenset[str]
    """Signs that nobody misses."""


@cache
def rules() -> Rules:
    """The rules, compiled when something is first parsed."""
    fragments: dict[str, str] = {}

    def whole(text: str) -> str:
        return _FRAGMENT.sub(lambda found: fragments[found[2]].replace("(?P<", f"(?P<{found[1] or ''}"), text)

    sections = word_lists.sections("rules.txt")
    for name, text in map(word_lists.entry, sections["fragments"]):
        fragments[name] = whole(text)
    always, named, unnamed = (
        tuple(Rule(re.compile(whole(text)), name) for name, text in map(word_lists.entry, sections[section]))
        for section in ("rules", "rules where something was named before", "rules where nothing was named before")
    )
    soft = frozenset(" ".join(sections["symbols that nobody misses"]).split())
    return Rules(always, named, unnamed, re.compile(fragments["STOP_AT"]), re.compile(fragments["ASIDE"]), soft)


_FRAGMENT = re.compile(r"\{(more_|other_)?([A-Z_]+)\}")
_MORE = re.compile("other_|more_")


class RuleMatch(NamedTuple):
    """What a rule makes of the signs from a place on."""

    frames: tuple[Frame, ...]
    end: int
    named: Groups
    """What was named last, here or before."""
    again: bool = False
    vague: bool = False
    notes: tuple[Remark, ...] = ()


def longest(text: str, at: int, named: Groups) -> RuleMatch:
    """The frames of the rule that takes the most from a place on."""
    best = RuleMatch((), at, named)
    for again, some in ((False, rules().always), (True, rules().named if named else rules().unnamed)):
        for pattern, name in some:
            match = pattern.match(text, at)
            if match is None or match.end() < best.end or (match.end() == best.end and name != "again"):
                continue
            found = {_MORE.sub("", group): value for group, value in match.groupdict().items() if value is not None}
            made = tuple(dict.fromkeys(_builders()[name](_Groups({**named, **found} if again else found))))
            frames = tuple(each for each in made if not isinstance(each, Remark))
            if made:
                thing, room = found.get("thing") or found.get("at"), found.get("room")
                names = {"thing": thing, "hues": found.get("hues"), "room": room} if thing or room else named
                vague = (name in ("turn", "glance") and not _AMOUNTS & set(found)) or (
                    name == "walk" and "steps" not in found
                )
                best = RuleMatch(
                    frames, match.end(), names, again, vague, tuple(each for each in made if isinstance(each, Remark))
                )
    return best


_AMOUNTS = {"number", "degrees", "amount", "times"}


class _Groups(dict[str, str | None]):
    """What a rule has found; nothing where it has not."""

    def __missing__(self, _: str) -> None:
        return None

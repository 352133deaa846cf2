"""Clauses: what one stretch of signs says is to be done, by the rules of `data/rules.txt`, as frames of a house.

A rule takes as many signs as it can; the one that takes the most counts. What it found becomes one frame or several, the
likeliest first: landmarks have a noun but no thing yet, since which one is meant is seen at a pose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from vnla.language import word_lists
from vnla.language.frames import (
    Enter,
    Face,
    Frame,
    Have,
    Landmark,
    Leave,
    LevelFrame,
    Look,
    Overlook,
    Pass,
    Reach,
    Remember,
    Spot,
    Stairs,
    StopFrame,
    Through,
    Turn,
    Walk,
)
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
"""What makes frames of a rule's groups, by the name that `data/rules.txt` has for it."""


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
def _glance(found: Groups) -> Iterator[Frame]:
    """A look to a side is a small turn."""
    yield from (Turn(side, 1) for side in _sides(found))


@_builder
def _by_the_clock(found: Groups) -> Iterator[Frame]:
    hour = int(_number(found["hour"])) % 12
    if hour:
        yield Turn("right", hour) if hour <= 6 else Turn("left", 12 - hour)


@_builder
def _around(found: Groups) -> Iterator[Frame]:
    yield from (Turn(side, 6) for side in reversed(_sides(found)))


@_builder
def _look(found: Groups) -> Iterator[Frame | Remark]:
    counts = _turns_of(_number(found["degrees"])) if found["degrees"] else _count(found["times"], "looks")
    yield from (each if isinstance(each, Remark) else Look(found["way"] == "up", each) for each in counts)


@_builder
def _up_or_on(found: Groups) -> Iterator[Frame | Remark]:
    """Up, with the eyes or on stairs."""
    yield from (*_look(found), *_first_stairs(found))


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
def _far(_: Groups) -> Iterator[Frame]:
    yield Walk(FAR)


@_builder
def _toward(found: Groups) -> Iterator[Frame | Remark]:
    if found["steps"]:
        for landmark in (*_landmarks(found), None):
            yield from _walks(found, landmark)
    else:
        yield from (Walk(1, landmark) for landmark in _landmarks(found))
        yield from _reach(found)


@_builder
def _face(found: Groups) -> Iterator[Frame]:
    yield from (Face(side, landmark) for landmark in _landmarks(found) for side in _sides(found))


@_builder
def _face_or_reach(found: Groups) -> Iterator[Frame]:
    """Left to the sofa: as far as it is ahead, or all the way there."""
    yield from (*_face(found), *(Reach(landmark, _sides(found)[0]) for landmark in _landmarks(found)))


@_builder
def _face_way(found: Groups) -> Iterator[Frame]:
    """A turn to a way out that has no door."""
    yield from (Overlook(side, NOTHING) for side in _sides(found))


@_builder
def _spot(found: Groups) -> Iterator[Frame]:
    yield from (Spot(side, landmark) for landmark in _landmarks(found) for side in _sides(found))


@_builder
def _reach(found: Groups) -> Iterator[Frame]:
    side = _on(found)
    for landmark in _landmarks(found):
        if landmark.noun == STAIRS:
            yield from (Reach(landmark, side), Stairs(True), Stairs(False))
        else:
            yield Reach(landmark, side)
        if landmark.noun == DOOR:
            yield from (Through(door, 0, side) for door in (True, False))


@_builder
def _pass(found: Groups) -> Iterator[Frame]:
    yield from (Pass(landmark, _on(found)) for landmark in _landmarks(found))


@_builder
def _back(found: Groups) -> Iterator[Frame]:
    yield from (frame(landmark) for frame in (Remember, Reach) for landmark in _landmarks(found))


def _room(name: str | None) -> int:
    return NOTHING if name is None else UNSAID if name == "here room" else int(name[4:])


@_builder
def _enter(found: Groups) -> Iterator[Frame]:
    yield Enter(_room(found["room"]), side=_on(found))


@_builder
def _leave(found: Groups) -> Iterator[Frame]:
    into = _room(found.get("room"))
    yield Leave(_room(found["from"]), into, _on(found))
    if into != NOTHING:
        yield Enter(into, side=_on(found))


@_builder
def _step_out(found: Groups) -> Iterator[Frame]:
    yield Leave(UNSAID, _room(found.get("room")), _on(found))


def _first_noun(name: str | None) -> int:
    return NOTHING if name is None else int(name[5:].split("_")[0])


@_builder
def _into(found: Groups) -> Iterator[Frame | Remark]:
    """Into a room that is known by its furniture, or so many steps that way."""
    if found.get("steps"):
        yield from _walk(found)
    holding = _first_noun(found.get("holding"))
    if found.get("room"):
        yield Enter(_room(found["room"]), holding)
    elif holding != NOTHING:
        yield Enter(NOTHING, holding)
    else:
        yield from _other_room(found)


@_builder
def _overlook(found: Groups) -> Iterator[Frame]:
    yield from (Overlook(side, _room(found["room"])) for side in _sides(found))
    if found.get("to"):
        yield Enter(_room(found["room"]))


@_builder
def _level(_: Groups) -> Iterator[Frame]:
    yield LevelFrame()


@_builder
def _have(found: Groups) -> Iterator[Frame]:
    """Where something is when one is there."""
    if found.get("room"):
        yield Have(None, _room(found["room"]), _on(found))
    else:
        yield from (Have(landmark, NOTHING, _on(found)) for landmark in _landmarks(found))


@_builder
def _ahead_of(found: Groups) -> Iterator[Frame]:
    yield from (replace(each, side="ahead") for each in _have(found) if isinstance(each, Have))


@_builder
def _located(found: Groups) -> Iterator[Frame]:
    """Where something is, said to somebody who is to go there, or will find it there."""
    if found.get("room"):
        yield from (Enter(_room(found["room"]), side=_on(found)), *_have(found))
    else:
        yield from (*_reach(found), *_have(found))


@_builder
def _cross(found: Groups) -> Iterator[Frame]:
    """Along a room, or through it: into it from elsewhere, through it for somebody who is there."""
    room = _room(found["from"])
    if room != UNSAID:
        yield Enter(room)
    yield from (Walk(FAR), Leave(room))


@_builder
def _through(found: Groups) -> Iterator[Frame]:
    nth, said = int(found.get("nth") or 0), found["door"]
    doors = {"door": (True, False), "gap": (False, True), "way": (False, True)}[said or "way"]
    yield from (Through(door, nth, _on(found)) for door in doors)


@_builder
def _other_room(found: Groups) -> Iterator[Frame]:
    yield from (Through(door, int(found.get("nth") or 0), _on(found)) for door in (False, True))


@_builder
def _stairs(found: Groups) -> Iterator[Frame]:
    yield from (Stairs(found["way"] == "up", whole) for whole in (True, False))


@_builder
def _first_stairs(found: Groups) -> Iterator[Frame]:
    yield from (Stairs(found["way"] == "up", whole) for whole in (False, True))


@_builder
def _again(found: Groups) -> Iterator[Frame]:
    """Into the room that was named, or to the thing."""
    if found.get("room"):
        yield from (Enter(_room(found["room"])), Have())
    else:
        yield from (*_reach(found), *_other_room(found), Have())


@_builder
def _stop(_: Groups) -> Iterator[Frame]:
    yield StopFrame()


class Rule(NamedTuple):
    """A pattern over symbols, and what makes frames of its groups."""

    pattern: re.Pattern[str]
    build: Build


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
        tuple(Rule(re.compile(whole(text)), _BUILDERS[name]) for name, text in map(word_lists.entry, sections[section]))
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
        for pattern, build in some:
            match = pattern.match(text, at)
            if match is None or match.end() < best.end or (match.end() == best.end and build is not _again):
                continue
            found = {_MORE.sub("", name): value for name, value in match.groupdict().items() if value is not None}
            made = tuple(dict.fromkeys(build(_Groups({**named, **found} if again else found))))
            frames = tuple(each for each in made if not isinstance(each, Remark))
            if made:
                thing, room = found.get("thing") or found.get("at"), found.get("room")
                names = {"thing": thing, "hues": found.get("hues"), "room": room} if thing or room else named
                vague = (build in (_turn, _glance) and not _AMOUNTS & set(found)) or (
                    build is _walk and "steps" not in found
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

"""What somebody typed, as frames: the way back from `vnla.language.grammar`, and tolerant of what the grammar never says.

    parsed = parse("out of the kitchen, past the sofa, second door on the left")
    denoted = denote(parsed, around, pose, step)    # vnla.language.grounding: where that leads in a house

Words become signs (`vnla.language.meanings`), and rules take as many signs as they can, one clause after the other. What no
rule takes is not understood, and neither is what follows a "not", up to the next comma. Nothing that somebody types is an
error: parts of the text tell what was understood, and `why` tells why nothing was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from vnla.language.frames import (
    Enter,
    Face,
    Frame,
    Have,
    Landmark,
    Leave,
    Level,
    Look,
    Overlook,
    Pass,
    Reach,
    Remember,
    Spot,
    Stairs,
    Stop,
    Through,
    Turn,
    Walk,
)
from vnla.language.meanings import LONGEST, Sign, signs
from vnla.language.surroundings import Side
from vnla.language.things import DOOR, NOTHING, STAIRS

Part = tuple[int, int, bool]
"""From where to where in a text, and whether that was understood."""

TURN = 3
"""Actions of "turn left", where no more is said: a right angle."""
MOST = 12
"""Steps, or turns, that anybody would count."""
FAR = 0
"""Steps of a walk that goes as far as it can."""
UNSAID = -2
"""Stands for a room that is "this room"."""
_DEGREES = 30
_MOST_CLAUSES = 24

_LEFT: tuple[Side, ...] = ("left", "right")


class Clause(NamedTuple):
    """One thing that is to be done: what it may be, the likeliest first, and the stretch of the text that says it.

    Landmarks have a noun, or several frames one each, but no thing yet: which one is meant is seen at a pose.
    """

    frames: tuple[Frame, ...]
    start: int
    end: int
    again: bool = False
    """Whether it is about what was named before."""
    vague: bool = False
    """Whether it says that one turns, or walks, but not how far."""
    after: str = ""
    """The sign of the pause before it, if there is one: a comma, or the `&` of "and" and "then"."""


@dataclass(frozen=True)
class Parsed:
    """A text as it was understood, wherever it may be said."""

    clauses: tuple[Clause, ...]
    parts: tuple[Part, ...]
    why: str | None = None
    """Why nothing, or not all of it, was understood."""


_NTH = r"(?:nth(?P<nth>[123]) )?"
_THING = r"(?:slightly |around |#[12] )?(?P<hues>(?:hue\d+ )*)(?P<thing>thing[\d_]+|door|stairs) "
_DOOR = r"(?:slightly )?(?:hue\d+ )*(?P<door>door|gap|way) "
_ANY = r"(?:slightly |around |#[12] )?(?:hue\d+ )*(?:thing[\d_]+|room\d+|here room|door|gap|way|stairs|stuff|it) "
_MORE = rf"(?:(?:, )?(?:near|by|with|in|behind|under|between|past|on) {_ANY}(?:& {_ANY}(?=[,&] |$))?)*"
_HOLDING = rf"(?:(?:with|near|behind) (?:(?:slightly |around )?(?:hue\d+ )*(?P<holding>thing[\d_]+) |{_ANY})(?:& {_ANY})?)?"
_AT = (
    r"(?:to |toward |face |until |see )+(?:into |out |through )?(?:slightly |around |#[12] )?(?:hue\d+ )*"
    rf"(?:(?P<at>thing[\d_]+|door|stairs)|room\d+|here room|gap|way|stuff|it) (?:(?:with|near|by|behind) {_ANY})*"
    r"(?:appears |(?:on )?ahead )?(?!(?:on|to|near|, on) (?:left|right|ahead) )"
)
_BY = rf"(?:(?:[,&] )?past {_ANY}(?:& {_ANY})?(?:[,&] )?)*"
_SIDE = r"(?P<side>left|right) "
_ON = r"(?:(?:, )?on |to |near |from )?(?P<on>left|right|ahead) "
_PLACE = rf"(?:{_ON})?"
_ROOM = r"(?:slightly |around )?(?:hue\d+ )*(?P<room>room\d+) "
_FROM = r"(?:hue\d+ )*(?P<from>room\d+|here room) "
_HOW_FAR = r"(?P<amount>slightly|sharp|half|nearly|quarter) (?:turn )?"
_AMOUNT = rf"(?:by )?(?:(?P<degrees>#\d+) degrees |{_HOW_FAR}|(?P<times>#\d+) times |times (?P<other_times>#\d+) )"
_LATER = f"(?:(?:[,&] )?(?:until )?{_AMOUNT.replace('<', '<more_')})?"
_STEPS = r"(?:slightly )?(?:(?P<steps>#\d+) )?steps (?:ahead |in (?=[,&] |$))?"
_GO = r"(?:go |use |begin )*(?:slightly )?(?:on )?(?:ahead )*"
_UNTIL = r"(?:[,&] )?(?:stop )?until "
_INTO = rf"(?:enter |into |onto |to into |toward |to |reach |through to |{_UNTIL}(?:in |reach |enter |into ))+"
_STRAIGHT = _GO + "(?:, )?"

Groups = Mapping[str, str | None]
Build = Callable[[Groups], Iterator[Frame]]


def _number(digits: str | None, least: int = 1) -> int:
    return max(min(int(digits[1:]), 1000), 0) if digits else least


def _landmarks(found: Groups, name: str = "thing") -> Iterator[Landmark]:
    said = found.get(name)
    if not said:
        return
    nouns = [{"door": DOOR, "stairs": STAIRS}[said]] if said in ("door", "stairs") else map(int, said[5:].split("_"))
    hue = re.search(r"\d+", found.get("hues") or "")
    yield from (Landmark(NOTHING, noun, int(hue[0]) if hue else NOTHING) for noun in nouns)


def _sides(found: Groups, name: str = "side") -> tuple[Side, ...]:
    """The side that is said, or both."""
    return tuple(side for side in _LEFT if found.get(name) in (None, side)) or _LEFT


def _on(found: Groups) -> Side | None:
    on = found.get("on")
    return "left" if on == "left" else "right" if on == "right" else "ahead" if on == "ahead" else None


def _turn(found: Groups) -> Iterator[Frame]:
    amounts = {"slightly": 1, "half": 2, "quarter": 3, "sharp": 4, "nearly": 5, None: TURN}
    degrees = found.get("degrees") or found.get("more_degrees")
    times = found.get("times") or found.get("more_times")
    number = found.get("number") or ""
    if number:  # "left 60", "two to the right"
        degrees, times = (number, None) if _number(number) > MOST else (None, number)
    count = amounts[found.get("amount") or found.get("more_amount")]
    if times:
        count = _number(times)
    elif degrees:
        count = max((2 * _number(degrees) + _DEGREES) // (2 * _DEGREES), 1)
    if count <= MOST:
        yield from (Turn(side, count) for side in reversed(_sides(found)))


def _so_often(found: Groups) -> Iterator[Frame]:
    """As often as a side is said: "left, left"."""
    row, side = found["row"] or "", found["first"]
    yield Turn("left" if side == "left" else "right", row.count(side or ""))


def _glance(found: Groups) -> Iterator[Frame]:
    """A look to a side is a small turn."""
    yield from (Turn(side, 1) for side in _sides(found))


def _by_the_clock(found: Groups) -> Iterator[Frame]:
    hour = _number(found["hour"]) % 12
    if hour:
        yield Turn("right", hour) if hour <= 6 else Turn("left", 12 - hour)


def _around(_: Groups) -> Iterator[Frame]:
    yield from (Turn("right", 6), Turn("left", 6))


def _look(found: Groups) -> Iterator[Frame]:
    times = _number(found.get("times"))
    if times <= MOST:
        yield Look(found["way"] == "up", times)


def _up_or_on(found: Groups) -> Iterator[Frame]:
    """Up, with the eyes or on stairs."""
    yield from (*_look(found), *_first_stairs(found))


def _walk(found: Groups) -> Iterator[Frame]:
    steps = _number(found.get("steps"))
    if 1 <= steps <= MOST:
        yield Walk(steps)


def _walk_often(found: Groups) -> Iterator[Frame]:
    """As often as it is said: "forward, forward"."""
    yield Walk(min((found["row"] or "").count("ahead"), MOST))


def _far(_: Groups) -> Iterator[Frame]:
    yield Walk(FAR)


def _toward(found: Groups) -> Iterator[Frame]:
    steps = _number(found.get("steps") or found.get("more_steps"))
    if 1 <= steps <= MOST:
        yield from (Walk(steps, landmark) for landmark in _landmarks(found))
    if not (found.get("steps") or found.get("more_steps")):
        yield from _reach(found)
    elif 1 <= steps <= MOST:
        yield Walk(steps)


def _face(found: Groups) -> Iterator[Frame]:
    yield from (Face(side, landmark) for landmark in _landmarks(found) for side in _sides(found))


def _face_or_reach(found: Groups) -> Iterator[Frame]:
    """Left to the sofa: as far as it is ahead, or all the way there."""
    yield from (*_face(found), *(Reach(landmark, _sides(found)[0]) for landmark in _landmarks(found)))


def _face_way(found: Groups) -> Iterator[Frame]:
    """A turn to a way out that has no door."""
    yield from (Overlook(side, NOTHING) for side in _sides(found))


def _spot(found: Groups) -> Iterator[Frame]:
    yield from (Spot(side, landmark) for landmark in _landmarks(found) for side in _sides(found))


def _reach(found: Groups) -> Iterator[Frame]:
    side = _on(found)
    for landmark in _landmarks(found):
        if landmark.noun == STAIRS:
            yield from (Reach(landmark, side), Stairs(True), Stairs(False))
        else:
            yield Reach(landmark, side)
        if landmark.noun == DOOR:
            yield from (Through(door, 0, side) for door in (True, False))


def _pass(found: Groups) -> Iterator[Frame]:
    yield from (Pass(landmark, _on(found)) for landmark in _landmarks(found))


def _back(found: Groups) -> Iterator[Frame]:
    yield from (frame(landmark) for frame in (Remember, Reach) for landmark in _landmarks(found))


def _room(name: str | None) -> int:
    return NOTHING if name is None else UNSAID if name == "here room" else int(name[4:])


def _enter(found: Groups) -> Iterator[Frame]:
    yield Enter(_room(found["room"]), side=_on(found))


def _leave(found: Groups) -> Iterator[Frame]:
    into = _room(found.get("room"))
    yield Leave(_room(found["from"]), into, _on(found))
    if into != NOTHING:
        yield Enter(into, side=_on(found))


def _step_out(found: Groups) -> Iterator[Frame]:
    yield Leave(UNSAID, _room(found.get("room")), _on(found))


def _first_noun(name: str | None) -> int:
    return NOTHING if name is None else int(name[5:].split("_")[0])


def _into(found: Groups) -> Iterator[Frame]:
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


def _overlook(found: Groups) -> Iterator[Frame]:
    yield from (Overlook(side, _room(found["room"])) for side in _sides(found))
    if found.get("to"):
        yield Enter(_room(found["room"]))


def _level(_: Groups) -> Iterator[Frame]:
    yield Level()


def _have(found: Groups) -> Iterator[Frame]:
    """Where something is when one is there."""
    if found.get("room"):
        yield Have(None, _room(found["room"]), _on(found))
    else:
        yield from (Have(landmark, NOTHING, _on(found)) for landmark in _landmarks(found))


def _ahead_of(found: Groups) -> Iterator[Frame]:
    yield from (replace(each, side="ahead") for each in _have(found) if isinstance(each, Have))


def _told(found: Groups) -> Iterator[Frame]:
    """Where something is, said to somebody who is to go there, or will find it there."""
    if found.get("room"):
        yield from (Enter(_room(found["room"]), side=_on(found)), *_have(found))
    else:
        yield from (*_reach(found), *_have(found))


def _cross(found: Groups) -> Iterator[Frame]:
    """Along a room, or through it: into it from elsewhere, through it for somebody who is there."""
    room = _room(found["from"])
    if room != UNSAID:
        yield Enter(room)
    yield from (Walk(FAR), Leave(room))


def _through(found: Groups) -> Iterator[Frame]:
    nth, said = int(found.get("nth") or 0), found["door"]
    doors = {"door": (True, False), "gap": (False, True), "way": (False, True)}[said or "way"]
    yield from (Through(door, nth, _on(found)) for door in doors)


def _other_room(found: Groups) -> Iterator[Frame]:
    yield from (Through(door, int(found.get("nth") or 0), _on(found)) for door in (False, True))


def _stairs(found: Groups) -> Iterator[Frame]:
    yield from (Stairs(found["way"] == "up", whole) for whole in (True, False))


def _first_stairs(found: Groups) -> Iterator[Frame]:
    yield from (Stairs(found["way"] == "up", whole) for whole in (False, True))


def _again(found: Groups) -> Iterator[Frame]:
    """Into the room that was named, or to the thing."""
    if found.get("room"):
        yield from (Enter(_room(found["room"])), Have())
    else:
        yield from (*_reach(found), *_other_room(found), Have())


def _stop(_: Groups) -> Iterator[Frame]:
    yield Stop()


_RULES_AS_TEXT: list[tuple[str, Build]] = [
    (r"(?:(?:stop|arrived) (?:there )?(?:[,&] )?)*(?:stop|arrived) (?:there )?", _stop),
    (r"(?P<way>up|down) (?:#1 )?(?:times )?(?=[,&] |$)", _up_or_on),
    (r"(?:look )?(?P<way>up|down) (?:up |down )*(?:slightly )?(?:(?P<times>#\d+) times )?(?:level )?(?=[,&] |$)", _look),
    (r"look (?P<way>up|down) (?:up |down )*(?:slightly )?(?:(?P<times>#\d+) times )?(?:level )?", _look),
    (r"(?:look |go |turn |back |to )*level ", _level),
    # Turning.
    (rf"(?:go )?look (?:to )?{_SIDE}(?:near {_ANY})?", _glance),
    (
        rf"(?:turn |go |look |use |face )*(?:{_AMOUNT})?(?:turn )?(?:around )?(?:to )?{_SIDE}(?:turn )?{_LATER}",
        _turn,
    ),
    (rf"(?:turn |go |look |use )*(?:by )?(?P<number>#\d+) (?:turn |times )?(?:around )?(?:to )?{_SIDE}(?:turn )?", _turn),
    (rf"(?:turn |go |look |use )*(?:to )?{_SIDE}(?:turn )?(?:, )?(?:by )?(?P<number>#\d+) (?:turn )?(?=[,&] |$)", _turn),
    (rf"(?:turn |go |look |use )*(?:to )?{_SIDE}(?:turn )?(?:, )?(?:by )?(?P<number>#\d+) turn ", _turn),
    (rf"turn {_AMOUNT}to {_SIDE}", _turn),
    (rf"turn nearly to {_SIDE}", _turn),
    (
        rf"(?:turn |go |look |face )*(?:{_SIDE})?(?:to |near |toward |around )*(?P<hour>#\d+) oclock ",
        _by_the_clock,
    ),
    (rf"turn {_UNTIL}{_THING}behind ", _around),
    (r"(?:turn |go )+(?:back )?around (?:to )?(?:behind )?|turn (?:#180 degrees |half (?:turn )?)|half turn ", _around),
    (rf"(?:turn |look )?(?:to )?{_SIDE}(?:[,&] )?(?:{_UNTIL})?(?:to )?face {_THING}", _face),
    (rf"(?:turn |look )?(?:to )?{_SIDE}{_UNTIL}(?:see )?{_THING}(?:on )?ahead ", _face),
    (rf"(?:turn )?(?:to )?{_SIDE}(?:to|toward) {_THING}", _face_or_reach),
    (
        rf"(?:turn |look |go )*(?:to )?(?:{_SIDE})?(?:{_UNTIL})?(?:to )?(?:face|see|find) (?:into )?(?P<door>gap|way) ",
        _face_way,
    ),
    (rf"(?:turn |look )+(?:to )?(?:{_SIDE})?{_UNTIL}(?P<door>gap|way) (?:(?:on )?ahead |appears )", _face_way),
    (rf"(?:turn )?(?:to )?face {_THING}(?:(?:on|to) {_SIDE})?", _face),
    (rf"turn (?:to|toward) {_THING}(?:on {_SIDE})?", _face),
    (rf"(?:go |put )?{_THING}(?:on {_SIDE})?(?:on )?ahead of ", _face),
    (rf"(?:go|put) {_THING}(?:on {_SIDE})?(?:on )?ahead ", _face),
    (rf"turn {_UNTIL}(?:face {_THING}|{_THING.replace('<', '<other_')}(?:on )?ahead )", _face),
    (
        rf"(?:turn |look )?(?:to )?{_SIDE}(?:[,&] )?(?:{_UNTIL}see |{_UNTIL}find |, will see ){_THING}(?:through {_ANY})?",
        _spot,
    ),
    (rf"(?:turn |look )?(?:to )?{_SIDE}(?:[,&] )?{_UNTIL}{_THING}appears ", _spot),
    (rf"(?:turn|look) (?:to )?{_SIDE}(?:to )?(?:find|see) {_THING}", _spot),
    (rf"look {_SIDE}{_THING}", _spot),
    (rf"find {_THING}by turn {_SIDE}", _spot),
    (rf"turn {_UNTIL}(?:see |find ){_THING}", _spot),
    (rf"turn {_UNTIL}{_THING}appears ", _spot),
    (r"(?P<row>(?P<first>left|right) (?:[,&] (?P=first) )+)", _so_often),
    # So far that one sees something, which is said too.
    (rf"(?:turn |go |look )*{_AMOUNT}(?:turn )?(?:to )?{_SIDE}(?:, )?{_AT}", _turn),
    (rf"(?:turn |go |look )*(?:to )?{_SIDE}(?:turn )?(?:, )?{_AMOUNT}(?:, )?{_AT}", _turn),
    # Turning to what lies behind a door, past other things, until something is so.
    (rf"(?:turn |go |look )*(?:to )?{_SIDE}{_BY}", _turn),
    (rf"(?:turn |go |look )*(?:to )?{_SIDE}{_BY}(?:to |toward )+(?:out |into |through )?{_THING}{_MORE}", _face_or_reach),
    (
        rf"(?:turn |go |look )*(?:to )?{_SIDE}{_BY}(?:(?:[,&] )?{_UNTIL})?(?:to |see |face |find |toward )+"
        rf"(?:out |into |through )?{_THING}{_MORE}",
        _face,
    ),
    (
        rf"(?:turn |look )+(?:to )?(?:{_SIDE})?{_BY}(?:[,&] )?(?:{_UNTIL})(?:to |see |face |find |toward |into )*"
        rf"{_ROOM}{_MORE}",
        _overlook,
    ),
    (rf"(?:turn |look )+(?:to )?{_SIDE}{_BY}(?:[,&] )?(?P<to>to |toward )(?:into )?{_ROOM}{_MORE}", _overlook),
    (rf"(?:turn |look )+(?:to |toward |into )+{_ROOM}(?:(?:on|to) {_SIDE})?", _overlook),
    (rf"(?:turn )?(?:to )?face {_ROOM}(?:(?:on|to) {_SIDE})?", _overlook),
    (rf"(?:turn )?(?:to )?face {_THING}{_MORE}(?:(?:on|to) {_SIDE})?", _face),
    (rf"{_UNTIL}(?:see |find |put |go )*(?:{_THING}|{_ROOM}){_MORE}(?:appears )?", _have),
    (rf"{_UNTIL}(?:see |find |put )*(?:{_THING}|{_ROOM}){_MORE}{_ON}(?:of )?", _have),
    (rf"{_UNTIL}(?:to )?face (?:{_THING}|{_ROOM}){_MORE}", _ahead_of),
    (rf"(?:, )?(?:will )?see (?:{_THING}|{_ROOM}){_MORE}{_PLACE}", _have),
    (rf"(?:, )?will see (?:{_THING}|{_ROOM}){_MORE}{_PLACE}", _have),
    (rf"(?:, )?where (?:see )?(?:{_THING}|{_ROOM}){_MORE}(?:appears |{_ON})?", _have),
    (rf"{_UNTIL}(?:see |find |face )*here room (?:with|near) {_THING}(?:appears )?", _have),
    (rf"find (?:{_THING}|{_ROOM}){_MORE}{_PLACE}", _told),
    (rf"(?:{_THING}|{_ROOM}){_MORE}(?:willbe |& ){_ON}", _have),
    (rf"(?:{_THING}|{_ROOM}){_MORE}{_ON}", _told),
    (rf"(?:on|to) (?P<on>left|right|ahead) (?:will )?(?:see |find )(?:{_THING}|{_ROOM}){_MORE}", _told),
    (rf"on (?P<on>left|right|ahead) (?:see )?(?:{_THING}|{_ROOM}){_MORE}", _told),
    (rf"use {_NTH}{_DOOR}{_PLACE}{_MORE}", _through),
    # Walking.
    (rf"{_STRAIGHT}{_STEPS}", _walk),
    (r"(?:go )+(?P<steps>#\d+) (?=[,&] |$|to |toward )", _walk),
    (r"(?P<row>ahead (?:[,&] ahead )+)(?=[,&] |$)", _walk_often),
    (r"(?:go )*(?P<steps>#\d+) (?:times )?ahead |(?:go )*ahead (?P<other_steps>#\d+) (?:times |(?=[,&] |$))", _walk),
    (rf"{_GO}(?:up|down) (?:stairs )?{_STEPS}", _walk),
    (rf"{_GO}(?:to|near|reach) it , {_STEPS}", _walk),
    (r"(?:go )+(?:ahead )*|(?:ahead )+", _walk),
    (rf"(?:go )?(?:ahead )*(?:{_UNTIL}|to |down |along )*(?:near )?end (?:{_FROM})?", _far),
    (rf"{_STRAIGHT}{_STEPS}(?:to|near) {_THING}{_MORE}", _toward),
    (rf"{_STRAIGHT}{_STEPS}(?:past|along) {_ANY}", _walk),
    (rf"{_STRAIGHT}(?:{_STEPS})?toward {_THING}(?:(?:[,&] )?{_STEPS.replace('<', '<more_')})?", _toward),
    (rf"{_GO}(?:through |along )?(?:to |toward |near |reach |onto )+{_THING}{_PLACE}{_MORE}", _reach),
    (rf"{_GO}{_UNTIL}(?:reach |near |to |see ){_THING}{_PLACE}{_MORE}", _reach),
    (rf"(?:go )+(?:ahead )*{_UNTIL}{_THING}{_MORE}(?!(?:on|to|near|past|behind|appears|in) )", _reach),
    (rf"{_GO}into {_THING}", _reach),
    (rf"(?:see|find) {_THING}{_PLACE}[,&] (?:go )+(?:to |near )?(?:there|it) ", _reach),
    (rf"{_ON}(?:see )?{_THING}[,&] (?:go )+(?:to |near )?(?:there|it) ", _reach),
    (rf"(?:use )?{_THING}{_ON}", _reach),
    (rf"(?:use )?{_THING}", _reach),
    (rf"{_STRAIGHT}(?:past|around) {_THING}{_MORE}{_PLACE}", _pass),
    (rf"{_GO}{_UNTIL}(?:past {_THING}|{_THING.replace('<', '<other_')}(?:past |behind ))(?:[,&] arrived )?", _pass),
    (rf"(?:leave|put) {_THING}behind ", _pass),
    (rf"(?:put )?{_THING}past (?:by )?{_PLACE}", _pass),
    (rf"(?:go |put |with )+{_THING}(?:on|to) {_SIDE}", _pass),
    (rf"{_GO}between {_THING}(?:[,&] thing[\d_]+ )?", _pass),
    (rf"(?:put )?{_THING}go by {_PLACE}", _pass),
    (rf"(?:remember {_THING}[,&] )(?:go )*back (?:to )?(?:there|it) ", _back),
    (rf"(?:go |turn )*back (?:around )?(?:to |toward )?(?:saw )?{_THING}(?:saw )?", _back),
    (rf"{_GO}(?:to |near |reach |until )+{_THING}saw ", _back),
    # Rooms, doors and stairs.
    (rf"{_GO}(?:(?:through|use|to|toward|into|enter|near|reach) )*{_NTH}{_DOOR}{_PLACE}(?:to|into|in) {_ROOM}", _enter),
    (
        rf"(?:use )?{_STRAIGHT}{_INTO}{_ROOM}{_PLACE}",
        _enter,
    ),
    (rf"(?:use )?{_ROOM}(?:use )?", _enter),
    (rf"{_GO}(?:back )(?:to |into |in ){_ROOM}", _enter),
    (rf"(?:use )?{_STRAIGHT}(?:{_STEPS})?{_INTO}{_ROOM}{_HOLDING}(?:on (?:left|right|ahead) )?(?:#1 steps )?", _into),
    (rf"{_GO}{_INTO}here room {_HOLDING}(?:on (?:left|right|ahead) )?", _into),
    (rf"{_GO}(?:out|leave|through)(?: out)? (?:into |to |enter )+{_ROOM}{_MORE}", _step_out),
    (rf"{_GO}(?:out|leave) {_PLACE}", _step_out),
    (rf"{_GO}(?:leave|out|(?:out )?from|{_UNTIL}(?:out|leave)) {_FROM}(?:in )?{_PLACE}", _leave),
    (rf"{_GO}(?:leave|out) (?P<from>room\d+) (?:through |by |near |use )+{_NTH}{_DOOR}{_PLACE}", _leave),
    (rf"{_GO}(?:leave|out|from) {_FROM}(?:[,&] )?(?:{_GO})(?:enter |into |to |in )+{_ROOM}{_PLACE}", _leave),
    (rf"leave {_FROM}{_ROOM}{_PLACE}", _leave),
    (rf"{_GO}(?:through|along|down|past) {_FROM}", _cross),
    (rf"{_GO}(?:(?:through|use|to|toward|into|enter|near|reach|past|out|by) )+{_NTH}{_DOOR}{_PLACE}{_MORE}", _through),
    (rf"{_STRAIGHT}through {_NTH}{_DOOR}{_PLACE}{_MORE}", _through),
    (rf"{_GO}(?:leave|out) (?:here room )?(?:through|by|near) {_NTH}{_DOOR}{_PLACE}", _through),
    (rf"(?:use )?{_NTH}{_DOOR}{_PLACE}{_MORE}", _through),
    (rf"(?:find|see) {_NTH}{_DOOR}{_PLACE}[,&] (?:go )+(?:through |to |into )?(?:it|there) ", _through),
    (rf"{_ON}{_NTH}{_DOOR}[,&] (?:go )+(?:through |to |into )?(?:it|there) ", _through),
    (rf"{_GO}(?:enter|into|to|through|toward) {_NTH}here room {_ON}", _other_room),
    (rf"{_GO}(?:enter|into) {_NTH}(?:here room )?", _other_room),
    (r"(?:go )+through (?=[,&] |$)", _other_room),
    (r"(?:go |turn |use )*nth(?P<nth>[123]) (?P<on>left|right) ", _other_room),
    (r"begin (?:to )?(?:go )*(?P<way>up|down) stairs ", _first_stairs),
    (rf"{_GO}(?P<way>up|down) (?:to )?(?:nth1 |half |#1 |slightly )+stairs ", _first_stairs),
    (rf"{_GO}half (?P<way>up|down) (?:to )?stairs ", _first_stairs),
    (rf"{_GO}(?P<way>up|down) (?:rest |(?:{_UNTIL}|to )?end )(?:stairs )?", _stairs),
    (rf"{_GO}(?P<way>up|down) it ", _stairs),
    (rf"{_GO}onto stairs (?:[,&] )?(?:go )*(?P<way>up|down) ", _first_stairs),
    (rf"{_GO}(?P<way>up|down) (?:to )?stairs (?:{_UNTIL}|to )?(?:end )?", _stairs),
    (rf"{_GO}(?:to )?stairs (?P<way>up|down) (?:end )?", _stairs),
    (r"(?:go |use )+(?P<way>up|down) (?=[,&] |$)", _stairs),
]
"""Signs → frames. Of rules that take equally many signs the first one counts."""

_THE_OTHER = re.compile("other_")
_RULES = [(re.compile(text), build) for text, build in _RULES_AS_TEXT]
_ABOUT_IT = [
    (re.compile(rf"{_GO}(?:to |near |reach )it |{_GO}{_UNTIL}(?:reach |near )it |(?:go )+there "), _reach),
    (re.compile(rf"{_GO}(?:enter |into )+(?:it )?|(?:go )+(?:in |there )|{_GO}(?:through |out )+it "), _again),
    (re.compile(rf"{_GO}(?:past |around )+it |(?:put|leave) it behind |{_GO}{_UNTIL}it (?:past |behind )"), _pass),
    (re.compile(rf"{_GO}(?:{_STEPS})?toward it (?:(?:[,&] )?{_STEPS.replace('<', '<more_')})?"), _toward),
    (re.compile(rf"turn (?:to )?{_SIDE}(?:to |toward |face |{_UNTIL}face )it |face it "), _face),
    (re.compile(rf"turn (?:to )?(?:{_SIDE})?{_UNTIL}(?:see |face )it (?:(?:on )?ahead )?"), _face),
]
"""The same where something was named before."""
_ABOUT_SOMETHING = [(re.compile(rf"{_GO}(?:to |near |reach |through |toward |past |into |along )+it "), _walk)]
"""And where nothing was."""


def parse(text: str) -> Parsed:
    """What a text says is to be done."""
    if not text.strip():
        return Parsed((), (), "nothing was said")
    row = _joined(_compounds(signs(text)))
    clauses, strange = _clauses(row)
    parts = _parts(clauses, strange, len(text))
    return Parsed(tuple(clauses), parts, _why(text, clauses, parts))


def _why(text: str, clauses: Sequence[Clause], parts: Sequence[Part]) -> str | None:
    if not any(each.isalpha() and each.isascii() for each in text):
        return "there is no word in it that could be read; say for example: turn left, go to the sofa"
    if not clauses:
        return "nothing in it says where to go; say for example: turn left, go to the sofa"
    if len(text) > LONGEST:
        return f"it is too long: only the first {LONGEST} characters were read"
    if not all(good for _, _, good in parts):
        return "not all of it was understood"
    return None


def _compounds(row: Sequence[Sign]) -> list[Sign]:
    """The door of a room, and the hall door, as the room: it is the way there. A picture of flowers is a picture."""
    kept: list[Sign] = []
    for each in row:
        before = kept[-1] if kept else Sign("", 0, 0)
        if each.sign in _DOORS and before.sign.startswith("room"):
            kept[-1] = Sign(before.sign, before.start, each.end)
        elif each.sign.startswith("room") and before.sign in _DOORS:
            kept[-1] = Sign(each.sign, before.start, each.end)
        elif not (each.sign.startswith("thing") and before.sign.startswith("thing")):
            kept.append(each)
    return kept


_DOORS = {"door", "gap", "way"}


def _joined(row: Sequence[Sign]) -> list[Sign]:
    """Commas and what else parts clauses one at a time: a comma with a "then" is a "then"."""
    kept: list[Sign] = []
    for each in row:
        if not (each.sign in _PAUSES and kept and kept[-1].sign in _PAUSES):
            kept.append(each)
        elif each.sign == "&":
            kept[-1] = each
    return kept


def _clauses(row: Sequence[Sign]) -> tuple[list[Clause], list[Sign]]:
    """The clauses of a row of signs, and the signs that belong to none."""
    text = "".join(f"{each.sign} " for each in row)
    place = [0]  # where each sign begins in it
    for each in row:
        place.append(place[-1] + len(each.sign) + 1)
    index = {where: i for i, where in enumerate(place)}
    clauses: list[Clause] = []
    strange: list[Sign] = []
    named: Mapping[str, str | None] = {}
    at, stopping = 0, -1
    while at < len(row):
        if row[at].sign in _PAUSES:
            at += 1
            continue
        before = row[at - 1].sign if at and row[at - 1].sign in _PAUSES else ""
        if _STOP_AT.match(text, place[at]):
            stopping, at = len(clauses), at + 1
        if row[at].sign == "not":
            end = next((i for i in range(at, len(row)) if row[i].sign in _PAUSES), len(row))
            strange += row[at:end]
            at = end
            continue
        aside = _ASIDE.match(text, place[at])
        frames, after, named, again, vague = _longest(text, place[at], named)
        if aside is not None and aside.end() >= after and stopping < len(clauses):
            at = index[aside.end()]
            continue
        end = index[after]
        if frames and len(clauses) < _MOST_CLAUSES:
            start = max(row[at].start, clauses[-1].end if clauses else 0)  # signs of one phrase may be of two clauses
            clauses.append(Clause(frames, start, max(row[end - 1].end, start), again, vague, before))
        elif row[at].sign not in _SOFT:
            strange.append(row[at])
        at = max(end, at + 1)
    if 0 <= stopping == len(clauses) - 1:
        clauses.append(Clause((Stop(),), clauses[-1].end, clauses[-1].end))
    return clauses, strange


_STOP_AT = re.compile(rf"stop (?:near|by|to|reach|in|on|behind|between|{_UNTIL}(?:reach|near|to)) {_ANY}")
"""Where one stops, which is said after it."""


_ASIDE = re.compile(
    rf"(?:with|behind|under|between|near|by|in) {_ANY}(?:[,&] {_ANY}(?=[,&] |$))?|(?:near|by|with|on|to) stuff "
    r"|(?:go |put |with )+stuff on (?:left|right) "
    r"|from (?:slightly |around )?(?:hue\d+ )*(?:thing[\d_]+|stuff|door|it|stairs) "
)
"""What only tells more of something."""
_SOFT = {
    "stuff",
    ",",
    "&",
    "nth1",
    "will",
    "on",
    "to",
    "until",
    "with",
    "it",
    "there",
    "#1",
    "in",
    "by",
    "begin",
    "arrived",
    "end",
    "willbe",
    "where",
    "see",
}
"""Signs that nobody misses."""
_PAUSES = {",", "&"}


def _longest(text: str, at: int, named: Groups) -> tuple[tuple[Frame, ...], int, Groups, bool, bool]:
    """The frames of the rule that takes the most from a place on; the place after it, and what was named last."""
    best: tuple[tuple[Frame, ...], int, Groups, bool, bool] = ((), at, named, False, False)
    for again, rules in ((False, _RULES), (True, _ABOUT_IT if named else _ABOUT_SOMETHING)):
        for rule, build in rules:
            match = rule.match(text, at)
            if match is None or match.end() < best[1] or (match.end() == best[1] and build is not _again):
                continue
            found = {_THE_OTHER.sub("", name): value for name, value in match.groupdict().items() if value is not None}
            groups = _Groups({**named, **found} if again else found)
            frames = tuple(dict.fromkeys(build(groups)))
            if frames:
                thing, room = found.get("thing") or found.get("at"), found.get("room")
                names = {"thing": thing, "hues": found.get("hues"), "room": room} if thing or room else named
                unsaid = (build in (_turn, _glance) and not _AMOUNTS & set(found)) or (
                    build is _walk and "steps" not in found
                )
                best = frames, match.end(), names, again, unsaid
    return best


_AMOUNTS = {"number", "degrees", "amount", "times", "more_degrees", "more_amount", "more_times"}


class _Groups(dict[str, str | None]):
    """What a rule has found; nothing where it has not."""

    def __missing__(self, _: str) -> None:
        return None


def _parts(clauses: Sequence[Clause], strange: Sequence[Sign], size: int) -> tuple[Part, ...]:
    """Stretches of the text in order, those that are strange and next to each other as one; what is too long is strange."""
    known = [(each.start, each.end, True) for each in clauses if each.start < each.end]
    apart = [each for each in strange if all(each.end <= start or each.start >= end for start, end, _ in known)]
    told = sorted([*known, *((each.start, each.end, False) for each in apart)])
    if size > LONGEST:
        told.append((LONGEST, size, False))
    parts: list[Part] = []
    for start, end, good in told:
        if parts and not good and not parts[-1][2]:
            parts[-1] = (parts[-1][0], end, False)
        else:
            parts.append((start, end, good))
    return tuple(parts)

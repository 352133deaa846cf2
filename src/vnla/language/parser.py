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


Groups = Mapping[str, str | None]
Build = Callable[[Groups], Iterator[Frame]]

_BUILDERS: dict[str, Build] = {}
"""What makes frames of a rule's groups, by the name that `data/rules.txt` has for it."""


def _builder(build: Build) -> Build:
    _BUILDERS[build.__name__[1:]] = build
    return build


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


@_builder
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
    hour = _number(found["hour"]) % 12
    if hour:
        yield Turn("right", hour) if hour <= 6 else Turn("left", 12 - hour)


@_builder
def _around(_: Groups) -> Iterator[Frame]:
    yield from (Turn("right", 6), Turn("left", 6))


@_builder
def _look(found: Groups) -> Iterator[Frame]:
    times = _number(found.get("times"))
    if times <= MOST:
        yield Look(found["way"] == "up", times)


@_builder
def _up_or_on(found: Groups) -> Iterator[Frame]:
    """Up, with the eyes or on stairs."""
    yield from (*_look(found), *_first_stairs(found))


@_builder
def _walk(found: Groups) -> Iterator[Frame]:
    steps = _number(found.get("steps"))
    if 1 <= steps <= MOST:
        yield Walk(steps)


@_builder
def _walk_often(found: Groups) -> Iterator[Frame]:
    """As often as it is said: "forward, forward"."""
    yield Walk(min((found["row"] or "").count("ahead"), MOST))


@_builder
def _far(_: Groups) -> Iterator[Frame]:
    yield Walk(FAR)


@_builder
def _toward(found: Groups) -> Iterator[Frame]:
    steps = _number(found.get("steps") or found.get("more_steps"))
    if 1 <= steps <= MOST:
        yield from (Walk(steps, landmark) for landmark in _landmarks(found))
    if not (found.get("steps") or found.get("more_steps")):
        yield from _reach(found)
    elif 1 <= steps <= MOST:
        yield Walk(steps)


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
_THE_OTHER = re.compile("other_")


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
        if rules().stop_at.match(text, place[at]):
            stopping, at = len(clauses), at + 1
        if row[at].sign == "not":
            end = next((i for i in range(at, len(row)) if row[i].sign in _PAUSES), len(row))
            strange += row[at:end]
            at = end
            continue
        aside = rules().aside.match(text, place[at])
        frames, after, named, again, vague = _longest(text, place[at], named)
        if aside is not None and aside.end() >= after and stopping < len(clauses):
            at = index[aside.end()]
            continue
        end = index[after]
        if frames and len(clauses) < _MOST_CLAUSES:
            start = max(row[at].start, clauses[-1].end if clauses else 0)  # signs of one phrase may be of two clauses
            clauses.append(Clause(frames, start, max(row[end - 1].end, start), again, vague, before))
        elif row[at].sign not in rules().soft:
            strange.append(row[at])
        at = max(end, at + 1)
    if 0 <= stopping == len(clauses) - 1:
        clauses.append(Clause((StopFrame(),), clauses[-1].end, clauses[-1].end))
    return clauses, strange


_PAUSES = {",", "&"}


def _longest(text: str, at: int, named: Groups) -> tuple[tuple[Frame, ...], int, Groups, bool, bool]:
    """The frames of the rule that takes the most from a place on; the place after it, and what was named last."""
    best: tuple[tuple[Frame, ...], int, Groups, bool, bool] = ((), at, named, False, False)
    for again, some in ((False, rules().always), (True, rules().named if named else rules().unnamed)):
        for pattern, build in some:
            match = pattern.match(text, at)
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

"""Clauses: what one stretch of tokens says is to be done, by the grammar of `data/clauses.ebnf`, as frames of a house.

A production has several forms; the form that takes the most tokens counts. What it found becomes one frame or several,
the likeliest first: landmarks have a noun but no thing yet, since which one is meant is seen at a pose. The grammar
is not recursive, so each form is compiled into one regular expression.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import count, product
from typing import NamedTuple, get_args

from vnla.language import word_lists
from vnla.language.frames import Frame, Landmark
from vnla.language.surroundings import Side
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
_METRES = {"metres": 1.0, "feet": 0.3048}
_AMOUNTS = {"slightly": 1, "half": 2, "quarter": 3, "sharp": 4, "nearly": 5}
_SIDES: tuple[Side, ...] = ("left", "right")


class Remark(str):
    """What somebody should be told about a clause, though it may be understood."""

    __slots__ = ()


Groups = Mapping[str, str | None]


def _number(digits: str | None) -> float:
    return min(float(digits[1:]), 1000.0) if digits else 1.0


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


def _turns(found: Groups, what: str = "turns", usual: int = TURN) -> Iterator[int | Remark]:
    """How often to turn, or to look; of "left 60" and "two to the right" the number tells which is meant."""
    degrees, times, number = found["degrees"], found["times"], found["number"]
    if times or (number and _number(number) <= MOST):
        yield from _count(times or number, what)
    elif degrees or number:
        yield from _turns_of(_number(degrees or number))
    else:
        yield _AMOUNTS.get(found["amount"] or "", usual)


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


def _metres(found: Groups) -> float:
    """How many metres are said; none where steps are counted."""
    return _number(found["steps"]) * _METRES.get(found["unit"] or "", 0.0) if found["steps"] else 0.0


def _steps(found: Groups) -> Iterator[int | Remark]:
    """So many steps, or as many as some metres are."""
    if metres := _metres(found):
        yield max(round(metres / STEP_LENGTH), 1)
    else:
        yield from _count(found["steps"], found["unit"] or "steps")


def _landmarks(found: Groups) -> Iterator[Landmark]:
    """The things that a name may mean: one, or several alike."""
    thing, hue = found["thing"], re.search(r"\d+", found["hues"] or "")
    special = {"door": (DOOR,), "stairs": (STAIRS,), None: ()}
    nouns = special[thing] if thing is None or thing in special else map(int, thing[5:].split("_"))
    yield from (Landmark(NOTHING, noun, int(hue[0]) if hue else NOTHING) for noun in nouns)


def _sides(found: Groups) -> tuple[Side, ...]:
    """The side that is said, or both."""
    return tuple(side for side in _SIDES if found["side"] in (None, side))


def _hour(found: Groups) -> int:
    return int(_number(found["hour"])) % 12


def _room(name: str | None) -> int:
    return NOTHING if name is None else UNSAID if name == "here room" else int(name[4:])


def _holding(found: Groups) -> int:
    return int(found["holding"][5:].split("_")[0]) if found["holding"] else NOTHING


_SLOTS: dict[str, Callable[[Groups], Iterable[object]]] = {
    "side": _sides,
    "round": lambda found: reversed(_sides(found)),
    "on": lambda found: (found["on"],),
    "ahead": lambda _: ("ahead",),
    "turns": _turns,
    "looks": partial(_turns, what="looks", usual=1),
    "clockwise": lambda found: ("right" if _hour(found) <= 6 else "left",),
    "hours": lambda found: (min(_hour(found), 12 - _hour(found)),) if _hour(found) else (),
    "first": lambda found: (found["first"],),
    "often": lambda found: (min((found["row"] or "").count(found["first"] or ""), MOST),),
    "steps": _steps,
    "counted": lambda found: _steps(found) if found["steps"] else (),
    "metres": lambda found: (_metres(found),),
    "thing": _landmarks,
    "uncounted": lambda found: () if found["steps"] else _landmarks(found),
    "none": lambda _: (None,),
    "nothing": lambda _: (NOTHING,),
    "here": lambda _: (UNSAID,),
    "room": lambda found: (_room(found["room"]),) if found["room"] else (),
    "into": lambda found: (_room(found["room"]),),
    "from": lambda found: (_room(found["from"]),),
    "another": lambda found: () if found["from"] == "here room" else (_room(found["from"]),),
    "holding": lambda found: (_holding(found),),
    "held": lambda found: (_holding(found),) if found["holding"] and not found["room"] else (),
    "nth": lambda found: (int((found["nth"] or "nth0")[3:]),),
    "way": lambda found: (True, False) if found["door"] == "door" else (False, True),
    "elsewhere": lambda found: () if found["room"] or found["holding"] else (False, True),
    "doors": lambda found: (True, False) if found["thing"] == "door" else (),
    "stairs": lambda found: (True, False) if found["thing"] == "stairs" else (),
    "up": lambda found: (found["way"] == "up",),
    "whole": lambda _: (True, False),
    "part": lambda _: (False, True),
}
"""What may stand for each word after the name of a frame, in a production."""
_FRAMES = {each.__name__: each for each in get_args(Frame)}


def _made(name: str, found: Groups) -> Iterator[Frame | Remark]:
    """The frames that a production makes: of each alternative all that its words may stand for."""
    for each in clause_grammar().frames[name].split(" | "):
        head, *slots = each.split()
        if head not in _FRAMES:
            yield from _made(head, found)
            continue
        values = ([int(slot)] if slot.isdigit() else _SLOTS[slot](found) for slot in reversed(slots))
        for chosen in product(*values):
            yield next((value for value in chosen if isinstance(value, Remark)), None) or _FRAMES[head](*reversed(chosen))


class ClauseForm(NamedTuple):
    """What a clause may look like, and the production whose frames it makes."""

    pattern: re.Pattern[str]
    production: str


class ClauseGrammar(NamedTuple):
    """The grammar of `data/clauses.ebnf`."""

    frames: Mapping[str, str]
    """What each production makes."""
    always: tuple[ClauseForm, ...]
    named: tuple[ClauseForm, ...]
    """Forms of sentences in which something was named before."""
    unnamed: tuple[ClauseForm, ...]
    stop_at: re.Pattern[str]
    """Where one stops, which is said after it."""
    aside: re.Pattern[str]
    """What only tells more of something."""
    soft: frozenset[str]
    """Tokens that nobody misses."""


@cache
def clause_grammar() -> ClauseGrammar:
    """The grammar, compiled when something is first parsed."""
    sections = word_lists.sections("clauses.ebnf")
    parts = dict(line.split(" = ", 1) for line in sections["parts"])
    frames: dict[str, str] = {}

    def forms(section: str) -> Iterator[ClauseForm]:
        for line in sections[section]:
            head, *looks = line.split(" : ")
            production, _, made = head.partition(" -> ")
            frames.setdefault(production, made)
            yield from (ClauseForm(compiled(look, parts), production) for look in looks)

    always, named, unnamed = (
        tuple(forms(f"clauses{where}"))
        for where in ("", " where something was named before", " where nothing was named before")
    )
    soft = frozenset(" ".join(sections["tokens that nobody misses"]).split())
    return ClauseGrammar(frames, always, named, unnamed, compiled("STOP_AT", parts), compiled("ASIDE", parts), soft)


_NOTATION = re.compile(
    r"/(?P<regex>.+?)/|(?:(?P<slot>[a-z]+):)?(?:(?P<opens>\()|(?P<name>[\w#,&]+))|(?P<ahead>[?!])\(|(?P<mark>[][)|*+])| "
)
_MARKS = {"[": "(?:", "]": ")?"}


def compiled(form: str, parts: Mapping[str, str]) -> re.Pattern[str]:
    """A form in the notation of `data/clauses.ebnf` as a regular expression over tokens, each with a space after it."""
    number = count()  # groups of a regular expression need names of their own

    def translated(found: re.Match[str]) -> str:
        regex, slot, opens, name, ahead, mark = found.groups()
        group = f"(?P<{slot}_{next(number)}>" if slot else "(?:"
        if opens:
            return group
        if name:
            return f"{group}{_NOTATION.sub(translated, parts[name]) if name.isupper() else f'{re.escape(name)} '})"
        if ahead:
            return "(?=" if ahead == "?" else "(?!"
        return regex or _MARKS.get(mark, mark or "")

    return re.compile(_NOTATION.sub(translated, form))


class ClauseMatch(NamedTuple):
    """What the grammar makes of the tokens from a place on."""

    frames: tuple[Frame, ...]
    end: int
    named: Groups
    """What was named last, here or before."""
    again: bool = False
    vague: bool = False
    notes: tuple[Remark, ...] = ()


def longest(text: str, at: int, named: Groups) -> ClauseMatch:
    """The frames of the form that takes the most from a place on."""
    best = ClauseMatch((), at, named)
    grammar = clause_grammar()
    for again, forms in ((False, grammar.always), (True, grammar.named if named else grammar.unnamed)):
        for pattern, production in forms:
            match = pattern.match(text, at)
            if match is None or match.end() < best.end or (match.end() == best.end and production != "again"):
                continue
            found = {slot[: slot.rindex("_")]: said.rstrip() for slot, said in match.groupdict().items() if said is not None}
            made = tuple(dict.fromkeys(_made(production, defaultdict(lambda: None, {**named, **found} if again else found))))
            if made:
                frames = tuple(each for each in made if not isinstance(each, Remark))
                notes = tuple(each for each in made if isinstance(each, Remark))
                thing, room = found.get("thing") or found.get("at"), found.get("room")
                names = {"thing": thing, "hues": found.get("hues"), "room": room} if thing or room else named
                vague = production in ("turn", "glance", "walk") and _HOW_FAR.isdisjoint(found)
                best = ClauseMatch(frames, match.end(), names, again, vague, notes)
    return best


_HOW_FAR = {"number", "degrees", "amount", "times", "steps"}

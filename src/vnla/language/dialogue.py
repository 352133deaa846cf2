"""A question back: whoever was told what may mean two things asks which, and the answer chooses.

    question = ask_back(readings("go through the door", around, pose, step), around, pose, Asking())
    str(question)                               # "the one on the left, or the one behind you?"
    choice_of("the left one", question)         # 0

A sentence is asked about where readings of it end at different poses and cost nearly the same. What tells them apart is
said in words: the thing that is meant, else where the way begins or ends, else the actions. What a question costs is a rule
of the episode (`vnla.episode.request`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from vnla.assistance.phrases import until_stop
from vnla.camera import VIEWS
from vnla.common.outside import check_fields
from vnla.language.frames import Landmark
from vnla.language.grounding import TakenWay
from vnla.language.parser import parse
from vnla.language.readings import with_sides
from vnla.language.surroundings import DOOR_AHEAD, Surroundings, turned
from vnla.language.things import HUES, NOTHING, ROOMS
from vnla.language.wording import plain_words
from vnla.world.actions import Nav

NO_MORE = "nothing more"
MOST_CHOICES = 4
_BEHIND = 120.0  # degrees to a side from which people say behind
_ORDINALS = ({"first", "former", "1"}, {"second", "latter", "2"}, {"third", "3"}, {"fourth", "last", "4"})
_SIDES = {Nav.LEFT: "left", Nav.RIGHT: "right"}
_WORD = re.compile(r"[a-z]+|[0-9]+")
_FILLERS = frozenset(_WORD.findall("a an and at go i in is it mean of on or please that the then to turn which you your"))


@dataclass(frozen=True)
class Asking:
    """When a question is asked back, and what it costs."""

    price: int = 1
    """Requests that a question costs besides the one that was answered."""
    margin: float = 0.3
    """A question is asked about readings that cost no more than this above the cheapest."""

    def __post_init__(self) -> None:
        check_fields(self, price=(0, 100), margin=(0, 100))


@dataclass(frozen=True)
class QuestionBack:
    """Readings of a sentence, the cheapest first, and what tells them apart in words."""

    readings: tuple[TakenWay, ...]
    choices: tuple[str, ...]

    def __str__(self) -> str:
        return f"{', '.join(self.choices[:-1])}, or {self.choices[-1]}?"

    def right(self, plan: Sequence[Nav], end: int) -> int | None:
        """Which of them leads where a plan ends; None where none does."""
        stops = Nav.STOP in until_stop(plan)
        found = (i for i, each in enumerate(self.readings) if each.pose == end and (Nav.STOP in each.plan) == stops)
        return next(found, None)


def ask_back(found: Sequence[TakenWay], around: Surroundings, pose: int, asking: Asking) -> QuestionBack | None:
    """Return what to ask somebody whose sentence has these readings, the cheapest first, for an agent at a pose; None where
    one of them is the likeliest by far."""
    close: dict[int, TakenWay] = {}
    for each in found:
        if each.cost - found[0].cost <= asking.margin and len(close) < MOST_CHOICES:
            close.setdefault(each.pose, each)
    some = tuple(close.values())
    if len(some) < 2:
        return None
    told = (tuple(each) for each in _told(some, around, pose))
    return next((QuestionBack(some, each) for each in told if all(each) and len(set(each)) == len(each)), None)


def choice_of(answer: str, question: QuestionBack) -> int | None:
    """Which reading an answer chooses; None if none."""
    return choice_among(answer, question.choices)


def choice_among(answer: str, given: Sequence[str]) -> int | None:
    """Which of some choices an answer means: it says one, or words that others have not, or its number; None if none."""
    text, count = answer.lower(), len(given)
    said = [len(each) if each.lower() in text else 0 for each in given]
    words, choices = set(_WORD.findall(text)), [{*_WORD.findall(each.lower())} for each in given]
    common = set.intersection(*choices)
    alike = [len(words & each - common - _FILLERS) for each in choices]
    numbered = [len(words & _ORDINALS[number]) for number in range(count)]
    for score in (said, alike, numbered):
        if score.count(max(score)) == 1:  # one choice may begin with another, and the longest counts
            return score.index(max(score))
    return None


def _told(some: Sequence[TakenWay], around: Surroundings, pose: int) -> Iterator[Iterable[str]]:
    """Ways to tell readings apart, those in the fewest words first."""
    things = [_thing(each) for each in some]
    if len({None if each is None else each.thing for each in things}) == len(things):
        for hue in (False, True):
            yield [_said_of(each, around, pose, hue=hue) for each in things]
    turns = [next((action for action in each.plan if action in _SIDES), None) for each in some]
    if len({each.plan.index(turn) for each, turn in zip(some, turns, strict=True) if turn is not None}) == 1:
        yield ["" if turn is None else f"turn {_SIDES[turn]}" for turn in turns]
    yield [_begins(each, around, pose) for each in some]
    yield [_ends(each, around) for each in some]
    clauses = [plain_clauses(each.plan) for each in some]
    same = sum(1 for _ in takewhile(lambda alike: len({*alike}) == 1, zip(*clauses, strict=False)))
    yield [", ".join(each[same:]) or NO_MORE for each in clauses]
    yield [", ".join(each) for each in clauses]


def plain_clauses(plan: Sequence[Nav]) -> list[str]:
    """A plan in the plainest words, clause by clause."""
    return " ".join(plain_words(plan)).split(" , ")


def _thing(reading: TakenWay) -> Landmark | None:
    """The thing that a reading names last."""
    named = (getattr(each, "landmark", None) or getattr(each, "toward", None) for each in reversed(reading.frames))
    return next((each for each in named if isinstance(each, Landmark) and each.thing != NOTHING), None)


def _said_of(landmark: Landmark | None, around: Surroundings, pose: int, *, hue: bool) -> str:
    """A thing by the side that it is on, with its colour where that is to be said."""
    if landmark is None:
        return ""
    colour = int(around.hue[landmark.thing]) if hue else NOTHING
    named = Landmark(landmark.thing, landmark.noun, colour)
    here, view = divmod(pose, VIEWS)
    return f"the {named} {_where(float(turned(around.bearing_of(here, landmark.thing), view)))}"


def _begins(reading: TakenWay, around: Surroundings, pose: int) -> str:
    """Where the way of a reading begins, if it leads to another place."""
    here, view = divmod(pose, VIEWS)
    there = reading.pose // VIEWS
    return "" if here == there else f"the one {_where(float(around.begins(here, view, there)))}"


def _ends(reading: TakenWay, around: Surroundings) -> str:
    """The room where a reading ends."""
    room = around.room_noun(reading.pose // VIEWS)
    return "" if room == NOTHING else f"into the {ROOMS[room].words[0]}"


def _where(bearing: float) -> str:
    if abs(bearing) <= DOOR_AHEAD:
        return "ahead"
    if abs(bearing) >= _BEHIND:
        return "behind you"
    return "on the left" if bearing < 0 else "on the right"


_LEFT_OUT = re.compile(
    r"\b(?:on|to|at) (?:your|the) (?:left|right)(?:[ -]hand)?(?: side)?\b"
    r"|\b(?:left|right)\b"
    r"|\b(?:first|second|third) (?=door|doorway|opening|archway|way|one)"
    rf"|\b(?:{'|'.join(sorted({word for hue in HUES for word in (*hue.words, *hue.held_out)}, key=len, reverse=True))}) "
)


def without_what_tells_apart(sentence: str) -> str:
    """A sentence without sides, ordinals and colours, as people say it who know what they mean: each is left out where the
    rest is still understood."""
    for match in reversed(list(_LEFT_OUT.finditer(sentence))):
        shorter = re.sub(r" +(?=[ ,]|$)", "", sentence[: match.start()] + sentence[match.end() :]).strip(" ,")
        if all(parse(each).why is None for each in with_sides(shorter)):
            sentence = shorter
    return sentence

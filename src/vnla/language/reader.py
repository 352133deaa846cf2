"""The reader of what people type: advice, and what to look for. Page, terminal and studies share it.

Advice is parsed into frames (`vnla.language.parser`), which mean something where the agent stands
(`vnla.language.grounding`); where no house is known, turns, steps and looks alone are understood. So "turn left" is a right
angle everywhere, unless the rest of a sentence tells how far. The actions are put into the words that the agent was trained
with.

An end-goal is found among those that are known, by the thing and the room that it names. Nothing that somebody types is an
error: parts of the text tell what was understood and what was not.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from difflib import get_close_matches
from functools import cache, lru_cache
from itertools import accumulate, groupby
from typing import NamedTuple

from vnla.assistance.advisor import Advisor
from vnla.assistance.phrases import FULL_STOP, until_stop
from vnla.camera import VIEWS
from vnla.common.nouns import nouns
from vnla.language import word_lists
from vnla.language.grammar import text_of
from vnla.language.grounding import denote, motions
from vnla.language.lexer import WORD, known_words
from vnla.language.parser import Part, parse
from vnla.language.surroundings import Surroundings
from vnla.language.wording import worded
from vnla.tasks.end_goals import read_end_goal
from vnla.world.actions import Nav

READER_VERSION = 4
"""Of what texts are understood as; recorded beside what people typed."""
LONGEST_ADVICE = 12
"""Actions of the longest advice that an agent is told: three times what agents hear in training."""
SUGGESTIONS = 4
"""How many end-goals are suggested at most."""


class ReadPlan(NamedTuple):
    """One way to understand a text: in the agent's words, as names of actions, and as the viewpoints on the way."""

    understood: str
    actions: tuple[str, ...]
    viewpoints: tuple[str, ...]


class TextReading(NamedTuple):
    """What was understood of a text: advice in the agent's words, or a known end-goal; None if that is not clear."""

    understood: str | None
    parts: tuple[Part, ...]
    suggestions: tuple[str, ...] = ()
    """What could be said instead."""
    why: str | None = None
    """Why nothing, or not all of it, was understood, or what else whoever said it should know; None if that is nothing."""
    plans: tuple[ReadPlan, ...] = ()
    """The two ways to understand it, where they are almost as likely: the one that is understood, and another."""


def read_advice(
    text: str, advisor: Advisor, vocabulary: Container[str], place: tuple[Surroundings, int] | None = None
) -> TextReading:
    """What a text advises an agent that was trained with an advisor and has these words, at a pose of a house."""
    found = _advice(text, advisor, vocabulary, place)
    guess = _respelt(text, found.parts, advisor.words(), known_words())
    if guess == text or _advice(guess, advisor, vocabulary, place).understood in (found.understood, None):
        return found
    return found._replace(suggestions=(guess,))


def _advice(text: str, advisor: Advisor, vocabulary: Container[str], place: tuple[Surroundings, int] | None) -> TextReading:
    parsed = parse(text)
    found = motions(parsed) if place is None else denote(parsed, *place, place[0].after)
    understood, parts, why = _told(found.plan, advisor, vocabulary), found.parts, found.why
    late = [clause for clause, count in zip(parsed.clauses, found.counts, strict=True) if count > LONGEST_ADVICE]
    if late:
        parts = tuple((start, end, good and all(start != each.start for each in late)) for start, end, good in parts)
        cut = f"it is {len(found.plan)} actions: only the first {LONGEST_ADVICE} are told"
        why = f"{cut}; {why}" if why else cut
    elif found.plan and understood is None:
        why = "the agent has no words for it"
    elif not found.plan and why is None:
        why = "it says how things are, not what to do"
    plans: tuple[ReadPlan, ...] = ()
    if place is not None and found.rival and understood:
        plans = tuple(
            ReadPlan(told, tuple(action.name.lower() for action in plan), _along(plan, *place))
            for plan in (found.plan[:LONGEST_ADVICE], found.rival[:LONGEST_ADVICE])
            if (told := _told(plan, advisor, vocabulary))
        )
    return TextReading(understood, parts, why=why, plans=plans if len(plans) > 1 else ())


def _told(plan: Sequence[Nav], advisor: Advisor, vocabulary: Container[str]) -> str | None:
    """A plan in the agent's words."""
    return text_of(worded(until_stop(plan[:LONGEST_ADVICE]), advisor, vocabulary)) or None


def _along(plan: Sequence[Nav], around: Surroundings, pose: int) -> tuple[str, ...]:
    """The viewpoints that a plan leads along."""
    poses = accumulate(plan, around.after, initial=pose)
    return tuple(around.graph.ids[viewpoint] for viewpoint, _ in groupby(each // VIEWS for each in poses))


_FEW = 8


def _respelt(text: str, parts: Iterable[Part], words: Iterable[str], known: Container[str]) -> str:
    """A text whose unknown words that were not understood, if they are few, are replaced by `words` that look alike."""
    strange = [match for start, end, understood in parts if not understood for match in WORD.finditer(text, start, end)]
    long = [word for word in words if len(word) > 3] if len(strange) <= _FEW else []
    for match in reversed(strange):
        word = match[0].lower()
        if word not in known and (alike := get_close_matches(word, long, 1, 0.75)):
            text = text[: match.start()] + alike[0] + text[match.end() :]
    return text


_IN = frozenset(("in", "inside", "within", "from"))
_END = f" {FULL_STOP}"
_BEFORE_ROOM = re.compile(r".* in (?:one of )?the | \.$")
_LONGEST_NAME = 8

Stems = tuple[str, ...]
"""The words of a name, each in its singular."""


class _Known(NamedTuple):
    """An end-goal that is known."""

    text: str
    bare: str
    """It without its full stop."""
    object: str
    stems: Stems
    rooms: tuple[Stems, ...]
    """What its room is called: by its name, and as the end-goal has it."""


def find_end_goal(text: str, end_goals: Sequence[str]) -> TextReading:
    """Which of the end-goals a text asks for."""
    known = [_known(each) for each in end_goals]
    tokens = list(WORD.finditer(text))
    words = [token[0].lower() for token in tokens]
    stems = _stems(text)
    thing = _first(stems, {each.stems for each in known})
    before = {*words[: thing.start]}
    if before & _IN and before - _words()[0]:
        thing = range(0)  # "a dragon in the toilet": the toilet is a room here
    own, others = stems[thing.start : thing.stop], tuple("" if i in thing else stem for i, stem in enumerate(stems))
    place = _first(others, {name for each in known for name in each.rooms})
    strange = [i for i, word in enumerate(words) if i not in thing and i not in place and word not in _words()[0]]
    parts = tuple((*tokens[i].span(), i not in strange) for i in sorted([*thing, *place, *strange]))

    there = [each for each in known if not place or stems[place.start : place.stop] in each.rooms]
    found = [each for each in there if each.stems == own]
    found = [each for each in found if each.object == " ".join(words[i] for i in thing)] or found
    found = [each for each in found if each.bare == " ".join(words).removesuffix(_END)] or found
    in_no_room = not place and any(i >= thing.stop for i in strange)
    if len({(each.object, each.rooms[:1]) for each in found}) == 1 and not in_no_room:
        return TextReading(found[0].text, parts)
    goals = sorted({word for each in end_goals for word in each.split()})
    guess = _respelt(text, parts, goals, goals)
    if guess != text:
        meant = find_end_goal(guess, end_goals)
        suggested = (meant.understood.removesuffix(_END),) if meant.understood else meant.suggestions
        return TextReading(None, parts, suggested, _why_no_goal(text, bool(thing)))
    elsewhere = [each for each in known if each.stems == own]
    alike = [each for each in (*there, *known) if any(stems[i] in each.stems for i in strange)]
    names = dict.fromkeys(each.bare for each in found or elsewhere or alike or there)
    return TextReading(None, parts, tuple(names)[:SUGGESTIONS], _why_no_goal(text, bool(thing)))


def _why_no_goal(text: str, named: bool) -> str:
    if not any(each.isalpha() and each.isascii() for each in text):
        return "there is no word in it that could be read" if text.strip() else "nothing was said"
    return "it could be several, or is not there" if named else "it names nothing that can be looked for here"


@lru_cache(maxsize=4096)
def _known(end_goal: str) -> _Known:
    thing, room = read_end_goal(end_goal)
    rooms = () if room is None else (_stems(room), _stems(_BEFORE_ROOM.sub("", end_goal)))
    return _Known(end_goal, end_goal.removesuffix(_END), thing, _stems(thing), rooms)


def _first(stems: Stems, names: Container[Stems]) -> range:
    """Where the first of some names stands, the longest of those that begin there; nowhere is an empty range."""
    places = (range(i, j) for i in range(len(stems)) for j in range(min(i + _LONGEST_NAME, len(stems)), i, -1))
    return next((each for each in places if stems[each.start : each.stop] in names), range(0))


def _stems(name: str) -> Stems:
    return tuple(_stem(match[0].lower()) for match in WORD.finditer(name))


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    """A word in its singular, and by its common name."""
    singular = str(nouns().singular_noun(word) or word) if word.isalpha() else word
    return _words()[1].get(singular, singular)


@cache
def _words() -> tuple[frozenset[str], dict[str, str]]:
    """Words of a wish that name nothing, and other names of common things."""
    lists = word_lists.sections("end_goals.txt")
    return frozenset(" ".join(lists["words that name nothing"]).split()), dict(map(word_lists.entry, lists["other names"]))

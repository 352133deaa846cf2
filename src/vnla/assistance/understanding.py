"""What a person says, in the words that an agent knows: advice, and what to look for.

Both are read by rules, small and exact. Advice is read clause by clause into the advisor's phrases
(`vnla.assistance.phrases`): "please turn around and walk two steps" is a plan of eight actions. From the first word of a
clause that no rule takes, the rest of the clause is not understood, so that "do not stop" is never heard as "stop". An
end-goal is found among those that are known, by the thing and the room that it names. Nothing that somebody types is an
error: stretches of the text tell what was understood and what was not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import NamedTuple, Protocol

from vnla.assistance.phrases import COMMA, FULL_STOP, subgoal_text, subgoal_words
from vnla.common.nouns import nouns
from vnla.world.actions import Nav

Part = tuple[int, int, bool]
"""From where to where in a text, and whether that was understood."""

MOST_ACTIONS = 12
"""Actions of the longest advice that is understood: three times what agents hear in training."""
SUGGESTIONS = 4
"""How many things are suggested at most."""


class Understood(NamedTuple):
    """Advice as an agent can read it; None if there is none in the text."""

    phrase: str | None
    parts: tuple[Part, ...]
    suggestions: tuple[str, ...] = ()
    """What may have been meant."""


class Sought(NamedTuple):
    """The end-goal that was meant, as it is known; None if that is not clear."""

    end_goal: str | None
    parts: tuple[Part, ...]
    suggestions: tuple[str, ...] = ()
    """What could be asked for instead."""


class Known(Protocol):
    """Something that can be asked for: an object, the name of its room if it is to be said, and the end-goal in words."""

    @property
    def object(self) -> str: ...

    @property
    def room(self) -> str | None: ...

    @property
    def end_goal(self) -> str: ...


class _Token(NamedTuple):
    """A word as it is meant, and where it stands in the text."""

    word: str
    start: int
    end: int


_NEXT = ";"
"""Stands for all that parts one clause from the next."""
_MEANT = {
    "turn": "turn rotate spin swing pivot face veer turning",
    "go": "go walk move head continue proceed advance run take going walking moving",
    "look": "look tilt glance gaze",
    "stop": "stop halt",
    "left": "left leftward leftwards",
    "right": "right rightward rightwards",
    "up": "up upward upwards",
    "down": "down downward downwards",
    "forward": "forward forwards ahead straight onward onwards",
    "around": "around back about round",
    "steps": "step steps pace paces",
    "degrees": "degree degrees deg °",
    "times": "times time x",
    _NEXT: ", . ; : ! ? and then next afterwards finally first",
    "": "the a an to your you should must can could would will please now just ok okay so of in direction side more further "
    "little bit slightly robot hey hi i want need it is at for that this there here way towards toward on hand still make "
    "keep & do",
}
_NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "couple": 2, "thirty": 30, "forty-five": 45, "sixty": 60, "ninety": 90,
}  # fmt: skip
_WORDS: dict[str, tuple[str, ...]] = {
    **{word: (meant,) for meant, words in _MEANT.items() for word in words.split()},
    **{word: (str(number),) for word, number in _NUMBERS.items()},
    **{"once": ("1", "times"), "twice": ("2", "times"), "thrice": ("3", "times"), "u-turn": ("turn", "around")},
}
"""A word that people say → what it means here; "" where it means nothing."""

_FEW = 8
_TOKEN = re.compile(r"[0-9]+(?:[.,][0-9]+)?|[a-z][a-z'’-]*|\S", re.IGNORECASE)
_DEGREES = 30
_ENDS = rf"(?={_NEXT}|turn|go|look|stop|forward|left|right)"
_WAYS = {"left": Nav.LEFT, "right": Nav.RIGHT, "up": Nav.UP, "down": Nav.DOWN}
_AMOUNT = r"(?:(?P<after>[0-9]+) (?P<unit>degrees|times) )?"
_RULES = [
    re.compile(rf"(?:turn|look|go) (?:(?P<before>[0-9]+) degrees )?(?P<way>left|right) {_AMOUNT}"),
    re.compile(rf"(?:(?P<before>[0-9]+) degrees )?(?P<way>left|right) {_AMOUNT}{_ENDS}"),
    re.compile(rf"look (?:(?P<before>[0-9]+) degrees )?(?P<way>up|down) {_AMOUNT}"),
    re.compile(r"turn (?P<around>around) "),
    re.compile(r"(?:go )?(?:forward )+(?:(?P<count>[0-9]+) (?:steps|times) )?"),
    re.compile(r"(?:go )?(?P<count>[0-9]+) steps (?:forward )*"),
    re.compile(r"(?:go steps|steps forward) (?:forward )*"),
    re.compile(rf"go {_ENDS}"),
    re.compile(r"(?P<stop>stop) "),
]


def advice(text: str, words: Container[str], most: int = MOST_ACTIONS) -> Understood:
    """What a text advises, in phrases of the words that an agent has, at most so many actions."""
    phrases, parts = _read(text, words, most)
    guess = _respelt(text, parts, _WORDS)
    meant = _read(guess, words, most)[0] if guess != text else phrases
    other = () if meant == phrases else (_sentence(meant),)
    return Understood(_sentence(phrases) or None, parts, other)


def _sentence(phrases: Iterable[str]) -> str:
    return f"{COMMA} ".join(phrases)


def _read(text: str, words: Container[str], most: int) -> tuple[list[str], tuple[Part, ...]]:
    """The phrases of a text, and its parts."""
    tokens = [each for each in _tokens(text) if each.word]
    phrases: list[str] = []
    parts: list[Part] = []
    left, at = most, 0
    while at < len(tokens):
        command, after = _command(tokens, at)
        said = worded(command, words) if len(command) <= left else []
        if said:
            phrases += said
            left = 0 if Nav.STOP in command else left - len(command)
        else:
            after = next((i for i in range(at, len(tokens)) if tokens[i].word == _NEXT), len(tokens))
        if after > at:
            parts.append((tokens[at].start, tokens[after - 1].end, bool(said)))
        at = max(after, at + 1)
    return phrases, tuple(parts)


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        word = match[0].lower().replace("’", "'")
        for meant in _WORDS.get(word, (word,)):
            yield _Token(meant, *match.span())


def _command(tokens: Sequence[_Token], at: int) -> tuple[list[Nav], int]:
    """The actions of the command that begins at a token, and the token after it; none where no rule takes it."""
    following = [*(token.word for token in tokens[at : at + 8]), _NEXT]
    for rule in _RULES:
        if match := rule.match(" ".join(following) + " "):
            return _actions(match.groupdict()), at + match[0].count(" ")
    return [], at


def _actions(found: Mapping[str, str | None]) -> list[Nav]:
    if found.get("stop"):
        return [Nav.STOP]
    if found.get("around"):
        return [Nav.RIGHT] * (180 // _DEGREES)
    if way := found.get("way"):
        in_degrees = found["before"] or (found["after"] if found["unit"] == "degrees" else None)
        times = (2 * _number(in_degrees) + _DEGREES) // (2 * _DEGREES) if in_degrees else _number(found["after"])
        return [_WAYS[way]] * times
    return [Nav.FORWARD] * _number(found.get("count"))


def _number(digits: str | None) -> int:
    """1 where nothing is said; what is too large to be meant becomes 1000."""
    return min(int(digits[:5]), 1000) if digits else 1


def worded(command: Sequence[Nav], words: Container[str]) -> list[str]:
    """Equal actions in as few phrases as an agent has words for; none if it lacks them."""
    phrases: list[str] = []
    while command:
        sizes = (size for size in range(len(command), 0, -1) if _sayable(command[:size], words))
        size = next(sizes, 0)
        if not size:
            return []
        phrases.append(subgoal_text(command[:size]))
        command = command[size:]
    return phrases


def _sayable(command: Sequence[Nav], words: Container[str]) -> bool:
    return all(word in words for word in (*subgoal_words(command), FULL_STOP, COMMA))


def _respelt(text: str, parts: Iterable[Part], known: Collection[str]) -> str:
    """A text whose words that were not understood, if they are few, are replaced by known ones that look alike."""
    long = [word for word in known if len(word) > 3]
    strange = [match for start, end, understood in parts if not understood for match in _TOKEN.finditer(text, start, end)]
    for match in reversed(strange) if len(strange) <= _FEW else ():
        word = match[0].lower()
        if word not in known and (alike := get_close_matches(word, long, 1, 0.75)):
            text = text[: match.start()] + alike[0] + text[match.end() :]
    return text


_POLITE = (
    "find look looking for search seek get bring fetch me us my your you can could please go to the a an one of some any is "
    "are where there i want need in inside within from at on house and it . , ! ? : ;"
)
_ASKING = frozenset(_POLITE.split())
"""Words of a wish that name nothing."""
_IN = frozenset(("in", "inside", "within", "from"))
_ALSO = {
    "bookcase": "bookshelf",
    "couch": "sofa",
    "cupboard": "cabinet",
    "fridge": "refrigerator",
    "mug": "cup",
    "television": "tv",
}
"""Other names of common things."""

_END = f" {FULL_STOP}"
_BEFORE_ROOM = re.compile(r".* in (?:one of )?the | \.$")
_LONGEST_NAME = 8

Stems = tuple[str, ...]
"""The words of a name, each in its singular."""


def end_goal(text: str, known: Sequence[Known]) -> Sought:
    """Which of the known end-goals a text asks for."""
    tokens = [_Token(match[0].lower(), *match.span()) for match in _TOKEN.finditer(text)]
    stems = [_stem(token.word) for token in tokens]
    thing = _first(stems, {_stems(each.object) for each in known})
    before = [token.word for token in tokens[: thing.start]]
    if not _IN.isdisjoint(before) and not _ASKING.issuperset(before):
        thing = range(0)  # "a dragon in the toilet": the toilet is a room here
    others = ["" if i in thing else stem for i, stem in enumerate(stems)]
    place = _first(others, {name for each in known for name in _rooms(each)})
    strange = [i for i, token in enumerate(tokens) if i not in thing and i not in place and token.word not in _ASKING]
    heard = sorted([*thing, *place, *strange])
    parts = tuple((tokens[i].start, tokens[i].end, i not in strange) for i in heard)

    there = [each for each in known if not place or _at(stems, place) in _rooms(each)]
    found = [each for each in there if _stems(each.object) == _at(stems, thing)]
    found = [each for each in found if each.object == _joined(tokens[i] for i in thing)] or found
    found = [each for each in found if _bare(each) == _joined(tokens).removesuffix(_END)] or found
    in_no_room = not place and any(i >= thing.stop for i in strange)
    if len({(each.object, each.room) for each in found}) == 1 and not in_no_room:
        return Sought(found[0].end_goal, parts)
    guess = _respelt(text, parts, sorted({word for each in known for word in each.end_goal.split()}))
    if guess != text:
        meant = end_goal(guess, known)
        return Sought(None, parts, (meant.end_goal.removesuffix(_END),) if meant.end_goal else meant.suggestions)
    elsewhere = [each for each in known if _stems(each.object) == _at(stems, thing)]
    alike = [each for each in (*there, *known) if any(stems[i] in _stems(each.object) for i in strange)]
    names = dict.fromkeys(_bare(each) for each in found or elsewhere or alike or there)
    return Sought(None, parts, tuple(names)[:SUGGESTIONS])


def _bare(known: Known) -> str:
    """An end-goal without its full stop."""
    return known.end_goal.removesuffix(_END)


def _joined(tokens: Iterable[_Token]) -> str:
    return " ".join(token.word for token in tokens)


def _first(stems: Sequence[str], names: Container[Stems]) -> range:
    """Where the first of some names stands, the longest of those that begin there; nowhere is an empty range."""
    places = (range(i, j) for i in range(len(stems)) for j in range(min(i + _LONGEST_NAME, len(stems)), i, -1))
    return next((each for each in places if _at(stems, each) in names), range(0))


def _at(stems: Sequence[str], where: range) -> Stems:
    return tuple(stems[where.start : where.stop])


@lru_cache(maxsize=4096)
def _stems(name: str) -> Stems:
    return tuple(_stem(match[0].lower()) for match in _TOKEN.finditer(name))


def _rooms(known: Known) -> tuple[Stems, ...]:
    """What the room of something is called: by its name, and as the end-goal has it."""
    return () if known.room is None else (_stems(known.room), _stems(_BEFORE_ROOM.sub("", known.end_goal)))


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    """A word in its singular, and by its common name."""
    singular = str(nouns().singular_noun(word) or word) if word.isalpha() else word
    return _ALSO.get(singular, singular)

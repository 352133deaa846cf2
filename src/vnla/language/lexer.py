"""What words mean to the parser: a sentence as a row of tokens, each with the stretch of the text that it stands for.

People say "carry on", "keep going" and "walk": here all are the token `go`. Words that add nothing have none. Things, rooms
and colours are tokens with numbers (`thing38`, `room10`, `hue0`), as `vnla.language.things` numbers them; where a word may
mean several things all are named (`thing36_38`). A word with one letter wrong is taken for the one that it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from string import ascii_lowercase
from typing import NamedTuple

from vnla.language import word_lists
from vnla.language.things import DOOR, HUES, ROOMS, STAIRS, THINGS, Noun

LONGEST = 400
"""Characters that are read."""

WORD = re.compile(r"\x1b\[[0-9;]*[a-z]?|[0-9]+(?:st|nd|rd|th)\b|[0-9]+(?:[.,][0-9]+)?|[a-z][a-z'’-]*|\S", re.IGNORECASE)
_LEAST = 4
"""Letters of a word in which one may be wrong."""


class Token(NamedTuple):
    """A stretch of a text and what it means: the kind is "" for words that add nothing, "?" for unknown ones."""

    kind: str
    start: int
    end: int


UNKNOWN = "?"
_ABOUT = ("around", "near", "reach")  # "around 60 degrees", "up to two steps"
_SPECIAL = {("thing", DOOR): "door", ("thing", STAIRS): "stairs"}


def tokens(text: str) -> list[Token]:
    """What the words of a text mean, those of no meaning left out."""
    words = [(match[0].lower().replace("’", "'"), *match.span()) for match in WORD.finditer(text, 0, LONGEST)]
    known = [_respelt(word) for word, _, _ in words]
    found: list[Token] = []
    at = 0
    while at < len(words):
        size, meant = _longest(known, at, bool(found) and found[-1].kind.startswith("#"))
        start, end = words[at][1], words[at + size - 1][2]
        found += [Token(_counted(each, known[at], found, known[at - 1] if at else ""), start, end) for each in meant]
        at += size
    said = [each for each in found if each.kind]
    onward = [*(each.kind for each in said[1:]), ""]
    numbered = zip(said, (each.startswith("#") for each in onward), strict=False)
    return [each for each, number in numbered if not (number and each.kind in _ABOUT)]


def _longest(words: Sequence[str], at: int, counted: bool) -> tuple[int, tuple[str, ...]]:
    """How many words from one on mean something together, and what."""
    table, most = phrases()
    most = 1 if counted and words[at].startswith("step") else most  # "one step in", but "step in"
    for size in range(min(most, len(words) - at), 0, -1):
        if (meant := table.get(tuple(words[at : at + size]))) is not None:
            return size, meant
    return 1, (_number(words[at]) or UNKNOWN,)


def _number(word: str) -> str:
    """The token of a number in digits; what is too large to be meant becomes 1000."""
    digits = re.match("[0-9]+(?:[.,][0-9]+)?", word)
    return f"#{min(float(digits[0][:8].replace(',', '.')), 1000.0):g}" if digits else ""


def _counted(kind: str, word: str, before: Sequence[Token], said: str) -> str:
    """A step is counted after a number; else "step" is to walk, and "the steps" are stairs."""
    if kind not in ("step", "feet"):
        return kind
    last = next((each.kind for each in reversed(before) if each.kind), "")
    if kind == "feet":
        return kind if last.startswith("#") else "stuff"
    if last.startswith("#") or said == "a":
        return "steps"
    return "go" if word in ("step", "stepping") else "stairs"


@cache
def phrases() -> tuple[dict[tuple[str, ...], tuple[str, ...]], int]:
    """Words → the tokens that they mean; and the most words of a phrase."""
    table: dict[tuple[str, ...], tuple[str, ...]] = {}
    for kind, nouns in (("thing", THINGS), ("room", ROOMS), ("hue", HUES)):
        for number, noun in enumerate(nouns):
            for word in _forms(noun):
                table.setdefault(word, (_SPECIAL.get((kind, number), f"{kind}{number}"),))
    for kind, nouns in (("thing", THINGS), ("room", ROOMS)):
        number_of = {noun.name: number for number, noun in enumerate(nouns)}
        for names, words in word_lists.entries(f"{kind}s_heard.txt"):
            token = kind + "_".join(str(number_of[name]) for name in names.split(", "))
            table |= dict.fromkeys(word_lists.phrases(words), (token,))
    for meant, words in word_lists.entries("phrases.txt"):
        table |= dict.fromkeys(word_lists.phrases(words), tuple(meant.split()) or ("",))
    return table, max(map(len, table))


def _forms(noun: Noun) -> Iterator[tuple[str, ...]]:
    """What something is called, also where there are several."""
    for words in (*noun.words, *noun.held_out):
        yield tuple(words.split())
        if not words.endswith("s"):
            yield tuple(f"{words}{'es' if words.endswith(('x', 'ch', 'sh')) else 's'}".split())


@cache
def known_words() -> frozenset[str]:
    """Every word of a phrase that means something."""
    return frozenset(word for phrase in phrases()[0] for word in phrase)


def _respelt(word: str) -> str:
    """A word, or the known one that it is but for one letter; itself where there is none, or several."""
    bare = word.removesuffix("'s")
    if bare != word and word not in known_words() and bare in known_words():
        return bare
    if word in known_words() or len(word) < _LEAST or not word.isalpha():
        return word
    near = _one_off(word) & known_words()
    return near.pop() if len(near) == 1 else word


def _one_off(word: str) -> set[str]:
    """Words that differ by one letter: another, missing, too many, or two in the wrong order."""
    found = set()
    for at in range(len(word) + 1):
        start, end = word[:at], word[at:]
        found |= {start + end[1:], start + end[1:2] + end[:1] + end[2:]}
        found.update(start + letter + rest for letter in f"{ascii_lowercase}'-" for rest in (end, end[1:]))
    return {each for each in found if len(each) >= _LEAST}

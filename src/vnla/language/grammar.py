"""How frames are said: a probabilistic grammar, read from the word lists in `language/data`.

A *form* is a kind of frame with what there is to say about it (`form_of`): one step or several, with a side or without. It
has templates, of words, `{classes}` of words that may stand for each other, and `<slots>` that the frame fills. A sentence
is a clause for each frame, with words between them; it may begin with hesitation or politeness, and end with some. Which
template and which words is drawn.

What comes after a tilde is never said in training: templates and words held out, to see who understands language rather than
sentences. So are some combinations, of templates with nouns and with what is said before (`is_new_with`, `is_new_after`).
The first template of a form is its plain one, which is short: no combination with it is held out, and of an action it has
four words at most with the comma before it. A template after a colon has no verb to begin with, and cannot follow "could
you".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Any, NamedTuple

from vnla.language import word_lists
from vnla.language.frames import FrameKind
from vnla.language.things import HUES, ROOMS, THINGS, Noun

HELD_OUT = 7
"""One in so many combinations is held out."""
PLAIN = 4
"""Words of the plain template for each action that it is about, with the comma before it."""


class Slot(IntEnum):
    """What a frame fills in."""

    THE = 0
    HUE = 1
    NOUN = 2
    SIDE = 3
    ON = 4
    NTH = 5
    DOOR = 6
    ROOM = 7
    FROM = 8
    STEPS = 9
    TIMES = 10


_SLOTS = {
    "<the>": (Slot.THE, Slot.HUE, Slot.NOUN),
    "<side>": (Slot.SIDE,),
    "<on>": (Slot.ON,),
    "<nth>": (Slot.NTH,),
    "<door>": (Slot.DOOR,),
    "<room>": (Slot.ROOM,),
    "<from>": (Slot.FROM,),
    "<steps>": (Slot.STEPS,),
    "<times>": (Slot.TIMES,),
}
_LONGEST = {Slot.THE: 1, Slot.HUE: 1, Slot.NOUN: 3, Slot.SIDE: 1, Slot.ON: 5, Slot.NTH: 1, Slot.DOOR: 4, Slot.ROOM: 2,
            Slot.FROM: 2, Slot.STEPS: 4, Slot.TIMES: 2}  # fmt: skip

NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight")
FULL_STOP = "."


class Class(NamedTuple):
    """Phrases that may stand for each other, each as words; usual ones as often as they are likely, then those held out."""

    name: str
    usual: tuple[tuple[str, ...], ...]
    held_out: tuple[tuple[str, ...], ...] = ()

    @property
    def all(self) -> tuple[tuple[str, ...], ...]:
        """Both."""
        return self.usual + self.held_out


class Template(NamedTuple):
    """How a form may be said: numbers of classes, or below zero of slots, -1 for the first."""

    form: str
    text: str
    pieces: tuple[int, ...]
    held_out: bool
    has_verb: bool
    longest: int
    """It has no more words than that."""
    names: bool
    """Whether it names a thing or a room, so that combinations with nouns may be held out."""


@dataclass
class Grammar:
    """All of it, with numbers."""

    classes: list[Class] = field(default_factory=list)
    templates: list[Template] = field(default_factory=list)
    forms: dict[str, range] = field(default_factory=dict)
    """Form → its templates: those of training first, the plain one first of all."""

    def __post_init__(self) -> None:
        self._number: dict[str, int] = {}
        self.add(Class("", ((),)))
        for file in ("synonyms.txt", "around_clauses.txt", "slot_fillers.txt"):
            for name, text in word_lists.entries(file):
                self.add(Class(name, *word_lists.with_held_out(text)))
        for kind, nouns in (("thing", THINGS), ("room", ROOMS), ("hue", HUES)):
            for noun in nouns:
                usual, rare = (tuple(tuple(word.split()) for word in words) for words in (noun.words, noun.held_out))
                self.add(Class(f"{kind} {noun.name}", usual, rare))
        for form, lines in word_lists.sections("templates.txt").items():
            first = len(self.templates)
            ordered = sorted(lines, key=lambda line: line.startswith("~"))
            self.templates += [self._template(form, line) for line in ordered]
            self.forms[form] = range(first, len(self.templates))

    def add(self, new: Class) -> int:
        """A class with a number; the number it has, if it is there."""
        if new.name not in self._number:
            self._number[new.name] = len(self.classes)
            self.classes.append(new)
        return self._number[new.name]

    def __getitem__(self, name: str) -> int:
        """The number of a class."""
        return self._number[name]

    def first(self, kind: str, nouns: Sequence[Noun]) -> int:
        """The number of the first class of a kind of nouns; the others follow."""
        return self[f"{kind} {nouns[0].name}"]

    @cached_property
    def words(self) -> list[str]:
        """Every word of it, sorted."""
        return sorted({word for each in self.classes for phrase in each.all for word in phrase} | {FULL_STOP})

    @cached_property
    def most_pieces(self) -> int:
        """Of a template."""
        return max(len(each.pieces) for each in self.templates)

    def _template(self, form: str, line: str) -> Template:
        text = line.removeprefix("~").strip()
        words = text.removeprefix(":").split()
        pieces: list[int] = []
        literal: list[str] = []
        for word in [*words, ""]:
            if literal and (not word or word[0] in "{<"):
                pieces.append(self.add(Class("=" + " ".join(literal), (tuple(literal),))))
                literal = []
            if word.startswith("{"):
                pieces.append(self._number[word[1:-1]])
            elif word.startswith("<"):
                pieces += [-1 - slot for slot in _SLOTS[word]]
            elif word:
                literal.append(word)
        longest = sum(self._longest(piece) for piece in pieces)
        names = any(-1 - piece in (Slot.NOUN, Slot.ROOM) for piece in pieces)
        return Template(form, text, tuple(pieces), line.startswith("~"), not text.startswith(":"), longest, names)

    def _longest(self, piece: int) -> int:
        return _LONGEST[Slot(-1 - piece)] if piece < 0 else max(map(len, self.classes[piece].all))


def form_of(kind: FrameKind, *, number: int = 1, sided: bool = False, again: bool = False) -> str:
    """The form of a frame: of so many actions, with a side to be said, or about what was named just before."""
    match kind:
        case FrameKind.TURN:
            return f"TURN{min(max(number, 1), 6)}"
        case FrameKind.WALK:
            return "WALK1" if number == 1 else "WALK"
        case FrameKind.TOWARD:
            return ("TOWARD_IT" if again else "TOWARD") + ("1" if number == 1 else "")
        case FrameKind.REACH:
            return "IT" if again else "REACH_ON" if sided else "REACH"
        case FrameKind.PASS:
            return "PASS_IT" if again else "PASS_ON" if sided else "PASS"
        case FrameKind.THROUGH | FrameKind.ENTER | FrameKind.LEAVE | FrameKind.CROSS:
            return f"{kind.name}_ON" if sided else kind.name
        case _:
            return kind.name


def is_new_with(template: Any, noun: Any) -> Any:
    """Whether a template is held out in combination with a noun. Numbers, or tensors of them."""
    return (17 * template + 13 * noun) % HELD_OUT == 0


def is_new_after(template: Any, before: Any) -> Any:
    """Whether it is held out after a clause of a form."""
    return (31 * before + 17 * template) % HELD_OUT == 3


def text_of(words: Sequence[str]) -> str:
    """Words as people write them, without the full stop at the end."""
    told = [word for word in words if word]
    if told and told[-1] == FULL_STOP:
        told = told[:-1]
    text = " ".join("I" if word == "i" else word for word in told)
    for mark in (",", "?"):
        text = text.replace(f" {mark}", mark)
    return text


def sizes(grammar: Grammar) -> Mapping[str, int]:
    """How many templates, words, and sentences of one clause there are."""
    total = 0
    for template in grammar.templates:
        count = 1
        for piece in template.pieces:
            count *= len(set(grammar.classes[piece].usual)) if piece >= 0 else _choices(Slot(-1 - piece))
        total += count
    return {"templates": len(grammar.templates), "words": len(grammar.words), "clauses": total}


def _choices(slot: Slot) -> int:
    counts = {Slot.HUE: len(HUES), Slot.NOUN: sum(len(noun.words) for noun in THINGS), Slot.SIDE: 2, Slot.ON: 9, Slot.NTH: 4,
              Slot.DOOR: 5, Slot.ROOM: sum(len(noun.words) for noun in ROOMS), Slot.STEPS: 8}  # fmt: skip
    return counts.get(slot, 1)

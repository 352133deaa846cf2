"""How frames are said: a probabilistic grammar, as data that people can read and tensors can hold.

A *form* is a kind of frame with what there is to say about it (`FORMS`): one step or several, with a side or without. It has
templates, of words, `{classes}` of words that may stand for each other, and `<slots>` that the frame fills. A sentence is a
clause for each frame, with words between them; it may begin with hesitation or politeness, and end with some. Which template
and which words is drawn.

What comes after a tilde is never said in training: templates and words held out, to see who understands language rather than
sentences. So are some combinations, of templates with nouns and with what is said before (`is_new_with`, `is_new_after`).
The first template of a form is its plain one, which is short: no combination with it is held out, and of an action it has
four words at most with the comma before it. A template after a colon has no verb to begin with, and cannot follow "could
you".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Any, NamedTuple

from vnla.language.frames import Kind
from vnla.language.things import HUES, ROOMS, THINGS, Noun

_CLASSES = """
go: go | walk | head | move ~ proceed
walk: walk | go | move ~ step
turn: turn | rotate ~ swing
look: look | tilt your head ~ lift your gaze
down: look | tilt your head ~ lower your gaze
ahead: forward | straight ahead | ahead | straight on ~ onward
slightly: slightly | a bit | a little ~ a touch
see: see | spot ~ notice
face: face | are facing ~ are looking at
to: to | over to | up to ~ across to
reach: reach | get to | come to ~ arrive at
by: next to | close to | at ~ beside
past: past | straight past ~ beyond
into: into ~ inside
enter: enter | go into | walk into ~ step into
leave: leave | go out of | walk out of ~ exit
through: through ~ out through
keep: keep going | carry on | continue ~ press on
climb: go up | climb | walk up ~ ascend
descend: go down | walk down ~ descend
behind: behind you | behind ~ at your back
stop: stop | stop there | stay there ~ halt
here: stop here | stay here | stay where you are ~ halt here
"""

_OPENINGS = """
interjection: * 12 | okay , | alright , | um , | hmm , | well , | let me see , ~ so , | now then ,
polite: * 10 | please | just | now | you should | you need to | could you | you want to | i think you should ~ kindly | do
connector: , | , then * 3 | and then * 2 | , and * 2 | , and then ~ , after that
closing: * 16 | , okay | , i think | , please | , thanks ~ , if you can
"""

_SAID = """
left: left
right: right
on left: on your left | on the left | to your left ~ on the left hand side
on right: on your right | on the right | to your right ~ on the right hand side
on ahead: in front of you | straight ahead | ahead of you ~ dead ahead
first: first
second: second
third: third
no door: opening | archway ~ gap in the wall
door: door
one: one step | a step | 1 step ~ one pace
two: two steps | 2 steps | a couple of steps ~ two paces
three: three steps | 3 steps ~ three paces
four: four steps | 4 steps ~ four paces
five: five steps | 5 steps ~ five paces
six: six steps | 6 steps ~ six paces
seven: seven steps | 7 steps ~ seven paces
eight: eight steps | 8 steps ~ eight paces
twice: twice | two times
it: it
the: the
"""

_FORMS = """
STOP
  {stop}
  stop , {that}
  : {that}
  stop when you are there
  : that is where you stop
~ come to a stop
STAY
  {here}
  : you are already there , stop
  {here} , {that}
  do not move
  do not move , {that}
~ do not go anywhere
LOOK_UP
  look up <times>
  {look} up <times>
~ raise your eyes <times>
LOOK_DOWN
  look down <times>
  {down} down <times>
~ lower your eyes <times>
WALK1
  go forward
  {go} {ahead} <steps>
  take <steps> {ahead}
  {go} <steps> {ahead}
  : <steps> {ahead}
  {keep} for <steps>
  move on <steps>
  do <steps> {ahead}
~ make it <steps> {ahead}
~ : then it is <steps> {ahead}
WALK
  go forward <steps>
  {go} {ahead} <steps>
  {go} {ahead} for <steps>
  take <steps> {ahead}
  {go} <steps> {ahead}
  : <steps> {ahead}
  : {ahead} , <steps>
  {keep} for <steps>
  move on for <steps>
  do <steps> {ahead}
~ make it <steps> {ahead}
~ : from there it is <steps> {ahead}
TURN1
  turn slightly <side>
  {turn} {slightly} <side>
  {turn} {slightly} to the <side>
  {turn} <side> {slightly}
  {turn} 30 degrees <side>
  bear <side>
  : {slightly} to the <side>
  turn to the <side> , just {slightly}
  {turn} <side> once
  make a slight <side> turn
  : a slight turn to the <side>
~ make a small <side> turn
~ : a small turn to the <side>
TURN2
  turn 60 degrees <side>
  {turn} 60 degrees to the <side>
  {turn} to the <side> by 60 degrees
  {turn} about 60 degrees <side>
  : 60 degrees to the <side>
  turn half <side>
  {turn} <side> twice
  do a 60 degree <side> turn
  : 60 degrees <side>
~ make it 60 degrees to the <side>
~ : <side> , by 60 degrees
TURN3
  turn <side>
  {turn} to the <side>
  {turn} 90 degrees <side>
  take a <side>
  make a <side> turn
  : <side>
  : to the <side>
  {turn} a quarter turn to the <side>
  {turn} <side> three times
  do a 90 degree <side> turn
~ hang a <side>
~ : 90 degrees to the <side>
TURN4
  turn 120 degrees <side>
  {turn} sharply <side>
  {turn} 120 degrees to the <side>
  {turn} to the <side> by 120 degrees
  make a sharp <side> turn
  : sharp <side>
  {turn} <side> four times
  do a 120 degree <side> turn
~ : 120 degrees to the <side>
TURN5
  turn 150 degrees <side>
  {turn} almost all the way around to the <side>
  {turn} <side> by 150 degrees
  {turn} 150 degrees to the <side>
  {turn} <side> five times
~ : almost all the way around to the <side>
TURN6
  turn around
  turn all the way around
  {turn} 180 degrees
  make a u turn
  turn around to what is {behind}
~ face the other way
~ do a half turn
FACE
  turn <side> to <the>
  {turn} <side> until you {face} <the>
  {turn} <side> to face <the>
  face <the> to your <side>
  {turn} <side> until you see <the> straight ahead
  {turn} <side> towards <the>
  : <side> , until you {face} <the>
  {turn} <side> so that <the> is in front of you
  keep turning <side> until <the> is straight ahead
~ get <the> on the <side> straight in front of you
~ {turn} <side> and line up with <the>
SPOT
  {turn} <side> until you {see} <the>
  {turn} to the <side> to {see} <the>
  {turn} <side> till you can {see} <the>
  look <side> for <the>
  : <side> , until you {see} <the>
  {turn} <side> , you will {see} <the>
  keep turning <side> until you {see} <the>
  {turn} <side> until <the> comes into view
~ {turn} <side> and stop when you {see} <the>
~ find <the> by turning <side>
REACH
  go to <the>
  {go} {to} <the>
  {walk} until you {reach} <the>
  {walk} on until you are {by} <the>
  {keep} until you are {by} <the>
  : {to} <the>
  {go} on to <the>
  look for <the> and {go} there
  : see <the> ? {go} there
~ get yourself to <the>
~ make for <the>
REACH_ON
  go to <the> <on>
  {go} {to} <the> <on>
  {walk} until you {reach} <the> <on>
  : <on> you {see} <the> , {go} there
  : {to} <the> <on>
  : see <the> <on> ? {go} there
  {keep} to <the> <on>
~ make for <the> <on>
~ : you want <the> <on>
IT
  go to it
  {go} {to} it
  {walk} until you are {by} it
  {keep} until you {reach} it
~ make for it
PASS
  go past <the>
  {go} {past} <the>
  {walk} {ahead} , {past} <the>
  {keep} {past} <the>
  {walk} until you are past <the>
  : {past} <the>
  leave <the> {behind}
~ put <the> {behind}
~ : when you are past <the> , that is far enough
PASS_ON
  go past <the> <on>
  {go} {past} <the> <on>
  {keep} {past} <the> <on>
  : {past} <the> <on>
  pass <the> <on>
  {walk} {ahead} , {past} <the> <on>
~ let <the> go by <on>
PASS_IT
  go past it
  {go} {past} it
  {keep} {past} it
  : {past} it
~ put it {behind}
TOWARD1
  go towards <the>
  take <steps> towards <the>
  {go} <steps> towards <the>
  {go} <steps> in the direction of <the>
  : <steps> towards <the>
~ get <steps> closer to <the>
TOWARD
  go <steps> towards <the>
  take <steps> towards <the>
  {go} towards <the> for <steps>
  {go} <steps> in the direction of <the>
  : <steps> towards <the>
  {go} {ahead} , towards <the> , <steps>
~ get <steps> closer to <the>
TOWARD_IT1
  go towards it
  take <steps> towards it
  {go} <steps> towards it
~ get <steps> closer to it
TOWARD_IT
  go <steps> towards it
  take <steps> towards it
  {go} towards it for <steps>
~ get <steps> closer to it
ENTER
  enter the <room>
  {enter} the <room>
  {go} on {into} the <room>
  {keep} until you are in the <room>
  {walk} {into} the <room>
  : {into} the <room>
  {go} to the <room>
  {go} on , you will come to the <room>
~ take yourself to the <room>
~ : it is the <room> that you want
LEAVE
  leave the <from>
  {leave} the <from>
  {leave} this room
  {walk} until you are out of the <from>
  : out of the <from>
  {leave} the room you are in
~ get out of the <from>
CROSS
  go into the <room>
  {leave} the <from> and {enter} the <room>
  {go} out of the <from> {into} the <room>
  : out of the <from> , {into} the <room>
  {go} from the <from> {into} the <room>
  {keep} from the <from> {into} the <room>
~ swap the <from> for the <room>
~ : from the <from> to the <room>
THROUGH
  go through the <door>
  {go} {through} the <door>
  {walk} on , {through} the <door>
  : {through} the <door>
  take the <door>
  {leave} the room {through} the <door>
  use the <door>
~ cross the threshold of the <door>
THROUGH_ON
  take the <nth> <door> <on>
  {go} {through} the <nth> <door> <on>
  : the <nth> <door> <on>
  : {through} the <nth> <door> <on>
  {walk} {through} the <nth> <door> <on>
  look for the <nth> <door> <on> and {go} {through} it
  {leave} the room by the <nth> <door> <on>
~ choose the <nth> <door> <on>
~ : your way is the <nth> <door> <on>
CLIMB
  climb the stairs
  {climb} the stairs
  : up the stairs
  {climb} the stairs to the top
  take the stairs up
  {keep} up the stairs until they end
~ go upstairs
DESCEND
  descend the stairs
  {descend} the stairs
  : down the stairs
  {descend} the stairs to the bottom
  take the stairs down
~ go downstairs
RISE
  start up the stairs
  begin to climb the stairs
  : onto the stairs , up
  get onto the stairs and go up
~ make a start up the stairs
SINK
  start down the stairs
  begin to go down the stairs
  : onto the stairs , down
  get onto the stairs and go down
~ make a start down the stairs
RETURN
  return to <the>
  go back to <the> you saw
  {go} back to <the> you saw before
  {go} back to where you saw <the>
  : back to <the>
  do you remember <the> ? {go} back there
~ retrace your way to <the>
ENTER_ON
  enter the <room> <on>
  {enter} the <room> <on>
  {go} {into} the <room> <on>
  {walk} {into} the <room> <on>
  : {into} the <room> <on>
  {go} to the <room> <on>
~ take yourself to the <room> <on>
~ : it is the <room> <on> that you want
LEAVE_ON
  leave the room <on>
  {leave} this room <on>
  {leave} the room <on>
  : out of the <from> <on>
  {walk} out of the <from> <on>
~ get out of the <from> <on>
CROSS_ON
  go into the <room> <on>
  {leave} the <from> and {enter} the <room> <on>
  {go} out of the <from> {into} the <room> <on>
  : out of the <from> , {into} the <room> <on>
  {go} from the <from> {into} the <room> <on>
~ swap the <from> for the <room> <on>
~ : from the <from> to the <room> <on>
"""

_CLASSES += "that: that is it | you are there | you have arrived ~ this is the place\n"

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
        for text in (_CLASSES, _OPENINGS, _SAID):
            for line in text.strip().splitlines():
                self.add(_class(line))
        for kind, nouns in (("thing", THINGS), ("room", ROOMS), ("hue", HUES)):
            for noun in nouns:
                self.add(_of_noun(f"{kind} {noun.name}", noun))
        for form, lines in _by_form(_FORMS):
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


def _by_form(text: str) -> Iterator[tuple[str, list[str]]]:
    lines: list[str] = []
    form = ""
    for line in text.strip().splitlines():
        if line[0] in " ~":
            lines.append(line.strip())
            continue
        if form:
            yield form, lines
        form, lines = line.strip(), []
    yield form, lines


def _class(line: str) -> Class:
    name, _, members = line.partition(":")
    usual, _, rare = members.partition("~")
    return Class(name.strip(), _phrases(usual), _phrases(rare) if rare else ())


def _phrases(text: str) -> tuple[tuple[str, ...], ...]:
    """Phrases between bars; one with `* 3` after it is three times as likely."""
    found: list[tuple[str, ...]] = []
    for part in text.split("|"):
        phrase, star, times = part.partition("*")
        found += [tuple(phrase.split())] * (int(times) if star else 1)
    return tuple(found)


def _of_noun(name: str, noun: Noun) -> Class:
    usual, rare = (tuple(tuple(word.split()) for word in words) for words in (noun.words, noun.held_out))
    return Class(name, usual, rare)


def form_of(kind: Kind, *, number: int = 1, sided: bool = False, again: bool = False) -> str:
    """The form of a frame: of so many actions, with a side to be said, or about what was named just before."""
    match kind:
        case Kind.TURN:
            return f"TURN{min(max(number, 1), 6)}"
        case Kind.WALK:
            return "WALK1" if number == 1 else "WALK"
        case Kind.TOWARD:
            return ("TOWARD_IT" if again else "TOWARD") + ("1" if number == 1 else "")
        case Kind.REACH:
            return "IT" if again else "REACH_ON" if sided else "REACH"
        case Kind.PASS:
            return "PASS_IT" if again else "PASS_ON" if sided else "PASS"
        case Kind.THROUGH | Kind.ENTER | Kind.LEAVE | Kind.CROSS:
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

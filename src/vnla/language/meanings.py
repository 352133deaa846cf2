"""What words mean to the parser: a sentence as a row of signs, each with the stretch of the text that it stands for.

People say "carry on", "keep going" and "walk": here all are the sign `go`. Words that add nothing have none. Things, rooms
and colours are signs with numbers (`thing38`, `room10`, `hue0`), as `vnla.language.things` numbers them; where a word may
mean several things all are named (`thing36_38`). A word with one letter wrong is taken for the one that it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from vnla.language.things import DOOR, HUES, ROOMS, STAIRS, THINGS, Noun

_SAID = """
go: go | walk | head | move | proceed | continue | keep | keep going | keep walking | keep on | carry on | press on | advance
go: going | walking | moving | run | come | get | carry on going | make your way | travel | stroll | wander
go: proceed on | step on | cross over | continue on | keep straight | go on | walk on | head on | move on
go: carry on walking
enter: in you go
turn around: look behind you | look behind | turn behind you
steps: viewpoint | viewpoints | metre | metres | meter | meters
go: march | pop | nip | edge | inch | scoot | trot | stride | creep | duck | slip | hop | drift | ease | push | crawl
go: saunter | set off | get going | walk straight | pop over | pop along
go: keep moving | progress | roam | amble | hurry | shuffle
go ahead: fwd
go through: cross the threshold | cross the threshold of | step over the threshold of
to saw: to where you saw
go along: follow | cross | traverse | cross straight
turn: hang | swivel | twist | shift | angle | wheel | whirl | nudge | pan | orient | reorient | hook | bank | look about
turn around: do a 180 | a 180 | one-eighty | about face | about-face | do an about turn | turn on your heel
turn around near: turn your back to | turn your back on | put your back to
on left: behind you on the left | behind you to the left | behind you on your left
on right: behind you on the right | behind you to the right | behind you on your right
near: left side of | right side of | far side of | other side of | near side of | edge of
on ahead: opposite you | is centred | is centered | in the middle | in the centre | in the center | centred | centered
on ahead: in the middle of your view | right in your face
toward: over toward | over towards | on toward | on towards | down toward | down towards
through: once through | once you are through | once you're through
past: once past | once you are past | once you're past
stop: stopping | stay put | stand here | don't move any more | do not move any more | don't go any further | don't go further
level: eyes front | eyes forward | back to horizontal | horizontal | straighten your gaze | straighten your camera
not: ignoring | ignore | skip | instead of | rather than
: i . e . | e . g . | any | anymore | say | diagonally | flight | flights | nearly there | almost there | the way you came
: stand | far | furthest | farthest | back wall | far wall | no wait | wait , | hang on | hold on | now now
: straightaway | straight away | right away | slowly | carefully | quickly
: a moment | good | great | now just | yes | instead
: would you mind | you're facing the wrong way | you are facing the wrong way | i think it is | teh | hte
go to: head for | make for | aim for | walk for
go: get yourself | take yourself
turn right past: turn right past
#1 times: one more | once more
#1 steps: one more step | a step | another step | one small step | a small step | a little step
willbe: will be | 'll be | will then be | is then | should be
look down: come down with the head | come down with your head
look up: come up with the head | come up with your head
turn: inside turn | inside , turn | then inside turn
turn left: turn back left | turn back to the left | look back left | back to the left | back left
turn right: turn back right | turn back to the right | look back right | back to the right | back right
turn: keep turning | keep rotating | keep on turning | look around | look round | go round
turn: turn | rotate | swing | spin | pivot | turning | turns | rotating | curve | veer round
turn slightly: bear | veer
turn around: turn back | u turn | u-turn | face the other way | other way | about turn | turn right around | turn all around
turn around: turn round | turn right round | half turn | do a half turn | turn all the way around | turn around completely
look: look | tilt your head | tilt | glance | gaze | tilt the camera
look up: head up | chin up | eyes up | view up | raise your view | lift your view | raise your gaze | raise the camera
look up: look back up | tilt up | lift the camera | look up again | tip up
look down: head down | chin down | eyes down | view down | lower your view | lower the camera | look back down | tilt down
look up: bring your eyes up | bring your head up | bring your gaze up | bring your view up | look higher
look up: tip your head up | tilt your head up | tilt your view up | look upward | raise your chin | lift your chin
look down: bring your eyes down | bring your gaze down | bring your view down | look lower | tip your head down | tip down
look down: tilt your head down | tilt your view down | look downward | lower your chin | look at the floor
look down: look at your feet
look up: look at the ceiling | look at the sky
look down: look down again | bring your head down | dip your head | drop your gaze | drop your eyes | drop your head
level: level | look straight | look straight ahead | look ahead | look level | level out | level your view | level your gaze
level: level your head | to level | to eye level | eye level | stop looking up | stop looking down | look forward
level: look straight again | look ahead again | straighten up | straighten your head | straighten your view
level: eyes level | to the horizon | at the horizon | stop staring at the ceiling | stop staring at the floor | head level
level: stop looking at the ceiling | stop looking at the floor | look straight in front of you | eyes straight | eyes ahead
level: look horizontally | level the camera | look straight on | look straight forward
go along: head down the | head up the hall | head up the hallway | head up the corridor
go up stairs: head up the stairs | head upstairs
go down stairs: head down the stairs | head downstairs
look up: lift your gaze | raise your eyes | lift your head | raise your head | lift your eyes | look upwards
look down: lower your gaze | lower your eyes | lower your head | look downwards
find: look for | find | look out for | search for | locate
see: can look into | can see into | can look at | catch | have sight of
see: there should be | there must be | there will be
see: there's | there is | there are | there'll be | then there's | you have | you've got
see: see | spot | notice | seeing | can see | come in sight of | catch sight of
will see: you will see | you'll see | you should see | you will spot | you will notice | you will find | you'll notice
appears: comes in sight | is in sight | comes into sight | show up | come up | can be seen | is ahead
appears: is seen | are seen | can be spotted
appears: comes into view | shows up | appears | is in view | come into view | in view | is visible | comes up | in sight
face: face | facing | are facing | are looking at | looking at | look at | line up with | lined up with | are in front of
face: look down the | look along the | see out of | see out | look into | look in | look through | look out of | see into
face: look to | look out through | have a look at | gaze at
face: so you face | have in front of you | you're facing | point at | looking into | look back at | look back to
face: have a gander at | take a look at | have a peek at | check out | glance at | looking right at
face: looking towards | looking toward | looking back at | looking out | looking out of | looking through | looking down the
face: looking straight at | look towards | look toward | turn to face
up: up | upward | upwards
down: down | downward | downwards
left: lefts | anticlockwise | anti-clockwise | counterclockwise | counter-clockwise | counter clockwise | anti clockwise
right: rights | clockwise
turn right: turn right there | go right there
look: have a look | take a look | peek | peer | tilt your camera
look left: look to your left | look to the left
look right: look to your right | look to the right
left: left | leftward | leftwards | left-hand
right: right | rightward | rightwards | right-hand
ahead: forward | forwards | ahead | straight | onward | onwards | straight ahead | straight on | dead ahead
ahead: directly ahead | in a straight line
on ahead: in front of you | ahead of you | in front | right in front of you | directly in front of you | before you
on ahead: straight in front of you | straight ahead of you | facing you
around: around | back around | round | the other way round
nearly: almost all the way round | nearly all the way round | nearly around | nearly round | almost a full circle
nearly: almost all the way around | nearly all the way around | almost around | almost round
slightly: slightly | a bit | a little | a touch | small | slight | a little bit | a tad | gently | tiny | bit | little
sharp: sharp | sharply | hard
half: half | halfway
quarter: quarter | a quarter
degrees: º | degs
degrees: degrees | degree | deg | °
oclock: o'clock | oclock | o clock
times: times | time | x | clicks | click | notches | small turns | little turns
#1 times: once | a notch | one notch | a step up | one time
#2 times: twice
#3 times: thrice
#1: one | single
#2: two | couple | a couple | a couple of | couple of | both
#3: three | few | a few | several
#3 steps: some steps
#4: four
#5: five
#6: six
#7: seven
#8: eight
#9: nine
#10: ten
#11: eleven
#12: twelve
#30: thirty
#45: forty-five | forty five
#60: sixty
#90: ninety
#120: one hundred twenty | one hundred and twenty | hundred twenty | hundred and twenty
#150: one hundred fifty | one hundred and fifty | hundred fifty | hundred and fifty
#180: one hundred eighty | one hundred and eighty | hundred eighty | hundred and eighty
nth1: first | 1st | nearest | closest | next
nth2: second | 2nd
nth3: third | 3rd
to: to | all the way to | as far as | along to | on along to
reach: over to | up to | across to | right up to
toward: towards | toward | in the direction of | closer to | nearer to | nearer | closer
reach: reach | get to | come to | arrive at | come up to | reaching | get up to | have reached | walk up to | made it to
near: left of | right of | to the left of | to the right of | on the left of | on the right of | opposite | stand at
near: standing before | against | facing away from
near: next to | close to | at | beside | near | alongside | right next to | standing next to | in front of
near: standing by | standing at | standing in front of
past: around the | round the | skirt | skirting | circle
go past: go round the | go around the
past: past | straight past | beyond | pass | passing | past by | go by | walk by | going past | pass by | right past
put: put | let | have
behind: behind you | behind | at your back | behind your back
into: into | inside | in to | back into | on into | out into | out to | and into | in through to
between: between | in the middle of
under: under | below | above | over
in: in | within
enter: enter | entering | go in | step in | walk in | go inside | step inside | walk inside | come in | head in | head inside
out: out of | out | outside of | outside
leave: leave | exit | leaving | swap | quit
from: from
through: trough
through: through | out through | via | thru | in through | straight through
along: along | across | down the length of
use: take | use | choose | pick | want | your way is | go for
gap: opening | archway | gap in the wall | arch | gap | open archway | passageway
door: front door | main door | entrance door | open door | closed door | back door | front-door
way: door frame | doorframe | next room | way through
way: doorway | door way | entrance way | entryway door | exit door | open doorway | way out | the exit | doorways
stairs up: upstairs | up stairs
stairs down: downstairs | down stairs
up: climb | ascend | climbing
down: descend | descending
stairs: foot of the stairs | bottom of the stairs | foot of the staircase | bottom of the staircase | flight of stairs
rest: rest | rest of them | rest of the way | other half | second half | remaining
end: reach the top | get to the top | at the top | at the bottom | reach the bottom | the top | the bottom
end: until you can't go any further | until you can't go further | as far as you can | as far as possible
end: to the top | to the bottom | they end | end | all the way up | all the way down | very end | far end | as you can
begin: start | begin | beginning | make a start | begin to | start to
onto: onto | on to
it: it | them
there: there | over there | over
stuff: tiles | floor | wallpaper | wall | walls | ceiling | corner | blanket | stripes | pattern | curtain rail | view | tile
stuff: basement | cellar | attic | upper floor | ground floor | first floor | next floor | floor above | floor below
stuff: thing | object | item | sky | feet | horizon | house | shade | bars | sheet | sheets
stuff: bedspread | tiling | flooring | board
here room: this room | the room | room | the room you are in | this place | the room that you are in | the area | the space
stop: stop | halt | stay | wait | stay there | stop there | stop here | stay here | halt here | come to a stop | stand still
stop: stay where you are | do not go anywhere | don't go anywhere | do not move | don't move | stop right there | remain here
stop: stop moving | you can stop | remain where you are
arrived: that is it | you are there | you have arrived | this is the place | that's it | you're there | you've arrived
arrived: you are already there | that is far enough | you're done | you are done | there you are
back: back | return | retrace your way | retrace your steps | go back | walk back
saw: you saw | you saw before | seen | where you saw | you passed | you have seen | you saw earlier | from before
remember: remember | do you remember | recall
until: so | so you | so as to | to where | until you've | till you've | until you can | till you | till you can | so you can
until: so that you | so that you can | until the | till the | until your | until you have | once you've
until: until | till | til | so that | up until | when | once you | until you | as soon as
with: with
where: where
not: no need | no | mind the | watch out for | careful of | beware of | leave out
not: not | don't | dont | never | without | doesn't | won't | isn't | can't | cannot | avoid
by: by
on: on
,: , | . | ; | : | ! | ? | — | – | ( | ) | - | / | before | after | but | or
&: and | then | after that | afterwards | finally | and then | next up | followed by
: the | a | an | your | you | i | me | my | is | are | will | be | of | for | that | this | now | just | please | okay | ok
: alright | um | uh | hmm | well | let me see | so , | now then | should | need to | could you | want to | i think
: kindly | do | thanks | if you can | thank you | would | can | could | must | might | have to | need | it is | it's
: make it | then it is | from there it is | from there | about | all the way | more | again | yourself | hand side
: hand | what is | i think you should | side | what's | you are | you're | you'll | who | which
: you've | i mean | once there | when you get there | when you are there | once inside | when inside | mind to | on the way
: striped | checkered | chequered | colourful | colorful | wide | low | narrow | bright | dark | high
: dotted | patterned | tiled | flowery | square | old | nice | framed | in between | wall-mounted
: whole | pretty | still | already | main | once you are there | once you're there | in one go
: we | us | our | let's | let us | going to | gonna | got
: alright then | so now | erm | er | oh | hey | hi | hello | robot | maybe | perhaps | actually | sorry | roughly
: only | simply | directly | immediately | almost | right there | also | too | further | farther | sure | try
: make | give | do a | was | were | as | very | quite | other | then you | way | big | large | long | tall | open | round one
: another | some | pls | plz | or so | off the floor | keep looking at the floor | keep looking at the ceiling | anywhere
: looking at your feet | looking at the floor | looking at the ceiling | they're | they are | stands | hanging | standing
: that's | it'll be | i believe | i guess | i would | i'd | you want
: here | am | been | having | they | their | its | threshold | when done | if | than | small one | you want to
: you should
"""

_THINGS_TOO = """
coat rack: coat | coat stand | coat hooks | coat hanger | jackets | jacket | hat stand
bookshelf: bookshelves | bookcases | book shelf | book case
sofa: settee | loveseat | sofa bed
armchair: recliner | easy chair | arm chair
chair: seats | stool chair
wardrobe: closet door | armoire | wardrobes
kitchen cabinet, kitchen island, bar counter: counter | counters | worktop | countertop | kitchen counter | work surface
table lamp, floor lamp, wall lamp: light | lights | lamps
computer monitor, tv, projector screen: screen
tv: telly | tv set
computer monitor: computer
cushion: pillows
blinds: blind
towel: hand towel
air conditioner: ac | air con | aircon | ac unit
grandfather clock: longcase clock | standing clock
fan: ventilator
suitcase: luggage | bag
toilet: toilet seat
stove, oven: cooker | hob | range
planter, bush, tree: cactus | fern | succulent | greenery | pot plant | flower pot | plants | palm
picture: portrait | portraits | drawing | print | landscape | canvas | photos
box, wall cabinet: first aid box | first-aid box | first aid kit | first-aid kit | first aid cabinet | medicine cabinet
rug: doormat | door mat | runner
chair: dining chair | dining chairs | kitchen chair | wooden chair
dining table: dining-table | round table
refrigerator: icebox | freezer
fireplace: chimney | mantelpiece
trash can: dustbin | rubbish bin | waste bin | garbage can
sofa, armchair, bench: seating | couches
picture: pictures | paintings | photo | photograph | frame | picture frame | wall art | poster
bathtub: bath tub
shower: shower cabin | shower stall
sink: wash basin | basin | sinks
toilet: loo | toilet bowl
rug: carpets | rugs | mat
shelf, bookshelf: shelves | shelving
dresser: drawers | chest
table, dining table, coffee table, desk: tables
desk: work table | office desk
washing machine: washing machines | dryer
exercise bike, treadmill, rowing machine: exercise machine | gym equipment
cushion: cushions
window: windows
curtains: curtain
box: chest | crate
boiler: tank
bed: double bed | single bed | beds
bedside table: nightstands
dining table: big table | large table | long table
coffee table: low table
console table: narrow table
side table: little table | small table
railing: rail | railings | bannister | handrail | balustrade
"""
_ROOMS_TOO = """
a: bath room | shower room
h: hallways | corridors | landing | passageway hall
l: livingroom | front room | lounge room
d: dining-room
e: entrance | vestibule | lobby | front hall
r: play room | rec room
o: home office
w: fitness room
x: yard | outdoors | outside
y: terrace
B: bar room
j: laundry area
k: kitchen area
b: bed room
g: carport
"""

LONGEST = 400
"""Characters that are read."""

_TOKEN = re.compile(r"[0-9]+(?:[.,][0-9]+)?|[a-z][a-z'’-]*|\S", re.IGNORECASE)
_ORDINAL = re.compile(r"[0-9]+(?:st|nd|rd|th)\b", re.IGNORECASE)
_LEAST = 4
"""Letters of a word in which one may be wrong."""


class Sign(NamedTuple):
    """What a stretch of a text means, as one sign or none ("" for words that add nothing, "?" for unknown ones)."""

    sign: str
    start: int
    end: int


UNKNOWN = "?"
_SPECIAL = {("thing", DOOR): "door", ("thing", STAIRS): "stairs"}


def signs(text: str) -> list[Sign]:
    """What the words of a text mean, those of no meaning left out."""
    words = [(match[0].lower().replace("’", "'"), *match.span()) for match in _tokens(text)]
    known = [_respelt(word) for word, _, _ in words]
    found: list[Sign] = []
    at = 0
    while at < len(words):
        size, meant = _longest(known, at, bool(found) and found[-1].sign.startswith("#"))
        start, end = words[at][1], words[at + size - 1][2]
        found += [Sign(_counted(each, known[at], found, known[at - 1] if at else ""), start, end) for each in meant]
        at += size
    return [each for each in found if each.sign]


def _tokens(text: str) -> Iterator[re.Match[str]]:
    at = 0
    while match := _TOKEN.search(text, at, LONGEST):
        match = _ORDINAL.match(text, match.start(), LONGEST) or match
        yield match
        at = match.end()


def _longest(words: Sequence[str], at: int, counted: bool) -> tuple[int, tuple[str, ...]]:
    """How many words from one on mean something together, and what."""
    table, most = phrases()
    most = 1 if counted and words[at].startswith("step") else most  # "one step in", but "step in"
    for size in range(min(most, len(words) - at), 0, -1):
        if (meant := table.get(tuple(words[at : at + size]))) is not None:
            return size, meant
    return 1, (_number(words[at]) or UNKNOWN,)


def _number(word: str) -> str:
    """The sign of a number in digits; what is too large to be meant becomes 1000."""
    digits = re.match("[0-9]+", word)
    return f"#{min(int(digits[0][:5]), 1000)}" if digits else ""


def _counted(sign: str, word: str, before: Sequence[Sign], said: str) -> str:
    """A step is counted after a number; else "step" is to walk, and "the steps" are stairs."""
    if sign != "step":
        return sign
    last = next((each.sign for each in reversed(before) if each.sign), "")
    if last.startswith("#") or said == "a":
        return "steps"
    return "go" if word in ("step", "stepping") else "stairs"


@cache
def phrases() -> tuple[dict[tuple[str, ...], tuple[str, ...]], int]:
    """Words → the signs that they mean; and the most words of a phrase."""
    table: dict[tuple[str, ...], tuple[str, ...]] = {}
    for kind, nouns in (("thing", THINGS), ("room", ROOMS), ("hue", HUES)):
        for number, noun in enumerate(nouns):
            for word in _forms(noun):
                table.setdefault(word, (_SPECIAL.get((kind, number), f"{kind}{number}"),))
    for kind, nouns, more in (("thing", THINGS, _THINGS_TOO), ("room", ROOMS, _ROOMS_TOO)):
        number_of = {noun.name: number for number, noun in enumerate(nouns)}
        for names, words in _lines(more):
            sign = kind + "_".join(str(number_of[name]) for name in names.split(", "))
            for word in words:
                table.setdefault(word, (sign,))
    table |= dict.fromkeys((("step",), ("steps",), ("pace",), ("paces",), ("stepping",)), ("step",))
    for meant, words in _lines(_SAID):
        table |= {word: tuple(meant.split()) or ("",) for word in words}
    return table, max(map(len, table))


def _lines(text: str) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    for line in text.strip().splitlines():
        meant, said = line.split(": ", 1)
        yield meant, [tuple(phrase.split()) for phrase in said.split("|")]


def _forms(noun: Noun) -> Iterator[tuple[str, ...]]:
    """What something is called, also where there are several."""
    for words in (*noun.words, *noun.held_out):
        yield tuple(words.split())
        if not words.endswith("s"):
            yield tuple(f"{words}{'es' if words.endswith(('x', 'ch', 'sh')) else 's'}".split())


@cache
def _known() -> dict[str, frozenset[str]]:
    """First or second letter and length → words in which a letter may be wrong."""
    groups: dict[str, set[str]] = {}
    for word in {word for phrase in phrases()[0] for word in phrase}:
        if len(word) >= _LEAST:
            for letter in word[:2]:
                groups.setdefault(letter, set()).add(word)
    return {letter: frozenset(words) for letter, words in groups.items()}


@cache
def _words() -> frozenset[str]:
    return frozenset(word for phrase in phrases()[0] for word in phrase)


def _respelt(word: str) -> str:
    """A word, or the known one that it is but for one letter; itself where there is none, or several."""
    bare = word.removesuffix("'s")
    if bare != word and word not in _words() and bare in _words():
        return bare
    if word in _words() or len(word) < _LEAST or not word.isalpha():
        return word
    near = {each for letter in word[:2] for each in _known().get(letter, ()) if _one_off(word, each)}
    return near.pop() if len(near) == 1 else word


def _one_off(one: str, other: str) -> bool:
    """Whether two words differ by one letter: another, missing, too many, or two in the wrong order."""
    if abs(len(one) - len(other)) > 1:
        return False
    start = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    a, b = one[start:], other[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and len(b) > 1 and a[2:] == b[2:])

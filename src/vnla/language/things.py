"""What people call things, rooms and colours: the nouns of the grammar.

A line has what people call a thing, the usual words first; after a tilde those that no agent hears in training. Labels that
are not here are never mentioned: too small, or nothing one would steer by.
"""

from __future__ import annotations

import colorsys
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vnla.houses.scene import Colour, Material, Part

_THINGS = """
air conditioner: air conditioner
aquarium: aquarium | fish tank
armchair, lounge chair, recliner: armchair ~ easy chair
bar counter: bar counter
bar stool: bar stool
barbecue: barbecue | grill
basket, laundry basket: basket
bathtub: bathtub | tub ~ bath
bean bag: bean bag
bed: bed
bedside table: bedside table | nightstand ~ night table
bench, dining bench, piano bench, garden bench, weight bench: bench
bicycle: bicycle | bike
bidet: bidet
blackboard: blackboard
blinds: blinds
boiler, water heater: boiler | water heater
bookshelf: bookshelf | bookcase ~ shelf of books
booth seat: booth
box, cardboard box, chest: box
bunk bed: bunk bed
bush: bush
cabinet, filing cabinet: cabinet | cupboard
car: car
chair, dining chair, garden chair, high chair, office chair, rocking chair: chair ~ seat
chandelier: chandelier
china cabinet: china cabinet | display cabinet
clock: clock
clothes rack: clothes rack
coat rack, coat hooks: coat rack ~ coats
coffee table: coffee table
computer monitor: monitor | computer screen
console table: console table
crib: crib ~ cot
curtains: curtains | drapes
cushion, pillow: cushion | pillow
desk, school desk: desk ~ writing table
dining table, meeting table: dining table ~ dinner table
dishwasher: dishwasher
door, garage door: door
dresser, chest of drawers: dresser | chest of drawers ~ drawers
drum kit: drums | drum kit
drying rack: drying rack
easel: easel
exercise ball: exercise ball
exercise bike: exercise bike
fan: fan
fireplace: fireplace ~ hearth
floor lamp: floor lamp | standing lamp
flowers: flowers | bouquet
fountain: fountain
grandfather clock: grandfather clock
guitar: guitar
ironing board: ironing board
jukebox: jukebox
kitchen cabinet: kitchen cabinet | kitchen unit ~ kitchen cupboard
kitchen island: kitchen island | island
ladder: ladder
lectern: lectern
map: map
massage table: massage table
microwave: microwave
mirror, bathroom mirror, standing mirror: mirror ~ looking glass
notice board: notice board
ottoman: ottoman | footstool
oven: oven
pedestal: pedestal
piano: piano
picture, painting, poster, photo, wall hanging: picture | painting ~ artwork
planter, potted plant, plant, small plant, hanging plant: plant | potted plant ~ houseplant
pool table: pool table ~ billiard table
printer: printer
projector screen: projector screen
punching bag: punching bag
radiator, towel radiator: radiator ~ heater
railing: railing ~ banister
refrigerator: fridge | refrigerator
room divider: room divider | folding screen
rowing machine: rowing machine
rug: rug | carpet ~ mat
sculpture, statue: sculpture | statue
shelf, wall shelf: shelf
shoe rack: shoe rack
shower: shower
side table: side table | end table
sideboard: sideboard ~ buffet
sink, washbasin, washbasin cabinet: sink | washbasin ~ basin
sofa, swing seat: sofa | couch ~ settee
speaker: speaker
stairs: stairs | staircase ~ steps
stool: stool
stove: stove | cooker
suitcase: suitcase
table, folding table, garden table: table
table football: foosball table
table lamp, desk lamp: table lamp | lamp
table tennis table: ping pong table
toilet: toilet
towel, folded towels, towel rail: towel | towels
trash can: trash can | bin ~ wastebasket
treadmill: treadmill
tree: tree
tv, wall tv: tv | television
tv stand: tv stand | tv cabinet
umbrella stand: umbrella stand
vanity table: vanity table | dressing table
vase: vase
wall cabinet, medicine cabinet: wall cabinet | wall cupboard
wall lamp: wall lamp | wall light
wardrobe: wardrobe | closet doors ~ armoire
washing machine, dryer: washing machine | washer
whiteboard: whiteboard
window: window
workbench: workbench
"""

_HUNG = {"chandelier", "fan", "wall lamp", "air conditioner", "curtains", "blinds", "window", "clock", "shelf"}
"""Seen and faced, but neither walked up to nor passed: they hang, or are all along a wall."""

_CATEGORIES = {
    "chair": "chair",
    "table": "table",
    "picture": "picture",
    "cabinet": "cabinet",
    "cushion": "cushion",
    "sofa": "sofa",
    "bed": "bed",
    "chest_of_drawers": "dresser",
    "plant": "planter",
    "sink": "sink",
    "toilet": "toilet",
    "stool": "stool",
    "towel": "towel",
    "mirror": "mirror",
    "tv_monitor": "tv",
    "shower": "shower",
    "bathtub": "bathtub",
    "fireplace": "fireplace",
    "shelving": "shelf",
    "stairs": "stairs",
    "railing": "railing",
    "window": "window",
    "curtain": "curtains",
    "blinds": "blinds",
    "door": "door",
}
"""Class among Matterport3D's 40 → a noun for things of it whose own label is not above."""

_ROOMS = """
a: bathroom ~ washroom
b: bedroom
c: closet
d: dining room | dining area
e: entryway | entrance hall ~ foyer
f: family room
g: garage
h: hallway | hall | corridor ~ passage
i: library
j: laundry room | laundry
k: kitchen
l: living room | sitting room
m: meeting room
n: lounge
o: office | study
p: porch
r: recreation room | games room
t: restroom ~ wc
u: utility room
v: tv room
w: gym
x: garden
y: balcony
B: bar
C: classroom
S: spa
"""

_HUES = """
red: red
orange: orange
yellow: yellow
green: green
blue: blue
purple: purple ~ violet
pink: pink
brown: brown
beige: beige ~ tan
black: black
white: white
grey: grey | gray
wooden: wooden
"""


class Noun(NamedTuple):
    """What people call a kind of thing, and what they call it when nobody has trained on that."""

    name: str
    words: tuple[str, ...]
    held_out: tuple[str, ...]


def _noun(name: str, text: str) -> Noun:
    usual, _, rare = text.partition("~")
    return Noun(name, _words(usual), _words(rare))


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split("|") if word.strip())


def _table(text: str) -> tuple[Noun, ...]:
    return tuple(_noun(*line.split(": ", 1)) for line in text.strip().splitlines())


_LINES = _table(_THINGS)
THINGS = tuple(noun._replace(name=noun.name.split(", ")[0]) for noun in _LINES)
"""Kinds of things, by number."""
ROOMS = _table(_ROOMS)
"""Kinds of rooms, by number; their names are Matterport3D's letters."""
HUES = _table(_HUES)
"""Colours, by number."""

_LABELS = {label: number for number, noun in enumerate(_LINES) for label in noun.name.split(", ")}
_BY_CATEGORY = {name: _LABELS[noun] for name, noun in _CATEGORIES.items()}
_ROOM_NUMBER = {noun.name: number for number, noun in enumerate(ROOMS)}
_HUE_NUMBER = {noun.name: number for number, noun in enumerate(HUES)}

NOTHING = -1
"""Stands for no noun and for no colour."""
DOOR = _LABELS["door"]
STAIRS = _LABELS["stairs"]


def thing_of(label: str, category: str | None = None) -> int:
    """The number of the noun for a thing, or NOTHING."""
    found = _LABELS.get(label.lower())
    return _BY_CATEGORY.get(category or "", NOTHING) if found is None else found


def room_of(label: str) -> int:
    """The number of the noun for a room's letter, or NOTHING."""
    return _ROOM_NUMBER.get(label, NOTHING)


def _mistaken() -> NDArray[np.bool_]:
    ends = [[word.split() for word in noun.words + noun.held_out] for noun in THINGS]
    return np.array(
        [[any(b[-len(a) :] == a for a in one for b in other) for other in ends] for one in ends]
    )  # "table" may be a coffee table


MISTAKEN = _mistaken()
"""(things, things): whether a word for the first may be taken for the second; for itself it always may."""


def hangs(thing: int) -> bool:
    """Whether nobody would walk up to such a thing, or past it."""
    return THINGS[thing].name in _HUNG or thing in (DOOR, STAIRS)


def hue_of(parts: Iterable[Part], least: float = 0.6) -> int:
    """The colour that most of a thing's surface has, by area, or NOTHING where none has so much of it."""
    areas: dict[int, float] = {}
    for part in parts:
        a, b, c = part.size
        name = _material_hue(part.material)
        areas[name] = areas.get(name, 0.0) + a * b + b * c + c * a
    if not areas:
        return NOTHING
    hue = max(areas, key=lambda each: areas[each])
    return hue if areas[hue] >= least * sum(areas.values()) else NOTHING


def _material_hue(material: Material) -> int:
    if material.glow > 0 or material.gloss > 0.7 or material.pattern in ("picture", "screen", "books", "metal"):
        return NOTHING
    if material.pattern in ("wood", "planks"):
        hue, saturation, _ = colorsys.rgb_to_hsv(*material.colour)
        return _HUE_NUMBER["wooden"] if 12 <= hue * 360 <= 50 and saturation > 0.25 else NOTHING
    name = colour_name(material.colour)
    if material.pattern in ("stripes", "checks", "dots", "leaves", "marble") and material.accent is not None:
        name = name if name == colour_name(material.accent) else None
    return NOTHING if name is None else _HUE_NUMBER[name]


def colour_name(colour: Colour) -> str | None:
    """What most people would call a colour, or None where they would not agree."""
    hue, saturation, value = colorsys.rgb_to_hsv(*colour)
    degrees = hue * 360
    if value < 0.2:
        return "black"
    if saturation < 0.1:
        return "white" if value > 0.85 else "grey" if 0.25 < value < 0.75 else None
    if saturation < 0.2:
        return None
    for name, low, high, pale, dark in _REGIONS:
        if low <= degrees < high:
            if saturation < 0.4 and value > 0.7:
                return pale
            return dark if value < 0.5 else name if saturation >= 0.45 else None
    return None


# Degrees of hue from and to, and what the region is called when it is pale, or dark.
_REGIONS: tuple[tuple[str | None, float, float, str | None, str | None], ...] = (
    ("red", 0, 10, "pink", "brown"),
    (None, 10, 18, None, "brown"),
    ("orange", 18, 38, "beige", "brown"),
    ("yellow", 44, 62, "beige", None),
    ("green", 75, 160, "green", "green"),
    ("blue", 200, 250, "blue", "blue"),
    ("purple", 258, 295, "purple", "purple"),
    ("pink", 305, 340, "pink", "purple"),
    ("red", 348, 360.1, "pink", "red"),
)

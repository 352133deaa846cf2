"""Kitchen units, appliances and what stands on the worktop."""

# ruff: noqa: ARG001 - every maker takes (random, style), whether it draws from them or not

from __future__ import annotations

from random import Random

from vnla.houses.generate.catalogue.materials import (
    BLACK,
    CERAMIC,
    CHROME,
    DARK,
    DARK_GLASS,
    GLASS,
    IRON,
    PAPER,
    STEEL,
    WHITE,
    accent,
    darker,
    plain_cloth,
    plastic,
    wood,
)
from vnla.houses.generate.catalogue.pieces import (
    FRONT,
    Furniture,
    Spot,
    Top,
    ball,
    bar,
    box,
    build,
    disc,
    four_legs,
    rod,
    row,
)
from vnla.houses.generate.catalogue.registry import AtSpot, AtWall, InMiddle, InRow, OnTop, OnWall, thing
from vnla.houses.generate.catalogue.storage import doors, drawers
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material, Part

COUNTER = 0.9
"""Height of the worktop."""
DEPTH = 0.6

_TABLES = ("dining table", "coffee table", "kitchen island", "garden table", "kitchen cabinet", "bar counter")


def _carcass(style: Style, width: float) -> list[Part]:
    """Plinth, body and worktop of a base unit; the splashback is the wall's."""
    return [
        box(0, 0.03, 0, width, DEPTH - 0.06, 0.1, DARK),
        box(0, 0.01, 0.1, width, DEPTH - 0.02, COUNTER - 0.14, darker(style.units, 0.9)),
        box(0, 0, COUNTER - 0.04, width, DEPTH, 0.04, style.worktop),
    ]


@thing("kitchen cabinet", "cabinet", InRow(), {"k": 4.2, "B": 0.8, "j": 0.8, "m": 0.2, "u": 0.4}, rank=4)
def kitchen_cabinet(random: Random, style: Style, width: float = 0.0) -> Furniture:
    """A base unit with a worktop: doors, or a stack of drawers."""
    width = width or random.choice((0.6, 0.8, 1.0))
    front, inside = -DEPTH / 2 + 0.01, COUNTER - 0.17
    if width < 0.75 and random.random() < 0.5:
        parts = drawers(width - 0.01, front, 0.12, inside, 3, 1, style.units, style.metal)
    else:
        parts = doors(width - 0.01, front, 0.12, inside, 1 if width < 0.65 else 2, style.units, style.metal)
    return build(
        [*_carcass(style, width), *parts],
        tops=[Top(0, 0.02, COUNTER, width - 0.06, DEPTH - 0.14, 0.5)],
        spots={"sink": [Spot(0, 0.0, COUNTER)]},
    )


@thing(
    "wall cabinet",
    "cabinet",
    OnWall(1.78, above=("kitchen cabinet", "dishwasher", "washing machine", "dryer"), only_above=True, as_wide=True),
    {"k": 3.4, "j": 1, "u": 0.3, "B": 0.4},
    rank=1,
)
def wall_cabinet(random: Random, style: Style, width: float = 0.0) -> Furniture:
    """A cupboard above the worktop."""
    width = width or random.choice((0.6, 0.8))
    return build(
        [
            box(0, 0.01, 0, width, 0.32, 0.66, darker(style.units, 0.9)),
            *doors(width - 0.01, -0.16, 0.01, 0.64, 1 if width < 0.65 else 2, style.units, style.metal),
        ]
    )


@thing("kitchen island", "counter", InMiddle(clear=0.75), {"k": 0.7}, area=14, rank=5)
def kitchen_island(random: Random, style: Style) -> Furniture:
    """A block with a worktop that overhangs on the side where one sits."""
    width = random.uniform(1.2, 1.8)
    parts = [
        box(0, 0.03, 0, width - 0.08, 0.5, 0.1, DARK),
        box(0, 0.05, 0.1, width - 0.04, 0.56, 0.76, darker(style.units, 0.92)),
        box(0, 0, 0.86, width, 0.85, 0.045, style.worktop),
    ]
    parts += [box(x, -0.24, 0.14, width / 3 - 0.08, 0.02, 0.66, style.units) for x in row(3, width - 0.06)]
    parts += [part.moved(0, 0, 0, FRONT) for part in doors(width - 0.05, -0.34, 0.14, 0.66, 3, style.units, style.metal)]
    spots = {"bar stool": [Spot(x, -0.445, 0, FRONT) for x in row(max(2, int(width / 0.55)), width)]}
    return build(parts, tops=[Top(0, 0.05, 0.905, width - 0.1, 0.6)], spots=spots)


@thing("refrigerator", "appliances", InRow(), {"k": 1, "u": 0.2, "B": 0.3, "g": 0.2}, rank=0)
def refrigerator(random: Random, style: Style) -> Furniture:
    """Freezer door below or above, upright handles."""
    body = random.choice(
        (STEEL, STEEL, WHITE, WHITE, Material((0.12, 0.12, 0.13), gloss=0.3), Material(accent(random, style), gloss=0.35))
    )
    width, height = random.uniform(0.62, 0.78), random.uniform(1.7, 1.9)
    split = random.choice((0.36, 0.66)) * height
    parts = [
        box(0, 0.03, 0.03, width, 0.6, height - 0.03, darker(body, 0.88)),
        box(0, 0.03, 0, width - 0.06, 0.54, 0.03, BLACK),
    ]
    parts += [
        box(0, -0.29, 0.05, width, 0.05, split - 0.055, body),
        box(0, -0.29, split + 0.005, width, 0.05, height - split - 0.005, body),
    ]
    parts += [
        box(-width / 2 + 0.07, -0.34, z, 0.025, 0.05, 0.32, CHROME)
        for z in (split - 0.4 if split > 0.9 else split - 0.36, split + 0.06)
    ]
    return build(parts)


@thing("stove", "appliances", InRow(), {"k": 1}, rank=1)
def stove(random: Random, style: Style) -> Furniture:
    """A range: oven door with a window, knobs, four rings."""
    body = random.choice((STEEL, WHITE, DARK, STEEL))
    parts = [box(0, 0.02, 0, 0.6, 0.56, 0.88, darker(body, 0.9)), box(0, 0, 0.88, 0.6, 0.6, 0.03, DARK_GLASS)]
    parts += [
        box(0, -0.27, 0.22, 0.57, 0.03, 0.48, body),
        box(0, -0.287, 0.3, 0.42, 0.012, 0.28, DARK_GLASS),
        bar("x", 0, -0.31, 0.67, 0.48, 0.025, CHROME),
    ]
    parts += [box(0, -0.265, 0.04, 0.57, 0.03, 0.15, body), box(0, -0.265, 0.73, 0.6, 0.03, 0.15, body)]
    parts += [disc("y", x, -0.295, 0.8, 0.05, 0.04, BLACK) for x in row(5, 0.55)]
    parts += [rod(x, y, 0.91, 0.19, 0.012, IRON) for x in (-0.14, 0.14) for y in (-0.13, 0.14)]
    return build(
        parts,
        spots={"pan": [Spot(0.14, 0.14, 0.922)], "pot": [Spot(-0.14, -0.13, 0.922)], "kettle": [Spot(-0.14, 0.14, 0.922)]},
    )


@thing("range hood", "appliances", OnWall(1.85, above=("stove",), only_above=True), {"k": 1}, rank=0)
def range_hood(random: Random, style: Style) -> Furniture:
    """A chimney over the stove."""
    body = random.choice((STEEL, STEEL, BLACK, WHITE))
    return build(
        [
            box(0, 0, 0, 0.6, 0.48, 0.06, body),
            box(0, 0.0, 0.06, 0.6, 0.48, 0.2, body, taper=0.45),
            box(0, 0.1, 0.2, 0.26, 0.26, 0.45, body),
            box(0, 0.0, 0.005, 0.5, 0.38, 0.002, DARK),
        ]
    )


@thing("sink", "sink", AtSpot(("kitchen cabinet",)), {"k": 1, "jB": 1, "u": 0.4}, rank=0)
def sink(random: Random, style: Style) -> Furniture:
    """A basin let into the worktop, with its tap."""
    steel = STEEL if random.random() < 0.7 else CERAMIC
    width = random.uniform(0.48, 0.54)
    parts = [
        box(0, 0, 0, width, 0.42, 0.012, steel),
        box(0, -0.02, 0.0121, width - 0.07, 0.32, 0.002, darker(steel, 0.5)),
        rod(0, -0.02, 0.0142, 0.05, 0.002, DARK),
    ]
    parts += [
        rod(0, 0.18, 0.012, 0.03, 0.27, CHROME),
        bar("y", 0, 0.1, 0.275, 0.18, 0.022, CHROME),
        rod(0, 0.02, 0.22, 0.022, 0.05, CHROME),
        box(0.07, 0.18, 0.012, 0.03, 0.03, 0.06, CHROME),
    ]
    return build(parts)


@thing("dishwasher", "appliances", InRow(), {"k": 0.8}, area=7, rank=2)
def dishwasher(random: Random, style: Style) -> Furniture:
    """Under the worktop: a steel or white door with a control strip."""
    front = random.choice((STEEL, WHITE))
    parts = [
        *_carcass(style, 0.6),
        box(0, -0.29, 0.12, 0.58, 0.03, 0.6, front),
        box(0, -0.295, 0.73, 0.58, 0.03, 0.12, DARK),
        bar("x", 0, -0.32, 0.69, 0.46, 0.022, CHROME),
    ]
    parts += [disc("y", x, -0.315, 0.79, 0.02, 0.01, CHROME) for x in (0.16, 0.2, 0.24)]
    return build(parts, tops=[Top(0, 0.02, COUNTER, 0.54, DEPTH - 0.14, 0.5)])


@thing("oven", "appliances", InRow(), {"k": 0.25}, area=11, rank=3)
def oven(random: Random, style: Style) -> Furniture:
    """A tall unit with a built-in oven at eye level."""
    parts = [
        box(0, 0.01, 0, 0.6, 0.58, 2.0, darker(style.units, 0.92)),
        *doors(0.59, -0.29, 0.1, 0.6, 1, style.units, style.metal),
    ]
    parts += [part.moved(0, 0, 1.33) for part in doors(0.59, -0.29, 0.03, 0.6, 1, style.units, style.metal)]
    parts += [
        box(0, -0.29, 0.74, 0.58, 0.04, 0.58, STEEL),
        box(0, -0.312, 0.8, 0.46, 0.012, 0.32, DARK_GLASS),
        bar("x", 0, -0.33, 1.17, 0.46, 0.025, CHROME),
    ]
    parts += [disc("y", x, -0.32, 1.25, 0.05, 0.03, BLACK) for x in (-0.18, 0.18)]
    return build(parts)


@thing(
    "microwave",
    "appliances",
    OnTop(("kitchen cabinet", "dishwasher", "bar counter", "sideboard")),
    {"k": 0.9, "B": 0.3, "m": 0.2},
    rank=3,
)
def microwave(random: Random, style: Style) -> Furniture:
    """A door with a dark window and a panel of buttons."""
    body = random.choice((STEEL, WHITE, BLACK))
    parts = [
        box(0, 0, 0.01, 0.48, 0.36, 0.27, body),
        box(-0.07, -0.182, 0.035, 0.31, 0.012, 0.22, DARK_GLASS),
        box(0.165, -0.182, 0.035, 0.12, 0.012, 0.22, DARK),
    ]
    parts += [
        box(0.165, -0.19, 0.2, 0.09, 0.006, 0.035, Material((0.25, 0.75, 0.55), glow=0.5)),
        box(0.095, -0.2, 0.06, 0.018, 0.03, 0.17, CHROME),
        box(0, 0, 0, 0.42, 0.3, 0.01, BLACK),
    ]
    parts += [box(0.165 + dx, -0.19, z, 0.025, 0.006, 0.025, WHITE) for dx in (-0.03, 0.02) for z in (0.06, 0.11, 0.16)]
    return build(parts, tops=[Top(0, 0, 0.28, 0.4, 0.3, 0.25)])


@thing(
    "kettle",
    "appliances",
    OnTop(("kitchen cabinet", "dishwasher", "kitchen island", "bar counter")),
    {"k": 0.8, "m": 0.2, "o": 0.1, "B": 0.3},
    rank=4,
)
def kettle(random: Random, style: Style) -> Furniture:
    """A jug on its base, handle behind and spout before."""
    body = random.choice((STEEL, WHITE, BLACK, Material(accent(random, style), gloss=0.4)))
    parts = [
        rod(0, 0, 0, 0.17, 0.02, BLACK),
        rod(0, 0, 0.02, 0.16, 0.2, body, 0.75),
        rod(0, 0, 0.22, 0.11, 0.015, BLACK),
        ball(0, 0, 0.23, 0.03, 0.03, 0.03, BLACK),
    ]
    parts += [
        box(0, -0.085, 0.16, 0.04, 0.06, 0.045, body, taper=0.6),
        box(0, 0.1, 0.19, 0.025, 0.07, 0.025, BLACK),
        box(0, 0.13, 0.07, 0.025, 0.025, 0.145, BLACK),
    ]
    return build(parts)


@thing("toaster", "appliances", OnTop(("kitchen cabinet", "dishwasher", "kitchen island")), {"k": 0.7}, rank=4)
def toaster(random: Random, style: Style) -> Furniture:
    """Two slots, a lever; some with toast."""
    body = random.choice((STEEL, Material(accent(random, style), gloss=0.4), WHITE))
    parts = [
        box(0, 0, 0.015, 0.3, 0.18, 0.17, body, taper=0.94),
        box(0, 0, 0, 0.28, 0.16, 0.015, BLACK),
        box(0.152, 0, 0.1, 0.02, 0.04, 0.02, BLACK),
    ]
    parts += [box(0, y, 0.184, 0.22, 0.028, 0.003, BLACK) for y in (-0.035, 0.035)]
    if random.random() < 0.5:
        parts += [box(0, y, 0.17, 0.12, 0.018, 0.07, Material((0.72, 0.48, 0.24))) for y in (-0.035, 0.035)]
    return build(parts)


@thing(
    "coffee machine",
    "appliances",
    OnTop(("kitchen cabinet", "dishwasher", "kitchen island", "bar counter", "sideboard")),
    {"k": 0.7, "m": 0.3, "o": 0.15, "B": 0.5},
    rank=4,
)
def coffee_machine(random: Random, style: Style) -> Furniture:
    """A tower with a spout over a glass jug."""
    body = random.choice((BLACK, STEEL, Material((0.7, 0.1, 0.1), gloss=0.4)))
    coffee = Material((0.16, 0.08, 0.04), gloss=0.5)
    return build(
        [
            box(0, 0, 0, 0.22, 0.28, 0.04, body),
            box(0, 0.09, 0.04, 0.2, 0.1, 0.3, body),
            box(0, 0, 0.25, 0.22, 0.28, 0.09, body),
            rod(0, -0.04, 0.05, 0.13, 0.1, coffee),
            rod(0, -0.04, 0.15, 0.12, 0.04, GLASS, 0.8),
            box(0, -0.13, 0.07, 0.02, 0.05, 0.08, BLACK),
            box(0, -0.142, 0.28, 0.1, 0.006, 0.03, CHROME),
        ]
    )


@thing(
    "blender",
    "appliances",
    OnTop(("kitchen cabinet", "dishwasher", "kitchen island", "bar counter")),
    {"k": 0.35, "B": 0.4},
    rank=5,
)
def blender(random: Random, style: Style) -> Furniture:
    """A glass beaker on a motor."""
    return build(
        [
            rod(0, 0, 0, 0.17, 0.13, random.choice((STEEL, BLACK, WHITE)), 0.75),
            rod(0, 0, 0.13, 0.1, 0.2, GLASS, 1.4),
            rod(0, 0, 0.33, 0.14, 0.03, BLACK),
            rod(0, 0, 0.36, 0.06, 0.025, BLACK),
            disc("y", 0, -0.085, 0.05, 0.04, 0.02, CHROME),
        ]
    )


@thing("knife block", "objects", OnTop(("kitchen cabinet", "dishwasher", "kitchen island")), {"k": 0.6}, rank=5)
def knife_block(random: Random, style: Style) -> Furniture:
    """A wooden block with handles sticking out."""
    block = wood(random, style)
    parts = [box(0, 0, 0, 0.11, 0.17, 0.05, block), box(0, 0.02, 0.05, 0.11, 0.13, 0.14, block, taper=0.8)]
    parts += [
        box(x, y, 0.19, 0.018, 0.025, random.uniform(0.07, 0.1), BLACK) for x in (-0.03, 0, 0.03) for y in (-0.01, 0.04)
    ]
    return build(parts)


@thing("cutting board", "objects", OnTop(("kitchen cabinet", "kitchen island", "dishwasher")), {"k": 0.7}, rank=5)
def cutting_board(random: Random, style: Style) -> Furniture:
    """A board with a loaf or some vegetables."""
    board = wood(random, style)
    parts = [box(0, 0, 0, 0.36, 0.24, 0.022, board), box(-0.21, 0, 0, 0.07, 0.06, 0.022, board)]
    if random.random() < 0.5:
        parts.append(ball(0.03, 0, 0.02, 0.26, 0.12, 0.1, Material((0.72, 0.46, 0.22))))
    else:
        parts += [
            ball(0.06 * i - 0.05, 0.03 * (-1) ** i, 0.02, 0.065, 0.065, 0.06, Material((0.80, 0.15, 0.10), gloss=0.3))
            for i in range(3)
        ]
    return build(parts)


@thing(
    "paper towel",
    "objects",
    OnTop(("kitchen cabinet", "dishwasher", "kitchen island", "workbench")),
    {"k": 0.6, "g": 0.3, "j": 0.3},
    rank=5,
)
def paper_towel(random: Random, style: Style) -> Furniture:
    """A roll on its stand."""
    stand = style.metal if random.random() < 0.5 else wood(random, style)
    return build(
        [
            rod(0, 0, 0, 0.16, 0.015, stand),
            rod(0, 0, 0.015, 0.13, 0.24, PAPER),
            rod(0, 0, 0.255, 0.02, 0.05, stand),
            ball(0, 0, 0.3, 0.03, 0.03, 0.03, stand),
        ]
    )


@thing("pan", "objects", AtSpot(("stove",)), {"k": 0.6}, rank=4)
def pan(random: Random, style: Style) -> Furniture:
    """A frying pan with a long handle."""
    stuff = random.choice((IRON, STEEL))
    return build(
        [
            rod(0, 0.0, 0, 0.22, 0.05, stuff, 1.15),
            rod(0, 0, 0.0505, 0.22, 0.002, BLACK),
            box(0, -0.21, 0.035, 0.03, 0.2, 0.02, BLACK),
        ]
    )


@thing("pot", "objects", AtSpot(("stove",)), {"k": 0.6}, rank=4)
def pot(random: Random, style: Style) -> Furniture:
    """A saucepan with a lid and two ears."""
    stuff = random.choice(
        (STEEL, Material(accent(random, style), gloss=0.35), Material((0.70, 0.38, 0.22), "metal", gloss=0.5))
    )
    parts = [
        rod(0, 0, 0, 0.21, 0.13, stuff),
        rod(0, 0, 0.13, 0.22, 0.02, darker(stuff, 0.9), 0.8),
        ball(0, 0, 0.15, 0.035, 0.035, 0.03, BLACK),
    ]
    return build([*parts, box(0, 0, 0.09, 0.29, 0.05, 0.02, BLACK)])


@thing(
    "cup",
    "objects",
    OnTop((*_TABLES, "desk", "bedside table", "side table", "meeting table")),
    {"k": 1.4, "d": 1.5, "o": 0.8, "l": 0.6, "B": 1.5, "m": 1.2, "fvn": 0.4, "D": 1, "b": 0.3, "p": 0.4},
    rank=7,
)
def cup(random: Random, style: Style) -> Furniture:
    """A mug with its handle, full of coffee."""
    stuff = Material(accent(random, style), gloss=0.4) if random.random() < 0.6 else CERAMIC
    coffee = Material((0.20, 0.11, 0.06), gloss=0.3)
    return build(
        [
            rod(0, 0, 0, 0.085, 0.1, stuff),
            rod(0, 0, 0.1, 0.07, 0.002, coffee),
            box(0.055, 0, 0.075, 0.035, 0.015, 0.015, stuff),
            box(0.055, 0, 0.02, 0.035, 0.015, 0.015, stuff),
            box(0.068, 0, 0.02, 0.014, 0.015, 0.07, stuff),
        ]
    )


@thing(
    "plate",
    "objects",
    OnTop(("dining table", "kitchen island", "garden table", "kitchen cabinet", "bar counter", "china cabinet")),
    {"d": 2.5, "k": 1, "D": 2, "x": 0.4, "p": 0.4, "B": 0.4},
    rank=6,
)
def plate(random: Random, style: Style) -> Furniture:
    """A plate with knife and fork beside it."""
    stuff = CERAMIC if random.random() < 0.6 else Material(accent(random, style), gloss=0.4)
    parts = [rod(0, 0, 0, 0.17, 0.014, stuff, 1.5), rod(0, 0, 0.0141, 0.17, 0.002, darker(stuff, 0.88))]
    return build([*parts, *[box(side * 0.16, 0, 0, 0.016, 0.19, 0.006, CHROME) for side in (-1, 1)]])


@thing(
    "bowl",
    "objects",
    OnTop((*_TABLES, "sideboard", "console table")),
    {"d": 0.8, "k": 0.9, "l": 0.3, "D": 0.5, "e": 0.15, "h": 0.15},
    rank=6,
)
def bowl(random: Random, style: Style) -> Furniture:
    """Wide and open."""
    stuff = random.choice((CERAMIC, Material(accent(random, style), gloss=0.4), wood(random, style)))
    width = random.uniform(0.2, 0.28)
    return build(
        [
            rod(0, 0, 0, width * 0.4, 0.015, stuff),
            rod(0, 0, 0.015, width * 0.5, 0.08, stuff, 2.0),
            rod(0, 0, 0.0955, width * 0.9, 0.002, darker(stuff, 0.6)),
        ]
    )


@thing(
    "fruit bowl",
    "objects",
    OnTop(("dining table", "kitchen island", "kitchen cabinet", "sideboard")),
    {"d": 0.4, "k": 0.6, "D": 0.15},
    rank=5,
)
def fruit_bowl(random: Random, style: Style) -> Furniture:
    """Apples, oranges and a banana in a bowl."""
    stuff = random.choice((CERAMIC, wood(random, style), Material(accent(random, style), gloss=0.4)))
    parts = [rod(0, 0, 0, 0.16, 0.09, stuff, 2.0)]
    colours = ((0.80, 0.12, 0.10), (0.95, 0.55, 0.10), (0.45, 0.68, 0.15), (0.95, 0.55, 0.10), (0.80, 0.12, 0.10))
    places = ((0.07, 0.04), (-0.07, 0.04), (0.0, -0.08), (0.0, 0.09), (0.0, 0.0))
    parts += [
        ball(x, y, 0.06 + (0.04 if x == y else 0), 0.085, 0.085, 0.08, Material(tone, gloss=0.3))
        for (x, y), tone in zip(places, colours, strict=True)
    ]
    return build([*parts, bar("x", 0.02, -0.03, 0.15, 0.16, 0.035, Material((0.95, 0.83, 0.20)))])


@thing(
    "bottle",
    "objects",
    OnTop((*_TABLES, "wine rack", "sideboard", "wall shelf", "bathtub", "washbasin cabinet")),
    {"k": 0.9, "d": 0.7, "B": 4, "l": 0.2, "a": 0.5, "S": 0.8, "r": 0.5, "D": 0.4, "x": 0.2},
    rank=7,
)
def bottle(random: Random, style: Style) -> Furniture:
    """Wine, oil or water, with a label."""
    glass = Material(
        random.choice(((0.07, 0.22, 0.11), (0.22, 0.10, 0.05), (0.60, 0.78, 0.80), (0.30, 0.04, 0.08))), gloss=0.6
    )
    return build(
        [
            rod(0, 0, 0, 0.078, 0.19, glass),
            rod(0, 0, 0.05, 0.081, 0.08, PAPER),
            rod(0, 0, 0.19, 0.078, 0.04, glass, 0.4),
            rod(0, 0, 0.23, 0.03, 0.08, glass),
            rod(0, 0, 0.29, 0.034, 0.03, BLACK),
        ]
    )


@thing(
    "wine glass",
    "objects",
    OnTop(("dining table", "bar counter", "coffee table", "garden table")),
    {"d": 1.6, "B": 2.2, "l": 0.4, "n": 0.5, "x": 0.4, "D": 0.5},
    rank=7,
)
def wine_glass(random: Random, style: Style) -> Furniture:
    """A foot, a stem, a bowl; some with red wine."""
    parts = [
        rod(0, 0, 0, 0.07, 0.006, GLASS),
        rod(0, 0, 0.006, 0.012, 0.09, GLASS),
        rod(0, 0, 0.15, 0.085, 0.05, GLASS, 0.85),
    ]
    parts.append(
        rod(0, 0, 0.095, 0.045, 0.055, Material((0.35, 0.03, 0.08), gloss=0.5) if random.random() < 0.6 else GLASS, 1.85)
    )
    return build(parts)


@thing(
    "teapot",
    "objects",
    OnTop(("coffee table", "dining table", "kitchen cabinet", "sideboard")),
    {"k": 0.3, "d": 0.3, "l": 0.2, "n": 0.3},
    rank=6,
)
def teapot(random: Random, style: Style) -> Furniture:
    """Round, with spout, handle and a lid."""
    stuff = CERAMIC if random.random() < 0.4 else Material(accent(random, style), gloss=0.45)
    parts = [
        ball(0, 0, 0, 0.18, 0.18, 0.14, stuff),
        rod(0, 0, 0, 0.1, 0.02, stuff),
        rod(0, 0, 0.125, 0.08, 0.02, darker(stuff, 0.9)),
        ball(0, 0, 0.143, 0.03, 0.03, 0.03, stuff),
    ]
    parts += [box(-0.11, 0, 0.06, 0.08, 0.03, 0.03, stuff), box(-0.14, 0, 0.08, 0.025, 0.025, 0.05, stuff)]
    return build(
        [
            *parts,
            box(0.1, 0, 0.11, 0.06, 0.02, 0.015, stuff),
            box(0.1, 0, 0.035, 0.06, 0.02, 0.015, stuff),
            box(0.125, 0, 0.04, 0.015, 0.02, 0.08, stuff),
        ]
    )


@thing(
    "trash can",
    "objects",
    AtWall(clear=0.2, corner=True),
    {"k": 0.8, "a": 0.6, "o": 0.7, "b": 0.3, "tj": 0.5, "gumC": 0.5, "z": 0.4, "w": 0.3, "h": 0.1, "x": 0.1, "B": 0.3},
    rank=8,
)
def trash_can(random: Random, style: Style) -> Furniture:
    """A pedal bin with a domed lid, or an open basket."""
    if random.random() < 0.6:
        body = random.choice((STEEL, BLACK, WHITE, Material(accent(random, style), gloss=0.3)))
        return build(
            [
                rod(0, 0, 0.02, 0.28, 0.48, body),
                rod(0, 0, 0, 0.29, 0.03, BLACK),
                rod(0, 0, 0.5, 0.29, 0.02, BLACK),
                ball(0, 0, 0.46, 0.28, 0.28, 0.13, body),
                box(0, -0.16, 0.01, 0.09, 0.07, 0.015, BLACK),
            ]
        )
    body = plastic(random)
    return build(
        [rod(0, 0, 0, 0.22, 0.3, body, 1.3), rod(0, 0, 0.3, 0.27, 0.003, BLACK), rod(0, 0, 0.28, 0.3, 0.02, darker(body))]
    )


@thing("high chair", "chair", AtWall(clear=0.3, corner=True), {"d": 0.15, "k": 0.12}, area=10, rank=7)
def high_chair(random: Random, style: Style) -> Furniture:
    """A baby's chair with a tray."""
    frame, pad = wood(random, style), plain_cloth(random, style)
    parts = [
        *four_legs(0.5, 0.5, 0.55, 0.04, frame),
        box(0, 0.03, 0.52, 0.38, 0.36, 0.05, pad),
        box(0, 0.2, 0.56, 0.36, 0.05, 0.42, pad),
    ]
    parts += [box(side * 0.19, 0, 0.57, 0.03, 0.36, 0.17, frame) for side in (-1, 1)]
    return build([*parts, box(0, -0.22, 0.74, 0.48, 0.28, 0.03, WHITE), box(0, -0.2, 0.2, 0.44, 0.1, 0.03, frame)])

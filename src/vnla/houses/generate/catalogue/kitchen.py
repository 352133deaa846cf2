"""Kitchen units, appliances and what stands on the worktop."""

# ruff: noqa: ARG001 - every maker takes (random, style), whether it draws from them or not

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from vnla.houses.generate.catalogue import materials as m
from vnla.houses.generate.catalogue.pieces import FRONT, Anchor, Elements, Top, ball, bar, box, disc, four_legs, rod, row
from vnla.houses.generate.catalogue.storage import doors, drawers
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material, Part

COUNTER = 0.9
"""Height of the worktop."""
DEPTH = 0.6


def _carcass(style: Style, width: float) -> Iterator[Part]:
    """Plinth, body and worktop of a base unit; the splashback is the wall's."""
    yield box(0, 0.03, 0, width, DEPTH - 0.06, 0.1, m.DARK)
    yield box(0, 0.01, 0.1, width, DEPTH - 0.02, COUNTER - 0.14, m.darker(style.units, 0.9))
    yield box(0, 0, COUNTER - 0.04, width, DEPTH, 0.04, style.worktop)


def kitchen_cabinet(random: Random, style: Style, width: float = 0.0) -> Elements:
    """A base unit with a worktop: doors, or a stack of drawers."""
    width = width or random.choice((0.6, 0.8, 1.0))
    front, inside = -DEPTH / 2 + 0.01, COUNTER - 0.17
    if width < 0.75 and random.random() < 0.5:
        parts = drawers(width - 0.01, front, 0.12, inside, 3, 1, style.units, style.metal)
    else:
        parts = doors(width - 0.01, front, 0.12, inside, 1 if width < 0.65 else 2, style.units, style.metal)
    yield from _carcass(style, width)
    yield from parts
    yield Top(0, 0.02, COUNTER, width - 0.06, DEPTH - 0.14, 0.5)
    yield Anchor("sink", 0, 0.0, COUNTER)


def wall_cabinet(random: Random, style: Style, width: float = 0.0) -> Elements:
    """A cupboard above the worktop."""
    width = width or random.choice((0.6, 0.8))
    yield box(0, 0.01, 0, width, 0.32, 0.66, m.darker(style.units, 0.9))
    yield from doors(width - 0.01, -0.16, 0.01, 0.64, 1 if width < 0.65 else 2, style.units, style.metal)


def kitchen_island(random: Random, style: Style) -> Elements:
    """A block with a worktop that overhangs on the side where one sits."""
    width = random.uniform(1.2, 1.8)
    yield box(0, 0.03, 0, width - 0.08, 0.5, 0.1, m.DARK)
    yield box(0, 0.05, 0.1, width - 0.04, 0.56, 0.76, m.darker(style.units, 0.92))
    yield box(0, 0, 0.86, width, 0.85, 0.045, style.worktop)
    yield from [box(x, -0.24, 0.14, width / 3 - 0.08, 0.02, 0.66, style.units) for x in row(3, width - 0.06)]
    yield from [part.moved(0, 0, 0, FRONT) for part in doors(width - 0.05, -0.34, 0.14, 0.66, 3, style.units, style.metal)]
    yield Top(0, 0.05, 0.905, width - 0.1, 0.6)
    yield from [Anchor("bar stool", x, -0.445, 0, FRONT) for x in row(max(2, int(width / 0.55)), width)]


def refrigerator(random: Random, style: Style) -> Elements:
    """Freezer door below or above, upright handles."""
    body = random.choice(
        (
            m.STEEL,
            m.STEEL,
            m.WHITE,
            m.WHITE,
            Material((0.12, 0.12, 0.13), gloss=0.3),
            Material(m.accent(random, style), gloss=0.35),
        )
    )
    width, height = random.uniform(0.62, 0.78), random.uniform(1.7, 1.9)
    split = random.choice((0.36, 0.66)) * height
    yield box(0, 0.03, 0.03, width, 0.6, height - 0.03, m.darker(body, 0.88))
    yield box(0, 0.03, 0, width - 0.06, 0.54, 0.03, m.BLACK)
    yield box(0, -0.29, 0.05, width, 0.05, split - 0.055, body)
    yield box(0, -0.29, split + 0.005, width, 0.05, height - split - 0.005, body)
    for z in (split - 0.4 if split > 0.9 else split - 0.36, split + 0.06):
        yield box(-width / 2 + 0.07, -0.34, z, 0.025, 0.05, 0.32, m.CHROME)


def stove(random: Random, style: Style) -> Elements:
    """A range: oven door with a window, knobs, four rings."""
    body = random.choice((m.STEEL, m.WHITE, m.DARK, m.STEEL))
    yield box(0, 0.02, 0, 0.6, 0.56, 0.88, m.darker(body, 0.9))
    yield box(0, 0, 0.88, 0.6, 0.6, 0.03, m.DARK_GLASS)
    yield box(0, -0.27, 0.22, 0.57, 0.03, 0.48, body)
    yield box(0, -0.287, 0.3, 0.42, 0.012, 0.28, m.DARK_GLASS)
    yield bar("x", 0, -0.31, 0.67, 0.48, 0.025, m.CHROME)
    yield box(0, -0.265, 0.04, 0.57, 0.03, 0.15, body)
    yield box(0, -0.265, 0.73, 0.6, 0.03, 0.15, body)
    yield from [disc("y", x, -0.295, 0.8, 0.05, 0.04, m.BLACK) for x in row(5, 0.55)]
    yield from [rod(x, y, 0.91, 0.19, 0.012, m.IRON) for x in (-0.14, 0.14) for y in (-0.13, 0.14)]
    yield Anchor("pan", 0.14, 0.14, 0.922)
    yield Anchor("pot", -0.14, -0.13, 0.922)
    yield Anchor("kettle", -0.14, 0.14, 0.922)


def range_hood(random: Random, style: Style) -> Elements:
    """A chimney over the stove."""
    body = random.choice((m.STEEL, m.STEEL, m.BLACK, m.WHITE))
    yield box(0, 0, 0, 0.6, 0.48, 0.06, body)
    yield box(0, 0.0, 0.06, 0.6, 0.48, 0.2, body, taper=0.45)
    yield box(0, 0.1, 0.2, 0.26, 0.26, 0.45, body)
    yield box(0, 0.0, 0.005, 0.5, 0.38, 0.002, m.DARK)


def sink(random: Random, style: Style) -> Elements:
    """A basin let into the worktop, with its tap."""
    steel = m.STEEL if random.random() < 0.7 else m.CERAMIC
    width = random.uniform(0.48, 0.54)
    yield box(0, 0, 0, width, 0.42, 0.012, steel)
    yield box(0, -0.02, 0.0121, width - 0.07, 0.32, 0.002, m.darker(steel, 0.5))
    yield rod(0, -0.02, 0.0142, 0.05, 0.002, m.DARK)
    yield rod(0, 0.18, 0.012, 0.03, 0.27, m.CHROME)
    yield bar("y", 0, 0.1, 0.275, 0.18, 0.022, m.CHROME)
    yield rod(0, 0.02, 0.22, 0.022, 0.05, m.CHROME)
    yield box(0.07, 0.18, 0.012, 0.03, 0.03, 0.06, m.CHROME)


def dishwasher(random: Random, style: Style) -> Elements:
    """Under the worktop: a steel or white door with a control strip."""
    front = random.choice((m.STEEL, m.WHITE))
    yield from _carcass(style, 0.6)
    yield box(0, -0.29, 0.12, 0.58, 0.03, 0.6, front)
    yield box(0, -0.295, 0.73, 0.58, 0.03, 0.12, m.DARK)
    yield bar("x", 0, -0.32, 0.69, 0.46, 0.022, m.CHROME)
    yield from [disc("y", x, -0.315, 0.79, 0.02, 0.01, m.CHROME) for x in (0.16, 0.2, 0.24)]
    yield Top(0, 0.02, COUNTER, 0.54, DEPTH - 0.14, 0.5)


def oven(random: Random, style: Style) -> Elements:
    """A tall unit with a built-in oven at eye level."""
    yield box(0, 0.01, 0, 0.6, 0.58, 2.0, m.darker(style.units, 0.92))
    yield from doors(0.59, -0.29, 0.1, 0.6, 1, style.units, style.metal)
    yield from [part.moved(0, 0, 1.33) for part in doors(0.59, -0.29, 0.03, 0.6, 1, style.units, style.metal)]
    yield box(0, -0.29, 0.74, 0.58, 0.04, 0.58, m.STEEL)
    yield box(0, -0.312, 0.8, 0.46, 0.012, 0.32, m.DARK_GLASS)
    yield bar("x", 0, -0.33, 1.17, 0.46, 0.025, m.CHROME)
    yield from [disc("y", x, -0.32, 1.25, 0.05, 0.03, m.BLACK) for x in (-0.18, 0.18)]


def microwave(random: Random, style: Style) -> Elements:
    """A door with a dark window and a panel of buttons."""
    body = random.choice((m.STEEL, m.WHITE, m.BLACK))
    yield box(0, 0, 0.01, 0.48, 0.36, 0.27, body)
    yield box(-0.07, -0.182, 0.035, 0.31, 0.012, 0.22, m.DARK_GLASS)
    yield box(0.165, -0.182, 0.035, 0.12, 0.012, 0.22, m.DARK)
    yield box(0.165, -0.19, 0.2, 0.09, 0.006, 0.035, Material((0.25, 0.75, 0.55), glow=0.5))
    yield box(0.095, -0.2, 0.06, 0.018, 0.03, 0.17, m.CHROME)
    yield box(0, 0, 0, 0.42, 0.3, 0.01, m.BLACK)
    yield from [box(0.165 + dx, -0.19, z, 0.025, 0.006, 0.025, m.WHITE) for dx in (-0.03, 0.02) for z in (0.06, 0.11, 0.16)]
    yield Top(0, 0, 0.28, 0.4, 0.3, 0.25)


def kettle(random: Random, style: Style) -> Elements:
    """A jug on its base, handle behind and spout before."""
    body = random.choice((m.STEEL, m.WHITE, m.BLACK, Material(m.accent(random, style), gloss=0.4)))
    yield rod(0, 0, 0, 0.17, 0.02, m.BLACK)
    yield rod(0, 0, 0.02, 0.16, 0.2, body, 0.75)
    yield rod(0, 0, 0.22, 0.11, 0.015, m.BLACK)
    yield ball(0, 0, 0.23, 0.03, 0.03, 0.03, m.BLACK)
    yield box(0, -0.085, 0.16, 0.04, 0.06, 0.045, body, taper=0.6)
    yield box(0, 0.1, 0.19, 0.025, 0.07, 0.025, m.BLACK)
    yield box(0, 0.13, 0.07, 0.025, 0.025, 0.145, m.BLACK)


def toaster(random: Random, style: Style) -> Elements:
    """Two slots, a lever; some with toast."""
    body = random.choice((m.STEEL, Material(m.accent(random, style), gloss=0.4), m.WHITE))
    yield box(0, 0, 0.015, 0.3, 0.18, 0.17, body, taper=0.94)
    yield box(0, 0, 0, 0.28, 0.16, 0.015, m.BLACK)
    yield box(0.152, 0, 0.1, 0.02, 0.04, 0.02, m.BLACK)
    yield from [box(0, y, 0.184, 0.22, 0.028, 0.003, m.BLACK) for y in (-0.035, 0.035)]
    if random.random() < 0.5:
        yield from [box(0, y, 0.17, 0.12, 0.018, 0.07, Material((0.72, 0.48, 0.24))) for y in (-0.035, 0.035)]


def coffee_machine(random: Random, style: Style) -> Elements:
    """A tower with a spout over a glass jug."""
    body = random.choice((m.BLACK, m.STEEL, Material((0.7, 0.1, 0.1), gloss=0.4)))
    coffee = Material((0.16, 0.08, 0.04), gloss=0.5)
    yield box(0, 0, 0, 0.22, 0.28, 0.04, body)
    yield box(0, 0.09, 0.04, 0.2, 0.1, 0.3, body)
    yield box(0, 0, 0.25, 0.22, 0.28, 0.09, body)
    yield rod(0, -0.04, 0.05, 0.13, 0.1, coffee)
    yield rod(0, -0.04, 0.15, 0.12, 0.04, m.GLASS, 0.8)
    yield box(0, -0.13, 0.07, 0.02, 0.05, 0.08, m.BLACK)
    yield box(0, -0.142, 0.28, 0.1, 0.006, 0.03, m.CHROME)


def blender(random: Random, style: Style) -> Elements:
    """A glass beaker on a motor."""
    yield rod(0, 0, 0, 0.17, 0.13, random.choice((m.STEEL, m.BLACK, m.WHITE)), 0.75)
    yield rod(0, 0, 0.13, 0.1, 0.2, m.GLASS, 1.4)
    yield rod(0, 0, 0.33, 0.14, 0.03, m.BLACK)
    yield rod(0, 0, 0.36, 0.06, 0.025, m.BLACK)
    yield disc("y", 0, -0.085, 0.05, 0.04, 0.02, m.CHROME)


def knife_block(random: Random, style: Style) -> Elements:
    """A wooden block with handles sticking out."""
    block = m.wood(random, style)
    yield box(0, 0, 0, 0.11, 0.17, 0.05, block)
    yield box(0, 0.02, 0.05, 0.11, 0.13, 0.14, block, taper=0.8)
    for x in (-0.03, 0, 0.03):
        for y in (-0.01, 0.04):
            yield box(x, y, 0.19, 0.018, 0.025, random.uniform(0.07, 0.1), m.BLACK)


def cutting_board(random: Random, style: Style) -> Elements:
    """A board with a loaf or some vegetables."""
    board = m.wood(random, style)
    yield box(0, 0, 0, 0.36, 0.24, 0.022, board)
    yield box(-0.21, 0, 0, 0.07, 0.06, 0.022, board)
    if random.random() < 0.5:
        yield ball(0.03, 0, 0.02, 0.26, 0.12, 0.1, Material((0.72, 0.46, 0.22)))
    else:
        for i in range(3):
            yield ball(0.06 * i - 0.05, 0.03 * (-1) ** i, 0.02, 0.065, 0.065, 0.06, Material((0.8, 0.15, 0.1), gloss=0.3))


def paper_towel(random: Random, style: Style) -> Elements:
    """A roll on its stand."""
    stand = style.metal if random.random() < 0.5 else m.wood(random, style)
    yield rod(0, 0, 0, 0.16, 0.015, stand)
    yield rod(0, 0, 0.015, 0.13, 0.24, m.PAPER)
    yield rod(0, 0, 0.255, 0.02, 0.05, stand)
    yield ball(0, 0, 0.3, 0.03, 0.03, 0.03, stand)


def pan(random: Random, style: Style) -> Elements:
    """A frying pan with a long handle."""
    stuff = random.choice((m.IRON, m.STEEL))
    yield rod(0, 0.0, 0, 0.22, 0.05, stuff, 1.15)
    yield rod(0, 0, 0.0505, 0.22, 0.002, m.BLACK)
    yield box(0, -0.21, 0.035, 0.03, 0.2, 0.02, m.BLACK)


def pot(random: Random, style: Style) -> Elements:
    """A saucepan with a lid and two ears."""
    stuff = random.choice(
        (m.STEEL, Material(m.accent(random, style), gloss=0.35), Material((0.7, 0.38, 0.22), "metal", gloss=0.5))
    )
    yield rod(0, 0, 0, 0.21, 0.13, stuff)
    yield rod(0, 0, 0.13, 0.22, 0.02, m.darker(stuff, 0.9), 0.8)
    yield ball(0, 0, 0.15, 0.035, 0.035, 0.03, m.BLACK)
    yield box(0, 0, 0.09, 0.29, 0.05, 0.02, m.BLACK)


def cup(random: Random, style: Style) -> Elements:
    """A mug with its handle, full of coffee."""
    stuff = Material(m.accent(random, style), gloss=0.4) if random.random() < 0.6 else m.CERAMIC
    coffee = Material((0.2, 0.11, 0.06), gloss=0.3)
    yield rod(0, 0, 0, 0.085, 0.1, stuff)
    yield rod(0, 0, 0.1, 0.07, 0.002, coffee)
    yield box(0.055, 0, 0.075, 0.035, 0.015, 0.015, stuff)
    yield box(0.055, 0, 0.02, 0.035, 0.015, 0.015, stuff)
    yield box(0.068, 0, 0.02, 0.014, 0.015, 0.07, stuff)


def plate(random: Random, style: Style) -> Elements:
    """A plate with knife and fork beside it."""
    stuff = m.CERAMIC if random.random() < 0.6 else Material(m.accent(random, style), gloss=0.4)
    yield rod(0, 0, 0, 0.17, 0.014, stuff, 1.5)
    yield rod(0, 0, 0.0141, 0.17, 0.002, m.darker(stuff, 0.88))
    yield from [box(side * 0.16, 0, 0, 0.016, 0.19, 0.006, m.CHROME) for side in (-1, 1)]


def bowl(random: Random, style: Style) -> Elements:
    """Wide and open."""
    stuff = random.choice((m.CERAMIC, Material(m.accent(random, style), gloss=0.4), m.wood(random, style)))
    width = random.uniform(0.2, 0.28)
    yield rod(0, 0, 0, width * 0.4, 0.015, stuff)
    yield rod(0, 0, 0.015, width * 0.5, 0.08, stuff, 2.0)
    yield rod(0, 0, 0.0955, width * 0.9, 0.002, m.darker(stuff, 0.6))


def fruit_bowl(random: Random, style: Style) -> Elements:
    """Apples, oranges and a banana in a bowl."""
    stuff = random.choice((m.CERAMIC, m.wood(random, style), Material(m.accent(random, style), gloss=0.4)))
    yield rod(0, 0, 0, 0.16, 0.09, stuff, 2.0)
    colours = (0.8, 0.12, 0.1), (0.95, 0.55, 0.1), (0.45, 0.68, 0.15), (0.95, 0.55, 0.1), (0.8, 0.12, 0.1)
    places = (0.07, 0.04), (-0.07, 0.04), (0.0, -0.08), (0.0, 0.09), (0.0, 0.0)
    for (x, y), tone in zip(places, colours, strict=True):
        yield ball(x, y, 0.06 + (0.04 if x == y else 0), 0.085, 0.085, 0.08, Material(tone, gloss=0.3))
    yield bar("x", 0.02, -0.03, 0.15, 0.16, 0.035, Material((0.95, 0.83, 0.2)))


def bottle(random: Random, style: Style) -> Elements:
    """Wine, oil or water, with a label."""
    glass = Material(random.choice(((0.07, 0.22, 0.11), (0.22, 0.1, 0.05), (0.6, 0.78, 0.8), (0.3, 0.04, 0.08))), gloss=0.6)
    yield rod(0, 0, 0, 0.078, 0.19, glass)
    yield rod(0, 0, 0.05, 0.081, 0.08, m.PAPER)
    yield rod(0, 0, 0.19, 0.078, 0.04, glass, 0.4)
    yield rod(0, 0, 0.23, 0.03, 0.08, glass)
    yield rod(0, 0, 0.29, 0.034, 0.03, m.BLACK)


def wine_glass(random: Random, style: Style) -> Elements:
    """A foot, a stem, a bowl; some with red wine."""
    yield rod(0, 0, 0, 0.07, 0.006, m.GLASS)
    yield rod(0, 0, 0.006, 0.012, 0.09, m.GLASS)
    yield rod(0, 0, 0.15, 0.085, 0.05, m.GLASS, 0.85)
    yield rod(0, 0, 0.095, 0.045, 0.055, Material((0.35, 0.03, 0.08), gloss=0.5) if random.random() < 0.6 else m.GLASS, 1.85)


def teapot(random: Random, style: Style) -> Elements:
    """Round, with spout, handle and a lid."""
    stuff = m.CERAMIC if random.random() < 0.4 else Material(m.accent(random, style), gloss=0.45)
    yield ball(0, 0, 0, 0.18, 0.18, 0.14, stuff)
    yield rod(0, 0, 0, 0.1, 0.02, stuff)
    yield rod(0, 0, 0.125, 0.08, 0.02, m.darker(stuff, 0.9))
    yield ball(0, 0, 0.143, 0.03, 0.03, 0.03, stuff)
    yield box(-0.11, 0, 0.06, 0.08, 0.03, 0.03, stuff)
    yield box(-0.14, 0, 0.08, 0.025, 0.025, 0.05, stuff)
    yield box(0.1, 0, 0.11, 0.06, 0.02, 0.015, stuff)
    yield box(0.1, 0, 0.035, 0.06, 0.02, 0.015, stuff)
    yield box(0.125, 0, 0.04, 0.015, 0.02, 0.08, stuff)


def trash_can(random: Random, style: Style) -> Elements:
    """A pedal bin with a domed lid, or an open basket."""
    if random.random() < 0.6:
        body = random.choice((m.STEEL, m.BLACK, m.WHITE, Material(m.accent(random, style), gloss=0.3)))
        yield rod(0, 0, 0.02, 0.28, 0.48, body)
        yield rod(0, 0, 0, 0.29, 0.03, m.BLACK)
        yield rod(0, 0, 0.5, 0.29, 0.02, m.BLACK)
        yield ball(0, 0, 0.46, 0.28, 0.28, 0.13, body)
        yield box(0, -0.16, 0.01, 0.09, 0.07, 0.015, m.BLACK)
        return
    body = m.plastic(random)
    yield rod(0, 0, 0, 0.22, 0.3, body, 1.3)
    yield rod(0, 0, 0.3, 0.27, 0.003, m.BLACK)
    yield rod(0, 0, 0.28, 0.3, 0.02, m.darker(body))


def high_chair(random: Random, style: Style) -> Elements:
    """A baby's chair with a tray."""
    frame, pad = m.wood(random, style), m.plain_cloth(random, style)
    yield from four_legs(0.5, 0.5, 0.55, 0.04, frame)
    yield box(0, 0.03, 0.52, 0.38, 0.36, 0.05, pad)
    yield box(0, 0.2, 0.56, 0.36, 0.05, 0.42, pad)
    yield from [box(side * 0.19, 0, 0.57, 0.03, 0.36, 0.17, frame) for side in (-1, 1)]
    yield box(0, -0.22, 0.74, 0.48, 0.28, 0.03, m.WHITE)
    yield box(0, -0.2, 0.2, 0.44, 0.1, 0.03, frame)

"""Bathroom, toilet, laundry and spa."""

# ruff: noqa: ARG001 - every maker takes (random, style), whether it draws from them or not

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from vnla.houses.generate.catalogue import materials as m
from vnla.houses.generate.catalogue.pieces import Anchor, Elements, Top, ball, bar, box, disc, four_legs, rod, row
from vnla.houses.generate.catalogue.storage import doors, drawers
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material, Part


def _tap(x: float, y: float, z: float) -> Iterator[Part]:
    yield rod(x, y, z, 0.035, 0.13, m.CHROME)
    yield box(x, y - 0.06, z + 0.11, 0.025, 0.14, 0.022, m.CHROME)
    yield box(x, y, z + 0.13, 0.025, 0.06, 0.018, m.CHROME)


def _shell(width: float, depth: float, height: float, outer: Material, rim: float = 0.06) -> Iterator[Part]:
    """A tub seen from above: walls around a sunken floor, with water or enamel in it."""
    yield from [box(0, side * (depth - rim) / 2, 0, width, rim, height, outer) for side in (-1, 1)]
    yield from [box(side * (width - rim) / 2, 0, 0, rim, depth - 2 * rim, height, outer) for side in (-1, 1)]
    yield box(0, 0, 0, width - 2 * rim, depth - 2 * rim, height * 0.35, m.BASIN)


def bathtub(random: Random, style: Style) -> Elements:
    """Built in along the wall, or free-standing on feet; taps at one end."""
    width, depth, height = random.uniform(1.3, 1.7), random.uniform(0.68, 0.78), random.uniform(0.52, 0.58)
    if random.random() < 0.65:
        front = m.CERAMIC if random.random() < 0.6 else m.darker(style.units, 1.05)
        yield from _shell(width, depth, height, m.CERAMIC)
        yield box(0, -depth / 2 - 0.01, 0, width, 0.02, height - 0.04, front)
    else:
        tub = _shell(width, depth, height - 0.12, m.CERAMIC, 0.05)
        feet = four_legs(width * 0.7, depth * 0.7, 0.12, 0.07, style.metal)
        yield from [part.moved(0, 0, 0.12) for part in tub]
        yield from feet
        yield box(0, 0, 0.1, width * 0.9, depth * 0.85, 0.06, m.CERAMIC)
    yield from _tap(-width / 2 + 0.03, 0.0, height)
    if random.random() < 0.4:
        yield box(0, 0, height * 0.55, width - 0.14, depth - 0.14, 0.01, m.WATER)
    for i in range(2):
        yield disc("y", -width / 2 + 0.4 + 0.14 * i, depth / 2 - 0.07, height * 0.75, 0.05, 0.03, m.CHROME)
    yield Top(width * 0.36, depth / 2 - 0.045, height, 0.3, 0.08)


def shower(random: Random, style: Style) -> Elements:
    """A tray, glass on two sides or a curtain, and the shower head on its pipe."""
    width, height = random.uniform(0.74, 0.95), 2.0
    yield box(0, 0, 0, width, width, 0.08, m.CERAMIC)
    yield rod(0, 0, 0.08, 0.09, 0.004, m.STEEL)
    yield box(0, width / 2 - 0.01, 0.08, width, 0.02, height - 0.08, style.wall("a"))
    yield rod(0.1, width / 2 - 0.05, 0.9, 0.025, 1.05, m.CHROME)
    yield bar("y", 0.1, width / 2 - 0.17, 1.94, 0.26, 0.025, m.CHROME)
    yield rod(0.1, width / 2 - 0.3, 1.88, 0.2, 0.03, m.CHROME)
    yield box(0.1, width / 2 - 0.05, 1.0, 0.18, 0.05, 0.06, m.CHROME)
    posts = [
        box(side * (width / 2 - 0.012), -width / 2 + 0.012, 0.08, 0.024, 0.024, height - 0.08, m.CHROME) for side in (-1, 1)
    ]
    rails = [box(0, -width / 2 + 0.012, height - 0.03, width, 0.024, 0.03, m.CHROME)]
    rails += [box(side * (width / 2 - 0.012), 0, height - 0.03, 0.024, width, 0.03, m.CHROME) for side in (-1, 1)]
    if random.random() < 0.5:
        curtain = m.patterned_cloth(random, style)
        for i, x in enumerate(row(7, width * 0.55)):
            yield box(x, -width / 2 + 0.03 + 0.02 * (i % 2), 0.12, width / 14 + 0.01, 0.03, height - 0.16, curtain)
    else:
        yield box(-width / 4, -width / 2 + 0.01, 0.1, width / 2, 0.012, height - 0.14, m.GLASS)
        yield box(0, -width / 2 - 0.01, 0.95, 0.02, 0.03, 0.2, m.CHROME)
    yield from posts
    yield from rails


def toilet(random: Random, style: Style) -> Elements:
    """Bowl, seat, lid up or down, and a cistern with its button."""
    yield box(0, 0.02, 0, 0.22, 0.4, 0.2, m.CERAMIC)
    yield ball(0, -0.08, 0.1, 0.36, 0.5, 0.34, m.CERAMIC)
    yield rod(0, -0.09, 0.36, 0.36, 0.045, m.CERAMIC)
    yield box(0, 0.08, 0.2, 0.34, 0.22, 0.2, m.CERAMIC)
    cistern = [
        box(0, 0.26, 0.38, 0.4, 0.17, 0.36, m.CERAMIC),
        box(0, 0.26, 0.74, 0.42, 0.19, 0.03, m.CERAMIC),
        rod(0, 0.26, 0.77, 0.05, 0.01, m.CHROME),
    ]
    if random.random() < 0.45:
        water = [rod(0, -0.1, 0.405, 0.24, 0.004, m.darker(m.WATER, 0.8)), disc("y", 0, 0.135, 0.58, 0.36, 0.03, m.WHITE)]
    else:
        water = [rod(0, -0.09, 0.405, 0.37, 0.025, m.WHITE), box(0, 0.06, 0.405, 0.35, 0.16, 0.025, m.WHITE)]
    yield from cistern
    yield from water
    yield Top(0, 0.26, 0.77, 0.36, 0.14, 0.3)


def bidet(random: Random, style: Style) -> Elements:
    """A low basin with a tap."""
    body = m.enamel(random)
    yield box(0, 0.02, 0, 0.2, 0.36, 0.22, body)
    yield ball(0, -0.03, 0.1, 0.36, 0.52, 0.32, body)
    yield rod(0, -0.06, 0.35, 0.36, 0.04, body)
    yield rod(0, -0.06, 0.388, 0.27, 0.004, m.darker(m.BASIN, 0.75))
    yield box(0, 0.16, 0.22, 0.3, 0.2, 0.17, body)
    yield from _tap(0, 0.14, 0.39)


def washbasin(random: Random, style: Style) -> Elements:
    """A basin on a pedestal."""
    width = random.uniform(0.5, 0.62)
    yield rod(0, 0.06, 0, 0.22, 0.7, m.CERAMIC, 0.8)
    yield box(0, 0, 0.68, width, 0.44, 0.14, m.CERAMIC)
    yield box(0, -0.02, 0.8205, width - 0.12, 0.28, 0.003, m.darker(m.BASIN, 0.72))
    yield rod(0, -0.02, 0.8236, 0.04, 0.002, m.CHROME)
    yield from _tap(0, 0.16, 0.82)
    yield from [Top(side * (width / 2 - 0.04), 0.16, 0.82, 0.07, 0.1) for side in (-1, 1)]


def washbasin_cabinet(random: Random, style: Style) -> Elements:
    """A vanity unit: one or two basins on a cupboard."""
    basins = 1 if random.random() < 0.65 else 2
    width, front = 0.75 * basins + random.uniform(0.0, 0.2), -0.24
    yield box(0, 0.02, 0, width - 0.04, 0.42, 0.1, m.DARK)
    yield box(0, 0.01, 0.1, width, 0.46, 0.68, m.darker(style.units, 0.9))
    yield box(0, 0, 0.78, width + 0.02, 0.5, 0.04, style.worktop)
    yield from (
        drawers(width - 0.01, front, 0.12, 0.64, 2, 2, style.units, style.metal)
        if random.random() < 0.4
        else doors(width - 0.01, front, 0.12, 0.64, 2 * basins, style.units, style.metal)
    )
    for x in row(basins, width):
        yield rod(x, -0.03, 0.82, 0.36, 0.06, m.CERAMIC, 1.08)
        yield rod(x, -0.03, 0.8801, 0.33, 0.002, m.darker(m.BASIN, 0.75))
        yield from _tap(x, 0.18, 0.82)
    yield from [Top(side * (width / 2 - 0.08), 0.08, 0.82, 0.12, 0.25) for side in (-1, 1)]


def towel_rail(random: Random, style: Style) -> Elements:
    """A bar on two brackets, low enough for a towel to hang from it."""
    width = random.uniform(0.5, 0.66)
    yield bar("x", 0, -0.03, 0.02, width, 0.022, m.CHROME)
    for side in (-1, 1):
        yield box(side * (width / 2 - 0.02), 0.01, 0.01, 0.022, 0.08, 0.022, m.CHROME)
        yield box(side * (width / 2 - 0.02), 0.045, 0, 0.05, 0.012, 0.045, m.CHROME)
    yield Anchor("towel", 0, -0.03, -0.56)


def towel(random: Random, style: Style) -> Elements:
    """Hanging over a rail: both halves and a coloured band near the hem."""
    stuff = (
        m.linen(random)
        if random.random() < 0.4
        else Material(m.accent(random, style), "carpet", scale=0.2, seed=m.seed(random))
    )
    width, length = random.uniform(0.34, 0.46), 0.6
    yield box(0, -0.022, 0, width, 0.02, length, stuff)
    yield box(0, 0.02, 0.12, width, 0.018, length - 0.12, stuff)
    yield bar("x", 0, 0, length - 0.01, width, 0.06, stuff)
    yield box(0, -0.033, 0.07, width + 0.002, 0.004, 0.05, m.darker(stuff, 0.72 if sum(stuff.colour) > 1.2 else 1.5))


def folded_towels(random: Random, style: Style) -> Elements:
    """A pile of two or three."""
    tones = [m.linen(random), Material(m.accent(random, style), "carpet", scale=0.2)]
    z = 0.0
    for i in range(random.choice((2, 3))):
        yield box(0, 0.01, z, 0.28, 0.16, 0.055, tones[i % 2])
        yield bar("x", 0, -0.07, z + 0.0275, 0.28, 0.055, tones[i % 2])
        z += 0.055


def towel_radiator(random: Random, style: Style) -> Elements:
    """A ladder of warm tubes."""
    tube = random.choice((m.WHITE, m.CHROME, m.BLACK))
    yield from [box(side * 0.23, 0.02, 0, 0.035, 0.035, 1.1, tube) for side in (-1, 1)]
    yield from [box(0, -0.005, z, 0.44, 0.025, 0.025, tube) for z in (0.06, 0.16, 0.26, 0.42, 0.52, 0.62, 0.78, 0.88, 0.98)]
    yield from [box(0, 0.045, z, 0.03, 0.05, 0.03, tube) for z in (0.1, 0.95)]
    yield Anchor("towel", 0, -0.005, 0.42)


def bathroom_mirror(random: Random, style: Style) -> Elements:
    """Above the basin: plain, framed or round."""
    width, height = random.uniform(0.5, 0.7), random.uniform(0.6, 0.85)
    if random.random() < 0.3:
        yield disc("y", 0, 0.01, width / 2, width, 0.03, style.metal)
        yield disc("y", 0, -0.008, width / 2, width - 0.05, 0.012, m.MIRROR)
        return
    frame = style.metal if random.random() < 0.5 else m.wood(random, style)
    yield box(0, 0, 0, width, 0.025, height, frame)
    yield box(0, -0.016, 0.025, width - 0.05, 0.01, height - 0.05, m.MIRROR)


def medicine_cabinet(random: Random, style: Style) -> Elements:
    """A shallow white cupboard with a cross."""
    body = m.enamel(random)
    red = Material((0.8, 0.1, 0.1))
    yield box(0, 0, 0, 0.36, 0.14, 0.46, body)
    yield box(0, -0.075, 0.01, 0.34, 0.012, 0.44, m.darker(body, 0.95))
    yield box(0, -0.083, 0.15, 0.05, 0.006, 0.16, red)
    yield box(0, -0.083, 0.205, 0.16, 0.006, 0.05, red)
    yield box(0.14, -0.09, 0.2, 0.015, 0.02, 0.06, m.CHROME)


def toilet_paper(random: Random, style: Style) -> Elements:
    """A roll on its holder, the end hanging down."""
    yield bar("x", 0, -0.03, 0.12, 0.11, 0.11, m.PAPER)
    yield bar("x", 0, -0.03, 0.12, 0.15, 0.025, m.CHROME)
    yield box(0, -0.083, 0, 0.1, 0.004, 0.12, m.PAPER)
    yield box(0.07, 0.02, 0.11, 0.02, 0.1, 0.02, m.CHROME)
    yield box(0.05, 0.065, 0.09, 0.06, 0.01, 0.06, m.CHROME)


def toilet_brush(random: Random, style: Style) -> Elements:
    """In its pot."""
    pot = random.choice((m.WHITE, m.STEEL, m.BLACK))
    yield rod(0, 0, 0, 0.11, 0.16, pot, 0.9)
    yield rod(0, 0, 0.16, 0.022, 0.2, pot)
    yield ball(0, 0, 0.35, 0.035, 0.035, 0.04, pot)


def soap_dish(random: Random, style: Style) -> Elements:
    """A dish with a bar of soap."""
    soap = Material(random.choice(((0.95, 0.85, 0.8), (0.8, 0.9, 0.8), (0.95, 0.92, 0.75))), gloss=0.2)
    yield box(0, 0, 0, 0.1, 0.06, 0.015, random.choice((m.CERAMIC, m.CHROME, m.GLASS)), taper=1.1)
    yield ball(0, 0, 0.012, 0.075, 0.048, 0.03, soap)


def soap_dispenser(random: Random, style: Style) -> Elements:
    """A pump bottle."""
    body = random.choice((m.WHITE, m.GLASS, Material(m.accent(random, style), gloss=0.4)))
    yield rod(0, 0, 0, 0.065, 0.12, body)
    yield rod(0, 0, 0.12, 0.03, 0.02, m.CHROME)
    yield rod(0, 0, 0.14, 0.012, 0.03, m.CHROME)
    yield box(0, -0.018, 0.165, 0.016, 0.06, 0.012, m.CHROME)


def toothbrush_holder(random: Random, style: Style) -> Elements:
    """A beaker with two brushes."""
    yield rod(0, 0, 0, 0.068, 0.1, random.choice((m.GLASS, m.CERAMIC, m.STEEL)))
    for x, y in ((-0.015, 0.01), (0.015, -0.01)):
        yield box(x, y, 0.05, 0.01, 0.01, 0.14, m.plastic(random))
        yield box(x, y - 0.007, 0.165, 0.012, 0.012, 0.025, m.WHITE)


def bath_mat(random: Random, style: Style) -> Elements:
    """Thick, with a border."""
    stuff = (
        Material(m.accent(random, style), "carpet", scale=0.15, seed=m.seed(random))
        if random.random() < 0.6
        else m.linen(random)
    )
    width, depth = random.uniform(0.65, 0.85), random.uniform(0.42, 0.52)
    yield box(0, 0, 0, width, depth, 0.015, m.darker(stuff, 0.8))
    yield box(0, 0, 0.015, width - 0.1, depth - 0.1, 0.004, stuff)


def laundry_basket(random: Random, style: Style) -> Elements:
    """Full of washing; wicker or plastic."""
    if random.random() < 0.5:
        yield box(0, 0, 0, 0.42, 0.34, 0.55, m.WICKER)
        yield box(0, 0, 0.55, 0.44, 0.36, 0.04, m.darker(m.WICKER, 0.8))
        yield box(0, -0.18, 0.4, 0.14, 0.012, 0.04, m.darker(m.WICKER, 0.6))
        return
    body = m.plastic(random)
    yield box(0, 0, 0, 0.5, 0.36, 0.24, body)
    yield box(0, 0, 0.21, 0.55, 0.41, 0.04, m.darker(body, 0.85))
    yield ball(-0.06, 0, 0.14, 0.36, 0.3, 0.22, m.plain_cloth(random, style))
    yield ball(0.1, 0.02, 0.12, 0.28, 0.26, 0.22, m.linen(random))


def _front_loader(random: Random, window: Material) -> Iterator[Part]:
    body = random.choice((m.WHITE, m.WHITE, m.STEEL, m.GREY))
    yield box(0, 0.01, 0.02, 0.6, 0.58, 0.83, body)
    yield box(0, 0.01, 0, 0.54, 0.5, 0.02, m.BLACK)
    yield box(0, -0.29, 0.7, 0.58, 0.012, 0.13, m.darker(body, 0.88))
    yield disc("y", 0, -0.29, 0.4, 0.42, 0.03, m.CHROME)
    yield disc("y", 0, -0.305, 0.4, 0.34, 0.03, window)
    yield disc("y", 0.06, -0.3, 0.77, 0.07, 0.03, m.darker(body, 0.7))
    yield box(0.2, -0.297, 0.745, 0.12, 0.006, 0.05, m.DARK_GLASS)


def washing_machine(random: Random, style: Style) -> Elements:
    """A front loader: round window, dial, soap drawer."""
    yield from _front_loader(random, m.DARK_GLASS)
    yield box(-0.19, -0.297, 0.73, 0.17, 0.008, 0.08, m.WHITE)
    yield Top(0, 0.02, 0.85, 0.52, 0.46)


def dryer(random: Random, style: Style) -> Elements:
    """As the washing machine's twin, with a pale door and a grille."""
    yield from _front_loader(random, Material((0.62, 0.64, 0.66), gloss=0.4))
    yield from [box(0.15, -0.285, 0.06 + 0.03 * i, 0.2, 0.008, 0.012, m.DARK) for i in range(3)]
    yield Top(0, 0.02, 0.85, 0.52, 0.46)


def ironing_board(random: Random, style: Style) -> Elements:
    """Long and narrow on crossed legs, its end rounded."""
    cover = m.patterned_cloth(random, style)
    yield box(0.08, 0, 0.84, 1.0, 0.34, 0.035, cover)
    yield rod(-0.42, 0, 0.84, 0.34, 0.035, cover)
    yield box(-0.02, 0, 0.82, 0.9, 0.05, 0.02, m.STEEL)
    for side in (-1, 1):
        yield from [box(side * 0.08 * (5 - i), side * 0.04, 0.02 + 0.16 * i, 0.1, 0.03, 0.17, m.STEEL) for i in range(5)]
        yield box(side * 0.4, 0, 0, 0.03, 0.32, 0.03, m.STEEL)
    yield Top(0.1, 0, 0.875, 0.85, 0.28)


def iron(random: Random, style: Style) -> Elements:
    """A flat iron with its handle."""
    body = m.plastic(random)
    yield box(0, 0, 0, 0.24, 0.1, 0.015, m.CHROME)
    yield box(0.015, 0, 0.015, 0.19, 0.085, 0.05, body, taper=0.8)
    yield box(0.0, 0, 0.1, 0.16, 0.03, 0.03, body)
    yield box(0.06, 0, 0.06, 0.03, 0.03, 0.05, body)
    yield box(-0.07, 0, 0.06, 0.025, 0.03, 0.05, body)


def drying_rack(random: Random, style: Style) -> Elements:
    """Wires on a frame, with washing on some."""
    yield from [box(0, y, 0.9, 0.9, 0.012, 0.012, m.WHITE) for y in row(6, 0.5)]
    yield from [box(side * 0.44, 0, 0.89, 0.02, 0.5, 0.025, m.WHITE) for side in (-1, 1)]
    yield from [box(side * 0.44, y, 0, 0.02, 0.02, 0.9, m.WHITE) for side in (-1, 1) for y in (-0.22, 0.22)]
    for y in row(6, 0.5)[::2]:
        yield box(random.uniform(-0.2, 0.2), y, 0.42, random.uniform(0.25, 0.4), 0.03, 0.49, m.plain_cloth(random, style))


def detergent(random: Random, style: Style) -> Elements:
    """A plastic jug with a cap and a label."""
    body = m.plastic(random)
    yield box(0, 0, 0, 0.16, 0.1, 0.2, body)
    yield box(-0.03, 0, 0.2, 0.08, 0.07, 0.04, body, taper=0.6)
    yield rod(-0.03, 0, 0.235, 0.05, 0.04, m.WHITE)
    yield box(0, -0.052, 0.04, 0.12, 0.004, 0.11, m.PAPER)


def sauna_bench(random: Random, style: Style) -> Elements:
    """Two steps of pale slats."""
    pine = Material((0.83, 0.66, 0.44), "wood", (0.68, 0.49, 0.29), 0.6)
    width = random.uniform(1.4, 2.0)
    yield from [box(0, y, 0.42, width, 0.11, 0.03, pine) for y in (-0.42, -0.29, -0.16)]
    yield from [box(0, y, 0.85, width, 0.11, 0.03, pine) for y in (0.06, 0.2, 0.34)]
    yield from [box(x, -0.28, 0, 0.06, 0.36, 0.42, pine) for x in row(3, width)]
    yield from [box(x, 0.2, 0, 0.06, 0.36, 0.85, pine) for x in row(3, width)]


def sauna_stove(random: Random, style: Style) -> Elements:
    """A steel box heaped with stones."""
    stone = Material((0.42, 0.41, 0.4), "stone", scale=0.2)
    yield from four_legs(0.44, 0.4, 0.12, 0.04, m.BLACK)
    yield box(0, 0, 0.12, 0.46, 0.42, 0.5, m.STEEL)
    yield from [box(0, -0.215, 0.2 + 0.08 * i, 0.36, 0.01, 0.03, m.BLACK) for i in range(4)]
    yield from [ball(x, y, 0.57, 0.17, 0.17, 0.14, stone) for x in (-0.13, 0, 0.13) for y in (-0.1, 0.1)]


def massage_table(random: Random, style: Style) -> Elements:
    """A padded couch with a face rest, on folding legs."""
    pad = m.plain_cloth(random, style)
    yield from four_legs(0.6, 1.6, 0.62, 0.05, m.wood(random, style))
    yield box(0, 0, 0.6, 0.68, 1.8, 0.1, pad)
    yield box(0, 1.02, 0.64, 0.3, 0.24, 0.07, m.darker(pad, 0.85))
    yield box(0, -0.4, 0.7, 0.66, 0.9, 0.03, m.linen(random))


def scale(random: Random, style: Style) -> Elements:
    """Bathroom scales with a dial, low enough to step on."""
    yield box(0, 0, 0, 0.3, 0.3, 0.024, random.choice((m.WHITE, m.BLACK, m.GLASS)))
    yield box(0, 0.1, 0.024, 0.12, 0.06, 0.004, m.DARK_GLASS)
    yield from [box(side * 0.08, -0.05, 0.024, 0.07, 0.16, 0.003, m.GREY) for side in (-1, 1)]


def bathrobe(random: Random, style: Style) -> Elements:
    """On a hook."""
    stuff = m.linen(random)
    belt = m.darker(stuff, 0.85)
    yield box(0, 0, 0, 0.46, 0.1, 0.55, stuff, taper=0.75)
    yield box(0, 0, 0.55, 0.35, 0.1, 0.5, stuff, taper=0.6)
    yield box(0, 0, 0.53, 0.36, 0.115, 0.05, belt)
    yield box(0, 0.02, 1.03, 0.03, 0.1, 0.06, m.CHROME)
    yield from [box(side * 0.2, 0, 0.42, 0.09, 0.09, 0.52, belt) for side in (-1, 1)]

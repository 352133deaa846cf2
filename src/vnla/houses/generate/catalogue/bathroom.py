"""Bathroom, toilet, laundry and spa."""

# ruff: noqa: ARG001 - every maker takes (random, style), whether it draws from them or not

from __future__ import annotations

from random import Random

from vnla.houses.generate.catalogue.materials import (
    BASIN,
    BLACK,
    CERAMIC,
    CHROME,
    DARK,
    DARK_GLASS,
    GLASS,
    GREY,
    MIRROR,
    PAPER,
    STEEL,
    WATER,
    WHITE,
    WICKER,
    accent,
    darker,
    enamel,
    linen,
    patterned_cloth,
    plain_cloth,
    plastic,
    seed,
    wood,
)
from vnla.houses.generate.catalogue.pieces import (
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
from vnla.houses.generate.catalogue.registry import AtSpot, AtWall, Beside, InMiddle, InRow, OnFloor, OnTop, OnWall, thing
from vnla.houses.generate.catalogue.storage import doors, drawers
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material, Part


def _tap(x: float, y: float, z: float) -> list[Part]:
    return [
        rod(x, y, z, 0.035, 0.13, CHROME),
        box(x, y - 0.06, z + 0.11, 0.025, 0.14, 0.022, CHROME),
        box(x, y, z + 0.13, 0.025, 0.06, 0.018, CHROME),
    ]


def _shell(width: float, depth: float, height: float, outer: Material, rim: float = 0.06) -> list[Part]:
    """A tub seen from above: walls around a sunken floor, with water or enamel in it."""
    parts = [box(0, side * (depth - rim) / 2, 0, width, rim, height, outer) for side in (-1, 1)]
    parts += [box(side * (width - rim) / 2, 0, 0, rim, depth - 2 * rim, height, outer) for side in (-1, 1)]
    return [*parts, box(0, 0, 0, width - 2 * rim, depth - 2 * rim, height * 0.35, BASIN)]


@thing("bathtub", "bathtub", AtWall(clear=0.45, corner=True), {"a": 0.8, "S": 0.4}, area=3.6, rank=0)
def bathtub(random: Random, style: Style) -> Furniture:
    """Built in along the wall, or free-standing on feet; taps at one end."""
    width, depth, height = random.uniform(1.3, 1.7), random.uniform(0.68, 0.78), random.uniform(0.52, 0.58)
    if random.random() < 0.65:
        front = CERAMIC if random.random() < 0.6 else darker(style.units, 1.05)
        parts = [*_shell(width, depth, height, CERAMIC), box(0, -depth / 2 - 0.01, 0, width, 0.02, height - 0.04, front)]
    else:
        tub = _shell(width, depth, height - 0.12, CERAMIC, 0.05)
        feet = four_legs(width * 0.7, depth * 0.7, 0.12, 0.07, style.metal)
        parts = [*[part.moved(0, 0, 0.12) for part in tub], *feet, box(0, 0, 0.1, width * 0.9, depth * 0.85, 0.06, CERAMIC)]
    parts += _tap(-width / 2 + 0.03, 0.0, height)
    if random.random() < 0.4:
        parts.append(box(0, 0, height * 0.55, width - 0.14, depth - 0.14, 0.01, WATER))
    parts += [disc("y", -width / 2 + 0.4 + 0.14 * i, depth / 2 - 0.07, height * 0.75, 0.05, 0.03, CHROME) for i in range(2)]
    return build(parts, tops=[Top(width * 0.36, depth / 2 - 0.045, height, 0.3, 0.08)])


@thing("shower", "shower", AtWall(clear=0.45, corner=True), {"a": 0.85, "S": 0.8, "w": 0.3}, area=2.4, rank=1)
def shower(random: Random, style: Style) -> Furniture:
    """A tray, glass on two sides or a curtain, and the shower head on its pipe."""
    width, height = random.uniform(0.74, 0.95), 2.0
    parts = [box(0, 0, 0, width, width, 0.08, CERAMIC), rod(0, 0, 0.08, 0.09, 0.004, STEEL)]
    parts += [box(0, width / 2 - 0.01, 0.08, width, 0.02, height - 0.08, style.wall("a"))]
    parts += [
        rod(0.1, width / 2 - 0.05, 0.9, 0.025, 1.05, CHROME),
        bar("y", 0.1, width / 2 - 0.17, 1.94, 0.26, 0.025, CHROME),
        rod(0.1, width / 2 - 0.3, 1.88, 0.2, 0.03, CHROME),
    ]
    parts += [box(0.1, width / 2 - 0.05, 1.0, 0.18, 0.05, 0.06, CHROME)]
    posts = [
        box(side * (width / 2 - 0.012), -width / 2 + 0.012, 0.08, 0.024, 0.024, height - 0.08, CHROME) for side in (-1, 1)
    ]
    rails = [box(0, -width / 2 + 0.012, height - 0.03, width, 0.024, 0.03, CHROME)]
    rails += [box(side * (width / 2 - 0.012), 0, height - 0.03, 0.024, width, 0.03, CHROME) for side in (-1, 1)]
    if random.random() < 0.5:
        curtain = patterned_cloth(random, style)
        parts += [
            box(x, -width / 2 + 0.03 + 0.02 * (i % 2), 0.12, width / 14 + 0.01, 0.03, height - 0.16, curtain)
            for i, x in enumerate(row(7, width * 0.55))
        ]
    else:
        parts += [
            box(-width / 4, -width / 2 + 0.01, 0.1, width / 2, 0.012, height - 0.14, GLASS),
            box(0, -width / 2 - 0.01, 0.95, 0.02, 0.03, 0.2, CHROME),
        ]
    return build([*parts, *posts, *rails])


@thing("toilet", "toilet", AtWall(clear=0.45), {"a": 1, "t": 1}, rank=0)
def toilet(random: Random, style: Style) -> Furniture:
    """Bowl, seat, lid up or down, and a cistern with its button."""
    base = [
        box(0, 0.02, 0, 0.22, 0.4, 0.2, CERAMIC),
        ball(0, -0.08, 0.1, 0.36, 0.5, 0.34, CERAMIC),
        rod(0, -0.09, 0.36, 0.36, 0.045, CERAMIC),
        box(0, 0.08, 0.2, 0.34, 0.22, 0.2, CERAMIC),
    ]
    cistern = [
        box(0, 0.26, 0.38, 0.4, 0.17, 0.36, CERAMIC),
        box(0, 0.26, 0.74, 0.42, 0.19, 0.03, CERAMIC),
        rod(0, 0.26, 0.77, 0.05, 0.01, CHROME),
    ]
    if random.random() < 0.45:
        water = [rod(0, -0.1, 0.405, 0.24, 0.004, darker(WATER, 0.8)), disc("y", 0, 0.135, 0.58, 0.36, 0.03, WHITE)]
    else:
        water = [rod(0, -0.09, 0.405, 0.37, 0.025, WHITE), box(0, 0.06, 0.405, 0.35, 0.16, 0.025, WHITE)]
    return build([*base, *cistern, *water], tops=[Top(0, 0.26, 0.77, 0.36, 0.14, 0.3)])


@thing("bidet", "toilet", Beside(("toilet",), gap=0.25), {"a": 0.25}, area=5.5, rank=2)
def bidet(random: Random, style: Style) -> Furniture:
    """A low basin with a tap."""
    body = enamel(random)
    return build(
        [
            box(0, 0.02, 0, 0.2, 0.36, 0.22, body),
            ball(0, -0.03, 0.1, 0.36, 0.52, 0.32, body),
            rod(0, -0.06, 0.35, 0.36, 0.04, body),
            rod(0, -0.06, 0.388, 0.27, 0.004, darker(BASIN, 0.75)),
            box(0, 0.16, 0.22, 0.3, 0.2, 0.17, body),
            *_tap(0, 0.14, 0.39),
        ]
    )


@thing("washbasin", "sink", AtWall(clear=0.55), {"a": 0.45, "t": 1, "S": 0.4, "j": 0.1}, rank=1)
def washbasin(random: Random, style: Style) -> Furniture:
    """A basin on a pedestal."""
    width = random.uniform(0.5, 0.62)
    parts = [
        rod(0, 0.06, 0, 0.22, 0.7, CERAMIC, 0.8),
        box(0, 0, 0.68, width, 0.44, 0.14, CERAMIC),
        box(0, -0.02, 0.8205, width - 0.12, 0.28, 0.003, darker(BASIN, 0.72)),
        rod(0, -0.02, 0.8236, 0.04, 0.002, CHROME),
    ]
    return build(
        [*parts, *_tap(0, 0.16, 0.82)], tops=[Top(side * (width / 2 - 0.04), 0.16, 0.82, 0.07, 0.1) for side in (-1, 1)]
    )


@thing("washbasin cabinet", "cabinet", AtWall(clear=0.5), {"a": 0.85, "S": 0.3}, area=3, rank=0)
def washbasin_cabinet(random: Random, style: Style) -> Furniture:
    """A vanity unit: one or two basins on a cupboard."""
    basins = 1 if random.random() < 0.65 else 2
    width, front = 0.75 * basins + random.uniform(0.0, 0.2), -0.24
    parts = [
        box(0, 0.02, 0, width - 0.04, 0.42, 0.1, DARK),
        box(0, 0.01, 0.1, width, 0.46, 0.68, darker(style.units, 0.9)),
        box(0, 0, 0.78, width + 0.02, 0.5, 0.04, style.worktop),
    ]
    parts += (
        drawers(width - 0.01, front, 0.12, 0.64, 2, 2, style.units, style.metal)
        if random.random() < 0.4
        else doors(width - 0.01, front, 0.12, 0.64, 2 * basins, style.units, style.metal)
    )
    for x in row(basins, width):
        parts += [
            rod(x, -0.03, 0.82, 0.36, 0.06, CERAMIC, 1.08),
            rod(x, -0.03, 0.8801, 0.33, 0.002, darker(BASIN, 0.75)),
            *_tap(x, 0.18, 0.82),
        ]
    ends = [Top(side * (width / 2 - 0.08), 0.08, 0.82, 0.12, 0.25) for side in (-1, 1)]
    return build(parts, tops=ends)


@thing("towel rail", "objects", OnWall(1.45), {"a": 1.5, "t": 0.6, "S": 0.9, "k": 0.35, "j": 0.3, "w": 0.3}, rank=2)
def towel_rail(random: Random, style: Style) -> Furniture:
    """A bar on two brackets, low enough for a towel to hang from it."""
    width = random.uniform(0.5, 0.66)
    parts = [bar("x", 0, -0.03, 0.02, width, 0.022, CHROME)]
    for side in (-1, 1):
        parts += [
            box(side * (width / 2 - 0.02), 0.01, 0.01, 0.022, 0.08, 0.022, CHROME),
            box(side * (width / 2 - 0.02), 0.045, 0, 0.05, 0.012, 0.045, CHROME),
        ]
    return build(parts, spots={"towel": [Spot(0, -0.03, -0.56)]})


@thing(
    "towel",
    "towel",
    AtSpot(("towel rail", "towel radiator")),
    {"a": 2, "t": 0.6, "S": 1.4, "k": 0.4, "j": 0.3, "w": 0.4},
    rank=1,
)
def towel(random: Random, style: Style) -> Furniture:
    """Hanging over a rail: both halves and a coloured band near the hem."""
    stuff = (
        linen(random) if random.random() < 0.4 else Material(accent(random, style), "carpet", scale=0.2, seed=seed(random))
    )
    width, length = random.uniform(0.34, 0.46), 0.6
    parts = [
        box(0, -0.022, 0, width, 0.02, length, stuff),
        box(0, 0.02, 0.12, width, 0.018, length - 0.12, stuff),
        bar("x", 0, 0, length - 0.01, width, 0.06, stuff),
    ]
    return build(
        [*parts, box(0, -0.033, 0.07, width + 0.002, 0.004, 0.05, darker(stuff, 0.72 if sum(stuff.colour) > 1.2 else 1.5))]
    )


@thing(
    "folded towels",
    "towel",
    OnTop(("shelf", "wall shelf", "washbasin cabinet", "cabinet", "stool", "bathtub", "washing machine", "dryer")),
    {"a": 0.7, "S": 1.4, "j": 0.6, "w": 0.4, "c": 0.4},
    rank=4,
)
def folded_towels(random: Random, style: Style) -> Furniture:
    """A pile of two or three."""
    tones = [linen(random), Material(accent(random, style), "carpet", scale=0.2)]
    parts, z = [], 0.0
    for i in range(random.choice((2, 3))):
        parts += [
            box(0, 0.01, z, 0.28, 0.16, 0.055, tones[i % 2]),
            bar("x", 0, -0.07, z + 0.0275, 0.28, 0.055, tones[i % 2]),
        ]
        z += 0.055
    return build(parts)


@thing("towel radiator", "appliances", OnWall(1.2), {"a": 0.35, "S": 0.2}, area=4, rank=3)
def towel_radiator(random: Random, style: Style) -> Furniture:
    """A ladder of warm tubes."""
    tube = random.choice((WHITE, CHROME, BLACK))
    parts = [box(side * 0.23, 0.02, 0, 0.035, 0.035, 1.1, tube) for side in (-1, 1)]
    parts += [box(0, -0.005, z, 0.44, 0.025, 0.025, tube) for z in (0.06, 0.16, 0.26, 0.42, 0.52, 0.62, 0.78, 0.88, 0.98)]
    parts += [box(0, 0.045, z, 0.03, 0.05, 0.03, tube) for z in (0.1, 0.95)]
    return build(parts, spots={"towel": [Spot(0, -0.005, 0.42)]})


@thing(
    "bathroom mirror",
    "mirror",
    OnWall(1.55, above=("washbasin", "washbasin cabinet"), only_above=True),
    {"a": 1.1, "t": 1, "S": 0.6},
    rank=0,
)
def bathroom_mirror(random: Random, style: Style) -> Furniture:
    """Above the basin: plain, framed or round."""
    width, height = random.uniform(0.5, 0.7), random.uniform(0.6, 0.85)
    if random.random() < 0.3:
        return build(
            [
                disc("y", 0, 0.01, width / 2, width, 0.03, style.metal),
                disc("y", 0, -0.008, width / 2, width - 0.05, 0.012, MIRROR),
            ]
        )
    frame = style.metal if random.random() < 0.5 else wood(random, style)
    return build(
        [box(0, 0, 0, width, 0.025, height, frame), box(0, -0.016, 0.025, width - 0.05, 0.01, height - 0.05, MIRROR)]
    )


@thing("medicine cabinet", "cabinet", OnWall(1.6), {"a": 0.35, "t": 0.2}, rank=4)
def medicine_cabinet(random: Random, style: Style) -> Furniture:
    """A shallow white cupboard with a cross."""
    body = enamel(random)
    red = Material((0.80, 0.10, 0.10))
    return build(
        [
            box(0, 0, 0, 0.36, 0.14, 0.46, body),
            box(0, -0.075, 0.01, 0.34, 0.012, 0.44, darker(body, 0.95)),
            box(0, -0.083, 0.15, 0.05, 0.006, 0.16, red),
            box(0, -0.083, 0.205, 0.16, 0.006, 0.05, red),
            box(0.14, -0.09, 0.2, 0.015, 0.02, 0.06, CHROME),
        ]
    )


@thing("toilet paper", "objects", OnWall(0.72), {"a": 0.9, "t": 1}, rank=3)
def toilet_paper(random: Random, style: Style) -> Furniture:
    """A roll on its holder, the end hanging down."""
    return build(
        [
            bar("x", 0, -0.03, 0.12, 0.11, 0.11, PAPER),
            bar("x", 0, -0.03, 0.12, 0.15, 0.025, CHROME),
            box(0, -0.083, 0, 0.1, 0.004, 0.12, PAPER),
            box(0.07, 0.02, 0.11, 0.02, 0.1, 0.02, CHROME),
            box(0.05, 0.065, 0.09, 0.06, 0.01, 0.06, CHROME),
        ]
    )


@thing("toilet brush", "objects", Beside(("toilet",), gap=0.06), {"a": 0.6, "t": 0.7}, rank=6)
def toilet_brush(random: Random, style: Style) -> Furniture:
    """In its pot."""
    pot = random.choice((WHITE, STEEL, BLACK))
    return build(
        [rod(0, 0, 0, 0.11, 0.16, pot, 0.9), rod(0, 0, 0.16, 0.022, 0.2, pot), ball(0, 0, 0.35, 0.035, 0.035, 0.04, pot)]
    )


@thing("soap dish", "objects", OnTop(("washbasin", "washbasin cabinet", "bathtub")), {"a": 0.6, "t": 0.4}, rank=6)
def soap_dish(random: Random, style: Style) -> Furniture:
    """A dish with a bar of soap."""
    soap = Material(random.choice(((0.95, 0.85, 0.80), (0.80, 0.90, 0.80), (0.95, 0.92, 0.75))), gloss=0.2)
    return build(
        [
            box(0, 0, 0, 0.1, 0.06, 0.015, random.choice((CERAMIC, CHROME, GLASS)), taper=1.1),
            ball(0, 0, 0.012, 0.075, 0.048, 0.03, soap),
        ]
    )


@thing(
    "soap dispenser",
    "objects",
    OnTop(("washbasin", "washbasin cabinet", "kitchen cabinet")),
    {"a": 0.7, "t": 0.5, "k": 0.5, "S": 0.3},
    rank=6,
)
def soap_dispenser(random: Random, style: Style) -> Furniture:
    """A pump bottle."""
    body = random.choice((WHITE, GLASS, Material(accent(random, style), gloss=0.4)))
    return build(
        [
            rod(0, 0, 0, 0.065, 0.12, body),
            rod(0, 0, 0.12, 0.03, 0.02, CHROME),
            rod(0, 0, 0.14, 0.012, 0.03, CHROME),
            box(0, -0.018, 0.165, 0.016, 0.06, 0.012, CHROME),
        ]
    )


@thing("toothbrush holder", "objects", OnTop(("washbasin", "washbasin cabinet")), {"a": 0.6}, rank=6)
def toothbrush_holder(random: Random, style: Style) -> Furniture:
    """A beaker with two brushes."""
    parts = [rod(0, 0, 0, 0.068, 0.1, random.choice((GLASS, CERAMIC, STEEL)))]
    for x, y in ((-0.015, 0.01), (0.015, -0.01)):
        parts += [box(x, y, 0.05, 0.01, 0.01, 0.14, plastic(random)), box(x, y - 0.007, 0.165, 0.012, 0.012, 0.025, WHITE)]
    return build(parts)


@thing(
    "bath mat",
    "floor",
    OnFloor(before=("bathtub", "shower", "washbasin", "washbasin cabinet")),
    {"a": 1.3, "S": 0.8},
    rank=4,
)
def bath_mat(random: Random, style: Style) -> Furniture:
    """Thick, with a border."""
    stuff = (
        Material(accent(random, style), "carpet", scale=0.15, seed=seed(random)) if random.random() < 0.6 else linen(random)
    )
    width, depth = random.uniform(0.65, 0.85), random.uniform(0.42, 0.52)
    return build(
        [box(0, 0, 0, width, depth, 0.015, darker(stuff, 0.8)), box(0, 0, 0.015, width - 0.1, depth - 0.1, 0.004, stuff)]
    )


@thing(
    "laundry basket", "objects", AtWall(clear=0.2, corner=True), {"a": 0.4, "j": 1.2, "b": 0.2, "c": 0.4, "u": 0.3}, rank=7
)
def laundry_basket(random: Random, style: Style) -> Furniture:
    """Full of washing; wicker or plastic."""
    if random.random() < 0.5:
        return build(
            [
                box(0, 0, 0, 0.42, 0.34, 0.55, WICKER),
                box(0, 0, 0.55, 0.44, 0.36, 0.04, darker(WICKER, 0.8)),
                box(0, -0.18, 0.4, 0.14, 0.012, 0.04, darker(WICKER, 0.6)),
            ]
        )
    body = plastic(random)
    return build(
        [
            box(0, 0, 0, 0.5, 0.36, 0.24, body),
            box(0, 0, 0.21, 0.55, 0.41, 0.04, darker(body, 0.85)),
            ball(-0.06, 0, 0.14, 0.36, 0.3, 0.22, plain_cloth(random, style)),
            ball(0.1, 0.02, 0.12, 0.28, 0.26, 0.22, linen(random)),
        ]
    )


def _front_loader(random: Random, window: Material) -> list[Part]:
    body = random.choice((WHITE, WHITE, STEEL, GREY))
    parts = [
        box(0, 0.01, 0.02, 0.6, 0.58, 0.83, body),
        box(0, 0.01, 0, 0.54, 0.5, 0.02, BLACK),
        box(0, -0.29, 0.7, 0.58, 0.012, 0.13, darker(body, 0.88)),
    ]
    parts += [
        disc("y", 0, -0.29, 0.4, 0.42, 0.03, CHROME),
        disc("y", 0, -0.305, 0.4, 0.34, 0.03, window),
        disc("y", 0.06, -0.3, 0.77, 0.07, 0.03, darker(body, 0.7)),
    ]
    return [*parts, box(0.2, -0.297, 0.745, 0.12, 0.006, 0.05, DARK_GLASS)]


@thing("washing machine", "appliances", InRow(), {"j": 1, "u": 0.5, "a": 0.12, "g": 0.15}, rank=0)
def washing_machine(random: Random, style: Style) -> Furniture:
    """A front loader: round window, dial, soap drawer."""
    parts = [*_front_loader(random, DARK_GLASS), box(-0.19, -0.297, 0.73, 0.17, 0.008, 0.08, WHITE)]
    return build(parts, tops=[Top(0, 0.02, 0.85, 0.52, 0.46)])


@thing("dryer", "appliances", InRow(), {"j": 0.9, "u": 0.25}, rank=1)
def dryer(random: Random, style: Style) -> Furniture:
    """As the washing machine's twin, with a pale door and a grille."""
    parts = _front_loader(random, Material((0.62, 0.64, 0.66), gloss=0.4))
    return build(
        [*parts, *[box(0.15, -0.285, 0.06 + 0.03 * i, 0.2, 0.008, 0.012, DARK) for i in range(3)]],
        tops=[Top(0, 0.02, 0.85, 0.52, 0.46)],
    )


@thing("ironing board", "furniture", AtWall(clear=0.3), {"j": 0.8, "u": 0.3, "c": 0.15}, area=3.5, rank=5)
def ironing_board(random: Random, style: Style) -> Furniture:
    """Long and narrow on crossed legs, its end rounded."""
    cover = patterned_cloth(random, style)
    parts = [
        box(0.08, 0, 0.84, 1.0, 0.34, 0.035, cover),
        rod(-0.42, 0, 0.84, 0.34, 0.035, cover),
        box(-0.02, 0, 0.82, 0.9, 0.05, 0.02, STEEL),
    ]
    for side in (-1, 1):
        parts += [box(side * 0.08 * (5 - i), side * 0.04, 0.02 + 0.16 * i, 0.1, 0.03, 0.17, STEEL) for i in range(5)]
        parts.append(box(side * 0.4, 0, 0, 0.03, 0.32, 0.03, STEEL))
    return build(parts, tops=[Top(0.1, 0, 0.875, 0.85, 0.28)])


@thing("iron", "appliances", OnTop(("ironing board", "shelf")), {"j": 0.7, "u": 0.2}, rank=5)
def iron(random: Random, style: Style) -> Furniture:
    """A flat iron with its handle."""
    body = plastic(random)
    return build(
        [
            box(0, 0, 0, 0.24, 0.1, 0.015, CHROME),
            box(0.015, 0, 0.015, 0.19, 0.085, 0.05, body, taper=0.8),
            box(0.0, 0, 0.1, 0.16, 0.03, 0.03, body),
            box(0.06, 0, 0.06, 0.03, 0.03, 0.05, body),
            box(-0.07, 0, 0.06, 0.025, 0.03, 0.05, body),
        ]
    )


@thing("drying rack", "furniture", AtWall(clear=0.3), {"j": 0.5, "y": 0.2, "a": 0.1, "u": 0.15}, area=5, rank=6)
def drying_rack(random: Random, style: Style) -> Furniture:
    """Wires on a frame, with washing on some."""
    parts = [box(0, y, 0.9, 0.9, 0.012, 0.012, WHITE) for y in row(6, 0.5)]
    parts += [box(side * 0.44, 0, 0.89, 0.02, 0.5, 0.025, WHITE) for side in (-1, 1)]
    parts += [box(side * 0.44, y, 0, 0.02, 0.02, 0.9, WHITE) for side in (-1, 1) for y in (-0.22, 0.22)]
    parts += [
        box(random.uniform(-0.2, 0.2), y, 0.42, random.uniform(0.25, 0.4), 0.03, 0.49, plain_cloth(random, style))
        for y in row(6, 0.5)[::2]
    ]
    return build(parts)


@thing(
    "detergent",
    "objects",
    OnTop(("washing machine", "dryer", "shelf", "wall shelf", "kitchen cabinet")),
    {"j": 1.1, "u": 0.6, "k": 0.2},
    rank=6,
)
def detergent(random: Random, style: Style) -> Furniture:
    """A plastic jug with a cap and a label."""
    body = plastic(random)
    return build(
        [
            box(0, 0, 0, 0.16, 0.1, 0.2, body),
            box(-0.03, 0, 0.2, 0.08, 0.07, 0.04, body, taper=0.6),
            rod(-0.03, 0, 0.235, 0.05, 0.04, WHITE),
            box(0, -0.052, 0.04, 0.12, 0.004, 0.11, PAPER),
        ]
    )


@thing("sauna bench", "seating", AtWall(clear=0.5), {"S": 1.2}, area=4, rank=0)
def sauna_bench(random: Random, style: Style) -> Furniture:
    """Two steps of pale slats."""
    pine = Material((0.83, 0.66, 0.44), "wood", (0.68, 0.49, 0.29), 0.6)
    width = random.uniform(1.4, 2.0)
    parts = [box(0, y, 0.42, width, 0.11, 0.03, pine) for y in (-0.42, -0.29, -0.16)] + [
        box(0, y, 0.85, width, 0.11, 0.03, pine) for y in (0.06, 0.2, 0.34)
    ]
    parts += [box(x, -0.28, 0, 0.06, 0.36, 0.42, pine) for x in row(3, width)] + [
        box(x, 0.2, 0, 0.06, 0.36, 0.85, pine) for x in row(3, width)
    ]
    return build(parts, spots={"towel": []})


@thing("sauna stove", "appliances", AtWall(clear=0.4, corner=True), {"S": 0.8}, rank=2)
def sauna_stove(random: Random, style: Style) -> Furniture:
    """A steel box heaped with stones."""
    stone = Material((0.42, 0.41, 0.40), "stone", scale=0.2)
    parts = [
        *four_legs(0.44, 0.4, 0.12, 0.04, BLACK),
        box(0, 0, 0.12, 0.46, 0.42, 0.5, STEEL),
        *[box(0, -0.215, 0.2 + 0.08 * i, 0.36, 0.01, 0.03, BLACK) for i in range(4)],
    ]
    return build([*parts, *[ball(x, y, 0.57, 0.17, 0.17, 0.14, stone) for x in (-0.13, 0, 0.13) for y in (-0.1, 0.1)]])


@thing("massage table", "furniture", InMiddle(clear=0.55), {"S": 0.6}, area=7, rank=1)
def massage_table(random: Random, style: Style) -> Furniture:
    """A padded couch with a face rest, on folding legs."""
    pad = plain_cloth(random, style)
    return build(
        [
            *four_legs(0.6, 1.6, 0.62, 0.05, wood(random, style)),
            box(0, 0, 0.6, 0.68, 1.8, 0.1, pad),
            box(0, 1.02, 0.64, 0.3, 0.24, 0.07, darker(pad, 0.85)),
            box(0, -0.4, 0.7, 0.66, 0.9, 0.03, linen(random)),
        ]
    )


@thing("scale", "objects", OnFloor(before=("washbasin cabinet", "cabinet")), {"a": 0.3, "w": 0.4}, rank=6)
def scale(random: Random, style: Style) -> Furniture:
    """Bathroom scales with a dial, low enough to step on."""
    return build(
        [
            box(0, 0, 0, 0.3, 0.3, 0.024, random.choice((WHITE, BLACK, GLASS))),
            box(0, 0.1, 0.024, 0.12, 0.06, 0.004, DARK_GLASS),
            *[box(side * 0.08, -0.05, 0.024, 0.07, 0.16, 0.003, GREY) for side in (-1, 1)],
        ]
    )


@thing("bathrobe", "clothes", OnWall(1.3), {"a": 0.3, "S": 0.9, "b": 0.08}, rank=5)
def bathrobe(random: Random, style: Style) -> Furniture:
    """On a hook."""
    stuff = linen(random)
    belt = darker(stuff, 0.85)
    parts = [
        box(0, 0, 0, 0.46, 0.1, 0.55, stuff, taper=0.75),
        box(0, 0, 0.55, 0.35, 0.1, 0.5, stuff, taper=0.6),
        box(0, 0, 0.53, 0.36, 0.115, 0.05, belt),
        box(0, 0.02, 1.03, 0.03, 0.1, 0.06, CHROME),
    ]
    return build([*parts, *[box(side * 0.2, 0, 0.42, 0.09, 0.09, 0.52, belt) for side in (-1, 1)]])

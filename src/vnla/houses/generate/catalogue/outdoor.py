"""Garden, porch, garage and workshop."""

# ruff: noqa: ARG001 - every maker takes (random, style), whether it draws from them or not

from __future__ import annotations

from random import Random

from vnla.houses.generate.catalogue.materials import (
    BLACK,
    CHROME,
    DARK,
    DARK_GLASS,
    GREY,
    IRON,
    RUBBER,
    SOIL,
    STEEL,
    TERRACOTTA,
    WATER,
    WHITE,
    accent,
    darker,
    enamel,
    leaves,
    plain_cloth,
    plastic,
    shade,
    wood,
)
from vnla.houses.generate.catalogue.pieces import (
    Furniture,
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
from vnla.houses.generate.catalogue.registry import AtWall, Beside, InMiddle, OnTop, OnWall, thing
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material, Part

_STONE = Material((0.66, 0.64, 0.60), "stone", scale=0.4)


@thing(
    "parasol", "objects", Beside(("garden table", "lounge chair"), gap=0.25), {"x": 0.7, "p": 0.3, "y": 0.2}, area=9, rank=5
)
def parasol(random: Random, style: Style) -> Furniture:
    """An open umbrella on a heavy foot."""
    cloth, pole = plain_cloth(random, style), wood(random, style)
    return build(
        [
            rod(0, 0, 0, 0.5, 0.08, GREY),
            rod(0, 0, 0.08, 0.045, 2.1, pole),
            rod(0, 0, 1.85, 1.9, 0.35, cloth, 0.06),
            rod(0, 0, 1.8, 1.9, 0.05, darker(cloth, 0.85)),
            ball(0, 0, 2.17, 0.07, 0.07, 0.07, pole),
        ]
    )


@thing("barbecue", "appliances", AtWall(clear=0.6), {"x": 0.5, "p": 0.35, "y": 0.15}, area=6, rank=5)
def barbecue(random: Random, style: Style) -> Furniture:
    """A kettle on three legs, or a gas grill with a hood."""
    if random.random() < 0.5:
        red = Material(random.choice(((0.06, 0.06, 0.07), (0.65, 0.08, 0.06))), gloss=0.5)
        legs = [rod(x, y, 0, 0.03, 0.55, STEEL) for x, y in ((0.0, -0.2), (0.2, 0.15), (-0.2, 0.15))]
        return build(
            [
                *legs,
                ball(0, 0, 0.48, 0.56, 0.56, 0.5, red),
                rod(0, 0, 0.72, 0.575, 0.02, STEEL),
                box(0, 0, 0.97, 0.14, 0.03, 0.05, BLACK),
                rod(0, 0, 0.2, 0.4, 0.015, STEEL),
            ]
        )
    parts = [
        box(0, 0, 0.08, 0.7, 0.5, 0.7, DARK),
        box(0, 0, 0.78, 0.7, 0.52, 0.06, STEEL),
        bar("x", 0, 0.02, 0.86, 0.68, 0.44, DARK),
        bar("x", 0, -0.22, 0.95, 0.5, 0.03, CHROME),
        *[box(s * 0.52, 0, 0.8, 0.34, 0.42, 0.03, STEEL) for s in (-1, 1)],
    ]
    parts += [disc("y", x, -0.265, 0.7, 0.06, 0.03, STEEL) for x in row(3, 0.5)] + [
        disc("x", s * 0.3, 0, 0.08, 0.16, 0.05, RUBBER) for s in (-1, 1)
    ]
    return build(parts)


@thing("fountain", "objects", InMiddle(clear=0.6), {"x": 0.25}, area=22, rank=3)
def fountain(random: Random, style: Style) -> Furniture:
    """Two stone bowls with water, one above the other."""
    parts = [
        rod(0, 0, 0, 1.3, 0.32, _STONE),
        rod(0, 0, 0.32, 1.12, 0.006, WATER),
        rod(0, 0, 0.3, 0.2, 0.55, _STONE, 0.7),
        rod(0, 0, 0.82, 0.3, 0.16, _STONE, 2.0),
        rod(0, 0, 0.98, 0.52, 0.006, WATER),
        rod(0, 0, 0.98, 0.08, 0.2, _STONE),
    ]
    return build(
        [
            *parts,
            ball(0, 0, 1.16, 0.16, 0.16, 0.14, _STONE),
            *[
                rod(x, y, 0.33, 0.025, 0.65, Material((0.85, 0.93, 0.96), gloss=0.6))
                for x, y in ((0.3, 0), (-0.3, 0), (0, 0.3), (0, -0.3))
            ],
        ]
    )


@thing("bush", "plant", AtWall(clear=0.1, corner=True), {"x": 2.5, "p": 0.3}, area=8, rank=7)
def bush(random: Random, style: Style) -> Furniture:
    """A round shrub, clipped or loose, some in flower."""
    green, width = leaves(random), random.uniform(0.6, 0.95)
    parts = [rod(0, 0, 0, width * 0.5, 0.1, SOIL), ball(0, 0, 0.02, width, width * 0.95, width * 0.85, green)]
    parts += [
        ball(
            random.uniform(-0.2, 0.2),
            random.uniform(-0.2, 0.2),
            width * 0.3,
            width * 0.55,
            width * 0.55,
            width * 0.6,
            darker(green, random.uniform(0.85, 1.2)),
        )
        for _ in range(3)
    ]
    if random.random() < 0.4:
        bloom = Material(random.choice(((0.9, 0.3, 0.4), (0.95, 0.85, 0.3), (0.85, 0.6, 0.9))))
        parts += [
            ball(random.uniform(-0.3, 0.3) * width, -width * 0.4, random.uniform(0.2, 0.6) * width, 0.08, 0.08, 0.08, bloom)
            for _ in range(5)
        ]
    return build(parts)


@thing("tree", "plant", AtWall(clear=0.2, corner=True), {"x": 0.9}, area=14, rank=6)
def tree(random: Random, style: Style) -> Furniture:
    """A young tree: a trunk under a crown."""
    green, bark, height = leaves(random), Material((0.36, 0.26, 0.18), "wood", scale=0.3), random.uniform(2.2, 3.0)
    parts = [rod(0, 0, 0, 0.16, height * 0.6, bark, 0.7), rod(0, 0, 0, 0.6, 0.04, SOIL)]
    if random.random() < 0.3:
        return build(
            [
                *parts,
                *[
                    rod(0, 0, height * (0.25 + 0.22 * i), 1.1 - 0.28 * i, height * 0.33, darker(green, 0.7), 0.05)
                    for i in range(3)
                ],
            ]
        )
    crowns = ((0, 0, 0.5, 1.2), (0.25, 0.1, 0.62, 0.8), (-0.25, -0.1, 0.58, 0.85), (0, 0.2, 0.75, 0.75))
    return build(
        [
            *parts,
            *[ball(x, y, height * z, w, w, w * 0.85, darker(green, random.uniform(0.85, 1.15))) for x, y, z, w in crowns],
        ]
    )


@thing("planter", "plant", AtWall(clear=0.2), {"xp": 0.8, "y": 0.9, "e": 0.1}, rank=6)
def planter(random: Random, style: Style) -> Furniture:
    """A long trough with flowers."""
    width, trough = random.uniform(0.7, 1.0), random.choice((wood(random, style), TERRACOTTA, WHITE))
    parts = [box(0, 0, 0, width, 0.3, 0.34, trough), box(0, 0, 0.34, width - 0.06, 0.24, 0.01, SOIL)]
    tone = random.choice(((0.9, 0.2, 0.3), (0.95, 0.75, 0.2), (0.6, 0.3, 0.75)))
    for x in row(3, width - 0.15):
        parts += [
            ball(x, 0, 0.3, 0.28, 0.26, 0.24, leaves(random)),
            ball(x + 0.03, -0.06, 0.45, 0.09, 0.09, 0.09, Material(shade(tone, random.uniform(0.8, 1.1)))),
            ball(x - 0.05, 0.03, 0.48, 0.08, 0.08, 0.08, Material(tone)),
        ]
    return build(parts)


@thing(
    "bicycle", "objects", AtWall(clear=0.3), {"g": 0.9, "p": 0.2, "u": 0.2, "x": 0.15, "e": 0.06, "Z": 0.2}, area=7, rank=3
)
def bicycle(random: Random, style: Style) -> Furniture:
    """Along the wall: two wheels, a frame, saddle and handlebars."""
    paint = plastic(random)
    parts: list[Part] = []
    for x in (-0.52, 0.52):
        parts += [
            disc("y", x, 0, 0.33, 0.66, 0.035, RUBBER),
            disc("y", x, 0, 0.33, 0.57, 0.04, Material((0.75, 0.76, 0.78), gloss=0.3)),
            disc("y", x, 0, 0.33, 0.07, 0.09, CHROME),
        ]
    parts += [
        box(0.0, 0, 0.76, 0.62, 0.05, 0.045, paint),
        box(-0.27, 0, 0.32, 0.045, 0.05, 0.5, paint),
        box(-0.36, 0, 0.31, 0.3, 0.05, 0.04, paint),
        box(0.36, 0, 0.5, 0.045, 0.05, 0.42, paint),
        box(0.44, 0, 0.3, 0.045, 0.05, 0.26, paint),
    ]
    parts += [box(-0.22 + 0.1 * i, 0, 0.3 + 0.085 * i, 0.13, 0.048, 0.08, paint) for i in range(6)]
    parts += [
        box(-0.27, 0, 0.8, 0.03, 0.03, 0.12, CHROME),
        box(-0.28, 0, 0.91, 0.27, 0.13, 0.06, BLACK, taper=0.85),
        box(0.34, 0, 0.9, 0.03, 0.03, 0.12, CHROME),
        bar("y", 0.36, 0, 1.02, 0.5, 0.03, BLACK),
    ]
    return build(
        [
            *parts,
            disc("y", -0.1, -0.04, 0.3, 0.18, 0.015, STEEL),
            box(-0.1, -0.09, 0.19, 0.1, 0.09, 0.02, BLACK),
            box(-0.1, 0.09, 0.4, 0.1, 0.09, 0.02, BLACK),
            box(-0.1, 0.045, 0.28, 0.03, 0.02, 0.14, STEEL),
        ]
    )


@thing("car", "objects", InMiddle(clear=0.45), {"g": 0.6}, area=24, rank=0)
def car(random: Random, style: Style) -> Furniture:
    """A small hatchback: body, cabin with windows, wheels and lights."""
    tone = random.choice(
        (
            (0.70, 0.08, 0.08),
            (0.10, 0.20, 0.45),
            (0.85, 0.86, 0.87),
            (0.15, 0.15, 0.16),
            (0.45, 0.47, 0.50),
            (0.15, 0.35, 0.25),
        )
    )
    paint, lit = Material(tone, gloss=0.55), Material((0.98, 0.96, 0.85), gloss=0.5, glow=0.15)
    parts = [
        box(0, 0, 0.22, 1.62, 3.6, 0.42, paint),
        box(0, 0.25, 0.64, 1.5, 2.4, 0.1, paint),
        box(0, 0.35, 0.72, 1.48, 2.1, 0.58, DARK_GLASS, taper=0.72),
        box(0, 0.35, 1.28, 1.12, 1.55, 0.06, paint),
        box(0, -1.2, 0.64, 1.5, 1.1, 0.08, paint, taper=0.9),
    ]
    parts += [disc("x", sx * 0.74, sy * 1.15, 0.31, 0.62, 0.2, RUBBER) for sx in (-1, 1) for sy in (-1, 1)] + [
        disc("x", sx * 0.83, sy * 1.15, 0.31, 0.38, 0.04, CHROME) for sx in (-1, 1) for sy in (-1, 1)
    ]
    parts += [box(s * 0.58, -1.8, 0.45, 0.32, 0.03, 0.14, lit) for s in (-1, 1)] + [
        box(s * 0.62, 1.8, 0.45, 0.22, 0.03, 0.16, Material((0.75, 0.05, 0.05), gloss=0.5)) for s in (-1, 1)
    ]
    parts += [
        box(0, -1.805, 0.28, 1.1, 0.03, 0.14, BLACK),
        box(0, 1.805, 0.42, 0.5, 0.02, 0.12, WHITE),
        box(0, -1.815, 0.4, 0.45, 0.02, 0.1, WHITE),
        *[box(s * 0.8, -0.5, 0.7, 0.2, 0.1, 0.12, paint) for s in (-1, 1)],
    ]
    return build([*parts, *[box(s * 0.7, 0.35, 0.72, 0.06, 0.05, 0.3, paint) for s in (-1, 1)]])


@thing("workbench", "table", AtWall(clear=0.6), {"g": 0.9, "u": 0.7}, area=6, rank=1)
def workbench(random: Random, style: Style) -> Furniture:
    """A heavy bench with a vice and a board of tools behind it."""
    frame, width = wood(random, style), random.uniform(1.2, 1.6)
    parts = [
        *four_legs(width - 0.1, 0.55, 0.82, 0.09, frame),
        box(0, 0, 0.82, width, 0.62, 0.06, frame),
        box(0, 0, 0.2, width - 0.12, 0.5, 0.03, frame),
        box(0, 0.3, 0.88, width, 0.02, 0.75, Material((0.72, 0.58, 0.40), "dots", (0.35, 0.26, 0.17), 0.06)),
    ]
    for x, w, h in zip(
        row(6, width - 0.1), (0.03, 0.12, 0.04, 0.03, 0.1, 0.05), (0.34, 0.2, 0.3, 0.26, 0.34, 0.22), strict=True
    ):
        parts += [
            box(x, 0.27, 1.5 - h, w, 0.03, h * 0.55, plastic(random)),
            box(x, 0.275, 1.5 - h * 0.45, 0.035, 0.02, h * 0.45, STEEL),
        ]
    parts += [
        box(-width * 0.35, -0.26, 0.88, 0.14, 0.18, 0.12, IRON),
        box(-width * 0.35, -0.36, 0.92, 0.16, 0.05, 0.1, IRON),
    ]
    return build(parts, tops=[Top(0.12, 0.0, 0.88, width - 0.5, 0.42)])


@thing("toolbox", "objects", OnTop(("workbench", "shelf", "folding table")), {"g": 0.8, "u": 0.7, "Z": 0.3}, rank=4)
def toolbox(random: Random, style: Style) -> Furniture:
    """A red or blue box with a handle and two catches."""
    paint = Material(random.choice(((0.75, 0.08, 0.06), (0.10, 0.25, 0.60), (0.95, 0.70, 0.10))), gloss=0.4)
    return build(
        [
            box(0, 0, 0, 0.4, 0.19, 0.13, paint),
            box(0, 0, 0.13, 0.4, 0.19, 0.06, darker(paint, 0.8), taper=0.85),
            *[box(s * 0.08, 0, 0.18, 0.02, 0.02, 0.06, BLACK) for s in (-1, 1)],
            box(0, 0, 0.23, 0.2, 0.03, 0.025, BLACK),
            *[box(s * 0.11, -0.098, 0.1, 0.04, 0.01, 0.06, STEEL) for s in (-1, 1)],
        ]
    )


@thing("ladder", "objects", AtWall(clear=0.2), {"g": 0.6, "u": 0.5, "i": 0.25, "Z": 0.4}, rank=6)
def ladder(random: Random, style: Style) -> Furniture:
    """A stepladder, open."""
    frame = STEEL if random.random() < 0.5 else wood(random, style)
    parts: list[Part] = []
    for i in range(6):
        z, spread = 0.25 * i, 0.3 - 0.05 * i
        parts += [box(s * (0.24 - 0.012 * i), -spread, z, 0.04, 0.06, 0.26, frame) for s in (-1, 1)] + [
            box(s * 0.2, spread, z, 0.03, 0.03, 0.26, frame) for s in (-1, 1)
        ]
        if i:
            parts.append(box(0, -spread, z, 0.42, 0.09, 0.025, frame))
    return build([*parts, box(0, 0, 1.5, 0.46, 0.22, 0.03, plastic(random))])


@thing("lawn mower", "objects", AtWall(clear=0.3, corner=True), {"g": 0.3, "u": 0.12, "x": 0.08}, area=10, rank=6)
def lawn_mower(random: Random, style: Style) -> Furniture:
    """Deck, motor, four wheels and a push bar."""
    paint = plastic(random)
    parts = [
        box(0, 0, 0.1, 0.48, 0.65, 0.14, paint),
        rod(0, -0.05, 0.24, 0.28, 0.16, BLACK),
        box(0, 0.32, 0.12, 0.4, 0.3, 0.24, DARK),
    ]
    parts += [disc("x", sx * 0.26, sy * 0.26, 0.1, 0.2, 0.06, RUBBER) for sx in (-1, 1) for sy in (-1, 1)]
    parts += [box(s * 0.2, 0.3 + 0.07 * i, 0.24 + 0.14 * i, 0.03, 0.1, 0.15, STEEL) for s in (-1, 1) for i in range(5)]
    return build([*parts, bar("x", 0, 0.62, 0.95, 0.46, 0.035, BLACK)])


@thing(
    "watering can", "objects", AtWall(clear=0.1, corner=True), {"x": 0.4, "p": 0.35, "y": 0.5, "g": 0.15, "u": 0.1}, rank=8
)
def watering_can(random: Random, style: Style) -> Furniture:
    """Spout, rose and handle."""
    body = random.choice((STEEL, Material((0.15, 0.45, 0.25), gloss=0.3), plastic(random)))
    return build(
        [
            rod(0, 0, 0, 0.22, 0.24, body, 0.9),
            box(-0.16, 0, 0.08, 0.12, 0.035, 0.05, body),
            box(-0.23, 0, 0.13, 0.08, 0.035, 0.1, body),
            box(-0.28, 0, 0.21, 0.06, 0.035, 0.08, body),
            disc("x", -0.32, 0, 0.28, 0.1, 0.03, body),
            box(0.02, 0, 0.33, 0.18, 0.025, 0.025, body),
            box(0.11, 0, 0.1, 0.025, 0.025, 0.25, body),
            box(-0.06, 0, 0.24, 0.025, 0.025, 0.1, body),
        ]
    )


@thing("water heater", "appliances", AtWall(clear=0.3, corner=True), {"u": 0.9, "j": 0.25, "g": 0.3}, rank=1)
def water_heater(random: Random, style: Style) -> Furniture:
    """A white tank with pipes and a dial."""
    body = enamel(random)
    copper = Material((0.72, 0.42, 0.26), "metal", gloss=0.5)
    return build(
        [
            rod(0, 0, 0.06, 0.5, 1.3, body),
            rod(0, 0, 0, 0.44, 0.06, DARK),
            rod(0, 0, 1.36, 0.5, 0.06, darker(body, 0.85), 0.8),
            *[rod(x, 0.05, 1.4, 0.04, 0.45, copper) for x in (-0.12, 0.12)],
            box(0, -0.25, 0.3, 0.16, 0.04, 0.2, GREY),
            disc("y", 0, -0.272, 0.45, 0.06, 0.02, BLACK),
            rod(0, 0, 0.9, 0.505, 0.02, GREY),
        ]
    )


@thing("boiler", "appliances", OnWall(1.6), {"u": 0.5, "k": 0.08, "j": 0.12, "g": 0.1}, rank=3)
def boiler(random: Random, style: Style) -> Furniture:
    """A white box on the wall with pipes below."""
    body = enamel(random)
    copper = Material((0.72, 0.42, 0.26), "metal", gloss=0.5)
    return build(
        [
            box(0, 0, 0.25, 0.42, 0.3, 0.7, body),
            box(0, -0.152, 0.3, 0.3, 0.006, 0.1, DARK_GLASS),
            disc("y", 0.1, -0.155, 0.5, 0.06, 0.02, GREY),
            *[rod(x, 0.03, 0, 0.025, 0.26, copper) for x in row(4, 0.3)],
            rod(0, 0.0, 0.95, 0.11, 0.2, STEEL),
        ]
    )


@thing("fuse box", "appliances", OnWall(1.6), {"u": 0.6, "g": 0.5, "j": 0.1}, rank=5)
def fuse_box(random: Random, style: Style) -> Furniture:
    """A grey panel of switches."""
    return build(
        [
            box(0, 0, 0, 0.34, 0.1, 0.46, GREY),
            box(0, -0.052, 0.03, 0.28, 0.008, 0.4, darker(GREY, 0.8)),
            *[box(x, -0.06, z, 0.03, 0.015, 0.05, BLACK) for x in row(5, 0.24) for z in (0.1, 0.28)],
        ]
    )


@thing(
    "broom",
    "objects",
    AtWall(clear=0.1, corner=True),
    {"u": 0.7, "j": 0.4, "g": 0.5, "k": 0.15, "p": 0.15, "c": 0.1},
    rank=8,
)
def broom(random: Random, style: Style) -> Furniture:
    """Standing in a corner, bristles down."""
    return build(
        [
            box(0, 0, 0, 0.34, 0.06, 0.14, Material((0.80, 0.65, 0.35), "stripes", (0.60, 0.45, 0.22), 0.03), taper=0.85),
            box(0, 0, 0.14, 0.28, 0.06, 0.04, plastic(random)),
            rod(0, 0, 0.18, 0.026, 1.1, wood(random, style)),
        ]
    )


@thing("bucket", "objects", AtWall(clear=0.1, corner=True), {"u": 0.7, "j": 0.4, "g": 0.4, "x": 0.1, "S": 0.5}, rank=8)
def bucket(random: Random, style: Style) -> Furniture:
    """With a handle, half full."""
    body = random.choice((plastic(random), STEEL))
    return build(
        [
            rod(0, 0, 0, 0.22, 0.27, body, 1.3),
            rod(0, 0, 0.2701, 0.25, 0.003, WATER),
            rod(0, 0, 0.25, 0.29, 0.02, darker(body, 0.85)),
            *[box(s * 0.135, 0, 0.25, 0.012, 0.02, 0.09, IRON) for s in (-1, 1)],
            box(0, 0, 0.33, 0.28, 0.02, 0.012, IRON),
        ]
    )


@thing("paint can", "objects", OnTop(("shelf", "workbench", "folding table")), {"g": 1, "u": 0.8, "Z": 0.8}, rank=6)
def paint_can(random: Random, style: Style) -> Furniture:
    """A tin with a coloured label and drips."""
    tone = Material(accent(random, style))
    return build(
        [
            rod(0, 0, 0, 0.16, 0.18, STEEL),
            rod(0, 0, 0.03, 0.163, 0.11, tone),
            rod(0, 0, 0.18, 0.15, 0.008, STEEL),
            box(0.04, -0.075, 0.1, 0.02, 0.015, 0.08, darker(tone, 1.2)),
        ]
    )


@thing("tyre", "objects", AtWall(clear=0.1, corner=True), {"g": 0.6, "Z": 0.3}, area=8, rank=8)
def tyre(random: Random, style: Style) -> Furniture:
    """Two or three stacked."""
    parts: list[Part] = []
    for i in range(random.choice((2, 3))):
        parts += [rod(0, 0, 0.19 * i, 0.6, 0.18, RUBBER), rod(0, 0, 0.19 * i + 0.02, 0.61, 0.12, darker(RUBBER, 1.5))]
    top = 0.19 * len(parts) / 2 - 0.01
    return build([*parts, rod(0, 0, top, 0.34, 0.003, GREY)])


@thing("firewood", "objects", AtWall(clear=0.2, corner=True), {"p": 0.25, "x": 0.2, "l": 0.1, "g": 0.15}, area=8, rank=8)
def firewood(random: Random, style: Style) -> Furniture:
    """Logs in a metal rack."""
    bark = Material((0.40, 0.28, 0.18), "wood", (0.70, 0.55, 0.36), 0.2)
    parts: list[Part] = [box(s * 0.34, 0, 0, 0.03, 0.32, 0.62, IRON) for s in (-1, 1)] + [
        box(0, 0, 0, 0.66, 0.32, 0.03, IRON)
    ]
    for level in range(4):
        parts += [
            bar("y", x, 0, 0.1 + 0.13 * level, 0.34, 0.13, darker(bark, random.uniform(0.8, 1.2)))
            for x in row(5 - level % 2, 0.62 - 0.1 * (level % 2))
        ]
    return build(parts)

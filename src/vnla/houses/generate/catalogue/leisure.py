"""Games, music and exercise."""

# ruff: noqa: ARG001 - every maker takes (random, style), whether it draws from them or not

from __future__ import annotations

from random import Random

from vnla.houses.generate.catalogue.materials import (
    BLACK,
    BRASS,
    CHROME,
    DARK,
    GREY,
    IRON,
    PAPER,
    RUBBER,
    STEEL,
    WHITE,
    accent,
    darker,
    leather,
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
from vnla.houses.generate.catalogue.registry import AtWall, InMiddle, OnFloor, OnTop, OnWall, thing
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material, Part

_PIANO_BLACK = Material((0.05, 0.05, 0.055), gloss=0.55)


@thing("piano", "furniture", AtWall(clear=0.9), {"l": 0.2, "n": 0.3, "r": 0.25, "i": 0.1, "f": 0.12}, area=14, rank=2)
def piano(random: Random, style: Style) -> Furniture:
    """An upright: keys, music stand, two pedals."""
    case = _PIANO_BLACK if random.random() < 0.6 else wood(random, style)
    keys = Material((0.95, 0.94, 0.90), "stripes", (0.60, 0.60, 0.58), 0.05, gloss=0.3)
    parts = [
        box(0, 0.12, 0, 1.45, 0.34, 1.2, case),
        box(0, -0.18, 0.58, 1.45, 0.3, 0.08, case),
        box(0, -0.2, 0.66, 1.25, 0.16, 0.022, keys),
        box(0, 0.12, 1.2, 1.5, 0.38, 0.03, case),
    ]
    parts += [box(x, -0.165, 0.682, 0.022, 0.09, 0.014, BLACK) for x in row(18, 1.22) if round(x * 100) % 3]
    parts += [box(side * 0.68, -0.28, 0, 0.08, 0.08, 0.6, case) for side in (-1, 1)] + [
        box(side * 0.69, -0.2, 0.6, 0.07, 0.3, 0.12, case) for side in (-1, 1)
    ]
    parts += [
        box(0, -0.07, 0.85, 0.6, 0.02, 0.24, darker(case, 1.4)),
        box(0, -0.085, 0.87, 0.4, 0.008, 0.2, PAPER),
        *[box(x, -0.1, 0.04, 0.04, 0.12, 0.02, BRASS) for x in (-0.06, 0.06)],
    ]
    return build(parts, tops=[Top(0, 0.12, 1.23, 1.3, 0.3)], spots={"piano bench": [Spot(0, -0.38, 0, FRONT)]})


@thing(
    "guitar",
    "objects",
    AtWall(clear=0.3, corner=True),
    {"r": 0.5, "b": 0.2, "l": 0.12, "v": 0.15, "C": 0.15, "i": 0.1},
    rank=7,
)
def guitar(random: Random, style: Style) -> Furniture:
    """On a stand: a waisted body, a round hole, a long neck."""
    body = Material(
        random.choice(((0.75, 0.48, 0.22), (0.55, 0.22, 0.12), (0.12, 0.10, 0.10), (0.86, 0.70, 0.42))),
        "wood",
        scale=0.3,
        gloss=0.4,
    )
    parts = [
        disc("y", 0, 0, 0.27, 0.38, 0.1, body),
        disc("y", 0, 0, 0.5, 0.28, 0.1, body),
        box(0, 0, 0.3, 0.2, 0.1, 0.25, body),
        disc("y", 0, -0.052, 0.42, 0.1, 0.006, BLACK),
        box(0, -0.055, 0.24, 0.14, 0.01, 0.025, DARK),
    ]
    parts += [
        box(0, -0.045, 0.48, 0.055, 0.03, 0.5, DARK),
        box(0, -0.03, 0.97, 0.075, 0.03, 0.14, body),
        *[box(side * 0.045, -0.03, 0.99 + 0.035 * i, 0.03, 0.01, 0.012, CHROME) for side in (-1, 1) for i in range(3)],
    ]
    parts += [
        box(0, -0.06, 0.25, 0.03, 0.003, 0.75, STEEL),
        *[box(side * 0.13, 0.0, 0, 0.02, 0.3, 0.1, IRON) for side in (-1, 1)],
    ]
    return build(parts)


@thing("pool table", "table", InMiddle(clear=0.7), {"r": 0.5, "B": 0.1}, area=17, rank=0)
def pool_table(random: Random, style: Style) -> Furniture:
    """Green cloth, wooden rails, six pockets, balls and a cue."""
    rail, cloth_ = (
        wood(random, style),
        Material(random.choice(((0.05, 0.40, 0.20), (0.05, 0.25, 0.45))), "fabric", scale=0.2),
    )
    w, d = 2.1, 1.15
    parts = [
        *four_legs(w - 0.2, d - 0.15, 0.62, 0.14, rail),
        box(0, 0, 0.6, w - 0.06, d - 0.06, 0.16, darker(rail, 0.85)),
        box(0, 0, 0.76, w - 0.2, d - 0.2, 0.02, cloth_),
    ]
    parts += [box(0, side * (d / 2 - 0.06), 0.74, w, 0.12, 0.07, rail) for side in (-1, 1)] + [
        box(side * (w / 2 - 0.06), 0, 0.74, 0.12, d - 0.24, 0.07, rail) for side in (-1, 1)
    ]
    parts += [
        rod(x, y, 0.7, 0.12, 0.112, BLACK) for x in (-w / 2 + 0.09, 0, w / 2 - 0.09) for y in (-d / 2 + 0.09, d / 2 - 0.09)
    ]
    tones = ((0.9, 0.75, 0.1), (0.8, 0.1, 0.1), (0.1, 0.2, 0.7), (0.95, 0.45, 0.1), (0.4, 0.1, 0.5), (0.1, 0.1, 0.1))
    parts += [
        ball(
            0.45 + 0.055 * (i // 2), 0.055 * (i % 2) - 0.03 * (i // 4), 0.78, 0.057, 0.057, 0.057, Material(tone, gloss=0.5)
        )
        for i, tone in enumerate(tones)
    ]
    return build(
        [
            *parts,
            ball(-0.5, 0.05, 0.78, 0.057, 0.057, 0.057, WHITE),
            box(-0.2, -0.25, 0.78, 1.2, 0.02, 0.02, Material((0.80, 0.62, 0.38)), turn=0.15),
        ]
    )


@thing("table tennis table", "table", InMiddle(clear=0.7), {"r": 0.35, "g": 0.06}, area=22, rank=0)
def table_tennis_table(random: Random, style: Style) -> Furniture:
    """Blue or green with white lines, a net, two bats."""
    top, line = Material(random.choice(((0.08, 0.22, 0.50), (0.07, 0.33, 0.22))), gloss=0.15), Material((0.95, 0.95, 0.95))
    w, d = 2.5, 1.4
    parts = [
        box(0, 0, 0.72, w, d, 0.04, top),
        box(0, 0, 0.7601, w, 0.02, 0.002, line),
        box(0, 0, 0.76, 0.012, d + 0.12, 0.15, Material((0.85, 0.87, 0.87), "checks", (0.3, 0.3, 0.3), 0.03)),
        box(0, 0, 0.9, 0.016, d + 0.12, 0.014, line),
    ]
    parts += [box(0, side * (d / 2 - 0.01), 0.7601, w, 0.02, 0.002, line) for side in (-1, 1)] + [
        box(side * (w / 2 - 0.01), 0, 0.7601, 0.02, d, 0.002, line) for side in (-1, 1)
    ]
    parts += [box(sx * w * 0.3, sy * d * 0.35, 0, 0.05, 0.05, 0.72, STEEL) for sx in (-1, 1) for sy in (-1, 1)]
    for x in (-0.8, 0.9):
        parts += [
            rod(x, 0.2, 0.762, 0.16, 0.012, Material((0.75, 0.10, 0.10))),
            box(x + 0.12, 0.2, 0.762, 0.12, 0.025, 0.02, Material((0.75, 0.55, 0.32))),
        ]
    return build([*parts, ball(0.4, -0.3, 0.762, 0.04, 0.04, 0.04, WHITE)])


@thing("table football", "table", InMiddle(clear=0.6), {"r": 0.35, "v": 0.06}, area=13, rank=2)
def table_football(random: Random, style: Style) -> Furniture:
    """A pitch in a box, rods with little players."""
    case = wood(random, style)
    parts = [
        *four_legs(1.3, 0.66, 0.68, 0.1, case),
        box(0, 0, 0.66, 1.4, 0.74, 0.1, case),
        box(0, 0, 0.76, 1.3, 0.64, 0.006, Material((0.12, 0.48, 0.20), "stripes", (0.15, 0.55, 0.25), 0.2)),
    ]
    parts += [box(0, side * 0.35, 0.76, 1.4, 0.04, 0.12, case) for side in (-1, 1)] + [
        box(side * 0.68, 0, 0.76, 0.04, 0.7, 0.12, case) for side in (-1, 1)
    ]
    for i, x in enumerate(row(6, 1.2)):
        team = Material((0.8, 0.1, 0.1) if i % 2 else (0.1, 0.2, 0.7))
        parts += [
            bar("y", x, 0, 0.85, 1.05, 0.018, CHROME),
            *[box(x, y, 0.78, 0.03, 0.04, 0.09, team) for y in (-0.16, 0.12)],
        ]
    return build(parts)


@thing("treadmill", "gym_equipment", AtWall(clear=0.5), {"w": 1.2, "r": 0.12, "z": 0.1}, area=6, rank=0)
def treadmill(random: Random, style: Style) -> Furniture:
    """A belt between two rails, and a console on two posts."""
    trim = plastic(random)
    parts = [
        box(0, 0, 0.03, 0.72, 1.6, 0.12, DARK),
        box(0, -0.06, 0.15, 0.46, 1.4, 0.008, RUBBER),
        *[box(s * 0.3, -0.05, 0.15, 0.09, 1.45, 0.02, GREY) for s in (-1, 1)],
        box(0, 0.66, 0.15, 0.6, 0.26, 0.1, trim, taper=0.8),
    ]
    parts += [box(s * 0.31, 0.6, 0.15, 0.06, 0.08, 1.1, DARK) for s in (-1, 1)] + [
        box(s * 0.31, 0.34, 0.98, 0.045, 0.5, 0.045, BLACK) for s in (-1, 1)
    ]
    parts += [
        box(0, 0.6, 1.15, 0.7, 0.12, 0.26, DARK, taper=0.9),
        box(0, 0.535, 1.2, 0.36, 0.008, 0.15, Material((0.15, 0.5, 0.6), "screen", (0.9, 0.95, 1.0), glow=0.5)),
    ]
    return build([*parts, box(0, 0, 0, 0.6, 1.4, 0.03, BLACK)])


@thing("exercise bike", "gym_equipment", AtWall(clear=0.4), {"w": 1, "r": 0.1, "b": 0.05}, area=5, rank=1)
def exercise_bike(random: Random, style: Style) -> Furniture:
    """Flywheel in front, saddle, handlebars and pedals."""
    trim = plastic(random)
    parts = [
        *[box(0, y, 0, 0.5, 0.08, 0.06, DARK) for y in (-0.45, 0.45)],
        box(0, 0, 0.06, 0.08, 0.95, 0.07, DARK),
        disc("x", 0, -0.32, 0.38, 0.52, 0.08, trim),
        disc("x", 0, -0.32, 0.38, 0.3, 0.1, STEEL),
    ]
    parts += [
        box(0, -0.3, 0.1, 0.06, 0.07, 0.95, DARK),
        bar("x", 0, -0.3, 1.08, 0.48, 0.035, BLACK),
        *[bar("y", s * 0.23, -0.2, 1.08, 0.24, 0.035, BLACK) for s in (-1, 1)],
        box(0, -0.34, 1.03, 0.22, 0.05, 0.18, DARK),
    ]
    parts += [
        box(0, 0.25, 0.1, 0.06, 0.06, 0.72, DARK),
        bar("x", 0, -0.02, 0.32, 0.34, 0.04, CHROME),
        box(0, -0.02, 0.12, 0.06, 0.1, 0.24, DARK),
        box(0, 0.27, 0.82, 0.24, 0.26, 0.08, BLACK, taper=0.85),
        box(0, 0.08, 0.82, 0.1, 0.16, 0.06, BLACK),
    ]
    parts += [disc("x", s * 0.08, -0.02, 0.32, 0.2, 0.03, GREY) for s in (-1, 1)] + [
        box(s * 0.16, -0.02 + s * 0.1, 0.3, 0.1, 0.1, 0.03, BLACK) for s in (-1, 1)
    ]
    return build(parts)


@thing("rowing machine", "gym_equipment", AtWall(clear=0.4), {"w": 0.5}, area=9, rank=3)
def rowing_machine(random: Random, style: Style) -> Furniture:
    """A long rail with a sliding seat and a fan wheel."""
    parts = [
        box(0, 0.2, 0.3, 0.08, 1.5, 0.08, STEEL),
        disc("x", 0, -0.75, 0.36, 0.5, 0.14, DARK),
        box(0, -0.75, 0, 0.5, 0.1, 0.08, BLACK),
        box(0, 0.9, 0, 0.4, 0.08, 0.06, BLACK),
        box(0, 0.9, 0.06, 0.06, 0.06, 0.26, DARK),
        box(0, -0.7, 0.06, 0.08, 0.1, 0.3, DARK),
    ]
    return build(
        [
            *parts,
            box(0, 0.3, 0.38, 0.3, 0.26, 0.06, BLACK),
            *[box(s * 0.12, -0.4, 0.2, 0.12, 0.3, 0.04, GREY) for s in (-1, 1)],
            bar("x", 0, -0.42, 0.4, 0.45, 0.03, BLACK),
            box(0, -0.62, 0.6, 0.18, 0.04, 0.14, DARK),
        ]
    )


@thing("weight bench", "gym_equipment", AtWall(clear=0.4), {"w": 0.8, "g": 0.08}, area=7, rank=2)
def weight_bench(random: Random, style: Style) -> Furniture:
    """A padded bench under a barbell on two uprights."""
    pad = leather(random)
    parts = [
        *four_legs(0.4, 1.1, 0.38, 0.05, DARK),
        box(0, 0, 0.38, 0.3, 1.2, 0.08, pad),
        *[box(s * 0.42, 0.45, 0, 0.06, 0.06, 1.0, DARK) for s in (-1, 1)],
        *[box(s * 0.42, 0.45, 0, 0.08, 0.4, 0.04, DARK) for s in (-1, 1)],
    ]
    parts.append(bar("x", 0, 0.42, 1.02, 1.5, 0.03, CHROME))
    return build(
        [*parts, *[disc("x", s * x, 0.42, 1.02, w, 0.05, BLACK) for s in (-1, 1) for x, w in ((0.6, 0.4), (0.67, 0.3))]]
    )


@thing("dumbbells", "gym_equipment", AtWall(clear=0.3), {"w": 1, "b": 0.06, "r": 0.1, "g": 0.06}, area=4, rank=4)
def dumbbells(random: Random, style: Style) -> Furniture:
    """A low rack with rows of them."""
    parts = [*four_legs(0.9, 0.36, 0.62, 0.04, DARK), *[box(0, 0, z, 0.88, 0.3, 0.03, GREY) for z in (0.2, 0.5)]]
    tone = plastic(random)
    for z in (0.23, 0.53):
        for x in row(4, 0.84):
            parts += [
                bar("y", x, 0, z + 0.06, 0.26, 0.03, CHROME),
                *[disc("y", x, s * 0.1, z + 0.06, 0.12, 0.08, tone if z < 0.4 else BLACK) for s in (-1, 1)],
            ]
    return build(parts)


@thing("yoga mat", "gym_equipment", OnFloor(), {"w": 1, "b": 0.05, "r": 0.1, "S": 0.4}, area=6, rank=4)
def yoga_mat(random: Random, style: Style) -> Furniture:
    """Unrolled, with its border."""
    stuff = Material(accent(random, style), "carpet", scale=0.1)
    return build(
        [
            box(0, 0, 0, 0.62, 1.75, 0.008, darker(stuff, 0.75)),
            box(0, 0, 0.008, 0.56, 1.69, 0.001, stuff),
            box(0, 0, 0.009, 0.3, 0.3, 0.001, darker(stuff, 1.3)),
        ]
    )


@thing("exercise ball", "gym_equipment", AtWall(clear=0.2, corner=True), {"w": 0.9, "r": 0.1, "b": 0.04}, rank=6)
def exercise_ball(random: Random, style: Style) -> Furniture:
    """Large and bouncy, with a darker band, on its ring."""
    stuff, width = Material(accent(random, style), gloss=0.35), random.uniform(0.55, 0.65)
    return build(
        [
            ball(0, 0, 0.02, width, width, width, stuff),
            rod(0, 0, 0, width * 0.5, 0.05, DARK),
            rod(0, 0, width / 2 + 0.01, width * 1.005, 0.02, darker(stuff, 0.8)),
        ]
    )


@thing("punching bag", "gym_equipment", AtWall(clear=0.4, corner=True), {"w": 0.5, "g": 0.1, "r": 0.08}, area=6, rank=5)
def punching_bag(random: Random, style: Style) -> Furniture:
    """A long bag on a stand."""
    bag = Material(random.choice(((0.65, 0.08, 0.08), (0.08, 0.08, 0.09))), gloss=0.3)
    return build(
        [
            box(0, 0.3, 0, 0.7, 0.5, 0.06, DARK),
            box(0, 0.45, 0.06, 0.08, 0.08, 1.85, DARK),
            box(0, 0.2, 1.87, 0.06, 0.55, 0.06, DARK),
            rod(0, 0, 1.6, 0.02, 0.28, CHROME),
            rod(0, 0, 0.6, 0.34, 1.0, bag),
            rod(0, 0, 1.0, 0.345, 0.1, WHITE),
        ]
    )


@thing("dartboard", "objects", OnWall(1.7), {"r": 0.7, "B": 0.5, "g": 0.1}, rank=3)
def dartboard(random: Random, style: Style) -> Furniture:
    """Rings of black, cream, red and green."""
    rings = (
        (0.45, (0.10, 0.10, 0.10)),
        (0.36, (0.88, 0.82, 0.66)),
        (0.34, (0.75, 0.10, 0.10)),
        (0.31, (0.12, 0.12, 0.12)),
        (0.2, (0.88, 0.82, 0.66)),
        (0.1, (0.08, 0.40, 0.18)),
        (0.04, (0.75, 0.10, 0.10)),
    )
    parts = [disc("y", 0, -0.004 * i, 0.225, width, 0.03, Material(tone)) for i, (width, tone) in enumerate(rings)]
    return build([*parts, bar("y", 0.06, -0.09, 0.29, 0.12, 0.012, CHROME)])


@thing(
    "chess set",
    "objects",
    OnTop(("coffee table", "side table", "desk", "dining table")),
    {"r": 0.4, "i": 0.4, "l": 0.12, "n": 0.2, "f": 0.12},
    rank=4,
)
def chess_set(random: Random, style: Style) -> Furniture:
    """A chequered board with pieces on both sides."""
    board = Material((0.90, 0.80, 0.60), "checks", (0.30, 0.17, 0.09), 0.1)
    parts: list[Part] = [
        box(0, 0, 0, 0.42, 0.42, 0.02, Material((0.30, 0.17, 0.09), "wood")),
        box(0, 0, 0.02, 0.4, 0.4, 0.002, board),
    ]
    for y, tone in ((-0.175, WHITE), (0.175, BLACK)):
        parts += [box(x, y, 0.022, 0.025, 0.025, 0.07, tone, taper=0.4) for x in row(6, 0.4)]
    return build(parts)


@thing("drum kit", "objects", AtWall(clear=0.3, corner=True), {"r": 0.15, "g": 0.06}, area=14, rank=4)
def drum_kit(random: Random, style: Style) -> Furniture:
    """Bass drum, two toms, floor tom, cymbals."""
    shell, skin = plastic(random), Material((0.94, 0.93, 0.88))
    parts = [
        disc("y", 0, 0, 0.3, 0.55, 0.4, shell),
        disc("y", 0, -0.205, 0.3, 0.5, 0.01, skin),
        box(0, 0, 0, 0.3, 0.3, 0.06, IRON),
    ]
    for x, y, z, w, h in ((-0.2, -0.02, 0.62, 0.3, 0.2), (0.2, -0.02, 0.62, 0.32, 0.22), (0.48, 0.2, 0.2, 0.4, 0.42)):
        parts += [rod(x, y, z, w, h, shell), rod(x, y, z + h, w, 0.012, skin), rod(x, y, 0, 0.03, z, CHROME)]
    for x in (-0.5, 0.5):
        parts += [rod(x, -0.1, 0, 0.025, 1.1, CHROME), rod(x, -0.1, 1.1, 0.42, 0.02, BRASS, 0.3)]
    return build(parts)


@thing(
    "toys", "objects", AtWall(clear=0.1, corner=True), {"b": 0.12, "r": 0.4, "f": 0.15, "C": 0.3, "Z": 0.3}, area=8, rank=8
)
def toys(random: Random, style: Style) -> Furniture:
    """An open box with bricks and a ball."""
    parts: list[Part] = [
        box(0, 0, 0, 0.6, 0.36, 0.28, plastic(random)),
        box(0, 0, 0.28, 0.54, 0.3, 0.004, DARK),
        ball(-0.14, 0, 0.2, 0.22, 0.22, 0.22, plastic(random)),
    ]
    return build(
        [
            *parts,
            *[box(x, y, 0.26, 0.1, 0.1, 0.1, plastic(random), turn=0.5) for x, y in ((0.08, 0.05), (0.2, -0.06))],
            box(0.1, -0.04, 0.34, 0.12, 0.06, 0.06, plastic(random)),
        ]
    )


@thing("jukebox", "appliances", AtWall(clear=0.5), {"B": 0.3, "r": 0.2, "D": 0.3}, area=9, rank=5)
def jukebox(random: Random, style: Style) -> Furniture:
    """A rounded, glowing cabinet of records."""
    case, glow = wood(random, style), Material((1.0, 0.55, 0.15), glow=0.8)
    parts = [
        box(0, 0, 0, 0.75, 0.5, 1.05, case),
        disc("y", 0, 0, 1.05, 0.75, 0.5, case),
        disc("y", 0, -0.255, 1.05, 0.6, 0.012, glow),
        disc("y", 0, -0.262, 1.05, 0.45, 0.012, DARK),
        box(0, -0.255, 0.7, 0.6, 0.012, 0.2, CHROME),
        box(0, -0.255, 0.1, 0.45, 0.012, 0.5, Material((0.7, 0.15, 0.15), "stripes", (0.9, 0.8, 0.4), 0.1)),
    ]
    return build([*parts, *[box(s * 0.32, -0.256, 0.1, 0.06, 0.012, 0.9, glow) for s in (-1, 1)]])


@thing(
    "record player",
    "objects",
    OnTop(("sideboard", "dresser", "cabinet", "console table", "bookshelf")),
    {"l": 0.2, "n": 0.3, "r": 0.3, "i": 0.2, "B": 0.2, "v": 0.1},
    rank=5,
)
def record_player(random: Random, style: Style) -> Furniture:
    """A turntable with a record and its arm."""
    return build(
        [
            box(0, 0, 0, 0.44, 0.35, 0.09, wood(random, style)),
            rod(-0.04, 0, 0.09, 0.3, 0.015, BLACK),
            rod(-0.04, 0, 0.105, 0.1, 0.003, Material(accent(random, style))),
            rod(0.17, 0.12, 0.09, 0.05, 0.05, STEEL),
            box(0.12, 0.0, 0.125, 0.015, 0.22, 0.012, STEEL, turn=-0.4),
            box(0.17, -0.13, 0.09, 0.04, 0.04, 0.012, STEEL),
        ]
    )

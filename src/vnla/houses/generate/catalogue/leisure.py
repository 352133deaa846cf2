"""Games, music and exercise."""

# ruff: noqa: ARG001 - every maker takes (random, style), whether it draws from them or not

from __future__ import annotations

from random import Random

from vnla.houses.generate.catalogue import materials as m
from vnla.houses.generate.catalogue.pieces import FRONT, Anchor, Elements, Top, ball, bar, box, disc, four_legs, rod, row
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material

_PIANO_BLACK = Material((0.05, 0.05, 0.055), gloss=0.55)


def piano(random: Random, style: Style) -> Elements:
    """An upright: keys, music stand, two pedals."""
    case = _PIANO_BLACK if random.random() < 0.6 else m.wood(random, style)
    keys = Material((0.95, 0.94, 0.9), "stripes", (0.6, 0.6, 0.58), 0.05, gloss=0.3)
    yield box(0, 0.12, 0, 1.45, 0.34, 1.2, case)
    yield box(0, -0.18, 0.58, 1.45, 0.3, 0.08, case)
    yield box(0, -0.2, 0.66, 1.25, 0.16, 0.022, keys)
    yield box(0, 0.12, 1.2, 1.5, 0.38, 0.03, case)
    yield from [box(x, -0.165, 0.682, 0.022, 0.09, 0.014, m.BLACK) for x in row(18, 1.22) if round(x * 100) % 3]
    yield from [box(side * 0.68, -0.28, 0, 0.08, 0.08, 0.6, case) for side in (-1, 1)]
    yield from [box(side * 0.69, -0.2, 0.6, 0.07, 0.3, 0.12, case) for side in (-1, 1)]
    yield box(0, -0.07, 0.85, 0.6, 0.02, 0.24, m.darker(case, 1.4))
    yield box(0, -0.085, 0.87, 0.4, 0.008, 0.2, m.PAPER)
    yield from [box(x, -0.1, 0.04, 0.04, 0.12, 0.02, m.BRASS) for x in (-0.06, 0.06)]
    yield Top(0, 0.12, 1.23, 1.3, 0.3)
    yield Anchor("piano bench", 0, -0.38, 0, FRONT)


def guitar(random: Random, style: Style) -> Elements:
    """On a stand: a waisted body, a round hole, a long neck."""
    body = Material(
        random.choice(((0.75, 0.48, 0.22), (0.55, 0.22, 0.12), (0.12, 0.1, 0.1), (0.86, 0.7, 0.42))),
        "wood",
        scale=0.3,
        gloss=0.4,
    )
    yield disc("y", 0, 0, 0.27, 0.38, 0.1, body)
    yield disc("y", 0, 0, 0.5, 0.28, 0.1, body)
    yield box(0, 0, 0.3, 0.2, 0.1, 0.25, body)
    yield disc("y", 0, -0.052, 0.42, 0.1, 0.006, m.BLACK)
    yield box(0, -0.055, 0.24, 0.14, 0.01, 0.025, m.DARK)
    yield box(0, -0.045, 0.48, 0.055, 0.03, 0.5, m.DARK)
    yield box(0, -0.03, 0.97, 0.075, 0.03, 0.14, body)
    yield from [
        box(side * 0.045, -0.03, 0.99 + 0.035 * i, 0.03, 0.01, 0.012, m.CHROME) for side in (-1, 1) for i in range(3)
    ]
    yield box(0, -0.06, 0.25, 0.03, 0.003, 0.75, m.STEEL)
    yield from [box(side * 0.13, 0.0, 0, 0.02, 0.3, 0.1, m.IRON) for side in (-1, 1)]


def pool_table(random: Random, style: Style) -> Elements:
    """Green cloth, wooden rails, six pockets, balls and a cue."""
    rail = m.wood(random, style)
    cloth_ = Material(random.choice(((0.05, 0.4, 0.2), (0.05, 0.25, 0.45))), "fabric", scale=0.2)
    w, d = 2.1, 1.15
    yield from four_legs(w - 0.2, d - 0.15, 0.62, 0.14, rail)
    yield box(0, 0, 0.6, w - 0.06, d - 0.06, 0.16, m.darker(rail, 0.85))
    yield box(0, 0, 0.76, w - 0.2, d - 0.2, 0.02, cloth_)
    yield from [box(0, side * (d / 2 - 0.06), 0.74, w, 0.12, 0.07, rail) for side in (-1, 1)]
    yield from [box(side * (w / 2 - 0.06), 0, 0.74, 0.12, d - 0.24, 0.07, rail) for side in (-1, 1)]
    for x in (-w / 2 + 0.09, 0, w / 2 - 0.09):
        for y in (-d / 2 + 0.09, d / 2 - 0.09):
            yield rod(x, y, 0.7, 0.12, 0.112, m.BLACK)
    tones = (0.9, 0.75, 0.1), (0.8, 0.1, 0.1), (0.1, 0.2, 0.7), (0.95, 0.45, 0.1), (0.4, 0.1, 0.5), (0.1, 0.1, 0.1)
    for i, tone in enumerate(tones):
        yield ball(
            0.45 + 0.055 * (i // 2), 0.055 * (i % 2) - 0.03 * (i // 4), 0.78, 0.057, 0.057, 0.057, Material(tone, gloss=0.5)
        )
    yield ball(-0.5, 0.05, 0.78, 0.057, 0.057, 0.057, m.WHITE)
    yield box(-0.2, -0.25, 0.78, 1.2, 0.02, 0.02, Material((0.8, 0.62, 0.38)), turn=0.15)


def table_tennis_table(random: Random, style: Style) -> Elements:
    """Blue or green with white lines, a net, two bats."""
    top, line = Material(random.choice(((0.08, 0.22, 0.5), (0.07, 0.33, 0.22))), gloss=0.15), Material((0.95, 0.95, 0.95))
    w, d = 2.5, 1.4
    yield box(0, 0, 0.72, w, d, 0.04, top)
    yield box(0, 0, 0.7601, w, 0.02, 0.002, line)
    yield box(0, 0, 0.76, 0.012, d + 0.12, 0.15, Material((0.85, 0.87, 0.87), "checks", (0.3, 0.3, 0.3), 0.03))
    yield box(0, 0, 0.9, 0.016, d + 0.12, 0.014, line)
    yield from [box(0, side * (d / 2 - 0.01), 0.7601, w, 0.02, 0.002, line) for side in (-1, 1)]
    yield from [box(side * (w / 2 - 0.01), 0, 0.7601, 0.02, d, 0.002, line) for side in (-1, 1)]
    yield from [box(sx * w * 0.3, sy * d * 0.35, 0, 0.05, 0.05, 0.72, m.STEEL) for sx in (-1, 1) for sy in (-1, 1)]
    for x in (-0.8, 0.9):
        yield rod(x, 0.2, 0.762, 0.16, 0.012, Material((0.75, 0.1, 0.1)))
        yield box(x + 0.12, 0.2, 0.762, 0.12, 0.025, 0.02, Material((0.75, 0.55, 0.32)))
    yield ball(0.4, -0.3, 0.762, 0.04, 0.04, 0.04, m.WHITE)


def table_football(random: Random, style: Style) -> Elements:
    """A pitch in a box, rods with little players."""
    case = m.wood(random, style)
    yield from four_legs(1.3, 0.66, 0.68, 0.1, case)
    yield box(0, 0, 0.66, 1.4, 0.74, 0.1, case)
    yield box(0, 0, 0.76, 1.3, 0.64, 0.006, Material((0.12, 0.48, 0.2), "stripes", (0.15, 0.55, 0.25), 0.2))
    yield from [box(0, side * 0.35, 0.76, 1.4, 0.04, 0.12, case) for side in (-1, 1)]
    yield from [box(side * 0.68, 0, 0.76, 0.04, 0.7, 0.12, case) for side in (-1, 1)]
    for i, x in enumerate(row(6, 1.2)):
        team = Material((0.8, 0.1, 0.1) if i % 2 else (0.1, 0.2, 0.7))
        yield bar("y", x, 0, 0.85, 1.05, 0.018, m.CHROME)
        yield from [box(x, y, 0.78, 0.03, 0.04, 0.09, team) for y in (-0.16, 0.12)]


def treadmill(random: Random, style: Style) -> Elements:
    """A belt between two rails, and a console on two posts."""
    trim = m.plastic(random)
    yield box(0, 0, 0.03, 0.72, 1.6, 0.12, m.DARK)
    yield box(0, -0.06, 0.15, 0.46, 1.4, 0.008, m.RUBBER)
    yield from [box(s * 0.3, -0.05, 0.15, 0.09, 1.45, 0.02, m.GREY) for s in (-1, 1)]
    yield box(0, 0.66, 0.15, 0.6, 0.26, 0.1, trim, taper=0.8)
    yield from [box(s * 0.31, 0.6, 0.15, 0.06, 0.08, 1.1, m.DARK) for s in (-1, 1)]
    yield from [box(s * 0.31, 0.34, 0.98, 0.045, 0.5, 0.045, m.BLACK) for s in (-1, 1)]
    yield box(0, 0.6, 1.15, 0.7, 0.12, 0.26, m.DARK, taper=0.9)
    yield box(0, 0.535, 1.2, 0.36, 0.008, 0.15, Material((0.15, 0.5, 0.6), "screen", (0.9, 0.95, 1.0), glow=0.5))
    yield box(0, 0, 0, 0.6, 1.4, 0.03, m.BLACK)


def exercise_bike(random: Random, style: Style) -> Elements:
    """Flywheel in front, saddle, handlebars and pedals."""
    trim = m.plastic(random)
    yield from [box(0, y, 0, 0.5, 0.08, 0.06, m.DARK) for y in (-0.45, 0.45)]
    yield box(0, 0, 0.06, 0.08, 0.95, 0.07, m.DARK)
    yield disc("x", 0, -0.32, 0.38, 0.52, 0.08, trim)
    yield disc("x", 0, -0.32, 0.38, 0.3, 0.1, m.STEEL)
    yield box(0, -0.3, 0.1, 0.06, 0.07, 0.95, m.DARK)
    yield bar("x", 0, -0.3, 1.08, 0.48, 0.035, m.BLACK)
    yield from [bar("y", s * 0.23, -0.2, 1.08, 0.24, 0.035, m.BLACK) for s in (-1, 1)]
    yield box(0, -0.34, 1.03, 0.22, 0.05, 0.18, m.DARK)
    yield box(0, 0.25, 0.1, 0.06, 0.06, 0.72, m.DARK)
    yield bar("x", 0, -0.02, 0.32, 0.34, 0.04, m.CHROME)
    yield box(0, -0.02, 0.12, 0.06, 0.1, 0.24, m.DARK)
    yield box(0, 0.27, 0.82, 0.24, 0.26, 0.08, m.BLACK, taper=0.85)
    yield box(0, 0.08, 0.82, 0.1, 0.16, 0.06, m.BLACK)
    yield from [disc("x", s * 0.08, -0.02, 0.32, 0.2, 0.03, m.GREY) for s in (-1, 1)]
    yield from [box(s * 0.16, -0.02 + s * 0.1, 0.3, 0.1, 0.1, 0.03, m.BLACK) for s in (-1, 1)]


def rowing_machine(random: Random, style: Style) -> Elements:
    """A long rail with a sliding seat and a fan wheel."""
    yield box(0, 0.2, 0.3, 0.08, 1.5, 0.08, m.STEEL)
    yield disc("x", 0, -0.75, 0.36, 0.5, 0.14, m.DARK)
    yield box(0, -0.75, 0, 0.5, 0.1, 0.08, m.BLACK)
    yield box(0, 0.9, 0, 0.4, 0.08, 0.06, m.BLACK)
    yield box(0, 0.9, 0.06, 0.06, 0.06, 0.26, m.DARK)
    yield box(0, -0.7, 0.06, 0.08, 0.1, 0.3, m.DARK)
    yield box(0, 0.3, 0.38, 0.3, 0.26, 0.06, m.BLACK)
    yield from [box(s * 0.12, -0.4, 0.2, 0.12, 0.3, 0.04, m.GREY) for s in (-1, 1)]
    yield bar("x", 0, -0.42, 0.4, 0.45, 0.03, m.BLACK)
    yield box(0, -0.62, 0.6, 0.18, 0.04, 0.14, m.DARK)


def weight_bench(random: Random, style: Style) -> Elements:
    """A padded bench under a barbell on two uprights."""
    pad = m.leather(random)
    yield from four_legs(0.4, 1.1, 0.38, 0.05, m.DARK)
    yield box(0, 0, 0.38, 0.3, 1.2, 0.08, pad)
    yield from [box(s * 0.42, 0.45, 0, 0.06, 0.06, 1.0, m.DARK) for s in (-1, 1)]
    yield from [box(s * 0.42, 0.45, 0, 0.08, 0.4, 0.04, m.DARK) for s in (-1, 1)]
    yield bar("x", 0, 0.42, 1.02, 1.5, 0.03, m.CHROME)
    yield from [disc("x", s * x, 0.42, 1.02, w, 0.05, m.BLACK) for s in (-1, 1) for x, w in ((0.6, 0.4), (0.67, 0.3))]


def dumbbells(random: Random, style: Style) -> Elements:
    """A low rack with rows of them."""
    yield from four_legs(0.9, 0.36, 0.62, 0.04, m.DARK)
    yield from [box(0, 0, z, 0.88, 0.3, 0.03, m.GREY) for z in (0.2, 0.5)]
    tone = m.plastic(random)
    for z in (0.23, 0.53):
        for x in row(4, 0.84):
            yield bar("y", x, 0, z + 0.06, 0.26, 0.03, m.CHROME)
            yield from [disc("y", x, s * 0.1, z + 0.06, 0.12, 0.08, tone if z < 0.4 else m.BLACK) for s in (-1, 1)]


def yoga_mat(random: Random, style: Style) -> Elements:
    """Unrolled, with its border."""
    stuff = Material(m.accent(random, style), "carpet", scale=0.1)
    yield box(0, 0, 0, 0.62, 1.75, 0.008, m.darker(stuff, 0.75))
    yield box(0, 0, 0.008, 0.56, 1.69, 0.001, stuff)
    yield box(0, 0, 0.009, 0.3, 0.3, 0.001, m.darker(stuff, 1.3))


def exercise_ball(random: Random, style: Style) -> Elements:
    """Large and bouncy, with a darker band, on its ring."""
    stuff, width = Material(m.accent(random, style), gloss=0.35), random.uniform(0.55, 0.65)
    yield ball(0, 0, 0.02, width, width, width, stuff)
    yield rod(0, 0, 0, width * 0.5, 0.05, m.DARK)
    yield rod(0, 0, width / 2 + 0.01, width * 1.005, 0.02, m.darker(stuff, 0.8))


def punching_bag(random: Random, style: Style) -> Elements:
    """A long bag on a stand."""
    bag = Material(random.choice(((0.65, 0.08, 0.08), (0.08, 0.08, 0.09))), gloss=0.3)
    yield box(0, 0.3, 0, 0.7, 0.5, 0.06, m.DARK)
    yield box(0, 0.45, 0.06, 0.08, 0.08, 1.85, m.DARK)
    yield box(0, 0.2, 1.87, 0.06, 0.55, 0.06, m.DARK)
    yield rod(0, 0, 1.6, 0.02, 0.28, m.CHROME)
    yield rod(0, 0, 0.6, 0.34, 1.0, bag)
    yield rod(0, 0, 1.0, 0.345, 0.1, m.WHITE)


def dartboard(random: Random, style: Style) -> Elements:
    """Rings of black, cream, red and green."""
    rings = (
        (0.45, (0.1, 0.1, 0.1)),
        (0.36, (0.88, 0.82, 0.66)),
        (0.34, (0.75, 0.1, 0.1)),
        (0.31, (0.12, 0.12, 0.12)),
        (0.2, (0.88, 0.82, 0.66)),
        (0.1, (0.08, 0.4, 0.18)),
        (0.04, (0.75, 0.1, 0.1)),
    )
    yield from [disc("y", 0, -0.004 * i, 0.225, width, 0.03, Material(tone)) for i, (width, tone) in enumerate(rings)]
    yield bar("y", 0.06, -0.09, 0.29, 0.12, 0.012, m.CHROME)


def chess_set(random: Random, style: Style) -> Elements:
    """A chequered board with pieces on both sides."""
    board = Material((0.9, 0.8, 0.6), "checks", (0.3, 0.17, 0.09), 0.1)
    yield box(0, 0, 0, 0.42, 0.42, 0.02, Material((0.3, 0.17, 0.09), "wood"))
    yield box(0, 0, 0.02, 0.4, 0.4, 0.002, board)
    for y, tone in ((-0.175, m.WHITE), (0.175, m.BLACK)):
        yield from [box(x, y, 0.022, 0.025, 0.025, 0.07, tone, taper=0.4) for x in row(6, 0.4)]


def drum_kit(random: Random, style: Style) -> Elements:
    """Bass drum, two toms, floor tom, cymbals."""
    shell, skin = m.plastic(random), Material((0.94, 0.93, 0.88))
    yield disc("y", 0, 0, 0.3, 0.55, 0.4, shell)
    yield disc("y", 0, -0.205, 0.3, 0.5, 0.01, skin)
    yield box(0, 0, 0, 0.3, 0.3, 0.06, m.IRON)
    for x, y, z, w, h in ((-0.2, -0.02, 0.62, 0.3, 0.2), (0.2, -0.02, 0.62, 0.32, 0.22), (0.48, 0.2, 0.2, 0.4, 0.42)):
        yield rod(x, y, z, w, h, shell)
        yield rod(x, y, z + h, w, 0.012, skin)
        yield rod(x, y, 0, 0.03, z, m.CHROME)
    for x in (-0.5, 0.5):
        yield rod(x, -0.1, 0, 0.025, 1.1, m.CHROME)
        yield rod(x, -0.1, 1.1, 0.42, 0.02, m.BRASS, 0.3)


def toys(random: Random, style: Style) -> Elements:
    """An open box with bricks and a ball."""
    yield box(0, 0, 0, 0.6, 0.36, 0.28, m.plastic(random))
    yield box(0, 0, 0.28, 0.54, 0.3, 0.004, m.DARK)
    yield ball(-0.14, 0, 0.2, 0.22, 0.22, 0.22, m.plastic(random))
    yield from [box(x, y, 0.26, 0.1, 0.1, 0.1, m.plastic(random), turn=0.5) for x, y in ((0.08, 0.05), (0.2, -0.06))]
    yield box(0.1, -0.04, 0.34, 0.12, 0.06, 0.06, m.plastic(random))


def jukebox(random: Random, style: Style) -> Elements:
    """A rounded, glowing cabinet of records."""
    case, glow = m.wood(random, style), Material((1.0, 0.55, 0.15), glow=0.8)
    yield box(0, 0, 0, 0.75, 0.5, 1.05, case)
    yield disc("y", 0, 0, 1.05, 0.75, 0.5, case)
    yield disc("y", 0, -0.255, 1.05, 0.6, 0.012, glow)
    yield disc("y", 0, -0.262, 1.05, 0.45, 0.012, m.DARK)
    yield box(0, -0.255, 0.7, 0.6, 0.012, 0.2, m.CHROME)
    yield box(0, -0.255, 0.1, 0.45, 0.012, 0.5, Material((0.7, 0.15, 0.15), "stripes", (0.9, 0.8, 0.4), 0.1))
    yield from [box(s * 0.32, -0.256, 0.1, 0.06, 0.012, 0.9, glow) for s in (-1, 1)]


def record_player(random: Random, style: Style) -> Elements:
    """A turntable with a record and its arm."""
    yield box(0, 0, 0, 0.44, 0.35, 0.09, m.wood(random, style))
    yield rod(-0.04, 0, 0.09, 0.3, 0.015, m.BLACK)
    yield rod(-0.04, 0, 0.105, 0.1, 0.003, Material(m.accent(random, style)))
    yield rod(0.17, 0.12, 0.09, 0.05, 0.05, m.STEEL)
    yield box(0.12, 0.0, 0.125, 0.015, 0.22, 0.012, m.STEEL, turn=-0.4)
    yield box(0.17, -0.13, 0.09, 0.04, 0.04, 0.012, m.STEEL)

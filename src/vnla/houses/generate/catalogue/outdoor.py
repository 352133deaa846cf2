"""Garden, porch, garage and workshop."""

# ruff: noqa: ARG001 - every maker takes (random, style), whether it draws from them or not

from __future__ import annotations

from random import Random

from vnla.houses.generate.catalogue import materials as m
from vnla.houses.generate.catalogue.pieces import Elements, Top, ball, bar, box, disc, four_legs, rod, row
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material

_STONE = Material((0.66, 0.64, 0.6), "stone", scale=0.4)


def parasol(random: Random, style: Style) -> Elements:
    """An open umbrella on a heavy foot."""
    cloth, pole = m.plain_cloth(random, style), m.wood(random, style)
    yield rod(0, 0, 0, 0.5, 0.08, m.GREY)
    yield rod(0, 0, 0.08, 0.045, 2.1, pole)
    yield rod(0, 0, 1.85, 1.9, 0.35, cloth, 0.06)
    yield rod(0, 0, 1.8, 1.9, 0.05, m.darker(cloth, 0.85))
    yield ball(0, 0, 2.17, 0.07, 0.07, 0.07, pole)


def barbecue(random: Random, style: Style) -> Elements:
    """A kettle on three legs, or a gas grill with a hood."""
    if random.random() < 0.5:
        red = Material(random.choice(((0.06, 0.06, 0.07), (0.65, 0.08, 0.06))), gloss=0.5)
        yield from [rod(x, y, 0, 0.03, 0.55, m.STEEL) for x, y in ((0.0, -0.2), (0.2, 0.15), (-0.2, 0.15))]
        yield ball(0, 0, 0.48, 0.56, 0.56, 0.5, red)
        yield rod(0, 0, 0.72, 0.575, 0.02, m.STEEL)
        yield box(0, 0, 0.97, 0.14, 0.03, 0.05, m.BLACK)
        yield rod(0, 0, 0.2, 0.4, 0.015, m.STEEL)
        return
    yield box(0, 0, 0.08, 0.7, 0.5, 0.7, m.DARK)
    yield box(0, 0, 0.78, 0.7, 0.52, 0.06, m.STEEL)
    yield bar("x", 0, 0.02, 0.86, 0.68, 0.44, m.DARK)
    yield bar("x", 0, -0.22, 0.95, 0.5, 0.03, m.CHROME)
    yield from [box(s * 0.52, 0, 0.8, 0.34, 0.42, 0.03, m.STEEL) for s in (-1, 1)]
    yield from [disc("y", x, -0.265, 0.7, 0.06, 0.03, m.STEEL) for x in row(3, 0.5)]
    yield from [disc("x", s * 0.3, 0, 0.08, 0.16, 0.05, m.RUBBER) for s in (-1, 1)]


def fountain(random: Random, style: Style) -> Elements:
    """Two stone bowls with water, one above the other."""
    yield rod(0, 0, 0, 1.3, 0.32, _STONE)
    yield rod(0, 0, 0.32, 1.12, 0.006, m.WATER)
    yield rod(0, 0, 0.3, 0.2, 0.55, _STONE, 0.7)
    yield rod(0, 0, 0.82, 0.3, 0.16, _STONE, 2.0)
    yield rod(0, 0, 0.98, 0.52, 0.006, m.WATER)
    yield rod(0, 0, 0.98, 0.08, 0.2, _STONE)
    yield ball(0, 0, 1.16, 0.16, 0.16, 0.14, _STONE)
    for x, y in ((0.3, 0), (-0.3, 0), (0, 0.3), (0, -0.3)):
        yield rod(x, y, 0.33, 0.025, 0.65, Material((0.85, 0.93, 0.96), gloss=0.6))


def bush(random: Random, style: Style) -> Elements:
    """A round shrub, clipped or loose, some in flower."""
    green, width = m.leaves(random), random.uniform(0.6, 0.95)
    yield rod(0, 0, 0, width * 0.5, 0.1, m.SOIL)
    yield ball(0, 0, 0.02, width, width * 0.95, width * 0.85, green)
    for _ in range(3):
        yield ball(
            random.uniform(-0.2, 0.2),
            random.uniform(-0.2, 0.2),
            width * 0.3,
            width * 0.55,
            width * 0.55,
            width * 0.6,
            m.darker(green, random.uniform(0.85, 1.2)),
        )
    if random.random() < 0.4:
        bloom = Material(random.choice(((0.9, 0.3, 0.4), (0.95, 0.85, 0.3), (0.85, 0.6, 0.9))))
        for _ in range(5):
            yield ball(
                random.uniform(-0.3, 0.3) * width, -width * 0.4, random.uniform(0.2, 0.6) * width, 0.08, 0.08, 0.08, bloom
            )


def tree(random: Random, style: Style) -> Elements:
    """A young tree: a trunk under a crown."""
    green, bark, height = m.leaves(random), Material((0.36, 0.26, 0.18), "wood", scale=0.3), random.uniform(2.2, 3.0)
    yield rod(0, 0, 0, 0.16, height * 0.6, bark, 0.7)
    yield rod(0, 0, 0, 0.6, 0.04, m.SOIL)
    if random.random() < 0.3:
        for i in range(3):
            yield rod(0, 0, height * (0.25 + 0.22 * i), 1.1 - 0.28 * i, height * 0.33, m.darker(green, 0.7), 0.05)
        return
    crowns = (0, 0, 0.5, 1.2), (0.25, 0.1, 0.62, 0.8), (-0.25, -0.1, 0.58, 0.85), (0, 0.2, 0.75, 0.75)
    yield from [ball(x, y, height * z, w, w, w * 0.85, m.darker(green, random.uniform(0.85, 1.15))) for x, y, z, w in crowns]


def planter(random: Random, style: Style) -> Elements:
    """A long trough with flowers."""
    width, trough = random.uniform(0.7, 1.0), random.choice((m.wood(random, style), m.TERRACOTTA, m.WHITE))
    yield box(0, 0, 0, width, 0.3, 0.34, trough)
    yield box(0, 0, 0.34, width - 0.06, 0.24, 0.01, m.SOIL)
    tone = random.choice(((0.9, 0.2, 0.3), (0.95, 0.75, 0.2), (0.6, 0.3, 0.75)))
    for x in row(3, width - 0.15):
        yield ball(x, 0, 0.3, 0.28, 0.26, 0.24, m.leaves(random))
        yield ball(x + 0.03, -0.06, 0.45, 0.09, 0.09, 0.09, Material(m.shade(tone, random.uniform(0.8, 1.1))))
        yield ball(x - 0.05, 0.03, 0.48, 0.08, 0.08, 0.08, Material(tone))


def bicycle(random: Random, style: Style) -> Elements:
    """Along the wall: two wheels, a frame, saddle and handlebars."""
    paint = m.plastic(random)
    for x in (-0.52, 0.52):
        yield disc("y", x, 0, 0.33, 0.66, 0.035, m.RUBBER)
        yield disc("y", x, 0, 0.33, 0.57, 0.04, Material((0.75, 0.76, 0.78), gloss=0.3))
        yield disc("y", x, 0, 0.33, 0.07, 0.09, m.CHROME)
    yield box(0.0, 0, 0.76, 0.62, 0.05, 0.045, paint)
    yield box(-0.27, 0, 0.32, 0.045, 0.05, 0.5, paint)
    yield box(-0.36, 0, 0.31, 0.3, 0.05, 0.04, paint)
    yield box(0.36, 0, 0.5, 0.045, 0.05, 0.42, paint)
    yield box(0.44, 0, 0.3, 0.045, 0.05, 0.26, paint)
    yield from [box(-0.22 + 0.1 * i, 0, 0.3 + 0.085 * i, 0.13, 0.048, 0.08, paint) for i in range(6)]
    yield box(-0.27, 0, 0.8, 0.03, 0.03, 0.12, m.CHROME)
    yield box(-0.28, 0, 0.91, 0.27, 0.13, 0.06, m.BLACK, taper=0.85)
    yield box(0.34, 0, 0.9, 0.03, 0.03, 0.12, m.CHROME)
    yield bar("y", 0.36, 0, 1.02, 0.5, 0.03, m.BLACK)
    yield disc("y", -0.1, -0.04, 0.3, 0.18, 0.015, m.STEEL)
    yield box(-0.1, -0.09, 0.19, 0.1, 0.09, 0.02, m.BLACK)
    yield box(-0.1, 0.09, 0.4, 0.1, 0.09, 0.02, m.BLACK)
    yield box(-0.1, 0.045, 0.28, 0.03, 0.02, 0.14, m.STEEL)


def car(random: Random, style: Style) -> Elements:
    """A small hatchback: body, cabin with windows, wheels and lights."""
    tone = random.choice(
        ((0.7, 0.08, 0.08), (0.1, 0.2, 0.45), (0.85, 0.86, 0.87), (0.15, 0.15, 0.16), (0.45, 0.47, 0.5), (0.15, 0.35, 0.25))
    )
    paint, lit = Material(tone, gloss=0.55), Material((0.98, 0.96, 0.85), gloss=0.5, glow=0.15)
    yield box(0, 0, 0.22, 1.62, 3.6, 0.42, paint)
    yield box(0, 0.25, 0.64, 1.5, 2.4, 0.1, paint)
    yield box(0, 0.35, 0.72, 1.48, 2.1, 0.58, m.DARK_GLASS, taper=0.72)
    yield box(0, 0.35, 1.28, 1.12, 1.55, 0.06, paint)
    yield box(0, -1.2, 0.64, 1.5, 1.1, 0.08, paint, taper=0.9)
    yield from [disc("x", sx * 0.74, sy * 1.15, 0.31, 0.62, 0.2, m.RUBBER) for sx in (-1, 1) for sy in (-1, 1)]
    yield from [disc("x", sx * 0.83, sy * 1.15, 0.31, 0.38, 0.04, m.CHROME) for sx in (-1, 1) for sy in (-1, 1)]
    yield from [box(s * 0.58, -1.8, 0.45, 0.32, 0.03, 0.14, lit) for s in (-1, 1)]
    yield from [box(s * 0.62, 1.8, 0.45, 0.22, 0.03, 0.16, Material((0.75, 0.05, 0.05), gloss=0.5)) for s in (-1, 1)]
    yield box(0, -1.805, 0.28, 1.1, 0.03, 0.14, m.BLACK)
    yield box(0, 1.805, 0.42, 0.5, 0.02, 0.12, m.WHITE)
    yield box(0, -1.815, 0.4, 0.45, 0.02, 0.1, m.WHITE)
    yield from [box(s * 0.8, -0.5, 0.7, 0.2, 0.1, 0.12, paint) for s in (-1, 1)]
    yield from [box(s * 0.7, 0.35, 0.72, 0.06, 0.05, 0.3, paint) for s in (-1, 1)]


def workbench(random: Random, style: Style) -> Elements:
    """A heavy bench with a vice and a board of tools behind it."""
    frame, width = m.wood(random, style), random.uniform(1.2, 1.6)
    yield from four_legs(width - 0.1, 0.55, 0.82, 0.09, frame)
    yield box(0, 0, 0.82, width, 0.62, 0.06, frame)
    yield box(0, 0, 0.2, width - 0.12, 0.5, 0.03, frame)
    yield box(0, 0.3, 0.88, width, 0.02, 0.75, Material((0.72, 0.58, 0.4), "dots", (0.35, 0.26, 0.17), 0.06))
    for x, w, h in zip(
        row(6, width - 0.1), (0.03, 0.12, 0.04, 0.03, 0.1, 0.05), (0.34, 0.2, 0.3, 0.26, 0.34, 0.22), strict=True
    ):
        yield box(x, 0.27, 1.5 - h, w, 0.03, h * 0.55, m.plastic(random))
        yield box(x, 0.275, 1.5 - h * 0.45, 0.035, 0.02, h * 0.45, m.STEEL)
    yield box(-width * 0.35, -0.26, 0.88, 0.14, 0.18, 0.12, m.IRON)
    yield box(-width * 0.35, -0.36, 0.92, 0.16, 0.05, 0.1, m.IRON)
    yield Top(0.12, 0.0, 0.88, width - 0.5, 0.42)


def toolbox(random: Random, style: Style) -> Elements:
    """A red or blue box with a handle and two catches."""
    paint = Material(random.choice(((0.75, 0.08, 0.06), (0.1, 0.25, 0.6), (0.95, 0.7, 0.1))), gloss=0.4)
    yield box(0, 0, 0, 0.4, 0.19, 0.13, paint)
    yield box(0, 0, 0.13, 0.4, 0.19, 0.06, m.darker(paint, 0.8), taper=0.85)
    yield from [box(s * 0.08, 0, 0.18, 0.02, 0.02, 0.06, m.BLACK) for s in (-1, 1)]
    yield box(0, 0, 0.23, 0.2, 0.03, 0.025, m.BLACK)
    yield from [box(s * 0.11, -0.098, 0.1, 0.04, 0.01, 0.06, m.STEEL) for s in (-1, 1)]


def ladder(random: Random, style: Style) -> Elements:
    """A stepladder, open."""
    frame = m.STEEL if random.random() < 0.5 else m.wood(random, style)
    for i in range(6):
        z, spread = 0.25 * i, 0.3 - 0.05 * i
        yield from [box(s * (0.24 - 0.012 * i), -spread, z, 0.04, 0.06, 0.26, frame) for s in (-1, 1)]
        yield from [box(s * 0.2, spread, z, 0.03, 0.03, 0.26, frame) for s in (-1, 1)]
        if i:
            yield box(0, -spread, z, 0.42, 0.09, 0.025, frame)
    yield box(0, 0, 1.5, 0.46, 0.22, 0.03, m.plastic(random))


def lawn_mower(random: Random, style: Style) -> Elements:
    """Deck, motor, four wheels and a push bar."""
    paint = m.plastic(random)
    yield box(0, 0, 0.1, 0.48, 0.65, 0.14, paint)
    yield rod(0, -0.05, 0.24, 0.28, 0.16, m.BLACK)
    yield box(0, 0.32, 0.12, 0.4, 0.3, 0.24, m.DARK)
    yield from [disc("x", sx * 0.26, sy * 0.26, 0.1, 0.2, 0.06, m.RUBBER) for sx in (-1, 1) for sy in (-1, 1)]
    yield from [box(s * 0.2, 0.3 + 0.07 * i, 0.24 + 0.14 * i, 0.03, 0.1, 0.15, m.STEEL) for s in (-1, 1) for i in range(5)]
    yield bar("x", 0, 0.62, 0.95, 0.46, 0.035, m.BLACK)


def watering_can(random: Random, style: Style) -> Elements:
    """Spout, rose and handle."""
    body = random.choice((m.STEEL, Material((0.15, 0.45, 0.25), gloss=0.3), m.plastic(random)))
    yield rod(0, 0, 0, 0.22, 0.24, body, 0.9)
    yield box(-0.16, 0, 0.08, 0.12, 0.035, 0.05, body)
    yield box(-0.23, 0, 0.13, 0.08, 0.035, 0.1, body)
    yield box(-0.28, 0, 0.21, 0.06, 0.035, 0.08, body)
    yield disc("x", -0.32, 0, 0.28, 0.1, 0.03, body)
    yield box(0.02, 0, 0.33, 0.18, 0.025, 0.025, body)
    yield box(0.11, 0, 0.1, 0.025, 0.025, 0.25, body)
    yield box(-0.06, 0, 0.24, 0.025, 0.025, 0.1, body)


def water_heater(random: Random, style: Style) -> Elements:
    """A white tank with pipes and a dial."""
    body = m.enamel(random)
    copper = Material((0.72, 0.42, 0.26), "metal", gloss=0.5)
    yield rod(0, 0, 0.06, 0.5, 1.3, body)
    yield rod(0, 0, 0, 0.44, 0.06, m.DARK)
    yield rod(0, 0, 1.36, 0.5, 0.06, m.darker(body, 0.85), 0.8)
    yield from [rod(x, 0.05, 1.4, 0.04, 0.45, copper) for x in (-0.12, 0.12)]
    yield box(0, -0.25, 0.3, 0.16, 0.04, 0.2, m.GREY)
    yield disc("y", 0, -0.272, 0.45, 0.06, 0.02, m.BLACK)
    yield rod(0, 0, 0.9, 0.505, 0.02, m.GREY)


def boiler(random: Random, style: Style) -> Elements:
    """A white box on the wall with pipes below."""
    body = m.enamel(random)
    copper = Material((0.72, 0.42, 0.26), "metal", gloss=0.5)
    yield box(0, 0, 0.25, 0.42, 0.3, 0.7, body)
    yield box(0, -0.152, 0.3, 0.3, 0.006, 0.1, m.DARK_GLASS)
    yield disc("y", 0.1, -0.155, 0.5, 0.06, 0.02, m.GREY)
    yield from [rod(x, 0.03, 0, 0.025, 0.26, copper) for x in row(4, 0.3)]
    yield rod(0, 0.0, 0.95, 0.11, 0.2, m.STEEL)


def fuse_box(random: Random, style: Style) -> Elements:
    """A grey panel of switches."""
    yield box(0, 0, 0, 0.34, 0.1, 0.46, m.GREY)
    yield box(0, -0.052, 0.03, 0.28, 0.008, 0.4, m.darker(m.GREY, 0.8))
    yield from [box(x, -0.06, z, 0.03, 0.015, 0.05, m.BLACK) for x in row(5, 0.24) for z in (0.1, 0.28)]


def broom(random: Random, style: Style) -> Elements:
    """Standing in a corner, bristles down."""
    yield box(0, 0, 0, 0.34, 0.06, 0.14, Material((0.8, 0.65, 0.35), "stripes", (0.6, 0.45, 0.22), 0.03), taper=0.85)
    yield box(0, 0, 0.14, 0.28, 0.06, 0.04, m.plastic(random))
    yield rod(0, 0, 0.18, 0.026, 1.1, m.wood(random, style))


def bucket(random: Random, style: Style) -> Elements:
    """With a handle, half full."""
    body = random.choice((m.plastic(random), m.STEEL))
    yield rod(0, 0, 0, 0.22, 0.27, body, 1.3)
    yield rod(0, 0, 0.2701, 0.25, 0.003, m.WATER)
    yield rod(0, 0, 0.25, 0.29, 0.02, m.darker(body, 0.85))
    yield from [box(s * 0.135, 0, 0.25, 0.012, 0.02, 0.09, m.IRON) for s in (-1, 1)]
    yield box(0, 0, 0.33, 0.28, 0.02, 0.012, m.IRON)


def paint_can(random: Random, style: Style) -> Elements:
    """A tin with a coloured label and drips."""
    tone = Material(m.accent(random, style))
    yield rod(0, 0, 0, 0.16, 0.18, m.STEEL)
    yield rod(0, 0, 0.03, 0.163, 0.11, tone)
    yield rod(0, 0, 0.18, 0.15, 0.008, m.STEEL)
    yield box(0.04, -0.075, 0.1, 0.02, 0.015, 0.08, m.darker(tone, 1.2))


def tyre(random: Random, style: Style) -> Elements:
    """Two or three stacked."""
    count = random.choice((2, 3))
    for i in range(count):
        yield rod(0, 0, 0.19 * i, 0.6, 0.18, m.RUBBER)
        yield rod(0, 0, 0.19 * i + 0.02, 0.61, 0.12, m.darker(m.RUBBER, 1.5))
    yield rod(0, 0, 0.19 * (2 * count) / 2 - 0.01, 0.34, 0.003, m.GREY)


def firewood(random: Random, style: Style) -> Elements:
    """Logs in a metal rack."""
    bark = Material((0.4, 0.28, 0.18), "wood", (0.7, 0.55, 0.36), 0.2)
    yield from [box(s * 0.34, 0, 0, 0.03, 0.32, 0.62, m.IRON) for s in (-1, 1)]
    yield box(0, 0, 0, 0.66, 0.32, 0.03, m.IRON)
    for level in range(4):
        for x in row(5 - level % 2, 0.62 - 0.1 * (level % 2)):
            yield bar("y", x, 0, 0.1 + 0.13 * level, 0.34, 0.13, m.darker(bark, random.uniform(0.8, 1.2)))

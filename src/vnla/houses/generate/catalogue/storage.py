"""Cupboards, shelves, racks and boxes."""

# ruff: noqa: ARG001 - every maker takes (random, style), whether it draws from them or not

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from vnla.houses.generate.catalogue import materials as m
from vnla.houses.generate.catalogue.pieces import Anchor, Elements, Top, ball, bar, box, four_legs, rod, row
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material, Part


def doors(width: float, y: float, z: float, height: float, count: int, front: Material, handle: Material) -> Iterator[Part]:
    """A row of panelled doors on the front at depth `y`, each with an upright handle."""
    each = width / count
    for i, x in enumerate(row(count, width)):
        side = 1 if i % 2 == 0 else -1
        yield box(x, y, z, each - 0.012, 0.02, height, front)
        yield box(x, y - 0.008, z + 0.06, each - 0.12, 0.014, height - 0.12, m.darker(front, 0.9))
        yield box(x + side * (each / 2 - 0.04), y - 0.022, z + height / 2 - 0.06, 0.018, 0.025, 0.12, handle)


def drawers(
    width: float, y: float, z: float, height: float, rows: int, columns: int, front: Material, knob: Material
) -> Iterator[Part]:
    """A grid of drawers on the front at depth `y`, each with a handle."""
    each, wide = height / rows, width / columns
    for level in range(rows):
        for x in row(columns, width):
            low = z + level * each
            yield box(x, y, low + 0.006, wide - 0.014, 0.02, each - 0.012, front)
            yield box(x, y - 0.022, low + each / 2 - 0.01, min(0.14, wide / 3), 0.025, 0.02, knob)


def wardrobe(random: Random, style: Style) -> Elements:
    """Two or three tall doors, sometimes mirrored, on a plinth."""
    count, height = random.choice((2, 2, 3)), random.uniform(1.9, 2.15)
    width, depth, frame = count * random.uniform(0.46, 0.56), random.uniform(0.55, 0.62), m.wood_or_paint(random, style, 0.4)
    yield box(0, 0.01, 0, width - 0.06, depth - 0.06, 0.08, m.darker(frame))
    yield box(0, 0.01, 0.08, width, depth - 0.02, height - 0.08, m.darker(frame, 0.92))
    yield from doors(width, -depth / 2 + 0.01, 0.1, height - 0.14, count, frame, style.metal)
    if random.random() < 0.25:
        yield box(row(count, width)[0], -depth / 2 - 0.008, 0.2, width / count - 0.1, 0.01, height - 0.35, m.MIRROR)
    yield box(0, 0, height - 0.05, width + 0.05, depth + 0.02, 0.06, frame)
    yield Top(0, 0, height + 0.01, width - 0.1, depth - 0.15, 0.35)


def dresser(random: Random, style: Style) -> Elements:
    """A chest of drawers, three or four high, one or two wide."""
    rows, columns = random.choice((3, 4)), random.choice((1, 2))
    width, height, depth = random.uniform(0.75, 0.9) if columns == 1 else random.uniform(1.0, 1.35), rows * 0.21 + 0.2, 0.46
    frame = m.wood_or_paint(random, style, 0.35)
    yield from four_legs(width, depth, 0.14, 0.05, frame)
    yield box(0, 0.01, 0.12, width, depth - 0.02, height - 0.14, m.darker(frame, 0.9))
    yield box(0, 0, height - 0.03, width + 0.04, depth + 0.02, 0.03, frame)
    yield from drawers(width - 0.05, -depth / 2 + 0.01, 0.15, height - 0.2, rows, columns, frame, style.metal)
    yield Top(0, 0, height, width - 0.06, depth - 0.08)


def sideboard(random: Random, style: Style) -> Elements:
    """Low and long, doors and drawers side by side."""
    width = random.uniform(1.2, 1.7)
    height = random.uniform(0.75, 0.88)
    depth = 0.44
    frame = m.wood_or_paint(random, style, 0.25)
    yield from four_legs(width - 0.1, depth - 0.06, 0.16, 0.05, frame)
    yield box(0, 0.01, 0.15, width, depth - 0.02, height - 0.18, m.darker(frame, 0.9))
    yield box(0, 0, height - 0.03, width + 0.03, depth + 0.02, 0.03, frame)
    third, front = width / 3, -depth / 2 + 0.01
    yield from drawers(third, front, 0.18, height - 0.24, 3, 1, frame, style.metal)
    for side in (-1, 1):
        yield from [part.moved(side * third, 0) for part in doors(third, front, 0.18, height - 0.24, 1, frame, style.metal)]
    yield Top(0, 0, height, width - 0.08, depth - 0.08)


def china_cabinet(random: Random, style: Style) -> Elements:
    """Crockery behind glass above, doors below."""
    width, frame = random.uniform(0.95, 1.2), m.wood(random, style)
    yield box(0, 0, 0, width, 0.44, 0.85, frame)
    yield from doors(width, -0.22, 0.06, 0.74, 2, frame, m.BRASS)
    yield box(0, 0.19, 0.85, width, 0.04, 1.1, m.darker(frame, 0.7))
    yield box(0, 0.05, 1.93, width + 0.05, 0.36, 0.07, frame)
    yield from [box(side * (width / 2 - 0.02), 0.05, 0.85, 0.04, 0.32, 1.1, frame) for side in (-1, 1)]
    for z in (1.2, 1.55):
        yield box(0, 0.05, z, width - 0.06, 0.3, 0.02, frame)
    for z in (0.87, 1.22, 1.57):
        yield from [rod(x, 0.08, z, 0.13, 0.16, Material((0.93, 0.94, 0.96), gloss=0.4)) for x in row(4, width - 0.1)]
    yield box(0, -0.1, 0.85, 0.04, 0.02, 1.1, frame)


def bookshelf(random: Random, style: Style) -> Elements:
    """A tall bookcase full of books, a few shelves left for other things."""
    width, shelves = random.uniform(0.75, 1.1), random.choice((4, 5, 6))
    frame, depth, step = m.wood_or_paint(random, style, 0.3), random.uniform(0.28, 0.34), random.uniform(0.32, 0.36)
    height = shelves * step + 0.12
    yield from [box(side * (width / 2 - 0.0125), 0, 0, 0.025, depth, height, frame) for side in (-1, 1)]
    yield box(0, depth / 2 - 0.006, 0.05, width - 0.04, 0.012, height - 0.05, m.darker(frame, 0.8))
    yield box(0, 0, height - 0.025, width, depth, 0.025, frame)
    yield Top(0, 0, height, width - 0.08, depth - 0.06, 0.4)
    for i in range(shelves):
        z = 0.05 + i * step
        yield box(0, 0, z, width - 0.05, depth - 0.02, 0.022, frame)
        length = (width - 0.08) * random.uniform(0.5, 1.0)
        if random.random() < 0.85:
            shift = (width - 0.06 - length) / 2 * random.choice((-1, 1))
            spines = Material(m.accent(random, style), "books", scale=0.3, seed=m.seed(random))
            yield box(shift, 0.02, z + 0.022, length, depth - 0.1, random.uniform(0.2, step - 0.06), spines)
        else:
            yield Top(0, 0, z + 0.022, width - 0.1, depth - 0.08, step - 0.05)


def shelf(random: Random, style: Style) -> Elements:
    """Open shelves on four posts, wood or metal."""
    frame = m.STEEL if random.random() < 0.5 else m.wood(random, style)
    width = random.uniform(0.75, 1.1)
    depth = random.uniform(0.34, 0.42)
    height = random.uniform(1.5, 1.85)
    levels = random.choice((4, 5))
    yield from four_legs(width, depth, height, 0.035, frame)
    for i in range(levels):
        z = 0.1 + i * (height - 0.12) / (levels - 1)
        yield box(0, 0, z - 0.02, width - 0.02, depth - 0.02, 0.022, frame)
        yield Top(0, 0, z + 0.002, width - 0.1, depth - 0.06, (height - 0.12) / (levels - 1) - 0.05)


def wall_shelf(random: Random, style: Style) -> Elements:
    """A board on two brackets."""
    width, board = random.uniform(0.5, 0.9), m.wood_or_paint(random, style)
    yield box(0, 0, 0.12, width, 0.2, 0.03, board)
    for x in row(2, width):
        yield box(x, 0.085, 0, 0.025, 0.03, 0.12, style.metal)
        yield box(x, 0.02, 0.09, 0.025, 0.16, 0.03, style.metal)
    yield Top(0, 0, 0.15, width - 0.06, 0.17, 0.4)


def filing_cabinet(random: Random, style: Style) -> Elements:
    """Steel, two to four drawers."""
    rows, paint = random.choice((2, 3, 4)), random.choice((m.GREY, m.DARK, Material((0.75, 0.74, 0.69), gloss=0.2)))
    height = rows * 0.31 + 0.05
    yield box(0, 0, 0, 0.46, 0.58, height, m.darker(paint, 0.85))
    yield from drawers(0.44, -0.29, 0.03, height - 0.05, rows, 1, paint, m.STEEL)
    yield Top(0, 0, height, 0.4, 0.5)


def cabinet(random: Random, style: Style) -> Elements:
    """A cupboard with one or two doors, waist high or taller."""
    count, height = random.choice((1, 2)), random.choice((0.85, 1.2, 1.75)) + random.uniform(-0.05, 0.05)
    width, depth, frame = count * 0.38 + 0.08, random.uniform(0.34, 0.42), m.wood_or_paint(random, style, 0.5)
    yield box(0, 0, 0, width - 0.04, depth - 0.04, 0.06, m.darker(frame))
    yield box(0, 0, 0.06, width, depth, height - 0.09, m.darker(frame, 0.92))
    yield from doors(width, -depth / 2, 0.08, height - 0.14, count, frame, style.metal)
    yield box(0, 0, height - 0.03, width + 0.02, depth + 0.02, 0.03, frame)
    yield Top(0, 0, height, width - 0.06, depth - 0.06)


def shoe_rack(random: Random, style: Style) -> Elements:
    """Two slatted shelves near the floor."""
    frame, width = m.wood_or_paint(random, style), random.uniform(0.6, 0.85)
    yield from four_legs(width, 0.3, 0.52, 0.03, frame)
    for z in (0.1, 0.3, 0.5):
        yield from [box(0, y, z, width, 0.05, 0.02, frame) for y in row(4, 0.28)]
        yield Top(0, 0, z + 0.02, width - 0.08, 0.28, 0.17)
    for side in (-1, 1):
        for z in (0.1, 0.3, 0.5):
            yield box(side * (width / 2 - 0.015), 0, z - 0.02, 0.025, 0.28, 0.02, frame)


def coat_rack(random: Random, style: Style) -> Elements:
    """A stand with hooks, and coats on some of them."""
    pole = style.metal if random.random() < 0.4 else m.wood(random, style)
    yield rod(0, 0, 0, 0.4, 0.03, pole)
    yield rod(0, 0, 0.03, 0.045, 1.7, pole)
    yield ball(0, 0, 1.72, 0.07, 0.07, 0.07, pole)
    yield from [box(0, 0, z, 0.36, 0.025, 0.025, pole, turn=turn) for z, turn in ((1.6, 0.4), (1.66, 1.97))]
    for side in (-1, 1):
        if random.random() < 0.7:
            coat = m.plain_cloth(random, style)
            yield box(side * 0.14, 0, 0.95, 0.2, 0.3, 0.6, coat, taper=0.6)
            yield box(side * 0.14, -0.02, 1.5, 0.12, 0.16, 0.1, m.darker(coat))


def coat_hooks(random: Random, style: Style) -> Elements:
    """A board with a row of hooks and a coat or a bag."""
    width, board = random.uniform(0.6, 0.9), m.wood_or_paint(random, style)
    count = 5
    yield box(0, 0.05, 0.42, width, 0.02, 0.1, board)
    yield from [box(x, 0.02, 0.44, 0.02, 0.06, 0.03, style.metal) for x in row(count, width)]
    hung = random.randrange(count)
    yield box(row(count, width)[hung], 0.0, 0.0, 0.2, 0.09, 0.46, m.plain_cloth(random, style), taper=0.5)


def umbrella_stand(random: Random, style: Style) -> Elements:
    """A tall pot with two furled umbrellas."""
    pot = random.choice((style.metal, m.WICKER, Material(m.accent(random, style), gloss=0.4)))
    yield rod(0, 0, 0, 0.22, 0.5, pot, 1.12)
    for x, y in ((-0.04, 0.03), (0.05, -0.02)):
        yield rod(x, y, 0.1, 0.035, 0.62, m.plain_cloth(random, style), 2.2)
        yield rod(x, y, 0.72, 0.022, 0.16, m.DARK)
        yield box(x + 0.03, y, 0.87, 0.08, 0.024, 0.024, m.DARK)
        yield box(x + 0.06, y, 0.82, 0.024, 0.024, 0.06, m.DARK)


def basket(random: Random, style: Style) -> Elements:
    """Wicker, with a rim; some hold a blanket."""
    width, height = random.uniform(0.3, 0.42), random.uniform(0.25, 0.4)
    yield rod(0, 0, 0, width * 0.85, height, m.WICKER, 1.15)
    yield rod(0, 0, height - 0.03, width, 0.04, m.darker(m.WICKER, 0.85))
    if random.random() < 0.5:
        yield ball(0, 0, height - 0.08, width * 0.8, width * 0.8, 0.2, m.plain_cloth(random, style))


def box_on_shelf(random: Random, style: Style) -> Elements:
    """A cardboard or coloured box with a lid."""
    stuff = m.CARDBOARD if random.random() < 0.6 else m.painted(random, style)
    w, d, h = random.uniform(0.2, 0.34), random.uniform(0.18, 0.26), random.uniform(0.12, 0.24)
    yield box(0, 0, 0, w, d, h, stuff)
    yield box(0, 0, h - 0.05, w + 0.012, d + 0.012, 0.055, m.darker(stuff, 0.9))
    yield box(0, -d / 2 - 0.004, h * 0.25, w * 0.4, 0.004, h * 0.25, Material((0.95, 0.95, 0.92)))


def cardboard_box(random: Random, style: Style) -> Elements:
    """A moving box, taped, or two stacked."""
    w, d, h = random.uniform(0.4, 0.55), random.uniform(0.35, 0.45), random.uniform(0.3, 0.42)
    tape = Material((0.8, 0.72, 0.55), gloss=0.3)
    yield box(0, 0, 0, w, d, h, m.CARDBOARD)
    yield box(0, 0, 0.0, 0.06, d + 0.004, h + 0.003, tape)
    if random.random() < 0.4:
        yield box(0.02, 0.01, h + 0.003, w * 0.8, d * 0.8, h * 0.7, m.darker(m.CARDBOARD, 0.93), turn=0.1)
        yield box(0.02, 0.01, h * 1.7 + 0.003, 0.06, d * 0.8, 0.004, tape, turn=0.1)


def suitcase(random: Random, style: Style) -> Elements:
    """Upright on wheels with its handle out, or an old leather one."""
    shell = m.plastic(random) if random.random() < 0.6 else m.leather(random)
    yield box(0, 0, 0.05, 0.42, 0.24, 0.6, shell)
    yield from [box(0, 0, z, 0.425, 0.245, 0.02, m.darker(shell)) for z in (0.2, 0.35, 0.5)]
    yield from [rod(x, y, 0, 0.05, 0.06, m.DARK) for x in (-0.17, 0.17) for y in (-0.08, 0.08)]
    yield from [box(x, 0.08, 0.65, 0.015, 0.015, 0.3, m.STEEL) for x in (-0.1, 0.1)]
    yield box(0, 0.08, 0.94, 0.24, 0.03, 0.03, m.DARK)


def clothes_rack(random: Random, style: Style) -> Elements:
    """A rail on two stands with clothes on hangers."""
    width, frame = random.uniform(0.8, 1.2), style.metal
    yield bar("x", 0, 0, 1.6, width, 0.03, frame)
    for side in (-1, 1):
        yield rod(side * (width / 2 - 0.02), 0, 0, 0.03, 1.6, frame)
        yield box(side * (width / 2 - 0.02), 0, 0, 0.04, 0.45, 0.04, frame)
    for x in row(9, width - 0.2):
        length = random.uniform(0.6, 1.1)
        yield box(x, 0, 1.59 - length, 0.055, 0.42, length, m.plain_cloth(random, style), taper=0.85)
    yield from [Anchor("shoes", x, -0.05) for x in row(2, width - 0.3)]


def clothes(random: Random, style: Style) -> Elements:
    """A stack of folded clothes."""
    z = 0.0
    for _ in range(random.choice((3, 4))):
        yield box(random.uniform(-0.01, 0.01), 0, z, 0.28, 0.24, 0.035, m.plain_cloth(random, style))
        z += 0.035


def shoes(random: Random, style: Style) -> Elements:
    """A pair, side by side."""
    stuff = m.leather(random) if random.random() < 0.6 else m.plastic(random)
    for x in (-0.055, 0.055):
        yield box(x, 0.0, 0, 0.088, 0.22, 0.022, m.DARK)
        yield ball(x, -0.07, 0.0, 0.09, 0.17, 0.085, stuff)
        yield box(x, 0.055, 0.02, 0.08, 0.12, 0.085, stuff, taper=0.9)
        yield box(x, 0.05, 0.1, 0.05, 0.08, 0.008, m.DARK)
        yield box(x, -0.03, 0.07, 0.045, 0.05, 0.02, m.WHITE)


def chest(random: Random, style: Style) -> Elements:
    """A trunk with metal bands and a curved lid."""
    stuff, width = m.wood(random, style), random.uniform(0.75, 1.0)
    yield box(0, 0, 0, width, 0.45, 0.32, stuff)
    yield bar("x", 0, 0, 0.32, width, 0.44, m.darker(stuff, 0.9))
    yield from [box(x, 0, 0.0, 0.05, 0.465, 0.36, style.metal) for x in (-width * 0.35, width * 0.35)]
    yield box(0, -0.235, 0.25, 0.09, 0.02, 0.12, m.BRASS)


def wine_rack(random: Random, style: Style) -> Elements:
    """Bottles lying in a wooden lattice."""
    frame, width, height = m.wood(random, style), 0.52, random.choice((0.75, 1.0))
    rows = int(height / 0.15)
    yield from [box(side * (width / 2 - 0.015), 0, 0, 0.03, 0.28, height, frame) for side in (-1, 1)]
    yield from [box(0, 0, z * height / rows, width - 0.04, 0.26, 0.02, frame) for z in range(rows)]
    yield box(0, 0, height - 0.02, width, 0.28, 0.025, frame)
    for level in range(rows - 1):
        for x in row(4, width - 0.08):
            if random.random() < 0.75:
                glass = Material(random.choice(((0.08, 0.2, 0.1), (0.25, 0.05, 0.08), (0.1, 0.12, 0.06))), gloss=0.6)
                yield bar("y", x, -0.01, level * height / rows + 0.062, 0.29, 0.078, glass)
    yield Top(0, 0, height + 0.005, width - 0.08, 0.22)

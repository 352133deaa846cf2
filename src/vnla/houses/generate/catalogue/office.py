"""Books, boards and stationery."""

# ruff: noqa: ARG001 - every maker takes (random, style), whether it draws from them or not

from __future__ import annotations

from random import Random

from vnla.houses.generate.catalogue import materials as m
from vnla.houses.generate.catalogue.pieces import Elements, ball, box, disc, rod, row
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material


def books(random: Random, style: Style) -> Elements:
    """A row of spines, or a pile lying flat."""
    if random.random() < 0.5:
        width = random.uniform(0.15, 0.24)
        yield box(
            0, 0, 0, width, 0.15, random.uniform(0.2, 0.24), Material(m.accent(random, style), "books", seed=m.seed(random))
        )
        yield box(width / 2 + 0.008, 0, 0, 0.016, 0.13, 0.15, style.metal)
        return
    z = 0.0
    for _ in range(random.choice((3, 4))):
        h, cover = random.uniform(0.02, 0.04), Material(random.choice((m.accent(random, style), m.leather(random).colour)))
        w, d, turn = random.uniform(0.19, 0.24), random.uniform(0.14, 0.17), random.uniform(-0.2, 0.2)
        yield box(0, 0, z, w, d, h, cover, turn=turn)
        yield box(0.006, -0.004, z + 0.004, w - 0.006, d + 0.002, h - 0.008, m.PAPER, turn=turn)
        z += h


def magazines(random: Random, style: Style) -> Elements:
    """Two or three, fanned out."""
    for i in range(3):
        yield box(
            0.01 * i,
            0,
            0.006 * i,
            0.2,
            0.27,
            0.006,
            Material(m.accent(random, style), "picture", (0.95, 0.95, 0.93), seed=m.seed(random)),
            turn=0.25 * i - 0.2,
        )


def papers(random: Random, style: Style) -> Elements:
    """Loose sheets with lines of print, and a pen."""
    print_ = Material((0.95, 0.95, 0.93), "stripes", (0.6, 0.6, 0.62), 0.02)
    yield box(0, 0, 0, 0.21, 0.29, 0.004, m.PAPER, turn=0.15)
    yield box(0.02, 0.01, 0.004, 0.21, 0.29, 0.003, print_, turn=-0.1)
    yield box(0.06, -0.02, 0.007, 0.012, 0.14, 0.008, m.plastic(random), turn=0.6)


def pen_holder(random: Random, style: Style) -> Elements:
    """A cup of pens and pencils."""
    yield rod(0, 0, 0, 0.085, 0.1, random.choice((m.BLACK, style.metal, Material(m.accent(random, style)))))
    for x, y in ((-0.02, 0), (0.02, 0.01), (0, -0.02), (0.005, 0.022)):
        yield box(x, y, 0.06, 0.01, 0.01, random.uniform(0.09, 0.13), m.plastic(random))


def globe(random: Random, style: Style) -> Elements:
    """The earth on a foot."""
    sea = Material(
        m.WATER.colour if random.random() < 0.6 else (0.8, 0.7, 0.5), "leaves", (0.45, 0.55, 0.28), 0.25, gloss=0.3
    )
    yield rod(0, 0, 0, 0.16, 0.02, m.wood(random, style))
    yield rod(0, 0, 0.02, 0.025, 0.07, m.BRASS)
    yield ball(0, 0, 0.08, 0.23, 0.23, 0.23, sea)
    yield rod(0, 0, 0.31, 0.02, 0.02, m.BRASS)


def whiteboard(random: Random, style: Style) -> Elements:
    """White with a metal rim, some writing, and pens on the ledge."""
    width, height = random.uniform(1.1, 1.6), random.uniform(0.75, 0.95)
    yield box(0, 0, 0.02, width, 0.025, height, m.STEEL)
    yield box(0, -0.014, 0.045, width - 0.05, 0.006, height - 0.05, m.WHITE)
    yield box(0, -0.04, 0, width * 0.6, 0.07, 0.02, m.STEEL)
    for i, z in enumerate((0.72, 0.58, 0.44)):
        length = width * random.uniform(0.25, 0.55)
        yield box(
            -width * 0.4 + length / 2,
            -0.018,
            height * z,
            length,
            0.003,
            0.02,
            Material(((0.1, 0.2, 0.6), (0.7, 0.1, 0.1), (0.1, 0.4, 0.2))[i]),
        )
    yield from [box(0.1 * i, -0.05, 0.02, 0.08, 0.016, 0.016, m.plastic(random)) for i in range(2)]


def blackboard(random: Random, style: Style) -> Elements:
    """Slate in a wooden frame with chalk on it."""
    width, height = random.uniform(0.9, 1.6), random.uniform(0.7, 0.95)
    chalk = Material((0.9, 0.9, 0.88))
    yield box(0, 0, 0, width, 0.03, height, m.wood(random, style))
    yield box(0, -0.016, 0.05, width - 0.1, 0.006, height - 0.1, Material((0.12, 0.19, 0.16)))
    for z in (0.7, 0.52, 0.34):
        yield box(-0.1 * width, -0.02, height * z, width * random.uniform(0.3, 0.6), 0.003, 0.02, chalk)


def notice_board(random: Random, style: Style) -> Elements:
    """Cork with notes pinned on it."""
    width, height = random.uniform(0.6, 0.9), random.uniform(0.5, 0.65)
    yield box(0, 0, 0, width, 0.025, height, m.wood(random, style))
    yield box(0, -0.013, 0.03, width - 0.06, 0.006, height - 0.06, m.CORK)
    for x in row(3, width - 0.12):
        for z in (0.16, 0.55):
            note = Material(m.mix(m.accent(random, style), (1.0, 1.0, 0.9), 0.6))
            yield box(x, -0.018, height * z + random.uniform(-0.02, 0.02), 0.12, 0.004, 0.14, note)


def projector_screen(random: Random, style: Style) -> Elements:
    """Pulled down from its case, with a picture on it."""
    width = random.uniform(1.4, 1.8)
    height = width * 0.6
    shown = Material((0.8, 0.85, 0.92), "screen", (0.2, 0.3, 0.5), glow=0.45, seed=m.seed(random))
    yield box(0, 0, height, width + 0.1, 0.08, 0.08, m.WHITE)
    yield box(0, 0, 0, width, 0.01, height, m.WHITE)
    yield box(0, -0.008, 0.05, width - 0.1, 0.004, height - 0.1, shown)
    yield box(0, 0, 0, width, 0.03, 0.02, m.BLACK)


def world_map(random: Random, style: Style) -> Elements:
    """Continents on a pale sea, between two rods."""
    width, height = random.uniform(0.9, 1.2), random.uniform(0.6, 0.75)
    land = [Material(tone) for tone in ((0.55, 0.65, 0.35), (0.8, 0.68, 0.4), (0.65, 0.45, 0.35))]
    yield box(0, 0, 0, width, 0.006, height, Material((0.72, 0.84, 0.9)))
    yield from [box(0, 0, z, width + 0.06, 0.025, 0.025, m.wood(random, style)) for z in (0, height - 0.025)]
    blobs = (
        (-0.32, 0.62, 0.22, 0.3),
        (-0.24, 0.32, 0.12, 0.32),
        (0.02, 0.42, 0.15, 0.3),
        (0.05, 0.68, 0.14, 0.18),
        (0.25, 0.64, 0.3, 0.28),
        (0.36, 0.27, 0.13, 0.14),
    )
    for i, (x, z, w, _) in enumerate(blobs):
        yield disc("y", x * width, -0.005, z * height, 0.9 * w * width, 0.004, land[i % 3])
    for i, (x, z, w, h) in enumerate(blobs):
        yield box(x * width, -0.005, (z - h / 2.6) * height, w * width * 0.75, 0.004, h * height * 0.75, land[i % 3])


def calendar(random: Random, style: Style) -> Elements:
    """A picture above a grid of days."""
    grid = Material((0.97, 0.97, 0.96), "tiles", (0.45, 0.45, 0.5), 0.05)
    yield box(0, 0, 0, 0.32, 0.008, 0.23, m.PAPER)
    yield box(0, -0.006, 0.012, 0.29, 0.004, 0.19, grid)
    yield box(
        0,
        0,
        0.23,
        0.32,
        0.008,
        0.24,
        Material(m.accent(random, style), "picture", m.accent(random, style), seed=m.seed(random)),
    )


def safe(random: Random, style: Style) -> Elements:
    """A steel door with a dial and a handle."""
    body = Material((0.24, 0.26, 0.28), "metal", gloss=0.3)
    yield box(0, 0, 0.03, 0.46, 0.44, 0.55, body)
    yield box(0, 0, 0, 0.4, 0.38, 0.03, m.BLACK)
    yield box(0, -0.225, 0.07, 0.4, 0.02, 0.47, m.darker(body, 1.3))
    yield disc("y", -0.06, -0.245, 0.34, 0.11, 0.03, m.STEEL)
    yield disc("y", -0.06, -0.262, 0.34, 0.05, 0.02, m.BLACK)
    yield box(0.1, -0.25, 0.28, 0.03, 0.04, 0.13, m.STEEL)

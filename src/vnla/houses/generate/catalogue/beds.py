"""Beds and what lies on them."""

# ruff: noqa: ARG001 - every maker takes (random, style), whether it draws from them or not

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from vnla.houses.generate.catalogue import materials as m
from vnla.houses.generate.catalogue.pieces import Anchor, Elements, Top, ball, bar, box, four_legs, rod, row
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material, Part


def _headboard(random: Random, style: Style, width: float, y: float, frame: Material) -> Iterator[Part]:
    """A panel, an upholstered board, or a row of posts between two larger ones."""
    height, design = random.uniform(0.95, 1.25), random.random()
    if design < 0.4:
        yield box(0, y, 0, width, 0.06, height, frame)
        yield box(0, y - 0.01, 0.55, width - 0.16, 0.06, height - 0.63, m.darker(frame, 0.88))
        return
    if design < 0.7:
        stuff = m.cloth(random, style)
        yield box(0, y, 0, width, 0.09, height, stuff)
        yield from [box(x, y - 0.04, 0.5, width / 4 - 0.02, 0.05, height - 0.54, stuff) for x in row(4, width)]
        return
    metal = style.metal if random.random() < 0.5 else frame
    yield from [rod(side * (width / 2 - 0.03), y, 0, 0.06, height + 0.06, metal) for side in (-1, 1)]
    rails = [bar("x", 0, y, z, width - 0.05, 0.04, metal) for z in (0.5, height)]
    yield from rails
    yield from [box(x, y, 0.5, 0.025, 0.02, height - 0.5, metal) for x in row(7, width - 0.1)]


def bed(random: Random, style: Style, width: float = 0.0) -> Elements:
    """Double or single; a duvet turned down below the pillows."""
    width = width or random.choice((0.95, 1.4, 1.6, 1.75))
    frame, sheet, length = m.wood_or_paint(random, style), m.linen(random), 2.0
    duvet = m.patterned_cloth(random, style) if random.random() < 0.6 else m.linen(random)
    head = length / 2 + 0.03
    yield from four_legs(width, length, 0.2, 0.07, frame)
    yield box(0, 0, 0.16, width, length, 0.14, frame)
    yield box(0, 0, 0.3, width - 0.04, length - 0.04, 0.2, sheet)
    yield box(0, -0.27, 0.24, width + 0.03, 1.5, 0.3, duvet)
    yield box(0, 0.42, 0.5, width + 0.03, 0.22, 0.055, sheet)
    yield from _headboard(random, style, width + 0.06, head, frame)
    if random.random() < 0.4:
        yield box(0, -length / 2 - 0.02, 0, width + 0.04, 0.05, 0.62, frame)
    across = [0.0] if width < 1.2 else list(row(2, width - 0.1))
    yield Top(0, 0.0, 0.54, width - 0.3, 0.35, 0.5)
    yield from [Anchor("pillow", x, length / 2 - 0.24, 0.5) for x in across]
    yield Anchor("blanket", 0, -0.6, 0.54)
    yield Anchor("teddy bear", 0, 0.45, 0.555)


def pillow(random: Random, style: Style) -> Elements:
    """Plump, in white or pale linen."""
    stuff = m.linen(random) if random.random() < 0.7 else m.patterned_cloth(random, style)
    width = random.uniform(0.55, 0.66)
    yield box(0, 0, 0, width - 0.06, 0.34, 0.1, stuff, taper=0.85)
    yield ball(0, 0, 0.02, width, 0.42, 0.15, stuff)


def blanket(random: Random, style: Style) -> Elements:
    """A folded blanket across the foot of a bed."""
    stuff = m.plain_cloth(random, style) if random.random() < 0.5 else m.patterned_cloth(random, style)
    width = random.uniform(0.85, 0.95)
    yield box(0, 0, 0, width, 0.5, 0.035, stuff)
    yield box(0, 0.04, 0.035, width - 0.01, 0.4, 0.03, m.darker(stuff, 0.93))


def bedside_table(random: Random, style: Style) -> Elements:
    """A nightstand with one or two drawers."""
    frame, width, height = m.wood_or_paint(random, style), random.uniform(0.4, 0.52), random.uniform(0.48, 0.6)
    drawers, legs = random.choice((1, 2)), random.uniform(0.1, 0.22)
    yield from four_legs(width, 0.38, legs, 0.04, frame)
    yield box(0, 0.01, legs, width, 0.38, height - legs - 0.025, frame)
    yield box(0, 0, height - 0.025, width + 0.03, 0.42, 0.025, m.darker(frame, 0.92))
    each = (height - legs - 0.04) / drawers
    for i in range(drawers):
        z = legs + 0.015 + i * each
        yield box(0, -0.185, z, width - 0.05, 0.02, each - 0.02, m.darker(frame, 1.1))
        yield ball(0, -0.205, z + each / 2 - 0.02, 0.03, 0.03, 0.03, style.metal)
    yield Top(0, 0, height, width - 0.04, 0.36)


def bunk_bed(random: Random, style: Style) -> Elements:
    """Two beds above each other with a ladder."""
    frame, width, length = m.wood_or_paint(random, style), 2.0, 0.95
    yield from four_legs(width, length, 1.7, 0.07, frame)
    for z in (0.28, 1.22):
        yield box(0, 0, z, width - 0.05, length - 0.04, 0.1, frame)
        yield box(0, 0, z + 0.1, width - 0.12, length - 0.1, 0.14, m.linen(random))
        yield box(-0.3, -0.02, z + 0.2, 1.25, length - 0.02, 0.07, m.patterned_cloth(random, style))
    yield from [box(0, side * (length / 2 - 0.02), 1.52, width, 0.03, 0.1, frame) for side in (-1, 1)]
    yield from [box(x, -length / 2 - 0.02, 0, 0.04, 0.04, 1.6, frame) for x in (0.55, 0.9)]
    yield from [box(0.72, -length / 2 - 0.02, 0.25 + 0.27 * i, 0.33, 0.03, 0.04, frame) for i in range(5)]
    yield Anchor("pillow", 0.68, 0, 0.52)
    yield Anchor("pillow", 0.68, 0, 1.46)


def crib(random: Random, style: Style) -> Elements:
    """A baby's bed with bars all round."""
    frame, width, depth = m.wood_or_paint(random, style, 0.6), 1.25, 0.68
    yield from four_legs(width, depth, 0.95, 0.05, frame)
    yield box(0, 0, 0.35, width - 0.08, depth - 0.08, 0.14, m.linen(random))
    for side in (-1, 1):
        y = side * (depth / 2 - 0.02)
        yield from [box(0, y, z, width, 0.035, 0.05, frame) for z in (0.28, 0.88)]
        yield from [box(x, y, 0.3, 0.02, 0.02, 0.6, frame) for x in row(9, width - 0.05)]
        yield box(side * (width / 2 - 0.02), 0, 0.28, 0.03, depth - 0.05, 0.65, frame)


def teddy_bear(random: Random, style: Style) -> Elements:
    """Sitting up, with round ears."""
    fur = Material(random.choice(((0.55, 0.36, 0.2), (0.76, 0.6, 0.42), (0.9, 0.88, 0.84))), "carpet", scale=0.2)
    pale = m.darker(fur, 1.3)
    yield ball(0, 0, 0, 0.2, 0.16, 0.22, fur)
    yield ball(0, -0.01, 0.19, 0.17, 0.15, 0.16, fur)
    yield ball(0, -0.07, 0.22, 0.07, 0.07, 0.06, pale)
    for side in (-1, 1):
        yield ball(side * 0.065, 0, 0.31, 0.06, 0.04, 0.06, fur)
        yield ball(side * 0.07, -0.12, 0, 0.08, 0.14, 0.07, fur)
        yield ball(side * 0.11, -0.03, 0.1, 0.06, 0.08, 0.12, fur)

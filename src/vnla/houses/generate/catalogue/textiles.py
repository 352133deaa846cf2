"""Rugs, curtains, cushions: cloth on floors, at windows and on seats."""

# ruff: noqa: ARG001 - every maker takes (random, style), whether it draws from them or not

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from vnla.houses.generate.catalogue import materials as m
from vnla.houses.generate.catalogue.pieces import Elements, ball, bar, box, rod, row
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material, Part, Pattern


def curtains(random: Random, style: Style, width: float = 1.6, height: float = 2.2) -> Elements:
    """Two panels in folds, drawn apart on a rod."""
    stuff = (
        m.patterned_cloth(random, style)
        if random.random() < 0.4
        else m.plain_cloth(random, style)
        if random.random() < 0.6
        else m.linen(random)
    )
    pole = style.metal if random.random() < 0.5 else m.wood(random, style)
    panel, folds = min(0.42, width * 0.3), 4
    yield bar("x", 0, 0, height - 0.02, width, 0.03, pole)
    for side in (-1, 1):
        yield ball(side * width / 2, 0, height - 0.05, 0.06, 0.06, 0.06, pole)
        for i, x in enumerate(row(folds, panel)):
            tone = stuff if i % 2 == 0 else m.darker(stuff, 0.86)
            yield box(side * (width - panel) / 2 + x, 0.018 * (-1) ** i, 0, panel / folds + 0.008, 0.05, height - 0.03, tone)


def blinds(random: Random, style: Style, width: float = 1.2, height: float = 1.2) -> Elements:
    """Slats part of the way down."""
    slat = m.WHITE if random.random() < 0.6 else m.wood(random, style)
    drop = height * random.uniform(0.35, 0.75)
    count = max(5, min(14, int(drop / 0.07)))
    step = drop / count
    yield box(0, 0, height - 0.05, width, 0.05, 0.05, slat)
    yield from [box(0, 0, height - 0.05 - (i + 1) * step, width - 0.02, 0.04, step * 0.55, slat) for i in range(count)]
    for x in (-width * 0.3, width * 0.3):
        yield box(x, -0.022, height - 0.05 - drop, 0.012, 0.003, drop, m.darker(slat, 0.7))
    yield box(width * 0.42, -0.02, 0, 0.008, 0.008, height - 0.1, m.darker(slat, 0.8))


def _rug(random: Random, style: Style, width: float, depth: float) -> Iterator[Part]:
    """A border, a field, sometimes fringes."""
    base = m.mix(m.accent(random, style), random.choice(style.fabric).colour, random.uniform(0.1, 0.6))
    other = m.mix(base, (0.93, 0.9, 0.84), 0.65)
    pattern: Pattern = random.choice(("carpet", "carpet", "stripes", "checks", "dots", "leaves"))
    field = Material(other, pattern, base, random.uniform(0.2, 0.5), seed=m.seed(random))
    yield box(0, 0, 0, width, depth, 0.008, Material(base, "carpet", scale=0.2))
    yield box(0, 0, 0.008, width - 0.24, depth - 0.24, 0.003, field)
    if random.random() < 0.5:
        yield box(0, 0, 0.008, width - 0.1, depth - 0.1, 0.001, Material(m.darker(field, 0.7).colour, "carpet", scale=0.2))
    if random.random() < 0.3:
        yield from [box(side * (width / 2 + 0.03), 0, 0, 0.06, depth, 0.004, m.linen(random)) for side in (-1, 1)]


def rug(random: Random, style: Style, width: float = 0.0, depth: float = 0.0) -> Elements:
    """Rectangular, or now and then round."""
    width, depth = width or random.uniform(1.6, 2.6), depth or random.uniform(1.2, 1.8)
    if random.random() < 0.15 and abs(width - depth) < 0.8:
        size, tone = min(width, depth), m.accent(random, style)
        yield rod(0, 0, 0, size, 0.008, Material(tone, "carpet", scale=0.2))
        yield rod(0, 0, 0.008, size * 0.8, 0.003, Material(m.mix(tone, (0.93, 0.9, 0.84), 0.6), "carpet", scale=0.2))
        yield rod(0, 0, 0.011, size * 0.35, 0.002, Material(tone, "carpet", scale=0.2))
        return
    yield from _rug(random, style, width, depth)


def doormat(random: Random, style: Style) -> Elements:
    """Coarse and brown, just inside the door."""
    coir = Material((0.45, 0.32, 0.2), "carpet", scale=0.1, seed=m.seed(random))
    yield box(0, 0, 0, 0.7, 0.42, 0.012, m.darker(coir, 0.6))
    yield box(0, 0, 0.012, 0.62, 0.34, 0.003, coir)
    yield box(0, 0, 0.015, 0.4, 0.08, 0.001, m.darker(coir, 0.35))


def cushion(random: Random, style: Style) -> Elements:
    """Square and plump, leaning where it stands."""
    stuff = m.patterned_cloth(random, style) if random.random() < 0.6 else m.plain_cloth(random, style)
    width = random.uniform(0.36, 0.44)
    yield box(0, 0, 0.0, width, 0.07, width, stuff)
    yield ball(0, 0, 0.02, width * 0.96, 0.19, width * 0.96, stuff)


def throw(random: Random, style: Style) -> Elements:
    """A blanket over the arm of a sofa."""
    stuff, width = m.patterned_cloth(random, style), 0.26
    parts = [
        box(0, 0, 0, width, 0.5, 0.02, stuff),
        *[box(side * 0.118, 0, -0.3, 0.022, 0.5, 0.3, m.darker(stuff, 0.93)) for side in (-1, 1)],
    ]
    yield from [part.moved(0, 0, 0.3) for part in parts]

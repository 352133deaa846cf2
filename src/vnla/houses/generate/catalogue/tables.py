"""Tables and desks."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from vnla.houses.generate.catalogue import materials as m
from vnla.houses.generate.catalogue.pieces import (
    FRONT,
    LEFT,
    RIGHT,
    Anchor,
    Elements,
    Top,
    bar,
    box,
    four_legs,
    rod,
    round_legs,
    row,
)
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material, Part


def _seats(label: str, width: float, depth: float, each: float, ends: bool) -> list[Anchor]:
    """Places for chairs along the long sides of a table, and at its ends."""
    count = max(1, int(width / each))
    places = [
        Anchor(label, x, side * (depth / 2 + 0.02), 0, FRONT if side < 0 else 0.0)
        for x in row(count, width)
        for side in (-1, 1)
    ]
    if ends:
        places += [Anchor(label, -width / 2 - 0.02, 0, 0, LEFT), Anchor(label, width / 2 + 0.02, 0, 0, RIGHT)]
    return places


def _round_seats(label: str, width: float, count: int) -> list[Anchor]:
    edge = width / 2 + 0.02
    return [
        Anchor(label, 0, -edge, 0, FRONT),
        Anchor(label, 0, edge, 0, 0.0),
        Anchor(label, -edge, 0, 0, LEFT),
        Anchor(label, edge, 0, 0, RIGHT),
    ][:count]


def _four_sided(random: Random, style: Style, width: float, depth: float, height: float) -> Iterator[Part]:
    """A table on four legs with an apron, or on two trestles."""
    top = m.wood(random, style)
    frame = top if random.random() < 0.7 else m.painted(random, style)
    if random.random() < 0.7:
        leg = random.uniform(0.05, 0.09)
        make_legs = four_legs if random.random() < 0.6 else round_legs
        yield from make_legs(width - 0.06, depth - 0.06, height - 0.04, leg, frame)
        yield from [box(0, side * (depth / 2 - 0.06), height - 0.12, width - 0.2, 0.025, 0.08, frame) for side in (-1, 1)]
    else:
        for side in (-1, 1):
            x = side * (width / 2 - 0.25)
            yield box(x, 0, 0, 0.08, depth - 0.15, 0.06, frame)
            yield box(x, 0, 0.06, 0.1, 0.25, height - 0.16, frame)
            yield box(x, 0, height - 0.1, 0.08, depth - 0.2, 0.06, frame)
        yield box(0, 0, 0.3, width - 0.5, 0.05, 0.08, frame)
    yield box(0, 0, height - 0.04, width, depth, 0.04, top)


def dining_table(random: Random, style: Style) -> Elements:
    """Long on four legs or trestles; or round on a pedestal."""
    height = random.uniform(0.73, 0.77)
    if random.random() < 0.3:
        width, top = random.uniform(0.95, 1.25), m.wood(random, style)
        yield rod(0, 0, 0, 0.6, 0.04, top)
        yield rod(0, 0, 0.04, 0.14, height - 0.08, top, 0.8)
        yield rod(0, 0, height - 0.04, width, 0.04, top)
        yield Top(0, 0, height, width * 0.68, width * 0.68)
        yield from _round_seats("dining chair", width, 4)
        yield from _round_seats("booth seat", width, 2)
        return
    width, depth = random.choice((1.2, 1.5, 1.8, 2.1)) + random.uniform(-0.1, 0.1), random.uniform(0.8, 0.98)
    yield from _seats("dining chair", width, depth, 0.6, random.random() < 0.6)
    yield from _seats("booth seat", 1.2, depth, 1.2, False)
    yield from _four_sided(random, style, width, depth, height)
    yield Top(0, 0, height, width - 0.1, depth - 0.1)


def meeting_table(random: Random, style: Style) -> Elements:
    """Long and heavy, on two panels."""
    width, depth, top = random.uniform(1.8, 2.8), random.uniform(0.95, 1.15), m.wood_or_paint(random, style, 0.2)
    yield from [box(side * width * 0.32, 0, 0, 0.12, depth * 0.6, 0.7, m.darker(top)) for side in (-1, 1)]
    yield box(0, 0, 0.35, width * 0.6, 0.04, 0.25, m.darker(top))
    yield box(0, 0, 0.7, width, depth, 0.05, top)
    yield box(0, 0, 0.75, width * 0.4, 0.1, 0.004, Material((0.1, 0.1, 0.1)))
    yield Top(0, 0, 0.754, width - 0.2, depth - 0.2)
    yield from _seats("office chair", width, depth, 0.72, True)


def coffee_table(random: Random, style: Style) -> Elements:
    """Low: four-legged with a shelf, round, or glass on a metal frame."""
    design, height = random.random(), random.uniform(0.38, 0.46)
    width, depth, top = random.uniform(0.85, 1.2), random.uniform(0.5, 0.65), m.wood(random, style)
    if design < 0.45:
        yield from four_legs(width, depth, height - 0.03, 0.055, top)
        yield box(0, 0, 0.12, width - 0.1, depth - 0.08, 0.02, top)
        yield box(0, 0, height - 0.03, width, depth, 0.03, top)
    elif design < 0.7:
        width = depth = random.uniform(0.7, 0.9)
        yield from round_legs(width * 0.75, width * 0.75, height - 0.03, 0.05, top, 1.4)
        yield rod(0, 0, height - 0.03, width, 0.03, top)
    else:
        yield from four_legs(width, depth, height - 0.02, 0.035, style.metal)
        yield from [box(0, side * (depth / 2 - 0.018), 0.02, width, 0.03, 0.03, style.metal) for side in (-1, 1)]
        yield box(0, 0, height - 0.02, width, depth, 0.02, m.GLASS)
    share = 0.65 if width == depth else 0.85
    yield Top(0, 0, height, width * share, depth * share)


def side_table(random: Random, style: Style) -> Elements:
    """Small, round or square, at the arm of a chair."""
    height, width, top = random.uniform(0.5, 0.6), random.uniform(0.4, 0.5), m.wood(random, style)
    if random.random() < 0.5:
        leg = style.metal if random.random() < 0.5 else top
        yield rod(0, 0, 0, width * 0.7, 0.02, leg)
        yield rod(0, 0, 0.02, 0.045, height - 0.05, leg)
        yield rod(0, 0, height - 0.03, width, 0.03, top)
        yield Top(0, 0, height, width * 0.68, width * 0.68)
        return
    yield from four_legs(width, width, height - 0.03, 0.035, top)
    yield box(0, 0, 0.15, width - 0.06, width - 0.06, 0.02, top)
    yield box(0, 0, height - 0.03, width, width, 0.03, top)
    yield Top(0, 0, height, width * 0.9, width * 0.9)


def console_table(random: Random, style: Style) -> Elements:
    """Narrow and tall, for a hallway."""
    width = random.uniform(0.8, 1.2)
    depth = random.uniform(0.3, 0.38)
    height = random.uniform(0.75, 0.85)
    top = m.wood_or_paint(random, style)
    yield from four_legs(width, depth, height - 0.03, 0.04, top)
    yield box(0, 0, height - 0.15, width - 0.02, depth - 0.02, 0.12, m.darker(top, 0.9))
    yield box(0, 0, height - 0.03, width + 0.04, depth, 0.03, top)
    yield from [box(x, -depth / 2 - 0.002, height - 0.1, 0.05, 0.025, 0.02, style.metal) for x in row(2, width)]
    if random.random() < 0.5:
        yield box(0, 0, 0.16, width - 0.04, depth - 0.04, 0.02, top)
    yield Top(0, 0, height, width - 0.04, depth - 0.04)


def desk(random: Random, style: Style) -> Elements:
    """A writing desk with drawers on one side, a plain table, or a pedestal on both sides."""
    width, depth, height = random.uniform(1.1, 1.5), random.uniform(0.58, 0.72), 0.74
    top = m.wood_or_paint(random, style)
    frame = style.metal if random.random() < 0.35 else top
    yield box(0, 0, height - 0.035, width, depth, 0.035, top)
    pedestals = random.choice(((), (1,), (-1,), (-1, 1)))
    for side in (-1, 1):
        x = side * (width / 2 - 0.2)
        if side in pedestals:
            yield box(x, 0.02, 0, 0.38, depth - 0.06, height - 0.035, m.darker(top, 0.9))
            for z in (0.06, 0.28, 0.5):
                yield box(x, -depth / 2 + 0.045, z, 0.34, 0.02, 0.19, top)
                yield box(x, -depth / 2 + 0.03, z + 0.09, 0.1, 0.02, 0.02, style.metal)
        else:
            for y in (-depth / 2 + 0.05, depth / 2 - 0.05):
                yield box(side * (width / 2 - 0.04), y, 0, 0.05, 0.05, height - 0.035, frame)
    yield box(0, depth / 2 - 0.03, 0.35, width - 0.1, 0.02, 0.3, m.darker(top, 0.85))
    yield from [Top(side * (width / 2 - 0.18), 0.05, height, 0.3, depth - 0.18) for side in (-1, 1)]
    yield Anchor("computer monitor", 0, depth / 2 - 0.16, height)
    yield Anchor("keyboard", -0.02, -0.1, height)
    yield Anchor("mouse", 0.33, -0.1, height)
    yield Anchor("office chair", 0, -depth / 2 - 0.02, 0, FRONT)


def vanity_table(random: Random, style: Style) -> Elements:
    """A dressing table with its mirror."""
    top = m.wood_or_paint(random, style, 0.5)
    yield from four_legs(0.95, 0.42, 0.62, 0.045, top)
    yield box(0, 0, 0.6, 1.0, 0.46, 0.13, top)
    yield from [box(side * 0.25, -0.235, 0.62, 0.4, 0.015, 0.09, m.darker(top, 0.88)) for side in (-1, 1)]
    yield from [rod(side * 0.25, -0.25, 0.655, 0.03, 0.02, m.BRASS) for side in (-1, 1)]
    yield box(0, 0.2, 0.75, 0.62, 0.03, 0.62, top)
    yield box(0, 0.18, 0.79, 0.54, 0.012, 0.54, Material((0.8, 0.85, 0.88), gloss=1.0))
    yield from [box(side * 0.27, 0.2, 0.72, 0.04, 0.04, 0.1, top) for side in (-1, 1)]
    yield Top(0, -0.05, 0.73, 0.85, 0.3)


def garden_table(random: Random, style: Style) -> Elements:
    """Round metal, or slatted wood."""
    if random.random() < 0.5:
        width, stuff = random.uniform(0.7, 1.0), style.metal if random.random() < 0.5 else m.WHITE
        yield rod(0, 0, 0, 0.45, 0.03, stuff)
        yield rod(0, 0, 0.03, 0.06, 0.66, stuff)
        yield rod(0, 0, 0.69, width, 0.03, stuff)
        yield Top(0, 0, 0.72, width * 0.65, width * 0.65)
        yield from _round_seats("garden chair", width, 4)
        return
    width, depth, top = random.uniform(1.2, 1.6), 0.8, m.wood(random, style)
    yield from four_legs(width - 0.1, depth - 0.1, 0.69, 0.06, top)
    yield from [box(0, y, 0.69, width, depth / 6 - 0.012, 0.03, top) for y in row(6, depth)]
    yield Top(0, 0, 0.72, width - 0.1, depth - 0.1)
    yield from _seats("garden chair", width, depth, 0.62, False)


def bar_counter(random: Random, style: Style) -> Elements:
    """A high counter to drink at, with a foot rail; one stands behind it as little as one can."""
    width, front, top = random.uniform(1.6, 2.4), m.wood(random, style), style.worktop
    yield box(0, 0.05, 0.08, width, 0.45, 0.94, front)
    yield box(0, 0.05, 0, width - 0.06, 0.4, 0.08, m.darker(front))
    yield box(0, 0, 1.02, width + 0.06, 0.62, 0.05, top)
    yield from [box(x, -0.18, 0.16, width / 4 - 0.08, 0.02, 0.76, m.darker(front, 1.12)) for x in row(4, width)]
    yield bar("x", 0, -0.26, 0.18, width, 0.04, m.BRASS)
    yield from [box(side * width * 0.4, -0.22, 0.1, 0.03, 0.08, 0.1, m.BRASS) for side in (-1, 1)]
    yield Top(0, 0.05, 1.07, width - 0.1, 0.42)
    yield from [Anchor("bar stool", x, -0.34, 0, FRONT) for x in row(max(2, int(width / 0.6)), width)]


def folding_table(random: Random, style: Style) -> Elements:
    """A light top on a folding metal frame."""
    width = random.uniform(0.9, 1.3)
    yield box(0, 0, 0.7, width, 0.6, 0.03, m.painted(random, style))
    for side in (-1, 1):
        x = side * (width / 2 - 0.12)
        yield from [box(x, y, 0, 0.025, 0.025, 0.7, style.metal) for y in (-0.24, 0.24)]
        yield box(x, 0, 0.1, 0.02, 0.48, 0.02, style.metal)
        yield box(x, 0, 0.5, 0.02, 0.48, 0.02, style.metal)
    yield Top(0, 0, 0.73, width - 0.1, 0.5)

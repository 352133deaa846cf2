"""Things to sit on."""

# ruff: noqa: ARG001 - every maker takes (random, style), whether it draws from them or not

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from vnla.houses.generate.catalogue import materials as m
from vnla.houses.generate.catalogue.pieces import Anchor, Elements, Top, ball, bar, box, four_legs, rod, round_legs, row
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material, Part


def _upholstery(random: Random, style: Style) -> Material:
    return m.leather(random) if random.random() < 0.25 else m.cloth(random, style)


def _couch(random: Random, style: Style, seats: int) -> Elements:
    """A sofa or armchair: base, arms, back, and one cushion for each seat and each back."""
    stuff = _upholstery(random, style)
    seat, arm, depth = random.uniform(0.58, 0.68), random.uniform(0.12, 0.22), random.uniform(0.82, 0.95)
    width, back, arms = seats * seat + 2 * arm, random.uniform(0.74, 0.9), random.uniform(0.54, 0.64)
    yield from round_legs(width - 0.1, depth - 0.1, 0.12, 0.05, m.wood(random, style), 1.5)
    yield box(0, 0, 0.12, width, depth, 0.16, m.darker(stuff, 0.85))
    yield box(0, depth / 2 - 0.1, 0.28, width, 0.2, back - 0.28, m.darker(stuff, 0.92))
    rolled = random.random() < 0.4
    for side in (-1, 1):
        x = side * (width - arm) / 2
        yield box(x, 0, 0.12, arm, depth, arms - 0.12, stuff)
        if rolled:
            yield bar("y", x, 0, arms, depth, arm, stuff)
    for x in row(seats, seats * seat):
        yield box(x, -0.115, 0.28, seat - 0.015, depth - 0.24, 0.16, stuff)
        yield box(x, depth / 2 - 0.27, 0.44, seat - 0.03, 0.17, back - 0.46, stuff, taper=0.9)
    yield from [Anchor("cushion", x, 0.02, 0.44) for x in row(seats, seats * seat)]
    yield Anchor("throw", (width - arm) / 2 * random.choice((-1, 1)), -0.05, arms + (arm / 2 if rolled else 0))


def sofa(random: Random, style: Style) -> Elements:
    """Two or three seats."""
    yield from _couch(random, style, random.choice((2, 2, 3)))


def armchair(random: Random, style: Style) -> Elements:
    """An upholstered easy chair, or a wing chair with a tall back."""
    if random.random() < 0.65:
        yield from _couch(random, style, 1)
        return
    stuff = _upholstery(random, style)
    yield from round_legs(0.64, 0.6, 0.18, 0.05, m.wood(random, style), 1.4)
    yield box(0, 0, 0.18, 0.68, 0.68, 0.14, m.darker(stuff, 0.9))
    yield box(0, -0.05, 0.32, 0.5, 0.56, 0.12, stuff)
    yield box(0, 0.3, 0.3, 0.6, 0.14, 0.72, stuff, taper=0.85)
    for side in (-1, 1):
        yield box(side * 0.3, 0.0, 0.3, 0.11, 0.62, 0.26, stuff)
        yield box(side * 0.31, 0.22, 0.56, 0.07, 0.22, 0.4, stuff, taper=0.8)
    yield Anchor("cushion", 0, 0.05, 0.44)


def recliner(random: Random, style: Style) -> Elements:
    """An easy chair with its footrest out."""
    stuff = m.leather(random)
    yield box(0, 0.1, 0.03, 0.8, 0.8, 0.27, m.darker(stuff, 0.8))
    yield box(0, 0.05, 0.3, 0.52, 0.66, 0.16, stuff)
    yield box(0, 0.44, 0.3, 0.6, 0.2, 0.66, stuff, taper=0.85)
    yield box(0, 0.38, 0.84, 0.42, 0.14, 0.16, m.darker(stuff, 0.9))
    yield box(0, -0.48, 0.28, 0.52, 0.32, 0.12, stuff)
    yield box(0, -0.48, 0, 0.08, 0.08, 0.28, m.IRON)
    yield box(0, 0.1, 0, 0.6, 0.6, 0.03, m.DARK)
    yield from [box(side * 0.33, 0.1, 0.3, 0.15, 0.74, 0.26, stuff) for side in (-1, 1)]


def ottoman(random: Random, style: Style) -> Elements:
    """A padded footstool, square or round."""
    stuff = _upholstery(random, style)
    width, height = random.uniform(0.45, 0.62), random.uniform(0.38, 0.44)
    yield from round_legs(width * 0.8, width * 0.8, 0.12, 0.045, m.wood(random, style), 1.4)
    if random.random() < 0.5:
        yield rod(0, 0, 0.12, width, height - 0.22, m.darker(stuff, 0.9))
        yield rod(0, 0, height - 0.1, width + 0.02, 0.1, stuff)
        return
    yield box(0, 0, 0.12, width, width, height - 0.22, m.darker(stuff, 0.9))
    yield box(0, 0, height - 0.1, width + 0.02, width + 0.02, 0.1, stuff)


def _ladder_back(random: Random, style: Style, seat: Material, frame: Material) -> Iterator[Part]:
    """A wooden chair with slats, upright or across, in its back."""
    width, depth, height = random.uniform(0.42, 0.47), random.uniform(0.42, 0.48), random.uniform(0.86, 1.02)
    yield from four_legs(width, depth, 0.44, 0.04, frame)[::2]
    yield from [box(side * (width / 2 - 0.02), depth / 2 - 0.02, 0, 0.04, 0.04, height, frame) for side in (-1, 1)]
    yield box(0, 0, 0.42, width, depth, 0.05, seat)
    yield box(0, depth / 2 - 0.02, height - 0.1, width - 0.04, 0.03, 0.1, frame)
    if random.random() < 0.5:
        yield from [box(0, depth / 2 - 0.02, 0.55 + 0.13 * i, width - 0.06, 0.02, 0.06, frame) for i in range(2)]
    else:
        yield from [box(x, depth / 2 - 0.02, 0.47, 0.025, 0.02, height - 0.55, frame) for x in row(4, width - 0.06)]


def dining_chair(random: Random, style: Style) -> Elements:
    """Ladder-backed, or with an upholstered back."""
    frame = m.wood(random, style)
    if random.random() < 0.6:
        seat = m.plain_cloth(random, style) if random.random() < 0.4 else frame
        yield from _ladder_back(random, style, seat, frame)
        return
    stuff = _upholstery(random, style)
    yield from four_legs(0.44, 0.46, 0.42, 0.045, frame)
    yield box(0, 0, 0.4, 0.46, 0.48, 0.09, stuff)
    yield box(0, 0.2, 0.49, 0.44, 0.08, random.uniform(0.42, 0.56), stuff, taper=0.9)


def chair(random: Random, style: Style) -> Elements:
    """A side chair: wooden, or a plastic shell on thin legs."""
    if random.random() < 0.55:
        frame = m.wood_or_paint(random, style)
        yield from _ladder_back(random, style, frame, frame)
        return
    shell = m.plastic(random) if random.random() < 0.6 else m.painted(random, style)
    yield from round_legs(0.42, 0.42, 0.42, 0.03, m.wood(random, style), 1.3)
    yield box(0, 0, 0.42, 0.46, 0.44, 0.04, shell)
    yield box(0, 0.2, 0.46, 0.46, 0.04, 0.36, shell, taper=0.85)
    yield box(-0.215, 0.06, 0.46, 0.03, 0.28, 0.1, shell)
    yield box(0.215, 0.06, 0.46, 0.03, 0.28, 0.1, shell)


def _on_castors(seat: float) -> Iterator[Part]:
    """Five-star base, column, castors."""
    yield rod(0, 0, 0.1, 0.05, seat - 0.1, m.CHROME)
    yield rod(0, 0, 0.07, 0.09, 0.05, m.DARK)
    for turn in (0.3, 1.35, 2.4):
        yield box(0, 0, 0.06, 0.56, 0.04, 0.035, m.DARK, turn=turn)
    for x, y in ((0.26, 0.08), (-0.26, -0.08), (0.06, 0.27), (-0.06, -0.27), (-0.2, 0.19), (0.2, -0.19)):
        yield box(x, y, 0, 0.04, 0.04, 0.06, m.RUBBER)


def office_chair(random: Random, style: Style) -> Elements:
    """On castors, with armrests and a padded back."""
    stuff = m.leather(random) if random.random() < 0.5 else m.plain_cloth(random, style)
    if random.random() < 0.5:
        stuff = Material((0.11, 0.11, 0.12), "fabric", scale=0.2)
    height = random.uniform(0.48, 0.68)
    yield from _on_castors(0.45)
    yield box(0, -0.02, 0.43, 0.5, 0.48, 0.09, stuff)
    yield box(0, 0.21, 0.5, 0.05, 0.05, 0.12, m.DARK)
    yield box(0, 0.22, 0.58, 0.46, 0.08, height, stuff, taper=0.85)
    for side in (-1, 1):
        yield box(side * 0.27, 0.04, 0.46, 0.03, 0.06, 0.2, m.DARK)
        yield box(side * 0.27, 0, 0.66, 0.06, 0.26, 0.035, m.DARK)


def stool(random: Random, style: Style) -> Elements:
    """Low, backless, round or square."""
    frame, height, width = m.wood_or_paint(random, style), random.uniform(0.42, 0.5), random.uniform(0.32, 0.4)
    if random.random() < 0.5:
        yield from round_legs(width * 0.85, width * 0.85, height - 0.04, 0.035, frame)
        yield rod(0, 0, height - 0.05, width, 0.05, frame)
        return
    rails = [box(0, side * width * 0.4, 0.15, width * 0.85, 0.025, 0.03, frame) for side in (-1, 1)]
    yield from four_legs(width * 0.9, width * 0.9, height - 0.04, 0.04, frame)
    yield from rails
    yield box(0, 0, height - 0.05, width, width, 0.05, frame)


def bar_stool(random: Random, style: Style) -> Elements:
    """Tall, with a footrest; some have a low back."""
    seat = _upholstery(random, style) if random.random() < 0.6 else m.wood(random, style)
    height = random.uniform(0.66, 0.76)
    if random.random() < 0.45:
        yield rod(0, 0, 0, 0.4, 0.025, m.CHROME)
        yield rod(0, 0, 0.02, 0.05, height, m.CHROME)
        yield box(0, -0.1, 0.24, 0.25, 0.2, 0.02, m.CHROME)
    else:
        frame = style.metal if random.random() < 0.5 else m.wood(random, style)
        yield from four_legs(0.36, 0.36, height, 0.03, frame)
        yield from [box(0, side * 0.165, 0.24, 0.33, 0.02, 0.025, frame) for side in (-1, 1)]
        yield from [box(side * 0.165, 0, 0.24, 0.02, 0.33, 0.025, frame) for side in (-1, 1)]
    yield rod(0, 0, height, 0.38, 0.07, seat)
    if random.random() < 0.5:
        yield box(0, 0.16, height + 0.07, 0.34, 0.05, 0.22, seat, taper=0.9)


def bench(random: Random, style: Style) -> Elements:
    """A plain wooden bench, some padded, some with a back."""
    frame, width = m.wood(random, style), random.uniform(0.9, 1.4)
    yield from four_legs(width - 0.06, 0.36, 0.42, 0.06, frame)
    yield from [box(0, y, 0.42, width, 0.12, 0.035, frame) for y in row(3, 0.4)]
    if random.random() < 0.35:
        yield from [box(side * (width / 2 - 0.06), 0.19, 0.4, 0.05, 0.04, 0.45, frame) for side in (-1, 1)]
        yield from [box(0, 0.17, z, width, 0.03, 0.08, frame) for z in (0.58, 0.74)]
    elif random.random() < 0.6:
        yield box(0, 0, 0.455, width - 0.04, 0.38, 0.06, m.plain_cloth(random, style))


def piano_bench(random: Random, style: Style) -> Elements:
    """A padded bench the height of a piano's keys."""
    frame = Material((0.07, 0.06, 0.06), gloss=0.4) if random.random() < 0.5 else m.wood(random, style)
    yield from four_legs(0.62, 0.34, 0.44, 0.05, frame)
    yield box(0, 0, 0.4, 0.66, 0.36, 0.06, frame)
    yield box(0, 0, 0.46, 0.64, 0.34, 0.06, m.leather(random))


def rocking_chair(random: Random, style: Style) -> Elements:
    """Slatted back, arms, and runners on the floor."""
    frame = m.wood_or_paint(random, style)
    yield box(0, 0, 0.38, 0.52, 0.5, 0.05, frame)
    yield box(0, 0.24, 1.0, 0.5, 0.04, 0.12, frame)
    yield from [box(x, 0.24, 0.42, 0.04, 0.025, 0.6, frame) for x in row(5, 0.5)]
    for side in (-1, 1):
        x = side * 0.25
        yield box(x, 0, 0, 0.045, 0.5, 0.05, frame)
        yield box(x, 0.38, 0.03, 0.045, 0.3, 0.05, frame)
        yield box(x, -0.36, 0.03, 0.045, 0.26, 0.05, frame)
        yield box(x, -0.2, 0.05, 0.045, 0.045, 0.6, frame)
        yield box(x, 0.22, 0.05, 0.045, 0.045, 0.36, frame)
        yield box(x, 0, 0.62, 0.07, 0.5, 0.03, frame)
    yield Anchor("cushion", 0, 0.05, 0.43)


def bean_bag(random: Random, style: Style) -> Elements:
    """A shapeless bag to sink into."""
    stuff, width = m.plain_cloth(random, style), random.uniform(0.75, 0.95)
    yield ball(0, -0.05, 0, width, width * 0.95, 0.5, stuff)
    yield ball(0, 0.14, 0.15, width * 0.75, width * 0.6, 0.6, stuff)


def school_desk(random: Random, style: Style) -> Elements:
    """A pupil's desk with its chair in one piece."""
    frame, top = style.metal, m.wood(random, style)
    yield from four_legs(0.6, 0.42, 0.7, 0.03, frame)
    yield box(0, 0, 0.7, 0.64, 0.46, 0.03, top)
    yield box(0, 0, 0.58, 0.56, 0.4, 0.02, frame)
    yield from [box(side * 0.19, -0.75, 0, 0.03, 0.03, 0.8, frame) for side in (-1, 1)]
    yield from [box(side * 0.19, -0.41, 0, 0.03, 0.03, 0.42, frame) for side in (-1, 1)]
    yield box(0, -0.58, 0.42, 0.4, 0.38, 0.03, top)
    yield box(0, -0.75, 0.62, 0.4, 0.025, 0.18, top)
    yield Top(0, 0, 0.73, 0.6, 0.42)


def lounge_chair(random: Random, style: Style) -> Elements:
    """A long slatted chair for sunbathing, its back raised."""
    frame = m.wood(random, style) if random.random() < 0.6 else Material((0.9, 0.9, 0.9), gloss=0.2)
    pad = m.plain_cloth(random, style)
    yield from four_legs(0.62, 1.7, 0.28, 0.05, frame)
    yield box(0, 0, 0.26, 0.64, 1.75, 0.05, frame)
    yield box(0, -0.27, 0.31, 0.58, 1.2, 0.08, pad)
    # the raised back: steps close enough together to read as a slope
    yield from [box(0, 0.38 + 0.1 * i, 0.31 + 0.085 * i, 0.58, 0.16, 0.09, pad) for i in range(5)]
    yield from [box(side * 0.27, 0.78, 0.3, 0.03, 0.04, 0.36, frame) for side in (-1, 1)]


def garden_chair(random: Random, style: Style) -> Elements:
    """Wicker or slatted, with arms."""
    stuff = random.choice((m.WICKER, m.wood(random, style), Material((0.9, 0.9, 0.88), gloss=0.1)))
    yield from four_legs(0.5, 0.5, 0.4, 0.045, stuff)
    yield box(0, 0, 0.38, 0.52, 0.52, 0.05, stuff)
    yield from [box(0, 0.24, 0.47 + 0.11 * i, 0.5, 0.03, 0.08, stuff) for i in range(4)]
    for side in (-1, 1):
        yield box(side * 0.24, 0.24, 0.4, 0.04, 0.04, 0.5, stuff)
        yield box(side * 0.24, -0.2, 0.4, 0.04, 0.04, 0.22, stuff)
        yield box(side * 0.24, 0, 0.62, 0.06, 0.48, 0.03, stuff)
    yield Anchor("cushion", 0, 0.05, 0.43)


def garden_bench(random: Random, style: Style) -> Elements:
    """Slatted, with a back and arms."""
    frame, width = m.wood(random, style), random.uniform(1.3, 1.6)
    yield from [box(0, y, 0.42, width, 0.09, 0.03, frame) for y in row(4, 0.46)]
    yield from [box(0, 0.24, z, width, 0.03, 0.08, frame) for z in (0.56, 0.69, 0.82)]
    for side in (-1, 1):
        x = side * (width / 2 - 0.05)
        yield box(x, -0.2, 0, 0.06, 0.06, 0.64, frame)
        yield box(x, 0.24, 0, 0.06, 0.05, 0.9, frame)
        yield box(x, 0, 0.62, 0.07, 0.5, 0.04, frame)
    yield from [box(side * (width / 2 - 0.05), 0, 0.37, 0.05, 0.46, 0.05, frame) for side in (-1, 1)]


def swing_seat(random: Random, style: Style) -> Elements:
    """A garden seat that hangs from a frame with a roof."""
    pad, frame = m.plain_cloth(random, style), style.metal
    yield box(0, 0, 1.75, 1.9, 1.0, 0.06, pad)
    yield box(0, 0.0, 0.42, 1.4, 0.5, 0.1, pad)
    yield box(0, 0.24, 0.5, 1.4, 0.1, 0.45, pad)
    for side in (-1, 1):
        x = side * 0.88
        yield box(x, 0, 0, 0.05, 0.95, 0.05, frame)
        yield box(x, 0.0, 0.05, 0.06, 0.06, 1.7, frame)
        yield box(side * 0.72, 0, 0.45, 0.02, 0.02, 1.3, frame)


def dining_bench(random: Random, style: Style) -> Elements:
    """A bench to pull up to a table."""
    frame = m.wood(random, style)
    yield from four_legs(1.2, 0.3, 0.42, 0.07, frame)
    yield box(0, 0, 0.42, 1.3, 0.34, 0.04, frame)
    yield box(0, 0, 0.37, 1.15, 0.22, 0.05, frame)


def booth_seat(random: Random, style: Style) -> Elements:
    """A padded bench with a high back, as diners have."""
    stuff, base = m.leather(random) if random.random() < 0.5 else m.plain_cloth(random, style), m.wood(random, style)
    yield box(0, 0, 0, 1.2, 0.55, 0.3, base)
    yield box(0, -0.03, 0.3, 1.2, 0.5, 0.14, stuff)
    yield box(0, 0.24, 0.3, 1.2, 0.12, 0.75, stuff)
    yield box(0, 0.24, 1.05, 1.22, 0.14, 0.05, base)
    yield from [box(x, 0.17, 0.5, 0.36, 0.04, 0.5, m.darker(stuff, 1.1)) for x in row(3, 1.2)]
    yield Anchor("cushion", 0, 0.0, 0.44)

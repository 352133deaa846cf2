"""Things to sit on."""

# ruff: noqa: ARG001 - every maker takes (random, style), whether it draws from them or not

from __future__ import annotations

from random import Random

from vnla.houses.generate.catalogue.materials import (
    CHROME,
    DARK,
    IRON,
    RUBBER,
    WICKER,
    cloth,
    darker,
    leather,
    painted,
    plain_cloth,
    plastic,
    wood,
    wood_or_paint,
)
from vnla.houses.generate.catalogue.pieces import (
    Furniture,
    Spot,
    Top,
    ball,
    bar,
    box,
    build,
    four_legs,
    rod,
    round_legs,
    row,
)
from vnla.houses.generate.catalogue.registry import AtSpot, AtWall, Beside, InFront, InMiddle, thing
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material, Part


def _upholstery(random: Random, style: Style) -> Material:
    return leather(random) if random.random() < 0.25 else cloth(random, style)


def _couch(random: Random, style: Style, seats: int) -> Furniture:
    """A sofa or armchair: base, arms, back, and one cushion for each seat and each back."""
    stuff = _upholstery(random, style)
    seat, arm, depth = random.uniform(0.58, 0.68), random.uniform(0.12, 0.22), random.uniform(0.82, 0.95)
    width, back, arms = seats * seat + 2 * arm, random.uniform(0.74, 0.9), random.uniform(0.54, 0.64)
    legs = round_legs(width - 0.1, depth - 0.1, 0.12, 0.05, wood(random, style), 1.5)
    parts: list[Part] = [
        *legs,
        box(0, 0, 0.12, width, depth, 0.16, darker(stuff, 0.85)),
        box(0, depth / 2 - 0.1, 0.28, width, 0.2, back - 0.28, darker(stuff, 0.92)),
    ]
    rolled = random.random() < 0.4
    for side in (-1, 1):
        x = side * (width - arm) / 2
        parts.append(box(x, 0, 0.12, arm, depth, arms - 0.12, stuff))
        if rolled:
            parts.append(bar("y", x, 0, arms, depth, arm, stuff))
    cushion_depth = depth - 0.24
    for x in row(seats, seats * seat):
        parts.append(box(x, -0.115, 0.28, seat - 0.015, cushion_depth, 0.16, stuff))
        parts.append(box(x, depth / 2 - 0.27, 0.44, seat - 0.03, 0.17, back - 0.46, stuff, taper=0.9))
    places = [Spot(x, 0.02, 0.44) for x in row(max(2, seats), seats * seat)] if seats > 1 else [Spot(0, 0.02, 0.44)]
    return build(
        parts,
        spots={
            "cushion": places,
            "throw": [Spot((width - arm) / 2 * random.choice((-1, 1)), -0.05, arms + (arm / 2 if rolled else 0))],
        },
    )


@thing("sofa", "sofa", AtWall(clear=0.9), {"lfnv": 1.25, "r": 0.7, "B": 0.4, "oi": 0.35, "z": 0.5, "m": 0.2}, area=9, rank=0)
def sofa(random: Random, style: Style) -> Furniture:
    """Two or three seats."""
    return _couch(random, style, random.choice((2, 2, 3)))


@thing(
    "armchair", "chair", AtWall(corner=True), {"lfn": 1.3, "v": 1, "ib": 0.7, "oeh": 0.3, "z": 0.6, "r": 0.4}, area=9, rank=3
)
def armchair(random: Random, style: Style) -> Furniture:
    """An upholstered easy chair, or a wing chair with a tall back."""
    if random.random() < 0.65:
        return _couch(random, style, 1)
    stuff = _upholstery(random, style)
    parts = [
        *round_legs(0.64, 0.6, 0.18, 0.05, wood(random, style), 1.4),
        box(0, 0, 0.18, 0.68, 0.68, 0.14, darker(stuff, 0.9)),
        box(0, -0.05, 0.32, 0.5, 0.56, 0.12, stuff),
        box(0, 0.3, 0.3, 0.6, 0.14, 0.72, stuff, taper=0.85),
    ]
    for side in (-1, 1):
        parts.append(box(side * 0.3, 0.0, 0.3, 0.11, 0.62, 0.26, stuff))
        parts.append(box(side * 0.31, 0.22, 0.56, 0.07, 0.22, 0.4, stuff, taper=0.8))
    return build(parts, spots={"cushion": [Spot(0, 0.05, 0.44)]})


@thing("recliner", "chair", AtWall(clear=0.8, corner=True), {"v": 0.9, "f": 0.4, "l": 0.15}, area=11, rank=3)
def recliner(random: Random, style: Style) -> Furniture:
    """An easy chair with its footrest out."""
    stuff = leather(random)
    parts = [
        box(0, 0.1, 0.03, 0.8, 0.8, 0.27, darker(stuff, 0.8)),
        box(0, 0.05, 0.3, 0.52, 0.66, 0.16, stuff),
        box(0, 0.44, 0.3, 0.6, 0.2, 0.66, stuff, taper=0.85),
        box(0, 0.38, 0.84, 0.42, 0.14, 0.16, darker(stuff, 0.9)),
        box(0, -0.48, 0.28, 0.52, 0.32, 0.12, stuff),
        box(0, -0.48, 0, 0.08, 0.08, 0.28, IRON),
        box(0, 0.1, 0, 0.6, 0.6, 0.03, DARK),
    ]
    parts += [box(side * 0.33, 0.1, 0.3, 0.15, 0.74, 0.26, stuff) for side in (-1, 1)]
    return build(parts)


@thing("ottoman", "seating", InFront(("armchair", "sofa"), gap=0.32), {"lfnv": 0.5, "b": 0.2, "c": 0.4}, area=10, rank=6)
def ottoman(random: Random, style: Style) -> Furniture:
    """A padded footstool, square or round."""
    stuff = _upholstery(random, style)
    width, height = random.uniform(0.45, 0.62), random.uniform(0.38, 0.44)
    legs = round_legs(width * 0.8, width * 0.8, 0.12, 0.045, wood(random, style), 1.4)
    if random.random() < 0.5:
        return build(
            [
                *legs,
                rod(0, 0, 0.12, width, height - 0.22, darker(stuff, 0.9)),
                rod(0, 0, height - 0.1, width + 0.02, 0.1, stuff),
            ]
        )
    return build(
        [
            *legs,
            box(0, 0, 0.12, width, width, height - 0.22, darker(stuff, 0.9)),
            box(0, 0, height - 0.1, width + 0.02, width + 0.02, 0.1, stuff),
        ]
    )


def _ladder_back(random: Random, style: Style, seat: Material, frame: Material) -> list[Part]:
    """A wooden chair with slats, upright or across, in its back."""
    width, depth, height = random.uniform(0.42, 0.47), random.uniform(0.42, 0.48), random.uniform(0.86, 1.02)
    parts = four_legs(width, depth, 0.44, 0.04, frame)[::2]
    parts += [box(side * (width / 2 - 0.02), depth / 2 - 0.02, 0, 0.04, 0.04, height, frame) for side in (-1, 1)]
    parts += [
        box(0, 0, 0.42, width, depth, 0.05, seat),
        box(0, depth / 2 - 0.02, height - 0.1, width - 0.04, 0.03, 0.1, frame),
    ]
    if random.random() < 0.5:
        parts += [box(0, depth / 2 - 0.02, 0.55 + 0.13 * i, width - 0.06, 0.02, 0.06, frame) for i in range(2)]
    else:
        parts += [box(x, depth / 2 - 0.02, 0.47, 0.025, 0.02, height - 0.55, frame) for x in row(4, width - 0.06)]
    return parts


@thing("dining chair", "chair", AtSpot(("dining table",)), {"d": 8, "k": 4, "lf": 4, "D": 4, "z": 2}, rank=1)
def dining_chair(random: Random, style: Style) -> Furniture:
    """Ladder-backed, or with an upholstered back."""
    frame = wood(random, style)
    if random.random() < 0.6:
        seat = plain_cloth(random, style) if random.random() < 0.4 else frame
        return build(_ladder_back(random, style, seat, frame))
    stuff = _upholstery(random, style)
    parts = [
        *four_legs(0.44, 0.46, 0.42, 0.045, frame),
        box(0, 0, 0.4, 0.46, 0.48, 0.09, stuff),
        box(0, 0.2, 0.49, 0.44, 0.08, random.uniform(0.42, 0.56), stuff, taper=0.9),
    ]
    return build(parts)


@thing(
    "chair",
    "chair",
    AtWall(clear=0.4),
    {"b": 0.45, "oi": 0.6, "cehgu": 0.25, "z": 0.8, "rBw": 0.5, "Z": 1, "k": 0.4, "C": 0.6},
    area=4,
    rank=6,
)
def chair(random: Random, style: Style) -> Furniture:
    """A side chair: wooden, or a plastic shell on thin legs."""
    if random.random() < 0.55:
        frame = wood_or_paint(random, style)
        return build(_ladder_back(random, style, frame, frame))
    shell = plastic(random) if random.random() < 0.6 else painted(random, style)
    parts = [
        *round_legs(0.42, 0.42, 0.42, 0.03, wood(random, style), 1.3),
        box(0, 0, 0.42, 0.46, 0.44, 0.04, shell),
        box(0, 0.2, 0.46, 0.46, 0.04, 0.36, shell, taper=0.85),
        box(-0.215, 0.06, 0.46, 0.03, 0.28, 0.1, shell),
        box(0.215, 0.06, 0.46, 0.03, 0.28, 0.1, shell),
    ]
    return build(parts)


def _on_castors(seat: float) -> list[Part]:
    """Five-star base, column, castors."""
    parts = [rod(0, 0, 0.1, 0.05, seat - 0.1, CHROME), rod(0, 0, 0.07, 0.09, 0.05, DARK)]
    for turn in (0.3, 1.35, 2.4):
        parts.append(box(0, 0, 0.06, 0.56, 0.04, 0.035, DARK, turn=turn))
    for x, y in ((0.26, 0.08), (-0.26, -0.08), (0.06, 0.27), (-0.06, -0.27), (-0.2, 0.19), (0.2, -0.19)):
        parts.append(box(x, y, 0, 0.04, 0.04, 0.06, RUBBER))
    return parts


@thing(
    "office chair",
    "chair",
    AtSpot(("desk", "meeting table")),
    {"o": 2, "m": 8, "b": 0.7, "iC": 1, "z": 0.5, "f": 0.3},
    rank=1,
)
def office_chair(random: Random, style: Style) -> Furniture:
    """On castors, with armrests and a padded back."""
    stuff = leather(random) if random.random() < 0.5 else plain_cloth(random, style)
    if random.random() < 0.5:
        stuff = Material((0.11, 0.11, 0.12), "fabric", scale=0.2)
    height = random.uniform(0.48, 0.68)
    parts = [
        *_on_castors(0.45),
        box(0, -0.02, 0.43, 0.5, 0.48, 0.09, stuff),
        box(0, 0.21, 0.5, 0.05, 0.05, 0.12, DARK),
        box(0, 0.22, 0.58, 0.46, 0.08, height, stuff, taper=0.85),
    ]
    for side in (-1, 1):
        parts += [box(side * 0.27, 0.04, 0.46, 0.03, 0.06, 0.2, DARK), box(side * 0.27, 0, 0.66, 0.06, 0.26, 0.035, DARK)]
    return build(parts)


@thing(
    "stool",
    "stool",
    AtWall(clear=0.3, corner=True),
    {"a": 0.35, "kgu": 0.4, "bcw": 0.2, "rz": 0.4, "S": 0.6, "C": 0.4, "j": 0.3},
    rank=7,
)
def stool(random: Random, style: Style) -> Furniture:
    """Low, backless, round or square."""
    frame, height, width = wood_or_paint(random, style), random.uniform(0.42, 0.5), random.uniform(0.32, 0.4)
    if random.random() < 0.5:
        return build(
            [
                *round_legs(width * 0.85, width * 0.85, height - 0.04, 0.035, frame),
                rod(0, 0, height - 0.05, width, 0.05, frame),
            ]
        )
    rails = [box(0, side * width * 0.4, 0.15, width * 0.85, 0.025, 0.03, frame) for side in (-1, 1)]
    return build(
        [
            *four_legs(width * 0.9, width * 0.9, height - 0.04, 0.04, frame),
            *rails,
            box(0, 0, height - 0.05, width, width, 0.05, frame),
        ]
    )


@thing("bar stool", "stool", AtSpot(("kitchen island", "bar counter")), {"k": 3, "B": 4, "r": 2}, rank=1)
def bar_stool(random: Random, style: Style) -> Furniture:
    """Tall, with a footrest; some have a low back."""
    seat = _upholstery(random, style) if random.random() < 0.6 else wood(random, style)
    height = random.uniform(0.66, 0.76)
    if random.random() < 0.45:
        parts = [
            rod(0, 0, 0, 0.4, 0.025, CHROME),
            rod(0, 0, 0.02, 0.05, height, CHROME),
            box(0, -0.1, 0.24, 0.25, 0.2, 0.02, CHROME),
        ]
    else:
        frame = style.metal if random.random() < 0.5 else wood(random, style)
        parts = four_legs(0.36, 0.36, height, 0.03, frame)
        parts += [box(0, side * 0.165, 0.24, 0.33, 0.02, 0.025, frame) for side in (-1, 1)]
        parts += [box(side * 0.165, 0, 0.24, 0.02, 0.33, 0.025, frame) for side in (-1, 1)]
    parts.append(rod(0, 0, height, 0.38, 0.07, seat))
    if random.random() < 0.5:
        parts.append(box(0, 0.16, height + 0.07, 0.34, 0.05, 0.22, seat, taper=0.9))
    return build(parts)


@thing(
    "bench",
    "seating",
    AtWall(clear=0.4),
    {"e": 0.7, "h": 0.4, "px": 0.6, "w": 0.8, "D": 0, "c": 0.3, "S": 0.4, "b": 0.2, "y": 0.3, "j": 0.4},
    area=5,
    rank=5,
)
def bench(random: Random, style: Style) -> Furniture:
    """A plain wooden bench, some padded, some with a back."""
    frame, width = wood(random, style), random.uniform(0.9, 1.4)
    parts = four_legs(width - 0.06, 0.36, 0.42, 0.06, frame)
    parts += [box(0, y, 0.42, width, 0.12, 0.035, frame) for y in row(3, 0.4)]
    if random.random() < 0.35:
        parts += [box(side * (width / 2 - 0.06), 0.19, 0.4, 0.05, 0.04, 0.45, frame) for side in (-1, 1)]
        parts += [box(0, 0.17, z, width, 0.03, 0.08, frame) for z in (0.58, 0.74)]
    elif random.random() < 0.6:
        parts.append(box(0, 0, 0.455, width - 0.04, 0.38, 0.06, plain_cloth(random, style)))
    return build(parts)


@thing("piano bench", "stool", AtSpot(("piano",)), {"lrn": 1, "f": 1, "i": 1}, rank=1)
def piano_bench(random: Random, style: Style) -> Furniture:
    """A padded bench the height of a piano's keys."""
    frame = Material((0.07, 0.06, 0.06), gloss=0.4) if random.random() < 0.5 else wood(random, style)
    return build(
        [
            *four_legs(0.62, 0.34, 0.44, 0.05, frame),
            box(0, 0, 0.4, 0.66, 0.36, 0.06, frame),
            box(0, 0, 0.46, 0.64, 0.34, 0.06, leather(random)),
        ]
    )


@thing("rocking chair", "chair", AtWall(clear=0.5, corner=True), {"p": 0.6, "b": 0.12, "li": 0.15, "y": 0.3}, area=8, rank=5)
def rocking_chair(random: Random, style: Style) -> Furniture:
    """Slatted back, arms, and runners on the floor."""
    frame = wood_or_paint(random, style)
    parts = [box(0, 0, 0.38, 0.52, 0.5, 0.05, frame), box(0, 0.24, 1.0, 0.5, 0.04, 0.12, frame)]
    parts += [box(x, 0.24, 0.42, 0.04, 0.025, 0.6, frame) for x in row(5, 0.5)]
    for side in (-1, 1):
        x = side * 0.25
        parts += [
            box(x, 0, 0, 0.045, 0.5, 0.05, frame),
            box(x, 0.38, 0.03, 0.045, 0.3, 0.05, frame),
            box(x, -0.36, 0.03, 0.045, 0.26, 0.05, frame),
        ]
        parts += [
            box(x, -0.2, 0.05, 0.045, 0.045, 0.6, frame),
            box(x, 0.22, 0.05, 0.045, 0.045, 0.36, frame),
            box(x, 0, 0.62, 0.07, 0.5, 0.03, frame),
        ]
    return build(parts, spots={"cushion": [Spot(0, 0.05, 0.43)]})


@thing(
    "bean bag",
    "seating",
    AtWall(clear=0.4, corner=True),
    {"r": 0.7, "v": 0.5, "b": 0.15, "f": 0.2, "C": 0.3},
    area=9,
    rank=6,
)
def bean_bag(random: Random, style: Style) -> Furniture:
    """A shapeless bag to sink into."""
    stuff, width = plain_cloth(random, style), random.uniform(0.75, 0.95)
    return build(
        [ball(0, -0.05, 0, width, width * 0.95, 0.5, stuff), ball(0, 0.14, 0.15, width * 0.75, width * 0.6, 0.6, stuff)]
    )


@thing("school desk", "table", InMiddle(clear=0.3), {"C": 6}, area=8, rank=4)
def school_desk(random: Random, style: Style) -> Furniture:
    """A pupil's desk with its chair in one piece."""
    frame, top = style.metal, wood(random, style)
    parts = [
        *four_legs(0.6, 0.42, 0.7, 0.03, frame),
        box(0, 0, 0.7, 0.64, 0.46, 0.03, top),
        box(0, 0, 0.58, 0.56, 0.4, 0.02, frame),
        *[box(side * 0.19, -0.75, 0, 0.03, 0.03, 0.8, frame) for side in (-1, 1)],
        *[box(side * 0.19, -0.41, 0, 0.03, 0.03, 0.42, frame) for side in (-1, 1)],
        box(0, -0.58, 0.42, 0.4, 0.38, 0.03, top),
        box(0, -0.75, 0.62, 0.4, 0.025, 0.18, top),
    ]
    return build(parts, tops=[Top(0, 0, 0.73, 0.6, 0.42)])


@thing("lounge chair", "chair", AtWall(clear=0.4), {"x": 1.4, "p": 0.7, "y": 0.6, "S": 1.0}, area=6, rank=3)
def lounge_chair(random: Random, style: Style) -> Furniture:
    """A long slatted chair for sunbathing, its back raised."""
    frame = wood(random, style) if random.random() < 0.6 else Material((0.9, 0.9, 0.9), gloss=0.2)
    pad = plain_cloth(random, style)
    parts = [*four_legs(0.62, 1.7, 0.28, 0.05, frame), box(0, 0, 0.26, 0.64, 1.75, 0.05, frame)]
    parts += [box(0, -0.27, 0.31, 0.58, 1.2, 0.08, pad)]
    # the raised back: steps close enough together to read as a slope
    parts += [box(0, 0.38 + 0.1 * i, 0.31 + 0.085 * i, 0.58, 0.16, 0.09, pad) for i in range(5)]
    parts += [box(side * 0.27, 0.78, 0.3, 0.03, 0.04, 0.36, frame) for side in (-1, 1)]
    return build(parts)


@thing("garden chair", "chair", AtSpot(("garden table",)), {"px": 4, "y": 2}, rank=1)
def garden_chair(random: Random, style: Style) -> Furniture:
    """Wicker or slatted, with arms."""
    stuff = random.choice((WICKER, wood(random, style), Material((0.9, 0.9, 0.88), gloss=0.1)))
    parts = [*four_legs(0.5, 0.5, 0.4, 0.045, stuff), box(0, 0, 0.38, 0.52, 0.52, 0.05, stuff)]
    parts += [box(0, 0.24, 0.47 + 0.11 * i, 0.5, 0.03, 0.08, stuff) for i in range(4)]
    for side in (-1, 1):
        parts += [box(side * 0.24, 0.24, 0.4, 0.04, 0.04, 0.5, stuff), box(side * 0.24, -0.2, 0.4, 0.04, 0.04, 0.22, stuff)]
        parts.append(box(side * 0.24, 0, 0.62, 0.06, 0.48, 0.03, stuff))
    return build(parts, spots={"cushion": [Spot(0, 0.05, 0.43)]})


@thing("garden bench", "seating", AtWall(clear=0.5), {"x": 0.6, "p": 0.3}, area=8, rank=4)
def garden_bench(random: Random, style: Style) -> Furniture:
    """Slatted, with a back and arms."""
    frame, width = wood(random, style), random.uniform(1.3, 1.6)
    parts = [box(0, y, 0.42, width, 0.09, 0.03, frame) for y in row(4, 0.46)]
    parts += [box(0, 0.24, z, width, 0.03, 0.08, frame) for z in (0.56, 0.69, 0.82)]
    for side in (-1, 1):
        x = side * (width / 2 - 0.05)
        parts += [
            box(x, -0.2, 0, 0.06, 0.06, 0.64, frame),
            box(x, 0.24, 0, 0.06, 0.05, 0.9, frame),
            box(x, 0, 0.62, 0.07, 0.5, 0.04, frame),
        ]
    parts += [box(side * (width / 2 - 0.05), 0, 0.37, 0.05, 0.46, 0.05, frame) for side in (-1, 1)]
    return build(parts)


@thing("swing seat", "seating", AtWall(clear=0.5), {"x": 0.3, "p": 0.25}, area=12, rank=4)
def swing_seat(random: Random, style: Style) -> Furniture:
    """A garden seat that hangs from a frame with a roof."""
    pad, frame = plain_cloth(random, style), style.metal
    parts = [
        box(0, 0, 1.75, 1.9, 1.0, 0.06, pad),
        box(0, 0.0, 0.42, 1.4, 0.5, 0.1, pad),
        box(0, 0.24, 0.5, 1.4, 0.1, 0.45, pad),
    ]
    for side in (-1, 1):
        x = side * 0.88
        parts += [box(x, 0, 0, 0.05, 0.95, 0.05, frame), box(x, 0.0, 0.05, 0.06, 0.06, 1.7, frame)]
        parts += [box(side * 0.72, 0, 0.45, 0.02, 0.02, 1.3, frame)]
    return build(parts)


@thing("dining bench", "seating", Beside(("garden table",)), {"x": 0.15}, area=14, rank=6)
def dining_bench(random: Random, style: Style) -> Furniture:
    """A bench to pull up to a table."""
    frame = wood(random, style)
    return build(
        [
            *four_legs(1.2, 0.3, 0.42, 0.07, frame),
            box(0, 0, 0.42, 1.3, 0.34, 0.04, frame),
            box(0, 0, 0.37, 1.15, 0.22, 0.05, frame),
        ]
    )


@thing("booth seat", "seating", AtSpot(("dining table",)), {"D": 2}, rank=1)
def booth_seat(random: Random, style: Style) -> Furniture:
    """A padded bench with a high back, as diners have."""
    stuff, base = leather(random) if random.random() < 0.5 else plain_cloth(random, style), wood(random, style)
    parts = [
        box(0, 0, 0, 1.2, 0.55, 0.3, base),
        box(0, -0.03, 0.3, 1.2, 0.5, 0.14, stuff),
        box(0, 0.24, 0.3, 1.2, 0.12, 0.75, stuff),
    ]
    parts.append(box(0, 0.24, 1.05, 1.22, 0.14, 0.05, base))
    parts += [box(x, 0.17, 0.5, 0.36, 0.04, 0.5, darker(stuff, 1.1)) for x in row(3, 1.2)]
    return build(parts, spots={"cushion": [Spot(0, 0.0, 0.44)]})

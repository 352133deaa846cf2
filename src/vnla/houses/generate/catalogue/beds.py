"""Beds and what lies on them."""

# ruff: noqa: ARG001 - every maker takes (random, style), whether it draws from them or not

from __future__ import annotations

from random import Random

from vnla.houses.generate.catalogue.materials import (
    cloth,
    darker,
    linen,
    patterned_cloth,
    plain_cloth,
    wood_or_paint,
)
from vnla.houses.generate.catalogue.pieces import Furniture, Spot, Top, ball, bar, box, build, four_legs, rod, row
from vnla.houses.generate.catalogue.registry import AtSpot, AtWall, Beside, thing
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material, Part


def _headboard(random: Random, style: Style, width: float, y: float, frame: Material) -> list[Part]:
    """A panel, an upholstered board, or a row of posts between two larger ones."""
    height, design = random.uniform(0.95, 1.25), random.random()
    if design < 0.4:
        return [
            box(0, y, 0, width, 0.06, height, frame),
            box(0, y - 0.01, 0.55, width - 0.16, 0.06, height - 0.63, darker(frame, 0.88)),
        ]
    if design < 0.7:
        stuff = cloth(random, style)
        return [
            box(0, y, 0, width, 0.09, height, stuff),
            *[box(x, y - 0.04, 0.5, width / 4 - 0.02, 0.05, height - 0.54, stuff) for x in row(4, width)],
        ]
    metal = style.metal if random.random() < 0.5 else frame
    posts = [rod(side * (width / 2 - 0.03), y, 0, 0.06, height + 0.06, metal) for side in (-1, 1)]
    rails = [bar("x", 0, y, z, width - 0.05, 0.04, metal) for z in (0.5, height)]
    return [*posts, *rails, *[box(x, y, 0.5, 0.025, 0.02, height - 0.5, metal) for x in row(7, width - 0.1)]]


@thing("bed", "bed", AtWall(clear=0.55), {"b": 1}, area=5, rank=0)
def bed(random: Random, style: Style, width: float = 0.0) -> Furniture:
    """Double or single; a duvet turned down below the pillows."""
    width = width or random.choice((0.95, 1.4, 1.6, 1.75))
    frame, sheet, length = wood_or_paint(random, style), linen(random), 2.0
    duvet = patterned_cloth(random, style) if random.random() < 0.6 else linen(random)
    head = length / 2 + 0.03
    parts = [
        *four_legs(width, length, 0.2, 0.07, frame),
        box(0, 0, 0.16, width, length, 0.14, frame),
        box(0, 0, 0.3, width - 0.04, length - 0.04, 0.2, sheet),
        box(0, -0.27, 0.24, width + 0.03, 1.5, 0.3, duvet),
        box(0, 0.42, 0.5, width + 0.03, 0.22, 0.055, sheet),
        *_headboard(random, style, width + 0.06, head, frame),
    ]
    if random.random() < 0.4:
        parts.append(box(0, -length / 2 - 0.02, 0, width + 0.04, 0.05, 0.62, frame))
    across = [0.0] if width < 1.2 else list(row(2, width - 0.1))
    spots = {"pillow": [Spot(x, length / 2 - 0.24, 0.5) for x in across], "blanket": [Spot(0, -0.6, 0.54)]}
    return build(
        parts, tops=[Top(0, 0.0, 0.54, width - 0.3, 0.35, 0.5)], spots={**spots, "teddy bear": [Spot(0, 0.45, 0.555)]}
    )


@thing("pillow", "cushion", AtSpot(("bed", "bunk bed", "crib")), {"b": 2, "C": 0}, rank=1)
def pillow(random: Random, style: Style) -> Furniture:
    """Plump, in white or pale linen."""
    stuff = linen(random) if random.random() < 0.7 else patterned_cloth(random, style)
    width = random.uniform(0.55, 0.66)
    return build([box(0, 0, 0, width - 0.06, 0.34, 0.1, stuff, taper=0.85), ball(0, 0, 0.02, width, 0.42, 0.15, stuff)])


@thing("blanket", "objects", AtSpot(("bed",)), {"b": 0.8}, rank=1)
def blanket(random: Random, style: Style) -> Furniture:
    """A folded blanket across the foot of a bed."""
    stuff = plain_cloth(random, style) if random.random() < 0.5 else patterned_cloth(random, style)
    width = random.uniform(0.85, 0.95)
    return build([box(0, 0, 0, width, 0.5, 0.035, stuff), box(0, 0.04, 0.035, width - 0.01, 0.4, 0.03, darker(stuff, 0.93))])


@thing("bedside table", "table", Beside(("bed",)), {"b": 1.8}, area=6, rank=1)
def bedside_table(random: Random, style: Style) -> Furniture:
    """A nightstand with one or two drawers."""
    frame, width, height = wood_or_paint(random, style), random.uniform(0.4, 0.52), random.uniform(0.48, 0.6)
    drawers, legs = random.choice((1, 2)), random.uniform(0.1, 0.22)
    parts = [*four_legs(width, 0.38, legs, 0.04, frame), box(0, 0.01, legs, width, 0.38, height - legs - 0.025, frame)]
    parts.append(box(0, 0, height - 0.025, width + 0.03, 0.42, 0.025, darker(frame, 0.92)))
    each = (height - legs - 0.04) / drawers
    for i in range(drawers):
        z = legs + 0.015 + i * each
        parts += [
            box(0, -0.185, z, width - 0.05, 0.02, each - 0.02, darker(frame, 1.1)),
            ball(0, -0.205, z + each / 2 - 0.02, 0.03, 0.03, 0.03, style.metal),
        ]
    return build(parts, tops=[Top(0, 0, height, width - 0.04, 0.36)])


@thing("bunk bed", "bed", AtWall(clear=0.6, corner=True), {"b": 0.12}, area=12, rank=2)
def bunk_bed(random: Random, style: Style) -> Furniture:
    """Two beds above each other with a ladder."""
    frame, width, length = wood_or_paint(random, style), 2.0, 0.95
    parts = four_legs(width, length, 1.7, 0.07, frame)
    for z in (0.28, 1.22):
        parts += [
            box(0, 0, z, width - 0.05, length - 0.04, 0.1, frame),
            box(0, 0, z + 0.1, width - 0.12, length - 0.1, 0.14, linen(random)),
        ]
        parts.append(box(-0.3, -0.02, z + 0.2, 1.25, length - 0.02, 0.07, patterned_cloth(random, style)))
    parts += [box(0, side * (length / 2 - 0.02), 1.52, width, 0.03, 0.1, frame) for side in (-1, 1)]
    parts += [box(x, -length / 2 - 0.02, 0, 0.04, 0.04, 1.6, frame) for x in (0.55, 0.9)]
    parts += [box(0.72, -length / 2 - 0.02, 0.25 + 0.27 * i, 0.33, 0.03, 0.04, frame) for i in range(5)]
    return build(parts, spots={"pillow": [Spot(0.68, 0, 0.52), Spot(0.68, 0, 1.46)]})


@thing("crib", "bed", AtWall(clear=0.5, corner=True), {"b": 0.15}, area=11, rank=4)
def crib(random: Random, style: Style) -> Furniture:
    """A baby's bed with bars all round."""
    frame, width, depth = wood_or_paint(random, style, 0.6), 1.25, 0.68
    parts = [*four_legs(width, depth, 0.95, 0.05, frame), box(0, 0, 0.35, width - 0.08, depth - 0.08, 0.14, linen(random))]
    for side in (-1, 1):
        y = side * (depth / 2 - 0.02)
        parts += [box(0, y, z, width, 0.035, 0.05, frame) for z in (0.28, 0.88)]
        parts += [box(x, y, 0.3, 0.02, 0.02, 0.6, frame) for x in row(9, width - 0.05)]
        parts.append(box(side * (width / 2 - 0.02), 0, 0.28, 0.03, depth - 0.05, 0.65, frame))
    return build(parts)


@thing("teddy bear", "objects", AtSpot(("bed",)), {"b": 0.15}, rank=3)
def teddy_bear(random: Random, style: Style) -> Furniture:
    """Sitting up, with round ears."""
    fur = Material(random.choice(((0.55, 0.36, 0.20), (0.76, 0.60, 0.42), (0.90, 0.88, 0.84))), "carpet", scale=0.2)
    pale = darker(fur, 1.3)
    parts = [
        ball(0, 0, 0, 0.2, 0.16, 0.22, fur),
        ball(0, -0.01, 0.19, 0.17, 0.15, 0.16, fur),
        ball(0, -0.07, 0.22, 0.07, 0.07, 0.06, pale),
    ]
    for side in (-1, 1):
        parts += [
            ball(side * 0.065, 0, 0.31, 0.06, 0.04, 0.06, fur),
            ball(side * 0.07, -0.12, 0, 0.08, 0.14, 0.07, fur),
            ball(side * 0.11, -0.03, 0.1, 0.06, 0.08, 0.12, fur),
        ]
    return build(parts)

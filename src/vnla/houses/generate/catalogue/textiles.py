"""Rugs, curtains, cushions: cloth on floors, at windows and on seats."""

# ruff: noqa: ARG001 - every maker takes (random, style), whether it draws from them or not

from __future__ import annotations

from random import Random

from vnla.houses.generate.catalogue.materials import (
    WHITE,
    accent,
    darker,
    linen,
    mix,
    patterned_cloth,
    plain_cloth,
    seed,
    wood,
)
from vnla.houses.generate.catalogue.pieces import Furniture, ball, bar, box, build, rod, row
from vnla.houses.generate.catalogue.registry import AtSpot, AtWindow, OnFloor, thing
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material, Part, Pattern


@thing(
    "curtains",
    "curtain",
    AtWindow(drop=9),
    {"bl": 1.6, "dfn": 1.3, "ivo": 0.8, "hem": 0.5, "rz": 0.5, "k": 0.2, "CD": 0.4},
    rank=0,
)
def curtains(random: Random, style: Style, width: float = 1.6, height: float = 2.2) -> Furniture:
    """Two panels in folds, drawn apart on a rod."""
    stuff = (
        patterned_cloth(random, style)
        if random.random() < 0.4
        else (plain_cloth(random, style) if random.random() < 0.6 else linen(random))
    )
    pole = style.metal if random.random() < 0.5 else wood(random, style)
    panel, folds = min(0.42, width * 0.3), 4
    parts: list[Part] = [bar("x", 0, 0, height - 0.02, width, 0.03, pole)]
    for side in (-1, 1):
        parts.append(ball(side * width / 2, 0, height - 0.05, 0.06, 0.06, 0.06, pole))
        for i, x in enumerate(row(folds, panel)):
            tone = stuff if i % 2 == 0 else darker(stuff, 0.86)
            parts.append(
                box(side * (width - panel) / 2 + x, 0.018 * (-1) ** i, 0, panel / folds + 0.008, 0.05, height - 0.03, tone)
            )
    return build(parts)


@thing(
    "blinds",
    "blinds",
    AtWindow(drop=0.02),
    {"a": 0.7, "k": 0.9, "o": 0.9, "jt": 0.6, "m": 0.9, "C": 1, "w": 0.6, "b": 0.2, "uc": 0.3},
    rank=1,
)
def blinds(random: Random, style: Style, width: float = 1.2, height: float = 1.2) -> Furniture:
    """Slats part of the way down."""
    slat = WHITE if random.random() < 0.6 else wood(random, style)
    drop = height * random.uniform(0.35, 0.75)
    count = max(5, min(14, int(drop / 0.07)))
    step = drop / count
    parts = [box(0, 0, height - 0.05, width, 0.05, 0.05, slat)]
    parts += [box(0, 0, height - 0.05 - (i + 1) * step, width - 0.02, 0.04, step * 0.55, slat) for i in range(count)]
    parts += [
        box(x, -0.022, height - 0.05 - drop, 0.012, 0.003, drop, darker(slat, 0.7)) for x in (-width * 0.3, width * 0.3)
    ]
    return build([*parts, box(width * 0.42, -0.02, 0, 0.008, 0.008, height - 0.1, darker(slat, 0.8))])


def _rug(random: Random, style: Style, width: float, depth: float) -> list[Part]:
    """A border, a field, sometimes fringes."""
    base = mix(accent(random, style), random.choice(style.fabric).colour, random.uniform(0.1, 0.6))
    other = mix(base, (0.93, 0.90, 0.84), 0.65)
    pattern: Pattern = random.choice(("carpet", "carpet", "stripes", "checks", "dots", "leaves"))
    field = Material(other, pattern, base, random.uniform(0.2, 0.5), seed=seed(random))
    parts = [
        box(0, 0, 0, width, depth, 0.008, Material(base, "carpet", scale=0.2)),
        box(0, 0, 0.008, width - 0.24, depth - 0.24, 0.003, field),
    ]
    if random.random() < 0.5:
        parts.append(
            box(0, 0, 0.008, width - 0.1, depth - 0.1, 0.001, Material(darker(field, 0.7).colour, "carpet", scale=0.2))
        )
    if random.random() < 0.3:
        parts += [box(side * (width / 2 + 0.03), 0, 0, 0.06, depth, 0.004, linen(random)) for side in (-1, 1)]
    return parts


@thing(
    "rug",
    "floor",
    OnFloor(under=("coffee table", "bed", "dining table", "desk", "pool table", "armchair", "meeting table")),
    {"lb": 0.95, "fn": 0.9, "d": 0.7, "oiv": 0.6, "h": 0.6, "e": 0.5, "rmD": 0.4, "c": 0.3, "z": 0.4, "kB": 0.2, "s": 0.2},
    rank=3,
)
def rug(random: Random, style: Style, width: float = 0.0, depth: float = 0.0) -> Furniture:
    """Rectangular, or now and then round."""
    width, depth = width or random.uniform(1.6, 2.6), depth or random.uniform(1.2, 1.8)
    if random.random() < 0.15 and abs(width - depth) < 0.8:
        size, tone = min(width, depth), accent(random, style)
        return build(
            [
                rod(0, 0, 0, size, 0.008, Material(tone, "carpet", scale=0.2)),
                rod(0, 0, 0.008, size * 0.8, 0.003, Material(mix(tone, (0.93, 0.90, 0.84), 0.6), "carpet", scale=0.2)),
                rod(0, 0, 0.011, size * 0.35, 0.002, Material(tone, "carpet", scale=0.2)),
            ]
        )
    return build(_rug(random, style, width, depth))


@thing("doormat", "floor", OnFloor(at_door=True), {"e": 1, "p": 0.7, "g": 0.2, "j": 0.2, "y": 0.2}, rank=2)
def doormat(random: Random, style: Style) -> Furniture:
    """Coarse and brown, just inside the door."""
    coir = Material((0.45, 0.32, 0.20), "carpet", scale=0.1, seed=seed(random))
    return build(
        [
            box(0, 0, 0, 0.7, 0.42, 0.012, darker(coir, 0.6)),
            box(0, 0, 0.012, 0.62, 0.34, 0.003, coir),
            box(0, 0, 0.015, 0.4, 0.08, 0.001, darker(coir, 0.35)),
        ]
    )


@thing(
    "cushion",
    "cushion",
    AtSpot(("sofa", "armchair", "booth seat", "rocking chair", "garden chair", "bench")),
    {"lfn": 3.2, "v": 2.4, "b": 0.4, "r": 1.5, "oi": 0.6, "D": 1, "p": 1, "z": 1, "xy": 0.6, "B": 0.5},
    rank=2,
)
def cushion(random: Random, style: Style) -> Furniture:
    """Square and plump, leaning where it stands."""
    stuff = patterned_cloth(random, style) if random.random() < 0.6 else plain_cloth(random, style)
    width = random.uniform(0.36, 0.44)
    return build([box(0, 0, 0.0, width, 0.07, width, stuff), ball(0, 0, 0.02, width * 0.96, 0.19, width * 0.96, stuff)])


@thing("throw", "objects", AtSpot(("sofa",)), {"lfv": 0.4, "n": 0.3}, rank=3)
def throw(random: Random, style: Style) -> Furniture:
    """A blanket over the arm of a sofa."""
    stuff, width = patterned_cloth(random, style), 0.26
    parts = [
        box(0, 0, 0, width, 0.5, 0.02, stuff),
        *[box(side * 0.118, 0, -0.3, 0.022, 0.5, 0.3, darker(stuff, 0.93)) for side in (-1, 1)],
    ]
    return build(part.moved(0, 0, 0.3) for part in parts)

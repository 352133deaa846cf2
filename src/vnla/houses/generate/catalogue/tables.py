"""Tables and desks."""

from __future__ import annotations

from random import Random

from vnla.houses.generate.catalogue.materials import BRASS, GLASS, WHITE, darker, painted, wood, wood_or_paint
from vnla.houses.generate.catalogue.pieces import (
    FRONT,
    LEFT,
    RIGHT,
    Furniture,
    Spot,
    Top,
    bar,
    box,
    build,
    four_legs,
    rod,
    round_legs,
    row,
)
from vnla.houses.generate.catalogue.registry import AtWall, Beside, InFront, InMiddle, thing
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material, Part


def _seats(width: float, depth: float, each: float, ends: bool) -> list[Spot]:
    """Places for chairs along the long sides of a table, and at its ends."""
    count = max(1, int(width / each))
    places = [
        Spot(x, side * (depth / 2 + 0.02), 0, FRONT if side < 0 else 0.0) for x in row(count, width) for side in (-1, 1)
    ]
    if ends:
        places += [Spot(-width / 2 - 0.02, 0, 0, LEFT), Spot(width / 2 + 0.02, 0, 0, RIGHT)]
    return places


def _round_seats(width: float, count: int) -> list[Spot]:
    edge = width / 2 + 0.02
    return [Spot(0, -edge, 0, FRONT), Spot(0, edge, 0, 0.0), Spot(-edge, 0, 0, LEFT), Spot(edge, 0, 0, RIGHT)][:count]


def _four_sided(random: Random, style: Style, width: float, depth: float, height: float) -> list[Part]:
    """A table on four legs with an apron, or on two trestles."""
    top = wood(random, style)
    frame = top if random.random() < 0.7 else painted(random, style)
    if random.random() < 0.7:
        leg = random.uniform(0.05, 0.09)
        make_legs = four_legs if random.random() < 0.6 else round_legs
        parts = make_legs(width - 0.06, depth - 0.06, height - 0.04, leg, frame)
        parts += [box(0, side * (depth / 2 - 0.06), height - 0.12, width - 0.2, 0.025, 0.08, frame) for side in (-1, 1)]
    else:
        parts = []
        for side in (-1, 1):
            x = side * (width / 2 - 0.25)
            parts += [box(x, 0, 0, 0.08, depth - 0.15, 0.06, frame), box(x, 0, 0.06, 0.1, 0.25, height - 0.16, frame)]
            parts.append(box(x, 0, height - 0.1, 0.08, depth - 0.2, 0.06, frame))
        parts.append(box(0, 0, 0.3, width - 0.5, 0.05, 0.08, frame))
    return [*parts, box(0, 0, height - 0.04, width, depth, 0.04, top)]


@thing(
    "dining table", "table", InMiddle(clear=0.55), {"d": 1, "k": 0.35, "D": 1, "z": 0.3, "f": 0.15, "l": 0.1}, area=8, rank=0
)
def dining_table(random: Random, style: Style) -> Furniture:
    """Long on four legs or trestles; or round on a pedestal."""
    height = random.uniform(0.73, 0.77)
    if random.random() < 0.3:
        width, top = random.uniform(0.95, 1.25), wood(random, style)
        parts = [
            rod(0, 0, 0, 0.6, 0.04, top),
            rod(0, 0, 0.04, 0.14, height - 0.08, top, 0.8),
            rod(0, 0, height - 0.04, width, 0.04, top),
        ]
        spots = {"dining chair": _round_seats(width, 4), "booth seat": _round_seats(width, 2)}
        return build(parts, tops=[Top(0, 0, height, width * 0.68, width * 0.68)], spots=spots)
    width, depth = random.choice((1.2, 1.5, 1.8, 2.1)) + random.uniform(-0.1, 0.1), random.uniform(0.8, 0.98)
    spots = {"dining chair": _seats(width, depth, 0.6, random.random() < 0.6), "booth seat": _seats(1.2, depth, 1.2, False)}
    return build(
        _four_sided(random, style, width, depth, height), tops=[Top(0, 0, height, width - 0.1, depth - 0.1)], spots=spots
    )


@thing("meeting table", "table", InMiddle(clear=0.6), {"m": 1}, area=9, rank=0)
def meeting_table(random: Random, style: Style) -> Furniture:
    """Long and heavy, on two panels."""
    width, depth, top = random.uniform(1.8, 2.8), random.uniform(0.95, 1.15), wood_or_paint(random, style, 0.2)
    parts = [box(side * width * 0.32, 0, 0, 0.12, depth * 0.6, 0.7, darker(top)) for side in (-1, 1)]
    parts += [box(0, 0, 0.35, width * 0.6, 0.04, 0.25, darker(top)), box(0, 0, 0.7, width, depth, 0.05, top)]
    parts.append(box(0, 0, 0.75, width * 0.4, 0.1, 0.004, Material((0.1, 0.1, 0.1))))
    return build(
        parts, tops=[Top(0, 0, 0.754, width - 0.2, depth - 0.2)], spots={"office chair": _seats(width, depth, 0.72, True)}
    )


@thing(
    "coffee table",
    "table",
    InFront(("sofa",), gap=0.38),
    {"lfnv": 1, "r": 0.4, "o": 0.2, "z": 0.3, "B": 0.2, "i": 0.3},
    area=10,
    rank=1,
)
def coffee_table(random: Random, style: Style) -> Furniture:
    """Low: four-legged with a shelf, round, or glass on a metal frame."""
    design, height = random.random(), random.uniform(0.38, 0.46)
    width, depth, top = random.uniform(0.85, 1.2), random.uniform(0.5, 0.65), wood(random, style)
    if design < 0.45:
        parts = four_legs(width, depth, height - 0.03, 0.055, top)
        parts += [box(0, 0, 0.12, width - 0.1, depth - 0.08, 0.02, top), box(0, 0, height - 0.03, width, depth, 0.03, top)]
    elif design < 0.7:
        width = depth = random.uniform(0.7, 0.9)
        parts = [
            *round_legs(width * 0.75, width * 0.75, height - 0.03, 0.05, top, 1.4),
            rod(0, 0, height - 0.03, width, 0.03, top),
        ]
    else:
        parts = four_legs(width, depth, height - 0.02, 0.035, style.metal)
        parts += [box(0, side * (depth / 2 - 0.018), 0.02, width, 0.03, 0.03, style.metal) for side in (-1, 1)]
        parts.append(box(0, 0, height - 0.02, width, depth, 0.02, GLASS))
    share = 0.65 if width == depth else 0.85
    return build(parts, tops=[Top(0, 0, height, width * share, depth * share)])


@thing(
    "side table",
    "table",
    Beside(("sofa", "armchair", "lounge chair", "recliner")),
    {"lfnv": 0.9, "i": 0.5, "xpS": 0.4, "b": 0.2},
    area=9,
    rank=6,
)
def side_table(random: Random, style: Style) -> Furniture:
    """Small, round or square, at the arm of a chair."""
    height, width, top = random.uniform(0.5, 0.6), random.uniform(0.4, 0.5), wood(random, style)
    if random.random() < 0.5:
        leg = style.metal if random.random() < 0.5 else top
        parts = [
            rod(0, 0, 0, width * 0.7, 0.02, leg),
            rod(0, 0, 0.02, 0.045, height - 0.05, leg),
            rod(0, 0, height - 0.03, width, 0.03, top),
        ]
        return build(parts, tops=[Top(0, 0, height, width * 0.68, width * 0.68)])
    parts = [*four_legs(width, width, height - 0.03, 0.035, top), box(0, 0, 0.15, width - 0.06, width - 0.06, 0.02, top)]
    return build(
        [*parts, box(0, 0, height - 0.03, width, width, 0.03, top)], tops=[Top(0, 0, height, width * 0.9, width * 0.9)]
    )


@thing("console table", "table", AtWall(clear=0.5), {"e": 0.9, "h": 0.7, "l": 0.25, "ds": 0.35, "n": 0.3}, rank=2)
def console_table(random: Random, style: Style) -> Furniture:
    """Narrow and tall, for a hallway."""
    width, depth, height, top = (
        random.uniform(0.8, 1.2),
        random.uniform(0.3, 0.38),
        random.uniform(0.75, 0.85),
        wood_or_paint(random, style),
    )
    parts = [
        *four_legs(width, depth, height - 0.03, 0.04, top),
        box(0, 0, height - 0.15, width - 0.02, depth - 0.02, 0.12, darker(top, 0.9)),
    ]
    parts += [box(0, 0, height - 0.03, width + 0.04, depth, 0.03, top)]
    parts += [box(x, -depth / 2 - 0.002, height - 0.1, 0.05, 0.025, 0.02, style.metal) for x in row(2, width)]
    if random.random() < 0.5:
        parts.append(box(0, 0, 0.16, width - 0.04, depth - 0.04, 0.02, top))
    return build(parts, tops=[Top(0, 0, height, width - 0.04, depth - 0.04)])


@thing(
    "desk",
    "table",
    AtWall(clear=0.85, at_window=True),
    {"o": 1.3, "b": 0.45, "i": 0.6, "C": 1, "z": 0.5, "f": 0.15},
    area=6,
    rank=1,
)
def desk(random: Random, style: Style) -> Furniture:
    """A writing desk with drawers on one side, a plain table, or a pedestal on both sides."""
    width, depth, height = random.uniform(1.1, 1.5), random.uniform(0.58, 0.72), 0.74
    top = wood_or_paint(random, style)
    frame = style.metal if random.random() < 0.35 else top
    parts = [box(0, 0, height - 0.035, width, depth, 0.035, top)]
    pedestals = random.choice(((), (1,), (-1,), (-1, 1)))
    for side in (-1, 1):
        x = side * (width / 2 - 0.2)
        if side in pedestals:
            parts.append(box(x, 0.02, 0, 0.38, depth - 0.06, height - 0.035, darker(top, 0.9)))
            for z in (0.06, 0.28, 0.5):
                parts += [
                    box(x, -depth / 2 + 0.045, z, 0.34, 0.02, 0.19, top),
                    box(x, -depth / 2 + 0.03, z + 0.09, 0.1, 0.02, 0.02, style.metal),
                ]
        else:
            parts += [
                box(side * (width / 2 - 0.04), y, 0, 0.05, 0.05, height - 0.035, frame)
                for y in (-depth / 2 + 0.05, depth / 2 - 0.05)
            ]
    parts.append(box(0, depth / 2 - 0.03, 0.35, width - 0.1, 0.02, 0.3, darker(top, 0.85)))
    screen = {
        "computer monitor": [Spot(0, depth / 2 - 0.16, height)],
        "keyboard": [Spot(-0.02, -0.1, height)],
        "mouse": [Spot(0.33, -0.1, height)],
    }
    chair = {"office chair": [Spot(0, -depth / 2 - 0.02, 0, FRONT)]}
    tops = [Top(side * (width / 2 - 0.18), 0.05, height, 0.3, depth - 0.18) for side in (-1, 1)]
    return build(parts, tops=tops, spots={**screen, **chair})


@thing("vanity table", "table", AtWall(clear=0.7), {"b": 0.22, "c": 0.25}, area=11, rank=4)
def vanity_table(random: Random, style: Style) -> Furniture:
    """A dressing table with its mirror."""
    top = wood_or_paint(random, style, 0.5)
    parts = [*four_legs(0.95, 0.42, 0.62, 0.045, top), box(0, 0, 0.6, 1.0, 0.46, 0.13, top)]
    parts += [box(side * 0.25, -0.235, 0.62, 0.4, 0.015, 0.09, darker(top, 0.88)) for side in (-1, 1)]
    parts += [rod(side * 0.25, -0.25, 0.655, 0.03, 0.02, BRASS) for side in (-1, 1)]
    parts += [
        box(0, 0.2, 0.75, 0.62, 0.03, 0.62, top),
        box(0, 0.18, 0.79, 0.54, 0.012, 0.54, Material((0.8, 0.85, 0.88), gloss=1.0)),
    ]
    parts += [box(side * 0.27, 0.2, 0.72, 0.04, 0.04, 0.1, top) for side in (-1, 1)]
    return build(parts, tops=[Top(0, -0.05, 0.73, 0.85, 0.3)])


@thing("garden table", "table", InMiddle(clear=0.5), {"x": 0.8, "p": 0.7, "y": 0.5}, area=7, rank=1)
def garden_table(random: Random, style: Style) -> Furniture:
    """Round metal, or slatted wood."""
    if random.random() < 0.5:
        width, stuff = random.uniform(0.7, 1.0), style.metal if random.random() < 0.5 else WHITE
        parts = [rod(0, 0, 0, 0.45, 0.03, stuff), rod(0, 0, 0.03, 0.06, 0.66, stuff), rod(0, 0, 0.69, width, 0.03, stuff)]
        return build(
            parts,
            tops=[Top(0, 0, 0.72, width * 0.65, width * 0.65)],
            spots={"garden chair": _round_seats(width, 4), "parasol": []},
        )
    width, depth, top = random.uniform(1.2, 1.6), 0.8, wood(random, style)
    parts = four_legs(width - 0.1, depth - 0.1, 0.69, 0.06, top) + [
        box(0, y, 0.69, width, depth / 6 - 0.012, 0.03, top) for y in row(6, depth)
    ]
    return build(
        parts, tops=[Top(0, 0, 0.72, width - 0.1, depth - 0.1)], spots={"garden chair": _seats(width, depth, 0.62, False)}
    )


@thing("bar counter", "counter", AtWall(clear=1.0), {"B": 1, "r": 0.4}, area=9, rank=0)
def bar_counter(random: Random, style: Style) -> Furniture:
    """A high counter to drink at, with a foot rail; one stands behind it as little as one can."""
    width, front, top = random.uniform(1.6, 2.4), wood(random, style), style.worktop
    parts = [
        box(0, 0.05, 0.08, width, 0.45, 0.94, front),
        box(0, 0.05, 0, width - 0.06, 0.4, 0.08, darker(front)),
        box(0, 0, 1.02, width + 0.06, 0.62, 0.05, top),
    ]
    parts += [box(x, -0.18, 0.16, width / 4 - 0.08, 0.02, 0.76, darker(front, 1.12)) for x in row(4, width)]
    parts.append(bar("x", 0, -0.26, 0.18, width, 0.04, BRASS))
    parts += [box(side * width * 0.4, -0.22, 0.1, 0.03, 0.08, 0.1, BRASS) for side in (-1, 1)]
    spots = {"bar stool": [Spot(x, -0.34, 0, FRONT) for x in row(max(2, int(width / 0.6)), width)]}
    return build(parts, tops=[Top(0, 0.05, 1.07, width - 0.1, 0.42)], spots=spots)


@thing("folding table", "table", AtWall(clear=0.3), {"gu": 0.4, "Z": 0.6, "z": 0.4, "j": 0.3, "w": 0.2}, area=6, rank=5)
def folding_table(random: Random, style: Style) -> Furniture:
    """A light top on a folding metal frame."""
    width = random.uniform(0.9, 1.3)
    parts = [box(0, 0, 0.7, width, 0.6, 0.03, painted(random, style))]
    for side in (-1, 1):
        x = side * (width / 2 - 0.12)
        parts += [box(x, y, 0, 0.025, 0.025, 0.7, style.metal) for y in (-0.24, 0.24)]
        parts += [box(x, 0, 0.1, 0.02, 0.48, 0.02, style.metal), box(x, 0, 0.5, 0.02, 0.48, 0.02, style.metal)]
    return build(parts, tops=[Top(0, 0, 0.73, width - 0.1, 0.5)])

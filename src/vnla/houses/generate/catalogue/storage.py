"""Cupboards, shelves, racks and boxes."""

# ruff: noqa: ARG001 - every maker takes (random, style), whether it draws from them or not

from __future__ import annotations

from random import Random

from vnla.houses.generate.catalogue.materials import (
    BRASS,
    CARDBOARD,
    DARK,
    GREY,
    MIRROR,
    STEEL,
    WHITE,
    WICKER,
    accent,
    darker,
    leather,
    painted,
    plain_cloth,
    plastic,
    seed,
    wood,
    wood_or_paint,
)
from vnla.houses.generate.catalogue.pieces import Furniture, Spot, Top, ball, bar, box, build, four_legs, rod, row
from vnla.houses.generate.catalogue.registry import AtWall, OnTop, OnWall, thing
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material, Part


def doors(width: float, y: float, z: float, height: float, count: int, front: Material, handle: Material) -> list[Part]:
    """A row of panelled doors on the front at depth `y`, each with an upright handle."""
    each, parts = width / count, []
    for i, x in enumerate(row(count, width)):
        side = 1 if i % 2 == 0 else -1
        parts += [
            box(x, y, z, each - 0.012, 0.02, height, front),
            box(x, y - 0.008, z + 0.06, each - 0.12, 0.014, height - 0.12, darker(front, 0.9)),
        ]
        parts.append(box(x + side * (each / 2 - 0.04), y - 0.022, z + height / 2 - 0.06, 0.018, 0.025, 0.12, handle))
    return parts


def drawers(
    width: float, y: float, z: float, height: float, rows: int, columns: int, front: Material, knob: Material
) -> list[Part]:
    """A grid of drawers on the front at depth `y`, each with a handle."""
    each, wide, parts = height / rows, width / columns, []
    for level in range(rows):
        for x in row(columns, width):
            low = z + level * each
            parts += [
                box(x, y, low + 0.006, wide - 0.014, 0.02, each - 0.012, front),
                box(x, y - 0.022, low + each / 2 - 0.01, min(0.14, wide / 3), 0.025, 0.02, knob),
            ]
    return parts


@thing("wardrobe", "cabinet", AtWall(clear=0.6, corner=True), {"b": 0.95, "c": 0.6, "z": 0.3, "Z": 0.4}, area=6, rank=2)
def wardrobe(random: Random, style: Style) -> Furniture:
    """Two or three tall doors, sometimes mirrored, on a plinth."""
    count, height = random.choice((2, 2, 3)), random.uniform(1.9, 2.15)
    width, depth, frame = count * random.uniform(0.46, 0.56), random.uniform(0.55, 0.62), wood_or_paint(random, style, 0.4)
    parts = [
        box(0, 0.01, 0, width - 0.06, depth - 0.06, 0.08, darker(frame)),
        box(0, 0.01, 0.08, width, depth - 0.02, height - 0.08, darker(frame, 0.92)),
    ]
    parts += doors(width, -depth / 2 + 0.01, 0.1, height - 0.14, count, frame, style.metal)
    if random.random() < 0.25:
        parts.append(box(row(count, width)[0], -depth / 2 - 0.008, 0.2, width / count - 0.1, 0.01, height - 0.35, MIRROR))
    parts.append(box(0, 0, height - 0.05, width + 0.05, depth + 0.02, 0.06, frame))
    return build(parts, tops=[Top(0, 0, height + 0.01, width - 0.1, depth - 0.15, 0.35)])


@thing(
    "dresser", "chest_of_drawers", AtWall(clear=0.55), {"b": 0.8, "c": 0.5, "h": 0.15, "d": 0.1, "z": 0.3}, area=7, rank=3
)
def dresser(random: Random, style: Style) -> Furniture:
    """A chest of drawers, three or four high, one or two wide."""
    rows, columns = random.choice((3, 4)), random.choice((1, 2))
    width, height, depth = random.uniform(0.75, 0.9) if columns == 1 else random.uniform(1.0, 1.35), rows * 0.21 + 0.2, 0.46
    frame = wood_or_paint(random, style, 0.35)
    parts = [
        *four_legs(width, depth, 0.14, 0.05, frame),
        box(0, 0.01, 0.12, width, depth - 0.02, height - 0.14, darker(frame, 0.9)),
    ]
    parts += [box(0, 0, height - 0.03, width + 0.04, depth + 0.02, 0.03, frame)]
    parts += drawers(width - 0.05, -depth / 2 + 0.01, 0.15, height - 0.2, rows, columns, frame, style.metal)
    return build(parts, tops=[Top(0, 0, height, width - 0.06, depth - 0.08)])


@thing(
    "sideboard",
    "cabinet",
    AtWall(clear=0.55),
    {"d": 0.9, "l": 0.4, "fnm": 0.35, "h": 0.15, "B": 0.5, "e": 0.1},
    area=9,
    rank=3,
)
def sideboard(random: Random, style: Style) -> Furniture:
    """Low and long, doors and drawers side by side."""
    width, height, depth, frame = (
        random.uniform(1.2, 1.7),
        random.uniform(0.75, 0.88),
        0.44,
        wood_or_paint(random, style, 0.25),
    )
    parts = [
        *four_legs(width - 0.1, depth - 0.06, 0.16, 0.05, frame),
        box(0, 0.01, 0.15, width, depth - 0.02, height - 0.18, darker(frame, 0.9)),
    ]
    parts += [box(0, 0, height - 0.03, width + 0.03, depth + 0.02, 0.03, frame)]
    third, front = width / 3, -depth / 2 + 0.01
    parts += drawers(third, front, 0.18, height - 0.24, 3, 1, frame, style.metal)
    for side in (-1, 1):
        parts += [part.moved(side * third, 0) for part in doors(third, front, 0.18, height - 0.24, 1, frame, style.metal)]
    return build(parts, tops=[Top(0, 0, height, width - 0.08, depth - 0.08)])


@thing("china cabinet", "cabinet", AtWall(clear=0.55), {"d": 0.45, "l": 0.1, "k": 0.1}, area=10, rank=3)
def china_cabinet(random: Random, style: Style) -> Furniture:
    """Crockery behind glass above, doors below."""
    width, frame = random.uniform(0.95, 1.2), wood(random, style)
    parts = [box(0, 0, 0, width, 0.44, 0.85, frame), *doors(width, -0.22, 0.06, 0.74, 2, frame, BRASS)]
    parts += [box(0, 0.19, 0.85, width, 0.04, 1.1, darker(frame, 0.7)), box(0, 0.05, 1.93, width + 0.05, 0.36, 0.07, frame)]
    parts += [box(side * (width / 2 - 0.02), 0.05, 0.85, 0.04, 0.32, 1.1, frame) for side in (-1, 1)]
    for z in (1.2, 1.55):
        parts.append(box(0, 0.05, z, width - 0.06, 0.3, 0.02, frame))
    for z in (0.87, 1.22, 1.57):
        parts += [rod(x, 0.08, z, 0.13, 0.16, Material((0.93, 0.94, 0.96), gloss=0.4)) for x in row(4, width - 0.1)]
    parts.append(box(0, -0.1, 0.85, 0.04, 0.02, 1.1, frame))
    return build(parts)


def _bookcase(random: Random, style: Style, width: float, shelves: int, filled: float) -> tuple[list[Part], list[Top]]:
    frame, depth, step = wood_or_paint(random, style, 0.3), random.uniform(0.28, 0.34), random.uniform(0.32, 0.36)
    height = shelves * step + 0.12
    parts = [box(side * (width / 2 - 0.0125), 0, 0, 0.025, depth, height, frame) for side in (-1, 1)]
    parts += [
        box(0, depth / 2 - 0.006, 0.05, width - 0.04, 0.012, height - 0.05, darker(frame, 0.8)),
        box(0, 0, height - 0.025, width, depth, 0.025, frame),
    ]
    tops: list[Top] = [Top(0, 0, height, width - 0.08, depth - 0.06, 0.4)]
    for i in range(shelves):
        z = 0.05 + i * step
        parts.append(box(0, 0, z, width - 0.05, depth - 0.02, 0.022, frame))
        share = random.uniform(0.5, 1.0)
        length = (width - 0.08) * share
        if random.random() < filled:
            shift = (width - 0.06 - length) / 2 * random.choice((-1, 1))
            spines = Material(accent(random, style), "books", scale=0.3, seed=seed(random))
            parts.append(box(shift, 0.02, z + 0.022, length, depth - 0.1, random.uniform(0.2, step - 0.06), spines))
        else:
            tops.append(Top(0, 0, z + 0.022, width - 0.1, depth - 0.08, step - 0.05))
    return parts, tops


@thing(
    "bookshelf",
    "shelving",
    AtWall(clear=0.5),
    {"i": 4, "o": 1.2, "l": 0.5, "b": 0.35, "fnC": 0.5, "h": 0.15, "m": 0.4, "z": 0.5, "v": 0.3},
    area=6,
    rank=4,
)
def bookshelf(random: Random, style: Style) -> Furniture:
    """A tall bookcase full of books, a few shelves left for other things."""
    parts, tops = _bookcase(random, style, random.uniform(0.75, 1.1), random.choice((4, 5, 6)), 0.85)
    return build(parts, tops=tops)


@thing(
    "shelf",
    "shelving",
    AtWall(clear=0.4),
    {"u": 1.4, "g": 1.2, "c": 1.0, "j": 0.6, "Z": 1.2, "z": 0.4, "k": 0.25, "w": 0.3, "o": 0.2},
    area=2.5,
    rank=4,
)
def shelf(random: Random, style: Style) -> Furniture:
    """Open shelves on four posts, wood or metal."""
    frame = STEEL if random.random() < 0.5 else wood(random, style)
    width, depth, height, levels = (
        random.uniform(0.75, 1.1),
        random.uniform(0.34, 0.42),
        random.uniform(1.5, 1.85),
        random.choice((4, 5)),
    )
    parts, tops = four_legs(width, depth, height, 0.035, frame), []
    for i in range(levels):
        z = 0.1 + i * (height - 0.12) / (levels - 1)
        parts.append(box(0, 0, z - 0.02, width - 0.02, depth - 0.02, 0.022, frame))
        tops.append(Top(0, 0, z + 0.002, width - 0.1, depth - 0.06, (height - 0.12) / (levels - 1) - 0.05))
    return build(parts, tops=tops)


@thing(
    "wall shelf",
    "shelving",
    OnWall(1.55),
    {"abkl": 0.4, "j": 0.6, "o": 0.5, "t": 0.4, "cu": 0.5, "w": 0.2, "B": 0.8, "h": 0.15, "z": 0.4},
    rank=4,
)
def wall_shelf(random: Random, style: Style) -> Furniture:
    """A board on two brackets."""
    width, board = random.uniform(0.5, 0.9), wood_or_paint(random, style)
    parts = [box(0, 0, 0.12, width, 0.2, 0.03, board)]
    for x in row(2, width):
        parts += [box(x, 0.085, 0, 0.025, 0.03, 0.12, style.metal), box(x, 0.02, 0.09, 0.025, 0.16, 0.03, style.metal)]
    return build(parts, tops=[Top(0, 0, 0.15, width - 0.06, 0.17, 0.4)])


@thing(
    "filing cabinet", "cabinet", AtWall(clear=0.5, corner=True), {"o": 0.8, "m": 0.2, "C": 0.3, "g": 0.2, "u": 0.2}, rank=4
)
def filing_cabinet(random: Random, style: Style) -> Furniture:
    """Steel, two to four drawers."""
    rows, paint = random.choice((2, 3, 4)), random.choice((GREY, DARK, Material((0.75, 0.74, 0.69), gloss=0.2)))
    height = rows * 0.31 + 0.05
    parts = [
        box(0, 0, 0, 0.46, 0.58, height, darker(paint, 0.85)),
        *drawers(0.44, -0.29, 0.03, height - 0.05, rows, 1, paint, STEEL),
    ]
    return build(parts, tops=[Top(0, 0, height, 0.4, 0.5)])


@thing(
    "cabinet",
    "cabinet",
    AtWall(clear=0.45),
    {"a": 0.5, "hceg": 0.35, "uj": 0.6, "zZ": 0.7, "rB": 0.4, "C": 0.6, "m": 0.4, "S": 0.4, "o": 0.25, "t": 0.2},
    area=4,
    rank=4,
)
def cabinet(random: Random, style: Style) -> Furniture:
    """A cupboard with one or two doors, waist high or taller."""
    count, height = random.choice((1, 2)), random.choice((0.85, 1.2, 1.75)) + random.uniform(-0.05, 0.05)
    width, depth, frame = count * 0.38 + 0.08, random.uniform(0.34, 0.42), wood_or_paint(random, style, 0.5)
    parts = [
        box(0, 0, 0, width - 0.04, depth - 0.04, 0.06, darker(frame)),
        box(0, 0, 0.06, width, depth, height - 0.09, darker(frame, 0.92)),
    ]
    parts += [
        *doors(width, -depth / 2, 0.08, height - 0.14, count, frame, style.metal),
        box(0, 0, height - 0.03, width + 0.02, depth + 0.02, 0.03, frame),
    ]
    return build(parts, tops=[Top(0, 0, height, width - 0.06, depth - 0.06)])


@thing("shoe rack", "shelving", AtWall(clear=0.4), {"e": 0.6, "c": 0.9, "h": 0.2, "g": 0.2, "j": 0.2}, rank=4)
def shoe_rack(random: Random, style: Style) -> Furniture:
    """Two slatted shelves near the floor."""
    frame, width = wood_or_paint(random, style), random.uniform(0.6, 0.85)
    parts, tops = four_legs(width, 0.3, 0.52, 0.03, frame), []
    for z in (0.1, 0.3, 0.5):
        parts += [box(0, y, z, width, 0.05, 0.02, frame) for y in row(4, 0.28)]
        tops.append(Top(0, 0, z + 0.02, width - 0.08, 0.28, 0.17))
    parts += [
        box(side * (width / 2 - 0.015), 0, z - 0.02, 0.025, 0.28, 0.02, frame) for side in (-1, 1) for z in (0.1, 0.3, 0.5)
    ]
    return build(parts, tops=tops)


@thing(
    "coat rack",
    "furniture",
    AtWall(clear=0.3, corner=True),
    {"e": 0.8, "h": 0.25, "c": 0.3, "o": 0.15, "m": 0.2, "j": 0.2},
    rank=3,
)
def coat_rack(random: Random, style: Style) -> Furniture:
    """A stand with hooks, and coats on some of them."""
    pole = style.metal if random.random() < 0.4 else wood(random, style)
    parts = [rod(0, 0, 0, 0.4, 0.03, pole), rod(0, 0, 0.03, 0.045, 1.7, pole), ball(0, 0, 1.72, 0.07, 0.07, 0.07, pole)]
    parts += [box(0, 0, z, 0.36, 0.025, 0.025, pole, turn=turn) for z, turn in ((1.6, 0.4), (1.66, 1.97))]
    for side in (-1, 1):
        if random.random() < 0.7:
            coat = plain_cloth(random, style)
            parts += [
                box(side * 0.14, 0, 0.95, 0.2, 0.3, 0.6, coat, taper=0.6),
                box(side * 0.14, -0.02, 1.5, 0.12, 0.16, 0.1, darker(coat)),
            ]
    return build(parts)


@thing(
    "coat hooks",
    "furniture",
    OnWall(1.65),
    {"e": 0.5, "j": 0.5, "h": 0.2, "C": 0.5, "t": 0.2, "a": 0.2, "S": 0.4, "w": 0.3},
    rank=5,
)
def coat_hooks(random: Random, style: Style) -> Furniture:
    """A board with a row of hooks and a coat or a bag."""
    width, board = random.uniform(0.6, 0.9), wood_or_paint(random, style)
    count = 5
    parts = [
        box(0, 0.05, 0.42, width, 0.02, 0.1, board),
        *[box(x, 0.02, 0.44, 0.02, 0.06, 0.03, style.metal) for x in row(count, width)],
    ]
    hung = random.randrange(count)
    parts.append(box(row(count, width)[hung], 0.0, 0.0, 0.2, 0.09, 0.46, plain_cloth(random, style), taper=0.5))
    return build(parts)


@thing("umbrella stand", "objects", AtWall(clear=0.2, corner=True), {"e": 0.5, "h": 0.1, "p": 0.15}, rank=7)
def umbrella_stand(random: Random, style: Style) -> Furniture:
    """A tall pot with two furled umbrellas."""
    pot = random.choice((style.metal, WICKER, Material(accent(random, style), gloss=0.4)))
    parts = [rod(0, 0, 0, 0.22, 0.5, pot, 1.12)]
    for x, y in ((-0.04, 0.03), (0.05, -0.02)):
        parts += [
            rod(x, y, 0.1, 0.035, 0.62, plain_cloth(random, style), 2.2),
            rod(x, y, 0.72, 0.022, 0.16, DARK),
            box(x + 0.03, y, 0.87, 0.08, 0.024, 0.024, DARK),
            box(x + 0.06, y, 0.82, 0.024, 0.024, 0.06, DARK),
        ]
    return build(parts)


@thing(
    "basket",
    "objects",
    AtWall(clear=0.2, corner=True),
    {"b": 0.3, "lfj": 0.4, "a": 0.4, "c": 0.4, "h": 0.15, "S": 0.5, "Z": 0.4},
    rank=8,
)
def basket(random: Random, style: Style) -> Furniture:
    """Wicker, with a rim; some hold a blanket."""
    width, height = random.uniform(0.3, 0.42), random.uniform(0.25, 0.4)
    parts = [rod(0, 0, 0, width * 0.85, height, WICKER, 1.15), rod(0, 0, height - 0.03, width, 0.04, darker(WICKER, 0.85))]
    if random.random() < 0.5:
        parts.append(ball(0, 0, height - 0.08, width * 0.8, width * 0.8, 0.2, plain_cloth(random, style)))
    return build(parts)


@thing(
    "box",
    "objects",
    OnTop(("shelf", "wardrobe", "workbench", "folding table", "bookshelf", "wall shelf")),
    {"u": 3, "g": 3, "c": 2, "Z": 4, "j": 1, "z": 1.5, "b": 0.3, "o": 0.3},
    rank=6,
)
def box_on_shelf(random: Random, style: Style) -> Furniture:
    """A cardboard or coloured box with a lid."""
    stuff = CARDBOARD if random.random() < 0.6 else painted(random, style)
    w, d, h = random.uniform(0.2, 0.34), random.uniform(0.18, 0.26), random.uniform(0.12, 0.24)
    return build(
        [
            box(0, 0, 0, w, d, h, stuff),
            box(0, 0, h - 0.05, w + 0.012, d + 0.012, 0.055, darker(stuff, 0.9)),
            box(0, -d / 2 - 0.004, h * 0.25, w * 0.4, 0.004, h * 0.25, Material((0.95, 0.95, 0.92))),
        ]
    )


@thing("cardboard box", "objects", AtWall(clear=0.1, corner=True), {"g": 1.3, "u": 0.8, "Z": 2, "z": 0.6, "c": 0.3}, rank=8)
def cardboard_box(random: Random, style: Style) -> Furniture:
    """A moving box, taped, or two stacked."""
    w, d, h = random.uniform(0.4, 0.55), random.uniform(0.35, 0.45), random.uniform(0.3, 0.42)
    tape = Material((0.80, 0.72, 0.55), gloss=0.3)
    parts = [box(0, 0, 0, w, d, h, CARDBOARD), box(0, 0, 0.0, 0.06, d + 0.004, h + 0.003, tape)]
    if random.random() < 0.4:
        parts += [
            box(0.02, 0.01, h + 0.003, w * 0.8, d * 0.8, h * 0.7, darker(CARDBOARD, 0.93), turn=0.1),
            box(0.02, 0.01, h * 1.7 + 0.003, 0.06, d * 0.8, 0.004, tape, turn=0.1),
        ]
    return build(parts)


@thing("suitcase", "objects", AtWall(clear=0.2, corner=True), {"c": 0.6, "b": 0.15, "Z": 0.7, "u": 0.15, "e": 0.1}, rank=8)
def suitcase(random: Random, style: Style) -> Furniture:
    """Upright on wheels with its handle out, or an old leather one."""
    shell = plastic(random) if random.random() < 0.6 else leather(random)
    parts = [
        box(0, 0, 0.05, 0.42, 0.24, 0.6, shell),
        *[box(0, 0, z, 0.425, 0.245, 0.02, darker(shell)) for z in (0.2, 0.35, 0.5)],
    ]
    parts += [rod(x, y, 0, 0.05, 0.06, DARK) for x in (-0.17, 0.17) for y in (-0.08, 0.08)]
    parts += [
        *[box(x, 0.08, 0.65, 0.015, 0.015, 0.3, STEEL) for x in (-0.1, 0.1)],
        box(0, 0.08, 0.94, 0.24, 0.03, 0.03, DARK),
    ]
    return build(parts)


@thing("clothes rack", "clothes", AtWall(clear=0.4), {"c": 1.6, "j": 0.3, "b": 0.12, "Z": 0.3}, area=2.5, rank=3)
def clothes_rack(random: Random, style: Style) -> Furniture:
    """A rail on two stands with clothes on hangers."""
    width, frame = random.uniform(0.8, 1.2), style.metal
    parts = [bar("x", 0, 0, 1.6, width, 0.03, frame)]
    for side in (-1, 1):
        parts += [
            rod(side * (width / 2 - 0.02), 0, 0, 0.03, 1.6, frame),
            box(side * (width / 2 - 0.02), 0, 0, 0.04, 0.45, 0.04, frame),
        ]
    for x in row(9, width - 0.2):
        length = random.uniform(0.6, 1.1)
        parts.append(box(x, 0, 1.59 - length, 0.055, 0.42, length, plain_cloth(random, style), taper=0.85))
    return build(parts, spots={"shoes": [Spot(x, -0.05) for x in row(2, width - 0.3)]})


@thing(
    "clothes",
    "clothes",
    OnTop(("shelf", "ironing board", "dresser", "washing machine", "dryer", "folding table")),
    {"c": 2, "j": 1.2, "b": 0.25},
    rank=6,
)
def clothes(random: Random, style: Style) -> Furniture:
    """A stack of folded clothes."""
    parts, z = [], 0.0
    for _ in range(random.choice((3, 4))):
        parts.append(box(random.uniform(-0.01, 0.01), 0, z, 0.28, 0.24, 0.035, plain_cloth(random, style)))
        z += 0.035
    return build(parts)


@thing("shoes", "clothes", OnTop(("shoe rack",)), {"e": 2.4, "c": 3, "h": 0.8}, rank=6)
def shoes(random: Random, style: Style) -> Furniture:
    """A pair, side by side."""
    stuff = leather(random) if random.random() < 0.6 else plastic(random)
    parts = []
    for x in (-0.055, 0.055):
        parts += [
            box(x, 0.0, 0, 0.088, 0.22, 0.022, DARK),
            ball(x, -0.07, 0.0, 0.09, 0.17, 0.085, stuff),
            box(x, 0.055, 0.02, 0.08, 0.12, 0.085, stuff, taper=0.9),
            box(x, 0.05, 0.1, 0.05, 0.08, 0.008, DARK),
            box(x, -0.03, 0.07, 0.045, 0.05, 0.02, WHITE),
        ]
    return build(parts)


@thing("chest", "cabinet", AtWall(clear=0.4), {"b": 0.2, "h": 0.15, "Z": 0.4, "l": 0.1, "g": 0.2, "e": 0.15}, area=8, rank=5)
def chest(random: Random, style: Style) -> Furniture:
    """A trunk with metal bands and a curved lid."""
    stuff, width = wood(random, style), random.uniform(0.75, 1.0)
    parts = [box(0, 0, 0, width, 0.45, 0.32, stuff), bar("x", 0, 0, 0.32, width, 0.44, darker(stuff, 0.9))]
    parts += [box(x, 0, 0.0, 0.05, 0.465, 0.36, style.metal) for x in (-width * 0.35, width * 0.35)]
    parts.append(box(0, -0.235, 0.25, 0.09, 0.02, 0.12, BRASS))
    return build(parts)


@thing("wine rack", "shelving", AtWall(clear=0.3, corner=True), {"B": 0.9, "d": 0.25, "k": 0.25, "u": 0.15}, rank=6)
def wine_rack(random: Random, style: Style) -> Furniture:
    """Bottles lying in a wooden lattice."""
    frame, width, height = wood(random, style), 0.52, random.choice((0.75, 1.0))
    rows = int(height / 0.15)
    parts = [box(side * (width / 2 - 0.015), 0, 0, 0.03, 0.28, height, frame) for side in (-1, 1)]
    parts += [box(0, 0, z * height / rows, width - 0.04, 0.26, 0.02, frame) for z in range(rows)]
    parts.append(box(0, 0, height - 0.02, width, 0.28, 0.025, frame))
    for level in range(rows - 1):
        for x in row(4, width - 0.08):
            if random.random() < 0.75:
                glass = Material(random.choice(((0.08, 0.20, 0.10), (0.25, 0.05, 0.08), (0.10, 0.12, 0.06))), gloss=0.6)
                parts.append(bar("y", x, -0.01, level * height / rows + 0.062, 0.29, 0.078, glass))
    return build(parts, tops=[Top(0, 0, height + 0.005, width - 0.08, 0.22)])

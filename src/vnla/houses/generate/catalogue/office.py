"""Books, boards and stationery."""

# ruff: noqa: ARG001 - every maker takes (random, style), whether it draws from them or not

from __future__ import annotations

from random import Random

from vnla.houses.generate.catalogue.materials import (
    BLACK,
    BRASS,
    CORK,
    PAPER,
    STEEL,
    WATER,
    WHITE,
    accent,
    darker,
    leather,
    mix,
    plastic,
    seed,
    wood,
)
from vnla.houses.generate.catalogue.pieces import Furniture, ball, box, build, disc, rod, row
from vnla.houses.generate.catalogue.registry import AtWall, OnTop, OnWall, thing
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material

_SHELVES = ("bookshelf", "wall shelf", "desk", "shelf", "tv stand", "console table", "sideboard")


@thing(
    "books",
    "objects",
    OnTop((*_SHELVES, "coffee table", "bedside table", "side table", "school desk")),
    {"i": 2.5, "o": 1.6, "lb": 0.8, "fnC": 0.8, "v": 0.4, "h": 0.2, "m": 0.4, "z": 0.5},
    rank=5,
)
def books(random: Random, style: Style) -> Furniture:
    """A row of spines, or a pile lying flat."""
    if random.random() < 0.5:
        width = random.uniform(0.15, 0.24)
        return build(
            [
                box(
                    0,
                    0,
                    0,
                    width,
                    0.15,
                    random.uniform(0.2, 0.24),
                    Material(accent(random, style), "books", seed=seed(random)),
                ),
                box(width / 2 + 0.008, 0, 0, 0.016, 0.13, 0.15, style.metal),
            ]
        )
    parts, z = [], 0.0
    for _ in range(random.choice((3, 4))):
        h, cover = random.uniform(0.02, 0.04), Material(random.choice((accent(random, style), leather(random).colour)))
        w, d, turn = random.uniform(0.19, 0.24), random.uniform(0.14, 0.17), random.uniform(-0.2, 0.2)
        parts += [
            box(0, 0, z, w, d, h, cover, turn=turn),
            box(0.006, -0.004, z + 0.004, w - 0.006, d + 0.002, h - 0.008, PAPER, turn=turn),
        ]
        z += h
    return build(parts)


@thing(
    "magazines",
    "objects",
    OnTop(("coffee table", "side table", "desk", "bedside table")),
    {"lfn": 0.6, "o": 0.3, "b": 0.15, "v": 0.4},
    rank=6,
)
def magazines(random: Random, style: Style) -> Furniture:
    """Two or three, fanned out."""
    return build(
        [
            box(
                0.01 * i,
                0,
                0.006 * i,
                0.2,
                0.27,
                0.006,
                Material(accent(random, style), "picture", (0.95, 0.95, 0.93), seed=seed(random)),
                turn=0.25 * i - 0.2,
            )
            for i in range(3)
        ]
    )


@thing(
    "papers",
    "objects",
    OnTop(("desk", "meeting table", "school desk", "filing cabinet")),
    {"o": 1.2, "m": 1.5, "C": 1.5, "i": 0.4},
    rank=6,
)
def papers(random: Random, style: Style) -> Furniture:
    """Loose sheets with lines of print, and a pen."""
    print_ = Material((0.95, 0.95, 0.93), "stripes", (0.6, 0.6, 0.62), 0.02)
    return build(
        [
            box(0, 0, 0, 0.21, 0.29, 0.004, PAPER, turn=0.15),
            box(0.02, 0.01, 0.004, 0.21, 0.29, 0.003, print_, turn=-0.1),
            box(0.06, -0.02, 0.007, 0.012, 0.14, 0.008, plastic(random), turn=0.6),
        ]
    )


@thing("pen holder", "objects", OnTop(("desk", "school desk", "workbench")), {"o": 0.8, "b": 0.2, "C": 0.3}, rank=6)
def pen_holder(random: Random, style: Style) -> Furniture:
    """A cup of pens and pencils."""
    parts = [rod(0, 0, 0, 0.085, 0.1, random.choice((BLACK, style.metal, Material(accent(random, style)))))]
    return build(
        [
            *parts,
            *[
                box(x, y, 0.06, 0.01, 0.01, random.uniform(0.09, 0.13), plastic(random))
                for x, y in ((-0.02, 0), (0.02, 0.01), (0, -0.02), (0.005, 0.022))
            ],
        ]
    )


@thing(
    "globe",
    "objects",
    OnTop(("desk", "bookshelf", "sideboard", "wall shelf", "console table")),
    {"i": 0.6, "o": 0.3, "C": 0.6, "b": 0.1, "l": 0.08},
    rank=5,
)
def globe(random: Random, style: Style) -> Furniture:
    """The earth on a foot."""
    sea = Material(
        WATER.colour if random.random() < 0.6 else (0.80, 0.70, 0.50), "leaves", (0.45, 0.55, 0.28), 0.25, gloss=0.3
    )
    return build(
        [
            rod(0, 0, 0, 0.16, 0.02, wood(random, style)),
            rod(0, 0, 0.02, 0.025, 0.07, BRASS),
            ball(0, 0, 0.08, 0.23, 0.23, 0.23, sea),
            rod(0, 0, 0.31, 0.02, 0.02, BRASS),
        ]
    )


@thing("whiteboard", "board_panel", OnWall(1.45), {"m": 1, "C": 1, "o": 0.5, "g": 0.1, "z": 0.2}, area=6, rank=0)
def whiteboard(random: Random, style: Style) -> Furniture:
    """White with a metal rim, some writing, and pens on the ledge."""
    width, height = random.uniform(1.1, 1.6), random.uniform(0.75, 0.95)
    parts = [
        box(0, 0, 0.02, width, 0.025, height, STEEL),
        box(0, -0.014, 0.045, width - 0.05, 0.006, height - 0.05, WHITE),
        box(0, -0.04, 0, width * 0.6, 0.07, 0.02, STEEL),
    ]
    for i, z in enumerate((0.72, 0.58, 0.44)):
        length = width * random.uniform(0.25, 0.55)
        parts.append(
            box(
                -width * 0.4 + length / 2,
                -0.018,
                height * z,
                length,
                0.003,
                0.02,
                Material(((0.1, 0.2, 0.6), (0.7, 0.1, 0.1), (0.1, 0.4, 0.2))[i]),
            )
        )
    return build([*parts, *[box(0.1 * i, -0.05, 0.02, 0.08, 0.016, 0.016, plastic(random)) for i in range(2)]])


@thing("blackboard", "board_panel", OnWall(1.5), {"C": 0.6, "k": 0.12, "B": 0.3}, area=7, rank=1)
def blackboard(random: Random, style: Style) -> Furniture:
    """Slate in a wooden frame with chalk on it."""
    width, height = random.uniform(0.9, 1.6), random.uniform(0.7, 0.95)
    chalk = Material((0.9, 0.9, 0.88))
    parts = [
        box(0, 0, 0, width, 0.03, height, wood(random, style)),
        box(0, -0.016, 0.05, width - 0.1, 0.006, height - 0.1, Material((0.12, 0.19, 0.16))),
    ]
    return build(
        [
            *parts,
            *[
                box(-0.1 * width, -0.02, height * z, width * random.uniform(0.3, 0.6), 0.003, 0.02, chalk)
                for z in (0.7, 0.52, 0.34)
            ],
        ]
    )


@thing("notice board", "board_panel", OnWall(1.5), {"o": 0.5, "C": 0.6, "k": 0.2, "j": 0.2, "m": 0.2, "b": 0.1}, rank=4)
def notice_board(random: Random, style: Style) -> Furniture:
    """Cork with notes pinned on it."""
    width, height = random.uniform(0.6, 0.9), random.uniform(0.5, 0.65)
    parts = [
        box(0, 0, 0, width, 0.025, height, wood(random, style)),
        box(0, -0.013, 0.03, width - 0.06, 0.006, height - 0.06, CORK),
    ]
    for x in row(3, width - 0.12):
        for z in (0.16, 0.55):
            note = Material(mix(accent(random, style), (1.0, 1.0, 0.9), 0.6))
            parts.append(box(x, -0.018, height * z + random.uniform(-0.02, 0.02), 0.12, 0.004, 0.14, note))
    return build(parts)


@thing("projector screen", "board_panel", OnWall(1.6), {"m": 0.6, "C": 0.5, "v": 0.3}, area=9, rank=0)
def projector_screen(random: Random, style: Style) -> Furniture:
    """Pulled down from its case, with a picture on it."""
    width = random.uniform(1.4, 1.8)
    height = width * 0.6
    shown = Material((0.80, 0.85, 0.92), "screen", (0.20, 0.30, 0.50), glow=0.45, seed=seed(random))
    return build(
        [
            box(0, 0, height, width + 0.1, 0.08, 0.08, WHITE),
            box(0, 0, 0, width, 0.01, height, WHITE),
            box(0, -0.008, 0.05, width - 0.1, 0.004, height - 0.1, shown),
            box(0, 0, 0, width, 0.03, 0.02, BLACK),
        ]
    )


@thing("map", "picture", OnWall(1.5), {"C": 0.6, "i": 0.4, "o": 0.25, "h": 0.12, "g": 0.1}, area=5, rank=3)
def world_map(random: Random, style: Style) -> Furniture:
    """Continents on a pale sea, between two rods."""
    width, height = random.uniform(0.9, 1.2), random.uniform(0.6, 0.75)
    land = [Material(tone) for tone in ((0.55, 0.65, 0.35), (0.80, 0.68, 0.40), (0.65, 0.45, 0.35))]
    parts = [
        box(0, 0, 0, width, 0.006, height, Material((0.72, 0.84, 0.90))),
        *[box(0, 0, z, width + 0.06, 0.025, 0.025, wood(random, style)) for z in (0, height - 0.025)],
    ]
    blobs = (
        (-0.32, 0.62, 0.22, 0.3),
        (-0.24, 0.32, 0.12, 0.32),
        (0.02, 0.42, 0.15, 0.3),
        (0.05, 0.68, 0.14, 0.18),
        (0.25, 0.64, 0.3, 0.28),
        (0.36, 0.27, 0.13, 0.14),
    )
    return build(
        [
            *parts,
            *[
                disc("y", x * width, -0.005, z * height, 0.9 * w * width, 0.004, land[i % 3])
                for i, (x, z, w, _) in enumerate(blobs)
            ],
            *[
                box(x * width, -0.005, (z - h / 2.6) * height, w * width * 0.75, 0.004, h * height * 0.75, land[i % 3])
                for i, (x, z, w, h) in enumerate(blobs)
            ],
        ]
    )


@thing("calendar", "objects", OnWall(1.5), {"k": 0.3, "o": 0.4, "j": 0.2, "g": 0.3, "u": 0.2, "C": 0.3, "h": 0.1}, rank=5)
def calendar(random: Random, style: Style) -> Furniture:
    """A picture above a grid of days."""
    grid = Material((0.97, 0.97, 0.96), "tiles", (0.45, 0.45, 0.5), 0.05)
    return build(
        [
            box(0, 0, 0, 0.32, 0.008, 0.23, PAPER),
            box(0, -0.006, 0.012, 0.29, 0.004, 0.19, grid),
            box(
                0,
                0,
                0.23,
                0.32,
                0.008,
                0.24,
                Material(accent(random, style), "picture", accent(random, style), seed=seed(random)),
            ),
        ]
    )


@thing("safe", "cabinet", AtWall(clear=0.3, corner=True), {"o": 0.15, "u": 0.15, "c": 0.12}, rank=7)
def safe(random: Random, style: Style) -> Furniture:
    """A steel door with a dial and a handle."""
    body = Material((0.24, 0.26, 0.28), "metal", gloss=0.3)
    return build(
        [
            box(0, 0, 0.03, 0.46, 0.44, 0.55, body),
            box(0, 0, 0, 0.4, 0.38, 0.03, BLACK),
            box(0, -0.225, 0.07, 0.4, 0.02, 0.47, darker(body, 1.3)),
            disc("y", -0.06, -0.245, 0.34, 0.11, 0.03, STEEL),
            disc("y", -0.06, -0.262, 0.34, 0.05, 0.02, BLACK),
            box(0.1, -0.25, 0.28, 0.03, 0.04, 0.13, STEEL),
        ]
    )

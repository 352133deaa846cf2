"""Screens, speakers, phones and other things with a plug."""

# ruff: noqa: ARG001 - every maker takes (random, style), whether it draws from them or not

from __future__ import annotations

from random import Random

from vnla.houses.generate.catalogue.materials import (
    BLACK,
    CHROME,
    DARK,
    DARK_GLASS,
    GREY,
    PAPER,
    STEEL,
    WHITE,
    accent,
    darker,
    enamel,
    plastic,
    seed,
    wood,
    wood_or_paint,
)
from vnla.houses.generate.catalogue.pieces import Furniture, Spot, Top, ball, bar, box, build, disc, four_legs, rod, row
from vnla.houses.generate.catalogue.registry import AtSpot, AtWall, Beside, OnTop, OnWall, thing
from vnla.houses.generate.catalogue.storage import drawers
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material, Part


def _screen(random: Random, glow: float = 0.5) -> Material:
    tone = random.choice(((0.15, 0.30, 0.55), (0.10, 0.40, 0.35), (0.45, 0.25, 0.15), (0.20, 0.22, 0.30)))
    return Material(tone, "screen", (0.85, 0.88, 0.92), gloss=0.3, glow=glow, seed=seed(random))


@thing(
    "tv stand",
    "cabinet",
    AtWall(clear=0.6, facing=("sofa", "bed", "bench")),
    {"v": 1, "lf": 0.8, "n": 0.3, "b": 0.25, "r": 0.4, "w": 0.15},
    area=9,
    rank=1,
)
def tv_stand(random: Random, style: Style) -> Furniture:
    """Low and long, with drawers and an open shelf."""
    width, height, depth, frame = random.uniform(1.2, 1.7), random.uniform(0.42, 0.55), 0.4, wood_or_paint(random, style)
    parts = [
        *four_legs(width - 0.1, depth - 0.06, 0.1, 0.05, frame),
        box(0, 0, height - 0.03, width, depth, 0.03, frame),
        box(0, 0, 0.1, width, depth, 0.025, frame),
    ]
    parts += [
        box(0, depth / 2 - 0.01, 0.1, width, 0.02, height - 0.12, darker(frame, 0.7)),
        *[box(side * (width / 2 - 0.015), 0, 0.1, 0.03, depth, height - 0.12, frame) for side in (-1, 1)],
    ]
    third = width / 3
    for side in (-1, 1):
        parts.append(box(side * third, 0.01, 0.12, third - 0.05, depth - 0.04, height - 0.16, darker(frame, 0.9)))
        parts += [
            part.moved(side * third, 0)
            for part in drawers(third - 0.04, -depth / 2 + 0.01, 0.13, height - 0.17, 2, 1, frame, style.metal)
        ]
    parts.append(box(0, 0, 0.14, third * 0.8, 0.25, 0.06, BLACK))
    side_tops = [Top(side * (width / 2 - 0.12), 0, height, 0.2, depth - 0.08) for side in (-1, 1)]
    return build(parts, tops=side_tops, spots={"tv": [Spot(0, 0.05, height)]})


@thing("tv", "tv_monitor", AtSpot(("tv stand",)), {"v": 1, "lf": 1, "nr": 1, "b": 1, "w": 1}, rank=0)
def tv(random: Random, style: Style) -> Furniture:
    """A flat screen on a foot."""
    width = random.uniform(0.9, 1.25)
    height = width * 0.57
    parts = [
        box(0, 0, 0.07, width, 0.05, height, BLACK),
        box(0, -0.028, 0.085, width - 0.03, 0.006, height - 0.03, _screen(random)),
        box(0, 0, 0, width * 0.4, 0.2, 0.015, BLACK),
        box(0, 0.01, 0.01, 0.1, 0.05, 0.08, BLACK),
    ]
    return build([*parts, box(0, 0.03, 0.15, width * 0.6, 0.05, height * 0.5, DARK)])


@thing("wall tv", "tv_monitor", OnWall(1.45), {"w": 0.6, "B": 0.7, "m": 0.6, "r": 0.5, "b": 0.2, "k": 0.12}, area=8, rank=2)
def wall_tv(random: Random, style: Style) -> Furniture:
    """A flat screen on a bracket."""
    width = random.uniform(0.95, 1.3)
    return build(
        [
            box(0, 0, 0, width, 0.05, width * 0.57, BLACK),
            box(0, -0.028, 0.015, width - 0.03, 0.006, width * 0.57 - 0.03, _screen(random)),
            box(0, 0.04, width * 0.2, 0.3, 0.04, 0.2, DARK),
        ]
    )


@thing(
    "speaker",
    "objects",
    Beside(("tv stand", "piano", "desk")),
    {"v": 1.5, "lf": 0.7, "r": 0.8, "n": 0.3, "B": 0.4},
    area=9,
    rank=5,
)
def speaker(random: Random, style: Style) -> Furniture:
    """A tall box with two or three cones."""
    body, height = (BLACK if random.random() < 0.5 else wood(random, style)), random.uniform(0.85, 1.1)
    parts = [
        box(0, 0, 0.02, 0.24, 0.28, height, body),
        box(0, 0, 0, 0.28, 0.32, 0.02, BLACK),
        box(0, -0.142, 0.04, 0.22, 0.006, height - 0.04, DARK),
    ]
    for z, width in ((height - 0.12, 0.08), (height - 0.32, 0.17), (height - 0.56, 0.19)):
        parts += [disc("y", 0, -0.147, z, width, 0.012, GREY), disc("y", 0, -0.155, z, width * 0.45, 0.012, BLACK)]
    return build(parts)


@thing("computer monitor", "tv_monitor", AtSpot(("desk",)), {"o": 1.4, "b": 0.4, "i": 0.4, "C": 0.6, "z": 0.4}, rank=0)
def computer_monitor(random: Random, style: Style) -> Furniture:
    """A screen on a stem and a foot."""
    width, body = random.uniform(0.48, 0.62), random.choice((BLACK, STEEL, DARK))
    height = width * 0.58
    return build(
        [
            box(0, 0, 0, 0.22, 0.17, 0.012, body),
            box(0, 0.03, 0.01, 0.05, 0.03, 0.2, body),
            box(0, 0, 0.12, width, 0.035, height, body),
            box(0, -0.019, 0.132, width - 0.024, 0.005, height - 0.024, _screen(random, 0.6)),
        ]
    )


@thing("keyboard", "objects", AtSpot(("desk",)), {"o": 1.3, "b": 0.35, "i": 0.3, "C": 0.5, "z": 0.3}, rank=1)
def keyboard(random: Random, style: Style) -> Furniture:
    """Rows of keys on a slim board."""
    body, key = random.choice(((BLACK, GREY), (WHITE, GREY), (STEEL, BLACK)))
    parts = [box(0, 0, 0, 0.43, 0.14, 0.018, body)]
    return build([*parts, *[box(0, y, 0.018, 0.41 if y > -0.05 else 0.22, 0.02, 0.005, key) for y in row(5, 0.13)]])


@thing("mouse", "objects", AtSpot(("desk",)), {"o": 1, "b": 0.25, "C": 0.3}, rank=2)
def mouse(random: Random, style: Style) -> Furniture:
    """Beside the keyboard, on its mat."""
    return build(
        [
            box(0, 0, 0, 0.2, 0.17, 0.004, Material(accent(random, style))),
            ball(0, 0, 0.002, 0.06, 0.1, 0.036, random.choice((BLACK, WHITE))),
            box(0, -0.025, 0.03, 0.008, 0.02, 0.01, GREY),
        ]
    )


@thing(
    "laptop",
    "objects",
    OnTop(("desk", "coffee table", "dining table", "meeting table", "school desk", "kitchen island")),
    {"o": 0.5, "m": 2, "l": 0.3, "b": 0.15, "ifd": 0.2, "C": 0.6},
    rank=3,
)
def laptop(random: Random, style: Style) -> Furniture:
    """Open, its screen lit."""
    body = random.choice((STEEL, DARK, WHITE))
    parts = [
        box(0, 0, 0, 0.33, 0.23, 0.016, body),
        box(0, 0.03, 0.0161, 0.29, 0.1, 0.002, DARK),
        box(0, -0.07, 0.0161, 0.1, 0.06, 0.001, darker(body, 0.85)),
    ]
    return build(
        [
            *parts,
            box(0, 0.122, 0.012, 0.33, 0.012, 0.22, body),
            box(0, 0.114, 0.022, 0.31, 0.004, 0.195, _screen(random, 0.6)),
        ]
    )


@thing(
    "printer",
    "appliances",
    OnTop(("desk", "filing cabinet", "cabinet", "shelf", "sideboard")),
    {"o": 0.6, "C": 0.3, "m": 0.2, "b": 0.08},
    rank=2,
)
def printer(random: Random, style: Style) -> Furniture:
    """A box with paper going in at the back and coming out in front."""
    body = random.choice((WHITE, DARK, GREY))
    parts = [
        box(0, 0.02, 0, 0.4, 0.3, 0.16, body),
        box(0, 0.02, 0.16, 0.38, 0.26, 0.02, darker(body, 0.85)),
        box(0, -0.135, 0.04, 0.3, 0.02, 0.06, BLACK),
        box(0, -0.16, 0.03, 0.28, 0.1, 0.01, darker(body, 0.8)),
        box(0, -0.15, 0.04, 0.21, 0.1, 0.006, PAPER),
    ]
    return build(
        [*parts, box(0, 0.15, 0.15, 0.22, 0.012, 0.14, PAPER), box(0.13, -0.12, 0.17, 0.1, 0.03, 0.016, DARK_GLASS)]
    )


@thing(
    "telephone",
    "objects",
    OnTop(("desk", "console table", "bedside table", "side table", "sideboard", "meeting table")),
    {"o": 0.5, "e": 0.3, "h": 0.25, "b": 0.2, "m": 0.5, "l": 0.15},
    rank=6,
)
def telephone(random: Random, style: Style) -> Furniture:
    """A desk telephone: keys, and the receiver across the top."""
    body = random.choice((BLACK, WHITE, Material((0.65, 0.10, 0.10), gloss=0.4)))
    parts = [
        box(0, 0, 0, 0.2, 0.19, 0.05, body, taper=0.85),
        bar("x", 0, 0.04, 0.075, 0.2, 0.03, body),
        box(-0.08, 0.04, 0.045, 0.05, 0.05, 0.04, body),
        box(0.08, 0.04, 0.045, 0.05, 0.05, 0.04, body),
    ]
    return build(
        [*parts, *[box(x, y, 0.05, 0.018, 0.014, 0.006, GREY) for x in (-0.03, 0.0, 0.03) for y in (-0.06, -0.035, -0.01)]]
    )


@thing(
    "radio",
    "objects",
    OnTop(("kitchen cabinet", "workbench", "bookshelf", "dresser", "wall shelf", "sideboard", "shelf")),
    {"k": 0.25, "g": 0.4, "b": 0.12, "il": 0.12, "u": 0.2, "w": 0.3},
    rank=6,
)
def radio(random: Random, style: Style) -> Furniture:
    """A case with a round loudspeaker, a dial and an aerial."""
    body = wood(random, style) if random.random() < 0.5 else plastic(random)
    parts = [
        box(0, 0, 0, 0.28, 0.1, 0.17, body),
        disc("y", -0.07, -0.052, 0.085, 0.12, 0.008, DARK),
        box(0.07, -0.052, 0.1, 0.1, 0.006, 0.035, Material((0.95, 0.85, 0.6), glow=0.2)),
    ]
    return build(
        [
            *parts,
            disc("y", 0.045, -0.055, 0.05, 0.035, 0.02, CHROME),
            disc("y", 0.1, -0.055, 0.05, 0.035, 0.02, CHROME),
            rod(0.11, 0.03, 0.17, 0.006, 0.22, CHROME),
        ]
    )


@thing("alarm clock", "objects", OnTop(("bedside table",)), {"b": 0.7}, rank=5)
def alarm_clock(random: Random, style: Style) -> Furniture:
    """Two bells on a round face, or glowing digits."""
    if random.random() < 0.5:
        body = plastic(random)
        return build(
            [
                disc("y", 0, 0, 0.07, 0.11, 0.05, body),
                disc("y", 0, -0.027, 0.07, 0.09, 0.006, WHITE),
                box(0, -0.031, 0.07, 0.006, 0.003, 0.035, BLACK),
                box(0.013, -0.031, 0.067, 0.026, 0.003, 0.006, BLACK),
                *[ball(s * 0.035, 0, 0.115, 0.045, 0.035, 0.035, CHROME) for s in (-1, 1)],
                *[box(s * 0.035, 0, 0, 0.012, 0.02, 0.03, CHROME) for s in (-1, 1)],
            ]
        )
    return build(
        [
            box(0, 0, 0, 0.16, 0.08, 0.075, BLACK, taper=0.95),
            box(
                0,
                -0.042,
                0.02,
                0.12,
                0.004,
                0.035,
                Material((0.9, 0.15, 0.10), "stripes", (0.05, 0.02, 0.02), 0.03, glow=0.8),
            ),
        ]
    )


@thing(
    "fan",
    "appliances",
    AtWall(clear=0.3, corner=True),
    {"b": 0.2, "l": 0.15, "o": 0.2, "w": 0.5, "gr": 0.2, "C": 0.3},
    rank=7,
)
def fan(random: Random, style: Style) -> Furniture:
    """A standing fan: cage, blades, stem and foot."""
    body = random.choice((WHITE, BLACK, STEEL))
    parts = [
        rod(0, 0, 0, 0.4, 0.03, body),
        rod(0, 0, 0.03, 0.035, 0.95, body),
        box(0, 0.05, 0.98, 0.1, 0.16, 0.1, body),
        disc("y", 0, 0.0, 1.05, 0.44, 0.05, body),
        disc("y", 0, -0.028, 1.05, 0.4, 0.01, Material((0.35, 0.38, 0.42))),
    ]
    blade = Material((0.62, 0.74, 0.84), gloss=0.3)
    parts += [box(0, -0.036, 1.02, 0.36, 0.008, 0.06, blade), box(0, -0.037, 0.87, 0.06, 0.008, 0.36, blade)]
    parts += [box(x, -0.05, 1.05 - h / 2, 0.006, 0.006, h, body) for x, h in ((-0.12, 0.34), (0.0, 0.42), (0.12, 0.34))]
    parts += [box(0, -0.05, z, w, 0.006, 0.006, body) for z, w in ((0.93, 0.34), (1.17, 0.34))]
    return build([*parts, disc("y", 0, -0.05, 1.05, 0.09, 0.03, body)])


@thing(
    "air conditioner", "appliances", OnWall(2.15), {"b": 0.25, "l": 0.2, "o": 0.3, "mwC": 0.5, "dfv": 0.15}, area=8, rank=3
)
def air_conditioner(random: Random, style: Style) -> Furniture:
    """A long white box high on the wall."""
    body = enamel(random)
    return build(
        [
            box(0, 0, 0.04, 0.85, 0.2, 0.24, body),
            box(0, -0.02, 0, 0.8, 0.14, 0.04, darker(body, 0.8), taper=1.05),
            box(0, -0.09, 0.03, 0.74, 0.03, 0.02, DARK),
            box(0.34, -0.102, 0.13, 0.06, 0.006, 0.03, Material((0.3, 0.9, 0.5), glow=0.6)),
            box(0, -0.101, 0.2, 0.83, 0.004, 0.008, GREY),
        ]
    )


@thing("vacuum cleaner", "appliances", AtWall(clear=0.2, corner=True), {"u": 0.7, "j": 0.4, "c": 0.3, "Z": 0.4}, rank=8)
def vacuum_cleaner(random: Random, style: Style) -> Furniture:
    """Upright: a dust bin, a long handle and a wide foot."""
    body = plastic(random)
    return build(
        [
            box(0, -0.08, 0, 0.3, 0.22, 0.09, body),
            rod(0, 0.04, 0.08, 0.17, 0.45, darker(body, 0.7)),
            rod(0, 0.04, 0.2, 0.175, 0.2, DARK_GLASS),
            rod(0, 0.08, 0.5, 0.03, 0.5, STEEL),
            box(0, 0.08, 0.98, 0.03, 0.14, 0.03, BLACK),
            *[disc("x", s * 0.13, 0.05, 0.05, 0.1, 0.03, BLACK) for s in (-1, 1)],
        ]
    )


@thing(
    "projector",
    "appliances",
    OnTop(("meeting table", "coffee table", "cabinet", "bookshelf")),
    {"m": 0.5, "C": 0.4, "v": 0.3},
    rank=4,
)
def projector(random: Random, style: Style) -> Furniture:
    """A white box with a lens."""
    body = enamel(random)
    return build(
        [
            box(0, 0, 0.01, 0.3, 0.24, 0.1, body),
            disc("y", 0.07, -0.125, 0.06, 0.08, 0.03, BLACK),
            disc("y", 0.07, -0.142, 0.06, 0.05, 0.006, Material((0.5, 0.6, 0.9), gloss=0.8, glow=0.5)),
            *[box(-0.07, -0.122, 0.03 + 0.02 * i, 0.1, 0.004, 0.008, DARK) for i in range(3)],
            box(0, 0, 0, 0.24, 0.18, 0.01, BLACK),
        ]
    )


@thing("game console", "objects", OnTop(("tv stand", "coffee table")), {"v": 0.5, "r": 0.4, "f": 0.2, "b": 0.1}, rank=6)
def game_console(random: Random, style: Style) -> Furniture:
    """A flat box and a controller."""
    body = random.choice((BLACK, WHITE))
    parts: list[Part] = [
        box(0, 0.03, 0, 0.18, 0.16, 0.055, body),
        box(0, -0.052, 0.03, 0.16, 0.006, 0.008, Material((0.3, 0.6, 1.0), glow=0.8)),
    ]
    return build(
        [
            *parts,
            box(0, -0.1, 0, 0.09, 0.045, 0.025, body),
            *[ball(s * 0.05, -0.105, 0, 0.04, 0.07, 0.035, body) for s in (-1, 1)],
        ]
    )

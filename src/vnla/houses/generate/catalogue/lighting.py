"""Lamps. Those on the ceiling light their room; the small ones add a pool of light."""

from __future__ import annotations

from random import Random

from vnla.houses.generate.catalogue.materials import (
    BLACK,
    BRASS,
    PAPER,
    WHITE,
    accent,
    glowing,
    wood,
)
from vnla.houses.generate.catalogue.pieces import Furniture, ball, bar, box, build, rod
from vnla.houses.generate.catalogue.registry import AtWall, OnCeiling, OnTop, OnWall, thing
from vnla.houses.generate.style import Style
from vnla.houses.scene import Light, Material, Part


def _light(style: Style, z: float, share: float, x: float = 0.0, y: float = 0.0) -> Light:
    """A light of `share` of the house's lamp power."""
    return Light((x, y, z), style.light_colour, style.light_power * share)


def _shade(random: Random, style: Style) -> Material:
    tone = style.light_colour if random.random() < 0.6 else accent(random, style)
    return glowing(tone, 0.75)


@thing("ceiling lamp", "lighting", OnCeiling(), {"abcghijkmotuwBCSZz": 0, "s": 0}, rank=1)
def ceiling_lamp(random: Random, style: Style) -> Furniture:
    """A flat bowl or a panel close to the ceiling."""
    glow, width = glowing(style.light_colour, 0.95), random.uniform(0.3, 0.46)
    light = [_light(style, 0.0, 1.0)]
    if random.random() < 0.5:
        bowl = rod(0, 0, 0.02, width * 0.75, 0.08, glow, 1.2)
        return build([rod(0, 0, 0.1, width, 0.03, style.metal), bowl, rod(0, 0, 0, 0.05, 0.02, style.metal)], lights=light)
    rim = box(0, 0, 0.05, width + 0.04, width + 0.04, 0.03, style.metal)
    return build([box(0, 0, 0.02, width, width, 0.05, glow), rim, rod(0, 0, 0, 0.04, 0.02, style.metal)], lights=light)


@thing(
    "pendant lamp",
    "lighting",
    OnCeiling(above=("dining table", "kitchen island", "meeting table", "pool table", "bar counter")),
    {"k": 0.7, "d": 0.3, "m": 0.8, "r": 0.8, "B": 1.2, "D": 1, "lfo": 0.3},
    rank=0,
)
def pendant_lamp(random: Random, style: Style) -> Furniture:
    """A shade on a cord: cone, globe or drum."""
    design, width = random.random(), random.uniform(0.3, 0.48)
    glow = glowing(style.light_colour, 0.95)
    if design < 0.4:
        outer = Material(accent(random, style), gloss=0.3) if random.random() < 0.6 else style.metal
        parts = [rod(0, 0, 0.03, width, 0.2, outer, 0.25), rod(0, 0, 0.0, width * 0.5, 0.032, glow)]
    elif design < 0.7:
        parts = [
            ball(0, 0, 0, width * 0.8, width * 0.8, width * 0.8, glow),
            rod(0, 0, width * 0.8 - 0.03, 0.08, 0.05, style.metal),
        ]
    else:
        parts = [rod(0, 0, 0, width, 0.2, _shade(random, style)), rod(0, 0, 0.2, 0.05, 0.04, style.metal)]
    top = 0.55
    return build(
        [*parts, rod(0, 0, 0.15, 0.012, top - 0.15, BLACK), rod(0, 0, top - 0.03, 0.1, 0.03, style.metal)],
        lights=[_light(style, -0.02, 0.9)],
    )


@thing(
    "chandelier",
    "lighting",
    OnCeiling(above=("dining table", "coffee table", "bed")),
    {"d": 0.7, "l": 0.4, "n": 0.6, "e": 0.4, "b": 0.15, "f": 0.3, "s": 0.25, "h": 0.15},
    area=9,
    rank=0,
)
def chandelier(random: Random, style: Style) -> Furniture:
    """Arms around a stem, each with a candle."""
    metal, count = random.choice((BRASS, style.metal, BLACK)), random.choice((3, 4))
    radius = random.uniform(0.26, 0.36)
    flame = glowing(style.light_colour, 1.0)
    parts: list[Part] = [
        rod(0, 0, 0.15, 0.035, 0.45, metal),
        ball(0, 0, 0.0, 0.1, 0.1, 0.12, metal),
        ball(0, 0, 0.24, 0.09, 0.09, 0.09, metal),
        rod(0, 0, 0.57, 0.14, 0.03, metal),
        rod(0, 0, 0.08, 0.03, 0.1, metal),
    ]
    for i in range(count):
        turn = 3.14159265 * i / count
        arm = box(0, 0, 0.09, 2 * radius, 0.025, 0.025, metal, turn=turn)
        parts.append(arm)
        for side in (-1, 1):
            candle = [
                rod(side * radius, 0, 0.09, 0.07, 0.02, metal),
                rod(side * radius, 0, 0.11, 0.03, 0.08, PAPER),
                box(side * radius, 0, 0.19, 0.045, 0.045, 0.07, flame, taper=0.4),
            ]
            parts += [part.moved(0, 0, 0, turn) for part in candle]
    return build(parts, lights=[_light(style, -0.02, 1.1)])


@thing("ceiling fan", "appliances", OnCeiling(), {"b": 0.25, "lfv": 0.15, "p": 0.3, "n": 0.15}, area=10, rank=0)
def ceiling_fan(random: Random, style: Style) -> Furniture:
    """Four blades and a lamp below."""
    blade = wood(random, style)
    parts = [
        rod(0, 0, 0.18, 0.03, 0.14, style.metal),
        rod(0, 0, 0.1, 0.2, 0.1, style.metal),
        rod(0, 0, 0.29, 0.12, 0.03, style.metal),
        rod(0, 0, 0, 0.13, 0.1, glowing(style.light_colour, 0.95), 1.3),
    ]
    parts += [box(0, 0, 0.14, 1.15, 0.13, 0.012, blade, turn=turn) for turn in (0.4, 1.97)]
    return build(parts, lights=[_light(style, -0.02, 0.9)])


@thing(
    "track lights",
    "lighting",
    OnCeiling(),
    {"k": 0.35, "o": 0.25, "w": 0.4, "r": 0.3, "B": 0.3, "C": 0.5, "j": 0.2},
    area=7,
    rank=0,
)
def track_lights(random: Random, style: Style) -> Furniture:
    """A rail with four spotlights."""
    body = random.choice((BLACK, WHITE, style.metal))
    parts: list[Part] = [box(0, 0, 0.17, 1.2, 0.04, 0.03, body)]
    for x in (-0.45, -0.15, 0.15, 0.45):
        parts += [
            rod(x, 0, 0.11, 0.02, 0.06, body),
            rod(x, 0, 0.02, 0.1, 0.1, body, 0.7),
            rod(x, 0, 0, 0.08, 0.02, glowing(style.light_colour, 1.0)),
        ]
    return build(parts, lights=[_light(style, -0.02, 1.0)])


@thing(
    "floor lamp",
    "lighting",
    AtWall(clear=0.2, corner=True),
    {"l": 0.9, "fnv": 0.7, "bi": 0.4, "o": 0.3, "e": 0.1, "r": 0.3, "h": 0.12},
    area=7,
    rank=6,
)
def floor_lamp(random: Random, style: Style) -> Furniture:
    """A shade on a tall stem, or on a tripod."""
    height, width = random.uniform(1.4, 1.65), random.uniform(0.34, 0.46)
    if random.random() < 0.65:
        parts: list[Part] = [rod(0, 0, 0, 0.28, 0.03, style.metal), rod(0, 0, 0.03, 0.03, height - 0.2, style.metal)]
    else:
        leg = wood(random, style)
        parts = [
            rod(x * s, y * s, 0.28 * i, 0.04, 0.3, leg)
            for x, y in ((0.0, -0.24), (0.21, 0.12), (-0.21, 0.12))
            for i, s in enumerate((1.0, 0.75, 0.5, 0.25))
        ]
        parts.append(rod(0, 0, 1.05, 0.06, height - 1.2, leg))
    parts.append(rod(0, 0, height - 0.25, width, 0.28, _shade(random, style), random.choice((0.6, 0.8, 1.0))))
    return build(parts, lights=[_light(style, height - 0.3, 0.3, 0, -0.3)])


@thing(
    "table lamp",
    "lighting",
    OnTop(("bedside table", "side table", "console table", "desk", "dresser", "sideboard")),
    {"b": 1.7, "lfn": 0.8, "o": 0.6, "e": 0.4, "i": 0.5, "h": 0.3, "dv": 0.25},
    rank=1,
)
def table_lamp(random: Random, style: Style) -> Furniture:
    """A shade on a round, square or slender foot."""
    design, shade, width = random.random(), _shade(random, style), random.uniform(0.22, 0.28)
    foot = random.choice((style.metal, Material(accent(random, style), gloss=0.4), Material((0.9, 0.9, 0.88), gloss=0.4)))
    if design < 0.4:
        parts: list[Part] = [ball(0, 0, 0, 0.16, 0.16, 0.2, foot), rod(0, 0, 0.0, 0.09, 0.02, foot)]
    elif design < 0.7:
        parts = [rod(0, 0, 0, 0.14, 0.02, foot), rod(0, 0, 0.02, 0.025, 0.2, foot)]
    else:
        parts = [box(0, 0, 0, 0.1, 0.1, 0.2, foot, taper=0.7)]
    parts += [rod(0, 0, 0.18, 0.02, 0.06, BRASS), rod(0, 0, 0.22, width, 0.18, shade, random.choice((0.6, 0.75, 1.0)))]
    return build(parts, lights=[_light(style, 0.45, 0.12)])


@thing(
    "desk lamp",
    "lighting",
    OnTop(("desk", "workbench", "piano")),
    {"o": 0.7, "b": 0.25, "i": 0.3, "g": 0.2, "C": 0.3},
    rank=1,
)
def desk_lamp(random: Random, style: Style) -> Furniture:
    """A jointed arm with a small hood."""
    body = Material(accent(random, style), gloss=0.35) if random.random() < 0.5 else BLACK
    parts = [
        rod(0, 0, 0, 0.16, 0.02, body),
        rod(0, 0.03, 0.02, 0.02, 0.36, body),
        bar("y", 0, -0.03, 0.38, 0.16, 0.02, body),
    ]
    return build(
        [
            *parts,
            rod(0, -0.1, 0.29, 0.15, 0.1, body, 0.4),
            rod(0, -0.1, 0.28, 0.08, 0.012, glowing(style.light_colour, 1.0)),
        ],
        lights=[_light(style, 0.22, 0.08, 0, -0.1)],
    )


@thing(
    "wall lamp",
    "lighting",
    OnWall(1.75),
    {
        "h": 1.6,
        "e": 0.7,
        "b": 0.4,
        "l": 0.4,
        "a": 0.7,
        "s": 0.9,
        "d": 0.5,
        "p": 0.8,
        "B": 0.6,
        "xy": 0.5,
        "n": 0.5,
        "t": 0.3,
        "iSD": 0.4,
    },
    rank=3,
)
def wall_lamp(random: Random, style: Style) -> Furniture:
    """A sconce: a shade or a half bowl on a plate."""
    glow = glowing(style.light_colour, 0.95)
    if random.random() < 0.5:
        parts = [
            box(0, 0.06, 0, 0.08, 0.02, 0.2, style.metal),
            box(0, 0.02, 0.05, 0.025, 0.1, 0.025, style.metal),
            rod(0, -0.04, 0.06, 0.13, 0.17, glow, 0.7),
        ]
    else:
        parts = [
            box(0, 0.05, 0.02, 0.1, 0.02, 0.16, style.metal),
            box(0, -0.01, 0.04, 0.24, 0.12, 0.1, glow, taper=1.25),
            box(0, -0.01, 0, 0.1, 0.1, 0.04, style.metal),
        ]
    return build(parts, lights=[_light(style, 0.3, 0.12, 0, -0.25)])


@thing("lantern", "lighting", AtWall(clear=0.2, corner=True), {"p": 0.8, "x": 0.7, "y": 0.6, "e": 0.1, "S": 0.4}, rank=7)
def lantern(random: Random, style: Style) -> Furniture:
    """A candle in a glazed frame."""
    body = random.choice((BLACK, WHITE, style.metal))
    parts = [
        box(0, 0, 0, 0.24, 0.24, 0.03, body),
        *[box(x, y, 0.03, 0.02, 0.02, 0.34, body) for x in (-0.1, 0.1) for y in (-0.1, 0.1)],
        box(0, 0, 0.37, 0.26, 0.26, 0.1, body, taper=0.3),
    ]
    return build(
        [
            *parts,
            rod(0, 0, 0.03, 0.09, 0.16, PAPER),
            box(0, 0, 0.19, 0.03, 0.03, 0.06, glowing((1.0, 0.75, 0.35), 1.0), taper=0.3),
            rod(0, 0, 0.47, 0.05, 0.03, body),
        ]
    )


@thing("paper lantern", "lighting", OnCeiling(), {"b": 0.2, "l": 0.1, "i": 0.15, "z": 0.2}, rank=0)
def paper_lantern(random: Random, style: Style) -> Furniture:
    """A white globe with ribs."""
    width, glow = random.uniform(0.4, 0.52), glowing(style.light_colour, 0.85)
    return build(
        [
            ball(0, 0, 0, width, width, width * 0.9, glow),
            rod(0, 0, width * 0.85, 0.012, 0.2, BLACK),
            rod(0, 0, width * 0.85 + 0.19, 0.09, 0.02, WHITE),
        ],
        lights=[_light(style, -0.03, 1.0)],
    )


@thing(
    "candle",
    "objects",
    OnTop(
        (
            "dining table",
            "coffee table",
            "fireplace",
            "console table",
            "sideboard",
            "bathtub",
            "side table",
            "wall shelf",
            "garden table",
        )
    ),
    {"d": 0.8, "l": 0.5, "a": 0.3, "n": 0.4, "S": 1.2, "e": 0.2, "b": 0.15, "px": 0.2, "D": 0.3},
    rank=7,
)
def candle(random: Random, style: Style) -> Furniture:
    """On a holder, lit."""
    wax = Material(random.choice(((0.95, 0.92, 0.84), (0.75, 0.15, 0.15), (0.90, 0.85, 0.70))))
    flame = glowing((1.0, 0.7, 0.3), 1.0)
    if random.random() < 0.5:
        return build(
            [
                rod(0, 0, 0, 0.1, 0.015, style.metal),
                rod(0, 0, 0.015, 0.07, 0.12, wax),
                box(0, 0, 0.135, 0.02, 0.02, 0.04, flame, taper=0.2),
            ]
        )
    return build(
        [
            rod(0, 0, 0, 0.1, 0.02, BRASS),
            rod(0, 0, 0.02, 0.02, 0.12, BRASS),
            rod(0, 0, 0.14, 0.05, 0.015, BRASS),
            rod(0, 0, 0.155, 0.024, 0.16, wax),
            box(0, 0, 0.315, 0.018, 0.018, 0.04, flame, taper=0.2),
        ]
    )

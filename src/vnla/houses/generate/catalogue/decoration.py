"""Pictures, plants, mirrors, clocks and other things that make a room someone's."""

# ruff: noqa: ARG001 - every maker takes (random, style), whether it draws from them or not

from __future__ import annotations

from random import Random

from vnla.houses.generate.catalogue.materials import (
    BLACK,
    BRASS,
    CERAMIC,
    DARK,
    GLASS,
    GREY,
    MIRROR,
    PAPER,
    SOIL,
    TERRACOTTA,
    WATER,
    WHITE,
    WICKER,
    accent,
    darker,
    glowing,
    leaves,
    mix,
    painted,
    plain_cloth,
    seed,
    shade,
    wood,
    wood_or_paint,
)
from vnla.houses.generate.catalogue.pieces import (
    Furniture,
    Top,
    ball,
    bar,
    box,
    build,
    disc,
    four_legs,
    rod,
    row,
)
from vnla.houses.generate.catalogue.registry import AtWall, OnTop, OnWall, thing
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material, Part

_SURFACES = (
    "coffee table",
    "side table",
    "console table",
    "sideboard",
    "dresser",
    "bookshelf",
    "fireplace",
    "desk",
    "dining table",
    "wall shelf",
    "piano",
    "tv stand",
    "cabinet",
    "kitchen island",
)


def _art(random: Random, style: Style) -> Material:
    ground = mix(accent(random, style), (0.9, 0.88, 0.82), random.uniform(0.0, 0.6))
    return Material(ground, "picture", accent(random, style), seed=seed(random))


def _framed(width: float, height: float, frame: Material, art: Material, mat: float, border: float = 0.035) -> list[Part]:
    """A frame, a mat of paper where `mat` is more than 0, and the picture, each a little before the last."""
    parts = [box(0, 0, 0, width, 0.03, height, frame)]
    if mat > 0:
        parts.append(box(0, -0.016, border, width - 2 * border, 0.006, height - 2 * border, PAPER))
    inset = border + mat
    return [*parts, box(0, -0.02, inset, width - 2 * inset, 0.008, height - 2 * inset, art)]


@thing(
    "picture",
    "picture",
    OnWall(1.55, above=("sofa", "bed", "console table", "desk", "sideboard", "dresser", "toilet")),
    {"h": 3, "lb": 2.4, "s": 2, "dfno": 1.8, "ei": 1.2, "av": 0.9, "m": 1, "krBz": 0.9, "tD": 0.8, "cjwC": 0.4, "S": 0.4},
    rank=2,
)
def picture(random: Random, style: Style) -> Furniture:
    """A framed print or photograph, with or without a mat."""
    width, height = random.uniform(0.35, 0.8), random.uniform(0.35, 0.7)
    frame = random.choice((BLACK, WHITE, wood(random, style), style.metal))
    return build(_framed(width, height, frame, _art(random, style), random.choice((0.0, 0.05, 0.08))))


@thing(
    "painting",
    "picture",
    OnWall(1.6, above=("sofa", "fireplace", "bed", "sideboard", "piano")),
    {"ln": 0.8, "d": 0.8, "hs": 0.6, "b": 0.4, "eifom": 0.4},
    area=7,
    rank=1,
)
def painting(random: Random, style: Style) -> Furniture:
    """A large canvas, bare or in a gilt frame."""
    width, height = random.uniform(0.8, 1.35), random.uniform(0.6, 0.9)
    if random.random() < 0.5:
        gilt = BRASS if random.random() < 0.6 else wood(random, style)
        return build(
            [
                *_framed(width, height, gilt, _art(random, style), 0.0, 0.08),
                box(0, -0.012, 0.05, width - 0.1, 0.012, height - 0.1, darker(gilt, 0.75)),
            ]
        )
    return build(
        [
            box(0, 0.005, 0.01, width - 0.02, 0.03, height - 0.02, WHITE),
            box(0, -0.02, 0, width, 0.02, height, _art(random, style)),
        ]
    )


@thing(
    "poster", "picture", OnWall(1.5), {"w": 1, "r": 1, "b": 0.35, "C": 1.2, "g": 0.6, "v": 0.5, "j": 0.2, "B": 0.5}, rank=4
)
def poster(random: Random, style: Style) -> Furniture:
    """Unframed paper with a title line."""
    width, height = random.uniform(0.5, 0.65), random.uniform(0.7, 0.9)
    parts = [
        box(0, 0, 0, width, 0.004, height, PAPER),
        box(0, -0.004, 0.16, width - 0.06, 0.003, height - 0.19, _art(random, style)),
    ]
    return build(
        [
            *parts,
            box(0, -0.004, 0.07, width * 0.7, 0.003, 0.05, Material(accent(random, style))),
            box(0, -0.004, 0.035, width * 0.4, 0.003, 0.018, DARK),
        ]
    )


@thing("photo", "picture", OnTop(_SURFACES), {"lf": 0.9, "b": 0.6, "o": 0.6, "hie": 0.4, "nd": 0.3}, rank=6)
def photo(random: Random, style: Style) -> Furniture:
    """A framed photograph standing on a table."""
    width, height = random.uniform(0.14, 0.2), random.uniform(0.18, 0.25)
    frame = random.choice((style.metal, wood(random, style), WHITE))
    return build(
        [
            *_framed(width, height, frame, _art(random, style), 0.015, 0.012),
            box(0, 0.05, 0, 0.03, 0.08, height * 0.5, frame, taper=0.3),
        ]
    )


@thing(
    "mirror",
    "mirror",
    OnWall(1.5, above=("console table", "dresser", "fireplace")),
    {"e": 0.8, "h": 0.5, "b": 0.6, "c": 0.8, "l": 0.25, "w": 1.2, "d": 0.25, "n": 0.3},
    rank=1,
)
def mirror(random: Random, style: Style) -> Furniture:
    """Framed, upright or round."""
    frame = random.choice((BRASS, wood(random, style), BLACK, style.metal))
    if random.random() < 0.35:
        width = random.uniform(0.55, 0.8)
        return build(
            [
                disc("y", 0, 0.01, width / 2, width, 0.035, frame),
                disc("y", 0, -0.012, width / 2, width - 0.09, 0.014, MIRROR),
            ]
        )
    width, height = random.uniform(0.5, 0.75), random.uniform(0.8, 1.1)
    return build([box(0, 0, 0, width, 0.04, height, frame), box(0, -0.022, 0.05, width - 0.1, 0.01, height - 0.1, MIRROR)])


@thing("standing mirror", "mirror", AtWall(clear=0.4, corner=True), {"b": 0.3, "c": 0.6, "w": 0.4}, area=5, rank=6)
def standing_mirror(random: Random, style: Style) -> Furniture:
    """A tall mirror on a stand."""
    frame = wood_or_paint(random, style)
    parts = [box(0, 0, 0.12, 0.5, 0.035, 1.5, frame), box(0, -0.02, 0.16, 0.42, 0.01, 1.42, MIRROR)]
    for side in (-1, 1):
        parts += [box(side * 0.28, 0, 0, 0.05, 0.4, 0.05, frame), box(side * 0.28, 0.02, 0.05, 0.04, 0.04, 1.0, frame)]
    return build(parts)


@thing(
    "clock",
    "objects",
    OnWall(1.85),
    {"k": 0.7, "l": 0.3, "h": 0.4, "o": 0.5, "dC": 0.5, "e": 0.3, "rwmj": 0.4, "B": 0.3},
    rank=4,
)
def clock(random: Random, style: Style) -> Furniture:
    """Round, with hour marks and two hands."""
    width, rim = (
        random.uniform(0.28, 0.42),
        random.choice((BLACK, style.metal, wood(random, style), Material(accent(random, style), gloss=0.3))),
    )
    centre = width / 2
    parts = [disc("y", 0, 0, centre, width, 0.045, rim), disc("y", 0, -0.024, centre, width * 0.88, 0.006, WHITE)]
    for x, z, w, h in ((0, 0.38, 0.02, 0.06), (0, -0.38, 0.02, 0.06), (0.38, 0, 0.06, 0.02), (-0.38, 0, 0.06, 0.02)):
        parts.append(
            box(x * width, -0.029, centre + z * width - h * width / 2 * 2, w * width * 2, 0.004, h * width * 2, BLACK)
        )
    parts += [
        box(0, -0.031, centre, 0.016, 0.004, width * 0.33, BLACK),
        box(width * 0.1, -0.031, centre - 0.01, width * 0.22, 0.004, 0.018, BLACK),
    ]
    return build([*parts, disc("y", 0, -0.032, centre, 0.03, 0.008, rim)])


@thing(
    "grandfather clock", "furniture", AtWall(clear=0.4), {"h": 0.15, "e": 0.15, "i": 0.2, "l": 0.1, "d": 0.1}, area=6, rank=5
)
def grandfather_clock(random: Random, style: Style) -> Furniture:
    """A long case with a pendulum behind glass and a dial on top."""
    case = wood(random, style)
    parts = [
        box(0, 0, 0, 0.5, 0.3, 0.4, case),
        box(0, 0, 0.4, 0.36, 0.24, 0.95, case),
        box(0, 0, 1.35, 0.48, 0.3, 0.5, case),
        box(0, 0, 1.85, 0.52, 0.32, 0.08, case, taper=0.8),
    ]
    parts += [
        box(0, -0.122, 0.48, 0.24, 0.01, 0.8, DARK),
        rod(0, -0.132, 0.7, 0.012, 0.5, BRASS),
        disc("y", 0, -0.134, 0.68, 0.14, 0.012, BRASS),
    ]
    parts += [
        disc("y", 0, -0.152, 1.6, 0.36, 0.012, WHITE),
        box(0, -0.16, 1.6, 0.015, 0.005, 0.14, BLACK),
        box(0.04, -0.16, 1.593, 0.09, 0.005, 0.015, BLACK),
    ]
    return build(parts)


def _pot(random: Random, style: Style, width: float, height: float) -> list[Part]:
    stuff = random.choice((TERRACOTTA, CERAMIC, WICKER, Material(accent(random, style), gloss=0.35), GREY))
    return [rod(0, 0, 0, width * 0.75, height, stuff, 1.33), rod(0, 0, height, width * 0.85, 0.005, SOIL)]


def _bush(random: Random, z: float, width: float, height: float) -> list[Part]:
    """A few overlapping clumps of leaves."""
    green = leaves(random)
    clumps = [ball(0, 0, z, width * 0.75, width * 0.75, height * 0.75, green)]
    for _ in range(3):
        x, y = random.uniform(-0.25, 0.25) * width, random.uniform(-0.25, 0.25) * width
        size = random.uniform(0.4, 0.5)
        clumps.append(
            ball(
                x,
                y,
                z + random.uniform(0.1, 0.5) * height,
                width * size,
                width * size,
                height * size,
                darker(green, random.uniform(0.8, 1.2)),
            )
        )
    return clumps


def _palm(random: Random, z: float, width: float, height: float) -> list[Part]:
    """Long leaves that rise and then bend out, from one stem."""
    green = leaves(random)
    trunk = Material((0.42, 0.30, 0.18), "wood", scale=0.2)
    parts = [rod(0, 0, z, 0.05, height * 0.55, trunk)]
    for i in range(6):
        turn, reach = 1.05 * i + random.uniform(-0.2, 0.2), width / 2
        tone = darker(green, random.uniform(0.85, 1.2))
        blades = [
            box(reach * 0.25, 0, z + height * 0.55, reach * 0.5, 0.09, height * 0.3, tone, taper=0.6),
            box(reach * 0.7, 0, z + height * 0.72, reach * 0.55, 0.1, height * 0.12, tone),
        ]
        parts += [part.moved(0, 0, 0, turn) for part in blades]
    return parts


def _spikes(random: Random, z: float, width: float, height: float) -> list[Part]:
    """Stiff upright blades, as of a snake plant."""
    green = leaves(random)
    places = [(random.uniform(-0.14, 0.14) * width, random.uniform(-0.14, 0.14) * width) for _ in range(9)]
    return [
        box(
            x,
            y,
            z,
            0.07,
            0.015,
            height * random.uniform(0.55, 1.0),
            darker(green, random.uniform(0.8, 1.2)),
            turn=random.uniform(0, 3),
            taper=0.35,
        )
        for x, y in places
    ]


@thing(
    "potted plant",
    "plant",
    AtWall(clear=0.15, corner=True),
    {
        "l": 1.4,
        "fn": 1,
        "h": 0.7,
        "oe": 0.7,
        "dimv": 0.5,
        "b": 0.5,
        "p": 2.2,
        "y": 2,
        "x": 2.4,
        "as": 0.4,
        "rBz": 0.5,
        "S": 1,
        "k": 0.3,
        "C": 0.4,
        "w": 0.2,
    },
    rank=7,
)
def potted_plant(random: Random, style: Style) -> Furniture:
    """Knee high to head high: a bush, a palm or stiff blades in a pot."""
    pot, height = random.uniform(0.28, 0.4), random.uniform(0.5, 1.2)
    crown = random.choice((_bush, _bush, _palm, _spikes))
    stem = 0.12 if crown is _bush else 0.0
    parts = [
        *_pot(random, style, pot, pot * 0.95),
        *crown(random, pot * 0.95 + stem * 0.6, random.uniform(0.5, 0.75), height),
    ]
    if stem:
        parts.append(rod(0, 0, pot * 0.9, 0.04, 0.3, Material((0.36, 0.26, 0.16))))
    return build(parts)


@thing(
    "small plant",
    "plant",
    OnTop(
        (
            *_SURFACES,
            "washbasin cabinet",
            "kitchen cabinet",
            "bedside table",
            "filing cabinet",
            "meeting table",
            "garden table",
            "toilet",
            "shelf",
        )
    ),
    {"lk": 0.5, "ob": 0.5, "a": 0.4, "deh": 0.3, "fnim": 0.4, "tz": 0.3, "pxy": 0.4},
    rank=6,
)
def small_plant(random: Random, style: Style) -> Furniture:
    """A succulent, a cactus or a little bush in a small pot."""
    pot, design = random.uniform(0.1, 0.14), random.random()
    parts = _pot(random, style, pot, pot * 0.9)
    if design < 0.4:
        green = leaves(random)
        cactus = [
            rod(0, 0, pot * 0.9, 0.05, 0.14, green),
            ball(0, 0, pot * 0.9 + 0.11, 0.05, 0.05, 0.05, green),
            bar("x", 0.03, 0, pot * 0.9 + 0.07, 0.06, 0.03, green),
            rod(0.055, 0, pot * 0.9 + 0.06, 0.03, 0.06, green),
        ]
        return build([*parts, *cactus])
    if design < 0.7:
        return build([*parts, *_bush(random, pot * 0.85, 0.2, 0.2)])
    return build([*parts, *_spikes(random, pot * 0.9, 0.14, 0.22)])


@thing("hanging plant", "plant", OnWall(1.75), {"py": 0.5, "k": 0.15, "a": 0.15, "l": 0.12, "S": 0.3, "h": 0.1}, rank=6)
def hanging_plant(random: Random, style: Style) -> Furniture:
    """Trailing from a pot on a bracket."""
    green, pot = leaves(random), random.choice((TERRACOTTA, WICKER, CERAMIC))
    trails = [box(x, y, z, 0.035, 0.03, 0.45 - z, darker(green, 0.9), taper=1.5) for x, y, z in _TRAILS]
    parts = [
        rod(0, 0, 0.3, 0.17, 0.16, pot, 1.3),
        box(0, 0.07, 0.66, 0.03, 0.2, 0.02, style.metal),
        box(0, 0.16, 0.5, 0.03, 0.02, 0.18, style.metal),
        *[box(x, 0, 0.46, 0.008, 0.008, 0.2, style.metal) for x in (-0.08, 0.08)],
        ball(0, 0, 0.42, 0.28, 0.26, 0.13, green),
    ]
    return build([*parts, *trails])


_TRAILS = ((-0.13, 0.0, 0.0), (0.12, -0.03, 0.12), (-0.02, -0.13, 0.05), (0.06, -0.12, 0.2), (-0.09, -0.1, 0.18))


@thing(
    "flowers",
    "plant",
    OnTop(
        (
            "dining table",
            "coffee table",
            "console table",
            "sideboard",
            "kitchen island",
            "dresser",
            "bedside table",
            "piano",
            "fireplace",
        )
    ),
    {"d": 0.6, "l": 0.4, "e": 0.4, "b": 0.25, "k": 0.3, "hn": 0.3},
    rank=5,
)
def flowers(random: Random, style: Style) -> Furniture:
    """A bunch in a vase."""
    tone = random.choice(
        ((0.90, 0.25, 0.35), (0.95, 0.80, 0.25), (0.95, 0.95, 0.95), (0.70, 0.35, 0.75), (0.95, 0.55, 0.25))
    )
    vase = random.choice((GLASS, CERAMIC, Material(accent(random, style), gloss=0.45)))
    parts = [rod(0, 0, 0, 0.1, 0.2, vase, 0.75), ball(0, 0, 0.18, 0.2, 0.2, 0.14, leaves(random))]
    for i in range(6):
        x, y = random.uniform(-0.09, 0.09), random.uniform(-0.09, 0.09)
        parts.append(ball(x, y, 0.26 + 0.015 * i, 0.079, 0.079, 0.07, Material(shade(tone, random.uniform(0.8, 1.1)))))
    return build(parts)


@thing("vase", "objects", OnTop(_SURFACES), {"ln": 0.6, "d": 0.4, "eh": 0.4, "bif": 0.3, "k": 0.2}, rank=6)
def vase(random: Random, style: Style) -> Furniture:
    """Turned: a foot, a belly and a neck."""
    stuff = random.choice((CERAMIC, Material(accent(random, style), gloss=0.5), GLASS, TERRACOTTA))
    width, height = random.uniform(0.1, 0.16), random.uniform(0.2, 0.36)
    return build(
        [
            rod(0, 0, 0, width * 0.6, height * 0.35, stuff, 1.65),
            rod(0, 0, height * 0.35, width, height * 0.35, stuff, 0.45),
            rod(0, 0, height * 0.7, width * 0.45, height * 0.3, stuff, 1.4),
        ]
    )


@thing(
    "sculpture",
    "objects",
    OnTop(("console table", "sideboard", "fireplace", "coffee table", "dresser", "bookshelf", "piano")),
    {"l": 0.4, "n": 0.5, "h": 0.3, "e": 0.3, "io": 0.3, "d": 0.2},
    rank=6,
)
def sculpture(random: Random, style: Style) -> Furniture:
    """A bust, or an abstract ring on a plinth."""
    stuff = random.choice((BRASS, WHITE, BLACK, Material((0.80, 0.78, 0.74), "marble", scale=0.2)))
    if random.random() < 0.5:
        return build(
            [
                box(0, 0, 0, 0.14, 0.12, 0.05, BLACK),
                box(0, 0, 0.05, 0.18, 0.1, 0.09, stuff, taper=0.5),
                rod(0, 0, 0.13, 0.06, 0.06, stuff),
                ball(0, -0.005, 0.17, 0.11, 0.13, 0.15, stuff),
                ball(0, -0.07, 0.22, 0.025, 0.03, 0.04, stuff),
            ]
        )
    return build(
        [
            box(0, 0, 0, 0.16, 0.1, 0.04, BLACK),
            rod(0, 0, 0.04, 0.02, 0.06, stuff),
            disc("y", 0, 0, 0.2, 0.22, 0.04, stuff),
            disc("y", 0, 0, 0.2, 0.1, 0.045, BLACK),
        ]
    )


@thing("statue", "objects", AtWall(clear=0.3), {"x": 0.4, "e": 0.15, "h": 0.12, "n": 0.15, "s": 0.15}, area=8, rank=7)
def statue(random: Random, style: Style) -> Furniture:
    """A standing figure on a pedestal."""
    stone = Material(random.choice(((0.82, 0.80, 0.76), (0.55, 0.55, 0.53))), "stone", scale=0.4)
    parts = [
        box(0, 0, 0, 0.42, 0.42, 0.08, stone),
        box(0, 0, 0.08, 0.34, 0.34, 0.5, stone),
        box(0, 0, 0.58, 0.4, 0.4, 0.05, stone),
    ]
    parts += [
        box(0, 0, 0.63, 0.26, 0.2, 0.5, stone, taper=0.6),
        box(0, 0, 1.1, 0.2, 0.15, 0.32, stone, taper=1.35),
        rod(0, 0, 1.4, 0.07, 0.08, stone),
        ball(0, 0, 1.45, 0.15, 0.17, 0.2, stone),
    ]
    return build([*parts, *[box(side * 0.16, 0, 1.02, 0.07, 0.09, 0.38, stone) for side in (-1, 1)]])


@thing(
    "fireplace",
    "fireplace",
    AtWall(clear=0.9),
    {"l": 0.45, "f": 0.3, "n": 0.4, "b": 0.05, "i": 0.2, "d": 0.12},
    area=13,
    rank=1,
)
def fireplace(random: Random, style: Style) -> Furniture:
    """A mantelpiece around a dark hearth with logs and a fire."""
    width, height = random.uniform(1.2, 1.5), random.uniform(1.05, 1.2)
    surround = random.choice(
        (
            Material((0.86, 0.85, 0.82), "marble", scale=0.6, gloss=0.3),
            Material((0.58, 0.27, 0.20), "bricks", (0.75, 0.72, 0.68), 0.25),
            painted(random, style),
            Material((0.60, 0.57, 0.53), "stone", scale=0.4),
        )
    )
    opening, top = width * 0.52, height * 0.62
    jamb = (width - opening) / 2
    parts = [box(side * (width - jamb) / 2, 0.02, 0, jamb, 0.34, height - 0.08, surround) for side in (-1, 1)]
    parts += [
        box(0, 0.02, top, opening, 0.34, height - 0.08 - top, surround),
        box(0, 0, height - 0.08, width + 0.16, 0.44, 0.08, wood(random, style)),
    ]
    parts += [
        box(0, 0.16, 0, opening, 0.06, top, BLACK),
        box(0, -0.0, 0, opening, 0.38, 0.03, DARK),
        box(0, -0.3, 0, width, 0.24, 0.03, Material((0.35, 0.34, 0.33), "stone", scale=0.3)),
    ]
    bark = Material((0.25, 0.16, 0.10), "wood", scale=0.2)
    parts += [bar("x", 0, 0.02, 0.08, opening * 0.7, 0.1, bark), bar("x", 0.03, 0.08, 0.14, opening * 0.55, 0.09, bark)]
    parts += [
        box(x, 0.05, 0.12, 0.1, 0.08, h, glowing((1.0, 0.5, 0.12), 1.0), taper=0.1)
        for x, h in ((-0.1, 0.18), (0.0, 0.28), (0.1, 0.2))
    ]
    return build(parts, tops=[Top(0, 0.03, height, width, 0.26)])


@thing(
    "radiator",
    "appliances",
    AtWall(clear=0.15, at_window=True),
    {"lbdok": 0.45, "a": 0.3, "h": 0.4, "efi": 0.3, "jtC": 0.4, "s": 0.2},
    rank=6,
)
def radiator(random: Random, style: Style) -> Furniture:
    """A row of white ribs on two feet."""
    width = random.uniform(0.6, 1.0)
    count = min(14, int(width / 0.07))
    parts = [box(x, 0, 0.1, width / count * 0.72, 0.11, 0.5, WHITE) for x in row(count, width)]
    parts += [box(0, 0, z, width, 0.06, 0.04, WHITE) for z in (0.13, 0.53)] + [
        box(x, 0.02, 0, 0.04, 0.06, 0.12, WHITE) for x in row(2, width)
    ]
    return build([*parts, bar("x", width / 2 + 0.03, 0, 0.52, 0.06, 0.05, WHITE)])


@thing(
    "aquarium",
    "objects",
    OnTop(("sideboard", "dresser", "cabinet", "tv stand")),
    {"l": 0.1, "b": 0.08, "o": 0.1, "rvn": 0.12},
    rank=3,
)
def aquarium(random: Random, style: Style) -> Furniture:
    """A tank with water, gravel, weeds and two fish."""
    parts = [
        box(0, 0, 0, 0.56, 0.27, 0.02, BLACK),
        box(0, 0, 0.02, 0.55, 0.26, 0.04, Material((0.75, 0.68, 0.52), "stone", scale=0.1)),
        box(0, 0.05, 0.06, 0.55, 0.16, 0.24, Material(WATER.colour, gloss=0.6, glow=0.25)),
        box(0, 0, 0.3, 0.56, 0.27, 0.03, BLACK),
    ]
    parts += [box(x, -0.05, 0.06, 0.04, 0.02, 0.16, leaves(random), taper=0.4) for x in (-0.2, -0.14, 0.19)]
    return build(
        [
            *parts,
            *[ball(x, -0.03, z, 0.08, 0.03, 0.04, Material((0.95, 0.45, 0.10))) for x, z in ((-0.02, 0.2), (0.1, 0.13))],
        ]
    )


@thing("pedestal", "furniture", AtWall(clear=0.2, corner=True), {"n": 0.25, "e": 0.15, "h": 0.15, "l": 0.1}, rank=7)
def pedestal(random: Random, style: Style) -> Furniture:
    """A column with a vase on it."""
    stone = Material((0.86, 0.84, 0.80), "marble", scale=0.5, gloss=0.2)
    parts = [
        box(0, 0, 0, 0.34, 0.34, 0.08, stone),
        rod(0, 0, 0.08, 0.24, 0.75, stone, 0.85),
        box(0, 0, 0.83, 0.32, 0.32, 0.06, stone),
    ]
    return build([*parts, *[part.moved(0, 0, 0.89) for part in vase(random, style).parts]])


@thing(
    "room divider",
    "furniture",
    AtWall(clear=0.3, corner=True),
    {"b": 0.12, "l": 0.06, "S": 0.3, "n": 0.1, "c": 0.1},
    area=14,
    rank=7,
)
def room_divider(random: Random, style: Style) -> Furniture:
    """A folding screen of three panels in a zigzag."""
    frame, panel = (
        wood(random, style),
        random.choice((PAPER, plain_cloth(random, style), Material(accent(random, style), "leaves", (0.9, 0.87, 0.8), 0.3))),
    )
    parts: list[Part] = []
    for i, x in enumerate(row(3, 1.26)):
        turn = 0.4 * (-1) ** i
        parts += [
            box(x, 0, 0, 0.45, 0.03, 1.65, frame, turn=turn),
            box(x, 0, 0.1, 0.38, 0.036, 1.45, panel, turn=turn),
            box(x, 0, 0.8, 0.38, 0.04, 0.03, frame, turn=turn),
        ]
    return build(parts)


@thing("wall hanging", "objects", OnWall(1.5), {"b": 0.25, "l": 0.15, "h": 0.2, "S": 0.4, "i": 0.15, "y": 0.2}, rank=5)
def wall_hanging(random: Random, style: Style) -> Furniture:
    """A woven cloth with fringes on a stick."""
    width, stuff = (
        random.uniform(0.4, 0.6),
        Material(accent(random, style), random.choice(("stripes", "checks", "carpet")), (0.92, 0.88, 0.8), 0.12),
    )
    parts = [bar("x", 0, 0, 0.8, width + 0.12, 0.025, wood(random, style)), box(0, 0, 0.2, width, 0.015, 0.6, stuff)]
    return build([*parts, *[box(x, 0, 0.03 * (i % 3), 0.02, 0.012, 0.2, PAPER) for i, x in enumerate(row(9, width))]])


@thing(
    "easel", "furniture", AtWall(clear=0.4, corner=True), {"r": 0.2, "C": 0.3, "z": 0.2, "o": 0.06, "Z": 0.2}, area=9, rank=7
)
def easel(random: Random, style: Style) -> Furniture:
    """A painter's tripod with a canvas."""
    leg, steps = wood(random, style), range(8)
    parts = [box(side * (0.3 - 0.03 * i), 0.0, 0.2 * i, 0.045, 0.03, 0.22, leg) for side in (-1, 1) for i in steps]
    parts += [box(0, 0.25 - 0.03 * i, 0.2 * i, 0.035, 0.045, 0.22, leg) for i in steps]
    canvas = [box(0, -0.03, 0.735, 0.55, 0.025, 0.7, WHITE), box(0, -0.046, 0.745, 0.53, 0.008, 0.68, _art(random, style))]
    return build([*parts, box(0, -0.03, 0.7, 0.6, 0.06, 0.035, leg), *canvas])


@thing("lectern", "furniture", AtWall(clear=0.5), {"C": 0.5, "m": 0.25}, area=8, rank=5)
def lectern(random: Random, style: Style) -> Furniture:
    """A speaker's desk."""
    stuff = wood(random, style)
    return build(
        [
            box(0, 0, 0, 0.5, 0.4, 0.05, stuff),
            box(0, 0, 0.05, 0.4, 0.3, 0.95, stuff),
            box(0, -0.16, 0.2, 0.3, 0.02, 0.6, darker(stuff, 0.85)),
            box(0, 0, 1.0, 0.56, 0.42, 0.1, stuff, taper=0.9),
            box(0, 0, 1.1, 0.3, 0.22, 0.01, PAPER),
        ]
    )


@thing("rail post", "railing", AtWall(clear=0.2, corner=True), {"s": 0.3}, rank=8)
def rail_post(random: Random, style: Style) -> Furniture:
    """A turned newel post with a ball."""
    stuff = wood(random, style)
    return build(
        [
            *four_legs(0.16, 0.16, 0.1, 0.07, stuff),
            box(0, 0, 0.08, 0.14, 0.14, 0.25, stuff),
            rod(0, 0, 0.33, 0.09, 0.5, stuff),
            box(0, 0, 0.83, 0.14, 0.14, 0.14, stuff),
            ball(0, 0, 0.96, 0.13, 0.13, 0.13, stuff),
        ]
    )

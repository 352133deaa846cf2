"""Looks for houses: families of styles, and a draw within one so that no two houses are alike.

    style = draw_style(numpy.random.default_rng(7))
    style.name                                  # "scandinavian"

A family says from which paints, papers, floors, woods, cloths and metals its houses choose; every draw also shifts the tones
a little, hangs wallpaper in some rooms, tiles others, and moves the sun.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from random import Random

from numpy.random import Generator

from vnla.houses.generate.style import Style
from vnla.houses.scene import Colour, Material, Pattern

Tones = tuple[Colour, ...]

_WET = "atSj"
"""Rooms with tiled walls: bathroom, toilet, spa, laundry."""
_BARE = "guZ"
"""Rooms with a bare floor: garage, utility room, junk."""


@dataclass(frozen=True)
class Family:
    """From what the houses of one style are made."""

    name: str
    paint: Tones
    wood: Tones
    fabric: Tones
    accent: Tones
    metal: Tones
    tiles: Tones
    papers: tuple[Pattern, ...] = ("stripes", "leaves")
    papered: float = 0.3
    """Share of rooms with a patterned wallpaper."""
    floors: tuple[Pattern, ...] = ("planks", "planks", "carpet")
    cloths: tuple[Pattern, ...] = ("fabric", "fabric", "stripes", "checks")
    feature: Pattern | None = None
    """A bare material that some rooms show instead of paint: brick, stone."""
    light: Colour = (1.0, 0.93, 0.82)
    outside: Tones = ((0.82, 0.78, 0.72), (0.70, 0.45, 0.36))


_WHITE, _CREAM, _GREY, _BLACK = (0.94, 0.94, 0.92), (0.93, 0.89, 0.80), (0.62, 0.63, 0.64), (0.12, 0.12, 0.13)
_OAK, _PINE, _BEECH, _ASH = (0.66, 0.49, 0.30), (0.80, 0.62, 0.40), (0.78, 0.60, 0.43), (0.78, 0.70, 0.58)
_WALNUT, _MAHOGANY, _EBONY, _TEAK = (0.36, 0.23, 0.14), (0.40, 0.17, 0.11), (0.16, 0.11, 0.09), (0.53, 0.33, 0.18)
_CHROME, _BRASS, _IRON, _COPPER = (0.78, 0.79, 0.81), (0.74, 0.58, 0.28), (0.14, 0.14, 0.15), (0.70, 0.42, 0.28)

FAMILIES = (
    Family(
        "scandinavian",
        (_WHITE, (0.88, 0.89, 0.89), (0.80, 0.85, 0.86), (0.90, 0.86, 0.80)),
        (_PINE, _BEECH, _ASH),
        ((0.72, 0.74, 0.75), (0.88, 0.86, 0.82), (0.45, 0.52, 0.58)),
        ((0.25, 0.42, 0.52), (0.85, 0.70, 0.35), (0.75, 0.45, 0.38)),
        (_CHROME, _BLACK),
        (_WHITE, (0.78, 0.83, 0.84)),
        ("stripes", "dots"),
        0.12,
        light=(1.0, 0.95, 0.88),
    ),
    Family(
        "victorian",
        ((0.45, 0.23, 0.22), (0.30, 0.38, 0.30), (0.76, 0.66, 0.48), (0.36, 0.38, 0.48)),
        (_MAHOGANY, _WALNUT),
        ((0.48, 0.14, 0.16), (0.22, 0.34, 0.24), (0.55, 0.42, 0.24)),
        ((0.66, 0.16, 0.18), (0.74, 0.58, 0.25), (0.18, 0.34, 0.28)),
        (_BRASS,),
        ((0.90, 0.90, 0.86), (0.25, 0.40, 0.36)),
        ("leaves", "stripes"),
        0.75,
        ("planks", "carpet", "carpet"),
        ("leaves", "stripes", "fabric"),
        light=(1.0, 0.86, 0.66),
        outside=((0.55, 0.26, 0.20), (0.64, 0.60, 0.54)),
    ),
    Family(
        "modern",
        (_WHITE, (0.83, 0.83, 0.84), (0.48, 0.50, 0.53), (0.90, 0.90, 0.87)),
        (_EBONY, _ASH, _WALNUT),
        ((0.30, 0.31, 0.33), (0.80, 0.80, 0.78), (0.12, 0.12, 0.13)),
        ((0.85, 0.18, 0.16), (0.10, 0.45, 0.65), (0.95, 0.75, 0.10)),
        (_CHROME, _BLACK),
        ((0.85, 0.86, 0.86), (0.30, 0.31, 0.33)),
        ("stripes",),
        0.06,
        ("tiles", "marble", "planks"),
        ("fabric",),
        light=(1.0, 0.97, 0.94),
        outside=((0.90, 0.90, 0.88), (0.45, 0.46, 0.48)),
    ),
    Family(
        "rustic",
        (_CREAM, (0.82, 0.70, 0.52), (0.72, 0.62, 0.50)),
        (_OAK, _PINE, _TEAK),
        ((0.62, 0.30, 0.20), (0.40, 0.44, 0.28), (0.72, 0.60, 0.44)),
        ((0.72, 0.26, 0.16), (0.44, 0.50, 0.24), (0.84, 0.62, 0.26)),
        (_IRON, _COPPER),
        ((0.76, 0.56, 0.40), (0.88, 0.84, 0.74)),
        ("checks", "leaves"),
        0.2,
        ("planks", "planks", "stone"),
        ("checks", "stripes", "fabric"),
        "stone",
        (1.0, 0.87, 0.68),
        ((0.62, 0.56, 0.48), (0.50, 0.36, 0.24)),
    ),
    Family(
        "mediterranean",
        ((0.95, 0.93, 0.86), (0.92, 0.78, 0.56), (0.88, 0.64, 0.46), (0.72, 0.83, 0.88)),
        (_TEAK, _OAK),
        ((0.18, 0.40, 0.62), (0.92, 0.90, 0.84), (0.82, 0.56, 0.28)),
        ((0.10, 0.36, 0.64), (0.88, 0.48, 0.20), (0.20, 0.55, 0.55)),
        (_IRON, _BRASS),
        ((0.22, 0.44, 0.66), (0.86, 0.62, 0.44), (0.94, 0.92, 0.86)),
        ("stripes",),
        0.08,
        ("tiles", "tiles", "stone"),
        ("stripes", "fabric", "dots"),
        None,
        (1.0, 0.92, 0.78),
        ((0.95, 0.92, 0.84), (0.86, 0.62, 0.44)),
    ),
    Family(
        "industrial",
        ((0.60, 0.59, 0.57), (0.45, 0.46, 0.47), (0.82, 0.80, 0.77)),
        (_WALNUT, _TEAK, _OAK),
        ((0.33, 0.22, 0.16), (0.25, 0.26, 0.28), (0.50, 0.47, 0.43)),
        ((0.76, 0.40, 0.16), (0.30, 0.42, 0.46), (0.72, 0.60, 0.20)),
        (_IRON, _COPPER),
        ((0.88, 0.88, 0.86), (0.28, 0.29, 0.30)),
        ("stripes",),
        0.04,
        ("stone", "planks", "planks"),
        ("fabric", "fabric", "checks"),
        "bricks",
        (1.0, 0.84, 0.62),
        ((0.58, 0.30, 0.24), (0.40, 0.40, 0.41)),
    ),
    Family(
        "art deco",
        ((0.14, 0.30, 0.34), (0.92, 0.86, 0.74), (0.20, 0.22, 0.32), (0.84, 0.66, 0.62)),
        (_EBONY, _WALNUT, _MAHOGANY),
        ((0.10, 0.36, 0.38), (0.16, 0.18, 0.30), (0.84, 0.74, 0.54)),
        ((0.82, 0.64, 0.26), (0.06, 0.44, 0.42), (0.78, 0.42, 0.44)),
        (_BRASS, _CHROME),
        (_WHITE, _BLACK, (0.16, 0.40, 0.40)),
        ("stripes", "dots"),
        0.45,
        ("marble", "planks", "checks"),
        ("stripes", "fabric", "dots"),
        None,
        (1.0, 0.90, 0.74),
        ((0.92, 0.88, 0.78), (0.74, 0.70, 0.64)),
    ),
    Family(
        "japanese",
        ((0.94, 0.92, 0.86), (0.86, 0.82, 0.72), (0.78, 0.76, 0.68)),
        (_BEECH, _ASH, _EBONY),
        ((0.88, 0.84, 0.74), (0.34, 0.40, 0.36), (0.56, 0.50, 0.42)),
        ((0.72, 0.18, 0.16), (0.22, 0.30, 0.42), (0.52, 0.58, 0.36)),
        (_BLACK, _IRON),
        ((0.54, 0.56, 0.54), (0.86, 0.84, 0.78)),
        ("leaves",),
        0.12,
        ("planks", "carpet", "stone"),
        ("fabric", "fabric", "leaves"),
        None,
        (1.0, 0.91, 0.76),
        ((0.40, 0.30, 0.22), (0.90, 0.88, 0.82)),
    ),
    Family(
        "colonial",
        ((0.90, 0.86, 0.74), (0.66, 0.74, 0.68), (0.62, 0.70, 0.78), (0.86, 0.78, 0.62)),
        (_TEAK, _MAHOGANY),
        ((0.88, 0.84, 0.74), (0.40, 0.50, 0.42), (0.62, 0.34, 0.24)),
        ((0.24, 0.42, 0.36), (0.72, 0.34, 0.22), (0.30, 0.40, 0.60)),
        (_BRASS, _IRON),
        ((0.92, 0.92, 0.88), (0.50, 0.62, 0.60)),
        ("leaves", "stripes", "checks"),
        0.4,
        ("planks", "planks", "tiles"),
        ("leaves", "stripes", "checks"),
        None,
        (1.0, 0.90, 0.74),
        ((0.92, 0.91, 0.87), (0.64, 0.72, 0.76)),
    ),
    Family(
        "mid-century",
        ((0.93, 0.91, 0.85), (0.86, 0.62, 0.30), (0.40, 0.54, 0.52), (0.78, 0.80, 0.72)),
        (_TEAK, _WALNUT),
        ((0.82, 0.50, 0.18), (0.36, 0.50, 0.46), (0.58, 0.56, 0.50)),
        ((0.90, 0.48, 0.10), (0.10, 0.50, 0.50), (0.80, 0.72, 0.20)),
        (_BRASS, _BLACK),
        ((0.62, 0.78, 0.74), (0.94, 0.90, 0.80), (0.92, 0.70, 0.66)),
        ("dots", "leaves"),
        0.25,
        ("planks", "planks", "carpet"),
        ("fabric", "dots", "fabric"),
        None,
        (1.0, 0.89, 0.72),
        ((0.78, 0.70, 0.58), (0.54, 0.34, 0.22)),
    ),
    Family(
        "country",
        ((0.92, 0.90, 0.82), (0.78, 0.86, 0.78), (0.94, 0.84, 0.80), (0.80, 0.86, 0.92)),
        (_PINE, _OAK, (0.90, 0.88, 0.84)),
        ((0.84, 0.60, 0.60), (0.62, 0.72, 0.84), (0.92, 0.88, 0.80)),
        ((0.82, 0.36, 0.42), (0.40, 0.58, 0.76), (0.50, 0.66, 0.40)),
        (_BRASS, _CHROME),
        (_WHITE, (0.70, 0.82, 0.76)),
        ("leaves", "dots", "checks"),
        0.5,
        ("planks", "carpet", "planks"),
        ("leaves", "checks", "stripes", "dots"),
        None,
        (1.0, 0.91, 0.76),
        ((0.94, 0.92, 0.86), (0.74, 0.80, 0.74)),
    ),
    Family(
        "eclectic",
        ((0.86, 0.44, 0.36), (0.24, 0.44, 0.50), (0.90, 0.76, 0.40), (0.60, 0.44, 0.60), (0.94, 0.92, 0.88)),
        (_OAK, _EBONY, _PINE),
        ((0.70, 0.22, 0.44), (0.16, 0.42, 0.58), (0.88, 0.62, 0.20)),
        ((0.88, 0.24, 0.34), (0.14, 0.56, 0.62), (0.92, 0.72, 0.14), (0.46, 0.28, 0.58)),
        (_BRASS, _COPPER, _CHROME),
        ((0.20, 0.50, 0.58), (0.90, 0.60, 0.40), _WHITE),
        ("leaves", "dots", "stripes", "checks"),
        0.35,
        ("planks", "checks", "carpet"),
        ("leaves", "dots", "stripes", "checks", "fabric"),
        None,
        (1.0, 0.90, 0.76),
    ),
)


def draw_style(random: Generator, names: Collection[str] = ()) -> Style:
    """A style of one of the families, or of those of some names."""
    draw = Random(int(random.integers(2**63)))
    family = draw.choice([family for family in FAMILIES if not names or family.name in names])
    wood = tuple(_grain(draw, tone) for tone in draw.sample(family.wood, 2))
    trim = Material(_near(draw, draw.choice((_WHITE, _CREAM, _WHITE, family.wood[0]))), gloss=0.2)
    return Style(
        name=family.name,
        walls=_walls(draw, family),
        floors=_floors(draw, family, wood),
        ceiling=Material(_near(draw, (0.95, 0.95, 0.93))),
        outside=_facade(draw, family),
        trim=trim,
        doors=draw.choice((trim, wood[0], wood[1], Material(_near(draw, draw.choice(family.accent)), gloss=0.2))),
        wood=wood,
        fabric=tuple(_cloth(draw, family, tone) for tone in family.fabric),
        metal=Material(_near(draw, draw.choice(family.metal)), "metal", gloss=0.45),
        accent=tuple(_near(draw, tone, 0.08) for tone in family.accent),
        light_colour=_near(draw, family.light, 0.03),
        light_power=draw.uniform(1.5, 2.3),
        sun=_sun(draw),
        sky=_near(draw, draw.choice(((0.62, 0.76, 0.92), (0.72, 0.80, 0.88), (0.80, 0.82, 0.84), (0.90, 0.78, 0.66)))),
        units=_units(draw, family, wood),
        worktop=_worktop(draw, family),
    )


def _near(random: Random, colour: Colour, by: float = 0.05) -> Colour:
    """A tone close to one: brighter or darker as a whole, and each channel a little by itself."""
    lift = random.uniform(-by, by)
    red, green, blue = (min(1.0, max(0.02, channel + lift + random.uniform(-by / 2, by / 2))) for channel in colour)
    return red, green, blue


def _mix(first: Colour, second: Colour, share: float) -> Colour:
    red, green, blue = (a + (b - a) * share for a, b in zip(first, second, strict=True))
    return red, green, blue


def _grain(random: Random, tone: Colour) -> Material:
    """Furniture wood."""
    colour = _near(random, tone)
    return Material(
        colour, "wood", _mix(colour, (0.1, 0.06, 0.03), 0.35), random.uniform(0.5, 0.9), random.choice((0.1, 0.2, 0.35))
    )


def _cloth(random: Random, family: Family, tone: Colour) -> Material:
    colour = _near(random, tone, 0.08)
    pattern = random.choice(family.cloths)
    return Material(colour, pattern, _mix(colour, random.choice(family.accent), 0.5), random.uniform(0.1, 0.3))


def _walls(random: Random, family: Family) -> dict[str, Material]:
    """Paint or paper for each kind of room, tiles where it is wet, brick or stone now and then."""
    main = _lightened(_near(random, random.choice(family.paint)), 0.7)
    walls = {"": Material(main)}
    for label in "bcdefhiklmnorsvwzBCD":
        bold = 0.0 if random.random() < 0.35 else 0.6  # dark paint is for a room or two
        colour = _lightened(_near(random, random.choice(family.paint)), bold) if random.random() < 0.6 else main
        walls[label] = _wall(random, family, colour, label)
    tiles = _tiling(random, family, random.uniform(0.15, 0.3))
    for label in _WET:
        walls[label] = tiles if random.random() < 0.92 else walls[""]
    if random.random() < 0.5:
        walls["k"] = _tiling(random, family, random.uniform(0.1, 0.2))
    for label in _BARE:
        walls[label] = Material(_near(random, (0.80, 0.79, 0.76)), random.choice(("plain", "bricks")), scale=0.5)
    return walls


def _lightened(colour: Colour, least: float) -> Colour:
    """The same hue, mixed with white until it is at least that bright."""
    bright = sum(colour) / 3
    return colour if bright >= least else _mix(colour, _WHITE, (least - bright) / (sum(_WHITE) / 3 - bright))


def _wall(random: Random, family: Family, colour: Colour, label: str) -> Material:
    if family.feature is not None and random.random() < 0.35:
        bare = (0.60, 0.30, 0.23) if family.feature == "bricks" else (0.66, 0.61, 0.54)
        return Material(_near(random, bare), family.feature, (0.76, 0.73, 0.68), random.uniform(0.4, 0.6))
    if label not in "k" and random.random() < family.papered:
        figure = _mix(colour, random.choice((*family.accent, _WHITE)), random.uniform(0.2, 0.45))
        return Material(
            colour, random.choice(family.papers), figure, random.uniform(0.25, 0.6), seed=random.randrange(1 << 16)
        )
    return Material(colour)


def _tiling(random: Random, family: Family, scale: float) -> Material:
    colour = _near(random, random.choice(family.tiles))
    return Material(colour, "tiles", _mix(colour, (0.85, 0.85, 0.83), 0.6), scale, 0.35, seed=random.randrange(1 << 16))


def _floors(random: Random, family: Family, wood: tuple[Material, ...]) -> dict[str, Material]:
    """One floor for most of the house, another for the bedrooms, tiles where it is wet, grass outside."""
    floors = {"": _floor(random, family, wood, random.choice(family.floors))}
    bedrooms = _floor(random, family, wood, random.choice(family.floors))
    floors |= dict.fromkeys("bc", bedrooms)
    floors |= {
        label: _floor(random, family, wood, random.choice(family.floors)) for label in "lfnviod" if random.random() < 0.3
    }
    wet = _floor(random, family, wood, random.choice(("tiles", "tiles", "marble", "checks")))
    floors |= dict.fromkeys(_WET, wet)
    if random.random() < 0.6:
        floors["k"] = _floor(random, family, wood, random.choice(("tiles", "checks", "stone")))
    floors |= {label: Material(_near(random, (0.58, 0.57, 0.55)), "stone", scale=1.2) for label in _BARE}
    rubber = _near(random, (0.25, 0.26, 0.28))
    floors["w"] = Material(rubber, "carpet", scale=0.3) if random.random() < 0.6 else floors[""]
    terrace = _floor(random, family, wood, random.choice(("planks", "stone", "tiles")))
    floors |= {"p": terrace, "y": terrace}
    floors["x"] = Material(_near(random, (0.32, 0.48, 0.20)), "grass", scale=0.6) if random.random() < 0.75 else terrace
    return floors


def _floor(random: Random, family: Family, wood: tuple[Material, ...], pattern: Pattern) -> Material:
    chance = random.randrange(1 << 16)
    if pattern == "planks":
        colour = _near(random, random.choice(wood).colour, 0.08)
        return Material(
            colour,
            "planks",
            _mix(colour, (0.1, 0.06, 0.03), 0.45),
            random.uniform(0.8, 1.4),
            random.uniform(0.05, 0.3),
            seed=chance,
        )
    if pattern == "carpet":
        return Material(
            _near(random, _mix(random.choice(family.fabric), _CREAM, 0.45), 0.08), "carpet", scale=0.4, seed=chance
        )
    if pattern == "marble":
        colour = _near(random, random.choice((_WHITE, (0.84, 0.80, 0.74), (0.30, 0.32, 0.33))))
        return Material(colour, "marble", _mix(colour, _GREY, 0.5), 1.2, 0.45, seed=chance)
    if pattern == "checks":
        dark = _near(random, random.choice((_BLACK, (0.22, 0.34, 0.34), (0.44, 0.20, 0.16))))
        return Material(_near(random, (0.90, 0.88, 0.84)), "checks", dark, random.uniform(0.5, 0.8), 0.35, seed=chance)
    if pattern == "stone":
        return Material(
            _near(random, (0.62, 0.58, 0.52), 0.1), "stone", scale=random.uniform(0.6, 1.0), gloss=0.1, seed=chance
        )
    colour = _near(random, _mix(random.choice(family.tiles), _CREAM, 0.35), 0.08)
    return Material(colour, "tiles", _mix(colour, (0.5, 0.5, 0.48), 0.5), random.uniform(0.3, 0.6), 0.3, seed=chance)


def _facade(random: Random, family: Family) -> Material:
    colour = _near(random, random.choice(family.outside))
    pattern: Pattern = random.choice(("plain", "bricks", "stone", "planks"))
    return Material(colour, pattern, _mix(colour, (0.85, 0.83, 0.80), 0.4), random.uniform(0.4, 0.7))


def _units(random: Random, family: Family, wood: tuple[Material, ...]) -> Material:
    """Fronts of fitted units: painted, in a subdued accent, or wood."""
    painted = Material(_near(random, random.choice((_WHITE, _CREAM, (0.60, 0.63, 0.64)))), gloss=0.25)
    coloured = Material(_mix(random.choice(family.accent), (0.75, 0.76, 0.74), random.uniform(0.3, 0.6)), gloss=0.2)
    return random.choice((painted, painted, coloured, wood[0]))


def _worktop(random: Random, family: Family) -> Material:
    slab = random.choice(((0.20, 0.20, 0.21), (0.46, 0.45, 0.44), (0.86, 0.85, 0.83)))
    if random.random() < 0.35:
        return _grain(random, random.choice(family.wood))
    return Material(_near(random, slab), random.choice(("stone", "marble")), scale=0.6, gloss=0.4)


def _sun(random: Random) -> tuple[float, float, float]:
    """Somewhere between 25 and 65 degrees high, anywhere but due north."""
    azimuth, height = random.uniform(-2.6, 2.6) - math.pi / 2, math.radians(random.uniform(25, 65))
    return math.cos(height) * math.cos(azimuth), math.cos(height) * math.sin(azimuth), math.sin(height)

"""Looks for houses: families of styles, and a draw within one so that no two houses are alike.

    style = draw_style(numpy.random.default_rng(7))
    style.name                                  # "scandinavian"

A family says from which paints, papers, floors, woods, cloths and metals its houses choose; every draw also shifts the tones
a little, hangs wallpaper in some rooms, tiles others, and moves the sun.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

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


_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_COLOURS: dict[str, Colour] = {name: (red, green, blue) for name, (red, green, blue) in _TABLE.pop("colours").items()}
_WHITE, _CREAM, _GREY, _BLACK = (_COLOURS[name] for name in ("white", "cream", "grey", "black"))


def _family(name: str, fields: dict[str, Any]) -> Family:
    return Family(name, **{field: _choices(value) for field, value in fields.items()})


def _choices(value: Any) -> Any:
    """A value of the table, with colours for their names and tuples for lists."""
    return tuple(map(_choices, value)) if isinstance(value, list) else _COLOURS.get(value, value)


FAMILIES = tuple(_family(name, fields) for name, fields in _TABLE.items())


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

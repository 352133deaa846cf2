"""Materials that furniture is made of: a few that are the same everywhere, the rest drawn from the house's style."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from vnla.houses.generate.style import Style
from vnla.houses.scene import Colour, Material, Pattern

CERAMIC = Material((0.94, 0.94, 0.93), gloss=0.45)
BASIN = Material((0.80, 0.82, 0.83), gloss=0.4)
CHROME = Material((0.78, 0.79, 0.81), "metal", gloss=0.6)
STEEL = Material((0.66, 0.67, 0.69), "metal", gloss=0.45)
IRON = Material((0.13, 0.13, 0.14), "metal", gloss=0.25)
BRASS = Material((0.74, 0.58, 0.28), "metal", gloss=0.5)
BLACK = Material((0.06, 0.06, 0.07), gloss=0.3)
DARK = Material((0.17, 0.17, 0.18), gloss=0.15)
GREY = Material((0.52, 0.53, 0.55), gloss=0.15)
WHITE = Material((0.93, 0.93, 0.92), gloss=0.15)
PAPER = Material((0.96, 0.95, 0.91))
GLASS = Material((0.72, 0.83, 0.85), gloss=0.75)
DARK_GLASS = Material((0.08, 0.09, 0.10), gloss=0.7)
MIRROR = Material((0.80, 0.85, 0.88), gloss=1.0)
WATER = Material((0.45, 0.68, 0.75), gloss=0.7)
SOIL = Material((0.20, 0.14, 0.10))
RUBBER = Material((0.09, 0.09, 0.10))
TERRACOTTA = Material((0.70, 0.38, 0.25))
WICKER = Material((0.67, 0.50, 0.31), "checks", (0.48, 0.34, 0.19), scale=0.05)
CARDBOARD = Material((0.71, 0.55, 0.38))
CORK = Material((0.72, 0.56, 0.40), "carpet", scale=0.3)


def shade(colour: Colour, by: float) -> Colour:
    """Darker for `by` below 1, lighter above."""
    red, green, blue = (min(1.0, max(0.0, channel * by)) for channel in colour)
    return red, green, blue


def mix(first: Colour, second: Colour, share: float) -> Colour:
    """`share` of the second colour in the first."""
    red, green, blue = (a + (b - a) * share for a, b in zip(first, second, strict=True))
    return red, green, blue


def darker(material: Material, by: float = 0.75) -> Material:
    """The same material in a darker shade (lighter for `by` above 1)."""
    accent = None if material.accent is None else shade(material.accent, by)
    return replace(material, colour=shade(material.colour, by), accent=accent)


def seed(random: Random) -> int:
    """Which of a pattern's looks."""
    return random.randrange(1 << 16)


def wood(random: Random, style: Style) -> Material:
    """One of the house's woods."""
    return replace(random.choice(style.wood), seed=seed(random))


def cloth(random: Random, style: Style) -> Material:
    """Upholstery: one of the house's fabrics."""
    return replace(random.choice(style.fabric), seed=seed(random))


def accent(random: Random, style: Style) -> Colour:
    """One of the house's bright colours, a little lighter or darker."""
    return shade(random.choice(style.accent), random.uniform(0.85, 1.15))


def plain_cloth(random: Random, style: Style) -> Material:
    """Cloth in one of the house's bright colours."""
    return Material(accent(random, style), "fabric", scale=0.25, seed=seed(random))


def patterned_cloth(random: Random, style: Style) -> Material:
    """Cloth for curtains, rugs and cushions."""
    pattern: Pattern = random.choice(("fabric", "fabric", "stripes", "checks", "dots", "leaves"))
    first, second = accent(random, style), mix(random.choice(style.fabric).colour, (0.95, 0.94, 0.90), 0.4)
    if random.random() < 0.5:
        first, second = second, first
    return Material(first, pattern, second, random.uniform(0.15, 0.35), seed=seed(random))


def linen(random: Random) -> Material:
    """White or pale bed linen and towels."""
    tone = random.choice(((0.95, 0.95, 0.94), (0.93, 0.90, 0.84), (0.85, 0.89, 0.93), (0.90, 0.86, 0.86)))
    return Material(tone, "fabric", scale=0.3, seed=seed(random))


def leather(random: Random) -> Material:
    """Black, brown, tan or cream leather."""
    tone = random.choice(((0.10, 0.09, 0.09), (0.30, 0.17, 0.10), (0.55, 0.33, 0.18), (0.82, 0.76, 0.66)))
    return Material(shade(tone, random.uniform(0.9, 1.1)), gloss=0.3)


def painted(random: Random, style: Style) -> Material:
    """Painted furniture: off-white, grey or one of the accents, subdued."""
    tone = random.choice(
        ((0.92, 0.91, 0.88), (0.85, 0.85, 0.84), (0.55, 0.57, 0.58), mix(accent(random, style), (0.9, 0.9, 0.9), 0.45))
    )
    return Material(tone, gloss=0.15)


def wood_or_paint(random: Random, style: Style, painted_share: float = 0.3) -> Material:
    """Cabinet fronts."""
    return painted(random, style) if random.random() < painted_share else wood(random, style)


def glowing(colour: Colour, by: float = 0.8) -> Material:
    """A lit lamp shade."""
    return Material(mix((1.0, 1.0, 1.0), colour, 0.6), glow=by)


def plastic(random: Random) -> Material:
    """A bright plastic."""
    tones = (
        (0.80, 0.16, 0.14),
        (0.13, 0.35, 0.68),
        (0.95, 0.76, 0.15),
        (0.18, 0.55, 0.30),
        (0.92, 0.92, 0.92),
        (0.12, 0.12, 0.13),
    )
    return Material(random.choice(tones), gloss=0.3)


def leaves(random: Random) -> Material:
    """Foliage."""
    tone = random.choice(((0.16, 0.40, 0.14), (0.22, 0.47, 0.19), (0.30, 0.50, 0.22), (0.14, 0.33, 0.17)))
    return Material(tone, "leaves", shade(tone, 1.6), 0.12, seed=seed(random))


def enamel(random: Random) -> Material:
    """White goods and ceramics: white, or an off-white that has aged."""
    tone = random.choice(((0.94, 0.94, 0.93), (0.92, 0.90, 0.85), (0.86, 0.87, 0.88)))
    return Material(shade(tone, random.uniform(0.94, 1.04)), gloss=0.35)

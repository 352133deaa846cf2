"""Lamps. Those on the ceiling light their room; the small ones add a pool of light."""

from __future__ import annotations

from random import Random

from vnla.houses.generate.catalogue import materials as m
from vnla.houses.generate.catalogue.pieces import Elements, ball, bar, box, rod
from vnla.houses.generate.style import Style
from vnla.houses.scene import Light, Material


def _light(style: Style, z: float, share: float, x: float = 0.0, y: float = 0.0) -> Light:
    """A light of `share` of the house's lamp power."""
    return Light((x, y, z), style.light_colour, style.light_power * share)


def _shade(random: Random, style: Style) -> Material:
    tone = style.light_colour if random.random() < 0.6 else m.accent(random, style)
    return m.glowing(tone, 0.75)


def ceiling_lamp(random: Random, style: Style) -> Elements:
    """A flat bowl or a panel close to the ceiling."""
    glow, width = m.glowing(style.light_colour, 0.95), random.uniform(0.3, 0.46)
    yield _light(style, 0.0, 1.0)
    if random.random() < 0.5:
        bowl = rod(0, 0, 0.02, width * 0.75, 0.08, glow, 1.2)
        yield rod(0, 0, 0.1, width, 0.03, style.metal)
        yield bowl
        yield rod(0, 0, 0, 0.05, 0.02, style.metal)
        return
    rim = box(0, 0, 0.05, width + 0.04, width + 0.04, 0.03, style.metal)
    yield box(0, 0, 0.02, width, width, 0.05, glow)
    yield rim
    yield rod(0, 0, 0, 0.04, 0.02, style.metal)


def pendant_lamp(random: Random, style: Style) -> Elements:
    """A shade on a cord: cone, globe or drum."""
    design, width = random.random(), random.uniform(0.3, 0.48)
    glow = m.glowing(style.light_colour, 0.95)
    if design < 0.4:
        outer = Material(m.accent(random, style), gloss=0.3) if random.random() < 0.6 else style.metal
        yield rod(0, 0, 0.03, width, 0.2, outer, 0.25)
        yield rod(0, 0, 0.0, width * 0.5, 0.032, glow)
    elif design < 0.7:
        yield ball(0, 0, 0, width * 0.8, width * 0.8, width * 0.8, glow)
        yield rod(0, 0, width * 0.8 - 0.03, 0.08, 0.05, style.metal)
    else:
        yield rod(0, 0, 0, width, 0.2, _shade(random, style))
        yield rod(0, 0, 0.2, 0.05, 0.04, style.metal)
    top = 0.55
    yield rod(0, 0, 0.15, 0.012, top - 0.15, m.BLACK)
    yield rod(0, 0, top - 0.03, 0.1, 0.03, style.metal)
    yield _light(style, -0.02, 0.9)


def chandelier(random: Random, style: Style) -> Elements:
    """Arms around a stem, each with a candle."""
    metal, count = random.choice((m.BRASS, style.metal, m.BLACK)), random.choice((3, 4))
    radius = random.uniform(0.26, 0.36)
    flame = m.glowing(style.light_colour, 1.0)
    yield rod(0, 0, 0.15, 0.035, 0.45, metal)
    yield ball(0, 0, 0.0, 0.1, 0.1, 0.12, metal)
    yield ball(0, 0, 0.24, 0.09, 0.09, 0.09, metal)
    yield rod(0, 0, 0.57, 0.14, 0.03, metal)
    yield rod(0, 0, 0.08, 0.03, 0.1, metal)
    for i in range(count):
        turn = 3.14159265 * i / count
        arm = box(0, 0, 0.09, 2 * radius, 0.025, 0.025, metal, turn=turn)
        yield arm
        for side in (-1, 1):
            candle = [
                rod(side * radius, 0, 0.09, 0.07, 0.02, metal),
                rod(side * radius, 0, 0.11, 0.03, 0.08, m.PAPER),
                box(side * radius, 0, 0.19, 0.045, 0.045, 0.07, flame, taper=0.4),
            ]
            yield from [part.moved(0, 0, 0, turn) for part in candle]
    yield _light(style, -0.02, 1.1)


def ceiling_fan(random: Random, style: Style) -> Elements:
    """Four blades and a lamp below."""
    blade = m.wood(random, style)
    yield rod(0, 0, 0.18, 0.03, 0.14, style.metal)
    yield rod(0, 0, 0.1, 0.2, 0.1, style.metal)
    yield rod(0, 0, 0.29, 0.12, 0.03, style.metal)
    yield rod(0, 0, 0, 0.13, 0.1, m.glowing(style.light_colour, 0.95), 1.3)
    yield from [box(0, 0, 0.14, 1.15, 0.13, 0.012, blade, turn=turn) for turn in (0.4, 1.97)]
    yield _light(style, -0.02, 0.9)


def track_lights(random: Random, style: Style) -> Elements:
    """A rail with four spotlights."""
    body = random.choice((m.BLACK, m.WHITE, style.metal))
    yield box(0, 0, 0.17, 1.2, 0.04, 0.03, body)
    for x in (-0.45, -0.15, 0.15, 0.45):
        yield rod(x, 0, 0.11, 0.02, 0.06, body)
        yield rod(x, 0, 0.02, 0.1, 0.1, body, 0.7)
        yield rod(x, 0, 0, 0.08, 0.02, m.glowing(style.light_colour, 1.0))
    yield _light(style, -0.02, 1.0)


def floor_lamp(random: Random, style: Style) -> Elements:
    """A shade on a tall stem, or on a tripod."""
    height, width = random.uniform(1.4, 1.65), random.uniform(0.34, 0.46)
    if random.random() < 0.65:
        yield rod(0, 0, 0, 0.28, 0.03, style.metal)
        yield rod(0, 0, 0.03, 0.03, height - 0.2, style.metal)
    else:
        leg = m.wood(random, style)
        for x, y in ((0.0, -0.24), (0.21, 0.12), (-0.21, 0.12)):
            for i, s in enumerate((1.0, 0.75, 0.5, 0.25)):
                yield rod(x * s, y * s, 0.28 * i, 0.04, 0.3, leg)
        yield rod(0, 0, 1.05, 0.06, height - 1.2, leg)
    yield rod(0, 0, height - 0.25, width, 0.28, _shade(random, style), random.choice((0.6, 0.8, 1.0)))
    yield _light(style, height - 0.3, 0.3, 0, -0.3)


def table_lamp(random: Random, style: Style) -> Elements:
    """A shade on a round, square or slender foot."""
    design, shade, width = random.random(), _shade(random, style), random.uniform(0.22, 0.28)
    foot = random.choice((style.metal, Material(m.accent(random, style), gloss=0.4), Material((0.9, 0.9, 0.88), gloss=0.4)))
    if design < 0.4:
        yield ball(0, 0, 0, 0.16, 0.16, 0.2, foot)
        yield rod(0, 0, 0.0, 0.09, 0.02, foot)
    elif design < 0.7:
        yield rod(0, 0, 0, 0.14, 0.02, foot)
        yield rod(0, 0, 0.02, 0.025, 0.2, foot)
    else:
        yield box(0, 0, 0, 0.1, 0.1, 0.2, foot, taper=0.7)
    yield rod(0, 0, 0.18, 0.02, 0.06, m.BRASS)
    yield rod(0, 0, 0.22, width, 0.18, shade, random.choice((0.6, 0.75, 1.0)))
    yield _light(style, 0.45, 0.12)


def desk_lamp(random: Random, style: Style) -> Elements:
    """A jointed arm with a small hood."""
    body = Material(m.accent(random, style), gloss=0.35) if random.random() < 0.5 else m.BLACK
    yield rod(0, 0, 0, 0.16, 0.02, body)
    yield rod(0, 0.03, 0.02, 0.02, 0.36, body)
    yield bar("y", 0, -0.03, 0.38, 0.16, 0.02, body)
    yield rod(0, -0.1, 0.29, 0.15, 0.1, body, 0.4)
    yield rod(0, -0.1, 0.28, 0.08, 0.012, m.glowing(style.light_colour, 1.0))
    yield _light(style, 0.22, 0.08, 0, -0.1)


def wall_lamp(random: Random, style: Style) -> Elements:
    """A sconce: a shade or a half bowl on a plate."""
    glow = m.glowing(style.light_colour, 0.95)
    if random.random() < 0.5:
        yield box(0, 0.06, 0, 0.08, 0.02, 0.2, style.metal)
        yield box(0, 0.02, 0.05, 0.025, 0.1, 0.025, style.metal)
        yield rod(0, -0.04, 0.06, 0.13, 0.17, glow, 0.7)
    else:
        yield box(0, 0.05, 0.02, 0.1, 0.02, 0.16, style.metal)
        yield box(0, -0.01, 0.04, 0.24, 0.12, 0.1, glow, taper=1.25)
        yield box(0, -0.01, 0, 0.1, 0.1, 0.04, style.metal)
    yield _light(style, 0.3, 0.12, 0, -0.25)


def lantern(random: Random, style: Style) -> Elements:
    """A candle in a glazed frame."""
    body = random.choice((m.BLACK, m.WHITE, style.metal))
    yield box(0, 0, 0, 0.24, 0.24, 0.03, body)
    yield from [box(x, y, 0.03, 0.02, 0.02, 0.34, body) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    yield box(0, 0, 0.37, 0.26, 0.26, 0.1, body, taper=0.3)
    yield rod(0, 0, 0.03, 0.09, 0.16, m.PAPER)
    yield box(0, 0, 0.19, 0.03, 0.03, 0.06, m.glowing((1.0, 0.75, 0.35), 1.0), taper=0.3)
    yield rod(0, 0, 0.47, 0.05, 0.03, body)


def paper_lantern(random: Random, style: Style) -> Elements:
    """A white globe with ribs."""
    width, glow = random.uniform(0.4, 0.52), m.glowing(style.light_colour, 0.85)
    yield ball(0, 0, 0, width, width, width * 0.9, glow)
    yield rod(0, 0, width * 0.85, 0.012, 0.2, m.BLACK)
    yield rod(0, 0, width * 0.85 + 0.19, 0.09, 0.02, m.WHITE)
    yield _light(style, -0.03, 1.0)


def candle(random: Random, style: Style) -> Elements:
    """On a holder, lit."""
    wax = Material(random.choice(((0.95, 0.92, 0.84), (0.75, 0.15, 0.15), (0.9, 0.85, 0.7))))
    flame = m.glowing((1.0, 0.7, 0.3), 1.0)
    if random.random() < 0.5:
        yield rod(0, 0, 0, 0.1, 0.015, style.metal)
        yield rod(0, 0, 0.015, 0.07, 0.12, wax)
        yield box(0, 0, 0.135, 0.02, 0.02, 0.04, flame, taper=0.2)
        return
    yield rod(0, 0, 0, 0.1, 0.02, m.BRASS)
    yield rod(0, 0, 0.02, 0.02, 0.12, m.BRASS)
    yield rod(0, 0, 0.14, 0.05, 0.015, m.BRASS)
    yield rod(0, 0, 0.155, 0.024, 0.16, wax)
    yield box(0, 0, 0.315, 0.018, 0.018, 0.04, flame, taper=0.2)

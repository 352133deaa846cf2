"""Screens, speakers, phones and other things with a plug."""

# ruff: noqa: ARG001 - every maker takes (random, style), whether it draws from them or not

from __future__ import annotations

from random import Random

from vnla.houses.generate.catalogue import materials as m
from vnla.houses.generate.catalogue.pieces import Anchor, Elements, Top, ball, bar, box, disc, four_legs, rod, row
from vnla.houses.generate.catalogue.storage import drawers
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material


def _screen(random: Random, glow: float = 0.5) -> Material:
    tone = random.choice(((0.15, 0.3, 0.55), (0.1, 0.4, 0.35), (0.45, 0.25, 0.15), (0.2, 0.22, 0.3)))
    return Material(tone, "screen", (0.85, 0.88, 0.92), gloss=0.3, glow=glow, seed=m.seed(random))


def tv_stand(random: Random, style: Style) -> Elements:
    """Low and long, with drawers and an open shelf."""
    width, height, depth, frame = random.uniform(1.2, 1.7), random.uniform(0.42, 0.55), 0.4, m.wood_or_paint(random, style)
    yield from four_legs(width - 0.1, depth - 0.06, 0.1, 0.05, frame)
    yield box(0, 0, height - 0.03, width, depth, 0.03, frame)
    yield box(0, 0, 0.1, width, depth, 0.025, frame)
    yield box(0, depth / 2 - 0.01, 0.1, width, 0.02, height - 0.12, m.darker(frame, 0.7))
    yield from [box(side * (width / 2 - 0.015), 0, 0.1, 0.03, depth, height - 0.12, frame) for side in (-1, 1)]
    third = width / 3
    for side in (-1, 1):
        yield box(side * third, 0.01, 0.12, third - 0.05, depth - 0.04, height - 0.16, m.darker(frame, 0.9))
        for part in drawers(third - 0.04, -depth / 2 + 0.01, 0.13, height - 0.17, 2, 1, frame, style.metal):
            yield part.moved(side * third, 0)
    yield box(0, 0, 0.14, third * 0.8, 0.25, 0.06, m.BLACK)
    yield from [Top(side * (width / 2 - 0.12), 0, height, 0.2, depth - 0.08) for side in (-1, 1)]
    yield Anchor("tv", 0, 0.05, height)


def tv(random: Random, style: Style) -> Elements:
    """A flat screen on a foot."""
    width = random.uniform(0.9, 1.25)
    height = width * 0.57
    yield box(0, 0, 0.07, width, 0.05, height, m.BLACK)
    yield box(0, -0.028, 0.085, width - 0.03, 0.006, height - 0.03, _screen(random))
    yield box(0, 0, 0, width * 0.4, 0.2, 0.015, m.BLACK)
    yield box(0, 0.01, 0.01, 0.1, 0.05, 0.08, m.BLACK)
    yield box(0, 0.03, 0.15, width * 0.6, 0.05, height * 0.5, m.DARK)


def wall_tv(random: Random, style: Style) -> Elements:
    """A flat screen on a bracket."""
    width = random.uniform(0.95, 1.3)
    yield box(0, 0, 0, width, 0.05, width * 0.57, m.BLACK)
    yield box(0, -0.028, 0.015, width - 0.03, 0.006, width * 0.57 - 0.03, _screen(random))
    yield box(0, 0.04, width * 0.2, 0.3, 0.04, 0.2, m.DARK)


def speaker(random: Random, style: Style) -> Elements:
    """A tall box with two or three cones."""
    body, height = m.BLACK if random.random() < 0.5 else m.wood(random, style), random.uniform(0.85, 1.1)
    yield box(0, 0, 0.02, 0.24, 0.28, height, body)
    yield box(0, 0, 0, 0.28, 0.32, 0.02, m.BLACK)
    yield box(0, -0.142, 0.04, 0.22, 0.006, height - 0.04, m.DARK)
    for z, width in ((height - 0.12, 0.08), (height - 0.32, 0.17), (height - 0.56, 0.19)):
        yield disc("y", 0, -0.147, z, width, 0.012, m.GREY)
        yield disc("y", 0, -0.155, z, width * 0.45, 0.012, m.BLACK)


def computer_monitor(random: Random, style: Style) -> Elements:
    """A screen on a stem and a foot."""
    width, body = random.uniform(0.48, 0.62), random.choice((m.BLACK, m.STEEL, m.DARK))
    height = width * 0.58
    yield box(0, 0, 0, 0.22, 0.17, 0.012, body)
    yield box(0, 0.03, 0.01, 0.05, 0.03, 0.2, body)
    yield box(0, 0, 0.12, width, 0.035, height, body)
    yield box(0, -0.019, 0.132, width - 0.024, 0.005, height - 0.024, _screen(random, 0.6))


def keyboard(random: Random, style: Style) -> Elements:
    """Rows of keys on a slim board."""
    body, key = random.choice(((m.BLACK, m.GREY), (m.WHITE, m.GREY), (m.STEEL, m.BLACK)))
    yield box(0, 0, 0, 0.43, 0.14, 0.018, body)
    yield from [box(0, y, 0.018, 0.41 if y > -0.05 else 0.22, 0.02, 0.005, key) for y in row(5, 0.13)]


def mouse(random: Random, style: Style) -> Elements:
    """Beside the keyboard, on its mat."""
    yield box(0, 0, 0, 0.2, 0.17, 0.004, Material(m.accent(random, style)))
    yield ball(0, 0, 0.002, 0.06, 0.1, 0.036, random.choice((m.BLACK, m.WHITE)))
    yield box(0, -0.025, 0.03, 0.008, 0.02, 0.01, m.GREY)


def laptop(random: Random, style: Style) -> Elements:
    """Open, its screen lit."""
    body = random.choice((m.STEEL, m.DARK, m.WHITE))
    yield box(0, 0, 0, 0.33, 0.23, 0.016, body)
    yield box(0, 0.03, 0.0161, 0.29, 0.1, 0.002, m.DARK)
    yield box(0, -0.07, 0.0161, 0.1, 0.06, 0.001, m.darker(body, 0.85))
    yield box(0, 0.122, 0.012, 0.33, 0.012, 0.22, body)
    yield box(0, 0.114, 0.022, 0.31, 0.004, 0.195, _screen(random, 0.6))


def printer(random: Random, style: Style) -> Elements:
    """A box with paper going in at the back and coming out in front."""
    body = random.choice((m.WHITE, m.DARK, m.GREY))
    yield box(0, 0.02, 0, 0.4, 0.3, 0.16, body)
    yield box(0, 0.02, 0.16, 0.38, 0.26, 0.02, m.darker(body, 0.85))
    yield box(0, -0.135, 0.04, 0.3, 0.02, 0.06, m.BLACK)
    yield box(0, -0.16, 0.03, 0.28, 0.1, 0.01, m.darker(body, 0.8))
    yield box(0, -0.15, 0.04, 0.21, 0.1, 0.006, m.PAPER)
    yield box(0, 0.15, 0.15, 0.22, 0.012, 0.14, m.PAPER)
    yield box(0.13, -0.12, 0.17, 0.1, 0.03, 0.016, m.DARK_GLASS)


def telephone(random: Random, style: Style) -> Elements:
    """A desk telephone: keys, and the receiver across the top."""
    body = random.choice((m.BLACK, m.WHITE, Material((0.65, 0.1, 0.1), gloss=0.4)))
    yield box(0, 0, 0, 0.2, 0.19, 0.05, body, taper=0.85)
    yield bar("x", 0, 0.04, 0.075, 0.2, 0.03, body)
    yield box(-0.08, 0.04, 0.045, 0.05, 0.05, 0.04, body)
    yield box(0.08, 0.04, 0.045, 0.05, 0.05, 0.04, body)
    yield from [box(x, y, 0.05, 0.018, 0.014, 0.006, m.GREY) for x in (-0.03, 0.0, 0.03) for y in (-0.06, -0.035, -0.01)]


def radio(random: Random, style: Style) -> Elements:
    """A case with a round loudspeaker, a dial and an aerial."""
    body = m.wood(random, style) if random.random() < 0.5 else m.plastic(random)
    yield box(0, 0, 0, 0.28, 0.1, 0.17, body)
    yield disc("y", -0.07, -0.052, 0.085, 0.12, 0.008, m.DARK)
    yield box(0.07, -0.052, 0.1, 0.1, 0.006, 0.035, Material((0.95, 0.85, 0.6), glow=0.2))
    yield disc("y", 0.045, -0.055, 0.05, 0.035, 0.02, m.CHROME)
    yield disc("y", 0.1, -0.055, 0.05, 0.035, 0.02, m.CHROME)
    yield rod(0.11, 0.03, 0.17, 0.006, 0.22, m.CHROME)


def alarm_clock(random: Random, style: Style) -> Elements:
    """Two bells on a round face, or glowing digits."""
    if random.random() < 0.5:
        body = m.plastic(random)
        yield disc("y", 0, 0, 0.07, 0.11, 0.05, body)
        yield disc("y", 0, -0.027, 0.07, 0.09, 0.006, m.WHITE)
        yield box(0, -0.031, 0.07, 0.006, 0.003, 0.035, m.BLACK)
        yield box(0.013, -0.031, 0.067, 0.026, 0.003, 0.006, m.BLACK)
        yield from [ball(s * 0.035, 0, 0.115, 0.045, 0.035, 0.035, m.CHROME) for s in (-1, 1)]
        yield from [box(s * 0.035, 0, 0, 0.012, 0.02, 0.03, m.CHROME) for s in (-1, 1)]
        return
    yield box(0, 0, 0, 0.16, 0.08, 0.075, m.BLACK, taper=0.95)
    yield box(0, -0.042, 0.02, 0.12, 0.004, 0.035, Material((0.9, 0.15, 0.1), "stripes", (0.05, 0.02, 0.02), 0.03, glow=0.8))


def fan(random: Random, style: Style) -> Elements:
    """A standing fan: cage, blades, stem and foot."""
    body = random.choice((m.WHITE, m.BLACK, m.STEEL))
    yield rod(0, 0, 0, 0.4, 0.03, body)
    yield rod(0, 0, 0.03, 0.035, 0.95, body)
    yield box(0, 0.05, 0.98, 0.1, 0.16, 0.1, body)
    yield disc("y", 0, 0.0, 1.05, 0.44, 0.05, body)
    yield disc("y", 0, -0.028, 1.05, 0.4, 0.01, Material((0.35, 0.38, 0.42)))
    blade = Material((0.62, 0.74, 0.84), gloss=0.3)
    yield box(0, -0.036, 1.02, 0.36, 0.008, 0.06, blade)
    yield box(0, -0.037, 0.87, 0.06, 0.008, 0.36, blade)
    yield from [box(x, -0.05, 1.05 - h / 2, 0.006, 0.006, h, body) for x, h in ((-0.12, 0.34), (0.0, 0.42), (0.12, 0.34))]
    yield from [box(0, -0.05, z, w, 0.006, 0.006, body) for z, w in ((0.93, 0.34), (1.17, 0.34))]
    yield disc("y", 0, -0.05, 1.05, 0.09, 0.03, body)


def air_conditioner(random: Random, style: Style) -> Elements:
    """A long white box high on the wall."""
    body = m.enamel(random)
    yield box(0, 0, 0.04, 0.85, 0.2, 0.24, body)
    yield box(0, -0.02, 0, 0.8, 0.14, 0.04, m.darker(body, 0.8), taper=1.05)
    yield box(0, -0.09, 0.03, 0.74, 0.03, 0.02, m.DARK)
    yield box(0.34, -0.102, 0.13, 0.06, 0.006, 0.03, Material((0.3, 0.9, 0.5), glow=0.6))
    yield box(0, -0.101, 0.2, 0.83, 0.004, 0.008, m.GREY)


def vacuum_cleaner(random: Random, style: Style) -> Elements:
    """Upright: a dust bin, a long handle and a wide foot."""
    body = m.plastic(random)
    yield box(0, -0.08, 0, 0.3, 0.22, 0.09, body)
    yield rod(0, 0.04, 0.08, 0.17, 0.45, m.darker(body, 0.7))
    yield rod(0, 0.04, 0.2, 0.175, 0.2, m.DARK_GLASS)
    yield rod(0, 0.08, 0.5, 0.03, 0.5, m.STEEL)
    yield box(0, 0.08, 0.98, 0.03, 0.14, 0.03, m.BLACK)
    yield from [disc("x", s * 0.13, 0.05, 0.05, 0.1, 0.03, m.BLACK) for s in (-1, 1)]


def projector(random: Random, style: Style) -> Elements:
    """A white box with a lens."""
    body = m.enamel(random)
    yield box(0, 0, 0.01, 0.3, 0.24, 0.1, body)
    yield disc("y", 0.07, -0.125, 0.06, 0.08, 0.03, m.BLACK)
    yield disc("y", 0.07, -0.142, 0.06, 0.05, 0.006, Material((0.5, 0.6, 0.9), gloss=0.8, glow=0.5))
    yield from [box(-0.07, -0.122, 0.03 + 0.02 * i, 0.1, 0.004, 0.008, m.DARK) for i in range(3)]
    yield box(0, 0, 0, 0.24, 0.18, 0.01, m.BLACK)


def game_console(random: Random, style: Style) -> Elements:
    """A flat box and a controller."""
    body = random.choice((m.BLACK, m.WHITE))
    yield box(0, 0.03, 0, 0.18, 0.16, 0.055, body)
    yield box(0, -0.052, 0.03, 0.16, 0.006, 0.008, Material((0.3, 0.6, 1.0), glow=0.8))
    yield box(0, -0.1, 0, 0.09, 0.045, 0.025, body)
    yield from [ball(s * 0.05, -0.105, 0, 0.04, 0.07, 0.035, body) for s in (-1, 1)]

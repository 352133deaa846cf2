"""Pictures, plants, mirrors, clocks and other things that make a room someone's."""

# ruff: noqa: ARG001 - every maker takes (random, style), whether it draws from them or not

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from vnla.houses.generate.catalogue import materials as m
from vnla.houses.generate.catalogue.pieces import Elements, Top, ball, bar, box, build, disc, four_legs, rod, row
from vnla.houses.generate.style import Style
from vnla.houses.scene import Material, Part


def _art(random: Random, style: Style) -> Material:
    ground = m.mix(m.accent(random, style), (0.9, 0.88, 0.82), random.uniform(0.0, 0.6))
    return Material(ground, "picture", m.accent(random, style), seed=m.seed(random))


def _framed(
    width: float, height: float, frame: Material, art: Material, mat: float, border: float = 0.035
) -> Iterator[Part]:
    """A frame, a mat of paper where `mat` is more than 0, and the picture, each a little before the last."""
    yield box(0, 0, 0, width, 0.03, height, frame)
    if mat > 0:
        yield box(0, -0.016, border, width - 2 * border, 0.006, height - 2 * border, m.PAPER)
    inset = border + mat
    yield box(0, -0.02, inset, width - 2 * inset, 0.008, height - 2 * inset, art)


def picture(random: Random, style: Style) -> Elements:
    """A framed print or photograph, with or without a mat."""
    width, height = random.uniform(0.35, 0.8), random.uniform(0.35, 0.7)
    frame = random.choice((m.BLACK, m.WHITE, m.wood(random, style), style.metal))
    yield from _framed(width, height, frame, _art(random, style), random.choice((0.0, 0.05, 0.08)))


def painting(random: Random, style: Style) -> Elements:
    """A large canvas, bare or in a gilt frame."""
    width, height = random.uniform(0.8, 1.35), random.uniform(0.6, 0.9)
    if random.random() < 0.5:
        gilt = m.BRASS if random.random() < 0.6 else m.wood(random, style)
        yield from _framed(width, height, gilt, _art(random, style), 0.0, 0.08)
        yield box(0, -0.012, 0.05, width - 0.1, 0.012, height - 0.1, m.darker(gilt, 0.75))
        return
    yield box(0, 0.005, 0.01, width - 0.02, 0.03, height - 0.02, m.WHITE)
    yield box(0, -0.02, 0, width, 0.02, height, _art(random, style))


def poster(random: Random, style: Style) -> Elements:
    """Unframed paper with a title line."""
    width, height = random.uniform(0.5, 0.65), random.uniform(0.7, 0.9)
    yield box(0, 0, 0, width, 0.004, height, m.PAPER)
    yield box(0, -0.004, 0.16, width - 0.06, 0.003, height - 0.19, _art(random, style))
    yield box(0, -0.004, 0.07, width * 0.7, 0.003, 0.05, Material(m.accent(random, style)))
    yield box(0, -0.004, 0.035, width * 0.4, 0.003, 0.018, m.DARK)


def photo(random: Random, style: Style) -> Elements:
    """A framed photograph standing on a table."""
    width, height = random.uniform(0.14, 0.2), random.uniform(0.18, 0.25)
    frame = random.choice((style.metal, m.wood(random, style), m.WHITE))
    yield from _framed(width, height, frame, _art(random, style), 0.015, 0.012)
    yield box(0, 0.05, 0, 0.03, 0.08, height * 0.5, frame, taper=0.3)


def mirror(random: Random, style: Style) -> Elements:
    """Framed, upright or round."""
    frame = random.choice((m.BRASS, m.wood(random, style), m.BLACK, style.metal))
    if random.random() < 0.35:
        width = random.uniform(0.55, 0.8)
        yield disc("y", 0, 0.01, width / 2, width, 0.035, frame)
        yield disc("y", 0, -0.012, width / 2, width - 0.09, 0.014, m.MIRROR)
        return
    width, height = random.uniform(0.5, 0.75), random.uniform(0.8, 1.1)
    yield box(0, 0, 0, width, 0.04, height, frame)
    yield box(0, -0.022, 0.05, width - 0.1, 0.01, height - 0.1, m.MIRROR)


def standing_mirror(random: Random, style: Style) -> Elements:
    """A tall mirror on a stand."""
    frame = m.wood_or_paint(random, style)
    yield box(0, 0, 0.12, 0.5, 0.035, 1.5, frame)
    yield box(0, -0.02, 0.16, 0.42, 0.01, 1.42, m.MIRROR)
    for side in (-1, 1):
        yield box(side * 0.28, 0, 0, 0.05, 0.4, 0.05, frame)
        yield box(side * 0.28, 0.02, 0.05, 0.04, 0.04, 1.0, frame)


def clock(random: Random, style: Style) -> Elements:
    """Round, with hour marks and two hands."""
    width = random.uniform(0.28, 0.42)
    rim = random.choice((m.BLACK, style.metal, m.wood(random, style), Material(m.accent(random, style), gloss=0.3)))
    centre = width / 2
    yield disc("y", 0, 0, centre, width, 0.045, rim)
    yield disc("y", 0, -0.024, centre, width * 0.88, 0.006, m.WHITE)
    for x, z, w, h in ((0, 0.38, 0.02, 0.06), (0, -0.38, 0.02, 0.06), (0.38, 0, 0.06, 0.02), (-0.38, 0, 0.06, 0.02)):
        yield box(x * width, -0.029, centre + z * width - h * width / 2 * 2, w * width * 2, 0.004, h * width * 2, m.BLACK)
    yield box(0, -0.031, centre, 0.016, 0.004, width * 0.33, m.BLACK)
    yield box(width * 0.1, -0.031, centre - 0.01, width * 0.22, 0.004, 0.018, m.BLACK)
    yield disc("y", 0, -0.032, centre, 0.03, 0.008, rim)


def grandfather_clock(random: Random, style: Style) -> Elements:
    """A long case with a pendulum behind glass and a dial on top."""
    case = m.wood(random, style)
    yield box(0, 0, 0, 0.5, 0.3, 0.4, case)
    yield box(0, 0, 0.4, 0.36, 0.24, 0.95, case)
    yield box(0, 0, 1.35, 0.48, 0.3, 0.5, case)
    yield box(0, 0, 1.85, 0.52, 0.32, 0.08, case, taper=0.8)
    yield box(0, -0.122, 0.48, 0.24, 0.01, 0.8, m.DARK)
    yield rod(0, -0.132, 0.7, 0.012, 0.5, m.BRASS)
    yield disc("y", 0, -0.134, 0.68, 0.14, 0.012, m.BRASS)
    yield disc("y", 0, -0.152, 1.6, 0.36, 0.012, m.WHITE)
    yield box(0, -0.16, 1.6, 0.015, 0.005, 0.14, m.BLACK)
    yield box(0.04, -0.16, 1.593, 0.09, 0.005, 0.015, m.BLACK)


def _pot(random: Random, style: Style, width: float, height: float) -> Iterator[Part]:
    stuff = random.choice((m.TERRACOTTA, m.CERAMIC, m.WICKER, Material(m.accent(random, style), gloss=0.35), m.GREY))
    yield rod(0, 0, 0, width * 0.75, height, stuff, 1.33)
    yield rod(0, 0, height, width * 0.85, 0.005, m.SOIL)


def _bush(random: Random, z: float, width: float, height: float) -> Iterator[Part]:
    """A few overlapping clumps of leaves."""
    green = m.leaves(random)
    yield ball(0, 0, z, width * 0.75, width * 0.75, height * 0.75, green)
    for _ in range(3):
        x, y = random.uniform(-0.25, 0.25) * width, random.uniform(-0.25, 0.25) * width
        size = random.uniform(0.4, 0.5)
        yield ball(
            x,
            y,
            z + random.uniform(0.1, 0.5) * height,
            width * size,
            width * size,
            height * size,
            m.darker(green, random.uniform(0.8, 1.2)),
        )


def _palm(random: Random, z: float, width: float, height: float) -> Iterator[Part]:
    """Long leaves that rise and then bend out, from one stem."""
    green = m.leaves(random)
    trunk = Material((0.42, 0.3, 0.18), "wood", scale=0.2)
    yield rod(0, 0, z, 0.05, height * 0.55, trunk)
    for i in range(6):
        turn, reach = 1.05 * i + random.uniform(-0.2, 0.2), width / 2
        tone = m.darker(green, random.uniform(0.85, 1.2))
        blades = [
            box(reach * 0.25, 0, z + height * 0.55, reach * 0.5, 0.09, height * 0.3, tone, taper=0.6),
            box(reach * 0.7, 0, z + height * 0.72, reach * 0.55, 0.1, height * 0.12, tone),
        ]
        yield from [part.moved(0, 0, 0, turn) for part in blades]


def _spikes(random: Random, z: float, width: float, height: float) -> Iterator[Part]:
    """Stiff upright blades, as of a snake plant."""
    green = m.leaves(random)
    places = [(random.uniform(-0.14, 0.14) * width, random.uniform(-0.14, 0.14) * width) for _ in range(9)]
    for x, y in places:
        yield box(
            x,
            y,
            z,
            0.07,
            0.015,
            height * random.uniform(0.55, 1.0),
            m.darker(green, random.uniform(0.8, 1.2)),
            turn=random.uniform(0, 3),
            taper=0.35,
        )


def potted_plant(random: Random, style: Style) -> Elements:
    """Knee high to head high: a bush, a palm or stiff blades in a pot."""
    pot, height = random.uniform(0.28, 0.4), random.uniform(0.5, 1.2)
    crown = random.choice((_bush, _bush, _palm, _spikes))
    stem = 0.12 if crown is _bush else 0.0
    yield from _pot(random, style, pot, pot * 0.95)
    yield from crown(random, pot * 0.95 + stem * 0.6, random.uniform(0.5, 0.75), height)
    if stem:
        yield rod(0, 0, pot * 0.9, 0.04, 0.3, Material((0.36, 0.26, 0.16)))


def small_plant(random: Random, style: Style) -> Elements:
    """A succulent, a cactus or a little bush in a small pot."""
    pot, design = random.uniform(0.1, 0.14), random.random()
    yield from _pot(random, style, pot, pot * 0.9)
    if design < 0.4:
        green = m.leaves(random)
        cactus = [
            rod(0, 0, pot * 0.9, 0.05, 0.14, green),
            ball(0, 0, pot * 0.9 + 0.11, 0.05, 0.05, 0.05, green),
            bar("x", 0.03, 0, pot * 0.9 + 0.07, 0.06, 0.03, green),
            rod(0.055, 0, pot * 0.9 + 0.06, 0.03, 0.06, green),
        ]
        yield from cactus
        return
    if design < 0.7:
        yield from _bush(random, pot * 0.85, 0.2, 0.2)
        return
    yield from _spikes(random, pot * 0.9, 0.14, 0.22)


def hanging_plant(random: Random, style: Style) -> Elements:
    """Trailing from a pot on a bracket."""
    green, pot = m.leaves(random), random.choice((m.TERRACOTTA, m.WICKER, m.CERAMIC))
    trails = [box(x, y, z, 0.035, 0.03, 0.45 - z, m.darker(green, 0.9), taper=1.5) for x, y, z in _TRAILS]
    yield rod(0, 0, 0.3, 0.17, 0.16, pot, 1.3)
    yield box(0, 0.07, 0.66, 0.03, 0.2, 0.02, style.metal)
    yield box(0, 0.16, 0.5, 0.03, 0.02, 0.18, style.metal)
    yield from [box(x, 0, 0.46, 0.008, 0.008, 0.2, style.metal) for x in (-0.08, 0.08)]
    yield ball(0, 0, 0.42, 0.28, 0.26, 0.13, green)
    yield from trails


_TRAILS = ((-0.13, 0.0, 0.0), (0.12, -0.03, 0.12), (-0.02, -0.13, 0.05), (0.06, -0.12, 0.2), (-0.09, -0.1, 0.18))


def flowers(random: Random, style: Style) -> Elements:
    """A bunch in a vase."""
    tone = random.choice(((0.9, 0.25, 0.35), (0.95, 0.8, 0.25), (0.95, 0.95, 0.95), (0.7, 0.35, 0.75), (0.95, 0.55, 0.25)))
    vase = random.choice((m.GLASS, m.CERAMIC, Material(m.accent(random, style), gloss=0.45)))
    yield rod(0, 0, 0, 0.1, 0.2, vase, 0.75)
    yield ball(0, 0, 0.18, 0.2, 0.2, 0.14, m.leaves(random))
    for i in range(6):
        x, y = random.uniform(-0.09, 0.09), random.uniform(-0.09, 0.09)
        yield ball(x, y, 0.26 + 0.015 * i, 0.079, 0.079, 0.07, Material(m.shade(tone, random.uniform(0.8, 1.1))))


def vase(random: Random, style: Style) -> Elements:
    """Turned: a foot, a belly and a neck."""
    stuff = random.choice((m.CERAMIC, Material(m.accent(random, style), gloss=0.5), m.GLASS, m.TERRACOTTA))
    width, height = random.uniform(0.1, 0.16), random.uniform(0.2, 0.36)
    yield rod(0, 0, 0, width * 0.6, height * 0.35, stuff, 1.65)
    yield rod(0, 0, height * 0.35, width, height * 0.35, stuff, 0.45)
    yield rod(0, 0, height * 0.7, width * 0.45, height * 0.3, stuff, 1.4)


def sculpture(random: Random, style: Style) -> Elements:
    """A bust, or an abstract ring on a plinth."""
    stuff = random.choice((m.BRASS, m.WHITE, m.BLACK, Material((0.8, 0.78, 0.74), "marble", scale=0.2)))
    if random.random() < 0.5:
        yield box(0, 0, 0, 0.14, 0.12, 0.05, m.BLACK)
        yield box(0, 0, 0.05, 0.18, 0.1, 0.09, stuff, taper=0.5)
        yield rod(0, 0, 0.13, 0.06, 0.06, stuff)
        yield ball(0, -0.005, 0.17, 0.11, 0.13, 0.15, stuff)
        yield ball(0, -0.07, 0.22, 0.025, 0.03, 0.04, stuff)
        return
    yield box(0, 0, 0, 0.16, 0.1, 0.04, m.BLACK)
    yield rod(0, 0, 0.04, 0.02, 0.06, stuff)
    yield disc("y", 0, 0, 0.2, 0.22, 0.04, stuff)
    yield disc("y", 0, 0, 0.2, 0.1, 0.045, m.BLACK)


def statue(random: Random, style: Style) -> Elements:
    """A standing figure on a pedestal."""
    stone = Material(random.choice(((0.82, 0.8, 0.76), (0.55, 0.55, 0.53))), "stone", scale=0.4)
    yield box(0, 0, 0, 0.42, 0.42, 0.08, stone)
    yield box(0, 0, 0.08, 0.34, 0.34, 0.5, stone)
    yield box(0, 0, 0.58, 0.4, 0.4, 0.05, stone)
    yield box(0, 0, 0.63, 0.26, 0.2, 0.5, stone, taper=0.6)
    yield box(0, 0, 1.1, 0.2, 0.15, 0.32, stone, taper=1.35)
    yield rod(0, 0, 1.4, 0.07, 0.08, stone)
    yield ball(0, 0, 1.45, 0.15, 0.17, 0.2, stone)
    yield from [box(side * 0.16, 0, 1.02, 0.07, 0.09, 0.38, stone) for side in (-1, 1)]


def fireplace(random: Random, style: Style) -> Elements:
    """A mantelpiece around a dark hearth with logs and a fire."""
    width, height = random.uniform(1.2, 1.5), random.uniform(1.05, 1.2)
    surround = random.choice(
        (
            Material((0.86, 0.85, 0.82), "marble", scale=0.6, gloss=0.3),
            Material((0.58, 0.27, 0.2), "bricks", (0.75, 0.72, 0.68), 0.25),
            m.painted(random, style),
            Material((0.6, 0.57, 0.53), "stone", scale=0.4),
        )
    )
    opening, top = width * 0.52, height * 0.62
    jamb = (width - opening) / 2
    yield from [box(side * (width - jamb) / 2, 0.02, 0, jamb, 0.34, height - 0.08, surround) for side in (-1, 1)]
    yield box(0, 0.02, top, opening, 0.34, height - 0.08 - top, surround)
    yield box(0, 0, height - 0.08, width + 0.16, 0.44, 0.08, m.wood(random, style))
    yield box(0, 0.16, 0, opening, 0.06, top, m.BLACK)
    yield box(0, -0.0, 0, opening, 0.38, 0.03, m.DARK)
    yield box(0, -0.3, 0, width, 0.24, 0.03, Material((0.35, 0.34, 0.33), "stone", scale=0.3))
    bark = Material((0.25, 0.16, 0.1), "wood", scale=0.2)
    yield bar("x", 0, 0.02, 0.08, opening * 0.7, 0.1, bark)
    yield bar("x", 0.03, 0.08, 0.14, opening * 0.55, 0.09, bark)
    for x, h in ((-0.1, 0.18), (0.0, 0.28), (0.1, 0.2)):
        yield box(x, 0.05, 0.12, 0.1, 0.08, h, m.glowing((1.0, 0.5, 0.12), 1.0), taper=0.1)
    yield Top(0, 0.03, height, width, 0.26)


def radiator(random: Random, style: Style) -> Elements:
    """A row of white ribs on two feet."""
    width = random.uniform(0.6, 1.0)
    count = min(14, int(width / 0.07))
    yield from [box(x, 0, 0.1, width / count * 0.72, 0.11, 0.5, m.WHITE) for x in row(count, width)]
    yield from [box(0, 0, z, width, 0.06, 0.04, m.WHITE) for z in (0.13, 0.53)]
    yield from [box(x, 0.02, 0, 0.04, 0.06, 0.12, m.WHITE) for x in row(2, width)]
    yield bar("x", width / 2 + 0.03, 0, 0.52, 0.06, 0.05, m.WHITE)


def aquarium(random: Random, style: Style) -> Elements:
    """A tank with water, gravel, weeds and two fish."""
    yield box(0, 0, 0, 0.56, 0.27, 0.02, m.BLACK)
    yield box(0, 0, 0.02, 0.55, 0.26, 0.04, Material((0.75, 0.68, 0.52), "stone", scale=0.1))
    yield box(0, 0.05, 0.06, 0.55, 0.16, 0.24, Material(m.WATER.colour, gloss=0.6, glow=0.25))
    yield box(0, 0, 0.3, 0.56, 0.27, 0.03, m.BLACK)
    yield from [box(x, -0.05, 0.06, 0.04, 0.02, 0.16, m.leaves(random), taper=0.4) for x in (-0.2, -0.14, 0.19)]
    yield from [ball(x, -0.03, z, 0.08, 0.03, 0.04, Material((0.95, 0.45, 0.1))) for x, z in ((-0.02, 0.2), (0.1, 0.13))]


def pedestal(random: Random, style: Style) -> Elements:
    """A column with a vase on it."""
    stone = Material((0.86, 0.84, 0.8), "marble", scale=0.5, gloss=0.2)
    yield box(0, 0, 0, 0.34, 0.34, 0.08, stone)
    yield rod(0, 0, 0.08, 0.24, 0.75, stone, 0.85)
    yield box(0, 0, 0.83, 0.32, 0.32, 0.06, stone)
    yield from [part.moved(0, 0, 0.89) for part in build("vase", vase(random, style)).parts]


def room_divider(random: Random, style: Style) -> Elements:
    """A folding screen of three panels in a zigzag."""
    frame = m.wood(random, style)
    panel = random.choice(
        (m.PAPER, m.plain_cloth(random, style), Material(m.accent(random, style), "leaves", (0.9, 0.87, 0.8), 0.3))
    )
    for i, x in enumerate(row(3, 1.26)):
        turn = 0.4 * (-1) ** i
        yield box(x, 0, 0, 0.45, 0.03, 1.65, frame, turn=turn)
        yield box(x, 0, 0.1, 0.38, 0.036, 1.45, panel, turn=turn)
        yield box(x, 0, 0.8, 0.38, 0.04, 0.03, frame, turn=turn)


def wall_hanging(random: Random, style: Style) -> Elements:
    """A woven cloth with fringes on a stick."""
    width = random.uniform(0.4, 0.6)
    stuff = Material(m.accent(random, style), random.choice(("stripes", "checks", "carpet")), (0.92, 0.88, 0.8), 0.12)
    yield bar("x", 0, 0, 0.8, width + 0.12, 0.025, m.wood(random, style))
    yield box(0, 0, 0.2, width, 0.015, 0.6, stuff)
    yield from [box(x, 0, 0.03 * (i % 3), 0.02, 0.012, 0.2, m.PAPER) for i, x in enumerate(row(9, width))]


def easel(random: Random, style: Style) -> Elements:
    """A painter's tripod with a canvas."""
    leg, steps = m.wood(random, style), range(8)
    yield from [box(side * (0.3 - 0.03 * i), 0.0, 0.2 * i, 0.045, 0.03, 0.22, leg) for side in (-1, 1) for i in steps]
    yield from [box(0, 0.25 - 0.03 * i, 0.2 * i, 0.035, 0.045, 0.22, leg) for i in steps]
    canvas = [box(0, -0.03, 0.735, 0.55, 0.025, 0.7, m.WHITE), box(0, -0.046, 0.745, 0.53, 0.008, 0.68, _art(random, style))]
    yield box(0, -0.03, 0.7, 0.6, 0.06, 0.035, leg)
    yield from canvas


def lectern(random: Random, style: Style) -> Elements:
    """A speaker's desk."""
    stuff = m.wood(random, style)
    yield box(0, 0, 0, 0.5, 0.4, 0.05, stuff)
    yield box(0, 0, 0.05, 0.4, 0.3, 0.95, stuff)
    yield box(0, -0.16, 0.2, 0.3, 0.02, 0.6, m.darker(stuff, 0.85))
    yield box(0, 0, 1.0, 0.56, 0.42, 0.1, stuff, taper=0.9)
    yield box(0, 0, 1.1, 0.3, 0.22, 0.01, m.PAPER)


def rail_post(random: Random, style: Style) -> Elements:
    """A turned newel post with a ball."""
    stuff = m.wood(random, style)
    yield from four_legs(0.16, 0.16, 0.1, 0.07, stuff)
    yield box(0, 0, 0.08, 0.14, 0.14, 0.25, stuff)
    yield rod(0, 0, 0.33, 0.09, 0.5, stuff)
    yield box(0, 0, 0.83, 0.14, 0.14, 0.14, stuff)
    yield ball(0, 0, 0.96, 0.13, 0.13, 0.13, stuff)

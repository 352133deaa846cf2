"""Small tileable pictures for every material, made from its pattern, colours and seed.

Each pattern is one function that gives shades: how much of the accent and how much lighter or darker, or whole colours.
All noise is made in the frequency domain, which repeats by nature, so a texture's left edge continues at its right edge and
its lower edge at its upper one. What is stored is the square root of linear light, 8 bits a channel: nearly sRGB, so dark
shades keep their steps, and a multiplication turns it into light.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vnla.houses.scene import Colour, Material

Array = NDArray[np.floating]
Picture = NDArray[np.floating]
"""(size, size, 3), sRGB, 0 to 1."""

SIZE, SMALL = 128, 64


class Textures(NamedTuple):
    """All textures of a scene in one row of texels, each followed by its mip levels; `first` and `size` over materials.

    A texel is one whole number with 21 bits to a channel, so that all three are mixed by one multiplication.
    """

    texels: NDArray[np.uint64]
    first: NDArray[np.int32]
    size: NDArray[np.int32]


def pack(materials: Sequence[Material]) -> Textures:
    """The textures of `materials`, in that order."""
    pieces, first, sizes, at = [], [], [], 0
    for material in materials:
        levels = texture(material)
        first.append(at)
        sizes.append(levels[0].shape[0])
        pieces += [level.reshape(-1, 3) for level in levels]
        at += sum(level.shape[0] ** 2 for level in levels)
    rgb = np.concatenate(pieces).astype(np.uint64)
    texels = rgb[:, 0] | rgb[:, 1] << np.uint64(21) | rgb[:, 2] << np.uint64(42)
    return Textures(texels, np.array(first, np.int32), np.array(sizes, np.int32))


def white(materials: int) -> Textures:
    """The same single texel for so many materials, where nobody looks at colours."""
    texel = np.uint64(255) * np.uint64(1 | 1 << 21 | 1 << 42)
    return Textures(np.array([texel]), np.zeros(materials, np.int32), np.ones(materials, np.int32))


@lru_cache(maxsize=1024)
def texture(material: Material) -> tuple[NDArray[np.uint8], ...]:
    """A material's texture, as stored, and its halves down to one texel."""
    levels: list[NDArray[np.floating]] = [
        _LIGHT[np.rint(np.clip(picture(material), 0, 1) * (len(_LIGHT) - 1)).astype(np.int32)]
    ]
    while levels[-1].shape[0] > 1:
        last = levels[-1]
        levels.append((last[::2, ::2] + last[1::2, ::2] + last[::2, 1::2] + last[1::2, 1::2]) / 4)
    return tuple(np.rint(np.sqrt(level) * 255).astype(np.uint8) for level in levels)


def picture(material: Material) -> Picture:
    """One repetition of a material's pattern."""
    return _PATTERNS[material.pattern](material, np.random.default_rng([material.seed, 77]))


def mean_colour(material: Material) -> Array:
    """The part of red, green and blue light that a surface of this material throws back, on average."""
    mean: Array = (texture(material)[-1][0, 0] / 255) ** 2
    return mean


def _linear(colour: Array) -> Array:
    linear: Array = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return linear


_LIGHT = _linear(np.linspace(0, 1, 1024)).astype(np.float32)
"""Linear light of sRGB values from 0 to 1: powers are slow, a table is not."""

Random = np.random.Generator


def _accent(material: Material) -> Array:
    """The pattern's second colour."""
    if material.accent is not None:
        return np.array(material.accent)
    colour = np.array(material.colour)
    return colour * 0.72 if colour.mean() > 0.3 else colour * 0.6 + 0.25


def _shaded(material: Material, accent: Array, shade: Array | float = 0.0) -> Picture:
    """The material's colour with a share `accent` of its second one, made lighter by `shade`."""
    share = accent[..., None]
    colour = np.array(material.colour) * (1 - share) + _accent(material) * share
    lighter: Picture = colour * (1 + np.asarray(shade)[..., None])
    return lighter


def _grid(size: int) -> tuple[Array, Array]:
    """Across and down of each texel's centre, 0 to 1."""
    steps = (np.arange(size) + 0.5) / size
    return np.broadcast_to(steps, (size, size)), np.broadcast_to(steps[:, None], (size, size))


@lru_cache(maxsize=64)
def _field(size: int, across: float, down: float, variant: int) -> Array:
    """Noise of mean 0 and deviation 1 whose lumps are about `across` and `down` texels large; repeats on all sides."""
    white = np.fft.rfft2(np.random.default_rng([variant, size]).standard_normal((size, size)))
    fy, fx = np.fft.fftfreq(size)[:, None], np.fft.rfftfreq(size)[None]
    smooth = np.fft.irfft2(white * np.exp(-4 * ((fx * across) ** 2 + (fy * down) ** 2)), s=(size, size))
    field: Array = (smooth - smooth.mean()) / smooth.std()
    return field


def _noise(rng: Random, size: int, across: float, down: float | None = None) -> Array:
    """A noise field, one of a few that are kept, shifted to a place of its own."""
    field = _field(size, across, across if down is None else down, int(rng.integers(4)))
    return np.roll(field, tuple(rng.integers(0, size, 2)), axis=(0, 1))


def _step(values: Array, soft: float) -> Array:
    """0 below zero and 1 above, over a width of `soft`."""
    step: Array = np.clip(values / soft + 0.5, 0, 1)
    return step


def _plain(material: Material, _: Random) -> Picture:
    return np.array(material.colour).reshape(1, 1, 3)


def _wood(material: Material, rng: Random) -> Picture:
    _, down = _grid(SIZE)
    warp = _noise(rng, SIZE, 90, 14)
    rings = 0.5 + 0.5 * np.sin(2 * np.pi * (5 * down + 0.35 * warp))
    fibres = _noise(rng, SIZE, 40, 1.5)
    return _shaded(material, np.clip(0.35 * rings**2 + 0.08 * fibres + 0.1, 0, 1), 0.05 * fibres + 0.03 * warp)


def _planks(material: Material, rng: Random) -> Picture:
    across, down = _grid(SIZE)
    count = 5
    plank = np.floor(down * count).astype(np.int64)
    joint = rng.permutation(count)[plank] / count + 0.1
    along = (across - joint) % 1.0
    tone = rng.uniform(-0.16, 0.14, count)[plank]
    edge = np.abs((down * count) % 1.0 - 0.5) > 0.5 - 1.3 * count / SIZE
    seam = edge | (along < 1.5 / SIZE)
    fibres = _noise(rng, SIZE, 50, 1.6)
    rings = 0.5 + 0.5 * np.sin(2 * np.pi * (9 * down + 0.4 * _noise(rng, SIZE, 70, 9)))
    picture = _shaded(material, np.clip(0.18 * rings + 0.07 * fibres, 0, 1), tone + 0.04 * fibres)
    return np.where(seam[..., None], picture * 0.55, picture)


def _tiles(material: Material, rng: Random) -> Picture:
    across, down = _grid(SIZE)
    count = 2
    from_edge = np.minimum(0.5 - np.abs((across * count) % 1 - 0.5), 0.5 - np.abs((down * count) % 1 - 0.5))
    grout = 1 - _step(from_edge - 0.025, 0.02)
    which = (across * count).astype(np.int64) + count * (down * count).astype(np.int64)
    tone = rng.uniform(-0.05, 0.05, count * count)[which]
    bevel = 0.1 * np.exp(-((from_edge - 0.06) ** 2) / 0.0006)
    picture = _shaded(material, grout, (tone + bevel + 0.025 * _noise(rng, SIZE, 12)) * (1 - grout))
    return np.clip(picture, 0, 1)


def _bricks(material: Material, rng: Random) -> Picture:
    across, down = _grid(SIZE)
    courses, bricks = 6, 2
    course = (down * courses).astype(np.int64)
    along = (across * bricks + 0.5 * (course % 2)) % bricks
    from_edge = np.minimum((0.5 - np.abs(along % 1 - 0.5)) * 3, 0.5 - np.abs((down * courses) % 1 - 0.5))
    mortar = 1 - _step(from_edge - 0.1, 0.08)
    tone = rng.uniform(-0.2, 0.15, courses * bricks)[course * bricks + along.astype(np.int64)]
    walled = material if material.accent is not None else _with_accent(material, (0.78, 0.75, 0.7))
    return _shaded(walled, mortar, (tone + 0.06 * _noise(rng, SIZE, 3)) * (1 - mortar))


def _with_accent(material: Material, accent: Colour) -> Material:
    return Material(material.colour, material.pattern, accent)


def _marble(material: Material, rng: Random) -> Picture:
    cloud, fine = _noise(rng, SIZE, 40), _noise(rng, SIZE, 10)
    vein = np.exp(-(((cloud + 0.35 * fine) * 5) ** 2))
    thin = np.exp(-(((_noise(rng, SIZE, 22) + 0.25 * fine) * 9) ** 2))
    return _shaded(material, np.clip(0.55 * vein + 0.3 * thin, 0, 1), 0.03 * _noise(rng, SIZE, 30))


def _carpet(material: Material, rng: Random) -> Picture:
    speckle = _noise(rng, SMALL, 1.3)
    return _shaded(
        material, np.clip(0.25 + 0.22 * speckle, 0, 1), 0.08 * _noise(rng, SMALL, 2.0) + 0.03 * _noise(rng, SMALL, 16)
    )


def _fabric(material: Material, rng: Random) -> Picture:
    across, down = _grid(SMALL)
    threads = 16
    over = (np.floor(across * threads) + np.floor(down * threads)) % 2 == 0
    weave = np.where(over, np.sin(np.pi * threads * down), np.sin(np.pi * threads * across)) ** 2
    return _shaded(material, 0.3 * (1 - weave), 0.05 * _noise(rng, SMALL, 1.5) + 0.04 * _noise(rng, SMALL, 12))


def _stripes(material: Material, rng: Random) -> Picture:
    across, _ = _grid(SMALL)
    stripe = (across >= 0.5).astype(np.float64)
    return _shaded(material, stripe, 0.02 * _noise(rng, SMALL, 2.0))


def _checks(material: Material, _: Random) -> Picture:
    across, down = _grid(SMALL)
    return _shaded(material, ((across >= 0.5) != (down >= 0.5)).astype(np.float64))


def _dots(material: Material, _: Random) -> Picture:
    across, down = _grid(SMALL)
    middle = np.hypot(across - 0.5, down - 0.5)
    corner = np.hypot(0.5 - np.abs(across - 0.5), 0.5 - np.abs(down - 0.5))
    return _shaded(material, _step(0.17 - np.minimum(middle, corner), 0.03))


def _leaves(material: Material, _: Random) -> Picture:
    return _shaded(material, *_scattered_leaves(material.seed % 16))


@lru_cache(maxsize=16)
def _scattered_leaves(look: int) -> tuple[Array, Array]:
    """Where leaves lie, and how light each one is. Kept, because a house has many plants and leaf after leaf takes time."""
    across, down = (grid.astype(np.float32) for grid in _grid(SMALL))
    accent, shade = np.zeros_like(across), np.zeros_like(across)
    for x, y, angle, tone in np.random.default_rng(look).uniform(0, 1, (22, 4)).astype(np.float32):
        dx, dy = (across - x + 0.5) % 1 - 0.5, (down - y + 0.5) % 1 - 0.5
        cosine, sine = np.cos(2 * np.pi * angle), np.sin(2 * np.pi * angle)
        along, beside = dx * cosine + dy * sine, np.abs(dy * cosine - dx * sine)
        inside = np.clip((1 - (along / 0.14) ** 2 - beside / 0.06) / 0.3 + 0.5, 0, 1)
        accent = np.maximum(accent, inside)
        shade = np.where(inside > 0.5, (tone - 0.5) * 0.5 - 0.3 * (beside < 0.012), shade)
    return accent, shade


def _metal(material: Material, rng: Random) -> Picture:
    brush = _noise(rng, SMALL, 60, 1.2)
    return _shaded(material, np.clip(0.1 + 0.1 * brush, 0, 1), 0.035 * brush + 0.03 * _noise(rng, SMALL, 40))


def _stone(material: Material, rng: Random) -> Picture:
    blotch, grain = _noise(rng, SIZE, 18), _noise(rng, SIZE, 2)
    crack = np.exp(-((_noise(rng, SIZE, 26) * 10) ** 2))
    return _shaded(material, np.clip(0.3 + 0.22 * blotch + 0.1 * grain, 0, 1), 0.05 * grain - 0.12 * crack)


def _grass(material: Material, rng: Random) -> Picture:
    blades = _noise(rng, SIZE, 1.4, 3.5)
    return _shaded(material, np.clip(0.4 + 0.3 * blades + 0.15 * _noise(rng, SIZE, 20), 0, 1), 0.12 * _noise(rng, SIZE, 2.0))


_SPINES = np.array(
    [
        (0.55, 0.16, 0.14),
        (0.16, 0.27, 0.45),
        (0.2, 0.36, 0.24),
        (0.78, 0.66, 0.4),
        (0.85, 0.82, 0.74),
        (0.32, 0.2, 0.13),
        (0.4, 0.22, 0.38),
        (0.75, 0.4, 0.18),
        (0.22, 0.24, 0.27),
        (0.3, 0.47, 0.5),
    ]
)


def _books(material: Material, rng: Random) -> Picture:
    """Spines side by side, of many widths and heights, with a title band on some."""
    across, down = _grid(SIZE)
    widths = rng.uniform(0.6, 1.5, 26)
    edges = np.cumsum(widths) / widths.sum()
    book = np.searchsorted(edges, across[0])  # (columns,)
    colours = _SPINES[rng.integers(0, len(_SPINES), 26)] * rng.uniform(0.75, 1.2, (26, 1))
    colours = 0.85 * colours + 0.15 * np.array(material.colour)
    left = np.concatenate([[0.0], edges])[book]
    place = (across[0] - left) / (widths[book] / widths.sum())
    picture = colours[book][None] * (1.0 - 0.9 * (np.abs(place - 0.5) ** 2))[None, :, None] * np.ones((SIZE, 1, 1))
    band = np.abs(down - rng.uniform(0.25, 0.8, 26)[book][None]) < rng.uniform(-0.03, 0.08, 26)[book][None]
    picture = np.where(band[..., None], picture * 0.3 + np.array((0.6, 0.52, 0.3)), picture)
    gap = down < rng.uniform(0.02, 0.22, 26)[book][None]
    return np.where(gap[..., None], np.array((0.07, 0.06, 0.05)), picture)


def _painting(material: Material, rng: Random) -> Picture:
    """A small painting: a landscape, shapes, a portrait or flowers in a vase."""
    painters = (_landscape, _shapes, _portrait, _flowers, _landscape, _swirls)
    painted = painters[int(rng.integers(len(painters)))](rng)
    return np.clip(painted * 0.92 + 0.08 * np.array(material.colour), 0, 1)


def _tint(rng: Random, low: float = 0.0, high: float = 1.0) -> Array:
    return rng.uniform(low, high, 3)


def _landscape(rng: Random) -> Picture:
    across, down = _grid(SIZE)
    top = np.array((0.35, 0.5, 0.75)) + rng.uniform(-0.15, 0.15, 3)
    horizon = np.array((0.95, 0.8, 0.6)) * rng.uniform(0.85, 1.05)
    picture = top + (horizon - top) * np.clip(down * 1.7, 0, 1)[..., None]
    sun = np.hypot(across - rng.uniform(0.2, 0.8), down - rng.uniform(0.15, 0.4)) < rng.uniform(0.04, 0.09)
    picture = np.where(sun[..., None], np.array((1.0, 0.93, 0.7)), picture)
    base = np.array((0.25, 0.38, 0.3)) + rng.uniform(-0.12, 0.12, 3)
    for layer in range(4):
        skyline = 0.45 + 0.14 * layer + (0.09 - 0.015 * layer) * _noise(rng, SIZE, 26, 1)[0]
        hill = down > skyline[None]
        shade = base * (1.35 - 0.28 * layer) + 0.1 * (3 - layer) * np.array((0.3, 0.45, 0.6))
        picture = np.where(hill[..., None], shade + 0.03 * _noise(rng, SIZE, 5)[..., None], picture)
    return picture


def _shapes(rng: Random) -> Picture:
    across, down = _grid(SIZE)
    picture = np.ones((SIZE, SIZE, 3)) * _tint(rng, 0.75, 0.95)
    for _ in range(int(rng.integers(5, 10))):
        x, y = rng.uniform(0.1, 0.9, 2)
        wide, high = rng.uniform(0.05, 0.3, 2)
        if rng.random() < 0.5:
            inside = (np.abs(across - x) < wide) & (np.abs(down - y) < high)
        else:
            inside = np.hypot(across - x, down - y) < wide
        picture = np.where(inside[..., None], _tint(rng, 0.05, 0.95), picture)
    return picture


def _portrait(rng: Random) -> Picture:
    across, down = _grid(SIZE)
    picture = _tint(rng, 0.15, 0.5) * (1.25 - 0.7 * np.hypot(across - 0.4, down - 0.4))[..., None]
    skin = np.array((0.86, 0.66, 0.52)) * rng.uniform(0.45, 1.1)
    hair, clothes = _tint(rng, 0.05, 0.4), _tint(rng, 0.1, 0.7)

    def oval(x: float, y: float, wide: float, high: float) -> NDArray[np.bool_]:
        return ((((across - x) / wide) ** 2 + ((down - y) / high) ** 2) < 1)[..., None]

    lean = rng.uniform(-0.05, 0.05)
    picture = np.where(oval(0.5, 1.05, 0.42, 0.38), clothes, picture)
    picture = np.where(oval(0.5 + lean, 0.4, 0.22, 0.27), hair, picture)
    picture = np.where(oval(0.5 + lean, 0.68, 0.07, 0.1), skin * 0.85, picture)
    picture = np.where(oval(0.5 + lean, 0.45, 0.15, 0.2), skin, picture)
    for eye in (-0.06, 0.06):
        picture = np.where(oval(0.5 + lean + eye, 0.43, 0.018, 0.012), hair * 0.3, picture)
    return np.where(oval(0.5 + lean, 0.55, 0.04, 0.012), skin * 0.6, picture)


def _flowers(rng: Random) -> Picture:
    across, down = _grid(SIZE)
    picture = np.where((down > 0.8)[..., None], _tint(rng, 0.3, 0.6), _tint(rng, 0.55, 0.9) - 0.2 * down[..., None])
    vase = (np.abs(across - 0.5) < 0.09 + 0.05 * np.sin(6 * down)) & (down > 0.58) & (down < 0.88)
    picture = np.where(vase[..., None], _tint(rng, 0.2, 0.8) * (1.2 - np.abs(across - 0.45) * 3)[..., None], picture)
    hues = [_tint(rng, 0.2, 1.0) for _ in range(3)]
    for number in range(18):
        x, y = 0.5 + rng.normal(0, 0.14), 0.38 + rng.normal(0, 0.11)
        away = np.hypot(across - x, down - y)
        colour = np.array((0.2, 0.4, 0.2)) * rng.uniform(0.7, 1.3) if number % 3 == 0 else hues[number % 3]
        picture = np.where((away < 0.06)[..., None], colour * (1.1 - 4 * away)[..., None], picture)
    return picture


def _swirls(rng: Random) -> Picture:
    level = _noise(rng, SIZE, 50)[..., None]
    bands = np.floor((level + 2) * 2.2).astype(np.int64)[..., 0] % 5
    swirls: Picture = rng.uniform(0.1, 0.95, (5, 3))[bands] + 0.03 * _noise(rng, SIZE, 3)[..., None]
    return swirls


def _screen(material: Material, rng: Random) -> Picture:
    """A dark screen with the room's sheen on it; one that glows shows a programme."""
    across, down = _grid(SIZE)
    if material.glow > 0:
        return _landscape(rng) * 0.9
    sheen = np.exp(-(((across + down - 0.7) * 3) ** 2))
    return np.array(material.colour) * np.ones((SIZE, SIZE, 1)) + 0.06 * sheen[..., None]


_PATTERNS: dict[str, Callable[[Material, Random], Picture]] = {
    "plain": _plain,
    "wood": _wood,
    "planks": _planks,
    "tiles": _tiles,
    "bricks": _bricks,
    "marble": _marble,
    "carpet": _carpet,
    "fabric": _fabric,
    "stripes": _stripes,
    "checks": _checks,
    "dots": _dots,
    "leaves": _leaves,
    "metal": _metal,
    "stone": _stone,
    "grass": _grass,
    "books": _books,
    "picture": _painting,
    "screen": _screen,
}

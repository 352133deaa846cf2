"""Textures repeat without a seam, differ by seed, keep the material's colour, and have their mip levels."""

from typing import get_args

import numpy as np
import pytest
from numpy.typing import NDArray

from vnla.houses.render.mesh import FILLS_ONCE
from vnla.houses.render.textures import mean_colour, pack, picture, texture
from vnla.houses.scene import Material, Pattern

PATTERNS = get_args(Pattern)
TILED = [pattern for pattern in PATTERNS if pattern not in FILLS_ONCE]
BROWN = (0.6, 0.45, 0.3)


def largest_step(pixels: NDArray[np.floating], axis: int) -> tuple[float, float]:
    """Mean change across the seam, and the largest mean change between neighbouring rows or columns inside."""
    pixels = np.moveaxis(pixels, axis, 0)
    steps = np.abs(np.diff(pixels, axis=0, append=pixels[:1])).mean(axis=(1, 2))
    return float(steps[-1]), float(steps[:-1].max()) if len(steps) > 1 else 0.0


@pytest.mark.parametrize("pattern", TILED)
@pytest.mark.parametrize("seed", [0, 5])
def test_a_texture_continues_at_its_opposite_edge(pattern: Pattern, seed: int) -> None:
    pixels = np.clip(picture(Material(BROWN, pattern, seed=seed)), 0, 1)
    for axis in (0, 1):
        seam, inside = largest_step(pixels, axis)
        assert seam <= 1.2 * inside + 1e-9, f"{pattern}: {seam:.3f} across the seam, at most {inside:.3f} elsewhere"


def test_the_seam_test_sees_a_seam() -> None:
    across = np.linspace(0.2, 0.8, 64)
    ramp = np.broadcast_to(across[None, :, None], (64, 64, 3))
    seam, inside = largest_step(ramp, 1)
    assert seam > 1.2 * inside


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_pattern_is_the_same_each_time_and_a_power_of_two(pattern: Pattern) -> None:
    levels = texture(Material(BROWN, pattern, seed=3))
    texture.cache_clear()
    again = texture(Material(BROWN, pattern, seed=3))
    assert [level.shape[0] for level in levels] == [levels[0].shape[0] >> k for k in range(len(levels))]
    assert levels[-1].shape == (1, 1, 3)
    for one, other in zip(levels, again, strict=True):
        assert (one == other).all()


@pytest.mark.parametrize("pattern", ["wood", "planks", "marble", "books", "picture", "stone", "leaves"])
def test_seeds_give_different_looks(pattern: Pattern) -> None:
    looks = {texture(Material(BROWN, pattern, seed=seed))[0].tobytes() for seed in range(8)}
    assert len(looks) == 8


@pytest.mark.parametrize("pattern", [p for p in TILED if p != "bricks"])
def test_a_pattern_stays_near_its_material_colour(pattern: Pattern) -> None:
    mean = mean_colour(Material(BROWN, pattern))
    plain = mean_colour(Material(BROWN))
    assert (mean > 0.4 * plain).all()
    assert (mean < 1.3 * plain).all()
    assert mean[0] > mean[1] > mean[2]


def test_stripes_and_checks_use_the_accent_on_half_of_the_area() -> None:
    for pattern in ("stripes", "checks"):
        mean = mean_colour(Material((0, 0, 0), pattern, (1, 1, 1)))  # type: ignore[arg-type]
        assert mean == pytest.approx([0.5] * 3, abs=0.01)


def test_packed_textures_hold_each_material_at_its_place() -> None:
    materials = [Material(BROWN), Material(BROWN, "checks"), Material((0.1, 0.5, 0.9))]
    packed = pack(materials)
    assert packed.size.tolist() == [1, 64, 1]
    for material, first in zip(materials, packed.first, strict=True):
        texel = int(packed.texels[first])
        assert [texel & 255, texel >> 21 & 255, texel >> 42 & 255] == texture(material)[0][0, 0].tolist()

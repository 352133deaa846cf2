"""Styles: whole, varied, and the same for the same seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import numpy as np
import pytest

from vnla.houses.generate.style import Style
from vnla.houses.generate.styles import FAMILIES, draw_style
from vnla.houses.rooms import ROOM_NAMES
from vnla.houses.scene import Material


def drawn(seed: int) -> Style:
    return draw_style(np.random.default_rng(seed))


def materials(style: Style) -> Iterator[Material]:
    for label in ROOM_NAMES:
        yield style.wall(label)
        yield style.floor(label)
    yield from (style.ceiling, style.outside, style.trim, style.doors, style.metal, style.units, style.worktop)
    yield from (*style.wood, *style.fabric)


def test_there_are_many_families_and_all_are_drawn() -> None:
    assert len(FAMILIES) >= 10
    names = [family.name for family in FAMILIES]
    assert len(set(names)) == len(names)
    assert {drawn(seed).name for seed in range(200)} == set(names)


@pytest.mark.parametrize("seed", range(20))
def test_a_style_is_whole(seed: int) -> None:
    style = drawn(seed)
    for material in materials(style):
        assert all(0.0 <= channel <= 1.0 for channel in (*material.colour, *(material.accent or ())))
        assert material.scale > 0
        assert 0 <= material.gloss <= 1
    assert len(style.wood) >= 2
    assert len(style.fabric) >= 2
    assert style.light_power > 0.5
    assert sum(axis * axis for axis in style.sun) == pytest.approx(1.0)
    assert style.sun[2] > 0.3


def test_the_same_seed_gives_the_same_style_and_others_differ() -> None:
    assert drawn(5) == drawn(5)
    styles = [drawn(seed) for seed in range(30)]
    assert all(a != b for i, a in enumerate(styles) for b in styles[:i])


def test_two_houses_of_one_family_do_not_look_alike() -> None:
    styles = [drawn(seed) for seed in range(120)]
    for family in FAMILIES:
        same = [style for style in styles if style.name == family.name]
        assert len({style.wall("b") for style in same}) == len(same)
        assert len({style.wood for style in same}) == len(same)


def test_wet_rooms_are_mostly_tiled_and_gardens_mostly_green() -> None:
    styles = [drawn(seed) for seed in range(60)]
    assert sum(style.wall("a").pattern == "tiles" for style in styles) > 30
    assert sum(style.floor("x").pattern == "grass" for style in styles) > 30
    assert all(style.floor("a").pattern in ("tiles", "marble", "checks") for style in styles)


def test_rooms_without_their_own_material_get_the_main_one() -> None:
    style = drawn(1)
    assert style.wall("-") == style.walls[""]
    assert style.floor("-") == style.floors[""]
    assert {"name", "walls", "floors"} <= {field.name for field in fields(style)}

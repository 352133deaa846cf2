"""Light against geometry: shadows lie where they must, lamps follow the inverse square, colours spill, nothing depends on
threads."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from vnla.houses.render.lighting import REACH, bake, window_panes
from vnla.houses.render.mesh import Mesh, build_mesh
from vnla.houses.scene import NO_OBJECT, Light, Material, Part, Scene

WHITE = Material((0.9, 0.9, 0.9))
BLACK = Material((0.0, 0.0, 0.0))
NIGHT = {"sun": (0.0, 0.0, -1.0), "sky": (0.0, 0.0, 0.0), "ground": (0.0, 0.0, 0.0)}


def floor_light(mesh: Mesh, height: float = 0.0) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Positions and light of the samples that look up from the given height."""
    light = bake(mesh).light
    up = (mesh.samples.normal[:, 2] > 0.9) & (np.abs(mesh.samples.position[:, 2] - height) < 0.01)
    return mesh.samples.position[up], light[up]


def slab_over_floor(**scene: object) -> Mesh:
    parts = (Part("box", (0, 0, -0.1), (8, 8, 0.2), WHITE), Part("box", (0, 0, 1.0), (1, 1, 0.02), WHITE))
    return build_mesh(Scene(parts, (NO_OBJECT, 0), **scene))  # type: ignore[arg-type]


def test_a_lamp_above_a_table_throws_its_shadow_straight_down() -> None:
    mesh = slab_over_floor(lights=(Light((0, 0, 2.5), power=30.0),), **NIGHT)
    position, light = floor_light(mesh)
    # The table's edge at 0.5 m, 1.5 m below the lamp, falls 0.83 m from the middle of the floor.
    away = np.abs(position[:, :2]).max(axis=1)
    shadow, beside = light[away < 0.55].mean(axis=1), light[(away > 1.1) & (away < 1.5)].mean(axis=1)
    assert shadow.max() < 0.5 * beside.min()


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_the_sun_shifts_a_shadow_away_from_it(direction: float) -> None:
    mesh = slab_over_floor(sun=(direction, 0.0, 1.0), sky=(0.0, 0.0, 0.0), ground=(0.0, 0.0, 0.0))
    position, light = floor_light(mesh)
    # At 45 degrees, a slab a metre up throws its shadow a metre to the side.
    level = light.mean(axis=1)
    dark = level < 0.5 * np.median(level)
    assert position[dark, 0].mean() == pytest.approx(-direction, abs=0.15)
    assert position[dark, 1].mean() == pytest.approx(0.0, abs=0.15)
    assert dark.sum() == pytest.approx(1.0 / 8.0**2 * len(level), rel=0.5)


def test_a_lamp_follows_the_inverse_square_and_the_cosine() -> None:
    height = 2.0
    floor = Part("box", (0, 0, -0.1), (30, 3, 0.2), BLACK)
    mesh = build_mesh(Scene((floor,), (NO_OBJECT,), (Light((0, 0, height), power=4.0),), **NIGHT))  # type: ignore[arg-type]
    position, light = floor_light(mesh)
    distance = np.linalg.norm(position - [0, 0, height], axis=1)
    level = light.mean(axis=1)
    lamp = level - level[distance > REACH + 1].mean()  # less what is everywhere
    near = (distance < 2.5) & (np.abs(position[:, 1]) < 1.2)
    expected = height / distance[near] ** 3  # the cosine is height / distance
    assert near.sum() > 10
    assert lamp[near] / lamp[near].max() == pytest.approx(expected / expected.max(), rel=0.05)


def closed_room(north: Material = WHITE, **scene: object) -> Mesh:
    parts = (
        Part("box", (0, 0, -0.1), (4, 4, 0.2), WHITE),
        Part("box", (0, 0, 2.6), (4, 4, 0.2), WHITE),
        Part("box", (-2, 0, 1.25), (0.1, 4.1, 2.5), WHITE),
        Part("box", (2, 0, 1.25), (0.1, 4.1, 2.5), WHITE),
        Part("box", (0, -2, 1.25), (4.1, 0.1, 2.5), WHITE),
        Part("box", (0, 2, 1.25), (4.1, 0.06, 2.5), north),
    )
    return build_mesh(Scene(parts, (NO_OBJECT,) * 6, **scene))  # type: ignore[arg-type]


def test_the_sky_comes_in_through_a_window() -> None:
    glass = Material((0.9, 0.95, 1.0), glow=0.9)
    mesh = closed_room(glass, sun=(0.0, 0.0, -1.0))
    assert [mesh.materials[i] for i in window_panes(mesh)] == [glass]
    position, light = floor_light(mesh)
    level = light.mean(axis=1)
    assert level[position[:, 1] > 1.0].mean() > 1.4 * level[position[:, 1] < -1.0].mean()


def test_the_sun_comes_in_through_a_window_and_not_through_a_wall() -> None:
    sun = (0.0, 1.0, 0.8)
    for north, lit in ((Material((0.9, 0.95, 1.0), glow=0.9), True), (WHITE, False)):
        position, light = floor_light(closed_room(north, sun=sun, sky=(0.0, 0.0, 0.0), lights=(Light((0, 0, 2.0)),)))
        level = light.mean(axis=1)
        near, far = level[(position[:, 1] > 0) & (position[:, 1] < 1.5)], level[position[:, 1] < -1.4]
        # The window's upper edge, 2.5 m up, lets the sun reach 3.1 m into the room.
        assert (near.mean() > 2 * far.mean()) == lit


def test_corners_are_darker_than_the_middle_of_a_wall_but_never_black() -> None:
    mesh = closed_room(lights=(Light((0, 0, 1.25), power=0.001),), **NIGHT)
    light = bake(mesh).light.mean(axis=1)
    position, normal = mesh.samples.position, mesh.samples.normal
    wall = (normal[:, 0] > 0.9) & (np.abs(position[:, 0] + 1.95) < 0.01)
    corner = wall & (np.abs(position[:, 1]) > 1.7) & (np.abs(position[:, 2] - 1.25) > 1.0)
    middle = wall & (np.abs(position[:, 1]) < 0.6) & (np.abs(position[:, 2] - 1.25) < 0.6)
    assert 0.2 * light[middle].mean() < light[corner].mean() < 0.9 * light[middle].mean()
    assert light[corner].min() > 0.1 * light[middle].mean()


def test_a_red_wall_reddens_what_is_near_it() -> None:
    mesh = closed_room(Material((0.9, 0.1, 0.1)), lights=(Light((0, 0, 2.0), (1.0, 1.0, 1.0), power=2.0),), **NIGHT)
    position, light = floor_light(mesh)
    redness = light[:, 0] / light[:, 2]
    assert redness[position[:, 1] > 1.6].mean() > 1.1 * redness[position[:, 1] < -1.6].mean()


def test_what_carries_something_thin_is_lit_as_if_it_were_bare() -> None:
    lamp = (Light((0, 0, 2.4), power=2.0),)
    bare = Part("box", (0, 0, -0.1), (4, 4, 0.2), WHITE)
    rug = Part("box", (0, 0, 0.01), (2, 2, 0.02), WHITE)
    levels = []
    for parts, owner in (((bare,), (NO_OBJECT,)), ((bare, rug), (NO_OBJECT, 0))):
        position, light = floor_light(build_mesh(Scene(parts, owner, lamp, **NIGHT)))  # type: ignore[arg-type]
        levels.append(light[np.abs(position[:, :2]).max(axis=1) < 0.8].mean())
    assert levels[1] == pytest.approx(levels[0], rel=0.1)


def test_weak_lamps_do_not_make_a_dark_house() -> None:
    averages = []
    for power in (0.5, 5.0):
        mesh = closed_room(lights=(Light((0, 0, 2.0), power=power),), **NIGHT)
        averages.append(math.log(float(floor_light(mesh)[1].mean())))
    assert averages[0] == pytest.approx(averages[1], abs=0.4)


def test_the_number_of_threads_changes_nothing(room: Scene) -> None:
    mesh = build_mesh(room)
    one, two = bake(mesh, workers=1), bake(mesh, workers=2)
    assert one.light.tobytes() == two.light.tobytes()
    assert one.lamp.tobytes() == two.lamp.tobytes()
    assert np.isfinite(one.light).all()

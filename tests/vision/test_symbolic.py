"""Symbolic features against examples worked out on paper."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vnla.camera import view_index
from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.houses.house import House, Object, OrientedBox, Viewpoint
from vnla.vision.symbolic import symbolic_features
from vnla.world.compiled import World

DOWN, LEVEL, UP = 0, 1, 2


def thing(number: int, label: str, x: float, y: float, z: float = 0.0) -> Object:
    return Object(number, label, None, OrientedBox((x, y, z)))


def alone(*objects: Object, included: bool = True) -> House:
    """A viewpoint at the origin, another 3 m north of it, no rooms."""
    viewpoints = (Viewpoint("here", (0.0, 0.0, 0.0), None, included=included), Viewpoint("north", (0.0, 3.0, 0.0), None))
    return House("alone", viewpoints, ((0, 1),), objects=objects)


def seen(house: House, viewpoint: str, label: str) -> dict[int, float]:
    """The views of a viewpoint in which the label has a value."""
    world = World.compile([house])
    features = symbolic_features([house], world)
    values = features.array[world.viewpoint(house.name, viewpoint), :, features.labels.index(label)]
    return {int(view): float(values[view]) for view in np.flatnonzero(values)}


def test_hall_of_the_cottage() -> None:
    """From (0, 0, 1.5) the hall's picture at (-1.15, 2.2, 1.6) and its potted plant at (0.9, -1.1, 0.5).

    Picture: flat √(1.15² + 2.2²) = √6.1625 = 2.4824, distance √6.1725 = 2.4845, value 1/3.4845. Its bearing is
    -atan(1.15/2.2) = -27.6 degrees, so headings 300 (32.4 away), 330 (2.4) and 0 (27.6) have it within 40 degrees; its
    elevation is atan(0.1/2.4824) = 2.3, within 30 degrees of level and of 30 up, not of 30 down.

    Plant: flat √2.02 = 1.4213, distance √3.02 = 1.7378, value 1/2.7378. Bearing 180 - atan(0.9/1.1) = 140.7: headings 120,
    150 and 180 (39.3 away). Elevation -atan(1/1.4213) = -35.1: only of 30 down.
    """
    picture = {
        view_index(row, heading): pytest.approx(1 / 3.48445, abs=1e-5) for row in (LEVEL, UP) for heading in (10, 11, 0)
    }
    plant = {view_index(DOWN, heading): pytest.approx(1 / 2.73781, abs=1e-5) for heading in (4, 5, 6)}
    assert seen(cottage(), "hall_south", "picture") == picture
    assert seen(cottage(), "hall_south", "potted plant") == plant


def test_other_rooms_are_out_of_sight() -> None:
    """The towel of the kitchen hangs 1.5 m from its viewpoint and 4.6 m from the hall's, which is another room."""
    assert seen(cottage(), "kitchen", "towel")
    assert not seen(cottage(), "hall_south", "towel")


def test_the_nearest_of_a_label_counts() -> None:
    """Chairs 1 and 3 m north: 1/2, not 1/4; the farther one alone: 1/4."""
    far, near = thing(0, "chair", 0, 3), thing(1, "chair", 0, 1)
    assert seen(alone(far, near), "here", "chair")[view_index(LEVEL, 0)] == pytest.approx(1 / 2)
    assert seen(alone(far), "here", "chair")[view_index(LEVEL, 0)] == pytest.approx(1 / 4)


def test_without_rooms_five_metres_are_the_limit() -> None:
    assert seen(alone(thing(0, "chair", 0, 5)), "here", "chair")
    assert not seen(alone(thing(0, "chair", 0, 5.01)), "here", "chair")


def test_straight_above_is_never_in_view() -> None:
    assert not seen(alone(thing(0, "lamp", 0, 0, 1)), "here", "lamp")


def test_excluded_viewpoints_have_no_row_and_houses_follow_each_other() -> None:
    first, second = alone(thing(0, "chair", 0, 2), included=False), replace(cottage(), name="second")
    world = World.compile([first, second])
    features = symbolic_features([second, first], world)
    assert features.array.shape == (1 + 13, 36, len(features.labels))
    assert features.labels == tuple(sorted({"chair"} | {each.label for each in second.objects}))
    # from "north" the chair is 1 m to the south
    assert features.array[0, view_index(LEVEL, 6), features.labels.index("chair")] == pytest.approx(1 / 2)
    assert (features.array[1:, :, features.labels.index("chair")] == 0).all()


def test_labels_can_be_fixed() -> None:
    house = alone(thing(0, "chair", 0, 1), thing(1, "lamp", 0, 1))
    features = symbolic_features([house], World.compile([house]), labels=("sofa", "lamp"))
    assert features.array[0, view_index(LEVEL, 0)].tolist() == [0, pytest.approx(1 / 2)]


def test_a_house_without_objects_has_no_values() -> None:
    assert symbolic_features([alone()], World.compile([alone()])).array.shape == (2, 36, 0)


def test_every_house_of_the_world_is_needed() -> None:
    with pytest.raises(InputError, match="house cottage: it is in the world but not among"):
        symbolic_features([alone()], World.compile([cottage()]))

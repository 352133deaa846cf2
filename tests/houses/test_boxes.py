"""Houses drawn of boxes: walls are open where an agent walks and nowhere else, and objects stand where they are."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vnla.houses.boxes import OPENING, has_boxes, scene_of_boxes
from vnla.houses.cottage import cottage
from vnla.houses.house import House, OrientedBox
from vnla.houses.plain import read_plain
from vnla.houses.scene import NO_OBJECT, Part

HOUSES = read_plain(Path(__file__).parents[2] / "examples" / "world.json").houses


def walls(house: House) -> list[Part]:
    """The upright parts of its rooms."""
    scene = scene_of_boxes(house)
    structure = [part for part, owner in zip(scene.parts, scene.owner, strict=True) if owner == NO_OBJECT]
    return [part for part in structure if part.size[2] > 0.15]


def hidden(point: np.ndarray, parts: list[Part]) -> bool:
    """Whether a point is inside of one of some parts, none of which is turned."""
    return any((np.abs(point - part.centre) < np.array(part.size) / 2).all() for part in parts)


@pytest.mark.parametrize("house", HOUSES, ids=lambda house: house.name)
def test_no_wall_stands_in_the_way(house: House) -> None:
    """Every point on the way from a viewpoint to a neighbour is free, in a flat and over the stairs of a loft."""
    parts, crossed = walls(house), 0
    for i, j in house.edges:
        one, other = (np.array(house.viewpoints[each].position) for each in (i, j))
        assert not any(hidden(one + share * (other - one), parts) for share in np.linspace(0, 1, 200)), (i, j)
        crossed += house.viewpoints[i].room != house.viewpoints[j].room
    assert crossed >= 1


def test_a_wall_is_open_at_the_door_alone() -> None:
    """Of the hall's north wall, 6 m, what two edges need is open; at the ceiling it is whole."""
    flat = HOUSES[0]
    hall = flat.rooms[0].box
    assert hall is not None
    north = hall.high[1] - 0.02

    def free(height: float) -> float:
        east = np.arange(hall.low[0] + 0.005, hall.high[0], 0.01)
        return 0.01 * sum(not hidden(np.array([x, north, height]), walls(flat)) for x in east)

    assert OPENING - 0.05 < free(1.5) <= 2 * OPENING + 0.05
    assert free(2.5) == 0


def test_objects_are_boxes_of_their_own() -> None:
    """The sofa of the studio is 2 m by 0.9 m and turned by 30 degrees; one that leans has an upright box around it."""
    studio = HOUSES[1]
    scene = scene_of_boxes(studio)
    sofa, towel = scene.parts[-2:]
    assert scene.owner[-2:] == (0, 1)
    assert (sofa.centre, sofa.turn) == ((1, 1, 0.4), pytest.approx(math.radians(30)))
    assert sofa.size == pytest.approx((2, 0.9, 0.8)) and sofa.material != towel.material
    half = math.sqrt(0.5)
    leaning = replace(studio.objects[0], box=OrientedBox((1, 1, 1), (half, 0, half), (0, 1, 0), (1, 0.25, 0)))
    assert scene_of_boxes(replace(studio, objects=(leaning,))).parts[-1].size == pytest.approx((2 * half, 0.5, 2 * half))


def test_a_house_is_drawn_where_its_rooms_are_known() -> None:
    flat = HOUSES[0]
    assert has_boxes(flat) and scene_of_boxes(flat) == scene_of_boxes(flat)
    assert not has_boxes(replace(flat, rooms=tuple(replace(room, box=None) for room in flat.rooms)))
    assert has_boxes(cottage()) == all(room.box is not None for room in cottage().rooms)

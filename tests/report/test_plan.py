"""Storeys, visits and footprints, worked out by hand."""

from __future__ import annotations

import math

import pytest

from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.houses.house import Box, House, Level, Object, OrientedBox, Room, Viewpoint
from vnla.report.plan import Step, bounds, check, footprint, requests, storeys, visits


def test_a_viewpoint_is_on_the_level_of_its_room() -> None:
    lower, upper = storeys(cottage())
    assert lower.viewpoints == tuple(range(9)), "the half-way viewpoint 8 belongs to the stairs, a room of level 0"
    assert upper.viewpoints == (9, 10, 11, 12)
    assert [room.name for room in upper.rooms] == ["hallway", "bedroom", "bathroom", "bedroom"]
    assert {thing.label for thing in upper.objects} >= {"bathtub", "desk"}


def test_without_rooms_height_decides() -> None:
    heights = (1.5, 1.6, 2.8, 4.3, 4.4, 7.1)
    viewpoints = tuple(Viewpoint(f"v{i}", (float(i), 0.0, z)) for i, z in enumerate(heights))
    assert [storey.viewpoints for storey in storeys(House("bare", viewpoints, ()))] == [(0, 1, 2), (3, 4), (5,)]


def test_a_viewpoint_without_a_room_joins_the_nearest_floor() -> None:
    rooms = tuple(Room(i, "h", i, Box((0, 0, 3.0 * i), (4, 4, 3.0 * i + 2.5))) for i in range(2))
    viewpoints = (
        Viewpoint("low", (1, 1, 2.4)),
        Viewpoint("high", (1, 2, 4.2)),
        Viewpoint("gone", (1, 3, 1.5), included=False),
    )
    house = House("two", viewpoints, (), rooms, levels=(Level(0), Level(1)))
    assert [storey.viewpoints for storey in storeys(house)] == [(0,), (1,)]


def test_an_object_without_a_room_stands_on_the_floor_below_it() -> None:
    rooms = tuple(Room(i, "h", i, Box((0, 0, 3.0 * i), (4, 4, 3.0 * i + 2.5))) for i in range(2))
    shelf = Object(0, "shelf", None, OrientedBox((1, 1, 2.2), radii=(0.3, 0.3, 0.2)))
    house = House("two", (), (), rooms, (shelf,), (Level(0), Level(1)))
    assert [len(storey.objects) for storey in storeys(house)] == [1, 0]


def test_an_empty_house_is_an_error() -> None:
    with pytest.raises(InputError, match="nothing to draw"):
        storeys(House("empty", (), ()))


def test_bounds_hold_rooms_and_the_stairs_that_leave() -> None:
    house = cottage()
    lower, upper = storeys(house)
    assert bounds(house, lower) == (-6.5, -4.0, 5.0, 7.5)
    assert bounds(house, upper) == (-1.5, 1.5, 7.5, 7.5)


def test_footprint_of_a_turned_box() -> None:
    half = math.sqrt(0.5)
    box = OrientedBox((1.0, 2.0, 0.5), (half, half, 0.0), (-half, half, 0.0), (math.sqrt(2), math.sqrt(2), 0.5))
    outline = footprint(Object(0, "table", None, box))
    assert outline == [(-1.0, 2.0), (1.0, 0.0), (3.0, 2.0), (1.0, 4.0)]


def test_footprint_of_something_flat_is_a_line() -> None:
    assert footprint(Object(0, "poster", None, OrientedBox((0.0, 0.0, 1.0), radii=(0.0, 1.0, 1.0)))) == [(0, -1), (0, 1)]


def test_visits_leave_out_the_turns_and_keep_the_returns() -> None:
    walk = [Step(viewpoint, 12) for viewpoint in (4, 4, 3, 4, 4, 4, 3)]
    assert [(stay.viewpoint, stay.number) for stay in visits(walk)] == [(4, 0), (3, 2), (4, 3), (3, 6)]


def test_requests_are_lettered_in_order() -> None:
    walk = [Step(0, 12, "stop" if number % 2 else None) for number in range(56)]
    letters = requests(walk)
    assert letters[:2] == [("A", 1), ("B", 3)]
    assert letters[25:] == [("Z", 51), ("A2", 53), ("B2", 55)]


@pytest.mark.parametrize("viewpoint", [-1, 13])
def test_a_viewpoint_that_is_not_there_is_an_error(viewpoint: int) -> None:
    with pytest.raises(InputError, match=f"the walk visits viewpoint {viewpoint}"):
        check(cottage(), [Step(viewpoint, 0)], [])
    with pytest.raises(InputError, match=f"a goal is viewpoint {viewpoint}"):
        check(cottage(), [], [viewpoint])

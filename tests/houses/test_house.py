"""What a house promises, and what it refuses."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from vnla.houses.cottage import cottage
from vnla.houses.house import Box, House, HouseError, Level, Object, OrientedBox, Room, Viewpoint

A = Viewpoint("a", (0.0, 0.0, 1.5))
B = Viewpoint("b", (2.0, 0.0, 1.5))
C = Viewpoint("c", (0.0, 2.0, 1.5))
THING = Object(0, "lamp", None, OrientedBox((0.0, 0.0, 0.0)))


def house(**parts: Any) -> House:
    return House(**{"name": "h", "viewpoints": (A, B, C), "edges": ((0, 1), (1, 2)), **parts})


@pytest.mark.parametrize(
    ("parts", "kind", "record", "message"),
    [
        ({"viewpoints": (A, B, replace(C, id="a"))}, "viewpoint", 2, "already used by viewpoint 0"),
        ({"viewpoints": (A, B, replace(C, id=""))}, "viewpoint", 2, "empty or has a space"),
        ({"viewpoints": (A, replace(B, id="b b"), C)}, "viewpoint", 1, "empty or has a space"),
        ({"viewpoints": (A, replace(B, position=(0.0, math.nan, 0.0)), C)}, "viewpoint", 1, "not a finite number"),
        ({"viewpoints": (A, replace(B, height=math.inf), C)}, "viewpoint", 1, "not a finite number"),
        ({"viewpoints": (A, replace(B, room=4), C)}, "viewpoint", 1, "room 4, which does not exist"),
        ({"viewpoints": (A, replace(B, visible=(3,)), C)}, "viewpoint", 1, "sees a viewpoint that does not exist"),
        ({"edges": ((0, 1), (0, 1))}, "edge", 1, "already used by edge 0"),
        ({"edges": ((0, 3),)}, "edge", 0, "there are 3 viewpoints"),
        ({"edges": ((-1, 0),)}, "edge", 0, "there are 3 viewpoints"),
        ({"edges": ((1, 1),)}, "edge", 0, "to itself"),
        ({"edges": ((2, 1),)}, "edge", 0, "the smaller number comes first"),
        ({"viewpoints": (A, replace(B, position=(0.0, 0.0, 4.0)), C)}, "edge", 0, "straight above each other"),
        ({"rooms": (Room(0, "?"),)}, "room", 0, "the label '?'"),
        ({"rooms": (Room(0, "a"), Room(0, "b"))}, "room", 1, "already used by room 0"),
        ({"rooms": (Room(0, "a", level=1),)}, "room", 0, "level 1, which does not exist"),
        ({"rooms": (Room(0, "a", box=Box((0, 0, 0), (1, -1, 1))),)}, "room", 0, "lower side above the upper"),
        ({"levels": (Level(0), Level(0))}, "level", 1, "already used by level 0"),
        ({"levels": (Level(0, Box((0, 0, 0), (1, 1, math.inf))),)}, "level", 0, "not a finite number"),
        ({"objects": (replace(THING, label=""),)}, "object", 0, "no label"),
        ({"objects": (replace(THING, room=2),)}, "object", 0, "room 2, which does not exist"),
        ({"objects": (THING, THING)}, "object", 1, "already used by object 0"),
        ({"objects": (replace(THING, box=OrientedBox((math.nan, 0, 0))),)}, "object", 0, "not a finite number"),
    ],
)
def test_what_makes_a_house_unusable_is_refused_with_its_record(
    parts: dict[str, Any], kind: str, record: int, message: str
) -> None:
    with pytest.raises(HouseError) as caught:
        house(**parts)
    problem = caught.value.problems[0]
    assert (problem.kind, problem.record) == (kind, record)
    assert message in problem.message


def test_every_problem_is_listed_and_the_first_is_told() -> None:
    with pytest.raises(HouseError, match=r"house h: viewpoint 1: .*\(and 1 more\)") as caught:
        house(viewpoints=(A, replace(B, room=4), replace(C, room=5)))
    assert [problem.record for problem in caught.value.problems] == [1, 2]


def test_the_order_of_edges_and_of_visible_numbers_does_not_matter() -> None:
    one = house(edges=((0, 1), (1, 2)), viewpoints=(replace(A, visible=(1, 2)), B, C))
    other = house(edges=((1, 2), (0, 1)), viewpoints=(replace(A, visible=(2, 1, 2)), B, C))
    assert one == other
    assert other.edges == ((0, 1), (1, 2))
    assert other.viewpoints[0].visible == (1, 2)


def test_an_excluded_viewpoint_keeps_its_number_but_has_no_neighbours() -> None:
    some = house(viewpoints=(A, replace(B, included=False), C), edges=((0, 1), (0, 2)))
    assert some.neighbours == ((2,), (), (0,))
    assert some.number == {"a": 0, "b": 1, "c": 2} and some.stands == (0, 2)
    assert some.parts() == [[0, 2]]
    assert some.warnings == ()


def test_parts_that_cannot_be_reached_are_warned_of_largest_part_first() -> None:
    some = house(edges=((1, 2),))
    assert some.parts() == [[1, 2], [0]]
    (warning,) = some.warnings
    assert (warning.kind, warning.record) == ("viewpoint", 0)
    assert "no neighbour" in warning.message


def test_an_object_outside_its_rooms_box_is_kept_and_warned_of() -> None:
    room = Room(7, "k", box=Box((0, 0, 0), (1, 1, 1)))
    inside = Object(0, "pan", 7, OrientedBox((1.0, 0.5, 0.5)))
    outside = Object(1, "pot", 7, OrientedBox((1.1, 0.5, 0.5)))
    unmeasured = Object(2, "cup", 8, OrientedBox((50.0, 0.5, 0.5)))
    some = house(rooms=(room, Room(8, "k")), objects=(inside, outside, unmeasured))
    assert some.outside_their_room() == {1}
    assert [(warning.kind, warning.record) for warning in some.warnings] == [("object", 1)]


def test_a_room_is_found_by_its_id_and_named_by_its_letter() -> None:
    some = house(viewpoints=(replace(A, room=9), B, C), rooms=(Room(3, "a"), Room(9, "k")))
    room = some.room_of(0)
    assert room is not None
    assert room.name == "kitchen"
    assert some.room_of(1) is None


def test_corners_of_a_turned_box() -> None:
    turned = OrientedBox((1.0, 0.0, 0.0), axis0=(0.0, 1.0, 0.0), axis1=(-1.0, 0.0, 0.0), radii=(2.0, 1.0, 0.5))
    corners = set(turned.corners())
    assert corners == {(x, y, z) for x in (0.0, 2.0) for y in (-2.0, 2.0) for z in (-0.5, 0.5)}


def test_the_cottage_hangs_together_and_its_things_are_in_their_rooms() -> None:
    home = cottage()
    assert home.warnings == ()
    assert [len(part) for part in home.parts()] == [13]
    for viewpoint in home.viewpoints:
        assert viewpoint.room is not None
        box = home.room_by_id[viewpoint.room].box
        assert box is not None
        x, y, _ = viewpoint.position
        assert box.contains((x, y, box.low[2]))  # half-way up the stairs one stands above the storey's box

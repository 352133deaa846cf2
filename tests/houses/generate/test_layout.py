"""Floor plans: what must hold for every one of them, over many sizes and seeds."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from in_turn import in_turn
from vnla.houses.generate.free_space import FreeSpace
from vnla.houses.generate.layout import draw_plan
from vnla.houses.generate.plan import FloorPlan, Opening, PlannedLevel, PlannedRoom, Rectangle, StairFlight
from vnla.houses.generate.walls import shared, sides
from vnla.houses.rooms import ROOM_NAMES

SIZES = (6, 7, 9, 12, 15, 18, 22, 26, 33, 45, 80)
KEYS = list(enumerate(SIZES * 3))


@cache
def drawn(seed: int, rooms: int) -> FloorPlan:
    return draw_plan(np.random.default_rng(seed), rooms)


def all_plans() -> list[FloorPlan]:
    return [drawn(*key) for key in KEYS]


for_every_plan = in_turn("plan", KEYS, lambda key: f"seed {key[0]}, {key[1]} rooms", lambda key: drawn(*key))


def test_same_seed_same_plan():
    again = draw_plan(np.random.default_rng(7), 22)
    assert again == draw_plan(np.random.default_rng(7), 22)
    assert again != draw_plan(np.random.default_rng(8), 22)


@pytest.mark.parametrize("rooms", [5, 121])
def test_sizes_that_cannot_be_drawn_are_refused(rooms: int):
    with pytest.raises(ValueError, match="6 to 120"):
        draw_plan(np.random.default_rng(0), rooms)


def test_about_as_many_rooms_as_wanted():
    ratios = [len(plan.rooms) / rooms for (_, rooms), plan in zip(KEYS, all_plans(), strict=True) if rooms >= 9]
    assert 0.95 < float(np.mean(ratios)) < 1.15
    assert min(ratios) > 0.75 and max(ratios) < 1.4


@for_every_plan
def test_rooms_of_a_level_do_not_overlap(plan: FloorPlan):
    for one, other in combinations(plan.rooms, 2):
        assert one.level != other.level or not one.area.overlaps(other.area), (one, other)


@for_every_plan
def test_numbers_and_labels_are_those_of_rooms(plan: FloorPlan):
    assert [room.id for room in plan.rooms] == list(range(len(plan.rooms)))
    assert {room.label for room in plan.rooms} <= set(ROOM_NAMES)
    assert {room.level for room in plan.rooms} == set(plan.level_by_id)


@for_every_plan
def test_rooms_have_sizes_that_people_would_build(plan: FloorPlan):
    for room in plan.rooms:
        narrow = min(room.area.width, room.area.depth)
        assert narrow >= (1.0 if room.label in "hct" else 1.2), room
        assert room.area.area < 80, room


@for_every_plan
def test_every_room_is_reached_from_the_front_door(plan: FloorPlan):
    ways = [opening.rooms for opening in plan.openings if opening.kind in ("door", "arch") and opening.rooms[1] is not None]
    ways += [(stairs.lower_room, stairs.upper_room) for stairs in plan.stairs]
    seen = {next(room.id for room in plan.rooms if room.label == "e")}
    for _ in plan.rooms:
        seen |= {room for way in ways if seen & set(way) for room in way if room is not None}
    assert seen == set(plan.room_by_id)


@for_every_plan
def test_one_can_walk_through_all_doors_of_a_level(plan: FloorPlan):
    for level in plan.levels:
        space = FreeSpace(plan, level.id)
        assert space.connected(space.doors, radius=0.25)


@for_every_plan
def test_openings_lie_in_the_wall_of_their_rooms_clear_of_corners(plan: FloorPlan):
    for opening in plan.openings:
        first, second = opening.rooms
        area = plan.room_by_id[first].area
        walls = [shared(area, plan.room_by_id[second].area)] if second is not None else list(sides(area))
        across, middle = (opening.y, opening.x) if opening.along == "x" else (opening.x, opening.y)
        fitting = [
            wall
            for wall in walls
            if wall is not None and wall.along == opening.along and math.isclose(wall.at, across, abs_tol=1e-9)
            if middle - opening.width / 2 >= wall.low + 0.14 and middle + opening.width / 2 <= wall.high - 0.14
        ]
        assert fitting, opening
        assert opening.level == plan.room_by_id[first].level


@for_every_plan
def test_windows_look_outside(plan: FloorPlan):
    for opening in plan.openings:
        if opening.kind != "window":
            continue
        step = 0.2 if opening.along == "x" else 0.0, 0.2 if opening.along == "y" else 0.0
        beyond = [(opening.x + sign * step[1], opening.y + sign * step[0]) for sign in (-1, 1)]
        indoors = [room for room in plan.rooms if room.level == opening.level and not room.outdoor]
        inside = [any(room.area.contains(x, y) for room in indoors) for x, y in beyond]
        assert sorted(inside) == [False, True], opening


@for_every_plan
def test_openings_of_a_wall_do_not_overlap(plan: FloorPlan):
    for one, other in combinations(plan.openings, 2):
        if one.level == other.level and one.along == other.along:
            assert not one.clearance(0.01).overlaps(other.clearance(0.01)), (one, other)


@for_every_plan
def test_flights_lie_in_both_their_rooms_with_floor_at_both_ends(plan: FloorPlan):
    assert len(plan.stairs) == len(plan.levels) - 1
    for stairs in plan.stairs:
        lower, upper = plan.room_by_id[stairs.lower_room], plan.room_by_id[stairs.upper_room]
        assert upper.level == lower.level + 1
        assert lower.label in "sh" and upper.label in "sh"
        length, width = (stairs.flight.depth, stairs.flight.width)
        if stairs.rises in ("east", "west"):
            length, width = width, length
        assert 2.8 <= length <= 4.2 and 0.9 <= width <= 1.3
        assert 3.0 <= plan.level_by_id[upper.level].floor - plan.level_by_id[lower.level].floor <= 3.5
        for room in (lower, upper):
            for x, y in stairs.ends(0.8):
                assert room.area.contains(x, y), stairs


def test_upper_floors_stand_on_lower_ones():
    hanging = total = 0.0
    for plan in all_plans():
        for room in plan.rooms:
            if room.level == 0 or room.outdoor:
                continue
            below = [other.area for other in plan.rooms if other.level == room.level - 1]
            hanging += room.area.area - sum(_common(room.area, area) for area in below)
            total += room.area.area
    assert hanging < 0.06 * total


@for_every_plan
def test_every_building_has_what_a_building_has(plan: FloorPlan):
    labels = Counter(room.label for room in plan.rooms)
    assert labels["e"] >= 1 and labels["k"] >= 1 and labels["a"] + labels["t"] >= 1
    assert sum(opening.kind == "door" and room_outside(plan, opening) for opening in plan.openings) >= 1
    halls = sum(room.area.area for room in plan.rooms if room.label == "h")
    assert halls < 0.3 * sum(room.area.area for room in plan.rooms)


def room_outside(plan: FloorPlan, opening: Opening) -> bool:
    second = opening.rooms[1]
    return second is None or plan.room_by_id[second].outdoor


@for_every_plan
def test_bedrooms_open_to_passages_or_rooms_of_their_own(plan: FloorPlan):
    """Nobody walks through a bathroom to get to bed, or through a closet to anywhere."""
    for room in plan.rooms:
        ways = [opening for opening in plan.openings_of(room.id) if opening.passable]
        if room.label == "c":
            assert len(ways) == 1
        if room.label == "b":
            others = {plan.room_by_id[other].label for way in ways for other in way.rooms if other not in (None, room.id)}
            assert others & set("hesfvnr"), room


def test_buildings_differ():
    shapes = Counter(len(plan.levels) for plan in all_plans())
    assert set(shapes) == {1, 2, 3}
    rooms = {frozenset(room.area for room in plan.rooms) for plan in all_plans()}
    assert len(rooms) == len(KEYS)
    assert {stairs.rises for plan in all_plans() for stairs in plan.stairs} == {"north", "south", "east", "west"}


def test_half_of_the_buildings_have_more_than_one_floor():
    several = [len(draw_plan(np.random.default_rng(100 + seed), 16).levels) > 1 for seed in range(40)]
    assert 12 <= sum(several) <= 33


def test_tread_and_ends_follow_the_direction_of_the_flight():
    stairs = StairFlight(0, 1, Rectangle(0.0, 0.0, 1.0, 4.0), "south")
    assert stairs.ends() == ((0.5, 4.0), (0.5, 0.0))
    assert stairs.ends(0.5) == ((0.5, 4.5), (0.5, -0.5))
    assert stairs.tread(0.0, 0.25) == Rectangle(0.0, 3.0, 1.0, 4.0)


def test_an_open_leaf_stands_in_its_room_and_a_door_to_nowhere_is_shut():
    rooms = (
        PlannedRoom(0, "b", 0, Rectangle(0.0, 0.0, 4.0, 4.0)),
        PlannedRoom(1, "h", 0, Rectangle(0.0, 4.0, 4.0, 6.0)),
    )
    inner = Opening("door", 0, (0, 1), 1.0, 4.0, "x", 0.8)
    front = Opening("door", 0, (1, None), 2.0, 6.0, "x", 1.0)
    plan = FloorPlan((PlannedLevel(0, 0.0, 2.6),), rooms, (inner, front))
    leaf = plan.leaves[inner]
    assert (leaf.west, round(leaf.north, 3), round(leaf.south, 3)) == (0.6, 3.94, 3.19)
    assert plan.leaves[front].contains(2.0, 6.0) and plan.leaves[front].depth < 0.1


def _common(one: Rectangle, other: Rectangle) -> float:
    width = min(one.east, other.east) - max(one.west, other.west)
    depth = min(one.north, other.north) - max(one.south, other.south)
    return max(0.0, width) * max(0.0, depth)

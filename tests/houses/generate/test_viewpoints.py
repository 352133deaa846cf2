"""Viewpoints of generated buildings: where they stand, what joins them, and how they compare with scanned buildings."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from vnla.houses.generate.free_space import FreeSpace, Obstacle
from vnla.houses.generate.layout import draw_plan
from vnla.houses.generate.plan import FloorPlan, Opening, PlannedLevel, PlannedRoom, Rectangle
from vnla.houses.generate.viewpoints import place_viewpoints
from vnla.houses.house import House, Level, Room
from vnla.houses.statistics import REAL, Spread, world_statistics

CASES = [(0, 8), (1, 30), (2, 60), (3, 102), (4, 102), (5, 117), (6, 167), (7, 218)]


@cache
def walked(seed: int, target: int) -> tuple[FloorPlan, House]:
    random = np.random.default_rng(seed)
    plan = draw_plan(random, min(max(6, round(target / 4.7)), 80))
    viewpoints, edges = place_viewpoints(plan, [], random, target)
    rooms = tuple(Room(room.id, room.label, room.level) for room in plan.rooms)
    levels = tuple(Level(level.id) for level in plan.levels)
    return plan, House(f"house{seed}", viewpoints, edges, rooms, levels=levels)


@pytest.fixture(params=CASES, ids=lambda case: f"seed{case[0]}-target{case[1]}")
def case(request: pytest.FixtureRequest) -> tuple[FloorPlan, House, int]:
    return *walked(*request.param), request.param[1]


Case = tuple[FloorPlan, House, int]


def test_as_many_as_wanted_and_one_in_every_room(case: Case):
    plan, house, target = case
    assert {viewpoint.room for viewpoint in house.viewpoints} == set(plan.room_by_id)
    if target >= 30:
        assert len(house.viewpoints) == target


def test_each_stands_on_the_floor_of_its_room(case: Case):
    plan, house, _ = case
    for viewpoint in house.viewpoints:
        assert viewpoint.room is not None
        room = plan.room_by_id[viewpoint.room]
        x, y, z = viewpoint.position
        assert room.area.contains(x, y)
        assert 1.45 <= viewpoint.height <= 1.6
        above = z - viewpoint.height - plan.level_by_id[room.level].floor
        on_steps = any(stairs.flight.contains(x, y) for stairs in plan.stairs)
        assert above == pytest.approx(0.0, abs=1e-3) or (on_steps and 1.0 < above < 2.0)


def test_edges_are_short_and_can_be_walked(case: Case):
    plan, house, _ = case
    spaces = {level.id: FreeSpace(plan, level.id) for level in plan.levels}
    for i, j in house.edges:
        one, other = house.viewpoints[i], house.viewpoints[j]
        assert math.dist(one.position, other.position) < 5.0
        level = plan.room_by_id[one.room or 0].level
        flat = abs(one.position[2] - one.height - other.position[2] + other.height) < 0.01
        if flat:
            assert spaces[level].line_free(one.position[:2], other.position[:2], 0.2), (i, j)
        else:
            assert any(_climbs(stairs.flight.grown(0.9), one.position, other.position) for stairs in plan.stairs)


def _climbs(around: Rectangle, one: tuple[float, float, float], other: tuple[float, float, float]) -> bool:
    return around.contains(one[0], one[1]) and around.contains(other[0], other[1])


def test_no_edge_goes_through_a_wall(case: Case):
    """Worked out from the plan alone: where a straight line leaves a room, it does so in a door or an arch."""
    plan, house, _ = case
    for i, j in house.edges:
        one, other = house.viewpoints[i], house.viewpoints[j]
        if abs(one.position[2] - one.height - other.position[2] + other.height) > 0.01:
            continue
        level = plan.room_by_id[one.room or 0].level
        ways = [opening.clearance(0.1) for opening in plan.openings if opening.level == level and opening.passable]
        rooms = [room.area for room in plan.rooms if room.level == level]
        for part in np.linspace(0.0, 1.0, 200):
            x, y = (a + part * (b - a) for a, b in zip(one.position[:2], other.position[:2], strict=True))
            assert any(area.contains(x, y, 0.06) for area in rooms) or any(way.contains(x, y) for way in ways), (i, j)


def test_all_can_be_reached(case: Case):
    _, house, _ = case
    assert len(house.parts()) == 1
    assert max(len(each) for each in house.neighbours) <= 13


def test_every_flight_is_climbed(case: Case):
    plan, house, _ = case
    heights = [viewpoint.position[2] for viewpoint in house.viewpoints]
    for stairs in plan.stairs:
        floor = plan.level_by_id[plan.room_by_id[stairs.lower_room].level].floor
        steps = [i for i, each in enumerate(house.viewpoints) if 0.5 < heights[i] - each.height - floor < 2.5]
        assert len(steps) == 1
        assert {heights[i] > heights[steps[0]] for i in house.neighbours[steps[0]]} == {False, True}


def test_neighbours_are_in_sight_and_sight_is_mutual(case: Case):
    _, house, _ = case
    for i, viewpoint in enumerate(house.viewpoints):
        assert set(house.neighbours[i]) <= set(viewpoint.visible)
        assert all(i in house.viewpoints[j].visible for j in viewpoint.visible)


def test_ids_look_like_those_of_matterport(case: Case):
    _, house, _ = case
    assert all(len(each.id) == 32 and set(each.id) <= set("0123456789abcdef") for each in house.viewpoints)


def test_same_seed_same_viewpoints():
    plan = draw_plan(np.random.default_rng(3), 12)
    one, other, third = (place_viewpoints(plan, [], np.random.default_rng(seed), 50) for seed in (1, 1, 2))
    assert one == other
    assert one != third


def _one_room() -> FloorPlan:
    rooms = (
        PlannedRoom(0, "l", 0, Rectangle(0.0, 0.0, 6.0, 5.0)),
        PlannedRoom(1, "h", 0, Rectangle(6.0, 0.0, 8.0, 5.0)),
    )
    arch = Opening("arch", 0, (0, 1), 6.0, 2.5, "y", 1.6)
    return FloorPlan((PlannedLevel(0, 0.0, 2.6),), rooms, (arch,))


def test_furniture_is_walked_around():
    """A wide sideboard in the middle of the room: nobody stands on it, no edge crosses it."""
    plan = _one_room()
    sideboard = Rectangle(2.5, 1.0, 3.5, 4.0)
    viewpoints, edges = place_viewpoints(plan, [Obstacle(0, sideboard)], np.random.default_rng(0), 14)
    assert not any(sideboard.grown(0.15).contains(each.position[0], each.position[1]) for each in viewpoints)
    assert {each.position[0] < 2.5 for each in viewpoints if each.room == 0} == {False, True}
    for i, j in edges:
        for part in np.linspace(0.0, 1.0, 50):
            x, y = (a + part * (b - a) for a, b in zip(viewpoints[i].position[:2], viewpoints[j].position[:2], strict=True))
            assert not sideboard.grown(0.1).contains(x, y)


def test_a_room_shut_off_by_furniture_is_an_error():
    barrier = Rectangle(5.0, 0.0, 6.3, 5.0)
    with pytest.raises(ValueError, match="no way leads out"):
        place_viewpoints(_one_room(), [Obstacle(0, barrier)], np.random.default_rng(0), 14)


def test_free_space_of_a_room_by_hand():
    space = FreeSpace.of_room(_one_room(), 0)
    assert space.doors == [(6.0, 2.5)]
    assert space.free(3.0, 2.5, 2.0) and not space.free(0.2, 2.5, 0.2)
    assert space.free(6.0, 2.5, 0.7), "one can stand in the arch"
    assert space.line_free((1.0, 2.5), (6.4, 2.5)) and not space.line_free((1.0, 1.0), (6.4, 1.0))
    assert space.passable()
    tried = space.copy()
    tried.block([(4.0, 0.0), (4.5, 0.0), (4.5, 5.0), (4.0, 5.0)])
    assert not tried.connected([(1.0, 1.0), (6.0, 2.5)]) and not tried.passable()
    assert space.connected([(1.0, 1.0), (6.0, 2.5)]), "what is tried on a copy leaves the original alone"


def test_a_turned_footprint_blocks_what_it_covers():
    space = FreeSpace(_one_room(), 0)
    space.block([(3.0, 1.5), (4.0, 2.5), (3.0, 3.5), (2.0, 2.5)])
    assert not space.free(3.0, 2.5, 0.01) and not space.free(3.4, 2.9, 0.01)
    assert space.free(3.8, 3.3, 0.2), "outside of the diamond but inside of its bounds"


@pytest.mark.slow
def test_a_world_of_houses_looks_like_the_scanned_buildings():
    levels = np.linspace(0, 1, 30)
    deciles = [8, *REAL.viewpoints_a_house.deciles, 348]
    targets = np.interp(levels, np.linspace(0, 1, 11), np.array(deciles, dtype=float))
    drawn = world_statistics(walked(2000 + i, round(target))[1] for i, target in enumerate(targets))
    _close(drawn.viewpoints_a_house, REAL.viewpoints_a_house)
    _close(drawn.neighbours, REAL.neighbours)
    _close(drawn.edge_length, REAL.edge_length)
    assert drawn.edge_length.most is not None and drawn.edge_length.most < 5.0
    assert drawn.rooms is not None and 4.0 < drawn.viewpoints / drawn.rooms < 5.4
    # Half of the scanned buildings have more than one floor, and nine in ten are lower than 8.3 m.
    assert 1.0 < (drawn.height.mean or 0.0) < 3.5


def _close(drawn: Spread, real: Spread) -> None:
    for decile, within in ((0, 0.25), (4, 0.15), (8, 0.25)):
        assert drawn.deciles[decile] == pytest.approx(real.deciles[decile], rel=within), decile
    assert drawn.mean == pytest.approx(real.mean, rel=0.15)

"""Buckets, delegates, start viewpoints, trajectories and filters, on houses worked out by hand; then on random ones."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from furnished import small_houses
from tasks.corridor import actions, corridor
from vnla.camera import HEADINGS, LEVEL_ROW, TURN, VIEWS
from vnla.houses.cottage import cottage
from vnla.houses.house import House, Object, OrientedBox, Room, Viewpoint
from vnla.houses.matterport import write_matterport
from vnla.mattersim import Simulator
from vnla.tasks.buckets import Filters, buckets_of, delegate
from vnla.tasks.points import HousePoints, at_most_of_each, house_points
from vnla.tasks.recipes import ASKNAV, NOROOM, DatasetRecipe
from vnla.tasks.records import RecordMaker
from vnla.tasks.task import tasks_of
from vnla.tasks.task_set import teacher_trajectories
from vnla.world.compiled import Environment, World


def points_of(house: House, recipe: DatasetRecipe = ASKNAV, seed: int = 0) -> HousePoints:
    return house_points(house, Filters.of([house], rooms=recipe.rooms, fewest=1), recipe, seed)


def records_of(points: HousePoints, recipe: DatasetRecipe = ASKNAV) -> list[dict[str, Any]]:
    make = RecordMaker(points, recipe)
    return [make(which) for which in range(len(points))]


def test_asknav_buckets_of_the_cottage() -> None:
    """22 objects; the same label in rooms of the same label: pictures in the two hallways, two dining chairs, two beds."""
    buckets = buckets_of(cottage(), Filters.of([cottage()], rooms=True, fewest=1), ASKNAV)
    assert len(buckets) == 19
    shared = {bucket.end_goal: [goal.objects for goal in bucket.goals] for bucket in buckets if bucket.objects > 1}
    assert shared == {
        "find a picture in one of the hallways .": [(1,), (13,)],
        "find a dining chair in the dining room .": [(11, 12)],
        "find a bed in one of the bedrooms .": [(14,), (20,)],
    }
    assert [bucket.end_goal for bucket in buckets[:3]] == [
        "find a picture in the entryway .",
        "find a picture in one of the hallways .",
        "find a potted plant in one of the hallways .",
    ]


def test_noroom_buckets_of_the_cottage() -> None:
    """Pictures and towels fall together whatever their rooms: 17 buckets."""
    buckets = buckets_of(cottage(), Filters.of([cottage()], rooms=False, fewest=1), NOROOM)
    assert len(buckets) == 17
    names = [viewpoint.id for viewpoint in cottage().viewpoints]
    goals = {bucket.end_goal: [names[goal.viewpoint] for goal in bucket.goals] for bucket in buckets}
    assert goals["find a picture ."] == ["entryway", "hall_north", "landing"]
    assert goals["find a towel ."] == ["kitchen", "bathroom"]
    assert goals["find curtains ."] == ["bedroom_east"]


def test_the_delegate_is_the_closest_viewpoint_of_the_same_room() -> None:
    """The picture at (-1.15, 2.2): hall_north is 1.6 m away, hall_south 2.5. The sofa at (-5.9, 1.2): living_west."""
    house = cottage()
    assert house.viewpoints[delegate(house, house.objects[1])].id == "hall_north"
    assert house.viewpoints[delegate(house, house.objects[3])].id == "living_west"
    beside_the_bath = Object(99, "towel", 7, OrientedBox((5.4, 5.1, 4.0)))  # nearer to bathroom, but in the bedroom
    assert house.viewpoints[delegate(house, beside_the_bath)].id == "bedroom_east"
    hidden = tuple(replace(each, included=each.id != "hall_north") for each in house.viewpoints)
    assert house.viewpoints[delegate(replace(house, viewpoints=hidden), house.objects[1])].id == "hall_south"


def test_of_equally_close_viewpoints_the_first_is_the_delegate() -> None:
    house = corridor(5)
    first, second = house.viewpoints[1].position, house.viewpoints[2].position
    middle = tuple((a + b) / 2 for a, b in zip(first, second, strict=True))
    assert delegate(house, Object(9, "vase", 0, OrientedBox(middle))) == 1  # type: ignore[arg-type]


def test_goals_are_not_repeated() -> None:
    """Three ovens beside the same viewpoint are one goal."""
    (bucket,) = buckets_of(corridor(9, objects=3), Filters.of([corridor(9, objects=3)], rooms=True, fewest=1), ASKNAV)
    assert [(goal.viewpoint, goal.objects) for goal in bucket.goals] == [(8, (0, 1, 2))]


def test_lengths_and_filters_in_the_corridor() -> None:
    """40 viewpoints, goal 39. Walking s steps takes s + 1 to s + 6 actions, by the heading. So from 20 to 35 (19 to 4
    steps) every start is valid, 14 and below (25 steps) none, and 38 and 39 are beside the goal and the goal."""
    everything = replace(ASKNAV, starts=100)
    for seed in range(20):
        points = points_of(corridor(40), everything, seed)
        starts = set(points.start.tolist())
        assert set(range(20, 36)) <= starts
        assert not starts & {*range(15), 38, 39}
        expected = [actions(39 - start, heading) for start, heading in zip(points.start, points.heading, strict=True)]
        assert points.lengths.tolist() == expected
        assert all(5 <= length <= 25 for length in expected)
        assert points.candidates == 40


def test_a_start_beside_a_goal_is_out_even_if_far_by_turning() -> None:
    """From 38 looking south it takes 7 actions to 39; only the rule on neighbours removes it."""
    assert actions(1, 6) == 7
    assert all(38 not in points_of(corridor(40), replace(ASKNAV, starts=100), seed).start for seed in range(40))


def test_every_goal_counts_for_the_filters() -> None:
    """An oven at each end of 48 viewpoints: one of them is 24 steps away or more, so the agent must look there at once, and
    then it must turn five times for the other, 23 steps away or more: 29 actions. Of 24 viewpoints some are right for both.
    """

    def both_ends(count: int) -> House:
        house = corridor(count)
        other = Object(1, "oven", 0, OrientedBox(house.viewpoints[0].position))
        return replace(house, objects=(*house.objects, other))

    everything = replace(NOROOM, starts=1000)
    assert len(points_of(both_ends(48), everything)) == 0
    points = points_of(both_ends(24), everything)
    assert len(points)
    assert not set(points.start.tolist()) & {0, 1, 22, 23}
    assert np.diff(points.first).tolist() == [2] * len(points)


def test_at_most_five_starts_a_room() -> None:
    """The hallway of 24 viewpoints in two rooms of 12: five from each, and the kitchen's only one."""
    points = points_of(corridor(25, rooms=2))
    assert points.candidates == 11
    starts = points.start.tolist()
    assert sum(start < 12 for start in starts) <= 5
    assert sum(12 <= start < 24 for start in starts) <= 5


def test_at_most_twelve_starts_an_object_for_noroom() -> None:
    assert points_of(corridor(40), NOROOM).candidates == 12
    assert points_of(corridor(40, objects=2), NOROOM).candidates == 24
    assert points_of(corridor(40, objects=5), NOROOM).candidates == 40


def test_the_lowest_lots_of_each_group_are_taken() -> None:
    group, lot = np.array([1, 0, 1, 1, 0]), np.array([0.9, 0.5, 0.1, 0.3, 0.2])
    assert at_most_of_each(group, lot, 2, np.array([10, 11, 12, 13, 14])).tolist() == [11, 12, 13, 14]
    assert at_most_of_each(group, lot, 1, np.array([10, 11, 12, 13, 14])).tolist() == [12, 14]


def test_starts_that_cannot_reach_the_goals_are_no_candidates() -> None:
    """A second corridor that nothing joins to the first."""
    house = corridor(20)
    island = tuple(Viewpoint(f"w{i}", (50.0 + i, 3.0 * i, 1.5), 2) for i in range(9))
    joined = tuple((20 + i, 21 + i) for i in range(8))
    apart = replace(
        house,
        viewpoints=house.viewpoints + island,
        edges=house.edges + joined,
        rooms=(*house.rooms, Room(2, "g")),
    )
    points = points_of(apart, replace(ASKNAV, starts=100))
    assert points.candidates == 20
    assert max(points.start) < 20


def test_headings_are_spread_over_all_twelve() -> None:
    drawn = np.concatenate([points_of(corridor(40), replace(ASKNAV, starts=100), seed).heading for seed in range(30)])
    assert set(drawn.tolist()) == set(range(HEADINGS))


def test_a_known_task_has_its_known_length() -> None:
    """From the entryway looking west the towel in the bathroom is 16 actions away (worked out in tests/test_world.py)."""
    for seed in range(40):
        points = points_of(cottage(), seed=seed)
        for record in records_of(points):
            if record["paths"][0][0] == "entryway" and record["instructions"] == ["find a towel in the bathroom ."]:
                (trajectory,) = record["trajectories"]
                if round(record["heading"] / TURN) == 9:
                    assert len(trajectory) == 16
                    assert trajectory[-1] == [0, 0, 0]
                    return
    pytest.fail("no seed drew that heading")


def test_a_record_has_the_fields_of_the_format() -> None:
    points = points_of(cottage())
    record = next(each for each in records_of(points) if each["object_name"] == "picture" and len(each["paths"]) == 2)
    assert record["scan"] == "cottage"
    assert record["instructions"] == ["find a picture in one of the hallways ."]
    assert [path[-1] for path in record["paths"]] == ["hall_north", "landing"]
    assert record["end_regions"] == [1, 6]
    assert record["end_region_name"] == "hallway"
    assert record["object_indices"] == [[1], [13]]
    graph = points.graph
    start = graph.ids.index(record["paths"][0][0])
    assert record["distances"] == [graph.distance[start, 2], graph.distance[start, 9]]
    for path, metres in zip(record["paths"], record["distances"], strict=True):
        place = {each.id: each.position for each in points.house.viewpoints}
        walked = sum(math.dist(place[a], place[b]) for a, b in pairwise(path))
        assert walked == pytest.approx(metres)
    (task,) = tasks_of(record, "here")
    assert task.start_room == record["start_region_name"]
    assert points.house.room_by_id[record["start_region"]].name == task.start_room


def test_noroom_records_name_no_room() -> None:
    records = records_of(points_of(cottage(), NOROOM), NOROOM)
    assert {record["end_region_name"] for record in records} == {""}
    assert all(" in " not in record["instructions"][0] for record in records)


def test_a_start_without_a_room_says_so() -> None:
    house = corridor(20)
    nowhere = tuple(replace(each, room=None if each.room == 0 else each.room) for each in house.viewpoints)
    records = records_of(points_of(replace(house, viewpoints=nowhere)))
    assert {(record["start_region"], record["start_region_name"]) for record in records} == {(-1, "no label")}


def test_a_house_without_objects_or_edges_has_no_points() -> None:
    assert len(points_of(replace(cottage(), objects=()))) == 0
    assert len(points_of(replace(cottage(), edges=()))) == 0


@pytest.mark.parametrize("recipe", [ASKNAV, NOROOM], ids=lambda recipe: recipe.name)
def test_recorded_trajectories_lead_the_simulator_to_the_goals(recipe: DatasetRecipe, tmp_path: Path) -> None:
    houses = [cottage(), *small_houses(2)]
    write_matterport(tmp_path, houses)
    simulator = Simulator()
    simulator.setNavGraphPath(str(tmp_path / "connectivity"))
    simulator.setRenderingEnabled(False)
    simulator.setDiscretizedViewingAngles(True)
    simulator.setCameraResolution(640, 480)
    simulator.setCameraVFOV(math.radians(60))
    simulator.init()
    walked = 0
    for house in houses:
        for record in records_of(points_of(house, recipe), recipe)[:150]:
            for path, trajectory in zip(record["paths"], record["trajectories"], strict=True):
                simulator.newEpisode(house.name, path[0], record["heading"], 0)
                visited = [path[0]]
                for move in trajectory:
                    simulator.makeAction(*move)
                    here = simulator.getState().location.viewpointId
                    visited += [] if here == visited[-1] else [here]
                assert visited == path
                assert trajectory.count([0, 0, 0]) == 1
                walked += 1
    assert walked > 300


def test_lengths_are_the_compiled_teachers() -> None:
    for house in (cottage(), *small_houses(3)):
        points = points_of(house)
        world = World.compile([house])
        rows = np.repeat(np.arange(len(points)), np.diff(points.first))
        goals = [
            world.viewpoint(house.name, house.viewpoints[goal.viewpoint].id)
            for which in range(len(points))
            for goal in points.buckets[points.bucket[which]].goals
        ]
        alone = Environment.compile(world, [(house.name, [viewpoint]) for viewpoint in world.ids])
        start = torch.from_numpy(points.start * VIEWS + LEVEL_ROW * HEADINGS + points.heading)[rows]
        _, lengths = teacher_trajectories(alone, start, torch.tensor(goals))
        assert points.lengths.tolist() == lengths.tolist()


@pytest.mark.parametrize("recipe", [ASKNAV, NOROOM], ids=lambda recipe: recipe.name)
def test_every_point_of_random_houses_is_feasible(recipe: DatasetRecipe) -> None:
    for house in small_houses(6):
        points = points_of(house, recipe)
        assert len(points) > 50
        for record in records_of(points, recipe):
            start = record["paths"][0][0]
            beside = {house.viewpoints[i].id for i in house.neighbours[house.number[start]]} | {start}
            assert not beside & {path[-1] for path in record["paths"]}
            assert all(5 <= len(trajectory) <= 25 for trajectory in record["trajectories"])
            assert len({path[-1] for path in record["paths"]}) == len(record["paths"])


def test_points_depend_on_the_seed_and_on_no_other_house() -> None:
    house = small_houses(1)[0]
    first, again, other = points_of(house), points_of(house), points_of(house, seed=1)
    assert np.array_equal(first.start, again.start) and np.array_equal(first.heading, again.heading)
    assert not np.array_equal(first.heading, other.heading)
    filters = Filters.of(small_houses(4), rooms=True, fewest=1)
    assert np.array_equal(first.moves, house_points(house, filters, ASKNAV, 0).moves)

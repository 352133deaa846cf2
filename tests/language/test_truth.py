"""Whatever the advisor says is so: held against what frames mean, and against pictures and plans of the houses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from shapely import LineString, MultiPoint, Point

import spoken as it
from true_frames import plan_frames as every_sequence
from vnla.camera import VIEWS, view_angles
from vnla.houses.render import prepare, render_view
from vnla.language.frames import (
    Enter,
    Face,
    Landmark,
    Leave,
    Pass,
    Reach,
    Remember,
    Spot,
    Stairs,
    Through,
    Turn,
    Walk,
    check,
    follow,
)
from vnla.language.speech import plan_of
from vnla.language.things import HUES, NOTHING, ROOMS, THINGS
from vnla.world.actions import Nav


@pytest.mark.parametrize(("k", "count"), [(1, 100), (4, 400), (8, 200)])
def test_every_clause_is_true_where_it_is_said_and_leads_along_the_plan(k: int, count: int) -> None:
    now = it.agents(count, k)
    told = it.voice(k).tell(now)
    kinds = set()
    for row in range(count):
        at = int(now.pose[row])
        for frame, pose, end, house in it.clauses(now, told, row):
            first = int(it.world().first[house]) * VIEWS
            seen = [int(each) - first for each in now.past[row]]
            around = it.surroundings()[house]
            assert pose + first == at, "clauses follow each other"
            assert check(frame, around, pose, seen), frame
            assert follow(frame, around, pose, it.stepping(now, row, house)) == end, frame
            at = end + first
            kinds.add(type(frame))
        assert at == int(plan_of(now, k).poses[row, -1])
    if k > 1:
        assert {Turn, Walk, Face, Spot, Reach, Pass, Enter, Leave, Through} <= kinds


def test_every_sequence_that_is_said_is_among_all_that_are_true() -> None:
    now = it.agents(12, 1)
    told = it.voice(3).tell(now)
    plan = plan_of(now, 3)
    for row in range(12):
        said = it.clauses(now, told, row)
        house = said[0][3]
        first = int(it.world().first[house]) * VIEWS
        poses = [int(each) - first for each in plan.poses[row]]
        actions = [Nav(int(each)) for each in plan.actions[row]]
        seen = [int(each) - first for each in now.past[row]]
        sequences = every_sequence(actions, poses, it.surroundings()[house], it.stepping(now, row, house), seen)
        assert tuple(frame for frame, *_ in said) in set(sequences)


def named(frame: object) -> Landmark | None:
    found = getattr(frame, "landmark", None) or getattr(frame, "toward", None)
    return found if isinstance(found, Landmark) else None


def test_things_are_in_the_picture_and_where_they_are_said_to_be() -> None:
    """By single pictures of the views, drawn for the test as large as the simulator's."""
    now = it.agents(150, 7)
    told = it.voice(4).tell(now)
    stages = [prepare(each.scene, lit=False) for each in it.made()]
    headings, elevations = view_angles()
    checked = 0
    for row in range(150):
        for frame, pose, end, house in it.clauses(now, told, row):
            landmark = named(frame)
            if landmark is None or checked > 40:
                continue
            building = it.made()[house].house

            def drawn(pose: int, house: int = house) -> np.ndarray:  # type: ignore[type-arg]
                here, view = divmod(pose, VIEWS)
                place = it.made()[house].house.viewpoints[here].position
                return render_view(stages[house], place, headings[view], elevations[view]).objects

            objects = drawn(end if isinstance(frame, Face | Spot) else pose)
            mine = objects == building.objects[landmark.thing].id
            if isinstance(frame, Remember):
                first = int(it.world().first[house]) * VIEWS
                earlier = [drawn(int(each) - first) == building.objects[landmark.thing].id for each in now.past[row]]
                assert mine.mean() < 0.001 and max(each.mean() for each in earlier) >= 0.005, frame
                continue
            assert mine.mean() >= 0.005, frame
            middle = np.nonzero(mine)[1].mean() / 640 - 0.5
            side = getattr(frame, "side", None)
            if isinstance(frame, Face):
                assert abs(middle) < 0.25
            elif isinstance(frame, Reach) and side:
                assert (middle < 0) == (side == "left") or abs(middle) < 0.25
            same = [thing for thing in building.objects if thing.label == building.objects[landmark.thing].label]
            in_view = [thing for thing in same if (objects == thing.id).mean() > 0.002]
            if landmark.hue == NOTHING:
                assert in_view == [building.objects[landmark.thing]], frame
            checked += 1
    assert checked > 40


def outline(house: int, thing: int) -> object:
    corners = np.array(it.made()[house].house.objects[thing].box.corners())[:, :2]
    return MultiPoint(corners).convex_hull


def test_places_are_those_that_are_named() -> None:
    """Near things, behind doors, in rooms, past things: by the plan that the house was built from."""
    now = it.agents(800, 11)
    told = it.voice(4).tell(now)
    counts = dict.fromkeys((Reach, Enter, Leave, Through, Pass, Stairs), 0)  # how many of each were looked at
    for row in range(800):
        for frame, pose, end, house in it.clauses(now, told, row):
            building, plan = it.made()[house].house, it.made()[house].plan
            start, goal = (building.viewpoints[each // VIEWS] for each in (pose, end))
            before, after = (plan.room_by_id[each.room] for each in (start, goal) if each.room is not None)
            a, b = Point(start.position[:2]), Point(goal.position[:2])
            match frame:
                case Reach(landmark, _):
                    body = outline(house, landmark.thing)
                    assert b.distance(body) <= 1.5 + 1e-6 < a.distance(body) + 1e-6  # type: ignore[arg-type]
                case Enter(room):
                    assert after.label == ROOMS[room].name != before.label
                case Leave(room, into):
                    assert before.label == ROOMS[room].name and after.id != before.id
                    assert into == NOTHING or after.label == ROOMS[into].name
                case Through(door, _, side):
                    path = it.surroundings()[house].path(pose // VIEWS, end // VIEWS)
                    line = LineString([building.viewpoints[i].position[:2] for i in path])
                    ways = [
                        way for way in plan.openings if way.passable and before.id in way.rooms and after.id in way.rooms
                    ]
                    way = min(ways, key=lambda each: Point(each.x, each.y).distance(line))
                    assert (way.kind == "door") == door
                    angle = math.degrees(math.atan2(way.x - a.x, way.y - a.y)) - 30 * (pose % 12)
                    angle = (angle + 180) % 360 - 180
                    assert side is None or {"left": angle < 0, "right": angle > 0, "ahead": abs(angle) <= 15}[side]
                case Pass(landmark, _):
                    body = outline(house, landmark.thing)
                    assert LineString([a, b]).distance(body) < 3.0  # type: ignore[arg-type]
                case Stairs(up, _):
                    assert (goal.position[2] > start.position[2]) == up
                case _:
                    continue
            counts[type(frame)] += 1
    assert min(counts.values()) > 3, counts


def test_first_turns_that_are_not_said_can_be_seen() -> None:
    """To a thing that is on that side; to a room of which something is, or to which a way out is: by the plan of the house,
    from the actions of the teacher."""
    now, seen, told_side = it.agents(2000, 13), 0, 0
    told, plan = it.voice(4).tell(now), plan_of(now, 4)
    for row in range(2000):
        clauses = it.clauses(now, told, row)
        places = [at for at, what in enumerate(told.what[row].tolist()) if what >= 0]
        for (frame, pose, end, house), at in zip(clauses, places, strict=True):
            action, around = Nav(int(plan.actions[row, at])), it.surroundings()[house]
            if not isinstance(frame, Reach | Enter | Leave) or action not in (Nav.LEFT, Nav.RIGHT):
                continue
            turn, (here, view) = 1 if action is Nav.RIGHT else -1, divmod(pose, VIEWS)
            if frame.side is not None:
                told_side += 1
                assert frame.side == action.name.lower(), frame
                continue
            building, room = it.made()[house].house, building_room(house, end)
            own = [
                i
                for i, thing in enumerate(building.objects)
                if (i == frame.landmark.thing if isinstance(frame, Reach) else thing.room == room)
            ]
            sides = {int(np.sign(around.across[here, view, i])) for i in own if around.visible[here, view, i]}
            x, y, _ = building.viewpoints[here].position
            ways = [way for way in it.made()[house].plan.openings if way.passable and room in way.rooms]
            doors = [math.degrees(math.atan2(way.x - x, way.y - y)) - 30 * (view % 12) for way in ways]
            angles = [(angle + 180) % 360 - 180 for angle in doors]
            near = isinstance(frame, Enter | Leave) and any(0 < angle * turn <= 40 for angle in angles)
            assert turn in sides or near, (frame, turn, sides, angles)
            seen += 1
    assert seen > 20 and told_side > 20, (seen, told_side)


def building_room(house: int, pose: int) -> int | None:
    return it.made()[house].house.viewpoints[pose // VIEWS].room


def test_on_stairs_it_speaks_of_stairs() -> None:
    """From the foot of the flight to its head, and back: up and down, and half of it is a beginning."""
    around = it.surroundings()[1]
    floor = around.floor
    ends = [(i, around.along_stairs(i, True, True)) for i in range(len(floor))]
    climbs = [(low, high) for low, high in ends if high is not None]
    assert climbs
    for low, high in climbs:
        assert high is not None and floor[high] > floor[low]
        assert around.along_stairs(high, True, True) is None
    foot, head = min(climbs, key=lambda pair: floor[pair[0]])
    assert head is not None and floor[head] - floor[foot] > 2.0
    assert around.along_stairs(head, False, True) is not None
    middle = around.along_stairs(foot, True, False)
    assert middle is not None and floor[foot] < floor[middle] < floor[head]


def test_colours_are_those_of_the_pictures() -> None:
    """Of large things in lit pictures: the mean of their pixels is redder than blue where they are red, and so on."""
    building = it.made()[0]
    stage, around = prepare(building.scene), it.surroundings()[0]
    headings, elevations = view_angles()
    order = {"red": (0, 2), "blue": (2, 0), "green": (1, 0), "yellow": (0, 2), "orange": (0, 2), "brown": (0, 2)}
    checked = 0
    for thing in np.flatnonzero(around.hue != NOTHING).tolist():
        name = HUES[around.hue[thing]].name
        here, view = np.unravel_index(around.share[:, :, thing].argmax(), around.share.shape[:2])
        if name not in order or around.share[here, view, thing] < 0.02:
            continue
        stand = building.house.viewpoints[int(here)]
        picture = render_view(stage, stand.position, headings[view], elevations[view], width=160, height=120)
        colour = picture.rgb[picture.objects == building.house.objects[thing].id].mean(axis=0)
        more, less = order[name]
        assert colour[more] > colour[less], (THINGS[around.noun[thing]].name, name, colour)
        checked += 1
    assert checked

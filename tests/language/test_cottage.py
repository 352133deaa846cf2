"""The cottage by hand: it cannot be drawn, so what is in view is worked out from boxes, and doors from its edges.

From hall, south, the kitchen lies at 99.5 degrees, the living room's first viewpoint at 281, the entryway at 174.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from cottage_poses import AROUND, pose
from true_frames import plan_frames
from vnla.camera import VIEWS, view_index
from vnla.houses.cottage import cottage
from vnla.language.facts import facts_of
from vnla.language.frames import Enter, Landmark, Leave, Look, Reach, StopFrame, Through, Turn, Walk, check, follow
from vnla.language.sights import plain_sights
from vnla.language.surroundings import Surroundings
from vnla.language.things import NOTHING, room_of, thing_of
from vnla.language.wayfinding import Wayfinding
from vnla.world.actions import Nav
from vnla.world.compiled import Environment, World

WORLD = World.compile([cottage()])
NAMES = AROUND.graph.ids
KITCHEN, LIVING, HALL, DINING, ENTRY = map(room_of, "klhde")


def step(place: int, action: Nav) -> int:
    return int(WORLD.after[place * 6 + action])


def landmark(label: str) -> Landmark:
    thing = next(i for i, each in enumerate(cottage().objects) if each.label == label)
    return Landmark(thing, thing_of(label))


def test_rooms_are_entered_where_the_way_begins_ahead() -> None:
    north, east = pose("hall_south", 0), pose("hall_south", 3)
    assert not check(Enter(KITCHEN), AROUND, north), "99 degrees is behind one's shoulder"
    assert check(Enter(KITCHEN), AROUND, east)
    assert follow(Enter(KITCHEN), AROUND, east, step) == pose("kitchen", 3)
    assert not check(Enter(HALL), AROUND, east), "one is there"


def test_the_nearest_way_out_of_the_hall_is_to_the_living_room() -> None:
    """2.55 m, against 3.01 m to the entryway and 3.04 m to the kitchen."""
    west = pose("hall_south", 9)
    assert follow(Leave(HALL), AROUND, west, step) == pose("living_east", 9)
    assert check(Leave(HALL, LIVING), AROUND, west)
    assert not check(Leave(HALL, KITCHEN), AROUND, west)
    assert not check(Leave(KITCHEN), AROUND, west)


def test_the_way_into_a_room_may_be_on_a_side() -> None:
    """Facing 240 the entryway is 66 degrees to the left; facing 180 it is ahead."""
    turned, south = pose("hall_south", 8), pose("hall_south", 6)
    for at, side in ((turned, "left"), (south, "ahead")):
        for each in ("left", "right", "ahead"):
            assert check(Enter(ENTRY, side=each), AROUND, at) == (each == side), (at, each)
            assert check(Leave(HALL, ENTRY, each), AROUND, at) is False, "the living room is nearer"
    assert follow(Enter(ENTRY, side="left"), AROUND, turned, step) == pose("entryway", 6)


def test_ways_are_found_by_what_is_in_view() -> None:
    """Facing 210 the entryway's doorway is at -36, and no other is in view; facing 240 it is not in view, nor does it have
    to be facing 180. Facing 60 that of the kitchen, at 39.5, is not alone in view. Nothing of other rooms is."""
    finding, here = Wayfinding(AROUND), NAMES.index("hall_south")
    for room, heading, found in (
        ("entryway", 7, True),
        ("entryway", 8, False),
        ("entryway", 6, True),
        ("kitchen", 2, False),
    ):
        seen, told = finding.to_room(here, NAMES.index(room))
        assert seen[view_index(1, heading)] == found and told[view_index(1, heading)], (room, heading)


def test_things_lead_to_the_side_where_they_are() -> None:
    """From living, east, the way west begins at 258.7, and the fireplace is at 211.3. Facing 210 one turns to the right, and
    it is ahead; facing 180 it is at 31 on that side. Facing 240 one goes straight on."""
    finding, here, there = Wayfinding(AROUND), NAMES.index("living_east"), NAMES.index("living_west")
    found = finding.to_thing(here, there, landmark("fireplace").thing)
    assert [bool(found[view_index(1, heading)]) for heading in (6, 7, 8)] == [True, False, True]


def test_doorways_by_side_and_number() -> None:
    """Facing east the kitchen's is ahead, at 9.5 degrees. Facing 60 it is alone on the right, at 39.5; on the left there are
    the dining room's at -33, 3.5 m away, and that of the stairs at -59, 4 m. The way to either begins at -56,
    which is behind one's shoulder for somebody who faces east."""
    east, between = pose("hall_south", 3), pose("hall_south", 2)
    assert follow(Through(False, 0, "ahead"), AROUND, east, step) == pose("kitchen", 3)
    assert not check(Through(True, 0, "ahead"), AROUND, east), "no doors in the cottage"
    assert not check(Through(False, 1, "left"), AROUND, east)
    for frame, room in ((Through(False, 0, "right"), "kitchen"), (Through(False, 1, "left"), "dining"),
                        (Through(False, 2, "left"), "stairs_foot")):  # fmt: skip
        assert check(frame, AROUND, between)
        there = follow(frame, AROUND, between, step)
        assert there is not None and NAMES[there // VIEWS] == room
    assert not check(Through(False, 0, "left"), AROUND, between), "there are two"
    assert not check(Through(False, 3, "left"), AROUND, between)


def test_things_are_in_view_in_the_own_room_alone() -> None:
    sofa, west = landmark("sofa"), pose("living_east", 9)
    assert check(Reach(sofa), AROUND, west) and not check(Reach(sofa), AROUND, pose("living_east", 3))
    reached = follow(Reach(sofa), AROUND, west, step)
    assert reached is not None and NAMES[reached // VIEWS] == "living_west"
    assert not check(Reach(landmark("sink")), AROUND, west)
    assert AROUND.hue.tolist() == [NOTHING] * len(cottage().objects), "nobody knows colours here"


def test_all_that_is_true_of_a_plan() -> None:
    """Right three times from facing north, then forward into the kitchen; what is left out is not so."""
    start, goal = pose("hall_south", 0), "kitchen"
    environment = Environment.compile(WORLD, [("cottage", [goal])])
    actions = [Nav.RIGHT, Nav.RIGHT, Nav.RIGHT, Nav.FORWARD]
    poses = [start]
    for action in actions:
        poses.append(step(poses[-1], action))
    assert environment.world.ids[poses[-1] // VIEWS] == "kitchen"
    found = set(plan_frames(actions, poses, AROUND, step))
    assert (Turn("right", 3), Walk(1)) in found
    assert (Turn("right", 3), Enter(KITCHEN)) in found
    assert (Turn("right", 3), Through(False, 0, "ahead")) in found
    assert not any(isinstance(frame, Leave | Look | StopFrame) for frames in found for frame in frames)
    assert all(frames[0] == Turn("right", 3) or frames[0].__class__.__name__ in ("Face", "Spot") for frames in found)


@pytest.mark.parametrize(("heading", "side"), [(6, "right"), (7, "ahead"), (8, "left"), (9, None)])
def test_where_in_the_view_the_fireplace_is(heading: int, side: str | None) -> None:
    """From (-2.5, 0.5) the fireplace at (-4.2, -2.3) is at 211.3 degrees: 31 to the right of south, 59 from west."""
    thing = landmark("fireplace").thing
    assert AROUND.side_of_thing(NAMES.index("living_east"), view_index(1, heading), thing) == side


def test_actions_without_a_goal_are_those_of_the_world() -> None:
    for place in range(len(NAMES) * VIEWS):
        assert [AROUND.after(place, action) for action in Nav] == [step(place, action) for action in Nav]


def test_a_house_without_things_has_facts_too() -> None:
    bare = replace(cottage(), objects=())
    facts = facts_of(Surroundings(bare, plain_sights(bare)))
    assert len(facts.here) and not len(facts.turn) and (facts.seen == NOTHING).all()

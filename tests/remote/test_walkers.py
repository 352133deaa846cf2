"""The scripted walker and the planner: what they read, remember, expect and reach."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cottage_players import HOUSE, TASKS
from remote.cottage_rules import FOLDER, KITCHEN, rules, showing
from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.houses.folder import WorldFolder
from vnla.houses.rooms import NO_LABEL, ROOM_NAMES
from vnla.remote.episode import EpisodeRecord
from vnla.remote.evaluated_agent import LocalPolicy
from vnla.remote.evaluation import evaluate_policy
from vnla.remote.planner import RoomStatistics
from vnla.remote.registry import policy_named
from vnla.remote.room_map import RoomMap
from vnla.tasks.end_goals import EndGoal, end_goal, read_end_goal
from vnla.vision.symbols import Symbols, WorldSymbols
from vnla.world.actions import Nav
from vnla.world.compiled import World

LABELS = [label for label in ROOM_NAMES if label != NO_LABEL]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("find a towel in the bathroom .", EndGoal("towel", "bathroom")),
        ("find a bed in one of the bedrooms .", EndGoal("bed", "bedroom")),
        ("find curtains in one of the libraries .", EndGoal("curtains", "library")),
        ("find an armchair .", EndGoal("armchair", None)),
        ("find a picture in the frame in the living room .", EndGoal("picture in the frame", "living room")),
        ("find a key in the lock .", EndGoal("key in the lock", None)),
        ("", EndGoal("", None)),
    ],
)
def test_end_goals_are_read_back(text: str, expected: EndGoal) -> None:
    assert read_end_goal(text) == expected


@given(
    st.sampled_from(["towel", "armchair", "curtains", "clothes", "chest of drawers"]),
    st.sampled_from(LABELS),
    st.integers(1, 2),
)
def test_every_end_goal_is_read_back(thing: str, room: str, rooms: int) -> None:
    assert read_end_goal(end_goal(thing, room, rooms)) == EndGoal(thing, ROOM_NAMES[room])


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert isinstance(read_end_goal(text), EndGoal)


def test_a_map_of_the_cottage_is_made_by_walking() -> None:
    """A walk that the walker is told of as a guest is; every place it knows is a viewpoint, turned and moved."""
    world, sights = World.compile([HOUSE]), WorldSymbols.of_houses([HOUSE])
    position, ids = world.graphs[0].position, world.ids
    places, pose = RoomMap(), int(TASKS.start[KITCHEN])
    start, heading = position[pose // VIEWS], math.radians(pose % 12 * 30)
    places.see(sights("cottage", ids[pose // VIEWS], pose % VIEWS))
    script = [Nav.LEFT] * 3 + [Nav.FORWARD] * 3 + [Nav.LEFT] * 3 + [Nav.FORWARD, Nav.LEFT, Nav.LEFT, Nav.LEFT, Nav.FORWARD]
    for action in script:
        after = int(world.after.reshape(-1, 6)[pose, action])
        metres = math.dist(position[pose // VIEWS], position[after // VIEWS])
        places.moved(round(metres, 2)) if metres else places.turned(action)
        pose = after
        places.see(sights("cottage", ids[pose // VIEWS], pose % VIEWS))
    known = {}
    for place in places.all:
        east, north, up = place.point
        x = start[0] + east * math.cos(heading) + north * math.sin(heading)
        y = start[1] - east * math.sin(heading) + north * math.cos(heading)
        nearest = min(range(len(ids)), key=lambda i: math.dist(position[i], (x, y, start[2] + up)))
        assert math.dist(position[nearest], (x, y, start[2] + up)) < 0.1
        known[ids[nearest]] = place
    assert len(known) == len(places.all)
    assert {name for name, place in known.items() if place.visited} >= {
        "living_west",
        "living_east",
        "hall_south",
        "kitchen",
    }
    assert known["kitchen"].room == "kitchen"
    assert places.all[places.here] is known[ids[pose // VIEWS]]


@given(st.lists(st.sampled_from(list(Nav)[:5]), max_size=30), st.integers(0, 5))
def test_a_map_survives_any_walk(actions: list[Nav], task: int) -> None:
    world, sights = World.compile([HOUSE]), WorldSymbols.of_houses([HOUSE])
    places, pose = RoomMap(), int(TASKS.start[task])
    for action in actions:
        places.see(sights("cottage", world.ids[pose // VIEWS], pose % VIEWS))
        after = int(world.after.reshape(-1, 6)[pose, action])
        position = world.graphs[0].position
        metres = math.dist(position[pose // VIEWS], position[after // VIEWS])
        places.moved(metres) if metres else places.turned(action) if after != pose else None
        pose = after
        for place, (steps, first) in places.steps_to().items():
            assert steps >= 1 and first in places.all[places.here].near and place != places.here
            assert places.toward(first) in (Nav.LEFT, Nav.RIGHT, Nav.FORWARD)


def test_moving_without_having_seen_a_way() -> None:
    places = RoomMap()
    places.see(Symbols("", "level", (), ()))
    places.moved(2.0)
    assert places.all[places.here].point == pytest.approx((0, 2, 0))


def walk(guest: LocalPolicy, ratio: float = 0.0) -> list[EpisodeRecord]:
    kept: list[EpisodeRecord] = []

    class Keeping:
        def done(self, *_: object) -> dict[object, EpisodeRecord]:
            return {}

        def add(self, record: EpisodeRecord) -> None:
            kept.append(record)

        def close(self) -> None: ...

    evaluate_policy(guest, rules(ratio=ratio), showing(guest.declaration), seeds=(123,), folder=Keeping())  # type: ignore[arg-type]
    return kept


@pytest.mark.parametrize("name", ["scripted", "planner"])
def test_they_follow_advice_and_never_go_wrong(name: str) -> None:
    """With help all the time they are led to every goal, on the teacher's way."""
    records = walk(policy_named(name, {}, FOLDER), ratio=1.0)
    ends = {record.task: record.path[-1][0] for record in records}
    assert all(ends[task.id] in task.goals for task in TASKS.tasks)
    assert not any(record.errors for record in records)


def test_the_scripted_walker_finds_something_alone() -> None:
    """Without asking it reaches a goal of one task at least: the cottage is small."""
    found = {record.task: record for record in walk(policy_named("scripted", {"asks": False}, FOLDER))}
    assert not any(said for record in found.values() for said in record.said)
    assert any(record.path[-1][0] in task.goals for task, record in zip(TASKS.tasks, found.values(), strict=True))


def test_the_planner_knows_how_far_rooms_are() -> None:
    """The one viewpoint of the kitchen is 3.7 m from the dining room's; the living room has two, 5.6 and 8.1 m from it."""
    statistics = RoomStatistics.learn([HOUSE] * 3)
    position = {viewpoint.id: viewpoint.position for viewpoint in HOUSE.viewpoints}
    kitchen_to_dining = math.dist(position["kitchen"], position["dining"])
    assert statistics.expected("kitchen", EndGoal("", "dining room")) == pytest.approx(kitchen_to_dining)
    east = math.dist(position["living_east"], position["hall_south"]) + math.dist(
        position["hall_south"], position["kitchen"]
    )
    west = east + math.dist(position["living_west"], position["living_east"])
    assert statistics.expected("living room", EndGoal("sink", "kitchen")) == pytest.approx((east + west) / 2)
    assert statistics.expected("living room", EndGoal("sink", None)) == pytest.approx((east + west) / 2)
    assert statistics.expected("living room", EndGoal("piano", "kitchen")) == pytest.approx((east + west) / 2)
    assert statistics.expected("kitchen", EndGoal("towel", None)) == 0
    assert statistics.expected("spa", EndGoal("towel", "kitchen")) == statistics.anywhere
    assert RoomStatistics.learn([]).expected("kitchen", EndGoal("towel", None)) == 0


def test_the_planner_needs_training_houses() -> None:
    with pytest.raises(InputError, match="the planner learns from training houses"):
        policy_named("planner", {}, WorldFolder(FOLDER.path, FOLDER.houses, {}, {}))


def test_options_and_names() -> None:
    with pytest.raises(InputError, match="agent scripted: has no option speed; its options are asks, near"):
        policy_named("scripted", {"speed": 2}, FOLDER)
    with pytest.raises(InputError, match="agent nobody: unknown; choose from scripted, planner, or name your own"):
        policy_named("nobody", {}, FOLDER)
    with pytest.raises(InputError, match="agent json:JSONDecoder: is no class with reset and act"):
        policy_named("json:JSONDecoder", {}, FOLDER)

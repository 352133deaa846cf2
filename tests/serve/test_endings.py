"""The end of a walk: the object that was found and the view of it, or the last place from which the way was right."""

from __future__ import annotations

import math

import pytest

from serve.visitor import Door, Visitor, words_in
from vnla.camera import VIEWS
from vnla.houses.cottage import cottage
from vnla.serve.absent import absent
from vnla.serve.endings import ending, room_names
from vnla.serve.places import VisitorWorld
from vnla.serve.site import Site
from vnla.tasks.task import Task

HOUSE = cottage()


@pytest.fixture(scope="module")
def world(site: Site) -> VisitorWorld:
    return site.service.world


@pytest.fixture(scope="module")
def task(site: Site) -> Task:
    return next(task for task in site.engine.goals.offered if task.object)


def pose_at(world: VisitorWorld, viewpoint: str, view: int = 12) -> int:
    name = world.places.viewpoints(HOUSE)[HOUSE.number[viewpoint]]
    count = len(world.places.viewpoints(HOUSE))
    return next(each for each in range(count) if world.pose(each * VIEWS).viewpoint == name) * VIEWS + view


def test_it_turns_to_what_was_found(world: VisitorWorld, task: Task) -> None:
    found = ending(world, task, [pose_at(world, task.goals[0])], success=True)
    assert found.wrong_turn is None and found.rooms is None and found.sought is not None
    sought = found.sought
    things = [thing for thing in HOUSE.objects if thing.label == task.object]
    corners = [[tuple(round(each, 2) for each in corner) for corner in thing.box.corners()] for thing in things]
    assert [tuple(corner) for corner in sought.corners] in corners
    here = HOUSE.viewpoints[HOUSE.number[task.goals[0]]].position
    x, y = (sum(corner[i] for corner in sought.corners) / 8 - here[i] for i in (0, 1))
    off = math.degrees(math.atan2(x, y)) - 30 * sought.pose.heading
    assert abs((off + 180) % 360 - 180) <= 15.01  # no other heading is nearer
    assert sought.near in world.goals(task)


def test_where_it_went_wrong(world: VisitorWorld, task: Task) -> None:
    """Two steps towards the goal and away again: the place before it went away."""
    way = {world.pose(each * VIEWS).viewpoint: each * VIEWS for each in range(len(world.places.viewpoints(HOUSE)))}
    here = pose_at(world, task.start)
    names = world.way(here, task)
    assert len(names) >= 3
    start, nearer = way[names[0]], way[names[1]]
    wrong = ending(world, task, [start, nearer, nearer + 1, start, start], success=False).wrong_turn
    assert wrong is not None
    assert (wrong.step, wrong.left, wrong.pose) == (2, True, world.pose(nearer + 1))
    assert wrong.metres == round(world.metres(nearer, task), 2)
    ends = ending(world, task, [start, nearer, nearer], success=False).wrong_turn
    assert ends is not None and not ends.left and ends.step == 1


def test_whoever_walked_without_names_is_told_them_at_the_end(site: Site, visitor: Visitor) -> None:
    visitor.say("beat")
    assert not words_in(
        str(visitor.state).replace(visitor.state["begun"]["sentence"], ""), {room.name for room in HOUSE.rooms}
    )
    visitor.say("act", action="stop")
    told = visitor.state["ended"]["ending"]["rooms"]
    assert told == room_names(HOUSE)
    plan = site.plan(visitor.state["begun"]["house"], bare=True)
    assert [len(names) for names in told] == [len(storey["rooms"]) for storey in plan["storeys"]]
    public = site.plan(site.places.name(HOUSE), bare=False)
    assert told == [[room.get("label") for room in storey["rooms"]] for storey in public["storeys"]]


def test_a_house_that_lacks_something_is_said_to() -> None:
    text = "go past the beds to the bunk bed, the fish tanks and the dragon"
    parts = [(0, len(text), False)]
    labels = {thing.label for thing in HOUSE.objects}
    found = absent(text, parts, HOUSE)
    assert ("bed" in found) == ("bed" not in labels)
    assert {"bunk bed", "fish tank"} <= {*found} and "dragon" not in found
    assert absent(text, [(0, len(text), True)], HOUSE) == ()


def test_what_was_shown_is_what_is_heard(site: Site, door: Door, visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """However else the same words are read a moment later."""
    visitor.say("help", task="0_0", seed=0)
    pose = visitor.state["steps"][0]["pose"]
    door.get("/")
    visitor.leave()
    visitor.connect()
    shown = door.get("/advice", params={"text": "turn right", **pose}).json()
    assert shown["understood"] == "turn 90 degrees right"
    read = site.service.reader.read
    monkeypatch.setattr(site.service.reader, "read", lambda _, pose: read("look up", pose))
    visitor.say("advise", step=0, text="turn right")
    assert visitor.state["steps"][0]["advised"]["understood"] == shown["understood"]

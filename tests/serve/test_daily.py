"""The task of the day: the same for everybody, once a session, in five minutes, and nothing gives it away."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cottage_run import write_cottage
from serve.conftest import SECRET
from serve.visitor import Door, Visitor, words_in
from vnla.common.errors import InputError
from vnla.serve.daily import SECONDS, Daily
from vnla.serve.site import Site
from vnla.training.trained import Trained, open_trained

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC).timestamp()
TODAY = "2026-11-18"


class Clock:
    """Stands still unless it is moved."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def street(trained: Trained, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """The agent in two houses of one kind."""
    world, tasks = write_cottage(tmp_path_factory.mktemp("street"), houses=2)
    return open_trained(trained.folder, world=world, tasks=tasks)


@pytest.fixture
def day_site(street: Trained, tmp_path: Path) -> Iterator[Site]:
    site = Site(street, tmp_path / "pictures", SECRET, days=tmp_path / "days")
    assert site.daily is not None
    site.daily.clock = Clock()
    yield site
    site.close()


@pytest.fixture
def daily(day_site: Site) -> Daily:
    assert day_site.daily is not None
    return day_site.daily


@pytest.fixture
def clock(daily: Daily) -> Clock:
    assert isinstance(daily.clock, Clock)
    return daily.clock


@pytest.fixture
def entrance(day_site: Site, tmp_path: Path) -> Iterator[Door]:
    with Door(day_site, tmp_path / "sessions") as door:
        yield door


def test_it_follows_from_the_date_and_the_tasks_alone(street: Trained, daily: Daily, day_site: Site, tmp_path: Path) -> None:
    other = Daily(day_site.engine.goals, tmp_path, b"another secret")
    dates = [f"2026-11-{day:02}" for day in range(1, 29)]
    assert [daily.task(date) for date in dates] == [other.task(date) for date in dates]
    assert len({daily.task(date).id for date in dates}) > 3
    assert {daily.task(date).house for date in dates} == {house.name for house in street.material.folder.houses}
    assert len({daily.seed(date) for date in dates}) == len(dates)


def test_no_task_where_its_house_could_not_be_kept_from_the_other_modes(site: Site, tmp_path: Path) -> None:
    alone = Daily(site.engine.goals, tmp_path, b"")
    assert alone.withheld is None
    with pytest.raises(InputError, match="two houses at least"):
        alone.task(TODAY)


def test_houses_that_everybody_has_seen_are_left_out(day_site: Site, tmp_path: Path) -> None:
    one, other = sorted(day_site.engine.goals.houses)
    daily = Daily(day_site.engine.goals, tmp_path, b"", shown=[one])
    assert {daily.task(f"2026-12-{day:02}").house for day in range(1, 20)} == {other}


def test_a_whole_day(entrance: Door, clock: Clock) -> None:
    visitor = Visitor(entrance)
    assert visitor.say("day") is None
    begun = visitor.state["begun"]
    assert (begun["mode"], begun["day"], begun["until"]) == ("beat", TODAY, 1000 * (NOON + SECONDS))
    visitor.say("ask")
    clock.now += 20
    visitor.say("act", action="left")
    visitor.say("act", action="stop")
    day = visitor.state["ended"]["ending"]["day"]
    assert (day["date"], day["steps"], day["requests"], day["seconds"]) == (TODAY, 2, 1, 20)
    assert day["marks"] == [0, 0] and day["its_steps"] > 0
    table = entrance.get("/today.json").json()
    assert table == {
        "date": TODAY, "seconds": SECONDS, "tries": 1, "found": int(day["success"]), "rows": [[day["success"], 2, 1, 20]],
    }  # fmt: skip
    assert visitor.session and visitor.session not in (entrance.get("/today.json").text)
    read = entrance.get("/today/result.json", params={"token": day["token"]}).json()
    assert read == {"date": TODAY, "success": day["success"], "steps": 2, "requests": 1, "seconds": 20}
    for changed in (day["token"].replace("~2~", "~1~"), "", "~~~~~", "é~1~1~1~1~0"):
        assert entrance.get("/today/result.json", params={"token": changed}).status_code == 404


def test_one_try_a_session_and_a_day(entrance: Door, clock: Clock) -> None:
    visitor = Visitor(entrance)
    visitor.say("day")
    visitor.say("watch")
    assert "begun today's task before" in str(visitor.say("day"))
    clock.now += 86_400
    assert visitor.say("day") is None and visitor.state["begun"]["day"] == "2026-11-19"
    clock.now -= 86_400
    assert entrance.get("/today.json").json()["tries"] == 1, "the one that was left has ended, in the table of its day"


def test_when_the_time_is_up_it_ends_where_one_stands(entrance: Door, clock: Clock) -> None:
    visitor = Visitor(entrance)
    visitor.say("day")
    visitor.say("act", action="left")
    clock.now += SECONDS + 1
    assert visitor.say("ask") == "The time is up."
    visitor.say("act", action="right")
    ended = visitor.state["ended"]
    assert (ended["reason"], ended["ending"]["day"]["seconds"], ended["ending"]["day"]["steps"]) == ("time", SECONDS, 1)
    other = Visitor(entrance)
    other.say("day")
    other.say("leave")
    assert other.state["ended"]["ending"]["day"]["steps"] == 0
    assert entrance.get("/today.json").json()["tries"] == 2


def test_a_server_that_was_killed_goes_on_and_counts_nobody_twice(day_site: Site, tmp_path: Path) -> None:
    with Door(day_site, tmp_path / "sessions") as door:
        visitor = Visitor(door)
        visitor.say("day")
        visitor.say("act", action="left")
        session, seen = visitor.session, visitor.state
    with Door(day_site, tmp_path / "sessions") as door:
        again = Visitor(door, session)
        assert again.state == seen
        again.say("act", action="stop")
        day = again.state["ended"]["ending"]["day"]
        path = tmp_path / "days" / f"{TODAY}.jsonl"
        line = json.loads(path.read_text())
        path.write_text(path.read_text() + '{"who":"cut o\n' + json.dumps({**line, "row": [True, 1, 0, 1]}) + "\n")
        assert door.get("/today.json").json()["rows"] == [[day["success"], 2, 0, day["seconds"]]]
        third = Visitor(door, session)
        assert "begun today's task before" in str(third.say("day"))


def test_nothing_gives_it_away(day_site: Site, entrance: Door, daily: Daily) -> None:
    """Neither what is sent in it, nor any other mode: its house is shown nowhere else as long as it is the day's."""
    visitor = Visitor(entrance)
    visitor.heard.clear()
    visitor.say("day")
    for action in ("left", "forward", "right", "forward"):
        visitor.say("ask")
        visitor.say("act", action=action)
    task, begun = daily.task(TODAY), visitor.state["begun"]
    house = day_site.engine.goals.houses[task.house]
    labels = {thing.label for thing in house.objects} | {room.name for room in house.rooms}
    sent = "\n".join(visitor.heard).replace(begun["sentence"], "")
    assert not words_in(sent, labels)
    assert begun["house"] not in day_site.places.houses and begun["house"] not in day_site.walker_places.houses
    assert begun["house"] not in entrance.get("/houses.json").text
    assert entrance.get(f"/plan/{begun['house']}-bare.json").status_code == 200
    assert entrance.get(f"/plan/{begun['house']}.json").status_code == 404

    public = day_site.places.name(house)
    other = Visitor(entrance)
    assert public not in entrance.get("/houses.json").text
    assert "opens again at midnight" in entrance.get(f"/plan/{public}.json").text
    for message in ({"kind": "watch", "task": task.id}, {"kind": "help", "task": task.id}):
        assert "opens again at midnight" in str(other.say(**message))
    assert "opens again at midnight" in str(other.say("watch", house=public, goal=task.end_goal))
    with pytest.raises(InputError, match="opens again at midnight"):
        day_site.end_goal(task.end_goal, public)
    for _ in range(8):
        other.say("beat")
        assert other.state["begun"]["house"] != day_site.walker_places.name(house)
        other.say("watch")
        assert other.state["begun"]["house"] != public


def test_tomorrow_the_house_is_open(day_site: Site, entrance: Door, daily: Daily, clock: Clock) -> None:
    house = daily.withheld
    public = day_site.places.name(day_site.engine.goals.houses[str(house)])
    assert entrance.get(f"/plan/{public}.json").status_code == 404
    while daily.withheld == house:
        clock.now += 86_400
    assert entrance.get(f"/plan/{public}.json").status_code == 200
    assert public in entrance.get("/houses.json").text


def test_a_server_without_one_says_so(door: Door) -> None:
    visitor = Visitor(door)
    assert visitor.say("day") == "This server has no task of the day."
    assert door.get("/today.json").json() == {"why": "this server has no task of the day"}

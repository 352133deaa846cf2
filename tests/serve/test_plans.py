"""Floor plans for the page: what is in them, what a bare one keeps to itself, and how large they are."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from furnished import paper_sized_houses, small_houses
from strategies import connected_houses
from vnla.houses.cottage import cottage
from vnla.houses.house import Box, House, Level, Room, Viewpoint
from vnla.houses.rooms import ROOM_NAMES
from vnla.serve.places import PlaceNames
from vnla.serve.plans import PASSAGE, plan

HOUSE = cottage()
PLAN = plan(HOUSE, PlaceNames([HOUSE]))


def two_rooms(*edges: tuple[int, int]) -> House:
    """Two rooms of 4 × 4 metres side by side, the wall between them at x = 4; a viewpoint in each, and one in the other."""
    stands = [("a", (2.0, 2.0, 1.5), 0), ("b", (6.0, 2.0, 1.5), 1), ("c", (6.0, 3.0, 1.5), 1)]
    rooms = (Room(0, "k", 0, Box((0, 0, 0), (4, 4, 3))), Room(1, "b", 0, Box((4, 0, 0), (8, 4, 3))))
    viewpoints = tuple(Viewpoint(name, position, room) for name, position, room in stands)
    return House("two", viewpoints, edges, rooms, levels=(Level(0),))


def between(house: House) -> list[tuple[float, float]]:
    """From where to where the wall at x = 4 stands."""
    walls = plan(house, PlaceNames([house]))["storeys"][0]["walls"]
    return sorted((wall[0][1], wall[2][1]) for wall in walls if wall[0][0] == 3.94 and wall[1][0] == 4.06)


def test_a_wall_between_two_rooms_stands_once_and_is_open_where_an_edge_goes_through() -> None:
    assert between(two_rooms()) == [(0, 4)]
    assert between(two_rooms((0, 1))) == [(0, 2 - PASSAGE / 2), (2 + PASSAGE / 2, 4)]
    assert between(two_rooms((0, 1), (1, 2))) == between(two_rooms((0, 1))), "an edge inside of a room opens nothing"
    assert between(two_rooms((0, 1), (0, 2))) == [(0, 1.55), (2.95, 4)], "one passage for both edges"


def test_there_are_no_walls_around_what_is_outdoors() -> None:
    house = two_rooms((0, 1))
    porch = replace(house, rooms=(house.rooms[0], replace(house.rooms[1], label="p")))
    walls = plan(porch, PlaceNames([porch]))["storeys"][0]["walls"]
    assert max(x for wall in walls for x, _ in wall) == pytest.approx(4.06)


def test_storeys_rooms_and_viewpoints_are_those_of_the_house() -> None:
    names = PlaceNames([HOUSE]).viewpoints(HOUSE)
    assert [storey["name"] for storey in PLAN["storeys"]] == ["Level 0", "Level 1"]
    upstairs = sorted(room["label"] for room in PLAN["storeys"][1]["rooms"])
    assert upstairs == ["bathroom", "bedroom", "bedroom", "hallway"]
    for i, stand in enumerate(HOUSE.viewpoints):
        found = PLAN["viewpoints"][names[i]]
        assert found["at"] == pytest.approx(stand.position, abs=0.006)
        room = HOUSE.room_of(i)
        assert room is not None and found["storey"] == room.level
    assert {tuple(edge) for edge in PLAN["edges"]} == {(names[i], names[j]) for i, j in HOUSE.edges}


def test_a_bare_plan_differs_in_the_names_of_rooms_alone() -> None:
    bare = plan(HOUSE, PlaceNames([HOUSE]), bare=True)
    text = json.dumps(bare)
    assert not [name for name in ROOM_NAMES.values() if name in text]
    assert not [each for each in (HOUSE.name, *(stand.id for stand in HOUSE.viewpoints)) if f'"{each}"' in text]
    assert bare == _unnamed(PLAN)


def _unnamed(whole: dict[str, Any]) -> dict[str, Any]:
    storeys = [{**each, "rooms": [{"polygon": room["polygon"]} for room in each["rooms"]]} for each in whole["storeys"]]
    return {**whole, "storeys": storeys}


@settings(max_examples=25, deadline=None)
@given(connected_houses())
def test_any_house_has_a_plan_that_is_the_same_every_time(house: House) -> None:
    first, second = (json.dumps(plan(house, PlaceNames([house])), allow_nan=False) for _ in range(2))
    assert first == second
    assert len(json.loads(first)["viewpoints"]) == len(house.viewpoints)


def test_an_excluded_viewpoint_is_not_on_the_plan() -> None:
    house = two_rooms((0, 1))
    without = replace(house, viewpoints=(*house.viewpoints[:2], replace(house.viewpoints[2], included=False)))
    assert len(plan(without, PlaceNames([without]))["viewpoints"]) == 2


def test_plans_of_the_largest_houses_are_small() -> None:
    houses = [*small_houses(2), max(paper_sized_houses(), key=lambda house: len(house.viewpoints))]
    places = PlaceNames(houses)
    assert max(len(gzip.compress(json.dumps(plan(house, places)).encode())) for house in houses) < 60_000

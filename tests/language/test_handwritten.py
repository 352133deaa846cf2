"""The advice written by hand: every line is well-formed, and its walk is possible in the house that it names.

A walk takes place without a goal, as `vnla/language/data/README.md` says: forward goes where the view's centre points.
"""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import vnla
from vnla.camera.views import HEADINGS, ROWS, VIEWS, view_index
from vnla.houses.generate.world import GENERATOR, PRESETS, recipes
from vnla.houses.house import House
from vnla.world.actions import NAV_ACTIONS, Nav
from vnla.world.compiled import World

Line = dict[str, Any]
HouseKey = tuple[str, int, int]

DATA = Path(vnla.__file__).parent / "language" / "data"
TEXT = (DATA / "handwritten.jsonl").read_text(encoding="utf-8")
LINES: list[Line] = [json.loads(line) for line in TEXT.splitlines()]
FIELDS = ["house", "viewpoint", "heading", "row", "plan", "sentence"]
LONGEST = 300
"""Characters of a sentence."""


def key(line: Line) -> HouseKey:
    house = line["house"]
    return house["preset"], house["seed"], house["number"]


def place(line: Line) -> tuple[Any, ...]:
    return *key(line), line["viewpoint"], line["row"], line["heading"], line["plan"]


def by_house() -> dict[HouseKey, list[Line]]:
    found = defaultdict(list)
    for line in LINES:
        found[key(line)].append(line)
    return found


HOUSES = by_house()
FEW = list(HOUSES)[::10]
"""Houses whose walks the fast test takes: 30 in all."""


def made(house: HouseKey) -> House:
    preset, seed, number = house
    return recipes(PRESETS[preset], seed)[number].make().house


def seen(world: World, line: Line) -> list[int]:
    """The poses of a walk."""
    viewpoint = world.viewpoint(world.houses[0], line["viewpoint"])
    poses = [viewpoint * VIEWS + view_index(line["row"], line["heading"])]
    for name in line["plan"]:
        poses.append(int(world.after[poses[-1] * NAV_ACTIONS + Nav[name.upper()]]))
    return poses


def check_walks(house: HouseKey) -> None:
    """Each action but stop changes the pose: forward is never blocked, and no look goes past the last row."""
    world = World.compile([made(house)])
    for line in HOUSES[house]:
        moved = [before != after for before, after in pairwise(seen(world, line))]
        assert moved == [name != "stop" for name in line["plan"]], line


def test_enough_and_as_many_as_told() -> None:
    lengths = [len(line["plan"]) for line in LINES]
    assert len(LINES) >= 300
    assert lengths.count(4) == 220
    assert {5, 6, 7, 8} == {length for length in lengths if length != 4}


def test_canonical() -> None:
    """One way to write the file: the order of lines and of fields, and the spaces."""
    assert [list(line) for line in LINES] == [FIELDS] * len(LINES)
    assert sorted(LINES, key=place) == LINES
    assert "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in LINES) == TEXT


def test_houses_are_of_this_generator() -> None:
    for line in LINES:
        assert list(line["house"]) == ["generator", "preset", "seed", "number"]
        assert line["house"]["generator"] == GENERATOR
        assert 0 <= line["house"]["number"] < PRESETS[line["house"]["preset"]].houses


def test_poses_and_plans() -> None:
    for line in LINES:
        assert line["heading"] in range(HEADINGS)
        assert line["row"] in range(ROWS)
        assert {name.upper() for name in line["plan"]} <= {action.name for action in Nav}
        assert "stop" not in line["plan"][:-1]


def test_sentences() -> None:
    sentences = [line["sentence"] for line in LINES]
    assert len({sentence.casefold() for sentence in sentences}) == len(sentences)
    for sentence in sentences:
        assert 0 < len(sentence) <= LONGEST
        assert sentence.isprintable()
        assert sentence == " ".join(sentence.split())


def test_walks_of_a_few_houses() -> None:
    assert sum(len(HOUSES[house]) for house in FEW) == 30
    for house in FEW:
        check_walks(house)


@pytest.mark.slow
def test_all_walks() -> None:
    for house in HOUSES:
        check_walks(house)

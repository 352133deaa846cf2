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
from vnla.camera import HEADINGS, ROWS, VIEWS, view_index
from vnla.houses.generate.world import GENERATOR, PRESETS, recipes
from vnla.houses.house import House
from vnla.language.handwritten import DEVELOPMENT, NAME, development
from vnla.world.actions import NAV_ACTIONS, Nav
from vnla.world.compiled import World

Line = dict[str, Any]
HouseKey = tuple[str, int, int]

DATA = Path(vnla.__file__).parent / "language" / "data"
TEXT = {name: (DATA / f"{name}.jsonl").read_text(encoding="utf-8") for name in (NAME, *DEVELOPMENT)}
LINES: dict[str, list[Line]] = {name: [json.loads(line) for line in text.splitlines()] for name, text in TEXT.items()}
FIELDS = ["house", "viewpoint", "heading", "row", "plan", "sentence"]
LONGEST = 300
"""Characters of a sentence."""


def key(line: Line) -> HouseKey:
    house = line["house"]
    return house["preset"], house["seed"], house["number"]


def place(line: Line) -> tuple[Any, ...]:
    return *key(line), line["viewpoint"], line["row"], line["heading"], line["plan"]


def by_house(name: str) -> dict[HouseKey, list[Line]]:
    found = defaultdict(list)
    for line in LINES[name]:
        found[key(line)].append(line)
    return found


each_file = pytest.mark.parametrize("name", LINES)


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


def check_walks(house: HouseKey, lines: list[Line]) -> None:
    """Each action but stop changes the pose: forward is never blocked, and no look goes past the last row."""
    world = World.compile([made(house)])
    for line in lines:
        moved = [before != after for before, after in pairwise(seen(world, line))]
        assert moved == [name != "stop" for name in line["plan"]], line


@pytest.mark.parametrize(("name", "four", "longer"), [(NAME, 220, 80), (DEVELOPMENT[0], 88, 32), (DEVELOPMENT[1], 110, 40)])
def test_as_many_as_told(name: str, four: int, longer: int) -> None:
    lengths = [len(line["plan"]) for line in LINES[name]]
    assert lengths.count(4) == four
    assert len(lengths) == four + longer
    assert set(lengths) <= {4, 5, 6, 7, 8}


@each_file
def test_canonical(name: str) -> None:
    """One way to write the file: the order of lines and of fields, and the spaces."""
    lines = LINES[name]
    assert [list(line) for line in lines] == [FIELDS] * len(lines)
    assert sorted(lines, key=place) == lines
    assert "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines) == TEXT[name]


@each_file
def test_houses_are_of_this_generator(name: str) -> None:
    for line in LINES[name]:
        assert list(line["house"]) == ["generator", "preset", "seed", "number"]
        assert line["house"]["generator"] == GENERATOR
        assert 0 <= line["house"]["number"] < PRESETS[line["house"]["preset"]].houses


def test_each_file_has_worlds_of_its_own() -> None:
    """What something was developed on is in no house that it is tested in."""
    worlds = [{key(line)[:2] for line in lines} for lines in LINES.values()]
    assert len(set().union(*worlds)) == sum(map(len, worlds))


def test_all_to_develop_on_are_read() -> None:
    written = [line["sentence"] for name in DEVELOPMENT for line in LINES[name]]
    assert [line.sentence for line in development()] == written


@each_file
def test_poses_and_plans(name: str) -> None:
    for line in LINES[name]:
        assert line["heading"] in range(HEADINGS)
        assert line["row"] in range(ROWS)
        assert {name.upper() for name in line["plan"]} <= {action.name for action in Nav}
        assert "stop" not in line["plan"][:-1]


@each_file
def test_sentences(name: str) -> None:
    sentences = [line["sentence"] for line in LINES[name]]
    assert len({sentence.casefold() for sentence in sentences}) == len(sentences)
    for sentence in sentences:
        assert 0 < len(sentence) <= LONGEST
        assert sentence.isprintable()
        assert sentence == " ".join(sentence.split())


@each_file
def test_walks_of_a_few_houses(name: str) -> None:
    houses = by_house(name)
    for house in list(houses)[::20]:
        check_walks(house, houses[house])


@pytest.mark.slow
@each_file
def test_all_walks(name: str) -> None:
    for house, lines in by_house(name).items():
        check_walks(house, lines)

"""Facts that are kept in a world's folder: anybody's world may have anything there, and compiled code counts by them."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vnla.camera import VIEWS
from vnla.houses import sightings
from vnla.houses.cottage import cottage
from vnla.houses.folder import WorldFolder, read_world, write_world
from vnla.houses.generate.world import HouseRecipe, as_extra
from vnla.houses.sightings import FEW_VIEWPOINTS, digest, keep_arrays, sightings_in, workers_for
from vnla.language import facts as module
from vnla.language.facts import Facts, pack, world_facts
from vnla.language.frames import FrameKind
from vnla.language.objects import world_objects
from vnla.language.speech import Knowledge
from vnla.language.things import HUES, ROOMS, THINGS
from vnla.world.compiled import World

Arrays = dict[str, np.ndarray]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> WorldFolder:
    path = tmp_path_factory.mktemp("facts") / "w"
    write_world(path, [cottage()], source="drawn")
    return read_world(path)


def _kept(world: WorldFolder, arrays: Arrays) -> None:
    keep_arrays(world, "cottage.facts", digest(world, world.houses[0], module._VERSION), arrays)


def _set(name: str, value: int) -> Callable[[Arrays], Arrays]:
    def change(arrays: Arrays) -> Arrays:
        array = arrays[name].copy()
        array.flat[1] = value
        return arrays | {name: array}

    return change


WRONG: dict[str, Callable[[Arrays], Arrays]] = {
    "a pose beyond all memory": _set("pose", 2**63 - 1),
    "a pose below none": _set("pose", -1),
    "a pose that is not there": lambda arrays: arrays | {"pose": arrays["pose"] + 1000 * VIEWS},
    "poses in no order": lambda arrays: arrays | {"pose": arrays["pose"][::-1]},
    "a viewpoint that is not there": _set("there", 1000),
    "a viewpoint below none": _set("here", -1),
    "a view that is not there": _set("any", 1 << VIEWS),
    "no view": _set("from_left", -1),
    "a thing that is not there": _set("seen", 100_000),
    "a thing below none": _set("seen", -2),
    "an unknown kind": _set("what", 31),
    "a turn that is none": _set("turn", pack(FrameKind.REACH, 0, thing=0)),
    "an unknown noun": _set("what", pack(FrameKind.REACH, len(THINGS), thing=0)),
    "a room's noun that is none": _set("what", pack(FrameKind.ENTER, len(ROOMS))),
    "a way with neither door nor none": _set("what", pack(FrameKind.THROUGH, 2)),
    "an unknown hue": _set("what", pack(FrameKind.REACH, 0, len(HUES), thing=0)),
    "an unknown room": _set("what", pack(FrameKind.LEAVE, room=len(ROOMS))),
    "a frame of a thing that is not there": _set("what", pack(FrameKind.REACH, 0, thing=100_000)),
    "a negative frame": _set("what", -1),
    "fractions": lambda arrays: arrays | {"left": arrays["left"].astype(float)},
    "one column short": lambda arrays: arrays | {"left": arrays["left"][1:]},
    "a table for a column": lambda arrays: arrays | {"left": arrays["left"][:, None]},
    "no facts of some poses": lambda arrays: arrays | {"seen": arrays["seen"][1:]},
    "a column too many": lambda arrays: arrays | {"more": arrays["left"]},
}


def same(one: Facts, other: Facts) -> bool:
    return all(np.array_equal(array, getattr(other, name)) for name, array in vars(one).items())


@pytest.mark.parametrize("what", WRONG)
def test_facts_that_cannot_be_are_made_again(what: str, world: WorldFolder) -> None:
    (right,) = world_facts(world)
    _kept(world, WRONG[what](vars(right)))
    (found,) = world_facts(world)
    assert same(found, right)
    Knowledge.of([found], World.compile(world.houses))


def test_facts_that_are_kept_are_not_made_again(world: WorldFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    (right,) = world_facts(world)
    monkeypatch.setattr(module, "facts_of", lambda _: pytest.fail("they were made again"))
    (found,) = world_facts(world)
    assert same(found, right)


def test_facts_in_fewer_bytes_are_as_good(world: WorldFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    (right,) = world_facts(world)
    _kept(world, vars(right) | {"seen": right.seen.astype(np.int32)})
    monkeypatch.setattr(module, "facts_of", lambda _: pytest.fail("they were made again"))
    (found,) = world_facts(world)
    assert same(found, right) and found.seen.dtype == np.int64


def test_several_processes_look_around_where_that_is_worth_their_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sightings, "cores_here", lambda: 3)
    few = FEW_VIEWPOINTS // len(cottage().stands)
    assert workers_for([cottage()] * few) == 1 and workers_for([cottage()] * (few + 1)) == 3


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many processes were asked for; what they are sent is taken apart and put together again, and done here."""
    found: list[int] = []

    def mapped(make: Callable[[Any], Any], given: Sequence[Any], count: int, *, name: str) -> Iterator[Any]:
        assert name == "vnla sights"
        found.append(count)
        return map(pickle.loads(pickle.dumps(make)), pickle.loads(pickle.dumps(given)))

    for place in (module, sightings):
        monkeypatch.setattr(place, "mapped", mapped)
    return found


def test_processes_find_what_is_found_here(counts: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = []
    for name in ("here", "there"):
        write_world(tmp_path / name, [cottage(), replace(cottage(), name="other")], source="drawn")
        folders.append(read_world(tmp_path / name))
    here, there = folders
    alone, objects = list(world_facts(here)), world_objects(here, World.compile(here.houses))
    assert counts == []
    assert all(same(*pair) for pair in zip(world_facts(there, workers=2), alone, strict=True))
    monkeypatch.setattr(sightings, "FEW_VIEWPOINTS", 0)
    monkeypatch.setattr(sightings, "cores_here", lambda: 2)
    assert (world_objects(there, World.compile(there.houses)) == objects).all()
    assert counts == [2, 2]


def test_processes_see_what_is_seen_here(counts: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sightings, "by_pixels", lambda made: sightings.by_boxes(made.house))  # which is quick
    recipes = [HouseRecipe(f"house{seed}", seed, 6) for seed in (1, 2)]
    houses = [each.make().house for each in recipes]
    folders = []
    for name in ("here", "there"):
        write_world(tmp_path / name, houses, source="generated", extra=as_extra("x", 0, recipes))
        folders.append(read_world(tmp_path / name))
    here, there = folders
    alone = [each.seen for each in sightings_in(here, here.houses)]
    assert counts == []
    for found, expected in zip(sightings_in(there, there.houses, workers=2), alone, strict=True):
        assert found.drawn and np.array_equal(found.seen, expected)
    assert counts == [2]

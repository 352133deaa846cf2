"""Mirror images of houses: the same distances, other turns, and pictures that are flipped."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from numpy.typing import NDArray

from vnla.camera import HEADINGS, VIEWS
from vnla.cli.world import HouseOptions
from vnla.houses.cottage import cottage
from vnla.houses.folder import WorldFolder, read_world, write_world
from vnla.houses.generate.world import PRESETS, HouseRecipe, as_extra, make_houses, recipe_of, splits, with_mirrored
from vnla.houses.house import UPRIGHT, House
from vnla.houses.images import WorldImages, world_images
from vnla.houses.mirror import mirrored, mirrored_faces, mirrored_rotation, mirrored_view, mirrors_of
from vnla.houses.render import panorama
from vnla.houses.render.panorama import Panorama
from vnla.houses.sightings import sightings_of
from vnla.houses.skybox import face_directions
from vnla.tasks.dataset import read_dataset
from vnla.tasks.making import make_dataset
from vnla.tasks.recipes import RECIPES
from vnla.world.actions import Nav
from vnla.world.compiled import World

RECIPE = HouseRecipe("house", 1, 12)
SWAPPED = {Nav.LEFT: Nav.RIGHT, Nav.RIGHT: Nav.LEFT}
VIEW = np.array([mirrored_view(view) for view in range(VIEWS)])


@pytest.fixture(scope="module")
def made() -> House:
    return RECIPE.make().house


def houses(made: House) -> list[House]:
    return [made, cottage()]


def test_by_hand() -> None:
    """The cottage's first viewpoint, and what is seen there: who looks east sees, flipped, what is seen in the west."""
    house, other = cottage(), mirrored(cottage())
    x, y, z = house.viewpoints[0].position
    assert other.viewpoints[0].position == (-x, y, z) and other.name == "cottage-mirrored"
    assert other.viewpoints[0].rotation == UPRIGHT, "an upright panorama stays upright"
    assert [mirrored_view(view) for view in (0, 1, 6, 11, 12, 15, 35)] == [0, 11, 6, 1, 12, 21, 25]
    assert mirrors_of(["a", "a-mirrored", "b-mirrored", "c"]) == {"a-mirrored": "a"}, "nobody has seen b"


def test_the_mirror_of_a_mirror_is_the_house(made: House) -> None:
    for house in houses(made):
        assert mirrored(mirrored(house), house.name) == house
        assert mirrored(house).outside_their_room() == house.outside_their_room()
    generated = RECIPE.make()
    twice = generated.mirrored("other").mirrored("house")
    assert (twice.house, twice.scene, twice.plan) == (generated.house, generated.scene, generated.plan)


def test_distances_are_the_same_and_turns_are_mirrored(made: House) -> None:
    for house in houses(made):
        one, other = World.compile([house]), World.compile([mirrored(house)])
        np.testing.assert_allclose(one.graphs[0].distance, other.graphs[0].distance, rtol=0, atol=1e-9)
        assert one.ids == other.ids
        ahead, flipped = (each.ahead.numpy().reshape(-1, VIEWS) for each in (one, other))
        _equal_but_for_ties(ahead, flipped[:, VIEW], one)
        toward, flipped = (each.toward.numpy()[:-VIEWS].reshape(-1, VIEWS) for each in (one, other))
        swapped = np.vectorize(lambda action: SWAPPED.get(Nav(action), Nav(action)))(flipped[:, VIEW])
        _turns_are_mirrored(toward, swapped, one)


def _angles(world: World) -> tuple[NDArray[Any], NDArray[Any]]:
    look = world.graphs[0].looks()
    return np.abs(look.heading), np.where(look.visible, np.hypot(look.heading, look.elevation), np.inf)


def _equal_but_for_ties(found: NDArray[Any], other: NDArray[Any], world: World) -> None:
    """Where another neighbour is ahead it is one at the same angle, or one at the very edge of the view."""
    graph = world.graphs[0]
    _, angle = _angles(world)
    for here, view in zip(*np.nonzero(found != other), strict=True):
        edges = np.flatnonzero(graph.source == here)
        first, second = np.sort(np.append(angle[edges, view], [np.inf, np.inf]))[:2]
        assert second - first < 1e-6 or not np.isfinite(first), (here, view)


def _turns_are_mirrored(found: NDArray[Any], other: NDArray[Any], world: World) -> None:
    """Only where an edge lies straight behind, or as near to one heading as to the next, both sides are as good."""
    heading, _ = _angles(world)
    wrong = heading[found != other]
    half = np.pi / HEADINGS
    ties = np.abs((wrong + half) % (2 * half) - half)
    assert (np.minimum(ties, half - ties) < 1e-6).all(), wrong
    assert (found != other).mean() < 0.05


@given(some.lists(some.floats(-1, 1), min_size=9, max_size=9))
def test_a_rotation_is_mirrored_twice_to_itself(values: list[float]) -> None:
    rotation = tuple(values)
    assert mirrored_rotation(mirrored_rotation(rotation)) == rotation  # type: ignore[arg-type]


def test_faces_show_the_mirrored_directions() -> None:
    """For any rotation: a texel of the mirrored faces has what is seen in its own direction, x turned round."""
    turned = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    for rotation in (UPRIGHT, tuple(turned.ravel().tolist())):
        seen = mirrored_faces(face_directions(4, rotation))
        expected = face_directions(4, mirrored_rotation(rotation)) * np.array([-1, 1, 1])
        np.testing.assert_allclose(seen, expected, atol=1e-6)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> WorldFolder:
    """A house for training, its mirror image, and one each for development and test."""
    path = tmp_path_factory.mktemp("mirror") / "world"
    wanted = with_mirrored([RECIPE, HouseRecipe("dev", 2, 20), HouseRecipe("test", 3, 20)], 1)
    parts = PRESETS["small"].divided(3)
    write_world(
        path,
        list(make_houses(wanted, 1)),
        source="generated",
        splits=splits(PRESETS["small"], wanted, parts),
        extra=as_extra("small", 0, wanted),
    )
    return read_world(path)


def test_a_world_with_mirror_images(world: WorldFolder) -> None:
    assert world.splits == {"train": ("house", "house-mirrored"), "dev": ("dev",), "test": ("test",)}
    assert mirrored(world.houses[0]) == world.houses[3]
    found = recipe_of(world, "house-mirrored")
    assert found is not None and found.mirrored and found.original == RECIPE and found.make().house == world.houses[3]


def test_the_command_adds_mirror_images_of_the_training_houses_alone() -> None:
    plain, order = HouseOptions(train=2, dev=1, test=1).order(), HouseOptions(train=2, dev=1, test=1, mirrored=True).order()
    assert order.wanted[:4] == plain.wanted and [recipe.mirrored for recipe in order.wanted[4:]] == [True, True]
    train = list(plain.splits["train"])
    assert order.splits == {**plain.splits, "train": [*train, *(f"{name}-mirrored" for name in train)]}
    assert order.parts == plain.parts and "mirrored" not in plain.extra


@pytest.fixture(scope="module")
def images(world: WorldFolder) -> WorldImages:
    """Pictures of both houses, which are lit once."""
    return world_images(world, (64, 48))


def test_a_mirrored_picture_is_the_flipped_picture(world: WorldFolder, images: WorldImages) -> None:
    """Up to the rounding of views that are cut out of the same faces."""
    for stand in world.houses[0].viewpoints[:2]:
        views, other = images("house", stand.id).astype(int), images("house-mirrored", stand.id).astype(int)
        assert np.abs(views - other[VIEW][:, :, ::-1]).max() <= 1
        assert np.abs(views - other).max() > 30, "it is no house that is the same either way"


@pytest.mark.parametrize("name", ["house", "house-mirrored"])
def test_objects_alone_are_those_of_the_whole_panorama(world: WorldFolder, images: WorldImages, name: str) -> None:
    house = next(house for house in world.houses if house.name == name)
    for stand in house.viewpoints[:2]:
        whole = images.panorama(name, stand.id, 48).objects
        assert np.array_equal(images.source.objects(house, stand, 48), whole) and len(np.unique(whole)) > 5


def _by_place(seen: NDArray[np.void], view: NDArray[np.int64]) -> dict[tuple[int, ...], np.void]:
    """Sightings by viewpoint, view and object."""
    keys = np.stack([seen["viewpoint"], view, seen["object"]], axis=1).tolist()
    return {tuple(key): each for key, each in zip(keys, seen, strict=True)}


def test_what_is_in_view_is_on_the_other_side(world: WorldFolder) -> None:
    one, other = (sightings_of(world, world.houses[number]).seen for number in (0, 3))
    found, flipped = _by_place(one, one["view"]), _by_place(other, VIEW[other["view"]])
    both = found.keys() & flipped.keys()
    assert len(both) > 0.99 * max(len(found), len(flipped)), "what fills hardly a pixel may be missed in one of them"
    shares = np.array([(found[each]["share"], flipped[each]["share"]) for each in both])
    across = np.array([(found[each]["across"], -flipped[each]["across"]) for each in both if found[each]["share"] > 0.01])
    assert np.abs(shares[:, 0] - shares[:, 1]).max() < 0.01 and np.abs(across[:, 0] - across[:, 1]).max() < 1


@pytest.mark.parametrize("most", [None, 40])
def test_mirror_images_add_training_points_and_change_nothing_else(
    world: WorldFolder, tmp_path: Path, most: int | None
) -> None:
    without = replace(world, houses=world.houses[:3], splits={**world.splits, "train": ("house",)})
    for name, each in (("with", world), ("without", without)):
        make_dataset(each, tmp_path / name, RECIPES["asknav"], fewest=1, size=20, most_train=most)
    for file in (
        "asknav_val_seen.json",
        "asknav_val_unseen.json",
        "asknav_test_seen.json",
        "asknav_test_unseen.json",
        "vocab.txt",
    ):
        assert (tmp_path / "with" / file).read_bytes() == (tmp_path / "without" / file).read_bytes(), file
    found, plain = (json.loads((tmp_path / name / "asknav_train.json").read_text()) for name in ("with", "without"))
    assert found[: len(plain)] == plain and len(found) > 1.5 * len(plain)
    goals = {each["instructions"][0] for each in plain}
    copies = found[len(plain) :]
    assert {each["scan"] for each in copies} == {"house-mirrored"}
    if most is None:
        assert {each["instructions"][0] for each in copies} <= goals, "what is asked in the seen sets is not trained"
    budgets = [read_dataset(tmp_path / name).budgets for name in ("with", "without")]
    assert budgets[0] == budgets[1]


def test_features_of_both_are_made_of_what_is_drawn_once(
    world: WorldFolder, images: WorldImages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One process that goes from a place in the house to the same place in its mirror image draws it once."""
    drawn: list[object] = []
    render = panorama.render_panorama

    def counted(stage: Any, position: Any, *others: Any, **more: Any) -> Panorama:
        drawn.append(position)
        return render(stage, position, *others, **more)

    monkeypatch.setattr(panorama, "render_panorama", counted)
    both = world_images(world, (64, 48), alone=True)
    places = [stand.id for stand in world.houses[0].viewpoints[:2]]
    found = {name: [both(name, place) for place in places] for name in ("house", "house-mirrored")}
    assert len(drawn) == len(places)
    for name, views in found.items():
        for place, each in zip(places, views, strict=True):
            np.testing.assert_array_equal(each, images(name, place))

"""The small world that comes with the package: it is what the commands make, and a cache of it is whole or made again."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vnla.common.errors import InputError
from vnla.experiments import embedded
from vnla.experiments.embedded import embedded_world
from vnla.experiments.embedded.rounding import GRAIN, ROUNDED, packed, unpacked
from vnla.houses.folder import read_world, write_world
from vnla.houses.generate.world import PRESETS, make_houses, recipes
from vnla.houses.images import world_images
from vnla.tasks.dataset import read_dataset
from vnla.vision.encoders import DEFAULT, make_encoder
from vnla.vision.making import camera_size, header_of
from vnla.vision.store import FeatureStore, Header, store_path, world_features
from vnla.vision.workers import Job
from vnla.world.compiled import World

SAMPLE = {"house001": 1, "house013": 2}
"""House → how many of its viewpoints are drawn again."""
CLOSE = 0.02
"""How far apart the features of two processors may be, beside the rounding."""


def test_the_houses_are_those_of_the_preset() -> None:
    folder = read_world(embedded_world().world)
    wanted = recipes(PRESETS[embedded.NAME], embedded.SEED)
    assert [house.name for house in folder.houses] == [each.name for each in wanted]
    assert {name: tuple(each) for name, each in folder.manifest["extra"]["houses"].items()} == {
        each.name: (each.seed, each.viewpoints) for each in wanted
    }
    again = {house.name: house for house in make_houses([each for each in wanted if each.name == min(SAMPLE)], 1)}
    for name, house in again.items():
        there = next(each for each in folder.houses if each.name == name)
        assert [each.id for each in there.viewpoints] == [each.id for each in house.viewpoints]
        assert there.edges == house.edges and len(there.objects) == len(house.objects)


@pytest.mark.slow  # it compiles the renderer
def test_a_sample_of_the_views_drawn_again_gives_the_features() -> None:
    folder = read_world(embedded_world().world)
    store = world_features(folder, DEFAULT)
    encoder = make_encoder(DEFAULT)
    header = header_of(folder, World.compile(folder.houses), encoder)
    assert store.header == replace(header, weights=encoder.weights + ROUNDED)
    images = world_images(folder, camera_size(encoder.size), alone=True)
    row = {place: i for i, place in enumerate(header.viewpoints)}
    for name, count in SAMPLE.items():
        places = [place for place in header.viewpoints if place[0] == name][5 : 5 + count]
        for place in places:
            drawn = Job.of(images, encoder).make(*place)
            assert np.abs(drawn - store.array[row[place]]).max() <= 0.5 / GRAIN + CLOSE


def test_tasks_are_of_this_world() -> None:
    world, tasks = embedded_world()
    dataset = read_dataset(tasks)
    houses = set(read_world(world).splits["test"])
    assert {task.house for task in dataset.split("test_unseen")} == houses


def test_a_damaged_cache_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = embedded_world().world.parent
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "vnla" / source.name
    shutil.copytree(source, folder)
    array = store_path(folder / "world", DEFAULT) / "features.f16"
    with array.open("r+b") as stream:
        stream.write(b"\xff\xff")
    assert not embedded.is_whole(folder, embedded.package_checksums())
    assert embedded_world().world == folder / "world"
    assert embedded.is_whole(folder, embedded.package_checksums())
    FeatureStore.open(array.parent).verify()


def test_a_damaged_package_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data"
    shutil.copytree(embedded.DATA, data, ignore=shutil.ignore_patterns("*.py"))
    (data / embedded.FEATURES).write_bytes(b"nothing")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(embedded, "DATA", data)
    with pytest.raises(InputError, match=r"features\.xz: is damaged; install vnla again"):
        embedded_world()
    assert not list((tmp_path / "cache").glob("**/world"))


def test_features_are_placed_in_the_same_world_alone(tmp_path: Path) -> None:
    source = embedded_world().world
    same = tmp_path / "same"
    shutil.copytree(source, same, ignore=shutil.ignore_patterns("features"))
    assert embedded.is_embedded(same)
    embedded.place_features(same)
    assert world_features(read_world(same), DEFAULT).sha256 == FeatureStore.open(store_path(source, DEFAULT)).sha256
    embedded.withdraw_features(same)
    assert not store_path(same, DEFAULT).exists()
    other = tmp_path / "other"
    write_world(other, read_world(source).houses[:1], source="generated")
    assert not embedded.is_embedded(other)
    with pytest.raises(InputError, match="is not the small world"):
        embedded.place_features(other)


def test_what_is_packed_comes_back_within_half_a_grain(tmp_path: Path) -> None:
    features = np.random.default_rng(0).uniform(0, 6, (3, 36, 4)).astype(np.float16)
    header: Header = replace(
        world_features(read_world(embedded_world().world), DEFAULT).header,
        viewpoints=(("a", "1"), ("a", "2"), ("b", "1")), dimension=4,
    )  # fmt: skip
    (tmp_path / "packed").write_bytes(packed(features))
    back = unpacked(tmp_path / "packed", header)
    assert back.shape == features.shape and np.abs(back.astype(float) - features).max() <= 0.5 / GRAIN + 1e-6
    with pytest.raises(InputError, match="is damaged"):
        unpacked(tmp_path / "packed", replace(header, dimension=3))

"""Pictures and meshes that come with the package: all of three houses, whole, and what drawing gives."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from vnla.common import checksums, files
from vnla.experiments.embedded import DATA, FEATURES, FOLDERS, embedded_world
from vnla.houses.folder import WorldFolder, read_world
from vnla.houses.house import House
from vnla.serve.file_cache import FileCache
from vnla.serve.meshes import Meshes, mesh_file
from vnla.serve.pictures import Pictures
from vnla.serve.places import PlaceNames
from vnla.serve.shipped import CHECKSUMS, FOLDER, HOUSES, shipped_files

MOST = 15 * files.MEGABYTE
"""Bytes of all that comes with the package so that nobody has to draw."""


SIDE = 180
"""Pixels of a picture when it is compared: the finest noise of compression does not count."""


@pytest.fixture(scope="module")
def world() -> WorldFolder:
    return read_world(embedded_world().world)


def houses(world: WorldFolder) -> list[House]:
    return [house for house in world.houses if house.name in HOUSES]


def test_the_files_are_those_that_were_made() -> None:
    sums = files.read_json(FOLDER / CHECKSUMS, "checksums")
    assert sums == {name: checksums.of_file(path) for name, path in shipped_files().items()}
    data = [*shipped_files().values(), DATA / FOLDERS, DATA / FEATURES]
    assert sum(path.stat().st_size for path in data) <= MOST


def test_all_of_three_houses_is_there_and_nothing_else(world: WorldFolder, tmp_path: Path) -> None:
    places = PlaceNames(world.houses)
    empty, full = FileCache(tmp_path / "empty"), FileCache(tmp_path / "full", shipped=shipped_files())
    before, after = Pictures(world, places, empty), Pictures(world, places, full)
    addresses = [Path(each).name for house in houses(world) for six in after.addresses(house).values() for each in six]
    assert {*addresses, *(mesh_file(places.name(house)) for house in houses(world))} == set(shipped_files())
    for house in world.houses:
        assert len(before.missing(house)) == len(house.stands)
        assert len(after.missing(house)) == (0 if house.name in HOUSES else len(house.stands))
    assert after.face(Path(addresses[0]).stem) == shipped_files()[addresses[0]].read_bytes()
    assert not list((tmp_path / "full").glob("*"))


def test_those_who_walk_themselves_see_them_under_other_names(world: WorldFolder, tmp_path: Path) -> None:
    places, walkers = PlaceNames(world.houses), PlaceNames(world.houses, b"secret")
    pictures = Pictures(world, places, FileCache(tmp_path, shipped=shipped_files()), walkers)
    house = houses(world)[0]
    ours, theirs = (next(iter(pictures.addresses(house, names).values())) for names in (places, walkers))
    assert ours != theirs
    assert pictures.face(Path(theirs[2]).stem) == pictures.face(Path(ours[2]).stem)


def test_a_mesh_made_again_is_the_same(world: WorldFolder, tmp_path: Path) -> None:
    places, house = PlaceNames(world.houses), houses(world)[0]
    made = Meshes(world, places, FileCache(tmp_path)).mesh(house)
    assert made is not None
    shipped = shipped_files()[mesh_file(places.name(house))].read_bytes()
    assert len(made) == len(shipped)


@pytest.mark.slow  # it compiles the renderer
def test_a_panorama_drawn_again_looks_the_same(world: WorldFolder, tmp_path: Path) -> None:
    places, house = PlaceNames(world.houses), houses(world)[0]
    pictures = Pictures(world, places, FileCache(tmp_path))
    for address in [*pictures.addresses(house).values()][3][1:3]:
        drawn, shipped = map(shown, (pictures.face(Path(address).stem), shipped_files()[Path(address).name].read_bytes()))
        assert np.abs(drawn - shipped).mean() < 4


def shown(data: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(data)) as picture:
        return np.asarray(picture.convert("RGB").resize((SIDE, SIDE))).astype(np.int16)

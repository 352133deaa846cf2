"""Features made house by house are those of `vnla features make`, and either goes on where the other was."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from vnla.common.errors import InputError
from vnla.houses.folder import WorldFolder, read_world, write_world
from vnla.houses.generate.world import HouseRecipe, as_extra
from vnla.vision.encoders import Encoder, EncoderOptions, Size, make_encoder
from vnla.vision.gradual import GradualFeatures, can_grow
from vnla.vision.making import make_features
from vnla.vision.store import ARRAY, INDEX, store_path
from vnla.world.compiled import World

HOUSES = ("one", "two", "three")


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> WorldFolder:
    """Three houses."""
    path = tmp_path_factory.mktemp("worlds") / "w"
    made = [HouseRecipe(name, i, 8) for i, name in enumerate(HOUSES)]
    write_world(path, [each.make().house for each in made], source="generated", extra=as_extra("test", 0, made))
    return read_world(path)


@pytest.fixture(scope="module")
def whole(bare: WorldFolder, tmp_path_factory: pytest.TempPathFactory) -> WorldFolder:
    """The same, whose features were made at once."""
    folder = copied(bare, tmp_path_factory.mktemp("whole") / "w")
    make_features(folder, World.compile(folder.houses), encoder(), workers=1)
    return folder


def encoder() -> Encoder:
    return make_encoder("pixels", EncoderOptions(size=Size(32, 24)))


def copied(folder: WorldFolder, path: Path) -> WorldFolder:
    shutil.copytree(folder.path, path)
    return read_world(path)


def same_files(one: WorldFolder, other: WorldFolder) -> bool:
    paths = [store_path(each.path, "pixels") for each in (one, other)]
    return all((paths[0] / name).read_bytes() == (paths[1] / name).read_bytes() for name in (ARRAY, INDEX))


@pytest.mark.slow
def test_houses_in_any_order_with_a_pause_between(bare: WorldFolder, whole: WorldFolder, tmp_path: Path) -> None:
    folder = copied(bare, tmp_path / "w")
    assert can_grow(folder, "pixels") and not can_grow(whole, "pixels")
    world, told = World.compile(folder.houses), list[tuple[int, int]]()
    first = GradualFeatures(folder, world, encoder())
    assert not any(first.has(house) for house in HOUSES)
    first.make("three", lambda *each: told.append(each), workers=1)
    assert [first.has(house) for house in HOUSES] == [False, False, True]
    assert told[0][0] == 0 and told[-1] == (told[-1][1], len(folder.houses[2].viewpoints))
    assert first.array[first.rows("three")].any() and not first.array[first.rows("one")].any()
    with pytest.raises(InputError, match="another process is writing these features"):
        GradualFeatures(folder, world, encoder())
    first.close()
    second = GradualFeatures(folder, world, encoder())
    assert [second.has(house) for house in HOUSES] == [False, False, True]
    np.testing.assert_array_equal(first.array, second.array)
    for house in ("one", "two", "three"):
        second.make(house, lambda *_: None, workers=1)
    assert same_files(folder, whole)
    assert not can_grow(folder, "pixels")


@pytest.mark.slow
def test_the_command_goes_on_with_it(bare: WorldFolder, whole: WorldFolder, tmp_path: Path) -> None:
    folder = copied(bare, tmp_path / "w")
    world, done = World.compile(folder.houses), list[int]()
    begun = GradualFeatures(folder, world, encoder())
    begun.make("two", lambda *_: None, workers=1)
    begun.close()
    make_features(folder, world, encoder(), done.append, workers=1)
    assert done[0] == len(folder.houses[1].viewpoints)
    assert same_files(folder, whole)


def test_only_encoders_can_make_them(bare: WorldFolder, tmp_path: Path) -> None:
    folder = copied(bare, tmp_path / "w")
    assert not can_grow(folder, "pixels-64") and not can_grow(folder, "symbolic")
    with pytest.raises(InputError, match="has no house nowhere"):
        GradualFeatures(folder, World.compile(folder.houses), encoder()).make("nowhere", lambda *_: None)

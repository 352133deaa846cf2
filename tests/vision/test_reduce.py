"""Reduced features: components of the training houses alone, worked out by hand and against SciPy's SVD."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.linalg

from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.houses.folder import WorldFolder, read_world, write_world
from vnla.vision.encoders.base import Size
from vnla.vision.reduce import components, project, reduce_features
from vnla.vision.store import FeatureStore, Header, StoreWriter, store_path, viewpoints_of, world_checksum, world_features
from vnla.world.compiled import World

RANDOM = np.random.default_rng(5)


def test_a_line_by_hand() -> None:
    """Points on the line (1, 1) + t·(3, 4)/5, t = -1 or 1: the direction is (0.6, 0.8), the mean square along it 1."""
    views = np.array([[[1 - 0.6, 1 - 0.8]] * VIEWS, [[1 + 0.6, 1 + 0.8]] * VIEWS])
    found = components(views, np.array([True, True]), 1)
    assert found.kept == pytest.approx(1)
    assert found.mean == pytest.approx([1, 1])
    assert found.directions[:, 0] == pytest.approx([0.6, 0.8])
    assert project(views, found)[:, 0, 0] == pytest.approx([-1, 1])


def test_they_are_the_singular_vectors() -> None:
    views = RANDOM.normal(size=(20, VIEWS, 6)) @ RANDOM.normal(size=(6, 6))
    flat = views.reshape(-1, 6) - views.reshape(-1, 6).mean(axis=0)
    _, values, rows = scipy.linalg.svd(flat, full_matrices=False)
    found = components(views, np.ones(20, dtype=bool), 3)
    directions = found.directions / np.linalg.norm(found.directions, axis=0)
    assert np.abs(np.sum(directions * rows[:3].T, axis=0)) == pytest.approx(1)
    assert found.kept == pytest.approx((values[:3] ** 2).sum() / (values**2).sum())
    assert (project(views, found) ** 2).mean() == pytest.approx(1)


@pytest.fixture
def folder(tmp_path: Path) -> WorldFolder:
    """The cottage with random features under the name "some"."""
    return with_features(tmp_path / "world")


def with_features(path: Path) -> WorldFolder:
    write_world(path, [cottage()], source="test", splits={"train": [cottage().name]})
    found = read_world(path)
    places = viewpoints_of(World.compile(found.houses))
    header = Header("some", "none", 8, Size(8, 8), 60.0, world_checksum(found), places)
    with StoreWriter(store_path(found.path, "some"), header, durable=False) as store:
        store.write(0, RANDOM.normal(size=(len(places), VIEWS, 8)))
        store.finish()
    return found


def test_the_store_holds_the_projection(folder: WorldFolder) -> None:
    store, kept = reduce_features(folder, "some", 3)
    before = world_features(folder, "some").array
    expected = project(before, components(before, np.ones(len(before), dtype=bool), 3))
    assert store.path.name == "some-3"
    assert 3 / 8 < kept < 1
    assert np.abs(store.array - expected).max() < 0.01  # float16
    assert reduce_features(folder, "some", 3)[0].sha256 == store.sha256  # there already
    assert FeatureStore.open(store.path).header.viewpoints == world_features(folder, "some").header.viewpoints


def test_another_world_is_seen_as_the_first_one_is(folder: WorldFolder, tmp_path: Path) -> None:
    other = with_features(tmp_path / "other")
    ours, theirs = (world_features(each, "some").array for each in (folder, other))
    everything = np.ones(len(ours), dtype=bool)
    store, _ = reduce_features(other, "some", 3, like=folder)
    assert np.abs(store.array - project(theirs, components(ours, everything, 3))).max() < 0.01  # float16
    assert np.abs(store.array - project(theirs, components(theirs, everything, 3))).max() > 0.1


def test_houses_outside_the_training_split_have_no_say() -> None:
    views = RANDOM.normal(size=(6, VIEWS, 4))
    rows = np.array([True] * 3 + [False] * 3)
    before = components(views, rows, 2)
    views[3:] *= 100
    assert components(views, rows, 2).directions == pytest.approx(before.directions)


@pytest.mark.parametrize("size", [0, 8, 9])
def test_more_numbers_than_there_are_is_an_error(folder: WorldFolder, size: int) -> None:
    with pytest.raises(InputError, match="reduce them to fewer"):
        reduce_features(folder, "some", size)

"""Extraction: every view once, in order, whatever the batch; and a killed one goes on."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Executor, Future
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from vnla.errors import InputError
from vnla.views import VIEWS
from vnla.vision.encoders import Options, Size, make_encoder
from vnla.vision.encoders.base import Encoder, Float32, Images
from vnla.vision.extract import _groups, extract
from vnla.vision.store import FeatureStore, Header, StoreWriter

SIZE = Size(32, 24)
PLACES = tuple((house, f"v{i}") for house in ("one", "two") for i in range(5))


class Brightness(Encoder):
    """The value of the first pixel, so that each feature names its image; remembers how many images came at once."""

    name, dimension, size, weights = "brightness", 1, SIZE, "none"

    def __init__(self) -> None:
        self.calls: list[int] = []

    def _encode(self, images: Images) -> Float32:
        self.calls.append(len(images))
        return images[:, 0, 0, :1].astype(np.float32)


def pictures(house: str, viewpoint: str) -> NDArray[np.uint8]:
    number = PLACES.index((house, viewpoint))
    values = (number * 20 + np.arange(VIEWS)).astype(np.uint8)
    return np.broadcast_to(values[:, None, None, None], (VIEWS, SIZE.height, SIZE.width, 3))


EXPECTED = np.array([(i * 20 + np.arange(VIEWS)) % 256 for i in range(len(PLACES))], dtype=np.float32)[:, :, None]


def header(encoder: Encoder) -> Header:
    return Header(encoder.name, encoder.weights, encoder.dimension, encoder.size, 60.0, "", PLACES)


@pytest.mark.parametrize("batch", [None, 1, 36, 100, 10_000])
def test_every_view_in_its_place(tmp_path: Path, batch: int | None) -> None:
    encoder, told = Brightness(), []
    with StoreWriter(tmp_path / "s", header(encoder)) as store:
        extract(pictures, PLACES, encoder, store, told.append, batch=batch)
        store.finish()
    np.testing.assert_array_equal(FeatureStore.open(tmp_path / "s").array, EXPECTED)
    assert sum(told) == len(PLACES)
    assert sum(encoder.calls) == len(PLACES) * VIEWS
    assert max(encoder.calls) <= max(VIEWS, batch or encoder.batch)


def test_it_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    made: list[str] = []

    def fails_at_seven(house: str, viewpoint: str) -> NDArray[np.uint8]:
        if (house, viewpoint) == PLACES[7]:
            raise InputError("out of film")
        return pictures(house, viewpoint)

    def counted(house: str, viewpoint: str) -> NDArray[np.uint8]:
        made.append(f"{house} {viewpoint}")
        return pictures(house, viewpoint)

    with (
        StoreWriter(tmp_path / "s", header(Brightness())) as store,
        pytest.raises(InputError, match="out of film"),
    ):
        extract(fails_at_seven, PLACES, Brightness(), store)
    with StoreWriter(tmp_path / "s", header(Brightness())) as store:
        assert store.pending.tolist() == [7, 8, 9]
        extract(counted, PLACES, Brightness(), store)
        store.finish()
    assert sorted(made) == ["two v2", "two v3", "two v4"]
    np.testing.assert_array_equal(FeatureStore.open(tmp_path / "s").array, EXPECTED)


def test_images_are_made_while_others_are_encoded(tmp_path: Path) -> None:
    """The encoder waits, inside a call, for images that were asked for after those it works on."""
    later = threading.Event()

    def watched(house: str, viewpoint: str) -> NDArray[np.uint8]:
        if (house, viewpoint) == PLACES[3]:
            later.set()
        return pictures(house, viewpoint)

    class Patient(Brightness):
        def _encode(self, images: Images) -> Float32:
            assert later.wait(10), "nothing is made ahead"
            return super()._encode(images)

    with StoreWriter(tmp_path / "s", header(Patient())) as store:
        extract(watched, PLACES, Patient(), store)
        assert not len(store.pending)


def test_few_images_wait(tmp_path: Path) -> None:
    """However slow the encoder, memory holds a bounded number of panoramas."""
    made = encoded = most = 0

    class Immediate(Executor):
        def submit(self, function, /, *arguments, **options):  # type: ignore[no-untyped-def]
            nonlocal made, most
            made += 1
            most = max(most, made - encoded)
            future: Future[object] = Future()
            future.set_result(function(*arguments, **options))
            return future

    class Counting(Brightness):
        def _encode(self, images: Images) -> Float32:
            nonlocal encoded
            time.sleep(0.001)
            encoded += len(images) // VIEWS
            return super()._encode(images)

    with StoreWriter(tmp_path / "s", header(Counting())) as store:
        extract(pictures, PLACES, Counting(), store, pool=Immediate(), ahead=3)
    assert made == len(PLACES)
    assert most <= 1 + 3 + 1


def test_images_of_another_size_are_scaled(tmp_path: Path) -> None:
    def large(house: str, viewpoint: str) -> NDArray[np.uint8]:
        return np.repeat(np.repeat(pictures(house, viewpoint), 2, axis=1), 2, axis=2)

    with StoreWriter(tmp_path / "s", header(Brightness())) as store:
        extract(large, PLACES, Brightness(), store)
        store.finish()
    np.testing.assert_array_equal(FeatureStore.open(tmp_path / "s").array, EXPECTED)


@pytest.mark.parametrize("shape", [(35, 24, 32, 3), (36, 24, 32), (36, 24, 32, 4)])
def test_bad_images_are_named(tmp_path: Path, shape: tuple[int, ...]) -> None:
    def bad(_house: str, _viewpoint: str) -> NDArray[np.uint8]:
        return np.zeros(shape, dtype=np.uint8)

    with (
        StoreWriter(tmp_path / "s", header(Brightness())) as store,
        pytest.raises(InputError, match="viewpoint v0 of house one: images of uint8"),
    ):
        extract(bad, PLACES, Brightness(), store)


def test_a_store_of_other_viewpoints(tmp_path: Path) -> None:
    with StoreWriter(tmp_path / "s", header(Brightness())) as store, pytest.raises(ValueError, match="other viewpoints"):
        extract(pictures, PLACES[1:], Brightness(), store)


def test_groups_are_runs_of_neighbours() -> None:
    assert list(_groups(np.array([0, 1, 2, 4, 5, 9]), 2)) == [[0, 1], [2], [4, 5], [9]]
    assert list(_groups(np.array([], dtype=np.int64), 2)) == []


def test_batches_do_not_change_features(tmp_path: Path) -> None:
    """With a real network, one viewpoint or several at once."""
    encoder = make_encoder("efficientnet-lite0", Options(device="cpu", size=SIZE))
    found = []
    for batch in (36, 108):
        with StoreWriter(tmp_path / str(batch), header(encoder)) as store:
            extract(pictures, PLACES, encoder, store, batch=batch)
            found.append(store.finish().array.astype(np.float32))
    np.testing.assert_allclose(*found, atol=2e-3)
    assert np.abs(found[0]).max() > 0.1

"""Extraction: every view once, in its place, whatever the batch and the number of processes; and a killed one goes on."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from processes import is_gone
from vision.film import (
    EXPECTED,
    PLACES,
    SIZE,
    Around,
    Brightness,
    Errand,
    Noted,
    Travelling,
    TravellingAround,
    around,
    header,
    large,
    pictures,
)
from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.houses.folder import WorldFolder, read_world, write_world
from vnla.houses.generate.world import HouseRecipe, as_extra
from vnla.houses.images import world_images
from vnla.vision.encoders import PANORAMIC, EncoderOptions, Size, make_encoder
from vnla.vision.extract import WORTH_HELPING, PendingRows, _groups, extract
from vnla.vision.making import header_of, make_features
from vnla.vision.store import DONE, FeatureStore, StoreWriter, store_path
from vnla.vision.workers import fitted
from vnla.world.compiled import World


@pytest.mark.parametrize(
    ("batch", "workers", "kind"), [(None, 1, Brightness), (100, 2, Brightness), (1, 2, Travelling), (10_000, 1, Travelling)]
)
def test_every_view_in_its_place(tmp_path: Path, batch: int | None, workers: int, kind: type[Brightness]) -> None:
    encoder, told = kind(), []
    with StoreWriter(tmp_path / "s", header(encoder)) as store:
        extract(pictures, PLACES, encoder, store, told.append, batch=batch, workers=workers)
        store.finish()
    np.testing.assert_array_equal(FeatureStore.open(tmp_path / "s").array, EXPECTED)
    assert sum(told) == len(PLACES)
    if not kind.travels:
        assert sum(encoder.calls) == len(PLACES) * VIEWS
        assert max(encoder.calls) <= max(VIEWS, batch or encoder.batch)


@pytest.mark.parametrize(
    ("happens", "complaint", "kind"),
    [
        ("complaint", r"^out of film$", Brightness),
        ("fault", r"^house two: no features could be made \(ValueError: the lens fell off\)$", Travelling),
        ("death", r"^a process that makes images was killed by SIGKILL; the same command continues", Travelling),
    ],
)
def test_it_goes_on_where_it_was_stopped(tmp_path: Path, happens: str, complaint: str, kind: type[Brightness]) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    with (
        StoreWriter(tmp_path / "s", header(kind())) as store,
        pytest.raises(InputError, match=complaint),
    ):
        extract(Noted(first, happens, "two v2"), PLACES, kind(), store, workers=1)
    assert not multiprocessing.active_children()
    with StoreWriter(tmp_path / "s", header(kind())) as store:
        pending = [" ".join(PLACES[row]) for row in store.pending]
        assert {"two v2", "two v3", "two v4"} <= set(pending) < {" ".join(place) for place in PLACES}
        extract(Noted(second), PLACES, kind(), store, workers=1)
        store.finish()
    assert Noted(second).made == sorted(pending)
    np.testing.assert_array_equal(FeatureStore.open(tmp_path / "s").array, EXPECTED)


@pytest.mark.parametrize("kind", [Around, TravellingAround])
def test_one_picture_all_around_for_all_views(tmp_path: Path, kind: type[Around]) -> None:
    encoder = kind()
    with StoreWriter(tmp_path / "s", header(encoder)) as store:
        extract(around, PLACES, encoder, store, batch=3, workers=1)
        store.finish()
    np.testing.assert_array_equal(FeatureStore.open(tmp_path / "s").array, EXPECTED)
    if not encoder.travels:
        assert max(encoder.calls) == 3, "so many pictures at once"


def test_what_is_to_be_done_before_is_shared_out(tmp_path: Path) -> None:
    encoder, errands = Brightness(), [Errand(tmp_path / str(number)) for number in range(4)]
    found: list[list[str]] = []

    def begins(_: object) -> None:
        found.append([each.path.read_text(encoding="utf-8") for each in errands])

    with StoreWriter(tmp_path / "s", header(encoder)) as store:
        extract(pictures, PLACES, encoder, store, readying=begins, workers=2, before=errands)
        store.finish()
    here, *others = found[0]
    assert here == str(os.getpid()) and others[0] == others[2] != others[1], "one here, the others in turn"
    np.testing.assert_array_equal(FeatureStore.open(tmp_path / "s").array, EXPECTED)


def test_what_fails_before_it_begins_is_told(tmp_path: Path) -> None:
    encoder, errands = Brightness(), [Errand(tmp_path / "a"), Errand(tmp_path / "b", fails=True)]
    with StoreWriter(tmp_path / "s", header(encoder)) as store, pytest.raises(InputError, match="no kernels"):
        extract(pictures, PLACES, encoder, store, workers=1, before=errands)


def test_images_of_another_size_are_scaled(tmp_path: Path) -> None:
    with StoreWriter(tmp_path / "s", header(Brightness())) as store:
        extract(large, PLACES, Brightness(), store, workers=1)
        store.finish()
    np.testing.assert_array_equal(FeatureStore.open(tmp_path / "s").array, EXPECTED)


@pytest.mark.parametrize("shape", [(35, 24, 32, 3), (36, 24, 32), (36, 24, 32, 4)])
def test_bad_images_are_named(shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="viewpoint v0 of house one: images of uint8"):
        fitted("one", "v0", np.zeros(shape, dtype=np.uint8), 36, SIZE)


def test_a_store_of_other_viewpoints(tmp_path: Path) -> None:
    with StoreWriter(tmp_path / "s", header(Brightness())) as store, pytest.raises(ValueError, match="other viewpoints"):
        extract(pictures, PLACES[1:], Brightness(), store)


def test_groups_are_runs_of_neighbours_in_one_house() -> None:
    places = [("one", str(i)) for i in range(5)] + [("two", str(i)) for i in range(5)]
    assert list(_groups(places, np.array([0, 1, 2, 4, 5, 9]), 2)) == [[0, 1], [2], [4], [5], [9]]
    assert list(_groups(places, np.array([], dtype=np.int64), 2)) == []


def test_large_houses_come_first_and_a_process_keeps_to_its_house() -> None:
    places = [("small", str(i)) for i in range(2)] + [("large", str(i)) for i in range(4)]
    plan = PendingRows(places, np.arange(6), most=2)
    assert len(plan) == 3
    assert plan.next(None) == ("large", [2, 3])
    assert plan.next(None) == ("small", [0, 1])
    assert plan.next("small") is None, "what is left of the large house is too little for a second process"
    assert plan.next("large") == ("large", [4, 5])
    assert plan.next("large") is None


def test_a_house_and_its_mirror_image_are_one_and_take_turns() -> None:
    places = [(house, str(i)) for house in ("large", "small", "large-mirrored") for i in range(3 if house != "small" else 4)]
    plan = PendingRows(places, np.arange(len(places)), most=2)
    taken = [plan.next(None), *(plan.next("large") for _ in range(3))]
    assert taken == [("large", [0, 1]), ("large", [7, 8]), ("large", [2]), ("large", [9])]
    assert [plan.order(0, rows).house for _, rows in taken] == ["large", "large-mirrored"] * 2
    assert plan.next("large") == ("small", [3, 4]) and plan.house([8]) == "large"


def test_where_much_is_left_others_help() -> None:
    places = [("house", str(i)) for i in range(WORTH_HELPING + 2)]
    plan = PendingRows(places, np.arange(len(places)), most=1)
    assert plan.next(None) == ("house", [0])
    assert plan.next(None) == ("house", [1])
    assert plan.next(None) == ("house", [2])
    assert plan.next(None) is None
    assert plan.next("house") == ("house", [3])


def test_batches_and_processes_do_not_change_features(tmp_path: Path) -> None:
    """With a real network, in several processes or in this one, one viewpoint or several at once."""
    encoder = make_encoder("efficientnet-lite0", EncoderOptions(device="cpu", size=SIZE))
    assert encoder.travels
    here = encoder.encode(np.concatenate([pictures(*place) for place in PLACES]))
    for batch, workers in ((36, 2), (108, 1)):
        with StoreWriter(tmp_path / str(batch), header(encoder)) as store:
            extract(pictures, PLACES, encoder, store, batch=batch, workers=workers)
            found = store.finish().array
        np.testing.assert_array_equal(found, here.reshape(found.shape).astype(np.float16))
    assert np.abs(here).max() > 0.1


PROGRAM = """
from pathlib import Path
from vision.film import PLACES, Slow, Travelling, header
from vnla.vision.extract import extract
from vnla.vision.store import StoreWriter
with StoreWriter(Path({store!r}), header(Travelling())) as store:
    extract(Slow(), PLACES, Travelling(), store, workers=2)
"""
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}


def shared_memory(process: int) -> list[Path]:
    """What a process has left in the folder of shared memory."""
    return list(Path("/dev/shm").glob(f"*-{process}-*"))


@pytest.mark.parametrize(
    "sent", [*(pytest.param(each, marks=pytest.mark.slow) for each in (signal.SIGINT, signal.SIGTERM)), signal.SIGKILL]
)
def test_a_program_that_is_stopped_leaves_nothing_behind(tmp_path: Path, sent: signal.Signals) -> None:
    store = tmp_path / "s"
    program = [sys.executable, "-c", PROGRAM.format(store=str(store))]
    process = subprocess.Popen(program, env=ENVIRONMENT, start_new_session=True, stderr=subprocess.DEVNULL)
    done = store / DONE
    while not done.exists() or not any(done.read_bytes()):
        assert process.poll() is None
        time.sleep(0.02)
    if sent == signal.SIGINT:  # from a terminal it reaches the processes as well
        os.killpg(process.pid, sent)
    else:
        process.send_signal(sent)
    process.wait()
    assert is_gone(process.pid, seconds=60, kill=os.killpg)
    assert not shared_memory(process.pid)
    with StoreWriter(store, header(Travelling())) as begun:
        assert 0 < len(begun.pending) < len(PLACES)
        extract(pictures, PLACES, Travelling(), begun, workers=1)
        np.testing.assert_array_equal(begun.finish().array, EXPECTED)


def test_processes_draw_what_is_drawn_here(tmp_path: Path) -> None:
    folder = one_house(tmp_path)
    encoder, told = make_encoder("pixels", EncoderOptions(size=Size(64, 48))), []
    out, head, _ = make_features(folder, World.compile(folder.houses), encoder, describe=told.append, workers=2)
    assert told == ["compiling the renderer", "lighting house; drawing and encoding", "drawing and encoding"]
    images = world_images(folder, (64, 48))
    for row in (0, len(head.viewpoints) - 1):
        expected = encoder.encode(images(*head.viewpoints[row]))
        np.testing.assert_array_equal(FeatureStore.open(out).array[row], expected.astype(np.float16))


def test_all_around_is_drawn_for_who_wants_it(tmp_path: Path) -> None:
    """At two viewpoints: the others have something already, since a network takes its time."""
    folder = one_house(tmp_path)
    encoder, world = make_encoder(PANORAMIC, EncoderOptions(device="cpu")), World.compile(folder.houses)
    head = header_of(folder, world, encoder)
    with StoreWriter(store_path(folder.path, encoder.name), head) as begun:
        begun.write(1, np.zeros((len(head.viewpoints) - 2, VIEWS, head.dimension)))
    out, _, _ = make_features(folder, world, encoder, workers=1)
    assert head.size == (1088, 352) and head.weights.endswith("-int8")
    images, found = world_images(folder, panoramic=True), FeatureStore.open(out).array
    for row in (0, -1):
        expected = encoder.encode(images(*head.viewpoints[row]))
        np.testing.assert_array_equal(found[row], expected.astype(np.float16))
    assert not found[1].any(), "nothing is drawn twice"


def one_house(folder: Path) -> WorldFolder:
    """A world of one house that can be drawn."""
    recipe = HouseRecipe("house", 1, 8)
    extra = as_extra("test", 0, [recipe])
    write_world(folder / "world", [recipe.make().house], source="generated", extra=extra)
    return read_world(folder / "world")

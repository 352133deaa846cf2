"""The feature store: what is finished is whole, what was interrupted goes on, and what does not fit is refused."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.houses.folder import read_world, write_world
from vnla.vision.encoders.base import Size
from vnla.vision.store import (
    ARRAY,
    DONE,
    INDEX,
    UNFINISHED,
    FeatureStore,
    Header,
    StoreWriter,
    are_numbers,
    store_path,
    viewpoints_of,
    world_checksum,
    world_features,
)
from vnla.world.compiled import World

PLACES = (("one", "a"), ("one", "b"), ("two", "a"))
HEADER = Header("eyes", "v1", 4, Size(64, 48), 60.0, "", PLACES)


def values(rows: int, dimension: int = 4, seed: int = 0) -> NDArray[np.float32]:
    """Features that float16 holds exactly."""
    whole = np.random.default_rng(seed).integers(-99, 99, (rows, VIEWS, dimension))
    return whole.astype(np.float32)


def filled(path: Path, header: Header = HEADER) -> FeatureStore:
    with StoreWriter(path, header) as store:
        store.write(0, values(len(header.viewpoints), header.dimension))
        return store.finish()


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    filled(tmp_path / "s")
    store = FeatureStore.open(tmp_path / "s")
    assert store.header == HEADER
    assert isinstance(store.array, np.memmap) and store.array.dtype == np.float16
    np.testing.assert_array_equal(store.array, values(3))
    assert not store.array.flags.writeable
    assert sorted(path.name for path in (tmp_path / "s").iterdir()) == [ARRAY, INDEX]
    store.verify()


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, -np.nan])
def test_what_is_no_number_is_found_wherever_it_is(value: float) -> None:
    largest = np.finfo(np.float16).max
    features = np.full((3, VIEWS, 4), [largest, -largest, -0.0, 6e-8], dtype=np.float16)
    assert are_numbers(features)
    features[2, -1, -1] = value
    assert not are_numbers(features)


def test_the_file_is_plain(tmp_path: Path) -> None:
    """Any program can read it: little-endian float16 by viewpoint, view, value; and an index in JSON."""
    filled(tmp_path / "s")
    raw = (tmp_path / "s" / ARRAY).read_bytes()
    assert raw == values(3).astype("<f2").tobytes()
    index = json.loads((tmp_path / "s" / INDEX).read_text())
    assert index["shape"] == [3, 36, 4]
    parts = [hashlib.sha256(part).hexdigest() for part in (raw[: len(raw) // 3 * 2], raw[len(raw) // 3 * 2 :])]
    assert index["houses"] == [
        {"name": "one", "viewpoints": ["a", "b"], "sha256": parts[0]},
        {"name": "two", "viewpoints": ["a"], "sha256": parts[1]},
    ]
    assert index["sha256"] == hashlib.sha256(raw).hexdigest()


def test_the_house_that_is_damaged_is_known(tmp_path: Path) -> None:
    store = filled(tmp_path / "s")
    assert store.damaged() == []
    with (tmp_path / "s" / ARRAY).open("r+b") as stream:
        stream.seek(-7, 2)
        stream.write(b"\7")
    counted: list[int] = []
    assert store.damaged(counted.append) == ["two"] and counted == [2, 1]


def test_a_store_from_before_there_were_checksums_by_house_is_read(tmp_path: Path) -> None:
    filled(tmp_path / "s")
    index = json.loads((tmp_path / "s" / INDEX).read_text())
    for house in index["houses"]:
        del house["sha256"]
    (tmp_path / "s" / INDEX).write_text(json.dumps(index))
    store = FeatureStore.open(tmp_path / "s")
    assert store.header == HEADER and store.damaged() == []
    (tmp_path / "s" / ARRAY).write_bytes(bytes((tmp_path / "s" / ARRAY).stat().st_size))
    assert store.damaged() == ["one", "two"]


def test_an_interrupted_store_goes_on(tmp_path: Path) -> None:
    with StoreWriter(tmp_path / "s", HEADER) as store:
        store.write(1, values(3)[1:2])
    with pytest.raises(InputError, match="not finished"):
        FeatureStore.open(tmp_path / "s")
    with StoreWriter(tmp_path / "s", HEADER) as store:
        assert store.pending.tolist() == [0, 2]
        with pytest.raises(InputError, match="2 viewpoints have no features, the first is a of house one"):
            store.finish()
        store.write(0, values(3)[:1])
        store.write(2, values(3)[2:])
        store.finish()
    np.testing.assert_array_equal(FeatureStore.open(tmp_path / "s").array, values(3))


def test_a_row_is_marked_only_after_it_is_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed between the features and the mark, and within the features: the row is not done."""
    synced = 0

    def die(_: int) -> None:
        nonlocal synced
        synced += 1
        raise KeyboardInterrupt

    with StoreWriter(tmp_path / "s", HEADER) as store, monkeypatch.context() as patch:
        patch.setattr("os.fsync", die)
        with pytest.raises(KeyboardInterrupt):
            store.write(0, values(3)[:1])
    assert synced == 1
    assert (tmp_path / "s" / DONE).read_bytes() == b"\0\0\0"
    with StoreWriter(tmp_path / "s", HEADER) as store:
        assert store.pending.tolist() == [0, 1, 2]


def test_death_between_index_and_tidying_up(tmp_path: Path) -> None:
    filled(tmp_path / "s")
    (tmp_path / "s" / DONE).write_bytes(b"\1\1\1")
    (tmp_path / "s" / UNFINISHED).write_text("{}")
    np.testing.assert_array_equal(FeatureStore.open(tmp_path / "s").array, values(3))


@pytest.mark.parametrize("bad", [np.nan, np.inf, 70_000.0, -1e9])
def test_float16_must_hold_it(tmp_path: Path, bad: float) -> None:
    features = values(2)
    features[1, 5, 2] = bad
    with StoreWriter(tmp_path / "s", HEADER) as store:
        with pytest.raises(InputError, match="viewpoint b of house one: a feature"):
            store.write(0, features)
        assert len(store.pending) == 3


@pytest.mark.parametrize("shape", [(1, 36, 5), (1, 35, 4), (4, 36, 4)])
def test_wrong_shapes(tmp_path: Path, shape: tuple[int, ...]) -> None:
    with StoreWriter(tmp_path / "s", HEADER) as store, pytest.raises(ValueError, match="do not fit"):
        store.write(0, np.zeros(shape))


@pytest.mark.parametrize(
    ("change", "word"),
    [({"weights": "v2"}, "weights"), ({"size": Size(32, 32)}, "size"), ({"viewpoints": PLACES[:2]}, "viewpoints")],
)
@pytest.mark.parametrize("finished", [True, False])
def test_another_header_is_refused(tmp_path: Path, change: dict[str, object], word: str, finished: bool) -> None:
    if finished:
        filled(tmp_path / "s")
    else:
        StoreWriter(tmp_path / "s", HEADER).close()
    with pytest.raises(InputError, match=f"another {word}; remove that folder"):
        StoreWriter(tmp_path / "s", replace(HEADER, **change))  # type: ignore[arg-type]


def test_finished_features_are_not_overwritten(tmp_path: Path) -> None:
    filled(tmp_path / "s")
    with pytest.raises(InputError, match="there already"):
        StoreWriter(tmp_path / "s", HEADER)


def test_two_writers(tmp_path: Path) -> None:
    with StoreWriter(tmp_path / "s", HEADER), pytest.raises(InputError, match="another process"):
        StoreWriter(tmp_path / "s", HEADER)


def test_damage_is_found(tmp_path: Path) -> None:
    filled(tmp_path / "s")
    array, index = tmp_path / "s" / ARRAY, tmp_path / "s" / INDEX
    good = array.read_bytes()
    array.write_bytes(good[:-1])
    with pytest.raises(InputError, match=r"863 bytes, but features.json describes 864"):
        FeatureStore.open(tmp_path / "s")
    array.write_bytes(b"x" + good[1:])
    with pytest.raises(InputError, match="damaged"):
        FeatureStore.open(tmp_path / "s").verify()
    content = json.loads(index.read_text())
    for change in ({"shape": [4, 36, 4]}, {"image": [1]}, {"houses": [{}]}, {"dtype": "float32"}):
        index.write_text(json.dumps({**content, **change}))
        with pytest.raises(InputError, match=r"features\.json: is damaged"):
            FeatureStore.open(tmp_path / "s")
    index.write_text(json.dumps({**content, "version": 2}))
    with pytest.raises(InputError, match="version 2"):
        FeatureStore.open(tmp_path / "s")


def test_damaged_marks_are_found(tmp_path: Path) -> None:
    StoreWriter(tmp_path / "s", HEADER).close()
    (tmp_path / "s" / DONE).write_bytes(b"\1\1")
    with pytest.raises(InputError, match="damaged; remove"):
        StoreWriter(tmp_path / "s", HEADER)


def test_no_viewpoints_or_one_twice(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at least one"):
        StoreWriter(tmp_path / "s", replace(HEADER, viewpoints=()))
    with pytest.raises(InputError, match="twice"):
        StoreWriter(tmp_path / "s", replace(HEADER, viewpoints=(("one", "a"), ("one", "a"))))
    assert not (tmp_path / "s").exists()


def test_features_in_the_order_of_a_world(tmp_path: Path) -> None:
    houses = [replace(cottage(), name=name) for name in ("first", "second")]
    both = World.compile(houses)
    store = filled(tmp_path / "s", replace(HEADER, viewpoints=viewpoints_of(both)))
    assert store.for_world(both) is store.array
    swapped = store.for_world(World.compile(houses[::-1]))
    count = len(both.ids) // 2
    np.testing.assert_array_equal(swapped[:count], store.array[count:])
    np.testing.assert_array_equal(swapped[count:], store.array[:count])
    np.testing.assert_array_equal(store.for_world(World.compile(houses[1:])), store.array[count:])
    stranger = World.compile([replace(cottage(), name="third")])
    with pytest.raises(InputError, match="no features of viewpoint entryway of house third"):
        store.for_world(stranger)


def test_features_of_a_world_that_was_changed(tmp_path: Path) -> None:
    write_world(tmp_path / "w", [cottage()], source="test")
    folder = read_world(tmp_path / "w")
    with pytest.raises(InputError, match="vnla features make"):
        world_features(folder, "eyes")
    places = viewpoints_of(World.compile(folder.houses))
    filled(store_path(folder.path, "eyes"), replace(HEADER, world=world_checksum(folder), viewpoints=places))
    assert world_features(folder, "eyes").header.encoder == "eyes"
    assert read_world(tmp_path / "w").houses == folder.houses, "features do not disturb the world's own checksums"
    changed = replace(cottage(), objects=cottage().objects[1:])
    write_world(tmp_path / "other", [changed], source="test")
    (tmp_path / "w" / "features").rename(tmp_path / "other" / "features")
    with pytest.raises(InputError, match="before the world was changed"):
        world_features(read_world(tmp_path / "other"), "eyes")


def test_folder_names(tmp_path: Path) -> None:
    assert store_path(tmp_path, "timm:a/b.c").name == "timm-a-b.c"
    for name in ("..", "/", ""):
        with pytest.raises(InputError, match="letters or digits"):
            store_path(tmp_path, name)

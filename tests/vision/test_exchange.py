"""Features in other people's files, there and back, and every way in which such a file can be wrong."""

from __future__ import annotations

import base64
import gzip
import json
import tracemalloc
from pathlib import Path

import h5py
import numpy as np
import pytest
from numpy.typing import NDArray

from vnla.camera import VIEWS
from vnla.cli.features import app
from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.houses.folder import read_world, write_world
from vnla.vision.encoders.base import Size
from vnla.vision.exchange import export_features, import_features, read_hdf5, read_hdf5_apart, read_tsv
from vnla.vision.store import FeatureStore, Header, StoreWriter, viewpoints_of, world_features
from vnla.world.compiled import World

PLACES = (("one", "a"), ("one", "b"), ("two", "a"))


def values(number: int, dimension: int = 8) -> NDArray[np.float32]:
    whole = np.random.default_rng(number).integers(-99, 99, (VIEWS, dimension))
    return whole.astype(np.float32) / 8


def line(house: str, viewpoint: str, features: NDArray[np.generic], size: str = "640\t480\t60") -> str:
    return f"{house}\t{viewpoint}\t{size}\t{base64.b64encode(features.tobytes()).decode()}\n"


@pytest.fixture
def tsv(tmp_path: Path) -> Path:
    """The three viewpoints in another order, and one that the world lacks."""
    path = tmp_path / "features.tsv"
    lines = [
        line(*PLACES[2], values(2)),
        line("three", "x", values(9)),
        line(*PLACES[0], values(0)),
        line(*PLACES[1], values(1)),
    ]
    path.write_text("".join(lines))
    return path


@pytest.fixture
def hdf5(tmp_path: Path) -> Path:
    path = tmp_path / "features.hdf5"
    with h5py.File(path, "w") as archive:
        for number, (house, viewpoint) in enumerate(PLACES):
            archive[f"{house}_{viewpoint}"] = values(number)
        archive["three_x"] = values(9)
    return path


@pytest.mark.parametrize("kind", ["tsv", "hdf5"])
def test_import(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    told: list[int] = []
    store = import_features(request.getfixturevalue(kind), tmp_path / "s", PLACES, name="theirs", progress=told.append)
    np.testing.assert_array_equal(store.array, np.stack([values(i) for i in range(3)]))
    assert (store.header.encoder, store.header.size, store.header.vfov) == ("theirs", (640, 480), 60.0)
    assert sum(told) == 3


@pytest.mark.parametrize("kind", ["tsv", "hdf5"])
def test_first_columns_alone(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    store = import_features(request.getfixturevalue(kind), tmp_path / "s", PLACES, name="theirs", columns=3)
    np.testing.assert_array_equal(store.array, np.stack([values(i)[:, :3] for i in range(3)]))
    with pytest.raises(InputError, match="8 values a view; expected 9"):
        import_features(request.getfixturevalue(kind), tmp_path / "t", PLACES, name="theirs", columns=9)


@pytest.mark.parametrize("ending", [".tsv", ".h5", ".hdf5"])
def test_there_and_back(ending: str, tmp_path: Path) -> None:
    header = Header("ours", "v1", 8, Size(224, 168), 60.0, "", PLACES)
    with StoreWriter(tmp_path / "s", header) as writer:
        writer.write(0, np.stack([values(i) for i in range(3)]))
        store = writer.finish()
    out = tmp_path / f"out{ending}"
    export_features(store, out)
    again = import_features(out, tmp_path / "again", PLACES, name="ours")
    np.testing.assert_array_equal(again.array, store.array)
    assert again.header.size == (224, 168)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
    with pytest.raises(InputError, match="exists already"):
        export_features(store, out)


def test_exported_text_is_what_the_original_code_reads(tmp_path: Path) -> None:
    """As R2R's and VNLA's `env.py` reads it: csv with those six fields, base64 to float32, 36 rows."""
    import csv

    header = Header("ours", "v1", 8, Size(224, 168), 60.0, "", PLACES)
    with StoreWriter(tmp_path / "s", header) as writer:
        writer.write(0, np.stack([values(i) for i in range(3)]))
        export_features(writer.finish(), tmp_path / "out.tsv")
    names = ["scanId", "viewpointId", "image_w", "image_h", "vfov", "features"]
    with (tmp_path / "out.tsv").open() as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", fieldnames=names))
    assert [(row["scanId"], row["viewpointId"]) for row in rows] == list(PLACES)
    assert (int(rows[0]["image_w"]), int(rows[0]["image_h"]), int(rows[0]["vfov"])) == (224, 168, 60)
    decoded = np.frombuffer(base64.b64decode(rows[1]["features"]), dtype=np.float32).reshape((36, 8))
    np.testing.assert_array_equal(decoded, values(1))


GOOD = values(0)
NOT_FINITE = GOOD.copy()
NOT_FINITE[3, 3] = np.nan


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("one\ta\t640\n", "line 2: 3 fields; expected 6"),
        ("one\tb\twide\t480\t60\tAAAA\n", "line 2: image_w, image_h and vfov must be numbers, not 'wide'"),
        ("one\tb\t640\t480\t60\tA*AA\n", "line 2: the features are not base64"),
        ("one\tb\t640\t480\t60\tAAAA\n", "line 2: the features have 3 bytes"),
        ("one\tb\t640\t480\t60\t\n", "line 2: the features have 0 bytes"),
        (line("one", "b", values(1, 7)), "line 2: 7 values a view, but 8 in the lines before"),
        (line("one", "b", NOT_FINITE), "line 2: a feature is not a finite number"),
        (line("one", "a", GOOD), r"line 2: repeats the viewpoint of .*line 1"),
        (line("one", "b", GOOD * 1e5), "viewpoint b of house one: a feature is no number, or beyond float16"),
        ("x" * 4_000_000, "line 2 is longer than"),
        ("", "lacks 2 of the world's 3 viewpoints, the first is b of house one"),
        ("one\tb\t\udcff\n", "not UTF-8"),
    ],
)
def test_bad_lines_are_named_and_leave_nothing(bad: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.tsv"
    path.write_bytes((line("one", "a", GOOD) + bad).encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match=message):
        import_features(path, tmp_path / "features" / "s", PLACES, name="theirs")
    assert not (tmp_path / "features").exists()


def test_empty_or_of_unknown_kind(tmp_path: Path) -> None:
    (tmp_path / "empty.tsv").touch()
    with pytest.raises(InputError, match="is empty"):
        import_features(tmp_path / "empty.tsv", tmp_path / "s", PLACES, name="theirs")
    with pytest.raises(InputError, match=r"ends in \.tsv, \.h5, \.hdf5"):
        import_features(tmp_path / "features.npy", tmp_path / "s", PLACES, name="theirs")
    with pytest.raises(InputError, match="no such file"):
        list(read_tsv(tmp_path / "none.tsv"))


def test_bad_keys_are_named(hdf5: Path) -> None:
    with pytest.raises(InputError, match="key four_y is not there"):
        list(read_hdf5(hdf5, (("one", "a"), ("four", "y"))))
    with h5py.File(hdf5, "a") as archive:
        archive["four_y"] = np.zeros((35, 8))
        archive["five_z"] = np.full((36, 8), np.inf)
        archive.create_group("six_g")
        archive["seven_i"] = np.zeros((36, 8), dtype=np.int32)
    cases = {"four_y": r"shape \(35, 8\)", "five_z": "finite", "six_g": "shape None", "seven_i": "floating-point"}
    for key, message in cases.items():
        house, _, viewpoint = key.partition("_")
        with pytest.raises(InputError, match=f"key {key}.*{message}"):
            list(read_hdf5(hdf5, ((house, viewpoint),)))


def test_not_hdf5(tmp_path: Path) -> None:
    (tmp_path / "text.h5").write_text("text")
    with pytest.raises(InputError, match=r"text\.h5: cannot be read as HDF5"):
        list(read_hdf5(tmp_path / "text.h5", PLACES))


def test_a_file_that_the_library_does_not_come_back_from(tmp_path: Path) -> None:
    """Found by fuzzing; another version of the library may refuse it at once."""
    packed = Path(__file__).parent / "data" / "circle.h5.gz"
    (tmp_path / "circle.h5").write_bytes(gzip.decompress(packed.read_bytes()))
    with pytest.raises(InputError, match=r"circle\.h5: (the HDF5 library is not back|cannot be read)"):
        list(read_hdf5_apart(tmp_path / "circle.h5", PLACES, patience=3))


def test_without_h5py(monkeypatch: pytest.MonkeyPatch, hdf5: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    with pytest.raises(InputError, match="pip install h5py"):
        list(read_hdf5(hdf5, PLACES))


def test_a_large_file_takes_little_memory(tmp_path: Path) -> None:
    """60 viewpoints of the real 2048 values are 23 MB of text; memory holds a few lines of them."""
    places = tuple(("big", f"v{i}") for i in range(60))
    text = line("big", "v{}", values(1, 2048))
    with (tmp_path / "big.tsv").open("w") as stream:
        for i in range(60):
            stream.write(text.replace("{}", str(i), 1))
    assert (tmp_path / "big.tsv").stat().st_size > 20_000_000
    tracemalloc.start()
    try:
        store = import_features(tmp_path / "big.tsv", tmp_path / "s", places, name="big")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8_000_000
    np.testing.assert_array_equal(store.array[59], values(1, 2048))


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = tmp_path / "world"
    write_world(world, [cottage()], source="test")
    folder = read_world(world)
    places = viewpoints_of(World.compile(folder.houses))
    (tmp_path / "f.tsv").write_text("".join(line(*place, values(i)) for i, place in enumerate(places)))
    app(["import", str(world), str(tmp_path / "f.tsv"), "--name", "theirs"], standalone_mode=False)
    assert "13 viewpoints × 36 views × 8 values" in capsys.readouterr().out
    np.testing.assert_array_equal(world_features(folder, "theirs").array[12], values(12))
    out = tmp_path / "out.h5"
    app(["export", str(world), str(out), "--encoder", "theirs", "--json"], standalone_mode=False)
    assert json.loads(capsys.readouterr().out)["shape"] == [13, 36, 8]
    with h5py.File(out) as archive:
        np.testing.assert_array_equal(archive[f"{places[5][0]}_{places[5][1]}"][...], values(5))
    with pytest.raises(InputError, match="there already"):
        app(["import", str(world), str(tmp_path / "f.tsv"), "--name", "theirs"], standalone_mode=False)
    assert FeatureStore.open(world / "features" / "theirs").header.dimension == 8

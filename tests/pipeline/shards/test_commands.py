"""`--shard` of the commands: what shards make, put together, is byte for byte what one machine makes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from command import Vnla
from cottage_run import write_cottage
from vnla.camera import VIEWS
from vnla.common.checksums import of_file
from vnla.evaluation import evaluate as evaluation
from vnla.houses.cottage import cottage
from vnla.houses.folder import read_world, write_world
from vnla.pipeline.shards import features
from vnla.pipeline.shards.parts import RECORD
from vnla.pipeline.shards.shard import Shard, shards
from vnla.vision.encoders import Encoder, EncoderOptions, make_encoder
from vnla.vision.making import header_of
from vnla.vision.store import ARRAY, FeatureStore, Header, StoreWriter, store_path
from vnla.world.compiled import World


def bytes_in(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_world_of_shards_is_that_of_one_machine(vnla: Vnla, tmp_path: Path) -> None:
    options = ("--seed", 5, "--houses", 3, "--workers", 1)
    one, other = tmp_path / "one" / "w", tmp_path / "other" / "w"
    assert vnla("world", "make", one, *options).status == 0
    assert "1 houses" in vnla("world", "make", other, *options, "--shard", "1/2").out
    early = vnla("world", "make", other, *options, "--shard", "merge")
    assert early.status == 2 and "shard 2/2 is missing or unfinished" in early.err
    assert not other.exists()
    foreign = vnla("world", "make", other, "--houses", 3, "--seed", 6, "--shard", "2/2")
    assert foreign.status == 2 and "seed 5 there, 6 here" in foreign.err
    assert vnla("world", "make", other, *options, "--shard", "2/2", "--json").status == 0
    assert "there already" in vnla("world", "make", other, *options, "--shard", "2/2").out
    assert vnla("world", "make", other, *options, "--shard", "merge").status == 0
    assert bytes_in(one) == bytes_in(other)
    assert not other.with_name("w.shards").exists()


@pytest.mark.parametrize("task", ["asknav", "noroom"])
def test_a_data_set_of_shards_is_that_of_one_machine(vnla: Vnla, tmp_path: Path, task: str) -> None:
    world, one, other = tmp_path / "w", tmp_path / "one" / "t", tmp_path / "other" / "t"
    assert vnla("world", "make", world, "--seed", 3, "--houses", 4, "--workers", 1).status == 0
    options = ("--task", task, "--seed", 2, "--fewest", 2)
    assert vnla("tasks", "make", world, one, *options, "--size", 30).status == 0
    for text in ("1/3", "3/3"):
        assert "written" in vnla("tasks", "make", world, other, *options, "--shard", text).out
    early = vnla("tasks", "make", world, other, *options, "--shard", "merge")
    assert early.status == 2 and "shard 2/3 is missing or unfinished" in early.err
    foreign = vnla("tasks", "make", world, other, *options, "--starts", 3, "--shard", "2/3")
    assert foreign.status == 2 and "was made with something else (starts" in foreign.err
    part = other.with_name("t.shards") / "2-of-3"
    assert vnla("tasks", "make", world, other, *options, "--shard", "2/3").status == 0
    (part / RECORD).write_text((part / RECORD).read_text().replace('"done": true', '"done": false'))  # killed as it ended
    whole = bytes_in(part)
    min(part.glob("*.npz")).unlink()
    assert "written" in vnla("tasks", "make", world, other, *options, "--shard", "2/3").out
    assert bytes_in(part).keys() == whole.keys()
    assert "there already" in vnla("tasks", "make", world, other, *options, "--shard", "2/3").out
    assert not other.exists()
    assert vnla("tasks", "make", world, other, *options, "--size", 30, "--shard", "merge").status == 0
    assert bytes_in(one) == bytes_in(other)
    assert not part.parent.exists()


def test_damaged_points_are_a_line(vnla: Vnla, tmp_path: Path) -> None:
    world, out = tmp_path / "w", tmp_path / "t"
    assert vnla("world", "make", world, "--seed", 3, "--houses", 3, "--workers", 1).status == 0
    assert vnla("tasks", "make", world, out, "--fewest", 2, "--shard", "1/1").status == 0
    lines = min((tmp_path / "t.shards" / "1-of-1").glob("*.jsonl"))
    lines.write_text(lines.read_text()[1:])
    answer = vnla("tasks", "make", world, out, "--fewest", 2, "--shard", "merge")
    assert answer.status == 2 and "damaged; remove" in answer.err and len(answer.err.splitlines()) == 1
    assert not out.exists()


def test_points_that_cannot_be_are_a_line(vnla: Vnla, tmp_path: Path) -> None:
    """In a part whose checksums are right: a stranger made it."""
    world, out = tmp_path / "w", tmp_path / "t"
    write_world(world, [cottage()], source="drawn", splits={"train": ["cottage"]})
    asked = ("tasks", "make", world, out, "--fewest", 1)
    made = vnla(*asked, "--shard", "1/1")
    assert made.status == 0, made.err
    part = tmp_path / "t.shards" / "1-of-1"
    points = part / "0.npz"
    with np.load(points) as found:
        arrays = dict(found)
    assert len(arrays["start"]) > 0
    odd = {
        "start": np.full_like(arrays["start"], 99), "bucket": np.full(len(arrays["start"]), 2**63 - 1),
        "heading": np.array(3), "first": arrays["first"][::-1], "moves": arrays["moves"][:, 1:],
        "lengths": arrays["lengths"][1:], "candidates": np.array("many"),
    }  # fmt: skip
    for name, array in odd.items():
        np.savez(points, **(arrays | {name: array}))
        record = json.loads((part / "shard.json").read_text())
        record["files"][points.name] = of_file(points)
        (part / "shard.json").write_text(json.dumps(record))
        answer = vnla(*asked, "--shard", "merge")
        assert answer.status == 2 and str(points) in answer.err and len(answer.err.splitlines()) == 1, (name, answer.err)
    assert not out.exists()


def encoded(header: Header) -> np.ndarray:
    """Features that depend on nothing but the viewpoint."""
    numbers = [sum(map(ord, house + viewpoint)) for house, viewpoint in header.viewpoints]
    return (np.array(numbers)[:, None, None] % 97 + np.zeros((1, VIEWS, header.dimension))).astype(np.float32)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Header, Encoder]:
    """Five houses; drawing is left out."""
    path = tmp_path / "w"
    write_world(path, [replace(cottage(), name=name) for name in ("one", "two", "three", "four", "five")], source="drawn")
    folder = read_world(path)

    def encode(_folder: object, _encoder: object, store: StoreWriter, *_: object, **__: object) -> None:
        assert len(store.pending) == len(store.header.viewpoints)
        store.write(0, encoded(store.header))

    monkeypatch.setattr(features, "encode", encode)
    monkeypatch.setattr(features, "check_pictures", lambda *_: None)
    encoder = make_encoder("pixels", EncoderOptions())
    return path, header_of(folder, World.compile(folder.houses), encoder), encoder


def test_features_of_shards_are_put_where_they_belong(world: tuple[Path, Header, Encoder]) -> None:
    path, header, encoder = world
    folder, out = read_world(path), store_path(path, "pixels")
    parts = features.feature_parts(out, header)
    own = [features.share_of(shard, header) for shard in shards(3)]
    assert sorted(place for each in own for place in each) == sorted(header.viewpoints)
    assert not {house for house, _ in own[0]} & {house for house, _ in own[1]}  # whole houses
    for shard in shards(3):
        assert features.make_part(parts, shard, folder, header, encoder)
    assert not features.make_part(parts, Shard(1, 3), folder, header, encoder)
    store = features.merge(parts, header)
    np.testing.assert_array_equal(store.array, encoded(header).astype(np.float16))
    assert FeatureStore.open(out).header == header


def test_a_damaged_part_is_not_put_together_and_the_merge_goes_on(world: tuple[Path, Header, Encoder]) -> None:
    path, header, encoder = world
    folder, out = read_world(path), store_path(path, "pixels")
    parts = features.feature_parts(out, header)
    for shard in shards(2):
        features.make_part(parts, shard, folder, header, encoder)
    array = parts.place(Shard(2, 2)) / ARRAY
    good = array.read_bytes()
    array.write_bytes(bytes(len(good)))
    with pytest.raises(ValueError, match=r"features.f16: is not what features.json describes.*--shard 2/2"):
        features.merge(parts, header)
    assert not (out / "features.json").exists()
    array.write_bytes(good)
    np.testing.assert_array_equal(features.merge(parts, header).array, encoded(header).astype(np.float16))


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_cottage(tmp_path_factory.mktemp("cottage"))


def test_a_grid_of_trainings_and_its_evaluations(
    vnla: Vnla, material: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "CPU_BATCH", 5)  # so that a split is several batches
    places = ("--world", material[0], "--tasks", material[1], "--features", "symbolic")
    grid = (*places, "--help-policy", "first,none", "--iterations", 2, "--batch", 4, "--hidden", 8)
    runs = tmp_path / "shared" / "runs"
    assert vnla("train", tmp_path / "alone" / "runs", *grid).status == 0
    assert vnla("train", runs, *grid, "--shard", "1/2").status == 0
    early = vnla("train", runs, *grid, "--shard", "merge")
    assert early.status == 2 and "shard 2/2 is missing or unfinished" in early.err
    assert vnla("train", runs, *grid, "--shard", "2/2").status == 0
    assert "all 2 runs are finished" in vnla("train", runs, *grid, "--shard", "merge").out
    weights = "first/last.safetensors"
    assert (runs / weights).read_bytes() == (tmp_path / "alone" / "runs" / weights).read_bytes()

    asked = ("evaluate", runs / "first", "--split", "test_seen", "--split", "test_unseen", "--seeds", 2)
    files = [{name: tmp_path / f"{name}-{which}" for name in ("npz", "csv", "json", "results")} for which in range(2)]
    options = [[part for name, path in each.items() for part in (f"--{name}", path)] for each in files]
    alone = vnla(*asked, *options[0])
    assert alone.status == 0
    for shard in shards(3):
        assert vnla(*asked, *options[1], "--shard", shard).status == 0
    assert len(list(files[1]["npz"].with_name("npz-1.shards").rglob("*.npz"))) == 6
    merged = vnla(*asked, *options[1], "--shard", "merge")
    assert merged.status == 0 and merged.out == alone.out
    for name in ("npz", "results"):
        assert bytes_in(files[0][name]) == bytes_in(files[1][name])
    for name in ("csv", "json"):
        assert files[0][name].read_bytes() == files[1][name].read_bytes()


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--shard", "1/2"], "--shard: say with --npz DIR"),
        (["--npz", "OUT", "--sweep", "OUT", "--shard", "1/2"], "--sweep is not shared"),
        (["--npz", "OUT", "--shard", "merge"], "there are no shards"),
    ],
)
def test_what_an_evaluation_cannot_share_is_refused(
    vnla: Vnla, material: tuple[Path, Path], tmp_path: Path, options: list[str], line: str
) -> None:
    asked = ("evaluate", "pretrained", "--world", material[0], "--tasks", material[1])
    answer = vnla(*asked, *(str(tmp_path / "out") if each == "OUT" else each for each in options))
    assert answer.status == 2 and line in answer.err and answer.err.count("\n") == 1


def test_a_run_that_learned_more_is_another(vnla: Vnla, material: tuple[Path, Path], tmp_path: Path) -> None:
    places = ("--world", material[0], "--tasks", material[1], "--features", "symbolic")
    train = ("train", tmp_path / "run", *places, "--batch", 4, "--hidden", 8, "--iterations")
    assert vnla(*train, 1).status == 0
    asked = ("evaluate", tmp_path / "run", "--split", "test_seen", "--seeds", 1, "--npz", tmp_path / "npz", "--shard")
    assert vnla(*asked, "1/2").status == 0
    assert vnla(*train, 2).status == 0
    answer = vnla(*asked, "2/2")
    assert answer.status == 2 and "made with something else (runs" in answer.err
    assert json.loads((tmp_path / "npz.shards" / "1-of-2" / RECORD).read_text())["done"]

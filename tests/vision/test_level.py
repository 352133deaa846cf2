"""Features of level views alone: what looks level in the features of all views, and level to whoever looks up or down."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some
from numpy.typing import NDArray
from typer.testing import CliRunner

from cottage_run import write_cottage
from vision.film import EXPECTED, PLACES, Around, Brightness, LevelPictures, Travelling, TravellingAround, around, header
from vision.test_extract import one_house
from vnla.camera import HEADINGS, LEVEL_ROW, VIEWS, view_index
from vnla.cli.features import app
from vnla.common import tables
from vnla.common.errors import InputError
from vnla.common.tables import DeviceTable, DiskTable, RepeatedTable
from vnla.houses.cottage import cottage
from vnla.houses.folder import read_world, write_world
from vnla.training.checkpoints import LAST, LOG
from vnla.training.config import RunConfig, TrainingConfig
from vnla.training.data import RunData
from vnla.training.together import train
from vnla.training.trained import open_trained
from vnla.vision.encoders import EncoderOptions, Size, make_encoder
from vnla.vision.extract import extract
from vnla.vision.level import LEVEL, LEVEL_VIEWS
from vnla.vision.making import make_features
from vnla.vision.reduce import reduce_features
from vnla.vision.store import (
    ARRAY,
    FeatureStore,
    Header,
    StoreWriter,
    store_path,
    viewpoints_of,
    world_checksum,
    world_features,
)
from vnla.vision.views import world_views
from vnla.world.compiled import World

LEVEL_ONES = [view_index(LEVEL_ROW, heading) for heading in range(HEADINGS)]
SIZES = {"hidden": 16, "help_hidden": 16, "word_embedding": 8}


@pytest.mark.parametrize("kind", [Brightness, Travelling, Around, TravellingAround])
def test_twelve_views_of_each_viewpoint_in_their_place(tmp_path: Path, kind: type[Brightness]) -> None:
    encoder = kind()
    with StoreWriter(tmp_path / "s", replace(header(encoder), views=LEVEL)) as store:
        extract(around if encoder.panoramic else LevelPictures(), PLACES, encoder, store, batch=30, workers=2)
        found = store.finish()
    np.testing.assert_array_equal(found.array, EXPECTED[:, LEVEL_ONES])
    assert FeatureStore.open(tmp_path / "s").header.as_json()["shape"] == [len(PLACES), HEADINGS, 1]
    if kind is Brightness:
        assert sum(encoder.calls) == len(PLACES) * HEADINGS, "no picture more than that"


@pytest.mark.slow
def test_what_is_drawn_level_is_what_is_drawn_anyway(tmp_path: Path) -> None:
    folder = one_house(tmp_path)
    encoder, world = make_encoder("pixels", EncoderOptions(size=Size(64, 48))), World.compile(folder.houses)
    whole, _, _ = make_features(folder, world, encoder, workers=1)
    level, _, new = make_features(folder, world, encoder, views=LEVEL, workers=1)
    assert new and level == store_path(folder.path, "pixels-level")
    np.testing.assert_array_equal(FeatureStore.open(level).array, FeatureStore.open(whole).array[:, LEVEL_ONES])


def features(count: int, size: int = 8) -> NDArray[np.float16]:
    return np.random.default_rng(2).standard_normal((count, VIEWS, size)).astype(np.float16)


def store(world: Path, name: str, *, level: bool, size: int = 8) -> None:
    """The same random features in any world: all, or what is level."""
    folder = read_world(world)
    places = viewpoints_of(World.compile(folder.houses))
    about = Header(name, "v1", size, Size(64, 48), 60.0, world_checksum(folder), places)
    values = features(len(places), size)
    about, values = (replace(about, views=LEVEL), values[:, LEVEL_VIEWS]) if level else (about, values)
    with StoreWriter(store_path(world, name), about, durable=False) as writer:
        writer.write(0, values)
        writer.finish()


@pytest.mark.parametrize(("kept", "level"), [("some-level", True), ("some", False)])
def test_who_looks_up_or_down_sees_what_is_level(tmp_path: Path, kept: str, level: bool) -> None:
    """Whether level views were kept by themselves, or are cut out of all."""
    world, _ = write_cottage(tmp_path)
    store(world, kept, level=level)
    folder = read_world(world)
    compiled = World.compile(folder.houses)
    seen = world_views(folder, compiled, "some-level,symbolic-level,symbolic")
    every = {
        "some-level": features(len(compiled.ids)),
        "symbolic-level": seen["symbolic"].reshape(len(compiled.ids), VIEWS, -1),
    }
    for name, values in every.items():
        for row in range(3):
            looking = seen[name].reshape(len(compiled.ids), VIEWS, -1)[:, row * HEADINGS : (row + 1) * HEADINGS]
            np.testing.assert_array_equal(looking, values[:, LEVEL_ONES])
    poses = np.array([0, 13, 35, 36 + 30])
    np.testing.assert_array_equal(world_features(folder, "some-level").at_poses(compiled, poses), seen["some-level"][poses])


def test_all_views_are_not_taken_from_level_ones(tmp_path: Path) -> None:
    """An agent that learned to look up is not given features without a word that cannot show it."""
    world, _ = write_cottage(tmp_path)
    store(world, "pixels-level", level=True)
    with pytest.raises(InputError, match=r"no features; make them with: vnla features make \S+ --encoder pixels$"):
        world_features(read_world(world), "pixels")
    other, _ = write_cottage(tmp_path / "other")
    with pytest.raises(InputError, match=r"make them with: vnla features make \S+ --encoder pixels --views level$"):
        world_features(read_world(other), "pixels-level")
    with pytest.raises(InputError, match=r"make them with: vnla features reduce \S+ --encoder pixels-level --size 16$"):
        world_features(read_world(other), "pixels-level-16")


@pytest.mark.slow
def test_a_run_learns_the_same_from_either_in_memory_or_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the last bit; and an agent that was trained with level views is evaluated where there are all."""
    monkeypatch.setattr(tables, "SMALLEST", 1)
    training = TrainingConfig(iterations=3, batch=2, learning_rate=1e-2)
    ends = {}
    for kept, level in (("some-level", True), ("some", False)):
        world, tasks = write_cottage(tmp_path / kept, houses=3)
        store(world, kept, level=level)
        names = "some-level,symbolic-level"
        config = RunConfig(
            str(world), str(tasks), names, training=training, agent_options=SIZES, validate_every=2, sensors="spotted"
        )
        for cache in (None, 1):
            data = RunData.load(config, cache=cache)
            kind = RepeatedTable if cache is None else DiskTable
            assert isinstance(data.views["some-level"], kind) and isinstance(data.views["symbolic-level"], RepeatedTable)
            out = tmp_path / f"{kept} {cache}"
            train(out, config, data)
            ends[kept, cache] = (out / LAST).read_bytes(), (out / LOG).read_bytes()
        data = RunData.load(config, cache=1)
        whole = world_features(data.folder, "some-level")
        pages = 2 * len(data.world.ids) // 3 * whole.file_views * 8 * 2
        held = DeviceTable(whole.path / ARRAY, 8, data.world.first, whole.file_views, pages, whole.shown)
        train(tmp_path / f"{kept} held", config, replace(data, views={**data.views, "some-level": held}))
        ends[kept, "held"] = (tmp_path / f"{kept} held" / LAST).read_bytes(), (tmp_path / f"{kept} held" / LOG).read_bytes()
    assert len({end[1] for end in ends.values()}) == 1
    assert len({end[0] for key, end in ends.items() if key[0] == "some"}) == 1
    assert (
        open_trained(tmp_path / "some-level None", world=tmp_path / "some" / "world").material.views["some-level"].shape[1]
        == 8
    )


@given(pages=some.integers(1, 6), page=some.integers(1, 5), data=some.data())
def test_a_repeated_table_is_the_table_with_its_rows_repeated(pages: int, page: int, data: some.DataObject) -> None:
    shown = data.draw(some.lists(some.integers(0, page - 1), min_size=1, max_size=7))
    rows = torch.arange(pages * page * 2).view(-1, 2)
    spelled_out = rows.view(pages, page, 2)[:, shown].reshape(-1, 2)
    table = RepeatedTable(rows, page, shown)
    assert table.shape == spelled_out.shape and table.is_floating_point() == rows.is_floating_point()
    places = torch.tensor(data.draw(some.lists(some.integers(0, len(spelled_out) - 1), min_size=1)))
    assert torch.equal(table[places], spelled_out[places])


def test_out_to_files_and_in_again(tmp_path: Path) -> None:
    world, _ = write_cottage(tmp_path)
    store(world, "some-level", level=True)
    runner = CliRunner()
    for ending in ("tsv", "h5"):
        file = str(tmp_path / f"level.{ending}")
        assert runner.invoke(app, ["export", str(world), file, "--encoder", "some-level"]).exit_code == 0
        for views, count in (("all", VIEWS), ("level", HEADINGS)):
            name = f"{ending}-{views}"
            assert runner.invoke(app, ["import", str(world), file, "--name", name, "--views", views]).exit_code == 0
            found = world_features(read_world(world), name)
            assert found.array.shape[1] == count
            np.testing.assert_array_equal(found.level().array, features(len(found.array))[:, LEVEL_ONES])
    outcome = runner.invoke(app, ["import", str(world), file, "--name", "n", "--views", "up"])
    assert isinstance(outcome.exception, InputError) and "choose all or level" in str(outcome.exception)


def test_reduced_features(tmp_path: Path) -> None:
    """The components of level views are the same whether all are there or they alone."""
    found = []
    for kept, level in (("some-level", True), ("some", False)):
        world, _ = write_cottage(tmp_path / kept)
        store(world, kept, level=level)
        reduced, _ = reduce_features(read_world(world), "some-level", 3)
        assert reduced.path.name == "some-level-3" and reduced.header.views == LEVEL
        found.append(np.array(reduced.array))
    np.testing.assert_array_equal(*found)


def test_probed_in_level_views_alone(tmp_path: Path) -> None:
    """Beside others, too: all are measured by the same views."""
    houses = [replace(cottage(), name=f"cottage{number}") for number in range(5)]
    write_world(tmp_path / "world", houses, source="drawn", splits={"train": [house.name for house in houses[:3]]})
    store(tmp_path / "world", "some", level=False)
    for names, views in ((["some-level"], HEADINGS), (["some", "some-level"], HEADINGS), (["some"], VIEWS)):
        wanted = [word for name in names for word in ("--encoder", name)]
        outcome = CliRunner().invoke(app, ["probe", str(tmp_path / "world"), *wanted, "--listed", "--json"])
        assert outcome.exit_code == 0, outcome.exception
        found = json.loads(outcome.stdout)
        assert {each["train_views"] for each in found.values()} == {3 * len(cottage().viewpoints) * views}

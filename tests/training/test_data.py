"""What a run works on: features of the world as it is now, under whatever name they are kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cottage_run import write_cottage
from vnla.camera import VIEWS
from vnla.common import tables
from vnla.common.errors import InputError
from vnla.common.tables import DeviceTable
from vnla.houses.folder import read_world, write_manifest
from vnla.training.checkpoints import LAST, LOG
from vnla.training.config import RunConfig, TrainingConfig
from vnla.training.data import RunData
from vnla.training.together import train
from vnla.vision.encoders import Size
from vnla.vision.store import ARRAY, Header, StoreWriter, store_path, viewpoints_of, world_checksum
from vnla.world.compiled import World


def test_a_run_finds_features_of_any_name_and_takes_none_of_the_world_as_it_was(tmp_path: Path) -> None:
    world, tasks = write_cottage(tmp_path)
    folder = read_world(world)
    places = viewpoints_of(World.compile(folder.houses))
    header = Header("timm:some/net", "v1", 4, Size(64, 48), 60.0, world_checksum(folder), places)
    with StoreWriter(store_path(world, header.encoder), header, durable=False) as store:
        store.write(0, np.ones((len(places), VIEWS, 4)))
        store.finish()
    config = RunConfig(str(world), str(tasks), features="timm:some/net")
    assert RunData.load(config).folder.houses == folder.houses
    write_manifest(folder.choosing(pictures={"source": "skybox"}))
    with pytest.raises(InputError, match=r"made before the world was changed; .* --encoder timm:some/net$"):
        RunData.load(config)


def test_features_on_disk_train_as_those_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the last bit: mapped, with all let go at every look; and on a device with room for half of three houses."""
    monkeypatch.setattr(tables, "SMALLEST", 1)
    world, tasks = write_cottage(tmp_path, houses=3)
    folder = read_world(world)
    places = viewpoints_of(World.compile(folder.houses))
    header = Header("some", "v1", 8, Size(64, 48), 60.0, world_checksum(folder), places)
    with StoreWriter(store_path(world, "some"), header, durable=False) as store:
        store.write(0, np.random.default_rng(2).standard_normal((len(places), VIEWS, 8)))
        store.finish()
    training = TrainingConfig(iterations=4, batch=2, learning_rate=1e-2)
    sizes = {"hidden": 16, "help_hidden": 16, "word_embedding": 8}
    config = RunConfig(str(world), str(tasks), "some,symbolic", training=training, agent_options=sizes, validate_every=2)
    train(tmp_path / "memory", config, RunData.load(config))
    train(tmp_path / "disk", config, RunData.load(config, cache=1))
    pages = 2 * len(places) // 3
    device = RunData.load(config, cache=1)
    held = DeviceTable(store_path(world, "some") / ARRAY, 8, device.world.first, VIEWS, pages * VIEWS * 8 * 2)
    train(tmp_path / "device", config, replace(device, views={**device.views, "some": held}))
    assert not held.fits([0, 1, 2])
    for name in ("disk", "device"):
        for file in (LAST, LOG):
            assert (tmp_path / name / file).read_bytes() == (tmp_path / "memory" / file).read_bytes(), (name, file)


@pytest.mark.parametrize(
    ("bits", "said"),
    [(b"\x01", "is not what features.json describes: damaged"), (np.float16(np.nan).tobytes(), "are no numbers")],
)
def test_features_on_disk_are_verified_as_those_in_memory(
    bits: bytes, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "SMALLEST", 1)
    world, tasks = write_cottage(tmp_path)
    folder = read_world(world)
    places = viewpoints_of(World.compile(folder.houses))
    header = Header("some", "v1", 8, Size(64, 48), 60.0, world_checksum(folder), places)
    with StoreWriter(store_path(world, "some"), header, durable=False) as store:
        store.write(0, np.zeros((len(places), VIEWS, 8)))
        damaged = (store_path(world, "some") / ARRAY).read_bytes()
        damaged = damaged[: -len(bits)] + bits
        if "numbers" in said:  # in a file whose checksums are right: somebody's own program wrote it
            (store_path(world, "some") / ARRAY).write_bytes(damaged)
        store.finish()
    (store_path(world, "some") / ARRAY).write_bytes(damaged)
    config = RunConfig(str(world), str(tasks), "some")
    for cache in (None, 1):
        with pytest.raises(InputError, match=said):
            RunData.load(config, cache=cache)


def test_features_that_are_missing_come_with_the_command_that_makes_them(tmp_path: Path) -> None:
    world, tasks = write_cottage(tmp_path)
    with pytest.raises(InputError, match=r"no features; make them with: vnla features make \S+ --encoder pixels$"):
        RunData.load(RunConfig(str(world), str(tasks), features="pixels"))

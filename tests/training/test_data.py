"""What a run works on: features of the world as it is now, under whatever name they are kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cottage_run import write_cottage
from vnla.common.errors import InputError
from vnla.houses.folder import read_world, write_manifest
from vnla.training.config import RunConfig
from vnla.training.data import RunData
from vnla.vision.encoders import Size
from vnla.vision.store import Header, StoreWriter, store_path, viewpoints_of, world_checksum
from vnla.world.compiled import World
from vnla.world.views import VIEWS


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


def test_features_that_are_missing_come_with_the_command_that_makes_them(tmp_path: Path) -> None:
    world, tasks = write_cottage(tmp_path)
    with pytest.raises(InputError, match=r"no features; make them with: vnla features make \S+ --encoder pixels$"):
        RunData.load(RunConfig(str(world), str(tasks), features="pixels"))

"""`vnla features` as a person meets it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from command import Vnla
from cottage_run import write_cottage
from vnla.camera import VIEWS
from vnla.houses.folder import read_world
from vnla.vision.encoders import Size
from vnla.vision.store import ARRAY, Header, StoreWriter, store_path, viewpoints_of, world_checksum
from vnla.world.compiled import World


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """Two cottages, with features."""
    path, _ = write_cottage(tmp_path, houses=2)
    folder = read_world(path)
    places = viewpoints_of(World.compile(folder.houses))
    header = Header("some", "v1", 4, Size(64, 48), 60.0, world_checksum(folder), places)
    with StoreWriter(store_path(path, "some"), header, durable=False) as store:
        store.write(0, np.ones((len(places), VIEWS, 4)))
        store.finish()
    return path


def test_features_are_checked_house_by_house(vnla: Vnla, world: Path) -> None:
    whole = vnla("features", "check", world, "--encoder", "some")
    assert whole.status == 0 and whole.out.startswith("whole: ")
    with (store_path(world, "some") / ARRAY).open("r+b") as stream:
        stream.seek(-9, 2)
        stream.write(b"\7")
    damaged = vnla("features", "check", world, "--encoder", "some", "--json")
    assert damaged.status == 2 and "damaged in cottage1; remove that folder" in damaged.err
    assert json.loads(damaged.out)["damaged"] == ["cottage1"]

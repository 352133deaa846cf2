"""What agents see, by name: stores of the world as it is now, under any name, several at once, and `symbolic`."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.houses.folder import WorldFolder, read_world, write_manifest, write_world
from vnla.vision.encoders import Size
from vnla.vision.store import Header, StoreWriter, stale_features, store_path, viewpoints_of, world_checksum, world_features
from vnla.vision.symbolic import symbolic_features
from vnla.vision.views import default_features, view_names, world_views
from vnla.world.compiled import World

HOUSE = cottage()
WORLD = World.compile([HOUSE])
PLACES = viewpoints_of(WORLD)


@pytest.fixture
def folder(tmp_path: Path) -> WorldFolder:
    write_world(tmp_path / "w", [HOUSE], source="handmade")
    return read_world(tmp_path / "w")


def store(folder: WorldFolder, name: str, value: float = 1.0, finish: bool = True, **header: Any) -> None:
    """Features of one value under a name."""
    about = Header(name, "v1", 4, Size(64, 48), 60.0, world_checksum(folder), PLACES)
    about = replace(about, **header)
    with StoreWriter(store_path(folder.path, name), about, durable=False) as writer:
        writer.write(0, np.full((len(PLACES), VIEWS, about.dimension), value))
        if finish:
            writer.finish()


def test_several_at_once_a_row_for_every_pose(folder: WorldFolder) -> None:
    store(folder, "timm:resnet18", 2.0)
    views = world_views(folder, WORLD, "symbolic, timm:resnet18")
    assert list(views) == ["symbolic", "timm:resnet18"]
    assert views["timm:resnet18"].shape == (len(WORLD.ids) * VIEWS, 4) and views["timm:resnet18"].flags.writeable
    assert np.unique(views["timm:resnet18"]).tolist() == [2.0]
    symbolic = symbolic_features([HOUSE], WORLD).array
    np.testing.assert_array_equal(views["symbolic"], symbolic.reshape(-1, symbolic.shape[-1]))


@pytest.mark.parametrize("text", ["", "a,", ",a", "a, ,b", "a,b,a"])
def test_names_that_make_no_sense(text: str) -> None:
    with pytest.raises(InputError, match="features "):
        view_names(text)


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("pixels", "make them with: vnla features make WORLD --encoder pixels"),
        ("timm:a/b", "make them with: vnla features make WORLD --encoder timm:a/b"),
        ("my.own:Eyes", "make them with: vnla features make WORLD --encoder my.own:Eyes"),
        ("efficientnet-lite0-128", "make them with: vnla features reduce WORLD --encoder efficientnet-lite0 --size 128"),
        ("timm:vit-16", "make them with: vnla features make WORLD --encoder timm:vit-16"),
        ("there-16", "make them with: vnla features reduce WORLD --encoder there --size 16"),
        ("resnet-15", "there are there; make others with: vnla features make WORLD --encoder resnet-15"),
    ],
)
def test_features_that_are_missing_come_with_the_command_that_makes_them(
    folder: WorldFolder, name: str, advice: str
) -> None:
    store(folder, "there")
    with pytest.raises(InputError) as told:
        world_views(folder, WORLD, name)
    path = store_path(folder.path, name)
    assert str(told.value) == f"{path}: no features; {advice.replace('WORLD', str(folder.path))}"


@pytest.mark.parametrize(
    ("name", "header", "command"),
    [
        ("pixels", {}, "make WORLD --encoder pixels"),
        ("timm:some", {}, "make WORLD --encoder timm:some"),
        ("eight", {"encoder": "my:Eyes", "options": (("bins", 8), ("kind", "a b"))},
         "make WORLD --encoder my:Eyes --encoder-option bins=8 --encoder-option 'kind=a b' --name eight"),
        ("some-4", {"weights": "components of 0123"}, "reduce WORLD --encoder some --size 4"),
        ("theirs", {"weights": "from file.tsv"}, "import WORLD file.tsv --name theirs"),
    ],
)  # fmt: skip
def test_features_of_the_world_as_it_was_are_refused_with_the_command_that_makes_them(
    folder: WorldFolder, name: str, header: dict[str, Any], command: str
) -> None:
    store(folder, name, **header)
    assert world_features(folder, name).header.dimension == 4
    assert stale_features(folder) == []
    changed = folder.choosing(pictures={"source": "skybox"})
    assert stale_features(changed) == [store_path(folder.path, name).name]
    with pytest.raises(InputError) as told:
        world_views(changed, WORLD, name)
    assert "made before the world was changed" in str(told.value)
    assert str(told.value).endswith(f": vnla features {command.replace('WORLD', str(folder.path))}")


def test_unfinished_features_come_with_the_command_that_goes_on(folder: WorldFolder) -> None:
    store(folder, "pixels", finish=False)
    with pytest.raises(InputError, match=r"not finished; go on with: vnla features make \S+ --encoder pixels$"):
        world_views(folder, WORLD, "pixels")


def test_the_worlds_own_features_are_the_default(folder: WorldFolder) -> None:
    assert default_features(folder.path) == "efficientnet-lite0"
    write_manifest(folder.choosing(features="pixels,symbolic"))
    assert default_features(folder.path) == "pixels,symbolic"


def test_options_are_part_of_what_features_are(folder: WorldFolder) -> None:
    store(folder, "eight", encoder="my:Eyes", options=(("bins", 8),))
    found = world_features(folder, "eight")
    assert found.header.options == (("bins", 8),)
    with pytest.raises(InputError, match="holds features with another options"):
        StoreWriter(found.path, replace(found.header, options=(("bins", 9),)))


def test_features_that_were_damaged_are_noticed_before_anybody_sees_them(folder: WorldFolder) -> None:
    store(folder, "eyes")
    path = store_path(folder.path, "eyes") / "features.f16"
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"features\.f16: is not what features\.json describes: damaged"):
        world_views(folder, WORLD, "eyes")
    data[100] ^= 1
    data[100:102] = np.float16(np.nan).tobytes()
    path.write_bytes(data)
    index = path.with_name("features.json")
    about = json.loads(index.read_text())
    for house in about["houses"]:  # a store of earlier versions has a checksum of the whole alone
        del house["sha256"]
    index.write_text(json.dumps(about | {"sha256": hashlib.sha256(data).hexdigest()}))
    with pytest.raises(InputError, match="holds values that are no numbers"):
        world_views(folder, WORLD, "eyes")

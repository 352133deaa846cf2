"""World folders: written whole or not at all, read back equal, never believed when damaged."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.houses.folder import read_world, write_world
from vnla.houses.house import House, Room


def village() -> list[House]:
    return [replace(cottage(), name=name) for name in ("zebra", "apple", "mango")]


SPLITS = {"train": ["zebra", "mango"], "dev": ["apple"]}


@pytest.fixture
def world(tmp_path: Path) -> Path:
    write_world(tmp_path / "w", village(), source="handmade", splits=SPLITS, extra={"seed": 3})
    return tmp_path / "w"


def edit(path: Path, **changes: Any) -> None:
    manifest = json.loads((path / "world.json").read_text())
    (path / "world.json").write_text(json.dumps({**manifest, **changes}))


def test_a_world_comes_back_equal_and_in_order(world: Path) -> None:
    found = read_world(world)
    assert found.houses == tuple(village())
    assert found.splits == {"train": ("zebra", "mango"), "dev": ("apple",)}
    assert [house.name for house in found.split("train")] == ["zebra", "mango"]
    assert found.manifest["extra"] == {"seed": 3}
    assert found.manifest["source"] == "handmade"
    assert found.manifest["counts"] == {"houses": 3, "viewpoints": 39, "edges": 39, "rooms": 30, "objects": 66}


def test_a_world_folder_has_the_layout_of_the_field(world: Path) -> None:
    assert (world / "connectivity" / "scans.txt").read_text() == "zebra\napple\nmango\n"
    assert (world / "connectivity" / "apple_connectivity.json").is_file()
    segmentations = world / "v1" / "scans" / "apple" / "house_segmentations"
    assert sorted(path.name for path in segmentations.iterdir()) == ["apple.house", "panorama_to_region.txt"]


def test_the_manifest_has_the_checksum_of_every_file(world: Path) -> None:
    checksums = json.loads((world / "world.json").read_text())["sha256"]
    assert len(checksums) == 1 + 3 * 3
    for name, digest in checksums.items():
        assert hashlib.sha256((world / name).read_bytes()).hexdigest() == digest


def test_the_same_houses_give_the_same_bytes(world: Path, tmp_path: Path) -> None:
    write_world(tmp_path / "again" / "w", village(), source="handmade", splits=SPLITS, extra={"seed": 3})
    assert (tmp_path / "again" / "w" / "world.json").read_bytes() == (world / "world.json").read_bytes()


def test_a_folder_without_a_manifest_is_read_as_matterport_files(world: Path) -> None:
    (world / "world.json").unlink()
    found = read_world(world)
    assert found.houses == tuple(village())
    assert (found.splits, found.manifest) == ({}, {})
    with pytest.raises(InputError, match="has no split 'train'; it has none"):
        found.split("train")


def test_other_files_in_the_folder_do_no_harm(world: Path) -> None:
    (world / "features").mkdir()
    (world / "features" / "big.bin").write_bytes(b"x")
    assert len(read_world(world).houses) == 3


def test_a_damaged_file_is_named(world: Path) -> None:
    path = world / "v1" / "scans" / "apple" / "house_segmentations" / "apple.house"
    path.write_text(path.read_text().replace("sofa", "soda"))
    with pytest.raises(InputError, match=r"apple\.house: is not the file that world\.json describes"):
        read_world(world)
    path.unlink()
    with pytest.raises(InputError, match=r"apple\.house' is missing, but world\.json lists it"):
        read_world(world)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "other"}, "is not the description of a world"),
        ({"version": 2}, "field version is 2; this vnla reads version 1"),
        ({"houses": "all"}, "field houses is 'all'; expected a list of names"),
        ({"houses": [1]}, "expected a list of names"),
        ({"houses": ["nowhere"], "splits": {}}, "has no building 'nowhere'"),
        ({"splits": []}, "field splits is"),
        ({"splits": {"train": "zebra"}}, "expected a list of names"),
        ({"splits": {"train": ["nobody"]}}, "the house 'nobody', which does not exist"),
        ({"splits": {"train": ["zebra"], "dev": ["zebra"]}}, "'zebra' is in the splits train and dev"),
        ({"sha256": None}, "field sha256 is None"),
        ({"sha256": {"two\nlines": ""}}, r"the file 'two\\nlines' is missing"),
        ({"pictures": "skybox"}, 'field pictures is .skybox.; expected {"source": "NAME"'),
        ({"pictures": {"options": {}}}, "field pictures is "),
        ({"pictures": {"source": "skybox", "options": []}}, "field pictures is "),
        ({"pictures": {"source": "skybox", "option": {}}}, "field pictures is "),
        ({"features": ["pixels"]}, "expected names, with commas between several"),
    ],
)
def test_a_bad_manifest_is_refused(world: Path, changes: dict[str, Any], message: str) -> None:
    edit(world, **changes)
    with pytest.raises(InputError, match=message):
        read_world(world)


def test_a_manifest_that_is_no_json_is_refused(world: Path) -> None:
    (world / "world.json").write_text('{"format": ')
    with pytest.raises(InputError, match=r"world\.json: line 1 column 12 is not valid JSON"):
        read_world(world)


def test_a_world_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    bad = replace(cottage(), name="bad", rooms=(*cottage().rooms, Room(-4, "a")))
    for houses, splits in (([cottage(), bad], {}), ([cottage()], {"train": ["nobody"]}), ([], {})):
        with pytest.raises(InputError):
            write_world(tmp_path / "a" / "w", houses, source="handmade", splits=splits)
        assert list(tmp_path.iterdir()) == []


def test_an_existing_world_is_never_overwritten(world: Path) -> None:
    before = (world / "world.json").read_bytes()
    with pytest.raises(InputError, match="exists already"):
        write_world(world, [cottage()], source="handmade")
    assert (world / "world.json").read_bytes() == before


def test_progress_sees_every_house_once(world: Path) -> None:
    seen: list[str] = []

    def track(buildings: Any) -> Any:
        for building in buildings:
            seen.append(building.name)
            yield building

    read_world(world, track)
    assert seen == ["zebra", "apple", "mango"]

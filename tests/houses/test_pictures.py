"""Where the pictures of a world come from: as found, as `world.json` says, or refused in one line."""

from __future__ import annotations

import pickle
from concurrent.futures import wait
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.houses.folder import WorldFolder, read_world, write_manifest, write_world
from vnla.houses.generate.world import HouseRecipe, as_extra
from vnla.houses.house import House
from vnla.houses.images import world_images
from vnla.houses.pictures import Found, GeneratedPictures, Photographs, picture_source
from vnla.houses.skybox import write_skybox
from vnla.vision.store import world_checksum

HOUSE = cottage()
FIRST = HOUSE.viewpoints[0]


@pytest.fixture
def folder(tmp_path: Path) -> WorldFolder:
    write_world(tmp_path / "w", [HOUSE], source="handmade")
    return read_world(tmp_path / "w")


def of(world: WorldFolder, source: str, **options: Any) -> WorldFolder:
    return world.choosing(pictures={"source": source, "options": options})


def photograph(scans: Path, value: int, viewpoints: int = len(HOUSE.viewpoints)) -> None:
    """Grey skyboxes of the cottage."""
    for stand in HOUSE.viewpoints[:viewpoints]:
        pictures = np.full((6, 8, 8, 3), value, np.uint8)
        write_skybox(scans / HOUSE.name / "matterport_skybox_images", stand.id, pictures)


def test_a_world_that_says_nothing_has_what_is_found(folder: WorldFolder) -> None:
    assert isinstance(picture_source(folder), Found)
    assert not picture_source(folder).has(HOUSE)
    with pytest.raises(InputError, match="there are no pictures of cottage: neither skybox images under"):
        world_images(folder).faces("cottage", FIRST.id)
    photograph(folder.path / "v1" / "scans", 200, viewpoints=3)
    assert not picture_source(folder).has(HOUSE), "only some of it can be seen"
    assert abs(int(world_images(folder).faces("cottage", FIRST.id).max()) - 200) < 3
    photograph(folder.path / "v1" / "scans", 200)
    assert picture_source(folder).has(HOUSE)
    assert not picture_source(folder).knows_objects(HOUSE)


def test_photographs_may_lie_elsewhere(folder: WorldFolder, tmp_path: Path) -> None:
    photograph(folder.path / "v1" / "scans", 200)
    photograph(tmp_path / "scans", 100)
    for scans in (str(tmp_path / "scans"), "../scans"):
        elsewhere = of(folder, "skybox", scans=scans)
        assert isinstance(picture_source(elsewhere), Photographs)
        assert abs(int(world_images(elsewhere).faces("cottage", FIRST.id).max()) - 100) < 3
    with pytest.raises(InputError, match="do not tell which objects they show"):
        world_images(elsewhere).sightings("cottage")


def test_a_generated_world_can_be_drawn_whatever_else_lies_there(tmp_path: Path) -> None:
    recipe = HouseRecipe("cottage", 1, 8)
    house = recipe.make().house
    write_world(tmp_path / "g", [house], source="generated", extra=as_extra("test", 0, [recipe]))
    folder = read_world(tmp_path / "g")
    drawn = world_images(folder, (32, 24)).faces("cottage", house.viewpoints[0].id)
    blank = np.zeros((6, 8, 8, 3), np.uint8)
    write_skybox(tmp_path / "g/v1/scans/cottage/matterport_skybox_images", house.viewpoints[0].id, blank)
    assert world_images(folder, (32, 24)).faces("cottage", house.viewpoints[0].id).max() < 3
    chosen = of(folder, "generated")
    assert isinstance(picture_source(chosen), GeneratedPictures) and picture_source(chosen).knows_objects(house)
    for alone in (False, True):
        images = world_images(chosen, (32, 24), alone=alone)
        np.testing.assert_array_equal(images.faces("cottage", house.viewpoints[0].id), drawn)


def test_the_next_house_is_made_ready_for_who_goes_through_them_and_a_mirror_image_is_its_house(tmp_path: Path) -> None:
    """Who jumps to a house waits for no other, and finds the one ready that they come from."""
    made: list[str] = []

    class Noted(GeneratedPictures):
        def _prepare(self, house: House) -> Any:
            made.append(house.name)

    write_world(
        tmp_path / "w", [replace(HOUSE, name=name) for name in ("a", "b", "c", "d", "a-mirrored")], source="handmade"
    )
    world = read_world(tmp_path / "w")
    source, houses = Noted(world), {house.name: house for house in world.houses}

    def made_for(*names: str) -> list[str]:
        for name in names:
            source.stage(houses[name])
        wait(source._stages.values())
        done = sorted(made)
        made.clear()
        return done

    assert made_for("a", "a-mirrored", "a") == ["a"]
    assert made_for("c") == ["c"] and made_for("a") == [], "where one comes from is kept"
    assert made_for("b") == ["b"] and made_for("c") == ["d"], "the next one is made ready meanwhile"
    assert made_for("d") == ["a"], "the first follows the last"
    assert made_for("b") == ["b"] and made_for("d") == []


def test_what_was_not_generated_is_not_drawn(folder: WorldFolder) -> None:
    with pytest.raises(InputError, match="cottage cannot be drawn: it was not generated"):
        world_images(of(folder, "generated")).faces("cottage", FIRST.id)


def test_anybodys_source_with_its_options_here_and_in_another_process(folder: WorldFolder) -> None:
    images = world_images(of(folder, "houses.painted:Plain", grey=9), (32, 24), alone=True)
    for each in (images, pickle.loads(pickle.dumps(images))):
        assert np.unique(each("cottage", FIRST.id)).tolist() == [9]
        assert each.source.has(HOUSE)


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (
            "camera",
            {},
            "pictures camera: unknown; choose from generated, skybox, panoramas, boxes, or name your own as package.module",
        ),
        ("no_such_module:Class", {}, "module no_such_module cannot be imported"),
        ("os:abort", {}, r"pictures os:abort: is not a class made from vnla\.houses\.pictures\.PictureSource"),
        ("pathlib:Path", {}, "is not a class made from"),
        ("skybox", {"folder": "x"}, "pictures skybox: has no option folder; its options are scans"),
        ("generated", {"alone": True}, "pictures generated: has no option alone; it has no options"),
        ("houses.painted:Plain", {"colour": 1}, "has no option colour; its options are grey"),
        ("houses.painted:Lonely", {}, "pictures houses.painted:Lonely: "),
    ],
)
def test_a_source_that_cannot_be_made_is_told_at_once(
    folder: WorldFolder, source: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message) as told:
        world_images(of(folder, source, **options))
    assert "\n" not in str(told.value)


def test_faces_of_a_wrong_shape_are_named(folder: WorldFolder) -> None:
    images = world_images(of(folder, "houses.painted:Torn"), (32, 24))
    with pytest.raises(
        InputError, match=rf"viewpoint {FIRST.id} of house cottage .* Torn gave uint8 of shape \(5, 41, 41, 3\)"
    ):
        images("cottage", FIRST.id)


def test_the_checksum_of_a_world_tells_its_pictures_and_nothing_else_that_can_be_chosen(folder: WorldFolder) -> None:
    """16 digits that were there before a world could choose: features on people's disks stay valid."""
    assert world_checksum(folder) == "f0778f4923321636"
    assert world_checksum(folder.choosing(features="pixels")) == "f0778f4923321636"
    told = {world_checksum(of(folder, "skybox")), world_checksum(of(folder, "skybox", scans="x"))}
    assert len({"f0778f4923321636", *told}) == 3
    assert world_checksum(of(folder, "skybox").choosing(pictures=None)) == "f0778f4923321636"


def test_choices_are_kept_and_taken_back(folder: WorldFolder) -> None:
    before = (folder.path / "world.json").read_bytes()
    write_manifest(of(folder, "skybox", scans="x").choosing(features="a,b"))
    found = read_world(folder.path)
    assert (found.pictures, found.features) == (("skybox", {"scans": "x"}), "a,b")
    write_manifest(found.choosing(pictures=None, features=None))
    assert (folder.path / "world.json").read_bytes() == before


def test_a_folder_without_world_json_cannot_choose(folder: WorldFolder) -> None:
    (folder.path / "world.json").unlink()
    with pytest.raises(InputError, match=r"has no world\.json; make it a world first with: vnla world import matterport"):
        read_world(folder.path).choosing(features="a")

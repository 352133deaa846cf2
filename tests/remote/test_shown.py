"""What guests are shown is what there is: the picture of the view, and the features of the pose."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cottage_players import HOUSE, WORLD
from remote.cottage_rules import FOLDER
from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.houses.folder import read_world, write_world
from vnla.houses.generate.world import HouseRecipe, as_extra
from vnla.houses.images import world_images
from vnla.remote.guest import Declared
from vnla.remote.shown import Showing
from vnla.vision.symbolic import symbolic_features
from vnla.world.compiled import World


def test_the_picture_of_a_view(tmp_path: Path) -> None:
    recipe = HouseRecipe("small", 1, 8)
    house = recipe.make().house
    write_world(tmp_path / "w", [house], source="generated", extra=as_extra("test", 0, [recipe]))
    folder = read_world(tmp_path / "w")
    show = Showing(Declared("seer", ("picture",), width=32), folder, World.compile(folder.houses))
    stand = house.viewpoints[2].id
    views = world_images(folder, (32, 24))(house.name, stand)
    for view in (0, 14, 35):
        shown = show(house.name, stand, 2 * VIEWS + view)
        assert set(shown) == {"picture"}
        np.testing.assert_array_equal(np.array(Image.open(io.BytesIO(shown["picture"]))), views[view])


def test_features_of_a_pose() -> None:
    show = Showing(Declared("x", ("features:symbolic",)), FOLDER, WORLD)
    rows = symbolic_features([HOUSE], WORLD).array.reshape(len(WORLD.ids) * VIEWS, -1)
    for pose in (0, 77, len(rows) - 1):
        np.testing.assert_array_equal(np.frombuffer(show("cottage", "", pose)["features"]["symbolic"], "<f4"), rows[pose])


def test_features_that_are_not_there() -> None:
    with pytest.raises(InputError, match="resnet"):
        Showing(Declared("x", ("features:resnet",)), FOLDER, WORLD)

"""What guests are shown is what there is: the picture of the view, and the features of the pose."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cottage_players import HOUSE, WORLD
from remote.cottage_rules import FOLDER
from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.houses.folder import read_world, write_world
from vnla.houses.generate.world import HouseRecipe, as_extra
from vnla.houses.images import world_images
from vnla.remote.observer import WorldObserver
from vnla.remote.participant import Declaration
from vnla.vision.symbolic import symbolic_features
from vnla.world.compiled import World


def test_the_picture_of_a_view(tmp_path: Path) -> None:
    recipe = HouseRecipe("small", 1, 8)
    house = recipe.make().house
    write_world(tmp_path / "w", [house], source="generated", extra=as_extra("test", 0, [recipe]))
    folder = read_world(tmp_path / "w")
    show = WorldObserver(Declaration("seer", ("pictures",), picture_width=32), folder, World.compile(folder.houses))
    stand = house.viewpoints[2].id
    views = world_images(folder, (32, 24))(house.name, stand)
    for view in (0, 14, 35):
        shown = show(house.name, stand, 2 * VIEWS + view)
        assert set(shown) == {"pictures"}
        np.testing.assert_array_equal(shown["pictures"], views[view])


def test_features_of_a_pose() -> None:
    show = WorldObserver(Declaration("x", ("view:symbolic",)), FOLDER, WORLD)
    rows = symbolic_features([HOUSE], WORLD).array.reshape(len(WORLD.ids) * VIEWS, -1)
    for pose in (0, 77, len(rows) - 1):
        np.testing.assert_array_equal(show("cottage", "", pose)["view"], rows[pose])


def test_features_that_are_not_there() -> None:
    with pytest.raises(InputError, match="resnet"):
        WorldObserver(Declaration("x", ("view:resnet",)), FOLDER, WORLD)

"""What guests are shown is what there is: the picture of the view, and the features of the pose."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cottage_players import HOUSE, WORLD
from remote.cottage_rules import FOLDER, KITCHEN, rules, showing
from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.houses.folder import read_world, write_world
from vnla.houses.generate.world import HouseRecipe, as_extra
from vnla.houses.images import world_images
from vnla.remote.evaluated_agent import Declaration
from vnla.remote.observer import WorldObserver
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


def test_what_is_around_a_pose() -> None:
    """Who looks up to the west in hall_south is shown the twelve level headings from there; living_east is ahead."""
    lent = ("sensor:panorama", "sensor:panorama-all", "sensor:exits")
    kinds = ("view:symbolic", "views", "exits", "symbols", "symbols_around", "text_around", *lent)
    show = WorldObserver(Declaration("x", kinds), FOLDER, WORLD)
    rows = symbolic_features([HOUSE], WORLD).array.reshape(len(WORLD.ids), VIEWS, -1)
    here = WORLD.viewpoint("cottage", "hall_south")
    shown = show("cottage", "hall_south", here * VIEWS + 24 + 9)
    np.testing.assert_array_equal(shown["views"], rows[here, [12 + (9 + turn) % 12 for turn in range(12)]])
    assert [each["looks"] for each in shown["symbols_around"]] == ["level"] * 12 and shown["symbols"]["looks"] == "up"
    level = showing(Declaration("x", ("symbols",)))
    for turn, symbols in enumerate(shown["symbols_around"]):
        assert symbols == level("cottage", "hall_south", here * VIEWS + 12 + (9 + turn) % 12)["symbols"]
    assert shown["text_around"].startswith("You are in the hallway. Ahead an opening to the living room, 2.5 m.")
    assert set(show.sensors) == {"panorama", "panorama-all", "exits"}
    walk = rules().begin(KITCHEN, 123)
    found = show.sensed(walk.sensed(show.sensors))
    assert set(found) == {"exits", "sensors"} and set(found["sensors"]) == {"panorama", "panorama-all", "exits"}
    (way,) = found["exits"]
    assert way == {  # living_west looks south; living_east is 2.5 m to the east and 0.5 m to the north
        "heading": -101.3, "elevation": 0.0, "metres": 2.55, "visited": False, "came_from": False, "action": "left",
    }  # fmt: skip


def test_what_is_around_can_be_lent_to_whoever_declares_it_without_features() -> None:
    show = WorldObserver(Declaration("x", ("exits", "sensor:places")), FOLDER, WORLD)
    assert set(show("cottage", "hall_south", 40)) == set() and set(show.sensors) == {"exits", "places"}
    with pytest.raises(InputError, match="an agent that was trained"):
        WorldObserver(Declaration("x", ("view:symbolic", "sensor:spotted")), FOLDER, WORLD)

"""What is in view, kept in a world's folder: anybody's world may have anything there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from vnla.houses import sightings
from vnla.houses.folder import WorldFolder, read_world, write_world
from vnla.houses.generate.world import HouseRecipe, as_extra
from vnla.houses.sightings import SIGHTING, by_boxes, digest, keep_arrays, sightings_of


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> WorldFolder:
    recipe = HouseRecipe("small", 1, 8)
    path = tmp_path_factory.mktemp("seen") / "w"
    write_world(path, [recipe.make().house], source="generated", extra=as_extra("test", 0, [recipe]))
    return read_world(path)


def _set(name: str, value: float) -> Callable[[np.ndarray], np.ndarray]:
    def change(seen: np.ndarray) -> np.ndarray:
        seen[name][3] = value
        return seen

    return change


WRONG: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "an unknown viewpoint": _set("viewpoint", 1 << 30),
    "a viewpoint below none": _set("viewpoint", -1),
    "view 99": _set("view", 99),
    "a view below none": _set("view", -1),
    "an unknown object": _set("object", 1 << 30),
    "more than the whole view": _set("share", 1.5),
    "no number": _set("share", np.nan),
    "an endless angle": _set("across", np.inf),
    "two axes": lambda seen: seen[:4].reshape(2, 2),
    "other numbers": lambda _: np.zeros(4),
    "another record": lambda _: np.zeros(4, [("viewpoint", "<i4")]),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_in_view_is_looked_at_again(what: str, world: WorldFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    house, of = world.houses[0], digest(world, world.houses[0], sightings._VERSION)
    right, drawn = by_boxes(house), np.empty(0, SIGHTING)
    monkeypatch.setattr(sightings, "by_pixels", lambda _: drawn)
    keep_arrays(world, house.name, of, {"seen": right})
    assert np.array_equal(sightings_of(world, house).seen, right), "what was kept is used"
    keep_arrays(world, house.name, of, {"seen": WRONG[what](right.copy())})
    assert sightings_of(world, house).seen is drawn


def test_what_is_kept_of_another_house_is_not_used(world: WorldFolder) -> None:
    keep_arrays(world, "other", "this", {"seen": np.zeros(1)})
    assert sightings.kept_arrays(world, "other", "this") is not None
    assert sightings.kept_arrays(world, "other", "that") is None
    np.savez(world.path / "sights" / "lists.npz", of=np.array(["this"]), seen=np.zeros(1))
    assert sightings.kept_arrays(world, "lists", "this") is None

"""What is in view: worked out on paper in the cottage, and against the renderer in a generated house."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vnla.camera import VIEWS, view_angles
from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.houses.folder import WorldFolder, read_world, write_world
from vnla.houses.generate.world import HouseRecipe, as_extra
from vnla.houses.images import world_images
from vnla.houses.sightings import keep_arrays, kept_arrays, sightings_of
from vnla.vision.symbolic import symbolic_features
from vnla.vision.symbols import LEAST_SHARE, Exit, Symbols, Thing, WorldSymbols, describe, describe_around
from vnla.world.compiled import NOWHERE, World

COTTAGE = WorldSymbols.of_houses([cottage()])
NORTH, EAST, SOUTH = 12, 15, 18


def test_the_hall_of_the_cottage() -> None:
    """From (0, 0) to the north: the picture at (-1.15, 2.2), 0.1 m above the eye, and the way to (0.2, 3)."""
    sight = COTTAGE("cottage", "hall_south", NORTH)
    assert (sight.room, sight.looks) == ("hallway", "level")
    (picture,) = sight.things
    assert picture.name == "picture"
    assert picture.bearing == pytest.approx(math.degrees(math.atan2(-1.15, 2.2)), abs=0.1)
    assert picture.elevation == pytest.approx(math.degrees(math.atan2(0.1, math.hypot(1.15, 2.2))), abs=0.1)
    assert picture.distance == pytest.approx(math.dist((0, 0, 1.5), (-1.15, 2.2, 1.6)), abs=0.01)
    assert [(way.kind, way.room) for way in sight.ways] == [("on", "hallway")]
    assert sight.ways[0].bearing == pytest.approx(math.degrees(math.atan2(0.2, 3)), abs=0.1)


def test_stairs_and_the_words_for_them() -> None:
    """From the foot of the stairs to the north-east, 1.4 m up over 2.12 m; no angle depends on where the camera points."""
    sight = COTTAGE("cottage", "stairs_foot", NORTH + 1)
    assert [(way.kind, way.room) for way in sight.ways] == [("stairs up", "stairs")]
    assert sight.ways[0].elevation == pytest.approx(math.degrees(math.atan2(1.4, math.hypot(1.5, 1.5))), abs=0.1)
    for view in (1, 25):
        assert COTTAGE("cottage", "stairs_foot", view).ways[0].elevation == sight.ways[0].elevation
    assert describe(sight) == "You are on the stairs. To the left nothing. Ahead nothing. To the right stairs up, 2.5 m."


def test_a_way_is_in_view_exactly_where_forward_leads_somewhere() -> None:
    world = World.compile([cottage()])
    for viewpoint, name in enumerate(world.ids):
        for view in range(VIEWS):
            ways = COTTAGE("cottage", name, view).ways
            there = int(world.ahead[viewpoint * VIEWS + view])
            assert bool(ways) is (there != NOWHERE)
            if ways:
                upright = math.degrees(view_angles()[1][view])
                nearest = min(ways, key=lambda way: math.hypot(way.bearing, way.elevation - upright))
                metres = math.dist(world.graphs[0].position[viewpoint], world.graphs[0].position[there])
                assert nearest.distance == pytest.approx(metres, abs=0.01)


def test_by_boxes_things_are_those_of_the_symbolic_features() -> None:
    world = World.compile([cottage()])
    features = symbolic_features([cottage()], world)
    for viewpoint, name in enumerate(world.ids):
        for view in range(VIEWS):
            row = features.array[viewpoint, view]
            seen = {thing.name for thing in COTTAGE("cottage", name, view).things}
            assert seen == {features.labels[i] for i in np.flatnonzero(row)}


def test_a_sight_comes_back_from_json() -> None:
    sight = COTTAGE("cottage", "kitchen", EAST)
    assert sight.things and Symbols.of(sight.as_dict()) == sight


def test_a_house_that_is_not_there() -> None:
    with pytest.raises(InputError, match="house castle: not in this world of 1 houses"):
        COTTAGE("castle", "hall", 0)


def test_words() -> None:
    thing, way = Thing("armchair", 0, 0, 2.04), Exit("kitchen", "door", -30, 0, 3.0)
    sight = Symbols("bedroom", "down", (thing, Thing("armchair", 5, 0, 3), Thing("curtains", 20, 0, 2.96)), (way,))
    assert describe(sight) == (
        "You are in the bedroom. You look down at the floor. To the left a door to the kitchen, 3 m. "
        "Ahead an armchair, 2 m, and 1 more. To the right curtains, 3 m."
    )
    other = Symbols("bedroom", "up", (), (Exit("bedroom", "opening", 0, 0, 1.55), Exit("", "door", 20, 0, 1)))
    assert describe(other) == (
        "You are in the bedroom. You look up. To the left nothing. Ahead an opening to another bedroom, 1.6 m. "
        "To the right a door to some room, 1 m."
    )


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> WorldFolder:
    recipe = HouseRecipe("small", 1, 8)
    path = tmp_path_factory.mktemp("drawn") / "w"
    write_world(path, [recipe.make().house], source="generated", extra=as_extra("test", 0, [recipe]))
    return read_world(path)


def test_a_drawn_house_shows_what_its_pictures_show(drawn: WorldFolder) -> None:
    """What is told is what fills enough of the view, and it is there in a panorama of another size too."""
    house = drawn.houses[0]
    sights = WorldSymbols(drawn)
    labels = {thing.id: thing.label for thing in house.objects}
    images = world_images(drawn, alone=True)
    seen = sightings_of(drawn, house).seen
    hidden = 0
    for number, stand in enumerate(house.viewpoints):
        ids = np.unique(images.panorama(house.name, stand.id, 200).objects).tolist()
        there = {labels.get(each) for each in ids}
        for view in range(0, VIEWS, 5):
            rows = seen[(seen["viewpoint"] == number) & (seen["view"] == view) & (seen["share"] >= LEAST_SHARE)]
            told = sights(house.name, stand.id, view).things
            assert sorted(thing.name for thing in told) == sorted(labels[each] for each in rows["object"].tolist())
            assert {thing.name for thing in told} <= there
            boxes = WorldSymbols.of_houses([house])(house.name, stand.id, view).things
            hidden += len({thing.name for thing in boxes} - {thing.name for thing in told})
    assert hidden > 0, "walls and furniture hide something"
    doors = {
        way.kind for stand in house.viewpoints for view in range(12, 24) for way in sights(house.name, stand.id, view).ways
    }
    assert {"on", "door"} <= doors


def test_what_was_found_is_kept(drawn: WorldFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    house = drawn.houses[0]
    place = (house.name, house.viewpoints[0].id, 14)
    first = WorldSymbols(drawn)(*place)
    (file,) = (drawn.path / "sights").glob("*.npz")

    def nobody(*_: object) -> None:
        raise AssertionError("it was drawn again")

    with monkeypatch.context() as patched:
        patched.setattr("vnla.houses.sightings.by_pixels", nobody)
        assert WorldSymbols(drawn)(*place) == first
    file.write_bytes(b"PK nonsense")
    assert WorldSymbols(drawn)(*place) == first


def test_what_is_kept_is_there_as_it_was_or_not_at_all(drawn: WorldFolder) -> None:
    """Whichever bit of it is another, in what is compressed or in what tells its size."""
    numbers = np.random.default_rng(0).integers(0, 9, 1000)
    keep_arrays(drawn, "bits", "same", {"numbers": numbers})
    file = drawn.path / "sights" / "bits.npz"
    whole, refused = file.read_bytes(), 0
    for place in range(0, len(whole), 2):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 7]) + whole[place + 1 :])
        found = kept_arrays(drawn, "bits", "same") or {}
        refused += "numbers" not in found
        assert np.array_equal(found.get("numbers", numbers), numbers), place
    assert refused > len(whole) // 4


def test_all_around_in_words() -> None:
    """In hall_south: the picture at (-1.15, 2.2) is 27.6 degrees to the left of north; ways lead to (-2.5, 0.5), (0.2, 3),
    (3, -0.5) and (0.3, -3). The plant is 1 m below the eye and 1.4 m away, 35 degrees down: in no level view."""
    around = COTTAGE.around("cottage", "hall_south", NORTH)
    assert describe_around(around) == (
        "You are in the hallway. Ahead room to walk on, 3 m. 90 degrees to the right an opening to the kitchen, 3 m."
        " Behind you an opening to the entryway, 3 m."
        " 90 degrees to the left an opening to the living room, 2.5 m. 30 degrees to the left a picture, 2.5 m."
    )
    turned = COTTAGE.around("cottage", "hall_south", EAST + 12)
    assert turned == (*around[3:], *around[:3]), "to the east, and up"
    assert describe_around(turned).startswith("You are in the hallway. Ahead an opening to the kitchen, 3 m.")

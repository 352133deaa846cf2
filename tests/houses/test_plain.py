"""Plain JSON worlds: what is given is kept, what is not is made, what is wrong is one line with its place."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from vnla import cli
from vnla.common.errors import InputError
from vnla.houses.folder import read_world, write_world
from vnla.houses.images import world_images
from vnla.houses.plain import read_plain, reading, schema_text
from vnla.houses.rooms import ROOM_LABELS, ROOM_NAMES
from vnla.vision.symbolic import symbolic_features
from vnla.world.compiled import World

ROOT = Path(__file__).parents[2]
EXAMPLE: dict[str, Any] = json.loads((ROOT / "examples" / "world.json").read_text())


def written(folder: Path, value: Any) -> Path:
    path = folder / "plain.json"
    path.write_text(json.dumps(value))
    return path


def two_rooms(**more: Any) -> dict[str, Any]:
    """A kitchen 4 m wide and 2 m deep, and a bath of 2 m by 2 m east of it."""
    rooms = [
        {"name": "kitchen", "kind": "kitchen", "box": [[0, 0, 0], [4, 2, 2.5]]},
        {"name": "bath", "kind": "bathroom", "box": [[4, 0, 0], [6, 2, 2.5]]},
    ]
    return {"houses": [{"name": "hut", "rooms": rooms, **more}]}


def test_viewpoints_and_edges_are_made(tmp_path: Path) -> None:
    """Of the kitchen's 4 m 2.8 are not near a wall: room for two, at 0.6 and 3.4; the bath has one in its middle. They are
    1.5 m above the floor, and joined in a row: 2.8 m inside, 1.6 m through the wall."""
    (house,) = read_plain(written(tmp_path, two_rooms())).houses
    assert [each.position for each in house.viewpoints] == [(0.6, 1.0, 1.5), (3.4, 1.0, 1.5), (5.0, 1.0, 1.5)]
    assert [each.id for each in house.viewpoints] == ["kitchen-0", "kitchen-1", "bath-0"]
    assert house.edges == ((0, 1), (1, 2))
    assert [house.room_of(i).name for i in range(3)] == ["kitchen", "kitchen", "bathroom"]  # type: ignore[union-attr]


def test_rooms_overlap_where_they_share_more_than_walls(tmp_path: Path) -> None:
    """A bath that reaches 0.3 m into the kitchen shares a wall with it; at 0.31 m it overlaps, unless it is upstairs."""
    value = two_rooms()
    bath = value["houses"][0]["rooms"][1]
    for west, floor, odd in ((4.0, 0.0, 0), (3.7, 0.0, 0), (3.69, 0.0, 1), (3.0, 2.2, 0), (3.0, 2.1, 1)):
        bath["box"][0] = [west, 0, floor]
        assert [note.kind for note in read_plain(written(tmp_path, value)).notes] == ["rooms that overlap"] * odd, west


def test_what_is_odd_is_a_line_of_each_kind_or_refused(tmp_path: Path, vnla: Callable[..., str]) -> None:
    lamps = [{"label": "lamp", "centre": [9 + i, 1, 1]} for i in range(7)]
    value = two_rooms(objects=[*lamps, {"label": "towel", "centre": [9, 9, 9], "room": "bath"}])
    value["houses"][0]["rooms"].append({"name": "annexe", "kind": "bedroom", "box": [[3, 0, 0], [6, 2, 2.5]]})
    overlap, outside = map(str, read_plain(source := written(tmp_path, value)).notes)
    assert overlap == (
        "2 pairs of rooms that overlap by more than 0.3 m each way: kitchen and annexe of hut, bath and annexe of hut; what"
        " lies in both counts as in the one that comes first in the file"
    )
    assert outside.startswith("7 objects in no room: lamp (objects[0]) of hut, ") and " and 2 more; no task asks" in outside
    said = vnla("world", "import", "json", source, tmp_path / "world").splitlines()
    assert [line for line in said if line in (overlap, outside)] == [overlap, outside]
    refused = vnla("world", "import", "json", source, tmp_path / "strict", "--strict", code=2)
    assert refused.splitlines()[-1].startswith(f"vnla: error: {source}: 2 pairs of rooms that overlap")
    assert not (tmp_path / "strict").exists()
    assert read_plain(ROOT / "examples" / "world.json").notes == ()


def test_rooms_without_doors_between_them_are_not_joined(tmp_path: Path) -> None:
    (house,) = read_plain(written(tmp_path, two_rooms(doors=[]))).houses
    assert house.edges == ((0, 1),) and "cannot be reached" in house.warnings[0].message
    (house,) = read_plain(written(tmp_path, two_rooms(doors=[{"between": ["bath", "kitchen"], "at": [4, 1, 0]}]))).houses
    assert house.edges == ((0, 1), (1, 2)) and not house.warnings


def test_rooms_above_each_other_are_joined_by_what_is_said(tmp_path: Path) -> None:
    value = two_rooms()
    value["houses"][0]["rooms"][1]["box"] = [[0, 0, 2.8], [2, 2, 5]]
    (house,) = read_plain(written(tmp_path, value)).houses
    assert house.edges == ((0, 1),), "floors and ceilings are no doors"
    value["houses"][0]["doors"] = [{"between": ["kitchen", "bath"]}]
    (house,) = read_plain(written(tmp_path, value)).houses
    assert len(house.edges) == 2 and [level.id for level in house.levels] == [0, 1]


def test_what_is_given_is_kept(tmp_path: Path) -> None:
    viewpoints = [
        {"id": "a", "position": [1, 1]},
        {"id": "b", "position": [5, 1, 1.7], "heading": 90},
        {"id": "c", "position": [9, 9, 1]},
    ]
    things = [{"label": "Coffee  Table", "centre": [1, 1, 0.4], "size": [1, 2, 0.8], "turn": 90}]
    more = two_rooms(viewpoints=viewpoints, edges=[["b", "a"], ["a", "b"]], objects=things)
    (house,) = read_plain(written(tmp_path, more)).houses
    assert house.edges == ((0, 1),)
    assert [(each.position, each.room, each.height) for each in house.viewpoints] == [
        ((1.0, 1.0, 1.5), 0, 1.5), ((5.0, 1.0, 1.7), 1, 1.7), ((9.0, 9.0, 1.0), None, 1.5),
    ]  # fmt: skip
    np.testing.assert_allclose(house.viewpoints[1].rotation, (0, 0, 1, -1, 0, 0, 0, -1, 0), atol=1e-12)
    (thing,) = house.objects
    assert (thing.label, thing.room, thing.box.radii) == ("coffee table", 0, (0.5, 1.0, 0.4))
    np.testing.assert_allclose(thing.box.axis0, (0, 1, 0), atol=1e-12)


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    value = copy.deepcopy(EXAMPLE)
    change(value["houses"][0])
    return value


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h: h.pop("rooms"), r"houses\[0\]: lacks the field rooms"),
        (lambda h: h.update(colour="red"), r"houses\[0\]: has no field 'colour'"),
        (lambda h: h.update(object=[]), r"houses\[0\]: has no field 'object' \(do you mean objects\?\)"),
        (lambda h: h.update(name="../etc"), r"houses\[0\]\.name is '\.\./etc'; expected a name of letters"),
        (lambda h: h.update(name="studio"), r"houses\[1\]\.name is 'studio', as another one before it"),
        (lambda h: h.update(split="practice"), r"houses\[0\]\.split is 'practice'; expected one of train, dev, test"),
        (lambda h: h.pop("split"), "the house flat has no split, but others have"),
        (lambda h: h["rooms"][1].update(kind="kichen"), r"houses\[0\]\.rooms\[1\]\.kind .*\(do you mean kitchen\?\)"),
        (lambda h: h["rooms"][1].update(name="hall"), r"rooms\[1\]\.name is 'hall', as another one before it"),
        (lambda h: h["rooms"][0].update(box=[[0, 0, 0], [6, -2, 2]]), r"rooms\[0\]\.box is .* expected the lower corner"),
        (lambda h: h["rooms"][0].update(box=[[0, 0], [6, 2]]), r"rooms\[0\]\.box\[0\] is \[0, 0\]; expected 3 numbers"),
        (lambda h: h["rooms"].clear(), r"rooms: has 0 items; expected 1 to 2,000"),
        (lambda h: h["doors"][0].update(between=["hall", "attic"]), r"doors\[0\]\.between\[1\] is 'attic'; expected"),
        (lambda h: h["objects"][2].update(centre=[1, 2, float("nan")]), r"objects\[2\]\.centre\[2\] is nan; expected"),
        (lambda h: h["objects"][2].update(size=[1, 2, -1]), r"objects\[2\]\.size\[2\] is -1; expected a number from 0"),
        (lambda h: h["objects"][2].update(label="a#b"), r"objects\[2\]\.label is 'a#b'; expected what people call it"),
        (lambda h: h["objects"][2].update(label=3), r"objects\[2\]\.label is 3; expected what people call it"),
        (lambda h: h.update(edges=[]), r"houses\[0\]\.edges: join viewpoints, but the house has no field viewpoints"),
        (lambda h: h.update(viewpoints=[{"id": "a", "position": [99, 99]}]), r"\[0\]\.position .* in one of the rooms"),
        (
            lambda h: h.update(viewpoints=[{"id": "a", "position": [1, 1]}], edges=[["a", "a"]]),
            r"houses\[0\]: .* are for edges that are made|doors: are for edges that are made",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line(tmp_path: Path, change: Callable[[dict[str, Any]], object], message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        read_plain(written(tmp_path, changed(change)))
    assert str(error.value).startswith(str(tmp_path)) and "\n" not in str(error.value)


def room(name: str, *corners: list[float]) -> dict[str, Any]:
    return {"name": name, "kind": "kitchen", "box": list(corners)}


HALL = room("hall", [0, 0, 0], [140, 140, 3])
TOO_MUCH: dict[str, tuple[dict[str, Any], str]] = {
    "a room of 4 km": (
        {"houses": [{"name": "h", "rooms": [room("r", [0, 0, 0], [4000, 4000, 3])]}]},
        r"houses\[0\]\.rooms: need 4,000,000 viewpoints, .*; at most 5,000\. Are boxes in metres\?",
    ),
    "many large houses": (
        {"houses": [{"name": f"h{i}", "rooms": [HALL]} for i in range(150)]},
        r"its houses need 735,000 viewpoints; at most 500,000$",
    ),
    "rooms that are all in one place": (
        {"houses": [{"name": "h", "rooms": [room(f"r{i}", [0, 0, 0], [2, 2, 3]) for i in range(200)]}]},
        r"houses\[0\]\.rooms: touch in more than 10,000 places; say where doors are$",
    ),
    "doors": (
        {"houses": [{"name": "h", "rooms": [HALL], "doors": [{"between": ["hall", "hall"]}] * 10_001}]},
        r"houses\[0\]\.doors: has 10,001 items",
    ),
    "objects in all": (
        {"houses": [{"name": f"h{i}", "rooms": [HALL], "objects": [0] * 10_000} for i in range(101)]},
        r"its houses have 1,010,000 objects; at most 1,000,000 in a file$",
    ),
}


@pytest.mark.parametrize("what", TOO_MUCH)
def test_too_much_is_refused_before_it_is_made(tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    value, message = TOO_MUCH[what]
    if "doors" not in message:
        monkeypatch.setattr(reading, "make_viewpoints", lambda *_: pytest.fail("viewpoints were made"))
    monkeypatch.setattr(reading, "make_edges", lambda *_: pytest.fail("edges were made"))
    with pytest.raises(InputError, match=message):
        read_plain(written(tmp_path, value))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(*[st.sampled_from([0, 2, 4, 6.5])] * 2, st.sampled_from([0, 3]), *[st.sampled_from([1, 4, 7.3])] * 2),
             min_size=1, max_size=5),
    st.sampled_from([0.0, 2.0, 3.65]),
)  # fmt: skip
def test_rooms_are_joined_by_the_viewpoints_nearest_to_each_other(
    tmp_path: Path, places: list[tuple[float, ...]], across: float
) -> None:
    """All pairs are looked at here, one after the other, which would take too long for large houses."""
    rooms = [room(f"r{i}", [x, y, z], [x + a, y + b, z + 2.6]) for i, (x, y, z, a, b) in enumerate(places)]
    doors = [{"between": ["r0", each["name"]], "at": [across, 1, 0]} for each in rooms[1:]]
    (house,) = read_plain(written(tmp_path, {"houses": [{"name": "h", "rooms": rooms, "doors": doors}]})).houses
    stands = house.viewpoints
    expected = {(i, j) for i, j in combinations(range(len(stands)), 2) if stands[i].room == stands[j].room
                and math.dist(stands[i].position, stands[j].position) <= 3}  # fmt: skip
    between: dict[int | None, list[tuple[float, int, int]]] = {}
    for i, j in combinations(range(len(stands)), 2):
        if stands[i].room == 0 != stands[j].room and stands[i].position[:2] != stands[j].position[:2]:
            way = sum(math.dist(stands[each].position[:2], (across, 1)) for each in (i, j))
            between.setdefault(stands[j].room, []).append((way, i, j))
    expected |= {min(ways)[1:] for ways in between.values()}
    assert expected <= set(house.edges)
    rooms_joined = {(stands[i].room, stands[j].room) for i, j in set(house.edges) - expected}
    assert all(one == other for one, other in rooms_joined), "the rest joins viewpoints of one room"


@pytest.mark.parametrize("value", [[], 3, {}, {"houses": []}, {"houses": 3}, {"houses": EXAMPLE["houses"], "version": 2}])
def test_what_is_no_world_is_one_line(tmp_path: Path, value: Any) -> None:
    with pytest.raises(InputError):
        read_plain(written(tmp_path, value))


PLACES = st.lists(st.one_of(st.integers(0, 3), st.sampled_from(["houses", "rooms", "objects", "box", "name", "doors"])))
JUNK = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=PLACES, junk=JUNK)
def test_anything_else_is_read_or_refused(tmp_path: Path, place: list[Any], junk: Any) -> None:
    """Whatever stands anywhere in a file: a world, or an `InputError`."""
    value: Any = copy.deepcopy(EXAMPLE)
    here = value
    for step in place:
        inside = here[step] if (isinstance(here, dict) and step in here) or (
            isinstance(here, list) and isinstance(step, int) and step < len(here)
        ) else None  # fmt: skip
        if not isinstance(inside, dict | list):
            break
        here = inside
    if isinstance(here, dict):
        here[next(iter(here), "x")] = junk
    elif here:
        here[0] = junk
    try:
        read_plain(written(tmp_path, value))
    except InputError as error:
        assert "\n" not in str(error)


def test_the_schema_is_that_of_the_reader() -> None:
    schema = json.loads(schema_text())
    assert set(schema["$defs"]["room"]["properties"]["kind"]["enum"]) == {ROOM_NAMES[label] for label in ROOM_LABELS}
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(EXAMPLE, schema)
    for house in ({"name": "a b", "rooms": []}, {"name": "a"}, {**EXAMPLE["houses"][0], "colour": "red"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"houses": [house]}, schema)


@pytest.fixture
def vnla(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def run(*arguments: object, code: int = 0) -> str:
        with pytest.raises(SystemExit) as left:
            cli.main([str(each) for each in arguments])
        said = capsys.readouterr()
        assert left.value.code == code, said.err
        return said.out if code == 0 else said.err

    return run


def test_a_world_is_imported_and_trained_on(vnla: Callable[..., str], tmp_path: Path) -> None:
    """The example, from the file to an agent, by the commands in the docs; agents see symbols if nobody says otherwise."""
    world, tasks, run = tmp_path / "world", tmp_path / "tasks", tmp_path / "run"
    vnla("world", "import", ROOT / "examples" / "world.json", world)
    folder = read_world(world)
    assert folder.features == "symbolic" and {name: len(each) for name, each in folder.splits.items()} == {
        "train": 1, "dev": 1, "test": 1,
    }  # fmt: skip
    assert folder.houses == read_plain(ROOT / "examples" / "world.json").houses
    assert symbolic_features(folder.houses, World.compile(folder.houses)).array.any()
    vnla("tasks", "make", world, tasks, "--fewest", 1)
    vnla("train", run, "--world", world, "--tasks", tasks, "--iterations", 1, "--batch", 2, "--hidden", 8)
    assert json.loads((run / "config.json").read_text())["features"] == "symbolic"
    again = json.loads(vnla("world", "import", "json", ROOT / "examples" / "world.json", tmp_path / "again", "--json"))
    assert (again["houses"], again["rooms"], again["objects"]) == (3, 9, 8)
    assert json.loads(vnla("world", "schema"))["title"] == "A plain world"
    refused = vnla("world", "import", "json", tmp_path / "none.json", tmp_path / "new", code=2)
    assert refused.startswith("vnla: error: ") and not (tmp_path / "new").exists()


def test_houses_are_drawn_of_their_boxes_or_refused_at_once(vnla: Callable[..., str], tmp_path: Path) -> None:
    """An imported house has features at once; without any pictures a line says how it may have some, and nothing is left."""
    sofa = {"label": "sofa", "centre": [3.4, 1.8, 0.4], "size": [1, 0.3, 0.8]}
    world = tmp_path / "world"
    vnla("world", "import", "json", written(tmp_path, two_rooms(objects=[sofa])), world)
    make = "features", "make", world, "--encoder", "pixels", "--size", "48x36"
    vnla("world", "set", world, "--pictures", "default")
    refused = vnla(*make, code=2).splitlines()[-1]
    assert refused.startswith(f"vnla: error: {world}: there are no pictures of 1 of 1 houses (hut), so no features can be")
    assert f"vnla world set {world} --pictures boxes draws them" in refused
    assert not (world / "features").exists()
    part = vnla(*make, "--shard", "1/1", code=2).splitlines()[-1]
    assert part == refused and not list(tmp_path.rglob("unfinished.json"))
    vnla("world", "set", world, "--pictures", "boxes")
    vnla(*make)
    assert (world / "features" / "pixels" / "features.json").is_file()
    images = world_images(read_world(world), (64, 48))
    before = images.panorama("hut", "kitchen-1", 32).objects  # 0.8 m before the sofa, which stands at the north wall
    assert (before == 0).any() and set(np.unique(before).tolist()) == {-1, 0}


def test_pictures_all_around_are_shown_where_they_look(tmp_path: Path, vnla: Callable[..., str]) -> None:
    """Red to the north of the picture, then clockwise green, blue and white; a viewpoint that says its picture's middle
    looks east sees red there."""
    stands = [{"id": "plain", "position": [1, 1]}, {"id": "turned", "position": [5, 1], "heading": 90}]
    (tmp_path / "pictures" / "hut").mkdir(parents=True)
    colours = np.array([(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)], np.uint8)  # north, east, south, west
    columns = (np.arange(256) + 0.5) / 256 * 4 - 2  # quarters from the middle
    strip = colours[np.round(columns).astype(int) % 4]
    for stand in stands:
        Image.fromarray(np.tile(strip, (128, 1, 1))).save(tmp_path / "pictures" / "hut" / f"{stand['id']}.png")
    source = written(tmp_path, two_rooms(viewpoints=stands, edges=[["plain", "turned"]]))
    vnla("world", "import", "json", source, tmp_path / "world", "--pictures", tmp_path / "pictures")
    images = world_images(read_world(tmp_path / "world"), (64, 48))
    for stand, first in (("plain", 0), ("turned", 3)):
        level = images("hut", stand)[12:24]  # (12 headings, height, width, 3)
        seen = [level[3 * quarter, 24, 32].tolist() for quarter in range(4)]  # to the north, east, south and west
        assert seen == [colours[(quarter + first) % 4].tolist() for quarter in range(4)], stand
    (tmp_path / "pictures" / "hut" / "plain.png").unlink()
    with pytest.raises(InputError, match=r"plain\.jpg: no such file; expected the picture of this viewpoint"):
        images("hut", "plain")
    Image.new("RGB", (10, 10)).save(tmp_path / "pictures" / "hut" / "plain.png")
    with pytest.raises(InputError, match="10×10 pixels; expected a picture twice as wide as high"):
        images("hut", "plain")


def test_choices_are_checked_before_anything_is_written(tmp_path: Path) -> None:
    houses = read_plain(ROOT / "examples" / "world.json").houses
    with pytest.raises(InputError, match="field features"):
        write_world(tmp_path / "world", houses, source="json", choices={"features": 3})
    assert not (tmp_path / "world").exists()

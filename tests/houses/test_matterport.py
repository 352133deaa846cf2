"""Matterport3D files: what is read from them, what is refused, and that written houses come back equal."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.houses.house import Box, House, Level, Object, OrientedBox, Room, Viewpoint
from vnla.houses.matterport import (
    Building,
    BuildingFiles,
    TextFile,
    find_buildings,
    read_building,
    read_connectivity,
    read_house_file,
    read_panorama_to_region,
    write_connectivity,
    write_house,
    write_matterport,
    write_panorama_to_region,
)
from vnla.houses.rooms import ROOM_NAMES


def record(name: str, x: float, y: float, joined: list[bool], **changes: Any) -> dict[str, Any]:
    pose = [1, 0, 0, x, 0, 0, 1, y, 0, -1, 0, 1.5, 0, 0, 0, 1]
    fields = {"image_id": name, "pose": pose, "included": True, "visible": joined, "unobstructed": joined, "height": 1.5}
    return {**fields, **changes}


def triangle() -> list[dict[str, Any]]:
    """a – b – c, where a and c are not joined."""
    return [
        record("a", 0, 0, [False, True, False]),
        record("b", 2, 0, [True, False, True]),
        record("c", 2, 2, [False, True, False]),
    ]


HOUSE_LINES = (
    "ASCII 1.1",
    "H demo - 1 4 1 1 1 3 2 2 1 1 0 0 0 0 0 -1 -1 0 3 3 3 0 0 0 0 0",
    "L 0 2 - 1 1 1 -1 -1 0 3 3 3 0 0 0 0 0",
    "R 4 0 0 0 k 0 0 1 -1 -1 0 1 1 3 3 0 0 0 0",
    "R 7 -1 0 0 B 2 1 1 1 -1 0 3 3 3 3 0 0 0 0",
    "P 0 4 7 d -1 -1 0 1 1 2 0 0 0 0",
    "S 0 4 0 f 0 0 0 0 0 1 -1 -1 0 1 1 0 0 0 0 0 0",
    "V 0 0 v 0 0 0 0 0 1 0 0 0",
    "P a 0 4 0 0 0 1.5 0 0 0 0 0",
    "P b 1 7 0 2 0 1.5 0 0 0 0 0",
    "P c 2 -1 0 2 2 1.5 0 0 0 0 0",
    "P elsewhere 3 4 0 9 9 1.5 0 0 0 0 0",
    "I 0 0 a 0 0 " + " ".join(["0"] * 25) + " 1280 1024 0 0 0 0 0 0 0 0",
    "C 0 12 potted#plant 14 plant 0 0 0 0 0",
    "C 3 13 thing -1 -",
    "O 10 4 0 0.5 0.25 1e-1 1 0 0 0 1 0 0.1 0.2 0.3 0 0 0 0 0 0 0 0",
    "O 11 -1 3 5 5 5 1 0 0 0 1 0 1 1 1 0 0 0 0 0 0 0 0",
    "O 12 7 -1 5 5 5 1 0 0 0 1 0 1 1 1 0 0 0 0 0 0 0 0",
    "E 0 10 5 1.5 0 0 0 -1 -1 0 1 1 2 0 0 0 0 0",
)


class Folder:
    """A folder in the layout people have, to be spoiled by the tests."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.scans = root / "v1" / "scans" / "demo" / "house_segmentations"

    def connectivity(self, records: Any) -> Path:
        return self.put(self.root / "connectivity" / "demo_connectivity.json", json.dumps(records))

    def house(self, *lines: str) -> TextFile:
        return TextFile(self.put(self.scans / "demo.house", "".join(f"{line}\n" for line in lines)))

    def panoramas(self, *lines: str) -> TextFile:
        return TextFile(self.put(self.scans / "panorama_to_region.txt", "".join(f"{line}\n" for line in lines)))

    def put(self, path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def read(self) -> Building:
        (files,) = find_buildings(self.root)
        return read_building(files)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path)
    made.connectivity(triangle())
    return made


def kinds(building: Building) -> list[str]:
    return [note.kind for note in building.notes]


def test_a_building_is_read_from_its_three_files(folder: Folder) -> None:
    folder.house(*HOUSE_LINES)
    folder.panoramas("0 a 4 k", "1 b 7 B", "2 c -1 -", "3 elsewhere 4 k")
    house = folder.read().house
    assert house.name == "demo"
    assert [viewpoint.id for viewpoint in house.viewpoints] == ["a", "b", "c"]
    assert house.viewpoints[1].position == (2.0, 0.0, 1.5)
    assert house.viewpoints[1].visible == (0, 2)
    assert [viewpoint.room for viewpoint in house.viewpoints] == [4, 7, None]
    assert house.edges == ((0, 1), (1, 2))
    assert house.levels == (Level(0, Box((-1, -1, 0), (3, 3, 3))),)
    assert house.rooms == (
        Room(4, "k", 0, Box((-1, -1, 0), (1, 1, 3))),
        Room(7, "B", None, Box((1, -1, 0), (3, 3, 3))),
    )
    assert house.objects == (
        Object(10, "potted plant", 4, OrientedBox((0.5, 0.25, 0.1), radii=(0.1, 0.2, 0.3)), (14, "plant")),
        Object(11, "thing", None, OrientedBox((5, 5, 5), radii=(1, 1, 1))),
    )


def test_what_is_left_out_or_not_used_is_noted_with_its_place(folder: Folder) -> None:
    source = folder.house(*HOUSE_LINES)
    building = folder.read()
    found = {(note.kind, note.place.removeprefix(str(source.path))) for note in building.notes}
    assert ("object left out", ":18") in found
    assert ("panorama without a viewpoint", ":12") in found
    assert [note.message for note in building.notes if note.kind == "records not used"] == [
        f"1 {kind} records are not used" for kind in ("surface", "vertex", "image", "segment", "portal")
    ]
    (roomless,) = [note for note in building.notes if note.kind == "viewpoint without a room"]
    assert roomless.place.endswith("demo_connectivity.json: record 2")
    assert "header" not in kinds(building)


def test_records_whose_own_number_is_none_are_left_out_with_a_note(folder: Folder) -> None:
    folder.house(
        *HOUSE_LINES,
        "L -1 0 - 0 0 0 0 0 0 1 1 1 0 0 0 0 0",
        "R -1 0 0 0 a 0 0 0 0 0 0 1 1 1 1 0 0 0 0",
        "C -1 0 nothing 0 void",
        "O -1 4 0 0 0 0 1 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0",
    )
    building = folder.read()
    left_out = [kind for kind in kinds(building) if kind.endswith("left out")]
    assert left_out == ["object left out", "level left out", "region left out", "category left out", "object left out"]
    assert (len(building.house.levels), len(building.house.rooms), len(building.house.objects)) == (1, 2, 2)


def test_a_header_that_miscounts_is_noted(folder: Folder) -> None:
    folder.house(*(line for line in HOUSE_LINES if not line.startswith("O 11")))
    (note,) = [note for note in folder.read().notes if note.kind == "header"]
    assert note.message == "the header counts 3 object records, the file has 2"


def test_a_viewpoint_called_by_a_number_is_not_taken_for_a_portal(folder: Folder) -> None:
    source = folder.house(*HOUSE_LINES[:5], "P 123 0 4 0 0 0 1.5 0 0 0 0 0", "P 0 4 7 d -1 -1 0 1 1 2 0 0 0 0")
    assert read_house_file(source).panoramas == {"123": 4}


def test_extra_fields_blank_lines_and_any_order_are_fine(folder: Folder) -> None:
    plain = folder.house(*HOUSE_LINES)
    before = read_house_file(plain)
    after = read_house_file(folder.house(HOUSE_LINES[0], *(f"  {line}  0 x\n" for line in reversed(HOUSE_LINES[1:]))))
    assert set(after.objects) == set(before.objects)
    assert after.panoramas == before.panoramas
    assert set(after.rooms) == set(before.rooms)


@pytest.mark.parametrize(
    ("number", "line", "message"),
    [
        (1, "ASCII 2.0", "expected ASCII 1.1"),
        (2, "H demo - 1 2", "H record has 5 fields; expected 29"),
        (3, HOUSE_LINES[1], "a second H record"),
        (4, "R 4 0 0 0 ? 0 0 1 -1 -1 0 1 1 3 0 0 0 0 0", "the label '?'"),
        (4, "R 4 0 0 0 k 0 0 1 -1 -1 0 1 1 3 0 0 0 0", "R record has 19 fields; expected 20"),
        (4, "R four 0 0 0 k 0 0 1 -1 -1 0 1 1 3 0 0 0 0 0", "field 1 (number of the region) is 'four'"),
        (4, "R 4 5 0 0 k 0 0 1 -1 -1 0 1 1 3 0 0 0 0 0", "level 5, which does not exist"),
        (4, "R 4 0 0 0 k 0 0 1 -1 -1 0 1 -2 3 0 0 0 0 0", "lower side above the upper"),
        (17, "O 10 4 0 0 0 0 1 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0", "already used by object 0"),
        (9, "P a 0 5 0 0 0 1.5 0 0 0 0 0", "region 5, which has no R record"),
        (9, "P b 0 4 0 0 0 1.5 0 0 0 0 0", "already on line"),
        (15, "C 0 13 thing 3 chair", "category 0 is there twice"),
        (16, "O 10 4 1 0 0 0 1 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0", "expected the number of a C record"),
        (16, "O 10 4 0 nan 0 0 1 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0", "field 4 (centre x) is 'nan'; expected a finite number"),
        (16, "O 10 4 0 0 0 1_0 1 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0", "field 6 (centre z) is '1_0'; expected a number"),
        (16, "O 10 9 0 0 0 0 1 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0", "room 9, which does not exist"),
        (16, "X 1 2 3", "the record's kind is 'X'"),
    ],
)
def test_a_bad_house_record_is_named_by_file_and_line(folder: Folder, number: int, line: str, message: str) -> None:
    lines = list(HOUSE_LINES)
    lines[number - 1] = line
    source = folder.house(*lines)
    with pytest.raises(InputError) as caught:
        folder.read()
    assert message in str(caught.value)
    place = str(caught.value).removeprefix(f"{source.path}:").split(":")[0]
    assert place == str(10 if "already on line" in message else number)


POSE = triangle()[1]["pose"]


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("image_id", 7, "field image_id is 7; expected text"),
        ("image_id", "", "field image_id is ''"),
        ("image_id", "two words", "field image_id is 'two words'"),
        ("image_id", "\ud800", "expected text that UTF-8 can hold"),
        ("image_id", "a", "field image_id: the id 'a' is already used by viewpoint 0"),
        ("pose", None, "field pose is None; expected a list of numbers"),
        ("pose", POSE[:15], "field pose has 15 values; expected 16 numbers"),
        ("pose", [*POSE[:3], "x", *POSE[4:]], "field pose[3] is 'x'; expected a number"),
        ("pose", [*POSE[:3], True, *POSE[4:]], "field pose[3] is True; expected a number"),
        ("pose", [*POSE[:3], float("nan"), *POSE[4:]], "field pose[3] is nan; expected a finite number"),
        ("pose", [*POSE[:3], float("-inf"), *POSE[4:]], "field pose[3] is -inf; expected a finite number"),
        ("pose", [*POSE[:3], 10**400, *POSE[4:]], "expected a finite number"),
        ("pose", [*POSE[:12], 0, 0, 0, 2], "field pose[12:16]"),
        ("included", 1, "field included is 1; expected true or false"),
        ("visible", [True], "field visible has 1 values; expected 3"),
        ("visible", "all", "field visible is 'all'; expected a list"),
        ("unobstructed", [True, False], "field unobstructed has 2 values; expected 3"),
        ("unobstructed", [True, False, 1], "field unobstructed[2] is 1; expected true or false"),
        ("unobstructed", [True, True, True], "field unobstructed[1] joins the viewpoint to itself"),
        ("unobstructed", [True, False, False], "field unobstructed[2]: the edge between viewpoints 1 and 2 goes one way"),
        ("height", "tall", "field height is 'tall'; expected a number"),
        ("height", float("inf"), "field height is inf; expected a finite number"),
    ],
)
def test_a_bad_connectivity_field_is_named_by_file_record_and_field(
    folder: Folder, field: str, value: Any, message: str
) -> None:
    records = triangle()
    records[1][field] = value
    path = folder.connectivity(records)
    with pytest.raises(InputError) as caught:
        folder.read()
    assert str(caught.value).startswith(f"{path}: record 1: ")
    assert message in str(caught.value)


@pytest.mark.parametrize("field", ["image_id", "pose", "included", "visible", "unobstructed", "height"])
def test_a_missing_connectivity_field_is_named(folder: Folder, field: str) -> None:
    records = triangle()
    del records[2][field]
    path = folder.connectivity(records)
    with pytest.raises(InputError) as caught:
        read_connectivity(path)
    assert str(caught.value) == f"{path}: record 2: field {field} is missing"


@pytest.mark.parametrize(
    ("value", "message"),
    [({}, "holds an object"), ("x", "holds text"), ([3], "record 0: is a number"), (None, "holds null")],
)
def test_json_that_is_no_list_of_records_is_refused(folder: Folder, value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_connectivity(folder.connectivity(value))


def test_viewpoints_straight_above_each_other_cannot_be_joined(folder: Folder) -> None:
    records = triangle()
    records[1]["pose"] = [*POSE[:3], 2, *POSE[4:7], 2, *POSE[8:11], 4.5, *POSE[12:]]
    with pytest.raises(InputError, match=r"record 1: field unobstructed\[2\].*straight above"):
        read_connectivity(folder.connectivity(records))


def test_an_odd_edge_of_an_excluded_viewpoint_is_left_out_with_a_note(folder: Folder) -> None:
    records = triangle()
    records[2]["included"] = False
    records[1]["unobstructed"] = [True, False, False]
    graph = read_connectivity(folder.connectivity(records))
    assert len(graph.viewpoints) == 3
    assert graph.edges == ((0, 1),)
    (note,) = graph.notes
    assert note.kind == "edge of an excluded viewpoint left out"
    assert note.place.endswith("record 1")


def test_a_symmetric_edge_of_an_excluded_viewpoint_stays_but_leads_nowhere(folder: Folder) -> None:
    records = triangle()
    records[2]["included"] = False
    folder.connectivity(records)
    house = folder.read().house
    assert house.edges == ((0, 1), (1, 2))
    assert house.neighbours == ((1,), (0,), ())


def test_a_building_with_connectivity_only_has_no_rooms_and_a_note(folder: Folder) -> None:
    building = folder.read()
    assert building.house.rooms == ()
    assert kinds(building) == ["no rooms"]


def test_rooms_come_from_the_panorama_file_where_there_is_no_house_file(folder: Folder) -> None:
    folder.panoramas("0 a 9 k", "1 b 2 h", "2 c -1 -", "")
    building = folder.read()
    assert building.house.rooms == (Room(2, "h"), Room(9, "k"))
    assert [viewpoint.room for viewpoint in building.house.viewpoints] == [9, 2, None]
    assert kinds(building) == ["viewpoint without a room"]


def test_without_region_numbers_viewpoints_of_one_letter_that_hang_together_are_a_room(tmp_path: Path) -> None:
    home = cottage()
    write_connectivity(tmp_path / "cottage_connectivity.json", home)
    letters = [home.rooms[viewpoint.room or 0].label for viewpoint in home.viewpoints]
    lines = [f"{i} {viewpoint.id} {letters[i]}\n" for i, viewpoint in enumerate(home.viewpoints)]
    (tmp_path / "p.txt").write_text("".join(lines))
    files = BuildingFiles("cottage", tmp_path / "cottage_connectivity.json", None, TextFile(tmp_path / "p.txt"))
    house = read_building(files).house
    # Both bedrooms are joined by the edge 10 - 12, so they become one; the landing is no part of the hall downstairs.
    assert [viewpoint.room for viewpoint in house.viewpoints] == [0, 1, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 7]
    assert [room.label for room in house.rooms] == ["e", "h", "l", "k", "d", "s", "h", "b", "a"]


def test_where_the_files_disagree_the_house_file_is_right_and_a_note_says_so(folder: Folder) -> None:
    folder.house(*HOUSE_LINES)
    source = folder.panoramas("0 a 4 k", "1 b 4 k", "2 c 7 B", "3 elsewhere 4 k")
    building = folder.read()
    assert [viewpoint.room for viewpoint in building.house.viewpoints] == [4, 7, None]
    notes = [note for note in building.notes if note.kind == "files disagree on a room"]
    assert [note.place for note in notes] == [f"{source.path}:2", f"{source.path}:3"]
    assert "b is in region 4 (k) here but in region 7 (B)" in notes[0].message
    assert "in region 7 (B) here but in no region" in notes[1].message


def test_a_panorama_that_only_the_panorama_file_has_gets_its_room_from_there(folder: Folder) -> None:
    folder.house(*(line for line in HOUSE_LINES if not line.startswith("P b")))
    folder.panoramas("0 a k", "1 b 7 B", "9 stranger 4 k")
    building = folder.read()
    assert [viewpoint.room for viewpoint in building.house.viewpoints] == [4, 7, None]
    assert kinds(building).count("viewpoint without a panorama") == 1
    assert kinds(building).count("panorama without a viewpoint") == 2


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("0 a 4 k", "1 b"), ":2: has 2 fields"),
        (("0 a 4 Q",), ":1: the last field is 'Q'"),
        (("0 a 4 k", "1 a 4 k"), ":2: the viewpoint 'a' is already on line 1"),
        ((f"0 a {'9' * 5000} k",), ":1: the third field"),
    ],
)
def test_a_bad_panorama_line_is_named(folder: Folder, lines: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_panorama_to_region(folder.panoramas(*lines))
    assert message in str(caught.value)


def test_a_region_with_two_letters_is_noted(folder: Folder) -> None:
    folder.panoramas("0 a 4 k", "1 b 4 h", "2 c 4 k")
    building = folder.read()
    assert building.house.rooms == (Room(4, "k"),)
    assert kinds(building) == ["region with two labels"]


def test_house_warnings_are_noted_with_their_records(folder: Folder) -> None:
    records = triangle()
    records[1]["unobstructed"] = [True, False, False]
    records[2]["unobstructed"] = [False, False, False]
    folder.connectivity(records)
    moved = [line.replace("O 10 4 0 0.5", "O 10 4 0 8.5") for line in HOUSE_LINES]
    source = folder.house(*moved)
    places = {note.kind: note.place for note in folder.read().notes}
    assert places["part that cannot be reached"].endswith("record 2")
    assert places["object outside its room"] == f"{source.path}:16"


# Discovery


def moved(root: Path, connectivity: str, scans: str) -> Path:
    """The demo building with its files at other places."""
    made = Folder(root / "made")
    made.connectivity(triangle())
    made.house(*HOUSE_LINES)
    source = root / "source"
    (source / connectivity).mkdir(parents=True)
    (source / scans).mkdir(parents=True, exist_ok=True)
    (made.root / "connectivity" / "demo_connectivity.json").rename(source / connectivity / "demo_connectivity.json")
    (made.root / "v1" / "scans" / "demo").rename(source / scans / "demo")
    return source


@pytest.mark.parametrize(
    ("connectivity", "scans"),
    [
        ("connectivity", "v1/scans"),
        (".", "v1/scans"),
        ("connectivity", "scans"),
        ("connectivity", "."),
        (".", "."),
        (".", "demo"),
    ],
)
def test_known_layouts_are_found(tmp_path: Path, connectivity: str, scans: str) -> None:
    source = moved(tmp_path, connectivity, scans)
    (files,) = find_buildings(source)
    assert [room.id for room in read_building(files).house.rooms] == [4, 7]


def test_options_say_where_to_look_instead(tmp_path: Path) -> None:
    source = moved(tmp_path, "graphs", "segments")
    with pytest.raises(InputError, match="--connectivity"):
        find_buildings(source)
    (files,) = find_buildings(source, connectivity=source / "graphs", scans=source / "segments")
    assert files.house is not None
    with pytest.raises(InputError, match="no such directory"):
        find_buildings(source, connectivity=source / "graphs", scans=source / "none")


def zipped(folder: Folder, slashes: str = "/") -> Path:
    folder.house(*HOUSE_LINES)
    folder.panoramas("0 a 4 k")
    archive = folder.scans.with_suffix(".zip")
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for path in list(folder.scans.iterdir()):
            out.writestr(f"demo/house_segmentations{slashes}{path.name}", path.read_text())
            path.unlink()
    folder.scans.rmdir()
    return archive


@pytest.mark.parametrize("slashes", ["/", "//"])
def test_the_download_is_read_without_unpacking(folder: Folder, slashes: str) -> None:
    archive = zipped(folder, slashes)
    building = folder.read()
    assert [viewpoint.room for viewpoint in building.house.viewpoints] == [4, 7, None]
    place = next(note.place for note in building.notes if note.kind == "object left out")
    assert place == f"{archive}:demo/house_segmentations{slashes}demo.house:18"


def test_an_unpacked_folder_goes_before_the_download(folder: Folder) -> None:
    zipped(folder)
    folder.house(*(line for line in HOUSE_LINES if not line.startswith("O")))
    assert folder.read().house.objects == ()


def test_a_download_that_is_no_zip_is_named(folder: Folder) -> None:
    zipped(folder).write_bytes(b"not a zip at all")
    with pytest.raises(InputError, match=r"house_segmentations\.zip: is damaged"):
        folder.read()


def test_scans_txt_chooses_the_buildings_and_their_order(folder: Folder) -> None:
    for name in ("one", "two"):
        folder.put(folder.root / "connectivity" / f"{name}_connectivity.json", "[]")
    assert [files.name for files in find_buildings(folder.root)] == ["demo", "one", "two"]
    listed = folder.put(folder.root / "connectivity" / "scans.txt", "two\n\ndemo\n")
    assert [files.name for files in find_buildings(folder.root)] == ["two", "demo"]
    assert [files.name for files in find_buildings(folder.root, only=["demo"])] == ["demo"]
    with pytest.raises(InputError, match="has no building 'one'; it has two, demo"):
        find_buildings(folder.root, only=["one"])
    listed.write_text("two\nthree\n")
    with pytest.raises(InputError, match=r"scans\.txt:2: the building 'three' has no file"):
        find_buildings(folder.root)
    assert [files.name for files in find_buildings(folder.root, only=["two"])] == ["two"]
    listed.write_text("two\ntwo\n")
    with pytest.raises(InputError, match=r"scans\.txt:2: .* twice"):
        find_buildings(folder.root)
    listed.write_text("\n")
    with pytest.raises(InputError, match="has no buildings"):
        find_buildings(folder.root)


# Round trips

number = st.floats(allow_nan=False, allow_infinity=False, width=64)
point = st.tuples(number, number, number)
word = st.text(st.characters(exclude_categories=["Cs"]).filter(lambda c: not c.isspace()), min_size=1, max_size=6)
label = st.text(
    st.characters(exclude_categories=["Cs"]).filter(lambda c: c == " " or not (c.isspace() or c == "#")), min_size=1
)
room_number = st.integers(0, 10**6)


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    pairs = [sorted(draw(st.tuples(number, number))) for _ in range(3)]
    (x0, x1), (y0, y1), (z0, z1) = pairs
    return Box((x0, y0, z0), (x1, y1, z1))


def one_of(values: list[int]) -> st.SearchStrategy[int | None]:
    return st.none() | st.sampled_from(values) if values else st.none()


@st.composite
def houses(draw: st.DrawFn) -> House:
    level_ids = draw(st.lists(room_number, unique=True, max_size=3))
    room_ids = draw(st.lists(room_number, unique=True, max_size=4))
    names = draw(st.lists(st.one_of(word, st.from_regex("[0-9]{1,3}", fullmatch=True)), unique=True, max_size=6))
    numbers = st.integers(0, max(len(names) - 1, 0))
    viewpoints = tuple(
        Viewpoint(
            name,
            draw(point),
            draw(one_of(room_ids)),
            draw(st.booleans()),
            draw(number),
            draw(st.tuples(*[number] * 9)),
            tuple(draw(st.lists(numbers, max_size=4))),
        )
        for name in names
    )
    pairs = [
        (i, j)
        for j in range(len(names))
        for i in range(j)
        if viewpoints[i].position[:2] != viewpoints[j].position[:2] and draw(st.booleans())
    ]
    rooms = tuple(
        Room(i, draw(st.sampled_from(list(ROOM_NAMES))), draw(one_of(level_ids)), draw(st.none() | boxes()))
        for i in room_ids
    )
    objects = tuple(
        Object(
            i,
            draw(label),
            draw(one_of(room_ids)),
            OrientedBox(draw(point), draw(point), draw(point), draw(point)),
            draw(st.none() | st.tuples(room_number, label)),
        )
        for i in draw(st.lists(room_number, unique=True, max_size=4))
    )
    levels = tuple(Level(i, draw(st.none() | boxes())) for i in level_ids)
    return House("17DRP5sb8fy", viewpoints, tuple(pairs), rooms, objects, levels)


@settings(max_examples=60, deadline=None)
@given(houses())
def test_any_house_that_is_written_comes_back_equal(house: House) -> None:
    with TemporaryDirectory() as name:
        write_matterport(Path(name), [house])
        (files,) = find_buildings(Path(name))
        assert read_building(files).house == house


def test_the_cottage_comes_back_equal_and_without_notes(tmp_path: Path) -> None:
    write_matterport(tmp_path, [cottage()])
    (files,) = find_buildings(tmp_path)
    assert read_building(files) == Building(cottage(), ())


def test_written_records_have_the_fields_of_the_format(tmp_path: Path) -> None:
    plant = Object(5, "potted plant", 4, OrientedBox((0.5, 0.25, 0.1), radii=(0.1, 0.2, 0.3)), (14, "plant"))
    house = House(
        "tiny",
        (Viewpoint("v", (0.25, 0.5, 1.5), 4), Viewpoint("w", (9.0, 0.5, 1.5))),
        ((0, 1),),
        (Room(4, "k", 0, Box((-1, -1, 0), (1, 1, 3))), Room(6, "x")),
        (plant, replace(plant, id=9, room=None), Object(10, "box", None, OrientedBox((0, 0, 0)))),
        (Level(0, Box((-1, -1, 0), (1, 1, 3))),),
    )
    write_house(tmp_path / "tiny.house", house)
    write_panorama_to_region(tmp_path / "p.txt", house)
    assert (tmp_path / "tiny.house").read_text().splitlines() == [
        "ASCII 1.1",
        "H tiny - 0 2 0 0 0 3 2 2 0 1 0 0 0 0 0 -1.0 -1.0 0.0 9.0 1.0 3.0 0 0 0 0 0",
        "L 0 1 - 0.0 0.0 1.5 -1.0 -1.0 0.0 1.0 1.0 3.0 0 0 0 0 0",
        "R 4 0 0 0 k 0.0 0.0 1.5 -1.0 -1.0 0.0 1.0 1.0 3.0 3.0 0 0 0 0",
        "R 6 -1 0 0 x 0.0 0.0 0.0 1.0 1.0 1.0 -1.0 -1.0 -1.0 0.0 0 0 0 0",
        "P v 0 4 0 0.25 0.5 1.5 0 0 0 0 0",
        "P w 1 -1 0 9.0 0.5 1.5 0 0 0 0 0",
        "C 0 1 potted#plant 14 plant 0 0 0 0 0",
        "C 1 2 box -1 - 0 0 0 0 0",
        "O 5 4 0 0.5 0.25 0.1 1.0 0.0 0.0 0.0 1.0 0.0 0.1 0.2 0.3 0 0 0 0 0 0 0 0",
        "O 9 -1 0 0.5 0.25 0.1 1.0 0.0 0.0 0.0 1.0 0.0 0.1 0.2 0.3 0 0 0 0 0 0 0 0",
        "O 10 -1 1 0.0 0.0 0.0 1.0 0.0 0.0 0.0 1.0 0.0 0.0 0.0 0.0 0 0 0 0 0 0 0 0",
    ]
    assert (tmp_path / "p.txt").read_text() == "0 v 4 k\n1 w -1 -\n"


THING = Object(0, "lamp", None, OrientedBox((0.0, 0.0, 0.0)))


@pytest.mark.parametrize(
    ("house", "message"),
    [
        (House("a b", (), ()), "cannot be a building's name"),
        (House("../up", (), ()), "cannot be a building's name"),
        (House("x", (), (), rooms=(Room(-1, "a"),)), "room -1 has a negative number"),
        (House("x", (), (), levels=(Level(-2),)), "level -2 has a negative number"),
        (House("x", (), (), objects=(replace(THING, id=-1),)), "object -1 has a negative number"),
        (House("x", (), (), objects=(replace(THING, label="no#1"),)), "the label of object 0 is 'no#1'"),
        (House("x", (), (), objects=(replace(THING, label="a\tb"),)), "the label of object 0"),
        (House("x", (), (), objects=(replace(THING, category=(3, "")),)), "the category of object 0"),
        (House("x", (), (), objects=(replace(THING, category=(-1, "chair")),)), "has a negative number"),
        (House("x", (Viewpoint("\ud800", (0, 0, 0)),), ()), "UTF-8 cannot hold"),
    ],
)
def test_what_the_formats_cannot_hold_is_refused_before_anything_is_written(
    tmp_path: Path, house: House, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        write_matterport(tmp_path, [cottage(), house])
    assert list(tmp_path.iterdir()) == []


def test_two_houses_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="two houses are called 'cottage'"):
        write_matterport(tmp_path, [cottage(), cottage()])

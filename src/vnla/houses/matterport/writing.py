"""Writes a `House` as Matterport3D files, so that reading them returns an equal house.

What the formats have no field for is written so that it comes back: a box that nobody measured is inside out (lower corner
1 1 1, upper corner −1 −1 −1, which holds no point); a missing room, level or category is −1. What they cannot hold at all
(a `#` or a tab inside an object's name, a negative number of a room) is an `InputError`, before anything is written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from vnla.common import files
from vnla.common.errors import InputError
from vnla.houses.house import Box, House, Object, Point, Viewpoint
from vnla.houses.matterport.notes import shown
from vnla.houses.matterport.sources import PANORAMAS, SEGMENTATIONS, SUFFIX, check_plain_name
from vnla.houses.rooms import NO_LABEL

_NO_BOX = Box((1.0, 1.0, 1.0), (-1.0, -1.0, -1.0))


def write_matterport(root: Path, houses: Sequence[House]) -> None:
    """Write the files of `houses` under the folder `root`, laid out as the simulator and the data set have them."""
    names = [house.name for house in houses]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two houses are called {shown(name)}; their files would overwrite each other")
    for house in houses:
        check_writable(house)
    files.write_text(root / "connectivity" / "scans.txt", "".join(f"{name}\n" for name in names))
    for house in houses:
        folder = root / "v1" / "scans" / house.name / SEGMENTATIONS
        write_connectivity(root / "connectivity" / f"{house.name}{SUFFIX}", house)
        write_house(folder / f"{house.name}.house", house)
        write_panorama_to_region(folder / PANORAMAS, house)


def check_writable(house: House) -> None:
    """Raise `InputError` where the formats cannot hold something of `house`."""
    try:
        check_plain_name(house.name)
    except ValueError as error:
        raise InputError(str(error)) from None
    place = f"house {house.name}"
    for viewpoint in house.viewpoints:
        _check_utf8(f"{place}: the viewpoint's id", viewpoint.id)
    for kind, each in (("level", house.levels), ("room", house.rooms), ("object", house.objects)):
        for record in each:
            if record.id < 0:
                raise InputError(f"{place}: {kind} {record.id} has a negative number, which Matterport3D reads as none")
    for thing in house.objects:
        _check_name(f"{place}: the label of object {thing.id}", thing.label)
        if thing.category is not None:
            _check_name(f"{place}: the category of object {thing.id}", thing.category[1])
            if thing.category[0] < 0:
                raise InputError(f"{place}: the category of object {thing.id} has a negative number")


def write_connectivity(path: Path, house: House) -> None:
    """Write the graph of `house` as connectivity JSON, one record a line."""
    check_writable(house)
    joined: list[set[int]] = [set() for _ in house.viewpoints]
    for i, j in house.edges:
        joined[i].add(j)
        joined[j].add(i)
    size = range(len(house.viewpoints))
    records = (
        {
            "image_id": viewpoint.id,
            "pose": _pose(viewpoint),
            "included": viewpoint.included,
            "visible": [number in visible for number in size],
            "unobstructed": [number in beside for number in size],
            "height": float(viewpoint.height),
        }
        for viewpoint, beside, visible in zip(
            house.viewpoints, joined, (set(viewpoint.visible) for viewpoint in house.viewpoints), strict=True
        )
    )
    files.write_text(path, "[" + ",\n ".join(json.dumps(record) for record in records) + "]\n")


def write_house(path: Path, house: House) -> None:
    """Write the levels, rooms, panoramas, categories and objects of `house` as a .house file."""
    check_writable(house)
    records = ["ASCII 1.1", *_house_records(house)]
    files.write_text(path, "".join(f"{record}\n" for record in records))


def write_panorama_to_region(path: Path, house: House) -> None:
    """Write the room of each viewpoint as panorama_to_region.txt."""
    check_writable(house)
    lines = []
    for number, viewpoint in enumerate(house.viewpoints):
        room = house.room_of(number)
        lines.append(f"{number} {viewpoint.id} {_or_none(viewpoint.room)} {room.label if room else NO_LABEL}\n")
    files.write_text(path, "".join(lines))


def _pose(viewpoint: Viewpoint) -> list[float]:
    turn, place = viewpoint.rotation, viewpoint.position
    rows = [[*turn[3 * row : 3 * row + 3], place[row]] for row in range(3)]
    return [float(value) for row in rows for value in row] + [0.0, 0.0, 0.0, 1.0]


def _house_records(house: House) -> Iterator[str]:
    categories = list(dict.fromkeys(_category(thing) for thing in house.objects))
    number = {category: index for index, category in enumerate(categories)}
    yield _header(house, len(categories))
    for level in house.levels:
        rooms = sum(room.level == level.id for room in house.rooms)
        yield f"L {level.id} {rooms} - {_point_and_box(level.box)} 0 0 0 0 0"
    for room in house.rooms:
        height = room.box.high[2] - room.box.low[2] if room.box else 0.0
        place = f"{room.id} {_or_none(room.level)} 0 0 {room.label} {_point_and_box(room.box)}"
        yield f"R {place} {float(height)!r} 0 0 0 0"
    for index, viewpoint in enumerate(house.viewpoints):
        yield f"P {viewpoint.id} {index} {_or_none(viewpoint.room)} 0 {_floats(viewpoint.position)} 0 0 0 0 0"
    for index, (label, coarse) in enumerate(categories):
        yield f"C {index} {index + 1} {label} {coarse} 0 0 0 0 0"
    for thing in house.objects:
        box = thing.box
        shape = _floats((*box.centre, *box.axis0, *box.axis1, *box.radii))
        yield f"O {thing.id} {_or_none(thing.room)} {number[_category(thing)]} {shape} 0 0 0 0 0 0 0 0"


def _header(house: House, categories: int) -> str:
    counts = (0, len(house.viewpoints), 0, 0, 0, len(house.objects), categories, len(house.rooms), 0, len(house.levels))
    boxes = [level.box for level in house.levels] + [room.box for room in house.rooms]
    points = [corner for box in boxes if box for corner in (box.low, box.high)]
    points += [viewpoint.position for viewpoint in house.viewpoints]
    low = [min((point[axis] for point in points), default=0.0) for axis in range(3)]
    high = [max((point[axis] for point in points), default=0.0) for axis in range(3)]
    return f"H {house.name} - {' '.join(map(str, counts))} 0 0 0 0 0 {_floats((*low, *high))} 0 0 0 0 0"


def _category(thing: Object) -> tuple[str, str]:
    """The label, and the number and name among the 40 categories, as a C record has them."""
    label = thing.label.replace(" ", "#")
    if thing.category is None:
        return label, "-1 -"
    return label, f"{thing.category[0]} {thing.category[1].replace(' ', '#')}"


def _point_and_box(box: Box | None) -> str:
    corners = box or _NO_BOX
    middle: Point = (0.0, 0.0, 0.0)
    if box:
        x, y, z = (low / 2 + high / 2 for low, high in zip(box.low, box.high, strict=True))
        middle = (x, y, z)
    return f"{_floats(middle)} {_floats((*corners.low, *corners.high))}"


def _floats(values: Sequence[float]) -> str:
    # repr gives the shortest text that reads back as the same number.
    return " ".join(repr(float(value)) for value in values)


def _or_none(number: int | None) -> int:
    return -1 if number is None else number


def _check_name(place: str, name: str) -> None:
    _check_utf8(place, name)
    if not name or "#" in name or any(character.isspace() and character != " " for character in name):
        raise InputError(f"{place} is {shown(name)}; a .house file cannot hold an empty name, a # or a tab or line break")


def _check_utf8(place: str, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"{place} is {shown(text)}, which UTF-8 cannot hold") from None

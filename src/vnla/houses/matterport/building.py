"""Puts the files of one building together into a `House`.

The graph comes from the connectivity file; rooms and objects from the .house file; where there is none, rooms come from
panorama_to_region.txt; where that has no region numbers, viewpoints of one letter that hang together are a room. Where the
two files disagree, .house is right and a note says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from vnla.common.errors import InputError
from vnla.houses.house import House, HouseError, Level, Object, Problem, Room, connected
from vnla.houses.matterport.connectivity import Connectivity, read_connectivity
from vnla.houses.matterport.house_file import HouseFile, read_house_file
from vnla.houses.matterport.notes import Note
from vnla.houses.matterport.panoramas import PanoramaFile, read_panorama_to_region
from vnla.houses.matterport.sources import BuildingFiles, TextFile
from vnla.houses.rooms import NO_LABEL

_WARNING_KINDS = {"viewpoint": "part that cannot be reached", "object": "object outside its room"}


@dataclass(frozen=True)
class Building:
    """A house that was read, and what was odd about its files."""

    house: House
    notes: tuple[Note, ...]


def read_building(files: BuildingFiles) -> Building:
    """The house in the files of one building, with notes."""
    graph, segments, mapping = _contents(files)
    rooms = _rooms(graph, segments, mapping)
    house = _house(files.name, graph, segments, rooms)
    own = [source.notes for source in (graph, segments, mapping) if source is not None]
    notes = _notes(graph, segments, mapping, rooms)
    warnings = [
        Note(_WARNING_KINDS[warning.kind], _place(graph, segments, warning), warning.message) for warning in house.warnings
    ]
    return Building(house, (*(note for each in own for note in each), *notes, *warnings))


def read_house(files: BuildingFiles) -> House:
    """The house alone: nobody looks for what is odd about it."""
    graph, segments, mapping = _contents(files)
    return _house(files.name, graph, segments, _rooms(graph, segments, mapping))


def _contents(files: BuildingFiles) -> tuple[Connectivity, HouseFile | None, PanoramaFile | None]:
    return (
        read_connectivity(files.connectivity),
        read_house_file(files.house) if files.house else None,
        read_panorama_to_region(files.panoramas) if files.panoramas else None,
    )


@dataclass(frozen=True)
class _Rooms:
    """The rooms of a building and the room of each viewpoint."""

    rooms: tuple[Room, ...]
    of: tuple[int | None, ...]


def _rooms(graph: Connectivity, segments: HouseFile | None, mapping: PanoramaFile | None) -> _Rooms:
    if segments is not None:
        return _rooms_of_house_file(graph, segments, mapping)
    if mapping is not None:
        return _rooms_of_mapping(graph, mapping)
    return _Rooms((), (None,) * len(graph.viewpoints))


def _notes(graph: Connectivity, segments: HouseFile | None, mapping: PanoramaFile | None, rooms: _Rooms) -> Iterator[Note]:
    """What is odd about the files together."""
    if segments is not None:
        places = {name: segments.panorama_place(name) for name in segments.panoramas}
        yield from _strangers(graph, segments.source, places)
        yield from _disagreements(graph, segments, mapping) if mapping else ()
    elif mapping is not None:
        yield from _strangers(graph, mapping.source, {name: mapping.place(name) for name in mapping.panoramas})
    else:
        message = "there is no .house file and no panorama_to_region.txt for this building, so it has no rooms and objects"
        yield Note("no rooms", str(graph.path), message)
        return
    for number, (viewpoint, room) in enumerate(zip(graph.viewpoints, rooms.of, strict=True)):
        if room is None and viewpoint.included:
            yield Note("viewpoint without a room", graph.place(number), f"{viewpoint.id} is in no room")


def _strangers(graph: Connectivity, source: TextFile, places: dict[str, str]) -> Iterator[Note]:
    """Panoramas that the connectivity file does not have, and viewpoints that `source` does not have."""
    known = {viewpoint.id for viewpoint in graph.viewpoints}
    for name, place in places.items():
        if name not in known:
            yield Note("panorama without a viewpoint", place, f"the panorama {name} is not in {graph.path}")
    for number, viewpoint in enumerate(graph.viewpoints):
        if viewpoint.id not in places:
            message = f"the viewpoint {viewpoint.id} is not in {source}"
            yield Note("viewpoint without a panorama", graph.place(number), message)


def _rooms_of_house_file(graph: Connectivity, segments: HouseFile, mapping: PanoramaFile | None) -> _Rooms:
    known = {room.id for room in segments.rooms}
    for name, room in segments.panoramas.items():
        if room is not None and room not in known:
            raise InputError(f"{segments.panorama_place(name)}: the panorama is in region {room}, which has no R record")
    of = dict(segments.panoramas)
    for name, line in mapping.panoramas.items() if mapping else ():
        if name not in of and line.region in known:
            of[name] = line.region
    return _Rooms(segments.rooms, tuple(of.get(viewpoint.id) for viewpoint in graph.viewpoints))


def _disagreements(graph: Connectivity, segments: HouseFile, mapping: PanoramaFile) -> Iterator[Note]:
    known = {viewpoint.id for viewpoint in graph.viewpoints}
    labels = {room.id: room.label for room in segments.rooms}
    for name, line in mapping.panoramas.items():
        place = mapping.place(name)
        if name not in segments.panoramas:
            if name not in known:
                yield Note("panorama without a viewpoint", place, f"the panorama {name} is not in {graph.path}")
            continue
        room = segments.panoramas[name]
        label = NO_LABEL if room is None else labels[room]
        if (line.numbered and line.region != room) or (room is not None and line.label != label):
            here = _region(line.region, line.label) if line.numbered else f"a region {line.label}"
            message = f"{name} is in {here} here but in {_region(room, label)} in {segments.source}, which is used"
            yield Note("files disagree on a room", place, message)


def _region(number: int | None, label: str) -> str:
    return "no region" if number is None else f"region {number} ({label})"


def _rooms_of_mapping(graph: Connectivity, mapping: PanoramaFile) -> _Rooms:
    labels: dict[int, str] = {}
    for panorama in mapping.panoramas.values():
        if panorama.region is not None:
            labels.setdefault(panorama.region, panorama.label)
    of: list[int | None] = []
    for viewpoint in graph.viewpoints:
        line = mapping.panoramas.get(viewpoint.id)
        of.append(line.region if line else None)
    for group in _groups(graph, mapping):
        number = max(labels, default=-1) + 1
        labels[number] = mapping.panoramas[graph.viewpoints[group[0]].id].label
        for member in group:
            of[member] = number
    return _Rooms(tuple(Room(number, labels[number]) for number in sorted(labels)), tuple(of))


def _groups(graph: Connectivity, mapping: PanoramaFile) -> list[list[int]]:
    """The included viewpoints whose line has a letter but no region number, in groups of one letter that hang together."""
    letter: dict[int, str] = {}
    for number, viewpoint in enumerate(graph.viewpoints):
        line = mapping.panoramas.get(viewpoint.id)
        if viewpoint.included and line and not line.numbered and line.label != NO_LABEL:
            letter[number] = line.label
    beside: dict[int, list[int]] = {number: [] for number in letter}
    for i, j in graph.edges:
        if i in letter and letter[i] == letter.get(j):
            beside[i].append(j)
            beside[j].append(i)
    return connected(beside)


def _house(name: str, graph: Connectivity, segments: HouseFile | None, rooms: _Rooms) -> House:
    levels: tuple[Level, ...] = segments.levels if segments else ()
    objects: tuple[Object, ...] = segments.objects if segments else ()
    viewpoints = tuple(replace(viewpoint, room=room) for viewpoint, room in zip(graph.viewpoints, rooms.of, strict=True))
    try:
        return House(name, viewpoints, graph.edges, rooms.rooms, objects, levels)
    except HouseError as error:
        raise InputError(_message(graph, segments, error.problems)) from None


def _message(graph: Connectivity, segments: HouseFile | None, problems: Sequence[Problem]) -> str:
    first = problems[0]
    others = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    # Everything else about a viewpoint was looked at when its record was read.
    field = "field image_id: " if first.kind == "viewpoint" else ""
    return f"{_place(graph, segments, first)}: {field}{first.message}{others}"


def _place(graph: Connectivity, segments: HouseFile | None, problem: Problem) -> str:
    if problem.kind == "viewpoint":
        return graph.place(problem.record)
    if problem.kind == "edge":
        return graph.place(graph.edges[problem.record][0])
    return segments.place(problem.kind, problem.record) if segments else str(graph.path)

"""What a house is like to somebody who walks in it: the things in view, their colours, and the ways between rooms.

Things in view, with their share of the picture and where in it they are, are `vnla.houses.sightings`; colours and the doors
between rooms come from what a generated house was made of. Of another house nobody knows the colours, and there is a doorway
wherever an edge of the graph leads from one room to another, a door if an object of that label is near.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vnla.common.process_pool import in_background
from vnla.houses.folder import WorldFolder
from vnla.houses.house import House
from vnla.houses.scene import Part
from vnla.houses.sightings import by_boxes, by_pixels, generated, sightings_of
from vnla.language.things import NOTHING, hue_of
from vnla.world.graph import Graph

if TYPE_CHECKING:
    from vnla.houses.generate.build import GeneratedHouse

LEAST = 0.006
"""Share of the picture that a thing must fill to be talked about: half a per cent, and what counting may be wrong by."""
OUTSIDE = -1
"""Stands for what is behind a door that leads to no room."""

WAY = np.dtype([("x", "<f8"), ("y", "<f8"), ("z", "<f8"), ("door", "<i1"), ("one", "<i4"), ("other", "<i4")])
"""A way between two rooms (their ids, or OUTSIDE): where on the floor it is, and whether it has a door or is open."""


@dataclass(frozen=True)
class Sights:
    """What can be seen in one house."""

    seen: NDArray[np.void]  # of `vnla.houses.sightings.SIGHTING`
    hue: NDArray[np.int8]  # (objects,), of `vnla.language.things.HUES` or NOTHING
    ways: NDArray[np.void]  # of `WAY`


def sights_of(folder: WorldFolder, house: House) -> Sights:
    """The sights of a house."""
    make = generated(folder, house)
    seen = sightings_of(folder, house, make).seen
    if make is None:
        return _plain(house, seen)
    made = make()
    return Sights(seen, _hues(made), _openings(made))


def sights_in_background(folder: WorldFolder, house: House) -> Sights:
    """The same, found by a process of low priority."""
    found: list[Sights] = []
    in_background(partial(sights_of, replace(folder, houses=(house,))), [house], found.append, name="vnla sights")
    return found[0]


def drawn_sights(made: GeneratedHouse) -> Sights:
    """The sights of a house that can be drawn."""
    return Sights(by_pixels(made), _hues(made), _openings(made))


def boxed_sights(made: GeneratedHouse) -> Sights:
    """The sights of a house that could be drawn, worked out from boxes: nothing hides anything. Quick."""
    return Sights(by_boxes(made.house), _hues(made), _openings(made))


def plain_sights(house: House) -> Sights:
    """The sights of a house of which there is no picture that knows its objects."""
    return _plain(house, by_boxes(house))


def _plain(house: House, seen: NDArray[np.void]) -> Sights:
    return Sights(seen, np.full(len(house.objects), NOTHING, np.int8), _doorways(house))


def _hues(made: GeneratedHouse) -> NDArray[np.int8]:
    parts: dict[int, list[Part]] = {}
    for part, owner in zip(made.scene.parts, made.scene.owner, strict=True):
        parts.setdefault(owner, []).append(part)
    return np.array([hue_of(parts.get(thing.id, ())) for thing in made.house.objects], np.int8)


def _openings(made: GeneratedHouse) -> NDArray[np.void]:
    """Ways between rooms, from the plan."""
    floors = {level.id: level.floor for level in made.plan.levels}
    ways = [
        (way.x, way.y, floors[way.level], way.kind == "door", way.rooms[0], _room(way.rooms[1]))
        for way in made.plan.openings
        if way.kind != "window"
    ]
    return np.array(ways, WAY)


def _doorways(house: House) -> NDArray[np.void]:
    """Ways between rooms where edges lead from one to another: in the middle of those that are near each other."""
    graph = Graph.of(house)
    stands = [house.viewpoints[house.number[each]] for each in graph.ids]
    doors = np.array([thing.box.centre for thing in house.objects if "door" in thing.label.lower()]).reshape(-1, 3)
    groups: list[tuple[int, int, list[NDArray[np.float64]]]] = []
    for i, j in zip(graph.source.tolist(), graph.target.tolist(), strict=True):
        one, other = _room(stands[i].room), _room(stands[j].room)
        if i > j or one == other or OUTSIDE in (one, other):
            continue
        middle = (graph.position[i] + graph.position[j]) / 2 - (0.0, 0.0, (stands[i].height + stands[j].height) / 2)
        key = min(one, other), max(one, other)
        close = (g for g in groups if g[:2] == key and np.linalg.norm(np.mean(g[2], axis=0) - middle) < 1.5)
        group = next(close, None)
        if group is None:
            groups.append((*key, [middle]))
        else:
            group[2].append(middle)
    ways = []
    for one, other, middles in groups:
        x, y, z = np.mean(middles, axis=0).tolist()
        door = len(doors) > 0 and bool((np.linalg.norm(doors[:, :2] - (x, y), axis=1) < 1.0).any())
        ways.append((x, y, z, door, one, other))
    return np.array(ways, WAY)


def _room(room: int | None) -> int:
    return OUTSIDE if room is None else room

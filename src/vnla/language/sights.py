"""What is in view from each pose of a house, and what a house is like to somebody who walks in it.

Things in view, with their share of the picture and where in it they are, come from the renderer's object ids; colours and
the doors between rooms from what a generated house was made of. Of a house that cannot be drawn a thing is in view when its
centre lies within the field of view and it is in the viewpoint's room (within 5 m, where rooms are unknown): nothing hides
anything, its share is that of its box seen from there, nobody knows its colour, and there is a doorway wherever an edge of
the graph leads from one room to another, a door if an object of that label is near.

Sights are made once for each house and kept in the world's folder: `WORLD/sights/<house>.npz`.
"""

from __future__ import annotations

import hashlib
import io
import math
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vnla.common import files
from vnla.common.errors import InputError
from vnla.houses.folder import WorldFolder
from vnla.houses.house import House, OrientedBox
from vnla.houses.scene import Part
from vnla.language.things import NOTHING, hue_of
from vnla.world.graph import Graph
from vnla.world.views import HALF_FIELD, VERTICAL_FIELD, relative, view_angles

if TYPE_CHECKING:
    from vnla.houses.generate.build import GeneratedHouse

LEAST = 0.006
"""Share of the picture that a thing must fill to be talked about: half a per cent, and what counting may be wrong by."""
FARTHEST = 5.0
"""Metres within which a thing is seen where rooms are unknown and nothing is drawn."""
FACE, COUNTED = 288, (320, 240)
"""Side in pixels of the cube faces, and size of the views, that things are counted in. The share of things that fill about
half a per cent is then right to 3 % in the middle; in views half as wide one in fifty that are named would be smaller."""
OUTSIDE = -1
"""Stands for what is behind a door that leads to no room."""

SEEN = np.dtype([("viewpoint", "<i2"), ("view", "<i1"), ("thing", "<i4"), ("share", "<f4"), ("across", "<f4")])
"""A thing in a view: the viewpoint as the graph numbers it, the view, the place in `House.objects`, the share of the pixels,
and degrees from the middle of the view to theirs, right is positive."""

WAY = np.dtype([("x", "<f8"), ("y", "<f8"), ("z", "<f8"), ("door", "<i1"), ("one", "<i4"), ("other", "<i4")])
"""A way between two rooms (their ids, or OUTSIDE): where on the floor it is, and whether it has a door or is open."""

_VERSION = 3
_WHAT = "the sights of a house"


@dataclass(frozen=True)
class Sights:
    """What can be seen in one house."""

    seen: NDArray[np.void]  # of `SEEN`
    hue: NDArray[np.int8]  # (objects,), of `vnla.language.things.HUES` or NOTHING
    ways: NDArray[np.void]  # of `WAY`


def sights_of(folder: WorldFolder, house: House) -> Sights:
    """The sights of a house; made if they are not kept yet, and kept where that is allowed."""
    arrays, of = kept_arrays(folder, house.name, digest(folder, house, _VERSION)), digest(folder, house, _VERSION)
    if arrays is not None and set(arrays) == {"seen", "hue", "ways"} and arrays["seen"].dtype == SEEN:
        return Sights(**arrays)
    sights = _made(folder, house)
    keep_arrays(folder, house.name, of, vars(sights))
    return sights


def _made(folder: WorldFolder, house: House) -> Sights:
    """Drawn if the house was generated, else worked out from boxes and positions."""
    from vnla.houses.generate.world import recipe_of
    from vnla.houses.pictures import picture_source

    recipe = recipe_of(folder, house.name)
    if recipe is None or not picture_source(folder).knows_objects(house):
        return plain_sights(house)
    made = recipe.make()
    if made.house != house:
        raise InputError(f"{folder.path}: the house {house.name} is not what its seed makes; make the world again")
    return drawn_sights(made)


def drawn_sights(made: GeneratedHouse) -> Sights:
    """The sights of a house that can be drawn."""
    house, scene = made.house, made.scene
    parts: dict[int, list[Part]] = {}
    for part, owner in zip(scene.parts, scene.owner, strict=True):
        parts.setdefault(owner, []).append(part)
    hues = [hue_of(parts.get(thing.id, ())) for thing in house.objects]
    floors = {level.id: level.floor for level in made.plan.levels}
    ways = [
        (way.x, way.y, floors[way.level], way.kind == "door", way.rooms[0], _room(way.rooms[1]))
        for way in made.plan.openings
        if way.kind != "window"
    ]
    return Sights(_drawn(made), np.array(hues, np.int8), np.array(ways, WAY))


def plain_sights(house: House) -> Sights:
    """The sights of a house of which there is no picture that knows its objects."""
    return Sights(_boxes(house), np.full(len(house.objects), NOTHING, np.int8), _doorways(house))


def _drawn(made: GeneratedHouse) -> NDArray[np.void]:
    """Things in view by the pixels that show them; in the dark, which saves the light."""
    from vnla.houses.render import objects_in_views, prepare, render_panorama

    stage = prepare(made.scene, workers=1, lit=False)
    place = {thing.id: i for i, thing in enumerate(made.house.objects)}
    stands = [stand for stand in made.house.viewpoints if stand.included]
    found = [np.empty(0, SEEN)]
    for number, stand in enumerate(stands):
        faces = render_panorama(stage, stand.position, FACE, stand.rotation).objects
        sightings = objects_in_views(faces, stand.rotation, width=COUNTED[0], height=COUNTED[1])
        rows = np.empty(len(sightings.view), SEEN)
        rows["viewpoint"], rows["view"], rows["share"] = number, sightings.view, sightings.share
        rows["thing"], rows["across"] = [place[each] for each in sightings.object.tolist()], sightings.across
        found.append(rows)
    return np.concatenate(found)


def _boxes(house: House) -> NDArray[np.void]:
    """Things in view by their boxes alone."""
    graph = Graph.of(house)
    if not house.objects:
        return np.empty(0, SEEN)
    centre = np.array([thing.box.centre for thing in house.objects])
    offset = centre - graph.position[:, None]  # (viewpoints, things, 3)
    away = np.linalg.norm(offset, axis=-1)
    here = np.array([_room(house.viewpoints[house.number[each]].room) for each in graph.ids])[:, None]
    there = np.array([_room(thing.room) for thing in house.objects])
    near = np.where((here != OUTSIDE) & (there != OUTSIDE), here == there, away <= FARTHEST)
    first, second = np.nonzero(near)
    look = relative(offset[first, second][:, None].astype(np.float32), *view_angles())  # (pairs, 36)
    visible = look.visible & (np.abs(look.elevation) <= VERTICAL_FIELD / 2)
    radius = np.array([_radius(thing.box) for thing in house.objects])[second]
    solid = math.pi * np.arctan2(radius, np.maximum(away[first, second], 0.3)) ** 2
    pair, view = np.nonzero(visible)
    seen = np.empty(len(pair), SEEN)
    seen["viewpoint"], seen["view"], seen["thing"] = first[pair], view, second[pair]
    seen["share"] = np.minimum(solid[pair] / (2 * HALF_FIELD * VERTICAL_FIELD), 1.0)
    seen["across"] = np.degrees(look.heading[pair, view])
    return seen


def _radius(box: OrientedBox) -> float:
    """Of a disc as large as the mean of the box's three sides."""
    a, b, c = box.radii
    return math.sqrt(4 * (a * b + b * c + c * a) / 3 / math.pi)


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


def keep_arrays(folder: WorldFolder, name: str, of: str, arrays: dict[str, Any]) -> None:
    """Keep arrays of a house in the world's folder; one that may only be read is as good, and takes longer next time."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, of=of, **arrays)
    with suppress(OSError, InputError):
        _path(folder, name).parent.mkdir(exist_ok=True)
        files.write_bytes(_path(folder, name), buffer.getvalue())


def kept_arrays(folder: WorldFolder, name: str, of: str) -> dict[str, NDArray[Any]] | None:
    """What was kept under a name, if it is `of` the same."""
    try:
        with np.load(_path(folder, name), allow_pickle=False) as arrays:
            found = {each: arrays[each] for each in arrays.files}
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return None
    return found if str(found.pop("of", "")) == of else None


def digest(folder: WorldFolder, house: House, version: int) -> str:
    """What tells a house and its pictures from another, or what is kept of it from an older version."""
    told = repr((house.viewpoints, house.edges, house.rooms, house.objects, folder.manifest.get("pictures")))
    return f"{version} {hashlib.sha256(told.encode()).hexdigest()}"


def _path(folder: WorldFolder, name: str) -> Path:
    return folder.path / "sights" / f"{name}.npz"

"""Which objects are in which views of a house: by the pixels that show them or, where it cannot be drawn, by their boxes.

By boxes an object is in view when its centre lies within the field of view and it is in the viewpoint's room (within 5 m,
where rooms are unknown): nothing hides anything, and its share is that of its box seen from there.

What was drawn is kept in the world's folder, `WORLD/sights/<house>.npz`.
"""

from __future__ import annotations

import hashlib
import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vnla.camera import HALF_FIELD, VERTICAL_FIELD, VIEWS, Relative, relative, view_angles
from vnla.common import files
from vnla.common.arrays import NUMBERS, TEXTS, WHOLE, ArraySpec, mismatch, read_arrays
from vnla.common.errors import InputError
from vnla.common.machine import cores_here
from vnla.common.process_pool import mapped
from vnla.houses.folder import WorldFolder
from vnla.houses.house import House, Object, OrientedBox, Viewpoint

if TYPE_CHECKING:
    from vnla.houses.generate.build import GeneratedHouse

SIGHTING = np.dtype([("viewpoint", "<i4"), ("view", "<i2"), ("object", "<i4"), ("share", "<f4"), ("across", "<f4")])
"""An object seen in a view: numbers of viewpoint (in its house) and view, the object's id, its share of the pixels, and
degrees from the middle of the view to theirs, right is positive."""
FARTHEST = 5.0
"""Metres within which an object is seen by its box where rooms are unknown."""
FACE, COUNTED = 288, (320, 240)
"""Side in pixels of the cube faces, and size of the views, that objects are counted in. The share of those that fill about
half a per cent is then right to 3 % in the middle; in views half as wide one in fifty from there on would be smaller."""
FEW_VIEWPOINTS = 60
"""Up to so many, one process is done before several have started."""

_VERSION = 4
_RECORDS = "V"  # NumPy's letter for arrays of records


class Sightings(NamedTuple):
    """What is in view in a house."""

    seen: NDArray[np.void]  # of `SIGHTING`
    drawn: bool  # whether pixels were counted


def sightings_of(folder: WorldFolder, house: House, make: Callable[[], GeneratedHouse] | None = None) -> Sightings:
    """Those of a house: drawn if it was generated; kept, or made and kept where that is allowed.

    `make` is what `generated` gives, for those who have it, since it makes the house once for both.
    """
    make = make or generated(folder, house)
    if make is None:
        return Sightings(by_boxes(house), drawn=False)
    of = digest(folder, house, _VERSION)
    kept = kept_arrays(folder, house.name, of)
    if kept is not None and _are_of(house, kept):
        return Sightings(kept["seen"], drawn=True)
    seen = by_pixels(make())
    keep_arrays(folder, house.name, of, {"seen": seen})
    return Sightings(seen, drawn=True)


def _are_of(house: House, kept: Mapping[str, NDArray[Any]]) -> bool:
    """Whether arrays that were kept are sightings, and of viewpoints and objects that a house has."""
    if set(kept) != {"seen"} or kept["seen"].dtype != SIGHTING:
        return False
    seen = {name: kept["seen"][name] for name in SIGHTING.names or ()}
    specs = {
        "viewpoint": ArraySpec(WHOLE, ("sightings",)),
        "view": ArraySpec(WHOLE, ("sightings",), 0, VIEWS - 1),
        "object": ArraySpec(WHOLE, ("sightings",)),
        "share": ArraySpec(NUMBERS, ("sightings",), 0, 1),
        "across": ArraySpec(NUMBERS, ("sightings",), -180, 180),
    }
    things = [each.id for each in house.objects]
    return (
        mismatch(seen, specs) is None
        and bool(np.isin(seen["viewpoint"], house.stands).all())
        and bool(np.isin(seen["object"], things).all())
    )


def sightings_in(folder: WorldFolder, houses: Sequence[House], workers: int | None = None) -> Iterator[Sightings]:
    """Those of some houses, one after the other; what has to be drawn, several processes draw."""
    missing = [house for house in houses if not _is_kept(folder, house)]
    count = min(workers or workers_for(missing), len(missing))
    look = partial(sightings_of, folder)
    return map(look, houses) if count <= 1 else mapped(look, houses, count, name="vnla sights")


def workers_for(houses: Sequence[House]) -> int:
    """Return how many processes look around in some houses: one if they have few viewpoints, else one for each core."""
    return 1 if sum(len(house.stands) for house in houses) <= FEW_VIEWPOINTS else cores_here()


def _is_kept(folder: WorldFolder, house: House) -> bool:
    return _path(folder, house.name).exists() or generated(folder, house) is None


def generated(folder: WorldFolder, house: House) -> Callable[[], GeneratedHouse] | None:
    """What makes a house again, and keeps it, if it was generated and that is what its pictures show."""
    from vnla.houses.generate.world import recipe_of
    from vnla.houses.pictures import picture_source

    recipe = recipe_of(folder, house.name)
    if recipe is None or not picture_source(folder).knows_objects(house):
        return None

    def make() -> GeneratedHouse:
        made = recipe.make()
        if made.house != house:
            raise InputError(f"{folder.path}: the house {house.name} is not what its seed makes; make the world again")
        return made

    return cache(make)


def by_pixels(made: GeneratedHouse) -> NDArray[np.void]:
    """Objects in view of a house that can be drawn; without light and colours."""
    from vnla.houses.render import panorama_objects, prepare

    stage = prepare(made.scene, workers=1, lit=False)
    return counted(made.house, lambda stand: panorama_objects(stage, stand.position, FACE, stand.rotation), COUNTED)


def counted(
    house: House, faces: Callable[[Viewpoint], NDArray[np.int32]], size: tuple[int, int] = (160, 120)
) -> NDArray[np.void]:
    """Objects in views of a `size`, cut from `faces` of object ids around each viewpoint that one can stand at."""
    from vnla.houses.render.panorama import objects_in_views

    found = [np.empty(0, SIGHTING)]
    for number in house.stands:
        stand = house.viewpoints[number]
        seen = objects_in_views(faces(stand), stand.rotation, width=size[0], height=size[1])
        rows = np.empty(len(seen.view), SIGHTING)
        rows["viewpoint"] = number
        for name, values in seen._asdict().items():
            rows[name] = values
        found.append(rows)
    return np.concatenate(found)


class BoxesInView(NamedTuple):
    """Viewpoints, as places in `House.stands`, with objects near enough to see from there, and how they appear in views."""

    here: NDArray[np.int64]  # (pairs,)
    thing: NDArray[np.int64]  # (pairs,), places in the list of objects
    look: Relative  # (pairs, 36)
    seen: NDArray[np.bool_]  # (pairs, 36)


def boxes_in_view(house: House, things: Sequence[Object]) -> BoxesInView:
    """Which of `things` are in which views by their boxes."""
    position = np.array([house.viewpoints[i].position for i in house.stands], np.float64).reshape(-1, 3)
    offset = np.array([thing.box.centre for thing in things]).reshape(-1, 3) - position[:, None, :]
    here, thing = np.nonzero(_near(house, things, np.linalg.norm(offset, axis=-1)))
    look = relative(offset[here, thing][:, None, :].astype(np.float32), *view_angles())
    return BoxesInView(here, thing, look, look.visible & (np.abs(look.elevation) <= VERTICAL_FIELD / 2))


def by_boxes(house: House) -> NDArray[np.void]:
    """Objects in view by their boxes alone."""
    here, thing, look, visible = boxes_in_view(house, house.objects)
    radius = np.array([_radius(each.box) for each in house.objects])[thing]
    solid = math.pi * np.arctan2(radius, np.maximum(look.distance[:, 0], 0.3)) ** 2
    pair, view = np.nonzero(visible)
    seen = np.empty(len(pair), SIGHTING)
    seen["viewpoint"] = np.array(house.stands, np.int64)[here[pair]]
    seen["view"] = view
    seen["object"] = np.array([each.id for each in house.objects], np.int64)[thing[pair]]
    seen["share"] = np.minimum(solid[pair] / (2 * HALF_FIELD * VERTICAL_FIELD), 1.0)
    seen["across"] = np.degrees(look.heading[pair, view])
    return seen


def _near(house: House, things: Sequence[Object], distance: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which objects are near enough to be seen from which viewpoints, whatever the view: (viewpoints, objects)."""
    here, standing = _rooms([house.viewpoints[i].room for i in house.stands])
    there, placed = _rooms([thing.room for thing in things])
    both_known = standing[:, None] & placed
    return np.where(both_known, here[:, None] == there, distance <= FARTHEST)


def _rooms(rooms: Sequence[int | None]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Room ids, and which of them are known."""
    return np.array([room or 0 for room in rooms], np.int64), np.array([room is not None for room in rooms], np.bool_)


def _radius(box: OrientedBox) -> float:
    """Of a disc as large as the mean of the box's three sides."""
    a, b, c = box.radii
    return math.sqrt(4 * (a * b + b * c + c * a) / 3 / math.pi)


def keep_arrays(folder: WorldFolder, name: str, of: str, arrays: dict[str, Any]) -> None:
    """Keep arrays of a house in the world's folder; one that may only be read is as good, and takes longer next time."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, of=of, **arrays)
    with suppress(OSError, InputError):
        _path(folder, name).parent.mkdir(exist_ok=True)
        files.write_bytes(_path(folder, name), buffer.getvalue())


def kept_arrays(folder: WorldFolder, name: str, of: str) -> dict[str, NDArray[Any]] | None:
    """What was kept under a name, if it is `of` the same; whatever is wrong with it, it can be made again."""
    try:
        found = read_arrays(_path(folder, name), "what is in view", files.LARGEST_TEXT, NUMBERS + TEXTS + _RECORDS)
    except (InputError, OSError):
        return None
    kept_of = found.pop("of", np.array(""))
    return found if kept_of.shape == () and str(kept_of) == of else None


def digest(folder: WorldFolder, house: House, version: int) -> str:
    """What tells a house and its pictures from another, or what is kept of it from an older version."""
    content = repr((house.viewpoints, house.edges, house.rooms, house.objects, folder.manifest.get("pictures")))
    return f"{version} {hashlib.sha256(content.encode()).hexdigest()}"


def _path(folder: WorldFolder, name: str) -> Path:
    return folder.path / "sights" / f"{name}.npz"

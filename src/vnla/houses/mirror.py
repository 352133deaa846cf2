"""Mirror images of houses: east becomes west, and everything that was left is right.

A mirror image is a house of its own, with the same distances and other turns. It is called `NAME-mirrored`, and counts as a
mirror image where the house NAME is there as well. Panoramas are mirrored in their own axes, so that the picture of a
mirrored view is the flipped picture of the view.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from vnla.camera import HEADINGS
from vnla.houses.house import Box, House, OrientedBox, Point, Rotation, Viewpoint

SUFFIX = "-mirrored"

Pixel = TypeVar("Pixel", bound=np.generic)
_FACE = [0, 1, 4, 3, 2, 5]
"""The face of a skybox that each face is the flipped picture of: left and right change places."""


def mirrors_of(names: Iterable[str]) -> dict[str, str]:
    """The mirror images among houses, by name, and what they mirror."""
    there = set(names)
    return {
        name: name.removesuffix(SUFFIX) for name in there if name.endswith(SUFFIX) and name.removesuffix(SUFFIX) in there
    }


def mirrored(house: House, name: str | None = None) -> House:
    """The mirror image of a house; called `NAME-mirrored` unless told otherwise."""
    return replace(
        house,
        name=f"{house.name}{SUFFIX}" if name is None else name,
        viewpoints=tuple(map(_viewpoint, house.viewpoints)),
        rooms=tuple(replace(room, box=_box(room.box)) for room in house.rooms),
        objects=tuple(replace(thing, box=_oriented(thing.box)) for thing in house.objects),
        levels=tuple(replace(level, box=_box(level.box)) for level in house.levels),
    )


def mirrored_point(point: Point) -> Point:
    """A point on the other side of the plane x = 0."""
    x, y, z = point
    return -x, y, z


def mirrored_rotation(rotation: Rotation) -> Rotation:
    """The rotation of a panorama whose picture and whose place are both mirrored."""
    a, b, c, d, e, f, g, h, i = rotation
    return a, -b, -c, -d, e, f, -g, h, i


def mirrored_view(view: int) -> int:
    """The view that shows, flipped, what a view shows in the mirror image."""
    row, heading = divmod(view, HEADINGS)
    return row * HEADINGS + -heading % HEADINGS


def mirrored_faces(faces: NDArray[Pixel]) -> NDArray[Pixel]:
    """The faces (6, size, size, …) of the mirrored panorama."""
    return np.ascontiguousarray(faces[_FACE, :, ::-1])


def _viewpoint(stand: Viewpoint) -> Viewpoint:
    return replace(stand, position=mirrored_point(stand.position), rotation=mirrored_rotation(stand.rotation))


def _box(box: Box | None) -> Box | None:
    if box is None:
        return None
    return Box((-box.high[0], *box.low[1:]), (-box.low[0], *box.high[1:]))


def _oriented(box: OrientedBox) -> OrientedBox:
    """The third axis, the product of both, is turned round by it; a box is the same either way."""
    return replace(box, centre=mirrored_point(box.centre), axis0=mirrored_point(box.axis0), axis1=mirrored_point(box.axis1))

"""Panoramas of a scene as the six faces of a skybox; the simulator's 36 views, or a picture all around, cut out of any.

Six faces hold all that the 36 views of a viewpoint show, so they are drawn once and cut up. Generated and scanned buildings
take the same way from there. The views are the same as `vnla.houses.skybox.render_view` makes, one by one, in NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise, starmap
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vnla.camera import AROUND_HEIGHT, AROUND_WIDTH, VERTICAL_FIELD, VIEWS, angles_around, camera_axes, view_angles
from vnla.common.native import compiled, inlined
from vnla.common.threads import on_threads
from vnla.houses.house import UPRIGHT
from vnla.houses.render.raster import Camera, draw, draw_objects
from vnla.houses.render.stage import PreparedScene
from vnla.houses.skybox import FACES, Faces, face_directions


class Panorama(NamedTuple):
    """Six faces in the order and orientation of `vnla.houses.skybox`: RGB, object ids and depth along each face's axis."""

    rgb: Faces  # (6, size, size, 3)
    objects: NDArray[np.int32]  # (6, size, size)
    depth: NDArray[np.float32]


class ObjectsInViews(NamedTuple):
    """Which objects are seen in which views, the share of the view's pixels that they fill, and where in it: arrays of one
    length."""

    view: NDArray[np.int64]
    object: NDArray[np.int64]
    share: NDArray[np.float64]
    across: NDArray[np.float64]
    """Degrees from the middle of the view to that of their pixels, right is positive."""


def render_panorama(
    stage: PreparedScene,
    position: Sequence[float],
    size: int,
    rotation: ArrayLike = UPRIGHT,
    samples: int = 1,
    only: range = range(FACES),
    workers: int = 1,
) -> Panorama:
    """The panorama at `position`: six faces of `size` × `size` pixels, or `only` some of them and the others empty; drawn on
    so many threads."""
    eye, axes = np.array(position, np.float32), _face_axes(rotation)
    cameras = [Camera(eye, axes[face], 1.0, 1.0) for face in only]
    pictures = on_threads(lambda camera: draw(stage.surfaces, camera, size, size, samples), cameras, workers)
    drawn = dict(zip(only, pictures, strict=True))
    empty = [np.zeros_like(each) for each in pictures[0]]
    frames = [drawn.get(face, empty) for face in range(FACES)]
    rgb, objects, depth = (np.stack(each) for each in zip(*frames, strict=True))
    return Panorama(rgb, objects, depth)


def panorama_objects(
    stage: PreparedScene, position: Sequence[float], size: int, rotation: ArrayLike = UPRIGHT
) -> NDArray[np.int32]:
    """The objects of the panorama at `position`, as `render_panorama` has them: (6, size, size)."""
    eye = np.array(position, np.float32)
    faces = [draw_objects(stage.surfaces, Camera(eye, axes, 1.0, 1.0), size, size) for axes in _face_axes(rotation)]
    return np.stack(faces)


def views_of(
    faces: Faces,
    width: int,
    height: int,
    vfov: float = VERTICAL_FIELD,
    rotation: ArrayLike = UPRIGHT,
    workers: int = 1,
    only: slice = slice(None),
) -> NDArray[np.uint8]:
    """All 36 views (36, height, width, 3), RGB, of a panorama whose faces are (6, size, size, 3), or `only` some."""
    texels = _spread(np.ascontiguousarray(faces).reshape(-1, 3))
    size = faces.shape[1]
    mixes = _mixes(size, width, height, vfov, np.asarray(rotation, np.float32).tobytes())[only]
    views = np.empty((*mixes.shape, 3), np.uint8)

    def cut(some: slice) -> None:
        _cut(texels, size, mixes[some], views[some])

    _divided(cut, len(views), workers)
    return views


def around_of(faces: Faces, rotation: ArrayLike = UPRIGHT) -> NDArray[np.uint8]:
    """The picture all around (`vnla.camera`), RGB, of a panorama whose faces are (6, size, size, 3)."""
    size = faces.shape[1]
    around: NDArray[np.uint8] = np.empty((1, AROUND_HEIGHT, AROUND_WIDTH, 3), np.uint8)
    texels = _spread(np.ascontiguousarray(faces).reshape(-1, 3))
    _cut(texels, size, _mixes_around(size, np.asarray(rotation, np.float32).tobytes()), around)
    return around.reshape(around.shape[1:])


@lru_cache(maxsize=1)
def _mixes_around(size: int, rotation: bytes) -> NDArray[np.uint64]:
    """For each pixel of the picture all around which texels it is mixed of: (1, height, width)."""
    headings, elevations = angles_around()
    level = np.stack([camera_axes(heading, 0.0) for heading in headings])
    turns = np.ascontiguousarray(level @ np.frombuffer(rotation, np.float32).reshape(3, 3))
    mixes = np.empty((1, AROUND_HEIGHT, AROUND_WIDTH), np.uint64)
    _aim_around(size, turns, -np.tan(elevations).astype(np.float32), mixes)
    return mixes


@lru_cache(maxsize=1)
def _mixes(size: int, width: int, height: int, vfov: float, rotation: bytes) -> NDArray[np.uint64]:
    """For each pixel of all views which texels it is mixed of: (36, height, width), the same for every panorama."""
    mixes = np.empty((VIEWS, height, width), np.uint64)
    tangent = math.tan(vfov / 2)
    _aim(size, _turns(np.frombuffer(rotation, np.float32)), tangent * width / height, tangent, mixes)
    return mixes


def objects_in_views(
    objects: NDArray[np.int32],
    rotation: ArrayLike = UPRIGHT,
    vfov: float = VERTICAL_FIELD,
    width: int = 160,
    height: int = 120,
    least: float = 0.0005,
) -> ObjectsInViews:
    """The objects that each of the 36 views shows on at least a share `least` of its pixels, from faces of object ids."""
    pixels = np.zeros((VIEWS, max(int(objects.max()) + 1, 1)), np.int64)
    sums = np.zeros(pixels.shape, np.float64)
    tangent = math.tan(vfov / 2)
    ids = np.ascontiguousarray(objects).reshape(-1)
    _count(ids, objects.shape[1], _turns(rotation), tangent * width / height, tangent, width, height, pixels, sums)
    share = pixels / (height * width)
    views, seen = np.nonzero((share >= least) & (pixels > 0))
    across = np.degrees(np.arctan(sums[views, seen] / pixels[views, seen]))
    return ObjectsInViews(views, seen, share[views, seen], across)


def _divided(work: Callable[[slice], None], count: int, workers: int) -> None:
    edges = np.linspace(0, count, workers + 1).astype(int)
    on_threads(work, starmap(slice, pairwise(edges)), workers)


def _face_axes(rotation: ArrayLike) -> NDArray[np.float32]:
    """Right, down and ahead of each face's picture in the world: (6, 3, 3), as rows."""
    corners = face_directions(2, rotation)  # (6, 2, 2, 3)
    right = corners[:, 0, 1] - corners[:, 0, 0]
    down = corners[:, 1, 0] - corners[:, 0, 0]
    axes = np.stack([right, down, corners.sum(axis=(1, 2))], axis=1)
    unit: NDArray[np.float32] = (axes / np.linalg.norm(axes, axis=2, keepdims=True)).astype(np.float32)
    return unit


def _turns(rotation: ArrayLike) -> NDArray[np.float32]:
    """For each view the camera's right, down and ahead (rows) in the axes of a panorama: (36, 3, 3)."""
    world = np.stack([camera_axes(heading, elevation) for heading, elevation in zip(*view_angles(), strict=True)])
    turns: NDArray[np.float32] = world @ np.asarray(rotation, np.float32).reshape(3, 3)
    return np.ascontiguousarray(turns)


@inlined
def _meet(turns, view, x, y):  # type: ignore[no-untyped-def]
    """The face that a camera's ray (x, y, 1) meets, and where: -1 to 1 from left to right and from top to bottom."""
    right = turns[view, 0, 0] * x + turns[view, 1, 0] * y + turns[view, 2, 0]
    down = turns[view, 0, 1] * x + turns[view, 1, 1] * y + turns[view, 2, 1]
    ahead = turns[view, 0, 2] * x + turns[view, 1, 2] * y + turns[view, 2, 2]
    one = np.float32(1)
    if abs(down) >= abs(right) and abs(down) >= abs(ahead):
        over = one / abs(down)
        return (0, -right * over, -ahead * over) if down < 0 else (5, -right * over, ahead * over)
    if abs(ahead) >= abs(right):
        over = one / abs(ahead)
        return (1, -right * over, down * over) if ahead < 0 else (3, right * over, down * over)
    over = one / abs(right)
    return (2, ahead * over, down * over) if right < 0 else (4, -ahead * over, down * over)


@compiled
def _spread(texels):  # type: ignore[no-untyped-def]
    """RGB texels (texels, 3) as one whole number each, 21 bits to a channel: all three are mixed by one multiplication."""
    spread = np.empty(texels.shape[0], np.uint64)
    for i in range(texels.shape[0]):
        green, blue = np.uint64(texels[i, 1]) << np.uint64(21), np.uint64(texels[i, 2]) << np.uint64(42)
        spread[i] = np.uint64(texels[i, 0]) | green | blue
    return spread


@inlined
def _mix(size, face, across, down):  # type: ignore[no-untyped-def]
    """The first of four texels around a place on a face, and it with whether there is one right of it and below, and three
    of their weights.

    Bilinear sampling, held at the edges of a face as the simulator does. Weights are whole, in 4096ths, and add up to 4096.
    From the lowest bit: 23 for the texel, 1 and 1, and 13 for each weight.
    """
    one, half, largest = np.float32(1), np.float32(0.5), np.float32(size - 1)
    scale = np.float32(size * 0.5)
    fx = min(max((across + one) * scale - half, np.float32(0)), largest)
    fy = min(max((down + one) * scale - half, np.float32(0)), largest)
    left, top = np.int32(fx), np.int32(fy)
    fx, fy = fx - np.float32(left), (fy - np.float32(top)) * np.float32(4096)
    first = np.uint64((face * size + top) * size + left)
    lower = np.int32(fy + half)
    d = np.int32(fx * fy + half)
    b = np.int32(fx * np.float32(4096) + half) - d
    beside, below = np.uint64(left + 1 < size), np.uint64(top + 1 < size)
    mix = first | beside << np.uint64(23) | below << np.uint64(24) | np.uint64(b) << np.uint64(25)
    return first, mix | np.uint64(lower - d) << np.uint64(38) | np.uint64(d) << np.uint64(51)


@compiled
def _aim_around(size, turns, slopes, mixes):  # type: ignore[no-untyped-def]
    """The `_mix` of each pixel of a picture all around: a camera that looks level for each column, and how far down for each
    row."""
    for column in range(turns.shape[0]):
        for row in range(slopes.shape[0]):
            _, mix = _mix(size, *_meet(turns, column, np.float32(0), slopes[row]))
            mixes[0, row, column] = mix


@compiled
def _aim(size, turns, tangent_x, tangent_y, mixes):  # type: ignore[no-untyped-def]
    """The `_mix` of each pixel of views."""
    count, height, width = mixes.shape
    half = np.float32(0.5)
    wide, high = np.float32(tangent_x), np.float32(tangent_y)
    step_x, step_y = np.float32(2 * tangent_x / width), np.float32(2 * tangent_y / height)
    texels = np.uint64(6 * size * size)
    for view in range(count):
        for row in range(height):
            y = (np.float32(row) + half) * step_y - high
            for column in range(width):
                x = (np.float32(column) + half) * step_x - wide
                first, mix = _mix(size, *_meet(turns, view, x, y))
                if first >= texels:
                    # Never so; but a loop that may be left is not vectorised, and vectors round in another way, which would
                    # change a pixel here and there.
                    return
                mixes[view, row, column] = mix


@compiled
def _cut(texels, size, mixes, views):  # type: ignore[no-untyped-def]
    """Views out of spread texels, by mixes as `_aim` makes them."""
    count, height, width = mixes.shape
    rounding = np.uint64(2048 | 2048 << 21 | 2048 << 42)
    byte, one, weight = np.uint64(255), np.uint64(1), np.uint64(8191)
    for view in range(count):
        for row in range(height):
            for column in range(width):
                mix = mixes[view, row, column]
                i = np.uint32(mix & np.uint64((1 << 23) - 1))
                j = i + np.uint32(mix >> np.uint64(23) & one)
                below = np.uint32(size) * np.uint32(mix >> np.uint64(24) & one)
                b, c, d = mix >> np.uint64(25) & weight, mix >> np.uint64(38) & weight, mix >> np.uint64(51)
                mixed = texels[i] * (np.uint64(4096) - b - c - d) + texels[j] * b + rounding
                mixed += texels[i + below] * c + texels[j + below] * d
                views[view, row, column, 0] = mixed >> np.uint64(12) & byte
                views[view, row, column, 1] = mixed >> np.uint64(33) & byte
                views[view, row, column, 2] = mixed >> np.uint64(54) & byte


@compiled
def _count(ids, size, turns, tangent_x, tangent_y, width, height, pixels, sums):  # type: ignore[no-untyped-def]
    """Count the pixels of each view that show each object, by the nearest texel (ids cannot be mixed), and add up how far
    right they are."""
    one, half, scale = np.float32(1), np.float32(0.5), np.float32(size * 0.5)
    step_x, step_y = np.float32(2 * tangent_x / width), np.float32(2 * tangent_y / height)
    for view in range(pixels.shape[0]):
        for row in range(height):
            y = (np.float32(row) + half) * step_y - np.float32(tangent_y)
            for column in range(width):
                x = (np.float32(column) + half) * step_x - np.float32(tangent_x)
                face, across, down = _meet(turns, view, x, y)
                left = min(max(int((across + one) * scale), 0), size - 1)
                top = min(max(int((down + one) * scale), 0), size - 1)
                seen = ids[(face * size + top) * size + left]
                if seen >= 0:
                    pixels[view, seen] += 1
                    sums[view, seen] += x

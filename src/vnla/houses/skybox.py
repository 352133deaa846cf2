"""Panoramas as six square pictures on the faces of a cube (Matterport3D's skybox images), and views cut out of them.

Faces are numbered as in the file names: 0 up, 1 to 4 around, clockwise as seen from above, 5 down. For a panorama with the
rotation `UPRIGHT` face 3 looks north, 4 east, 1 south and 2 west. The upper edge of the side faces is up; the lower edge of
face 0 and the upper edge of face 5 touch face 1.

A view is made by sending a ray through the centre of each pixel, turning it into the panorama's own axes and reading the
face that it meets. This is the picture that the C++ simulator draws with OpenGL, without OpenGL: its lenses are the same
(`vfov` is the vertical field of view of a pinhole camera), and so is its sampling (bilinear, clamped at a face's edge).
"""

from __future__ import annotations

import io
import math
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from vnla.camera import camera_axes
from vnla.common.errors import InputError
from vnla.common.files import write_bytes

Faces = NDArray[np.uint8]
Float32 = NDArray[np.float32]
Pixel = TypeVar("Pixel", bound=np.generic)

FACES = 6
LARGEST_FACE = 8192

# What each face shows in its own axes: its centre, its picture's right and its picture's down, in the panorama's axes
# (x right, y down, z ahead).
_CENTRE = np.array([(0, -1, 0), (0, 0, -1), (-1, 0, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0)], dtype=np.float32)
_RIGHT = np.array([(-1, 0, 0), (-1, 0, 0), (0, 0, 1), (1, 0, 0), (0, 0, -1), (-1, 0, 0)], dtype=np.float32)
_DOWN = np.array([(0, 0, -1), (0, 1, 0), (0, 1, 0), (0, 1, 0), (0, 1, 0), (0, 0, 1)], dtype=np.float32)


def face_directions(size: int, rotation: ArrayLike) -> Float32:
    """The direction in the world, of length 1, that each texel of six `size` × `size` faces shows: (6, size, size, 3).

    Colouring these directions and giving the result to `write_skybox` makes a panorama of anything that can be looked at.
    """
    steps = ((np.arange(size, dtype=np.float32) + np.float32(0.5)) * np.float32(2 / size) - np.float32(1))[:, None]
    own = (
        _CENTRE[:, None, None] + _RIGHT[:, None, None] * steps[None, None, :] + _DOWN[:, None, None] * steps[None, :, None]
    )  # (6, size, size, 3)
    directions: Float32 = own / np.linalg.norm(own, axis=-1, keepdims=True) @ _matrix(rotation).T
    return directions


def render_view(
    faces: Faces, rotation: ArrayLike, heading: float, elevation: float, width: int, height: int, vfov: float
) -> NDArray[np.uint8]:
    """The picture (height, width, 3), RGB, of a camera of the given heading and elevation in a panorama.

    `faces` is (6, size, size, 3); `rotation` the panorama's, 3 × 3 or its nine numbers by row; angles are in radians.
    """
    hits = _hits(_rays(width, height, vfov), rotation, heading, elevation)
    size = faces.shape[1]
    column, right = _texels(hits.across, size)
    row, down = _texels(hits.down, size)
    left_of, above = np.maximum(column, 0), np.maximum(row, 0)
    right_of, below = np.minimum(column + 1, size - 1), np.minimum(row + 1, size - 1)
    texels = faces.reshape(-1, 3)
    first = hits.face * (size * size)
    upper_row, lower_row = first + above * size, first + below * size
    upper = _mix(texels.take(upper_row + left_of, axis=0), texels.take(upper_row + right_of, axis=0), right)
    lower = _mix(texels.take(lower_row + left_of, axis=0), texels.take(lower_row + right_of, axis=0), right)
    return np.rint(_mix(upper, lower, down)).astype(np.uint8).reshape(height, width, 3)


def render_depth(
    faces: NDArray[np.uint16], rotation: ArrayLike, heading: float, elevation: float, width: int, height: int, vfov: float
) -> NDArray[np.uint16]:
    """The depth image (height, width) of a camera, from faces (6, size, size) that hold distances from the panorama.

    A panorama stores how far a point is from its centre; a camera's depth is how far it is from the camera's plane.
    """
    rays = _rays(width, height, vfov)
    hits = _hits(rays, rotation, heading, elevation)
    size = faces.shape[1]
    column = np.clip(((hits.across + 1) / 2 * size).astype(np.int64), 0, size - 1)
    row = np.clip(((hits.down + 1) / 2 * size).astype(np.int64), 0, size - 1)
    flatter = 1 / np.linalg.norm(rays, axis=1)  # the ray's component along the camera's axis is 1
    depth: Float32 = faces.reshape(-1)[hits.face * (size * size) + row * size + column].astype(np.float32) * flatter
    return np.rint(depth).astype(np.uint16).reshape(height, width)


class _Hits(NamedTuple):
    """Where rays meet the cube: the face, and -1 to 1 from its left to its right and from its upper to its lower edge."""

    face: NDArray[np.int64]
    across: Float32
    down: Float32


def _hits(rays: Float32, rotation: ArrayLike, heading: float, elevation: float) -> _Hits:
    turn = camera_axes(heading, elevation) @ _matrix(rotation)  # from the camera's axes, in rows, to the panorama's
    towards = rays @ (turn @ _CENTRE.T)  # (pixels, 6): a ray meets the face that it goes towards most
    face = towards.argmax(axis=1)
    chosen = np.arange(0, towards.size, FACES) + face
    depth = towards.ravel()[chosen]
    across = (rays @ (turn @ _RIGHT.T)).ravel()[chosen] / depth
    down = (rays @ (turn @ _DOWN.T)).ravel()[chosen] / depth
    return _Hits(face, across, down)


@lru_cache(maxsize=8)
def _rays(width: int, height: int, vfov: float) -> Float32:
    """A ray for each pixel (pixels, 3), by row, in the camera's axes: x right, y down, z ahead, with z = 1."""
    tangent = math.tan(vfov / 2)
    x = ((np.arange(width) + 0.5) / width * 2 - 1) * tangent * width / height
    y = ((np.arange(height) + 0.5) / height * 2 - 1) * tangent
    across, down = np.meshgrid(x, y)
    rays = np.stack([across, down, np.ones_like(across)], axis=-1).reshape(-1, 3).astype(np.float32)
    rays.flags.writeable = False
    return rays


def _matrix(rotation: ArrayLike) -> Float32:
    return np.asarray(rotation, dtype=np.float32).reshape(3, 3)


def _texels(place: Float32, size: int) -> tuple[NDArray[np.int64], Float32]:
    """The texel at or before each place (-1 to 1) and how far the place is on the way to the next texel's centre."""
    position = (place + 1) * np.float32(size / 2) - np.float32(0.5)
    before = np.floor(position)
    return np.clip(before, -1, size - 1).astype(np.int64), (position - before).astype(np.float32)


def _mix(first: NDArray[np.generic], second: NDArray[np.generic], share: Float32) -> Float32:
    start: Float32 = first.astype(np.float32)
    return start + (second.astype(np.float32) - start) * share[:, None]


def skybox_files(folder: Path, viewpoint: str) -> tuple[Path, ...]:
    """The image files of a viewpoint's panorama: one strip of six faces, or six files, or () where it has neither.

    The strip is what people who run the C++ simulator have made from the six, to save memory; it is preferred there too.
    """
    strip = folder / f"{viewpoint}_skybox_small.jpg"
    if strip.is_file():
        return (strip,)
    six = tuple(folder / _face_name(viewpoint, face) for face in range(FACES))
    return six if all(path.is_file() for path in six) else ()


def load_skybox(folder: Path, viewpoint: str) -> Faces:
    """The six faces (6, size, size, 3), RGB, of a viewpoint's panorama. The last few are kept; do not write on them."""
    paths = skybox_files(folder, viewpoint)
    if not paths:
        raise InputError(
            f"{folder / _face_name(viewpoint, 0)}: no such file; expected skybox images 0 to 5 of this viewpoint"
        )
    return _decode(tuple((path, path.stat().st_mtime_ns) for path in paths))


def load_skybox_depth(folder: Path, viewpoint: str) -> NDArray[np.uint16]:
    """The six faces (6, size, size) of a viewpoint's depth strip: distances from its centre, in quarters of a millimetre."""
    path = folder / f"{viewpoint}_skybox_depth_small.png"
    return _cut(_pixels(path, "I;16").astype(np.uint16), path)


def write_skybox(folder: Path, viewpoint: str, faces: Faces, quality: int = 95) -> None:
    """Write six faces (6, size, size, 3), RGB, under the names that Matterport3D gives them."""
    if faces.ndim != 4 or faces.shape[0] != FACES or faces.shape[1] != faces.shape[2] or faces.shape[3] != 3:
        raise InputError(f"a skybox is six square RGB pictures, not an array of shape {faces.shape}")
    for number, face in enumerate(faces):
        encoded = io.BytesIO()
        # Full colour resolution: halved, the colours of neighbouring faces would differ along their seam.
        Image.fromarray(face).save(encoded, "JPEG", quality=quality, subsampling=0)
        write_bytes(folder / _face_name(viewpoint, number), encoded.getvalue())


def _face_name(viewpoint: str, face: int) -> str:
    return f"{viewpoint}_skybox{face}_sami.jpg"


@lru_cache(maxsize=8)
def _decode(files: tuple[tuple[Path, int], ...]) -> Faces:
    """The faces in files of the given modification times, which are there to tell a rewritten file from a known one."""
    paths = [path for path, _ in files]
    if len(paths) == 1:
        faces = _cut(_pixels(paths[0], "RGB").astype(np.uint8), paths[0])
    else:
        pictures = [_pixels(path, "RGB").astype(np.uint8) for path in paths]
        for path, picture in zip(paths, pictures, strict=True):
            if picture.shape != pictures[0].shape or picture.shape[0] != picture.shape[1]:
                high, wide = picture.shape[:2]
                raise InputError(f"{path}: {wide}×{high} pixels; the six faces of a skybox are square and of one size")
        faces = np.stack(pictures)
    faces.flags.writeable = False
    return faces


def _cut(strip: NDArray[Pixel], path: Path) -> NDArray[Pixel]:
    size = strip.shape[0]
    if strip.shape[1] != FACES * size:
        raise InputError(f"{path}: {strip.shape[1]}×{size} pixels; expected six square faces side by side")
    return np.stack(np.split(strip, FACES, axis=1))


def _pixels(path: Path, mode: str) -> NDArray[np.generic]:
    try:
        with Image.open(path) as picture:
            if picture.height > LARGEST_FACE or picture.width > FACES * LARGEST_FACE:
                raise InputError(f"{path}: {picture.width}×{picture.height} pixels is too large for a skybox image")
            return np.asarray(picture if picture.mode == mode else picture.convert(mode))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; expected a skybox image") from None
    except InputError:
        raise
    except Exception as error:  # a decoder of an untrusted picture raises whatever comes up in it
        raise InputError(f"{path}: cannot be read as an image ({error})") from None

"""The files of a panorama: six faces of a cube, upright, as WebP; made here, or by a process that has little of the cores.

The module needs no PyTorch, so that such a process begins soon and is small.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, partial
from threading import Lock

import numpy as np
from PIL import Image

from vnla.common.machine import cores_here
from vnla.common.threads import on_threads
from vnla.houses.folder import WorldFolder
from vnla.houses.house import UPRIGHT, Rotation
from vnla.houses.images import WorldImages, world_images
from vnla.houses.pictures import SOURCES, Found
from vnla.houses.skybox import Faces, render_view

VIEWS = (560, 420)
"""Pixels of the views that the faces suit."""
FACE = 720
"""Side of a face in pixels, at most: what is drawn for these views has that many."""
LARGEST = 200_000
"""Bytes of the six files together."""

_QUALITIES = (80, 70, 55, 40)
_LOOKS = [(180, 90), (180, 0), (270, 0), (0, 0), (90, 0), (180, -90)]
"""Heading and elevation, in degrees, of each face."""

Order = tuple[str, int]
"""The digits that the names of a panorama's files have in common, and the number of its viewpoint in the house."""


class PanoramaFiles:
    """Makes the files of one house's panoramas, from whatever source of pictures its world has."""

    def __init__(self, world: WorldFolder, largest: int, *, alone: bool = False) -> None:
        """`world` has this house only. A panorama has `largest` bytes at most; `alone` means that there is one thread."""
        self._images: WorldImages = world_images(world, VIEWS, alone=alone)
        (self._house,) = world.houses
        self._largest, self._workers = largest, 1 if alone else cores_here()
        ours = isinstance(self._images.source, (*SOURCES.values(), Found))
        self._turn: AbstractContextManager[object] = nullcontext() if ours else Lock()
        """Held while faces are made: only our own sources are thread-safe."""

    def make(self, order: Order) -> Mapping[str, bytes]:
        """Return the files of a panorama by name."""
        name, number = order
        stand = self._house.viewpoints[number]
        with self._turn:
            faces = self._images.faces(self._house.name, stand.id)
        files = encoded(upright(faces, stand.rotation), self._largest, self._workers)
        return {f"{name}{face}.webp": data for face, data in enumerate(files)}


class BackgroundFiles:
    """The same for another process, where they are made by one thread."""

    def __init__(self, world: WorldFolder, largest: int) -> None:
        self._world, self._largest = world, largest

    @cached_property
    def _files(self) -> PanoramaFiles:
        return PanoramaFiles(self._world, self._largest, alone=True)

    def __call__(self, order: Order) -> Mapping[str, bytes]:
        return self._files.make(order)


def upright(faces: Faces, rotation: Rotation, largest: int = FACE) -> Faces:
    """Return a panorama whose axes are up and north, of `largest` pixels a side at most."""
    size = min(faces.shape[1], largest)
    if rotation != UPRIGHT:
        looks = [(math.radians(heading), math.radians(elevation)) for heading, elevation in _LOOKS]
        return np.stack([render_view(faces, rotation, *look, size, size, math.pi / 2) for look in looks])
    return faces if size == faces.shape[1] else _smaller(faces, size)


def encoded(faces: Faces, largest: int = LARGEST, workers: int = 1) -> list[bytes]:
    """Return six WebP files, as good as they can be in `largest` bytes together; smaller pictures if nothing else helps."""
    for quality in _QUALITIES:
        files = on_threads(partial(_webp, quality=quality), faces, workers)
        if sum(map(len, files)) <= largest:
            return files
    return encoded(_smaller(faces, faces.shape[1] // 2), largest, workers)


def _smaller(faces: Faces, size: int) -> Faces:
    return np.stack([np.asarray(Image.fromarray(face).resize((size, size), Image.Resampling.LANCZOS)) for face in faces])


def _webp(face: Faces, quality: int) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(face).save(stream, "WEBP", quality=quality, method=2)
    return stream.getvalue()

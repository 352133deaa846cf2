"""What is seen at a viewpoint, as the page shows it: six faces of a cube, WebP files, under addresses that never change.

A panorama is drawn when it is first asked for, from whatever source of pictures the world has, and stored. All are turned
upright here, so the page need not know how a camera stood: up, south, west, north, east and down, as in
`vnla.houses.skybox`.
"""

from __future__ import annotations

import io
import math
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from threading import Lock

import numpy as np
from PIL import Image

from vnla.common.errors import InputError
from vnla.houses.folder import WorldFolder
from vnla.houses.house import UPRIGHT, House, Rotation
from vnla.houses.images import WorldImages, world_images
from vnla.houses.pictures import SOURCES, Found
from vnla.houses.skybox import FACES, Faces, render_view
from vnla.serve.file_cache import FileCache
from vnla.serve.places import PlaceNames, digits

VERSION = 1
"""Changes when the same house is drawn otherwise: addresses change with it."""

VIEWS = (560, 420)
"""Pixels of the views that the faces suit."""
FACE = 720
"""Side of a face in pixels, at most: what is drawn for these views has that many."""
LARGEST = 200_000
"""Bytes of the six files together."""
HOUSES = 4
"""How many houses are kept ready to be drawn, with all their light."""

_QUALITIES = (80, 70, 55, 40)
_LOOKS = [(180, 90), (180, 0), (270, 0), (0, 0), (90, 0), (180, -90)]
"""Heading and elevation, in degrees, of each face."""


class Pictures:
    """The pictures of a world."""

    def __init__(
        self, world: WorldFolder, places: PlaceNames, files: FileCache, *others: PlaceNames, largest: int = LARGEST
    ) -> None:
        """`places` has the names under which pictures are stored; `others` are further names for the same places. A
        panorama has `largest` bytes at most."""
        self._world, self._places, self._files, self._largest = world, places, files, largest
        self._source = world_images(world).source
        self._lock = Lock()
        self._ready: OrderedDict[str, tuple[WorldImages, AbstractContextManager[object]]] = OrderedDict()
        self._stands = {
            self._panorama(name): (house, i)
            for names in (places, *others)
            for house in world.houses
            for i, name in names.viewpoints(house).items()
        }

    def has(self, house: House) -> bool:
        """Return whether there are pictures of a whole house."""
        return self._source.has(house)

    def missing(self, house: House) -> list[str]:
        """Return a picture of each viewpoint of a house that has yet to be drawn, by the digits of its address."""
        first = [f"{self._panorama(name)}0" for name in self._places.viewpoints(house).values()]
        return [picture for picture in first if not self._files.has(f"{picture}.webp")]

    def addresses(self, house: House, places: PlaceNames | None = None) -> dict[str, list[str]]:
        """Return the addresses of the six faces of each viewpoint, by its own names or by others."""
        names = (places or self._places).viewpoints(house).values()
        return {name: [f"/face/{self._panorama(name)}{face}.webp" for face in range(FACES)] for name in names}

    def first_faces(self, house: House) -> list[str]:
        """Return the digits of one face of each viewpoint: all of a viewpoint's are drawn together."""
        return [f"{self._panorama(name)}0" for name in self._places.viewpoints(house).values()]

    def face(self, picture: str) -> bytes:
        """Return the WebP file that an address names by its digits."""
        panorama, face = picture[:-1], picture[-1:]
        if panorama not in self._stands or face not in set(map(str, range(FACES))):
            raise InputError("there is no such picture here")
        house, number = self._stands[panorama]
        stored = self._panorama(self._places.viewpoints(house)[number])
        return self._files.get(f"{stored}{face}.webp", stored, lambda: self._drawn(stored, house, number))

    def _panorama(self, viewpoint: str) -> str:
        """Return the digits that the addresses of a viewpoint's faces have in common."""
        return digits(viewpoint, VERSION, self._world.pictures, length=15)

    def _drawn(self, panorama: str, house: House, number: int) -> Mapping[str, bytes]:
        stand = house.viewpoints[number]
        images, turn = self._images(house)
        with turn:
            faces = images.faces(house.name, stand.id)
        return {
            f"{panorama}{face}.webp": data
            for face, data in enumerate(encoded(upright(faces, stand.rotation), self._largest))
        }

    def _images(self, house: House) -> tuple[WorldImages, AbstractContextManager[object]]:
        """Return the pictures of one house, and what to hold while one is made: only our own sources are thread-safe."""
        with self._lock:
            if house.name not in self._ready:
                images = world_images(replace(self._world, houses=(house,)), VIEWS)
                ours = isinstance(images.source, (*SOURCES.values(), Found))
                self._ready[house.name] = images, nullcontext() if ours else Lock()
            self._ready.move_to_end(house.name)
            while len(self._ready) > HOUSES:
                self._ready.popitem(last=False)
            return self._ready[house.name]


def upright(faces: Faces, rotation: Rotation, largest: int = FACE) -> Faces:
    """Return a panorama whose axes are up and north, of `largest` pixels a side at most."""
    size = min(faces.shape[1], largest)
    if rotation != UPRIGHT:
        looks = [(math.radians(heading), math.radians(elevation)) for heading, elevation in _LOOKS]
        return np.stack([render_view(faces, rotation, *look, size, size, math.pi / 2) for look in looks])
    return faces if size == faces.shape[1] else _smaller(faces, size)


def encoded(faces: Faces, largest: int = LARGEST) -> list[bytes]:
    """Return six WebP files, as good as they can be in `largest` bytes together; smaller pictures if nothing else helps."""
    for quality in _QUALITIES:
        files = [_webp(face, quality) for face in faces]
        if sum(map(len, files)) <= largest:
            return files
    return encoded(_smaller(faces, faces.shape[1] // 2), largest)


def _smaller(faces: Faces, size: int) -> Faces:
    return np.stack([np.asarray(Image.fromarray(face).resize((size, size), Image.Resampling.LANCZOS)) for face in faces])


def _webp(face: Faces, quality: int) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(face).save(stream, "WEBP", quality=quality, method=2)
    return stream.getvalue()

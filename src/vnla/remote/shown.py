"""What guests are shown of a pose: a picture, words, symbols or features, as each has declared."""

from __future__ import annotations

import io
import threading
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vnla.camera import HEIGHT, VIEWS, WIDTH
from vnla.houses.folder import WorldFolder
from vnla.houses.images import WorldImages, world_images
from vnla.remote.guest import Declared
from vnla.vision.symbols import WorldSymbols, describe
from vnla.vision.views import Views, world_views
from vnla.world.compiled import World

_HOUSES = 4
"""Houses that are ready to be drawn together: episodes of one come after each other, of several threads at once."""
_VIEWPOINTS = 64


class Showing:
    """Shows poses of a world to a guest. Several threads may ask."""

    def __init__(self, declared: Declared, folder: WorldFolder, world: World) -> None:
        self._kinds, self._folder, self._world = declared.observes, folder, world
        self._size = declared.width, declared.width * HEIGHT // WIDTH
        self._sights = WorldSymbols(folder) if {"text", "symbols"} & set(declared.observes) else None
        self._features: dict[str, Views] = {}
        for name in declared.features:
            self._features |= world_views(folder, world, name)
        self._drawing = threading.Lock()
        self._images = lru_cache(_HOUSES)(self._images_of)
        self._views = lru_cache(_VIEWPOINTS)(self._views_of)
        if "picture" in self._kinds:
            world_images(folder, self._size)  # what cannot be drawn is said at once

    def __call__(self, house: str, viewpoint: str, pose: int) -> dict[str, Any]:
        """The fields of an `Observation` that show something."""
        view = pose % VIEWS
        shown: dict[str, Any] = {}
        if "picture" in self._kinds:
            with self._drawing:
                picture = self._views(house, viewpoint)[view]
            shown["picture"] = png(picture)
        if self._sights is not None:
            sight = self._sights(house, viewpoint, view)
            shown |= {"text": describe(sight)} if "text" in self._kinds else {}
            shown |= {"symbols": sight.as_dict()} if "symbols" in self._kinds else {}
        if self._features:
            shown["features"] = {name: np.asarray(each[pose], "<f4").tobytes() for name, each in self._features.items()}
        return shown

    def _images_of(self, house: str) -> WorldImages:  # noqa: ARG002
        return world_images(self._folder, self._size, alone=True)

    def _views_of(self, house: str, viewpoint: str) -> NDArray[np.uint8]:
        return self._images(house)(house, viewpoint)


def png(picture: NDArray[np.uint8]) -> bytes:
    """A picture as a PNG file."""
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, "PNG")
    return buffer.getvalue()

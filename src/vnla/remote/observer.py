"""What an agent observes of a pose: a picture, words, symbols or features, as it has declared."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vnla.camera import HEIGHT, VIEWS, WIDTH
from vnla.houses.folder import WorldFolder
from vnla.houses.images import WorldImages, world_images
from vnla.observation import PICTURES, SYMBOLS, TEXT, VIEW
from vnla.remote.participant import Declaration
from vnla.vision.symbols import WorldSymbols, describe
from vnla.vision.views import Views, default_features, world_views
from vnla.world.compiled import World

_HOUSES = 4
"""Houses that are ready to be drawn together: episodes of one come after each other, of several threads at once."""
_VIEWPOINTS = 64


class WorldObserver:
    """Shows poses of a world to an agent. Several threads may ask."""

    def __init__(self, agent: Declaration, folder: WorldFolder, world: World) -> None:
        self._observes, self._folder = agent.observes, folder
        self._size = agent.picture_width, agent.picture_width * HEIGHT // WIDTH
        self._symbols = WorldSymbols(folder) if {TEXT, SYMBOLS} & set(agent.observes) else None
        self._features: dict[str, Views] = {}
        for name in (*([default_features(folder.path)] if VIEW in agent.observes else []), *agent.features):
            self._features |= world_views(folder, world, name)
        self._drawing = threading.Lock()
        self._images = lru_cache(_HOUSES)(self._images_of)
        self._pictures = lru_cache(_VIEWPOINTS)(self._pictures_of)
        if PICTURES in self._observes:
            world_images(folder, self._size)  # what cannot be drawn is said at once

    def __call__(self, house: str, viewpoint: str, pose: int) -> dict[str, Any]:
        """The keys of an observation that show something."""
        view = pose % VIEWS
        shown: dict[str, Any] = {}
        if PICTURES in self._observes:
            with self._drawing:
                shown[PICTURES] = self._pictures(house, viewpoint)[view]
        if self._symbols is not None:
            symbols = self._symbols(house, viewpoint, view)
            shown |= {TEXT: describe(symbols)} if TEXT in self._observes else {}
            shown |= {SYMBOLS: symbols.as_dict()} if SYMBOLS in self._observes else {}
        if self._features:
            shown[VIEW] = np.concatenate([np.asarray(each[pose], np.float32) for each in self._features.values()])
        return shown

    def _images_of(self, house: str) -> WorldImages:  # noqa: ARG002
        return world_images(self._folder, self._size, alone=True)

    def _pictures_of(self, house: str, viewpoint: str) -> NDArray[np.uint8]:
        return self._images(house)(house, viewpoint)

"""What an agent observes of a pose: a picture, words, symbols or features, as it declared; and the sensors it is lent."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from vnla.agents.panorama import level_poses, listed_exits
from vnla.agents.sensor_registry import sensors_named
from vnla.agents.sensors import Sensor
from vnla.camera import HEADINGS, HEIGHT, LEVEL_ROW, ROWS, VIEWS, WIDTH
from vnla.common.unknown import Unknown
from vnla.houses.folder import WorldFolder
from vnla.houses.images import WorldImages, world_images
from vnla.observation import (
    EXITS,
    PICTURES,
    PICTURES_AROUND,
    SENSOR,
    SENSORS,
    SYMBOLS,
    SYMBOLS_AROUND,
    TEXT,
    TEXT_AROUND,
    VIEW,
)
from vnla.observation import VIEWS as VIEWS_AROUND
from vnla.remote.evaluated_agent import Declaration
from vnla.vision.symbols import WorldSymbols, describe, describe_around
from vnla.vision.views import Views, default_features, world_views
from vnla.world.compiled import World

_HOUSES = 4
"""Houses that are ready to be drawn together: episodes of one come after each other, of several threads at once."""
_VIEWPOINTS = 64
NOBODY: Any = Unknown("an agent that was trained", "in a run; this sensor cannot be lent")
"""Stands for the agent where sensors are lent to whoever comes."""


class WorldObserver:
    """Shows poses of a world to an agent. Several threads may ask."""

    def __init__(self, agent: Declaration, folder: WorldFolder, world: World) -> None:
        self._observes, self._folder = agent.observes, folder
        self._size = agent.picture_width, agent.picture_width * HEIGHT // WIDTH
        in_words = {TEXT, SYMBOLS, TEXT_AROUND, SYMBOLS_AROUND}
        self._symbols = WorldSymbols(folder) if in_words & set(agent.observes) else None
        self._one_view = VIEW in agent.observes or bool(agent.features)
        self._features: dict[str, Views] = {}
        for name in _features_of(agent, folder):
            self._features |= world_views(folder, world, name)
        self._lent = agent.sensors
        self.sensors = self._ready(agent, world)
        """What the agent is lent, and its exits, in this world."""
        self._drawing = threading.Lock()
        self._images = lru_cache(_HOUSES)(self._images_of)
        self._pictures = lru_cache(_VIEWPOINTS)(self._pictures_of)
        self._rows = range(ROWS) if PICTURES in self._observes else range(LEVEL_ROW, LEVEL_ROW + 1)
        if {PICTURES, PICTURES_AROUND} & set(self._observes):
            world_images(folder, self._size)  # what cannot be drawn is said at once

    def __call__(self, house: str, viewpoint: str, pose: int) -> dict[str, Any]:
        """The keys of an observation that show something."""
        view = pose % VIEWS
        shown: dict[str, Any] = {}
        if {PICTURES, PICTURES_AROUND} & set(self._observes):
            shown |= self._in_pictures(house, viewpoint, view)
        if self._symbols is not None:
            shown |= self._in_words(self._symbols, house, viewpoint, view)
        if self._one_view:
            shown[VIEW] = self._seen(pose)
        if VIEWS_AROUND in self._observes:
            shown[VIEWS_AROUND] = self._seen(level_poses(torch.tensor([pose]))[0].numpy())
        return shown

    def _in_pictures(self, house: str, viewpoint: str, view: int) -> dict[str, Any]:
        with self._drawing:
            pictures = self._pictures(house, viewpoint)
        shown: dict[str, Any] = {PICTURES: pictures[view]} if PICTURES in self._observes else {}
        if PICTURES_AROUND in self._observes:
            first = (LEVEL_ROW - self._rows.start) * HEADINGS
            shown[PICTURES_AROUND] = pictures[first + (view + np.arange(HEADINGS)) % HEADINGS]
        return shown

    def _seen(self, pose: Any) -> NDArray[np.float32]:
        """The features of one pose, or of several."""
        return np.concatenate([np.asarray(each[pose], np.float32) for each in self._features.values()], axis=-1)

    def _in_words(self, symbols: WorldSymbols, house: str, viewpoint: str, view: int) -> dict[str, Any]:
        shown: dict[str, Any] = {}
        if {TEXT, SYMBOLS} & set(self._observes):
            sight = symbols(house, viewpoint, view)
            shown |= {TEXT: describe(sight), SYMBOLS: sight.as_dict()}
        if {TEXT_AROUND, SYMBOLS_AROUND} & set(self._observes):
            sights = symbols.around(house, viewpoint, view)
            shown |= {TEXT_AROUND: describe_around(sights), SYMBOLS_AROUND: [each.as_dict() for each in sights]}
        return {key: each for key, each in shown.items() if key in self._observes}

    def _ready(self, agent: Declaration, world: World) -> Mapping[str, Sensor]:
        """The sensors that are declared, and that of the exits where these are."""
        named = sensors_named(",".join((*agent.sensors, *({EXITS} & set(agent.observes)))))
        tables = {name: torch.from_numpy(np.asarray(each)) for name, each in self._features.items()}
        return {name: sensor.ready(NOBODY, world, tables) for name, sensor in named.items()}

    def sensed(self, numbers: Mapping[str, NDArray[np.float32]]) -> dict[str, Any]:
        """The keys of an observation that have what the sensors say."""
        lent = {name: numbers[name] for name in self._lent}
        found: dict[str, Any] = {SENSORS: lent} if lent else {}
        return found | ({EXITS: listed_exits(torch.from_numpy(numbers[EXITS]))} if EXITS in self._observes else {})

    def _images_of(self, house: str) -> WorldImages:  # noqa: ARG002
        return world_images(self._folder, self._size, alone=True, rows=self._rows)

    def _pictures_of(self, house: str, viewpoint: str) -> NDArray[np.uint8]:
        return self._images(house)(house, viewpoint)


def _features_of(agent: Declaration, folder: WorldFolder) -> tuple[str, ...]:
    """The names of the features that an agent observes; the world's own where it declares them without a name."""
    around = {VIEWS_AROUND, f"{SENSOR}panorama", f"{SENSOR}panorama-all"} & set(agent.observes)
    usual = VIEW in agent.observes or (around and not agent.features)
    return (*([default_features(folder.path)] if usual else []), *agent.features)

"""What an environment shows of a pose: a row of a feature array, a picture, or words."""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray

from vnla.agents.panorama import METRES, MOST_EXITS, Exits, ExitTables, level_poses
from vnla.camera import HEADINGS, VIEWS, Ints, view_angles
from vnla.common.errors import InputError
from vnla.episode import StepContext
from vnla.observation import EXITS, PICTURES, TEXT, TEXT_AROUND, VIEW
from vnla.observation import VIEWS as VIEWS_AROUND
from vnla.vision.symbolic import SymbolicFeatures
from vnla.vision.symbols import WorldSymbols, describe, describe_around
from vnla.world.compiled import World

Images = Callable[[str, str, float, float, int, int], NDArray[np.uint8]]
"""(house, viewpoint id, heading, elevation, width, height) → RGB (height, width, 3); angles in radians."""

POSE = "pose"
LONGEST_TEXT = 4096
"""Characters of a view in words."""


class ViewSource(Protocol):
    """How poses become what the agent sees."""

    @property
    def key(self) -> str:
        """Under which key it stands in an observation (`vnla.observation`)."""

    @property
    def space(self) -> spaces.Space[Any]:
        """What one agent may see."""

    @property
    def around(self) -> dict[str, spaces.Space[Any]]:
        """What one agent may see of the twelve level headings, by key; nothing where that cannot be shown."""

    def look_around(self, pose: Ints) -> dict[str, Any]:
        """What agents at `pose` (batch,) see of them."""

    def __call__(self, pose: Ints) -> Any:
        """What agents at `pose` (batch,) see: an entry for each."""


@dataclass(frozen=True)
class FeatureViews:
    """Shows one row of a feature array."""

    key: ClassVar[str] = VIEW
    array: NDArray[Any]  # (viewpoints, 36, values)
    low: float = -np.inf
    high: float = np.inf
    labels: tuple[str, ...] = ()
    """What the values stand for, where that has names."""

    @classmethod
    def of(cls, features: NDArray[Any] | SymbolicFeatures, world: World) -> FeatureViews:
        """The features of this world's viewpoints."""
        if isinstance(features, SymbolicFeatures):
            return cls(features.array, 0.0, 1.0, features.labels)
        if features.ndim != 3 or features.shape[:2] != (len(world.ids), VIEWS):
            raise InputError(
                f"features: the shape is {features.shape}, but this world needs ({len(world.ids)}, {VIEWS}, values)"
            )
        return cls(features)

    @property
    def space(self) -> spaces.Box:
        return spaces.Box(self.low, self.high, self.array.shape[2:], np.float32)

    @property
    def around(self) -> dict[str, spaces.Space[Any]]:
        shape = (HEADINGS, *self.array.shape[2:])
        return {VIEWS_AROUND: spaces.Box(self.low, self.high, shape, np.float32)}

    def look_around(self, pose: Ints) -> dict[str, Any]:
        rows = level_poses(torch.from_numpy(pose)).numpy()
        return {VIEWS_AROUND: np.asarray(self.array[rows // VIEWS, rows % VIEWS], dtype=np.float32)}

    def __call__(self, pose: Ints) -> NDArray[Any]:
        return np.asarray(self.array[pose // VIEWS, pose % VIEWS], dtype=np.float32)


@dataclass(frozen=True)
class ImageViews:
    """Shows pictures, one call for each."""

    key: ClassVar[str] = PICTURES
    images: Images
    world: World
    width: int
    height: int

    @property
    def space(self) -> spaces.Box:
        return spaces.Box(0, 255, (self.height, self.width, 3), np.uint8)

    @property
    def around(self) -> dict[str, spaces.Space[Any]]:
        return {}

    def look_around(self, pose: Ints) -> dict[str, Any]:  # noqa: ARG002
        return {}

    def __call__(self, pose: Ints) -> NDArray[np.uint8]:
        places = places_of(self.world, pose // VIEWS)
        return np.stack([self._picture(*place, view) for place, view in zip(places, (pose % VIEWS).tolist(), strict=True)])

    def _picture(self, house: str, name: str, view: int) -> NDArray[np.uint8]:
        heading, elevation = view_angles()
        picture = self.images(house, name, float(heading[view]), float(elevation[view]), self.width, self.height)
        if picture.shape != (self.height, self.width, 3) or picture.dtype != np.uint8:
            raise InputError(
                f"images: viewpoint {name} of house {house} came as {picture.dtype} {picture.shape}, "
                f"not as bytes {(self.height, self.width, 3)}"
            )
        return picture


@dataclass(frozen=True)
class TextViews:
    """Shows what is in view in words."""

    key: ClassVar[str] = TEXT
    symbols: WorldSymbols
    world: World

    @property
    def space(self) -> spaces.Text:
        return spaces.Text(LONGEST_TEXT, min_length=0, charset=frozenset(string.printable))

    @property
    def around(self) -> dict[str, spaces.Space[Any]]:
        return {TEXT_AROUND: self.space}

    def look_around(self, pose: Ints) -> dict[str, Any]:
        return {TEXT_AROUND: tuple(_short(describe_around(self.symbols.around(*place))) for place in self._places(pose))}

    def __call__(self, pose: Ints) -> tuple[str, ...]:
        return tuple(_short(describe(self.symbols(*place))) for place in self._places(pose))

    def _places(self, pose: Ints) -> list[tuple[str, str, int]]:
        """House, viewpoint and view of each pose."""
        places = places_of(self.world, pose // VIEWS)
        return [(*place, view) for place, view in zip(places, (pose % VIEWS).tolist(), strict=True)]


@dataclass(frozen=True)
class PoseViews:
    """Shows where an agent is, which the task hides from it."""

    key: ClassVar[str] = POSE
    position: NDArray[np.float64]  # (viewpoints, 3)

    @classmethod
    def of(cls, world: World) -> PoseViews:
        """In this world."""
        return cls(np.concatenate([graph.position for graph in world.graphs]))

    @property
    def space(self) -> spaces.Box:
        return spaces.Box(-np.inf, np.inf, (5,), np.float32)

    @property
    def around(self) -> dict[str, spaces.Space[Any]]:
        return {}

    def look_around(self, pose: Ints) -> dict[str, Any]:  # noqa: ARG002
        return {}

    def __call__(self, pose: Ints) -> NDArray[np.float32]:
        """x, y and z in metres, heading and elevation in radians: (batch, 5)."""
        angles = np.stack(view_angles(), axis=1)[pose % VIEWS]
        return np.concatenate([self.position[pose // VIEWS], angles], axis=1).astype(np.float32)


@dataclass(frozen=True)
class AroundViews:
    """Shows what is all around a viewpoint: the twelve level headings as far as a source has them, and the exits."""

    sources: tuple[ViewSource, ...]
    exits: Exits

    @classmethod
    def of(cls, sources: tuple[ViewSource, ...], world: World) -> AroundViews:
        """In this world."""
        return cls(sources, Exits(ExitTables.of(world)))

    @property
    def spaces(self) -> dict[str, spaces.Space[Any]]:
        """What one agent may see."""
        farthest = float(self.exits.tables.distance.max()) / METRES
        exits = spaces.Box(-2, max(HEADINGS, farthest), (MOST_EXITS, len(Exits.FIELDS)), np.float32)
        return {**{key: space for source in self.sources for key, space in source.around.items()}, EXITS: exits}

    def __call__(self, now: StepContext) -> dict[str, Any]:
        """What agents see in a time step: an entry for each."""
        exits = self.exits(now).reshape(len(now.pose), MOST_EXITS, -1)
        pose = now.pose.cpu().numpy()
        seen = {key: value for source in self.sources for key, value in source.look_around(pose).items()}
        return {**seen, EXITS: exits.cpu().numpy()}


def _short(text: str) -> str:
    return text.encode("ascii", "replace").decode()[:LONGEST_TEXT]


def places_of(world: World, viewpoints: Ints) -> list[tuple[str, str]]:
    """The house and the id of each viewpoint."""
    houses = np.searchsorted(world.first.cpu().numpy(), viewpoints, side="right") - 1
    pairs = zip(houses.tolist(), viewpoints.tolist(), strict=True)
    return [(world.houses[house], world.ids[viewpoint]) for house, viewpoint in pairs]

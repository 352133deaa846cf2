"""Observations of a data set's episodes, beside the actions: words as tokens, poses, features, pictures."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vnla.camera import VIEWS, Ints
from vnla.common.errors import InputError
from vnla.gym.tokens import InstructionTokens
from vnla.gym.views import PoseViews, places_of
from vnla.houses.images import WorldImages, world_images
from vnla.recordings.sources import EpisodeSource
from vnla.vision.views import Views, default_features, world_views

KINDS = ("tokens", "poses", "features", "pictures")
SIZE = (160, 120)
_QUALITY = 90  # of JPEG files


def kinds_in(text: str) -> tuple[str, ...]:
    """Return the kinds that a person named, `tokens,poses` say."""
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in KINDS:
            raise InputError(f"observations {text!r}: {name!r} is none of {', '.join(KINDS)}")
    return tuple(kind for kind in KINDS if kind in names)


@dataclass(frozen=True)
class Observer:
    """Looks at poses of a source's world, and reads its instructions."""

    source: EpisodeSource
    kinds: tuple[str, ...]
    features: str | None = None
    """Names of features; None: those of the world."""
    size: tuple[int, int] = SIZE
    """Of pictures: width, height."""

    def __post_init__(self) -> None:
        """Whoever asks for what is not there learns it at once."""
        if "features" in self.kinds:
            _ = self.views
        if "pictures" in self.kinds:
            houses = {house.name: house for house in self.source.folder.houses}
            lacking = [name for name, house in houses.items() if not self.images.source.has(house)]
            if lacking:
                raise InputError(f"{self.source.folder.path}: there are no pictures of house {lacking[0]}")

    def tokens(self, instructions: Sequence[str]) -> Ints:
        """Return words as numbers, filled up with 0: (instructions, LONGEST)."""
        return InstructionTokens(self.source.vocabulary)(instructions)

    @cached_property
    def poses(self) -> PoseViews:
        """x, y and z in metres, heading and elevation in radians: (poses, 5)."""
        return PoseViews.of(self.source.world)

    def places(self, pose: Ints) -> list[str]:
        """Return the ids of the viewpoints."""
        return [self.source.world.ids[viewpoint] for viewpoint in (pose // VIEWS).tolist()]

    @cached_property
    def views(self) -> dict[str, Views]:
        """Features by name: a row for every pose of the world."""
        return world_views(self.source.folder, self.source.world, self.feature_names)

    @property
    def feature_names(self) -> str:
        """Their names, with commas between several."""
        return self.features or default_features(self.source.folder.path)

    def pictures(self, pose: Ints) -> Iterator[NDArray[np.uint8]]:
        """Return what is seen, (height, width, 3) each."""
        for (house, viewpoint), view in zip(
            places_of(self.source.world, pose // VIEWS), (pose % VIEWS).tolist(), strict=True
        ):
            yield self._all_views(house, viewpoint)[view]

    def files(self, pose: Ints) -> list[bytes]:
        """Return the same as JPEG files."""
        return [_jpeg(picture) for picture in self.pictures(pose)]

    @cached_property
    def images(self) -> WorldImages:
        """The pictures of the world."""
        return world_images(self.source.folder, self.size)

    @cached_property
    def _all_views(self) -> Callable[[str, str], NDArray[np.uint8]]:
        return lru_cache(maxsize=64)(self.images)


def _jpeg(picture: NDArray[np.uint8]) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, format="JPEG", quality=_QUALITY)
    return buffer.getvalue()

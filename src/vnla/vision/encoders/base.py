"""What an encoder is: uint8 images in, one float32 vector an image out. Frozen: nothing here is ever trained."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vnla.camera import VIEWS
from vnla.common.errors import InputError

Images = NDArray[np.uint8]
Float32 = NDArray[np.float32]

LONGEST_SIDE = 4096


class Size(NamedTuple):
    """Width and height of an image in pixels."""

    width: int
    height: int

    @classmethod
    def parse(cls, text: str) -> Size:
        """The size that a person wrote, such as `224x168`."""
        width, _, height = text.lower().replace("×", "x").partition("x")
        if not (width.isascii() and width.isdigit() and height.isascii() and height.isdigit()):
            raise InputError(f"size {text!r}: expected WIDTHxHEIGHT, such as 224x168")
        size = cls(int(width), int(height))
        if not all(32 <= side <= LONGEST_SIDE for side in size):
            raise InputError(f"size {text!r}: both sides must be between 32 and {LONGEST_SIDE} pixels")
        return size

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"


@dataclass(frozen=True)
class EncoderOptions:
    """What a person may choose about an encoder; None leaves the choice to it."""

    weights: Path | None = None
    """A file of weights, for encoders that have several or bring none along."""
    device: str | None = None
    size: Size | None = None
    half: bool = False
    """Half precision on a GPU. Features then differ from float32 in the third digit."""
    seed: int = 0
    """Of the weights of encoders that are random on purpose."""


class Encoder(ABC):
    """Images to feature vectors. An image's features depend neither on its batch nor on its place in it, beyond rounding."""

    name: str
    """As on the command line; anybody's own gets the name by which it was asked for."""
    dimension: int
    size: Size = Size(224, 168)
    """Of the images that it expects."""
    weights: str = "none"
    """What tells these weights from others: the start of a checksum, or where they come from."""
    options: Mapping[str, Any] = MappingProxyType({})
    """What it was made with that decides its features and that neither its name nor its weights tell."""
    device: str = "cpu"
    batch: int = VIEWS
    """How many images to hand over at once, at least those of one viewpoint: on a CPU more gain nothing."""
    panoramic: bool = False
    """Whether an image is one picture all around a viewpoint (`vnla.camera`), with all views' features in it."""
    travels: bool = False
    """Whether it can be sent to other processes and runs there in one thread, with the same features."""

    @property
    def images(self) -> int:
        """How many images it needs of a viewpoint."""
        return 1 if self.panoramic else VIEWS

    def encode(self, images: Images) -> Float32:
        """Features (n, dimension) of images (n, height, width, 3), RGB; (36·n, dimension) of pictures all around."""
        expected = (self.size.height, self.size.width, 3)
        if images.dtype != np.uint8 or images.ndim != 4 or images.shape[1:] != expected:
            raise InputError(
                f"{self.name}: expected bytes of shape (n, {', '.join(map(str, expected))}), not {_kind(images)}"
            )
        if not len(images):
            return np.zeros((0, self.dimension), dtype=np.float32)
        # PyTorch warns of arrays that it could not write on, such as a memory-mapped file's.
        features = self._encode(np.require(images, requirements=["C", "W"]))
        self._check(features, (len(images) * VIEWS // self.images, self.dimension))
        return features

    def _check(self, features: object, shape: tuple[int, int]) -> None:
        """Refuse what is no float32 of that shape, or not a number somewhere; features are kept for good."""
        if not isinstance(features, np.ndarray) or features.shape != shape or features.dtype != np.float32:
            given = _kind(features) if isinstance(features, np.ndarray) else f"a {type(features).__name__}"
            raise InputError(f"encoder {self.name}: _encode returned {given}; expected float32 of shape {shape}")
        if not np.isfinite(features).all():
            wrong = features[~np.isfinite(features)][0]
            raise InputError(f"encoder {self.name}: _encode returned {wrong}; expected finite numbers")

    @abstractmethod
    def _encode(self, images: Images) -> Float32:
        """`encode` for at least one image of the right shape."""


def _kind(images: NDArray[np.generic]) -> str:
    return f"{images.dtype} of shape {images.shape}"

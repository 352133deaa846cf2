"""Encoders for tests, named as anybody's are: `vision.eyes:Dim`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vnla.vision.encoders import Encoder
from vnla.vision.encoders.base import Float32, Images


@dataclass(frozen=True)
class Dim(Encoder):
    """Mean brightness, `times` over; an encoder may be a frozen dataclass."""

    times: int = 1
    size: tuple[int, int] = (64, 48)  # type: ignore[assignment]

    @property
    def dimension(self) -> int:  # type: ignore[override]
        return self.times

    def _encode(self, images: Images) -> Float32:
        return np.repeat(images.mean(axis=(1, 2, 3), dtype=np.float32)[:, None], self.times, axis=1)


class Shapeless(Encoder):
    """Gives less than it says."""

    dimension = 3

    def _encode(self, images: Images) -> Float32:
        return np.zeros((len(images), 2), np.float32)


class Doubled(Encoder):
    """Gives numbers of another kind."""

    dimension = 3

    def _encode(self, images: Images) -> Float32:
        return np.zeros((len(images), 3))  # type: ignore[return-value]


class Listed(Encoder):
    """Gives no array."""

    dimension = 3

    def _encode(self, images: Images) -> Float32:
        return [[0.0, 0.0, 0.0] for _ in images]  # type: ignore[return-value]


class Dazzled(Encoder):
    """Gives what is no number."""

    dimension = 3

    def _encode(self, images: Images) -> Float32:
        return np.full((len(images), 3), np.nan, np.float32)


class Undecided(Encoder):
    """Does not say how much it gives."""

    def _encode(self, images: Images) -> Float32:  # noqa: ARG002
        raise AssertionError

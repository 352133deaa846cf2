"""Pictures and encoders that can be sent to other processes, for tests of extraction; loaded there, so it stays light."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.vision.encoders.base import Encoder, Float32, Images, Size

if TYPE_CHECKING:
    from vnla.vision.store import Header

SIZE = Size(32, 24)
PLACES = tuple((house, f"v{i}") for house in ("one", "two") for i in range(5))


class Brightness(Encoder):
    """The value of the first pixel, so that each feature names its image; remembers how many images came at once."""

    name, dimension, size, weights = "brightness", 1, SIZE, "none"

    def __init__(self) -> None:
        self.calls: list[int] = []

    def _encode(self, images: Images) -> Float32:
        self.calls.append(len(images))
        return images[:, 0, 0, :1].astype(np.float32)


class Travelling(Brightness):
    """The same, taken along by the processes."""

    travels = True


class Around(Brightness):
    """The values of the first row of one picture all around, a pixel for each view."""

    panoramic, size = True, Size(VIEWS, 24)

    def _encode(self, images: Images) -> Float32:
        self.calls.append(len(images))
        return images[:, 0, :, 0].reshape(-1, 1).astype(np.float32)


class TravellingAround(Around):
    """The same, taken along by the processes."""

    travels = True


def pictures(house: str, viewpoint: str) -> NDArray[np.uint8]:
    number = PLACES.index((house, viewpoint))
    values = (number * 20 + np.arange(VIEWS)).astype(np.uint8)
    return np.broadcast_to(values[:, None, None, None], (VIEWS, SIZE.height, SIZE.width, 3))


class LevelPictures:
    """Pictures of the level views alone."""

    def __call__(self, house: str, viewpoint: str) -> NDArray[np.uint8]:
        return pictures(house, viewpoint)[12:24]


def around(house: str, viewpoint: str) -> NDArray[np.uint8]:
    """One picture with a column for each view."""
    return np.broadcast_to(pictures(house, viewpoint)[None, :, 0, 0].astype(np.uint8), (1, 24, VIEWS, 3)).copy()


EXPECTED = np.array([(i * 20 + np.arange(VIEWS)) % 256 for i in range(len(PLACES))], dtype=np.float32)[:, :, None]


@dataclass(frozen=True)
class Noted:
    """Pictures; which were made is noted in a folder, by empty files. Something happens at one of them."""

    folder: Path
    happens: str = ""
    at: str = ""

    def __call__(self, house: str, viewpoint: str) -> NDArray[np.uint8]:
        if f"{house} {viewpoint}" == self.at:
            happen(self.happens)
        (self.folder / f"{house} {viewpoint}").touch()
        return pictures(house, viewpoint)

    @property
    def made(self) -> list[str]:
        return sorted(file.name for file in self.folder.iterdir())


def happen(what: str) -> None:
    if what == "complaint":
        raise InputError("out of film")
    if what == "fault":
        raise ValueError("the\nlens fell off")
    if what == "death":
        os.kill(os.getpid(), signal.SIGKILL)


def large(house: str, viewpoint: str) -> NDArray[np.uint8]:
    return np.repeat(np.repeat(pictures(house, viewpoint), 2, axis=1), 2, axis=2)


class Slow:
    """Pictures that take their time, the last ones longer than any test."""

    def __call__(self, house: str, viewpoint: str) -> NDArray[np.uint8]:
        time.sleep(600 if viewpoint == PLACES[-1][1] else 0.1)
        return pictures(house, viewpoint)


def header(encoder: Encoder) -> Header:
    """Of a store of these pictures."""
    from vnla.vision.store import Header

    return Header(encoder.name, encoder.weights, encoder.dimension, encoder.size, 60.0, "", PLACES)


@dataclass(frozen=True)
class Errand:
    """Something to do beforehand: leaves the number of the process that did it, or fails."""

    path: Path
    fails: bool = False

    def __call__(self) -> None:
        if self.fails:
            raise InputError("no kernels")
        self.path.write_text(str(os.getpid()), encoding="utf-8")

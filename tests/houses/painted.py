"""Sources of pictures for tests, named as anybody's are: `houses.painted:Plain`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vnla.houses.folder import WorldFolder
from vnla.houses.house import House, Viewpoint
from vnla.houses.pictures import PictureSource
from vnla.houses.skybox import Faces


@dataclass(frozen=True)
class Plain(PictureSource):
    """One grey everywhere; a source may be a frozen dataclass."""

    world: WorldFolder
    grey: int = 7

    def faces(self, house: House, stand: Viewpoint, size: int) -> Faces:  # noqa: ARG002
        return np.full((6, size, size, 3), self.grey, np.uint8)


class Torn(PictureSource):
    """Faces of a wrong shape."""

    def faces(self, house: House, stand: Viewpoint, size: int) -> Faces:  # noqa: ARG002
        return np.zeros((5, size, size, 3), np.uint8)


class Lonely(PictureSource):
    """Does not take its world."""

    def __init__(self) -> None:
        pass

    def faces(self, house: House, stand: Viewpoint, size: int) -> Faces:  # noqa: ARG002
        raise AssertionError

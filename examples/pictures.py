"""A source of pictures of your own: every kind of room in its own colour, lighter above and darker below.

From the folder that holds `examples`, for a world that you have imported, say:

    vnla world set worlds/mp3d --pictures examples.pictures:Painted --option contrast=0.3
    vnla world show worlds/mp3d --pictures pictures
    vnla features make worlds/mp3d --encoder pixels

`vnla world set worlds/mp3d --pictures default` takes it back.
"""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from vnla import House, PictureSource, Viewpoint, WorldFolder, face_directions


class Painted(PictureSource):
    """Rooms without furniture. The walls are a little darker towards the south, so that one can tell where one looks."""

    def __init__(self, world: WorldFolder, contrast: float = 0.5) -> None:
        super().__init__(world)
        if not 0 <= contrast <= 1:
            raise ValueError(f"contrast is {contrast}; choose 0 to 1")
        self.contrast = contrast

    def faces(self, house: House, stand: Viewpoint, size: int) -> NDArray[np.uint8]:
        """Six cube faces (6, size, size, 3): what is to be seen in each direction."""
        _, north, up = np.moveaxis(face_directions(size, stand.rotation), -1, 0)  # (6, size, size) each, -1 to 1
        light = 1 + self.contrast * (0.6 * up + 0.4 * north - 1) / 2
        faces: NDArray[np.uint8] = (light[..., None] * self.colour(house, stand)).astype(np.uint8)
        return faces

    def colour(self, house: House, stand: Viewpoint) -> tuple[int, int, int]:
        """The colour of the kind of room that a viewpoint is in; grey where that is not known."""
        room = house.room_of(house.number[stand.id])
        if room is None:
            return 128, 128, 128
        number = zlib.crc32(room.name.encode())
        return 64 + number % 192, 64 + number // 192 % 192, 64 + number // 192**2 % 192

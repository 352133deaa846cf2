"""The source `panoramas`: one picture a viewpoint, of all that is around it, twice as wide as high."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image

from vnla.common.errors import InputError
from vnla.houses.folder import WorldFolder
from vnla.houses.house import UPRIGHT, House, Viewpoint
from vnla.houses.pictures.base import PictureSource
from vnla.houses.skybox import Faces, face_directions

NAME = "panoramas"
SUFFIXES = (".jpg", ".jpeg", ".png", ".webp")
WIDEST = 16_384


class Panoramas(PictureSource):
    """Pictures that are files: `<folder>/<house>/<viewpoint>.jpg`, or png or webp.

    Their middle looks north, or where the viewpoint's heading says. `folder` may be meant from the world's folder.
    """

    def __init__(self, world: WorldFolder, folder: str = "pictures") -> None:
        super().__init__(world)
        self._folder = world.path / Path(folder).expanduser()

    def faces(self, house: House, stand: Viewpoint, size: int) -> Faces:
        """The picture on the faces of a cube."""
        path = self.file(house, stand)
        if path is None:
            where = self._folder / house.name / f"{stand.id}{SUFFIXES[0]}"
            raise InputError(f"{where}: no such file; expected the picture of this viewpoint, twice as wide as high")
        return _faces(path, path.stat().st_mtime_ns, size)

    def has(self, house: House) -> bool:
        """Whether all viewpoints of a house have one."""
        return all(self.file(house, stand) is not None for stand in house.viewpoints if stand.included)

    def file(self, house: House, stand: Viewpoint) -> Path | None:
        """The picture of a viewpoint, if there is one."""
        names = (self._folder / house.name / f"{stand.id}{suffix}" for suffix in SUFFIXES)
        return next((name for name in names if name.is_file()), None)


@lru_cache(maxsize=8)
def _faces(path: Path, _changed: int, size: int) -> Faces:
    """The faces, by the nearest point of the picture; where they look the picture's own axes say."""
    picture = _pixels(path)
    height, width = picture.shape[:2]
    # As if it looked north: the viewpoint's rotation is applied where views are cut.
    east, north, up = np.moveaxis(face_directions(size, UPRIGHT), -1, 0)  # (6, size, size) each
    across = (np.arctan2(east, north) / (2 * np.pi) + 0.5) * width
    down = (0.5 - np.arcsin(np.clip(up, -1, 1)) / np.pi) * height
    column = np.clip(across.astype(np.int64), 0, width - 1)
    row = np.clip(down.astype(np.int64), 0, height - 1)
    faces: Faces = picture[row, column]
    faces.flags.writeable = False
    return faces


def _pixels(path: Path) -> Faces:
    try:
        with Image.open(path) as picture:
            if picture.width != 2 * picture.height or picture.width > WIDEST:
                raise InputError(
                    f"{path}: {picture.width}×{picture.height} pixels; expected a picture twice as wide as high,"
                    f" and no wider than {WIDEST:,}"
                )
            pixels: Faces = np.asarray(picture.convert("RGB"))
            return pixels
    except InputError:
        raise
    except Exception as error:  # a decoder of a stranger's picture raises whatever comes up in it
        raise InputError(f"{path}: cannot be read as an image ({error})") from None

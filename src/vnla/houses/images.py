"""The pictures of a world as the agent has them: the simulator's 36 views of every viewpoint, and what is seen in them.

Where they come from is the world's own affair (`vnla.houses.pictures`): any source gives six cube faces at a viewpoint, from
which the same code cuts the views.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vnla.camera import HEADINGS, HEIGHT, LEVEL_ROW, ROWS, WIDTH
from vnla.common.errors import InputError
from vnla.houses.folder import WorldFolder
from vnla.houses.house import UPRIGHT, House, Viewpoint
from vnla.houses.pictures import PictureSource, picture_source
from vnla.houses.sightings import counted
from vnla.houses.skybox import FACES, Faces

if TYPE_CHECKING:
    from vnla.houses.render.panorama import Panorama

FACE = 288
"""Side of a cube face in pixels where views are 224 wide: a little finer than the views, so that they are not blurred."""


@dataclass
class WorldImages:
    """Pictures of all viewpoints of a world. Calling it gives the 36 views of one, (36, height, width, 3), RGB, the level
    ones of them, or one picture all around, (1, height, width, 3).

    It can be sent to other processes.
    """

    folder: WorldFolder
    width: int = 224
    height: int = 168
    alone: bool = False
    """Whether it keeps to the thread that calls it: one of several processes, each with houses of its own."""
    panoramic: bool = False
    """Whether it gives one picture all around in place of the views, as `vnla.camera` says."""
    rows: range = range(ROWS)
    """Which rows of views it gives: 0 looks down, 1 level, 2 up."""

    def __reduce__(self) -> tuple[type[WorldImages], tuple[WorldFolder, int, int, bool, bool, range]]:
        return WorldImages, (self.folder, self.width, self.height, self.alone, self.panoramic, self.rows)

    @cached_property
    def source(self) -> PictureSource:
        """Where they come from."""
        source = picture_source(self.folder)
        if self.alone:
            source.keep_to_one_thread()
        return source

    def __call__(self, house: str, viewpoint: str) -> NDArray[np.uint8]:
        """The views of a viewpoint, or the one picture of them."""
        from vnla.houses.render.panorama import around_of, views_of

        faces, rotation = self.faces(house, viewpoint), self._stand(house, viewpoint).rotation
        if self.panoramic:
            return around_of(faces, rotation)[None]
        only = slice(self.rows.start * HEADINGS, self.rows.stop * HEADINGS)
        return views_of(faces, self.width, self.height, rotation=rotation, only=only)

    def faces(self, house: str, viewpoint: str) -> Faces:
        """The panorama's faces: (6, size, size, 3), RGB. Of level views alone those above and below may be empty."""
        stand, size = self._stand(house, viewpoint), round(FACE * self.width / 224)
        level = not self.panoramic and self.rows == range(LEVEL_ROW, LEVEL_ROW + 1) and stand.rotation == UPRIGHT
        draw = self.source.level_faces if level else self.source.faces
        faces = draw(self._houses[house], stand, size)
        shape = np.shape(faces)
        if getattr(faces, "dtype", None) != np.uint8 or len(shape) != 4 or shape != (FACES, shape[1], shape[1], 3):
            kind = type(self.source).__name__
            raise InputError(
                f"{self.folder.path}: the pictures of viewpoint {viewpoint} of house {house} are not six square faces: "
                f"{kind} gave {getattr(faces, 'dtype', type(faces).__name__)} of shape {shape}, not uint8 of (6, n, n, 3)"
            )
        return faces

    def panorama(self, house: str, viewpoint: str, size: int) -> Panorama:
        """The panorama of a viewpoint with object ids and depth, from a source that knows them."""
        return self.source.panorama(self._houses[house], self._stand(house, viewpoint), size)

    def sightings(self, house: str, size: int = 128) -> NDArray[np.void]:
        """Which objects are seen in which views of a house, from a source that knows: an array of `SIGHTING` records."""
        found = self._houses[house]
        return counted(found, lambda stand: self.source.objects(found, stand, size))

    @cached_property
    def _houses(self) -> dict[str, House]:
        return {house.name: house for house in self.folder.houses}

    def _stand(self, house: str, viewpoint: str) -> Viewpoint:
        if house not in self._houses or viewpoint not in self._houses[house].number:
            raise InputError(f"{self.folder.path}: has no viewpoint {viewpoint} in a house {house}")
        found = self._houses[house]
        return found.viewpoints[found.number[viewpoint]]


def world_images(
    folder: WorldFolder,
    size: tuple[int, int] = (224, 168),
    *,
    alone: bool = False,
    panoramic: bool = False,
    rows: range = range(ROWS),
) -> WorldImages:
    """Pictures of a world's views, or of some `rows` of them, `size` (width, height) each; 4:3 as the simulator's 640×480.

    With `panoramic` one picture all around is given in their place, of as many details as views of that size have.
    """
    if size[0] * HEIGHT != size[1] * WIDTH:
        raise InputError(f"views of {size[0]}×{size[1]}: the simulator's camera is {WIDTH}:{HEIGHT}")
    images = WorldImages(folder, *size, alone, panoramic, rows)
    _ = images.source  # whoever asks learns at once, and not in another process, that it cannot be made
    return images

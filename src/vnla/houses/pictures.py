"""Pictures of a world: six cube faces a viewpoint, from which the simulator's 36 views are cut.

Sources by name: `generated`, `skybox`, `panoramas`, `boxes`, and anybody's as `package.module:Class`. `world.json` names the
source of a world, `"pictures": {"source": "skybox", "options": {"scans": "/data/v1/scans"}}` (`vnla world set`). A world
that names none has photographs where they lie in its folder, and else is drawn if it was generated.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vnla.common.errors import InputError
from vnla.common.machine import cores_here
from vnla.common.registry import build
from vnla.houses.boxes import has_boxes, scene_of_boxes
from vnla.houses.folder import WorldFolder
from vnla.houses.generate.world import recipe_of
from vnla.houses.house import UPRIGHT, House, Point, Rotation, Viewpoint
from vnla.houses.mirror import mirrored_faces, mirrored_point, mirrored_rotation, mirrors_of
from vnla.houses.skybox import FACES, Faces, face_directions, load_skybox, skybox_files

if TYPE_CHECKING:
    from vnla.houses.render.panorama import Panorama
    from vnla.houses.render.stage import PreparedScene

SCANS = "v1/scans"
IMAGES = "matterport_skybox_images"
PANORAMAS, BOXES = "panoramas", "boxes"
SUFFIXES = (".jpg", ".jpeg", ".png", ".webp")
WIDEST = 16_384
AROUND = range(1, 5)
"""The faces of an upright panorama that look level."""
MOST_WAITING = 64
"""Viewpoints whose faces wait for the mirror image of their house: more than one order has."""


class PictureSource(ABC):
    """Pictures of one world. It is made with the world's folder and, by name, the options that `world.json` has for it.

    Several processes may draw a world: each makes a source of its own, so it need not be sent from one to another.
    """

    def __init__(self, world: WorldFolder) -> None:
        self.world = world

    def keep_to_one_thread(self) -> None:  # noqa: B027
        """Told before the first picture in each of several processes that draw a world together: use no threads."""

    @abstractmethod
    def faces(self, house: House, stand: Viewpoint, size: int) -> Faces:
        """The faces (6, n, n, 3), RGB bytes, around a viewpoint: in the order of `vnla.houses.skybox`, and turned by the
        viewpoint's rotation. `size` is an n that suits the views; another is as good."""

    def level_faces(self, house: House, stand: Viewpoint, size: int) -> Faces:
        """The same for level views of an upright viewpoint, which show nothing of the faces above and below: these may be
        empty."""
        return self.faces(house, stand, size)

    def has(self, house: House) -> bool:  # noqa: ARG002
        """Whether there are pictures of all viewpoints of a house that one can stand at."""
        return True

    def knows_objects(self, house: House) -> bool:  # noqa: ARG002
        """Whether `panorama` says which objects of a house are seen."""
        return False

    def panorama(self, house: House, stand: Viewpoint, size: int) -> Panorama:  # noqa: ARG002
        """The faces with the ids of the objects in them and their depth, where these are known."""
        raise InputError(f"{self.world.path}: the pictures of {house.name} do not tell which objects they show")

    def objects(self, house: House, stand: Viewpoint, size: int) -> NDArray[np.int32]:
        """The ids of the objects in `panorama` alone: (6, size, size)."""
        return self.panorama(house, stand, size).objects


class GeneratedPictures(PictureSource):
    """Pictures that are drawn when they are asked for."""

    def __init__(self, world: WorldFolder) -> None:
        super().__init__(world)
        self._alone = False
        self._kept: tuple[str, PreparedScene] | None = None
        self._stages: dict[str, Future[PreparedScene]] = {}
        self._asked: tuple[str | None, str | None] = (None, None)  # the house before and the one now
        self._lock = threading.Lock()
        self._maker = ThreadPoolExecutor(2)
        self._waiting: OrderedDict[tuple[str, str, int, range], Faces] = OrderedDict()

    def keep_to_one_thread(self) -> None:
        """Make no house ready beside another, and light each in this thread."""
        self._alone = True

    def faces(self, house: House, stand: Viewpoint, size: int) -> Faces:
        """The faces, drawn."""
        return self._drawn(house, stand, size, range(FACES))

    def level_faces(self, house: House, stand: Viewpoint, size: int) -> Faces:
        """The four faces around, drawn."""
        return self._drawn(house, stand, size, AROUND)

    def _drawn(self, house: House, stand: Viewpoint, size: int, only: range) -> Faces:
        """Faces of a viewpoint. What is drawn for a house waits a while for its mirror image, and the other way round."""
        flipped = house.name in self._mirrors
        key = self._mirrors.get(house.name, house.name), stand.id, size, only
        faces = self._waiting.pop(key, None)
        if faces is None:
            faces = self._render(house, stand, size, only).rgb
            if self._alone and (flipped or house.name in self._mirrors.values()):
                self._waiting[key] = faces
                if len(self._waiting) > MOST_WAITING:
                    self._waiting.popitem(last=False)
        return mirrored_faces(faces) if flipped else faces

    def has(self, house: House) -> bool:
        """Whether a house was generated."""
        return recipe_of(self.world, house.name) is not None

    def knows_objects(self, house: House) -> bool:
        """Whether a house was generated."""
        return self.has(house)

    def panorama(self, house: House, stand: Viewpoint, size: int) -> Panorama:
        """The faces with object ids and depth. Those of a mirror image are those of the house, flipped."""
        from vnla.houses.render.panorama import Panorama

        seen = self._render(house, stand, size, range(FACES))
        if house.name not in self._mirrors:
            return seen
        return Panorama(mirrored_faces(seen.rgb), mirrored_faces(seen.objects), mirrored_faces(seen.depth))

    def objects(self, house: House, stand: Viewpoint, size: int) -> NDArray[np.int32]:
        """The ids of the objects, drawn without colours."""
        from vnla.houses.render.panorama import panorama_objects

        found = panorama_objects(self.stage(house), *self._place(house, stand, size))
        return mirrored_faces(found) if house.name in self._mirrors else found

    def _render(self, house: House, stand: Viewpoint, size: int, only: range) -> Panorama:
        """The panorama in the house, or in the house that it mirrors."""
        from vnla.houses.render.panorama import render_panorama

        workers = 1 if self._alone else cores_here()
        return render_panorama(self.stage(house), *self._place(house, stand, size), only=only, workers=workers)

    def _place(self, house: House, stand: Viewpoint, size: int) -> tuple[Point, int, Rotation]:
        """Where it is drawn in the house, or in the house that it mirrors, and how large."""
        if house.name in self._mirrors:
            return mirrored_point(stand.position), size, mirrored_rotation(stand.rotation)
        return stand.position, size, stand.rotation

    @cached_property
    def _mirrors(self) -> dict[str, str]:
        """The mirror images in the world, and the houses that they mirror."""
        return mirrors_of(house.name for house in self.world.houses)

    def stage(self, house: House) -> PreparedScene:
        """A house ready to be drawn, or the one that it mirrors. It is kept, and one beside it, which is made ready
        meanwhile."""
        drawn = self._mirrors.get(house.name, house.name)
        if self._alone:
            if self._kept is None or self._kept[0] != drawn:
                self._kept = None  # two large houses need not be in memory together
                self._kept = drawn, self._prepare(house)
            return self._kept[1]
        with self._lock:
            near = {drawn: house, **self._beside(drawn)}
            self._stages = {name: stage for name, stage in self._stages.items() if name in near}
            for name, each in near.items():
                if name not in self._stages:
                    self._stages[name] = self._maker.submit(self._prepare, each)
            wanted = self._stages[drawn]
        return wanted.result()

    def _beside(self, drawn: str) -> dict[str, House]:
        """The next house, for those who go through the houses in their order; for others the one that they come from."""
        if drawn != self._asked[1]:
            self._asked = self._asked[1], drawn
        before = self._asked[0]
        if before is None:
            return {}
        houses = {each.name: each for each in self.world.houses if each.name not in self._mirrors}
        names = list(houses)
        after = dict(zip(names, [*names[1:], names[0]], strict=True))
        beside = after[drawn] if drawn == after[before] else before
        return {beside: houses[beside]}

    def _prepare(self, house: House) -> PreparedScene:
        from vnla.houses.render.stage import prepare

        recipe = recipe_of(self.world, house.name)
        if recipe is None:
            raise InputError(f"{self.world.path}: {house.name} cannot be drawn: it was not generated by `vnla world make`")
        made = recipe.original.make()
        found = made.mirrored(house.name).house if recipe.mirrored else made.house
        if found != house:
            raise InputError(f"{self.world.path}: the house {house.name} is not what its seed makes; make the world again")
        return prepare(made.scene, workers=1 if self._alone else None)


class BoxPictures(GeneratedPictures):
    """Pictures that are drawn of nothing but the boxes of rooms and objects (`vnla.houses.boxes`)."""

    def has(self, house: House) -> bool:
        """Whether it is known where every room is."""
        return has_boxes(house)

    @cached_property
    def _mirrors(self) -> dict[str, str]:
        """None: a house that mirrors another has boxes of its own."""
        return {}

    def _prepare(self, house: House) -> PreparedScene:
        from vnla.houses.render.stage import prepare

        if not self.has(house):
            raise InputError(f"{self.world.path}: {house.name} cannot be drawn: it is not known where its rooms are")
        return prepare(scene_of_boxes(house), workers=1 if self._alone else None)


class Photographs(PictureSource):
    """Pictures that are files: `<scans>/<house>/matterport_skybox_images`.

    `scans` is a folder as Matterport3D's `v1/scans`; one that does not begin at the root is meant from the world's folder.
    """

    def __init__(self, world: WorldFolder, scans: str = SCANS) -> None:
        super().__init__(world)
        self._scans = world.path / Path(scans).expanduser()

    def faces(self, house: House, stand: Viewpoint, size: int) -> Faces:  # noqa: ARG002
        """The faces in the size that they were photographed in."""
        return load_skybox(self.folder(house), stand.id)

    def has(self, house: House) -> bool:
        """Whether all viewpoints of a house were photographed."""
        return all(self.at(house, stand) for stand in house.viewpoints if stand.included)

    def at(self, house: House, stand: Viewpoint) -> bool:
        """Whether one viewpoint was photographed."""
        return bool(skybox_files(self.folder(house), stand.id))

    def folder(self, house: House) -> Path:
        """Where a house's photographs are."""
        return self._scans / house.name / IMAGES


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
    except Exception as error:  # a decoder of an untrusted picture raises whatever comes up in it
        raise InputError(f"{path}: cannot be read as an image ({error})") from None


class Found(PictureSource):
    """Photographs of a viewpoint where it has them in the world's folder, else it is drawn."""

    def __init__(self, world: WorldFolder) -> None:
        super().__init__(world)
        self._photographs, self._drawn = Photographs(world), GeneratedPictures(world)

    def keep_to_one_thread(self) -> None:
        """What is drawn is drawn in this thread."""
        self._drawn.keep_to_one_thread()

    def faces(self, house: House, stand: Viewpoint, size: int) -> Faces:
        """The faces, photographed or drawn."""
        return self._source(house, stand).faces(house, stand, size)

    def level_faces(self, house: House, stand: Viewpoint, size: int) -> Faces:
        """The same of the faces around."""
        return self._source(house, stand).level_faces(house, stand, size)

    def _source(self, house: House, stand: Viewpoint) -> PictureSource:
        if self._photographs.at(house, stand):
            return self._photographs
        if not self._drawn.has(house):
            raise InputError(
                f"{self.world.path}: there are no pictures of {house.name}: neither skybox images under "
                f"{SCANS}/{house.name}/{IMAGES}, nor was it generated by `vnla world make`; "
                f"`vnla world set --pictures` names another source"
            )
        return self._drawn

    def has(self, house: House) -> bool:
        """Whether a house was generated, or all of it was photographed."""
        return self._drawn.has(house) or self._photographs.has(house)

    def knows_objects(self, house: House) -> bool:
        """Whether a house was generated."""
        return self._drawn.knows_objects(house)

    def panorama(self, house: House, stand: Viewpoint, size: int) -> Panorama:
        """The drawn faces with object ids and depth."""
        return self._drawn.panorama(house, stand, size)

    def objects(self, house: House, stand: Viewpoint, size: int) -> NDArray[np.int32]:
        """The ids of the objects where it is drawn."""
        return self._drawn.objects(house, stand, size)


SOURCES: Mapping[str, type[PictureSource]] = {
    "generated": GeneratedPictures, "skybox": Photographs, PANORAMAS: Panoramas, BOXES: BoxPictures
}  # fmt: skip


def picture_source(world: WorldFolder) -> PictureSource:
    """Where the pictures of a world come from."""
    if world.pictures is None:
        return Found(world)
    name, options = world.pictures
    return build("pictures", name, SOURCES, options, PictureSource, world=world)

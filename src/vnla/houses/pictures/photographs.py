"""The source `skybox`: photographs of real buildings, six files or one strip a viewpoint, as Matterport3D has them."""

from __future__ import annotations

from pathlib import Path

from vnla.houses.folder import WorldFolder
from vnla.houses.house import House, Viewpoint
from vnla.houses.pictures.base import PictureSource
from vnla.houses.skybox import Faces, load_skybox, skybox_files

SCANS = "v1/scans"
IMAGES = "matterport_skybox_images"


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

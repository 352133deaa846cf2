"""What a source of pictures is: six cube faces a viewpoint, from which the simulator's 36 views are cut."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from vnla.common.errors import InputError
from vnla.houses.folder import WorldFolder
from vnla.houses.house import House, Viewpoint
from vnla.houses.skybox import Faces

if TYPE_CHECKING:
    from vnla.houses.render.panorama import Panorama


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

    def has(self, house: House) -> bool:  # noqa: ARG002
        """Whether there are pictures of all viewpoints of a house that one can stand at."""
        return True

    def knows_objects(self, house: House) -> bool:  # noqa: ARG002
        """Whether `panorama` says which objects of a house are seen."""
        return False

    def panorama(self, house: House, stand: Viewpoint, size: int) -> Panorama:  # noqa: ARG002
        """The faces with the ids of the objects in them and their depth, where these are known."""
        raise InputError(f"{self.world.path}: the pictures of {house.name} do not tell which objects they show")

"""What is seen at a viewpoint, as the page shows it: six faces of a cube, WebP files, under addresses that never change.

A panorama is drawn when it is first asked for, from whatever source of pictures the world has, and stored. All are turned
upright here, so the page need not know how a camera stood: up, south, west, north, east and down, as in
`vnla.houses.skybox`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from threading import Lock

from vnla.common.errors import InputError
from vnla.common.process_pool import in_background
from vnla.houses.folder import WorldFolder
from vnla.houses.house import House
from vnla.houses.images import world_images
from vnla.houses.skybox import FACES
from vnla.serve.file_cache import FileCache
from vnla.serve.panorama_files import LARGEST, BackgroundFiles, Order, PanoramaFiles
from vnla.serve.places import PlaceNames, digits

VERSION = 1
"""Changes when the same house is drawn otherwise: addresses change with it."""

HOUSES = 4
"""How many houses are kept ready to be drawn, with all their light."""


class Pictures:
    """The pictures of a world."""

    def __init__(
        self, world: WorldFolder, places: PlaceNames, files: FileCache, *others: PlaceNames, largest: int = LARGEST
    ) -> None:
        """`places` has the names under which pictures are stored; `others` are further names for the same places. A
        panorama has `largest` bytes at most."""
        self._world, self._places, self._files, self._largest = world, places, files, largest
        self._source = world_images(world).source
        self._lock = Lock()
        self._ready: OrderedDict[str, PanoramaFiles] = OrderedDict()
        self._stands = {
            self._panorama(name): (house, i)
            for names in (places, *others)
            for house in world.houses
            for i, name in names.viewpoints(house).items()
        }

    def has(self, house: House) -> bool:
        """Return whether there are pictures of a whole house."""
        return self._source.has(house)

    def missing(self, house: House) -> list[str]:
        """Return a picture of each viewpoint of a house that has yet to be drawn, by the digits of its address."""
        return [f"{panorama}0" for panorama, _ in self._missing(house)]

    def _missing(self, house: House) -> list[Order]:
        named = ((self._panorama(name), number) for number, name in self._places.viewpoints(house).items())
        return [(panorama, number) for panorama, number in named if not self._files.has(f"{panorama}0.webp")]

    def addresses(self, house: House, places: PlaceNames | None = None) -> dict[str, list[str]]:
        """Return the addresses of the six faces of each viewpoint, by its own names or by others."""
        names = (places or self._places).viewpoints(house).values()
        return {name: [f"/face/{self._panorama(name)}{face}.webp" for face in range(FACES)] for name in names}

    def first_faces(self, house: House) -> list[str]:
        """Return the digits of one face of each viewpoint: all of a viewpoint's are drawn together."""
        return [f"{self._panorama(name)}0" for name in self._places.viewpoints(house).values()]

    def face(self, picture: str) -> bytes:
        """Return the WebP file that an address names by its digits."""
        panorama, face = picture[:-1], picture[-1:]
        if panorama not in self._stands or face not in set(map(str, range(FACES))):
            raise InputError("there is no such picture here")
        house, number = self._stands[panorama]
        stored = self._panorama(self._places.viewpoints(house)[number])
        return self._files.get(f"{stored}{face}.webp", stored, lambda: self._made(stored, house, number))

    def _panorama(self, viewpoint: str) -> str:
        """Return the digits that the addresses of a viewpoint's faces have in common."""
        return digits(viewpoint, VERSION, self._world.pictures, length=15)

    def draw_missing(self, house: House) -> None:
        """Draw what is missing of a house, in a process that leaves the cores to whoever wants them."""
        if missing := self._missing(house):
            in_background(BackgroundFiles(self._alone(house), self._largest), missing, self._files.put, name="vnla pictures")

    def _made(self, panorama: str, house: House, number: int) -> Mapping[str, bytes]:
        return self._files_of(house).make((panorama, number))

    def _files_of(self, house: House) -> PanoramaFiles:
        with self._lock:
            if house.name not in self._ready:
                self._ready[house.name] = PanoramaFiles(self._alone(house), self._largest)
            self._ready.move_to_end(house.name)
            while len(self._ready) > HOUSES:
                self._ready.popitem(last=False)
            return self._ready[house.name]

    def _alone(self, house: House) -> WorldFolder:
        """Return the world with this house only."""
        return replace(self._world, houses=(house,))

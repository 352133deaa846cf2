"""Draws the houses of the page that come with the package: python release/page_houses.py

It draws the panoramas of all viewpoints of three houses of the small world, and makes their meshes: two minutes of processor
time. The walk that the page plays first is in one of them; `web/dev/first.py` records it.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from vnla.common import checksums, files
from vnla.experiments.embedded import embedded_world
from vnla.houses.folder import WorldFolder, read_world
from vnla.serve.file_cache import FileCache
from vnla.serve.meshes import Meshes
from vnla.serve.pictures import Pictures
from vnla.serve.places import PlaceNames
from vnla.serve.shipped import CHECKSUMS, FOLDER, HOUSES, files_in

ROOM = 78_000
"""Bytes of a panorama, at most."""


def draw(world: WorldFolder, folder: Path) -> None:
    """Draw what is missing of the panoramas and meshes."""
    houses = [house for house in world.houses if house.name in HOUSES]
    places, cache = PlaceNames(world.houses), FileCache(folder)
    pictures, meshes = Pictures(world, places, cache, largest=ROOM), Meshes(world, places, cache)
    for house in houses:
        meshes.mesh(house)
        for six in pictures.addresses(house).values():
            for address in six:
                pictures.face(Path(address).stem)


def ship(folder: Path) -> None:
    """Put the files into the package, with their checksums."""
    for path in files_in(FOLDER).values():
        path.unlink()
    for name, path in files_in(folder).items():
        shutil.copyfile(path, FOLDER / name)
    sums = {name: checksums.of_file(path) for name, path in files_in(FOLDER).items()}
    files.write_text(FOLDER / CHECKSUMS, json.dumps(sums, indent=1) + "\n")


if __name__ == "__main__":
    made = Path("build/page_houses")
    draw(read_world(embedded_world().world), made)
    ship(made)

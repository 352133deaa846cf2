"""Pictures of one house: its floor plan, a sheet of views of its rooms, and a model that any 3-D viewer opens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vnla.camera import HEADINGS, LEVEL_ROW
from vnla.houses.folder import WorldFolder
from vnla.houses.generate.world import recipe_of
from vnla.houses.house import House
from vnla.houses.images import WorldImages, world_images
from vnla.houses.sightings import SIGHTING
from vnla.report.contact_sheet import contact_sheet
from vnla.report.maps import draw_house

COLUMNS = 4
MOST_ROOMS = 24
SIZE = (400, 300)


def draw_pictures(folder: WorldFolder, house: House, out: Path) -> Iterator[Path]:
    """Draw what can be drawn of a house into the folder `out`; the files, as they are written."""
    plan = out / f"{house.name}-plan.png"
    draw_house(house, plan)
    yield plan
    images = world_images(folder, SIZE)
    if images.source.has(house):
        yield _sheet(images, house, out / f"{house.name}-rooms.png")
    recipe = recipe_of(folder, house.name)
    if recipe is not None:
        from vnla.houses.glb import write_glb

        model = out / f"{house.name}.glb"
        write_glb(model, recipe.make().scene, {thing.id: f"{thing.label} {thing.id}" for thing in house.objects})
        yield model


def _sheet(images: WorldImages, house: House, path: Path) -> Path:
    """One level view of every room, the one that shows most."""
    labels = {thing.id: thing.label for thing in house.objects}
    seen = images.sightings(house.name) if images.source.knows_objects(house) else np.empty(0, SIGHTING)
    pictures: list[NDArray[np.uint8]] = []
    captions: list[str] = []
    for room in house.rooms[:MOST_ROOMS]:
        stands = [i for i in house.stands if house.viewpoints[i].room == room.id]
        if stands:
            stand, view = _best(seen, stands, {thing.id for thing in house.objects if thing.room == room.id})
            pictures.append(images(house.name, house.viewpoints[stand].id)[view])
            shown = seen[(seen["viewpoint"] == stand) & (seen["view"] == view)]
            names = dict.fromkeys(labels[each] for each in shown["object"][np.argsort(-shown["share"])].tolist())
            captions.append(f"{room.name}\n{', '.join(names)}")
    contact_sheet(pictures, captions, COLUMNS, path)
    return path


def _best(seen: NDArray[np.void], stands: list[int], inside: set[int]) -> tuple[int, int]:
    """The level view, among those from `stands`, with most different objects of the room itself."""
    level = seen[
        np.isin(seen["viewpoint"], stands)
        & (seen["view"] // HEADINGS == LEVEL_ROW)
        & np.isin(seen["object"], list(inside))
        & (seen["share"] > 0.004)
    ]
    if not len(level):
        return stands[0], LEVEL_ROW * HEADINGS
    places = level["viewpoint"].astype(np.int64) * 36 + level["view"]
    options, counts = np.unique(places, return_counts=True)
    stand, view = divmod(int(options[counts.argmax()]), 36)
    return stand, view

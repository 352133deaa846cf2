"""Pictures of one house: its floor plan, a sheet of views of its rooms, and a model that any 3-D viewer opens."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from vnla.camera import HEADINGS, LEVEL_ROW
from vnla.common.errors import InputError
from vnla.common.files import write_bytes
from vnla.houses.folder import WorldFolder
from vnla.houses.generate.world import recipe_of
from vnla.houses.house import House
from vnla.houses.images import WorldImages, world_images
from vnla.houses.sightings import SIGHTING
from vnla.report.maps import draw_house

COLUMNS = 4
MOST_ROOMS = 24
SIZE = (400, 300)
GAP = 10
LINES = 2
_PAPER, _INK, _FAINT = (250, 249, 246), (40, 40, 44), (120, 120, 126)
_FONT_SIZE, _LINE = 13, 17

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


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


def contact_sheet(images: Sequence[NDArray[np.uint8]], captions: Sequence[str], columns: int, path: Path) -> None:
    """Write pictures (height, width, 3), RGB and of one size, as a PNG with `columns` of them in a row.

    A caption's first line is set in ink and the rest fainter; what does not fit under its picture ends in an ellipsis.
    """
    if not images:
        raise InputError(f"{path}: no pictures were given for the sheet")
    if len(images) != len(captions):
        raise InputError(f"{path}: {len(images)} pictures but {len(captions)} captions")
    if columns < 1:
        raise InputError(f"{path}: a sheet has at least one column, not {columns}")
    if any(image.shape != images[0].shape for image in images):
        raise InputError(f"{path}: the pictures of a sheet are of one size; got {sorted({image.shape for image in images})}")
    height, width = images[0].shape[:2]
    across, down = width + GAP, height + GAP + _LINE * LINES + 4
    rows = -(-len(images) // columns)
    sheet = Image.new("RGB", (columns * across + GAP, rows * down + GAP), _PAPER)
    pen = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(_FONT_SIZE)
    for number, (image, caption) in enumerate(zip(images, captions, strict=True)):
        x, y = GAP + number % columns * across, GAP + number // columns * down
        sheet.paste(Image.fromarray(image), (x, y))
        for line, text in enumerate(_lines(caption, width, pen, font)):
            pen.text((x, y + height + 3 + line * _LINE), text, _INK if line == 0 else _FAINT, font)
    stream = io.BytesIO()
    sheet.save(stream, "PNG")
    write_bytes(path, stream.getvalue())


def _lines(caption: str, width: int, pen: ImageDraw.ImageDraw, font: Font) -> list[str]:
    """A caption in at most `LINES` lines that fit into `width` pixels."""
    lines: list[str] = []
    for paragraph in caption.splitlines():
        words = paragraph.split()
        while words and len(lines) < LINES:
            count = len(words)
            while count > 1 and pen.textlength(" ".join(words[:count]), font) > width:
                count -= 1
            last = len(lines) == LINES - 1 and count < len(words)
            lines.append(_shortened(" ".join(words[:count]), width, last, pen, font))
            words = words[count:]
    return lines


def _shortened(text: str, width: int, more: bool, pen: ImageDraw.ImageDraw, font: Font) -> str:
    """`text` cut to `width` pixels, with an ellipsis where it was cut or where `more` follows."""
    ending = "…" if more else ""
    while len(text) > 1 and pen.textlength(text + ending, font) > width:
        text, ending = text[:-1].rstrip(), "…"
    return text + ending

"""The features of a whole world: every view drawn or read, encoded and stored."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from vnla.camera import HEIGHT, LEVEL_ROW, ROWS, VERTICAL_FIELD, WIDTH
from vnla.common.errors import InputError
from vnla.common.progress import Count, unheard
from vnla.houses.boxes import has_boxes
from vnla.houses.folder import WorldFolder
from vnla.houses.images import WorldImages, world_images
from vnla.houses.pictures import picture_source
from vnla.houses.render.warming import compile_drawing, compile_others
from vnla.vision.encoders import Encoder, Size
from vnla.vision.extract import extract
from vnla.vision.level import ALL, LEVEL, store_name
from vnla.vision.store import INDEX, FeatureStore, Header, StoreWriter, store_path, viewpoints_of, world_checksum
from vnla.world.compiled import World

VFOV = round(math.degrees(VERTICAL_FIELD), 6)


def make_features(
    folder: WorldFolder,
    world: World,
    encoder: Encoder,
    progress: Count = unheard,
    *,
    describe: Callable[[str], None] = lambda _: None,
    name: str | None = None,
    views: str = ALL,
    batch: int | None = None,
    workers: int | None = None,
) -> tuple[Path, Header, bool]:
    """Encode all 36 views of every viewpoint, or the level ones, with `workers` processes, one a core by default; goes on
    where it was.

    They are kept under `name`, the encoder's unless told otherwise, with -level behind it if that is all. The first call of
    `progress` is for what is stored already; `describe` is called with a few words on what is being done. Gives the store's
    folder, its header, and whether there was anything to do.
    """
    header = header_of(folder, world, encoder, views)
    out = store_path(folder.path, name or store_name(encoder.name, views))
    if is_made(out, header):
        return out, header, False
    check_pictures(folder, header)
    with StoreWriter(out, header) as store:
        progress(len(header.viewpoints) - len(store.pending))
        encode(folder, encoder, store, progress, describe=describe, batch=batch, workers=workers)
        store.finish()
    return out, header, True


def check_pictures(folder: WorldFolder, header: Header) -> None:
    """Refuse a world that lacks pictures before anything is made of those that it has."""
    source = picture_source(folder)
    wanted = {house for house, _ in header.viewpoints}
    lacking = [house for house in folder.houses if house.name in wanted and not source.has(house)]
    if not lacking:
        return
    named = ", ".join(house.name for house in lacking[:3]) + (", …" if len(lacking) > 3 else "")
    of = f"{len(lacking)} of {len(wanted)} houses ({named})"
    command = shlex.join(["vnla", "world", "set", str(folder.path), "--pictures"])
    drawn = f"{command} boxes draws them of their boxes; " if all(map(has_boxes, lacking)) else ""
    raise InputError(
        f"{folder.path}: there are no pictures of {of}, so no features can be made of them; {drawn}{command} SOURCE names"
        " where they are; vnla train --features symbolic or text needs none"
    )


def is_made(out: Path, header: Header) -> bool:
    """Whether these features are there."""
    return (out / INDEX).is_file() and FeatureStore.open(out).header == header


def header_of(folder: WorldFolder, world: World, encoder: Encoder, views: str = ALL) -> Header:
    """What the features of a world are that an encoder makes of these views."""
    return Header(
        encoder.name,
        encoder.weights,
        encoder.dimension,
        encoder.size,
        VFOV,
        world_checksum(folder),
        viewpoints_of(world),
        tuple(encoder.options.items()),
        views,
    )


def encode(
    folder: WorldFolder,
    encoder: Encoder,
    store: StoreWriter,
    progress: Count = unheard,
    *,
    describe: Callable[[str], None] = lambda _: None,
    house: str | None = None,
    batch: int | None = None,
    workers: int | None = None,
) -> None:
    """Encode what a store of this world still lacks, in one house or in all."""
    images = _images(folder, encoder, store.header.views)
    describe("compiling the renderer")
    extract(
        images,
        store.header.viewpoints,
        encoder,
        store,
        progress,
        readying=lambda houses: describe(_doing(houses, folder.manifest.get("source") == "generated")),
        house=house,
        batch=batch,
        workers=workers,
        before=(compile_drawing, compile_others),
    )


def _images(folder: WorldFolder, encoder: Encoder, views: str) -> WorldImages:
    """What an encoder is given of a world, drawn by one process of several."""
    if encoder.panoramic:
        return world_images(folder, alone=True, panoramic=True)
    rows = range(LEVEL_ROW, LEVEL_ROW + 1) if views == LEVEL else range(ROWS)
    return world_images(folder, camera_size(encoder.size), alone=True, rows=rows)


def _doing(readying: Sequence[str], generated: bool) -> str:
    """What is being done while some houses are made ready: those that were generated are built and lit before they are
    drawn."""
    if not generated:
        return "reading and encoding"
    return f"lighting {', '.join(readying)}; drawing and encoding" if readying else "drawing and encoding"


def camera_size(size: Size) -> Size:
    """The smallest size with the simulator's 4:3 that covers `size`: square networks see the whole view, narrowed."""
    height = max(size.height, -(-size.width * HEIGHT // WIDTH))
    step = HEIGHT // math.gcd(WIDTH, HEIGHT)
    height = -(-height // step) * step
    return type(size)(height * WIDTH // HEIGHT, height)

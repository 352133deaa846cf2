"""Sources of pictures, by name: `generated`, `skybox`, `panoramas`, and anybody's as `package.module:Class`.

`world.json` names the source of a world, `"pictures": {"source": "skybox", "options": {"scans": "/data/v1/scans"}}`
(`vnla world set`). A world that names none has photographs where they lie in its folder, and else is drawn if it was
generated.
"""

from __future__ import annotations

from collections.abc import Mapping

from vnla.common.registry import build
from vnla.houses.folder import WorldFolder
from vnla.houses.pictures.base import PictureSource
from vnla.houses.pictures.drawn import GeneratedPictures
from vnla.houses.pictures.found import Found
from vnla.houses.pictures.panoramas import NAME, Panoramas
from vnla.houses.pictures.photographs import Photographs

__all__ = ["SOURCES", "PictureSource", "picture_source"]

SOURCES: Mapping[str, type[PictureSource]] = {"generated": GeneratedPictures, "skybox": Photographs, NAME: Panoramas}

_KIND = "pictures"


def picture_source(world: WorldFolder) -> PictureSource:
    """Where the pictures of a world come from."""
    if world.pictures is None:
        return Found(world)
    name, options = world.pictures
    return build(_KIND, name, SOURCES, options, PictureSource, world=world)

"""What agents see of a world, by name: what a feature store holds, `symbolic` or `text`; several with commas between.

Names that end in `-level`, `efficientnet-lite0-level` or `symbolic-level` say, are of the twelve level views alone: whoever
looks up or down sees what is level in that direction.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.houses.folder import WorldFolder, read_manifest
from vnla.vision.encoders import DEFAULT
from vnla.vision.level import LEVEL, LEVEL_SHOWN, LEVEL_VIEWS, encoder_and_views
from vnla.vision.store import world_features
from vnla.vision.symbolic import NAME as SYMBOLIC
from vnla.vision.symbolic import TEXT, symbolic_features, text_views
from vnla.world.compiled import World

if TYPE_CHECKING:
    from vnla.tasks.vocabulary import Vocabulary

Views = NDArray[Any]
"""A row for every pose of a world, (poses, size), in the world's order."""
Source = Callable[[WorldFolder, World, str], Views | None]
"""Another source of the views of a name, if it has them."""


def view_names(text: str) -> tuple[str, ...]:
    """The names in what a person wrote, `efficientnet-lite0,symbolic` say."""
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise InputError(f"features {text!r}: expected a name, or several with commas between")
    if len(set(names)) < len(names):
        raise InputError(f"features {text!r}: a name is there twice")
    return names


def in_store(name: str) -> bool:
    """Whether what is seen under a name is in a feature store."""
    return encoder_and_views(name)[0] != SYMBOLIC and name != TEXT


def default_features(world: Path) -> str:
    """The features that agents see in a world folder if nobody says: those that its `world.json` names, or the usual."""
    chosen: str | None = read_manifest(world).get("features")
    return chosen or DEFAULT


def world_views(
    folder: WorldFolder,
    world: World,
    names: str,
    vocabulary: Vocabulary | None = None,
    source: Source | None = None,
    *,
    once: bool = False,
) -> dict[str, Views]:
    """Name → what is seen from every pose of `world`, in memory. Features must have been made of the folder as it is now,
    unless there is another source of them.

    What is seen in words, `text`, is in those of a vocabulary. With `once` level views have no rows for looking up and down:
    twelve a viewpoint, which `LEVEL_SHOWN` tells apart.
    """
    given = {name: source and source(folder, world, name) for name in view_names(names)}
    found = {name: _views(folder, world, name, vocabulary) if each is None else each for name, each in given.items()}
    return found if once else {name: _every_pose(each, world) for name, each in found.items()}


def _every_pose(views: Views, world: World) -> Views:
    """A row for every pose, of one for each or for each that looks level."""
    if len(views) == len(world.ids) * VIEWS:
        return views
    return views.reshape(len(world.ids), -1, views.shape[1])[:, LEVEL_SHOWN].reshape(-1, views.shape[1])


def _views(folder: WorldFolder, world: World, name: str, vocabulary: Vocabulary | None) -> Views:
    array: Views
    symbols, views = encoder_and_views(name)
    if name == TEXT:
        if vocabulary is None:
            raise InputError(f"features {TEXT}: are words, which need a vocabulary; here they cannot be used")
        return text_views(folder.houses, world, vocabulary)
    if symbols == SYMBOLIC:
        array = symbolic_features(folder.houses, world).array[:, LEVEL_VIEWS if views == LEVEL else slice(None)]
    else:
        store = world_features(folder, name)
        store.verify()
        array = np.array(store.for_world(world))
    return array.reshape(-1, array.shape[-1])

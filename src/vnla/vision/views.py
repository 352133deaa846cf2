"""What agents see of a world, by name: what a feature store holds, `symbolic` or `text`; several with commas between."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vnla.common.errors import InputError
from vnla.houses.folder import WorldFolder, read_manifest
from vnla.vision.encoders import DEFAULT
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
    return name not in (SYMBOLIC, TEXT)


def default_features(world: Path) -> str:
    """The features that agents see in a world folder if nobody says: those that its `world.json` names, or the usual."""
    chosen: str | None = read_manifest(world).get("features")
    return chosen or DEFAULT


def world_views(
    folder: WorldFolder, world: World, names: str, vocabulary: Vocabulary | None = None, source: Source | None = None
) -> dict[str, Views]:
    """Name → what is seen from every pose of `world`, in memory. Features must have been made of the folder as it is now,
    unless there is another source of them.

    What is seen in words, `text`, is in those of a vocabulary.
    """
    found = {name: source and source(folder, world, name) for name in view_names(names)}
    return {name: _views(folder, world, name, vocabulary) if each is None else each for name, each in found.items()}


def _views(folder: WorldFolder, world: World, name: str, vocabulary: Vocabulary | None) -> Views:
    array: Views
    if name == TEXT:
        if vocabulary is None:
            raise InputError(f"features {TEXT}: are words, which need a vocabulary; here they cannot be used")
        return text_views(folder.houses, world, vocabulary)
    if name == SYMBOLIC:
        array = symbolic_features(folder.houses, world).array
    else:
        store = world_features(folder, name)
        store.verify()
        array = np.array(store.for_world(world))
    return array.reshape(-1, array.shape[-1])

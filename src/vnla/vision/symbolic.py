"""Symbolic view features: which objects are in each view, taken from the house's own list instead of from pictures.

They cost nothing to make, so houses without pictures can be used; and as they name every object rightly, they bound from
above what an encoder of images could tell the agent. Not in the paper, which uses a ResNet.

A feature vector has one value a label, 1/(1 + metres) for the nearest object of that label that is in view and 0 where there
is none. An object is in view when its centre lies within the horizontal and vertical field of view, edges included, and it
is in the viewpoint's room; where either room is unknown, within 5 m. Nothing hides anything.

For agents that read what they see (`vnla.agents.observing`), `text_views` has the same objects, the nearest first, as tokens
of a vocabulary. A word that the vocabulary lacks is its unknown word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vnla.camera import VIEWS, Float32
from vnla.common.errors import InputError
from vnla.houses.house import House, Object
from vnla.houses.sightings import boxes_in_view
from vnla.world.compiled import World

if TYPE_CHECKING:
    from vnla.tasks.vocabulary import Vocabulary

NAME, TEXT = "symbolic", "text"

MOST = 6
"""Things that are named in a view."""

_TOGETHER = 1 << 15
"""Poses that are sorted at a time."""

Tokens = NDArray[np.int32]


@dataclass(frozen=True)
class SymbolicFeatures:
    """Features and what their columns mean."""

    array: Float32  # (viewpoints, 36, labels), viewpoints as the world numbers them
    labels: tuple[str, ...]


def symbolic_features(houses: Sequence[House], world: World, labels: Sequence[str] | None = None) -> SymbolicFeatures:
    """Features of every viewpoint of `world`, which was compiled from `houses`.

    Columns are `labels` where given (those of the training houses, say; objects of other labels are not seen), else all
    labels of the houses in alphabetical order.
    """
    by_name = {house.name: house for house in houses}
    for name in world.houses:
        if name not in by_name:
            raise InputError(f"house {name}: it is in the world but not among the houses given for its features")
    if labels is None:
        labels = sorted({thing.label for name in world.houses for thing in by_name[name].objects})
    column = {label: i for i, label in enumerate(labels)}
    array = np.zeros((len(world.ids), VIEWS, len(labels)), dtype=np.float32)
    first = 0
    for name, graph in zip(world.houses, world.graphs, strict=True):
        things = [thing for thing in by_name[name].objects if thing.label in column]
        if things:
            rows = array[first : first + len(graph.ids)]
            _fill(rows, by_name[name], things, np.array([column[thing.label] for thing in things]))
        first += len(graph.ids)
    return SymbolicFeatures(array, tuple(labels))


def _fill(rows: Float32, house: House, things: Sequence[Object], column: NDArray[np.int64]) -> None:
    """Write one house's features into `rows`, (viewpoints, 36, labels)."""
    here, thing, look, in_view = boxes_in_view(house, things)
    value = np.where(in_view, 1 / (1 + look.distance), 0).astype(np.float32)
    np.maximum.at(rows, (here[:, None], np.arange(VIEWS), column[thing][:, None]), value)


def text_views(houses: Sequence[House], world: World, vocabulary: Vocabulary) -> Tokens:
    """(poses, words), padded: what is seen from every pose of `world`, which was compiled from `houses`."""
    seen = symbolic_features(houses, world)
    names, _ = vocabulary.encode([*seen.labels, ""])
    table = names.numpy().astype(np.int32)  # (labels and nothing, words)
    nearness = seen.array.reshape(-1, len(seen.labels))  # (poses, labels)
    parts = [_packed(table[_nearest(nearness[at : at + _TOGETHER])]) for at in range(0, len(nearness), _TOGETHER)]
    longest = max((int((each != 0).sum(axis=1).max()) for each in parts), default=1)
    return np.concatenate([each[:, : max(longest, 1)] for each in parts])


def _nearest(nearness: Float32) -> NDArray[np.int64]:
    """The labels of each row, the nearest first; after the last that is there, one more than there are labels."""
    order = np.argsort(-nearness, axis=1, kind="stable")[:, :MOST]
    there = np.take_along_axis(nearness, order, axis=1) > 0
    return np.where(there, order, nearness.shape[1])


def _packed(tokens: Tokens) -> Tokens:
    """Things (rows, things, words) as one sentence a row, its padding at the end."""
    flat = tokens.reshape(len(tokens), -1)
    return np.take_along_axis(flat, np.argsort(flat == 0, axis=1, kind="stable"), axis=1)

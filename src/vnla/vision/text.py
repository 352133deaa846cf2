"""What is in each view in words: the objects of the symbolic features, the nearest first, as tokens of a vocabulary.

For agents that read what they see (`vnla.agents.observing`). A word that the vocabulary lacks is its unknown word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vnla.camera import Float32
from vnla.houses.house import House
from vnla.vision.symbolic import symbolic_features
from vnla.world.compiled import World

if TYPE_CHECKING:
    from vnla.tasks.vocabulary import Vocabulary

NAME = "text"

MOST = 6
"""Things that are named in a view."""

_TOGETHER = 1 << 15
"""Poses that are sorted at a time."""

Tokens = NDArray[np.int32]


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

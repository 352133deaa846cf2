"""Fewer numbers a view: features projected onto their principal components.

An agent's first product is that with the view, 1280 or 2048 numbers long; small agents spend most of their time on it, and
features of arbitrary scale ask for small learning rates. The components are those of the training houses' views, so nothing
is learned from houses that agents are tested in. All are scaled by one number that makes the mean square 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vnla.common.errors import InputError
from vnla.houses.folder import WorldFolder
from vnla.vision.store import INDEX, REDUCED, FeatureStore, StoreWriter, store_path, world_features

Floats = NDArray[np.floating[Any]]

_ROWS = 64
"""Viewpoints that are in memory together."""


class Components(NamedTuple):
    """A projection: (features - mean) @ directions."""

    mean: NDArray[np.float64]  # (dimension,)
    directions: NDArray[np.float64]  # (dimension, size), scaled
    kept: float  # share of the variance that is kept


def reduced_name(encoder: str, size: int) -> str:
    """The name of an encoder's features reduced to `size` numbers."""
    return f"{encoder}-{size}"


def reduce_features(
    folder: WorldFolder, encoder: str, size: int, like: WorldFolder | None = None
) -> tuple[FeatureStore, float]:
    """Store the world's features of `encoder` reduced to `size` numbers; the share of the variance that is kept.

    The components are those of another world that it is to look `like` to an agent, or its own. Without a split named train
    they are those of all houses.
    """
    source = world_features(folder, encoder)
    if not 1 <= size < source.header.dimension:
        raise InputError(f"{encoder}: its features have {source.header.dimension} numbers; reduce them to fewer, not {size}")
    model = like or folder
    reference = world_features(model, encoder)
    training = set(model.splits.get("train", ())) or {house for house, _ in reference.header.viewpoints}
    rows = np.array([house in training for house, _ in reference.header.viewpoints])
    found = components(reference.array, rows, size)
    name = reduced_name(encoder, size)
    weights = f"{REDUCED}{reference.sha256[:16]}"
    header = replace(source.header, encoder=name, weights=weights, dimension=size, options=())
    out = store_path(folder.path, name)
    if (out / INDEX).is_file() and FeatureStore.open(out).header == header:
        return FeatureStore.open(out), found.kept
    with StoreWriter(out, header, durable=False) as store:
        for first in range(0, len(source.array), _ROWS):
            store.write(first, project(source.array[first : first + _ROWS], found))
        return store.finish(), found.kept


def components(features: Floats, rows: NDArray[np.bool_], size: int) -> Components:
    """The principal components of the views (viewpoints, 36, dimension) in the chosen rows."""
    dimension = features.shape[2]
    count, total, squares = 0, np.zeros(dimension), np.zeros((dimension, dimension))
    for part in _parts(features, rows):
        count += len(part)
        total += part.sum(axis=0)
        squares += part.T @ part
    mean = total / count
    variance, vectors = np.linalg.eigh(squares / count - np.outer(mean, mean))
    variance, vectors = variance[::-1][:size], vectors[:, ::-1][:, :size]
    # an eigenvector's sign is arbitrary: its largest entry is made positive, so that equal features give equal components
    vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(size)])
    scale = np.sqrt(max(variance.mean(), np.finfo(np.float32).tiny))
    everything = np.trace(squares / count) - mean @ mean
    return Components(mean, vectors / scale, float(variance.sum() / max(everything, np.finfo(np.float32).tiny)))


def project(features: Floats, onto: Components) -> NDArray[np.float64]:
    """Features (…, dimension) in terms of the components (…, size)."""
    projected: NDArray[np.float64] = (features.astype(np.float64) - onto.mean) @ onto.directions
    return projected


def _parts(features: Floats, rows: NDArray[np.bool_]) -> Iterator[NDArray[np.float64]]:
    """The views of the chosen rows, some at a time."""
    chosen = np.flatnonzero(rows)
    for first in range(0, len(chosen), _ROWS):
        yield features[chosen[first : first + _ROWS]].reshape(-1, features.shape[2]).astype(np.float64)

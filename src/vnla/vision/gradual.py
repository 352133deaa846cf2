"""The features of a world, made house by house when one is first wanted, and kept where `vnla features make` keeps them.

They are the same to the last byte, and either goes on with what the other has left.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

import numpy as np

from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.houses.folder import WorldFolder
from vnla.vision.encoders import ENCODERS, Encoder
from vnla.vision.making import encode, header_of
from vnla.vision.store import INDEX, Features, StoreWriter, store_path
from vnla.world.compiled import World

Progress = Callable[[int, int], None]
"""How many viewpoints of a house are done, and of how many."""


def can_grow(folder: WorldFolder, name: str) -> bool:
    """Whether features of that name are missing, and an encoder can make them."""
    encoder = name in ENCODERS or ":" in name
    return encoder and not (store_path(folder.path, name) / INDEX).is_file()


class GradualFeatures:
    """Features of a world, of which some houses may be missing. As long as it is open nobody else can make them."""

    def __init__(self, folder: WorldFolder, world: World, encoder: Encoder) -> None:
        self._folder, self._encoder = folder, encoder
        self._lock = Lock()
        header = header_of(folder, world, encoder)
        self._store = StoreWriter(store_path(folder.path, encoder.name), header)
        self._rows = _rows(world)
        self.array: Features = np.zeros((len(header.viewpoints), VIEWS, encoder.dimension), dtype=np.float16)
        """(viewpoints, 36, dimension) in the order of the world; zeros where they are missing."""
        self._missing = {name for name in self._rows if self._pending(name)}
        for name in self._rows.keys() - self._missing:
            self.array[self.rows(name)] = self._store.read(self.rows(name))

    def rows(self, house: str) -> slice:
        """Where in the array the viewpoints of a house are."""
        if house not in self._rows:
            raise InputError(f"{self._folder.path}: has no house {house}")
        return self._rows[house]

    def has(self, house: str) -> bool:
        """Whether those of a house are there."""
        return house not in self._missing

    def make(self, house: str, progress: Progress, workers: int | None = None) -> None:
        """Those of a house, unless they are there."""
        rows = self.rows(house)
        with self._lock:
            if self.has(house):
                return
            of, done = rows.stop - rows.start, 0

            def advance(count: int) -> None:
                nonlocal done
                done += count
                progress(done, of)

            advance(of - self._pending(house))
            encode(self._folder, self._encoder, self._store, advance, house=house, workers=workers)
            self.array[rows] = self._store.read(rows)
            self._missing.discard(house)
            if not self._missing:
                self._store.finish()

    def close(self) -> None:
        """Let others make the rest; what is done stays."""
        self._store.close()

    def _pending(self, house: str) -> int:
        rows, pending = self.rows(house), self._store.pending
        return int(((pending >= rows.start) & (pending < rows.stop)).sum())


def _rows(world: World) -> dict[str, slice]:
    ends = np.cumsum([len(graph.ids) for graph in world.graphs]).tolist()
    return {
        house: slice(end - len(graph.ids), end) for house, graph, end in zip(world.houses, world.graphs, ends, strict=True)
    }

"""Features of houses that nobody has encoded: each house is drawn and encoded when it is first entered, and stored.

An agent may look anywhere in its house, so a house is encoded as a whole. Features that a world has already are used as they
are; what cannot be made here, like features that were imported, must be there.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock

import torch

from vnla.agents.policy_state import Views as Tables
from vnla.camera import VIEWS
from vnla.houses.folder import WorldFolder
from vnla.vision.gradual import GradualFeatures, can_grow
from vnla.vision.views import Views
from vnla.world.compiled import World


class OnDemandFeatures:
    """Features that are made house by house. Its `source` is for `open_trained`."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._growing: dict[str, GradualFeatures] = {}
        self._lock = Lock()
        self._works = ThreadPoolExecutor(1, "vnla features")
        self._soon: dict[str, Future[None]] = {}
        self._progress: dict[str, str] = {}

    def source(self, folder: WorldFolder, world: World, name: str) -> Views | None:
        """Return the array of features that have yet to be made; None if nothing has to be made here."""
        from vnla.vision.encoders import EncoderOptions, make_encoder

        if not can_grow(folder, name):
            return None
        if name not in self._growing:
            self._growing[name] = GradualFeatures(folder, world, make_encoder(name, EncoderOptions(device=self._device)))
        array = self._growing[name].array
        return array.reshape(-1, array.shape[-1])

    def has(self, house: str) -> bool:
        """Return whether all of a house can be seen."""
        return all(each.has(house) for each in self._growing.values())

    def soon(self, house: str) -> Future[None]:
        """Return a future that is done when all of a house can be seen. Houses are made one after the other."""
        with self._lock:
            if house not in self._soon or (self._soon[house].done() and self._soon[house].exception()):
                self._soon[house] = self._works.submit(self._make, house)
            return self._soon[house]

    @property
    def under_way(self) -> list[str]:
        """Houses that are being made or have to wait, in their order."""
        with self._lock:
            return [house for house, making in self._soon.items() if not making.done()]

    def show(self, house: str, tables: Tables) -> None:
        """Copy the features of a house into the tables that agents look into."""
        for name, growing in self._growing.items():
            rows = growing.rows(house)
            seen = torch.from_numpy(growing.array[rows]).flatten(0, 1)
            tables[name][rows.start * VIEWS : rows.stop * VIEWS].copy_(seen)

    def doing(self, house: str) -> str:
        """Return how far a house is made, in words."""
        progress = self._progress.get(house, "another house comes first")
        return f"nobody has been in this house, so it is drawn for the agent now: {progress}; this happens once"

    def _make(self, house: str) -> None:
        for growing in self._growing.values():
            self._progress[house] = "the light is switched on"
            growing.make(house, lambda done, of: self._progress.update({house: f"{done} of {of} places"}))

    def close(self) -> None:
        """Cancel what is unfinished."""
        self._works.shutdown(wait=False, cancel_futures=True)
        for growing in self._growing.values():
            growing.close()

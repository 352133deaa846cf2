"""Trains several runs side by side in one process.

A batch of a hundred episodes leaves most of a large GPU idle, so runs that differ in policy, seed or size are trained at the
same time: they share the world, the features and the data set, which are loaded once, and each has its own trainer with its
own lane of the device. One thread gives each lane its next iteration as soon as there is room. A run trained with others
ends with exactly the weights that it has when trained alone.

    train_together([(Path("runs/none"), none), (Path("runs/learned"), learned)], "cuda")
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import torch

from vnla.common.errors import InputError
from vnla.tasks.dataset import read_dataset
from vnla.training.config import RunConfig
from vnla.training.data import RunData
from vnla.training.run import Progress, Run, carry_out, open_run

ProgressOf = Callable[[Path], Progress]
"""A run's folder → what to show of it."""


def train_together(
    runs: Sequence[tuple[Path, RunConfig | None]],
    device: torch.device | str,
    progress: ProgressOf = lambda _: Progress(),
    iterations: int | None = None,
    *,
    eager: bool = False,
) -> int | None:
    """Train runs, new or begun, until each has done its iterations; the signal that ended it earlier, if one did.

    A run that exists keeps its configuration and needs none here. `iterations` ends all of them earlier; `eager` as in
    `Run`.
    """
    paths = [path.absolute() for path, _ in runs]
    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice is not None:
        raise InputError(f"{twice}: the same run was given twice")
    opened = [(path, open_run(path, config)) for path, config in runs]
    # Lanes that share a connection to the device wait for each other; it has to be said before the device is first used.
    os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")
    materials = _Materials(device)
    return carry_out(
        [Run(path, config, materials.of(config), progress(path), iterations, eager=eager) for path, config in opened]
    )


class _Materials:
    """What runs work on, each thing loaded once."""

    def __init__(self, device: torch.device | str) -> None:
        self._device = device
        self._known: dict[tuple[str, str, str], RunData] = {}

    def of(self, config: RunConfig) -> RunData:
        key = config.world, config.features, config.tasks
        if key not in self._known:
            seen = next((each for (world, features, _), each in self._known.items() if (world, features) == key[:2]), None)
            self._known[key] = (
                RunData.load(config, self._device)
                if seen is None
                else replace(seen, dataset=read_dataset(Path(config.tasks)))
            )
        return self._known[key]

"""What a run works on: a world, its features and a data set, loaded and compiled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from vnla.agent.mind import Views
from vnla.houses.folder import WorldFolder, read_world
from vnla.tasks.dataset import Dataset, read_dataset
from vnla.tasks.task_set import TaskSet
from vnla.training.config import SYMBOLIC, RunConfig
from vnla.world.budgets import TimeBudgets
from vnla.world.compiled import World


@dataclass(frozen=True)
class RunData:
    """What a run works on, loaded and compiled."""

    folder: WorldFolder
    dataset: Dataset
    world: World
    views: Views  # (poses, size) each, by the name of the features

    @classmethod
    def load(cls, config: RunConfig, device: torch.device | str = "cpu") -> RunData:
        """The world, the data set and the features that a configuration names."""
        folder = read_world(Path(config.world))
        world = World.compile(folder.houses, device)
        views = {
            name: torch.from_numpy(array).to(device).reshape(-1, array.shape[-1])
            for name, array in _features(config, folder, world).items()
        }
        return cls(folder, read_dataset(Path(config.tasks)), world, views)

    def training_tasks(self) -> TaskSet:
        """The training split."""
        return self._tasks("train", None)

    def evaluation_tasks(self, split: str) -> TaskSet:
        """A split with evaluation's time budgets."""
        return self._tasks(split, self.dataset.budgets)

    def _tasks(self, split: str, budgets: TimeBudgets | None) -> TaskSet:
        """Compiled once, however many runs and validations use them."""
        known = self._compiled.get((split, budgets is None))
        if known is None:
            words = self.dataset.vocabulary
            known = TaskSet.compile(self.world, self.dataset.split(split), budgets, vocabulary=words)
            self._compiled[split, budgets is None] = known
        return known

    @cached_property
    def _compiled(self) -> dict[tuple[str, bool], TaskSet]:
        return {}


def with_tasks(material: RunData, tasks: Path) -> RunData:
    """The same world with another data set, read with the words that the agent knows."""
    return replace(material, dataset=replace(read_dataset(tasks), words=material.dataset.vocabulary))


def _features(config: RunConfig, folder: WorldFolder, world: World) -> dict[str, NDArray[Any]]:
    """What can be seen in a world, by name: one or more sets of features, named with commas between."""
    return {name: _feature(name.strip(), folder, world) for name in config.features.split(",")}


def _feature(name: str, folder: WorldFolder, world: World) -> NDArray[Any]:
    if name == SYMBOLIC:
        from vnla.vision.symbolic import symbolic_features

        return symbolic_features(folder.houses, world).array
    from vnla.vision.store import FeatureStore

    return np.array(FeatureStore.open(folder.path / "features" / name).for_world(world))

"""What a run works on: a world, its features and a data set, loaded and compiled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from vnla.common.errors import InputError
from vnla.houses.folder import WorldFolder, read_world
from vnla.roles.words import Words
from vnla.tasks.dataset import Dataset, read_dataset
from vnla.tasks.task_set import TaskSet
from vnla.training.config import RunConfig
from vnla.world.budgets import TimeBudgets
from vnla.world.compiled import World


@dataclass(frozen=True)
class RunData:
    """What a run works on, loaded and compiled."""

    folder: WorldFolder
    dataset: Dataset
    world: World
    views: Tensor  # (poses, view size)

    @classmethod
    def load(cls, config: RunConfig, device: torch.device | str = "cpu") -> RunData:
        """The world, the data set and the features that a configuration names."""
        folder = read_world(Path(config.world))
        world = World.compile(folder.houses, device)
        return cls(folder, read_dataset(Path(config.tasks)), world, _views(config, folder, world).to(device))

    def training_tasks(self) -> tuple[TaskSet, Words]:
        """The training split with its end-goals."""
        return self._tasks("train", None)

    def evaluation_tasks(self, split: str) -> tuple[TaskSet, Words]:
        """A split with evaluation's time budgets, and its end-goals."""
        return self._tasks(split, self.dataset.budgets)

    def _tasks(self, split: str, budgets: TimeBudgets | None) -> tuple[TaskSet, Words]:
        """Compiled once, however many runs and validations use them."""
        known = self._compiled.get((split, budgets is None))
        if known is None:
            tasks = self.dataset.split(split)
            known = TaskSet.compile(self.world, tasks, budgets), self.end_goals(tasks)
            self._compiled[split, budgets is None] = known
        return known

    @cached_property
    def _compiled(self) -> dict[tuple[str, bool], tuple[TaskSet, Words]]:
        return {}

    def end_goals(self, tasks: Any) -> Words:
        """The end-goals of tasks as tokens."""
        tokens, length = self.dataset.vocabulary.encode([task.end_goal for task in tasks])
        return Words(tokens.to(self.world.device), length.to(self.world.device))


def with_tasks(material: RunData, tasks: Path) -> RunData:
    """The same world with another data set, read with the words that the agent knows."""
    return replace(material, dataset=replace(read_dataset(tasks), words=material.dataset.vocabulary))


def _views(config: RunConfig, folder: WorldFolder, world: World) -> Tensor:
    from vnla.vision.views import world_views  # late: vision knows encoders and houses, training neither

    views = list(world_views(folder, world, config.features).values())
    if len(views) > 1:
        raise InputError(f"features {config.features}: an agent sees one kind; give one name")
    return torch.from_numpy(views[0])

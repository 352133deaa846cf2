"""What a run works on: a world, its features and a data set, loaded and compiled; features on disk are fetched ahead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from numpy.typing import NDArray
from torch import Tensor

from vnla.camera import HEADINGS, VIEWS
from vnla.common.errors import InputError
from vnla.common.progress import Share, unheard
from vnla.common.tables import HOST, DeviceTable, DiskTable, FeatureTable, RepeatedTable, Room, ViewTable, lend, share_of
from vnla.houses.folder import WorldFolder, read_world
from vnla.rollout import RolloutContext
from vnla.tasks.dataset import Dataset, read_dataset
from vnla.tasks.sampling import Fold, some
from vnla.tasks.task_set import TaskSet
from vnla.tasks.vocabulary import Vocabulary
from vnla.training.config import WORDS, RunConfig
from vnla.world.budgets import TimeBudgets
from vnla.world.compiled import World

if TYPE_CHECKING:
    from vnla.vision.probe import LinearProbe
    from vnla.vision.views import Source


@dataclass(frozen=True)
class RunData:
    """What a run works on, loaded and compiled."""

    folder: WorldFolder
    dataset: Dataset
    world: World
    views: Mapping[str, ViewTable]  # (poses, size) each, by the name of the features

    @classmethod
    def load(
        cls,
        config: RunConfig,
        device: torch.device | str = "cpu",
        words: Vocabulary | None = None,
        source: Source | None = None,
        cache: Room | None = None,
    ) -> RunData:
        """The world, the data set and the features that a configuration names, read with other words if they are given;
        features from another source, if it has them. With a `cache` of so many bytes features stay on disk, and no more of
        them is in memory; with that of the host a GPU fetches them from there."""
        folder, dataset = read_world(Path(config.world)), dataset_of(config)
        dataset = dataset if words is None else replace(dataset, words=words)
        world = World.compile(folder.houses, device, config.forward)
        return cls(folder, dataset, world, _views(config, folder, world, dataset.vocabulary, source, cache))

    def training_tasks(self, *, timed: bool = False, fold: str = "") -> TaskSet:
        """Return the training split, or a `fold` of its houses; `timed` as if it were to be evaluated."""
        return self._tasks("train", self.dataset.budgets if timed else None, fold)

    def evaluation_tasks(self, split: str, limit: int | None = None) -> TaskSet:
        """Return a split with evaluation's time budgets, or so many of its tasks, always the same."""
        data = self.dataset
        if limit is None or limit >= len(data.split(split)):
            return self._tasks(split, data.budgets)
        return TaskSet.compile(self.world, some(data.split(split), limit), data.budgets, vocabulary=data.vocabulary)

    def _tasks(self, split: str, budgets: TimeBudgets | None, fold: str = "") -> TaskSet:
        """Tasks are compiled once, however many runs and validations use them.

        A fold is some rows of the whole split with the same environment. So all folds have tables of one shape, and kernels
        for a GPU are compiled once for all of them.
        """
        key = split, budgets is None, fold
        if key not in self._compiled:
            self._compiled[key] = (
                _rows_of(self._tasks(split, budgets), fold)
                if fold
                else TaskSet.compile(self.world, self.dataset.split(split), budgets, vocabulary=self.dataset.vocabulary)
            )
        return self._compiled[key]

    def reader(self, fold: str = "", progress: Share = unheard) -> LinearProbe:
        """What an agent learns to read from views in the houses of the training split, or of a `fold` of them; once."""
        from vnla.training.spotting import learn_to_read  # late: it brings vision along

        if fold not in self._readers:
            houses = {task.house for task in Fold.of_text(fold).tasks(self.dataset.split("train"))}
            self._readers[fold] = learn_to_read(self.folder, self.world, self.views, houses, progress)
        return self._readers[fold]

    @cached_property
    def _readers(self) -> dict[str, LinearProbe]:
        return {}

    @cached_property
    def _compiled(self) -> dict[tuple[str, bool, str], TaskSet]:
        return {}


def _rows_of(tasks: TaskSet, fold: str) -> TaskSet:
    """Return the tasks in the houses of a fold."""
    places = Fold.of_text(fold).places(tasks.tasks)
    if not places:
        raise InputError(f"fold {fold}: there are no tasks to run in it")
    return tasks.rows(places)


def dataset_of(config: RunConfig) -> Dataset:
    """Return the data set of a run, read with the words of the agent that it begins with, if it begins with one."""
    return replace(read_dataset(Path(config.tasks)), words=first_words(config))


def first_words(config: RunConfig) -> Vocabulary | None:
    """Return the words of the agent that a run begins with, if it begins with one that says which it knows."""
    path = Path(config.begins_with) / WORDS
    return Vocabulary.read(path) if config.begins_with and path.is_file() else None


def with_tasks(material: RunData, tasks: Path) -> RunData:
    """Return the same world with another data set, read with the words that the agent knows."""
    return replace(material, dataset=replace(read_dataset(tasks), words=material.dataset.vocabulary))


def _views(
    config: RunConfig, folder: WorldFolder, world: World, words: Vocabulary, source: Source | None, cache: Room | None
) -> dict[str, ViewTable]:
    from vnla.vision.views import in_store, view_names, world_views  # late: vision brings encoders and houses along

    limit = cache if isinstance(cache, int) else None
    on_disk = [name for name in view_names(config.features) if limit is not None and in_store(name)]
    others = ",".join(name for name in view_names(config.features) if name not in on_disk)
    found = world_views(folder, world, others, words, source, once=True) if others else {}
    share = share_of(limit or 0, len(on_disk))
    tables = {name: _table(folder, world, name, share) for name in on_disk}
    return {
        name: tables[name] if name in tables else _placed(found[name], world, lent=cache == HOST and in_store(name))
        for name in view_names(config.features)
    }


def _placed(views: NDArray[Any], world: World, *, lent: bool) -> Tensor | RepeatedTable:
    """Return what is seen, on the world's device, or `lent` to it; level views once, whoever else shows them."""
    from vnla.vision.level import LEVEL_SHOWN

    rows = lend(views, world.device) if lent else torch.from_numpy(views).to(world.device)
    return rows if len(rows) == len(world.ids) * VIEWS else RepeatedTable(rows, HEADINGS, LEVEL_SHOWN)


def _table(folder: WorldFolder, world: World, name: str, limit: int) -> FeatureTable:
    """Features that stay on disk. They are read through once, as those that are read into memory are: an agent that learns
    from damaged ones learns nonsense, and nobody is told."""
    from vnla.vision.store import ARRAY, viewpoints_of, world_features

    store = world_features(folder, name)
    if store.header.viewpoints != viewpoints_of(world):
        raise InputError(f"{store.path}: has its viewpoints in another order than the world; go without --feature-cache")
    store.verify()
    given = store.path / ARRAY, store.header.dimension, world.first.cpu(), store.file_views, limit, store.shown
    return DiskTable(*given) if world.device.type == "cpu" else DeviceTable(*given, device=world.device)


FURTHER = 2
"""Iterations that are looked at ahead."""


class Prefetcher:
    """Has the features of iterations ready where they are not all in memory (`vnla.common.tables`).

    The tasks of an iteration are known beforehand, and an episode stays in the house of its task.
    """

    def __init__(self, context: RolloutContext, tasks: TaskSet, numbers: Callable[[int], Tensor]) -> None:
        """`numbers` gives the tasks of an iteration, on the host."""
        self._tables, self._numbers = context.tables, numbers
        self._houses = tasks.houses() if self._tables else torch.empty(0)

    def ready(self, iteration: int) -> None:
        """What an iteration needs is there; what the next ones need is on its way."""
        if self._tables:
            self.have(self._numbers(iteration))
            for further in range(iteration + 1, iteration + 1 + FURTHER):
                expected = self._in(self._numbers(further).tolist())
                for table in self._tables:
                    table.expect(expected)

    def have(self, numbers: Tensor) -> None:
        """What tasks with these numbers need is there."""
        for table in self._tables:
            table.need(self._in(numbers.tolist()))

    def _in(self, numbers: Iterable[int]) -> list[int]:
        return list(dict.fromkeys(self._houses[list(numbers)].tolist()))

"""What can be looked for: the tasks of a data set by their ids, and any end-goal that a house can fulfil.

An end-goal that somebody types gets the start and the time that the data set would have given it: it becomes one of the data
points that the recipe makes of the house, chosen by the seed.
"""

from __future__ import annotations

from functools import cached_property
from threading import Lock

import numpy as np

from vnla.common.errors import InputError
from vnla.tasks.buckets import Filters
from vnla.tasks.points import HousePoints, house_points
from vnla.tasks.recipes import RECIPES, DatasetRecipe
from vnla.tasks.records import RecordMaker
from vnla.tasks.task import Task, tasks_of
from vnla.training.data import RunData

SPLITS = ("test_unseen", "test_seen", "val_unseen", "val_seen")
"""Where tasks come from, the first that has any first: agents were trained on none of them."""


class Goals:
    """All that can be looked for in a world."""

    def __init__(self, material: RunData) -> None:
        self._material = material
        self.houses = {house.name: house for house in material.folder.houses}
        self._points: dict[str, HousePoints] = {}
        self._known: dict[str, list[str]] = {}
        self._lock = Lock()

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """Id → task."""
        dataset = self._material.dataset
        return {task.id: task for split in reversed(SPLITS) if split in dataset.paths for task in dataset.split(split)}

    @cached_property
    def offered(self) -> tuple[Task, ...]:
        """The tasks to choose from where nobody has chosen: of houses that the agent has not seen, if there are any."""
        dataset = self._material.dataset
        found = (dataset.split(split) for split in SPLITS if split in dataset.paths)
        return next((tasks for tasks in found if tasks), ())

    def named(self, task: str) -> Task | None:
        """The task of that id. Most are offered ones, for which the other splits need not be read."""
        return self._offered.get(task) or self.tasks.get(task)

    @cached_property
    def _offered(self) -> dict[str, Task]:
        return {task.id: task for task in self.offered}

    def known(self, house: str) -> list[str]:
        """The end-goals in words that the agent knows which a house can fulfil, and which can be reached from somewhere."""
        if house not in self._known:
            self._known[house] = self._find(house)
        return self._known[house]

    def _find(self, house: str) -> list[str]:
        points, words = self._points_of(house), self._material.dataset.vocabulary
        reached = [points.buckets[i].end_goal for i in sorted(set(points.bucket.tolist()))]
        return [end_goal for end_goal in reached if all(word in words for word in end_goal.split())]

    def task(self, house: str, end_goal: str, seed: int) -> Task:
        """The task of an end-goal, in words as `known` has them."""
        points = self._points_of(house)
        numbers = [i for i, bucket in enumerate(points.buckets) if bucket.end_goal == end_goal]
        places = np.flatnonzero(np.isin(points.bucket, numbers)).tolist()
        if not places:
            raise InputError(f"there is nothing in this house to fulfil: {end_goal.removesuffix(' .')}")
        place = places[seed % len(places)]
        record = RecordMaker(points, self._recipe)(place)
        return next(tasks_of(record, "a task"))

    def _points_of(self, house: str) -> HousePoints:
        with self._lock:
            if house not in self._points:
                self._points[house] = house_points(self.houses[house], self._filters, self._recipe, seed=0)
            return self._points[house]

    @cached_property
    def _recipe(self) -> DatasetRecipe:
        return RECIPES[self._material.dataset.task]

    @cached_property
    def _filters(self) -> Filters:
        return Filters.of(self._material.folder.houses, rooms=self._recipe.rooms, fewest=1)


def sentence(end_goal: str) -> str:
    """An end-goal as people write it."""
    return f"{end_goal.removesuffix(' .').capitalize()}."

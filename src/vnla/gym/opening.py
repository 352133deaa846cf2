"""What an environment works on, opened from what a program names: houses, a data set, features, pictures, an advisor.

Names and folders are those of a run (`vnla.training.data`); what is given ready-made is taken as it is.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vnla.assistance.advisor import Advisor, BoundAdvisor, TemplateAdvisor
from vnla.camera import VIEWS, view_angles
from vnla.common.errors import InputError
from vnla.common.registry import build
from vnla.houses.cottage import cottage
from vnla.houses.folder import WorldFolder, read_world
from vnla.houses.house import House
from vnla.houses.images import world_images
from vnla.language.registry import ADVISORS
from vnla.tasks.cottage import cottage_tasks
from vnla.tasks.dataset import Dataset, read_dataset
from vnla.tasks.task import Task, read_tasks
from vnla.tasks.task_set import TaskSet
from vnla.tasks.vocabulary import Vocabulary
from vnla.vision.symbolic import NAME as SYMBOLIC
from vnla.vision.symbolic import SymbolicFeatures, symbolic_features
from vnla.vision.views import world_views
from vnla.world.budgets import TimeBudgets
from vnla.world.compiled import World
from vnla.world.forward import INFORMED

TRAINING, EVALUATION, LONGEST = "training", "evaluation", "longest"
BUDGETS = (TRAINING, EVALUATION, LONGEST)
"""Time budgets by name: by the teacher's ways to the goals, those of the data set for evaluation, and as long as can be."""
_KEPT = 16
"""Viewpoints whose pictures are kept: at 640 × 480 they take 12 MB each."""

PathName = str | os.PathLike[str]


@dataclass(frozen=True)
class OpenedWorld:
    """Houses, with the folder that they came from if they did."""

    folder: WorldFolder | None
    houses: Sequence[House] | None
    world: World

    @classmethod
    def of(cls, houses: Sequence[House] | None, world: World | PathName | None, forward: str | None) -> OpenedWorld:
        """The cottage unless told otherwise."""
        if isinstance(world, World):
            return cls(None, houses, world if forward is None else world.with_forward(forward))
        folder = world if isinstance(world, WorldFolder) else None
        if folder is None and world is not None:
            folder = read_world(Path(world))
        if folder is not None:
            houses = folder.houses
        elif houses is None:
            houses = [cottage()]
        return cls(folder, houses, World.compile(houses or (), forward=forward or INFORMED))

    def features(self, chosen: str | NDArray[Any] | SymbolicFeatures | None) -> NDArray[Any] | SymbolicFeatures:
        """Features as they are given, or of a name, or of several with commas between, side by side: what a run's
        `features` names. Without any they are symbolic."""
        if chosen is not None and not isinstance(chosen, str):
            return chosen
        if self.houses is None:
            raise InputError("features: a world alone has no objects to see; give `houses` too, or `features`")
        if chosen in (None, SYMBOLIC):
            return symbolic_features(self.houses, self.world)
        if self.folder is None:
            raise InputError(f"features {chosen!r}: lie in a world folder; give the folder's path as `world`")
        found = list(world_views(self.folder, self.world, str(chosen)).values())
        joined = found[0] if len(found) == 1 else np.concatenate([each.astype(np.float32) for each in found], axis=1)
        return joined.reshape(len(self.world.ids), VIEWS, -1)


@dataclass(frozen=True)
class OpenedTasks:
    """Tasks, with the data set that they came from if they did."""

    tasks: Sequence[Task]
    dataset: Dataset | None = None
    split: str = ""

    @classmethod
    def of(cls, tasks: Sequence[Task] | PathName | None, split: str | None, world: World) -> OpenedTasks:
        """Those of a list, of an AskNav file, or of a split of a data set folder; of the cottage unless told otherwise."""
        if isinstance(tasks, Dataset) or (isinstance(tasks, str | os.PathLike) and Path(tasks).is_dir()):
            dataset = tasks if isinstance(tasks, Dataset) else read_dataset(Path(tasks))
            return cls(dataset.split(split or "train"), dataset, split or "train")
        if split is not None:
            raise InputError(f"split {split!r}: is one of a data set folder; give the folder's path as `tasks`")
        if tasks is None:
            return cls(cottage_tasks(world))
        return cls(read_tasks(Path(tasks)) if isinstance(tasks, str | os.PathLike) else tasks)

    def compiled(self, world: World, budgets: TimeBudgets | str | None, longest: int) -> TaskSet:
        """Made ready to run, no episode longer than `longest`."""
        task_set = TaskSet.compile(world, self.tasks, self._budgets(budgets, longest), longest)
        return replace(task_set, time_budget=task_set.time_budget.clamp(max=longest))

    def _budgets(self, chosen: TimeBudgets | str | None, longest: int) -> TimeBudgets | None:
        """Time budgets for evaluation; None for those of training, which a data set's training split has unless told
        otherwise."""
        if chosen is None:
            chosen = TRAINING if self.dataset is None or self.split == "train" else EVALUATION
        if isinstance(chosen, TimeBudgets):
            return chosen
        if chosen not in BUDGETS:
            raise InputError(f"budgets={chosen!r}: choose {', '.join(BUDGETS)}, or give `TimeBudgets`")
        if chosen == EVALUATION and self.dataset is None:
            raise InputError('budgets="evaluation": are those of a data set folder; give the folder\'s path as `tasks`')
        if chosen == LONGEST:
            return TimeBudgets(longest=longest)
        return None if chosen == TRAINING or self.dataset is None else self.dataset.budgets

    def vocabulary(self, chosen: Vocabulary | PathName | None, advisor: Advisor) -> Vocabulary:
        """The words of the data set, or of a file, or of the tasks, and what else the advisor may say."""
        if chosen is not None:
            words = chosen if isinstance(chosen, Vocabulary) else Vocabulary.read(Path(chosen))
        elif self.dataset is not None:
            words = self.dataset.vocabulary
        else:
            words = Vocabulary.build(task.end_goal for task in self.tasks)
        return words.with_words(advisor.words())


def open_advisor(chosen: Advisor | str | None, options: Mapping[str, Any] | None) -> Advisor:
    """An advisor that was made, or one of a name and options; without a name the paper's."""
    if isinstance(chosen, Advisor):
        if options:
            raise InputError("advisor_options: are for an advisor that is named; this one was made already")
        return chosen
    if chosen is None and not options:
        return TemplateAdvisor()
    return build("advisor", chosen or "template", ADVISORS, options or {}, Advisor)


def bind(advisor: Advisor, place: OpenedWorld, words: Vocabulary) -> BoundAdvisor:
    """The advisor ready to speak in some houses; one that speaks of what is in them needs their folder."""
    device = place.world.device
    if place.folder is None:
        return advisor.ready(words, device)
    return advisor.ready_in(place.folder, place.world, words, device)


class FolderPictures:
    """The pictures of a world folder, one view at a time: (house, viewpoint, heading, elevation, width, height) → RGB."""

    def __init__(self, folder: WorldFolder, width: int, height: int) -> None:
        self._images = world_images(folder, (width, height))
        self._houses = {house.name: house for house in folder.houses}
        lacking = [name for name, house in self._houses.items() if not self._images.source.has(house)]
        if lacking:
            raise InputError(f"{folder.path}: there are no pictures of house {lacking[0]}")
        self._faces = lru_cache(_KEPT)(self._images.faces)
        self._angles = np.stack(view_angles(), axis=1)  # (36, 2)

    def __call__(
        self, house: str, viewpoint: str, heading: float, elevation: float, width: int, height: int
    ) -> NDArray[np.uint8]:
        """What is seen."""
        from vnla.houses.render.panorama import views_of  # late: it compiles

        view = int(np.abs(self._angles - (heading, elevation)).sum(axis=1).argmin())
        stand = self._houses[house].viewpoints[self._houses[house].number[viewpoint]]
        faces = self._faces(house, viewpoint)
        picture: NDArray[np.uint8] = views_of(faces, width, height, rotation=stand.rotation, only=slice(view, view + 1))[0]
        return picture

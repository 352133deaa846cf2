"""What a server offers: the tasks, the advisor, and what is shown."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from vnla.assistance.advisor import Advisor, TemplateAdvisor
from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.houses.folder import WorldFolder, read_world
from vnla.houses.pictures import picture_source
from vnla.observation import EXITS, PICTURES, TEXT, TEXT_AROUND, Observation
from vnla.remote.episode import EvaluationEpisode, EvaluationRules
from vnla.remote.evaluated_agent import WIDTH, Declaration
from vnla.remote.evaluation import observed, tasks_checksum
from vnla.remote.observer import WorldObserver
from vnla.tasks.cottage import cottage_tasks
from vnla.tasks.dataset import read_dataset
from vnla.tasks.sampling import subset
from vnla.tasks.task import Task
from vnla.tasks.task_set import TaskSet
from vnla.tasks.vocabulary import Vocabulary
from vnla.vision.store import world_checksum
from vnla.world.budgets import HELP_RATIO, TimeBudgets
from vnla.world.compiled import World
from vnla.world.forward import INFORMED

NAME = "mcp"
"""What a client is called in what is kept."""
OBSERVES = {
    "text": (TEXT,),
    "picture": (PICTURES,),
    "both": (TEXT, PICTURES),
    "around": (TEXT, TEXT_AROUND, EXITS),
    "all": (TEXT, PICTURES, TEXT_AROUND, EXITS),
}
"""What clients can be shown, and the keys of an observation that it is made of."""
COTTAGE_SPLIT = "cottage"
"""What the split of the embedded house is called."""
_NO_FOLDER = Path(os.devnull) / COTTAGE_SPLIT  # in which nothing is found, and nothing can be kept


@dataclass(frozen=True)
class EpisodeTerms:
    """What determines the episodes of a server."""

    seed: int = 123
    """Of the help budgets."""
    subset: int | None = None
    observe: str | None = None
    """One of `OBSERVES`; None for words, and pictures where the world has them."""
    picture_width: int = WIDTH
    ratio: float = HELP_RATIO
    advisor: Advisor | None = None
    """None for the paper's."""
    advisor_settings: tuple[tuple[str, Any], ...] = ()
    """What is written down of an advisor that is not the paper's."""
    forward: str = INFORMED


@dataclass(frozen=True)
class OfferedTasks:
    """The tasks of a server, ready to be walked. Several threads may use it."""

    rules: EvaluationRules
    observer: WorldObserver
    declaration: Declaration
    split: str
    terms: EpisodeTerms
    world_name: Any
    """What tells the world from another: a checksum, or the names of its houses."""

    @classmethod
    def of_world(cls, world: Path, tasks: Path, split: str, terms: EpisodeTerms) -> OfferedTasks:
        """The tasks of a split of a data set, in a world's folder."""
        folder, dataset = read_world(world), read_dataset(tasks)
        compiled = World.compile(folder.houses, forward=terms.forward)
        rules = EvaluationRules.of(
            compiled, dataset, split, advisor=terms.advisor, folder=folder, ratio=terms.ratio, chosen=terms.subset
        )
        houses = {task.house for task in rules.tasks.tasks}
        return cls._shown(rules, folder, split, terms, has_pictures=_has_pictures(folder, houses))

    @classmethod
    def of_cottage(cls, terms: EpisodeTerms) -> OfferedTasks:
        """The six tasks of the embedded house, which has no pictures."""
        house = cottage()
        folder = WorldFolder(_NO_FOLDER, (house,), {}, {})
        world = World.compile(folder.houses, forward=terms.forward)
        every = cottage_tasks(world)
        advisor = terms.advisor or TemplateAdvisor()
        words = Vocabulary.build(task.end_goal for task in every).with_words(advisor.words())
        chosen = every if terms.subset is None else subset(every, terms.subset)
        tasks = TaskSet.compile(world, chosen, TimeBudgets(), vocabulary=words)
        rules = EvaluationRules(tasks, advisor, advisor.ready_in(folder, world, words), terms.ratio)
        return cls._shown(rules, folder, COTTAGE_SPLIT, terms, has_pictures=False)

    @classmethod
    def _shown(
        cls, rules: EvaluationRules, folder: WorldFolder, split: str, terms: EpisodeTerms, *, has_pictures: bool
    ) -> OfferedTasks:
        observe = terms.observe or ("both" if has_pictures else "text")
        observes = OBSERVES[observe]
        if PICTURES in observes and not has_pictures:
            where = "the embedded cottage" if split == COTTAGE_SPLIT else str(folder.path)
            others = ", ".join(name for name, keys in OBSERVES.items() if PICTURES not in keys)
            raise InputError(f"--observe {observe}: {where} has no pictures; choose {others}, or another --world")
        declaration = Declaration(NAME, observes, picture_width=terms.picture_width)
        observer = WorldObserver(declaration, folder, rules.tasks.environment.world)
        name = world_checksum(folder) or sorted(house.name for house in folder.houses)
        return cls(rules, observer, declaration, split, terms, name)

    @property
    def tasks(self) -> Sequence[Task]:
        """The tasks, in their order."""
        return self.rules.tasks.tasks

    @cached_property
    def number(self) -> dict[str, int]:
        """Id of a task → its place among them."""
        return {task.id: number for number, task in enumerate(self.tasks)}

    def shows(self, key: str) -> bool:
        """Whether clients observe this key."""
        return key in self.declaration.observes

    def begin(self, task: str) -> EvaluationEpisode:
        """An episode of a task, from its beginning."""
        return self.rules.begin(self.number[task], self.terms.seed)

    def observed(self, episode: EvaluationEpisode) -> Observation:
        """What a client observes of an episode now."""
        return observed(episode, self.rules, self.observer)

    def settings(self) -> dict[str, Any]:
        """All that determines the outcome, but for the client."""
        terms = self.terms
        return {
            "agent": NAME,
            "observes": list(self.declaration.observes),
            "picture_width": terms.picture_width,
            "world": self.world_name,
            "split": self.split,
            "subset": terms.subset,
            "tasks": tasks_checksum(self.tasks),
            "seeds": [terms.seed],
            "ratio": terms.ratio,
            "k": self.rules.advisor.k,
            "forward": terms.forward,
            **dict(terms.advisor_settings),
        }


def _has_pictures(folder: WorldFolder, houses: set[str]) -> bool:
    """Whether every one of these houses has pictures."""
    source = picture_source(folder)
    return all(source.has(house) for house in folder.houses if house.name in houses)

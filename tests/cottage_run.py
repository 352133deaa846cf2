"""A world folder and a data set of the cottage on disk, for tests of whole runs."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from vnla.common.batching import Batching
from vnla.houses.cottage import cottage
from vnla.houses.folder import write_world
from vnla.houses.house import House
from vnla.tasks.cottage import cottage_tasks
from vnla.tasks.task import Task
from vnla.training.config import RunConfig
from vnla.training.context import make_agent, make_context, make_practice
from vnla.training.data import RunData
from vnla.training.trainer import Trainer
from vnla.world.compiled import World

SPLITS = ("train", "val_seen", "val_unseen", "test_seen", "test_unseen")


def write_cottage(folder: Path, houses: int = 1) -> tuple[Path, Path]:
    """The world folder and the data set folder; every split has the cottage's six tasks, in each of so many like it."""
    street = [cottage(), *(replace(cottage(), name=f"cottage{number}") for number in range(1, houses))]
    return _written(folder, street, cottage_records(*(house.name for house in street)))


def write_severed(folder: Path) -> tuple[Path, Path]:
    """The same of a cottage without stairs, with tasks on each of its floors, which cannot be reached from each other."""
    return _written(folder, [severed()], [_record(task, i) for i, task in enumerate(severed_tasks())])


def severed() -> House:
    """The cottage without the step from the foot of its stairs."""
    return replace(cottage(), edges=tuple(edge for edge in cottage().edges if edge != (7, 8)))


def severed_tasks() -> list[Task]:
    """Two tasks downstairs and two upstairs."""
    down, up = _six()[1], _six()[5]
    return [
        replace(down, id="0"),
        replace(down, id="1", start="entryway"),
        replace(up, id="2", start="bathroom"),
        replace(up, id="3", start="landing"),
    ]


def _written(folder: Path, street: Sequence[House], records: Sequence[dict[str, Any]]) -> tuple[Path, Path]:
    world = folder / "world"
    write_world(world, street, source="drawn", splits={"train": [house.name for house in street]})
    tasks = folder / "tasks"
    tasks.mkdir()
    for split in SPLITS:
        (tasks / f"asknav_{split}.json").write_text(json.dumps(records))
    return world, tasks


def cottage_records(*houses: str) -> list[dict[str, Any]]:
    """The cottage's six tasks as the records of a data set, in each of some houses like it."""
    tasks_here = [replace(task, house=house) for house in houses or ("cottage",) for task in _six()]
    return [_record(task, i) for i, task in enumerate(tasks_here)]


@cache
def _six() -> list[Task]:
    return cottage_tasks(World.compile([cottage()]))


def _record(task: Task, number: int) -> dict[str, Any]:
    return {
        "scan": task.house,
        "path_id": number,
        "heading": task.heading * math.pi / 6,
        "instructions": [task.end_goal],
        "paths": [[task.start, goal] for goal in task.goals],
        "trajectories": [[[0, 1, 0]] * (length - 1) + [[0, 0, 0]] for length in task.lengths],
        "start_region_name": task.start_room,
        "end_region_name": task.goal_room,
        "object_name": task.object,
    }


def practice_gradients(config: RunConfig, data: RunData, *, fixed: bool = False) -> dict[str, Tensor]:
    """The gradients of an iteration with practice; a `fixed` batch keeps its size."""
    agent = make_agent(config, data)
    context = replace(make_context(config, data, agent, training=True), batching=Batching(fixed=fixed))
    practice = make_practice(config, data, agent)
    asks = config.aim.teaches_asking(config.policy)
    trainer = Trainer(
        context, data.training_tasks(), config.training, learns_to_ask=asks, objective=config.aim, practice=practice
    )
    which = torch.arange(4)
    trainer.learned(trainer.played(which, torch.full_like(which, 3)))
    return {name: each.grad for name, each in agent.named_parameters() if each.grad is not None}

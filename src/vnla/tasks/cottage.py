"""A few tasks in the hand-drawn cottage, for the demo, the examples and the tests."""

from __future__ import annotations

from dataclasses import replace

import torch

from vnla.tasks.task import Task
from vnla.tasks.task_set import TaskSet, teacher_trajectories
from vnla.world.compiled import Environment, World

# start, heading step, end-goal, goals, start room, goal room, object
_TASKS: tuple[tuple[str, int, str, tuple[str, ...], str, str, str], ...] = (
    ("entryway", 9, "find a towel in the bathroom .", ("bathroom",), "entryway", "bathroom", "towel"),
    ("living_west", 6, "find a towel in the kitchen .", ("kitchen",), "living room", "kitchen", "towel"),
    ("kitchen", 10, "find a bed in one of the bedrooms .", ("bedroom_east", "bedroom_west"), "kitchen", "bedroom", "bed"),
    ("bathroom", 0, "find an armchair in the living room .", ("living_east",), "bathroom", "living room", "armchair"),
    (
        "living_west",
        5,
        "find a picture in one of the hallways .",
        ("hall_north", "landing"),
        "living room",
        "hallway",
        "picture",
    ),
    ("stairs_foot", 6, "find curtains in one of the bedrooms .", ("bedroom_east",), "stairs", "bedroom", "curtains"),
)


def cottage_tasks(world: World) -> list[Task]:
    """Return the tasks; `world` has the cottage in it."""
    return [_with_lengths(world, Task(str(i), "cottage", *fields[:4], (), *fields[4:])) for i, fields in enumerate(_TASKS)]


def _with_lengths(world: World, task: Task) -> Task:
    alone = Environment.compile(world, [(task.house, [goal]) for goal in task.goals])
    start = TaskSet.compile(world, [replace(task, lengths=(1,))]).start
    _, lengths = teacher_trajectories(
        alone, start.expand(len(task.goals)), torch.arange(len(task.goals), device=world.device)
    )
    return replace(task, lengths=tuple(lengths.tolist()))

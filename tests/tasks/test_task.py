"""AskNav records in, tasks out, and what is said of bad ones."""

from __future__ import annotations

import copy
import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch

from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.tasks.cottage import cottage_tasks
from vnla.tasks.task import Task, read_tasks
from vnla.tasks.task_set import TaskSet, teacher_trajectories
from vnla.world.budgets import TimeBudgets
from vnla.world.compiled import World

RECORD: dict[str, Any] = {
    "scan": "cottage",
    "path_id": 7,
    "heading": 4.71238898038469,
    "instructions": ["find a towel in the bathroom .", "find a towel in the bathroom ."],
    "paths": [["entryway", "hall_south", "bathroom"], ["entryway", "hall_south", "kitchen"]],
    "trajectories": [[[0, 1, 0], [1, 0, 0], [0, 0, 0]], [[1, 0, 0], [0, 0, 0]]],
    "start_region_name": "entryway",
    "end_region_name": "bathroom",
    "object_name": "towel",
}


def written(folder: Path, records: object) -> Path:
    path = folder / "asknav_train.json"
    path.write_text(json.dumps(records))
    return path


def test_each_instruction_of_a_record_is_a_task(tmp_path: Path) -> None:
    first, second = read_tasks(written(tmp_path, [RECORD]))
    assert first == Task(
        "7_0",
        "cottage",
        "entryway",
        9,
        "find a towel in the bathroom .",
        ("bathroom", "kitchen"),
        (3, 2),
        "entryway",
        "bathroom",
        "towel",
    )
    assert second.id == "7_1"


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("scan", None, "record 1: field scan is missing"),
        ("scan", 5, "field scan: expected str, found a number"),
        ("heading", "north", "field heading: expected int or float, found text"),
        ("heading", 0.3, "field heading: 0.3 is not a multiple of 30 degrees"),
        ("heading", math.nan, "field heading: nan is not a multiple"),
        ("instructions", [], "field instructions is empty"),
        ("instructions", [""], "field instructions: entry 0 is not a sentence"),
        ("paths", [["entryway"], []], "field paths: entry 1 is not a list of viewpoint ids"),
        ("paths", [["entryway", "a"], ["kitchen", "b"]], "they begin at different viewpoints"),
        ("trajectories", [[[0, 0, 0]], [[1, 0, 0], 5]], "field trajectories: entry 1 is not a list of \\[index, heading"),
        ("object_name", 3, "field object_name: expected str, found a number"),
        ("trajectories", [[[0, 0, 0]]], "field trajectories: expected one non-empty list of actions for each of 2 paths"),
    ],
)
def test_a_bad_record_is_named_with_its_field(tmp_path: Path, field: str, value: object, complaint: str) -> None:
    bad = copy.deepcopy(RECORD)
    if value is None:
        del bad[field]
    else:
        bad[field] = value
    with pytest.raises(InputError, match=complaint):
        read_tasks(written(tmp_path, [RECORD, bad]))


@pytest.mark.parametrize("content", [{}, RECORD])
def test_a_file_that_is_no_list_is_refused(tmp_path: Path, content: object) -> None:
    with pytest.raises(InputError, match="expected a list of AskNav records, found an object"):
        read_tasks(written(tmp_path, content))


def test_a_record_inside_another_is_an_object_like_any(tmp_path: Path) -> None:
    assert len(read_tasks(written(tmp_path, [{**RECORD, "notes": RECORD}]))) == 2
    with pytest.raises(InputError, match="record 0: field scan: expected str, found an object"):
        read_tasks(written(tmp_path, [{**RECORD, "scan": RECORD}]))


def test_a_task_set_holds_every_task_and_shares_goal_sets() -> None:
    world = World.compile([cottage()])
    tasks = cottage_tasks(world)
    doubled = TaskSet.compile(world, [*tasks, *tasks])
    assert len(doubled) == 2 * len(tasks)
    assert len(doubled.environment.start) == len({task.goals for task in tasks})
    assert torch.equal(doubled.goals[: len(tasks)], doubled.goals[len(tasks) :])
    assert [world.ids[pose // VIEWS] for pose in doubled.start.tolist()[: len(tasks)]] == [task.start for task in tasks]


def test_the_cottages_tasks_obey_the_papers_filters() -> None:
    """Five to 25 actions to every goal, and no goal next to the start (appendix). The first is worked out by hand in
    tests/test_world.py: 16 actions."""
    house = cottage()
    tasks = cottage_tasks(World.compile([house]))
    assert tasks[0].lengths == (16,)
    for task in tasks:
        assert all(5 <= length <= 25 for length in task.lengths)
        beside = {house.viewpoints[i].id for i in house.neighbours[house.number[task.start]]}
        assert not beside & set(task.goals)


def test_time_budgets_are_the_trainings_without_and_the_evaluations_with_a_table() -> None:
    world = World.compile([cottage()])
    tasks = cottage_tasks(world)
    assert TaskSet.compile(world, tasks).time_budget[2] == round(sum(tasks[2].lengths) / 2)
    table = TimeBudgets({(tasks[2].start_room, tasks[2].goal_room): 17.4})
    assert TaskSet.compile(world, tasks, table).time_budget.tolist() == [25, 25, 17, 25, 25, 25]


def test_trajectories_longer_than_allowed_are_marked() -> None:
    world = World.compile([cottage()])
    tasks = TaskSet.compile(world, cottage_tasks(world)[:1])
    _, enough = teacher_trajectories(tasks.environment, tasks.start, tasks.goals, longest=16)
    _, short = teacher_trajectories(tasks.environment, tasks.start, tasks.goals, longest=15)
    assert enough.tolist() == [16]
    assert short.tolist() == [16]
    _, shorter = teacher_trajectories(tasks.environment, tasks.start, tasks.goals, longest=10)
    assert shorter.tolist() == [11]


def test_compressed_files_are_read_and_damaged_ones_named(tmp_path: Path) -> None:
    path = tmp_path / "asknav_train.json.gz"
    path.write_bytes(gzip.compress(json.dumps([RECORD]).encode()))
    assert read_tasks(path) == read_tasks(written(tmp_path, [RECORD]))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"asknav_train.json.gz: is damaged or not compressed by gzip"):
        read_tasks(path)
    path.write_text("[]")
    with pytest.raises(InputError, match="is damaged or not compressed by gzip"):
        read_tasks(path)
    path.write_bytes(gzip.compress(b"[\xff]"))
    with pytest.raises(InputError, match="byte 1, unpacked, is not UTF-8 text"):
        read_tasks(path)

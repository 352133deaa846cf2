"""A data set in numbers and pictures."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from vnla.report.task_figures import figures
from vnla.tasks.statistics import PAPER, split_statistics
from vnla.tasks.task import Task


def task(number: int, lengths: tuple[int, ...], start: str, goal: str, thing: str, house: str = "a") -> Task:
    goals = tuple(f"v{i}" for i in range(len(lengths)))
    return Task(f"{number}_0", house, "s", 0, f"find {thing} .", goals, lengths, start, goal, thing)


TASKS = [
    task(0, (5, 10), "hallway", "bedroom", "bed"),
    task(1, (12,), "hallway", "bathroom", "towel"),
    task(2, (9,), "kitchen", "bathroom", "towel"),
    task(3, (25,), "kitchen", "attic", "box", "b"),
    task(4, (10,), "hallway", "attic", "box"),
]


def test_figures_of_five_points() -> None:
    """Six paths of 5, 10, 12, 9, 25 and 10 actions: four of ten or more, 71 actions in all."""
    found = split_statistics(TASKS)
    assert (found.points, found.goals, found.buildings, found.end_goals) == (5, 6, 2, 4)
    assert found.mean_actions == pytest.approx(71 / 6)
    assert found.long_share == pytest.approx(4 / 6)
    assert list(found.objects.items()) == [("box", 2), ("towel", 2), ("bed", 1)]
    assert list(found.start_rooms.items()) == [("hallway", 3), ("kitchen", 2)]
    assert list(found.goal_rooms.items()) == [("attic", 2), ("bathroom", 2), ("bedroom", 1)]
    assert found.lengths == {5: 1, 9: 1, 10: 2, 12: 1, 25: 1}


def test_an_empty_split_has_no_means() -> None:
    found = split_statistics([])
    assert found.mean_actions is None and found.long_share is None


def test_the_papers_tables() -> None:
    """Of Table 1: 94,798 training points with 139,757 goals; of Table 5: 78,011 with 136,835."""
    assert PAPER["asknav"]["train"] == (94_798, 139_757)
    assert PAPER["noroom"]["train"] == (78_011, 136_835)
    assert sum(size.points for size in PAPER["asknav"].values()) == 114_595


def test_a_picture_for_each_figure_with_data() -> None:
    splits = {split: split_statistics(TASKS) for split in ("train", "test_seen", "test_unseen")}
    drawn = figures(splits)
    assert set(drawn) == {"objects", "start_rooms", "goal_rooms", "path_lengths"}
    for image in drawn.values():
        picture = Image.open(io.BytesIO(image))
        assert picture.format == "PNG" and picture.width > 2 * picture.height > 0
    roomless = [task(0, (7,), "hallway", "", "bed")]
    assert "goal_rooms" not in figures({"train": split_statistics(roomless)})
    assert figures({"train": split_statistics([])}).keys() == {"path_lengths"}

"""Parts of the training houses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cottage_players import TASKS
from vnla.common.errors import InputError
from vnla.tasks.sampling import Fold
from vnla.tasks.task import Task


def tasks(houses: int) -> list[Task]:
    return [replace(TASKS.tasks[0], house=f"house{i % houses}", id=str(i)) for i in range(3 * houses)]


def test_parts_have_each_house_once_and_the_others_have_the_rest() -> None:
    every = tasks(7)
    parts = [Fold.of_text(f"{part}/3").tasks(every) for part in (1, 2, 3)]
    houses = [{task.house for task in part} for part in parts]
    assert [len(each) for each in houses] == [3, 2, 2] and set.union(*houses) == {task.house for task in every}
    assert sum(map(len, parts)) == len(every)
    rest = Fold.of_text("-2/3").tasks(every)
    assert {task.house for task in rest} == houses[0] | houses[2]
    assert Fold.of_text("").tasks(every) == Fold.of_text("1/1").tasks(every) == every


@pytest.mark.parametrize("text", ["2", "0/3", "4/3", "a/b", "-1/1", "1/0", "../3", "1/3/4"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="expected a part of the houses such as 2/5"):
        Fold.of_text(text)


def test_the_first_houses_with_and_without_their_mirror_images() -> None:
    names = ["b", "a", "c", "b-mirrored", "a-mirrored", "c-mirrored"]
    every = [replace(TASKS.tasks[0], house=name, id=f"{name}{i}") for name in names for i in range(2)]
    found = {text: [task.house for task in Fold.of_text(text).tasks(every)][::2] for text in ("first:2", "first:2,mirrored")}
    assert found == {"first:2": ["b", "a"], "first:2,mirrored": ["b", "a", "b-mirrored", "a-mirrored"]}
    with pytest.raises(InputError, match="first:4: there are tasks for training in 3 houses"):
        Fold.of_text("first:4").tasks(every)
    for text in ("first:0", "first:", "first:2,3", "-first:2"):
        with pytest.raises(InputError, match="or first:61"):
            Fold.of_text(text)

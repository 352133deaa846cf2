"""A row an episode."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from cottage_players import TASKS, context
from vnla.assistance.help_policies import AtFirst
from vnla.evaluation.evaluate import Evaluation, evaluate
from vnla.evaluation.spreadsheet import Spreadsheet


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return evaluate(context(policy=AtFirst()), TASKS, seeds=[7, 8])


def rows(sheet: Spreadsheet) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(sheet.text(), newline="")))


def test_a_row_has_the_task_and_every_score(evaluation: Evaluation) -> None:
    sheet = Spreadsheet()
    sheet.add("learned", "test_seen", evaluation)
    found = rows(sheet)
    assert [(row["seed"], row["task"]) for row in found] == [(seed, task.id) for seed in "78" for task in TASKS.tasks]
    task, row = TASKS.tasks[3], found[6 + 3]
    about = ("learned", "test_seen", "8", "3", task.house, task.start, task.start_room, task.object, task.goal_room)
    assert tuple(row.values())[: len(about)] == about
    assert row["end_goal"] == task.end_goal
    scores = evaluation.scores
    assert (row["success"], float(row["nav_error"])) == ("1", scores.nav_error[1, 3])
    assert int(row["requests"]) == int(row["help_budget"]) == scores.help_budget[1, 3]
    reasons = [int(value) for name, value in row.items() if name.startswith("reasons.")]
    assert reasons == scores.reasons[1, 3].tolist() and sum(reasons) == int(row["steps"])
    assert int(row["reasons.exceed"]) == scores.reasons[1, 3, 0]


def test_what_one_does_not_have_is_empty_and_so_is_what_nobody_knows(evaluation: Evaluation) -> None:
    odd = replace(evaluation, scores=evaluation.scores | {"speed": np.full((2, 6), np.nan), "pair": np.ones((2, 6, 2))})
    sheet = Spreadsheet()
    sheet.add("one", "test_seen", evaluation)
    sheet.add("two", "test_seen", odd)
    found = rows(sheet)
    assert len(found) == 24
    assert {(row["run"], row["speed"], row["pair.1"]) for row in found} == {("one", "", ""), ("two", "", "1.0")}


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", '=HYPERLINK("x", "y")'])
def test_text_is_never_a_formula(evaluation: Evaluation, text: str) -> None:
    tasks = tuple(replace(task, object=text) for task in TASKS.tasks)
    sheet = Spreadsheet()
    sheet.add(text, "test_seen", replace(evaluation, tasks=replace(TASKS, tasks=tasks)))
    assert {(row["run"], row["object"]) for row in rows(sheet)} == {(f"'{text}", f"'{text}")}


def test_a_negative_number_is_a_number(evaluation: Evaluation) -> None:
    sheet = Spreadsheet()
    sheet.add("a", "b", replace(evaluation, scores=evaluation.scores | {"help_budget": np.full((2, 6), -1)}))
    assert {row["help_budget"] for row in rows(sheet)} == {"-1"}

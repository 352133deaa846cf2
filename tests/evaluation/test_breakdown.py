"""Evaluations in parts: worked out by hand for the cottage's six tasks."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from cottage_players import TASKS, context
from vnla.assistance.help_policies import AtFirst, Never
from vnla.evaluation.breakdown import (
    SubsetShare,
    agent_actions,
    best_and_worst,
    early_requests,
    early_requests_otherwise,
    goal_rooms,
    objects,
    requests_over_time,
    success_by,
    teacher_actions,
)
from vnla.evaluation.confidence import Interval
from vnla.evaluation.evaluate import Evaluation, evaluate
from vnla.houses.cottage import cottage

STEPS = 10


def evaluation(success: list[list[int]], steps: list[list[int]], asked: dict[tuple[int, int], list[int]]) -> Evaluation:
    """An evaluation of which only these are known: (seeds, tasks), and at which steps was asked: (seed, task) → steps."""
    seeds = tuple(range(len(success)))
    real = evaluate(context(policy=Never()), TASKS, seeds=seeds)
    request = torch.zeros(len(seeds) * len(TASKS), STEPS, dtype=torch.bool)
    for (seed, task), when in asked.items():
        request[seed * len(TASKS) + task, when] = True
    trace = replace(real.trace, request=request, length=torch.tensor(steps).flatten())
    known = {"success": np.array(success, dtype=bool), "steps": np.array(steps)}
    return replace(real, trace=trace, scores=real.scores | known)


def shares(parts: list[SubsetShare]) -> dict[str, float]:
    return {part.label: part.share.value for part in parts}


def test_requests_over_time_by_hand() -> None:
    """Of 4 actions, asking before the first and the third is at 0 and 1/2; of 10, before the tenth is at 9/10."""
    found = evaluation([[0] * 6], [[4, 10, 1, 5, 5, 5]], {(0, 0): [0, 2], (0, 1): [9], (0, 2): [0]})
    assert shares(requests_over_time(found, bins=2)) == {"0–50%": 50, "50–100%": 50}
    assert shares(requests_over_time(found, bins=5)) == {"0–20%": 50, "20–40%": 0, "40–60%": 25, "60–80%": 0, "80–100%": 25}
    assert early_requests(found).value == 50
    assert {part.tasks for part in requests_over_time(found)} == {3}  # who never asks does not count


def test_early_requests_counted_otherwise_by_hand() -> None:
    """In the first fifth of their time are one of two requests, one of three, and the only one; in the first two of ten
    steps the same three of six, also where walks are longer."""
    asked = {(0, 0): [0, 2], (0, 1): [1, 3, 9], (0, 2): [0]}
    found = evaluation([[0] * 6], [[4, 10, 1, 5, 5, 5]], asked)
    found = replace(found, trace=replace(found.trace, help_budget=torch.tensor([2, 3, 1, 1, 1, 1])))
    expected = {
        "mean over episodes": pytest.approx(100 * (1 / 2 + 1 / 3 + 1) / 3),
        "in the first 20% of the longest time": 50,
        "of episodes with 1 request at most": 100,
        "of episodes with 2 requests at most": 50,
        "of episodes with 3 requests at most": pytest.approx(100 / 3),
    }
    parts = early_requests_otherwise(found)
    assert shares(parts) == expected
    assert [part.tasks for part in parts] == [3, 3, 1, 1, 1], "who never asks does not count"
    longer = replace(found, trace=replace(found.trace, length=torch.tensor([20, 20, 20, 5, 5, 5])))
    assert shares(early_requests_otherwise(longer)) == {
        **expected,
        "mean over episodes": pytest.approx(100 * (1 + 2 / 3 + 1) / 3),
        "of episodes with 2 requests at most": 100,
        "of episodes with 3 requests at most": pytest.approx(200 / 3),
    }


def test_a_request_at_the_border_belongs_to_what_follows() -> None:
    """Before the second of five actions is exactly at 1/5, in whole numbers as in theory."""
    found = evaluation([[0] * 6], [[5] * 6], {(0, 0): [1]})
    assert shares(requests_over_time(found, bins=5))["20–40%"] == 100


def test_nobody_asks() -> None:
    parts = requests_over_time(evaluation([[0] * 6], [[5] * 6], {}))
    assert all(math.isnan(part.share.value) and part.tasks == 0 for part in parts)
    assert parts[0].as_dict()["value"] is None


def test_shares_of_requests_sum_to_all_of_them() -> None:
    found = evaluate(context(policy=AtFirst()), TASKS, seeds=[1, 2])
    assert sum(part.share.value for part in requests_over_time(found)) == pytest.approx(100)


def test_success_by_the_agents_actions_by_hand() -> None:
    """1 to 5 actions: 4 episodes of 3 tasks, one success. 6 to 10: all succeed. 11 to 15: one task, in one of two seeds."""
    found = evaluation(
        [[1, 0, 0, 1, 1, 1], [0, 1, 1, 1, 1, 0]],
        [[1, 5, 4, 6, 10, 11], [3, 6, 10, 7, 6, 15]],
        {},
    )
    parts = success_by(found, agent_actions(found))
    assert shares(parts) == {"1–5": 25, "6–10": 100, "11–15": 50}
    assert [(part.tasks, part.episodes) for part in parts] == [(3, 4), (4, 6), (1, 2)]
    assert parts[1].share[:3] == (100, pytest.approx(100 * (1 - 1.95**2 / (4 + 1.95**2))), 100)  # Wilson's, of 4 tasks
    assert math.isnan(parts[2].share.low)  # one task says nothing about others


def test_the_teachers_actions_are_those_of_the_tasks() -> None:
    """Every way in the cottage has one nearest goal; the tasks have its length, the final stop included."""
    found = evaluation([[1] * 6], [[5] * 6], {})
    counted = teacher_actions(found)
    assert all(number in task.lengths for number, task in zip(counted, TASKS.tasks, strict=True))
    assert counted[1] == 7  # left three times, forward three times, stop
    assert sum(part.tasks for part in success_by(found, counted)) == 6


def test_labels_by_hand_and_no_label_is_no_part() -> None:
    found = evaluation([[1, 1, 0, 0, 1, 0]], [[5] * 6], {})
    labels = np.array(["sink", "bed", "sink", "bed", "sink", ""])
    parts = success_by(found, labels)
    assert shares(parts) == {"bed": 50, "sink": pytest.approx(200 / 3)}
    assert [part.tasks for part in parts] == [2, 3]
    for part in parts:
        assert part.share.low <= part.share.value <= part.share.high


def test_objects_and_rooms_are_those_that_sentences_ask_for_and_goals_are_in() -> None:
    """What a task says of itself, held against its sentence and against the rooms and objects of the house."""
    found, house = evaluation([[1] * 6], [[5] * 6], {}), cottage()
    asked = [re.fullmatch(r"find (?:an? )?(.+?) in (?:the (.+)|one of the (.+)s) \.", task.end_goal) for task in TASKS.tasks]
    assert objects(found).tolist() == [match[1] for match in asked if match]
    assert goal_rooms(found).tolist() == [match[2] or match[3] for match in asked if match]
    for task, thing, name in zip(TASKS.tasks, objects(found), goal_rooms(found), strict=True):
        for goal in task.goals:
            room = house.room_of(house.number[goal])
            assert room is not None and room.name == name
            assert any(each.room == room.id and each.label == thing for each in house.objects)


def part(label: str, value: float, tasks: int = 60) -> SubsetShare:
    return SubsetShare(label, Interval(value, value, value), tasks, tasks)


def test_the_best_and_the_worst_of_what_is_frequent() -> None:
    parts = [part("a", 10), part("b", 90), part("c", 50), part("d", 70), part("rare", 100, tasks=50), part("e", 50)]
    best, worst = best_and_worst(parts, top=2)
    assert [each.label for each in best] == ["b", "d"]
    assert [each.label for each in worst] == ["e", "a"]  # of equals, the first by name is the better one


def test_nothing_is_best_and_worst_at_once() -> None:
    best, worst = best_and_worst([part("a", 10), part("b", 90), part("c", 50)], top=2)
    assert ([each.label for each in best], [each.label for each in worst]) == (["b", "c"], ["a"])
    assert best_and_worst([part("a", 10, tasks=3)]) == ([], [])

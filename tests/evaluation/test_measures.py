"""Every measure on walks through the cottage whose lengths can be added up on paper.

Lengths in metres: living_west - living_east and living_east - hall_south √6.5 = 2.54951; hall_south - kitchen √9.25 =
3.04138; hall_south - hall_north √9.04 = 3.00666; hall_north - dining √7.88 = 2.80713; kitchen - dining 3.7; hall_north -
stairs_foot √4.04 = 2.00998. Task 1 goes from living_west to the kitchen: 2 · 2.54951 + 3.04138 = 8.14040.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from cottage_players import TASKS, WORLD
from vnla.assistance.help_teacher import Reason
from vnla.camera import VIEWS
from vnla.evaluation.metrics import score
from vnla.evaluation.scores import (
    Scores,
    agreement,
    count_reasons,
    finds_room,
    is_success,
    ndtw,
    path_length,
    reference_path,
    spl,
    time_warping,
)
from vnla.evaluation.trace import NOTHING, Trace
from vnla.world.compiled import NO_ROOM

TO_KITCHEN, TO_HALLWAY = 1, 4
STRAIGHT = ("living_west", "living_east", "hall_south", "kitchen")
ASTRAY = ("living_west", "living_east", "hall_south", "hall_north", "dining")
DETOUR = ("living_west", "living_east", "hall_south", "hall_north", "hall_south", "kitchen")
PAST = (*STRAIGHT, "dining")


def walks(*paths: tuple[str, ...]) -> Tensor:
    """Viewpoints (batch, places), the last one repeated."""
    longest = max(map(len, paths))
    return torch.tensor([[WORLD.ids.index(name) for name in path + path[-1:] * (longest - len(path))] for path in paths])


def scores(task: int, *paths: tuple[str, ...]) -> Scores:
    pose = walks(*paths) * VIEWS
    empty = torch.full((len(paths), pose.shape[1] - 1), NOTHING)
    lengths = torch.tensor([len(path) - 1 for path in paths])
    trace = Trace(pose, lengths, empty, empty > 0, empty > 0, empty, empty, torch.zeros(len(paths), dtype=torch.int64))
    return score(trace, TASKS.environment, TASKS.goals[[task] * len(paths)])


def test_success_is_two_metres_or_less() -> None:
    assert is_success(torch.tensor([0.0, 2.0, 2.001, math.inf])).tolist() == [True, True, False, False]


def test_success_and_error_are_those_of_the_last_viewpoint_and_oracle_ones_of_the_nearest() -> None:
    found = scores(TO_KITCHEN, STRAIGHT, ASTRAY, PAST)
    assert found.success.tolist() == [True, False, False]
    assert found.oracle_success.tolist() == [True, False, True]
    assert found.nav_error == pytest.approx([0, 3.7, 3.7])
    assert found.oracle_error == pytest.approx([0, math.sqrt(9.25), 0])


def test_ten_centimetres_beyond_the_radius_is_a_failure_at_the_foot_of_the_stairs() -> None:
    found = scores(TO_HALLWAY, ("living_west", "living_east", "hall_south", "hall_north", "stairs_foot"))
    assert found.nav_error == pytest.approx([math.sqrt(4.04)])
    assert not found.success[0]
    assert found.oracle_success[0]


def test_any_room_of_the_goals_type_counts_as_the_room() -> None:
    """A goal is in hall_north and another on the landing; hall_south is 3 m from the first, yet a hallway."""
    found = scores(TO_HALLWAY, ("living_west", "living_east", "hall_south"), ("living_west", "living_east"))
    assert found.room_success.tolist() == [True, False]
    assert found.success.tolist() == [False, False]


def test_a_viewpoint_without_a_label_is_in_no_room() -> None:
    rooms = torch.tensor([2, NO_ROOM, 3])
    goals = torch.tensor([[2, 5], [NO_ROOM, NO_ROOM], [NO_ROOM, 3]])
    assert finds_room(rooms, goals).tolist() == [True, False, True]


def test_path_length_adds_up_and_standing_costs_nothing() -> None:
    lengths = path_length(WORLD, walks(STRAIGHT, ASTRAY)).tolist()
    assert lengths == pytest.approx([8.14040, 2 * 2.54951 + 3.00666 + 2.80713], abs=1e-4)


def test_steps_are_the_recorded_actions() -> None:
    assert scores(TO_KITCHEN, STRAIGHT, DETOUR).steps.tolist() == [3, 5]


def test_spl_is_the_share_of_the_shortest_path_in_the_walk() -> None:
    """The detour to hall_north and back is 2 · 3.00666 longer: 8.14040 / 14.15372 = 0.57514."""
    found = scores(TO_KITCHEN, STRAIGHT, DETOUR, PAST)
    assert found.spl == pytest.approx([1, 0.57514, 0], abs=1e-4)
    assert found.shortest == pytest.approx([8.14040] * 3, abs=1e-4)


def test_spl_where_nothing_has_to_be_walked() -> None:
    success, zero = torch.tensor([True, False]), torch.zeros(2)
    assert spl(success, zero, zero).tolist() == [1, 0]
    assert spl(success, zero, zero + 3).tolist() == [0, 0]
    assert spl(success, zero + 0.25, zero + 0.5).tolist() == [0.5, 0], "however short the way is"


def test_the_reference_leads_to_the_goal_nearest_to_the_start() -> None:
    """From living_west hall_north is nearer than the landing, though the landing is listed too."""
    start = TASKS.start[[TO_HALLWAY]] // VIEWS
    path = reference_path(TASKS.environment, start, TASKS.goals[[TO_HALLWAY]])[0].tolist()
    assert [WORLD.ids[i] for i in path[:4]] == ["living_west", "living_east", "hall_south", "hall_north"]
    assert set(path[3:]) == {path[3]}


def test_ndtw_of_a_walk_that_goes_astray() -> None:
    """hall_north is matched with hall_south (3.00666), dining with the kitchen (3.7): exp(−6.70666 / (4 · 3)) = 0.57184."""
    assert scores(TO_KITCHEN, STRAIGHT, ASTRAY).ndtw == pytest.approx([1, 0.57184], abs=1e-5)


def test_ndtw_does_not_count_turning_on_the_spot() -> None:
    slow = ("living_west", "living_east", "hall_south", "hall_north", "hall_north", "hall_north", "dining")
    assert scores(TO_KITCHEN, slow).ndtw == pytest.approx(scores(TO_KITCHEN, ASTRAY).ndtw)


def _warped(cost: list[list[float]]) -> float:
    """The textbook's recursion."""
    rows, columns = len(cost), len(cost[0])
    table = np.full((rows + 1, columns + 1), np.inf)
    table[0, 0] = 0
    for i in range(rows):
        for j in range(columns):
            table[i + 1, j + 1] = cost[i][j] + min(table[i, j], table[i, j + 1], table[i + 1, j])
    return float(table[rows, columns])


def _visits(walk: list[int]) -> list[int]:
    return [place for i, place in enumerate(walk) if i == 0 or place != walk[i - 1]]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 12), min_size=1, max_size=7), st.lists(st.integers(0, 12), min_size=1, max_size=6))
def test_ndtw_agrees_with_the_recursion_over_the_visits(walk: list[int], reference: list[int]) -> None:
    one, other = _visits(walk), _visits(reference)
    distance = WORLD.graphs[0].distance
    expected = math.exp(-_warped([[distance[i, j] for j in other] for i in one]) / (3 * len(other)))
    found = ndtw(WORLD, torch.tensor([walk, walk]), torch.tensor([reference, reference]))
    assert found.tolist() == pytest.approx([expected, expected], rel=1e-5)


def test_time_warping_of_a_batch_keeps_its_rows_apart() -> None:
    """[[1, 5], [5, 2]] costs 1 + 2 along the diagonal; without its second column 1 + 5."""
    cost = torch.tensor([[[1.0, 5.0], [5.0, 2.0]]]).expand(2, 2, 2)
    counts = torch.tensor([[True, True], [True, False]])
    assert time_warping(cost, torch.ones(2, 2, dtype=torch.bool), counts).tolist() == [3, 6]


def test_agreement_counts_only_where_asking_was_possible() -> None:
    """Both at one step, the agent alone at two, the teacher alone at three, neither at four; at three nobody could ask."""
    agent = torch.tensor([[1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0]]).bool()
    teacher = torch.tensor([[1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0]]).bool()
    possible = torch.arange(13)[None] < 10
    assert [int(each) for each in agreement(agent, teacher, possible)] == [1, 2, 3, 4]


def test_what_is_told_of_requests_is_of_the_steps_before_the_end() -> None:
    """Four steps, then an end, after which nothing counts. Without budget nobody could have asked."""
    reason = torch.tensor([[Reason.CONFUSED, Reason.NO_NEED, Reason.NO_BUDGET, Reason.NO_NEED, Reason.CONFUSED]])
    request, teacher = torch.tensor([[1, 1, 0, 0, 0]]).bool(), torch.tensor([[1, 0, 0, 0, 1]]).bool()
    pose, empty = walks(ASTRAY + ASTRAY[-1:]) * VIEWS, torch.full((1, 5), NOTHING)
    trace = Trace(pose, torch.tensor([4]), empty, request, teacher, reason, empty, torch.tensor([2]))
    found = score(trace, TASKS.environment, TASKS.goals[[TO_KITCHEN]])
    counts = {name: int(found[name][0]) for name in found if name.startswith("ask_")}
    assert counts == {"ask_both": 1, "ask_agent_only": 1, "ask_teacher_only": 0, "ask_neither": 1}
    assert (found.requests.tolist(), found.help_budget.tolist()) == ([2], [2])
    names = [each.name for each in Reason]
    told = dict(zip(names, found.reasons[0].tolist(), strict=True))
    assert {name: count for name, count in told.items() if count} == {"CONFUSED": 1, "NO_NEED": 2, "NO_BUDGET": 1}
    told = dict(zip(names, found.reasons_at_requests[0].tolist(), strict=True))
    assert {name: count for name, count in told.items() if count} == {"CONFUSED": 1, "NO_NEED": 1}


def test_steps_without_a_reason_are_steps_where_nobody_could_ask() -> None:
    found = scores(TO_KITCHEN, STRAIGHT)
    assert [int(found[name][0]) for name in found if name.startswith("ask_")] == [0, 0, 0, 0]


def test_reasons_are_counted_one_by_one() -> None:
    reason = torch.tensor([[Reason.CONFUSED, Reason.CONFUSED, Reason.NO_NEED, NOTHING]])
    chosen = torch.tensor([[True, False, True, False]])
    expected = [0] * len(Reason)
    expected[Reason.CONFUSED] = expected[Reason.NO_NEED] = 1
    assert count_reasons(reason, chosen)[0].tolist() == expected

"""The help-requesting teacher: each rule by hand, the reasons, and the choice of rules."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from vnla.assistance.help_teacher import (
    RESULT_NAMES,
    HelpTeacher,
    Reason,
    deviates,
    has_budget_to_spare,
    is_confused,
    is_stuck,
    would_leave_goal,
)
from vnla.camera import VIEWS, view_index
from vnla.common.errors import InputError
from vnla.episode import Episodes, StepContext, count_unmoved
from vnla.houses.cottage import cottage
from vnla.world.actions import Nav
from vnla.world.compiled import Environment, World

SURE = [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]
TURNING = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]


def test_rule_a_is_strict_about_the_distance() -> None:
    assert deviates(torch.tensor([7.9, 8.0, 8.1]), 8.0).tolist() == [False, False, True]


def test_rule_b_compares_entropies() -> None:
    """ln 6 - 1 = 0.79176. Two equal actions: entropy ln 2 = 0.69315, sure enough. Three: ln 3 = 1.09861, confused. With
    probabilities 0.75 and 0.25: 0.56234. A forbidden action has probability 0 and adds nothing."""
    half, third = [0.5, 0.5, 0, 0, 0, 0], [1 / 3, 1 / 3, 1 / 3, 0, 0, 0]
    uneven = [0.75, 0, 0, 0, 0.25, 0]
    tentative = torch.tensor([half, third, uneven, SURE, [1 / 6] * 6])
    assert is_confused(tentative, 1.0).tolist() == [False, True, False, False, True]
    assert is_confused(tentative, 1.2).tolist() == [True, True, False, False, True]  # now the bound is 0.59176


def test_rule_c_counts_steps_at_the_same_viewpoint() -> None:
    assert is_stuck(torch.tensor([8, 9, 10]), 9).tolist() == [False, True, True]


def test_the_count_grows_with_turns_and_starts_again_with_a_move() -> None:
    here = torch.tensor([3 * VIEWS + 5, 3 * VIEWS + 5])
    after = torch.tensor([3 * VIEWS + 6, 4 * VIEWS + 5])
    assert count_unmoved(torch.tensor([7, 7]), here, after).tolist() == [8, 0]


def test_rule_d_uses_up_the_budget_at_the_end() -> None:
    assert has_budget_to_spare(torch.tensor([2, 2, 2]), torch.tensor([3, 2, 1])).tolist() == [False, True, True]


def test_rule_e_needs_both_the_goal_and_the_wish_to_leave_it() -> None:
    at_goal = torch.tensor([True, True, False])
    tentative = torch.tensor([SURE, TURNING, SURE])
    assert would_leave_goal(at_goal, tentative).tolist() == [True, False, False]


def situation(
    viewpoints: list[str],
    tentative: list[float] = SURE,
    *,
    budget: int = 1,
    step: int = 0,
    unmoved: int = 0,
    time: int = 20,
    start: str = "entryway",
) -> StepContext:
    """Agents that began at `start`, looking for the living room, and are now at `viewpoints`."""
    world = World.compile([cottage()])
    environment = Environment.compile(world, [("cottage", ["living_west"])])
    batch = len(viewpoints)

    def pose(name: str) -> int:
        return world.viewpoint("cottage", name) * VIEWS + view_index(1, 0)

    def every(value: int) -> Tensor:
        return torch.full((batch,), value)

    episodes = Episodes.begin(
        environment, key=torch.arange(batch), start=every(pose(start)), goals=every(0), time_budget=every(time), seed=0
    )
    return StepContext(
        episodes,
        step,
        torch.tensor([pose(name) for name in viewpoints]),
        every(unmoved),
        every(budget),
        torch.tensor([tentative] * batch),
        torch.empty(batch, 0),
    )


def test_deviation_is_measured_from_the_path_that_began_at_the_start() -> None:
    """The way from the entryway leads over the hall's south end. From it the bathroom is 12.52595 m, the landing 10.01796,
    half-way 7.55829, the dining room over the hall's north end 3.00666 + 2.80713 = 5.81379."""
    far = situation(["bathroom", "landing", "stairs_middle", "dining", "hall_south"])
    torch.testing.assert_close(far.off_path, torch.tensor([12.52595, 10.01796, 7.55829, 5.81379, 0.0]), atol=1e-4, rtol=0)
    assert HelpTeacher("a")(far).request.tolist() == [True, True, False, False, False]
    assert HelpTeacher("a", deviation=4.0)(far).request.tolist() == [True, True, True, True, False]


def test_without_budget_nobody_asks() -> None:
    verdict = HelpTeacher()(situation(["bathroom"], [1 / 6] * 6, budget=0))
    assert verdict.request.tolist() == [False]
    assert verdict.reason.tolist() == [Reason.NO_BUDGET]


@pytest.mark.parametrize(
    ("now", "reason"),
    [
        (situation(["living_west"], SURE), Reason.ARRIVED),
        (situation(["living_west"], TURNING), Reason.NO_NEED),
        (situation(["bathroom"], [1 / 6] * 6, unmoved=9), Reason.DEVIATED),
        (situation(["hall_south"], [1 / 6] * 6, unmoved=9), Reason.CONFUSED),
        (situation(["hall_south"], SURE, unmoved=9, step=19), Reason.UNMOVED),
        (situation(["hall_south"], SURE, step=19), Reason.USE_IT_UP),
        (situation(["hall_south"], SURE, step=18), Reason.NO_NEED),
    ],
)
def test_the_reason_is_the_first_rule_that_holds(now: StepContext, reason: Reason) -> None:
    verdict = HelpTeacher()(now)
    assert verdict.reason.tolist() == [reason]
    assert verdict.request.tolist() == [reason is not Reason.NO_NEED]


@pytest.mark.parametrize(
    ("rules", "asks"),
    [("a", True), ("b", True), ("c", True), ("d", False), ("e", False), ("de", False), ("cde", True), ("", False)],
)
def test_any_subset_of_rules_can_be_chosen(rules: str, asks: bool) -> None:
    now = situation(["bathroom"], [1 / 6] * 6, unmoved=9)
    assert HelpTeacher(rules)(now).request.tolist() == [asks]


def test_the_authors_way_of_counting_triggers_rule_c_one_step_earlier() -> None:
    now = situation(["hall_south"], SURE, unmoved=8)
    assert HelpTeacher("c")(now).request.tolist() == [False]
    assert HelpTeacher("c", counts_start_pose=True)(now).request.tolist() == [True]


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(InputError, match=r"no rule \(f\)"):
        HelpTeacher("abf")


def test_the_uniform_distribution_is_over_all_six_actions() -> None:
    """With `forward` disabled the most confused agent has entropy ln 5 = 1.60944, 0.18232 below ln 6."""
    fifth = torch.tensor([[0.2, 0.2, 0.2, 0.2, 0.0, 0.2]])
    assert is_confused(fifth, math.log(6) - math.log(5) + 1e-4).tolist() == [True]
    assert is_confused(fifth, math.log(6) - math.log(5) - 1e-4).tolist() == [False]


def test_forward_is_the_action_that_rule_e_looks_for() -> None:
    assert SURE[Nav.FORWARD] == 1.0


def test_reasons_have_the_numbers_and_names_that_files_have() -> None:
    """Numbers as `evaluation.npz` has them, strongest first; names as the authors' results files have them."""
    assert {reason.name: (int(reason), RESULT_NAMES[reason]) for reason in Reason} == {
        "NO_BUDGET": (0, "exceed"),
        "ARRIVED": (1, "arrive"),
        "DEVIATED": (2, "deviate"),
        "CONFUSED": (3, "uncertain"),
        "UNMOVED": (4, "unmoved"),
        "USE_IT_UP": (5, "why_not"),
        "NO_NEED": (6, "pass"),
    }
    assert len(Reason) == 7


def test_the_thresholds_are_those_of_the_paper() -> None:
    assert HelpTeacher() == HelpTeacher("abcde", deviation=8.0, uncertainty=1.0, non_moving=9, counts_start_pose=False)


@pytest.mark.parametrize(
    "wrong",
    [{"deviation": -0.1}, {"non_moving": 0}, {"non_moving": 10**6 + 1}, {"uncertainty": None}, {"uncertainty": 10**400}],
)
def test_thresholds_that_mean_nothing_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="must be a"):
        HelpTeacher(**wrong)
    HelpTeacher(deviation=0.0, non_moving=1)
    HelpTeacher(non_moving=10**6)

"""Asking when told to: schedules by number, and another policy but for one step."""

from __future__ import annotations

from itertools import combinations

import pytest
import torch
from torch import Tensor

from cottage_players import TASKS, context, scripted
from vnla.assistance.help_policies import AsTaught, AtFirst, AtRandom, HelpPolicy, Learned, Mixture, Never
from vnla.assistance.schedules import Otherwise, Scheduled, count_schedules, schedule
from vnla.bcui import bcui
from vnla.episode import Episodes
from vnla.evaluation.evaluate import greedy
from vnla.world.actions import Nav

EVERY = torch.arange(len(TASKS))


def episodes(ratio: float = 0.48) -> Episodes:
    """Of 25 steps and three requests each."""
    return TASKS.episodes(EVERY, seed=7, ratio=ratio)


def requests(policy: HelpPolicy, batch: Episodes, *actions: Nav) -> Tensor:
    taking_part = context(scripted(*actions), policy)
    with greedy(taking_part.agent):
        return bcui(batch, taking_part).table("request")


def all_schedules(time: int, most: int) -> list[tuple[int, ...]]:
    return [steps for size in range(most, -1, -1) for steps in combinations(range(time), size)]


@pytest.mark.parametrize(("time", "most"), [(1, 0), (1, 1), (5, 2), (6, 6), (7, 3)])
def test_every_schedule_has_a_number(time: int, most: int) -> None:
    expected = all_schedules(time, most)
    assert sum(count_schedules(time, most)) == len(expected)
    assert count_schedules(time, most)[0] == sum(len(steps) == most for steps in expected)
    numbers = torch.arange(len(expected))
    found = schedule(numbers, torch.full_like(numbers, time), torch.full_like(numbers, most), 8)
    assert found.shape == (len(expected), 8)
    assert [tuple(row.nonzero().squeeze(1).tolist()) for row in found] == expected


def test_schedules_of_one_batch_may_differ_in_time_and_requests() -> None:
    cases = [(3, 5, 2), (0, 2, 1), (2, 2, 1), (4, 4, 3)]
    found = schedule(*torch.tensor(cases).T, 5)
    expected = [all_schedules(time, most)[number] for number, time, most in cases]
    assert [tuple(row.nonzero().squeeze(1).tolist()) for row in found] == expected


def test_there_are_no_more_requests_than_steps() -> None:
    assert count_schedules(3, 9) == (1, 7)
    assert schedule(torch.tensor([0]), torch.tensor([3]), torch.tensor([9]), 3).all()


def test_the_schedule_is_kept_within_the_budget() -> None:
    wanted = torch.zeros(len(TASKS), 25, dtype=torch.bool)
    wanted[:, 3] = wanted[::2, 11] = True
    wanted[1, 5:9] = True  # one more than it has
    found = requests(Scheduled(wanted), episodes())
    wanted[1, 7:9] = False
    assert torch.equal(found, wanted)


@pytest.mark.parametrize("inner", [Never(), AtFirst(), AtRandom(), AsTaught(), Learned()])
def test_a_step_that_never_comes_changes_nothing(inner: HelpPolicy) -> None:
    batch = episodes()
    nowhere = torch.full((len(TASKS),), -1)
    assert torch.equal(
        requests(Otherwise.of(inner, batch, nowhere, nowhere > 0), batch, Nav.FORWARD), requests(inner, batch, Nav.FORWARD)
    )


def test_one_step_is_decided_and_the_rest_is_the_other_policy() -> None:
    batch = episodes()
    at, asks = torch.arange(len(TASKS)), torch.arange(len(TASKS)) % 2 == 0
    found = requests(Otherwise.of(AtFirst(), batch, at, asks), batch)
    for row, (step, asked) in enumerate(zip(at.tolist(), asks.tolist(), strict=True)):
        steps = [each for each in range(25) if each != step or asked][:3]
        assert found[row].nonzero().squeeze(1).tolist() == steps


def test_a_plan_reaches_its_policy_when_others_have_left_the_batch() -> None:
    """Episodes of 1, 2, 3, … steps: the rows that are left move up."""
    batch = TASKS.episodes(EVERY, seed=7, ratio=1)
    wanted = torch.rand(len(TASKS), 25, generator=torch.Generator().manual_seed(1)) < 0.5
    time = EVERY * 3 + 2
    short = Episodes(**{**vars(batch), "time_budget": time, "help_budget": torch.full_like(time, 25)})
    found = requests(Otherwise.of(Scheduled(wanted), short, torch.full_like(time, 1), ~wanted[:, 1]), short)
    wanted[:, 1] = ~wanted[:, 1]
    assert torch.equal(found, (wanted & (torch.arange(25) < time[:, None]))[:, : found.shape[1]])


def test_who_is_not_aware_of_a_request_stays_so() -> None:
    batch = episodes()
    nowhere = torch.full((len(TASKS),), -1)
    assert not Otherwise.of(Mixture(), batch, nowhere, nowhere > 0).invited
    assert Otherwise.of(AtFirst(), batch, nowhere, nowhere > 0).invited

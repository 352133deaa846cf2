"""Losses and tables of recorded moments, by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from agents.small import cottage_environment, drawn_episodes
from vnla.assistance.words import Phrases
from vnla.rollout import Rollout, Transition
from vnla.words import Words

BLOCKED = -math.inf

SILENT = Phrases(Words.none(1), 1, str)


def transition(step: int, rows: list[int], active: list[bool], **values: object) -> Transition:
    """A moment of which only some fields are of interest."""
    batch = len(rows)
    zero = torch.zeros(batch, dtype=torch.long)
    no = zero.bool()
    usual = Transition(
        step=step, row=torch.tensor(rows), active=torch.tensor(active), learns=torch.tensor(active), pose=zero,
        budget=zero + 1, tentative=torch.full((batch, 6), 1 / 6), final=torch.full((batch, 6), math.log(1 / 6)),
        ask_features=torch.zeros(batch, 2), teacher_request=no, reason=zero,
        request=no, heard=zero, phrases=SILENT, taught=zero, nav=zero, after=zero,
        since_request=zero, unmoved=zero, past=zero[:, None],
    )  # fmt: skip
    return replace(usual, **{name: torch.as_tensor(value) for name, value in values.items()})


def rollout(*transitions: Transition, batch: int = 3) -> Rollout:
    return Rollout(drawn_episodes(cottage_environment(), torch.arange(batch)), transitions=list(transitions))


def logs(*shares: float) -> list[float]:
    return [math.log(each) if each else BLOCKED for each in shares]


def test_the_navigation_loss_is_the_mean_over_episodes_summed_over_steps() -> None:
    """Step 0: episodes give the teacher's action 1/2, 1/4, 1/8: (ln 2 + ln 4 + ln 8)/3 = 2·ln 2. Step 1: of two, the one
    that learns gives 1/2. In all 3·ln 2. What is not learned from may even be impossible."""
    rest = [0.1] * 4
    first = transition(
        0, [0, 1, 2], [True] * 3, taught=[0, 1, 5],
        final=[logs(0.5, 0.1, *rest), logs(0.35, 0.25, *rest), logs(0.4, 0.175, *rest[:3], 0.125)],
    )  # fmt: skip
    second = transition(
        1, [0, 2], [True, False], taught=[0, 4], final=[logs(0.5, 0.1, *rest), logs(0.5, 0.2, 0.1, 0.1, 0.0, 0.1)]
    )
    third = transition(2, [0], [False])
    assert float(rollout(first, second, third).nav_loss()) == pytest.approx(3 * math.log(2), abs=1e-6)


def test_impossible_targets_that_do_not_count_give_no_gradient() -> None:
    logits = torch.zeros(2, 6, requires_grad=True)
    final = torch.log_softmax(logits.masked_fill(torch.arange(6) == 4, BLOCKED), dim=1)
    plain = transition(0, [0, 1], [True, False], taught=[0, 4])
    loss = rollout(replace(plain, final=final)).nav_loss()
    loss.backward()
    assert float(loss.detach()) == pytest.approx(math.log(5), abs=1e-6)
    assert logits.grad.isfinite().all()
    assert logits.grad[0].any() and not logits.grad[1].any()


class Module:
    """A help module whose logits are its input, but for the impossible."""

    def __call__(self, ask_features: Tensor, budget: Tensor) -> Tensor:
        self.calls = getattr(self, "calls", 0) + 1
        impossible = torch.stack([torch.zeros_like(budget, dtype=torch.bool), budget <= 0], dim=1)
        return ask_features.masked_fill(impossible, BLOCKED)


def test_the_help_loss_is_likewise_and_an_agent_without_budget_counts_with_nothing() -> None:
    """Step 0: request wanted at 3/4 and 1/4, nothing wanted without budget: (ln 4/3 + ln 4 + 0)/3. Step 1: of two the one
    still going, nothing wanted at 1/2: ln 2. (0.287682 + 1.386294)/3 + 0.693147 = 1.251139."""
    first = transition(
        0, [0, 1, 2], [True] * 3, ask_features=[logs(1, 3), logs(3, 1), logs(1, 9)], teacher_request=[True, True, False],
        budget=[2, 1, 0],
    )  # fmt: skip
    second = transition(1, [0, 1], [True, False], ask_features=[logs(1, 1), logs(9, 1)], teacher_request=[False, True])
    module = Module()
    loss = rollout(first, second).ask_loss(module)  # type: ignore[arg-type]
    assert float(loss) == pytest.approx(1.251139, abs=1e-6)
    assert module.calls == 1, "all steps together"


def test_a_table_has_a_row_for_each_episode_and_is_empty_after_its_end() -> None:
    first = transition(0, [0, 1, 2], [True, True, False], nav=[3, 4, 5], request=[True, False, True])
    second = transition(1, [2, 0], [False, True], nav=[1, 2], request=[True, True])
    recorded = rollout(first, second)
    assert recorded.table("nav").tolist() == [[3, 2], [4, -1], [-1, -1]]
    assert recorded.table("nav", empty=9).tolist() == [[3, 2], [4, 9], [9, 9]]
    assert recorded.table("request").tolist() == [[True, True], [False, False], [False, False]]


def test_the_last_pose_is_where_the_episode_ended_or_began() -> None:
    first = transition(0, [0, 1, 2], [True, True, False], after=[11, 12, 13])
    second = transition(1, [2, 0], [False, True], after=[23, 21])
    recorded = rollout(first, second)
    assert recorded.last_pose().tolist() == [21, 12, int(recorded.episodes.start[2])]

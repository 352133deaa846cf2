"""The policy that lets somebody act where the agent is not certain."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.certain import Certain, doubt
from vnla.assistance.help_policies import Help
from vnla.assistance.registry import help_policy

TENTATIVE = torch.tensor([[0.6, 0.3, 0.1, 0, 0, 0], [0.96, 0.02, 0.02, 0, 0, 0], [0, 0.5, 0.5, 0, 0, 0], [0, 0, 0, 0, 1, 0]])


def test_doubt_is_what_speaks_for_another_action() -> None:
    assert doubt(TENTATIVE).tolist() == pytest.approx([0.3, 0.02, 0.5, 0])


@pytest.mark.parametrize(
    ("least", "asks"),
    [(0.0, [1, 1, 1, 1]), (0.01, [1, 1, 1, 0]), (0.1, [1, 0, 1, 0]), (0.5, [0, 0, 1, 0]), (0.51, [0, 0, 0, 0])],
)
def test_asks_where_two_actions_are_probable_enough(least: float, asks: list[int]) -> None:
    situation: Any = SimpleNamespace(tentative=TENTATIVE)
    assert Certain(least)(situation).tolist() == list(map(bool, asks))


def test_somebody_acts_at_any_step_and_the_agent_does_not_know() -> None:
    policy = help_policy("vnla.assistance.certain:Certain", {"least": 0.1})
    advisor, ratio = policy.help(Help(TemplateAdvisor(), 0.4), training=False)
    assert (advisor.k, advisor.direct, advisor.speaks, ratio) == (1, True, False, 1.0)
    assert not policy.invited and policy.deliberates

"""Help wherever the agent is not certain: a set of actions with a calibrated size (KnowNo, Ren et al. 2023).

Of the tentative distribution those actions are in the set that have a certain probability or more. Where it holds more than
one, the navigation teacher acts for this step. The agent is not aware of it: what it knows at a step depends on nothing but
the actions carried out before, whoever chose them. `vnla.evaluation.calibrate` finds the probability; `docs/asking.md` says
what it promises.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from vnla.assistance.advisor import TemplateAdvisor
from vnla.assistance.help_policies import Help, HelpPolicy
from vnla.episode import StepContext


def doubt(tentative: Tensor) -> Tensor:
    """The probability of the second most probable action, (batch,): what speaks against the first."""
    return tentative.topk(2, dim=1).values[:, 1]


@dataclass(frozen=True)
class Certain(HelpPolicy):
    """Asks where more than one action has the probability `least` or more: always with 0, never above a half."""

    invited: ClassVar[bool] = False
    deliberates: ClassVar[bool] = True
    least: float = 0.0

    def __call__(self, situation: StepContext) -> Tensor:
        """Whoever has two actions to choose from."""
        return doubt(situation.tentative) >= self.least

    def help(self, given: Help, *, training: bool) -> Help:  # noqa: ARG002
        """Somebody who acts for one step at a time and says nothing, as often as there are steps."""
        return Help(TemplateAdvisor(k=1, direct=True, speaks=False), 1.0)

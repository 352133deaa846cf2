"""IF-WRONG: asks if and only if the next action is wrong. A reference line, as TEACHER is: no agent can ask like this.

It knows what nobody knows at test time: the navigation teacher's action. So it says what knowing one's own errors would be
worth to an agent as it is, by one rule and in one episode of each task. It is no upper bound: a request may be worth more
before the first error than at it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from vnla.assistance.help_policies import HelpPolicy
from vnla.episode import StepContext
from vnla.world.compiled import Environment


@dataclass(frozen=True)
class AskIfWrong(HelpPolicy):
    """IF-WRONG, a reference line: requests where the agent's most probable action is not the navigation teacher's."""

    deliberates: ClassVar[bool] = True
    own_steps: ClassVar[bool] = True

    def __call__(self, situation: StepContext) -> Tensor:
        """Whoever would do something else than the navigation teacher."""
        episodes = situation.episodes
        return is_mistaken(situation.tentative, episodes.environment, situation.pose, episodes.goals)


def is_mistaken(tentative: Tensor, environment: Environment, pose: Tensor, goals: Tensor) -> Tensor:
    """Return whether the most probable action at each pose is not the navigation teacher's: (batch,)."""
    return tentative.argmax(dim=1) != environment.nav_teacher(pose, goals)

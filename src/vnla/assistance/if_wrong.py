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


@dataclass(frozen=True)
class AskIfWrong(HelpPolicy):
    """IF-WRONG, a reference line: requests where the agent's most probable action is not the navigation teacher's."""

    deliberates: ClassVar[bool] = True
    own_steps: ClassVar[bool] = True

    def __call__(self, situation: StepContext) -> Tensor:
        """Whoever would do something else than the navigation teacher."""
        episodes = situation.episodes
        taught = episodes.environment.nav_teacher(situation.pose, episodes.goals)
        return situation.tentative.argmax(dim=1) != taught

"""Mistakes: the help module learns the probability that the agent's next action is wrong, and the navigator stays.

An action is wrong where the agent's most probable tentative action is not the navigation teacher's. The states are the
agent's own: it acts as at test time and asks by the policy in use, so that labels change as it learns to ask. They have to
come from houses that the navigator does not know, a fold or fresh ones, because it makes other mistakes there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from torch import Tensor

from vnla.agents.agent import Agent
from vnla.assistance.acting import at_test_time
from vnla.assistance.help_policies import HelpPolicy
from vnla.assistance.if_wrong import is_mistaken
from vnla.assistance.threshold import Withheld
from vnla.common.errors import InputError
from vnla.common.outside import check_fields
from vnla.evaluation.evaluate import run_greedy
from vnla.rollout import Rollout, RolloutContext
from vnla.tasks.task_set import TaskSet
from vnla.training.objectives.objective import Judged, Objective


@dataclass(frozen=True)
class Mistakes(Objective):
    """The help module learns to tell where the next action is wrong."""

    timed: ClassVar[bool] = True
    navigates: ClassVar[bool] = False
    divisible: ClassVar[bool] = True
    silence: float = 0.25
    """Share of the episodes in which nobody asks, so that late steps with all requests left are seen, too."""

    def __post_init__(self) -> None:
        check_fields(self)
        if not 0 <= self.silence <= 1:
            raise InputError(f"objective mistakes: silence is {self.silence}, but a share is between 0 and 1")

    def rollout_context(self, context: RolloutContext, policy: HelpPolicy) -> RolloutContext:
        """As at test time, but for a share of the episodes, which are silent."""
        return replace(
            context,
            help_policy=Withheld(policy, self.silence),
            acting=at_test_time(context.advisor.direct),
            deliberate=True,
            keeps_ask_features=True,
        )

    def teaches_asking(self, policy: HelpPolicy) -> bool:  # noqa: ARG002
        """That is all it does."""
        return True

    def rollout(self, tasks: TaskSet, which: Tensor, seed: Tensor, ratio: float, context: RolloutContext) -> Rollout:
        """Run the episodes as they are evaluated."""
        return run_greedy(tasks.episodes(which, seed=seed, ratio=ratio, k=context.advisor.k), context)

    def nav_loss(self, rollout: Rollout, judged: Judged | None) -> None:
        """Nothing: the navigator stays."""

    def ask_loss(self, rollout: Rollout, agent: Agent, judged: Judged | None) -> Tensor:  # noqa: ARG002
        """Return the cross-entropy of asking where the next action is wrong, at steps with a request left."""
        return with_mistakes(rollout).ask_loss(agent.ask)


def with_mistakes(rollout: Rollout) -> Rollout:
    """Return the rollout with a help teacher who requests exactly where the next action is wrong."""
    episodes = rollout.episodes
    taught = [
        replace(each, teacher_request=is_mistaken(each.tentative, episodes.environment, each.pose, episodes.goals[each.row]))
        for each in rollout.transitions
    ]
    return replace(rollout, transitions=taught)

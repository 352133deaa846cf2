"""Asking by reward: the help module alone learns which requests make episodes end well, and the navigator stays.

Each task is run several times, alike but for the requests, which are drawn from the help module's probabilities. An
episode's advantage is how much better it ended than the mean of the task's other episodes (REINFORCE with a leave-one-out
baseline: Kool, van Hoof and Welling 2019), so there is no critic. The navigator acts as at test time: within a task only the
requests differ. `mistakes` and `worth` label single states; here a whole episode is judged, with what a request now costs
later. As there, tasks should come from houses that the navigator does not know.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from vnla.agents.agent import Agent
from vnla.assistance.help_policies import HelpPolicy
from vnla.assistance.valued import Drawn
from vnla.common.errors import InputError
from vnla.common.outside import check_fields
from vnla.evaluation.evaluate import run_greedy
from vnla.rollout import Rollout, RolloutContext
from vnla.tasks.task_set import TaskSet
from vnla.training.objectives.objective import AskingObjective, Judged, final_reward
from vnla.training.objectives.reward import normalised, straightened
from vnla.world.actions import ask_action

MOST_SAMPLES = 64
"""Episodes of a task, at most."""


@dataclass(frozen=True)
class AskingByReward(AskingObjective):
    """The help module learns from how episodes end."""

    samples: int = 4
    """Episodes of each task; a batch has so many times its number of tasks."""
    shaping_weight: float = 0.25
    """Share of closeness to the goal in the reward; the rest is success."""
    entropy: float = 0.01
    """Weight of the entropy of the decisions, which keeps the module trying."""

    def __post_init__(self) -> None:
        check_fields(self, samples=(2, MOST_SAMPLES))
        if not 0 <= self.shaping_weight <= 1:
            raise InputError(f"objective asking: shaping_weight is {self.shaping_weight}, but a share is between 0 and 1")

    def asks_by(self, policy: HelpPolicy) -> HelpPolicy:  # noqa: ARG002
        """Return the policy that draws requests, by other numbers in each episode of a task."""
        return Drawn(self.samples)

    def rollout(self, tasks: TaskSet, which: Tensor, seed: Tensor, ratio: float, context: RolloutContext) -> Rollout:
        """Run every task `samples` times: the rows are all tasks, then all of them once more, and so on."""
        which, seed = which.repeat(self.samples), seed.repeat(self.samples)
        return run_greedy(tasks.episodes(which, seed=seed, ratio=ratio, k=context.advisor.k), context)

    def tally(self, rollout: Rollout, judged: Judged | None) -> dict[str, Tensor]:  # noqa: ARG002
        """Return the number of episodes, and the sum of the squares of their advantages."""
        return _counts(self.advantages(rollout))

    def advantages(self, rollout: Rollout) -> Tensor:
        """Return how much better each episode ended than the others of its task: (episodes,)."""
        ends = final_reward(rollout, self.shaping_weight).view(self.samples, -1)
        return ((ends - ends.mean(dim=0)) * self.samples / (self.samples - 1)).flatten()

    def ask_loss(self, rollout: Rollout, agent: Agent, judged: Judged | None) -> Tensor:  # noqa: ARG002
        """Return the policy gradient's loss of the decisions at steps with a request left, an episode."""
        budget, advantages = rollout.every("budget"), self.advantages(rollout)
        counts = {**_counts(advantages), **rollout.totals}
        with rollout.dropout_seeds():
            final = torch.log_softmax(agent.ask(rollout.every("ask_features"), budget.clamp(min=1)), dim=1)
        taken = straightened(final.gather(1, ask_action(rollout.every("request"))[:, None]).squeeze(1))
        entropy = -(final.exp() * final).sum(dim=1)
        weight = normalised(advantages, counts["squares"], counts["episodes"])[rollout.every("row")]
        gained = weight * taken + self.entropy * entropy
        return -gained.masked_fill(~(rollout.every("active") & (budget > 0)), 0).sum() / counts["episodes"]


def _counts(advantages: Tensor) -> dict[str, Tensor]:
    """Return what the loss divides by, by the names of `Rollout.totals`."""
    return {"squares": advantages.square().sum(), "episodes": torch.full_like(advantages[0], len(advantages)).long()}

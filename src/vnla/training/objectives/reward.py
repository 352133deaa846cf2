"""Reinforcement learning: the agent samples its actions, and those that end well become likelier.

The navigation teacher knows where the goal is and never searches, so imitation does not teach to search; reward does. This
is an actor-critic with generalised advantages (Schulman et al. 2016). The critic also sees how far the goal is, because it
is used in training alone. Imitation may go on beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from vnla.agents.agent import Agent
from vnla.assistance.acting import Acting, sampled
from vnla.assistance.help_policies import HelpPolicy
from vnla.assistance.valued import Drawn
from vnla.common.capture import fused
from vnla.common.errors import InputError
from vnla.evaluation.scores import is_success
from vnla.rollout import Rollout, RolloutContext
from vnla.training.objectives.objective import Judged, Objective, closeness, final_reward
from vnla.world.actions import NAV_ACTIONS, ask_action

MOST = 3.0
"""Advantages are clipped to so many times their root mean square."""
FARTHEST = 1000.0
"""The most metres that the critic sees: where no goal can be reached they are infinite."""
UNLIKELY = 0.1
"""Below this probability a request counts by the probability itself, no longer by its logarithm."""


@dataclass(frozen=True)
class Reward(Objective):
    """Success, or closeness to the goal, is made likelier."""

    timed: ClassVar[bool] = True
    divisible: ClassVar[bool] = True
    RENAMED: ClassVar[Mapping[str, str]] = {"metres": "shaping_weight", "trace": "gae_lambda"}
    shaping_weight: float = 0.25
    """Share of closeness to the goal in the reward; the rest is success."""
    gae_lambda: float = 0.9
    """λ of the advantages: 0 trusts the critic, 1 how the episode ended."""
    entropy: float = 0.01
    """Weight of the entropy of the agent's decisions, which keeps it trying."""
    imitation: float = 0.1
    """Weight of imitating the navigation teacher, beside."""
    asks: bool = True
    """Whether the help module learns from reward, too; else it stays as it is."""

    def __post_init__(self) -> None:
        for name in ("shaping_weight", "gae_lambda"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"objective reward: {name} is {getattr(self, name)}, but it is between 0 and 1")

    def rollout_context(self, context: RolloutContext, policy: HelpPolicy) -> RolloutContext:
        """Return the context in which the agent samples its actions, and its requests where it learns when to ask."""
        asking = Drawn() if self.teaches_asking(policy) else policy
        return replace(
            context,
            help_policy=asking,
            acting=Acting(sampled, direct=context.advisor.direct),
            deliberate=asking.deliberates,
            keeps_ask_features=asking.deliberates,
        )

    def teaches_asking(self, policy: HelpPolicy) -> bool:
        """Return whether `asks` is set and the policy uses the help module."""
        return self.asks and policy.consults

    def critic(self) -> nn.Module:
        """Return a small network over `critic_features`."""
        return Critic()

    def judge(self, rollout: Rollout, critic: nn.Module | None) -> Judged:
        """Return the advantages and the sum of the critic's squared errors."""
        assert critic is not None, "a critic is made for every training by reward"
        active, end = rollout.table("active"), final_reward(rollout, self.shaping_weight)
        values = critic(critic_features(rollout)).squeeze(2)
        advantages = advantage(values.detach(), active, end, self.gae_lambda)
        error = ((values - end[:, None]).square() * active).sum()
        return Judged(advantages, error, active.sum(), advantages.square().sum())

    def tally(self, rollout: Rollout, judged: Judged | None) -> dict[str, Tensor]:
        """Return the numbers of steps and episodes, and the squares of the advantages."""
        assert judged is not None
        episodes = torch.full_like(judged.steps, len(rollout.episodes))
        return {**rollout.tally(), "steps": judged.steps, "squares": judged.squares, "episodes": episodes}

    def nav_loss(self, rollout: Rollout, judged: Judged | None) -> Tensor:
        """Return the policy gradient's loss, with imitation and the critic's error."""
        assert judged is not None
        final = rollout.log_probabilities()
        taken = final.gather(1, rollout.every("nav")[:, None]).squeeze(1)
        loss = judged.error / rollout.total("steps", lambda: judged.steps) - self._gained(
            rollout, judged, final, taken, rollout.every("active")
        )
        return loss + self.imitation * rollout.nav_loss() if self.imitation else loss

    def ask_loss(self, rollout: Rollout, agent: Agent, judged: Judged | None) -> Tensor:
        """Return the policy gradient's loss of requests, at steps with a request left."""
        assert judged is not None
        budget = rollout.every("budget")
        with rollout.dropout_seeds():
            final = torch.log_softmax(agent.ask(rollout.every("ask_features"), budget.clamp(min=1)), dim=1)
        taken = straightened(final.gather(1, ask_action(rollout.every("request"))[:, None]).squeeze(1))
        return -self._gained(rollout, judged, final, taken, rollout.every("active") & (budget > 0))

    def _gained(self, rollout: Rollout, judged: Judged, final: Tensor, likelihood: Tensor, counts: Tensor) -> Tensor:
        """What the actions taken are worth by how likely they were, and the entropy of all there were (rows, actions), an
        episode."""
        squares, steps = (rollout.total(name, partial(getattr, judged, name)) for name in ("squares", "steps"))
        advantages = normalised(judged.advantages, squares, steps)
        weight = advantages[rollout.every("row"), rollout.every_step()]
        entropy = -(final.exp() * final.clamp(min=-100)).sum(dim=1)
        return (weight * likelihood + self.entropy * entropy).masked_fill(~counts, 0).sum() / rollout.totals.get(
            "episodes", len(rollout.episodes)
        )


class Critic(nn.Module):
    """Predicts the final reward from `critic_features`."""

    FEATURES = 6 + NAV_ACTIONS

    def __init__(self, hidden: int = 64) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(self.FEATURES, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1)
        )

    def forward(self, features: Tensor) -> Tensor:
        """Return values (…, 1)."""
        value: Tensor = self.layers(features)
        return value


def critic_features(rollout: Rollout) -> Tensor:
    """Return the critic's inputs, (batch, steps, features).

    They are the metres to the goal, the steps and requests left, whether a subgoal is being followed, and the teacher's
    action. After the end of an episode they are finite too, because the values there are multiplied by 0. The metres are
    then those at the start: the tables of a goal set have only the poses of its own house.
    """
    episodes = rollout.episodes
    active, budget, taught = rollout.table("active"), rollout.table("budget", 0), rollout.table("taught", 0)
    pose = torch.where(active, rollout.table("pose"), episodes.start[:, None])
    step = torch.arange(pose.shape[1], device=pose.device).expand_as(pose)
    metres = episodes.environment.distance_left(pose, episodes.goals[:, None].expand_as(pose)).clamp(max=FARTHEST)
    numbers = (
        metres / 10, closeness(metres), (episodes.time_budget[:, None] - step) / 10, budget.float(),
        (rollout.table("since_request") < rollout.k).float(), is_success(metres).float(),
    )  # fmt: skip
    return torch.cat([torch.stack([each.float() for each in numbers], dim=2), one_hot(taught, NAV_ACTIONS).float()], dim=2)


def straightened(logarithm: Tensor) -> Tensor:
    """Logarithms of probabilities, which go on in a straight line, as a function of the probability, where that is small.

    The help module learns from all steps at once, with other parts of it dropped out than when it decided. What was likely
    then may be all but impossible now; by its logarithm it could be made ever less likely, and the loss has no end.
    """
    unlikely = math.log(UNLIKELY) - 1 + logarithm.exp() / UNLIKELY
    return torch.where(logarithm.exp() < UNLIKELY, unlikely, logarithm)


@fused
def advantage(values: Tensor, active: Tensor, end: Tensor, gae_lambda: float) -> Tensor:
    """Return generalised advantages without discount, (batch, steps)."""
    later, following, found = torch.zeros_like(end), end, []
    for step in range(values.shape[1] - 1, -1, -1):
        here = active[:, step]
        td_error = following - values[:, step]
        later = torch.where(here, td_error + gae_lambda * later, 0.0)
        following = torch.where(here, values[:, step], end)
        found.append(later)
    return torch.stack(found[::-1], dim=1)


def normalised(advantages: Tensor, squares: Tensor, steps: Tensor) -> Tensor:
    """Return advantages with a mean square of 1 over the steps taken, clipped to `MOST`."""
    size = (squares / steps.clamp(min=1)).sqrt().clamp(min=1e-6)
    return (advantages / size).clamp(-MOST, MOST)

"""Learning from how episodes end: the agent acts as it would at test time, by lot, and what ended well becomes likelier.

The navigation teacher knows where the goal is and never searches; who imitates it is not taught to search either. Reward
tells what searching is good for. It is an actor-critic with generalised advantages (Schulman et al. 2016); the critic is
told what the agent is not, how far the goal is, since it is used in training alone. Imitation may go on beside it.
"""

from __future__ import annotations

import math
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
from vnla.rollout import Rollout, RolloutContext
from vnla.training.objectives.objective import Judged, Objective
from vnla.training.objectives.outcome import closeness, outcome
from vnla.world.actions import NAV_ACTIONS, ask_action

MOST = 3.0
"""Advantages are no larger than this, in their own root mean square."""
FARTHEST = 1000.0
"""Metres that the critic is told at most: from where no goal can be reached they have no end."""
UNLIKELY = 0.1
"""Below this probability a request counts by the probability itself, no longer by its logarithm."""


@dataclass(frozen=True)
class Reward(Objective):
    """Success, or closeness to the goal, is made likelier."""

    timed: ClassVar[bool] = True
    divisible: ClassVar[bool] = True
    metres: float = 0.25
    """Share of closeness to the goal in the reward; the rest is success."""
    trace: float = 0.9
    """λ of the advantages: 0 trusts the critic, 1 how the episode ended."""
    entropy: float = 0.01
    """Weight of the entropy of the agent's decisions, which keeps it trying."""
    imitation: float = 0.1
    """Weight of imitating the navigation teacher, beside."""
    asks: bool = True
    """Whether the help module learns from reward, too; else it stays as it is."""

    def __post_init__(self) -> None:
        for name in ("metres", "trace"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"objective reward: {name} is {getattr(self, name)}, but it is between 0 and 1")

    def rollout_context(self, context: RolloutContext, policy: HelpPolicy) -> RolloutContext:
        """The agent acts alone, by lot; where it learns when to ask, it asks by lot."""
        asking = Drawn() if self.teaches_asking(policy) else policy
        return replace(
            context,
            help_policy=asking,
            acting=Acting(sampled, direct=context.advisor.direct),
            deliberate=asking.deliberates,
            keeps_ask_features=asking.deliberates,
        )

    def teaches_asking(self, policy: HelpPolicy) -> bool:
        """If it is meant to, and the policy is one that goes by the help module."""
        return self.asks and policy.consults

    def critic(self) -> nn.Module:
        """A small network over what the critic is told."""
        return Critic()

    def judge(self, rollout: Rollout, critic: nn.Module | None) -> Judged:
        """Advantages over what the critic expects, and the sum of its squared errors."""
        assert critic is not None, "a critic is made for every training by reward"
        active, end = rollout.table("active"), outcome(rollout, self.metres)
        values = critic(circumstances(rollout)).squeeze(2)
        advantages = advantage(values.detach(), active, end, self.trace)
        error = ((values - end[:, None]).square() * active).sum()
        return Judged(advantages, error, active.sum(), advantages.square().sum())

    def tally(self, rollout: Rollout, judged: Judged | None) -> dict[str, Tensor]:
        """Steps and episodes, and the squares of the advantages."""
        assert judged is not None
        episodes = torch.full_like(judged.steps, len(rollout.episodes))
        return {**rollout.tally(), "steps": judged.steps, "squares": judged.squares, "episodes": episodes}

    def nav_loss(self, rollout: Rollout, judged: Judged | None) -> Tensor:
        """The policy gradient of the actions taken, with imitation; and the critic's error."""
        assert judged is not None
        final = rollout.log_probabilities()
        taken = final.gather(1, rollout.every("nav")[:, None]).squeeze(1)
        loss = judged.error / rollout.total("steps", lambda: judged.steps) - self._gained(
            rollout, judged, final, taken, rollout.every("active")
        )
        return loss + self.imitation * rollout.nav_loss() if self.imitation else loss

    def ask_loss(self, rollout: Rollout, agent: Agent, judged: Judged | None) -> Tensor:
        """The same for requests, where there was one left."""
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
    """Expects how an episode ends from what the agent does not know."""

    TOLD = 6 + NAV_ACTIONS

    def __init__(self, hidden: int = 64) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(self.TOLD, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1)
        )

    def forward(self, told: Tensor) -> Tensor:
        """Values (…, 1)."""
        value: Tensor = self.layers(told)
        return value


def circumstances(rollout: Rollout) -> Tensor:
    """What the critic is told: (batch, steps, features). Metres to the goal, steps and requests left, advice being followed,
    and which way the teacher would go.

    All of it is numbers, after an episode has ended too: what the critic says there is multiplied by 0. Then the metres are
    those at the start, for the tables of a goal set know no poses but those of its own house.
    """
    episodes = rollout.episodes
    active, budget, taught = rollout.table("active"), rollout.table("budget", 0), rollout.table("taught", 0)
    pose = torch.where(active, rollout.table("pose"), episodes.start[:, None])
    step = torch.arange(pose.shape[1], device=pose.device).expand_as(pose)
    metres = episodes.environment.distance_left(pose, episodes.goals[:, None].expand_as(pose)).clamp(max=FARTHEST)
    numbers = (
        metres / 10, closeness(metres), (episodes.time_budget[:, None] - step) / 10, budget.float(),
        (rollout.table("since_request") < 4).float(), (metres <= 2).float(),
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
def advantage(values: Tensor, active: Tensor, end: Tensor, trace: float) -> Tensor:
    """Generalised advantages, without discount: (batch, steps)."""
    later, following, found = torch.zeros_like(end), end, []
    for step in range(values.shape[1] - 1, -1, -1):
        here = active[:, step]
        surprise = following - values[:, step]
        later = torch.where(here, surprise + trace * later, 0.0)
        following = torch.where(here, values[:, step], end)
        found.append(later)
    return torch.stack(found[::-1], dim=1)


def normalised(advantages: Tensor, squares: Tensor, steps: Tensor) -> Tensor:
    """With a mean square of 1 over the steps that were taken, and none that outweighs many others."""
    size = (squares / steps.clamp(min=1)).sqrt().clamp(min=1e-6)
    return (advantages / size).clamp(-MOST, MOST)

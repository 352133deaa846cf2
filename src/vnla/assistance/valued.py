"""VALUED: asks when a request is worth more now than later, by what the help module has learned of its own requests.

The module's preference for asking is the difference it makes to how the episode ends (`vnla.training.objectives.worth`),
where whoever does not ask now may still ask later. So the request is made when the difference is above 0, or above a margin:
the price of a request.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from vnla.assistance.help_policies import HelpPolicy, take_after
from vnla.common.errors import InputError
from vnla.common.randomness import Purpose, uniform
from vnla.episode import Episodes, StepContext
from vnla.world.actions import REQUEST
from vnla.world.budgets import LONGEST_EPISODE


@dataclass(frozen=True)
class Valued(HelpPolicy):
    """Asks when that is worth more than a margin, in training too."""

    deliberates: ClassVar[bool] = True
    consults: ClassVar[bool] = True
    learns: ClassVar[bool] = False  # it is taught what a request is worth, not what the help teacher does
    own_steps: ClassVar[bool] = True
    choices: ClassVar[Mapping[str, Sequence[float]]] = {"margin": (-0.05, 0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2)}
    margin: float = 0.0
    """What a request has to be worth, in success."""

    def __call__(self, situation: StepContext) -> Tensor:
        """Whoever gains by it."""
        return preference(situation) > self.margin


@dataclass(frozen=True)
class Drawn(HelpPolicy):
    """Asks with the probability that the help module gives it: for training by reward, which has to see both."""

    deliberates: ClassVar[bool] = True
    consults: ClassVar[bool] = True
    learns: ClassVar[bool] = False  # by reward
    samples: int = 1
    """Parts of the batch that have the same tasks and seeds, one after the other; requests are drawn anew in each."""

    def plan(self, episodes: Episodes) -> Tensor:
        """Return the number of the sample that each episode is: (batch, 1)."""
        rows = torch.arange(len(episodes), device=episodes.key.device)
        return (rows // max(len(episodes) // self.samples, 1))[:, None]

    def __call__(self, situation: StepContext) -> Tensor:
        """Whoever the number drawn says."""
        episodes = situation.episodes
        draw = situation.step + LONGEST_EPISODE * situation.plan[:, 0]
        return uniform(episodes.seed, episodes.key, Purpose.ASK_ACTION, draw) < torch.sigmoid(preference(situation))


def preference(situation: StepContext) -> Tensor:
    """How much rather the help module would ask than not: (batch,)."""
    if situation.ask is None:
        raise InputError("to ask by what it is worth takes an agent with a help module")
    logits = situation.ask()
    return logits[:, REQUEST] - logits[:, 1 - REQUEST]


@dataclass(frozen=True)
class Tried(HelpPolicy):
    """Another policy, but for one step of each episode: there the first half of the batch asks, and the second does not.

    The policy must be one without a plan of its own.
    """

    deliberates: ClassVar[bool] = True
    policy: HelpPolicy
    silence: float = 0.0
    """Share of the episodes that do not ask before their step."""
    hold: int = 1
    """For how many steps the second half may not ask, from its step on."""

    def __post_init__(self) -> None:
        if type(self.policy).plan is not HelpPolicy.plan:
            raise InputError(
                f"help policy {type(self.policy).__name__}: plans its requests ahead, so none of them can be tried out;"
                " choose one without a plan"
            )
        take_after(self, self.policy)

    def plan(self, episodes: Episodes) -> Tensor:
        """The step, whether to ask there, and whether to ask before: (batch, 3)."""
        rows = len(episodes)
        asks = torch.arange(rows, device=episodes.key.device) < rows // 2
        quiet = uniform(episodes.seed, episodes.key, Purpose.TRIED_STEP, 1) < self.silence
        return torch.stack([self.step_of(episodes), asks.long(), quiet.long()], dim=1)

    @staticmethod
    def step_of(episodes: Episodes) -> Tensor:
        """The step at which each episode tries: any of the time it has."""
        lot = uniform(episodes.seed, episodes.key, Purpose.TRIED_STEP)
        return (lot * episodes.time_budget).long()

    def __call__(self, situation: StepContext) -> Tensor:
        """Whoever the policy says, but for those whose step this is."""
        step, asks, quiet = situation.plan.unbind(dim=1)
        own = self.policy(situation) & ~(quiet.bool() & (situation.step < step))
        if self.hold > 1:
            own = own & (asks.bool() | (situation.step < step) | (situation.step >= step + self.hold))
        return torch.where(step == situation.step, asks.bool(), own)

"""Help policies that ask when they are told to: at given steps, or like another policy but for one step.

With them it can be tried out what other times to ask would have given. A schedule is a set of steps; those of an episode are
numbered, so that all of them, or some drawn at random, can be run as rows of a batch.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from math import comb
from typing import ClassVar

import torch
from torch import Tensor

from vnla.assistance.help_policies import HelpPolicy, take_after
from vnla.episode import Episodes, StepContext


@dataclass(frozen=True, eq=False)
class Scheduled(HelpPolicy):
    """Asks at given steps."""

    steps: Tensor  # (batch, steps), booleans

    def plan(self, episodes: Episodes) -> Tensor:  # noqa: ARG002
        """The steps."""
        return self.steps

    def __call__(self, situation: StepContext) -> Tensor:
        """Whoever has this step."""
        return situation.plan[:, situation.step]


@dataclass(frozen=True, eq=False)
class Otherwise(HelpPolicy):
    """Another policy but for one step of each episode, at which it is decided for it."""

    deliberates: ClassVar[bool] = True

    inner: HelpPolicy
    planned: Tensor  # (batch, …), what the other policy keeps
    at: Tensor  # (batch,), the step
    request: Tensor  # (batch,), whether to ask at it

    @classmethod
    def of(cls, inner: HelpPolicy, episodes: Episodes, at: Tensor, request: Tensor) -> Otherwise:
        """For these episodes."""
        return cls(inner, inner.plan(episodes), at, request)

    def __post_init__(self) -> None:
        take_after(self, self.inner)

    def plan(self, episodes: Episodes) -> Tensor:
        """Where each episode stands in the tensors here."""
        return torch.arange(len(episodes), device=episodes.key.device)

    def __call__(self, situation: StepContext) -> Tensor:
        """Whoever the other policy tells to, but for those whose step this is."""
        row = situation.plan
        own = self.inner(replace(situation, plan=self.planned[row]))
        return torch.where(self.at[row] == situation.step, self.request[row], own)


def schedule(number: Tensor, time: Tensor, requests: Tensor, steps: int) -> Tensor:
    """The schedules of those numbers, (batch,) like the time and the requests that there are: (batch, steps) booleans.

    First come those with all the requests, C(time, requests) of them, then those with one fewer, down to none; of equally
    many, earlier requests first. No time may be longer than `steps`.
    """
    ways = _ways(steps).to(number.device)
    left = torch.minimum(requests, time)
    for _ in range(int(left.max())):
        larger = ways[time, left]
        fewer = number >= larger
        number, left = torch.where(fewer, number - larger, number), left - fewer.long()
    columns = []
    for step in range(steps):
        asking = torch.where(left > 0, ways[(time - step - 1).clamp(min=0), (left - 1).clamp(min=0)], 0)
        asks = number < asking
        number, left = torch.where(asks, number, number - asking), left - asks.long()
        columns.append(asks)
    return torch.stack(columns, dim=1)


def count_schedules(time: int, requests: int) -> tuple[int, int]:
    """How many schedules have exactly so many requests, and how many have fewer."""
    most = min(requests, time)
    return comb(time, most), sum(comb(time, fewer) for fewer in range(most))


@cache
def _ways(longest: int) -> Tensor:
    """Binomial coefficients: (longest + 1, longest + 1)."""
    return torch.tensor([[comb(steps, requests) for requests in range(longest + 1)] for steps in range(longest + 1)])

"""THRESHOLD: asks where the help module's probability is above a threshold that was chosen on a dev set (`vnla tune`).

The probability is what the module has learned: that the help teacher would ask, where it imitates that teacher as LEARNED
does; or that the next action is wrong (`vnla.training.objectives.mistakes`). LEARNED has a threshold of 0.5, which nothing
says is best for a limited number of requests. The threshold may differ with the requests left and fall with the steps taken,
because a request that is never made is worth nothing. Every agent can count both; the time that is left is not used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from vnla.assistance.help_policies import HelpPolicy, take_after
from vnla.assistance.valued import preference
from vnla.common.errors import InputError
from vnla.common.outside import check_fields
from vnla.common.randomness import Purpose, uniform
from vnla.episode import Episodes, StepContext


@dataclass(frozen=True)
class Threshold(HelpPolicy):
    """Asks where the help module's probability is above a threshold, in training too."""

    deliberates: ClassVar[bool] = True
    consults: ClassVar[bool] = True
    learns: ClassVar[bool] = False  # which of the two its objective says
    own_steps: ClassVar[bool] = True
    choices: ClassVar[Mapping[str, Sequence[float]]] = {
        "threshold": (0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9),
        "fall": (0.0, 0.01, 0.03),
    }
    threshold: float = 0.5
    """The probability above which the last request is made."""
    spare: float = 0.0
    """How much lower the threshold is for each request beyond the last."""
    fall: float = 0.0
    """How much lower the threshold is for each step that was taken."""

    def __post_init__(self) -> None:
        check_fields(self)
        if not 0 <= self.threshold <= 1:
            raise InputError(f"help policy threshold: threshold is {self.threshold}, but a probability is between 0 and 1")

    def __call__(self, situation: StepContext) -> Tensor:
        """Whoever the module finds probable enough."""
        lower = self.spare * (situation.budget - 1).clamp(min=0) + self.fall * situation.step
        return torch.sigmoid(preference(situation)) > self.threshold - lower


@dataclass(frozen=True)
class Withheld(HelpPolicy):
    """Another policy, but for a share of the episodes, in which nobody asks."""

    deliberates: ClassVar[bool] = True
    policy: HelpPolicy
    silence: float = 0.0
    """Share of the episodes without requests."""

    def __post_init__(self) -> None:
        take_after(self, self.policy)

    def plan(self, episodes: Episodes) -> Tensor:
        """What the other policy keeps."""
        return self.policy.plan(episodes)

    def __call__(self, situation: StepContext) -> Tensor:
        """Whoever the other policy says, where episodes are not silent."""
        episodes = situation.episodes
        return self.policy(situation) & (uniform(episodes.seed, episodes.key, Purpose.TRIED_STEP, 1) >= self.silence)

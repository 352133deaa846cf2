"""The acting policy: which navigation action is carried out (Algorithm 1, lines 23-27).

In training under I3L-BCUI the teacher acts while an intervention lasts, and otherwise the learned policy is sampled. At test
time the learned policy's most probable action is taken; a direct advisor still acts for the agent (Table 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol

import torch
from torch import Tensor

from vnla.common.randomness import Purpose, uniform
from vnla.episode import Episodes, When


class Choice(Protocol):
    """How an action is chosen from a distribution."""

    def __call__(self, probabilities: Tensor, episodes: Episodes, step: When) -> Tensor:
        """Actions (batch,) from probabilities (batch, 6)."""


def sampled(probabilities: Tensor, episodes: Episodes, step: When) -> Tensor:
    """An action drawn from the distribution, by the number keyed to this episode and step."""
    number = uniform(episodes.seed, episodes.key, Purpose.NAV_ACTION, step)
    reached = list(accumulate(probabilities.double().unbind(dim=1)))  # `cumsum` would be a kernel of its own on a GPU
    whole = number * reached[-1]  # their sum is not exactly 1
    first, *others = [(each <= whole).long() for each in reached]
    return sum(others, first)


def most_probable(probabilities: Tensor, episodes: Episodes, step: When) -> Tensor:  # noqa: ARG001
    """The action of the highest probability."""
    return probabilities.argmax(dim=1)


@dataclass(frozen=True)
class Acting:
    """The learned policy by `choice`; the teacher while an intervention lasts, if interventions are `direct`."""

    choice: Choice
    direct: bool

    def __call__(self, probabilities: Tensor, taught: Tensor, intervened: Tensor, episodes: Episodes, step: When) -> Tensor:
        """The actions to carry out."""
        own = self.choice(probabilities, episodes, step)
        return torch.where(intervened, taught, own) if self.direct else own


BCUI = Acting(sampled, direct=True)
"""Training: behaviour cloning under interventions."""

ALONE = Acting(most_probable, direct=False)
"""Evaluation with an indirect advisor: the agent acts by itself."""

LED = Acting(most_probable, direct=True)
"""Evaluation with a direct advisor."""


def at_test_time(direct: bool) -> Acting:
    """Who acts in evaluation, with a direct advisor or an indirect one."""
    return LED if direct else ALONE

"""What a step of an environment is worth: success, closeness to a goal, and the price of a request.

The sparse reward is 1 at the end of an episode that ends near a goal. The shaped one adds γ·Φ(after) − Φ(before) at every
step, where the potential Φ is the closeness by which agents are trained (`vnla.training.objectives`), and 0 once the episode
has ended. So the sum over an episode is success less the closeness of its start, whatever was done in between, and the best
policies stay the best (Ng, Harada and Russell 1999), for learners that discount by the same γ.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from vnla.common.errors import InputError
from vnla.training.objectives.objective import closeness

SPARSE, SHAPED = "sparse", "shaped"
REWARDS = (SPARSE, SHAPED)


@dataclass(frozen=True)
class RewardRule:
    """What is rewarded."""

    kind: str = SPARSE
    discount: float = 1.0
    """γ of the shaped reward: that of the learner."""
    request_price: float = 0.0
    """What an answered request costs."""

    def __post_init__(self) -> None:
        if self.kind not in REWARDS:
            raise InputError(f"reward={self.kind!r}: choose {' or '.join(REWARDS)}")
        if not 0 <= self.discount <= 1:
            raise InputError(f"discount: is {self.discount}, but it is between 0 and 1")
        if not 0 <= self.request_price < torch.inf:
            raise InputError(f"request_price: is {self.request_price}, but it is a number from 0")

    def __call__(self, success: Tensor, answered: Tensor, over: Tensor, before: Tensor, after: Tensor) -> Tensor:
        """Return the reward of a step, (batch,) float64: whether it ended in success, was an answered request, and ended
        the episode, and the metres left `before` and `after` it."""
        reward = success.double() - self.request_price * answered.double()
        if self.kind == SPARSE:
            return reward
        return reward + self.discount * closeness(after.double()).masked_fill(over, 0) - closeness(before.double())

"""An objective of your own: imitation that counts the teacher's rare actions for more than its usual ones.

vnla train runs/rare --objective examples.objective:Rare --objective-option forward=0.5 --world … --tasks …
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from vnla import Judged, Nav, Objective, Rollout


@dataclass(frozen=True)
class Rare(Objective):
    """The navigation teacher's `forward` has another weight than the rest; the help module learns as in the paper."""

    forward: float = 0.5

    def nav_loss(self, rollout: Rollout, judged: Judged | None) -> Tensor:  # noqa: ARG002
        """The mean over the steps that count."""
        taught, counts = rollout.every("taught"), rollout.every("learns")
        likelihood = rollout.log_probabilities().gather(1, taught[:, None]).squeeze(1).masked_fill(~counts, 0)
        weight = torch.where(taught == Nav.FORWARD, self.forward, 1.0) * counts
        return -(weight * likelihood).sum() / weight.sum()

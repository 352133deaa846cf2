"""A help policy of your own: it asks when the agent is unsure of what it would do.

vnla train runs/unsure --help-policy examples.help_policy:Unsure --help-option nats=1.2 --world … --tasks …
vnla evaluate runs/unsure
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from vnla import HelpPolicy, StepContext


@dataclass(frozen=True)
class Unsure(HelpPolicy):
    """Asks whenever the entropy of the tentative decision is above a threshold; the algorithm keeps to the budget."""

    deliberates: ClassVar[bool] = True  # it looks at the tentative decision, so there has to be one

    nats: float = 1.0

    def __call__(self, situation: StepContext) -> Tensor:
        """(batch,) booleans."""
        probabilities = situation.tentative.clamp(min=1e-9)
        return -(probabilities * probabilities.log()).sum(dim=1) > self.nats

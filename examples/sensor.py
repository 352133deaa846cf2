"""A sensor of your own: how far the agent has got from where it began.

vnla train runs/homing --sensor clock,examples.sensor:Homing --world … --tasks …
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from vnla import Sensor, StepContext, viewpoint_of


@dataclass(frozen=True)
class Homing(Sensor):
    """Metres to the start, in tens, and whether that is where the agent is."""

    size: ClassVar[int] = 2

    def __call__(self, situation: StepContext) -> Tensor:
        """(batch, 2)."""
        world = situation.episodes.environment.world
        metres = world.distance_between(viewpoint_of(situation.pose), viewpoint_of(situation.episodes.start))
        return torch.stack([metres / 10, (metres == 0).float()], dim=1)

"""How sure an agent is of what it sees: a linear probe of single views (`vnla.vision.probe`) that is part of the agent.

It is fitted in the training houses before the agent learns anything (`vnla.training.spotting`), and never changes. Its
weights are in the agent's checkpoints, so that nobody needs labels of the houses where the agent is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.common.randomness import episode_key
from vnla.common.tables import FeatureTable, ViewTable
from vnla.world.compiled import World

AllViews = Mapping[str, ViewTable]
"""What there is to see at every pose of a world, by name: (poses, size) each."""


class Spotter(nn.Module):
    """How likely each label is in a view; without labels until it takes or loads some."""

    weight: Tensor  # (size, labels)
    bias: Tensor  # (labels,)
    keys: Tensor  # (labels,), `episode_key` of each, rising

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("weight", torch.empty(0, 0))
        self.register_buffer("bias", torch.empty(0))
        self.register_buffer("keys", torch.empty(0, dtype=torch.int64))

    def take(self, labels: Sequence[str], weight: Tensor, bias: Tensor) -> None:
        """Read these labels from now on."""
        device = self.weight.device
        keys, order = torch.tensor([episode_key(label) for label in labels]).sort()
        self.weight, self.bias, self.keys = (each.to(device) for each in (weight[:, order], bias[order], keys))

    def forward(self, view: Tensor) -> Tensor:
        """Probabilities (batch, labels) of what there is to read in views (batch, size)."""
        return torch.sigmoid(view.float() @ self.weight + self.bias)

    def everywhere(self, world: World, views: AllViews) -> Tensor:
        """Probabilities at every pose, half precision: (poses, labels)."""
        size = sum(view.shape[1] for view in legible(views).values())
        if self.weight.shape != (size, len(self.keys)) or len(self.bias) != len(self.keys) or not len(self.keys):
            raise InputError(
                f"the sensor spotted: the agent has learned to read {self.weight.shape[0]} numbers of a view, not these"
                f" {size}; use the features that it was trained with"
            )
        houses = [self(seen_in(world, views, house)).half() for house in range(len(world.houses))]
        return torch.cat(houses)

    def _load_from_state_dict(self, state_dict: Mapping[str, Any], prefix: str, *others: Any) -> None:
        """A checkpoint decides how many labels there are; one in half precision is computed with in single precision."""
        for name, own in list(self.named_buffers()):
            saved = state_dict.get(prefix + name)
            if saved is not None and saved.dim() == own.dim():
                setattr(self, name, torch.empty_like(saved, device=own.device, dtype=own.dtype))
        super()._load_from_state_dict(state_dict, prefix, *others)


def legible(views: AllViews) -> AllViews:
    """Those of the views that are numbers and no words."""
    return {name: view for name, view in views.items() if view.is_floating_point()}


def seen_in(world: World, views: AllViews, house: int, rows: Tensor | None = None) -> Tensor:
    """What is to be read at all poses of a house, (poses, size), or at some `rows` of them."""
    first, last = world.first[house : house + 2].tolist()
    poses = torch.arange(first * VIEWS, last * VIEWS, device=world.device)
    poses = poses if rows is None else poses[rows.to(world.device)]
    for view in views.values():
        if isinstance(view, FeatureTable):
            view.need([house])
    return torch.cat([view[poses].float() for view in legible(views).values()], dim=1)

"""How an episode ended, as one number to be maximised."""

from __future__ import annotations

import torch
from torch import Tensor

from vnla.evaluation.measures import is_success
from vnla.rollout import Rollout

NEAR = 4.0
"""Metres over which closeness falls to 1/e."""


def closeness(metres: Tensor) -> Tensor:
    """1 at a goal, and less the farther it is."""
    return torch.exp(-metres / NEAR)


def outcome(rollout: Rollout, metres: float) -> Tensor:
    """Success, for a share of `metres` replaced by closeness to the goal, which tells more of a single episode: (batch,)."""
    episodes = rollout.episodes
    left = episodes.environment.distance_left(rollout.last_pose(), episodes.goals)
    return (1 - metres) * is_success(left).float() + metres * closeness(left)

"""Episodes that are walked several times with sampled actions: the placebo of the best times to ask.

The best of many walks is better than one walk, whatever they differ in. So beside the best of many schedules stands the best
of as many walks that differ in nothing but how the agent's actions are drawn from its own distribution.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import torch
from torch import Tensor

from vnla.assistance.acting import sampled
from vnla.episode import Episodes, When

_APART = 1 << 20  # more than an episode has steps: the draws of a walk are its own


@dataclass(frozen=True)
class RepeatedEpisodes(Episodes):
    """Episodes with the number of their walk."""

    walk: Tensor = field(default_factory=lambda: torch.empty(0, dtype=torch.int64))  # (batch,)

    @classmethod
    def of(cls, episodes: Episodes, walk: Tensor) -> RepeatedEpisodes:
        """The same episodes, of which these are the numbers of the walks."""
        return cls(**{each.name: getattr(episodes, each.name) for each in fields(Episodes)}, walk=walk)


def sampled_anew(probabilities: Tensor, episodes: Episodes, step: When) -> Tensor:
    """An action drawn from the distribution by the number keyed to this episode, walk and step; walk 0 is `sampled`."""
    assert isinstance(episodes, RepeatedEpisodes), "of others there is one walk"
    return sampled(probabilities, episodes, _APART * episodes.walk + step)

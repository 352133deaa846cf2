"""What agents did in their episodes, as plain tensors: all that a metric needs, whether from a rollout or from a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import torch
from torch import Tensor
from torch.nn.functional import pad

from vnla.rollout import Rollout

NOTHING = -1
"""Fills the places after an episode's end, and where something was not done or is not known."""


@dataclass(frozen=True)
class Trace:
    """One row an episode."""

    pose: Tensor  # (episodes, steps + 1), before each action and after the last one, which is repeated
    length: Tensor  # (episodes,), actions taken; a final `stop` counts
    nav: Tensor  # (episodes, steps)
    request: Tensor  # (episodes, steps), booleans
    teacher_request: Tensor  # (episodes, steps), booleans
    reason: Tensor  # (episodes, steps), the help teacher's
    subgoal: Tensor  # (episodes, steps), code of what the advisor said where it was asked
    help_budget: Tensor  # (episodes,)

    @classmethod
    def of(cls, rollout: Rollout, steps: int) -> Trace:
        """The trace of a rollout, filled up to that many steps."""
        poses = [rollout.episodes.start]
        for moment in rollout.moments:
            stayed = poses[-1][moment.row]
            poses.append(poses[-1].index_copy(0, moment.row, torch.where(moment.going, moment.after, stayed)))
        poses += [poses[-1]] * (steps + 1 - len(poses))
        missing = (0, steps - len(rollout.moments))
        nav = pad(rollout.table("nav"), missing, value=NOTHING)
        request = pad(rollout.table("request"), missing)
        return cls(
            pose=torch.stack(poses, dim=1),
            length=(nav != NOTHING).sum(dim=1),
            nav=nav,
            request=request,
            teacher_request=pad(rollout.table("teacher_request"), missing),
            reason=pad(rollout.table("reason"), missing, value=NOTHING),
            subgoal=torch.where(request, pad(rollout.table("subgoal"), missing, value=NOTHING), NOTHING),
            help_budget=rollout.episodes.help_budget,
        )

    @classmethod
    def join(cls, traces: Sequence[Trace]) -> Trace:
        """Traces of equally many steps, one after the other."""
        return cls(*(torch.cat([getattr(each, name) for each in traces]) for name in _names()))

    def to(self, device: torch.device | str) -> Trace:
        """The same trace on `device`."""
        return Trace(*(getattr(self, name).to(device) for name in _names()))

    def rows(self, which: slice) -> Trace:
        """Some of the episodes."""
        return Trace(*(getattr(self, name)[which] for name in _names()))

    def __len__(self) -> int:
        return len(self.length)


def _names() -> list[str]:
    return [each.name for each in fields(Trace)]

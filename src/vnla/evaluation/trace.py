"""What agents did in their episodes, as plain tensors: all that a metric needs, whether from a rollout or from a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import pad

if TYPE_CHECKING:
    from vnla.rollout import Rollout  # whoever scores a file needs no agent

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
    phrase: Tensor  # (episodes, steps), what the advisor said where it was asked: a place in `texts`
    help_budget: Tensor  # (episodes,)
    texts: tuple[str, ...] = ()  # all that was said, in alphabetical order

    @classmethod
    def of(cls, rollout: Rollout, steps: int) -> Trace:
        """The trace of a rollout, filled up to that many steps."""
        poses = [rollout.episodes.start]
        for transition in rollout.transitions:
            stayed = poses[-1][transition.row]
            poses.append(poses[-1].index_copy(0, transition.row, torch.where(transition.active, transition.after, stayed)))
        poses += [poses[-1]] * (steps + 1 - len(poses))
        missing = (0, steps - len(rollout.transitions))
        nav = pad(rollout.table("nav"), missing, value=NOTHING)
        request = pad(rollout.table("request"), missing)
        phrase, texts = _said(rollout, missing, request)
        return cls(
            pose=torch.stack(poses, dim=1),
            length=(nav != NOTHING).sum(dim=1),
            nav=nav,
            request=request,
            teacher_request=pad(rollout.table("teacher_request"), missing),
            reason=pad(rollout.table("reason"), missing, value=NOTHING),
            phrase=phrase,
            help_budget=rollout.episodes.help_budget,
            texts=texts,
        )

    @classmethod
    def join(cls, traces: Sequence[Trace]) -> Trace:
        """Traces of equally many steps, one after the other."""
        texts = tuple(sorted({text for each in traces for text in each.texts}))
        renumbered = [replace(each, phrase=_renumbered(each.phrase, each.texts, texts)) for each in traces]
        tensors = {name: torch.cat([getattr(each, name) for each in renumbered]) for name in TENSORS}
        return cls(**tensors, texts=texts)

    def to(self, device: torch.device | str) -> Trace:
        """The same trace on `device`."""
        return Trace(**{name: getattr(self, name).to(device) for name in TENSORS}, texts=self.texts)

    def rows(self, which: slice | NDArray[np.int64]) -> Trace:
        """Some of the episodes."""
        return Trace(**{name: getattr(self, name)[which] for name in TENSORS}, texts=self.texts)

    def __len__(self) -> int:
        return len(self.length)


TENSORS = tuple(each.name for each in fields(Trace) if each.name != "texts")
"""The fields with a row an episode."""


def _said(rollout: Rollout, missing: tuple[int, int], request: Tensor) -> tuple[Tensor, tuple[str, ...]]:
    """What was said to those who asked, as numbers, and what the numbers stand for."""
    tables = list(dict.fromkeys(transition.phrases for transition in rollout.transitions))
    rows = max((table.silence for table in tables), default=0) + 1
    offsets = torch.tensor(
        [tables.index(transition.phrases) * rows for transition in rollout.transitions], device=request.device
    )
    heard = torch.where(request, pad(rollout.table("heard") + offsets, missing), NOTHING)
    found, phrase = torch.unique(heard, return_inverse=True)
    nobody = int(found.numel() > 0 and int(found[0]) == NOTHING)  # where nobody asked, the smallest of all
    said = [tables[each // rows].text(each % rows) for each in found[nobody:].tolist()]
    texts = tuple(sorted(set(said)))
    return _renumbered(phrase - nobody, said, texts), texts


def _renumbered(phrase: Tensor, said: Sequence[str], texts: Sequence[str]) -> Tensor:
    """Numbers of what was `said`, as places in `texts`."""
    place = {text: number for number, text in enumerate(texts)}
    places = torch.tensor([*(place[text] for text in said), NOTHING], device=phrase.device)
    return places[phrase]  # NOTHING is the last

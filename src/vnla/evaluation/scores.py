"""How single episodes went: arrays by name, one entry an episode, and what they are computed from.

Each array comes from a scorer, a function of a `Case`; `vnla.evaluation.scorers` has ours, and `docs/formats.md` lists what
they give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vnla.common.errors import InputError
from vnla.evaluation.trace import Trace
from vnla.world.compiled import Environment, World, viewpoint_of

Array = NDArray[Any]


class Scores(Mapping[str, Array]):
    """Arrays on the host by their names; `scores.success` is `scores["success"]`.

    All begin with the axes of the episodes, such as (seeds, tasks); some have one more axis.
    """

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        """Refuses arrays that are not of the same episodes."""
        self._arrays = MappingProxyType(dict(arrays))
        for name, array in arrays.items():
            if array.shape[: len(self.shape)] != self.shape:
                raise InputError(f"scores: {name} has the shape {array.shape}, but the episodes have {self.shape}")

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the episodes."""
        return min((array.shape for array in self._arrays.values()), key=len, default=())

    @classmethod
    def join(cls, parts: Sequence[Scores]) -> Scores:
        """Scores of some episodes after those of others."""
        return cls({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})

    def reshape(self, *shape: int) -> Scores:
        """The same with the episodes in another shape."""
        axes = len(self.shape)
        return Scores({name: array.reshape(*shape, *array.shape[axes:]) for name, array in self.items()})

    def rows(self, which: int | slice | NDArray[np.int64]) -> Scores:
        """Those of some episodes, by the first axis: of one seed, say."""
        return Scores({name: array[which] for name, array in self.items()})

    def __getitem__(self, name: str) -> Array:
        return self._arrays[name]

    def __getattr__(self, name: str) -> Array:
        if name.startswith("_") or name not in self._arrays:
            raise AttributeError(f"these episodes have no score {name!r}")
        return self._arrays[name]

    def __or__(self, others: Mapping[str, Array]) -> Scores:
        """The same with some arrays replaced or added."""
        return Scores({**self, **others})

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)


@dataclass(frozen=True)
class Case:
    """Episodes to score, with what several scorers ask of them."""

    trace: Trace
    environment: Environment
    goals: Tensor  # (episodes,), goal sets

    @property
    def world(self) -> World:
        """The compiled houses."""
        return self.environment.world

    @property
    def rooms(self) -> Tensor:
        """What kind of room each viewpoint is in: (viewpoints,)."""
        return self.world.rooms

    @cached_property
    def visited(self) -> Tensor:
        """The viewpoint before each action and after the last, which is repeated: (episodes, steps + 1)."""
        return viewpoint_of(self.trace.pose)

    @cached_property
    def metres_left(self) -> Tensor:
        """From each of these to the nearest goal: (episodes, steps + 1)."""
        return self.environment.distance_left(self.trace.pose, self.goals[:, None].expand_as(self.trace.pose))

    @cached_property
    def active(self) -> Tensor:
        """Whether the episode had not ended: (episodes, steps)."""
        return torch.arange(self.trace.nav.shape[1], device=self.trace.nav.device) < self.trace.length[:, None]


Scorer = Callable[[Case], Mapping[str, Tensor]]
"""Gives arrays by name, the first axis of each being the episodes."""

"""Scores: numbers about single episodes (section 7). `vnla.evaluation.metrics` makes figures of them.

The paper has success rate, room-finding success rate and navigation error. SPL (Anderson et al. 2018) and nDTW (Ilharco et
al. 2019) are later measures of the field. The agreement with the help-requesting teacher and the counts of its reasons say
how well a help-requesting policy was learned. All distances are along shortest paths. Success depends only on where an agent
ends, not on whether it stopped or ran out of time.

A scorer is a function of a `Case`, a batch of episodes; it returns arrays by name. `Scores` holds them on the host;
`docs/formats.md` lists those that ours give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vnla.assistance.help_teacher import Reason
from vnla.common.errors import InputError
from vnla.evaluation.trace import Trace
from vnla.world.actions import Nav
from vnla.world.compiled import NO_ROOM, Environment, World, viewpoint_of

SUCCESS_RADIUS = 2.0
"""d: metres to the nearest goal within which the task is fulfilled."""

DTW_THRESHOLD = 3.0
"""Metres; the success radius of the benchmark that nDTW was made for."""


def is_success(metres_left: Tensor, radius: float = SUCCESS_RADIUS) -> Tensor:
    """Return whether the nearest goal is within the radius."""
    return metres_left <= radius


def finds_room(room: Tensor, goal_rooms: Tensor) -> Tensor:
    """Return whether labels (batch,) are among those of the goals, (batch, goals): any room of that type will do."""
    return ((room[:, None] == goal_rooms) & (goal_rooms != NO_ROOM)).any(dim=1)


def path_length(world: World, visited: Tensor) -> Tensor:
    """Return metres walked over viewpoints (batch, places)."""
    return world.distance_between(visited[:, :-1], visited[:, 1:]).sum(dim=1)


def spl(success: Tensor, shortest: Tensor, walked: Tensor) -> Tensor:
    """Success weighted by path length: S·l / max(p, l); who begins at a goal and does not move has the whole 1."""
    longer = torch.maximum(walked, shortest)
    return torch.where(success, torch.where(longer > 0, shortest / longer, 1.0), 0.0)


def reference_path(environment: Environment, start: Tensor, goals: Tensor) -> Tensor:
    """The shortest path from viewpoint `start` to the goal nearest to it, the goal repeated at the end: (batch, longest)."""
    world, candidates = environment.world, environment.goal_viewpoints[goals]
    nearest = world.distance_between(start[:, None].expand_as(candidates), candidates).argmin(dim=1, keepdim=True)
    return world.path(start, candidates.gather(1, nearest).squeeze(1))


def ndtw(world: World, visited: Tensor, reference: Tensor, threshold: float = DTW_THRESHOLD) -> Tensor:
    """Normalised dynamic time warping of walks (batch, places) to references (batch, places): exp(−DTW / (|R|·d)).

    A viewpoint that is repeated in succession is one visit: turning on the spot is no part of a path.
    """
    cost = world.distance_between(visited[:, :, None], reference[:, None, :])  # (batch, walk, reference)
    entered = is_entered(reference)
    warped = time_warping(cost, is_entered(visited), entered)
    return torch.exp(-warped / (threshold * entered.sum(dim=1)))


def is_entered(visited: Tensor) -> Tensor:
    """Return which places of (batch, places) are not the same viewpoint as the one before."""
    moved = visited[:, 1:] != visited[:, :-1]
    return torch.cat([torch.ones_like(moved[:, :1]), moved], dim=1) if moved.shape[1] else torch.ones_like(visited).bool()


def time_warping(cost: Tensor, row_counts: Tensor, column_counts: Tensor) -> Tensor:
    """The cost of the cheapest monotone alignment of rows and columns of (batch, rows, columns), of those that count."""
    batch, rows, columns = cost.shape
    above = cost.new_full((batch, columns + 1), torch.inf)
    above[:, 0] = 0
    for i in range(rows):
        line = [cost.new_full((batch,), torch.inf)]
        for j in range(columns):
            cheapest = torch.minimum(torch.minimum(above[:, j], above[:, j + 1]), line[j])
            line.append(torch.where(column_counts[:, j], cheapest + cost[:, i, j], line[j]))
        above = torch.where(row_counts[:, i, None], torch.stack(line, dim=1), above)
    return above[:, columns]


class Agreement(NamedTuple):
    """At how many steps agent and teacher would ask: both, one of them, neither; of the steps where asking was possible."""

    both: Tensor
    agent_only: Tensor
    teacher_only: Tensor
    neither: Tensor


def agreement(request: Tensor, teacher_request: Tensor, possible: Tensor) -> Agreement:
    """Return counts for each episode of booleans (batch, steps)."""
    return Agreement(
        both=(possible & request & teacher_request).sum(dim=1),
        agent_only=(possible & request & ~teacher_request).sum(dim=1),
        teacher_only=(possible & ~request & teacher_request).sum(dim=1),
        neither=(possible & ~request & ~teacher_request).sum(dim=1),
    )


def count_reasons(reason: Tensor, chosen: Tensor) -> Tensor:
    """Return how often each `Reason` stands at the chosen places of (batch, steps): (batch, reasons)."""
    return torch.stack([((reason == each) & chosen).sum(dim=1) for each in Reason], dim=1)


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
        """Return the same with the episodes in another shape."""
        axes = len(self.shape)
        return Scores({name: array.reshape(*shape, *array.shape[axes:]) for name, array in self.items()})

    def rows(self, which: int | slice | NDArray[np.int64]) -> Scores:
        """Return those of some episodes, by the first axis: of one seed, say."""
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


def ending(case: Case) -> dict[str, Tensor]:
    """Return where the agent ended."""
    left, visited = case.metres_left[:, -1], case.visited[:, -1]
    goal_rooms = case.rooms[case.environment.goal_viewpoints[case.goals]]
    return {
        "success": is_success(left),
        "room_success": finds_room(case.rooms[visited], goal_rooms),
        "nav_error": left.double(),
    }


def walking(case: Case) -> dict[str, Tensor]:
    """Return how it went there."""
    left, walked = case.metres_left, path_length(case.world, case.visited)
    closest, reference = left.amin(dim=1), reference_path(case.environment, case.visited[:, 0], case.goals)
    return {
        "oracle_success": is_success(closest),
        "oracle_error": closest.double(),
        "steps": case.trace.length,
        "path_length": walked.double(),
        "shortest": left[:, 0].double(),
        "spl": spl(is_success(left[:, -1]), left[:, 0], walked).double(),
        "ndtw": ndtw(case.world, case.visited, reference).double(),
    }


def stopping(case: Case) -> dict[str, Tensor]:
    """Return whether the agent chose to stop, or its time ran out."""
    last = (case.trace.length - 1).clamp(min=0)[:, None]
    return {"stopped": (case.trace.nav.gather(1, last).squeeze(1) == Nav.STOP) & (case.trace.length > 0)}


def asking(case: Case) -> dict[str, Tensor]:
    """Return how it asked for help, and what the help-requesting teacher thought of it."""
    trace = case.trace
    # the teacher gives this reason exactly where no budget is left, and results files do not have the budget itself
    possible = case.active & (trace.reason != Reason.NO_BUDGET) & (trace.reason >= 0)
    agreed = agreement(trace.request, trace.teacher_request, possible)
    return {
        "requests": trace.request.sum(dim=1),
        "help_budget": trace.help_budget,
        **{f"ask_{name}": count for name, count in agreed._asdict().items()},
        "reasons": count_reasons(trace.reason, case.active),
        "reasons_at_requests": count_reasons(trace.reason, trace.request),
    }

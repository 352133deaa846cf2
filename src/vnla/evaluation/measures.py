"""What is measured of episodes (section 7): pure functions over a batch.

The paper has success rate, room-finding success rate and navigation error. SPL (Anderson et al. 2018) and nDTW (Ilharco et
al. 2019) are later measures of the field; the agreement with the help-requesting teacher and the counts of its reasons say
how well a help-requesting policy was learned.

All distances are along shortest paths. Only where an agent ends counts for success, not whether it stopped or ran out of
time.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from vnla.assistance.help_teacher import Reason
from vnla.world.compiled import NO_ROOM, Environment, World

SUCCESS_RADIUS = 2.0
"""d: metres to the nearest goal within which the task is fulfilled."""

DTW_THRESHOLD = 3.0
"""Metres; the success radius of the benchmark that nDTW was made for."""


def is_success(metres_left: Tensor, radius: float = SUCCESS_RADIUS) -> Tensor:
    """Whether the nearest goal is within the radius."""
    return metres_left <= radius


def finds_room(room: Tensor, goal_rooms: Tensor) -> Tensor:
    """Whether labels (batch,) are among those of the goals, (batch, goals): any room of that type will do."""
    return ((room[:, None] == goal_rooms) & (goal_rooms != NO_ROOM)).any(dim=1)


def path_length(world: World, visited: Tensor) -> Tensor:
    """Metres walked over viewpoints (batch, places)."""
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
    """Which places of (batch, places) are not the same viewpoint as the one before."""
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
    """Counts for each episode of booleans (batch, steps)."""
    return Agreement(
        both=(possible & request & teacher_request).sum(dim=1),
        agent_only=(possible & request & ~teacher_request).sum(dim=1),
        teacher_only=(possible & ~request & teacher_request).sum(dim=1),
        neither=(possible & ~request & ~teacher_request).sum(dim=1),
    )


def count_reasons(reason: Tensor, chosen: Tensor) -> Tensor:
    """How often each `Reason` stands at the chosen places of (batch, steps): (batch, reasons)."""
    return torch.stack([((reason == each) & chosen).sum(dim=1) for each in Reason], dim=1)

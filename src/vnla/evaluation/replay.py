"""Recorded walks, walked again by the rules of an episode (`vnla.episode`): what in them cannot be.

    walks = RecordedWalks.of(environment, goals, poses, actions, requests)
    for row, what in broken_rules(episodes, walks).items(): ...

An error of an agent is a step like others: nothing is done, and the time passes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from vnla import episode
from vnla.camera import VIEWS, view_angles
from vnla.episode import Episodes, EpisodeState
from vnla.evaluation.trace import Trace
from vnla.tasks.task_set import TaskSet
from vnla.world.actions import NO_ACTION, Nav
from vnla.world.compiled import Environment

_ORDER = torch.tensor([Nav.STOP, Nav.LEFT, Nav.RIGHT, Nav.UP, Nav.DOWN, Nav.FORWARD])
"""Which action is meant where several lead from a pose to the next."""


class RecordedWalks(NamedTuple):
    """What somebody says that agents did, a row for each episode, on the host."""

    pose: Tensor  # (walks, steps + 1), before each action and after the last one, which is repeated
    length: Tensor  # (walks,), actions taken
    nav: Tensor  # (walks, steps), NO_ACTION where nothing was done, and after the end
    request: Tensor  # (walks, steps)
    named: Tensor  # (walks,), whether the record names its actions; those of others are worked out

    @classmethod
    def of(
        cls,
        environment: Environment,
        goals: Tensor,
        poses: Sequence[Sequence[int]],
        actions: Sequence[Sequence[int] | None],
        requests: Sequence[Sequence[int]],
    ) -> RecordedWalks:
        """Return walks of any lengths; those of no pose have no steps."""
        steps = max((len(walk) - 1 for walk in poses), default=0)
        named = torch.tensor([each is not None for each in actions]).bool()
        walks = cls(
            pose=torch.tensor([[*walk, *[walk[-1] if walk else 0] * (steps + 1 - len(walk))] for walk in poses]).long(),
            length=torch.tensor([max(len(walk) - 1, 0) for walk in poses]),
            nav=_filled(actions, steps, NO_ACTION),
            request=_filled(requests, steps, False).bool(),
            named=named,
        )
        return walks._complete(environment, goals)

    @classmethod
    def of_trace(cls, tasks: TaskSet, trace: Trace, named: Sequence[bool]) -> RecordedWalks:
        """Return the walks of a trace, a row for each task; only some of the records may have `named` their actions."""
        walks = cls(trace.pose, trace.length, trace.nav, trace.request, torch.tensor(named).bool())
        return walks._complete(tasks.environment, tasks.goals)

    def _complete(self, environment: Environment, goals: Tensor) -> RecordedWalks:
        return self._replace(nav=torch.where(self.named[:, None], self.nav, _worked_out(environment, self, goals)))


def _worked_out(environment: Environment, walks: RecordedWalks, goals: Tensor) -> Tensor:
    """Return the actions by which poses came about: (walks, steps).

    Only at the end of a walk a view that does not change means `stop`.
    """
    before, after = walks.pose[:, :-1], walks.pose[:, 1:]
    step, device = torch.arange(before.shape[1]), environment.world.device
    here, wanted = before.to(device), goals.to(device)[:, None].expand_as(before)
    ends = [environment.step(here, torch.full_like(here, int(action)), wanted) for action in Nav]
    leads = torch.stack(ends).cpu() == after  # (6, walks, steps)
    leads[Nav.STOP] &= step == walks.length[:, None] - 1
    action = _ORDER[leads[_ORDER].int().argmax(dim=0)]
    return torch.where(step < walks.length[:, None], action, NO_ACTION)


def broken_rules(episodes: Episodes, walks: RecordedWalks, budgets: str = "") -> dict[int, str]:
    """Return the first thing in each walk that the rules do not allow; walks that keep to them are not named.

    `budgets` says where help budgets come from, for messages about them.
    """
    device = episodes.start.device
    pose, length, nav, asked = (each.to(device) for each in walks[:4])
    state, found = episode.start(episodes, k=0), dict[int, str]()
    for step in range(nav.shape[1]):
        here = step < length
        asks = here & asked[:, step]
        refused = asks & ~episode.may_request(state)
        before = episode.request(state, asks & ~refused)
        after = episode.act(before, step, nav[:, step].clamp(min=0), waits=nav[:, step] == NO_ACTION)
        wrong = here & (~state.active | refused | (after.pose != pose[:, step + 1]))
        for row in wrong.nonzero().flatten().tolist():
            if row not in found:
                found[row] = _why(state, walks, row, step) + (budgets if refused[row] else "")
        state = after
    return found


def _why(state: EpisodeState, walks: RecordedWalks, row: int, step: int) -> str:
    """Return why the rules do not allow the step of a walk."""
    environment, time = state.episodes.environment, int(state.episodes.time_budget[row])
    if step >= time:
        return f"step {step + 1}: the time budget of {time} steps is over"
    if not state.active[row]:
        return f"step {step}: stops at {_place(environment, int(state.pose[row]))}, but the walk goes on"
    if walks.request[row, step] and not episode.may_request(state)[row]:
        budget = int(state.episodes.help_budget[row])
        return f"step {step + 1}: asks once more than the help budget of {budget} allows"
    before, after = walks.pose[row, step : step + 2].tolist()
    goals, action = int(state.episodes.goals[row]), int(walks.nav[row, step])
    named = Nav(action) if bool(walks.named[row]) and action != NO_ACTION else None
    what = "nothing was done, which" if bool(walks.named[row]) and named is None else None
    return f"step {step + 1}: {_impossible(environment, before, after, named, what, goals)}"


def _impossible(environment: Environment, before: int, after: int, action: Nav | None, what: str | None, goals: int) -> str:
    here = torch.tensor([before], device=environment.world.device)
    ahead = int(environment.step(here, torch.full_like(here, int(Nav.FORWARD)), torch.full_like(here, goals)))
    forward = "nowhere" if ahead == before else f"to {_place(environment, ahead)}"
    move = f"from {_place(environment, before)} to {_place(environment, after)}"
    if action is None and what is None:
        return f"no action leads {move}; forward leads {forward}"
    there = f"; forward leads {forward}" if action == Nav.FORWARD else ""
    return f"{what or (action and action.name.lower())} does not lead {move}{there}"


def _place(environment: Environment, pose: int) -> str:
    viewpoint, view = divmod(pose, VIEWS)
    heading, elevation = (round(math.degrees(each[view])) for each in view_angles())
    up = f", {'up' if elevation > 0 else 'down'}" if elevation else ""
    return f"{environment.world.ids[viewpoint]} (heading {heading}°{up})"


def _filled(rows: Sequence[Sequence[int] | None], width: int, empty: int) -> Tensor:
    filled = [[*(row or ()), *[empty] * (width - len(row or ()))] for row in rows]
    return torch.tensor(filled, dtype=torch.int64).reshape(len(rows), width)

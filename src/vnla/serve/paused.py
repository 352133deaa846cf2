"""Walks that pause where a person may answer, so that nobody waits until all before the answer is walked anew.

What came before a request does not depend on the answer. So the agent goes on from there, with its policy state as it was: a
row of the batch that it walked in. Those who are answered at the same time go on together, each from its own step.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

import torch
from torch import Tensor

from vnla.bcui import RolloutState
from vnla.common.batching import Batching
from vnla.common.selection import join_rows, row_shapes, take_rows
from vnla.episode import When, has_own_steps
from vnla.rollout import RolloutContext
from vnla.serve.agent_walk import AgentWalk, WalkStep
from vnla.serve.hearing import Listener, PersonsEpisodes, Spoken, told_anew
from vnla.tasks.task import Task

MOST = 2048
"""Paused walks that are cached, those that were asked for last."""

Value = TypeVar("Value")
_Key = tuple[Task, int, frozenset[tuple[int, str | None]]]


class PausedWalk(NamedTuple):
    """An episode before a step at which it asks."""

    step: int
    walk: RolloutState  # of this one episode
    before: tuple[WalkStep, ...]
    room: int
    """Words of advice that its policy state has room for."""

    @property
    def kind(self) -> object:
        """What paused walks that can go on together have in common."""
        walk = self.walk
        return self.room, row_shapes((walk.policy_state, walk.state.past, walk.feature_dropout, walk.plan, walk.route))


@dataclass(frozen=True)
class RecordingBatching(Batching):
    """Batching that also records where the batch stood before each step, and that ends the rollout after so many."""

    most: int | None = None
    """Steps after which everybody leaves; those who have not ended can go on from there."""
    states: list[object] = field(default_factory=list)

    @classmethod
    def like(cls, batching: Batching, most: int | None = None) -> RecordingBatching:
        """Return a recording one like another."""
        return cls(batching.fixed, batching.keeps_ended, most)

    def rest(self, batch: Value, active: Tensor) -> Value:
        """Return the rows that remain, and record them."""
        rest = super().rest(batch, active)
        self.states.append(rest)
        return take_rows(rest, active.nonzero().squeeze(1)[:0]) if self._is_over else rest

    @property
    def _is_over(self) -> bool:
        return self.most is not None and len(self.states) > self.most

    def unfinished(self) -> set[int]:
        """Return the episodes that have not ended."""
        last = self.states[-1] if self._is_over else None
        return set(last.row.tolist()) if isinstance(last, RolloutState) else set()

    def walk(self, number: int, row: int) -> RolloutState:
        """Return where an episode stood before one of the steps, counted from the first that was walked."""
        walk = self.states[number]
        assert isinstance(walk, RolloutState)
        place = (walk.row == row).nonzero().squeeze(1)
        return replace(take_rows(walk, place), row=place.new_zeros(1))

    def paused(self, row: int, walk: AgentWalk, room: int) -> PausedWalk:
        """Return where an episode goes on that has not ended."""
        return PausedWalk(len(walk.steps), self.walk(-1, row), walk.steps, room)


class PausedWalks:
    """The paused walks that somebody may go on with."""

    def __init__(self) -> None:
        self._cached: OrderedDict[_Key, PausedWalk] = OrderedDict()

    def find(self, task: Task, seed: int, spoken: Spoken) -> PausedWalk | None:
        """Return the walk that waits for the last of what is said; None if it is not cached."""
        if not spoken:
            return None
        last = max(spoken)
        key = task, seed, frozenset(item for item in spoken.items() if item[0] != last)
        found = self._cached.get(key)
        if found is None or found.step != last:
            return None
        self._cached.move_to_end(key)
        return found

    def keep(
        self, seed: int, spoken: Spoken, walk: AgentWalk, row: int, batching: RecordingBatching, first: int, room: int
    ) -> None:
        """Cache a walk at its first request that no person has answered, if there is one; `first` is the first of its steps
        that was walked now."""
        step = next((i for i, each in enumerate(walk.steps) if each.asked and i not in spoken), None)
        if step is None or step < first:
            return
        key = walk.task, seed, frozenset(spoken.items())
        self._cached[key] = PausedWalk(step, batching.walk(step - first, row), walk.steps[:step], room)
        self._cached.move_to_end(key)
        while len(self._cached) > MOST:
            self._cached.popitem(last=False)


def steps_may_differ(context: RolloutContext) -> bool:
    """Return whether episodes of one batch may be at different steps."""
    batching = context.batching
    parts = (context.help_policy, context.bound_advisor, *context.sensors.values())
    return not (batching.fixed or batching.keeps_ended) and all(map(has_own_steps, parts))


def go_on(
    paused: Sequence[PausedWalk], episodes: PersonsEpisodes, listener: Listener, room: int
) -> tuple[When, RolloutState] | None:
    """Return where these episodes go on; None if they have to begin anew, because more is said than their policy states have
    room for, or because these cannot go on."""
    walks = []
    for row, each in enumerate(paused):
        policy_state = told_anew(each.walk.policy_state, listener)
        if policy_state is None or room != each.room:
            return None
        place = each.walk.row.new_tensor([row])
        state = replace(each.walk.state, episodes=take_rows(episodes, place))
        walks.append(replace(each.walk, row=place, state=state, policy_state=policy_state))
    if len(paused) == 1:
        return paused[0].step, walks[0]
    return torch.tensor([each.step for each in paused], device=episodes.key.device), join_rows(walks)

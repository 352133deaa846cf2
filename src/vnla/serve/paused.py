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
    """An episode between two steps."""

    step: int
    walk: RolloutState  # of one episode or more
    before: tuple[WalkStep, ...]
    room: int
    """Words of advice that its policy state has room for."""
    place: int = 0
    """Which row of `walk` is its own."""

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

    def walk(self, number: int, row: int) -> RolloutState:
        """Return where an episode stood before one of the steps, counted from the first that was walked."""
        walk = self.states[number]
        assert isinstance(walk, RolloutState)
        return take_rows(walk, (walk.row == row).nonzero().squeeze(1))

    def paused(self, walks: Sequence[AgentWalk], room: int) -> dict[int, PausedWalk]:
        """Return where those episodes go on that have not ended, in the batch as it is, by their rows."""
        last = self.states[-1] if self._is_over else None
        if not isinstance(last, RolloutState):
            return {}
        places = enumerate(last.row.tolist())
        return {row: PausedWalk(len(walks[row].steps), last, walks[row].steps, room, place) for place, row in places}


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
    batches: dict[int, list[int]] = {}  # those that walked together are taken from there together
    for row, each in enumerate(paused):
        batches.setdefault(id(each.walk), []).append(row)
    walks = []
    for rows in batches.values():
        batch = paused[rows[0]].walk
        policy_state = told_anew(batch.policy_state, listener)
        if policy_state is None or any(room != paused[row].room for row in rows):
            return None
        place = batch.row.new_tensor(rows)
        walk = take_rows(
            replace(batch, policy_state=policy_state), batch.row.new_tensor([paused[row].place for row in rows])
        )
        walks.append(replace(walk, row=place, state=replace(walk.state, episodes=take_rows(episodes, place))))
    steps = [each.step for each in paused]
    done = steps[0] if len(steps) == 1 else torch.tensor(steps, device=episodes.key.device)
    return done, walks[0] if len(walks) == 1 else join_rows(walks)

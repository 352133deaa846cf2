"""A scripted searcher with a perfect detector: how far searching alone goes in the time, whatever is learned.

    metres = search(subject, Searcher(panorama=True))

It walks the same episodes as an agent, by the same rules (`vnla.episode`), with the same time and help budgets.

What it knows, without error: its pose; the viewpoints that it has been to, and the neighbours that its views have shown it;
how many actions lead to each of these; which of them are goals; and when its advice ends. It forgets nothing in an episode.
It counts actions as if `forward` always went to the viewpoint nearest to the centre of the view.

What it does not know: the rest of the house, what lies behind a frontier, a goal more than one edge away, and the time left.
The paper's `forward` leads towards the goal where it can, so it may arrive elsewhere than it counted; it goes on from there.

What it does: while a subgoal lasts, the navigation teacher's actions, which are what the advice says. Otherwise it goes to
the nearest goal that it has seen, and stops there. With none in sight it goes to the nearest viewpoint that it has seen and
not been to, its frontier (Yamauchi 1997). Where there is none it turns to the nearest heading that it has not looked at, and
with nothing left to look at it stops. It requests help as soon as it has neither advice nor a goal in sight; or, as a
reference line, if and only if its next action is wrong.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from vnla import episode
from vnla.assistance.if_wrong import AskIfWrong
from vnla.camera import HEADINGS, VIEWS
from vnla.common.progress import Count, unheard
from vnla.episode import Episodes, EpisodeState, step_context
from vnla.evaluation.ceilings.subject import Subject
from vnla.evaluation.confidence import Floats
from vnla.world.actions import FORWARD, NAV_ACTIONS, STOP
from vnla.world.compiled import World

_LOOKS_AND_MOVES = tuple(action for action in range(NAV_ACTIONS) if action != STOP)


@dataclass(frozen=True)
class Searcher:
    """Nearest-frontier search; this module says what it knows and does."""

    panorama: bool = False
    """Whether it sees all neighbours of its viewpoint at once. If not, those in its view; so it has to turn to look."""
    if_wrong: bool = False
    """Whether it requests help if and only if its next action is not the navigation teacher's. It is told so."""


@dataclass(frozen=True)
class HouseTables:
    """The tables of a house, viewpoints and poses numbered from 0, as lists: single numbers are read from them."""

    after: list[list[int]]  # (poses, 6), the pose after each action where no goal leads `forward`
    shown: list[list[int]]  # (poses, …), the neighbours in view

    @classmethod
    def of(cls, world: World, house: int) -> HouseTables:
        """Of a house of a world."""
        first, last = (each * VIEWS for each in world.firsts[house : house + 2])
        after = world.after[first * NAV_ACTIONS : last * NAV_ACTIONS].view(-1, NAV_ACTIONS) - first
        graph = world.graphs[house]
        shown: list[list[int]] = [[] for _ in range(last - first)]
        for edge, view in np.argwhere(graph.looks().visible).tolist():
            shown[int(graph.source[edge]) * VIEWS + view].append(int(graph.target[edge]))
        return cls(after.tolist(), shown)


@dataclass
class SearchMemory:
    """What the searcher knows in an episode."""

    tables: HouseTables
    goals: frozenset[int]
    panorama: bool
    visited: set[int] = field(default_factory=set)
    seen: set[int] = field(default_factory=set)  # viewpoints that were in view or visited
    looked: set[int] = field(default_factory=set)  # headings: views of another elevation show the same neighbours
    ways: set[tuple[int, int]] = field(default_factory=set)  # edges that it knows, from a viewpoint to another
    last: int | None = None  # where it looked last

    def look(self, pose: int) -> None:
        """Take in what there is to see at a pose, and the way back to the viewpoint before."""
        here = pose // VIEWS
        if self.last is not None:
            self.ways.add((here, self.last))
        self.last = here
        self.visited.add(here)
        self.seen.add(here)
        for each in range(here * VIEWS, (here + 1) * VIEWS) if self.panorama else (pose,):
            self.looked.add(_heading(each))
            self.seen.update(self.tables.shown[each])
            self.ways.update((here, there) for there in self.tables.shown[each])

    @property
    def sees_goal(self) -> bool:
        """Whether a goal is among what it has seen."""
        return not self.goals.isdisjoint(self.seen)

    def action(self, pose: int) -> int:
        """Return what it does at a pose that it has looked at, without advice."""
        if pose // VIEWS in self.goals:
            return STOP
        if self.sees_goal:
            return self._toward(pose, lambda each: each // VIEWS in self.goals)
        onward = self._toward(pose, lambda each: each // VIEWS not in self.visited)
        return onward if onward != STOP else self._toward(pose, lambda each: _heading(each) not in self.looked)

    def _toward(self, pose: int, is_there: Callable[[int], bool]) -> int:
        """Return the first of the fewest actions to such a pose over ways that it knows; STOP where there is none."""
        after, ways = self.tables.after, self.ways
        reached, waiting = {pose}, deque([(pose, STOP)])
        while waiting:
            here, first = waiting.popleft()
            for action in _LOOKS_AND_MOVES:
                there = after[here][action]
                if there in reached or (action == FORWARD and (here // VIEWS, there // VIEWS) not in ways):
                    continue
                begun = action if first == STOP else first
                if is_there(there):
                    return begun
                reached.add(there)
                waiting.append((there, begun))
        return STOP


def _heading(pose: int) -> int:
    """Return the number of a viewpoint and heading, whatever the elevation."""
    viewpoint, view = divmod(pose, VIEWS)
    return viewpoint * HEADINGS + view % HEADINGS


def search(subject: Subject, searcher: Searcher, advance: Count = unheard) -> Floats:
    """Return metres to the nearest goal where the searcher's episodes end, all of a subject's: (episodes,)."""
    episodes = subject.episodes(subject.everything)
    final = walked(episodes, searcher, subject.context.advisor.k)
    advance(len(episodes))
    return episodes.environment.distance_left(final.pose, episodes.goals).double().cpu().numpy()


def walked(episodes: Episodes, searcher: Searcher, k: int) -> EpisodeState:
    """Return the last state of episodes that the searcher walks, with subgoals of `k` actions."""
    state = episode.start(episodes, k)
    base, memories = _memories(episodes, searcher)
    for step in range(int(episodes.time_budget.max())):
        poses, rows = (state.pose - base).tolist(), state.active.nonzero().squeeze(1).tolist()
        actions, is_aimless = [STOP] * len(poses), [False] * len(poses)
        for row in rows:
            memories[row].look(poses[row])
            actions[row], is_aimless[row] = memories[row].action(poses[row]), not memories[row].sees_goal
        own, aimless = (torch.tensor(each, device=base.device) for each in (actions, is_aimless))
        taught = episodes.environment.nav_teacher(state.pose, episodes.goals)
        follows = episode.actions_since_request(state) < k
        if searcher.if_wrong:
            tentative = one_hot(torch.where(follows, taught, own), NAV_ACTIONS).float()
            wants = AskIfWrong()(step_context(state, step, tentative))
        else:
            wants = ~follows & aimless
        state = episode.request(state, wants & episode.may_request(state))
        follows = episode.actions_since_request(state) < k
        state = episode.act(state, step, torch.where(follows & state.active, taught, own))
    return state


def _memories(episodes: Episodes, searcher: Searcher) -> tuple[Tensor, list[SearchMemory]]:
    """Return the first pose of each episode's house, and what the searcher knows before it has looked."""
    world = episodes.environment.world
    tables_of = cache(lambda house: HouseTables.of(world, house))
    house = torch.searchsorted(world.first, episodes.start // VIEWS, right=True) - 1
    first = world.first[house]
    goals = (episodes.environment.goal_viewpoints[episodes.goals] - first[:, None]).tolist()
    pairs = zip(house.tolist(), goals, strict=True)
    return first * VIEWS, [SearchMemory(tables_of(each), frozenset(some), searcher.panorama) for each, some in pairs]

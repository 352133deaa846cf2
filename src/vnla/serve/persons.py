"""A person's walk: the views, actions, time, requests and advisor of an agent, and nothing else of the task.

A step is Algorithm 1's: one may ask once, hears the advisor, and acts; a request takes no time. The goals stay here.
"""

from __future__ import annotations

import torch

from vnla.common.errors import InputError
from vnla.episodes import Situation, count_unmoved, nowhere
from vnla.evaluation.measures import SUCCESS_RADIUS
from vnla.serve.engine import Engine
from vnla.tasks.task import Task
from vnla.world.actions import Nav


class PersonsWalk:
    """A walk under way."""

    def __init__(self, engine: Engine, task: Task, seed: int) -> None:
        self.task = task
        tasks = engine.compiled([task])
        self._players = engine.players
        first = torch.zeros(1, dtype=torch.int64, device=tasks.key.device)
        self._episodes = tasks.episodes(first, seed=seed, ratio=engine.ratio, k=self.k)
        self._pose = self._episodes.start
        self._unmoved, self._since = first, first + self.k
        self.time = int(self._episodes.time_budget)
        self.requests = int(self._episodes.help_budget) if self._players.advisor.speaks else 0
        self.step = 0
        self.requests_left = self.requests
        self.asked = False
        """Whether the person has asked in this step."""
        self.stopped = False

    @property
    def k(self) -> int:
        """How many actions an answer is good for."""
        return self._players.advisor.k

    @property
    def pose(self) -> int:
        """Where the person stands."""
        return int(self._pose)

    @property
    def ended(self) -> bool:
        """Whether the person has stopped, or no time is left."""
        return self.stopped or self.step >= self.time

    @property
    def metres(self) -> float:
        """To the nearest goal."""
        return float(self._episodes.environment.distance_left(self._pose, self._episodes.goals))

    @property
    def success(self) -> bool:
        """Whether a goal is near enough."""
        return self.metres <= SUCCESS_RADIUS

    def ask(self) -> str:
        """What the advisor says."""
        if self.ended or self.asked:
            raise InputError("you may ask once a step" if self.asked else "this walk is over")
        if not self.requests_left:
            raise InputError("you have no request left")
        heard = self._players.voice.say(self._situation())
        self.requests_left -= 1
        self.asked, self._since = True, torch.zeros_like(self._since)
        return heard.table.text(int(heard.index))

    def act(self, action: Nav) -> None:
        """Carry out an action."""
        if self.ended:
            raise InputError("this walk is over")
        if action is Nav.FORWARD and self._episodes.environment.blocked(self._pose):
            raise InputError("there is nothing ahead to go to")  # as for an agent, which cannot choose it either
        before, nav = self._pose, torch.full_like(self._pose, action)
        self._pose = self._episodes.environment.step(before, nav, self._episodes.goals)
        self._unmoved = count_unmoved(self._unmoved, before, self._pose)
        self._since = self._since + 1
        self.step += 1
        self.asked, self.stopped = False, action is Nav.STOP

    def _situation(self) -> Situation:
        none = self._pose.new_empty(1, 0)
        return Situation(
            episodes=self._episodes,
            step=self.step,
            pose=self._pose,
            unmoved=self._unmoved,
            budget=torch.full_like(self._pose, self.requests_left),
            tentative=none.float(),
            plan=none,
            since_request=self._since,
            past=nowhere(self._pose, 0),
        )

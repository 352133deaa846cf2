"""A person's walk: the views, actions, time, requests and advisor of an agent, and nothing else of the task.

The rules are those of every episode (`vnla.episode`). The goals stay here.
"""

from __future__ import annotations

import torch

from vnla import episode
from vnla.common.errors import InputError
from vnla.episode import EpisodeState
from vnla.evaluation.scores import SUCCESS_RADIUS
from vnla.serve.engine import EpisodeEngine
from vnla.stepper import EpisodeStepper
from vnla.tasks.task import Task
from vnla.world.actions import Nav


class PersonsWalk:
    """A walk under way."""

    def __init__(self, engine: EpisodeEngine, task: Task, seed: int) -> None:
        self.task = task
        tasks, context = engine.compiled([task]), engine.context
        first = torch.zeros(1, dtype=torch.int64, device=tasks.key.device)
        episodes = tasks.episodes(first, seed=seed, ratio=engine.ratio, k=context.advisor.k)
        self._stepper = EpisodeStepper(episodes, context.advisor, context.bound_advisor)
        self.time = int(episodes.time_budget)
        self.requests = self.requests_left
        self.poses = [self.pose]
        """Where the person has stood, where they stand now included."""
        self._last: Nav | None = None

    @property
    def k(self) -> int:
        """How many actions an answer is good for."""
        return self._stepper.advisor.k

    @property
    def pose(self) -> int:
        """Where the person stands."""
        return int(self._state.pose)

    @property
    def step(self) -> int:
        """How many time steps have passed."""
        return int(self._stepper.step)

    @property
    def requests_left(self) -> int:
        """How many requests are left."""
        return int(self._state.requests_left)

    @property
    def asked(self) -> bool:
        """Whether the person has asked in this step."""
        return bool(episode.has_requested(self._state))

    @property
    def ended(self) -> bool:
        """Whether the person has stopped, or no time is left."""
        return not bool(self._stepper.active)

    @property
    def stopped(self) -> bool:
        """Whether the person has ended the walk with time left."""
        return self.ended and self._last is Nav.STOP

    @property
    def metres(self) -> float:
        """To the nearest goal."""
        episodes = self._state.episodes
        return float(episodes.environment.distance_left(self._state.pose, episodes.goals))

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
        (said,) = self._stepper.request(self._stepper.may_request)
        return said or ""

    def act(self, action: Nav) -> None:
        """Carry out an action."""
        if self.ended:
            raise InputError("this walk is over")
        if action is Nav.FORWARD and self._state.episodes.environment.blocked(self._state.pose):
            raise InputError("there is nothing ahead to go to")  # as for an agent, which cannot choose it either
        self._last = Nav(int(self._stepper.act(torch.full_like(self._state.pose, action))))
        self.poses.append(self.pose)

    @property
    def _state(self) -> EpisodeState:
        return self._stepper.state

"""What an agent may notice besides the view: the time, its requests, the advice it follows, where it has been, whether it
thinks that what it is after is in view.

The paper's agent knows none of it, but for the help module, which knows how many requests are left. A sensor is one more
named tensor among those that there are to see; both modules are given it. To add one, write the class, anywhere, and name
it: `--sensor package.module:Class`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from vnla.agents.agent import Agent
from vnla.agents.spotting import AllViews
from vnla.camera import HEADINGS
from vnla.episode import StepContext
from vnla.world.budgets import LONGEST_EPISODE
from vnla.world.compiled import World, look_up, view_of, viewpoint_of


class Sensor(ABC):
    """Something to notice."""

    size: ClassVar[int]
    """How many numbers it gives."""
    remembers: ClassVar[bool] = False
    """Whether it looks at `situation.past`, the poses before this step. Without it there is no past, unless others remember
    it, and looking is an error."""
    own_steps: ClassVar[bool] = False
    """Whether `situation.step` may be another number for each episode. Nothing but time is lost where it is not said."""
    note: ClassVar[str] = ""
    """What it knows that an agent on its own could not, in words without a full stop: shown wherever such an agent is in a
    table."""

    @abstractmethod
    def __call__(self, situation: StepContext) -> Tensor:
        """What is noticed now: (batch, size)."""

    def size_with(self, views: AllViews) -> int:  # noqa: ARG002
        """Return how many numbers it gives where these features are; most sensors give as many with any."""
        return self.size

    def ready(self, agent: Agent, world: World, views: AllViews) -> Sensor:  # noqa: ARG002
        """As it is used by an agent in a world, with what there is to see there."""
        return self

    def ready_in(self, folder: Any, agent: Agent, world: World, views: AllViews) -> Sensor:  # noqa: ARG002
        """The same where the world's folder (`vnla.houses.folder.WorldFolder`) is known, for a sensor that reads houses."""
        return self.ready(agent, world, views)


@dataclass(frozen=True)
class Clock(Sensor):
    """How many steps are left. The time of an evaluation comes from the true kinds of the start room and the goal room."""

    size: ClassVar[int] = LONGEST_EPISODE + 1
    own_steps: ClassVar[bool] = True
    note: ClassVar[str] = "the time that it shows comes from the true kinds of the start room and the goal room"

    def __call__(self, situation: StepContext) -> Tensor:
        """One of its numbers is 1."""
        return _which(situation.steps_left, self.size)


@dataclass(frozen=True)
class Requests(Sensor):
    """How many requests are left."""

    size: ClassVar[int] = 6
    own_steps: ClassVar[bool] = True

    def __call__(self, situation: StepContext) -> Tensor:
        """One of its numbers is 1."""
        return _which(situation.budget, self.size)


@dataclass(frozen=True)
class SinceRequest(Sensor):
    """How many steps ago the agent asked: the step of the subgoal that it is at, and whether that is over."""

    size: ClassVar[int] = 10
    own_steps: ClassVar[bool] = True

    def __call__(self, situation: StepContext) -> Tensor:
        """One of its numbers is 1: the last for whoever asked long ago, or never."""
        return _which(situation.since_request, self.size)


@dataclass(frozen=True)
class Been(Sensor):
    """Where the agent has been in this episode: which way it has looked from here, whether it has been here before, whether
    it has been to the place ahead, and how long it has stood here. Places are recognised exactly, not by sight."""

    size: ClassVar[int] = HEADINGS + 4
    remembers: ClassVar[bool] = True
    own_steps: ClassVar[bool] = True
    note: ClassVar[str] = "places are recognised exactly, by the numbers of viewpoints and not by sight"

    def __call__(self, situation: StepContext) -> Tensor:
        """The headings it has looked at from here, from the present one on to the right; then the other three, and whether
        there is a place ahead."""
        pose, past = situation.pose, situation.past
        here = (viewpoint_of(past) == viewpoint_of(pose)[:, None]) & (past >= 0)
        turned = torch.remainder(view_of(past) - view_of(pose)[:, None], HEADINGS)
        looked = (one_hot(turned, HEADINGS) * here[:, :, None]).sum(dim=1).clamp(max=1)
        ahead = look_up(situation.episodes.environment.world.ahead, pose)
        there = ((viewpoint_of(past) == ahead[:, None]) & (past >= 0)).any(dim=1)
        returned = here.sum(dim=1) > situation.unmoved
        numbers = (returned, there, ahead >= 0, situation.unmoved / 10)
        return torch.cat([looked.float(), torch.stack([each.float() for each in numbers], dim=1)], dim=1)


@dataclass(frozen=True, eq=False)
class Spotted(Sensor):
    """How sure the agent is that the object it is to find is in view, and that it is in a room of the kind that was named.

    It has learned that from single views of the training houses (`vnla.agents.spotting`).
    """

    size: ClassVar[int] = 2
    own_steps: ClassVar[bool] = True
    note: ClassVar[str] = (
        "it was taught by labels of the objects and rooms of the training houses, and is asked for those that the task names"
    )
    keys: Tensor = field(default_factory=lambda: torch.zeros(1, dtype=torch.int64))  # (labels,), rising
    chances: Tensor = field(default_factory=lambda: torch.zeros(1))  # (poses·labels,)

    def __call__(self, situation: StepContext) -> Tensor:
        """Probabilities; 0 for a room where none was named, and for names that it has not learned."""
        return self.of(situation.episodes.sought, self.chances, situation.pose)

    def of(self, sought: Tensor, chances: Tensor, row: Tensor) -> Tensor:
        """The probabilities of what is sought (batch, 2), from those of all labels in some rows (rows·labels,)."""
        column = torch.searchsorted(self.keys, sought).clamp(max=len(self.keys) - 1)
        found = look_up(chances, row[:, None] * len(self.keys) + column).float()
        return found * (look_up(self.keys, column) == sought) * (sought != 0)

    def ready(self, agent: Agent, world: World, views: AllViews) -> Spotted:
        """With what the agent's probe says at every pose."""
        assert agent.spotter is not None, "an agent with this sensor has one"
        return replace(self, keys=agent.spotter.keys, chances=agent.spotter.everywhere(world, views).flatten())


@dataclass(frozen=True)
class CountSensor(Sensor):
    """A number of an episode as it is, for policies that observe it under its key (`vnla.observation.COUNTS`)."""

    size: ClassVar[int] = 1
    own_steps: ClassVar[bool] = True
    key: str

    def __call__(self, situation: StepContext) -> Tensor:
        """One number."""
        episodes = situation.episodes
        count = {
            "time_left": lambda: situation.steps_left,
            "requests_left": lambda: situation.budget,
            "step": lambda: episodes.time_budget - situation.steps_left,
            "may_go_forward": lambda: ~episodes.environment.blocked(situation.pose),
        }[self.key]()
        return count[:, None].float()


def _which(number: Tensor, size: int) -> Tensor:
    """A number as one of `size`; larger ones share the last."""
    return one_hot(number.clamp(0, size - 1), size).float()

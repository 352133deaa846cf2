"""What the teacher wants, and who acts, while a subgoal is being followed.

`Led` is the paper's training: the navigation teacher leads to the goal and acts while an intervention lasts, so an agent has
never left a plan before it has to follow one alone, at test time (the paper's footnote 5).

`Following` closes that gap. The agent follows a growing share of its subgoals by itself, from none at the first iteration to
all at the last. As long as it keeps to the plan nothing else is different; when it strays, the teacher leads to the pose
where the advised plan ends, so what it was told still means something. Whoever is there, or at a goal, is led on as ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from vnla.camera import HEADINGS, VIEWS
from vnla.common.randomness import Purpose, uniform
from vnla.episode import Episodes, When
from vnla.world.actions import DOWN, LEFT, RIGHT, STOP, UP
from vnla.world.compiled import World, look_up, view_of, viewpoint_of


class Course(NamedTuple):
    """A step of a batch, as far as its subgoals go."""

    taught: Tensor  # the teacher's action
    led: Tensor  # for whom the teacher acts, where interventions are direct
    route: Tensor  # (batch, …), what is kept of the subgoal that was last given


@dataclass(frozen=True)
class Led:
    """As in the paper: towards the goal, and the teacher acts as long as a subgoal lasts."""

    def begin(self, pose: Tensor, k: int) -> Tensor:  # noqa: ARG002
        """What is kept before the first subgoal: nothing."""
        return pose.new_empty(len(pose), 0)

    def __call__(
        self,
        route: Tensor,
        pose: Tensor,
        taught: Tensor,
        since_request: Tensor,
        k: int,
        episodes: Episodes,
        step: When,
    ) -> Course:
        """What to teach, where the navigation teacher's action is `taught`; who has just asked, has 0 steps since then."""
        del pose, episodes, step
        return Course(taught, since_request < k, route)

    def advance(self, share: float) -> None:
        """Told before each iteration which share of the training is done."""


@dataclass(frozen=True, eq=False)
class Following(Led):
    """To where the plan ends, and the agent acts by itself ever more often."""

    world: World
    ways: Tensor  # (pairs,), the edge to take from a viewpoint to another of its house
    turns: Tensor  # (36·36,), the action from one view of a viewpoint to another
    share: Tensor  # (), how many of its subgoals the agent follows by itself; it lies where a GPU graph reads it

    @classmethod
    def within(cls, world: World) -> Following:
        """In a world, on its device."""
        share = torch.zeros((), dtype=torch.float64, device=world.device)
        return cls(world, world.ways(), _turns().to(world.device), share)

    def begin(self, pose: Tensor, k: int) -> Tensor:
        """The poses of the plan that was last advised: (batch, k + 1)."""
        return pose[:, None].repeat(1, k + 1)

    def __call__(
        self,
        route: Tensor,
        pose: Tensor,
        taught: Tensor,
        since_request: Tensor,
        k: int,
        episodes: Episodes,
        step: When,
    ) -> Course:
        """The way of the plan while the agent keeps to it, then the way to its end."""
        _, planned = episodes.environment.taught_way(pose, episodes.goals, k)
        route = torch.where((since_request == 0)[:, None], torch.stack(planned, dim=1), route)
        end, follows = route[:, k], since_request < k
        expected = route.gather(1, since_request.clamp(max=k)[:, None]).squeeze(1)
        strays = follows & (pose != expected) & (pose != end) & (taught != STOP)
        alone = uniform(episodes.seed, episodes.key, Purpose.FOLLOWING, step - since_request) < self.share
        return Course(torch.where(strays, self.toward(pose, end), taught), follows & ~alone, route)

    def toward(self, pose: Tensor, end: Tensor) -> Tensor:
        """The action that leads to another pose of the house: to its viewpoint as the navigation teacher would, then to its
        view."""
        here, there, view = viewpoint_of(pose), viewpoint_of(end), view_of(pose)
        way = look_up(self.ways, look_up(self.world.row, here) + there)
        turn = look_up(self.turns, view * VIEWS + view_of(end))
        return torch.where(here == there, turn, look_up(self.world.toward, way * VIEWS + view).long())

    def advance(self, share: float) -> None:
        """As many subgoals are the agent's own as of the training is done."""
        self.share.fill_(share)


def _turns() -> Tensor:
    """Heading first, the short way round and at 180 degrees by the right, then elevation, as the navigation teacher does."""
    row, heading = torch.arange(VIEWS) // HEADINGS, torch.arange(VIEWS) % HEADINGS
    right = (heading - heading[:, None]) % HEADINGS  # (36, 36), steps to the right from a view to another
    rise = row - row[:, None]
    turn = torch.full_like(right, STOP)
    turn = torch.where(rise < 0, DOWN, torch.where(rise > 0, UP, turn))
    turn = torch.where(right > HEADINGS // 2, LEFT, torch.where(right > 0, RIGHT, turn))
    return turn.flatten()

"""Training objectives, and the paper's: imitation of both teachers.

An objective decides who takes part in a training batch, how its episodes are run, and which losses the two policies minimise
(Algorithm 1, lines 28 and 29). Its options are the fields of its dataclass.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from vnla.agents.agent import Agent
from vnla.assistance.acting import at_test_time
from vnla.assistance.help_policies import HelpPolicy
from vnla.bcui import bcui
from vnla.common.errors import InputError
from vnla.evaluation.scores import is_success
from vnla.rollout import Rollout, RolloutContext
from vnla.tasks.task_set import TaskSet

CLOSENESS_METRES = 4.0
"""Metres over which closeness falls to 1/e."""


def closeness(metres: Tensor) -> Tensor:
    """Return how close a goal is: 1 at the goal, and less the farther away it is."""
    return torch.exp(-metres / CLOSENESS_METRES)


def final_reward(rollout: Rollout, shaping_weight: float) -> Tensor:
    """Return success mixed with closeness to the goal, which says more about a single episode: (batch,)."""
    episodes = rollout.episodes
    left = episodes.environment.distance_left(rollout.last_pose(), episodes.goals)
    return (1 - shaping_weight) * is_success(left).float() + shaping_weight * closeness(left)


class Judged(NamedTuple):
    """What a critic computes for a batch of episodes."""

    advantages: Tensor  # (batch, steps)
    error: Tensor  # the critic's loss, summed over the steps
    steps: Tensor  # how many steps were taken
    squares: Tensor  # the sum of the squares of all advantages


class Objective(ABC):
    """What is minimised. A loss that is None is not minimised: its parameters stay as they are."""

    RENAMED: ClassVar[Mapping[str, str]] = {}
    """Earlier names of options → their names now; `vnla.common.registry.build` accepts both."""

    timed: ClassVar[bool] = False
    """Whether episodes have the time in training that they would have in evaluation; in the paper they have less."""
    navigates: ClassVar[bool] = True
    """Whether the navigator learns."""
    runs_episodes: ClassVar[bool] = True
    """Whether episodes are run; otherwise the agent learns from practice walks alone."""
    divisible: ClassVar[bool] = False
    """Whether its losses can be those of a part of a batch: what they divide by is tallied, and they ask for its total."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Refuse a class that overrides `rollout_context` by its earlier name, which nobody would call."""
        super().__init_subclass__(**options)
        if "players" in vars(cls):
            raise InputError(f"objective {cls.__name__}: the method players is now called rollout_context; rename it")

    def rollout_context(self, context: RolloutContext, policy: HelpPolicy) -> RolloutContext:  # noqa: ARG002
        """Return who takes part: `context` is that of the paper's training, `policy` the help policy at test time."""
        return context

    def critic(self) -> nn.Module | None:
        """Return a module that learns beside the agent and is no part of it, if there is one."""
        return None

    def rollout(self, tasks: TaskSet, which: Tensor, seed: Tensor, ratio: float, context: RolloutContext) -> Rollout:
        """Run the episodes of an iteration: the tasks numbered `which`, with seeds."""
        return bcui(tasks.episodes(which, seed=seed, ratio=ratio, k=context.advisor.k), context)

    def teaches_asking(self, policy: HelpPolicy) -> bool:
        """Return whether the help module learns."""
        return policy.learns

    def judge(self, rollout: Rollout, critic: nn.Module | None) -> Judged | None:  # noqa: ARG002
        """Return what the critic computes, where there is one."""
        return None

    def tally(self, rollout: Rollout, judged: Judged | None) -> dict[str, Tensor]:  # noqa: ARG002
        """Return what the losses divide by, to be summed over the parts of a batch, by the names of `Rollout.total`."""
        return rollout.tally()

    @abstractmethod
    def nav_loss(self, rollout: Rollout, judged: Judged | None) -> Tensor | None:
        """Return the navigation loss."""

    def ask_loss(self, rollout: Rollout, agent: Agent, judged: Judged | None) -> Tensor:  # noqa: ARG002
        """Return the loss of the help module, which imitates the help teacher."""
        return rollout.ask_loss(agent.ask)


class AskingObjective(Objective):
    """An objective of the help module alone: the agent acts as at test time, and the navigator stays."""

    timed: ClassVar[bool] = True
    navigates: ClassVar[bool] = False
    divisible: ClassVar[bool] = True

    @abstractmethod
    def asks_by(self, policy: HelpPolicy) -> HelpPolicy:
        """Return who asks in training, where `policy` does at test time."""

    def rollout_context(self, context: RolloutContext, policy: HelpPolicy) -> RolloutContext:
        """Return the context of test time, but for who asks."""
        return replace(
            context,
            help_policy=self.asks_by(policy),
            acting=at_test_time(context.advisor.direct),
            deliberate=True,
            keeps_ask_features=True,
        )

    def teaches_asking(self, policy: HelpPolicy) -> bool:  # noqa: ARG002
        """That is all it does."""
        return True

    def nav_loss(self, rollout: Rollout, judged: Judged | None) -> None:
        """Nothing: the navigator stays."""


@dataclass(frozen=True)
class ImitationObjective(Objective):
    """The paper's objective: maximum likelihood of what the teachers do."""

    divisible: ClassVar[bool] = True

    def nav_loss(self, rollout: Rollout, judged: Judged | None) -> Tensor:  # noqa: ARG002
        """Return the negative log-likelihood of the navigation teacher."""
        return rollout.nav_loss()


@dataclass(frozen=True)
class PracticeObjective(ImitationObjective):
    """The same of practice walks (`vnla.training.practice`) in the place of episodes, to learn what sentences mean."""

    runs_episodes: ClassVar[bool] = False

    def teaches_asking(self, policy: HelpPolicy) -> bool:  # noqa: ARG002
        """Nobody asks in practice."""
        return False

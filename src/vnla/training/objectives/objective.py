"""What an objective is; and the paper's: imitation of both teachers.

An objective knows in which roles the players train, how a batch of episodes is run, and what the two policies lose by it
(Algorithm 1, lines 28 and 29). The options are the fields of its dataclass.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from torch import Tensor, nn

from vnla.agents.agent import Agent
from vnla.assistance.help_policies import HelpPolicy
from vnla.bcui import bcui
from vnla.rollout import Rollout, RolloutContext
from vnla.tasks.task_set import TaskSet


class Judged(NamedTuple):
    """What a critic says to a batch of episodes."""

    advantages: Tensor  # (batch, steps), how much better than expected each step turned out
    error: Tensor  # what the critic lost by it
    steps: Tensor  # how many were taken
    squares: Tensor  # the sum of the squares of all advantages


class Objective(ABC):
    """What is minimised. A loss that is None is not minimised: what it would have taught stays as it is."""

    timed: ClassVar[bool] = False
    """Whether episodes have the time in training that they would have in evaluation; in the paper they have less."""
    navigates: ClassVar[bool] = True
    """Whether the navigator learns."""
    divisible: ClassVar[bool] = False
    """Whether its losses can be those of a part of a batch: what they divide by is tallied, and they ask for its total."""

    def rollout_context(self, context: RolloutContext, policy: HelpPolicy) -> RolloutContext:  # noqa: ARG002
        """Who takes part: `context` are those of the paper's training, `policy` is who will ask at test time."""
        return context

    def critic(self) -> nn.Module | None:
        """Something that learns beside the agent and is no part of it."""
        return None

    def rollout(self, tasks: TaskSet, which: Tensor, seed: Tensor, ratio: float, context: RolloutContext) -> Rollout:
        """The episodes of an iteration: the tasks numbered `which`, with seeds."""
        return bcui(tasks.episodes(which, seed=seed, ratio=ratio, k=context.advisor.k), context)

    def teaches_asking(self, policy: HelpPolicy) -> bool:
        """Whether the help module learns."""
        return policy.learns

    def judge(self, rollout: Rollout, critic: nn.Module | None) -> Judged | None:  # noqa: ARG002
        """What the critic says, where there is one."""
        return None

    def tally(self, rollout: Rollout, judged: Judged | None) -> dict[str, Tensor]:  # noqa: ARG002
        """What the losses divide by, to be added up over the parts of a batch, by the names that `Rollout.total` takes."""
        return rollout.tally()

    @abstractmethod
    def nav_loss(self, rollout: Rollout, judged: Judged | None) -> Tensor | None:
        """What navigation lost."""

    def ask_loss(self, rollout: Rollout, agent: Agent, judged: Judged | None) -> Tensor:  # noqa: ARG002
        """What asking lost: the help module imitates the help teacher."""
        return rollout.ask_loss(agent.ask)


@dataclass(frozen=True)
class ImitationObjective(Objective):
    """The paper's: maximum likelihood of what the teachers do."""

    divisible: ClassVar[bool] = True

    def nav_loss(self, rollout: Rollout, judged: Judged | None) -> Tensor:  # noqa: ARG002
        """Negative log-likelihood of the navigation teacher."""
        return rollout.nav_loss()

"""Episodes that a Gymnasium program steps, any number at once; the rules are those of every episode (`vnla.episode`).

One step of an environment carries out either a request or a navigation action. A request that cannot be answered is passed
over, and the navigation action beside it is carried out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor

from vnla.assistance.advisor import Advisor, BoundAdvisor
from vnla.common.selection import put_rows
from vnla.evaluation.scores import is_success, spl
from vnla.gym.reward import RewardRule
from vnla.stepper import EpisodeStepper
from vnla.tasks.task_set import TaskSet
from vnla.tasks.vocabulary import Vocabulary
from vnla.world.actions import NAV_START, NO_ACTION, Ask, Nav
from vnla.world.budgets import LONGEST_EPISODE
from vnla.world.compiled import viewpoint_of


class EnvStep(NamedTuple):
    """What a step did: (batch,) each."""

    executed: Tensor  # the navigation action carried out, or NO_ACTION
    answered: Tensor  # whether the advisor was asked and answered
    terminated: Tensor  # whether the episode ended by `stop`, or as such because no time is left
    truncated: Tensor  # whether it was cut off because no time is left
    reward: Tensor  # what the step is worth (`vnla.gym.reward`)
    success: Tensor  # whether it ended near a goal
    spl: Tensor  # success weighted by (normalised inverse) path length; 0 until the end


class EnvStart(NamedTuple):
    """How an episode begins."""

    task: int
    seed: int
    time_budget: int | None = None
    """None: the task's own."""
    help_budget: int | None = None
    """None: drawn."""


@dataclass(frozen=True)
class EnvRules:
    """What all episodes of an environment have in common."""

    tasks: TaskSet
    advisor: Advisor
    bound_advisor: BoundAdvisor
    vocabulary: Vocabulary
    ratio: float
    success_radius: float
    reward: RewardRule
    longest: int = LONGEST_EPISODE
    terminates: bool = False
    """Whether an episode is over, and not only cut off, when no time is left."""

    def begin(self, starts: Sequence[EnvStart]) -> EnvEpisodes:
        """Walks at their starts, each with the help budget that is drawn for its seed unless it has one of its own."""
        device = self.tasks.start.device
        task = torch.tensor([each.task for each in starts], device=device)
        seed = torch.tensor([each.seed % 2**63 for each in starts], device=device)  # Gymnasium draws seeds of 128 bits
        chosen = self.tasks.rows(task.tolist())
        chosen = replace(chosen, time_budget=_own([each.time_budget for each in starts], chosen.time_budget))
        every = torch.arange(len(starts), device=device)
        episodes = chosen.episodes(every, seed=seed, ratio=self.ratio, k=self.advisor.k)
        episodes = replace(episodes, help_budget=_own([each.help_budget for each in starts], episodes.help_budget))
        return EnvEpisodes(self, task, EpisodeStepper(episodes, self.advisor, self.bound_advisor, self.longest))


def _own(given: Sequence[int | None], usual: Tensor) -> Tensor:
    """Budgets that were given, and the usual ones where none was."""
    if all(each is None for each in given):
        return usual
    chosen = [old if each is None else each for each, old in zip(given, usual.tolist(), strict=True)]
    return torch.tensor(chosen, device=usual.device)


class EnvEpisodes:
    """Episodes under way, with what a program is told of them."""

    def __init__(self, rules: EnvRules, task: Tensor, stepper: EpisodeStepper) -> None:
        self.rules, self.task, self.stepper = rules, task, stepper
        self.subgoals = [""] * len(task)  # what the advisor said last
        self.last_action = torch.full_like(task, NAV_START)  # (batch,), what was carried out last
        self.walked = torch.zeros_like(task, dtype=torch.float64)  # (batch,), metres

    @property
    def pose(self) -> Tensor:
        """Where the agents are: (batch,)."""
        return self.stepper.state.pose

    def step(self, nav: Tensor, ask: Tensor) -> EnvStep:
        """Carry out one action pair for each agent."""
        answered, before = (ask == Ask.REQUEST) & self.stepper.may_request, self.pose
        said = self.stepper.request(answered)
        self.subgoals = [old if new is None else new for old, new in zip(self.subgoals, said, strict=True)]
        executed = self.stepper.act(nav, ~answered)
        self.last_action = torch.where(executed == NO_ACTION, self.last_action, executed)
        world = self.rules.tasks.environment.world
        self.walked = self.walked + world.distance_between(viewpoint_of(before), viewpoint_of(self.pose))
        return self._outcome(executed, answered, before)

    def restart(self, rows: Tensor, others: EnvEpisodes) -> None:
        """Put `others` in the place of the walks in `rows`."""
        self.stepper.restart(rows, others.stepper)
        pairs = ((getattr(self, name), getattr(others, name)) for name in ("task", "walked", "last_action"))
        self.task, self.walked, self.last_action = (put_rows(own, rows, new) for own, new in pairs)
        for row, text in zip(rows.tolist(), others.subgoals, strict=True):
            self.subgoals[row] = text

    def _outcome(self, executed: Tensor, answered: Tensor, before: Tensor) -> EnvStep:
        rules, every = self.rules, self.rules.tasks
        goals = every.goals[self.task]
        stopped = executed == Nav.STOP
        out_of_time = (executed != NO_ACTION) & ~stopped & ~self.stepper.active
        over, left = stopped | out_of_time, every.environment.distance_left(self.pose, goals)
        success = over & is_success(left, rules.success_radius)
        shortest = every.environment.distance_left(every.start[self.task], goals).to(self.walked)
        return EnvStep(
            executed,
            answered,
            terminated=over if rules.terminates else stopped,
            truncated=torch.zeros_like(over) if rules.terminates else out_of_time,
            reward=rules.reward(success, answered, over, every.environment.distance_left(before, goals), left),
            success=success,
            spl=spl(success, shortest, self.walked),
        )

"""Who is looked at, and how far from a goal its episodes end when something about them is changed.

Episodes are numbered: all tasks under the first seed, then under the next. A success is an ending within the success radius
(`vnla.evaluation.scores`), so metres to the nearest goal are all that is kept of a walk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vnla.assistance.acting import LED, Acting
from vnla.assistance.help_policies import HelpPolicy
from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.common.progress import Count, Share, unheard
from vnla.episode import Episodes, When
from vnla.evaluation.ceilings.placebo import RepeatedEpisodes, sampled_anew
from vnla.evaluation.confidence import Floats
from vnla.evaluation.evaluate import fitting_batch, run_greedy
from vnla.evaluation.scores import is_success
from vnla.rollout import Rollout, RolloutContext
from vnla.tasks.task_set import TaskSet
from vnla.world.actions import NAV_ACTIONS, STOP
from vnla.world.budgets import HELP_RATIO, help_budget
from vnla.world.compiled import Environment

Ints = NDArray[np.int64]
Asking = Callable[[Episodes, slice], HelpPolicy]
"""The help policy of a batch: some of the rows that are run, and their episodes."""


@dataclass(frozen=True)
class Gait:
    """How an agent gets on, whenever it asks."""

    led: bool = False
    """Whether the navigation teacher acts for it during the k actions of every subgoal, so that all are followed."""
    stops: bool = False
    """Whether it stops as soon as that is a success, and not before."""

    def acting(self, own: Acting) -> Acting:
        """Return who acts: it goes on for ever where it `stops`, for where it stops is found in its walk afterwards."""
        acting = LED if self.led else own
        return replace(acting, choice=going_on) if self.stops else acting


AS_IT_IS, FOLLOWING, STOPPING, BOTH = GAITS = (Gait(), Gait(led=True), Gait(stops=True), Gait(led=True, stops=True))


def going_on(probabilities: Tensor, episodes: Episodes, step: When) -> Tensor:  # noqa: ARG001
    """Return the most probable action but `stop`."""
    stop = torch.arange(NAV_ACTIONS, device=probabilities.device) == STOP
    return probabilities.masked_fill(stop, -1).argmax(dim=1)


@dataclass(frozen=True)
class Subject:
    """An agent and everybody else who takes part, its tasks, and the seeds of the help budgets."""

    context: RolloutContext
    tasks: TaskSet
    seeds: Sequence[int]
    ratio: float = HELP_RATIO
    batch: int | None = None

    def __post_init__(self) -> None:
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise InputError(f"ceilings: the seeds are {list(self.seeds)}; they need at least one, and each once")

    def __len__(self) -> int:
        """How many episodes there are."""
        return len(self.seeds) * len(self.tasks)

    @property
    def steps(self) -> int:
        """The longest time of any."""
        return int(self.tasks.time_budget.max())

    @cached_property
    def houses(self) -> NDArray[np.str_]:
        """The house of each episode: (episodes,)."""
        return np.tile(np.array([task.house for task in self.tasks.tasks]), len(self.seeds))

    @cached_property
    def everything(self) -> Tensor:
        """The numbers of all episodes."""
        return torch.arange(len(self), device=self.tasks.key.device)

    @cached_property
    def requests(self) -> Tensor:
        """The help budgets of all episodes."""
        return torch.cat(
            [
                help_budget(self.tasks.time_budget, self.tasks.key, ratio=self.ratio, k=self.context.advisor.k, seed=seed)
                for seed in self.seeds
            ]
        )

    def episodes(self, which: Tensor) -> Episodes:
        """Return the episodes of those numbers."""
        seed = torch.tensor(self.seeds, device=which.device)[which // len(self.tasks)]
        return self.tasks.episodes(which % len(self.tasks), seed=seed, ratio=self.ratio, k=self.context.advisor.k)

    def random(self, episode: int) -> np.random.Generator:
        """Random numbers for an episode, the same whoever else takes part."""
        seed, task = divmod(episode, len(self.tasks))
        return np.random.default_rng([self.seeds[seed] % 2**64, self._keys[task]])

    @cached_property
    def _keys(self) -> list[int]:
        keys: list[int] = self.tasks.key.tolist()
        return keys

    def rollouts(
        self,
        which: Tensor,
        asking: Asking,
        gait: Gait = AS_IT_IS,
        *,
        walks: Tensor | None = None,
        propose: bool = False,
        advance: Count = unheard,
    ) -> Iterator[Rollout]:
        """Return the episodes of those numbers, each as often as it is named, in batches that fit into memory.

        With the numbers of `walks`, one for each, actions are sampled. Pass 1 is done where the policy looks at it, or
        somebody wants to know what was decided `propose`.
        """
        size = self.batch or fitting_batch(self.context, self.tasks.end_goals, self.steps)
        for first in range(0, len(which), size):
            rows = slice(first, first + size)
            episodes = self.episodes(which[rows])
            policy, acting = asking(episodes, rows), gait.acting(self.context.acting)
            if walks is not None:
                episodes, acting = RepeatedEpisodes.of(episodes, walks[rows]), replace(acting, choice=sampled_anew)
            context = replace(self.context, help_policy=policy, acting=acting, deliberate=propose or policy.deliberates)
            yield run_greedy(episodes, context, self.steps)
            advance(len(episodes))

    def endings(
        self,
        which: Tensor,
        asking: Asking,
        gait: Gait = AS_IT_IS,
        advance: Count = unheard,
        *,
        walks: Tensor | None = None,
    ) -> Floats:
        """Return metres to the nearest goal where each of these episodes ends."""
        rollouts = self.rollouts(which, asking, gait, walks=walks, advance=advance)
        parts = [metres_left(rollout, stops=gait.stops).cpu() for rollout in rollouts]
        return torch.cat([torch.empty(0), *parts]).double().numpy()

    def endings_by(self, policy: HelpPolicy, gait: Gait = AS_IT_IS, advance: Count = unheard) -> Floats:
        """Return the same of all episodes, under one help policy."""
        return self.endings(self.everything, lambda *_: policy, gait, advance)


def metres_left(rollout: Rollout, *, stops: bool = False) -> Tensor:
    """From where each episode ends to its nearest goal; where it `stops`, from where it could first stop with success."""
    environment, goals = rollout.episodes.environment, rollout.episodes.goals
    left = environment.distance_left(rollout.episodes.start, goals)
    for transition in rollout.transitions:
        before, after = left[transition.row], environment.distance_left(transition.after, goals[transition.row])
        stays = ~transition.active | is_success(before) if stops else ~transition.active
        left = left.index_copy(0, transition.row, torch.where(stays, before, after))
    return left


def teacher_metres(tasks: TaskSet) -> Tensor:
    """From where the navigation teacher is when the time is over to the nearest goal: (tasks,)."""
    environment, goals, pose = tasks.environment, tasks.goals, tasks.start
    for step in range(int(tasks.time_budget.max())):
        onward = environment.step(pose, environment.nav_teacher(pose, goals), goals)
        pose = torch.where(step < tasks.time_budget, onward, pose)
    return environment.distance_left(pose, goals)


def least_metres(tasks: TaskSet) -> Tensor:
    """From the nearest place to a goal that can be reached in the time, by whatever actions, to the goal: (tasks,)."""
    least = torch.empty_like(tasks.start, dtype=torch.float32)
    for goals in torch.unique(tasks.goals):
        rows = (tasks.goals == goals).nonzero().squeeze(1)
        time, start = tasks.time_budget[rows], tasks.start[rows]
        closest, first = _closest(tasks.environment, goals, int(time.max()))
        least[rows] = closest[time, start - first]
    return least


def _closest(environment: Environment, goals: Tensor, steps: int) -> tuple[Tensor, int]:
    """The metres that are left at best after 0, 1, … actions from every pose of the house of a goal set, and its first pose.

    They are (steps + 1, poses): no action, or the best of six and then one fewer.
    """
    world = environment.world
    house = torch.searchsorted(world.first, environment.goal_viewpoints[goals, 0], right=True) - 1
    first, last = (int(world.first[each]) * VIEWS for each in (house, house + 1))
    pose = torch.arange(first, last, device=goals.device)
    actions = torch.arange(NAV_ACTIONS, device=goals.device)
    everywhere = pose.repeat_interleave(NAV_ACTIONS)
    after = (
        environment.step(everywhere, actions.repeat(len(pose)), goals.expand_as(everywhere)).view(-1, NAV_ACTIONS) - first
    )
    closest = [environment.distance_left(pose, goals.expand_as(pose))]
    for _ in range(steps):
        closest.append(closest[-1][after].amin(dim=1))  # `stop` is one of the six, and stays
    return torch.stack(closest), first


def drawn(random: np.random.Generator, count: int, most: int) -> Ints:
    """Return the numbers below `count`, or `most` of them."""
    return np.arange(count) if count <= most else random.choice(count, most, replace=False)


def counting(progress: Share, total: int) -> Count:
    """Tells how much is done of all from how much more is."""
    done = 0

    def advance(more: int) -> None:
        nonlocal done
        done += more
        progress(done, total)

    return advance

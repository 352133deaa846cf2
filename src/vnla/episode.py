"""An episode: how it begins, its rules, and what may be looked at in it.

`Episodes` is a batch of them as tensors, fixed for the length of a rollout: where each begins, what it is after, and its
time and help budgets. `EpisodeState` is where they stand. `StepContext` is one time step, all that a help policy, a
teacher, a sensor or an advisor may look at.

The rules say who may request help, what a request costs, what takes time, and when an episode ends. Everybody walks by them:
Algorithm 1 (`vnla.bcui`), the Gymnasium environment, an agent behind an address and a person in the browser
(`vnla.stepper`), and the scorer that checks an untrusted file (`vnla.evaluation.replay`).

A time step has two parts (section 4 of the paper). First the agent may request help, once: `request`. Then it acts: `act`.
A request costs one of the help budget and takes no time; a question that is asked back about the answer costs some more. An
action takes one of the time budget. An episode ends with the action `stop`, or when no time is left. The functions are pure,
over a batch, and none of them touches the host.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any, ClassVar

import torch
from torch import Tensor

from vnla.common.randomness import Purpose, row_seeds
from vnla.common.unknown import Unknown
from vnla.words import Words
from vnla.world.actions import STOP
from vnla.world.budgets import HELP_RATIO, LONGEST_EPISODE, SUBGOAL_ACTIONS, help_budget
from vnla.world.compiled import NOWHERE, Environment, viewpoint_of

When = int | Tensor
"""A step of a batch, from 0: one number, or (batch,) where each of the episodes is at another."""


@dataclass(frozen=True)
class Episodes:
    """Tensors of one entry an episode."""

    SHARED: ClassVar[frozenset[str]] = frozenset({"environment"})  # not of the batch (`vnla.common.selection`)

    environment: Environment
    key: Tensor  # (batch,), int64: names the episode for all random draws
    seed: int | Tensor
    start: Tensor  # (batch,), pose
    goals: Tensor  # (batch,), goal set of the environment
    time_budget: Tensor  # (batch,), steps
    help_budget: Tensor  # (batch,), requests
    start_paths: Tensor  # (batch, most goals, longest path), shortest paths from the start to every goal
    end_goals: Words  # (batch, …), what is asked for; without words where nobody reads them
    sought: Tensor  # (batch, 2), what stands for the object and for the kind of room (`vnla.tasks.task.sought_keys`)
    most_requests: int = LONGEST_EPISODE  # no help budget is larger

    @classmethod
    def begin(
        cls,
        environment: Environment,
        *,
        key: Tensor,
        start: Tensor,
        goals: Tensor,
        time_budget: Tensor,
        seed: int | Tensor,
        end_goals: Words | None = None,
        sought: Tensor | None = None,
        ratio: float = HELP_RATIO,
        k: int = SUBGOAL_ACTIONS,
    ) -> Episodes:
        """Episodes with help budgets drawn for this seed."""
        return cls(
            environment=environment,
            key=key,
            seed=seed,
            start=start,
            goals=goals,
            time_budget=time_budget,
            help_budget=help_budget(time_budget, key, ratio=ratio, k=k, seed=seed),
            start_paths=environment.paths_from(start, goals),
            end_goals=Words.none(len(key), key.device) if end_goals is None else end_goals,
            sought=nothing_sought(key) if sought is None else sought,
            most_requests=ceil(LONGEST_EPISODE * ratio / k),
        )

    def __len__(self) -> int:
        return len(self.key)

    def dropout_seeds(self) -> Tensor | None:
        """(batch,), what dropout is drawn from for each episode on a CPU, where they leave the batch; None on a GPU."""
        return None if self.key.is_cuda else row_seeds(self.seed, self.key, Purpose.DROPOUT)


def nothing_sought(like: Tensor) -> Tensor:
    """Of episodes of which nobody says what they are after: (batch, 2)."""
    return like.new_zeros(len(like), 2, dtype=torch.int64)


TENTATIVE: Any = Unknown("the tentative decision (situation.tentative)", "for a help policy with `deliberates = True`")
VERDICT: Any = Unknown("situation.teacher_request", "for a help policy with `deliberates = True`")
MODULE: Any = Unknown("the agent's help module (situation.ask)", "for a help policy with `deliberates = consults = True`")
K: Any = Unknown("how many actions a subgoal has (situation.k)", "where an advisor takes part")
PAST: Any = Unknown("the poses before this step (situation.past)", "for whoever says `remembers = True`")
"""What a step context has in the place of what was not asked for. Looking at it is an error that says how to ask."""


@dataclass(frozen=True)
class StepContext:
    """One time step of a batch of episodes, when each agent considers whether to ask."""

    episodes: Episodes
    step: When  # one number, unless everybody has `own_steps`
    pose: Tensor  # (batch,)
    unmoved: Tensor  # (batch,), how many steps the agent has been at its viewpoint without leaving it
    budget: Tensor  # (batch,), requests left
    tentative: Tensor  # (batch, 6), the tentative navigation distribution; TENTATIVE before it is known
    plan: Tensor  # (batch, …), what the help policy keeps for each episode
    ask: Callable[[], Tensor] | None = None  # gives the help module's logits (batch, 2), where there is such a module
    teacher_request: Tensor | None = None  # (batch,), whether the help teacher tells the agent to ask, where that is known
    since_request: Tensor = field(default_factory=lambda: torch.empty(0))
    """(batch,), steps since the agent asked; before it ever did, those and as many as a subgoal has"""
    past: Tensor = field(default_factory=lambda: torch.empty(0))
    """(batch, steps), the poses before this step, NOWHERE where none was; PAST where nobody remembers them"""
    k: int = K
    """How many actions a subgoal of the advisor has."""

    @property
    def steps_left(self) -> Tensor:
        """How many steps remain, this one included."""
        return self.episodes.time_budget - self.step

    @property
    def at_goal(self) -> Tensor:
        """Whether the agent stands on a goal viewpoint."""
        return self.episodes.environment.at_goal(self.pose, self.episodes.goals)

    @property
    def subgoal_over(self) -> Tensor:
        """Whether the agent has had time for all actions of the last subgoal, or never asked: (batch,)."""
        return self.since_request + 1 >= self.k

    @property
    def off_path(self) -> Tensor:
        """Metres to the shortest path from the start to the goal that is now nearest."""
        episodes = self.episodes
        return episodes.environment.distance_to_path(self.pose, episodes.start_paths, episodes.goals)


def beginning(episodes: Episodes) -> StepContext:
    """Before the first step of episodes, with a request left and nothing else known."""
    start, zero = episodes.start, torch.zeros_like(episodes.start)
    unknown = torch.empty(len(start), 0, device=start.device)
    return StepContext(episodes, 0, start, zero, zero + 1, unknown, zero, since_request=zero, past=nowhere(zero, 1))


def count_unmoved(unmoved: Tensor, before: Tensor, after: Tensor) -> Tensor:
    """Return the count of steps at one viewpoint, continued over a step from pose `before` to pose `after`."""
    stayed = viewpoint_of(before) == viewpoint_of(after)
    return (unmoved + 1).masked_fill(~stayed, 0)


def nowhere(like: Tensor, steps: int) -> Tensor:
    """Return a past of so many steps in which nothing has happened: (batch, steps)."""
    return like.new_full((len(like), steps), NOWHERE)


def remembered(past: Tensor, step: When, pose: Tensor) -> Tensor:
    """Return the past with the pose of a step; one without room stays as it is."""
    own = step[:, None] if isinstance(step, Tensor) and step.dim() else step
    this = torch.arange(past.shape[1], device=past.device) == own
    return torch.where(this, pose[:, None], past)


def has_own_steps(part: object) -> bool:
    """Whether exactly this kind of policy, advisor or sensor says of itself that episodes may be at different steps: what is
    derived from it may look at the step in another way."""
    return bool({**vars(type(part)), **vars(part)}.get("own_steps"))


JUST_NOW = -1
"""`since_request` of an agent between its request and the action of the same time step."""


@dataclass(frozen=True)
class EpisodeState:
    """Where a batch of episodes stands, apart from what their agents think."""

    episodes: Episodes
    pose: Tensor  # (batch,)
    active: Tensor  # (batch,), whether the episode has not ended
    requests_left: Tensor  # (batch,), b of Algorithm 1
    since_request: (
        Tensor  # (batch,), actions since the one after the last request, or JUST_NOW; at first as many as a subgoal has
    )
    unmoved: Tensor  # (batch,), steps at this viewpoint
    past: Tensor  # (batch, longest), the poses before, or (batch, 0) where nobody remembers them


def start(episodes: Episodes, k: int, memory: int = 0) -> EpisodeState:
    """Return the first state: subgoals have `k` actions, and so many poses are remembered."""
    zero = torch.zeros_like(episodes.start)
    return EpisodeState(
        episodes=episodes,
        pose=episodes.start.clone(),  # a compiler would take one tensor in two places for a case of its own
        active=episodes.time_budget > 0,
        requests_left=episodes.help_budget.clone(),
        since_request=zero + k,
        unmoved=zero,
        past=nowhere(zero, memory),
    )


def may_request(state: EpisodeState) -> Tensor:
    """Return who may request help now: a request is left, and none was made in this time step."""
    return state.active & (state.requests_left > 0) & ~has_requested(state)


def has_requested(state: EpisodeState) -> Tensor:
    """Return who has requested help in this time step."""
    return state.since_request == JUST_NOW


def may_ask_back(requests_left: Tensor, price: int) -> Tensor:
    """Return who of those with so many requests left before one of them is made has enough for a question back as well."""
    return requests_left > price


def request(state: EpisodeState, who: Tensor, more: Tensor | None = None) -> EpisodeState:
    """Charge those who request help, all of whom may: a request costs one, and `more` if a question was asked back."""
    cost = who.long() if more is None else who.long() * (1 + more)
    return replace(
        state,
        requests_left=state.requests_left - cost,
        since_request=state.since_request.masked_fill(who, JUST_NOW),
    )


def actions_since_request(state: EpisodeState) -> Tensor:
    """Return which action of the subgoal comes next, from 0; a subgoal is over when it has no such action."""
    return state.since_request + 1


def act(state: EpisodeState, step: When, nav: Tensor, waits: Tensor | None = None) -> EpisodeState:
    """Carry out the navigation actions of a time step. Those who `wait` do nothing, and the time passes all the same."""
    episodes = state.episodes
    stops = nav == STOP
    pose = episodes.environment.step(state.pose, nav, episodes.goals)
    if waits is not None:
        stops, pose = stops & ~waits, torch.where(waits, state.pose, pose)
    return replace(
        state,
        pose=pose,
        active=state.active & ~stops & (step + 1 < episodes.time_budget),
        since_request=actions_since_request(state),
        unmoved=count_unmoved(state.unmoved, state.pose, pose),
        past=remembered(state.past, step, state.pose),
    )


def step_context(
    state: EpisodeState,
    step: When,
    tentative: Tensor | None = None,
    plan: Tensor | None = None,
    ask: Callable[[], Tensor] | None = None,
    k: int | None = None,
) -> StepContext:
    """Return what a help policy, a help teacher, a sensor or an advisor may look at in this time step.

    What nobody has asked for is an `Unknown`, which cannot be computed with in silence.
    """
    return StepContext(
        episodes=state.episodes,
        step=step,
        pose=state.pose,
        unmoved=state.unmoved,
        budget=state.requests_left,
        tentative=TENTATIVE if tentative is None else tentative,
        plan=state.pose.new_empty(len(state.pose), 0) if plan is None else plan,
        since_request=state.since_request,
        past=state.past if state.past.shape[1] else PAST,
        ask=MODULE if ask is None else ask,
        teacher_request=VERDICT,
        k=K if k is None else k,
    )

"""The rules of an episode: who may request help, what a request costs, what takes time, and when an episode ends.

Everybody walks by these functions: Algorithm 1 (`vnla.bcui`), the Gymnasium environment, an agent behind an address and a
person in the browser (`vnla.stepper`), and the scorer that checks a stranger's file (`vnla.evaluation.replay`).

A time step has two parts (section 4 of the paper). First the agent may request help, once: `request`. Then it acts: `act`.
A request costs one of the help budget and takes no time; an action takes one of the time budget. An episode ends with the
action `stop`, or when no time is left. The functions are pure, over a batch, and none of them touches the host.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from vnla.episodes import (
    MODULE,
    PAST,
    TENTATIVE,
    VERDICT,
    Episodes,
    Situation,
    When,
    count_unmoved,
    nowhere,
    remembered,
)
from vnla.world.actions import STOP

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


def request(state: EpisodeState, who: Tensor) -> EpisodeState:
    """Charge those who request help, all of whom may: a request costs one."""
    return replace(
        state,
        requests_left=state.requests_left - who.long(),
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
) -> Situation:
    """Return what a help policy, a help teacher, a sensor or an advisor may look at in this time step.

    What nobody has asked for is an `Unknown`, which cannot be computed with in silence.
    """
    return Situation(
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
    )

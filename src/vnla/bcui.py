"""Algorithm 1: a batch of episodes under imitation learning with indirect intervention (I3L-BCUI).

The numbers at the lines are those of Algorithm 1 in the paper. The same function trains and evaluates, with every help
policy and both kinds of advisor; what differs are the objects passed in. All of it is tensors over the batch; on a GPU
nothing between the first step and the last touches the host. Ended episodes take no part: on a CPU they leave the batch, on
a GPU they stay and are masked.

The policies are updated (lines 28-29) once a batch, from what is recorded here: `vnla.rollout` has the losses, maximum
likelihood of what the teachers do; the optimiser belongs to `vnla.training`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from vnla.acting import Acting
from vnla.actions import ASK_START, NAV_START, Nav, ask_action
from vnla.advisor import Advisor
from vnla.agent.agent import Agent, Mind
from vnla.agent.encoder import Words
from vnla.budgets import LONGEST_EPISODE
from vnla.episodes import Episodes, Situation, count_unmoved
from vnla.policies import HelpPolicy
from vnla.rollout import Moment, Rollout
from vnla.selection import take_rows
from vnla.teachers.help import HelpTeacher


@dataclass(frozen=True)
class Players:
    """Everybody who takes part in an episode."""

    agent: Agent
    views: Tensor  # (poses, view size), the feature vector of every view of the world
    advisor: Advisor
    tails: Words  # all that the advisor may say, as the agent reads it
    help_teacher: HelpTeacher
    help_policy: HelpPolicy
    acting: Acting
    keeps_ended: bool = False
    """Let ended episodes walk on and learn until they are at a goal, as the authors' code does."""


@dataclass(frozen=True)
class Walk:
    """Where a batch stands between two steps."""

    row: Tensor  # (batch,), which episode of the rollout this is
    episodes: Episodes
    pose: Tensor
    going: Tensor  # whether the episode has not ended
    budget: Tensor  # b
    nav: Tensor  # the last navigation action
    ask: Tensor  # the last help-requesting action
    since_request: Tensor  # steps since help was requested
    unmoved: Tensor  # steps at this viewpoint
    plan: Tensor  # the help policy's
    mind: Mind  # g^main and the agent's state


def bcui(episodes: Episodes, end_goals: Words, players: Players, longest: int = LONGEST_EPISODE) -> Rollout:
    """Run `episodes` from start to end."""
    agent, advisor, environment = players.agent, players.advisor, episodes.environment
    rollout = Rollout(episodes)
    walk = begin(episodes, end_goals, players)  # 4-8
    for step in range(longest):  # 9
        walk = still_going(walk, step, players.keeps_ended)
        if not len(walk.row):
            break
        here, goals, blocked = walk.pose, walk.episodes.goals, environment.blocked(walk.pose)
        view = players.views[here].float()  # 10
        first, shared = agent.tentatively(view, walk.nav, walk.ask, walk.mind)  # 11
        tentative = log_distribution(first.logits, blocked).exp()
        known = agent.help.features(view, tentative, first.decoder, first.attended)  # 12
        situation = consider(walk, step, tentative, known, agent)
        verdict = players.help_teacher(situation)  # 13
        request = players.help_policy(situation) & (walk.budget > 0) & walk.going  # 13, 14
        advice = advisor(environment, here, goals)  # 15
        mind = agent.hear(walk.mind, request & advisor.speaks, advice.subgoal, players.tails)  # 16, 19
        ask = ask_action(request & players.help_policy.invited)
        second, mind = agent.finally_(shared, ask, mind)  # 21
        final = log_distribution(second.logits, blocked)
        taught = environment.nav_teacher(here, goals)  # 22
        since_request = (walk.since_request + 1).masked_fill(request, 0)
        nav = players.acting(final.detach().exp(), taught, since_request < advisor.k, walk.episodes, step)  # 23-27
        there = environment.step(here, nav, goals)  # 33
        rollout.moments.append(  # 28, 29
            Moment(
                step=step, row=walk.row, going=walk.going, learns=learns(walk, players.keeps_ended), pose=here,
                budget=walk.budget, tentative=tentative, final=final, known=kept(known), teacher_request=verdict.request,
                reason=verdict.reason, request=request, subgoal=advice.subgoal, taught=taught, nav=nav, after=there,
            )
        )  # fmt: skip
        walk = replace(
            walk, pose=there, going=walk.going & (nav != Nav.STOP), budget=walk.budget - request.long(), nav=nav, ask=ask,
            since_request=since_request, unmoved=count_unmoved(walk.unmoved, here, there), mind=mind,
        )  # 17, 30-32  # fmt: skip
    return rollout


def begin(episodes: Episodes, end_goals: Words, players: Players) -> Walk:
    """The start of every episode: lines 4 to 8."""
    zero = torch.zeros_like(episodes.start)
    return Walk(
        row=torch.arange(len(episodes), device=zero.device),
        episodes=episodes,
        pose=episodes.start,
        going=torch.ones_like(zero, dtype=torch.bool),
        budget=episodes.help_budget,
        nav=zero + NAV_START,
        ask=zero + ASK_START,
        since_request=zero + players.advisor.k,
        unmoved=zero,
        plan=players.help_policy.plan(episodes),
        mind=players.agent.begin(end_goals, players.tails),
    )


def still_going(walk: Walk, step: int, keeps_ended: bool) -> Walk:
    """The walk without episodes that stopped or have no time left; on a GPU they stay, marked as ended."""
    walk = replace(walk, going=walk.going & (step < walk.episodes.time_budget))
    if walk.going.is_cuda or keeps_ended:
        return walk
    rows = walk.going.nonzero().squeeze(1)
    return walk if len(rows) == len(walk.row) else take_rows(walk, rows)


def consider(walk: Walk, step: int, tentative: Tensor, known: Tensor, agent: Agent) -> Situation:
    """What there is to know when an agent considers whether to ask."""
    return Situation(
        episodes=walk.episodes,
        step=step,
        pose=walk.pose,
        unmoved=walk.unmoved,
        budget=walk.budget,
        tentative=tentative,
        plan=walk.plan,
        ask=lambda: agent.help(known, walk.budget),
    )


def kept(known: Tensor) -> Tensor:
    """What the help module saw, where it will be needed for learning; it is the largest thing in a record."""
    return known if torch.is_grad_enabled() else known[:, :0]


def learns(walk: Walk, keeps_ended: bool) -> Tensor:
    """Which episodes count in the navigation loss."""
    if not keeps_ended:
        return walk.going
    return walk.going | ~walk.episodes.environment.at_goal(walk.pose, walk.episodes.goals)


def log_distribution(logits: Tensor, blocked: Tensor) -> Tensor:
    """Log-probabilities of the six actions, `forward` impossible where nothing is in view."""
    forward = torch.arange(len(Nav), device=logits.device) == Nav.FORWARD
    return torch.log_softmax(logits.float().masked_fill(blocked[:, None] & forward, -torch.inf), dim=1)

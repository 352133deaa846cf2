"""Holds the mind that an agent learns with against the plain one, before anything is learned.

A fast mind contains the agent's equations once more. Whether they are still the same is not left to trust: a few episodes
are walked with the plain mind, without dropout, and what it decided in every step is decided again by the other one from the
same views, actions and words. If they differ, the training does not begin.
"""

from __future__ import annotations

from functools import partial

import torch

from vnla.agent.mind import Mind
from vnla.bcui import bcui, begin, log_distribution, seen, veil_of
from vnla.common.errors import InputError
from vnla.common.selection import take_rows
from vnla.episodes import Situation
from vnla.players import Players
from vnla.roles.words import Heard
from vnla.rollout import Moment, Rollout
from vnla.tasks.task_set import TaskSet
from vnla.world.actions import NAV_START, ask_action

EPISODES = 8
"""Walked for the comparison."""
TOLERANCE = {"float32": 1e-3, "tf32": 0.1}
"""Precision → how far the logarithms of two probabilities may be apart."""


def compare_minds(players: Players, tasks: TaskSet, precision: str = "float32") -> float:
    """The largest difference between what the plain mind and the learning one decide; refused where it is too large.

    Where both are of one kind there is nothing to compare, and the difference is 0.
    """
    episodes = tasks.episodes(torch.arange(min(EPISODES, len(tasks)), device=tasks.key.device), seed=0)
    training = players.agent.training
    players.agent.eval()
    try:
        learning = begin(episodes, players).mind
        with torch.no_grad():
            if type(begin(episodes, players).mind) is type(learning):
                return 0.0
            difference = max(_differences(players, bcui(episodes, players), learning), default=0.0)
    finally:
        players.agent.train(training)
    if not difference <= TOLERANCE[precision]:
        who = type(players.agent).__name__
        raise InputError(
            f"agent {who}: the mind it would learn with and the plain one differ by {difference:.3g} in the logarithm of a"
            " probability; the equations in vnla.agent.fast are not those of the agent"
        )
    return difference


def _differences(players: Players, rollout: Rollout, mind: Mind) -> list[float]:
    """How far `mind` is from what was decided, moment by moment, when it is led through the same walk."""
    environment = rollout.episodes.environment
    row = torch.arange(len(rollout.episodes), device=rollout.episodes.key.device)
    nav = torch.full_like(row, NAV_START)
    veil, found = veil_of(rollout.episodes, players), []
    for moment in rollout.moments:
        rest = torch.searchsorted(row, moment.row)
        if len(rest) < len(row):
            mind = take_rows(mind, rest)
        nav, row = nav[rest], moment.row
        answer = mind.read(moment.request, partial(Heard, moment.heard, moment.phrases))
        mind = mind.see(seen(_situation(moment, rollout), players, take_rows(veil, moment.row)), nav)
        mind = mind.hear(moment.request & players.advisor.speaks, answer)
        decision, mind = mind.finally_(ask_action(moment.request & players.help_policy.invited))
        nav = moment.nav
        again = log_distribution(decision.logits, environment.blocked(moment.pose))
        apart = torch.where(again == moment.final, 0.0, (again - moment.final).abs())  # both may be infinite
        found.append(float(apart.nan_to_num(torch.inf).max()))
    return found


def _situation(moment: Moment, rollout: Rollout) -> Situation:
    """What there was to see at a moment."""
    return Situation(
        take_rows(rollout.episodes, moment.row), moment.step, moment.pose, moment.unmoved, moment.budget, moment.tentative,
        moment.tentative[:, :0], since_request=moment.since_request, past=moment.past,
    )  # fmt: skip

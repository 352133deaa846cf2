"""Algorithm 1: a batch of episodes under imitation learning with indirect intervention (I3L-BCUI).

The numbers at the lines are those of Algorithm 1 in the paper. The same function trains and evaluates, with every help
policy, advisor and agent; what differs are the objects passed in. All of it is tensors over the batch; on a GPU nothing
between the first step and the last touches the host. Ended episodes take no part: `Batching` knows whether they leave.

The policies are updated (lines 28-29) once a batch, from what is recorded here: `vnla.rollout` has the losses, maximum
likelihood of what the teachers do; the optimiser belongs to `vnla.training`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor

from vnla.agent.layers.dropout import ASKING, lots_of
from vnla.agent.mind import Decision, Mind, Start, Views
from vnla.common.capture import fused
from vnla.common.randomness import Purpose, uniform
from vnla.episodes import Episodes, Situation, When, count_unmoved, nowhere, remembered
from vnla.players import Players
from vnla.roles.help_teacher import Verdict
from vnla.roles.words import Heard
from vnla.rollout import Moment, Rollout
from vnla.world.actions import ASK_START, FORWARD, NAV_ACTIONS, NAV_START, STOP, ask_action
from vnla.world.budgets import LONGEST_EPISODE


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
    past: Tensor  # (batch, longest), the poses before, where a sense remembers them
    veil: Views  # what an episode shows of the views, if not all: (batch, size) each
    plan: Tensor  # the help policy's
    route: Tensor  # where the subgoal leads, if it is being followed
    mind: Mind  # g^main and the agent's state


def bcui(
    episodes: Episodes, players: Players, longest: int = LONGEST_EPISODE, begun: tuple[When, Walk] | None = None
) -> Rollout:
    """Run `episodes` from start to end; or on from where they stood, all before one step or each before one of its own, if
    they were `begun`."""
    rollout = Rollout(episodes, players.batching)
    done, walk = begun or (0, begin(episodes, players, longest))  # 4-8
    for count in range(done if isinstance(done, int) else int(done.min()), longest):  # 9
        walk = players.batching.rest(walk, walk.going)
        if not len(walk.row):
            break
        step = of_each(count, done, walk.row)
        sight = look(walk, step, players)  # 10, 22
        answer = walk.mind.read(sight.may_ask, partial(advise, walk, step, players))  # 15
        mind = walk.mind.see(sight.view, walk.nav)  # 10
        first = mind.tentatively(walk.ask, sight.may_ask) if players.deliberate else None  # 11
        resolve = consider(walk, step, sight, first, players)  # 12-14
        mind = mind.hear(resolve.hears, answer)  # 16, 19
        second, mind = mind.finally_(resolve.ask)  # 21
        deed = act(walk, step, sight, resolve.request, second.logits, players)  # 23-27, 33
        rollout.moments.append(  # 28, 29
            Moment(
                step=count, row=walk.row, going=walk.going, learns=sight.learns, pose=walk.pose, budget=walk.budget,
                tentative=resolve.tentative, final=deed.final, known=kept(resolve.known, players),
                teacher_request=resolve.verdict.request, reason=resolve.verdict.reason, request=resolve.request,
                heard=answer.index, phrases=answer.table, taught=deed.taught, nav=deed.nav, after=deed.pose,
                since_request=walk.since_request, unmoved=walk.unmoved, past=walk.past,
            )
        )  # fmt: skip
        walk = replace(
            walk, pose=deed.pose, going=deed.going, budget=deed.budget, nav=deed.nav, ask=resolve.ask,
            since_request=deed.since_request, unmoved=deed.unmoved, past=deed.past, route=deed.route, mind=mind,
        )  # 17, 30-32  # fmt: skip
    rollout.logits = walk.mind.recall()
    return rollout


def of_each(count: int, done: When, row: Tensor) -> When:
    """The step of each, where those who were behind all others are at the step `count`."""
    return count if isinstance(done, int) else count - done.min() + done[row]


class Sight(NamedTuple):
    """What there is at the poses of a batch, whatever its agents think."""

    view: Views  # what the agent sees: (batch, size) each
    blocked: Tensor  # whether nothing is in view to go to
    taught: Tensor  # the navigation teacher's action
    may_ask: Tensor  # who has a request left; and will ask, where that is known without pass 1
    learns: Tensor  # who counts in the navigation loss


@fused
def look(walk: Walk, step: When, players: Players) -> Sight:
    """Lines 10 and 22: the view, and what the navigation teacher would do; without pass 1, also line 13: who will ask."""
    environment, goals = walk.episodes.environment, walk.episodes.goals
    may_ask = walk.going & (walk.budget > 0)
    if not players.deliberate:
        may_ask = may_ask & players.help_policy(situation(walk, step, nothing(walk)))
    return Sight(
        view=seen(situation(walk, step, nothing(walk)), players, walk.veil),
        blocked=environment.blocked(walk.pose),
        taught=environment.nav_teacher(walk.pose, goals),
        may_ask=may_ask,
        learns=walk.going | ~environment.at_goal(walk.pose, goals) if players.batching.keeps_ended else walk.going.clone(),
    )


def seen(now: Situation, players: Players, veil: Views) -> Views:
    """What the agent sees where it is, through a veil or without one, and what else it notices."""
    views = {name: table[now.pose].float() for name, table in players.views.items()}
    views = {name: views[name] * veil[name] if name in veil else views[name] for name in views}
    return {**views, **{name: sense(now) for name, sense in players.senses.items()}}


def advise(walk: Walk, step: When, players: Players) -> Heard:
    """Line 15: what the advisor would say."""
    return players.voice.say(situation(walk, step, nothing(walk)))


def situation(walk: Walk, step: When, tentative: Tensor, ask: Callable[[], Tensor] | None = None) -> Situation:
    """What a help policy, a teacher or an advisor may look at."""
    return Situation(
        episodes=walk.episodes, step=step, pose=walk.pose, unmoved=walk.unmoved, budget=walk.budget, tentative=tentative,
        plan=walk.plan, since_request=walk.since_request, past=walk.past, ask=ask,
    )  # fmt: skip


def nothing(walk: Walk) -> Tensor:
    """Stands for what is not known without pass 1: (batch, 0)."""
    return walk.pose.new_empty(len(walk.pose), 0, dtype=torch.float32)


class Resolve(NamedTuple):
    """Who asks. Without pass 1 the first three are empty."""

    tentative: Tensor  # (batch, 6), probabilities of pass 1
    known: Tensor  # (batch, features), what the help module sees
    verdict: Verdict  # the help teacher's
    request: Tensor
    hears: Tensor  # who gets words for an answer
    ask: Tensor  # the action as the agent will know it


@fused
def consider(walk: Walk, step: When, sight: Sight, first: Decision | None, players: Players) -> Resolve:
    """Lines 12 to 14: whether to ask, by the help policy, and what the help teacher says to it."""
    if first is None:
        tentative = known = nothing(walk)
        verdict, request = Verdict(tentative.bool(), tentative.long()), sight.may_ask
    else:
        tentative = log_distribution(first.logits, sight.blocked).exp()
        known = players.agent.knows(sight.view, tentative, first)  # 12
        now = situation(walk, step, tentative, lambda: asked(walk, step, known, players))
        verdict = players.help_teacher(now)
        request = players.help_policy(replace(now, teacher_request=verdict.request)) & sight.may_ask  # 13, 14
    return Resolve(
        tentative=tentative,
        known=known,
        verdict=verdict,
        request=request,
        hears=request & players.advisor.speaks,
        ask=ask_action(request & players.help_policy.invited),
    )


def asked(walk: Walk, step: When, known: Tensor, players: Players) -> Tensor:
    """What the help module says, with dropout that is each episode's own."""
    if known.is_cuda or not players.agent.training:
        return players.agent.ask(known, walk.budget)
    assert isinstance(step, int), "who learns begins with everybody else"
    with lots_of(walk.episodes.lots(), step, ASKING):
        return players.agent.ask(known, walk.budget)


class Deed(NamedTuple):
    """What was done, and the walk after it."""

    final: Tensor  # (batch, 6), log-probabilities of pass 2
    taught: Tensor  # what the teacher wanted
    nav: Tensor
    pose: Tensor
    going: Tensor
    budget: Tensor
    since_request: Tensor
    unmoved: Tensor
    past: Tensor
    route: Tensor


@fused
def act(walk: Walk, step: When, sight: Sight, request: Tensor, logits: Tensor, players: Players) -> Deed:
    """Lines 23 to 27, 33, 17 and 30 to 32: choose an action, carry it out, and count."""
    final = log_distribution(logits, sight.blocked)
    since_request = (walk.since_request + 1).masked_fill(request, 0)
    k = players.advisor.k
    course = players.following(walk.route, walk.pose, sight.taught, since_request, k, walk.episodes, step)  # 22
    nav = players.acting(final.detach().exp(), course.taught, course.led, walk.episodes, step)
    pose = walk.episodes.environment.step(walk.pose, nav, walk.episodes.goals)
    return Deed(
        final=final,
        taught=course.taught,
        nav=nav,
        pose=pose,
        going=walk.going & (nav != STOP) & (step + 1 < walk.episodes.time_budget),
        budget=walk.budget - request.long(),
        since_request=since_request,
        unmoved=count_unmoved(walk.unmoved, walk.pose, pose),
        past=remembered(walk.past, step, walk.pose),
        route=course.route,
    )


def begin(episodes: Episodes, players: Players, longest: int = LONGEST_EPISODE) -> Walk:
    """The start of every episode: lines 4 to 8."""
    answers = players.advisor.speaks and players.help_policy.asks
    requests = min(longest, episodes.most_requests) if answers else 0
    remembers = players.voice.remembers or any(sense.remembers for sense in players.senses.values())
    zero = torch.zeros_like(episodes.start)
    beginning = Start(episodes.end_goals, players.voice.phrases, longest, requests, players.batching, episodes.lots())
    return Walk(
        row=torch.arange(len(episodes), device=zero.device),
        episodes=episodes,
        pose=episodes.start,
        going=episodes.time_budget > 0,
        budget=episodes.help_budget,
        nav=zero + NAV_START,
        ask=zero + ASK_START,
        since_request=zero + players.advisor.k,
        unmoved=zero,
        plan=players.help_policy.plan(episodes),
        route=players.following.begin(episodes.start, players.advisor.k),
        veil=veil_of(episodes, players),
        past=nowhere(zero, longest if remembers else 0),
        mind=players.agent.begin(beginning),
    )


def veil_of(episodes: Episodes, players: Players) -> Views:
    """What the episodes show of each number of the views: nothing, or so much more that the sum stays what it was."""
    if not players.veil:
        return {}
    drawn, numbers = {}, 0
    for name, table in players.views.items():
        if not table.is_floating_point():  # words
            continue
        place = torch.arange(numbers, numbers + table.shape[1], device=table.device)
        seed = episodes.seed[:, None] if isinstance(episodes.seed, Tensor) else episodes.seed
        drawn[name] = (uniform(seed, episodes.key[:, None], Purpose.VEIL, place) >= players.veil) / (1 - players.veil)
        numbers += table.shape[1]
    return drawn


def kept(known: Tensor, players: Players) -> Tensor:
    """What the help module saw, where it will be needed for learning; it is the largest thing in a record."""
    return known if players.keeps_known else known[:, :0]


def log_distribution(logits: Tensor, blocked: Tensor) -> Tensor:
    """Log-probabilities of the six actions, `forward` impossible where nothing is in view."""
    forward = torch.arange(NAV_ACTIONS, device=logits.device) == FORWARD
    return torch.log_softmax(logits.float().masked_fill(blocked[:, None] & forward, -torch.inf), dim=1)

"""Algorithm 1: a batch of episodes under imitation learning with indirect intervention (I3L-BCUI).

The numbers at the lines are those of Algorithm 1 in the paper. The same function trains and evaluates, with every help
policy, advisor and agent; what differs are the objects passed in. All of it is tensors over the batch; on a GPU nothing
between the first step and the last touches the host. Ended episodes take no part: `Batching` knows whether they leave.

The policies are updated (lines 28-29) once a batch, from what is recorded here: `vnla.rollout` has the losses, maximum
likelihood of what the teachers do; the optimiser belongs to `vnla.training`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor

from vnla import episode
from vnla.agent.layers.dropout import ASKING, lots_of
from vnla.agent.mind import Decision, Mind, Start, Views
from vnla.common.capture import fused
from vnla.common.randomness import Purpose, uniform
from vnla.episode import Episodes, EpisodeState, StepContext, When, step_context
from vnla.players import Players
from vnla.roles.help_teacher import Verdict
from vnla.roles.words import Heard
from vnla.rollout import Rollout, Transition
from vnla.world.actions import ASK_START, FORWARD, NAV_ACTIONS, NAV_START, ask_action
from vnla.world.budgets import LONGEST_EPISODE


@dataclass(frozen=True)
class Walk:
    """Where a batch stands between two steps."""

    row: Tensor  # (batch,), which episode of the rollout this is
    state: EpisodeState  # poses, budgets b and what else the rules go by
    nav: Tensor  # the last navigation action
    ask: Tensor  # the last help-requesting action
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
        walk = players.batching.rest(walk, walk.state.active)
        if not len(walk.row):
            break
        state, step = walk.state, of_each(count, done, walk.row)
        sight = look(walk, step, players)  # 10, 22
        # Line 15 comes first: what would be said depends on the state alone, and a GPU reads it while the agent looks.
        answer = walk.mind.read(sight.may_ask, partial(advise, state, step, players))  # 15
        mind = walk.mind.see(sight.view, walk.nav)  # 10
        first = mind.tentatively(walk.ask, sight.may_ask) if players.deliberate else None  # 11
        resolve = consider(walk, step, sight, first, players)  # 12-14
        mind = mind.hear(resolve.hears, answer)  # 16, 19
        second, mind = mind.finally_(resolve.ask)  # 21
        deed = act(walk, step, sight, resolve.request, second.logits, players)  # 17, 23-27, 30-33
        rollout.moments.append(  # 28, 29
            Transition(
                step=count, row=walk.row, going=state.active, learns=sight.learns, pose=state.pose,
                budget=state.requests_left, tentative=resolve.tentative, final=deed.final,
                known=kept(resolve.known, players), teacher_request=resolve.verdict.request,
                reason=resolve.verdict.reason, request=resolve.request, heard=answer.index, phrases=answer.table,
                taught=deed.taught, nav=deed.nav, after=deed.state.pose, since_request=state.since_request,
                unmoved=state.unmoved, past=state.past,
            )
        )  # fmt: skip
        walk = replace(walk, state=deed.state, nav=deed.nav, ask=resolve.ask, route=deed.route, mind=mind)
    rollout.logits = walk.mind.recall()
    return rollout


def of_each(count: int, done: When, row: Tensor) -> When:
    """The step of each, where those who were behind all others are at the step `count`."""
    return count if isinstance(done, int) else count - done.min() + done[row]


class StepView(NamedTuple):
    """What there is at the poses of a batch, whatever its agents think."""

    view: Views  # what the agent sees: (batch, size) each
    blocked: Tensor  # whether nothing is in view to go to
    taught: Tensor  # the navigation teacher's action
    may_ask: Tensor  # who has a request left; and will ask, where that is known without pass 1
    learns: Tensor  # who counts in the navigation loss


@fused
def look(walk: Walk, step: When, players: Players) -> StepView:
    """Lines 10 and 22: the view, and what the navigation teacher would do; without pass 1, also line 13: who will ask."""
    state = walk.state
    environment, goals = state.episodes.environment, state.episodes.goals
    now, may_ask = step_context(state, step, plan=walk.plan), episode.may_request(state)
    learns = state.active.clone()
    if players.batching.keeps_ended:
        learns = learns | ~environment.at_goal(state.pose, goals)
    return StepView(
        view=seen(now, players, walk.veil),
        blocked=environment.blocked(state.pose),
        taught=environment.nav_teacher(state.pose, goals),
        may_ask=may_ask if players.deliberate else may_ask & players.help_policy(now),
        learns=learns,
    )


def seen(now: StepContext, players: Players, veil: Views) -> Views:
    """What the agent sees where it is, through a veil or without one, and what else it notices."""
    views = {name: table[now.pose].float() for name, table in players.views.items()}
    views = {name: views[name] * veil[name] if name in veil else views[name] for name in views}
    return {**views, **{name: sense(now) for name, sense in players.senses.items()}}


def advise(state: EpisodeState, step: When, players: Players) -> Heard:
    """Line 15: what the advisor would say."""
    return players.voice.say(step_context(state, step))


def nothing(walk: Walk) -> Tensor:
    """Stands for what is not known without pass 1: (batch, 0)."""
    return walk.nav.new_empty(len(walk.nav), 0, dtype=torch.float32)


class AskDecision(NamedTuple):
    """Who asks. Without pass 1 the first three are empty."""

    tentative: Tensor  # (batch, 6), probabilities of pass 1
    known: Tensor  # (batch, features), what the help module sees
    verdict: Verdict  # the help teacher's
    request: Tensor
    hears: Tensor  # who gets words for an answer
    ask: Tensor  # the action as the agent will know it


@fused
def consider(walk: Walk, step: When, sight: StepView, first: Decision | None, players: Players) -> AskDecision:
    """Lines 12 to 14: whether to ask, by the help policy, and what the help teacher says to it."""
    if first is None:
        tentative = known = nothing(walk)
        verdict, request = Verdict(tentative.bool(), tentative.long()), sight.may_ask
    else:
        tentative = log_distribution(first.logits, sight.blocked).exp()
        known = players.agent.knows(sight.view, tentative, first)  # 12
        module = (lambda: asked(walk.state, step, known, players)) if players.help_policy.consults else None
        now = step_context(walk.state, step, tentative, walk.plan, module)
        verdict = players.help_teacher(now)
        request = players.help_policy(replace(now, teacher_request=verdict.request)) & sight.may_ask  # 13, 14
    return AskDecision(
        tentative=tentative,
        known=known,
        verdict=verdict,
        request=request,
        hears=request & players.advisor.speaks,
        ask=ask_action(request & players.help_policy.invited),
    )


def asked(state: EpisodeState, step: When, known: Tensor, players: Players) -> Tensor:
    """What the help module says, with dropout that is each episode's own."""
    if known.is_cuda or not players.agent.training:
        return players.agent.ask(known, state.requests_left)
    assert isinstance(step, int), "who learns begins with everybody else"
    with lots_of(state.episodes.lots(), step, ASKING):
        return players.agent.ask(known, state.requests_left)


class StepResult(NamedTuple):
    """What was done, and the state after it."""

    final: Tensor  # (batch, 6), log-probabilities of pass 2
    taught: Tensor  # what the teacher wanted
    nav: Tensor
    state: EpisodeState
    route: Tensor


@fused
def act(walk: Walk, step: When, sight: StepView, request: Tensor, logits: Tensor, players: Players) -> StepResult:
    """Lines 17, 23 to 27, 33 and 30 to 32: pay for a request, choose an action, and carry it out."""
    final = log_distribution(logits, sight.blocked)
    state = episode.request(walk.state, request)  # 17
    follows, k = episode.actions_since_request(state), players.advisor.k
    course = players.following(walk.route, state.pose, sight.taught, follows, k, state.episodes, step)  # 22
    nav = players.acting(final.detach().exp(), course.taught, course.led, state.episodes, step)  # 23-27, 33
    return StepResult(final, course.taught, nav, episode.act(state, step, nav), course.route)  # 30-32


def begin(episodes: Episodes, players: Players, longest: int = LONGEST_EPISODE) -> Walk:
    """The start of every episode: lines 4 to 8."""
    answers = players.advisor.speaks and players.help_policy.asks
    requests = min(longest, episodes.most_requests) if answers else 0
    beginning = Start(episodes.end_goals, players.voice.phrases, longest, requests, players.batching, episodes.lots())
    return Walk(
        row=torch.arange(len(episodes), device=episodes.start.device),
        state=episode.start(episodes, players.advisor.k, memory=longest if remembers(players) else 0),
        nav=torch.full_like(episodes.start, NAV_START),
        ask=torch.full_like(episodes.start, ASK_START),
        plan=players.help_policy.plan(episodes),
        route=players.following.begin(episodes.start, players.advisor.k),
        veil=veil_of(episodes, players),
        mind=players.agent.begin(beginning),
    )


def remembers(players: Players) -> bool:
    """Whether anybody looks at the poses before a step."""
    senses = any(sense.remembers for sense in players.senses.values())
    return senses or players.voice.remembers or players.help_policy.remembers


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

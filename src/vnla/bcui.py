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
from vnla.agents.layers.dropout import ASKING, dropout_seeded
from vnla.agents.policy_state import Decision, PolicyState, Start, Views
from vnla.assistance.help_teacher import Verdict
from vnla.assistance.words import Utterance
from vnla.common.capture import fused
from vnla.common.randomness import Purpose, uniform
from vnla.episode import Episodes, EpisodeState, StepContext, When, step_context
from vnla.rollout import Rollout, RolloutContext, Transition
from vnla.world.actions import ASK_START, FORWARD, NAV_ACTIONS, NAV_START, ask_action
from vnla.world.budgets import LONGEST_EPISODE


@dataclass(frozen=True)
class RolloutState:
    """Where a batch stands between two steps."""

    row: Tensor  # (batch,), which episode of the rollout this is
    state: EpisodeState  # poses, budgets b and what else the rules go by
    nav: Tensor  # the last navigation action
    ask: Tensor  # the last help-requesting action
    feature_dropout: Views  # what an episode shows of the views, if not all: (batch, size) each
    plan: Tensor  # the help policy's
    route: Tensor  # where the subgoal leads, if it is being followed
    policy_state: PolicyState  # g^main and the agent's state


def bcui(
    episodes: Episodes,
    context: RolloutContext,
    longest: int = LONGEST_EPISODE,
    begun: tuple[When, RolloutState] | None = None,
) -> Rollout:
    """Run `episodes` from start to end; or on from where they stood, all before one step or each before one of its own, if
    they were `begun`."""
    rollout = Rollout(episodes, context.batching, k=context.advisor.k)
    done, walk = begun or (0, begin(episodes, context, longest))  # 4-8
    for count in range(done if isinstance(done, int) else int(done.min()), longest):  # 9
        walk = context.batching.rest(walk, walk.state.active)
        if not len(walk.row):
            break
        state, step = walk.state, of_each(count, done, walk.row)
        step_view = look(walk, step, context)  # 10, 22
        # Line 15 comes first: what would be said depends on the state alone, and a GPU reads it while the agent looks.
        answer = walk.policy_state.read(step_view.may_ask, partial(advise, state, step, context))  # 15
        policy_state = walk.policy_state.see(step_view.view, walk.nav)  # 10
        first = policy_state.propose(walk.ask, step_view.may_ask) if context.deliberate else None  # 11
        decision = consider(walk, step, step_view, first, context)  # 12-14
        policy_state = policy_state.hear(decision.hears, answer)  # 16, 19
        second, policy_state = policy_state.decide(decision.ask)  # 21
        more = None if answer.more is None else answer.more(decision.request)
        result = act(walk, step, step_view, decision.request, second.logits, context, more)  # 17, 23-27, 30-33
        rollout.transitions.append(  # 28, 29
            Transition(
                step=count, row=walk.row, active=state.active, learns=step_view.learns, pose=state.pose,
                budget=state.requests_left, tentative=decision.tentative, final=result.final,
                ask_features=recorded_features(decision.ask_features, context), teacher_request=decision.verdict.request,
                reason=decision.verdict.reason, request=decision.request, heard=answer.index, phrases=answer.table,
                taught=result.taught, nav=result.nav, after=result.state.pose, since_request=state.since_request,
                unmoved=state.unmoved, past=state.past,
            )
        )  # fmt: skip
        walk = replace(
            walk, state=result.state, nav=result.nav, ask=decision.ask, route=result.route, policy_state=policy_state
        )
    rollout.logits = walk.policy_state.recall()
    return rollout


def of_each(count: int, done: When, row: Tensor) -> When:
    """Return the step of each episode, where those that are behind all others are at the step `count`."""
    return count if isinstance(done, int) else count - done.min() + done[row]


class StepView(NamedTuple):
    """What there is at the poses of a batch, whatever its agents think."""

    view: Views  # what the agent sees: (batch, size) each
    blocked: Tensor  # whether nothing is in view to go to
    taught: Tensor  # the navigation teacher's action
    may_ask: Tensor  # who has a request left; and will ask, where that is known without pass 1
    learns: Tensor  # who counts in the navigation loss


@fused
def look(walk: RolloutState, step: When, context: RolloutContext) -> StepView:
    """Lines 10 and 22: the view, and what the navigation teacher would do; without pass 1, also line 13: who will ask."""
    state = walk.state
    environment, goals = state.episodes.environment, state.episodes.goals
    now, may_ask = step_context(state, step, plan=walk.plan, k=context.advisor.k), episode.may_request(state)
    learns = state.active.clone()
    if context.batching.keeps_ended:
        learns = learns | ~environment.at_goal(state.pose, goals)
    return StepView(
        view=seen(now, context, walk.feature_dropout),
        blocked=environment.blocked(state.pose),
        taught=environment.nav_teacher(state.pose, goals),
        may_ask=may_ask if context.deliberate else may_ask & context.help_policy(now),
        learns=learns,
    )


def seen(now: StepContext, context: RolloutContext, feature_dropout: Views) -> Views:
    """Return what the agent sees at its pose, after feature dropout, and what its sensors give."""
    views = {name: table[now.pose].float() for name, table in context.views.items()}
    views = {name: views[name] * feature_dropout[name] if name in feature_dropout else views[name] for name in views}
    return {**views, **{name: sensor(now) for name, sensor in context.sensors.items()}}


def advise(state: EpisodeState, step: When, context: RolloutContext) -> Utterance:
    """Line 15: what the advisor would say."""
    return context.bound_advisor.say(step_context(state, step, k=context.advisor.k))


def nothing(walk: RolloutState) -> Tensor:
    """Stands for what is not known without pass 1: (batch, 0)."""
    return walk.nav.new_empty(len(walk.nav), 0, dtype=torch.float32)


class AskDecision(NamedTuple):
    """Who asks. Without pass 1 the first three are empty."""

    tentative: Tensor  # (batch, 6), probabilities of pass 1
    ask_features: Tensor  # (batch, features), what the help module sees
    verdict: Verdict  # the help teacher's
    request: Tensor
    hears: Tensor  # who gets words for an answer
    ask: Tensor  # the action as the agent will know it


@fused
def consider(
    walk: RolloutState, step: When, step_view: StepView, first: Decision | None, context: RolloutContext
) -> AskDecision:
    """Lines 12 to 14: whether to ask, by the help policy, and what the help teacher says to it."""
    if first is None:
        tentative = ask_features = nothing(walk)
        verdict, request = Verdict(tentative.bool(), tentative.long()), step_view.may_ask
    else:
        tentative = log_distribution(first.logits, step_view.blocked).exp()
        ask_features = context.agent.ask_inputs(step_view.view, tentative, first)  # 12
        module = (lambda: asked(walk.state, step, ask_features, context)) if context.help_policy.consults else None
        now = step_context(walk.state, step, tentative, walk.plan, module, context.advisor.k)
        verdict = context.help_teacher(now)
        request = context.help_policy(replace(now, teacher_request=verdict.request)) & step_view.may_ask  # 13, 14
    return AskDecision(
        tentative=tentative,
        ask_features=ask_features,
        verdict=verdict,
        request=request,
        hears=request & context.advisor.speaks,
        ask=ask_action(request & context.help_policy.invited),
    )


def asked(state: EpisodeState, step: When, ask_features: Tensor, context: RolloutContext) -> Tensor:
    """Return what the help module says, with dropout that is each episode's own."""
    if ask_features.is_cuda or not context.agent.training:
        return context.agent.ask(ask_features, state.requests_left)
    assert isinstance(step, int), "who learns begins with everybody else"
    with dropout_seeded(state.episodes.dropout_seeds(), step, ASKING):
        return context.agent.ask(ask_features, state.requests_left)


class StepResult(NamedTuple):
    """What was done, and the state after it."""

    final: Tensor  # (batch, 6), log-probabilities of pass 2
    taught: Tensor  # what the teacher wanted
    nav: Tensor
    state: EpisodeState
    route: Tensor


@fused
def act(
    walk: RolloutState,
    step: When,
    step_view: StepView,
    request: Tensor,
    logits: Tensor,
    context: RolloutContext,
    more: Tensor | None = None,
) -> StepResult:
    """Lines 17, 23 to 27, 33 and 30 to 32: pay for a request, choose an action, and carry it out."""
    final = log_distribution(logits, step_view.blocked)
    state = episode.request(walk.state, request, more)  # 17
    follows, k = episode.actions_since_request(state), context.advisor.k
    course = context.following(walk.route, state.pose, step_view.taught, follows, k, state.episodes, step)  # 22
    nav = context.acting(final.detach().exp(), course.taught, course.led, state.episodes, step)  # 23-27, 33
    return StepResult(final, course.taught, nav, episode.act(state, step, nav), course.route)  # 30-32


def begin(episodes: Episodes, context: RolloutContext, longest: int = LONGEST_EPISODE) -> RolloutState:
    """Return the state at the start of every episode: lines 4 to 8."""
    answers = context.advisor.speaks and context.help_policy.asks
    requests = min(longest, episodes.most_requests) if answers else 0
    beginning = Start(
        episodes.end_goals, context.bound_advisor.phrases, longest, requests, context.batching, episodes.dropout_seeds()
    )
    return RolloutState(
        row=torch.arange(len(episodes), device=episodes.start.device),
        state=episode.start(episodes, context.advisor.k, memory=longest if remembers(context) else 0),
        nav=torch.full_like(episodes.start, NAV_START),
        ask=torch.full_like(episodes.start, ASK_START),
        plan=context.help_policy.plan(episodes),
        route=context.following.begin(episodes.start, context.advisor.k),
        feature_dropout=feature_dropout_of(episodes, context),
        policy_state=context.agent.begin(beginning),
    )


def remembers(context: RolloutContext) -> bool:
    """Return whether anybody looks at the poses before a step."""
    sensors = any(sensor.remembers for sensor in context.sensors.values())
    return sensors or context.bound_advisor.remembers or context.help_policy.remembers


def feature_dropout_of(episodes: Episodes, context: RolloutContext) -> Views:
    """Return the factors of feature dropout, one for each episode and number: 0, or more than 1 so that the mean stays."""
    if not context.feature_dropout:
        return {}
    drawn, numbers = {}, 0
    for name, table in context.views.items():
        if not table.is_floating_point():  # words
            continue
        place = torch.arange(numbers, numbers + table.shape[1], device=table.device)
        seed = episodes.seed[:, None] if isinstance(episodes.seed, Tensor) else episodes.seed
        drawn[name] = (uniform(seed, episodes.key[:, None], Purpose.FEATURE_DROPOUT, place) >= context.feature_dropout) / (
            1 - context.feature_dropout
        )
        numbers += table.shape[1]
    return drawn


def recorded_features(ask_features: Tensor, context: RolloutContext) -> Tensor:
    """Return what the help module saw, where it learns from it; it is the largest thing in a transition."""
    return ask_features if context.keeps_ask_features else ask_features[:, :0]


def log_distribution(logits: Tensor, blocked: Tensor) -> Tensor:
    """Log-probabilities of the six actions, `forward` impossible where nothing is in view."""
    forward = torch.arange(NAV_ACTIONS, device=logits.device) == FORWARD
    return torch.log_softmax(logits.float().masked_fill(blocked[:, None] & forward, -torch.inf), dim=1)

"""Checks what parts that are not ours return, once, when the rollout context of a run is made.

The navigation teacher walks a few tasks. At every step each custom help policy and sensor gets the step context that it
will get in a run, with what it has asked for and no more. An advisor speaks once, because that may take long. Nothing is
checked while a run is under way, or where all parts are ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor

from vnla import episode
from vnla.agents.sensors import Sensor
from vnla.assistance.advisor import BoundAdvisor
from vnla.assistance.help_policies import HelpPolicy
from vnla.assistance.valued import Tried
from vnla.assistance.words import Utterance
from vnla.bcui import log_distribution, remembers
from vnla.common.custom_parts import called, is_ours
from vnla.common.errors import InputError
from vnla.common.returned import check_finite, check_tensor, described
from vnla.common.selection import take_rows
from vnla.common.unknown import Unknown
from vnla.episode import Episodes, EpisodeState, StepContext, step_context
from vnla.rollout import RolloutContext
from vnla.tasks.task_set import TaskSet
from vnla.training.data import RunData
from vnla.world.actions import NAV_ACTIONS
from vnla.world.budgets import LONGEST_EPISODE

EPISODES = 4
"""Walked for the checks."""


def check_parts(context: RolloutContext, data: RunData) -> None:
    """Refuse a custom help policy, sensor or advisor that does not do what is expected of it, in one line."""
    if not isinstance(context.bound_advisor, BoundAdvisor):
        who = called("advisor", context.advisor)
        raise InputError(
            f"{who}: ready returned {described(context.bound_advisor)}; expected a vnla.assistance.advisor.BoundAdvisor"
        )
    policy = context.help_policy.policy if isinstance(context.help_policy, Tried) else context.help_policy
    sensors = {name: sensor for name, sensor in context.sensors.items() if not is_ours(sensor)}
    speaks = not (is_ours(context.advisor) and is_ours(context.bound_advisor))
    if is_ours(policy) and not sensors and not speaks:
        return
    tasks = _some_tasks(data)
    device = data.world.device
    with torch.random.fork_rng([device] if device.type == "cuda" else []), torch.no_grad():
        episodes = tasks.episodes(torch.arange(len(tasks), device=device), seed=0, k=context.advisor.k)
        if speaks:
            check_voice(context, step_context(_begun(episodes, context), 0, k=context.advisor.k))
        for name, sensor in sensors.items():
            check_sensor(name, sensor, episodes, context)
        if not is_ours(policy):
            check_policy(policy, episodes, context)


def check_sensor(name: str, sensor: Sensor, episodes: Episodes, context: RolloutContext) -> None:
    """Whether a sensor gives so many finite numbers at every step."""
    who = f"sensor {name}"
    for now in _walk(episodes, context):
        value = sensor(now)
        check_tensor(who, "__call__", value, (len(now.pose), sensor.size), torch.float32, now.pose.device)
        check_finite(who, "__call__", value, f" at step {now.step}")


def check_policy(policy: HelpPolicy, episodes: Episodes, context: RolloutContext) -> None:
    """Whether a help policy says of everybody whether to ask, and looks at nothing that it has not asked for."""
    who = called("help policy", policy)
    if policy.consults and not _declares(policy, "learns"):
        raise InputError(
            f"{who}: goes by the help module (`consults`), but does not say whether that is to imitate the help teacher in"
            " training; say so with `learns = True` or `learns = False`"
        )
    plan = policy.plan(episodes)
    if not isinstance(plan, Tensor) or plan.shape[:1] != (len(episodes),):
        raise InputError(f"{who}: plan returned {described(plan)}; expected a tensor ({len(episodes)}, …), a row an episode")
    for now in _walk(episodes, context, plan):
        asks = policy(_deliberated(now, policy, context) if context.deliberate else now)
        if isinstance(asks, Unknown):
            raise asks.error(f"{type(policy).__name__}.__call__")
        check_tensor(who, "__call__", asks, (len(now.pose),), torch.bool, now.pose.device)
        if not policy.asks and bool(asks.any()):
            raise InputError(f"{who}: asks at step {now.step}, but its class says `asks = False`; leave that out")


def check_voice(context: RolloutContext, now: StepContext) -> None:
    """Whether an advisor gives everybody a row of its table."""
    who, batch, bound_advisor = called("advisor", context.advisor), len(now.pose), context.bound_advisor
    method = f"{type(bound_advisor).__name__}.say"
    heard = bound_advisor.say(now)
    if not isinstance(heard, Utterance):
        raise InputError(f"{who}: {method} returned {described(heard)}; expected a vnla.assistance.words.Utterance")
    check_tensor(who, f"{method}().index", heard.index, (batch,), torch.int64, now.pose.device)
    rows = len(heard.table.words.length)
    if not 0 <= int(heard.index.min()) <= int(heard.index.max()) < rows:
        wrong = next(each for each in heard.index.tolist() if not 0 <= each < rows)
        raise InputError(f"{who}: {method} returned row {wrong} of a table that has rows 0 to {rows - 1}")
    width, most = (table.words.tokens.shape[1] for table in (heard.table, bound_advisor.phrases))
    if width > most:
        raise InputError(
            f"{who}: {method} returned a table of phrases of {width} words; expected {most} at most, as in `phrases`"
        )


def _declares(part: HelpPolicy, flag: str) -> bool:
    """Return whether a class, or one that it is made from, says so itself."""
    return any(flag in vars(each) for each in type(part).__mro__ if each is not HelpPolicy)


def _some_tasks(data: RunData) -> TaskSet:
    """Return a few tasks in the houses of this world, from the split that is read soonest."""
    houses, dataset = {house.name for house in data.folder.houses}, data.dataset
    for split in sorted(dataset.paths, key=lambda each: dataset.paths[each].stat().st_size):
        tasks = [task for task in dataset.split(split) if task.house in houses][:EPISODES]
        if tasks:
            return TaskSet.compile(data.world, tasks, vocabulary=dataset.vocabulary)
    raise InputError(f"{dataset.path}: has no task in the houses of this world")


def _begun(episodes: Episodes, context: RolloutContext) -> EpisodeState:
    return episode.start(episodes, context.advisor.k, memory=LONGEST_EPISODE if remembers(context) else 0)


def _walk(episodes: Episodes, context: RolloutContext, plan: Tensor | None = None) -> Iterator[StepContext]:
    """Return what there is to look at on the navigation teacher's way, with a request at every third step."""
    state = _begun(episodes, context)
    for step in range(LONGEST_EPISODE):
        rows = state.active.nonzero().squeeze(1)
        if not len(rows):
            return
        state, plan = take_rows((state, plan), rows)
        yield step_context(state, step, plan=plan, k=context.advisor.k)
        state = episode.request(state, episode.may_request(state) & (step % 3 == 1))
        taught = state.episodes.environment.nav_teacher(state.pose, state.episodes.goals)
        state = episode.act(state, step, taught)


def _deliberated(now: StepContext, policy: HelpPolicy, context: RolloutContext) -> StepContext:
    """Return the same after a pass 1 that finds every action, and asking, as good as any other."""
    blocked = now.episodes.environment.blocked(now.pose)
    tentative = log_distribution(torch.zeros(len(now.pose), NAV_ACTIONS, device=now.pose.device), blocked).exp()
    now = replace(now, tentative=tentative)
    now = replace(now, teacher_request=context.help_teacher(now).request)
    return replace(now, ask=lambda: tentative.new_zeros(len(tentative), 2)) if policy.consults else now

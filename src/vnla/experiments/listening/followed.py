"""Whether an agent does what it is told: how exactly it follows advice of a kind, and what that is worth.

An agent that has just begun, somewhere on the way of a task, is told something once, and then acts by itself for as many
actions as the advice describes. `exact` is whether these are the actions of the plan, up to its `stop`; `there` whether it
ends at the pose where the plan ends. Of silence, advice as in training, and any other, what is retained is

    (other − silence) / (as in training − silence)

All intervals are over houses: what would be found in others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from vnla.assistance.acting import ALONE
from vnla.assistance.advisor import BoundAdvisor, Lexicon, tabulated
from vnla.assistance.help_policies import AtFirst, Never
from vnla.assistance.words import Phrases, Utterance
from vnla.bcui import bcui
from vnla.common.randomness import Purpose, uniform
from vnla.common.selection import take_rows
from vnla.episode import Episodes, StepContext, beginning, nothing_sought
from vnla.evaluation.confidence import Interval, over_houses, retained_over_houses
from vnla.evaluation.evaluate import fitting_batch, greedy
from vnla.language.advisor import GrammarAdvisor, GrammarVoice
from vnla.language.interpreter import Houses
from vnla.rollout import RolloutContext
from vnla.tasks.task_set import TaskSet, teacher_trajectories
from vnla.words import Words
from vnla.world.actions import STOP, Nav
from vnla.world.compiled import Environment, World

Bools = NDArray[np.bool_]


class WalkResults(NamedTuple):
    """One entry a walk."""

    exact: Bools
    there: Bools


class PlannedWalks(NamedTuple):
    """Where agents begin, and what they are to do: one entry a walk."""

    episodes: Episodes  # as long as a plan, with one request
    plan: Tensor  # (walks, k), actions; after a `stop` only `stop`
    end: Tensor  # (walks,), the pose where it ends
    houses: tuple[str, ...]


def walks_of(tasks: TaskSet, k: int, seed: int = 0) -> PlannedWalks:
    """Of every task k actions of the navigation teacher, from a place on its way that is drawn for the task: at the starts
    alone there is little to do but to turn."""
    which = torch.arange(len(tasks), device=tasks.key.device)
    way, count = teacher_trajectories(tasks.environment, tasks.start, tasks.goals)
    before = (uniform(seed, tasks.key, Purpose.LISTENING) * count.clamp(max=way.shape[1])).long()
    start = tasks.start
    for step, action in enumerate(way.unbind(dim=1)):
        start = torch.where(step < before, tasks.environment.step(start, action, tasks.goals), start)
    episodes = replace(tasks.episodes(which, seed=seed, k=k), start=start)
    actions, poses = tasks.environment.taught_way(start, tasks.goals, k)
    houses = tuple(task.house for task in tasks.tasks)
    return PlannedWalks(_brief(episodes, k), torch.stack(actions, dim=1), poses[-1], houses)


def given_walks(
    world: World, start: Sequence[int], plans: Sequence[Sequence[Nav]], houses: Sequence[str], end_goals: Words
) -> PlannedWalks:
    """Walks by plans of one length, without a goal: forward goes to what is ahead."""
    device, count, k = world.device, len(start), len(plans[0])
    environment = Environment.aimless(world)
    plan = torch.tensor(plans, device=device)
    pose = torch.tensor(start, device=device)
    goals = torch.tensor([world.house(house) for house in houses], device=device)
    episodes = Episodes(
        environment=environment, key=torch.arange(count, device=device), seed=0, start=pose, goals=goals,
        time_budget=torch.zeros_like(pose), help_budget=torch.zeros_like(pose), start_paths=pose[:, None, None],
        end_goals=end_goals, sought=nothing_sought(pose),
    )  # fmt: skip
    for action in plan.unbind(dim=1):
        pose = environment.step(pose, action, goals)
    return PlannedWalks(_brief(episodes, k), plan, pose, tuple(houses))


def _brief(episodes: Episodes, k: int) -> Episodes:
    """As long as a plan, with one request."""
    budget = torch.ones_like(episodes.start)
    return replace(episodes, time_budget=budget * k, help_budget=budget, most_requests=1)


def followed(context: RolloutContext, walks: PlannedWalks, *, told: bool = True) -> WalkResults:
    """What agents do that are told something by the advisor of the context, or nothing."""
    k, count = walks.plan.shape[1], len(walks.end)
    alone = replace(context, help_policy=AtFirst() if told else Never(), acting=ALONE, deliberate=False)
    size = fitting_batch(context, walks.episodes.end_goals, k)
    exact, there = [], []
    with greedy(context.agent):
        for first in range(0, count, size):
            rows = torch.arange(first, min(first + size, count), device=walks.end.device)
            part = PlannedWalks(take_rows(walks.episodes, rows), walks.plan[rows], walks.end[rows], ())
            rollout = bcui(part.episodes, alone, longest=k)
            exact.append(_is_exact(rollout.table("nav"), part.plan).cpu())
            there.append((rollout.last_pose() == part.end).cpu())
    return WalkResults(torch.cat(exact).numpy(), torch.cat(there).numpy())


def _is_exact(done: Tensor, plan: Tensor) -> Tensor:
    """Whether actions (walks, steps) are those of plans (walks, k) up to their `stop`; whoever ended early did nothing."""
    done = torch.nn.functional.pad(done, (0, plan.shape[1] - done.shape[1]), value=-1)
    over = (plan == STOP).cumsum(dim=1) - (plan == STOP).long() > 0
    return ((done == plan) | over).all(dim=1)


def said_to(bound_advisor: BoundAdvisor, walks: PlannedWalks) -> list[str]:
    """What somebody says to agents that have just begun their walks."""
    heard = bound_advisor.say(beginning(walks.episodes))
    return [heard.table.text(row) for row in heard.index.tolist()]


class Contrast(NamedTuple):
    """Walks of which somebody who listens cannot be told what is not so, and still do what is."""

    says: str
    true: str  # what the same sentences are when they are so
    where: str
    rows: list[int]


def contrasts(walks: PlannedWalks, bound_advisor: Callable[[str], GrammarVoice]) -> Iterator[Contrast]:
    """Left for right where either is said; other things where these alone tell which way to turn, and tell another; words in
    no order where different things are to be done."""
    usual, mirrored = (said_to(bound_advisor(says), walks) for says in ("usual", "mirrored"))
    differs = [row for row, (one, other) in enumerate(zip(usual, mirrored, strict=True)) if one != other]
    yield Contrast("mirrored", "usual", "with a left or right", differs)
    alone = bound_advisor("wrong").landmarks_decide(beginning(walks.episodes))
    yield Contrast("wrong", "landmarks", "which alone tell the way", alone.nonzero().flatten().tolist())
    acts = walks.plan != STOP
    several = (acts & (walks.plan != walks.plan[:, :1])).any(dim=1)
    yield Contrast("shuffled", "usual", "of different actions", several.nonzero().flatten().tolist())


def in_commonest_order(walks: PlannedWalks) -> WalkResults:
    """What somebody would do who knows which actions are meant, but not in which order, and takes the commonest of walks
    with these: as much as words in no order can tell, at most."""
    plans = [tuple(plan) for plan in walks.plan.tolist()]
    orders = Counter(plans)
    best = {tuple(sorted(plan)): plan for plan, _ in reversed(orders.most_common())}
    right = np.array([best[tuple(sorted(plan))] == plan for plan in plans], bool)
    return WalkResults(right, right)


def meant(walks: PlannedWalks, sentences: Sequence[str], houses: Houses) -> list[tuple[Nav, ...]]:
    """What the parser takes sentences for that are said at the beginning of walks: it knows, as agents do, how many actions
    are meant."""
    starts, k = walks.episodes.start.tolist(), walks.plan.shape[1]
    return [houses.meant(sentence, start, k) for sentence, start in zip(sentences, starts, strict=True)]


def understood(walks: PlannedWalks, plans: Sequence[Sequence[Nav]]) -> WalkResults:
    """What somebody does who acts by plans, and stops where they end."""
    environment, actions = walks.episodes.environment, torch.full_like(walks.plan, STOP)
    for row, plan in enumerate(plans):
        actions[row, : len(plan)] = torch.tensor(plan, dtype=actions.dtype)
    pose = walks.episodes.start
    for action in actions.unbind(dim=1):
        pose = environment.step(pose, action, walks.episodes.goals)
    return WalkResults(_is_exact(actions, walks.plan).cpu().numpy(), (pose == walks.end).cpu().numpy())


@dataclass(frozen=True)
class ReadOutAdvisor(BoundAdvisor):
    """Says to each of some walks, numbered by their keys, its own sentence."""

    phrases: Phrases

    @classmethod
    def of(cls, sentences: Sequence[Sequence[str]], lexicon: Lexicon, device: torch.device | str) -> ReadOutAdvisor:
        """Sentences as words."""
        texts = [" ".join(sentence) for sentence in sentences]
        return cls(tabulated([*sentences, ()], lexicon, lambda row: (*texts, "")[row], device))

    def say(self, now: StepContext) -> Utterance:
        """The sentence of the walk."""
        return Utterance(now.episodes.key, self.phrases)


def reading(context: RolloutContext, bound_advisor: ReadOutAdvisor, k: int) -> RolloutContext:
    """Return the same context with somebody who reads sentences of k actions out."""
    return replace(context, advisor=GrammarAdvisor(k=k), bound_advisor=bound_advisor)


@dataclass(frozen=True)
class Listened:
    """What was found of one kind of advice: shares of its walks in per cent, and of tasks that succeeded."""

    name: str
    walks: int
    houses: int
    figures: Mapping[str, Interval]
    retained: Mapping[str, Interval]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        told = {"figures": self.figures, "retained": self.retained}
        values = {name: {each: found.as_dict() for each, found in part.items()} for name, part in told.items()}
        return {"walks": self.walks, "houses": self.houses, **values}


@dataclass(frozen=True)
class ListeningOutcome:
    """Of one kind of advice, one entry a walk or a task, in the same houses as those it is compared with."""

    values: Mapping[str, ArrayLike]  # (…, walks) of 0 and 1
    houses: Mapping[str, Sequence[str]]  # of the entries


def listened(name: str, own: ListeningOutcome, silence: ListeningOutcome, usual: ListeningOutcome | None) -> Listened:
    """The shares, and how much is retained of what advice as in training brings, where that is known."""
    figures, retained = {}, {}
    for measure, values in own.values.items():
        houses = np.broadcast_to(np.asarray(own.houses[measure]), np.shape(values))
        figures[measure] = over_houses(100 * np.asarray(values, np.float64), houses=houses, whole=100)
        if usual is not None:
            sides = tuple(np.asarray(each.values[measure], np.float64) for each in (own, silence, usual))
            retained[measure] = retained_over_houses(*sides, houses=houses)
    places = own.houses["exact"]
    return Listened(name, len(places), len(set(places)), figures, retained)

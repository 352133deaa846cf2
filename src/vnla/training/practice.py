"""Practice in understanding: short walks by which an agent learns what sentences mean, beside the episodes of Algorithm 1.

In an episode few steps follow a request, so little is learned of what the advisor says. Here an agent stands somewhere in
the house of an episode, with an instruction that begins with what the advisor would say there; the navigation teacher leads
it through the actions that were said, and it learns to imitate them. A walk has k steps, and nothing is composed or read on
the way; on a GPU many walks take little longer than few.

Some of the walks may lead anywhere instead of to the goal, and others be such that what is named alone tells the way
(`Elsewhere`). What an agent sees and seeks then does not tell it, and what it hears does. Some of the words may be strange
(`Strange`), so that the agent learns to do with what it understands of a sentence. Not in the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import torch
from torch import Tensor

from vnla.assistance.acting import BCUI
from vnla.assistance.advisor import Advisor, BoundAdvisor, Lexicon
from vnla.assistance.following import Led
from vnla.assistance.help_policies import AtFirst
from vnla.assistance.words import Phrases, Utterance
from vnla.bcui import bcui
from vnla.camera import HEADINGS, LEVEL_ROW, VIEWS
from vnla.common.capture import fused
from vnla.common.errors import InputError
from vnla.common.randomness import Purpose, uniform
from vnla.episode import Episodes, StepContext, beginning
from vnla.rollout import Rollout, RolloutContext
from vnla.tasks.task_set import TaskSet
from vnla.training.contrasts import Contrasts
from vnla.words import Words
from vnla.world.compiled import Environment, viewpoint_of

EARLIER = 8
"""Walks begin up to so many actions after a place that was drawn: otherwise most of them would be turns on the spot."""

DRAWS = 3
"""Numbers that are drawn for where a walk begins."""
NONE = tuple("".join(letters) for letters in product("bdfgklmnprstvz", "aeiou", ("ndu", "sko", "lki", "rfe"), ("", "m")))
"""Words that mean nothing."""


@dataclass(frozen=True)
class Strange:
    """Which words are strange: half of them are known by their spelling alone, and the others are none.

    Behind the words that an agent knows, it has met them once more, and then `NONE`, words that mean nothing.
    """

    share: float  # of the words that are said
    words: int  # that the agent knows

    @staticmethod
    def met(words: Sequence[str]) -> list[str]:
        """Return all that an agent has to meet that knows `words`."""
        return [*words, *words, *NONE]


CONTRASTED = 0.75
"""Share of the walks from places of `Contrasts` that lead where something that is named alone tells the way."""


@dataclass(frozen=True, eq=False)
class Elsewhere:
    """Which walks lead elsewhere than to the goal of their episode: to a place that is drawn, of two in the house the nearer
    one; or as `Contrasts` do."""

    anywhere: float  # share of the walks
    contrast: float
    environment: Environment  # with every viewpoint as a goal of its own
    contrasts: Contrasts | None = None


@dataclass(frozen=True)
class SubgoalPractice:
    """So many walks for each episode of a batch, in its house."""

    walks: int
    strange: Strange | None = None
    elsewhere: Elsewhere | None = None

    def __post_init__(self) -> None:
        if self.walks < 1:
            raise InputError(f"practice {self.walks}: must be 1 or more walks for each episode")

    def rollout(self, tasks: TaskSet, which: Tensor, seed: Tensor, context: RolloutContext) -> Rollout:
        """Return the walks beside the tasks numbered `which`, with seeds."""
        copy = torch.arange(1, self.walks + 1, device=which.device)[:, None].expand(-1, len(which))
        which, seed = which.repeat(self.walks), seed.repeat(self.walks) + copy.flatten()
        k, zero = context.advisor.k, torch.zeros_like(which)
        episodes = Episodes(
            environment=tasks.environment, key=tasks.key[which], seed=seed, start=tasks.start[which],
            goals=tasks.goals[which], time_budget=tasks.time_budget[which].clamp(min=k), help_budget=zero + 1,
            start_paths=zero[:, None, None], end_goals=tasks.end_goals.rows(which), sought=tasks.sought[which],
            most_requests=1,
        )  # fmt: skip
        if self.elsewhere is None:
            episodes = replace(episodes, start=somewhere(episodes))
        else:
            start, goals = led_elsewhere(episodes, self.elsewhere)
            episodes = replace(episodes, environment=self.elsewhere.environment, start=start, goals=goals)
        said = context.bound_advisor.say(beginning(episodes)).words
        if self.strange is not None:
            said = strangely(said, episodes.key, seed, self.strange)
        return bcui(replace(episodes, end_goals=prepend_subgoal(said, episodes.end_goals)), led(context), longest=k)


@fused
def somewhere(episodes: Episodes) -> Tensor:
    """Poses in the houses of episodes: level ones that are drawn, and up to some actions of the teacher after them."""
    return _somewhere(episodes)


def _somewhere(episodes: Episodes) -> Tensor:
    environment, goals = episodes.environment, episodes.goals
    pose, actions = _drawn(episodes), uniform(episodes.seed, episodes.key, Purpose.PRACTICE, DRAWS - 1)
    pose = torch.where(environment.distance_left(pose, goals).isfinite(), pose, episodes.start)
    for action in range(EARLIER):
        after = environment.step(pose, environment.nav_teacher(pose, goals), goals)
        pose = torch.where(actions * (EARLIER + 1) >= action + 1, after, pose)
    return pose


def _drawn(episodes: Episodes) -> Tensor:
    """Level poses that are drawn, in the houses of episodes."""
    place, heading = (uniform(episodes.seed, episodes.key, Purpose.PRACTICE, draw) for draw in range(DRAWS - 1))
    return _drawn_viewpoint(episodes, place) * VIEWS + LEVEL_ROW * HEADINGS + (heading * HEADINGS).long()


def _drawn_viewpoint(episodes: Episodes, drawn: Tensor) -> Tensor:
    """Viewpoints in the houses of episodes, by numbers between 0 and 1."""
    first = episodes.environment.world.first
    house = torch.searchsorted(first, viewpoint_of(episodes.start), right=True)
    begin, end = torch.take(first, house - 1), torch.take(first, house)
    return begin + (drawn * (end - begin)).long()


@fused
def led_elsewhere(episodes: Episodes, elsewhere: Elsewhere) -> tuple[Tensor, Tensor]:
    """Return where walks begin, and the viewpoints that they lead to."""
    draws = [uniform(episodes.seed, episodes.key, Purpose.WANDERING, draw) for draw in range(6)]
    world, pose = episodes.environment.world, _drawn(episodes)
    one, other = (_drawn_viewpoint(episodes, each) for each in draws[1:3])
    row = torch.take(world.row, viewpoint_of(pose))
    nearer = torch.where(torch.take(world.distance, row + one) <= torch.take(world.distance, row + other), one, other)
    goals = torch.where(draws[0] < elsewhere.anywhere, nearer, episodes.environment.goal(pose, episodes.goals))
    start = _somewhere(replace(episodes, environment=elsewhere.environment, goals=goals))
    if elsewhere.contrasts is None:
        return start, goals
    first = elsewhere.contrasts.first
    house = torch.searchsorted(world.first, viewpoint_of(episodes.start), right=True)
    begin, end = torch.take(first, house - 1), torch.take(first, house)
    number = begin + (draws[3] * (end - begin)).long()
    contrasted = (draws[4] < elsewhere.contrast) & (end > begin)
    led = contrasted & (draws[5] < CONTRASTED)
    start = torch.where(contrasted, torch.take(elsewhere.contrasts.start, number), start)
    return start, torch.where(led, torch.take(elsewhere.contrasts.goal, number), goals)


@fused
def strangely(said: Words, key: Tensor, seed: Tensor, strange: Strange) -> Words:
    """Return what was said in walks of these keys and seeds, with strange words."""
    place = torch.arange(said.tokens.shape[1], device=said.tokens.device)
    drawn = uniform(seed[:, None], key[:, None], Purpose.PRACTICE, DRAWS + place) / strange.share
    none = 2 * strange.words + ((drawn * 2 - 1) * len(NONE)).long()
    tokens = torch.where(drawn < 0.5, said.tokens + strange.words, none)
    return Words(torch.where((drawn < 1) & said.mask(), tokens, said.tokens), said.length)


@fused
def prepend_subgoal(said: Words, end_goals: Words) -> Words:
    """Instructions that begin with what was said: sentences, each followed by its end-goal."""
    tokens = torch.cat([said.tokens, end_goals.tokens], dim=1)
    place = torch.arange(tokens.shape[1], device=tokens.device)
    length = said.length + end_goals.length
    source = torch.where(place < said.length[:, None], place, place + (said.tokens.shape[1] - said.length)[:, None])
    inside = place < length[:, None]
    return Words(tokens.gather(1, source * inside) * inside, length)


def led(context: RolloutContext) -> RolloutContext:
    """The same with an advisor who leads the agent from its first step on, as if it had asked, and says nothing more."""
    phrases = context.bound_advisor.phrases
    mute = Mute(Phrases(Words.none(1, phrases.words.length.device), phrases.end, lambda _: ""))
    return replace(
        context, advisor=Guide(context.advisor.k, mute), bound_advisor=mute, help_policy=AtFirst(), acting=BCUI,
        following=Led(), deliberate=False, keeps_ask_features=False,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Mute(BoundAdvisor):
    """Says nothing, and has no room for words."""

    phrases: Phrases

    def say(self, now: StepContext) -> Utterance:
        """Nothing."""
        return Utterance(torch.zeros_like(now.pose), self.phrases)


@dataclass(frozen=True)
class Guide(Advisor):
    """Acts for the agent without a word."""

    k: int
    bound_advisor: Mute
    direct: bool = True
    speaks: bool = False

    def words(self) -> Sequence[str]:
        """None."""
        return ()

    def ready(self, lexicon: Lexicon, device: torch.device | str = "cpu") -> Mute:  # noqa: ARG002
        """As it is."""
        return self.bound_advisor

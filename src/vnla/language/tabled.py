"""Advisors whose sentences are composed before anybody walks: a table, and for poses and plans the rows to choose from.

Where nothing was composed they say the plan in the plainest words of the grammar. While agents walk it is a search in a
sorted table and a few gathers, so an episode never touches the host.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from vnla.assistance.advisor import Advisor, BoundAdvisor, Lexicon, tabulated
from vnla.assistance.phrases import COMMA, until_stop
from vnla.assistance.words import Phrases, Utterance
from vnla.camera import HEADINGS, VIEWS
from vnla.common.capture import fused
from vnla.common.randomness import Purpose, uniform
from vnla.episode import StepContext
from vnla.language.grammar import FULL_STOP, Grammar, text_of
from vnla.language.speech import PlanBatch, plan_of, take
from vnla.language.wording import plain_words
from vnla.world.actions import NAV_ACTIONS, Nav
from vnla.world.compiled import Environment, World

if TYPE_CHECKING:
    from vnla.houses.folder import WorldFolder
    from vnla.language.surroundings import Surroundings

    Tell = Callable[[Surroundings, tuple[Nav, ...], list[int]], str | None]
    """What to say of actions, with the poses of a house before each and after the last; None for plain words."""

LONGEST_TABLED = 6
"""Of a plan: every one has a row of plain words."""

Sentences = dict[int, list[tuple[str, ...]]]
"""Pose of the world · 6^k + code of a plan → what may be said of it, with a full stop."""


@dataclass(frozen=True)
class TabledAdvisor(Advisor):
    """Says what it has composed ahead of the navigation teacher's next k actions."""

    def __post_init__(self) -> None:
        self.check_role("advisor", LONGEST_TABLED)

    @abstractmethod
    def sentences(self, folder: WorldFolder, world: World) -> Sentences:
        """What is said in the houses of a world."""

    def words(self) -> Sequence[str]:
        """Every word of the grammar."""
        return Grammar().words

    def ready(self, lexicon: Lexicon, device: torch.device | str = "cpu") -> TabledVoice:
        """Without knowledge of any house: in plain words alone."""
        return self.voiced(lexicon, {}, device)

    def ready_in(
        self, folder: WorldFolder, world: World, lexicon: Lexicon, device: torch.device | str = "cpu"
    ) -> TabledVoice:
        """With what it says in the houses of a world."""
        return self.voiced(lexicon, self.sentences(folder, world), device)

    def voiced(self, lexicon: Lexicon, sentences: Sentences, device: torch.device | str) -> TabledVoice:
        """A voice that says these sentences."""
        self.check_words(lexicon)
        rows: dict[tuple[str, ...], int] = {}
        plain = [rows.setdefault((*plain_words(plan), FULL_STOP), len(rows)) for plan in product(Nav, repeat=self.k)]
        about = sorted(sentences) or [NOWHERE]
        said = [[rows.setdefault(words, len(rows)) for words in sentences.get(each, ())] for each in about]
        count = torch.tensor([len(each) for each in said])
        every = [*rows, ()]
        tables = (
            plain,
            about,
            (count.cumsum(0) - count).tolist(),
            count.tolist(),
            [*(row for each in said for row in each), 0],
        )
        moved = (torch.tensor(each, device=device) for each in tables)
        return TabledVoice(self, tabulated(every, lexicon, partial(_text, every), device), *moved)


NOWHERE = -1


def _text(every: Sequence[tuple[str, ...]], row: int) -> str:
    return text_of(every[row])


@dataclass(frozen=True, eq=False)
class TabledVoice(BoundAdvisor):
    """It, ready to speak."""

    advisor: TabledAdvisor
    phrases: Phrases
    plain: Tensor  # (6^k,), the row of each plan in plain words
    about: Tensor  # (plans,), sorted
    first: Tensor  # (plans,), where the rows of each begin in `rows`
    count: Tensor  # (plans,)
    rows: Tensor  # (sentences + 1,)

    def say(self, now: StepContext) -> Utterance:
        """One of the sentences of each plan, drawn for the episode and step."""
        return Utterance(_drawn(self, now, now.step), self.phrases)


@fused
def _drawn(voice: TabledVoice, now: StepContext, step: int | Tensor) -> Tensor:
    if not voice.advisor.speaks:
        return torch.full_like(now.pose, voice.phrases.silence)
    code = torch.zeros_like(now.pose)
    for action in plan_of(now, voice.advisor.k).actions.unbind(dim=1):
        code = code * NAV_ACTIONS + action
    about = now.pose * NAV_ACTIONS**voice.advisor.k + code
    place = torch.searchsorted(voice.about, about).clamp(max=len(voice.about) - 1)
    known = (take(voice.about, place) == about) & (take(voice.count, place) > 0)
    drawn = uniform(now.episodes.seed, now.episodes.key, Purpose.ADVICE, step)
    row = take(voice.first, place) + (drawn * take(voice.count, place)).long()
    return torch.where(known, take(voice.rows, row * known), take(voice.plain, code))


def told_everywhere(folder: WorldFolder, world: World, k: int, tell: Tell) -> Sentences:
    """What is told of every plan at every level pose of a world."""
    from vnla.language.surroundings import Surroundings  # late: it brings houses along

    found: Sentences = {}
    for house, first in zip(folder.houses, world.first.tolist(), strict=False):
        around = Surroundings.of(folder, house)
        plan, about = plans_in(around, k)
        for number, actions, poses in zip(about.tolist(), plan.actions.tolist(), plan.poses.tolist(), strict=True):
            whole = until_stop(actions)
            text = tell(around, whole, poses[: len(whole) + 1])
            if text is not None:
                words = (*text.replace(COMMA, f" {COMMA}").split(), FULL_STOP)
                found[number + first * VIEWS * NAV_ACTIONS**k] = [words]
    return found


def plans_in(around: Surroundings, k: int) -> tuple[PlanBatch, Tensor]:
    """Every plan that the teacher may have at a level pose of a house, and the number that it is kept by, in order."""
    world = World.compile([around.house])
    ids = around.graph.ids
    environment = Environment.compile(world, [(around.house.name, [each]) for each in ids])
    start = (torch.arange(len(ids))[:, None] * VIEWS + HEADINGS + torch.arange(HEADINGS)).flatten()
    pose, goals = (each.flatten() for each in torch.meshgrid(start, torch.arange(len(ids)), indexing="ij"))
    joined = environment.distance_left(pose, goals).isfinite()
    pose, goals = pose[joined], goals[joined]
    (actions, poses), about = environment.taught_way(pose, goals, k), pose
    for action in actions:
        about = about * NAV_ACTIONS + action
    numbers, which = np.unique(about.numpy(), return_index=True)
    return PlanBatch(torch.stack(actions, dim=1)[which], torch.stack(poses, dim=1)[which]), torch.from_numpy(numbers)

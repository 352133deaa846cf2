"""Walks of which a thing or a room that is named alone tells the way: they are rare where nobody looks for them.

In practice (`vnla.training.practice`) a share of the walks may begin like these. An agent that does not know what a word
means cannot learn there from anything else what to do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import torch
from torch import Tensor

from vnla.camera import HEADINGS, LEVEL_ROW, VIEWS
from vnla.episode import Episodes, StepContext, beginning, nothing_sought
from vnla.language.advisor import GrammarVoice
from vnla.language.speech import landmarks_alone, plan_of
from vnla.words import Words
from vnla.world.actions import UP
from vnla.world.compiled import Environment

TRIED = 10_000
"""Walks that are tried in each house."""


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Poses and goals, viewpoints, of such walks, one house after the other."""

    first: Tensor  # (houses + 1,), where those of each house begin
    start: Tensor  # (walks,)
    goal: Tensor  # (walks,)

    @classmethod
    def found(cls, everywhere: Environment, landmarks: GrammarVoice, wrong: GrammarVoice, seed: int = 0) -> Contrasts:
        """Return those of a world, of walks that are drawn, by two voices that say "landmarks" and what is "wrong". Half of
        them are ones from whose beginning another thing that might be named leads another way, in houses with such walks."""
        world = everywhere.world
        generator = torch.Generator().manual_seed(seed)
        starts, goals = [], []
        for first, last in pairwise(world.firsts):
            now = _tried(everywhere, first, last, generator)
            alone, decide = (_rows(each) for each in _telling(now, landmarks, wrong))
            again = decide.repeat(len(alone) // max(len(decide), 1))
            rows = torch.cat([alone, again])
            starts.append(now.pose[rows])
            goals.append(now.episodes.goals[rows])
        count = torch.tensor([0, *map(len, starts)], device=world.device).cumsum(0)
        nothing = [torch.zeros(1, dtype=torch.int64, device=world.device)]  # something can be looked up even there
        return cls(count, torch.cat(starts + nothing), torch.cat(goals + nothing))


def _tried(everywhere: Environment, first: int, last: int, generator: torch.Generator) -> StepContext:
    """Before the first step of walks in a house that begin with a turn, each once."""
    device = everywhere.world.device
    here, there = (torch.randint(first, last, (TRIED,), generator=generator) for _ in range(2))
    pose = here * VIEWS + LEVEL_ROW * HEADINGS + torch.randint(HEADINGS, (TRIED,), generator=generator)
    pose, goal = torch.unique(torch.stack([pose, there]), dim=1).to(device)
    turns = _rows(everywhere.nav_teacher(pose, goal) < UP)
    pose, goal = pose[turns], goal[turns]
    one, nothing = torch.ones_like(pose), Words.none(len(pose), device)
    episodes = Episodes(
        environment=everywhere, key=torch.arange(len(pose), device=device), seed=0, start=pose, goals=goal, time_budget=one,
        help_budget=one, start_paths=pose[:, None, None], end_goals=nothing, sought=nothing_sought(pose), most_requests=1,
    )  # fmt: skip
    return beginning(replace(episodes, seed=torch.zeros_like(pose)))


def _telling(now: StepContext, landmarks: GrammarVoice, wrong: GrammarVoice) -> tuple[Tensor, Tensor]:
    """Whether a thing or a room alone tells which way to turn, and whether another one would tell another way."""
    alone = landmarks_alone(plan_of(now, landmarks.advisor.k), landmarks.tell(now)).any(dim=1)
    return alone, wrong.landmarks_decide(now)


def _rows(chosen: Tensor) -> Tensor:
    return chosen.nonzero().squeeze(1)

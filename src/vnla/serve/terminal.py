"""A person as the advisor, at the terminal: an episode that waits wherever the agent asks.

The episode is walked again after every answer, with all answers so far, up to the next request. Who answers sees at once
what the agent does with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from vnla.assistance.advisor import Lexicon
from vnla.bcui import bcui
from vnla.camera import VIEWS
from vnla.evaluation.evaluate import greedy
from vnla.houses.house import House
from vnla.language.surroundings import Surroundings
from vnla.report.story import Account, EpisodeStep, follow
from vnla.rollout import Rollout, RolloutContext
from vnla.serve.hearing import Spoken, spoken_into, with_persons
from vnla.tasks.task import Task
from vnla.tasks.task_set import TaskSet

MOST_SEEN = 8
"""Objects in view that a person reads of."""


class PersonsAnswer(NamedTuple):
    """What a person says to the agent."""

    text: str | None
    """In the agent's words; None is no answer."""
    more: int = 0
    """Requests that a question back cost."""


Answer = Callable[[Account, EpisodeStep, Tensor], PersonsAnswer]
"""A person at the agent's last step so far, before which it had so many requests left: ()."""


@dataclass(frozen=True)
class TerminalEpisode:
    """An episode to be walked with a person."""

    context: RolloutContext
    tasks: TaskSet
    task: Task
    house: House
    words: Lexicon
    seed: int
    ratio: float


def walk_with(episode: TerminalEpisode, answer: Answer) -> Account:
    """Return the whole episode, in which a person answers every request."""
    spoken: dict[int, str | None] = {}
    more: dict[int, int] = {}
    while True:
        rollout = _walked(episode, spoken, more)
        account = follow(rollout, 0, episode.house, episode.task, episode.context.advisor)
        asking = next((step for step in account.steps if step.asks and step.number not in spoken), None)
        if asking is None:
            return account
        left = rollout.transitions[asking.number].budget[0]
        spoken[asking.number], more[asking.number] = answer(account, asking, left)


def _walked(episode: TerminalEpisode, spoken: Spoken, more: Mapping[int, int]) -> Rollout:
    """Run the episode up to the first request that nobody has answered."""
    which = torch.tensor([episode.tasks.tasks.index(episode.task)], device=episode.tasks.key.device)
    plain = episode.tasks.episodes(which, seed=episode.seed, ratio=episode.ratio, k=episode.context.advisor.k)
    longest = int(plain.time_budget.max())
    episodes, said = spoken_into(plain, [spoken], [True], longest, [more])
    context, listener = with_persons(episode.context, said, episode.words, len(spoken))
    with torch.inference_mode(), greedy(listener):
        return bcui(episodes, context, longest=longest)


def in_view(around: Surroundings, viewpoint: str, view: int) -> list[str]:
    """Return the largest objects that are seen, and on which side."""
    here = around.graph.ids.index(viewpoint)
    order = sorted(range(len(around.house.objects)), key=lambda thing: -float(around.share[here, view % VIEWS, thing]))
    seen = [thing for thing in order if around.visible[here, view, thing]][:MOST_SEEN]
    sides = ((around.house.objects[thing].label, around.side_of_thing(here, view, thing)) for thing in seen)
    return [label if side == "ahead" else f"{label} ({side})" for label, side in sides]

"""A person in the advisor's place, at the terminal: an episode that waits wherever the agent asks.

What a person said stays said, and the episode is walked again after every answer, up to the next request:
who answers sees what the agent does with it at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

from vnla.assistance.advisor import Lexicon
from vnla.bcui import bcui
from vnla.camera import VIEWS
from vnla.evaluation.evaluate import greedy
from vnla.houses.house import House
from vnla.language.surroundings import Surroundings
from vnla.report.story import Account, Beat, follow
from vnla.rollout import Rollout, RolloutContext
from vnla.serve.hearing import Spoken, spoken_into, with_persons
from vnla.tasks.task import Task
from vnla.tasks.task_set import TaskSet

MOST_SEEN = 8
"""Things in view that a person is told of."""

Answer = Callable[[Account, Beat], str | None]
"""What a person says to the agent at its last step so far, in the agent's words; None is no answer."""


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


def walk_with(errand: TerminalEpisode, answer: Answer) -> Account:
    """The whole episode, in which a person answers every request."""
    spoken: dict[int, str | None] = {}
    while True:
        account = follow(_walked(errand, spoken), 0, errand.house, errand.task, errand.context.advisor)
        asking = next((beat for beat in account.beats if beat.asks and beat.number not in spoken), None)
        if asking is None:
            return account
        spoken[asking.number] = answer(account, asking)


def _walked(errand: TerminalEpisode, spoken: Spoken) -> Rollout:
    """The episode up to the first request that nobody has answered."""
    which = torch.tensor([errand.tasks.tasks.index(errand.task)], device=errand.tasks.key.device)
    plain = errand.tasks.episodes(which, seed=errand.seed, ratio=errand.ratio, k=errand.context.advisor.k)
    longest = int(plain.time_budget.max())
    episodes, said = spoken_into(plain, [spoken], [True], longest)
    context, listener = with_persons(errand.context, said, errand.words, len(spoken))
    with torch.inference_mode(), greedy(listener):
        return bcui(episodes, context, longest=longest)


def in_view(around: Surroundings, viewpoint: str, view: int) -> list[str]:
    """The largest things that are seen, and on which side."""
    here = around.graph.ids.index(viewpoint)
    order = sorted(range(len(around.house.objects)), key=lambda thing: -float(around.share[here, view % VIEWS, thing]))
    seen = [thing for thing in order if around.visible[here, view, thing]][:MOST_SEEN]
    sides = ((around.house.objects[thing].label, around.side_of_thing(here, view, thing)) for thing in seen)
    return [label if side == "ahead" else f"{label} ({side})" for label, side in sides]

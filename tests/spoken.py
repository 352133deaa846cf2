"""Generated houses with all that can be said in them, made once for tests."""

from __future__ import annotations

from functools import cache

import torch

from once import shared_folder
from vnla.camera import VIEWS
from vnla.episode import StepContext
from vnla.houses.folder import read_world, write_world
from vnla.houses.generate.build import GeneratedHouse
from vnla.houses.generate.world import HouseRecipe, as_extra
from vnla.language.advisor import GrammarAdvisor, GrammarVoice
from vnla.language.facts import Facts, world_facts
from vnla.language.frames import Frame, Step, said
from vnla.language.speech import ComposedSentences, Knowledge, plan_of
from vnla.language.surroundings import Surroundings
from vnla.report.advice import wandering
from vnla.tasks.vocabulary import SPECIAL, Vocabulary
from vnla.world.actions import Nav
from vnla.world.compiled import World

RECIPES = (HouseRecipe("house0", 3, 12), HouseRecipe("house1", 5, 60))
VOCABULARY = Vocabulary((*SPECIAL, *GrammarAdvisor().words()))


@cache
def made() -> tuple[GeneratedHouse, ...]:
    """One with one storey, and one with two and stairs between them."""
    return tuple(recipe.make() for recipe in RECIPES)


@cache
def looked_at() -> tuple[tuple[Surroundings, ...], tuple[Facts, ...]]:
    """What there is in the houses, and all that can be said of it. The first process keeps both in a world folder."""
    with shared_folder("spoken") as place:
        if not (place / "world").exists():
            houses = [each.house for each in made()]
            write_world(place / "world", houses, source="generated", extra=as_extra("test", 0, RECIPES))
        folder = read_world(place / "world")
        return tuple(Surroundings.of(folder, house) for house in folder.houses), tuple(world_facts(folder, workers=1))


def surroundings() -> tuple[Surroundings, ...]:
    return looked_at()[0]


@cache
def world() -> World:
    return World.compile([each.house for each in made()])


@cache
def knowledge() -> Knowledge:
    return Knowledge.of(looked_at()[1], world())


def voice(k: int = 4, says: str = "usual") -> GrammarVoice:
    own = GrammarAdvisor(k=k, says=says).ready(VOCABULARY)
    return GrammarVoice(own.advisor, own.phrases, own.speech, own.spelling, knowledge())


@cache
def agents(count: int, seed: int = 0) -> StepContext:
    return wandering(world(), count, seed)


def clauses(now: StepContext, told: ComposedSentences, row: int) -> list[tuple[Frame, int, int, int]]:
    """Of one sentence: the frames, the poses before and after each, and the house, all numbered as the house does."""
    k = told.what.shape[1]
    plan = plan_of(now, k)
    house = int(torch.searchsorted(world().first, now.pose[row] // VIEWS, right=True)) - 1
    first = int(world().first[house]) * VIEWS
    found = []
    for at, what in enumerate(told.what[row].tolist()):
        if what >= 0:
            end = int(told.end[row, at])
            frame = said(what, int(told.side[row, at]), Nav(int(plan.actions[row, at])), end - at)
            found.append((frame, int(plan.poses[row, at]) - first, int(plan.poses[row, end]) - first, house))
    return found


def stepping(now: StepContext, row: int, house: int) -> Step:
    """What actions do, with the agent's goal."""
    first, environment = int(world().first[house]) * VIEWS, now.episodes.environment
    goal = now.episodes.goals[row : row + 1]
    return lambda pose, action: (
        int(environment.step(torch.tensor([pose + first]), torch.tensor([int(action)]), goal)) - first
    )

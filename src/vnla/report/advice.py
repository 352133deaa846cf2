"""What an advisor says, beside pictures of the walk that it speaks of: a page to read.

files.write_text(Path("advice.html"), advice_page("Advice", folder, advice_examples(folder, advisor, count=200)))
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import torch
from numpy.typing import NDArray

from vnla.assistance.advisor import Advisor, TemplateAdvisor
from vnla.assistance.phrases import subgoal_text, until_stop
from vnla.camera import VIEWS
from vnla.common.progress import Count, unheard
from vnla.episode import Episodes, StepContext
from vnla.houses.folder import WorldFolder
from vnla.report.episodes import images_of
from vnla.report.film import Images
from vnla.report.html import render
from vnla.tasks.vocabulary import SPECIAL, Vocabulary
from vnla.world.actions import NAV_ACTIONS, Nav
from vnla.world.compiled import Environment, World

SIZE = (208, 156)
"""Of a picture, in pixels."""
STEPS = 6
"""That an agent has taken, and remembers, when it asks."""
_ASTRAY = 0.3  # share of them that are taken at random
_ARROWS = {Nav.LEFT: "↶", Nav.RIGHT: "↷", Nav.UP: "look up", Nav.DOWN: "look down", Nav.FORWARD: "→", Nav.STOP: "stop"}


@dataclass(frozen=True)
class AdviceExample:
    """One sentence and the walk that it speaks of."""

    house: str
    said: str
    plain: str
    views: tuple[tuple[str, int], ...]  # viewpoint and view before each action, and after the last
    actions: tuple[Nav, ...]


def advice_examples(folder: WorldFolder, advisor: Advisor, count: int, seed: int = 0) -> list[AdviceExample]:
    """What an advisor says to agents that have wandered about the houses of a world."""
    world = World.compile(folder.houses)
    now = wandering(world, count, seed)
    bound_advisor = advisor.ready_in(folder, world, Vocabulary((*SPECIAL, *advisor.words())))
    utterance = bound_advisor.say(now)
    plans = TemplateAdvisor(k=min(advisor.k, 7))
    found = []
    for row in range(count):
        actions, poses = _plan(now, row, advisor.k)
        house = int(torch.searchsorted(world.first, poses[0] // VIEWS, right=True)) - 1
        views = tuple((world.ids[pose // VIEWS], pose % VIEWS) for pose in poses[: len(actions) + 1])
        said = utterance.table.text(int(utterance.index[row]))
        found.append(
            AdviceExample(world.houses[house], said, subgoal_text(actions, aggregate=plans.aggregate), views, actions)
        )
    return found


def wandering(world: World, count: int, seed: int = 0) -> StepContext:
    """Agents on their way to random places in random houses, some steps after they set out, not all of them right."""
    random = torch.Generator().manual_seed(seed)
    sizes = world.first.diff()
    house = torch.randint(len(world.houses), (count,), generator=random)
    ends = [_places(world, int(each), int(sizes[each]), random) for each in house]
    sought = [(world.houses[i], [world.ids[goal]]) for i, (_, goal) in zip(house.tolist(), ends, strict=True)]
    environment = Environment.compile(world, sought)
    goals = torch.arange(count)
    pose = torch.tensor([start * VIEWS for start, _ in ends]) + 12 + torch.randint(12, (count,), generator=random)
    episodes = Episodes.begin(
        environment, key=goals, start=pose, goals=goals, time_budget=torch.full_like(goals, 25), seed=seed
    )
    past = []
    for _ in range(STEPS):
        past.append(pose)
        astray = torch.rand(count, generator=random) < _ASTRAY
        anything = torch.randint(NAV_ACTIONS - 1, (count,), generator=random)
        pose = environment.step(pose, torch.where(astray, anything, environment.nav_teacher(pose, goals)), goals)
    zero = torch.zeros_like(pose)
    nothing = torch.empty(count, 0)
    return StepContext(
        episodes, STEPS, pose, zero, zero + 1, nothing, zero, since_request=zero, past=torch.stack(past, dim=1)
    )


def _places(world: World, house: int, size: int, random: torch.Generator) -> tuple[int, int]:
    """Two viewpoints of a house, the second one that can be reached from the first, and is far if there are such."""
    first = int(world.first[house])
    start = first + int(torch.randint(size, (), generator=random))
    away = world.distance_between(torch.full((size,), start), first + torch.arange(size))
    far = torch.where(away.isfinite(), away, 0) * torch.rand(size, generator=random)
    return start, first + int(far.argmax())


def _plan(now: StepContext, row: int, k: int) -> tuple[tuple[Nav, ...], list[int]]:
    """What the teacher would do, until it stops, and the poses on the way."""
    here = slice(row, row + 1)
    actions, poses = now.episodes.environment.taught_way(now.pose[here], now.episodes.goals[here], k)
    return until_stop([int(action) for action in actions]), [int(pose) for pose in poses]


def advice_page(title: str, folder: WorldFolder, advised: Sequence[AdviceExample], progress: Count = unheard) -> str:
    """The page, with all pictures in it; of houses without pictures it has the words alone."""
    frames: dict[int, list[tuple[bytes, str]]] = {}
    order = sorted(range(len(advised)), key=lambda i: advised[i].house)
    houses = {house.name: house for house in folder.houses}
    for name, group in groupby(order, key=lambda i: advised[i].house):
        images = images_of(folder, houses[name], SIZE)  # once a house: it takes seconds to light
        for number in group:
            frames[number] = list(_frames(advised[number], images))
            progress(1)
    sections = [(one, frames[number]) for number, one in enumerate(advised)]
    return render("advice", title=title, sections=sections, size=SIZE)


def _frames(one: AdviceExample, images: Images | None) -> Iterator[tuple[bytes, str]]:
    """Yield what is seen on the way and what is done there; nothing where there are no pictures."""
    if images is not None:
        actions = [*(_ARROWS[action] for action in one.actions), "end"]
        for (viewpoint, view), action in zip(one.views, actions, strict=False):
            yield _jpeg(images(one.house, viewpoint, view)), action


def _jpeg(picture: NDArray[np.uint8]) -> bytes:
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, "JPEG", quality=80)
    return buffer.getvalue()

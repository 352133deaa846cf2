"""What an advisor says, beside pictures of the walk that it speaks of: a page to read.

files.write_text(Path("advice.html"), advice_page("Advice", told(folder, advisor, count=200)))
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
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
from vnla.tasks.vocabulary import SPECIAL, Vocabulary
from vnla.world.actions import NAV_ACTIONS, Nav
from vnla.world.compiled import Environment, World

SIZE = (208, 156)
"""Of a picture, in pixels."""
STEPS = 6
"""That an agent has taken, and remembers, when it asks."""
_ASTRAY = 0.3  # share of them that are taken at random
_ARROWS = {Nav.LEFT: "↶", Nav.RIGHT: "↷", Nav.UP: "look up", Nav.DOWN: "look down", Nav.FORWARD: "→", Nav.STOP: "stop"}
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; color: #222; }
section { border-top: 1px solid #ccc; padding: 1rem 0; }
blockquote { font-size: 1.25rem; margin: 0 0 .2rem; }
p { margin: 0 0 .6rem; color: #666; }
ol { display: flex; flex-wrap: wrap; gap: .6rem; list-style: none; margin: 0; padding: 0; }
figure { margin: 0; }
figcaption { color: #666; font-size: .85rem; }
"""
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


@dataclass(frozen=True)
class Advised:
    """One sentence and the walk that it speaks of."""

    house: str
    said: str
    plainly: str
    views: tuple[tuple[str, int], ...]  # viewpoint and view before each action, and after the last
    actions: tuple[Nav, ...]


def told(folder: WorldFolder, advisor: Advisor, count: int, seed: int = 0) -> list[Advised]:
    """What an advisor says to agents that have wandered about the houses of a world."""
    world = World.compile(folder.houses)
    now = wandering(world, count, seed)
    bound_advisor = advisor.ready_in(folder, world, Vocabulary((*SPECIAL, *advisor.words())))
    heard = bound_advisor.say(now)
    plans = TemplateAdvisor(k=min(advisor.k, 7))
    found = []
    for row in range(count):
        actions, poses = _plan(now, row, advisor.k)
        house = int(torch.searchsorted(world.first, poses[0] // VIEWS, right=True)) - 1
        views = tuple((world.ids[pose // VIEWS], pose % VIEWS) for pose in poses[: len(actions) + 1])
        said = heard.table.text(int(heard.index[row]))
        found.append(Advised(world.houses[house], said, subgoal_text(actions, aggregate=plans.aggregate), views, actions))
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


def advice_page(title: str, folder: WorldFolder, advised: Sequence[Advised], progress: Count = unheard) -> str:
    """The page, with all pictures in it; of houses without pictures it has the words alone."""
    sections: dict[int, str] = {}
    order = sorted(range(len(advised)), key=lambda i: advised[i].house)
    houses = {house.name: house for house in folder.houses}
    for name, group in groupby(order, key=lambda i: advised[i].house):
        images = images_of(folder, houses[name], SIZE)  # once a house: it takes seconds to light
        for number in group:
            sections[number] = _section(number + 1, advised[number], list(pictures(advised[number], images)))
            progress(1)
    body = "\n".join(sections[number] for number in range(len(advised)))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n<title>{escape(title)}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )


def pictures(one: Advised, images: Images | None) -> Iterator[NDArray[np.uint8]]:
    """What is seen on the way; nothing where there are no pictures."""
    if images is not None:
        yield from (images(one.house, viewpoint, view) for viewpoint, view in one.views)


def _section(number: int, one: Advised, seen: Sequence[NDArray[np.uint8]]) -> str:
    arrows = [*(_ARROWS[action] for action in one.actions), "end"]
    frames = "".join(
        f'<li><figure><img src="data:image/jpeg;base64,{_jpeg(picture)}" alt="" width="{SIZE[0]}" height="{SIZE[1]}">'
        f"<figcaption>{escape(arrow)}</figcaption></figure></li>"
        for picture, arrow in zip(seen, arrows, strict=False)
    )
    return (
        f"<section><blockquote>{number}. {escape(one.said) or '…'}</blockquote>"
        f"<p>{escape(one.plainly)} ({escape(one.house)})</p><ol>{frames}</ol></section>"
    )


def _jpeg(picture: NDArray[np.uint8]) -> str:
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, "JPEG", quality=80)
    return base64.b64encode(buffer.getvalue()).decode()

"""Walks of which a thing or a room that is named alone tells the way."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import torch

import spoken as it
from vnla.assistance.phrases import until_stop
from vnla.camera import VIEWS
from vnla.episode import beginning
from vnla.language.grounding import denote
from vnla.language.parser import parse
from vnla.language.speech import landmarks_alone, plan_of
from vnla.training.contrasts import Contrasts
from vnla.training.practice import Elsewhere, led_elsewhere
from vnla.world.actions import LEFT, RIGHT
from vnla.world.compiled import Environment, viewpoint_of


@cache
def found() -> tuple[Environment, Contrasts]:
    everywhere = Environment.everywhere(it.world())
    return everywhere, Contrasts.found(everywhere, it.voice(says="landmarks"), it.voice(says="wrong"))


def test_what_is_named_alone_tells_the_way_and_another_often_leads_another() -> None:
    """Also by the parser: it follows the true sentences, and is led astray by the other ones."""
    everywhere, contrasts = found()
    start, goal = contrasts.start[:-1], contrasts.goal[:-1]
    assert contrasts.first.tolist()[-1] == len(start) > 100
    world = it.world()
    for number, (first, last) in enumerate(zip(contrasts.first[:-1], contrasts.first[1:], strict=True)):
        for place in (viewpoint_of(start[first:last]), goal[first:last]):
            assert (torch.searchsorted(world.first, place, right=True) - 1 == number).all()
    now = it.agents(len(start), 2)
    now = beginning(replace(now.episodes, environment=everywhere, start=start, goals=goal))
    plan, told = plan_of(now, 4), it.voice(says="landmarks").tell(now)
    assert torch.isin(plan.actions[:, 0], torch.tensor([LEFT, RIGHT])).all()
    assert landmarks_alone(plan, told).any(dim=1).float().mean() > 0.9
    deciding = it.voice(says="wrong").landmarks_decide(now)
    assert 0.3 < float(deciding.float().mean()) < 0.9
    true, other = (it.voice(says=says).say(now).table for says in ("landmarks", "wrong"))
    followed = astray = 0
    rows = deciding.nonzero().flatten()[:: max(int(deciding.sum()) // 20, 1)][:20].tolist()
    for row in rows:
        house = int(torch.searchsorted(world.first, start[row] // VIEWS, right=True)) - 1
        around, step, pose = (
            it.surroundings()[house],
            it.stepping(now, row, house),
            int(start[row] - world.first[house] * VIEWS),
        )
        wanted = until_stop(plan.actions[row].tolist())
        meant, otherwise = (
            denote(parse(table.text(row)), around, pose, step, loosely=False).plan for table in (true, other)
        )
        followed += meant == wanted
        astray += otherwise != wanted
    assert len(rows) == 20 and followed >= 18 and astray >= 19


def test_a_share_of_the_walks_begin_like_these() -> None:
    """Three in four of them lead there, and others elsewhere; of a house without any, none does. It can be traced."""
    everywhere, contrasts = found()
    now = it.agents(400, 2)
    episodes = replace(now.episodes, seed=torch.full_like(now.pose, 3))
    elsewhere = Elsewhere(1.0, 0.5, everywhere, contrasts)
    start, goal = led_elsewhere(episodes, elsewhere)
    pairs = set(zip(contrasts.start.tolist(), contrasts.goal.tolist(), strict=True))
    begins = torch.isin(start, contrasts.start)
    led = torch.tensor([each in pairs for each in zip(start.tolist(), goal.tolist(), strict=True)])
    free, _ = led_elsewhere(episodes, replace(elsewhere, contrast=0.0))
    assert 0.4 < float((start != free).float().mean()) < 0.6
    assert 0.6 < float(led[start != free].float().mean()) < 0.9 and begins[start != free].all()
    house = torch.searchsorted(
        it.world().first, viewpoint_of(torch.stack([start, goal * VIEWS, episodes.start])), right=True
    )
    assert (house[0] == house[2]).all() and (house[1] == house[2]).all()
    none = replace(contrasts, first=torch.zeros_like(contrasts.first))
    assert torch.equal(led_elsewhere(episodes, replace(elsewhere, contrasts=none))[0], free)
    plain: Any = led_elsewhere.__wrapped__  # type: ignore[attr-defined]
    traced = torch.compile(plain, backend="eager", fullgraph=True, dynamic=False)(episodes, elsewhere)
    assert torch.equal(traced[0], start) and torch.equal(traced[1], goal)
    torch._dynamo.reset()

"""Figure 1 of the paper for a real run: one evaluated episode as a bird's-eye map of the path, the views at each request and
what was said, with how it ended and, where it failed, what went wrong.

    for task in examples(evaluation):
        items.append(tell_episode(context, tasks, houses, task, images=images_of(folder, house)))
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from vnla.common.errors import InputError
from vnla.evaluation.evaluate import SEEDS, Evaluation, run_task
from vnla.evaluation.scores import SUCCESS_RADIUS
from vnla.houses.folder import WorldFolder
from vnla.houses.house import House
from vnla.houses.images import world_images
from vnla.report.document import EpisodeFrame, EpisodeReport
from vnla.report.film import (
    FilmFrame,
    Images,
    draw_view,
    looking,
    one_by_one,
    outcome,
    quoted,
    strip,
    views_of,
)
from vnla.report.labels import jpeg, new_page, png
from vnla.report.maps import house_png
from vnla.report.story import Account, Sights, count, distance_to_goal, follow, place, put_into_words, sights
from vnla.rollout import RolloutContext
from vnla.tasks.task import Task
from vnla.tasks.task_set import TaskSet
from vnla.world.budgets import HELP_RATIO

FRAME = (480, 360)
"""Pixels of a frame."""


def examples(evaluation: Evaluation, successes: int = 1, failures: int = 1) -> list[str]:
    """Ids of tasks to tell, by how they went under the first seed.

    Of the successes those with the longest way, helped ones first; of the failures the most ordinary ones, whose error is
    nearest to the median of all failures. Each is in search of another kind of room, as long as there are any.
    """
    scores, tasks = evaluation.scores.rows(0), evaluation.tasks.tasks
    won, lost = np.flatnonzero(scores.success).tolist(), np.flatnonzero(~scores.success).tolist()
    usual = float(np.median(scores.nav_error[lost])) if lost else 0.0
    won.sort(key=lambda i: (scores.requests[i] == 0, -scores.shortest[i], tasks[i].id))
    lost.sort(key=lambda i: (abs(scores.nav_error[i] - usual), tasks[i].id))
    rooms: set[str] = set()
    return [tasks[i].id for i in (*_varied(won, tasks, successes, rooms), *_varied(lost, tasks, failures, rooms))]


def _varied(order: Sequence[int], tasks: Sequence[Task], count: int, rooms: set[str]) -> list[int]:
    """The first `count` whose goal rooms are not among `rooms`, which grow; then, if there are too few, the first others."""
    chosen: list[int] = []
    for i in order:
        if len(chosen) < count and tasks[i].goal_room not in rooms:
            chosen.append(i)
            rooms.add(tasks[i].goal_room)
    return [*chosen, *(i for i in order if i not in chosen)][:count]


def images_of(folder: WorldFolder, house: House, size: tuple[int, int] = FRAME) -> Images | None:
    """Pictures of a house where all of it can be seen."""
    images = world_images(folder, size, alone=True)  # which makes no other house ready
    return one_by_one(images) if images.source.has(house) else None


def tell_episode(
    context: RolloutContext,
    tasks: TaskSet,
    houses: Sequence[House],
    task: str,
    *,
    seed: int = SEEDS[0],
    ratio: float = HELP_RATIO,
    images: Images | None = None,
    name: str | None = None,
    command: str = "",
) -> EpisodeReport:
    """The episode of the task with the id `task`, run again as `evaluate` ran it. Without `images` views are sketches."""
    rollout = run_task(context, tasks, task, seed=seed, ratio=ratio)
    wanted = next(each for each in tasks.tasks if each.id == task)
    house = next((each for each in houses if each.name == wanted.house), None)
    if house is None:
        raise InputError(f"task {task}: its house {wanted.house} is not among those given")
    account = follow(rollout, 0, house, wanted, context.advisor)
    slug = re.sub(r"[^a-z0-9]+", "-", f"episode-{task}-{seed}".lower()).strip("-")
    facts = {"Task": task, "Seed": str(seed)}
    return illustrate(account, name or slug, images, facts=facts, command=command)


def illustrate(
    account: Account, name: str, images: Images | None = None, *, facts: dict[str, str] | None = None, command: str = ""
) -> EpisodeReport:
    """An account with its pictures."""
    film = strip(account, images)
    return EpisodeReport(
        name=name,
        title=f"{account.end_goal}.",
        success=account.success,
        outcome=re.sub(r"\s+", " ", outcome(account)[1]),
        wrong=failure(account),
        map=house_png(account.house, walk=account.walk(), goals=account.goals),
        map_alt=_map_in_words(account),
        frames=_frames(account, images),
        film=png(film) if images is None else jpeg(film),
        film_alt=f"All {len(account.steps)} steps of the episode, one view each; the same in words is below.",
        story=str(put_into_words(account)).splitlines(),
        facts=facts or {},
        command=command,
    )


def failure(account: Account) -> str:
    """Why an episode failed, in a sentence; nothing for a success."""
    if account.success:
        return ""
    where = distance_to_goal(account)
    closest = min(account.steps, key=lambda step: step.metres_left, default=None)
    if closest is not None and closest.metres_left <= SUCCESS_RADIUS:
        return f"It was near enough after {count(closest.number, 'action')}, but went on and ended {where}."
    stands = [*(step.viewpoint for step in account.steps), account.last[0]]
    if len(set(stands)) == 1:
        return f"It never left the place where it began, {where}."
    rooms = {each.id: each for each in map(account.house.room_of, stands) if each is not None}
    goal_rooms = {each.id: each for each in map(account.house.room_of, account.goals) if each is not None}
    known = all(account.house.room_of(stand) is not None for stand in stands)
    if known and len(rooms) == 1 and not rooms.keys() & goal_rooms.keys():
        return f"It never left the {next(iter(rooms.values())).name} where it began, {where}."
    how = f"It stopped {where}" if account.stopped else f"It ran out of time {where}"
    return f"{how}, {place(account.house, account.last[0])}{_instead(account)}."


def _instead(account: Account) -> str:
    """The kind of room it should be in, where it is in another."""
    here = account.house.room_of(account.last[0])
    wanted = {each.label: each.name for each in map(account.house.room_of, account.goals) if each is not None}
    if here is None or not wanted or here.label in wanted:
        return ""
    return f" instead of the {' or '.join(sorted(wanted.values()))}"


def _frames(account: Account, images: Images | None) -> list[EpisodeFrame]:
    """The views at the start, at each request and at the end."""
    seen = sights(account.house)
    views = views_of(account)
    shown = [i for i, view in enumerate(views) if view.letter or i in (0, len(views) - 1)]
    return [_frame(account, views[i], _when(i, views, account), seen, images) for i in shown]


def _when(number: int, views: Sequence[FilmFrame], account: Account) -> str:
    if number == len(views) - 1:
        return f"At the end, after {count(len(account.steps), 'action')}"
    return f"After {count(number, 'action')}" if number else "At the start"


def _frame(account: Account, view: FilmFrame, when: str, seen: Sights, images: Images | None) -> EpisodeFrame:
    page, figure = new_page(*FRAME)
    draw_view(page, account.house, view, (2, 2, FRAME[0] - 2, FRAME[1] - 2), images)
    where = f"{place(account.house, view.viewpoint)}, looking {looking(view.view)}"
    things = ", ".join(seen(view.viewpoint, view.view)[:4]) or "nothing with a name"
    said = quoted(view.step.said) if view.step is not None and view.step.said is not None else ""
    return EpisodeFrame(
        image=png(figure) if images is None else jpeg(figure),
        alt=f"The agent's view {where}; in view: {things}.",
        title=f"{when}, {where}",
        letter=view.letter or "",
        said=said,
    )


def _map_in_words(account: Account) -> str:
    """Through which rooms the agent went, and where it asked."""
    stands = [*(step.viewpoint for step in account.steps), account.last[0]]
    places = [place(account.house, stand) for stand in stands]
    through = [places[0], *(after for before, after in pairwise(places) if after != before)]
    asked = [place(account.house, step.viewpoint) for step in account.steps if step.asks]
    helped = f" It asked for help {', '.join(asked)}." if asked else " It did not ask for help."
    return f"Floor plan of house {account.house.name} with the agent's path: {', then '.join(through)}.{helped}"

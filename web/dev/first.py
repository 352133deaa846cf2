"""Record the episode that the page plays before anything is loaded: the pretrained agent looks for an object in a house that
comes with the package.

python web/dev/first.py OBJECT
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.common.files import write_text
from vnla.experiments.embedded import embedded_world
from vnla.serve.agent_walk import AgentWalk
from vnla.serve.content import FIRST, FIRST_EVENTS
from vnla.serve.engine import EpisodeRequest
from vnla.serve.episode_spec import EpisodeSpec
from vnla.serve.shipped import HOUSES
from vnla.serve.site import Site
from vnla.serve.walk_events import begun_event, walk_events
from vnla.serve.worlds import cache_folder
from vnla.training.trained import open_trained

SEED = 123
_REQUESTS = 2
_PLACES, _STEPS = (4, 6), (8, 14)
"""Least and most of a walk that is neither dull nor long."""


def record(site: Site, folder: Path, thing: str) -> None:
    """Record a walk of the agent that is worth seeing: it looks for a thing and finds it, with help."""
    world = site.service.world
    tasks = [task for task in site.engine.goals.offered if task.object == thing and task.house in HOUSES]
    requests = [EpisodeRequest(task, SEED, {}) for task in tasks]
    walk = _best([each.result() for each in map(site.engine.walk, requests)])
    house = site.places.name(world.house(walk.task))
    spec = EpisodeSpec(task=walk.task.id, seed=SEED)
    events = [begun_event(walk, walk.start, world, "watch", spec.name), *walk_events(walk, world)]
    seen = {world.pose(pose).viewpoint for pose in walk.poses}
    pictures = {name: each for name, each in site.addresses(house).items() if name in seen}
    numbered = [event.model_copy(update={"number": i}).model_dump(mode="json") for i, event in enumerate(events, start=1)]
    shown = {"events": numbered, "plan": site.plan(house, bare=False), "pictures": pictures}
    write_text(folder / FIRST_EVENTS, json.dumps(shown, separators=(",", ":")) + "\n")


def _best(walks: Sequence[AgentWalk]) -> AgentWalk:
    """Return a success with help in the middle of it, that stops by itself."""
    good = [each for each in walks if each.success and each.stopped and _is_worth_seeing(each)]
    if not good:
        raise InputError("no such walk is worth recording; try another thing or another world")
    return max(good, key=lambda each: (sum(i for i, step in enumerate(each.steps) if step.asked), each.task.id))


def _is_worth_seeing(walk: AgentWalk) -> bool:
    places = len({pose // VIEWS for pose in walk.poses})
    asked = sum(step.asked for step in walk.steps)
    return (
        asked == walk.requests == _REQUESTS
        and _PLACES[0] <= places <= _PLACES[1]
        and _STEPS[0] <= len(walk.steps) <= _STEPS[1]
    )


def main(thing: str) -> None:
    """Record the episode that is shipped."""
    world, tasks = embedded_world()
    trained = open_trained(Path("pretrained"), world=world, tasks=tasks)
    site = Site(trained, cache_folder() / "pictures", b"nobody")
    record(site, FIRST, thing)
    site.close()


if __name__ == "__main__":
    main(*sys.argv[1:])

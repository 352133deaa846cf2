"""The recorded episode that the page plays before anything is loaded, with its plan, pictures and mesh.

It is shipped with the package, in the folder `first`. To record another one, of the pretrained agent in a world:

    python -m vnla.serve.first WORLD TASKS OBJECT
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from vnla.camera import VIEWS
from vnla.common.errors import InputError
from vnla.common.files import write_bytes, write_text
from vnla.serve.answers import FOREVER, JSON, Content

if TYPE_CHECKING:
    from vnla.serve.agent_walk import AgentWalk
    from vnla.serve.site import Site

FOLDER = Path(__file__).parent / "first"
EVENTS = "first.json"
SEED = 123
_REQUESTS = 2
_PLACES, _STEPS = (4, 6), (8, 14)
"""Least and most of a walk that is neither dull nor long."""


@dataclass(frozen=True)
class FirstEpisode:
    """The recording, None where there is none, and what it shows: pictures and meshes, by their digits."""

    events: Content | None
    faces: dict[str, Content]
    meshes: dict[str, Content]


@cache
def first_episode() -> FirstEpisode:
    """What is shipped."""
    events = FOLDER / EVENTS
    return FirstEpisode(
        Content(events.read_bytes(), JSON) if events.is_file() else None,
        {path.stem: Content(path.read_bytes(), "image/webp", FOREVER) for path in FOLDER.glob("*.webp")},
        {path.stem: Content(path.read_bytes(), "model/gltf-binary") for path in FOLDER.glob("*.glb")},
    )


def record(site: Site, folder: Path, thing: str) -> None:
    """Record a walk of the agent that is worth seeing: it looks for a thing and finds it, with help."""
    from vnla.serve.engine import EpisodeRequest
    from vnla.serve.episode_spec import EpisodeSpec
    from vnla.serve.walk_events import begun, told

    scene = site.visits.scene
    walks = [site.engine.walk(EpisodeRequest(task, SEED, {})) for task in site.engine.goals.offered if task.object == thing]
    walked = _best([each.result() for each in walks])
    house = site.places.name(scene.house(walked.task))
    wanted = EpisodeSpec(task=walked.task.id, seed=SEED)
    events = [begun(walked, scene, "watch", wanted.name, None), *told(walked, scene)]
    seen = {scene.pose(pose).viewpoint for pose in walked.poses}
    pictures = {name: each for name, each in site.addresses(house).items() if name in seen}
    shutil.rmtree(folder, ignore_errors=True)
    for address in (each for six in pictures.values() for each in six):
        picture = Path(address).name
        write_bytes(folder / picture, site.pictures.face(picture.removesuffix(".webp")))
    write_bytes(folder / f"{house}.glb", site.mesh(house))
    told_as = [event.model_copy(update={"number": i}).model_dump(mode="json") for i, event in enumerate(events, start=1)]
    shown = {"events": told_as, "plan": site.plan(house, bare=False), "pictures": pictures}
    write_text(folder / EVENTS, json.dumps(shown, separators=(",", ":")) + "\n")


def _best(walks: Sequence[AgentWalk]) -> AgentWalk:
    """A success with help in the middle of it, that stops by itself."""
    good = [each for each in walks if each.success and each.stopped and _is_worth_seeing(each)]
    if not good:
        raise InputError("no such walk is worth recording; try another thing or another world")
    return max(good, key=lambda each: (sum(i for i, step in enumerate(each.steps) if step.asked), each.task.id))


def _is_worth_seeing(walked: AgentWalk) -> bool:
    places = len({pose // VIEWS for pose in walked.poses})
    asked = sum(step.asked for step in walked.steps)
    return (
        asked == walked.requests == _REQUESTS
        and _PLACES[0] <= places <= _PLACES[1]
        and _STEPS[0] <= len(walked.steps) <= _STEPS[1]
    )


def main(world: str, tasks: str, thing: str) -> None:
    """Record the episode that is shipped."""
    from vnla.serve.site import Site
    from vnla.serve.worlds import cache_folder
    from vnla.training.trained import open_trained

    site = Site(
        open_trained(Path("pretrained"), world=Path(world), tasks=Path(tasks)), cache_folder() / "pictures", b"nobody"
    )
    record(site, FOLDER, thing)
    site.close()


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Poses as a page has them, ways, what can be walked to next; and the recorded walk that is shipped."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
import torch

from vnla.camera import VIEWS
from vnla.serve.content import first_episode
from vnla.serve.engine import EpisodeEngine
from vnla.serve.events import EVENT
from vnla.serve.places import PlaceNames, VisitorWorld
from vnla.serve.reduce import reduced
from vnla.world.actions import Nav


@pytest.fixture(scope="module")
def scene(engine: EpisodeEngine) -> VisitorWorld:
    return VisitorWorld(engine.trained.material.world, PlaceNames(engine.goals.houses.values()))


def test_wherever_forward_leads_was_in_view(engine: EpisodeEngine, scene: VisitorWorld) -> None:
    tasks = engine.compiled(engine.goals.offered)
    poses = torch.arange(len(tasks.environment.world.ids) * VIEWS)
    for goals in tasks.goals.unique():
        after = tasks.environment.step(poses, torch.full_like(poses, Nav.FORWARD), goals.expand_as(poses))
        for pose, there in zip(poses.tolist(), after.tolist(), strict=True):
            assert there == pose or scene.pose(there).viewpoint in scene.ahead(pose)
            assert (there == pose) == (not scene.ahead(pose))


def test_a_way_is_the_shortest_to_the_nearest_goal(engine: EpisodeEngine, scene: VisitorWorld) -> None:
    tasks = engine.compiled(engine.goals.offered)
    world = tasks.environment.world
    numbers = {scene.pose(i * VIEWS).viewpoint: i for i in range(len(world.ids))}
    for task, goals in zip(tasks.tasks, tasks.goals, strict=True):
        for here in range(len(world.ids)):
            way = [numbers[name] for name in scene.way(here * VIEWS, task)]
            assert way[0] == here
            assert scene.pose(way[-1] * VIEWS).viewpoint in scene.goals(task)
            metres = sum(float(world.distance_between(*map(torch.tensor, pair))) for pair in pairwise(way))
            left = tasks.environment.distance_left(torch.tensor([here * VIEWS]), goals[None])
            assert metres == pytest.approx(float(left), abs=1e-3)


def test_the_recorded_walk_is_whole_and_has_its_pictures() -> None:
    first = first_episode()
    assert first.events
    shown = json.loads(first.events.body)
    for event in shown["events"]:
        EVENT.validate_python(event)
    state = reduced(shown["events"])
    assert state["ended"]["success"]
    assert sum(step["asked"] is not None for step in state["steps"]) == state["begun"]["requests"] == 2
    assert state["begun"]["house"] in first.meshes
    stood = {step["pose"]["viewpoint"] for step in state["steps"]}
    assert stood <= set(shown["pictures"])
    assert stood <= set(shown["plan"]["viewpoints"])
    for addresses in shown["pictures"].values():
        faces = [first.faces[address.removeprefix("/face/").removesuffix(".webp")] for address in addresses]
        assert len(faces) == 6
        assert sum(len(face.body) for face in faces) <= 200_000

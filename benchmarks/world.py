"""How fast real-sized buildings are compiled, and how fast agents step through them.

    vnla bench world

Where the C++ simulator's speed is known, the ratio to it stands beside ours.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from benchmarks.measure import Measurement, median_seconds, one_thread, seconds_of
from vnla import mattersim
from vnla.assistance.advisor import TemplateAdvisor
from vnla.camera import VIEWS
from vnla.houses.matterport import write_connectivity
from vnla.houses.scatter import real_sized_houses
from vnla.world.actions import NAV_ACTIONS
from vnla.world.compiled import Environment, World

CPP_STEPS_A_SECOND = (126_000, 219_000)
"""Action and state of the C++ MatterSim used through Python, one simulator, one core: the range that was measured."""

BATCHES = {"cpu": (1, 100, 10_000), "cuda": (100, 10_000, 1_000_000)}


def bench_world(houses: int = 90, seed: int = 0, seconds: float = 1.0, device: str = "cpu") -> Iterator[Measurement]:
    """Compiling that many buildings and stepping through them; on a CPU with one thread."""
    buildings = real_sized_houses(houses, seed)
    worlds: list[World] = []
    spent = seconds_of(lambda: worlds.append(World.compile(buildings, device)), device)
    (world,) = worlds
    yield Measurement(f"compile {houses} buildings", spent, "s", note=f"{len(world.ids):,} viewpoints")
    yield Measurement("tables", world.nbytes / 1e6, "MB")
    environment = Environment.compile(world, [(house.name, [house.viewpoints[-1].id]) for house in buildings])
    best = CPP_STEPS_A_SECOND[1]
    with one_thread():
        for batch in BATCHES[device]:
            rate = steps_a_second(environment, batch, seed, seconds, device)
            yield Measurement(f"step, batch {batch:,}", rate, "steps/s", best)
        yield Measurement("advice, batch 100", _advice_a_second(environment, 100, seed, seconds, device), "answers/s")
    if device == "cpu":
        yield Measurement("MatterSim drop-in", _drop_in_steps_a_second(seed, seconds), "steps/s", best)


def steps_a_second(environment: Environment, batch: int, seed: int, seconds: float, device: str = "cpu") -> float:
    """Actions taken and states looked up (pose, whether forward is possible, distance left) by random walkers."""
    pose, goals, actions = _walkers(environment, batch, seed, device)

    def walk() -> None:
        nonlocal pose
        for action in actions:
            pose = environment.step(pose, action, goals)
            environment.blocked(pose)
            environment.distance_left(pose, goals)

    return len(actions) * batch / median_seconds(walk, seconds, device)


def _advice_a_second(environment: Environment, batch: int, seed: int, seconds: float, device: str) -> float:
    pose, goals, _ = _walkers(environment, batch, seed, device)
    advisor = TemplateAdvisor()
    return batch / median_seconds(lambda: advisor(environment, pose, goals), seconds, device)


def _walkers(environment: Environment, batch: int, seed: int, device: str) -> tuple[Tensor, Tensor, list[Tensor]]:
    """Random poses, each with the goal set of its house, and 25 random actions for each."""
    random = torch.Generator().manual_seed(seed)
    first = environment.world.first.cpu()
    viewpoint = torch.randint(0, int(first[-1]), (batch,), generator=random)
    goals = torch.searchsorted(first, viewpoint, right=True) - 1
    view = torch.randint(0, VIEWS, (batch,), generator=random)
    actions = [torch.randint(0, NAV_ACTIONS, (batch,), generator=random).to(device) for _ in range(25)]
    return (viewpoint * VIEWS + view).to(device), goals.to(device), actions


def _drop_in_steps_a_second(seed: int, seconds: float) -> float:
    """Action and state through the MatterSim interface, one simulator."""
    house = real_sized_houses(9, seed)[4]
    random = np.random.default_rng(seed)
    turns = random.integers(-1, 2, (1000, 2)).tolist()
    with tempfile.TemporaryDirectory() as folder:
        write_connectivity(Path(folder) / f"{house.name}_connectivity.json", house)
        simulator = mattersim.Simulator()
        simulator.setRenderingEnabled(False)
        simulator.setDiscretizedViewingAngles(True)
        simulator.setCameraResolution(640, 480)
        simulator.setCameraVFOV(np.radians(60))
        simulator.setNavGraphPath(folder)
        simulator.init()
        simulator.newEpisode(house.name, house.viewpoints[0].id, 0, 0)

        def walk() -> None:
            for heading, elevation in turns:
                ahead = len(simulator.getState().navigableLocations) > 1
                simulator.makeAction(int(ahead), heading, elevation)

        return len(turns) / median_seconds(walk, seconds)

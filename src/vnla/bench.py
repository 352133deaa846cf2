"""Benchmarks: how fast the parts are on this machine, as a table and as JSON.

    vnla bench world

A measurement is the median of several repetitions after a warm-up. Where the C++ simulator's speed is known, the ratio to it
stands beside ours.
"""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from vnla import __version__, mattersim
from vnla.actions import NAV_ACTIONS
from vnla.advisor import Advisor
from vnla.houses.matterport import write_connectivity
from vnla.houses.scatter import real_sized_houses
from vnla.views import VIEWS
from vnla.world import Environment, World

CPP_STEPS_A_SECOND = (126_000, 219_000)
"""Action and state of the C++ MatterSim used through Python, one simulator, one core: the range that was measured."""


@dataclass(frozen=True)
class Measurement:
    """One line of a benchmark: a value, and what it is measured against where there is such a thing."""

    name: str
    value: float
    unit: str
    reference: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times the reference."""
        return None if self.reference is None else self.value / self.reference


def bench_world(houses: int = 90, seed: int = 0, seconds: float = 1.0) -> Iterator[Measurement]:
    """Compiling that many real-sized buildings and stepping through them, on one thread."""
    buildings = real_sized_houses(houses, seed)
    started = time.perf_counter()
    world = World.compile(buildings)
    yield Measurement(
        f"compile {houses} buildings", time.perf_counter() - started, "s", note=f"{len(world.ids):,} viewpoints"
    )
    yield Measurement("tables", world.nbytes / 1e6, "MB")
    goal_sets = [(house.name, [house.viewpoints[-1].id]) for house in buildings]
    environment = Environment.compile(world, goal_sets)
    with one_thread():
        for batch in (1, 100, 10_000):
            rate = steps_a_second(environment, batch, seed, seconds)
            yield Measurement(f"step, batch {batch:,}", rate, "steps/s", CPP_STEPS_A_SECOND[1])
        yield Measurement("advice, batch 100", _advice_a_second(environment, 100, seed, seconds), "answers/s")
    yield Measurement("MatterSim drop-in", _drop_in_steps_a_second(seed, seconds), "steps/s", CPP_STEPS_A_SECOND[1])


def steps_a_second(environment: Environment, batch: int, seed: int, seconds: float) -> float:
    """Actions taken and states looked up (pose, whether forward is possible, distance left) by random walkers."""
    pose, goals, actions = _walkers(environment, batch, seed)

    def walk() -> None:
        nonlocal pose
        for action in actions:
            pose = environment.step(pose, action, goals)
            environment.blocked(pose)
            environment.distance_left(pose, goals)

    return len(actions) * batch / median_seconds(walk, seconds)


def _advice_a_second(environment: Environment, batch: int, seed: int, seconds: float) -> float:
    pose, goals, _ = _walkers(environment, batch, seed)
    advisor = Advisor()
    return batch / median_seconds(lambda: advisor(environment, pose, goals), seconds)


def _walkers(environment: Environment, batch: int, seed: int) -> tuple[torch.Tensor, torch.Tensor, list[torch.Tensor]]:
    """Random poses, each with the goal set of its house, and 25 random actions for each."""
    random = torch.Generator().manual_seed(seed)
    first = environment.world.first
    viewpoint = torch.randint(0, int(first[-1]), (batch,), generator=random)
    goals = torch.searchsorted(first, viewpoint, right=True) - 1
    view = torch.randint(0, VIEWS, (batch,), generator=random)
    actions = [torch.randint(0, NAV_ACTIONS, (batch,), generator=random) for _ in range(25)]
    return viewpoint * VIEWS + view, goals, actions


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


def median_seconds(work: Callable[[], object], seconds: float) -> float:
    """The median time of `work` over at least five calls and about `seconds` in all, after two to warm up."""
    work()
    work()
    times: list[float] = []
    while len(times) < 5 or sum(times) < seconds:
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


@contextmanager
def one_thread() -> Iterator[None]:
    """PyTorch on one thread for the length of the block."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def as_json(name: str, measurements: list[Measurement]) -> dict[str, Any]:
    """A benchmark with the machine and versions it ran on."""
    return {
        "benchmark": name,
        "machine": {
            "processor": _processor(),
            "cores": os.cpu_count(),
            "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
            "system": platform.platform(),
        },
        "versions": {
            "vnla": __version__,
            "python": platform.python_version(),
            "torch": torch.__version__,
            "numpy": np.__version__,
        },
        "commit": _commit(),
        "measurements": [{**asdict(each), "ratio": each.ratio} for each in measurements],
    }


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.is_file():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def _commit() -> str | None:
    """The commit of the checkout that this package runs from, if it does."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None

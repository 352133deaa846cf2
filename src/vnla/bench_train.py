"""How long a training iteration takes at the paper's sizes, and where the time goes.

    vnla bench train

The world is bare graphs of real sizes with random features: what is seen does not matter for the time. Time budgets are 6 to
25 steps, 15.5 on average as AskNav's trajectories are.
"""

from __future__ import annotations

import itertools
import resource
import sys
import time
from collections.abc import Iterator

import torch
from torch import Tensor

from vnla.acting import BCUI
from vnla.advisor import Advisor, Subgoals
from vnla.agent.agent import Agent, tails
from vnla.agent.config import AgentConfig
from vnla.agent.deferred import collect_gradients
from vnla.agent.encoder import Words
from vnla.bcui import Players, bcui
from vnla.bench import Measurement
from vnla.houses.scatter import real_sized_houses
from vnla.policies import AsTaught
from vnla.rollout import steps_taken
from vnla.tasks.task import Task
from vnla.tasks.task_set import TaskSet
from vnla.teachers.help import HelpTeacher
from vnla.training import Trainer, TrainingConfig, batch_of, mixed_precision
from vnla.world import World

AUTHORS_SECONDS = 3.2
"""An iteration of the authors' code with the learned policy on two cores of a machine like the one it was compared on."""

PARTS = ("episodes", "losses", "backward", "weight gradients", "optimiser")


def bench_train(
    *, batch: int = 100, hidden: int = 512, view_size: int = 2048, iterations: int = 5, precision: str = "float32",
    device: str = "cpu", seed: int = 0,
) -> Iterator[Measurement]:  # fmt: skip
    """Seconds an iteration of the learned policy, agent steps a second, its parts, and the most memory taken."""
    config = TrainingConfig(batch=batch, seed=seed, precision=precision)
    trainer = _trainer(config, hidden, view_size, device)
    for _ in range(2):
        trainer.iterate()
    _wait(device)
    began = time.perf_counter()
    for _ in range(iterations):
        trainer.iterate()
    _wait(device)
    each = (time.perf_counter() - began) / iterations
    reference = 1 / AUTHORS_SECONDS if (batch, hidden, view_size, device) == (100, 512, 2048, "cpu") else None
    yield Measurement("iteration", each, "s")
    yield Measurement(
        "iterations a second", 1 / each, "1/s", reference, "× the authors' code on two cores" if reference else ""
    )
    if device == "cpu":
        parts, steps = _parts(trainer)
        yield Measurement("agent steps", steps / each, "steps/s", note=f"{steps:,} steps in this iteration")
        yield from (Measurement(f"  {name}", spent, "s") for name, spent in zip(PARTS, parts, strict=True))
        scale = 1024 if sys.platform != "darwin" else 1
        yield Measurement("most memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale / 1e9, "GB")
    else:
        yield Measurement("most GPU memory", torch.cuda.max_memory_allocated() / 1e9, "GB")


def _trainer(config: TrainingConfig, hidden: int, view_size: int, device: str) -> Trainer:
    houses = real_sized_houses(20, config.seed)
    world = World.compile(houses, device)
    random = torch.Generator().manual_seed(config.seed)
    tasks = [_task(houses[i % len(houses)].viewpoints, houses[i % len(houses)].name, i, random) for i in range(500)]
    advisor = Advisor()
    vocabulary = {word: 3 + i for i, word in enumerate(advisor.words())}
    torch.manual_seed(config.seed)
    agent = Agent(AgentConfig(words=400, view_size=view_size, hidden=hidden, help_hidden=hidden)).to(device)
    views = torch.rand(len(world.ids) * 36, view_size, generator=random).half().to(device)
    said = tails(Subgoals.table(advisor, vocabulary).to(device), end_mark=2)
    players = Players(agent, views, advisor, said, HelpTeacher(), AsTaught(), BCUI)
    end_goals = Words(torch.randint(3, 400, (500, 11), generator=random), torch.randint(6, 12, (500,), generator=random))
    return Trainer(
        players, TaskSet.compile(world, tasks), Words(*(each.to(device) for each in end_goals)), config, learns_to_ask=True
    )


def _task(viewpoints: tuple[object, ...], house: str, number: int, random: torch.Generator) -> Task:
    start, goal, length, heading = (
        int(torch.randint(low, high, (), generator=random)) for low, high in ((0, len(viewpoints)),) * 2 + ((6, 26), (0, 12))
    )
    names = [f"{house}-{each}" for each in (start, goal)]
    return Task(str(number), house, names[0], heading, "find something .", (names[1],), (length,))


def _parts(trainer: Trainer) -> tuple[list[float], int]:
    """Seconds of each part of one iteration, and the agent steps in it."""
    agent, config = trainer.players.agent, trainer.config
    which = batch_of(config.seed, len(trainer.tasks), config.batch, trainer.done)
    clock = [time.perf_counter()]
    with mixed_precision(config.precision, which.device):
        episodes = trainer.tasks.episodes(which, seed=1)
        rollout = bcui(episodes, Words(trainer.end_goals.tokens[which], trainer.end_goals.length[which]), trainer.players)
        clock.append(time.perf_counter())
        loss: Tensor = rollout.nav_loss() + rollout.ask_loss(agent.help)
    clock.append(time.perf_counter())
    trainer.optimiser.zero_grad()
    torch.autograd.backward(loss)
    clock.append(time.perf_counter())
    collect_gradients(agent)
    clock.append(time.perf_counter())
    trainer.optimiser.step()
    clock.append(time.perf_counter())
    return [after - before for before, after in itertools.pairwise(clock)], steps_taken([rollout])


def _wait(device: str) -> None:
    if device != "cpu":
        torch.cuda.synchronize()

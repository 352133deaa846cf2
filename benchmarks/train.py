"""How long a training iteration takes at the paper's sizes, where the time goes, and how far it is from its floor.

vnla bench train
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch

from benchmarks.floor import Counts, arithmetic, computed, report
from benchmarks.measure import Measurement, median_seconds, most_memory, seconds_of, wait_for
from benchmarks.setting import bare_setting
from vnla.agents.layers.deferred import collect_gradients
from vnla.agents.paper import PaperAgent
from vnla.assistance.help_policies import Learned
from vnla.rollout import Rollout
from vnla.training.checkpoints import CRITIC
from vnla.training.config import TrainingConfig
from vnla.training.objectives.registry import objective as objective_named
from vnla.training.practice import SubgoalPractice
from vnla.training.trainer import Trainer, batch_of, matrix_units, mixed_precision

AUTHORS_SECONDS = 3.2
"""An iteration of the authors' code with the learned policy on two cores of a machine like the one it was compared on."""

AUTHORS_SIZES = (100, 512, 2048, "cpu")

PARTS = ("episodes", "losses", "backward", "weight gradients", "optimiser")

TASKS = 500

ITERATIONS = {"cpu": 15, "cuda": 50}
"""To time, by default."""

_WARM_UP = 5
"""Iterations before: memory that is taken for the first time is slow."""


def bench_train(
    *, batch: int = 100, hidden: int = 512, view_size: int = 2048, iterations: int | None = None, precision: str = "float32",
    device: str = "cpu", eager: bool = False, seconds: float = 3.0, seed: int = 0, agent: str = "paper",
    options: Mapping[str, Any] | None = None, objective: str = "imitation", sensors: str = "", language: str = "template",
    practice: int = 0,
) -> Iterator[Measurement]:  # fmt: skip
    """Seconds an iteration of the learned policy, its parts, its floor with the operations, and the most memory taken.

    On a GPU the iteration is one captured graph unless it is to run eagerly, and the floor is measured for `seconds`. Of
    agents whose arithmetic is not known, of other objectives than imitation, and with `practice`, there is no floor; parts
    are those of the episodes.
    """
    config = TrainingConfig(batch=batch, seed=seed, precision=precision)
    setting = bare_setting(
        TASKS, hidden=hidden, view_size=view_size, seed=seed, device=device, agent=agent, options=options, sensors=sensors,
        language=language,
    )  # fmt: skip
    aim = objective_named(objective)
    setting = setting.learning(aim, Learned())
    practised = SubgoalPractice(practice) if practice else None
    trainer = Trainer(
        setting.context, setting.tasks, config, learns_to_ask=True, objective=aim, practice=practised, eager=eager
    )
    for _ in range(min(_WARM_UP, iterations or _WARM_UP)):
        trainer.iterate()
    number, times = trainer.done, iterations or ITERATIONS[device]
    memory = most_memory(device)
    with matrix_units(precision):
        spent, rollout = _parts(trainer, number, device)
    counts, walker = Counts.of(rollout), setting.context.agent
    known = isinstance(walker, PaperAgent) and walker.config.layers == 1 and objective == "imitation" and not practice
    parts = arithmetic(walker.config, counts) if isinstance(walker, PaperAgent) and known else {}
    dtype = torch.bfloat16 if precision == "bfloat16" else torch.float32
    with matrix_units(precision):
        floor = {name: computed(products, dtype, device) for name, products in parts.items()}
        if device == "cpu":
            each, by_part = _in_turn(trainer, number, floor, times)
        else:
            each = seconds_of(lambda: [trainer.iterate() for _ in range(times)], device) / times
            by_part = {name: median_seconds(work, seconds / len(parts), device) for name, work in floor.items()}
    lines, least = report(parts, by_part), sum(by_part.values())
    yield Measurement("iteration", each, "s", least, "× its floor") if known else Measurement("iteration", each, "s")
    reference = (
        1 / AUTHORS_SECONDS
        if (batch, hidden, view_size, device) == AUTHORS_SIZES and known and language == "template"
        else None
    )
    note = "× the authors' code on two cores" if reference else ""
    yield Measurement("iterations a second", 1 / each, "1/s", reference, note)
    yield Measurement("agent steps", sum(counts.steps) / each, "steps/s", note=f"{sum(counts.steps):,} steps")
    if not trainer.captures:
        yield from (Measurement(f"  {name}", taken, "s", judged=False) for name, taken in zip(PARTS, spent, strict=True))
    if known:
        operations = sum(product.operations for products in parts.values() for product in products) / 1e9
        yield Measurement("floor", least, "s", note=f"{operations:.0f} GFLOP, {counts.words:,} words read", judged=False)
        yield from lines
    yield memory


def _in_turn(
    trainer: Trainer, number: int, floor: Mapping[str, Callable[[], object]], times: int
) -> tuple[float, dict[str, float]]:
    """The median of an iteration and of the parts of its floor, each measured after the other, again and again: a machine
    that has other things to do is now faster and now slower, for both."""
    taken: list[float] = []
    by_part: dict[str, list[float]] = {name: [] for name in floor}
    for _ in range(times):
        trainer.done = number  # the same tasks
        taken.append(seconds_of(trainer.iterate))
        for name, work in floor.items():
            by_part[name].append(seconds_of(work))
    return statistics.median(taken), {name: statistics.median(values) for name, values in by_part.items()}


def _parts(trainer: Trainer, iteration: int, device: str) -> tuple[list[float], Rollout]:
    """Seconds of each part of an iteration, run eagerly once more, and its episodes."""
    agent, config, aim = trainer.context.agent, trainer.config, trainer.objective
    which = batch_of(config.seed, len(trainer.tasks), config.batch, iteration).to(device)
    clock: list[float] = []

    def tick() -> None:
        wait_for(device)
        clock.append(time.perf_counter())

    tick()
    with mixed_precision(config.precision, which.device):
        rollout = aim.rollout(trainer.tasks, which, torch.ones_like(which), config.ratio, trainer.context)
        tick()
        judged = aim.judge(rollout, trainer.parts.get(CRITIC))
        losses = [aim.nav_loss(rollout, judged), aim.ask_loss(rollout, agent, judged)]
    tick()
    trainer.optimiser.zero_grad()
    torch.autograd.backward([loss for loss in losses if loss is not None])
    tick()
    collect_gradients(agent)
    tick()
    trainer.optimiser.step()
    tick()
    return [after - before for before, after in itertools.pairwise(clock)], rollout

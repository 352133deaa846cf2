"""What a process of a training by several does, for tests: `python rank_work.py RUN WORLD TASKS ITERATIONS DEVICE`."""

from __future__ import annotations

import sys
from pathlib import Path

from vnla.training.config import RunConfig, TrainingConfig
from vnla.training.ranks import joined
from vnla.training.together import train_together


def config_of(world: Path, tasks: Path, iterations: int) -> RunConfig:
    """A small run with dropout, that learns to ask."""
    return RunConfig(
        world=str(world), tasks=str(tasks), features="symbolic", validate_every=iterations,
        training=TrainingConfig(iterations=iterations, batch=6, learning_rate=1e-2),
        agent_options={"hidden": 16, "help_hidden": 16, "word_embedding": 8},
    )  # fmt: skip


def work(run: Path, world: Path, tasks: Path, iterations: int, device: str = "cpu") -> None:
    """Train a run with the other processes."""
    with joined(device) as ranks:
        train_together([(run, config_of(world, tasks, iterations))], device, ranks=ranks)


if __name__ == "__main__":
    run, world, tasks = map(Path, sys.argv[1:4])
    work(run, world, tasks, int(sys.argv[4]), sys.argv[5])

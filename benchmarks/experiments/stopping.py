"""A stop of its own: how often an agent succeeds that stops when `stop` is probable enough.

    python benchmarks/experiments/stopping.py pretrained demo/world demo/tasks/asknav val_unseen

An agent usually stops when `stop` is its most probable action. Here it does from a probability on, whatever the others have.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from vnla.assistance.acting import Choice, most_probable
from vnla.episode import Episodes, When
from vnla.evaluation.confidence import over_trainings, per_cent
from vnla.evaluation.evaluate import SEEDS, evaluate
from vnla.rollout import RolloutContext
from vnla.tasks.task_set import TaskSet
from vnla.training.context import make_context
from vnla.training.trained import open_trained
from vnla.world.actions import STOP

FROM = (0.1, 0.2, 0.35, 0.65, 0.8, 0.9)
TASKS = 600


@dataclass(frozen=True)
class StopFrom:
    """Stop from a probability on; else the most probable of the other actions."""

    least: float

    def __call__(self, probabilities: Tensor, episodes: Episodes, step: When) -> Tensor:  # noqa: ARG002
        """Actions (batch,) from probabilities (batch, 6)."""
        others = probabilities.clone()
        others[:, STOP] = -1
        return torch.where(probabilities[:, STOP] >= self.least, STOP, others.argmax(dim=1))


def success(context: RolloutContext, tasks: TaskSet, choice: Choice, ratio: float) -> Tensor:
    """Whether each task succeeds, (1, tasks)."""
    acting = replace(context.acting, choice=choice)
    found = evaluate(replace(context, acting=acting), tasks, seeds=SEEDS[:1], ratio=ratio)
    return torch.as_tensor(found.scores.success).float().reshape(1, -1)


def main(run: str, world: str, tasks: str, split: str) -> None:
    """Print the table."""
    trained = open_trained(Path(run), world=Path(world), tasks=Path(tasks))
    context = make_context(trained.config, trained.material, trained.agent("val_unseen"), training=False)
    every = trained.material.evaluation_tasks(split)
    some = every.rows(list(range(0, len(every), max(1, len(every) // TASKS))))
    houses, ratio = [task.house for task in some.tasks], trained.config.help(training=False).ratio
    usual = success(context, some, most_probable, ratio)
    sys.stdout.write(f"{len(some)} tasks of {split}; as it is: {per_cent(over_trainings(usual, houses=houses, whole=1))}%\n")
    for least in FROM:
        found = success(context, some, StopFrom(least), ratio)
        more = per_cent(over_trainings(found, usual, houses=houses))
        sys.stdout.write(f"from {least}: {100 * found.mean():.1f}%, {more} points more\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""What the paper's `forward` is worth: how often an agent succeeds with it, and with one that does not know the goal.

    python benchmarks/experiments/forward.py demo/runs/learned demo/world demo/tasks/asknav test_unseen forward.json

In the paper `forward` goes to the next viewpoint of the shortest path where that is within 30 degrees of the view's centre.
The plain one always goes to the viewpoint nearest to the centre. Nobody is trained anew; teachers and advisor are asked in
the world as it then is.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor

from vnla.common.files import write_text
from vnla.common.machine import commit, machine_words
from vnla.evaluation.confidence import over_trainings, per_cent
from vnla.evaluation.evaluate import SEEDS, evaluate
from vnla.rollout import RolloutContext
from vnla.tasks.task_set import TaskSet
from vnla.training.context import make_context
from vnla.training.trained import open_trained
from vnla.world.compiled import NOWHERE


def plain(tasks: TaskSet) -> TaskSet:
    """The same tasks where `forward` leads along no edge because of the goal."""
    world = tasks.environment.world
    blind = replace(world, arrive=torch.full_like(world.arrive, NOWHERE))
    return replace(tasks, environment=replace(tasks.environment, world=blind))


def success(context: RolloutContext, tasks: TaskSet, ratio: float) -> Tensor:
    """Whether each task succeeds under each seed of the help budgets: (seeds, tasks)."""
    found = evaluate(context, tasks, seeds=SEEDS, ratio=ratio)
    return torch.as_tensor(found.scores.success).float().reshape(len(SEEDS), -1)


def main(run: str, world: str, tasks: str, split: str, out: str) -> None:
    """Print both success rates and the difference, and write what came of every task."""
    trained = open_trained(Path(run), world=Path(world), tasks=Path(tasks))
    context = make_context(trained.config, trained.material, trained.agent("val_unseen"), training=False)
    every = trained.material.evaluation_tasks(split)
    houses, ratio = [task.house for task in every.tasks], trained.config.help(training=False).ratio
    found = {"paper": success(context, every, ratio), "plain": success(context, plain(every), ratio)}
    means = {name: each.mean(dim=0, keepdim=True) for name, each in found.items()}
    for name, each in means.items():
        sys.stdout.write(f"{name}: {per_cent(over_trainings(each, houses=houses, whole=1))}%\n")
    less = per_cent(over_trainings(means["plain"], means["paper"], houses=houses))
    sys.stdout.write(f"plain over paper: {less} points\n")
    record = {
        "command": f"python benchmarks/experiments/forward.py {run} {world} {tasks} {split} {out}",
        "commit": commit(),
        "machine": machine_words(),
        "seeds": SEEDS,
        "success": {
            name: {**per_cent(over_trainings(each, houses=houses, whole=1))._asdict()} for name, each in means.items()
        },
        "plain_over_paper": less._asdict(),
        "tasks": [task.id for task in every.tasks],
        "succeeded": {name: ["".join(str(int(one)) for one in seed) for seed in each] for name, each in found.items()},
    }
    write_text(Path(out), json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

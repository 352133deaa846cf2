"""How much of "at the best times" is luck: the table of ceilings.md.

    python benchmarks/experiments/hindsight.py demo/runs/learned demo/world demo/tasks/asknav 100 hindsight.json

On so many tasks of Test unseen: the agent as it is; the best of the schedules that `vnla ceilings` tries; the best of as
many episodes in which it asks as it does and its actions are drawn; and an agent that asks exactly where its tentative
action is not the navigation teacher's, as long as it has requests.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vnla.assistance.acting import Choice
from vnla.assistance.help_policies import HelpPolicy
from vnla.common.files import write_text
from vnla.common.machine import commit, machine_words
from vnla.common.randomness import Purpose, uniform
from vnla.episode import Episodes, StepContext, When
from vnla.evaluation.ceilings.lines import ceilings
from vnla.evaluation.ceilings.subject import Subject
from vnla.evaluation.confidence import over_houses, per_cent
from vnla.evaluation.evaluate import SEEDS, evaluate
from vnla.rollout import RolloutContext
from vnla.training.context import make_context
from vnla.training.trained import open_trained

LINES = {
    "own": "as it is",
    "best": "the best of its schedules",
    "drawn": "its actions drawn, mean",
    "luckiest": "its actions drawn, the best of as many",
    "wrong": "asks where its next action is wrong",
}


@dataclass(frozen=True)
class Drawn(Choice):
    """An action drawn from the distribution; another one for each `number`."""

    number: int

    def __call__(self, probabilities: Tensor, episodes: Episodes, step: When) -> Tensor:
        """Actions (batch,) from probabilities (batch, 6)."""
        number = uniform(episodes.seed + 1000 * (self.number + 1), episodes.key, Purpose.NAV_ACTION, step)
        reached = probabilities.double().cumsum(dim=1)
        return (reached[:, :-1] <= (number * reached[:, -1])[:, None]).sum(dim=1)


@dataclass(frozen=True)
class IfWrong(HelpPolicy):
    """Asks where the tentative action is not the navigation teacher's."""

    deliberates: ClassVar[bool] = True

    def __call__(self, situation: StepContext) -> Tensor:
        """Whoever would do something else."""
        episodes = situation.episodes
        taught = episodes.environment.nav_teacher(situation.pose, episodes.goals)
        return situation.tentative.argmax(dim=1) != taught


def success(context: RolloutContext, subject: Subject) -> NDArray[np.float64]:
    """Whether each task succeeds."""
    found = evaluate(context, subject.tasks, seeds=subject.seeds, ratio=subject.ratio)
    return np.asarray(found.scores.success, dtype=np.float64).reshape(-1)


def lines(subject: Subject) -> dict[str, NDArray[np.float64]]:
    """For each line whether each task succeeds, and beside them how many episodes of it were tried."""
    context, found = subject.context, ceilings(subject)
    tried = np.asarray(found.schedules.tried).reshape(-1)
    draws = []
    for number in range(int(tried.max())):
        draws.append(success(replace(context, acting=replace(context.acting, choice=Drawn(number))), subject))
    drawn = np.stack(draws)  # (draws, tasks)
    counted = np.arange(len(drawn))[:, None] < tried
    return {
        "own": np.asarray(found.lines["own"].success),
        "best": np.asarray(found.lines["best"].success),
        "drawn": np.where(counted, drawn, 0).sum(axis=0) / tried,
        "luckiest": np.where(counted, drawn, 0).max(axis=0),
        "wrong": success(replace(context, help_policy=IfWrong()), subject),
        "tried": tried.astype(np.float64),
    }


def main(run: str, world: str, tasks: str, count: str, out: str) -> None:
    """Print the table and write what came of every task."""
    torch.set_num_threads(1)
    trained = open_trained(Path(run), world=Path(world), tasks=Path(tasks))
    context = make_context(trained.config, trained.material, trained.agent("val_unseen"), training=False)
    every = trained.material.evaluation_tasks("test_unseen")
    some = every.rows(sorted({round(each) for each in np.linspace(0, len(every) - 1, int(count))}))
    ratio = trained.config.help(training=False).ratio
    found = lines(Subject(context, some, seeds=SEEDS[:1], ratio=ratio))
    houses = [task.house for task in some.tasks]
    rates = {name: per_cent(over_houses(found[name], houses=houses, whole=1)) for name in LINES}
    won = {name: per_cent(over_houses(found[name] - found["own"], houses=houses)) for name in LINES}
    for name, words in LINES.items():
        sys.stdout.write(f"| {words} | {rates[name]} | {won[name]} |\n")
    record = {
        "command": f"python benchmarks/experiments/hindsight.py {run} {world} {tasks} {count} {out}",
        "commit": commit(),
        "machine": machine_words(),
        "seed": SEEDS[0],
        "success": {name: each._asdict() for name, each in rates.items()},
        "won": {name: each._asdict() for name, each in won.items()},
        "tasks": [task.id for task in some.tasks],
        "episodes": {name: np.round(each, 4).tolist() for name, each in found.items()},
    }
    write_text(Path(out), json.dumps(record) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""What knowing one's mistakes is worth, and how well it has to be known: the tables of asking.md.

    python benchmarks/experiments/mistakes.py RUN WORLD TASKS test_unseen 5000 mistakes.json

On so many tasks of a split, by the last agent of a run: as it is; asking exactly where its next action is wrong; where a
score of that is above a threshold that has normal noise of its own at every step; every four steps; and where its entropy is
above 0.8 nats. And how well its help module tells wrong actions from right ones (AUC), asking or never asking.
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
from scipy.stats import norm, rankdata
from torch import Tensor

from vnla.assistance.help_policies import HelpPolicy, Never
from vnla.assistance.if_wrong import is_mistaken
from vnla.common.files import write_text
from vnla.common.machine import commit, machine_words
from vnla.common.randomness import Purpose, uniform
from vnla.episode import StepContext
from vnla.evaluation.confidence import over_houses, per_cent
from vnla.evaluation.evaluate import SEEDS, evaluate, greedy, run_greedy
from vnla.rollout import RolloutContext
from vnla.tasks.task_set import TaskSet
from vnla.training.context import make_context
from vnla.training.trained import open_trained

NOISE = ((0.5, 1.0), (1.0, 1.0), (2.0, 1.6), (4.0, 2.0))
"""How far apart scores of right and wrong actions are, in deviations of their noise, and the threshold."""


@dataclass(frozen=True)
class WrongWithNoise(HelpPolicy):
    """Asks where the next action is wrong, or seems so."""

    deliberates: ClassVar[bool] = True
    apart: float = 1.0
    above: float = 0.5
    noise: float = 1.0

    def __call__(self, situation: StepContext) -> Tensor:
        """Whoever scores more than the threshold."""
        episodes = situation.episodes
        wrong = is_mistaken(situation.tentative, episodes.environment, situation.pose, episodes.goals)
        drawn = uniform(episodes.seed, episodes.key, Purpose.RANDOM_HELP, situation.step).clamp(1e-9, 1 - 1e-9)
        score: Tensor = self.apart * wrong + self.noise * torch.special.ndtri(drawn)
        return score > self.above


@dataclass(frozen=True)
class EveryFour(HelpPolicy):
    """Asks again when four actions have been taken."""

    def __call__(self, situation: StepContext) -> Tensor:
        """Whoever follows no subgoal."""
        return situation.since_request >= 4


@dataclass(frozen=True)
class Uncertain(HelpPolicy):
    """Asks where the tentative distribution has more than so much entropy."""

    deliberates: ClassVar[bool] = True
    nats: float = 0.8

    def __call__(self, situation: StepContext) -> Tensor:
        """Whoever is uncertain."""
        entropy: Tensor = torch.special.entr(situation.tentative).sum(dim=1)
        return entropy > self.nats


def told_apart(context: RolloutContext, tasks: TaskSet, ratio: float) -> dict[str, float]:
    """How well the help module tells wrong actions from right ones at steps with a request left, and how many are wrong."""
    episodes = tasks.episodes(torch.arange(len(tasks)), seed=SEEDS[0], ratio=ratio, k=context.advisor.k)
    rollout = run_greedy(episodes, replace(context, keeps_ask_features=True))
    with greedy(context.agent):
        rows = [(each, (each.budget > 0) & each.active) for each in rollout.transitions]
        logits = torch.cat([context.agent.ask(each.ask_features[own], each.budget[own]) for each, own in rows])
        wrong = torch.cat(
            [
                is_mistaken(each.tentative[own], episodes.environment, each.pose[own], episodes.goals[each.row[own]])
                for each, own in rows
            ]
        ).numpy()
    rank = rankdata((logits[:, 1] - logits[:, 0]).numpy())
    count = int(wrong.sum())
    area = (rank[wrong].sum() - count * (count + 1) / 2) / (count * (len(wrong) - count))
    return {"labels": len(wrong), "wrong": round(float(wrong.mean()), 4), "auc": round(float(area), 4)}


def main(run: str, world: str, tasks: str, split: str, count: str, out: str) -> None:
    """Print the tables and write them."""
    torch.set_num_threads(1)
    trained = open_trained(Path(run), world=Path(world), tasks=Path(tasks))
    context = make_context(trained.config, trained.material, trained.agent("last"), training=False)
    some, ratio = trained.material.evaluation_tasks(split, int(count)), trained.config.help(training=False).ratio
    policies: dict[str, HelpPolicy] = {
        "own": context.help_policy,
        "wrong": WrongWithNoise(noise=0.0),
        **{f"wrong, AUC {norm.cdf(apart / 2**0.5):.3f}": WrongWithNoise(apart, above) for apart, above in NOISE},
        "every four": EveryFour(),
        "uncertain": Uncertain(),
    }
    houses, success = [task.house for task in some.tasks], dict[str, NDArray[np.float64]]()
    record: dict[str, object] = {"commit": commit(), "machine": machine_words(), "tasks": len(some), "seed": SEEDS[0]}
    for name, policy in policies.items():
        scores = evaluate(replace(context, help_policy=policy), some, seeds=SEEDS[:1], ratio=ratio).scores
        success[name] = np.asarray(scores.success, dtype=np.float64).reshape(-1)
        rate, won = (per_cent(over_houses(each, houses=houses)) for each in (success[name], success[name] - success["own"]))
        requests = float(np.mean(scores.requests))
        sys.stdout.write(f"| {name} | {rate} | {won} | {requests:.2f} |\n")
        record[name] = {"success": rate._asdict(), "won": won._asdict(), "requests": requests}
    for name, policy in (("own", context.help_policy), ("never", Never())):
        record[f"told apart, {name}"] = told_apart(replace(context, help_policy=policy), some, ratio)
        sys.stdout.write(f"{name}: {record[f'told apart, {name}']}\n")
    write_text(Path(out), json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

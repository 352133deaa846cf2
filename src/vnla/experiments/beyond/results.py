"""What is compared, where everything is, and what the stages have left, read for tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vnla.evaluation.confidence import Floats, Interval, over_trainings
from vnla.evaluation.evaluation_file import EVALUATION
from vnla.evaluation.metrics import METRICS
from vnla.experiments.beyond.arms import Arm
from vnla.experiments.beyond.evaluations import CHALLENGES, FRESH, Challenge
from vnla.experiments.beyond.scales import Scale
from vnla.experiments.paper import results as paper
from vnla.experiments.paper.peers import PEERS
from vnla.experiments.paper.presets import Preset
from vnla.training.checkpoints import CONFIG
from vnla.training.config import RunConfig


@dataclass(frozen=True)
class Plan:
    """What is compared, and on what."""

    scale: Scale
    arms: Sequence[Arm]
    trainings: int = 1
    """Of each agent, with the seeds `seed`, `seed` + 1, …"""
    fresh: int = 0
    """Houses that nobody was trained or chosen in."""
    sweeps: bool = True
    """Whether success against help is measured."""
    ceilings: bool = True
    """Whether what is left to win is looked for."""
    peers: bool = True
    """Whether agents that learn nothing stand beside the others."""
    seed: int = 0
    """Of houses, data sets and trainings."""

    @property
    def preset(self) -> Preset:
        """The paper's preset of this size."""
        return self.scale.preset

    @property
    def challenges(self) -> list[Challenge]:
        """What the agents are tested on."""
        return [each for each in CHALLENGES if self.fresh or each.tasks != FRESH]

    def has(self, *arms: str) -> bool:
        """Whether all of these take part."""
        return {*arms} <= {arm.name for arm in self.arms}


@dataclass(frozen=True)
class Layout(paper.Layout):
    """Where everything is in the folder of a comparison."""

    @property
    def fresh_world(self) -> Path:
        """The fresh houses."""
        return self.out / FRESH / "world"

    def tasks(self, name: str) -> Path:
        """A data set; that of the fresh houses is called `FRESH`."""
        return self.out / FRESH / "tasks" if name == FRESH else super().tasks(name)

    def sweep(self, arm: str) -> Path:
        """Success against help."""
        return self.out / "sweeps" / f"{arm}.json"

    def ceilings(self, arm: str) -> Path:
        """What is left to win."""
        return self.out / "ceilings" / f"{arm}.json"


def one_of(name: str, training: int) -> str:
    """What one of several trainings of the same kind is called, in stages and folders."""
    return f"{name}/seed{training}"


@dataclass(frozen=True)
class Results:
    """Figures by the names of agents, over all of their trainings."""

    layout: Layout
    plan: Plan

    def values(self, arm: str, challenge: Challenge, metric: str = "success_rate") -> Floats:
        """A figure that is a mean, task by task, over the seeds of the help budgets: (trainings, tasks), or (1, tasks) of an
        agent that learns nothing."""
        measure = METRICS[metric]
        names = [arm] if arm in PEERS else [one_of(arm, training) for training in range(self.plan.trainings)]
        found = [paper.scores_at(self.layout.evaluation(name, challenge.name) / EVALUATION) for name in names]
        return np.stack([measure.scale * measure.sums(scores)[0].mean(axis=0) for scores in found])

    def figure(self, arm: str, challenge: Challenge, metric: str = "success_rate") -> Interval:
        """A figure for other trainings, houses and tasks."""
        return over_trainings(self.values(arm, challenge, metric), houses=self.houses(challenge))

    def gain(self, better: str, worse: str, challenge: Challenge) -> Interval:
        """How much more often one succeeds than the other, in points, likewise."""
        values = [self.values(arm, challenge) for arm in (better, worse)]
        return over_trainings(*values, houses=self.houses(challenge))

    def config(self, phase: str) -> RunConfig:
        """The configuration that a phase was trained with, the first time."""
        return RunConfig.read(self.layout.run(one_of(phase, 0)) / CONFIG)

    def houses(self, challenge: Challenge) -> NDArray[np.str_]:
        """The house of each task."""
        tasks = paper.dataset_at(self.layout.tasks(challenge.tasks)).split(challenge.split)
        return np.array([task.house for task in tasks])

"""What is compared, on which tasks, and what the stages have left of it, read for tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vnla.evaluation.confidence import Floats, Interval, over_trainings
from vnla.evaluation.metrics import METRICS
from vnla.experiments.beyond.arms import Arm, ComparisonScale
from vnla.experiments.evaluations import PEERS
from vnla.experiments.layout import FRESH, ExperimentLayout, dataset_at, one_of
from vnla.experiments.presets import ExperimentPreset
from vnla.experiments.trainings import ASKNAV, NOROOM
from vnla.training.checkpoints import CONFIG
from vnla.training.config import RunConfig


@dataclass(frozen=True)
class Challenge:
    """Tasks that every agent is given."""

    name: str
    title: str
    split: str
    tasks: str = ASKNAV
    """The data set, or `FRESH`."""

    @property
    def where(self) -> str:
        """In a sentence."""
        return "in fresh houses" if self.tasks == FRESH else f"on {self.title}"


UNSEEN = Challenge("test_unseen", "Test unseen", "test_unseen")
CHALLENGES = (
    Challenge("test_seen", "Test seen", "test_seen"),
    UNSEEN,
    Challenge("noroom_test_seen", "NoRoom, test seen", "test_seen", NOROOM),
    Challenge("noroom_test_unseen", "NoRoom, test unseen", "test_unseen", NOROOM),
    Challenge(FRESH, "Fresh houses", "test_unseen", FRESH),
)
"""In the order of the tables. Agents are trained on AskNav; which of their checkpoints is used the dev sets decide."""


@dataclass(frozen=True)
class ComparisonPlan:
    """What is compared, and on what."""

    scale: ComparisonScale
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
    train: int | None = None
    """Houses for training, where they are not the preset's number."""
    mirrored: bool = False
    """Whether the mirror images of houses are there for training, too."""

    @property
    def preset(self) -> ExperimentPreset:
        """The paper's preset of this size."""
        return self.scale.preset

    @property
    def challenges(self) -> list[Challenge]:
        """What the agents are tested on."""
        return [each for each in CHALLENGES if self.fresh or each.tasks != FRESH]

    @property
    def iterations_text(self) -> str:
        """How long agents are trained."""
        others = [f"{arm.iterations:,} of {arm.title}" for arm in self.arms if arm.iterations]
        return ", ".join([f"{self.scale.iterations:,} of each agent", *others])

    def has(self, *arms: str) -> bool:
        """Whether all of these take part."""
        return {*arms} <= {arm.name for arm in self.arms}


@dataclass(frozen=True)
class ComparisonResults:
    """Figures by the names of agents, over all of their trainings."""

    layout: ExperimentLayout
    plan: ComparisonPlan

    def values(self, arm: str, challenge: Challenge, metric: str = "success_rate") -> Floats:
        """A figure that is a mean, task by task, over the seeds of the help budgets: (trainings, tasks), or (1, tasks) of an
        agent that learns nothing."""
        measure = METRICS[metric]
        names = [arm] if arm in PEERS else [one_of(arm, training) for training in range(self.plan.trainings)]
        found = [self.layout.scores(name, challenge.name) for name in names]
        return np.stack([measure.scale * measure.sums(scores)[0].mean(axis=0) for scores in found])

    def figure(self, arm: str, challenge: Challenge, metric: str = "success_rate") -> Interval:
        """A figure for other trainings and houses."""
        whole = 100 if METRICS[metric].whole else None
        return over_trainings(self.values(arm, challenge, metric), houses=self.houses(challenge), whole=whole)

    def gain(self, better: str, worse: str, challenge: Challenge) -> Interval:
        """How much more often one succeeds than the other, in points, likewise."""
        values = [self.values(arm, challenge) for arm in (better, worse)]
        return over_trainings(*values, houses=self.houses(challenge), whole=100)

    def config(self, phase: str) -> RunConfig:
        """The configuration that a phase was trained with, the first time."""
        return RunConfig.read(self.layout.run(one_of(phase, 0)) / CONFIG)

    def houses(self, challenge: Challenge) -> NDArray[np.str_]:
        """The house of each task."""
        tasks = dataset_at(self.layout.tasks(challenge.tasks)).split(challenge.split)
        return np.array([task.house for task in tasks])

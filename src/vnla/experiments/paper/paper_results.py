"""What the stages of the paper's experiments have left, read for tables and figures. Nothing here runs an agent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from vnla.evaluation.confidence import Estimate, Interval, over_episodes, over_seeds
from vnla.evaluation.evaluate import Evaluation
from vnla.evaluation.evaluation_file import EVALUATION, read_evaluation
from vnla.evaluation.metrics import METRICS
from vnla.evaluation.scores import Scores
from vnla.experiments.evaluations import read_iterations
from vnla.experiments.layout import ExperimentLayout, dataset_at
from vnla.experiments.paper.candidates import CANDIDATES, TRAININGS
from vnla.experiments.presets import ExperimentPreset
from vnla.tasks.dataset import Dataset
from vnla.training.checkpoints import CONFIG
from vnla.training.config import SYMBOLIC, RunConfig
from vnla.training.data import RunData
from vnla.vision.store import FeatureStore, store_path


@dataclass(frozen=True)
class PaperResults:
    """Figures by the names of candidates and splits."""

    layout: ExperimentLayout
    preset: ExperimentPreset

    def figure(self, candidate: str, split: str, metric: str = "success_rate") -> Estimate:
        """Return a figure over the episodes of each seed, then over the seeds, as the paper reports it."""
        scores = self.layout.scores(candidate, split)
        return over_seeds([METRICS[metric](scores.rows(i)) for i in range(scores.shape[0])])

    def config(self, training: str) -> RunConfig:
        """Return the configuration that a training was run with, its data where they are now."""
        world, tasks = self.layout.world, self.layout.tasks(TRAININGS[training].tasks)
        return replace(RunConfig.read(self.layout.run(training) / CONFIG), world=str(world), tasks=str(tasks))

    def dataset(self, name: str) -> Dataset:
        """Return a data set."""
        return dataset_at(self.layout.tasks(name))

    @cached_property
    def iterations(self) -> dict[str, int]:
        """Training → iteration at which Table 3 compares it."""
        return read_iterations(self.layout.iterations)

    @cached_property
    def material(self) -> RunData:
        """World and AskNav, for looking closely at the agent LEARNED."""
        return RunData.load(self.config("learned"))

    @cached_property
    def view_size(self) -> int:
        """The length of a view's feature vector."""
        config = self.config("learned")
        if config.features == SYMBOLIC:
            return sum(views.shape[1] for views in self.material.views.values())
        return FeatureStore.open(store_path(Path(config.world), config.features)).header.dimension

    def evaluation(self, candidate: str, split: str) -> Evaluation:
        """Return everything that happened in an evaluation on AskNav."""
        found = CANDIDATES[candidate]
        advisor = found.advisor or self.config(found.training).advisor
        tasks = self.material.evaluation_tasks(split)
        return read_evaluation(self.layout.evaluation(candidate, split) / EVALUATION, tasks, advisor)


def gain(better: Scores, worse: Scores, metric: str = "success_rate") -> Interval:
    """Return by how much one is better than the other, with the 95% interval for other tasks.

    Both have run the same tasks under the same seeds, so the interval is of the differences in each task: a task that is
    easy for both says nothing about which of them is better. The interval says what other tasks in such houses would show,
    and not what another training would, since each agent was trained once.
    """
    measure = METRICS[metric]
    (one, _), (other, _) = measure.sums(better), measure.sums(worse)
    factor = -measure.scale if measure.lower_is_better else measure.scale
    return over_episodes(one.astype(float) - other.astype(float)).within(measure.whole).scaled(factor)

"""What the stages have left, read for tables and figures. Nothing here runs an agent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

from vnla.evaluation.confidence import Estimate, Interval, over_episodes, over_seeds
from vnla.evaluation.evaluate import Evaluation
from vnla.evaluation.evaluation_file import EVALUATION, read_evaluation, read_scores
from vnla.evaluation.metrics import METRICS
from vnla.evaluation.scores import Scores
from vnla.experiments.paper.evaluations import CANDIDATES, read_iterations
from vnla.experiments.paper.presets import Preset
from vnla.experiments.paper.trainings import TRAININGS
from vnla.report.writing import REPORT
from vnla.tasks.dataset import Dataset, read_dataset
from vnla.training.checkpoints import CONFIG
from vnla.training.config import SYMBOLIC, RunConfig
from vnla.training.data import RunData
from vnla.vision.store import FeatureStore, store_path


@dataclass(frozen=True)
class Layout:
    """Where everything is in the folder of a run of experiments."""

    out: Path
    world: Path
    """The world folder, within `out` or elsewhere."""

    def tasks(self, name: str) -> Path:
        """A data set."""
        return self.out / "tasks" / name

    def run(self, training: str) -> Path:
        """A training."""
        return self.out / "runs" / training

    def evaluation(self, candidate: str, split: str) -> Path:
        """An evaluation."""
        return self.out / "evaluations" / candidate / split

    @property
    def iterations(self) -> Path:
        """The iterations that Table 3 compares."""
        return self.out / "evaluations" / "iterations.json"

    @property
    def report(self) -> Path:
        """The page with everything."""
        return self.out / REPORT


@dataclass(frozen=True)
class Results:
    """Scores and figures by the names of candidates and splits."""

    layout: Layout
    preset: Preset

    def has(self, candidate: str, split: str) -> bool:
        """Whether there is such an evaluation."""
        return (self.layout.evaluation(candidate, split) / EVALUATION).is_file()

    def scores(self, candidate: str, split: str) -> Scores:
        """The scores of an evaluation, (seeds, tasks)."""
        return scores_at(self.layout.evaluation(candidate, split) / EVALUATION)

    def figure(self, candidate: str, split: str, metric: str = "success_rate") -> Estimate:
        """A figure over the seeds, as the paper reports it."""
        return over_each_seed(self.scores(candidate, split), metric)

    def config(self, training: str) -> RunConfig:
        """The configuration that a training was run with, its data where they are now."""
        world, tasks = self.layout.world, self.layout.tasks(TRAININGS[training].tasks)
        return replace(RunConfig.read(self.layout.run(training) / CONFIG), world=str(world), tasks=str(tasks))

    def dataset(self, name: str) -> Dataset:
        """A data set."""
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
        """Everything that happened in an evaluation on AskNav."""
        found = CANDIDATES[candidate]
        advisor = found.advisor or self.config(found.training).advisor
        tasks = self.material.evaluation_tasks(split)
        return read_evaluation(self.layout.evaluation(candidate, split) / EVALUATION, tasks, advisor)


def over_each_seed(scores: Scores, metric: str) -> Estimate:
    """A figure over the episodes of each seed, then over the seeds."""
    return over_seeds([METRICS[metric](scores.rows(i)) for i in range(scores.shape[0])])


def gain(better: Scores, worse: Scores, metric: str = "success_rate") -> Interval:
    """By how much one is better than the other, with the 95% interval of a bootstrap over tasks.

    Both have run the same tasks under the same seeds, so what is resampled is the difference in each task: a task that is
    easy for both says nothing about which of them is better.
    """
    measure = METRICS[metric]
    sign = -1 if measure.lower_is_better else 1
    (one, _), (other, _) = measure.sums(better), measure.sums(worse)
    difference = one.astype(float) - other.astype(float)
    return Interval(*sorted_interval(over_episodes(difference), sign * measure.scale))


def sorted_interval(found: Interval, factor: float) -> Interval:
    """An interval times a factor, the lower bound below the upper one."""
    value, low, high = (factor * each for each in found)
    return Interval(value, min(low, high), max(low, high))


@lru_cache(maxsize=64)
def scores_at(path: Path) -> Scores:
    """The scores in a file, read once."""
    return read_scores(path)


@lru_cache(maxsize=4)
def dataset_at(path: Path) -> Dataset:
    """The data set in a folder, read once."""
    return read_dataset(path)

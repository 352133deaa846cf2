"""Where everything is in the folder of experiments, and readers of what their stages have left."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from vnla.evaluation.evaluation_file import EVALUATION, read_scores
from vnla.evaluation.scores import Scores
from vnla.report.writing import REPORT
from vnla.tasks.dataset import Dataset, read_dataset

FRESH = "fresh"
"""Names the houses that nobody was trained or chosen in, and their tasks."""


@dataclass(frozen=True)
class ExperimentLayout:
    """Paths of all that stages make."""

    out: Path
    world: Path
    """The world folder, within `out` or elsewhere."""

    @classmethod
    def of(cls, out: Path, world: Path | None = None) -> ExperimentLayout:
        """Return the layout of a folder; `world` is one that exists already."""
        return cls(out, world or out / "world")

    @property
    def fresh_world(self) -> Path:
        """The fresh houses."""
        return self.out / FRESH / "world"

    def tasks(self, name: str) -> Path:
        """A data set; that of the fresh houses is called `FRESH`."""
        return self.out / FRESH / "tasks" if name == FRESH else self.out / "tasks" / name

    def run(self, training: str) -> Path:
        """A training."""
        return self.out / "runs" / training

    def evaluation(self, candidate: str, split: str) -> Path:
        """An evaluation."""
        return self.out / "evaluations" / candidate / split

    def has_evaluation(self, candidate: str, split: str) -> bool:
        """Whether there is such an evaluation."""
        return (self.evaluation(candidate, split) / EVALUATION).is_file()

    def scores(self, candidate: str, split: str) -> Scores:
        """Return the scores of an evaluation, (seeds, tasks)."""
        return scores_at(self.evaluation(candidate, split) / EVALUATION)

    @property
    def iterations(self) -> Path:
        """The iterations that Table 3 compares."""
        return self.out / "evaluations" / "iterations.json"

    def sweep(self, arm: str) -> Path:
        """Success against help."""
        return self.out / "sweeps" / f"{arm}.json"

    def ceilings(self, arm: str) -> Path:
        """What is left to win."""
        return self.out / "ceilings" / f"{arm}.json"

    @property
    def report(self) -> Path:
        """The page with everything."""
        return self.out / REPORT


def one_of(name: str, training: int) -> str:
    """Return what one of several trainings of the same kind is called, in stages and folders."""
    return f"{name}/seed{training}"


@lru_cache(maxsize=64)
def scores_at(path: Path) -> Scores:
    """Return the scores in a file, read once."""
    return read_scores(path)


@lru_cache(maxsize=4)
def dataset_at(path: Path) -> Dataset:
    """Return the data set in a folder, read once."""
    return read_dataset(path)

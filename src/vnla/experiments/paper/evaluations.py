"""The evaluations of the paper's experiments: which agent, with which advisor, on which data set and split.

Each is a stage that leaves a folder with `evaluation.npz` (everything, for tables and figures), `summary.json` (as
`vnla evaluate --json` writes it) and `results.json` (the first seed in the authors' format).

Table 3 compares agents of equal success on the split Dev seen. Its three rows therefore have agents of certain iterations,
which a stage of its own chooses from the logs; all others are the best by the validation split of their kind.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vnla.assistance.advisor import TemplateAdvisor
from vnla.common import files
from vnla.common.outside import whole
from vnla.evaluation.evaluate import Evaluation, evaluate
from vnla.evaluation.evaluation_file import EVALUATION, write_evaluation
from vnla.evaluation.results import results_of, write_results
from vnla.experiments.paper.trainings import ASKNAV, NOROOM, ON_NOROOM, POLICIES, RULES, SILENT, material_of
from vnla.pipeline.stages import Report
from vnla.report.curves import Curves
from vnla.rollout import RolloutContext
from vnla.tasks.task_set import TaskSet
from vnla.training.checkpoints import chosen_by, load_agent
from vnla.training.config import RunConfig
from vnla.training.context import make_context
from vnla.training.data import with_tasks

TESTS = ("test_seen", "test_unseen")
DEV_SEEN = "val_seen"
TOLERANCE = 0.5
"""Points by which success rates on Dev seen may differ in Table 3."""


@dataclass(frozen=True)
class Candidate:
    """An agent as it is evaluated."""

    name: str
    training: str
    tasks: str = ASKNAV
    help_policy: str | None = None
    """Another one than the training's."""
    advisor: TemplateAdvisor | None = None
    """Likewise."""
    matched: bool = False
    """Whether it is taken at the iteration that Table 3 compares."""
    splits: tuple[str, ...] = TESTS


TABLE_2 = (*(Candidate(policy, policy) for policy in POLICIES), Candidate("teacher", "learned", help_policy="teacher"))
TABLE_3 = (
    Candidate("direct-silent", SILENT.name, matched=True, splits=(DEV_SEEN, *TESTS)),
    Candidate("direct", "learned", advisor=TemplateAdvisor(direct=True), matched=True, splits=(DEV_SEEN, *TESTS)),
    Candidate("indirect", "learned", matched=True, splits=(DEV_SEEN, *TESTS)),
)
TABLE_4 = (
    *(Candidate(training.name, training.name, NOROOM) for training in ON_NOROOM),
    Candidate("transferred", "learned", NOROOM),
)
TABLE_7 = tuple(Candidate(training.name, training.name) for training in RULES)
CANDIDATES = {each.name: each for each in (*TABLE_2, *TABLE_3, *TABLE_4, *TABLE_7)}


def matching_iterations(runs: Mapping[str, Curves], tolerance: float = TOLERANCE) -> dict[str, int]:
    """At which validation each run is compared: where they succeed equally often on Dev seen.

    The aim is the highest rate that all of them reach. Each is taken the first time it is within `tolerance` of that; one
    whose rates jump over it, where it is nearest.
    """
    aim = min(max(curves.success[DEV_SEEN]) for curves in runs.values())
    chosen = {}
    for name, curves in runs.items():
        away = [abs(rate - aim) for rate in curves.success[DEV_SEEN]]
        near = [place for place, each in enumerate(away) if each <= tolerance]
        chosen[name] = curves.validations[near[0] if near else away.index(min(away))]
    return chosen


def choose_iterations(out: Path, runs: Mapping[str, Path], report: Report) -> None:
    """Write the iterations that Table 3 compares, with the rates by which they were chosen, to the file `out`."""
    report(0, 1, "")
    curves = {name: Curves.read(path) for name, path in runs.items()}
    chosen = matching_iterations(curves)
    rates = {
        name: dict(zip(curves[name].validations, curves[name].success[DEV_SEEN], strict=True))[iteration]
        for name, iteration in chosen.items()
    }
    files.write_text(out, json.dumps({"iterations": chosen, "dev_seen_success": rates}, indent=2) + "\n")


def read_iterations(path: Path) -> dict[str, int]:
    """What `choose_iterations` wrote."""
    what = "the iterations of Table 3"
    with files.taken_apart(path, what):
        found = files.read_json(path, what)["iterations"].items()
        return {str(run): whole(iteration, f"{path}: iteration of {run}", 0) for run, iteration in found}


@dataclass(frozen=True)
class Trial:
    """One evaluation, with all that it needs to know."""

    run: Path
    config: RunConfig
    split: str
    seeds: Sequence[int]
    device: str
    tasks: Path | None = None
    """Another data set than that of the training."""
    help_policy: str | None = None
    advisor: TemplateAdvisor | None = None
    iterations: Path | None = None
    """The file with the iterations of Table 3, where it is one of those."""

    @property
    def checkpoint(self) -> str | int:
        """Which agent of the run: the best by the validation split of the same kind, or that of a certain iteration."""
        if self.iterations is not None:
            return read_iterations(self.iterations)[self.run.name]
        return chosen_by(self.split)


def made_ready(trial: Trial, limit: int | None = None) -> tuple[RolloutContext, TaskSet, float]:
    """Who takes part in an evaluation, on which tasks, at most so many, and with help for which share of the time."""
    material = material_of(trial.config, trial.device)
    config = trial.config if trial.help_policy is None else trial.config.asking(trial.help_policy)
    config = replace(config, advisor=trial.advisor or config.advisor)
    players = make_context(config, material, load_agent(trial.run, config, material, trial.checkpoint), training=False)
    if trial.tasks is not None:
        material = with_tasks(material, trial.tasks)
    return players, material.evaluation_tasks(trial.split, limit), config.help(training=False).ratio


def evaluate_trial(out: Path, trial: Trial, report: Report) -> None:
    """Carry out an evaluation and write the new folder `out`."""
    players, tasks, ratio = made_ready(trial)
    done = evaluate(players, tasks, seeds=trial.seeds, ratio=ratio, progress=lambda count, of: report(count, of, "episodes"))
    write_folder(out, done)


def write_folder(out: Path, done: Evaluation) -> None:
    """Write the new folder of an evaluation."""
    with files.new_folder(out) as folder:
        write_evaluation(folder / EVALUATION, done)
        files.write_text(folder / "summary.json", json.dumps(done.as_dict(), indent=2) + "\n")
        write_results(folder / "results.json", results_of(done))

"""Evaluations as work of stages: of trained agents, also with more and less help, and of agents that learn nothing.

An evaluation leaves a folder with `evaluation.npz` (everything, for tables and figures), `summary.json` (as
`vnla evaluate --json` writes it) and `results.json` (the first seed in the authors' format).

Agents that learn nothing are a scripted walker and a planner by room statistics. They are told in symbols what is in view,
objects by their right names, so they need not recognise anything (`vnla.vision.symbols`). What they show is how far walking
and asking sensibly leads without learning to see.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vnla.assistance.advisor import TemplateAdvisor
from vnla.common import files
from vnla.common.outside import whole
from vnla.evaluation.ceilings.lines import ceilings
from vnla.evaluation.ceilings.subject import Subject
from vnla.evaluation.evaluate import Evaluation, evaluate
from vnla.evaluation.evaluation_file import EVALUATION, write_evaluation
from vnla.evaluation.results import results_of, write_results
from vnla.evaluation.sweep import SweepRow, sweep
from vnla.experiments.trainings import ASKNAV, material_of
from vnla.houses.folder import read_world
from vnla.pipeline.stages import Report
from vnla.remote.episode import EvaluationRules
from vnla.remote.evaluation import evaluate_policy
from vnla.remote.observer import WorldObserver
from vnla.remote.registry import policy_named
from vnla.report.document import json_text
from vnla.rollout import RolloutContext
from vnla.tasks.dataset import read_dataset
from vnla.tasks.task_set import TaskSet
from vnla.training.checkpoints import TUNED, as_tuned, chosen_by, load_agent
from vnla.training.config import RunConfig
from vnla.training.context import make_context
from vnla.training.data import with_tasks
from vnla.training.tuned import tune_run
from vnla.world.compiled import World

TESTS = ("test_seen", "test_unseen")
PEERS = {"scripted": "SCRIPTED", "planner": "PLANNER"}
"""Agents that learn nothing, and what tables call them."""
NOTE = (
    "SCRIPTED and PLANNER learn nothing and are not in the paper: they walk by rules, PLANNER with statistics of the"
    " training houses, and are told by name what is in view, which the others have to recognise."
)


def read_iterations(path: Path) -> dict[str, int]:
    """What `choose_iterations` wrote."""
    what = "the iterations of Table 3"
    with files.taken_apart(path, what):
        found = files.read_json(path, what)["iterations"].items()
        return {str(run): whole(iteration, f"{path}: iteration of {run}", 0) for run, iteration in found}


@dataclass(frozen=True)
class EvaluationJob:
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


def prepare_evaluation(job: EvaluationJob, limit: int | None = None) -> tuple[RolloutContext, TaskSet, float]:
    """Who takes part in an evaluation, on which tasks, at most so many, and with help for which share of the time."""
    material = material_of(job.config, job.device)
    config = as_tuned(job.run, job.config) if job.help_policy is None else job.config.asking(job.help_policy)
    config = replace(config, advisor=job.advisor or config.advisor)
    context = make_context(config, material, load_agent(job.run, config, material, job.checkpoint), training=False)
    if job.tasks is not None:
        material = with_tasks(material, job.tasks)
    return context, material.evaluation_tasks(job.split, limit), config.help(training=False).ratio


def run_evaluation(out: Path, job: EvaluationJob, report: Report) -> None:
    """Carry out an evaluation and write the new folder `out`."""
    context, tasks, ratio = prepare_evaluation(job)
    done = evaluate(context, tasks, seeds=job.seeds, ratio=ratio, progress=lambda count, of: report(count, of, "episodes"))
    write_folder(out, done)


def write_folder(out: Path, done: Evaluation) -> None:
    """Write the new folder of an evaluation."""
    with files.new_folder(out) as folder:
        write_evaluation(folder / EVALUATION, done)
        files.write_text(folder / "summary.json", json.dumps(done.as_dict(), indent=2) + "\n")
        write_results(folder / "results.json", results_of(done))


def run_tuning(run: Path, help_policy: str, device: str, report: Report) -> None:
    """Choose the options of a help policy on a run's dev set, and keep them in its folder."""
    _, _, text = tune_run(
        run, help_policy=help_policy, device=device, progress=lambda done, of: report(done, of, "settings")
    )
    files.write_text(run / TUNED, text)


def run_sweep(out: Path, job: EvaluationJob, report: Report) -> None:
    """Evaluate an agent with more and less help, and write the file `out`."""
    context, tasks, _ = prepare_evaluation(job)
    rows = sweep(
        {context.advisor.k: context}, tasks, seeds=job.seeds, progress=lambda done, of: report(done, of, "settings")
    )
    files.write_text(out, json_text([row.as_dict() for row in rows]))


def read_sweep(path: Path) -> list[SweepRow]:
    """What `run_sweep` wrote."""
    what = "success against help"
    with files.taken_apart(path, what):
        return [SweepRow.from_dict(row) for row in files.read_json(path, what)]


def run_ceilings(out: Path, job: EvaluationJob, limit: int, schedules: int, report: Report) -> None:
    """Look for what is left to win on at most so many tasks under the first seed, and write the file `out`."""
    context, tasks, ratio = prepare_evaluation(job, limit)
    subject = Subject(context, tasks, job.seeds[:1], ratio)
    found = ceilings(subject, schedules=schedules, progress=lambda done, of: report(done, of, "schedules"))
    files.write_text(out, json_text(found.as_dict()))


def read_ceilings(path: Path) -> dict[str, Any]:
    """What `run_ceilings` wrote."""
    what = "what is left to win"
    with files.taken_apart(path, what):
        return dict(files.read_json(path, what))


def peer_on(peer: str, tasks: str) -> str:
    """What the evaluation of one of them on a data set is called."""
    return peer if tasks == ASKNAV else f"{tasks}-{peer}"


@dataclass(frozen=True)
class PeerJob:
    """One evaluation of one of them."""

    peer: str
    world: Path
    tasks: Path
    split: str
    seeds: Sequence[int]


def evaluate_peer(out: Path, job: PeerJob, report: Report) -> None:
    """Carry out an evaluation and write the new folder `out`, as that of a trained agent."""
    report(0, 1, "")
    folder, dataset = read_world(job.world), read_dataset(job.tasks)
    world = World.compile(folder.houses)
    policy = policy_named(job.peer, {}, folder)
    done = evaluate_policy(
        policy,
        EvaluationRules.of(world, dataset, job.split),
        WorldObserver(policy.declaration, folder, world),
        seeds=job.seeds,
        progress=lambda count, of: report(count, of, "episodes"),
    )
    write_folder(out, done.evaluation)

"""Hand-made evaluations on disk, for tests of tables and findings: six tasks of the cottage under two seeds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from vnla.assistance.help_teacher import Reason
from vnla.evaluation.evaluate import Evaluation
from vnla.evaluation.evaluation_file import EVALUATION, write_evaluation
from vnla.evaluation.metrics import METRICS
from vnla.evaluation.scores import Scores
from vnla.evaluation.trace import NOTHING, Trace
from vnla.experiments.paper.results import Layout
from vnla.houses.cottage import cottage
from vnla.tasks.cottage import cottage_tasks
from vnla.tasks.task_set import TaskSet
from vnla.world.compiled import World

SEEDS, TASKS, STEPS = (7, 8), 6, 5


def cottage_set() -> TaskSet:
    """The cottage's six tasks."""
    world = World.compile([cottage()])
    return TaskSet.compile(world, cottage_tasks(world))


def scores_of(success: list[str], **others: list[list[float]]) -> Scores:
    """Scores with the successes written as a row of 0 and 1 for each seed; everything else is 0 unless given."""
    values = {name: np.zeros((len(success), len(success[0]))) for metric in METRICS.values() for name in metric.needs}
    for name in ("reasons", "reasons_at_requests"):
        values[name] = np.zeros((len(success), len(success[0]), len(Reason)), dtype=np.int64)
    values["success"] = np.array([[each == "1" for each in row] for row in success])
    values["room_success"] = values["success"]
    for name, given in others.items():
        values[name] = np.array(given)
    return Scores(values)


def write_scores(layout: Layout, candidate: str, split: str, scores: Scores) -> None:
    """Put scores where a table looks for them, with walks in which nobody does anything."""
    rows = len(SEEDS) * TASKS
    nothing = torch.full((rows, STEPS), NOTHING)
    never = torch.zeros(rows, STEPS, dtype=torch.bool)
    trace = Trace(
        pose=torch.zeros(rows, STEPS + 1, dtype=torch.int64),
        length=torch.full((rows,), STEPS),
        nav=nothing,
        request=never,
        teacher_request=never,
        reason=nothing,
        phrase=nothing,
        help_budget=torch.zeros(rows, dtype=torch.int64),
    )
    path: Path = layout.evaluation(candidate, split) / EVALUATION
    write_evaluation(path, Evaluation(cottage_set(), SEEDS, trace, scores))

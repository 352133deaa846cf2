"""What splits, policies and agents are called in tables, after the paper."""

from __future__ import annotations

from vnla.evaluation.confidence import Estimate
from vnla.evaluation.metrics import METRICS
from vnla.experiments.paper.published import Published
from vnla.report.document import Value

SPLITS = {
    "train": "Train",
    "val_seen": "Dev seen",
    "val_unseen": "Dev unseen",
    "test_seen": "Test seen",
    "test_unseen": "Test unseen",
}
POLICIES = {"none": "NONE", "first": "FIRST", "random": "RANDOM", "learned": "LEARNED", "teacher": "TEACHER"}
DATASETS = {"asknav": "AskNav", "noroom": "NoRoom"}
FIGURES = {
    "success_rate": "Success rate (%)",
    "room_success_rate": "Room-finding success rate (%)",
    "nav_error": "Mean navigation error (m)",
}
OVER_SEEDS = "± is 95% over the seeds of the help budgets, as in the paper."


def cell(found: Estimate, metric: str = "success_rate", paper: Published | None = None) -> Value:
    """A figure with the paper's beside it."""
    mean, margin = paper or (None, None)
    return Value.of(found, METRICS[metric].unit, mean, margin)

"""What agents are tested on, and what else is done with them: success against help, and what is left to win."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vnla.common import files
from vnla.evaluation.ceilings.lines import ceilings
from vnla.evaluation.ceilings.subject import Subject
from vnla.evaluation.sweep import SweepRow, sweep
from vnla.experiments.paper.evaluations import Trial, made_ready
from vnla.experiments.paper.trainings import ASKNAV, NOROOM
from vnla.pipeline.stages import Report
from vnla.report.document import json_text

FRESH = "fresh"


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
IN_FRESH = Challenge(FRESH, "Fresh houses", "test_unseen", FRESH)
CHALLENGES = (
    Challenge("test_seen", "Test seen", "test_seen"),
    UNSEEN,
    Challenge("noroom_test_seen", "NoRoom, test seen", "test_seen", NOROOM),
    Challenge("noroom_test_unseen", "NoRoom, test unseen", "test_unseen", NOROOM),
    IN_FRESH,
)
"""In the order of the tables. Agents are trained on AskNav; which of their checkpoints is used the dev sets decide."""


def sweep_trial(out: Path, trial: Trial, report: Report) -> None:
    """Evaluate an agent with more and less help, and write the file `out`."""
    players, tasks, _ = made_ready(trial)
    rows = sweep(
        {players.advisor.k: players}, tasks, seeds=trial.seeds, progress=lambda done, of: report(done, of, "settings")
    )
    files.write_text(out, json_text([row.as_dict() for row in rows]))


def read_sweep(path: Path) -> list[SweepRow]:
    """What `sweep_trial` wrote."""
    what = "success against help"
    with files.taken_apart(path, what):
        return [SweepRow.from_dict(row) for row in files.read_json(path, what)]


def try_ceilings(out: Path, trial: Trial, limit: int, schedules: int, report: Report) -> None:
    """Look for what is left to win on at most so many tasks under the first seed, and write the file `out`."""
    players, tasks, ratio = made_ready(trial, limit)
    subject = Subject(players, tasks, trial.seeds[:1], ratio)
    found = ceilings(subject, schedules=schedules, progress=lambda done, of: report(done, of, "schedules"))
    files.write_text(out, json_text(found.as_dict()))


def read_ceilings(path: Path) -> dict[str, Any]:
    """What `try_ceilings` wrote."""
    what = "what is left to win"
    with files.taken_apart(path, what):
        return dict(files.read_json(path, what))

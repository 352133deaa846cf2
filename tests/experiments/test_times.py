"""The table of where the time went, from records worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

from vnla.experiments.times import times_table
from vnla.pipeline.scheduler import RECORDS
from vnla.report.document import Value


def test_trainings_stand_one_by_one_and_evaluations_together(tmp_path: Path) -> None:
    stages = {
        "world": 4.0, "train/none": 80.0, "train/learned": 100.0, "evaluate/none/test_seen": 5.0,
        "evaluate/none/test_unseen": 6.0, "report": 20.0,
    }  # fmt: skip
    (tmp_path / RECORDS).mkdir()
    for stage, seconds in stages.items():
        record = {"stage": stage, "done": True, "seconds": seconds}
        (tmp_path / RECORDS / f"{stage.replace('/', '-')}.json").write_text(json.dumps(record))
    unfinished = {"stage": "train/first", "done": False, "seconds": 7.0}
    (tmp_path / RECORDS / "train-first.json").write_text(json.dumps(unfinished))
    rows = {str(name): cell.mean for name, cell in times_table(tmp_path, 130.0).rows if isinstance(cell, Value)}
    assert rows == {
        "houses": 4, "training LEARNED": 100, "training NONE": 80, "2 evaluations": 11, "report": 20,
        "sum of the parts": 215, "this command, from start to end": 130,
    }  # fmt: skip

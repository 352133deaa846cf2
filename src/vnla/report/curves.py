"""The course of a training, read from a run's `log.jsonl`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vnla.common import files
from vnla.common.errors import InputError
from vnla.training.checkpoints import LOG, VALIDATION

_WHAT = "the log of a run"


@dataclass(frozen=True)
class TrainingCurves:
    """Numbers over iterations: losses where they were reported, success rates (%) where the agent was validated."""

    iterations: tuple[int, ...]
    nav_loss: tuple[float, ...]
    validations: tuple[int, ...]
    success: dict[str, tuple[float, ...]]  # validation split → rate at each validation

    @classmethod
    def read(cls, run: Path) -> TrainingCurves:
        """The curves of the run in a folder."""
        records = [_record(line, number, run / LOG) for number, line in files.read_lines(run / LOG, _WHAT)]
        losses = [record for record in records if "nav_loss" in record]
        validated = [record for record in records if all(split in record for split in VALIDATION)]
        with files.taken_apart(run / LOG, _WHAT):
            return cls(
                iterations=tuple(int(record["iteration"]) for record in losses),
                nav_loss=tuple(float(record["nav_loss"]) for record in losses),
                validations=tuple(int(record["iteration"]) for record in validated),
                success={split: tuple(float(record[split]["success_rate"]) for record in validated) for split in VALIDATION},
            )


def _record(line: str, number: int, path: Path) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise InputError(f"{path}: line {number} is not a JSON object; expected {_WHAT}")
    return record

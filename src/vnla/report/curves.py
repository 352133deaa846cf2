"""The course of a training, read from a run's `log.jsonl`."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
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
        """Return the curves of the run in a folder; its log may be packed, as `log.jsonl.gz`."""
        path = run / LOG
        packed = path.with_name(f"{LOG}.gz")
        lines = files.read_lines(path, _WHAT)
        if packed.is_file() and not path.exists():
            path, lines = packed, iter(enumerate(files.read_gzip(packed, _WHAT).splitlines(), 1))
        records = [_record(line, number, path) for number, line in lines]
        losses = [record for record in records if "nav_loss" in record]
        validated = [record for record in records if all(split in record for split in VALIDATION)]
        with files.taken_apart(path, _WHAT):
            return cls(
                iterations=tuple(int(record["iteration"]) for record in losses),
                nav_loss=tuple(float(record["nav_loss"]) for record in losses),
                validations=tuple(int(record["iteration"]) for record in validated),
                success={split: tuple(float(record[split]["success_rate"]) for record in validated) for split in VALIDATION},
            )

    def later(self, by: int) -> TrainingCurves:
        """Return the curves of a run that went on from another one's iteration `by`."""
        iterations, validations = (tuple(each + by for each in some) for some in (self.iterations, self.validations))
        return replace(self, iterations=iterations, validations=validations)


def _record(line: str, number: int, path: Path) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise InputError(f"{path}: line {number} is not a JSON object; expected {_WHAT}")
    return record

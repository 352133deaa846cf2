"""What a run tells while it goes on: `log.jsonl`, and the same as curves for TensorBoard."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vnla.common import files
from vnla.training.checkpoints import LOG
from vnla.training.event_file import EventFile, open_event_file, writing

CURVES = "tensorboard"

LogLine = dict[str, Any]


class RunLog:
    """`log.jsonl` and the curves of a run, cut back to where it goes on."""

    def __init__(self, path: Path, done: int) -> None:
        """Of the run at `path`, of which so many iterations are done."""
        self._file = path / LOG
        if self._file.exists():
            lines = self._file.read_text(encoding="utf-8", errors="replace").splitlines()
            kept = [line for line in lines if _iteration(line) <= done]
            files.write_text(self._file, "".join(f"{line}\n" for line in kept))
        with writing(self._file):
            self._stream = self._file.open("a", buffering=1)
        self._curves: EventFile | None = open_event_file(path / CURVES, done + 1)

    def write(self, record: LogLine) -> None:
        """Add a line, and points to the curves."""
        with writing(self._file):
            self._stream.write(json.dumps(record) + "\n")
        if self._curves is not None:
            values = {name: value for name, value in _flat(record) if name != "iteration"}
            self._curves.write(record["iteration"], values)

    def sync(self) -> None:
        """Have the lines on disk."""
        with writing(self._file):
            os.fsync(self._stream.fileno())

    def close(self) -> None:
        """Nothing more will come."""
        try:
            with writing(self._file):
                self._stream.close()
        finally:
            if self._curves is not None:
                self._curves.close()


def _flat(record: LogLine, prefix: str = "") -> Iterator[tuple[str, float]]:
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}/")
        else:
            yield f"{prefix}{name}", value


def _iteration(line: str) -> int:
    """The iteration of a line; a line that was cut off by a crash counts as none that is kept."""
    try:
        return int(json.loads(line)["iteration"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return 1 << 62

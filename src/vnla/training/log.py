"""What a run tells while it goes on: `log.jsonl`, and the same as curves for TensorBoard.

TensorBoard's own writer has a thread, in which an error of the disk ends in a traceback. Here whoever tells something writes
it, and such an error is the run's.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from vnla.common import files
from vnla.common.errors import InputError
from vnla.training.checkpoints import LOG

CURVES = "tensorboard"
_VERSION = "brain.Event:2"
_numbers = count()
"""Of the files of curves that this process writes."""

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
        with _writing(self._file):
            self._stream = self._file.open("a", buffering=1)
        self._curves = _curves(path / CURVES, done + 1)

    def write(self, record: LogLine) -> None:
        """Add a line, and points to the curves."""
        with _writing(self._file):
            self._stream.write(json.dumps(record) + "\n")
        if self._curves is not None:
            values = {name: value for name, value in _flat(record) if name != "iteration"}
            self._curves.write(record["iteration"], values)

    def sync(self) -> None:
        """Have the lines on disk."""
        with _writing(self._file):
            os.fsync(self._stream.fileno())

    def close(self) -> None:
        """Nothing more will come."""
        try:
            with _writing(self._file):
                self._stream.close()
        finally:
            if self._curves is not None:
                self._curves.close()


class Curves:
    """A file of points that TensorBoard shows."""

    def __init__(self, folder: Path, first: int) -> None:
        """In a folder of such files; points of the others from the iteration `first` on no longer count."""
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog
        from tensorboard.summary.writer.record_writer import RecordWriter

        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}.{next(_numbers)}"
        self._file, self._event = folder / name, Event
        with _writing(self._file):
            folder.mkdir(exist_ok=True)
            self._records = RecordWriter(self._file.open("xb"))
            self._add(Event(file_version=_VERSION))
            self._add(Event(step=first, session_log=SessionLog(status=SessionLog.START)))
            self._records.flush()

    def write(self, iteration: int, values: dict[str, float]) -> None:
        """Add a point to each of some curves."""
        with _writing(self._file):
            for name, value in values.items():
                self._add(self._event(step=iteration, summary={"value": [{"tag": name, "simple_value": value}]}))
            self._records.flush()

    def close(self) -> None:
        """Nothing more will come."""
        with _writing(self._file):
            self._records.close()

    def _add(self, event: Any) -> None:
        event.wall_time = time.time()
        self._records.write(event.SerializeToString())


def _curves(folder: Path, first: int) -> Curves | None:
    """Where TensorBoard is installed."""
    try:
        return Curves(folder, first)
    except ImportError:
        return None


@contextmanager
def _writing(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{file}: cannot be written ({error.strerror})") from None


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

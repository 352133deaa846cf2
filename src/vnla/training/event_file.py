"""The file that TensorBoard shows curves from.

TensorBoard's public writer, and PyTorch's, have a thread in which an error of the disk ends in a traceback. Here whoever has
a value writes it, and such an error is the run's. So this module, and no other, uses two things of TensorBoard's that are
not documented: the messages of its files and the writer of their records. PyTorch's writer needs the first as well, and
`tests/training/test_log.py` reads with TensorBoard's own reader what was written.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from vnla.common.errors import InputError

_VERSION = "brain.Event:2"
_numbers = count()
"""Of the files that this process writes."""


class EventFile:
    """A file of points that TensorBoard shows."""

    def __init__(self, folder: Path, first: int) -> None:
        """In a folder of such files; points of the others from the iteration `first` on no longer count."""
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog
        from tensorboard.summary.writer.record_writer import RecordWriter

        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}.{next(_numbers)}"
        self._file, self._event = folder / name, Event
        with writing(self._file):
            folder.mkdir(exist_ok=True)
            self._records = RecordWriter(self._file.open("xb"))
            self._add(Event(file_version=_VERSION))
            self._add(Event(step=first, session_log=SessionLog(status=SessionLog.START)))
            self._records.flush()

    def write(self, iteration: int, values: dict[str, float]) -> None:
        """Add a point to each of some curves."""
        with writing(self._file):
            for name, value in values.items():
                self._add(self._event(step=iteration, summary={"value": [{"tag": name, "simple_value": value}]}))
            self._records.flush()

    def close(self) -> None:
        """Nothing more will come."""
        with writing(self._file):
            self._records.close()

    def _add(self, event: Any) -> None:
        event.wall_time = time.time()
        self._records.write(event.SerializeToString())


def open_event_file(folder: Path, first: int) -> EventFile | None:
    """Return a new file in `folder`, or None where TensorBoard is not installed."""
    try:
        return EventFile(folder, first)
    except ImportError:
        return None


@contextmanager
def writing(file: Path) -> Iterator[None]:
    """An error of the disk in the block is a line about `file`."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{file}: cannot be written ({error.strerror})") from None

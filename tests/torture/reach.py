"""Which lines and branches of ours an input reaches.

From Python 3.12 on (`sys.monitoring`), a line tells of itself once, and a branch until both of its ways were taken: to watch
every input costs next to nothing. Before, `sys.settrace` tells of every line each time, so that only every tenth input is
watched: pairs of lines, one after the other.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, Protocol

Place = tuple[str, int, int, int]
TOOL = 4
TRACED, SLOWER = 10, 10


class Reach(Protocol):
    """All places that were reached, and when to look."""

    all: set[Place]

    def begin(self, inputs: int) -> float:
        """Before an input: how many times slower it may be for being watched."""
        ...

    def end(self) -> None:
        """After it."""
        ...


class _Monitored:
    def __init__(self, ours: str, reached: set[Place]) -> None:
        self.ours, self.all = ours, reached
        self._ways: dict[tuple[int, int], set[int]] = {}
        self._names: dict[int, tuple[CodeType, str, int]] = {}

    def begin(self, _inputs: int) -> float:
        return 1

    def end(self) -> None:
        pass

    def line(self, code: CodeType, number: int) -> Any:
        if code.co_filename.startswith(self.ours):
            self.all.add((code.co_filename, number, -1, -1))
        return sys.monitoring.DISABLE

    def branch(self, code: CodeType, offset: int, destination: int) -> Any:
        ways = self._ways.get(key := (id(code), offset))
        if ways is None:
            if not code.co_filename.startswith(self.ours):
                return sys.monitoring.DISABLE
            self._names[id(code)] = (code, code.co_filename, code.co_firstlineno)  # and nobody else gets its id
            ways = self._ways[key] = set()
        if destination in ways:
            return None
        ways.add(destination)
        _, name, first = self._names[id(code)]
        self.all.add((name, first, offset, destination))
        return sys.monitoring.DISABLE if len(ways) == 2 else None


class _Traced:
    def __init__(self, ours: str, reached: set[Place]) -> None:
        self.ours, self.all = ours, reached
        self._before = 0

    def begin(self, inputs: int) -> float:
        if inputs % TRACED:
            return 1
        self._before = 0
        sys.settrace(self._call)
        return SLOWER

    def end(self) -> None:
        sys.settrace(None)

    def _call(self, frame: FrameType, _event: str, _value: object) -> Any:
        return self._line if frame.f_code.co_filename.startswith(self.ours) else None

    def _line(self, frame: FrameType, event: str, _value: object) -> Any:
        if event == "line":
            self.all.add((frame.f_code.co_filename, self._before, frame.f_lineno, -1))
            self._before = frame.f_lineno
        return self._line


@contextmanager
def reach(ours: str, reached: set[Place]) -> Iterator[Reach]:
    """Look at what lies in the folder `ours`, and add to what was reached."""
    if sys.version_info < (3, 12):
        yield _Traced(ours, reached)
        return
    watch, events = _Monitored(ours, reached), sys.monitoring.events
    sys.monitoring.use_tool_id(TOOL, "torture")
    try:
        sys.monitoring.register_callback(TOOL, events.LINE, watch.line)
        sys.monitoring.register_callback(TOOL, events.BRANCH, watch.branch)
        sys.monitoring.set_events(TOOL, events.LINE | events.BRANCH)
        sys.monitoring.restart_events()
        yield watch
    finally:
        sys.monitoring.set_events(TOOL, 0)
        for event in (events.LINE, events.BRANCH):
            sys.monitoring.register_callback(TOOL, event, None)
        sys.monitoring.free_tool_id(TOOL)

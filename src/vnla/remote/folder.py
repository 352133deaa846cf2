"""The folder of an evaluation of somebody's agent, from which the same command continues where it was left.

::

    calls.jsonl               a line a call: what was sent, the raw reply, how long it took; pictures as their checksums
    cache/                    replies of a chat-completion server, by the whole request
    sights/                   what is in view in each house, where that had to be drawn
    <split>/settings.json     what determines the outcome; another command is refused
    <split>/episodes.jsonl    a line an episode, on disk before the next begins; nothing in it depends on when it was
    <split>/results.json      a results file, when all is done
    summary.json              the figures of all splits, when all is done

A process that is killed loses the episodes in hand. A last line that was not written to its end is cut off.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from vnla.assistance.help_teacher import RESULT_NAMES
from vnla.camera import VIEWS
from vnla.common import files
from vnla.common.errors import InputError
from vnla.common.outside import is_whole, shown, whole
from vnla.evaluation.results import MOST_REQUESTS
from vnla.remote.episode import EpisodeRecord
from vnla.remote.evaluated_agent import ACTIONS, Fault

SETTINGS, EPISODES, CALLS, CACHE = "settings.json", "episodes.jsonl", "calls.jsonl", "cache"
RESULTS, SUMMARY = "results.json", "summary.json"
FORMAT, VERSION = "vnla-guest", 1
_LARGEST = 1 << 36
_LONGEST_LINE = 64 * files.MEGABYTE

Key = tuple[str, int]
"""Task and seed of an episode."""


class Journal:
    """A file of JSON lines that is only ever added to. Several threads may."""

    def __init__(self, path: Path) -> None:
        self.path, self._lock = path, threading.Lock()
        self._stream: Any = None

    def read(self) -> Iterator[tuple[int, Any]]:
        """The lines with their numbers; a last one that was not finished is cut off."""
        if not self.path.exists():
            return
        _cut_torn_line(self.path)
        for number, line in files.read_lines(self.path, "JSON lines", _LONGEST_LINE, _LARGEST, _LARGEST):
            yield number, files.parse_json(line, self.path, f"JSON lines; line {number}")

    def add(self, value: Mapping[str, Any], *, at_once: bool = True) -> None:
        """One more line; on disk `at_once`, or soon."""
        line = json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n"
        with self._lock:
            if self._stream is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._stream = self.path.open("ab")
            self._stream.write(line.encode("utf-8", "replace"))
            self._stream.flush()
            if at_once:
                os.fsync(self._stream.fileno())

    def close(self) -> None:
        """Nothing more will be added now."""
        with self._lock:
            if self._stream is not None:
                self._stream.close()
                self._stream = None


def _cut_torn_line(path: Path) -> None:
    with path.open("rb+") as stream:
        end = stream.seek(0, os.SEEK_END)
        place = end
        while place > 0:
            begin = max(0, place - 65536)
            stream.seek(begin)
            found = stream.read(place - begin).rfind(b"\n")
            if found >= 0:
                place = begin + found + 1
                break
            place = begin
        if place < end:
            stream.truncate(place)


class EvaluationFolder:
    """An evaluation's files."""

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        """Refuses a folder in which another evaluation was begun."""
        self.path, self._episodes = path, Journal(path / EPISODES)
        self._settle(json.loads(json.dumps(settings)))

    def _settle(self, settings: dict[str, Any]) -> None:
        place = self.path / SETTINGS
        if not place.exists():
            value = {"format": FORMAT, "version": VERSION, "settings": settings}
            files.write_text(place, json.dumps(value, indent=2, ensure_ascii=False) + "\n")
            return
        what = "the settings of an evaluation that was begun"
        found = files.read_json(place, what)
        ours = isinstance(found, dict) and found.get("format") == FORMAT
        if not ours or not is_whole(found.get("version"), VERSION, VERSION):
            raise InputError(f"{place}: is not {what}; give another --out")
        begun = found.get("settings")
        if not isinstance(begun, dict):
            raise InputError(f"{place}: field settings is {shown(begun)}; expected names with values; give another --out")
        for name in [*settings, *begun]:
            if begun.get(name) != settings.get(name):
                was, now = (shown(str(each.get(name))) for each in (begun, settings))
                raise InputError(f"{self.path}: was begun with {name} {was}, not {now}; give another --out")

    def done(self, known: Callable[[Key], bool]) -> dict[Key, EpisodeRecord]:
        """The episodes that are there, by task and seed; one that is not `known` is an error."""
        found = {}
        for number, value in self._episodes.read():
            where = f"{self._episodes.path}: line {number}"
            record = read_record(value, where)
            key = record.task, record.seed
            if not known(key) or key in found:
                raise InputError(f"{where}: task {record.task} with seed {record.seed} is not to be there, or not twice")
            found[key] = record
        return found

    def add(self, record: EpisodeRecord) -> None:
        """One more episode, on disk."""
        self._episodes.add(asdict(record))

    def close(self) -> None:
        """Nothing more will be added now."""
        self._episodes.close()


_REMOVE = "remove the line to have it run again"
_REASONS = {name: name for name in RESULT_NAMES.values()}
_NAMES = {name: name for name in ACTIONS}


def read_record(value: Any, where: str) -> EpisodeRecord:
    """A record of an episode, looked at closely: files can be edited. `where` names it in messages."""
    try:
        names = [each.name for each in fields(EpisodeRecord)]
        if set(_a(dict, value)) != set(names):
            raise ValueError(f"expected {', '.join(names)}")
        path, actions, said, teacher, errors = (_a(list, value[name]) for name in names[3:])
        steps = len(actions)
        record = EpisodeRecord(
            task=_a(str, value["task"]),
            seed=whole(value["seed"], "seed"),
            help_budget=whole(value["help_budget"], "help_budget", 0, MOST_REQUESTS),
            path=tuple((_a(str, viewpoint), whole(view, "a view", 0, VIEWS - 1)) for viewpoint, view in path),
            actions=tuple(each if each is None else _NAMES[each] for each in actions),
            said=tuple(each if each is None else _a(str, each) for each in said),
            teacher=tuple(each if each is None else _REASONS[each] for each in teacher),
            errors=tuple((whole(step, "a step", 0, steps - 1), Fault(kind).value) for step, kind in errors),
        )
        if steps < 1 or {len(record.path) - 1, len(record.said), len(record.teacher)} != {steps}:
            raise ValueError("its lists do not have an entry for each time step")
    except (TypeError, LookupError, ValueError) as error:
        raise InputError(f"{where}: is not the record of an episode ({shown(str(error))}); {_REMOVE}") from None
    return record


def _a(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise TypeError(f"expected {kind.__name__}, found {type(value).__name__}")
    return value

"""One task: an end-goal in words, where the agent begins, and the viewpoints where it is fulfilled.

On disk tasks are the JSON records of AskNav and NoRoom, compressed or not; a record with several instructions is several
tasks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from sys import intern
from types import NoneType
from typing import Any

from vnla.camera import HEADINGS, TURN
from vnla.common.errors import InputError
from vnla.common.files import MEGABYTE, parse_json, read_gzip, read_text
from vnla.common.randomness import episode_key
from vnla.houses.rooms import in_room

_LARGEST = 2048 * MEGABYTE
_LARGEST_ANGLE = 1e6  # radians
_LISTS = ("paths", "trajectories", "instructions")
_FIELDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(_LISTS, (list,)),
    "path_id": (int, str),
    "scan": (str,),
    "heading": (int, float),
    "start_region_name": (str, NoneType),
    "end_region_name": (str, NoneType),
    "object_name": (str, NoneType),
}
"""The fields of a record that matter here, and what each may be; one that may be null may be missing."""


@dataclass(frozen=True, slots=True)
class Task:
    """A data point: environment, start pose, goal viewpoints, end-goal."""

    id: str
    house: str
    start: str
    heading: int
    """Heading step at the start, 0 to 11; the camera is level."""
    end_goal: str
    """Lower-case words and a full stop, separated by spaces."""
    goals: tuple[str, ...]
    lengths: tuple[int, ...]
    """The teacher's number of actions to each goal, the final `stop` included."""
    start_room: str = ""
    goal_room: str = ""
    object: str = ""


@lru_cache(maxsize=1 << 12)
def sought_keys(thing: str, room: str) -> tuple[int, int]:
    """Return numbers that stand for an object's label and for a room's name, 0 where there is none."""
    return episode_key(thing) if thing else 0, episode_key(in_room(room)) if room else 0


def read_tasks(path: Path) -> list[Task]:
    """Return the tasks of an AskNav or NoRoom file."""
    what = "a list of AskNav records"
    text = read_gzip(path, what, _LARGEST) if path.suffix == ".gz" else read_text(path, what, _LARGEST)
    records = parse_json(text, path, what, _taken_in)
    if not isinstance(records, list):
        raise InputError(f"{path}: expected {what}, found {_kind(records)}")
    tasks: list[Task] = []
    for number, record in enumerate(records):
        tasks.extend(record if isinstance(record, tuple) else tasks_of(record, f"{path}: record {number}"))
    return tasks


def _taken_in(record: dict[str, Any]) -> tuple[Task, ...] | dict[str, Any]:
    """The tasks of a record as soon as it is decoded, so that its paths and trajectories, most of a file, do not pile up.

    What is no record stays as it is: what is wrong with it is said when its number is known.
    """
    try:
        return tuple(tasks_of(record, "a record"))
    except InputError:
        return record


def tasks_of(record: Any, where: str) -> Iterator[Task]:
    """Return the tasks of one record; `where` names it in messages."""
    if not isinstance(record, dict):
        raise InputError(f"{where}: expected an object, found {_kind(record)}")
    _check_fields(record, where)
    goals = _goals(record["paths"], where)
    lengths = _lengths(record["trajectories"], len(goals), where)
    start = _start(record["paths"], where)
    heading = _heading_step(record["heading"], where)
    house = intern(record["scan"])
    start_room = intern(record.get("start_region_name") or "")
    goal_room = intern(record.get("end_region_name") or "")
    thing = intern(record.get("object_name") or "")
    for number, instruction in enumerate(record["instructions"]):
        if not isinstance(instruction, str) or not instruction.strip():
            raise InputError(f"{where}: field instructions: entry {number} is not a sentence")
        name, end_goal = f"{record['path_id']}_{number}", intern(instruction)
        yield Task(name, house, start, heading, end_goal, goals, lengths, start_room, goal_room, thing)


def _check_fields(record: Mapping[str, Any], where: str) -> None:
    for name, kinds in _FIELDS.items():
        if type(record.get(name)) not in kinds:
            if name not in record:
                raise InputError(f"{where}: field {name} is missing")
            expected = " or ".join(kind.__name__ for kind in kinds if kind is not NoneType)
            raise InputError(f"{where}: field {name}: expected {expected}, found {_kind(record[name])}")
    for name in _LISTS:
        if not record[name]:
            raise InputError(f"{where}: field {name} is empty")


def _goals(paths: list[Any], where: str) -> tuple[str, ...]:
    """Return where the paths end."""
    for number, path in enumerate(paths):
        if type(path) is not list or not _all_are(str, path):
            raise InputError(f"{where}: field paths: entry {number} is not a list of viewpoint ids")
    return tuple([intern(path[-1]) for path in paths])


def _start(paths: list[list[str]], where: str) -> str:
    """Return where the paths begin."""
    start = paths[0][0]
    for path in paths:
        if path[0] != start:
            raise InputError(f"{where}: field paths: they begin at different viewpoints")
    return intern(start)


def _lengths(trajectories: list[Any], count: int, where: str) -> tuple[int, ...]:
    if len(trajectories) != count or not _all_are(list, trajectories) or not all(trajectories):
        raise InputError(f"{where}: field trajectories: expected one non-empty list of actions for each of {count} paths")
    for number, trajectory in enumerate(trajectories):
        for action in trajectory:
            if type(action) is not list or len(action) != 3:
                raise InputError(f"{where}: field trajectories: entry {number} is not a list of [index, heading, elevation]")
    return tuple(map(len, trajectories))


def _all_are(kind: type, values: list[Any]) -> bool:
    """Return whether there are values and all are of this very type."""
    for value in values:
        if type(value) is not kind:
            return False
    return bool(values)


def _heading_step(heading: float, where: str) -> int:
    angle = math.inf if abs(heading) >= _LARGEST_ANGLE else heading  # a whole number can be too large for a float
    steps = angle / TURN
    if not math.isfinite(steps) or abs(steps - round(steps)) > 1e-3:
        raise InputError(f"{where}: field heading: {angle:.6g} is not a multiple of 30 degrees (in radians)")
    return round(steps) % HEADINGS


def _kind(value: object) -> str:
    # A tuple was an object in the file: a record that was taken in.
    names = {dict: "an object", tuple: "an object", list: "a list", str: "text", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")

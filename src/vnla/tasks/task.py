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
from typing import Any

from vnla.camera.views import HEADINGS, TURN
from vnla.common.errors import InputError
from vnla.common.files import MEGABYTE, parse_json, read_gzip, read_text
from vnla.common.randomness import episode_key
from vnla.houses.rooms import in_room

_LARGEST = 2048 * MEGABYTE
_LARGEST_ANGLE = 1e6  # radians


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
    """Numbers that stand for an object's label and for a room's name, 0 where there is none."""
    return episode_key(thing) if thing else 0, episode_key(in_room(room)) if room else 0


def read_tasks(path: Path) -> list[Task]:
    """The tasks of an AskNav or NoRoom file."""
    what = "a list of AskNav records"
    text = read_gzip(path, what, _LARGEST) if path.suffix == ".gz" else read_text(path, what, _LARGEST)
    records = parse_json(text, path, what)
    if not isinstance(records, list):
        raise InputError(f"{path}: expected {what}, found {_kind(records)}")
    return [task for number, record in enumerate(records) for task in tasks_of(record, f"{path}: record {number}")]


def tasks_of(record: Any, where: str) -> Iterator[Task]:
    """The tasks of one record; `where` names it in messages."""
    if not isinstance(record, dict):
        raise InputError(f"{where}: expected an object, found {_kind(record)}")
    paths = _texts_of_texts(record, "paths", where)
    trajectories = _list(record, "trajectories", where)
    if len(trajectories) != len(paths) or not all(isinstance(each, list) and each for each in trajectories):
        raise InputError(
            f"{where}: field trajectories: expected one non-empty list of actions for each of {len(paths)} paths"
        )
    for number, trajectory in enumerate(trajectories):
        if not all(isinstance(action, list) and len(action) == 3 for action in trajectory):
            raise InputError(f"{where}: field trajectories: entry {number} is not a list of [index, heading, elevation]")
    if len({path[0] for path in paths}) > 1:
        raise InputError(f"{where}: field paths: they begin at different viewpoints")
    for number, instruction in enumerate(_list(record, "instructions", where)):
        if not isinstance(instruction, str) or not instruction.strip():
            raise InputError(f"{where}: field instructions: entry {number} is not a sentence")
        yield Task(
            id=f"{_field(record, 'path_id', where, (int, str))}_{number}",
            house=_field(record, "scan", where, (str,)),
            start=paths[0][0],
            heading=_heading_step(_field(record, "heading", where, (int, float)), where),
            end_goal=instruction,
            goals=tuple(path[-1] for path in paths),
            lengths=tuple(len(each) for each in trajectories),
            start_room=_text(record, "start_region_name", where),
            goal_room=_text(record, "end_region_name", where),
            object=_text(record, "object_name", where),
        )


def _heading_step(heading: float, where: str) -> int:
    angle = math.inf if abs(heading) >= _LARGEST_ANGLE else heading  # a whole number can be too large for a float
    steps = angle / TURN
    if not math.isfinite(steps) or abs(steps - round(steps)) > 1e-3:
        raise InputError(f"{where}: field heading: {angle:.6g} is not a multiple of 30 degrees (in radians)")
    return round(steps) % HEADINGS


def _field(record: Mapping[str, Any], name: str, where: str, kinds: tuple[type, ...]) -> Any:
    if name not in record:
        raise InputError(f"{where}: field {name} is missing")
    value = record[name]
    if not isinstance(value, kinds) or isinstance(value, bool):
        raise InputError(
            f"{where}: field {name}: expected {' or '.join(kind.__name__ for kind in kinds)}, found {_kind(value)}"
        )
    return value


def _text(record: Mapping[str, Any], name: str, where: str) -> str:
    """Text that may be missing, or null."""
    value: str = "" if record.get(name) is None else _field(record, name, where, (str,))
    return value


def _list(record: Mapping[str, Any], name: str, where: str) -> list[Any]:
    values: list[Any] = _field(record, name, where, (list,))
    if not values:
        raise InputError(f"{where}: field {name} is empty")
    return values


def _texts_of_texts(record: Mapping[str, Any], name: str, where: str) -> list[list[str]]:
    values = _list(record, name, where)
    for number, value in enumerate(values):
        if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
            raise InputError(f"{where}: field {name}: entry {number} is not a list of viewpoint ids")
    return values


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")

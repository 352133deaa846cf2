"""Records of a study as they are exported: each is checked against the design, the databases and the world.

A record that a server has written passes. Whatever does not, after a damaged disk, an editor or a copy of another time, is
named with what is wrong: figures of a paper must not rest on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vnla.common.errors import InputError
from vnla.serve.places import PlaceNames
from vnla.serve.study.assignment import Try
from vnla.serve.study.design import ScheduleEntry
from vnla.serve.study.records import DamagedError, checked_lines
from vnla.serve.study.store import STORE
from vnla.world.budgets import LONGEST_EPISODE

Connections = list[dict[str, Any]]
_ONE = "viewpoint"
_MANY = ("ahead", "way", "goals")
"""Fields of events that name places."""


def check_tries(store: Path, who: str, tries: Sequence[Try], todo: Sequence[ScheduleEntry]) -> None:
    """Refuse tries that a participant with these things to do cannot have made."""
    for each in tries:
        if each.place >= len(todo) or each.task not in todo[each.place].tasks:
            raise InputError(
                f"{store}: try {each.number} of {who} is damaged (place or task is not the participant's); "
                "put back copies of the databases and records that are of the same time"
            )


def read_record(path: Path, tries: Sequence[Try], todo: Sequence[ScheduleEntry], names: PlaceNames) -> Connections:
    """The lines of a participant's record, checked, without those of a try that is just being begun."""
    acknowledged = max((each.acknowledged for each in tries), default=0)
    if not path.exists():
        if acknowledged:
            raise DamagedError(path, f"is missing, but {STORE} knows what was in it")
        return []
    lines = checked_lines(path)
    numbers = [line["event"]["number"] for line in lines if "event" in line]
    if numbers != list(range(1, len(numbers) + 1)) or len(numbers) < acknowledged:
        raise DamagedError(path, f"has not all events up to number {max(acknowledged, *numbers, 0)}")
    starts = [number for number, line in enumerate(lines) if "trial" in line]
    if any("event" in line for line in lines[: starts[0] if starts else None]):
        raise DamagedError(path, "has an event before the first trial")
    if starts and not any("event" in line for line in lines[starts[-1] :]):
        del lines[starts.pop() :]
    _check_trials(path, lines, starts, todo)
    try:
        named(lines, names)
    except InputError as error:
        raise DamagedError(path, f"names a house or place that the world does not have ({error})") from None
    return lines


def _check_trials(path: Path, lines: Connections, starts: Sequence[int], todo: Sequence[ScheduleEntry]) -> None:
    before = 0
    for first, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        trial, parts = lines[first]["trial"], lines[first + 1 : end]
        why = _wrong(trial, parts, todo) if trial["number"] > before else "its number is not after the one before"
        if why is not None:
            raise DamagedError(path, f"line {first + 1}, trial {trial['number']}: {why}")
        before = trial["number"]


def _wrong(trial: dict[str, Any], lines: Connections, todo: Sequence[ScheduleEntry]) -> str | None:
    """What is wrong with a trial and the lines that belong to it."""
    if not 0 <= trial["place"] < len(todo):
        return "the participant has no such place"
    place = todo[trial["place"]]
    if (trial["kind"], trial["condition"]) != (place.kind, place.condition.name):
        return "kind or condition is not that of its place"
    events = [line["event"] for line in lines if "event" in line]
    if [event["kind"] for event in events].count("begun") != 1 or events[0]["kind"] != "begun":
        return "does not begin once"
    begun, wanted = events[0], [line["wanted"] for line in lines if "wanted" in line]
    if begun["mode"] != place.condition.mode:
        return "mode is not that of its condition"
    if "wanted" not in lines[0] or any(each.get("task") not in place.tasks for each in wanted):
        return "the task is not one of its place"
    if not (0 <= begun["time"] <= LONGEST_EPISODE and 0 <= begun["requests"] <= LONGEST_EPISODE):
        return f"time or requests is not within 0 to {LONGEST_EPISODE}"
    return None


def named(value: Any, names: PlaceNames) -> Any:
    """The same with the world's names of houses and viewpoints."""
    if isinstance(value, list):
        return [named(each, names) for each in value]
    if not isinstance(value, dict):
        return value
    return {field: _named(field, each, names) for field, each in value.items()}


def _named(field: str, value: Any, names: PlaceNames) -> Any:
    if field == "house" and value is not None:
        return names.house(value).name
    if field == _ONE:
        return viewpoint_id(value, names)
    return [viewpoint_id(each, names) for each in value] if field in _MANY else named(value, names)


def viewpoint_id(name: str, names: PlaceNames) -> str:
    """The world's name of a viewpoint."""
    house, number = names.viewpoint(name)
    return house.viewpoints[number].id

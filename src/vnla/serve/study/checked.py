"""Records of a study as they are exported: each is checked against the design, the databases and the world.

A record that a server has written passes. Whatever does not, after a damaged disk, an editor or a copy of another time, is
named with what is wrong: figures of a paper must not rest on it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from pydantic import Field, ValidationError, model_validator

from vnla.common.errors import InputError
from vnla.serve.episode_spec import EpisodeSpec
from vnla.serve.events import Event, Frozen
from vnla.serve.messages import StudyMessage
from vnla.serve.places import PlaceNames
from vnla.serve.sessions import log_lines
from vnla.serve.study.assignment import Try
from vnla.serve.study.design import ScheduleEntry
from vnla.serve.study.records import Stamp, TrialHeader
from vnla.serve.study.store import STORE, Moment, why_invalid
from vnla.world.budgets import LONGEST_EPISODE

JsonLines = list[dict[str, Any]]
_ONE = "viewpoint"
_MANY = ("ahead", "way", "goals")
"""Fields of events that name places."""


class RecordLine(Frozen):
    """A line of a record: the time, and one of the others."""

    at: Moment
    stamp: Stamp | None = None
    consent: str | None = Field(default=None, max_length=64)
    trial: TrialHeader | None = None
    heard: StudyMessage | None = None
    refused: str | None = None
    wanted: EpisodeSpec | None = None
    event: Event | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        there = {name for name in self.model_fields_set if getattr(self, name) is not None} - {"at"}
        if self.model_fields_set != {"at", *there} or (len(there) != 1 and there != {"heard", "refused"}):
            raise ValueError("has not one thing to tell")
        return self


class DamagedError(InputError):
    """A record that is not as it was written."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path}: {why}; put back a copy of this record, or leave it out with --skip-damaged")


def check_tries(store: Path, who: str, tries: Sequence[Try], todo: Sequence[ScheduleEntry]) -> None:
    """Refuse tries that a participant with these things to do cannot have made."""
    for each in tries:
        if each.place >= len(todo) or each.task not in todo[each.place].tasks:
            raise InputError(
                f"{store}: try {each.number} of {who} is damaged (place or task is not the participant's); "
                "put back copies of the databases and records that are of the same time"
            )


def read_record(path: Path, tries: Sequence[Try], todo: Sequence[ScheduleEntry], names: PlaceNames) -> JsonLines:
    """Return the checked lines of a participant's record, without those of a try that is just being begun."""
    acknowledged = max((each.acknowledged for each in tries), default=0)
    if not path.exists():
        if acknowledged:
            raise DamagedError(path, f"is missing, but {STORE} knows what was in it")
        return []
    lines = _checked_lines(path)
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


def _checked_lines(path: Path) -> JsonLines:
    """Return the lines of a record, each of which is one that a server writes: all fields have their types and ranges."""
    try:
        found = list(log_lines(path))
    except InputError as error:
        raise DamagedError(path, str(error).removeprefix(f"{path}: ")) from None
    for number, line in enumerate(found, start=1):
        try:
            event = RecordLine.model_validate_json(json.dumps(line, allow_nan=False), strict=True).event
        except ValidationError as error:
            raise DamagedError(path, f"line {number} is damaged ({why_invalid(error)})") from None
        except ValueError:
            raise DamagedError(path, f"line {number} is damaged (a number in it is none)") from None
        if event is not None:
            line["event"] = event.model_dump(mode="json")  # with fields that it lacks because it is older than they are
    return found


def _check_trials(path: Path, lines: JsonLines, starts: Sequence[int], todo: Sequence[ScheduleEntry]) -> None:
    before = 0
    for first, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        trial, parts = lines[first]["trial"], lines[first + 1 : end]
        why = _wrong(trial, parts, todo) if trial["number"] > before else "its number is not after the one before"
        if why is not None:
            raise DamagedError(path, f"line {first + 1}, trial {trial['number']}: {why}")
        before = trial["number"]


def _wrong(trial: dict[str, Any], lines: JsonLines, todo: Sequence[ScheduleEntry]) -> str | None:
    """Return what is wrong with a trial and the lines that belong to it."""
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
    """Return the same value with the world's names of houses and viewpoints."""
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
    """Return the world's name of a viewpoint."""
    house, number = names.viewpoint(name)
    return house.viewpoints[number].id

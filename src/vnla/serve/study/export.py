"""The data of a study as files to work with.

- `results.json`: all tasks of all who completed the study, as a results file with participant and condition, for
  `vnla evaluate --recorded`; neither practice nor catch tasks are in it;
- `episodes.csv`: a row a try of anybody, practice and catch tasks too;
- `participants.csv`: a row a participant: cell, status, consent, completion code, catch tasks that were failed;
- `events.jsonl`: a row a line of the records, with all that it belongs to. Places have the names of the world;
- `summary.json`: how many came and how many completed it, in every cell, and by what;
- the configuration and the consent text, as they are now.

`docs/human-study.md` explains every column.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, get_args

from vnla.camera import view_angles, view_index
from vnla.common import files
from vnla.common.progress import Share, unheard
from vnla.evaluation.recorded import Recorded
from vnla.evaluation.results import write_results
from vnla.evaluation.spreadsheet import as_csv
from vnla.houses.folder import read_world
from vnla.serve.places import PlaceNames
from vnla.serve.reduce import reduced
from vnla.serve.study.assignment import Try, cells, schedule
from vnla.serve.study.checked import DamagedError, check_tries, named, read_record, viewpoint_id
from vnla.serve.study.design import CONSENT, DESIGN, Consent, Design, ScheduleEntry
from vnla.serve.study.records import record_of
from vnla.serve.study.store import STORE, Participant, Status, Store, StudyKey

RESULTS, EPISODES, PARTICIPANTS, EVENTS = "results.json", "episodes.csv", "participants.csv", "events.jsonl"
SUMMARY = "summary.json"
EPISODE_COLUMNS = (
    "participant", "status", "try", "place", "kind", "condition", "agent", "task", "house", "sentence", "seed", "began",
    "seconds", "until_next", "steps", "time_budget", "requests", "help_budget", "answers", "refused", "reason", "success",
    "metres", "agent_success", "configuration", "code_version",
)  # fmt: skip
PARTICIPANT_COLUMNS = (
    "participant", "cell", "order", "group", "status", "consent", "consented", "last_heard", "finished", "minutes",
    "completion_code", "practice", "tasks", "catch", "catch_failed",
)  # fmt: skip
LATE = "late"
"""The reason of an end besides those of `vnla.serve.events.EndedEvent`: the seconds for the task were over."""


@dataclass
class ExportedEpisode:
    """One try of a participant, from its record."""

    participant: Participant
    trial: dict[str, Any]
    stamp: dict[str, Any]
    began: float
    wanted: dict[str, Any] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    heard: str = ""
    """The kind of the participant's last message."""
    refused: int = 0
    """Messages that nothing followed from."""
    ended: float | None = None
    left: float | None = None
    """When the participant went on to what comes next."""

    @property
    def outcome(self) -> dict[str, Any] | None:
        """The event of its end, if it has one."""
        return next((event for event in reversed(self.events) if event["kind"] == "ended"), None)

    @property
    def reason(self) -> str:
        """Why it ended. Who gives up says so; whoever says something else when it ends like that had no time left."""
        reason = self.outcome["reason"] if self.outcome else ""
        return LATE if reason == "left" and self.heard != "leave" else reason


class Exported(NamedTuple):
    """What has come of an export."""

    completed: int
    """How many have completed the study."""
    damaged: dict[str, str]
    """Participants whose record was left out, and why."""


@dataclass
class _ExportedRecords:
    """All that is in the records of a study."""

    episodes: list[ExportedEpisode] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    damaged: dict[str, str] = field(default_factory=dict)


def export_study(folder: Path, out: Path, progress: Share = unheard, *, skip_damaged: bool = False) -> Exported:
    """Write the data of the study in a folder as the new folder `out`; refuse or skip damaged records."""
    design, key = Design.read(folder), StudyKey.read(folder)
    store = Store.of(folder, design, key)
    store.check(design.fingerprint)
    everybody = store.everybody()
    tries = {each.id: store.tries(each.id) for each in everybody}  # before the records, which then have at least as much
    for each in everybody:
        check_tries(folder / STORE, each.id, tries[each.id], _todo(each, design))
    houses = read_world(Path(design.world)).houses
    names = PlaceNames(houses).reading(PlaceNames(houses, key.names))
    read = _ExportedRecords()
    for done, someone in enumerate(tuple(everybody), start=1):
        try:
            lines = read_record(record_of(folder, someone.id), tries[someone.id], _todo(someone, design), names)
        except DamagedError as error:
            if someone.id not in {each.id for each in store.everybody()}:  # has withdrawn meanwhile
                everybody.remove(someone)
                continue
            if not skip_damaged:
                raise
            read.damaged[someone.id] = str(error)
            lines = []
        read.episodes += _episodes(someone, lines)
        read.rows += [json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in _rows(someone, lines, names)]
        progress(done, len(tries))
    summary = _summary(design, everybody, store.withdrew(), read)
    with files.new_folder(out) as new:
        _write_records(new, design, read, names)
        people = [_participant_row(each, design, key, tries[each.id]) for each in everybody]
        files.write_text(new / PARTICIPANTS, _csv(PARTICIPANT_COLUMNS, people))
        files.write_text(new / SUMMARY, json.dumps(summary, indent=2) + "\n")
        files.write_text(new / DESIGN, design.text())
        files.write_text(new / CONSENT, f"{Consent.read(folder).text}\n")
    return Exported(sum(each.status == "completed" for each in everybody), read.damaged)


def _write_records(new: Path, design: Design, read: _ExportedRecords, names: PlaceNames) -> None:
    order = [each.name for each in design.conditions]
    counted = sorted(filter(_counts, read.episodes), key=lambda each: order.index(each.trial["condition"]))
    write_results(new / RESULTS, [_result(each, names) for each in counted])
    tries = [_episode_row(each, design, names) for each in read.episodes]
    files.write_text(new / EPISODES, _csv(EPISODE_COLUMNS, tries))
    files.write_text(new / EVENTS, "".join(f"{row}\n" for row in read.rows))


def _todo(someone: Participant, design: Design) -> list[ScheduleEntry]:
    return schedule(design, cells(design)[someone.cell])


def _summary(design: Design, everybody: Sequence[Participant], withdrew: int, read: _ExportedRecords) -> dict[str, Any]:
    """Return how many came, and by what their records were made: more than one stamp if that changed meanwhile."""
    statuses = Counter(each.status for each in everybody)
    completed = Counter(each.cell for each in everybody if each.status == "completed")
    stamps = {json.dumps(each.stamp, sort_keys=True): each.stamp for each in read.episodes}
    return {
        "study": design.name,
        "configuration": design.fingerprint,
        "consented": len(everybody) + withdrew,
        **{status: statuses[status] for status in get_args(Status)},
        "withdrew": withdrew,
        "damaged": sorted(read.damaged),
        "consents": dict(Counter(each.consent for each in everybody)),
        "cells": [
            {"order": [design.conditions[each].name for each in cell.order], "group": cell.group, "completed": completed[i]}
            for i, cell in enumerate(cells(design))
        ],
        "stamps": list(stamps.values()),
    }


def _counts(episode: ExportedEpisode) -> bool:
    """Return whether an episode is in the results."""
    completed = episode.participant.status == "completed"
    return completed and episode.trial["kind"] == "task" and episode.outcome is not None


def _episodes(someone: Participant, lines: Sequence[dict[str, Any]]) -> list[ExportedEpisode]:
    """Return the tries of a record. The episode that is wanted changes with every word of the participant."""
    found: list[ExportedEpisode] = []
    stamp: dict[str, Any] = {}
    for line in lines:
        stamp = line.get("stamp", stamp)
        if "trial" in line:
            found.append(ExportedEpisode(someone, line["trial"], stamp, line["at"]))
        elif found:
            _take(found[-1], line)
    for episode, after in zip(found, [*(each.began for each in found[1:]), someone.finished], strict=False):
        episode.left = after
    return found


def _take(episode: ExportedEpisode, line: dict[str, Any]) -> None:
    if "refused" in line:
        episode.refused += 1
    elif "heard" in line and episode.ended is None:
        episode.heard = line["heard"]["kind"]
    elif "wanted" in line:
        episode.wanted = line["wanted"]
    elif "event" in line:
        episode.events.append(line["event"])
        episode.ended = line["at"] if line["event"]["kind"] == "ended" else None


def _rows(someone: Participant, lines: Iterable[dict[str, Any]], names: PlaceNames) -> Iterator[dict[str, Any]]:
    """Yield the lines of a record, each with all that it belongs to."""
    stamp: dict[str, Any] = {}
    trial: dict[str, Any] = {}
    for line in lines:
        stamp, trial = line.get("stamp", stamp), line.get("trial", trial)
        if not {"stamp", "trial"} & set(line):
            yield {"participant": someone.id, **stamp, "trial": trial or None, **named(line, names)}


def _result(episode: ExportedEpisode, names: PlaceNames) -> Recorded:
    """Return an episode as a results file has it."""
    state = reduced(episode.events)
    steps = state["steps"]
    poses = [state["begun"]["start"], *(step["acted"]["pose"] for step in steps if step["acted"])]
    done = [step for step in steps if step["acted"]]
    headings, elevations = view_angles()
    views = [view_index(pose["row"], pose["heading"]) for pose in poses]
    return Recorded(
        instr_id=episode.wanted["task"],
        scan=names.house(state["begun"]["house"]).name,
        trajectory=tuple(
            (viewpoint_id(pose["viewpoint"], names), float(headings[view]), float(elevations[view]))
            for pose, view in zip(poses, views, strict=True)
        ),
        agent_ask=tuple(int(step["asked"] is not None) for step in done),
        subgoals=tuple(step["advised"] and step["advised"]["understood"] for step in done),
        help_budget=state["begun"]["requests"],
        participant=episode.participant.id,
        condition=episode.trial["condition"],
    )


def _episode_row(episode: ExportedEpisode, design: Design, names: PlaceNames) -> dict[str, Any]:
    state, outcome = reduced(episode.events), episode.outcome or {}
    begun, steps = state["begun"], state["steps"]
    agents = {each.name: each.agent for each in design.conditions}
    said = [step["advised"] for step in steps if step["advised"] and step["advised"]["by"] == "visitor"]
    return {
        "participant": episode.participant.id,
        "status": episode.participant.status,
        "try": episode.trial["number"],
        "place": episode.trial["place"],
        "kind": episode.trial["kind"],
        "condition": episode.trial["condition"],
        "agent": agents[episode.trial["condition"]],
        "task": episode.wanted["task"],
        "house": names.house(begun["house"]).name,
        "sentence": begun["sentence"],
        "seed": episode.wanted["seed"],
        "began": _time(episode.began),
        "seconds": _between(episode.began, episode.ended),
        "until_next": _between(episode.began, episode.left),
        "steps": sum(step["acted"] is not None for step in steps),
        "time_budget": begun["time"],
        "requests": sum(step["asked"] is not None for step in steps),
        "help_budget": begun["requests"],
        "answers": sum(each["understood"] is not None for each in said),
        "refused": episode.refused,
        "reason": episode.reason,
        "success": outcome.get("success", ""),
        "metres": outcome.get("metres", ""),
        "agent_success": outcome.get("its_success"),
        "configuration": episode.stamp.get("configuration", ""),
        "code_version": episode.stamp.get("code", ""),
    }


def _participant_row(someone: Participant, design: Design, key: StudyKey, tries: Iterable[Try]) -> dict[str, Any]:
    here = cells(design)[someone.cell]
    todo = schedule(design, here)
    over = [(todo[each.place].kind, each.passed) for each in tries if each.passed is not None]
    kinds = [kind for kind, _ in over]
    return {
        "participant": someone.id,
        "cell": someone.cell,
        "order": " > ".join(design.conditions[each].name for each in here.order),
        "group": here.group,
        "status": someone.status,
        "consent": someone.consent,
        "consented": _time(someone.consented),
        "last_heard": _time(someone.heard),
        "finished": "" if someone.finished is None else _time(someone.finished),
        "minutes": "" if someone.finished is None else round((someone.finished - someone.consented) / 60, 1),
        "completion_code": "" if someone.finished is None else key.code(someone),
        "practice": kinds.count("practice"),
        "tasks": kinds.count("task"),
        "catch": kinds.count("catch"),
        "catch_failed": over.count(("catch", False)),
    }


def _csv(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> str:
    return as_csv(columns, ([row[name] for name in columns] for row in rows))


def _between(began: float, ended: float | None) -> float | str:
    return "" if ended is None else round(ended - began, 1)


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")

"""What participants did: a session's log (`vnla.serve.sessions`) with more in it, one JSONL file a participant.

Besides `event` and `wanted`, a line may have

- `stamp`: study, configuration, code and checkpoints, wherever they are others than before;
- `consent`: the version of the text that was agreed to;
- `trial`: the number, place, kind and condition of the try whose events follow;
- `heard`: the participant's message, as it came, which the next lines follow from; with `refused`, why nothing follows.

Every line has the server's time, and `heard` the participant's. Events are recorded whole; the design says what is told of
them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Self
from weakref import WeakValueDictionary

from pydantic import Field, ValidationError, model_validator

from vnla.common import files
from vnla.common.errors import InputError
from vnla.serve.episode_spec import EpisodeSpec
from vnla.serve.events import BegunEvent, EndedEvent, Event, Frozen, ThoughtEvent, WaitsEvent
from vnla.serve.limits import Limits
from vnla.serve.messages import Message
from vnla.serve.sessions import WHAT, Session
from vnla.serve.study.design import Shows
from vnla.serve.study.store import STORE, Moment, why_not
from vnla.serve.study.words import StudyMessage

FOLDER = "records"
MOST_REFUSED = 1000
"""Refusals of one participant that are recorded as long as a server runs."""
_TOGETHER = "put back records and databases of the same time"


class Stamp(Frozen):
    """By what a record was made."""

    study: str
    configuration: str
    code: str
    world: str
    tasks: str
    checkpoints: dict[str, str]
    """Agent → digits of its weights."""


class TrialHeader(Frozen):
    """A try, as the record has it."""

    number: int
    place: int
    kind: Literal["practice", "task", "catch"]
    condition: str


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


class ParticipantSession(Session):
    """A participant's session."""

    def __init__(self, name: str, path: Path, limits: Limits, stamp: Stamp, shows: Shows) -> None:
        super().__init__(name, path, limits)
        self.trial: TrialHeader | None = None
        """The try that the present events are of."""
        self.outcome: EndedEvent | None = None
        """How it ended, whatever the participant was told of it."""
        self.consent: str | None = None
        """The version of the text that was agreed to."""
        self.withdrawn = False
        self.turn = asyncio.Lock()
        """Held while something that the participant said is done."""
        self._refused = 0
        self._stamp, self._shows = stamp, shows
        self._stamped: Stamp | None = None
        self._next: TrialHeader | None = None
        self._heard: Message | None = None

    def agrees(self, consent: str) -> None:
        """Record, once, the version of the text that was agreed to."""
        if self.consent is None:
            self.note(consent=consent)
            self.consent = consent

    def hears(self, message: Message) -> None:
        """Whatever is recorded next follows from this message."""
        self._heard = message

    def opens(self, trial: TrialHeader) -> None:
        """The next events are of this try."""
        self._next = trial

    def note(self, **line: object) -> None:
        """Record a line that is no event."""
        self._write([*self._stamps(), line], durable=True)
        self._stamped = self._stamp

    def refuses(self, message: Message, why: str) -> None:
        """Record that a message was refused, if that can be recorded."""
        self._refused += 1
        if self._refused <= MOST_REFUSED:
            with contextlib.suppress(InputError):
                self.note(heard=_dumped(message), refused=why)

    def check(self, acknowledged: int) -> None:
        """Refuse to go on unless all events are on disk, and all that the participant has ever acknowledged."""
        numbers = [line["event"]["number"] for line in lines_of(self._path) if "event" in line]
        if numbers != list(range(1, max(acknowledged, self.state["number"]) + 1)):
            raise InputError("the record of your session is not complete; tell whoever runs this study")

    def append(self, events: Iterable[Event], wanted: EpisodeSpec | None = None) -> None:
        """Record events with what they follow from; then tell them."""
        super().append(events, wanted)
        self._stamped, self._heard = self._stamp, None
        self.trial, self._next = self._next or self.trial, None

    def _stamps(self) -> list[dict[str, Any]]:
        return [] if self._stamped == self._stamp else [{"stamp": self._stamp.model_dump()}]

    def _before(self) -> list[dict[str, Any]]:
        heard = [{"heard": _dumped(self._heard)}] if self._heard else []
        trial = [{"trial": self._next.model_dump()}] if self._next else []
        return [*self._stamps(), *heard, *trial]

    def _write(self, lines: Sequence[dict[str, Any]], *, durable: bool) -> None:
        if self.withdrawn:
            raise InputError("you have withdrawn from this study; nothing is recorded any more")
        super()._write(lines, durable=durable)

    def _take(self, events: Sequence[Event], wanted: EpisodeSpec | None) -> None:
        super()._take(events, wanted)
        for event in events:
            if isinstance(event, BegunEvent | EndedEvent):
                self.outcome = event if isinstance(event, EndedEvent) else None

    def _read(self, line: dict[str, Any]) -> None:
        if "stamp" in line:
            self._stamped = Stamp.model_validate(line["stamp"])
        elif "trial" in line:
            self.trial = TrialHeader.model_validate(line["trial"])
        elif "consent" in line:
            self.consent = line["consent"]
        elif "heard" not in line:
            super()._read(line)

    def _shown(self, event: Event) -> Event:
        trial = self._next or self.trial
        return shown(event, self._shows, practice=trial is not None and trial.kind == "practice")


def shown(event: Event, shows: Shows, *, practice: bool) -> Event:
    """What a participant is told of an event: never a link, which others could open elsewhere."""
    match event:
        case BegunEvent():
            return event.model_copy(update={"link": None})
        case ThoughtEvent() if not shows.thoughts:
            return event.model_copy(update={"before": [], "after": [], "ask": 0.0, "attention": []})
        case WaitsEvent():
            return event.model_copy(update=({} if shows.way else {"way": []}) | ({} if shows.offer else {"offer": ""}))
        case EndedEvent() if shows.outcome:
            return event.model_copy(update={"link": None})
        case EndedEvent():
            secret = {"walk": None, "its_success": None, "score": None, "link": None}
            return event.model_copy(update=secret if practice else {**secret, "success": None, "metres": None, "goals": []})
    return event


def record_of(folder: Path, participant: str) -> Path:
    """Where the record of a participant is, in a study's folder."""
    return folder / FOLDER / f"{participant}.jsonl"


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a record, but for one at the end that is still being written, or that a killed server has cut off."""
    whole, _, _ = files.read_text(path, WHAT).rpartition("\n")
    for number, line in enumerate(whole.split("\n") if whole else [], start=1):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise InputError(f"{path}: line {number} is not a line of {WHAT}")
        yield found


def checked_lines(path: Path) -> list[dict[str, Any]]:
    """The same, each of which is one that a server writes: with all fields, of their types and in their ranges."""
    try:
        found = list(lines_of(path))
    except InputError as error:
        raise DamagedError(path, str(error).removeprefix(f"{path}: ")) from None
    for number, line in enumerate(found, start=1):
        try:
            event = RecordLine.model_validate_json(json.dumps(line, allow_nan=False), strict=True).event
        except ValidationError as error:
            raise DamagedError(path, f"line {number} is damaged ({why_not(error)})") from None
        except ValueError:
            raise DamagedError(path, f"line {number} is damaged (a number in it is none)") from None
        if event is not None:
            line["event"] = event.model_dump(mode="json")  # with fields that it lacks because it is older than they are
    return found


def _dumped(message: Message) -> dict[str, Any]:
    return message.model_dump(mode="json", exclude_defaults=True)


class ParticipantSessions:
    """All records of a study; those in use are in memory."""

    def __init__(self, folder: Path, limits: Limits, stamp: Stamp, shows: Shows) -> None:
        self._study, self._limits, self._stamp, self._shows = folder, limits, stamp, shows
        self._awake: WeakValueDictionary[str, ParticipantSession] = WeakValueDictionary()
        try:
            (folder / FOLDER).mkdir(exist_ok=True)
        except OSError as error:
            raise InputError(f"{folder / FOLDER}: records cannot be kept there ({error.strerror})") from None

    def open(self, participant: str) -> ParticipantSession:
        """The record of a participant."""
        record = self._awake.get(participant)
        if record is None:
            path = record_of(self._study, participant)
            record = ParticipantSession(participant, path, self._limits, self._stamp, self._shows)
            if path.exists():
                record.read()
            self._awake[participant] = record
        return record

    def remove(self, participant: str) -> None:
        """Delete a participant's record; whoever still holds it can write nothing more."""
        record = self._awake.get(participant)
        if record is not None:
            record.withdrawn = True
        record_of(self._study, participant).unlink(missing_ok=True)

    def check(self, known: Collection[str], recorded: Collection[str]) -> None:
        """Refuse records of others than the `known` participants, and to do without those of who has done something: then
        this folder was put together from copies of different times."""
        there = {path.stem for path in (self._study / FOLDER).glob("*.jsonl")}
        if strangers := sorted(there - {*known}):
            raise InputError(f"{record_of(self._study, strangers[0])}: is of nobody whom {STORE} knows; {_TOGETHER}")
        if lost := sorted({*recorded} - there):
            raise InputError(f"{record_of(self._study, lost[0])}: is missing, but {STORE} knows what was in it; {_TOGETHER}")

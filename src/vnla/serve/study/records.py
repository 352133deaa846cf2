"""What participants did: a session's log (`vnla.serve.sessions`) with more in it, one JSONL file a participant.

Besides `event` and `wanted`, a line may have

- `stamp`: study, configuration, code and checkpoints, wherever they are others than before;
- `consent`: the version of the text that was agreed to;
- `trial`: the number, place, kind and condition of the try whose events follow;
- `heard`: the participant's message, as it came, which the next lines follow from; with `refused`, why nothing follows.

Every line has the server's time, and `heard` the participant's. Events are recorded whole; the design says what participants
see of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal
from weakref import WeakValueDictionary

import vnla
from vnla.agents import pretrained
from vnla.common import checksums, files
from vnla.common.errors import InputError
from vnla.houses.folder import read_world
from vnla.language.reader import READER_VERSION
from vnla.serve.episode_spec import EpisodeSpec
from vnla.serve.events import BegunEvent, EndedEvent, Event, Frozen, ThoughtEvent, WaitsEvent
from vnla.serve.limits import Limits
from vnla.serve.messages import Message
from vnla.serve.sessions import Session, log_lines
from vnla.serve.study.design import Design, Shows
from vnla.serve.study.store import STORE
from vnla.tasks.dataset import read_dataset
from vnla.training.checkpoints import checkpoint
from vnla.vision.store import world_checksum

FOLDER = "records"
MOST_REFUSED = 1000
"""Refusals of one participant that are recorded as long as a server runs."""
CHECKPOINT = "val_unseen"
"""Which of a run's agents takes part."""
_SAME_TIME = "put back records and databases of the same time"
_DIGITS = 16


class Stamp(Frozen):
    """By what a record was made: digits of the configuration, this program, the world, the tasks and the agents."""

    study: str
    configuration: str
    code: str
    world: str
    tasks: str
    checkpoints: dict[str, str]
    """Agent → digits of its weights."""
    reader: str = ""
    """The version of what reads participants' words; records of earlier versions do not say it."""

    @classmethod
    def of(cls, design: Design) -> Stamp:
        """Return the stamp of records that are made now."""
        return cls(
            study=design.name,
            configuration=design.fingerprint,
            code=f"{vnla.__version__}+{checksums.of_program()[:_DIGITS]}",
            world=world_checksum(read_world(Path(design.world))),
            tasks=_digits(sorted(read_dataset(Path(design.tasks)).paths.values())),
            checkpoints={name: _weights(run) for name, run in design.agents.items()},
            reader=str(READER_VERSION),
        )


def _weights(run: str) -> str:
    folder = pretrained.folder_of(run)
    return _digits([files.existing_file(checkpoint(folder, CHECKPOINT), "an agent of a run")])


def _digits(paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:_DIGITS]


class TrialHeader(Frozen):
    """A try, as the record has it."""

    number: int
    place: int
    kind: Literal["practice", "task", "catch"]
    condition: str


class ParticipantSession(Session):
    """A participant's session."""

    def __init__(self, name: str, path: Path, limits: Limits, stamp: Stamp, shows: Shows) -> None:
        super().__init__(name, path, limits)
        self.trial: TrialHeader | None = None
        """The try that the present events are of."""
        self.outcome: EndedEvent | None = None
        """How it ended, whatever the participant sees of it."""
        self.consent: str | None = None
        """The version of the text that was agreed to."""
        self.withdrawn = False
        self.turn = asyncio.Lock()
        """Held while a message of the participant is worked on."""
        self._refused = 0
        self._stamp, self._shows = stamp, shows
        self._stamped: Stamp | None = None
        self._next: TrialHeader | None = None
        self._message: Message | None = None

    def record_consent(self, consent: str) -> None:
        """Record, once, the version of the text that was agreed to."""
        if self.consent is None:
            self._record(consent=consent)
            self.consent = consent

    def follow_from(self, message: Message) -> None:
        """Whatever is recorded next follows from this message."""
        self._message = message

    def open_trial(self, trial: TrialHeader) -> None:
        """The next events are of this try."""
        self._next = trial

    def record_refusal(self, message: Message, why: str) -> None:
        """Record that a message was refused, if that can be recorded."""
        self._refused += 1
        if self._refused <= MOST_REFUSED:
            with contextlib.suppress(InputError):
                self._record(heard=_dumped(message), refused=why)

    def check(self, acknowledged: int) -> None:
        """Refuse to go on unless all events are on disk, and all that the participant has ever acknowledged."""
        numbers = [line["event"]["number"] for line in log_lines(self._path) if "event" in line]
        if numbers != list(range(1, max(acknowledged, self.state["number"]) + 1)):
            raise InputError("the record of your session is not complete; tell whoever runs this study")

    async def append(self, events: Iterable[Event], spec: EpisodeSpec | None = None) -> None:
        """Record events with what they follow from; then send them."""
        await super().append(events, spec)
        self._stamped, self._message = self._stamp, None
        self.trial, self._next = self._next or self.trial, None

    def _record(self, **line: object) -> None:
        """Record a line that is no event."""
        self._write([*self._stamps(), line], durable=True)
        self._stamped = self._stamp

    def _stamps(self) -> list[dict[str, Any]]:
        return [] if self._stamped == self._stamp else [{"stamp": self._stamp.model_dump()}]

    def _before(self) -> list[dict[str, Any]]:
        message = [{"heard": _dumped(self._message)}] if self._message else []
        trial = [{"trial": self._next.model_dump()}] if self._next else []
        return [*self._stamps(), *message, *trial]

    def _write(self, lines: Sequence[dict[str, Any]], *, durable: bool) -> None:
        if self.withdrawn:
            raise InputError("you have withdrawn from this study; nothing is recorded any more")
        super()._write(lines, durable=durable)

    def _take(self, events: Sequence[Event], spec: EpisodeSpec | None) -> None:
        super()._take(events, spec)
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
    """Return an event as a participant sees it: never with a link, which others could open elsewhere."""
    match event:
        case BegunEvent():
            return event.model_copy(update={"link": None})
        case ThoughtEvent() if not shows.thoughts:
            return event.model_copy(update={"before": [], "after": [], "ask": 0.0, "attention": []})
        case WaitsEvent():
            return event.model_copy(update=({} if shows.way else {"way": []}) | ({} if shows.offer else {"offer": ""}))
        case EndedEvent() if shows.outcome:
            return event.model_copy(update={"link": None, "ending": None})
        case EndedEvent():
            secret = {"ending": None, "walk": None, "its_success": None, "score": None, "link": None}
            return event.model_copy(update=secret if practice else {**secret, "success": None, "metres": None, "goals": []})
    return event


def record_of(folder: Path, participant: str) -> Path:
    """Return where the record of a participant is, in a study's folder."""
    return folder / FOLDER / f"{participant}.jsonl"


def _dumped(message: Message) -> dict[str, Any]:
    return message.model_dump(mode="json", exclude_defaults=True)


class ParticipantSessions:
    """All records of a study; those in use are in memory."""

    def __init__(self, folder: Path, limits: Limits, stamp: Stamp, shows: Shows) -> None:
        self._study, self._limits, self._stamp, self._shows = folder, limits, stamp, shows
        self._in_use: WeakValueDictionary[str, ParticipantSession] = WeakValueDictionary()
        try:
            (folder / FOLDER).mkdir(exist_ok=True)
        except OSError as error:
            raise InputError(f"{folder / FOLDER}: records cannot be kept there ({error.strerror})") from None

    def open(self, participant: str) -> ParticipantSession:
        """Return the session of a participant."""
        session = self._in_use.get(participant)
        if session is None:
            path = record_of(self._study, participant)
            session = ParticipantSession(participant, path, self._limits, self._stamp, self._shows)
            if path.exists():
                session.read()
            self._in_use[participant] = session
        return session

    def remove(self, participant: str) -> None:
        """Delete a participant's record; whoever still holds the session can write nothing more."""
        session = self._in_use.get(participant)
        if session is not None:
            session.withdrawn = True
        record_of(self._study, participant).unlink(missing_ok=True)

    def check(self, participants: Collection[str], recorded: Collection[str]) -> None:
        """Refuse records of others than the `participants`, and to do without those of who has `recorded` something: then
        this folder was put together from copies of different times."""
        there = {path.stem for path in (self._study / FOLDER).glob("*.jsonl")}
        if unknown := sorted(there - {*participants}):
            raise InputError(f"{record_of(self._study, unknown[0])}: is of nobody whom {STORE} knows; {_SAME_TIME}")
        if lost := sorted({*recorded} - there):
            raise InputError(
                f"{record_of(self._study, lost[0])}: is missing, but {STORE} knows what was in it; {_SAME_TIME}"
            )

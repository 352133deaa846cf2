"""The databases of a study: who takes part, in which cell, and which tries were made and acknowledged.

SQLite, one connection for each transaction. A participant is found by the hash of a token that only their browser holds.
Ids of a platform are stored apart, as keyed hashes in a file of their own, which is attached, so that both are changed
together or not at all. Who withdraws is removed from both, and SQLite overwrites what it removes; until their record is
deleted too, their id is in a list of what is still to be deleted.
"""

from __future__ import annotations

import hmac
import secrets
import sqlite3
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from vnla.common.errors import InputError
from vnla.serve.keys import read_key
from vnla.serve.study.assignment import Count, Try, cells, chosen
from vnla.serve.study.design import DESIGN, Design

STORE, PLATFORM = "study.sqlite", "platform.sqlite"
_PUT_BACK = "put back copies of the databases and records that are of the same time"
_OFTEN = 5.0
"""Seconds in which it is enough to write once that somebody was heard of."""
Status = Literal["at work", "completed", "out", "silent"]
"""Silent is who was at work, and has not been heard of for too long: a drop-out, who may still come back."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS study (configuration TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS reader (version TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS gone (withdrew INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS participants (
    id TEXT PRIMARY KEY, token TEXT UNIQUE NOT NULL, cell INTEGER NOT NULL, status TEXT NOT NULL,
    consent TEXT NOT NULL, consented REAL NOT NULL, heard REAL NOT NULL, finished REAL
);
CREATE TABLE IF NOT EXISTS tries (
    participant TEXT NOT NULL REFERENCES participants ON DELETE CASCADE, number INTEGER NOT NULL, place INTEGER NOT NULL,
    task TEXT NOT NULL, began REAL NOT NULL, passed INTEGER, acknowledged INTEGER, PRIMARY KEY (participant, number)
);
CREATE TABLE IF NOT EXISTS withdrawn (id TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS platform.ids (digest TEXT PRIMARY KEY, participant TEXT NOT NULL);
"""


class Participant(NamedTuple):
    """Somebody who has agreed to take part."""

    id: str
    cell: int
    status: Status
    consent: str
    """The version of the text that they agreed to."""
    consented: float
    heard: float
    """When they were last heard of."""
    finished: float | None


_COLUMNS = ", ".join(Participant._fields)
_TRIES = ("number", "place", "task", "passed", "began", "acknowledged")

Moment = Annotated[float, Field(ge=0, lt=253402300800, allow_inf_nan=False)]
"""Seconds since 1970; a date has four digits for its year."""
_Natural = Annotated[int, Field(ge=0)]
_Id = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
_Begun = Literal["at work", "completed", "out"]
_Version = Annotated[str, Field(min_length=1, max_length=64)]
_STRICT = ConfigDict(strict=True)
_PARTICIPANT = TypeAdapter(tuple[_Id, _Natural, _Begun, _Version, Moment, Moment, Moment | None], config=_STRICT)
_TRY = TypeAdapter(
    tuple[Annotated[int, Field(ge=1)], _Natural, str, Annotated[int, Field(ge=0, le=1)] | None, Moment, _Natural | None],
    config=_STRICT,
)
_NATURAL = TypeAdapter(_Natural, config=_STRICT)
_Row = TypeVar("_Row")


@dataclass(frozen=True)
class StudyKey:
    """The key of a study, from which codes, draws and hashes are made that nobody else can make."""

    key: bytes

    @classmethod
    def read(cls, folder: Path) -> StudyKey:
        """Return the key in a study's folder."""
        return cls(read_key(folder, "a study"))

    def digest(self, *parts: object) -> bytes:
        """Return a keyed hash."""
        return hmac.digest(self.key, repr(parts).encode(), "sha256")

    @property
    def names(self) -> bytes:
        """The secret of the place names of participants who walk."""
        return self.digest("names")

    def code(self, participant: Participant) -> str:
        """Return the completion code of somebody who has finished, which tells how."""
        digits = self.digest("code", participant.status, participant.id).hex()[:12].upper()
        return f"{digits[:4]}-{digits[4:8]}-{digits[8:]}"

    def seed(self, task: str) -> int:
        """Return the seed of a task's help budget: the same for everybody."""
        return int.from_bytes(self.digest("seed", task)[:4], "big") >> 1


class Store:
    """The participants of a study in a folder, in so many cells."""

    def __init__(
        self, folder: Path, key: StudyKey, *, cells: int, patience: float, clock: Callable[[], float] = time.time
    ) -> None:
        """`patience` is in seconds: who is silent for longer is not counted as being at work."""
        self._folder, self._key, self._cells, self._patience = folder, key, cells, patience
        self._clock = clock
        with self._changing() as database:
            for statement in filter(str.strip, _SCHEMA.split(";")):
                database.execute(statement)

    @classmethod
    def of(cls, folder: Path, design: Design, key: StudyKey, clock: Callable[[], float] = time.time) -> Store:
        """Return the store of a study of this design."""
        return cls(folder, key, cells=len(cells(design)), patience=60 * design.patience, clock=clock)

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction that no other overlaps."""
        try:
            database = sqlite3.connect(self._folder / STORE, timeout=10, isolation_level=None)
            try:
                database.text_factory = _text
                database.execute("PRAGMA foreign_keys = ON")
                database.execute("PRAGMA secure_delete = ON")
                database.execute("ATTACH DATABASE ? AS platform", (str(self._folder / PLATFORM),))
                database.execute("PRAGMA platform.secure_delete = ON")
                database.execute("BEGIN IMMEDIATE")
                yield database
                database.execute("COMMIT")
            finally:
                database.close()  # rolls back what was not committed
        except sqlite3.Error as error:
            if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
                raise InputError(f"{self._folder / STORE} or {PLATFORM}: is damaged ({error}); {_PUT_BACK}") from None
            raise InputError(
                f"the study cannot record this ({error}); nothing that was recorded is lost, try again later"
            ) from None

    def check(self, configuration: str) -> None:
        """Refuse another configuration than the one that the first participant had."""
        with self._changing() as database:
            row = database.execute("SELECT configuration FROM study").fetchone()
            if row and row[0] != configuration and database.execute("SELECT 1 FROM participants").fetchone():
                raise InputError(
                    f"{self._folder / DESIGN}: was changed after people had begun to take part; "
                    f"put back what it was (configuration {row[0]}), or make a new study"
                )
            database.execute("DELETE FROM study")
            database.execute("INSERT INTO study VALUES (?)", (configuration,))

    def check_reader(self, version: str) -> None:
        """Refuse another reader of words than the one that the first participant had: the same words would mean others."""
        with self._changing() as database:
            row = database.execute("SELECT version FROM reader").fetchone()
            if row and row[0] != version and database.execute("SELECT 1 FROM participants").fetchone():
                raise InputError(
                    f"{self._folder / STORE}: people have taken part whose words reader {row[0]} read, but this vnla has "
                    f"reader {version}; go on with the version that their records name, or make a new study"
                )
            database.execute("DELETE FROM reader")
            database.execute("INSERT INTO reader VALUES (?)", (version,))

    def join(self, token: str, consent: str, platform: str | None = None, most: int | None = None) -> Participant:
        """Take somebody in and assign a cell, or return who has this token already. `most` is how many are wanted."""
        now, name = self._clock(), secrets.token_hex(8)
        with self._changing() as database:
            present = self._find(database, token)
            if present is not None:
                return present
            counts = self._counts(database)
            if most is not None and sum(each.completed + each.at_work for each in counts) >= most:
                raise InputError("this study has as many participants as it needs; thank you for your interest")
            if platform is not None:
                self._note(database, platform, name)
            cell = chosen(counts, lambda each: self._key.digest("draw", name, each))
            row = (name, self._hashed(token), cell, "at work", consent, now, now, None)
            database.execute("INSERT INTO participants VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            found = self._find(database, token)
        assert found is not None
        return found

    def _note(self, database: sqlite3.Connection, platform: str, participant: str) -> None:
        """Refuse who has taken part. Earlier versions noted an id as it came; of a hash no other spelling can be made."""
        spellings = (same_id(platform), platform, platform.strip())
        digest, *earlier = (self._key.digest("platform", each).hex() for each in spellings)
        if database.execute("SELECT 1 FROM platform.ids WHERE digest IN (?, ?, ?)", (digest, *earlier)).fetchone():
            raise InputError("you have begun this study already; go on in the browser that you began in")
        database.execute("INSERT INTO platform.ids VALUES (?, ?)", (digest, participant))

    def counts(self) -> list[Count]:
        """Return the participants of every cell."""
        with self._changing() as database:
            return self._counts(database)

    def _counts(self, database: sqlite3.Connection) -> list[Count]:
        since = self._clock() - self._patience
        rows = database.execute(
            "SELECT cell, sum(status = 'completed'), sum(status = 'at work' AND heard >= ?), count(*) "
            "FROM participants GROUP BY cell",
            (since,),
        )
        found = {cell: Count(*numbers) for cell, *numbers in rows}
        return [found.get(cell, Count()) for cell in range(self._cells)]

    def find(self, token: str) -> Participant | None:
        """Return who has a token, heard of now. That is not written every time: it would wait for the disk."""
        now = self._clock()
        with self._changing() as database:
            someone = self._find(database, token)
            if someone is not None and now - someone.heard > _OFTEN:
                database.execute("UPDATE participants SET heard = ? WHERE id = ?", (now, someone.id))
                return someone._replace(heard=now)
            return someone

    def everybody(self) -> list[Participant]:
        """Return all participants in the order of their consent; those who are silent for too long have that status."""
        since = self._clock() - self._patience
        with self._changing() as database:
            rows = database.execute(f"SELECT {_COLUMNS} FROM participants ORDER BY consented, id")
            found = [self._participant(row) for row in rows]
        return [
            each._replace(status="silent") if each.status == "at work" and each.heard < since else each for each in found
        ]

    def tries(self, participant: str) -> list[Try]:
        """Return the tries of somebody, in order; the last may be under way."""
        with self._changing() as database:
            return self._tries(database, participant)

    def begin(self, participant: str, place: int, task: str) -> Try:
        """Begin a new try, or the one that is under way, now."""
        now = self._clock()
        with self._changing() as database:
            tries = self._tries(database, participant)
            if not tries or tries[-1].passed is not None:
                row = (participant, len(tries) + 1, place, task, now)
                database.execute("INSERT INTO tries (participant, number, place, task, began) VALUES (?, ?, ?, ?, ?)", row)
            database.execute("UPDATE tries SET began = ? WHERE participant = ? AND passed IS NULL", (now, participant))
            database.execute("UPDATE participants SET heard = ? WHERE id = ?", (now, participant))
            return self._tries(database, participant)[-1]

    def end(self, participant: str, number: int, *, passed: bool, acknowledged: int) -> None:
        """End a try, whose participant has seen all events up to `acknowledged`."""
        with self._changing() as database:
            database.execute(
                "UPDATE tries SET passed = ?, acknowledged = ? WHERE participant = ? AND number = ? AND passed IS NULL",
                (int(passed), acknowledged, participant, number),
            )
            database.execute("UPDATE participants SET heard = ? WHERE id = ?", (self._clock(), participant))

    def finish(self, participant: str, status: Status) -> None:
        """Finish a participant: all is done, or practice did not go well."""
        with self._changing() as database:
            database.execute(
                "UPDATE participants SET status = ?, finished = ? WHERE id = ? AND status = 'at work'",
                (status, self._clock(), participant),
            )

    def withdraw(self, participant: str) -> None:
        """Remove all that is here of somebody, but that their record is to be deleted; the number of those stays."""
        with self._changing() as database:
            database.execute("DELETE FROM platform.ids WHERE participant = ?", (participant,))
            database.execute("DELETE FROM participants WHERE id = ?", (participant,))
            database.execute("INSERT OR IGNORE INTO withdrawn VALUES (?)", (participant,))
            if not database.execute("UPDATE gone SET withdrew = withdrew + 1").rowcount:
                database.execute("INSERT INTO gone VALUES (1)")

    def withdrawn(self) -> list[str]:
        """Return who has withdrawn, and whose record is still to be deleted."""
        with self._changing() as database:
            return [name for (name,) in database.execute("SELECT id FROM withdrawn")]

    def withdrew(self) -> int:
        """Return how many have withdrawn."""
        with self._changing() as database:
            row = database.execute("SELECT withdrew FROM gone").fetchone()
            return self._checked(_NATURAL, row[0], "gone", ("withdrew",)) if row else 0

    def forget(self, participant: str) -> None:
        """Remove the last of somebody whose record is deleted."""
        with self._changing() as database:
            database.execute("DELETE FROM withdrawn WHERE id = ?", (participant,))

    def _hashed(self, token: str) -> str:
        """Return a keyed hash, so that one browser has another one in every study."""
        return self._key.digest("token", token).hex()

    def _find(self, database: sqlite3.Connection, token: str) -> Participant | None:
        row: tuple[Any, ...] | None = database.execute(
            f"SELECT {_COLUMNS} FROM participants WHERE token = ?", (self._hashed(token),)
        ).fetchone()
        return None if row is None else self._participant(row)

    def _participant(self, row: tuple[Any, ...]) -> Participant:
        found = Participant(*self._checked(_PARTICIPANT, row, f"participant {row[0]!r}", Participant._fields))
        if found.cell >= self._cells or (found.status == "at work") != (found.finished is None):
            raise InputError(self._damaged(f"participant {found.id}", "cell, status or finished is not as it can be"))
        return found

    def _tries(self, database: sqlite3.Connection, participant: str) -> list[Try]:
        rows = database.execute(
            f"SELECT {', '.join(_TRIES)} FROM tries WHERE participant = ? ORDER BY number", (participant,)
        )
        what = f"a try of {participant}"
        checked = [self._checked(_TRY, row, what, _TRIES) for row in rows]
        if [number for number, *_ in checked] != list(range(1, len(checked) + 1)):
            raise InputError(self._damaged(what, "number: one is missing"))
        return [
            Try(number, place, task, None if passed is None else bool(passed), began, acknowledged or 0)
            for number, place, task, passed, began, acknowledged in checked
        ]

    def _checked(self, adapter: TypeAdapter[_Row], row: object, what: str, columns: Sequence[str]) -> _Row:
        """Return what was read, which has to be something that is written here."""
        try:
            return adapter.validate_python(row)
        except ValidationError as error:
            raise InputError(self._damaged(what, why_invalid(error, columns))) from None

    def _damaged(self, what: str, why: str) -> str:
        return f"{self._folder / STORE}: {what} is damaged ({why}); {_PUT_BACK}"


def same_id(platform: str) -> str:
    """Return a platform's id in the one spelling that stands for all in which people and links write it."""
    normal = unicodedata.normalize("NFKC", platform).casefold()
    return unicodedata.normalize("NFKC", normal).strip()


def why_invalid(error: ValidationError, columns: Sequence[str] = ()) -> str:
    """Return the first thing that is wrong with something that was read, and where in it; a row has columns."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = [columns[each] if isinstance(each, int) and each < len(columns) else str(each) for each in first["loc"]]
    return ": ".join([*([".".join(where)] if where else []), first["msg"].removeprefix("Value error, ")])


def _text(data: bytes) -> str:
    """Return text of a database; bytes that are none stay apart from all text, to be refused where they are checked."""
    return data.decode(errors="surrogateescape")

"""The database of contributions: SQLite, one connection a transaction, each on the disk before it is answered.

A contributor is known by the keyed hash of a token that only their browser holds. Who withdraws has all rows deleted, and
SQLite overwrites them.
"""

from __future__ import annotations

import hmac
import re
import secrets
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from pydantic import ValidationError

from vnla.common.errors import InputError
from vnla.serve.contributions.contribution import SCHEMA, Contribution, Outcome
from vnla.serve.messages import TOKEN

STORE = "contributions.sqlite"
MOST, MOST_OF_ONE = 500_000, 5_000
"""Sentences that are kept: in all, and of one contributor."""

_TABLE = """
CREATE TABLE IF NOT EXISTS contributions (
    id TEXT PRIMARY KEY, contributor TEXT NOT NULL, contribution TEXT NOT NULL, outcome TEXT NOT NULL
)
"""
_INDEX = "CREATE INDEX IF NOT EXISTS contributors ON contributions (contributor)"


class StoredContribution(NamedTuple):
    """A row."""

    contributor: str
    contribution: Contribution
    outcome: Outcome


class ContributionStore:
    """The contributions in a folder, which are kept under hashes by a `secret`."""

    def __init__(self, folder: Path, secret: bytes) -> None:
        self.path = folder / STORE
        self._secret = secret
        self._lock = Lock()
        try:
            self.path.touch(0o600)  # for its owner's eyes only, like the sessions beside it
        except OSError as error:
            raise InputError(f"{self.path}: sentences cannot be kept there ({error.strerror})") from None
        with self._changing() as database:
            (version,) = database.execute("PRAGMA user_version").fetchone()
            if version not in (0, SCHEMA):
                raise InputError(f"{self.path}: is of schema {version}, but this vnla knows {SCHEMA}; use a newer one")
            database.execute(_TABLE)
            database.execute(_INDEX)
            database.execute(f"PRAGMA user_version = {SCHEMA}")

    def contributor(self, token: str) -> str:
        """Return by what a browser's token is known here."""
        return hmac.digest(self._secret, b"contributor " + token.encode(), "sha256").hex()

    def add(self, contributor: str, contribution: Contribution, outcome: Outcome) -> str:
        """Keep a sentence, and return its id."""
        name = secrets.token_hex(8)
        with self._changing() as database:
            (count, own) = database.execute(
                "SELECT count(*), coalesce(sum(contributor = ?), 0) FROM contributions", (contributor,)
            ).fetchone()
            if count >= MOST or own >= MOST_OF_ONE:
                raise InputError("as many sentences are kept here as can be; thank you, this one was not added")
            row = (name, contributor, contribution.model_dump_json(), outcome.model_dump_json())
            database.execute("INSERT INTO contributions VALUES (?, ?, ?, ?)", row)
        return name

    def update(self, outcomes: Mapping[str, Outcome]) -> None:
        """Keep what came of some sentences; of those that were withdrawn nothing is kept."""
        with self._changing() as database:
            rows = [(outcome.model_dump_json(), name) for name, outcome in outcomes.items()]
            database.executemany("UPDATE contributions SET outcome = ? WHERE id = ?", rows)

    def count(self, contributor: str) -> int:
        """Return how many sentences of somebody are kept."""
        with self._changing() as database:
            row = database.execute("SELECT count(*) FROM contributions WHERE contributor = ?", (contributor,)).fetchone()
            return int(row[0])

    def withdraw(self, contributor: str) -> int:
        """Delete all sentences of somebody; return how many there were."""
        with self._changing() as database:
            return database.execute("DELETE FROM contributions WHERE contributor = ?", (contributor,)).rowcount

    def everything(self) -> list[StoredContribution]:
        """Return all rows; one that is not as it was written is an error that names it."""
        with self._changing() as database:
            rows = database.execute("SELECT id, contributor, contribution, outcome FROM contributions").fetchall()
        return [self._read(*row) for row in rows]

    def _read(self, name: str, contributor: str, contribution: str, outcome: str) -> StoredContribution:
        try:
            given, came = Contribution.model_validate_json(contribution), Outcome.model_validate_json(outcome)
        except ValidationError as error:
            why = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, why["loc"]))
            raise InputError(f"{self.path}: row {name} is damaged ({where}: {why['msg']}); put back a copy") from None
        return StoredContribution(contributor, given, came)

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction that no other overlaps."""
        try:
            with self._lock:
                database = sqlite3.connect(self.path, timeout=10, isolation_level=None)
                try:
                    database.execute("PRAGMA secure_delete = ON")
                    database.execute("PRAGMA synchronous = FULL")
                    database.execute("BEGIN IMMEDIATE")
                    yield database
                    database.execute("COMMIT")
                finally:
                    database.close()  # rolls back what was not committed
        except sqlite3.Error as error:
            raise InputError(f"{self.path}: sentences cannot be kept or read here ({error})") from None


def new_token(given: str | None) -> str:
    """Return a browser's token: the one that it has, or a new one."""
    return given if given is not None and re.fullmatch(TOKEN, given) else secrets.token_hex(16)

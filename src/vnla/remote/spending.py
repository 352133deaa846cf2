"""What a chat model costs: calls and tokens are counted and capped over all times that a command goes on; replies are
kept."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vnla.common.errors import InputError
from vnla.common.files import read_text, write_text
from vnla.common.outside import is_whole
from vnla.remote.folder import Journal
from vnla.remote.replies import PATH

LARGEST = 1 << 20
"""Bytes of a reply."""
MOST_TOKENS = 1 << 40
"""Of one call."""


class CapError(InputError):
    """As much was spent as may be."""


@dataclass
class Meter:
    """Counts calls and tokens, also those of earlier times, and refuses what would go beyond a cap.

    A call that a busy server did not take is none.
    """

    max_calls: int | None = None
    max_tokens: int | None = None
    calls: int = 0
    tokens: int = 0
    option: str = "--max-"
    """How the options begin that are the caps."""
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def recall(self, journal: Journal) -> None:
        """Count what a journal has."""
        for _, note in journal.read():
            if isinstance(note, dict) and note.get("path") == PATH and note.get("fault") != "busy":
                self.calls += 1
                self.tokens += note["tokens"] if is_whole(note.get("tokens"), 0, MOST_TOKENS) else 0

    def reserve(self, tokens: int) -> None:
        """One more call, of about so many tokens."""
        with self._lock:
            for name, spent, most in (
                ("calls", self.calls + 1, self.max_calls),
                ("tokens", self.tokens + tokens, self.max_tokens),
            ):
                if most is not None and spent > most:
                    raise CapError(
                        f"{self.option}{name} {most:,} is reached after {self.calls:,} calls and {self.tokens:,} tokens; "
                        "what is done is kept: raise it and run the same command again"
                    )
            self.calls, self.tokens = self.calls + 1, self.tokens + tokens

    def settle(self, reserved: int, tokens: int, calls: int = 1) -> None:
        """How many tokens it was; of no `calls` if it was none."""
        with self._lock:
            self.calls, self.tokens = self.calls + calls - 1, self.tokens + tokens - reserved


class Cache:
    """Replies by the whole request."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def key(self, url: str, body: Mapping[str, Any]) -> str:
        """What tells a request from every other."""
        return hashlib.sha256(json.dumps([url, body], sort_keys=True).encode()).hexdigest()

    def get(self, key: str) -> str | None:
        """The reply, if there is one."""
        try:
            return None if self._folder is None else read_text(self._place(self._folder, key), "a reply", LARGEST)
        except InputError:  # not there, damaged, or no file that was kept here
            return None

    def put(self, key: str, reply: str) -> None:
        """Keep a reply."""
        if self._folder is not None:
            write_text(self._place(self._folder, key), reply)

    @staticmethod
    def _place(folder: Path, key: str) -> Path:
        return folder / key[:2] / f"{key}.json"

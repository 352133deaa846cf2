"""`vnla serve` as a process that has nothing prepared."""

from __future__ import annotations

import time
import urllib.request
from pathlib import Path

from serve.study.served import AT, command

ANSWERED = 60.0
"""Seconds that a mode may take to answer."""


class Cold:
    """A server that has just been started for the first time."""

    def __init__(self, folder: Path) -> None:
        self.cache = folder / "cache"
        self.process = command("serve", "--port", 0, "--no-open", "--record", folder / "sessions", cache=self.cache)
        assert self.process.stdout
        found = AT.fullmatch(self.process.stdout.readline())
        assert found, self.process.communicate()
        self.host, self.began = found[1], time.monotonic()

    def get(self, address: str) -> bytes:
        with urllib.request.urlopen(f"http://{self.host}{address}", timeout=ANSWERED) as answer:
            return bytes(answer.read())

    def until_it_says(self, word: str) -> None:
        """Read the terminal up to a line that ends with a word."""
        assert self.process.stderr
        for line in self.process.stderr:
            if line.split()[-1:] == [word]:
                return
        raise AssertionError(f"it never says {word!r}")

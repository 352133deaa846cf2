"""The word lists in `language/data`: text files that people read and edit.

A line is `key: value`. A hash and a space begin a comment; a line that begins with spaces goes on with the one before.
Values are phrases with bars between them; those after a tilde are held out of training.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

Phrase = tuple[str, ...]
"""The words of a phrase."""


def lines(name: str) -> list[str]:
    """The lines of a file, without comments, empty ones, and the ends of lines that go on."""
    text = (files("vnla.language") / "data" / name).read_text(encoding="utf-8")
    found: list[str] = []
    for line in text.splitlines():
        if line.startswith("  ") and found:
            found[-1] += f" {line.strip()}"
        elif line and not line.startswith("# ") and line != "#":
            found.append(line)
    return found


def entries(name: str) -> Iterator[tuple[str, str]]:
    """The keys of a file and their values."""
    return map(entry, lines(name))


def entry(line: str) -> tuple[str, str]:
    """The key and the value of a line."""
    key, _, value = line.partition(": ")
    return key, value


def sections(name: str) -> dict[str, list[str]]:
    """The lines of a file under its `[headings]`."""
    found: dict[str, list[str]] = {}
    for line in lines(name):
        if line.startswith("["):
            own = found.setdefault(line.strip("[]"), [])
        else:
            own.append(line)
    return found


def phrases(text: str) -> tuple[Phrase, ...]:
    """Phrases between bars; one with `* 3` after it three times."""
    found: list[Phrase] = []
    for part in text.split("|"):
        phrase, star, times = part.partition("*")
        found += [tuple(phrase.split())] * (int(times) if star else 1)
    return tuple(found)


def with_held_out(text: str) -> tuple[tuple[Phrase, ...], tuple[Phrase, ...]]:
    """The phrases of training, and those that are held out of it."""
    usual, _, rare = text.partition("~")
    return phrases(usual), phrases(rare) if rare else ()

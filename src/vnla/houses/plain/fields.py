"""Fields of a JSON file, looked at one by one: what is not as expected is one line that names the field."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from vnla.common.errors import InputError
from vnla.houses.matterport.notes import shown

FARTHEST = 1e5
"""Metres from the origin: no house is larger, and numbers far from it lose their digits."""

_LONGEST_MEANT = 80


@dataclass(frozen=True)
class Field:
    """A value, and where it stands."""

    where: str
    value: Any

    def wrong(self, expected: str) -> InputError:
        """What to say of a value that is not as expected."""
        return InputError(f"{self.where} is {shown(self.value)}; expected {expected}")

    def fields(self, needed: Collection[str], others: Collection[str] = ()) -> dict[str, Field]:
        """The fields of an object: all that are needed, and perhaps others, but no more."""
        if not isinstance(self.value, dict):
            raise self.wrong(f"an object with {', '.join(needed)}")
        allowed = [*needed, *others]
        for name in self.value:
            if name not in allowed:
                raise InputError(f"{self.where}: has no field {shown(name)}{_meant(name, allowed)}")
        for name in needed:
            if name not in self.value:
                raise InputError(f"{self.where}: lacks the field {name}")
        return {name: Field(f"{self.where}.{name}", value) for name, value in self.value.items()}

    def items(self, most: int, least: int = 0) -> list[Field]:
        """The items of a list."""
        if not isinstance(self.value, list):
            raise self.wrong("a list")
        if not least <= len(self.value) <= most:
            raise InputError(f"{self.where}: has {len(self.value):,} items; expected {least} to {most:,}")
        return [Field(f"{self.where}[{number}]", value) for number, value in enumerate(self.value)]

    def text(self, expected: str = "a text") -> str:
        """A text that is not empty."""
        if not isinstance(self.value, str) or not self.value.strip():
            raise self.wrong(expected)
        return self.value

    def name(self) -> str:
        """What may be the name of a file and stand in a line: no spaces, no slashes."""
        text = self.text("a name")
        if (
            len(text) > 80
            or not text.isascii()
            or not all(each.isalnum() or each in "_.-" for each in text)
            or text[0] in ".-"
        ):
            raise self.wrong("a name of letters, digits, '_', '.' and '-'")
        return text

    def one_of(self, choices: Collection[str]) -> str:
        """One of some texts."""
        if not isinstance(self.value, str) or self.value not in choices:
            raise self.wrong(f"one of {', '.join(choices)}{_meant(str(self.value), choices)}")
        return self.value

    def number_of(self, names: Mapping[str, int]) -> int:
        """The number of one of some names."""
        if not isinstance(self.value, str) or self.value not in names:
            raise self.wrong(f"the name of one that the house has{_meant(str(self.value), names)}")
        return names[self.value]

    def number(self, least: float = -FARTHEST, most: float = FARTHEST) -> float:
        """A number within bounds."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise self.wrong(f"a number from {least:g} to {most:g}")
        return float(value)

    def numbers(self, *counts: int, least: float = -FARTHEST) -> tuple[float, ...]:
        """So many numbers, finite."""
        value = self.value
        if not isinstance(value, list) or len(value) not in counts:
            raise self.wrong(f"{' or '.join(map(str, counts))} numbers")
        return tuple(each.number(least) for each in self.items(max(counts)))

    def point(self) -> tuple[float, float, float]:
        """Metres to the east, to the north and up."""
        x, y, z = self.numbers(3)
        return x, y, z


def unique(fields: Iterator[tuple[Field, str]]) -> dict[str, int]:
    """Names by number; two that are the same are refused."""
    found: dict[str, int] = {}
    for number, (field, name) in enumerate(fields):
        if found.setdefault(name, number) != number:
            raise InputError(f"{field.where} is {shown(name)}, as another one before it; names have to differ")
    return found


def _meant(name: str, allowed: Collection[str]) -> str:
    # Looking for close names takes long with long ones.
    close = difflib.get_close_matches(name, allowed, 1) if len(name) <= _LONGEST_MEANT else []
    return f" (do you mean {close[0]}?)" if close else ""

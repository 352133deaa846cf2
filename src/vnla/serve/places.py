"""Houses and viewpoints under names that say nothing of them.

What a visitor's browser holds may not tell what is where, and names of houses and rooms, or ids that count along a corridor,
would. So both are known outside by digits made from what the house is. They stay the same as long as the house does, and
only a `PlaceNames` can read them back. A person who walks knows them by other digits, made with a secret: what else the
server says of a house, its rooms and goals, cannot be looked up by those.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable
from copy import copy
from dataclasses import astuple

from vnla.common.errors import InputError
from vnla.houses.house import House

DIGITS = 12


def fingerprint(house: House) -> str:
    """64 digits made from all that a house is: another house has others."""
    parts = [house.name, house.edges, *map(_rows, (house.viewpoints, house.rooms, house.objects, house.levels))]
    return hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode()).hexdigest()


def _rows(records: Iterable[object]) -> list[object]:
    return [astuple(each) for each in records]  # type: ignore[call-overload]


def digits(*parts: object, length: int = DIGITS, secret: bytes = b"") -> str:
    """Digits made from several things, in their order, and from a secret if there is one."""
    data = json.dumps(parts).encode()
    digest = hmac.digest(secret, data, "sha256") if secret else hashlib.sha256(data).digest()
    return digest.hex()[:length]


class PlaceNames:
    """The houses of a world and the viewpoints that one can stand at, by name and back."""

    def __init__(self, houses: Iterable[House], secret: bytes = b"") -> None:
        self.houses: dict[str, House] = {}
        self._viewpoints: dict[str, tuple[House, int]] = {}
        self._names: dict[str, tuple[str, dict[int, str]]] = {}
        for house in houses:
            whole = fingerprint(house)
            stands = {i: digits(whole, house.viewpoints[i].id, secret=secret) for i in house.stands}
            name = digits(whole, secret=secret)
            self.houses[name] = house
            self._viewpoints |= {stand: (house, i) for i, stand in stands.items()}
            self._names[house.name] = name, stands

    def house(self, name: str) -> House:
        """The house of that name."""
        if name not in self.houses:
            raise InputError("there is no such house here")
        return self.houses[name]

    def viewpoint(self, name: str) -> tuple[House, int]:
        """The viewpoint of that name: its house and its number there."""
        if name not in self._viewpoints:
            raise InputError("there is no such place here")
        return self._viewpoints[name]

    def reading(self, others: PlaceNames) -> PlaceNames:
        """The same, which can also read the names of others."""
        both = copy(self)
        both.houses, both._viewpoints = self.houses | others.houses, self._viewpoints | others._viewpoints
        return both

    def name(self, house: House) -> str:
        """The name of a house."""
        return self._names[house.name][0]

    def viewpoints(self, house: House) -> dict[int, str]:
        """The names of all viewpoints of a house that one can stand at, by their numbers."""
        return self._names[house.name][1]

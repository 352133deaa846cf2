"""Which objects can be asked for (section 5 and the appendix, "Data Generation").

An object is left out if its label is rare, hard to recognise, of low relevance or unknown, if it lies outside the box of its
room, or if there is no viewpoint in its room to see it from. For AskNav a room label is held to the same: rare and unknown
ones are not asked for. Which labels are hard, of low relevance or unknown is in `tasks/data`, each with its reason; patterns
there match whole labels, `*` any characters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cache

from vnla.houses.house import House, Object
from vnla.tasks.tables import plain, table

FEWEST = 5
"""Labels that occur less often in the whole world are left out."""


class Exclusion(StrEnum):
    """Why an object is left out, in the order in which it is looked at."""

    UNKNOWN = "unknown"
    HARD = "hard to recognise"
    LOW = "low relevance"
    RARE = "rare"
    NO_ROOM = "without a room"
    OUTSIDE = "outside its room's box"
    UNKNOWN_ROOM = "in a room of unknown or rare label"
    NO_VIEWPOINT = "in a room without a viewpoint"


@cache
def label_reason(label: str) -> Exclusion | None:
    """Why a label, in plain words, can never be asked for; None if it can."""
    if not label:
        return Exclusion.UNKNOWN
    matches = (row for row in table("objects_left_out.csv") if fnmatchcase(label, row["label"]))
    return min((Exclusion(row["reason"]) for row in matches), key=list(Exclusion).index, default=None)


def unknown_rooms() -> frozenset[str]:
    """Room labels that say nothing about the room."""
    return frozenset(row["label"] for row in table("rooms_in_goals.csv") if row["use"] == "no")


@dataclass(frozen=True)
class Filters:
    """What a world allows: object labels that are frequent enough, and room labels; None for any room (NoRoom)."""

    objects: frozenset[str]
    rooms: frozenset[str] | None

    @classmethod
    def of(cls, houses: Iterable[House], *, rooms: bool, fewest: int = FEWEST) -> Filters:
        """The labels that occur `fewest` times or more in `houses` together, outside objects counted too."""
        houses = tuple(houses)
        objects = Counter(plain(thing.label) for house in houses for thing in house.objects)
        labels = Counter(room.label for house in houses for room in house.rooms)
        return cls(
            frozenset(label for label, count in objects.items() if count >= fewest),
            frozenset(label for label, count in labels.items() if count >= fewest) - unknown_rooms() if rooms else None,
        )

    def reasons(self, house: House) -> list[Exclusion | None]:
        """For each object of a house why it is left out; None for those that can be asked for."""
        outside = house.outside_their_room()
        seen_from = {viewpoint.room for viewpoint in house.viewpoints if viewpoint.included}
        return [self._reason(house, thing, outside, seen_from) for thing in house.objects]

    def _reason(
        self, house: House, thing: Object, outside: Collection[int], seen_from: Collection[int | None]
    ) -> Exclusion | None:
        label = plain(thing.label)
        if reason := label_reason(label):
            return reason
        if label not in self.objects:
            return Exclusion.RARE
        if thing.room is None:
            return Exclusion.NO_ROOM
        if thing.id in outside:
            return Exclusion.OUTSIDE
        if self.rooms is not None and house.room_by_id[thing.room].label not in self.rooms:
            return Exclusion.UNKNOWN_ROOM
        return None if thing.room in seen_from else Exclusion.NO_VIEWPOINT

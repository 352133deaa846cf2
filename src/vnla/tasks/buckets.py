"""Which objects can be asked for, and their buckets (section 5 and the appendix, "Data Generation").

An object is left out if its label is rare, hard to recognise, of low relevance or unknown, if it lies outside the box of its
room, or if there is no viewpoint in its room to see it from. For AskNav room labels that are rare or unknown are not asked
for either. `tasks/data` lists the labels that are hard, of low relevance or unknown; patterns there match whole labels, `*`
any characters.

A bucket is the objects of a building that one end-goal asks for, with the viewpoints where it is fulfilled.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cache

from vnla.houses.house import House, Object
from vnla.houses.mirror import mirrors_of
from vnla.tasks.end_goals import end_goal, plain, table
from vnla.tasks.recipes import DatasetRecipe

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
    """Return why a label, in plain words, can never be asked for; None if it can."""
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
        """Return the labels that occur `fewest` times or more in `houses` together, outside objects counted too.

        Mirror images are not counted, so that they change nothing in what can be asked for.
        """
        houses = tuple(houses)
        mirrors = mirrors_of(house.name for house in houses)
        houses = tuple(house for house in houses if house.name not in mirrors)
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


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal viewpoint: its number in the house, its room, and the ids of the objects that it stands for."""

    viewpoint: int
    room: int
    objects: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Bucket:
    """Objects of one house with the same label, in rooms of the same label where the end-goal names the room."""

    house: str
    object: str
    room: str | None
    """The label of the room; None if the end-goal does not say."""
    end_goal: str
    goals: tuple[Goal, ...]

    @property
    def objects(self) -> int:
        """How many objects are in it."""
        return sum(len(goal.objects) for goal in self.goals)


def buckets_of(house: House, filters: Filters, recipe: DatasetRecipe) -> list[Bucket]:
    """Return the buckets of a house, in the order in which their first objects come in the file."""
    members: dict[tuple[str, str | None], list[Object]] = {}
    for thing, reason in zip(house.objects, filters.reasons(house), strict=True):
        if reason is None and thing.room is not None:
            room = house.room_by_id[thing.room].label if recipe.rooms else None
            members.setdefault((plain(thing.label), room), []).append(thing)
    rooms = Counter(room.label for room in house.rooms)
    return [
        Bucket(house.name, label, room, end_goal(label, room, rooms[room or ""]), _goals(house, things))
        for (label, room), things in members.items()
    ]


def delegate(house: House, thing: Object) -> int:
    """Return the delegate viewpoint of an object: the closest one in the same room, the first in the file of equals."""
    inside = (i for i in house.stands if house.viewpoints[i].room == thing.room)
    return min(inside, key=lambda i: math.dist(house.viewpoints[i].position, thing.box.centre))


def _goals(house: House, things: list[Object]) -> tuple[Goal, ...]:
    """Return the delegates of all objects without repetition, in the order in which they are first met."""
    objects: dict[int, list[int]] = {}
    for thing in things:
        objects.setdefault(delegate(house, thing), []).append(thing.id)
    return tuple(
        Goal(viewpoint, room, tuple(ids))
        for viewpoint, ids in objects.items()
        if (room := house.viewpoints[viewpoint].room) is not None
    )

"""Buckets (appendix): the objects of a building that one end-goal asks for, and the viewpoints where it is fulfilled."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from vnla.houses.house import House, Object
from vnla.tasks.end_goals import end_goal
from vnla.tasks.filters import Filters
from vnla.tasks.recipes import DatasetRecipe
from vnla.tasks.tables import plain


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
    """The buckets of a house, in the order in which their first objects come in the file."""
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
    """The delegate viewpoint of an object: the closest one in the same room, the first in the file of equals."""
    inside = (i for i in house.stands if house.viewpoints[i].room == thing.room)
    return min(inside, key=lambda i: math.dist(house.viewpoints[i].position, thing.box.centre))


def _goals(house: House, things: list[Object]) -> tuple[Goal, ...]:
    """The delegates of all objects without repetition, in the order in which they are first met."""
    objects: dict[int, list[int]] = {}
    for thing in things:
        objects.setdefault(delegate(house, thing), []).append(thing.id)
    return tuple(
        Goal(viewpoint, room, tuple(ids))
        for viewpoint, ids in objects.items()
        if (room := house.viewpoints[viewpoint].room) is not None
    )

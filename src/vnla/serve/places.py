"""Houses, viewpoints and poses under names that say nothing of them.

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
from functools import cache

import numpy as np
from numpy.typing import NDArray

from vnla.camera import HEADINGS, VIEWS, Ints
from vnla.common.errors import InputError
from vnla.houses.house import House
from vnla.serve.events import Pose
from vnla.tasks.task import Task
from vnla.world.compiled import World
from vnla.world.graph import Graph

DIGITS = 12


def fingerprint(house: House) -> str:
    """Return 64 digits made from all that a house is: another house has others."""
    parts = [house.name, house.edges, *map(_rows, (house.viewpoints, house.rooms, house.objects, house.levels))]
    return hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode()).hexdigest()


def _rows(records: Iterable[object]) -> list[object]:
    return [astuple(each) for each in records]  # type: ignore[call-overload]


def digits(*parts: object, length: int = DIGITS, secret: bytes = b"") -> str:
    """Return digits made from several things, in their order, and from a secret if there is one."""
    data = json.dumps(parts).encode()
    digest = hmac.digest(secret, data, "sha256") if secret else hashlib.sha256(data).digest()
    return digest.hex()[:length]


class PlaceNames:
    """Opaque names of the houses of a world and of the viewpoints that one can stand at."""

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
        """Return the house of that name."""
        if name not in self.houses:
            raise InputError("there is no such house here")
        return self.houses[name]

    def viewpoint(self, name: str) -> tuple[House, int]:
        """Return the viewpoint of that name: its house and its number there."""
        if name not in self._viewpoints:
            raise InputError("there is no such place here")
        return self._viewpoints[name]

    def reading(self, others: PlaceNames) -> PlaceNames:
        """Return the same names, which can also read those of others."""
        both = copy(self)
        both.houses, both._viewpoints = self.houses | others.houses, self._viewpoints | others._viewpoints
        return both

    def name(self, house: House) -> str:
        """Return the name of a house."""
        return self._names[house.name][0]

    def viewpoints(self, house: House) -> dict[int, str]:
        """Return the names of all viewpoints of a house that one can stand at, by their numbers."""
        return self._names[house.name][1]


class VisitorWorld:
    """A compiled world whose poses are those of a page: an opaque viewpoint, a heading and a row."""

    def __init__(self, world: World, places: PlaceNames) -> None:
        self.places = places
        self._world = world
        self._first: list[int] = world.first.tolist()
        houses = {house.name: house for house in places.houses.values()}
        self._houses = [houses[name] for name in world.houses]
        self._names = [
            places.viewpoints(house)[house.number[each]]
            for house, graph in zip(self._houses, world.graphs, strict=True)
            for each in graph.ids
        ]
        self._neighbours = cache(self._look_around)

    def house(self, task: Task) -> House:
        """Return the house of a task."""
        return self._houses[self._world.house(task.house)]

    def viewpoint(self, number: int) -> int:
        """Return the number in its house of the viewpoint of a pose."""
        return self.places.viewpoint(self._names[number // VIEWS])[1]

    def pose(self, number: int) -> Pose:
        """Return a pose of the world as a page has it."""
        viewpoint, view = divmod(number, VIEWS)
        row, heading = divmod(view, HEADINGS)
        return Pose(viewpoint=self._names[viewpoint], heading=heading, row=row)

    def ahead(self, number: int) -> list[str]:
        """Return the viewpoints in view that can be walked to, in the order of the house."""
        viewpoint, view = divmod(number, VIEWS)
        index = int(np.searchsorted(self._first, viewpoint, side="right")) - 1
        base = self._first[index]
        source, target, visible = self._neighbours(index)
        chosen = (source == viewpoint - base) & visible[:, view]
        return [self._names[base + each] for each in target[chosen].tolist()]

    def goals(self, task: Task) -> list[str]:
        """Return the goal viewpoints of a task."""
        house = self.house(task)
        return [self.places.viewpoints(house)[house.number[goal]] for goal in task.goals]

    def metres(self, number: int, task: Task) -> float:
        """Return the distance from a pose to the nearest goal of a task."""
        graph, _, here, goals = self._between(number, task)
        return float(graph.distance[here, goals].min())

    def way(self, number: int, task: Task) -> list[str]:
        """Return the viewpoints of the shortest way from a pose to the nearest goal of a task, both ends included."""
        graph, base, here, goals = self._between(number, task)
        end = goals[int(graph.distance[here, goals].argmin())]
        way = [here]
        while way[-1] != end:
            way.append(int(graph.hop[way[-1], end]))
        return [self._names[base + each] for each in way]

    def _between(self, number: int, task: Task) -> tuple[Graph, int, int, list[int]]:
        """Return the graph of a task's house, its first viewpoint in the world, and there a pose and the goals."""
        index = self._world.house(task.house)
        graph, base = self._world.graphs[index], self._first[index]
        return graph, base, number // VIEWS - base, [graph.ids.index(goal) for goal in task.goals]

    def _look_around(self, index: int) -> tuple[Ints, Ints, NDArray[np.bool_]]:
        """Return the edges of a house: their ends, and in which views each is seen, (edges, 36)."""
        graph = self._world.graphs[index]
        return graph.source, graph.target, graph.looks().visible

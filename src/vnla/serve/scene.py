"""Poses of the compiled world as a page has them: opaque places, a heading and a row."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from vnla.camera import HEADINGS, VIEWS, Ints
from vnla.houses.house import House
from vnla.serve.events import Pose
from vnla.serve.places import PlaceNames
from vnla.tasks.task import Task
from vnla.world.compiled import World
from vnla.world.graph import Graph


class VisitorWorld:
    """A world and the names that visitors know its places by."""

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
        """The house of a task."""
        return self._houses[self._world.house(task.house)]

    def pose(self, number: int) -> Pose:
        """A pose of the world."""
        viewpoint, view = divmod(number, VIEWS)
        row, heading = divmod(view, HEADINGS)
        return Pose(viewpoint=self._names[viewpoint], heading=heading, row=row)

    def ahead(self, number: int) -> list[str]:
        """The viewpoints in view that can be walked to, in the order of the house."""
        viewpoint, view = divmod(number, VIEWS)
        index = int(np.searchsorted(self._first, viewpoint, side="right")) - 1
        base = self._first[index]
        source, target, visible = self._neighbours(index)
        chosen = (source == viewpoint - base) & visible[:, view]
        return [self._names[base + each] for each in target[chosen].tolist()]

    def goals(self, task: Task) -> list[str]:
        """The goal viewpoints of a task."""
        house = self.house(task)
        return [self.places.viewpoints(house)[house.number[goal]] for goal in task.goals]

    def metres(self, number: int, task: Task) -> float:
        """From a pose to the nearest goal of a task."""
        graph, _, here, goals = self._between(number, task)
        return float(graph.distance[here, goals].min())

    def way(self, number: int, task: Task) -> list[str]:
        """The viewpoints of the shortest way from a pose to the nearest goal of a task, both ends included."""
        graph, base, here, goals = self._between(number, task)
        end = goals[int(graph.distance[here, goals].argmin())]
        way = [here]
        while way[-1] != end:
            way.append(int(graph.hop[way[-1], end]))
        return [self._names[base + each] for each in way]

    def _between(self, number: int, task: Task) -> tuple[Graph, int, int, list[int]]:
        """The graph of a task's house, its first viewpoint in the world, and a pose's viewpoint and the goals in it."""
        index = self._world.house(task.house)
        graph, base = self._world.graphs[index], self._first[index]
        return graph, base, number // VIEWS - base, [graph.ids.index(goal) for goal in task.goals]

    def _look_around(self, index: int) -> tuple[Ints, Ints, NDArray[np.bool_]]:
        """The edges of a house: their ends, and in which views each is seen, (edges, 36)."""
        graph = self._world.graphs[index]
        return graph.source, graph.target, graph.looks().visible

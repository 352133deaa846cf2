"""A planner: the scripted walker with a sense of houses, learned from training houses.

How far it is from a kind of room to the nearest bathroom, or to the nearest room with a kettle, is counted in the training
houses. Of all places that it has not been to it goes to the one from which, with the way there, it expects the least.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from vnla.houses.house import House
from vnla.houses.rooms import NO_LABEL
from vnla.observation import Observation
from vnla.remote.room_map import MapNode
from vnla.remote.scripted import ScriptedPolicy, ScriptState
from vnla.tasks.end_goals import EndGoal, plain
from vnla.world.graph import Graph

METRES = 1.2
"""That an action covers about: of a walk of 2.4 m every second action is a turn."""
FEWEST = 3
"""Places that a mean is taken over at least."""


@dataclass(frozen=True)
class RoomStatistics:
    """Mean metres from a kind of room to the nearest place where something is, in houses that have it."""

    metres: dict[tuple[str, EndGoal], float]
    anywhere: float

    @classmethod
    def learn(cls, houses: Iterable[House]) -> RoomStatistics:
        """From these houses."""
        found: defaultdict[tuple[str, EndGoal], list[float]] = defaultdict(list)
        for house in houses:
            graph = Graph.of(house)
            rooms = [house.viewpoints[house.number[each]].room for each in graph.ids]
            names = [_name(house, room) for room in rooms]
            for sought, inside in _places(house).items():
                there = [i for i, room in enumerate(rooms) if room in inside]
                if there:
                    for name, metres in zip(names, graph.distance[:, there].min(axis=1).tolist(), strict=True):
                        if np.isfinite(metres):
                            found[name, sought].append(metres)
        means = {key: float(np.mean(each)) for key, each in found.items() if len(each) >= FEWEST}
        return cls(means, float(np.mean(list(means.values()))) if means else 0.0)

    def expected(self, room: str, sought: EndGoal) -> float:
        """Metres from a room to what is sought; by its room alone where the thing itself was hardly met."""
        known = (sought, EndGoal("", sought.room))
        return next((self.metres[room, each] for each in known if (room, each) in self.metres), self.anywhere)


class Planner(ScriptedPolicy):
    """See the module."""

    name = "planner"

    def __init__(self, statistics: RoomStatistics, asks: bool = True, near: float = 1.5) -> None:
        """By what was learned of houses; else as `ScriptedPolicy`."""
        super().__init__(asks, near)
        self._statistics = statistics

    def beyond(self, state: ScriptState, place: MapNode) -> float:
        """What it expects from there on, in actions."""
        return self._statistics.expected(place.room, state.sought) / METRES

    def looks_around(self, state: ScriptState, cost: float, turns: int, now: Observation) -> bool:
        """In the room that it seeks; or if from here, in all likelihood, there is less to go than by any way it knows."""
        here = state.places.all[state.places.here]
        expected = self._statistics.expected(here.room, state.sought) / METRES + turns
        return super().looks_around(state, cost, turns, now) or expected < cost - 1


def _places(house: House) -> dict[EndGoal, set[int]]:
    """For everything that may be sought the rooms where it is: a kind of room, a thing, a thing in a kind of room."""
    found: defaultdict[EndGoal, set[int]] = defaultdict(set)
    for room in house.rooms:
        if room.label != NO_LABEL:
            found[EndGoal("", room.name)].add(room.id)
    for thing in house.objects:
        if thing.room is not None:
            for name in (None, _name(house, thing.room)):
                found[EndGoal(plain(thing.label), name)].add(thing.room)
    return found


def _name(house: House, room: int | None) -> str:
    found = None if room is None else house.room_by_id[room]
    return "" if found is None or found.label == NO_LABEL else found.name

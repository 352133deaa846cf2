"""A map that a walker makes of what it is told: places it has been to or has seen, by dead reckoning.

Its own turns are of 30 degrees, ways have bearings and distances, and it is told how far it went: so it knows where
everything lies from where it began, nearly.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from vnla.camera import HEADINGS
from vnla.vision.symbols import Exit, Symbols, Thing
from vnla.world.actions import Nav

DEGREES = 360 // HEADINGS
SAME = 0.5
"""Metres within which two places are one."""
FIELD = 40.0
"""Degrees to either side that are in view."""
TURNING = 2.0
"""Turns that a step on a known path takes about, besides those of the first."""

Point = tuple[float, float, float]


@dataclass
class MapNode:
    """Somewhere to stand."""

    point: Point
    room: str
    visited: bool = False
    looked: set[int] = field(default_factory=set)
    """Headings, in steps of 30 degrees, that it was looked at from here with a level camera."""
    near: set[int] = field(default_factory=set)
    """Numbers of the places one step away, as far as they are known."""


class RoomMap:
    """What is known of a house. The first place is where it began, heading 0 the way it looked then."""

    def __init__(self) -> None:
        self.all: list[MapNode] = [MapNode((0.0, 0.0, 0.0), "", visited=True)]
        self.here = self.heading = 0
        self._ways: list[tuple[Exit, int]] = []

    def moved(self, metres: float) -> None:
        """It went forward, so far: to the place in view that lies so far away, and of these the nearest to the middle."""
        fitting = [(abs(way.distance - metres) > 0.05, abs(way.bearing), place) for way, place in self._ways]
        self.here = min(fitting)[2] if fitting else self._add(_beyond(self._point, 0, 0, metres, self.heading), "")
        self.all[self.here].visited = True

    def turned(self, action: Nav) -> None:
        """It turned, or looked up or down."""
        self.heading = (self.heading + {Nav.LEFT: -1, Nav.RIGHT: 1}.get(action, 0)) % HEADINGS

    def see(self, sight: Symbols) -> None:
        """What is in view now."""
        here = self.all[self.here]
        here.room = sight.room
        here.looked.add(self.heading)
        self._ways = [(way, self._add(self.point_of(way), way.room)) for way in sight.ways]
        for _, place in self._ways:
            if place != self.here:
                here.near.add(place)
                self.all[place].near.add(self.here)

    def point_of(self, seen: Exit | Thing) -> Point:
        """Where something in view lies."""
        return _beyond(self._point, seen.bearing, seen.elevation, seen.distance, self.heading)

    def toward(self, place: int) -> Nav:
        """What to do to go to a place one step away: turn the fewest times until it is nearest to the middle of the view."""
        bearings = {each: self._bearing(each) for each in self.all[self.here].near}
        for turns in sorted(range(-HEADINGS // 2, HEADINGS // 2), key=abs):
            off = {each: abs(_signed(bearing - turns * DEGREES)) for each, bearing in bearings.items()}
            if off[place] <= FIELD and min(off, key=lambda each: off[each]) == place:
                return Nav.FORWARD if turns == 0 else Nav.RIGHT if turns > 0 else Nav.LEFT
        return Nav.RIGHT if bearings[place] > 0 else Nav.LEFT  # another place always hides it

    def turns_to(self, place: int) -> int:
        """How many turns that takes."""
        return max(0, round((abs(self._bearing(place)) - DEGREES / 2) / DEGREES))

    def steps_to(self) -> dict[int, tuple[float, int]]:
        """For every place that a known path leads to: about how many actions it takes, and the first place on the way."""
        found: dict[int, tuple[float, int]] = {}
        waiting = [(1.0 + self.turns_to(each), each, each) for each in sorted(self.all[self.here].near)]
        heapq.heapify(waiting)
        while waiting:
            steps, place, first = heapq.heappop(waiting)
            if place in found or place == self.here:
                continue
            found[place] = steps, first
            for each in sorted(self.all[place].near):
                heapq.heappush(waiting, (steps + 1 + TURNING, each, first))
        return found

    def unlooked(self) -> int | None:
        """The heading nearest to the present one, by turns, that would show something new here; None if all was seen."""
        looked = self.all[self.here].looked
        seen = {(each + side) % HEADINGS for each in looked for side in (-1, 0, 1)}
        missing = [
            turns for turns in range(-HEADINGS // 2 + 1, HEADINGS // 2 + 1) if (self.heading + turns) % HEADINGS not in seen
        ]
        return min(missing, key=lambda turns: (abs(turns), turns)) if missing else None

    def nearest(self, point: Point, places: Callable[[MapNode], bool] = lambda _: True) -> int:
        """The place nearest to a point, of some."""
        return min(self._some(places), key=lambda each: math.dist(self.all[each].point, point))

    def _some(self, places: Callable[[MapNode], bool]) -> Iterator[int]:
        return (i for i, place in enumerate(self.all) if places(place))

    @property
    def _point(self) -> Point:
        return self.all[self.here].point

    def _bearing(self, place: int) -> float:
        """Degrees from the way it looks, right positive."""
        (x, y, _), (east, north, _) = self._point, self.all[place].point
        return _signed(math.degrees(math.atan2(east - x, north - y)) - self.heading * DEGREES)

    def _add(self, point: Point, room: str) -> int:
        for i, place in enumerate(self.all):
            if math.dist(place.point, point) <= SAME:
                return i
        self.all.append(MapNode(point, room))
        return len(self.all) - 1


def _beyond(point: Point, bearing: float, elevation: float, metres: float, heading: int) -> Point:
    angle, rise = math.radians(heading * DEGREES + bearing), math.radians(elevation)
    flat = metres * math.cos(rise)
    return point[0] + flat * math.sin(angle), point[1] + flat * math.cos(angle), point[2] + metres * math.sin(rise)


def _signed(degrees: float) -> float:
    return (degrees + 180) % 360 - 180

"""A straight corridor in which every number of actions can be worked out by hand.

Viewpoints 0 to n-1 are two metres apart on a line that runs 7 degrees east of north, each but the last in the hallway; the
last is in the kitchen and has an oven beside it. From heading step h (30 degrees each) the next viewpoint northwards
appears at 7 - 30 h degrees. The teacher goes forward if that is within 30 degrees of the centre, so at h = 0 and 1, and
turns the short way until it is: h - 1 times to the left for h up to 6, and 12 - h times to the right from 7 on. To walk s
steps north takes that many turns, s forwards and the stop.
"""

from __future__ import annotations

import math

from vnla.houses.house import House, Object, OrientedBox, Point, Room, Viewpoint

TURNS = (0, 0, 1, 2, 3, 4, 5, 5, 4, 3, 2, 1)
_EAST, _NORTH = math.sin(math.radians(7)), math.cos(math.radians(7))


def corridor(count: int, *, objects: int = 1, name: str = "corridor", rooms: int = 1) -> House:
    """`objects` ovens are beside the last viewpoint; the hallway may be in several rooms of equal length."""
    places: list[Point] = [(2 * i * _EAST, 2 * i * _NORTH, 1.5) for i in range(count)]
    kitchen = rooms
    return House(
        name,
        tuple(
            Viewpoint(f"v{i}", place, kitchen if i == count - 1 else i * rooms // (count - 1))
            for i, place in enumerate(places)
        ),
        tuple((i, i + 1) for i in range(count - 1)),
        rooms=(*(Room(i, "h") for i in range(rooms)), Room(kitchen, "k")),
        objects=tuple(Object(i, "oven", kitchen, OrientedBox(places[-1])) for i in range(objects)),
    )


def actions(steps: int, heading: int) -> int:
    """How many actions it takes to walk north, the stop included."""
    return TURNS[heading] + steps + 1

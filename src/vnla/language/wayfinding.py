"""Where somebody can find the way who is told where to go, not which way, and sees only what is in view.

A way is found if at each of its turns what one goes to is known to be on that side: a thing that was in view when one began,
wherever it is by then; a room if something of it is in view on that side, or if the only way out that is in view leads
there. What cannot be found is not said, or the side is said.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from vnla.camera import HALF_FIELD, HEADINGS, VIEWS, Ints
from vnla.language.surroundings import AHEAD, Bools, Surroundings, turned
from vnla.world.actions import Nav

_LEFT, _RIGHT = -1, 1
_NONE = -2  # no room, not even OUTSIDE
_MOST_TURNS = 10  # of the teacher before a step


class Leg(NamedTuple):
    """A step of a way, for each view that one may begin the way in: (36,) each."""

    place: int
    view: Ints  # in which one comes there
    turn: Ints  # to which side one turns before the step: -1 left, 1 right, 0 neither


@dataclass(frozen=True, eq=False)
class Wayfinding:
    """In one house."""

    around: Surroundings

    def legs(self, here: int, there: int) -> list[Leg]:
        """The steps of the way to a viewpoint."""
        (turn, faced), view, found = self._turning, np.arange(VIEWS), []
        for place, after in pairwise(self.around.path(here, there)):
            edge = self.around.edge[place, after]
            found.append(Leg(place, view, turn[edge, view]))
            view = faced[edge, view]
        return found

    def turn(self, here: int, there: int) -> Ints:
        """To which side one turns first, in each view: (36,)."""
        return self.legs(here, there)[0].turn

    def to_thing(self, here: int, there: int, thing: int) -> Bools:
        """The views from which the way to a viewpoint is found by a thing that is in view: (36,)."""
        found = np.ones(VIEWS, bool)
        for place, view, turn in self.legs(here, there):
            bearing = turned(self.around.bearing_of(place, thing), view)
            found &= (turn == 0) | ((np.sign(bearing) == turn) & (np.abs(bearing) > AHEAD))
        return found

    def to_room(self, here: int, there: int) -> tuple[Bools, Bools]:
        """The views from which the way into a room is found by what is in view, and those from which it is when the first
        turn is said: (36,) each."""
        side = self._rooms[int(self.around.room[there])]
        first, *others = ((turn == 0) | (side[place, view] == turn) for place, view, turn in self.legs(here, there))
        then = np.logical_and.reduce(others) if others else np.ones(VIEWS, bool)
        return first & then, then

    @cached_property
    def _rooms(self) -> dict[int, Ints]:
        """By its id, on which side of each view a room is seen to be, 0 where one cannot tell: (viewpoints, 36)."""
        only = self._only_way
        return {room: np.where(only[0] == room, only[1], self._of_room(room)) for room in set(self.around.room.tolist())}

    def _of_room(self, room: int) -> Ints:
        """On which side of each view the things of a room are: (viewpoints, 36)."""
        around = self.around
        own = np.array([thing.room == room for thing in around.house.objects], bool)
        share = np.where(around.visible[:, :, own], around.share[:, :, own], 0.0)
        across = (share * around.across[:, :, own]).sum(axis=2) / np.maximum(share.sum(axis=2), 1e-9)
        return _side(across)

    @cached_property
    def _only_way(self) -> tuple[Ints, Ints]:
        """To which room the only way out leads that is in view, and on which side it is: (viewpoints, 36) each."""
        count, heading = len(self.around.graph.ids), np.arange(VIEWS) % HEADINGS
        room, side = np.full((count, VIEWS), _NONE), np.zeros((count, VIEWS), np.int64)
        for here in range(count):
            ways = self.around.ways_from(here, 0)
            if not ways:
                continue
            bearing = np.array([turned(way.bearing, heading) for way in ways])  # (ways, 36)
            seen = np.abs(bearing) <= math.degrees(HALF_FIELD)
            rooms = np.array([_NONE if way.beyond is None else int(self.around.room[way.beyond]) for way in ways])
            which = seen.argmax(axis=0)
            room[here] = np.where(seen.sum(axis=0) == 1, rooms[which], _NONE)
            side[here] = _side(bearing[which, np.arange(VIEWS)])
        return room, side

    @cached_property
    def _turning(self) -> tuple[Ints, Ints]:
        """To which side the navigation teacher turns before each edge, by the view, and in which view it then goes forward:
        (edges, 36) each."""
        toward = self.around.toward
        edge = np.arange(len(toward))[:, None]
        view = np.broadcast_to(np.arange(VIEWS), toward.shape).copy()
        turn = np.zeros(toward.shape, np.int64)
        for _ in range(_MOST_TURNS):
            action = toward[edge, view]
            to = np.select([action == Nav.LEFT, action == Nav.RIGHT], [_LEFT, _RIGHT], 0)
            turn = np.where(turn == 0, to, turn)
            row, heading = np.divmod(view, HEADINGS)
            row = row + (action == Nav.UP) - (action == Nav.DOWN)
            view = row * HEADINGS + (heading + to) % HEADINGS
        return turn, view


def _side(degrees: np.ndarray[tuple[int, ...], np.dtype[np.floating]]) -> Ints:
    """On which side angles are: -1, 0 or 1."""
    return np.where(np.abs(degrees) > AHEAD, np.sign(degrees), 0).astype(np.int64)

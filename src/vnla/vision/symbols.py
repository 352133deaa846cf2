"""What is in view from a pose as plain data, and in words: things and exits, where they lie and how far away they are.

    symbols = WorldSymbols(read_world(Path("worlds/small")))
    describe(symbols("house000", "house000_v3", view))  # "You are in the hallway. To the left a door to the kitchen, 2 m. …"

Where a house can be drawn with the ids of its objects, a thing is in view when it fills enough of the picture, so walls and
furniture hide what is behind them. Elsewhere boxes decide, and nothing hides anything (`vnla.houses.sightings`).

An exit is a viewpoint one step away within the horizontal field of view: those are the places that `forward` can lead to.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from vnla.camera import HEADINGS, LEVEL_ROW, Relative, relative, view_angles
from vnla.common.errors import InputError
from vnla.houses.folder import WorldFolder
from vnla.houses.house import House, Object, Room
from vnla.houses.rooms import NO_LABEL, ROOM_NAMES
from vnla.houses.sightings import Sightings, by_boxes, sightings_of
from vnla.tasks.end_goals import plain, with_article

LEAST_SHARE = 0.002
"""Share of the picture that a thing has to fill to be in view: a square of 25 pixels in the simulator's 640 × 480."""
STOREY = 0.5
"""Metres of difference in height from which a way is one of stairs."""
DOORWAY = 0.8
"""Metres from the line between two viewpoints within which a door belongs to it."""
LOOKS = ("down", "level", "up")
AHEAD = 13.0
"""Degrees to either side of the middle of the view that are still ahead: a third of the field of view."""

_SIDES = ("To the left", "Ahead", "To the right")
_LOOKS = {"down": " You look down at the floor.", "level": "", "up": " You look up."}
_ARTICLES = {"stairs": "on the stairs", "porch": "on the porch", "balcony": "on the balcony", "outdoor area": "outdoors"}


@dataclass(frozen=True)
class Thing:
    """An object in view. Angles in degrees: `bearing` from the middle of the view, right positive; `elevation` from the
    horizon. Metres from the eye to its middle, which may lie outside of the picture."""

    name: str
    bearing: float
    elevation: float
    distance: float
    share: float | None = None
    """Of the picture; None where nobody drew it."""


@dataclass(frozen=True)
class Exit:
    """A place to go to in view."""

    room: str
    """Where it is; "" if that has no name."""
    kind: str
    """"on" in the same room, else "door", "opening", "stairs up" or "stairs down"."""
    bearing: float
    elevation: float
    distance: float


@dataclass(frozen=True)
class Symbols:
    """All that is in view, nearest first."""

    room: str
    looks: str
    """"down", "level" or "up"."""
    things: tuple[Thing, ...]
    ways: tuple[Exit, ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Symbols:
        """What `as_dict` gave."""
        things, ways = tuple(Thing(**each) for each in value["things"]), tuple(Exit(**each) for each in value["ways"])
        return cls(value["room"], value["looks"], things, ways)


class WorldSymbols:
    """What is in view in the houses of a world. Several threads may ask."""

    def __init__(self, folder: WorldFolder, *, drawn: bool = True) -> None:
        """Houses are looked at through their pictures where they can be `drawn`, which takes seconds for each, once."""
        self._folder, self._drawn = folder, drawn
        self._houses = {house.name: house for house in folder.houses}
        self._inside: dict[str, HouseSymbols] = {}
        self._lock = threading.Lock()

    @classmethod
    def of_houses(cls, houses: Sequence[House]) -> WorldSymbols:
        """By boxes, of houses that are in no folder."""
        return cls(WorldFolder(Path(), tuple(houses), {}, {}), drawn=False)

    def __call__(self, house: str, viewpoint: str, view: int) -> Symbols:
        """What is in one of the 36 views of a viewpoint."""
        return self.of(house)(viewpoint, view)

    def around(self, house: str, viewpoint: str, view: int) -> tuple[Symbols, ...]:
        """What is in the twelve level views of a viewpoint, from the heading of a view to the right."""
        inside = self.of(house)
        return tuple(inside(viewpoint, LEVEL_ROW * HEADINGS + (view + turn) % HEADINGS) for turn in range(HEADINGS))

    def of(self, name: str) -> HouseSymbols:
        """Those of one house."""
        with self._lock:
            if name not in self._inside:
                if name not in self._houses:
                    raise InputError(f"house {name}: not in this world of {len(self._houses)} houses")
                house = self._houses[name]
                seen = sightings_of(self._folder, house) if self._drawn else Sightings(by_boxes(house), drawn=False)
                self._inside[name] = HouseSymbols(house, seen)
            return self._inside[name]


@dataclass(frozen=True)
class HouseSymbols:
    """What is in view in one house."""

    house: House
    found: Sightings

    def __call__(self, viewpoint: str, view: int) -> Symbols:
        """What is in a view."""
        here = self.house.number[viewpoint]
        things = sorted(self._things(here, view), key=lambda thing: (thing.distance, thing.name))
        ways = sorted(self._ways(here, view), key=lambda way: way.distance)
        return Symbols(_name(self.house.room_of(here)), LOOKS[view // HEADINGS], tuple(things), tuple(ways))

    def _things(self, here: int, view: int) -> list[Thing]:
        shares = self._shares.get((here, view), {})
        if not shares:
            return []
        things = [self._objects[each] for each in shares]
        look = self._look(here, [thing.box.centre for thing in things], view)
        return [
            Thing(plain(thing.label), *_where(look, i), round(shares[thing.id], 4) if self.found.drawn else None)
            for i, thing in enumerate(things)
            if plain(thing.label)
        ]

    def _ways(self, here: int, view: int) -> list[Exit]:
        neighbours = self.house.neighbours[here]
        if not neighbours:
            return []
        look = self._look(here, [self.house.viewpoints[each].position for each in neighbours], view)
        return [
            Exit(_name(self.house.room_of(there)), self._kind(here, there), *_where(look, i))
            for i, there in enumerate(neighbours)
            if look.visible[i]
        ]

    def _kind(self, here: int, there: int) -> str:
        one, other = self.house.viewpoints[here], self.house.viewpoints[there]
        rise = other.position[2] - one.position[2]
        if abs(rise) > STOREY:
            return "stairs up" if rise > 0 else "stairs down"
        if one.room == other.room:
            return "on"
        return "door" if any(_between(door, one.position, other.position) for door in self._doors) else "opening"

    def _look(self, here: int, there: Sequence[Sequence[float]], view: int) -> Relative:
        """How points appear in a view; elevations from the horizon."""
        offset = np.array(there, np.float32) - np.array(self.house.viewpoints[here].position, np.float32)
        return relative(offset, view_angles()[0][view : view + 1], np.zeros(1))

    @cached_property
    def _objects(self) -> dict[int, Object]:
        return {thing.id: thing for thing in self.house.objects}

    @cached_property
    def _doors(self) -> list[Object]:
        return [thing for thing in self.house.objects if plain(thing.label).split()[-1:] == ["door"]]

    @cached_property
    def _shares(self) -> dict[tuple[int, int], dict[int, float]]:
        """Of each viewpoint and view the ids of the objects in it, with their share of the picture."""
        found: dict[tuple[int, int], dict[int, float]] = {}
        for viewpoint, view, thing, share, _ in self.found.seen.tolist():
            if share >= LEAST_SHARE or not self.found.drawn:
                found.setdefault((viewpoint, view), {})[thing] = share
        return found


def _where(look: Relative, i: int) -> tuple[float, float, float]:
    bearing, elevation = (round(math.degrees(float(angle[i])), 1) for angle in (look.heading, look.elevation))
    return bearing, elevation, round(float(look.distance[i]), 2)


def _name(room: Room | None) -> str:
    return "" if room is None or room.label == NO_LABEL else room.name


def _between(door: Object, one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether a door stands where one walks from one viewpoint to another."""
    start, along = np.array(one[:2]), np.array(other[:2]) - np.array(one[:2])
    part = np.clip((np.array(door.box.centre[:2]) - start) @ along / (along @ along), 0, 1)
    low = abs(door.box.centre[2] - (one[2] + other[2]) / 2) < 1.5
    return bool(low and math.dist(start + part * along, door.box.centre[:2]) <= DOORWAY)


def describe(sight: Symbols) -> str:
    """A few sentences on all that is in view, nearest first on each side."""
    sides = [f"{side} {_listed(sight, i)}." for i, side in enumerate(_SIDES)]
    return f"{_here(sight)}{_LOOKS[sight.looks]} {' '.join(sides)}"


def describe_around(sights: Sequence[Symbols]) -> str:
    """A sentence on each of the twelve level headings that has something, from the agent's own to the right.

    Every thing and way is told once, with the heading that it is nearest to.
    """
    ways, things = dict[tuple[object, ...], Exit](), dict[tuple[object, ...], Thing]()
    for turn, sight in enumerate(sights):
        for way in sight.ways:
            turned = _turned(way.bearing, turn)
            ways.setdefault((_sector(turned), way.room, way.kind, way.distance), replace(way, bearing=turned))
        for thing in sight.things:
            turned = _turned(thing.bearing, turn)
            things.setdefault((_sector(turned), thing.name, thing.distance), replace(thing, bearing=turned))
    found = []
    for sector, where in enumerate(_headings()):
        ahead = [way for way in ways.values() if _sector(way.bearing) == sector]
        beside = [thing for thing in things.values() if _sector(thing.bearing) == sector]
        told = [_way(way, sights[0].room) for way in sorted(ahead, key=_metres_away)]
        told += _things(sorted(beside, key=_metres_away))
        if told:
            found.append(f"{where} {'; '.join(told)}.")
    return " ".join([_here(sights[0]), *found])


def _metres_away(each: Thing | Exit) -> float:
    return each.distance


def _turned(bearing: float, turn: int) -> float:
    """Return a bearing from the first heading, for one from that `turn` headings to the right of it: 0 to 360 degrees."""
    return round((bearing + turn * 360 / HEADINGS) % 360, 1) % 360


def _sector(bearing: float) -> int:
    """Return the heading that a bearing is nearest to, counted to the right."""
    return round(bearing * HEADINGS / 360) % HEADINGS


def _headings() -> list[str]:
    turn, half = 360 // HEADINGS, HEADINGS // 2
    right = [f"{turn * each} degrees to the right" for each in range(1, half)]
    left = [f"{turn * each} degrees to the left" for each in reversed(range(1, half))]
    return ["Ahead", *right, "Behind you", *left]


def side_of(bearing: float) -> int:
    """0 left, 1 ahead, 2 right."""
    return 0 if bearing < -AHEAD else 2 if bearing > AHEAD else 1


def metres(distance: float) -> str:
    """A distance as it is said."""
    return f"{distance:.1f}".removesuffix(".0") + " m"


def _here(sight: Symbols) -> str:
    return f"You are {_ARTICLES.get(sight.room, f'in the {sight.room}')}." if sight.room else "You are in some room."


def _listed(sight: Symbols, side: int) -> str:
    ways = [_way(way, sight.room) for way in sight.ways if side_of(way.bearing) == side]
    things = _things(thing for thing in sight.things if side_of(thing.bearing) == side)
    return "; ".join([*ways, *things]) or "nothing"


def _way(way: Exit, here: str) -> str:
    to = ("another " if way.room == here else "the ") + way.room if way.room in ROOM_NAMES.values() else "some room"
    if way.kind == "on":
        what = "room to walk on"
    elif way.kind.startswith("stairs"):
        what = way.kind if way.room == "stairs" else f"{way.kind} to {to}"
    else:
        what = f"{with_article(way.kind)} to {to}"
    return f"{what}, {metres(way.distance)}"


def _things(things: Iterable[Thing]) -> list[str]:
    """Each name once, with the distance of the nearest."""
    found: dict[str, list[Thing]] = {}
    for thing in things:
        found.setdefault(thing.name, []).append(thing)
    more = {name: f", and {len(each) - 1} more" if len(each) > 1 else "" for name, each in found.items()}
    return [f"{with_article(name)}, {metres(each[0].distance)}{more[name]}" for name, each in found.items()]

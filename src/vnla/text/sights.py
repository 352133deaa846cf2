"""What is in view from a pose, as plain data: things and ways, where they lie and how far away they are.

    sights = Sights(read_world(Path("worlds/small")))
    sights("house000", "house000_v3", view)

Where a house can be drawn with the ids of its objects, a thing is in view when it fills enough of the picture, so walls and
furniture hide what is behind them. Elsewhere boxes decide, as in `vnla.vision.symbolic`: a thing is in view when its centre
is within the field of view and it is in the same room (within 5 m where a room is unknown), and nothing hides anything.

A way is a viewpoint one step away within the horizontal field of view: those are the places that `forward` can lead to.
"""

from __future__ import annotations

import io
import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vnla.common import files
from vnla.common.errors import InputError
from vnla.houses.folder import WorldFolder
from vnla.houses.house import House, Object, Room
from vnla.houses.images import SIGHTING, world_images
from vnla.houses.rooms import NO_LABEL
from vnla.tasks.tables import plain
from vnla.vision.store import world_checksum
from vnla.vision.symbolic import FARTHEST
from vnla.world.views import HEADINGS, VERTICAL_FIELD, Relative, relative, view_angles

LEAST_SHARE = 0.002
"""Share of the picture that a thing has to fill to be in view: a square of 25 pixels in the simulator's 640 × 480."""
STOREY = 0.5
"""Metres of difference in height from which a way is one of stairs."""
DOORWAY = 0.8
"""Metres from the line between two viewpoints within which a door belongs to it."""
LOOKS = ("down", "level", "up")


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
class Way:
    """A place to go to in view."""

    room: str
    """Where it is; "" if that has no name."""
    kind: str
    """"on" in the same room, else "door", "opening", "stairs up" or "stairs down"."""
    bearing: float
    elevation: float
    distance: float


@dataclass(frozen=True)
class Sight:
    """All that is in view, nearest first."""

    room: str
    looks: str
    """"down", "level" or "up"."""
    things: tuple[Thing, ...]
    ways: tuple[Way, ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Sight:
        """What `as_dict` gave."""
        things, ways = tuple(Thing(**each) for each in value["things"]), tuple(Way(**each) for each in value["ways"])
        return cls(value["room"], value["looks"], things, ways)


class Sights:
    """What is in view in the houses of a world. Several threads may ask."""

    def __init__(self, folder: WorldFolder, *, drawn: bool = True, keep: Path | None = None) -> None:
        """Houses are looked at through their pictures where they can be `drawn`, which takes seconds for each; what was
        found is kept in the folder `keep`, if one is given."""
        self._folder, self._drawn, self._keep = folder, drawn, keep
        self._houses = {house.name: house for house in folder.houses}
        self._inside: dict[str, HouseSights] = {}
        self._lock = threading.Lock()

    @classmethod
    def of_houses(cls, houses: Sequence[House]) -> Sights:
        """By boxes, of houses that are in no folder."""
        return cls(WorldFolder(Path(), tuple(houses), {}, {}), drawn=False)

    def __call__(self, house: str, viewpoint: str, view: int) -> Sight:
        """What is in one of the 36 views of a viewpoint."""
        return self.of(house)(viewpoint, view)

    def of(self, name: str) -> HouseSights:
        """Those of one house."""
        with self._lock:
            if name not in self._inside:
                if name not in self._houses:
                    raise InputError(f"house {name}: not in this world of {len(self._houses)} houses")
                house = self._houses[name]
                self._inside[name] = HouseSights(house, self._seen(house))
            return self._inside[name]

    def _seen(self, house: House) -> NDArray[np.void] | None:
        """What the renderer finds in every view; None where there is none."""
        if not self._drawn:
            return None
        images = world_images(self._folder, alone=True)
        if not images.source.knows_objects(house):
            return None
        path, checksum = self._keep and self._keep / f"{house.name}.npz", world_checksum(self._folder)
        kept = None if path is None else _read(path, checksum)
        if kept is None:
            every = images.sightings(house.name)
            kept = every[every["share"] >= LEAST_SHARE]
            if path is not None:
                _write(path, checksum, kept)
        return kept


@dataclass(frozen=True)
class HouseSights:
    """What is in view in one house; by boxes where `seen` is None."""

    house: House
    seen: NDArray[np.void] | None = None

    def __call__(self, viewpoint: str, view: int) -> Sight:
        """What is in a view."""
        here = self.house.number[viewpoint]
        things = sorted(self._things(here, view), key=lambda thing: (thing.distance, thing.name))
        ways = sorted(self._ways(here, view), key=lambda way: way.distance)
        return Sight(_name(self.house.room_of(here)), LOOKS[view // HEADINGS], tuple(things), tuple(ways))

    def _things(self, here: int, view: int) -> list[Thing]:
        shares = self._shares(here, view)
        if not shares:
            return []
        things = [self._objects[each] for each in shares]
        look = self._look(here, [thing.box.centre for thing in things], view)
        return [
            Thing(plain(thing.label), *_where(look, i), None if self.seen is None else round(shares[thing.id], 4))
            for i, thing in enumerate(things)
            if plain(thing.label)
        ]

    def _shares(self, here: int, view: int) -> dict[int, float]:
        """The ids of the objects in view, with their share of the picture."""
        if self.seen is not None:
            return self._drawn.get((here, view), {})
        things, stand = self.house.objects, self.house.viewpoints[here]
        if not things:
            return {}
        look = self._look(here, [thing.box.centre for thing in things], view)
        upright = float(view_angles()[1][view])
        within = look.visible & (np.abs(look.elevation - upright) <= VERTICAL_FIELD / 2)
        return {
            thing.id: 0.0
            for thing, seen, metres in zip(things, within.tolist(), look.distance.tolist(), strict=True)
            if seen and (metres <= FARTHEST if None in (stand.room, thing.room) else stand.room == thing.room)
        }

    def _ways(self, here: int, view: int) -> list[Way]:
        neighbours = self.house.neighbours[here]
        if not neighbours:
            return []
        look = self._look(here, [self.house.viewpoints[each].position for each in neighbours], view)
        return [
            Way(_name(self.house.room_of(there)), self._kind(here, there), *_where(look, i))
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
    def _drawn(self) -> dict[tuple[int, int], dict[int, float]]:
        found: dict[tuple[int, int], dict[int, float]] = {}
        for viewpoint, view, thing, share in [] if self.seen is None else self.seen.tolist():
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


def _read(path: Path, checksum: str) -> NDArray[np.void] | None:
    """What was kept of a house, if it was of this world."""
    try:
        files.check_zip(path, "what is in view of a house")
        with np.load(path, allow_pickle=False) as found:
            seen: NDArray[np.void] = found["seen"]
            return seen if str(found["world"]) == checksum and seen.dtype == SIGHTING else None
    except Exception:  # nothing, or damaged in any way: it is drawn again
        return None


def _write(path: Path, checksum: str, seen: NDArray[np.void]) -> None:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, world=np.array(checksum), seen=seen)
    files.write_bytes(path, buffer.getvalue())

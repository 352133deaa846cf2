"""The objects around each viewpoint as numbers: what they are, in which direction, how large, and the ways out of the room.

This is what the sensor `objects` shows (`vnla.agents.listener.objects`). A thing stands once around a viewpoint, at the
level heading in whose middle it is seen best, and each heading has the largest few. Labels are nouns of the grammar
(`vnla.language.things`), so that they can be compared with the words of advice. Kept in the world's folder under `sights`.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vnla.camera import HEADINGS, LEVEL_ROW
from vnla.common.arrays import NUMBERS, ArraySpec, mismatch
from vnla.common.errors import InputError
from vnla.houses.folder import WorldFolder
from vnla.houses.house import House
from vnla.houses.sightings import digest, keep_arrays, kept_arrays
from vnla.language.facts import kept_or_made
from vnla.language.surroundings import Surroundings
from vnla.language.things import HUES, NOTHING, ROOMS, THINGS, Noun, room_of
from vnla.world.compiled import World

THINGS_SHOWN, WAYS_SHOWN = 4, 6
"""The largest things of a heading, and the nearest ways out of the room."""
SLOTS = HEADINGS * THINGS_SHOWN + WAYS_SHOWN
COLUMNS = ("label", "hue", "room", "bearing", "share", "metres")
"""Of each place for an object: what it is, its colour, and the kind of room it stands in, of ways out the kind of room
behind them, as numbers of `NAMES`; degrees clockwise from north; its share of the view; how far away it is."""

_VERSION = 2


def _words(noun: Noun) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for name in noun.words for word in name.split()))


_WAYS = (("doorway", "opening"), ("door",))
NAMES: tuple[tuple[str, ...], ...] = ((), *map(_words, THINGS), *_WAYS, *map(_words, HUES), *map(_words, ROOMS))
"""For each number the words that name it; 0 is nothing."""
FIRST_WAY = 1 + len(THINGS)
LABELS = FIRST_WAY + len(_WAYS)
"""Labels are the numbers below; then come colours and kinds of rooms."""
_FIRST_ROOM = LABELS + len(HUES)


def world_objects(folder: WorldFolder, world: World) -> Tensor:
    """Return the objects around every viewpoint of a world: (viewpoints, SLOTS, COLUMNS), on the host."""
    houses = {house.name: house for house in folder.houses}
    missing = [name for name in world.houses if name not in houses]
    if missing:
        raise InputError(f"{folder.path}: has no house {missing[0]}, so nobody can tell what is in view there")
    wanted = [houses[name] for name in world.houses]
    found = kept_or_made(wanted, [_kept(folder, each) for each in wanted], partial(_made, folder), "vnla sights")
    return torch.from_numpy(np.concatenate(list(found)))


def _kept(folder: WorldFolder, house: House) -> NDArray[np.float32] | None:
    arrays = kept_arrays(folder, f"{house.name}.objects", digest(folder, house, _VERSION))
    shape = len(house.stands), SLOTS, len(COLUMNS)
    if arrays is None or set(arrays) != {"objects"} or mismatch(arrays, {"objects": ArraySpec(NUMBERS, shape)}):
        return None  # whatever is wrong with it, it can be made again
    objects = arrays["objects"].astype(np.float32)
    names = objects[:, :, : COLUMNS.index("bearing")]
    return objects if ((names >= 0) & (names < len(NAMES)) & (names == np.floor(names))).all() else None


def _made(folder: WorldFolder, house: House) -> NDArray[np.float32]:
    objects = objects_of(Surroundings.of(folder, house))
    keep_arrays(folder, f"{house.name}.objects", digest(folder, house, _VERSION), {"objects": objects})
    return objects


def objects_of(around: Surroundings) -> NDArray[np.float32]:
    """Return the objects around every viewpoint of a house: (viewpoints, SLOTS, COLUMNS)."""
    return np.concatenate([_things(around), _ways(around)], axis=1)


def _things(around: Surroundings) -> NDArray[np.float32]:
    """The largest things of each heading: (viewpoints, HEADINGS·THINGS_SHOWN, COLUMNS)."""
    level = slice(LEVEL_ROW * HEADINGS, (LEVEL_ROW + 1) * HEADINGS)
    share = np.where(around.visible & (around.noun != NOTHING), around.share, 0)[:, level]  # (viewpoints, 12, things)
    across = np.where(share > 0, around.across[:, level], np.inf)
    best = np.abs(across).argmin(axis=1)[:, None] == np.arange(HEADINGS)[:, None]
    share = np.where(best, share, 0)
    shown = np.argsort(-share, axis=2, kind="stable")[:, :, :THINGS_SHOWN]
    found = np.zeros((*share.shape[:2], THINGS_SHOWN, len(COLUMNS)), np.float32)
    size = np.take_along_axis(share, shown, axis=2)
    rooms = {room.id: room_of(room.label) for room in around.house.rooms}
    room = np.array([NOTHING if each.room is None else rooms.get(each.room, NOTHING) for each in around.house.objects], int)
    bearing = np.arange(HEADINGS)[:, None] * 30 + np.take_along_axis(across, shown, axis=2)
    columns = (
        around.noun[shown] + 1,
        _numbered(around.hue[shown], LABELS),
        _numbered(room[shown], _FIRST_ROOM),
        bearing,
        size,
        np.take_along_axis(np.broadcast_to(around.apart[:, None], share.shape), shown, axis=2),
    )
    for column, values in enumerate(columns):
        found[:, :, : shown.shape[2], column] = np.where(size > 0, values, 0)
    return found.reshape(len(found), HEADINGS * THINGS_SHOWN, len(COLUMNS))


def _numbered(kind: NDArray[np.integer], first: int) -> NDArray[np.int64]:
    """Colours or rooms as numbers of `NAMES`."""
    return np.where(kind == NOTHING, 0, kind.astype(np.int64) + first)


def _ways(around: Surroundings) -> NDArray[np.float32]:
    """The nearest ways out of the room of each viewpoint: (viewpoints, WAYS_SHOWN, COLUMNS)."""
    found = np.zeros((len(around.graph.ids), WAYS_SHOWN, len(COLUMNS)), np.float32)
    north = LEVEL_ROW * HEADINGS
    for here in range(len(found)):
        for place, way in enumerate(around.ways_from(here, north)[:WAYS_SHOWN]):
            behind = NOTHING if way.beyond is None else around.room_noun(way.beyond)
            room = 0 if behind == NOTHING else behind + _FIRST_ROOM
            found[here, place] = FIRST_WAY + way.door, 0, room, way.bearing, 0, way.distance
    return found

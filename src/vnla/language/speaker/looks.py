"""What the speaker sees: for every pose of a house a short list of things, ways out and the room, as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vnla.camera import HEADINGS, VIEWS
from vnla.language.grammar import Grammar
from vnla.language.surroundings import Bools, Surroundings, meant
from vnla.language.things import HUES, NOTHING, ROOMS, THINGS

MOST_THINGS, MOST_WAYS = 8, 3
"""Of a view, the largest and the nearest."""
SIZE = MOST_THINGS + MOST_WAYS + 1
"""Entries of a pose; the last one is the room."""

_OPENING = 1 + len(THINGS)
_ROOM = _OPENING + 2
KINDS = _ROOM + 1 + len(ROOMS)
"""Kinds of entries: none, things, ways without a door and with one, rooms without a name and with one."""
COLOURS = 1 + len(HUES)
_OF_THING, _OF_WAY = 8, 6
NUMBERS = _OF_THING + _OF_WAY + 2
"""Numbers of an entry, in columns of their own: of things where they are, how large, whether their names, without a colour
and with one, can mean nothing else, whether they are ahead, next to one, and in view for somebody who looks farther left or
right; of ways out where they are, how far, and whether they are the only ones in view, ahead, and on their side; of the room
how one looks about and how high it is."""


class Looks(NamedTuple):
    """Of all poses."""

    kind: Tensor  # (poses, SIZE), int64
    hue: Tensor  # (poses, SIZE)
    where: Tensor  # (poses, SIZE, NUMBERS), float32

    @classmethod
    def of(cls, houses: Iterable[Surroundings], device: torch.device | str = "cpu") -> Looks:
        """Of the poses of houses, one after the other."""
        every = [_looks(around) for around in houses]
        return cls(*(torch.from_numpy(np.concatenate(parts)).to(device) for parts in zip(*every, strict=True)))

    def rows(self, pose: Tensor) -> Looks:
        """Of some poses."""
        return Looks(*(each[pose] for each in self))


def called() -> Iterator[tuple[str, ...]]:
    """For each kind of entry, then for each colour, the words that it may be called by."""
    grammar = Grammar()
    classes = [grammar.classes[grammar[name]] for name in ("no door", "door")]
    yield ()
    yield from (_words(noun.words) for noun in THINGS)
    yield from (_words(map(" ".join, each.usual)) for each in classes)
    yield ()
    yield from (_words(noun.words) for noun in ROOMS)
    yield ()
    yield from (_words(noun.words) for noun in HUES)


def _words(phrases: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for phrase in phrases for word in phrase.split()))


def _looks(around: Surroundings) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    places = len(around.graph.ids)
    kind, hue = (np.zeros((places, VIEWS, SIZE), np.int64) for _ in range(2))
    where = np.zeros((places, VIEWS, SIZE, NUMBERS), np.float32)
    shares = np.where(around.visible & (around.noun != NOTHING), around.share, 0)
    order = np.argsort(-shares, axis=2, kind="stable")[:, :, :MOST_THINGS]
    share = np.take_along_axis(shares, order, axis=2)
    count = order.shape[2]
    seen = share > 0
    kind[:, :, :count] = np.where(seen, around.noun[order] + 1, 0)
    hue[:, :, :count] = np.where(seen, around.hue[order] + 1, 0)
    beside = around.near[:, None] & np.ones((1, VIEWS, 1), bool)
    told = (around.named, around.named_with_hue, around.ahead, beside, *(_turned_present(around, by) for by in (-1, 1)))
    bits = [np.take_along_axis(each, order, axis=2) for each in told]
    across = np.take_along_axis(around.across, order, axis=2) / 30
    where[:, :, :count, :_OF_THING] = np.stack([across, np.sqrt(share), *bits], axis=3) * seen[..., None]
    for here in range(places):
        for heading in range(HEADINGS):
            every = around.ways_from(here, heading)
            ways = [way for way in every if way.beyond is not None][:MOST_WAYS]
            only = [meant(every, side, 0) for side in (None, "ahead")]
            only.append([way for side in ("left", "right") for way in meant(every, side, 0)])
            for place, way in enumerate(ways, start=MOST_THINGS):
                angle = np.radians(way.bearing)
                kind[here, heading::HEADINGS, place] = _OPENING + way.door
                found = np.sin(angle), np.cos(angle), way.distance / 5, *(way in some for some in only)
                where[here, heading::HEADINGS, place, _OF_THING : _OF_THING + _OF_WAY] = found
    kind[:, :, -1] = (_ROOM + 1 + around.room_nouns)[:, None]
    where[:, :, -1, -2] = np.arange(VIEWS) // HEADINGS - 1
    where[:, :, -1, -1] = (around.floor - around.floor.min())[:, None] / 3
    return kind.reshape(-1, SIZE), hue.reshape(-1, SIZE), where.reshape(-1, SIZE, NUMBERS)


def _turned_present(around: Surroundings, by: int) -> Bools:
    """Whether anything is seen of each thing one turn farther round: (viewpoints, 36, things)."""
    rows = around.present.reshape(len(around.present), -1, HEADINGS, around.present.shape[2])
    turned: Bools = np.roll(rows, -by, axis=2).reshape(around.present.shape)
    return turned

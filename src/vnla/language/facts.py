"""Everything that can truly be said in a house, worked out before anybody walks, as arrays for `vnla.language.advisor`.

A fact is a frame that holds on the way from one viewpoint to another, or for a turn that ends at a pose, and in which views:
36 bits of a number. There are four such numbers a fact: the views in which it may be said at all, and those in which what it
speaks of is on the left, on the right and ahead. So whether something may be said is a bit of a row of a table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import partial
from itertools import groupby, islice
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from vnla.camera import HALF_FIELD, HEADINGS, VIEWS
from vnla.common.arrays import WHOLE, ArraySpec, mismatch
from vnla.common.process_pool import mapped
from vnla.common.progress import Count, unheard
from vnla.houses.folder import WorldFolder
from vnla.houses.house import House
from vnla.houses.sightings import digest, keep_arrays, kept_arrays, workers_for
from vnla.language.frames import FrameKind
from vnla.language.surroundings import AHEAD, SIDES, TURNED, Bools, Side, Surroundings, meant, on_side
from vnla.language.things import HUES, NOTHING, ROOMS, THINGS
from vnla.language.wayfinding import Wayfinding
from vnla.world.graph import Graph

MOST = 12
"""Facts of two viewpoints, the foremost."""
REMEMBERED = 8
"""Things that are remembered of a view, the largest."""
MOST_TURNS = 2
"""Things that a turn may end at, of each kind, the largest."""

_VERSION = 8
_PRIORITY = (
    FrameKind.CLIMB, FrameKind.DESCEND, FrameKind.RISE, FrameKind.SINK, FrameKind.CROSS, FrameKind.ENTER,
    FrameKind.THROUGH, FrameKind.LEAVE, FrameKind.REACH, FrameKind.PASS, FrameKind.TOWARD, FrameKind.RETURN,
)  # fmt: skip
_ALL_VIEWS = (1 << VIEWS) - 1
_LARGEST_FRAME = (1 << 62) - 1
_BITS = 1 << np.arange(VIEWS, dtype=np.int64)
_WALKS = 3  # steps of the longest walk past something
_FAR = 2.5  # metres to a thing that one walks towards
_MADE_UP = 6
_STRIKING = 0.25  # of the share of the largest thing in view, to be what a turn ends at
_LARGEST = 6  # things in view that one may walk towards

Ints = NDArray[np.int64]
Made = TypeVar("Made")


def pack(
    kind: int, noun: int = NOTHING, hue: int = NOTHING, ordinal: int = 0, room: int = NOTHING, thing: int = NOTHING
) -> int:
    """A frame as one number. A noun is of a thing, of a room, or of a way: 1 with a door, 0 without."""
    return kind | (noun + 1) << 5 | (hue + 1) << 13 | ordinal << 17 | (room + 1) << 19 | (thing + 1) << 25


@dataclass(frozen=True)
class Facts:
    """Of one house. Facts of the same two viewpoints, or of the same pose, follow each other."""

    here: Ints  # (facts,)
    there: Ints
    what: Ints  # as `pack` makes them
    any: Ints  # views as bits
    left: Ints
    right: Ints
    ahead: Ints
    pose: Ints  # (turns,), at which a turn ends
    turn: Ints  # as `pack` makes them
    from_left: Ints  # views as bits: from which turning left leads there
    from_right: Ints
    seen: Ints  # (poses, REMEMBERED), things in view, NOTHING where there are fewer


def world_facts(folder: WorldFolder, progress: Count = unheard, workers: int | None = None) -> Iterator[Facts]:
    """The facts of every house, in order; those that are not kept yet are made, and kept where that is allowed."""
    kept = [_kept(folder, house) for house in folder.houses]
    return kept_or_made(folder.houses, kept, partial(_made, folder), "vnla sights", progress, workers)


def kept_or_made(
    houses: Sequence[House],
    kept: Sequence[Made | None],
    make: Callable[[House], Made],
    name: str,
    progress: Count = unheard,
    workers: int | None = None,
) -> Iterator[Made]:
    """What is kept of each house, in order; what is not is made, by several processes of that name where it is much."""
    missing = [house for house, each in zip(houses, kept, strict=True) if each is None]
    progress(len(kept) - len(missing))
    count = min(workers or workers_for(missing), len(missing))
    made = map(make, missing) if count <= 1 else mapped(make, missing, count, name=name)
    for each in kept:
        if each is None:
            yield next(made)
            progress(1)
        else:
            yield each


def _names() -> tuple[str, ...]:
    return tuple(each.name for each in fields(Facts))


def _kept(folder: WorldFolder, house: House) -> Facts | None:
    arrays = kept_arrays(folder, f"{house.name}.facts", digest(folder, house, _VERSION))
    if arrays is None or set(arrays) != set(_names()) or mismatch(arrays, _specs(house)) is not None:
        return None  # whatever is wrong with it, it can be made again
    facts = Facts(**{name: array.astype(np.int64) for name, array in arrays.items()})
    return facts if _make_sense(facts, len(house.objects)) else None


def _specs(house: House) -> dict[str, ArraySpec]:
    """What the arrays of a house's facts have to be."""
    places = len(house.stands)
    facts = dict.fromkeys(("here", "there"), (0, places - 1)) | {"what": (0, _LARGEST_FRAME)}
    facts |= dict.fromkeys(("any", "left", "right", "ahead"), (0, _ALL_VIEWS))
    turns = {"pose": (0, places * VIEWS - 1), "turn": (0, _LARGEST_FRAME)}
    turns |= dict.fromkeys(("from_left", "from_right"), (0, _ALL_VIEWS))
    specs = {name: ArraySpec(WHOLE, ("facts",), *bounds) for name, bounds in facts.items()}
    specs |= {name: ArraySpec(WHOLE, ("turns",), *bounds) for name, bounds in turns.items()}
    return specs | {"seen": ArraySpec(WHOLE, (places * VIEWS, REMEMBERED), NOTHING, len(house.objects) - 1)}


def _make_sense(facts: Facts, things: int) -> bool:
    """Whether frames are of the kinds that they have to be and name what there is, and turns are sorted by their poses."""
    return (
        _frames_make_sense(facts.what, _PRIORITY, things)
        and _frames_make_sense(facts.turn, (FrameKind.FACE, FrameKind.SPOT), things)
        and bool((np.diff(facts.pose) >= 0).all())
    )


def _frames_make_sense(what: Ints, kinds: Sequence[FrameKind], things: int) -> bool:
    kind, noun, hue = what & 31, (what >> 5 & 255) - 1, (what >> 13 & 15) - 1
    room, thing = (what >> 19 & 63) - 1, (what >> 25) - 1
    nouns = np.full(32, len(THINGS))
    nouns[[FrameKind.ENTER, FrameKind.CROSS, FrameKind.THROUGH]] = len(ROOMS), len(ROOMS), 2
    known = np.isin(kind, kinds) & (noun < nouns[kind]) & (hue < len(HUES)) & (room < len(ROOMS)) & (thing < things)
    return bool(known.all())


def _made(folder: WorldFolder, house: House) -> Facts:
    facts = facts_of(Surroundings.of(folder, house))
    keep_arrays(folder, f"{house.name}.facts", digest(folder, house, _VERSION), vars(facts))
    return facts


def facts_of(around: Surroundings) -> Facts:
    """All facts of a house."""
    rows = list(_foremost(sorted(_dict_of(_ways_facts(around)), key=_order)))
    turns = sorted(_turn_facts(around))
    return _facts(rows, turns, _seen(around))


def _facts(rows: list[Row], turns: list[tuple[int, int, int, int]], seen: Ints) -> Facts:
    return Facts(**dict(zip(_names(), [*_columns(rows, 7), *_columns(turns, 4), seen], strict=True)))


Row = tuple[int, int, int, int, int, int, int]


def _dict_of(rows: Iterator[Row]) -> list[Row]:
    """Each once, and none that can never be said."""
    return list(dict.fromkeys(row for row in rows if any(row[3:])))


def _order(row: Row) -> tuple[int, int, int, int]:
    here, there, what, *_ = row
    return here, there, _PRIORITY.index(FrameKind(what & 31)), what


def _foremost(rows: Sequence[Row]) -> Iterator[Row]:
    """The first few of every two viewpoints."""
    for _, own in groupby(rows, key=lambda row: row[:2]):
        yield from islice(own, MOST)


def _ways_facts(around: Surroundings) -> Iterator[Row]:
    finding = Wayfinding(around)
    for here in range(len(around.graph.ids)):
        yield from _reaching(finding, here)
        yield from _remembering(around, here)
        yield from _changing_rooms(finding, here)
        yield from _leaving(finding, here)
        yield from _climbing(around, here)
        yield from _walking(around, here)


def _reaching(finding: Wayfinding, here: int) -> Iterator[Row]:
    """Things to go to."""
    around = finding.around
    for thing in np.flatnonzero(around.beside[here] >= 0).tolist():
        there = int(around.beside[here, thing])
        begins, turn = _begins(around, here, there) & finding.to_thing(here, there, thing), finding.turn(here, there)
        begins &= around.in_destination_room(here, there, thing)
        for hue, named in _names_of(around, here, thing):
            views = named & begins
            if views.any():
                what = pack(FrameKind.REACH, int(around.noun[thing]), hue, thing=thing)
                anywhere, *sides = _sided(views, around.across[here, :, thing])
                yield here, there, what, anywhere, *_turned(sides, turn)


def _remembering(around: Surroundings, here: int) -> Iterator[Row]:
    """Things to go back to; whether they were seen before will be seen."""
    for thing in np.flatnonzero(around.beside[here] >= 0).tolist():
        there = int(around.beside[here, thing])
        if around.is_only_one(thing):
            views = ~around.present[here, :, thing] & _begins(around, here, there)
            yield here, there, pack(FrameKind.RETURN, int(around.noun[thing]), thing=thing), _bits(views), 0, 0, 0


def _changing_rooms(finding: Wayfinding, here: int) -> Iterator[Row]:
    """Rooms to enter, and the one to leave: without a side where one sees which way that is."""
    around = finding.around
    own, out = around.room_noun(here), around.nearest_out(here)
    for room in range(len(ROOMS)):
        there = around.nearest_in(here, room)
        if there is not None:
            views = _views_of_way(finding, here, there)
            yield here, there, pack(FrameKind.ENTER, room), *views
            if there == out and own != NOTHING:
                yield here, there, pack(FrameKind.CROSS, room, room=own), *views
    if out is not None and own != NOTHING:
        yield here, out, pack(FrameKind.LEAVE, room=own), *_views_of_way(finding, here, out)


def _views_of_way(finding: Wayfinding, here: int, there: int) -> tuple[int, int, int, int]:
    """Views as bits in which somebody may be sent into the room of a viewpoint: without a side, and by the side where the
    way begins."""
    begins, angle = _begins(finding.around, here, there), finding.around.begins(here, np.arange(VIEWS), there)
    seen, told = finding.to_room(here, there)
    sides = [_bits(begins & told & on_side(angle, side)) for side in SIDES]
    return _bits(begins & seen), *_turned(sides, finding.turn(here, there))


def _turned(sides: Sequence[int], turn: Ints) -> tuple[int, int, int]:
    """Of views in which something is on the left, on the right and ahead, as bits, those in which one turns there: who is
    sent to what is on the left has to know whether to turn."""
    left, right, ahead = (bits & _bits(turn == to) for bits, to in zip(sides, (-1, 1, 0), strict=True))
    return left, right, ahead


def _leaving(finding: Wayfinding, here: int) -> Iterator[Row]:
    """Doors to go through, by side and number: bits gathered over the views."""
    around = finding.around
    found: dict[tuple[int, bool, int], dict[Side | None, int]] = {}
    choices: list[tuple[Side | None, int]] = [(None, 0), ("left", 0), ("right", 0), ("ahead", 0)]
    choices += [(side, nth) for nth in (1, 2, 3) for side in ("left", "right")]
    for heading in range(HEADINGS):
        ways = around.ways_from(here, heading)
        for side, ordinal in choices:
            for way in meant(ways, side, ordinal):
                assert way.beyond is not None
                if around.begins_ahead(here, heading, way.beyond):
                    bits = found.setdefault((way.beyond, way.door, ordinal), {})
                    bits[side] = bits.get(side, 0) | _every_row(heading)
    for (there, door, ordinal), bits in found.items():
        anywhere, *sides = (bits.get(side, 0) for side in (None, *SIDES))
        sides = sides if ordinal else list(_turned(sides, finding.turn(here, there)))
        yield here, there, pack(FrameKind.THROUGH, int(door), ordinal=ordinal), anywhere, sides[0], sides[1], sides[2]


def _climbing(around: Surroundings, here: int) -> Iterator[Row]:
    kinds = {
        (True, True): FrameKind.CLIMB,
        (False, True): FrameKind.DESCEND,
        (True, False): FrameKind.RISE,
        (False, False): FrameKind.SINK,
    }
    for (up, whole), kind in kinds.items():
        there = around.along_stairs(here, up, whole)
        if there is not None:
            views = np.abs(around.begins(here, np.arange(VIEWS), there)) <= math.degrees(HALF_FIELD)
            yield here, there, pack(kind), _bits(views), 0, 0, 0


def _walking(around: Surroundings, here: int) -> Iterator[Row]:
    """Things to walk past, and things to walk towards."""
    visible = around.visible[here].any(axis=0) & (around.noun != NOTHING)
    large = np.argsort(-around.share[here].max(axis=0), kind="stable")[:_LARGEST] if len(visible) else visible
    for there in np.flatnonzero((around.hops[here] > 0) & (around.hops[here] <= _WALKS)).tolist():
        path, begins = around.path(here, there), _begins(around, here, there)
        passed = visible & around.passed(path)
        for end in range(2, len(path)):
            passed &= ~around.passed(path[:end])
        for thing in np.flatnonzero(passed).tolist():
            side = around.side_passed(path, thing)
            for hue, named in _names_of(around, here, thing):
                anywhere, left, right, _ = _sided(named & begins, around.across[here, :, thing])
                what = pack(FrameKind.PASS, int(around.noun[thing]), hue, thing=thing)
                yield here, there, what, anywhere, left * (side == "left"), right * (side == "right"), 0
        for thing in large.tolist():
            towards = around.nears(here, there, thing) and around.in_destination_room(here, there, thing)
            if visible[thing] and around.apart[here, thing] >= _FAR and towards:
                for hue, named in _names_of(around, here, thing):
                    views = named & begins & around.ahead[here, :, thing]
                    what = pack(FrameKind.TOWARD, int(around.noun[thing]), hue, thing=thing)
                    yield here, there, what, _bits(views), 0, 0, 0


def _turn_facts(around: Surroundings) -> Iterator[tuple[int, int, int, int]]:
    """Things that turns end at."""
    spotted, faced = around.visible & (around.noun != NOTHING), around.ahead & (around.noun != NOTHING)
    for kind, good, seen in ((FrameKind.FACE, faced, around.ahead), (FrameKind.SPOT, spotted, around.present)):
        for here, view in np.argwhere(good.any(axis=2)).tolist():
            things = np.flatnonzero(good[here, view])
            shares = around.share[here, view, things]
            largest = things[np.argsort(-shares, kind="stable")][: 2 * MOST_TURNS]
            largest = largest[around.share[here, view, largest] >= _STRIKING * shares.max()]
            told = 0
            for thing in largest.tolist():
                named = [hue for hue, views in _names_of(around, here, thing) if views[view]]
                ways = {hue: _from_sides(around, view, seen[here], thing, hue) for hue in named}
                if not any(map(any, ways.values())) or told == MOST_TURNS:
                    continue
                told += 1
                for hue, (left, right) in ways.items():
                    yield here * VIEWS + view, pack(kind, int(around.noun[thing]), hue, thing=thing), left, right


def _from_sides(around: Surroundings, view: int, seen: Bools, thing: int, hue: int) -> tuple[int, int]:
    """The views from which turning left, and right, comes to a thing before any other that its words may mean."""
    meant: Bools = np.any(seen & around.taken_for(thing, coloured=hue != NOTHING), axis=1)
    return _before(around, view, meant, left=True), _before(around, view, meant, left=False)


def _before(around: Surroundings, view: int, seen: Bools, *, left: bool) -> int:
    """The views from which turning left, or right, first comes to what is seen at `view`."""
    bits = 0
    for earlier in around.turning(view, not left):
        if seen[earlier]:
            break
        bits |= int(_BITS[earlier])
    return bits


def _names_of(around: Surroundings, here: int, thing: int) -> Iterator[tuple[int, Bools]]:
    """How a thing may be called, with its colour or without, and in which views: where a person would pick it so."""
    salient = around.salient[here, :, thing]
    yield NOTHING, around.named[here, :, thing] & salient
    if around.hue[thing] != NOTHING:
        yield int(around.hue[thing]), around.named_with_hue[here, :, thing] & salient


def _begins(around: Surroundings, here: int, there: int) -> Bools:
    """The views in which the way to a viewpoint begins more or less where one looks."""
    begins: Bools = np.abs(around.begins(here, np.arange(VIEWS), there)) <= TURNED
    return begins


def _sided(views: Bools, across: NDArray[np.float32]) -> tuple[int, int, int, int]:
    """Views as bits: all, and those in which a thing is on the left, on the right and ahead."""
    sides = (across < -AHEAD, across > AHEAD, np.abs(across) <= AHEAD)
    left, right, ahead = (_bits(views & side) for side in sides)
    return _bits(views), left, right, ahead


def _bits(views: Bools) -> int:
    return int(_BITS[views].sum())


def _every_row(heading: int) -> int:
    return int(_BITS[heading::HEADINGS].sum())


def _columns(rows: list[Row] | list[tuple[int, int, int, int]], count: int) -> list[Ints]:
    return list(np.array(rows, np.int64).reshape(-1, count).T.copy())


def _seen(around: Surroundings) -> Ints:
    """The largest things that are in view at every pose, of those that a person would notice."""
    shares = np.where(around.salient & (around.noun != NOTHING), around.share, 0)
    shares = shares.reshape(len(around.graph.ids) * VIEWS, len(around.house.objects))
    found = np.full((len(shares), REMEMBERED), NOTHING, np.int64)
    order = np.argsort(-shares, axis=1, kind="stable")[:, :REMEMBERED]
    largest = np.take_along_axis(shares, order, axis=1)
    found[:, : order.shape[1]] = np.where(largest > 0, order, NOTHING)
    return found


def made_up(graph: Graph, seed: int = 0) -> Facts:
    """Facts of a house in which nothing stands, as many as of others, to measure how long talking takes."""
    random = np.random.default_rng([seed, len(graph.ids)])
    rows: list[Row] = []
    for here, there in zip(graph.source.tolist(), graph.target.tolist(), strict=True):
        for thing in range(_MADE_UP):
            views = random.integers(0, 1 << VIEWS, 4).tolist()
            what = pack(
                int(random.choice([FrameKind.REACH, FrameKind.PASS])), int(random.integers(len(THINGS))), thing=thing
            )
            rows.append((here, there, what, views[0], views[0] & views[1], views[0] & views[2], views[0] & views[3]))
    everywhere, poses = _ALL_VIEWS, len(graph.ids) * VIEWS
    turns = [(pose, pack(FrameKind.FACE, pose % len(THINGS), thing=1), everywhere, everywhere) for pose in range(poses)]
    seen = random.integers(0, _MADE_UP, (len(graph.ids) * VIEWS, REMEMBERED))
    return _facts(sorted(rows), turns, seen)


def runs(keys: Ints, count: int) -> tuple[Ints, Ints]:
    """For each number below `count` where its run begins in sorted keys, and how long it is."""
    length = np.bincount(keys, minlength=count).astype(np.int64)
    return np.cumsum(length) - length, length

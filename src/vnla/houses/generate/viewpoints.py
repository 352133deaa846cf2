"""Where a scanner would have stood, and between which of these places one can walk.

Viewpoints are spread over the floor of each room with a spacing that follows from how many are wanted, with one near many
doors and three on every flight of stairs. Two are joined where one can walk straight from one to the other, through doors
and between furniture; of the many such pairs so many are kept that the graph looks like those of the 90 scanned buildings
(`vnla.houses.statistics.REAL`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from vnla.houses.generate.free_space import CELL, RADIUS, FreeSpace, Obstacle, points_within
from vnla.houses.generate.plan import FloorPlan, Opening, PlannedRoom, StairFlight
from vnla.houses.generate.walks import (
    LONGEST,
    Pair,
    PlacedViewpoints,
    Stand,
    choose_edges,
    groups,
    in_reach,
    on_floor,
    seen,
    walkable,
)
from vnla.houses.house import Viewpoint

DOORS = 0.4
"""Share of doors with a viewpoint at them."""

CLOSEST = 0.75
"""Metres between two viewpoints, at least."""

ROOM = 0.3
"""Metres from a viewpoint to the nearest wall or furniture, where there is that much room."""

XY = tuple[float, float]


class ClosedRoomError(ValueError):
    """A room that nobody can walk to, for what stands in the way."""


def place_viewpoints(
    plan: FloorPlan, obstacles: Iterable[Obstacle], random: Generator, target: int
) -> tuple[tuple[Viewpoint, ...], tuple[Pair, ...]]:
    """About `target` viewpoints on the free floor of a building, and the edges between them, smaller number first."""
    spaces = {level.id: FreeSpace(plan, level.id) for level in plan.levels}
    for obstacle in obstacles:
        spaces[obstacle.level].block(obstacle.outline)
    spots = {room: each for level, space in spaces.items() for room, each in _spots(plan, space, level).items()}
    walk = PlacedViewpoints(plan, spaces, spots)
    for stairs in plan.stairs:
        _climb(walk, random, stairs)
    _spread(walk, random, target)
    edges = choose_edges(walk, random)
    return _finished(walk, random, edges), edges


def _climb(walk: PlacedViewpoints, random: Generator, stairs: StairFlight) -> None:
    """Viewpoints at the foot of a flight, on a step half-way up and at the head."""
    rooms = walk.plan.room_by_id
    lower, upper = rooms[stairs.lower_room], rooms[stairs.upper_room]
    rise = walk.plan.level_by_id[upper.level].floor - walk.plan.level_by_id[lower.level].floor
    foot, head = stairs.ends(0.45)
    steps = stairs.steps(rise)
    step = steps // 2 + int(random.integers(-1, 2))
    x, y = stairs.tread(step / steps, (step + 1) / steps).centre
    numbers = [
        _stand_near(walk, foot, lower),
        walk.add(Stand(x, y, lower, rise * (step + 1) / steps)),
        _stand_near(walk, head, upper),
    ]
    walk.flights += list(pairwise(numbers))


def _stand_near(walk: PlacedViewpoints, point: XY, room: PlannedRoom) -> int:
    """The viewpoint nearly at a point, or a new one there: a foot is the head of the flight below it, if that is close."""
    for number, stand in enumerate(walk.stands):
        if stand.room == room and stand.lift == 0.0 and math.dist((stand.x, stand.y), point) < 0.5:
            return number
    space = walk.spaces[room.level]
    spots = walk.spots[room.id]
    if len(spots) == 0:
        return walk.add(Stand(*space.snapped(*point), room))
    x, y = spots[np.argmin(np.linalg.norm(spots - point, axis=1))]
    return walk.add(Stand(float(x), float(y), room))


def _spread(walk: PlacedViewpoints, random: Generator, target: int) -> None:
    """Viewpoints in every room and at many doors, enough more to join them all, then the rest where it is emptiest."""
    for room in walk.plan.rooms:
        if not any(stand.room == room for stand in walk.stands):
            _stand_in(walk, random, room)
    for opening in walk.plan.openings:
        if opening.passable and len(walk.stands) < 0.6 * target and random.random() < DOORS:
            _stand_at_door(walk, random, opening)
    for level in walk.plan.levels:
        _join(walk, level.id)
        _thin(walk, level.id)
    _fill(walk, random, target)


def _stand_in(walk: PlacedViewpoints, random: Generator, room: PlannedRoom) -> None:
    """The first viewpoint of a room: where there is most space, more or less."""
    space = walk.spaces[room.level]
    spots = walk.spots[room.id]
    if len(spots) == 0:
        # Nobody can stand in so full a room; its middle is as good as anywhere.
        walk.add(Stand(*space.snapped(*room.area.centre), room))
        return
    some = spots[random.choice(len(spots), size=min(12, len(spots)), replace=False)]
    x, y = max(some, key=lambda spot: space.distance(spot[0], spot[1]))
    walk.add(Stand(float(x), float(y), room))


def _spots(plan: FloorPlan, space: FreeSpace, level: int) -> dict[int, NDArray[np.float64]]:
    """For each room of a level the places to stand, with some space around them where there are such."""
    roomy, tight = (space.spots(radius, reachable=True) for radius in (ROOM, RADIUS))
    found = {}
    for room in plan.rooms:
        if room.level == level:
            some = points_within(roomy, room.area)
            found[room.id] = some if len(some) else points_within(tight, room.area)
    return found


def _stand_at_door(walk: PlacedViewpoints, random: Generator, opening: Opening) -> None:
    """A viewpoint on the threshold of a door, or a step to one side of it."""
    off = float(random.uniform(-0.9, 0.9))
    x, y = (opening.x, opening.y + off) if opening.along == "x" else (opening.x + off, opening.y)
    x, y = walk.spaces[opening.level].snapped(x, y)
    rooms = [walk.plan.room_by_id[room] for room in opening.rooms if room is not None]
    room = next((each for each in rooms if each.area.contains(x, y, 0.1)), None)
    if room is None or not walk.spaces[opening.level].free(x, y):
        return
    if _nearest(walk, room.level, (x, y)) > CLOSEST:
        walk.add(Stand(x, y, room))


def _nearest(walk: PlacedViewpoints, level: int, point: XY) -> float:
    """Metres to the nearest viewpoint of a level."""
    stands = (stand for stand in walk.stands if stand.room.level == level and stand.lift == 0.0)
    return min((math.dist((stand.x, stand.y), point) for stand in stands), default=math.inf)


def _join(walk: PlacedViewpoints, level: int) -> None:
    """Add viewpoints on the way between groups that cannot walk to each other, until all of a level can."""
    for _ in range(len(walk.stands) + len(walk.plan.rooms)):
        here = on_floor(walk, level)
        pairs = walkable(walk, level, here)
        count, group = groups(len(walk.stands), pairs)
        sizes = np.bincount(group[here], minlength=count)
        small = min((each for each in range(count) if sizes[each]), key=lambda each: sizes[each])
        inside = [i for i in here if group[i] == small]
        if len(inside) == len(here):
            return
        _bridge(walk, level, inside, [i for i in here if group[i] != small])
    raise ClosedRoomError(f"level {level} of the plan has rooms that cannot be reached on foot")


def _thin(walk: PlacedViewpoints, level: int) -> None:
    """Take away viewpoints that stand too close to another, where neither the way nor a room depends on them."""
    fixed = {number for flight in walk.flights for number in flight}
    here = on_floor(walk, level)
    pairs = walkable(walk, level, here)
    place = np.array([(stand.x, stand.y) for stand in walk.stands])
    gone: set[int] = set()
    for number in reversed(here):
        others = [i for i in here if i != number and i not in gone]
        close = np.linalg.norm(place[others] - place[number], axis=1).min(initial=math.inf) < CLOSEST
        alone = not any(walk.stands[i].room == walk.stands[number].room for i in others)
        if number in fixed or alone or not close:
            continue
        left = pairs[(pairs != number).all(axis=1)]
        _, group = groups(len(walk.stands), left)
        if len(set(group[others])) == 1:
            pairs = left
            gone.add(number)
    walk.drop(gone)


def _bridge(walk: PlacedViewpoints, level: int, inside: Sequence[int], others: Sequence[int]) -> None:
    """Viewpoints at the bends of the shortest way from one group to the nearest other viewpoint."""
    space, stands = walk.spaces[level], walk.stands
    first = stands[inside[0]]
    start, goals = (first.x, first.y), np.array([(stands[i].x, stands[i].y) for i in others])
    # A way with space around it has fewer bends; where there is none, any way will do.
    ends = [(float(x), float(y)) for x, y in goals]
    way = space.path(start, ends, ROOM) or space.path(start, ends)
    if way is None:
        raise ClosedRoomError(f"level {level}: no way leads out of the {first.room.label!r} room {first.room.id}")
    cells = np.array(way)
    # From whoever of the group is farthest along the way, to whichever of the others is seen first.
    reach = in_reach(space, np.array([(stands[i].x, stands[i].y) for i in inside]), cells).any(axis=0)
    arrived = in_reach(space, goals, cells).any(axis=0)
    while not (reach & arrived).any():
        # The next cell along the way can always be reached, so this comes to an end.
        at = int(np.nonzero(reach)[0].max())
        walk.add(Stand(*way[at], _room_at(walk.plan, level, way[at])))
        reach = in_reach(space, cells[at : at + 1], cells)[0]
        reach[: at + 1] = False
    both = np.nonzero(reach & arrived)[0]
    at = int(both[len(both) // 2])
    if _nearest(walk, level, way[at]) > CELL / 2:
        walk.add(Stand(*way[at], _room_at(walk.plan, level, way[at])))


def _room_at(plan: FloorPlan, level: int, point: XY) -> PlannedRoom:
    rooms = (room for room in plan.rooms if room.level == level)
    return min(rooms, key=lambda room: max(0.0, *(_beyond(room, point))))


def _beyond(room: PlannedRoom, point: XY) -> tuple[float, float, float, float]:
    (x, y), area = point, room.area
    return area.west - x, x - area.east, area.south - y, y - area.north


def _fill(walk: PlacedViewpoints, random: Generator, target: int) -> None:
    """The rest, each in the room that has least for its size, away from the others but in reach of one of them."""
    indoors = walk.plan.rooms
    counts = {room.id: sum(stand.room == room for stand in walk.stands) for room in indoors}
    weight = {room.id: min(room.area.area, 40.0) ** 0.75 * float(random.uniform(0.7, 1.3)) for room in indoors}
    full: set[int] = set()
    while len(walk.stands) < target and len(full) < len(indoors):
        room = min(
            (each for each in indoors if each.id not in full), key=lambda each: (counts[each.id] + 0.5) / weight[each.id]
        )
        found = _emptiest(walk, random, room, walk.spots[room.id])
        if found is None:
            full.add(room.id)
            continue
        walk.add(Stand(*found, room))
        counts[room.id] += 1


def _emptiest(walk: PlacedViewpoints, random: Generator, room: PlannedRoom, spots: NDArray[np.float64]) -> XY | None:
    """Of some places in a room one that is far from all viewpoints, but can be walked to from one of them."""
    if len(spots) == 0:
        return None
    some = spots[random.choice(len(spots), size=min(16, len(spots)), replace=False)]
    here = [walk.stands[i] for i in on_floor(walk, room.level)]
    there = np.array([(stand.x, stand.y) for stand in here])
    apart = np.linalg.norm(some[:, None] - there, axis=-1)  # (places, viewpoints)
    score = apart.min(axis=1) * random.uniform(0.5, 1.5, len(some))
    for i in np.argsort(-score):
        if apart[i].min() < CLOSEST:
            continue
        near = there[apart[i] < LONGEST]
        if walk.spaces[room.level].lines_free(np.broadcast_to(some[i], near.shape), near).any():
            return float(some[i][0]), float(some[i][1])
    return None


def _finished(walk: PlacedViewpoints, random: Generator, edges: Sequence[Pair]) -> tuple[Viewpoint, ...]:
    """The viewpoints with their cameras at the height of a tripod, and what each can see."""
    visible: list[set[int]] = [set() for _ in walk.stands]
    for i, j in [*edges, *seen(walk)]:
        visible[i].add(j)
        visible[j].add(i)
    finished = []
    for i, stand in enumerate(walk.stands):
        height = round(float(random.uniform(1.45, 1.6)), 3)
        floor = walk.plan.level_by_id[stand.room.level].floor + stand.lift
        position = (round(stand.x, 3), round(stand.y, 3), round(floor + height, 3))
        name = random.bytes(16).hex()
        finished.append(Viewpoint(name, position, stand.room.id, height=height, visible=tuple(sorted(visible[i]))))
    return tuple(finished)

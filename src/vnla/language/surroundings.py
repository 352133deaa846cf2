"""A house as somebody finds their way in it: what is near, ahead, on which side, behind which door.

All that is said of a walk rests on what is decided here. Angles are degrees, to the right positive; distances are metres on
the floor, to the nearest point of a thing's box. Viewpoints are numbered as the graph of the house does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vnla.camera import HALF_FIELD, HEADINGS, VIEWS, Float64, Ints
from vnla.houses.folder import WorldFolder
from vnla.houses.house import House, OrientedBox
from vnla.language.salience import SEEN_WELL, Sighting, outline_share, salience
from vnla.language.sights import LEAST, OUTSIDE, Sights, sights_of
from vnla.language.things import MISTAKEN, NOTHING, hangs, room_of, thing_of
from vnla.world.actions import Nav
from vnla.world.compiled import ahead_of
from vnla.world.graph import Graph
from vnla.world.nav_teacher import action_toward

NEAR = 1.5
"""How near a place next to a thing is."""
LARGE = 0.02
"""Share of some view that a thing fills for somebody next to it."""
LARGER = 1.2
"""How many times as large a thing must look from next to it as from where one comes from."""
NEARER = 0.8
"""How much nearer one must come for it to be worth a word."""
CLOSE_BY = 2.0
"""How near a thing is that one passes."""
AHEAD = 12.0
"""A thing no farther from the middle of the view is ahead."""
DOOR_AHEAD = 15.0
BEHIND = 100.0
"""A door farther round than that is behind, and so is a thing that was passed."""
BEFORE = 80.0
"""A thing that will be passed is no farther round than that."""
TURNED = 75.0
"""A way that begins no farther round than that needs no words for turning to it."""
STEEP = 0.4
"""Metres that an edge must rise or fall to be on stairs."""
LONGEST_LEG = 5
"""Steps from one viewpoint to the next in what one frame speaks of."""

Side = Literal["left", "right", "ahead", "behind"]
SIDES: tuple[Side, ...] = ("left", "right", "ahead")
"""Those that an advisor says. People also say "behind you"."""
Bools = NDArray[np.bool_]

NOWHERE = -1
_NAV = tuple(Nav)


class Way(NamedTuple):
    """A way out of a room as seen from a viewpoint: whether it has a door, where it is, and the viewpoint behind it."""

    door: bool
    bearing: float
    distance: float
    beyond: int | None


@dataclass(frozen=True, eq=False)
class Surroundings:
    """One house and its sights."""

    house: House
    sights: Sights

    @classmethod
    def of(cls, folder: WorldFolder, house: House) -> Surroundings:
        """A house of a world, with what can be seen in it: kept, or looked at now, which takes a while."""
        return cls(house, sights_of(folder, house))

    @cached_property
    def graph(self) -> Graph:
        """Viewpoints, edges and shortest paths."""
        return Graph.of(self.house)

    @cached_property
    def floor(self) -> Float64:
        """Height of the floor at each viewpoint."""
        stands = (self.house.viewpoints[self.house.number[each]] for each in self.graph.ids)
        floor: Float64 = self.graph.position[:, 2] - np.array([stand.height for stand in stands])
        return floor

    @cached_property
    def room(self) -> Ints:
        """Id of the room that each viewpoint is in, or OUTSIDE."""
        stands = (self.house.viewpoints[self.house.number[each]] for each in self.graph.ids)
        return np.array([OUTSIDE if stand.room is None else stand.room for stand in stands], np.int64)

    @cached_property
    def room_nouns(self) -> Ints:
        """What each viewpoint's room is called, or NOTHING."""
        nouns = {room.id: room_of(room.label) for room in self.house.rooms}
        return np.array([nouns.get(each, NOTHING) for each in self.room.tolist()], np.int64)

    @cached_property
    def noun(self) -> Ints:
        """What each thing is called, or NOTHING."""
        named = (thing_of(each.label, each.category[1] if each.category else None) for each in self.house.objects)
        return np.array(list(named), np.int64)

    @property
    def hue(self) -> NDArray[np.int8]:
        """The colour of each thing, or NOTHING."""
        return self.sights.hue

    @cached_property
    def share(self) -> NDArray[np.float32]:
        """How much of each view each thing fills: (viewpoints, 36, things)."""
        return self._table("share")

    @cached_property
    def across(self) -> NDArray[np.float32]:
        """Where in the view it is: degrees."""
        return self._table("across")

    def _table(self, name: str) -> NDArray[np.float32]:
        seen = self.sights.seen
        number = {self.house.number[each]: i for i, each in enumerate(self.graph.ids)}
        place = {thing.id: i for i, thing in enumerate(self.house.objects)}
        here, thing = ([of[each] for each in seen[kind].tolist()] for of, kind in ((number, "viewpoint"), (place, "object")))
        table = np.zeros((len(number), VIEWS, len(place)), np.float32)
        table[here, seen["view"], thing] = seen[name]
        return table

    @cached_property
    def present(self) -> Bools:
        """Whether anything at all is seen of each thing: (viewpoints, 36, things)."""
        return self.share > 0

    @cached_property
    def visible(self) -> Bools:
        """Whether enough is seen of it to talk about."""
        return self.share >= LEAST

    @cached_property
    def ahead(self) -> Bools:
        """Whether it is in the middle of the view."""
        return self.visible & (np.abs(self.across) <= AHEAD)

    @cached_property
    def salient(self) -> Bools:
        """Whether a person would notice each thing in each view: (viewpoints, 36, things)."""
        salient: Bools = salience(Sighting(self.share, self.across, self.whole)) >= 1
        return salient

    @cached_property
    def whole(self) -> NDArray[np.float32]:
        """How much is seen of each thing where something is, of what is seen of it where it is seen well, at the same
        distance: less than 1 where something hides it, or it is cut off: (viewpoints, 36, things)."""
        offset = np.array([each.box.centre for each in self.house.objects]).reshape(-1, 3) - self.graph.position[:, None]
        boxes = [outline_share(each.box, offset[:, i]) for i, each in enumerate(self.house.objects)]
        filled = self.share / np.array(boxes).reshape(-1, len(offset)).T[:, None]
        seen = np.where(self.visible, filled, 0).T
        well = [np.quantile(each[each > 0], SEEN_WELL) if each.any() else 1.0 for each in seen]
        whole: NDArray[np.float32] = (filled / np.array(well)).astype(np.float32)
        return whole

    @cached_property
    def named(self) -> Bools:
        """Whether its noun alone can mean nothing else in view."""
        return self._told_apart(self._mistaken)

    @cached_property
    def named_with_hue(self) -> Bools:
        """Whether its noun and its colour can mean nothing else in view."""
        told: Bools = self._told_apart(self._mistaken_with_hue) & (self.hue != NOTHING)
        return told

    @cached_property
    def _mistaken(self) -> Bools:
        """Whether the word for a thing may be taken for another: (things, things)."""
        known = (self.noun[:, None] != NOTHING) & (self.noun != NOTHING)
        mistaken: Bools = known & MISTAKEN[self.noun[:, None], self.noun]
        return mistaken

    @cached_property
    def _mistaken_with_hue(self) -> Bools:
        """Whether the word for a thing and its colour may be taken for another: (things, things)."""
        alike = (self.hue[:, None] == self.hue) | (self.hue == NOTHING)
        mistaken: Bools = self._mistaken & alike
        return mistaken

    def taken_for(self, thing: int, *, coloured: bool) -> Bools:
        """What the words for a thing may mean, itself among them: (things,)."""
        meant: Bools = (self._mistaken_with_hue if coloured else self._mistaken)[thing]
        return meant

    def _told_apart(self, mistaken: Bools) -> Bools:
        others = self.present.astype(np.float32) @ mistaken.T.astype(np.float32)  # (viewpoints, 36, things)
        told: Bools = self.visible & (others == 1) & (self.noun != NOTHING)
        return told

    @cached_property
    def apart(self) -> Float64:
        """Metres on the floor from each viewpoint to each thing: (viewpoints, things)."""
        apart = np.zeros((len(self.graph.ids), len(self.house.objects)))
        for number, thing in enumerate(self.house.objects):
            apart[:, number] = _to_box(self.graph.position, thing.box)
        return apart

    @cached_property
    def same_storey(self) -> Bools:
        """Whether each thing is on the floor of each viewpoint: (viewpoints, things)."""
        height = np.array([each.box.centre[2] for each in self.house.objects]) - self.floor[:, None]
        return (height > -0.3) & (height < 2.6)

    @cached_property
    def standing(self) -> Bools:
        """Which things one walks up to, and past: (things,)."""
        return np.array([noun != NOTHING and not hangs(noun) for noun in self.noun.tolist()], bool)

    @cached_property
    def near(self) -> Bools:
        """Which viewpoints are next to which things, and see them: (viewpoints, things)."""
        return (self.apart <= NEAR) & self.same_storey & (self.largest >= LARGE) & self.standing

    @cached_property
    def largest(self) -> NDArray[np.float32]:
        """The largest share of a view that each thing fills from each viewpoint: (viewpoints, things)."""
        largest: NDArray[np.float32] = self.share.max(axis=1)
        return largest

    @cached_property
    def hops(self) -> Ints:
        """How many edges each shortest path has; many where there is none: (viewpoints, viewpoints)."""
        count = len(self.graph.ids)
        end = np.arange(count)
        here = np.broadcast_to(end[:, None], (count, count)).copy()
        hops = np.zeros((count, count), np.int64)
        while (going := (here != end) & (self.graph.hop[here, end] != here)).any():
            here = np.where(going, self.graph.hop[here, end], here)
            hops += going
        return np.where(here == end, hops, 1 << 30)

    @cached_property
    def within_reach(self) -> Float64:
        """Metres of every way that is short enough for one frame, infinite for others: (viewpoints, viewpoints)."""
        return np.where((self.hops > 0) & (self.hops <= LONGEST_LEG), self.graph.distance, np.inf)

    def path(self, here: int, there: int) -> list[int]:
        """The viewpoints of the shortest path, both ends included."""
        if (here, there) not in self._paths:
            path = [here]
            while path[-1] != there:
                path.append(int(self.graph.hop[path[-1], there]))
            self._paths[here, there] = path
        return self._paths[here, there]

    @cached_property
    def _paths(self) -> dict[tuple[int, int], list[int]]:
        return {}

    @cached_property
    def beside(self) -> Ints:
        """The nearest viewpoint next to each thing, from each viewpoint, or NOWHERE: (viewpoints, things)."""
        table = np.full(self.near.shape, NOWHERE, np.int64)
        for thing in np.flatnonzero(self.near.any(axis=0)).tolist():
            ways = np.where(self.near[:, thing], self.within_reach, np.inf)
            found = ways.argmin(axis=1)
            nearer = self.apart[:, thing] - self.apart[found, thing] >= NEARER
            larger = self.largest[found, thing] >= LARGER * self.largest[:, thing]
            good = np.isfinite(ways.min(axis=1)) & ~self.near[:, thing] & nearer & larger
            table[:, thing] = np.where(good, found, NOWHERE)
        return table

    def next_to(self, here: int, thing: int) -> int | None:
        """The nearest viewpoint next to a thing, for somebody who is not."""
        return _known(self.beside[here, thing])

    def nearest_in(self, here: int, room: int) -> int | None:
        """The nearest viewpoint in a room of a kind, for somebody who is in one of another."""
        if self.room_nouns[here] == room:
            return None
        return _nearest(np.where(self.room_nouns == room, self.within_reach[here], np.inf))

    def nearest_out(self, here: int) -> int | None:
        """The nearest viewpoint in another room."""
        other = (self.room != self.room[here]) & (self.room != OUTSIDE)
        return _nearest(np.where(other, self.within_reach[here], np.inf))

    def room_noun(self, here: int) -> int:
        """What a viewpoint's room is called, or NOTHING."""
        return int(self.room_nouns[here])

    @cached_property
    def bearings(self) -> Float64:
        """The compass direction of each viewpoint from each other, degrees: (viewpoints, viewpoints)."""
        return _compass(self.graph.position[None, :, :2] - self.graph.position[:, None, :2])

    def begins_ahead(self, here: int, view: int, there: int) -> bool:
        """Whether the way to a viewpoint begins more or less where one looks."""
        return bool(abs(self.begins(here, view, there)) <= TURNED)

    def begins(self, here: int, view: Any, there: int) -> Any:
        """Where the way to a viewpoint begins: degrees to the right of the middle of a view, or of several."""
        return turned(self.bearings[here, self.graph.hop[here, there]], view)

    @cached_property
    def _crossings(self) -> dict[tuple[int, int], int]:
        """Edge between two rooms → the way that it goes through."""
        ways, found = self.sights.ways, {}
        for i, j in zip(self.graph.source.tolist(), self.graph.target.tolist(), strict=True):
            joins = _same(ways, int(self.room[i]), int(self.room[j]))
            if self.room[i] == self.room[j] or not joins.any():
                continue
            place = np.stack([ways["x"], ways["y"]], axis=1)
            away = _to_segment(place, self.graph.position[i, :2], self.graph.position[j, :2])
            away = np.where(joins & (np.abs(ways["z"] - self.floor[i]) < 1.0), away, np.inf)
            if away.min() <= 1.2:
                found[i, j] = int(away.argmin())
        return found

    @cached_property
    def beyond(self) -> dict[tuple[int, int], int]:
        """(viewpoint, way out of its room) → the nearest viewpoint behind it."""
        found: dict[tuple[int, int], int] = {}
        for here in range(len(self.graph.ids)):
            for there in np.argsort(self.within_reach[here], kind="stable").tolist():
                if not np.isfinite(self.within_reach[here, there]):
                    break
                path = self.path(here, there)
                if (self.room[path[:-1]] == self.room[here]).all() and (path[-2], there) in self._crossings:
                    found.setdefault((here, self._crossings[path[-2], there]), there)
        return found

    def ways_from(self, here: int, view: int) -> list[Way]:
        """The ways out of the room as one sees them, the nearest first."""
        ways, room = self.sights.ways, int(self.room[here])
        own = np.flatnonzero(
            ((ways["one"] == room) | (ways["other"] == room)) & (np.abs(ways["z"] - self.floor[here]) < 1.0)
        )
        found = []
        for number in own.tolist():
            offset = np.array([ways["x"][number], ways["y"][number]]) - self.graph.position[here, :2]
            bearing = turned(float(_compass(offset)), view)
            distance = float(np.linalg.norm(offset))
            found.append(Way(bool(ways["door"][number]), bearing, distance, self.beyond.get((here, number))))
        return sorted(found, key=lambda way: way.distance)

    def ways_on(self, here: int, view: int, side: Side | None, ordinal: int) -> list[Way]:
        """The ways out that "the second on the left" can mean, one with a door and one without at most."""
        return meant(self.ways_from(here, view), side, ordinal)

    def along_stairs(self, here: int, up: bool, whole: bool) -> int | None:
        """The viewpoint at the end of the stairs that begin here; or, if there are more, the first on them."""
        if not whole:
            steps = [there for there in self._steps[up][here] if self._steps[up][there]]
            return min(steps, key=lambda there: float(self.graph.distance[here, there]), default=None)
        ends, reached = [], [here]
        for place in reached:
            onward = [there for there in self._steps[up][place] if there not in reached]
            reached += onward
            if place != here and not self._steps[up][place]:
                ends.append(place)
        good = [
            end for end in ends if np.isfinite(self.within_reach[here, end]) and set(self.path(here, end)) <= set(reached)
        ]
        return min(good, key=lambda there: float(self.graph.distance[here, there]), default=None)

    @cached_property
    def _steps(self) -> dict[bool, list[list[int]]]:
        """Whether up or down → for each viewpoint those that an edge leads up or down to."""
        found: dict[bool, list[list[int]]] = {True: [[] for _ in self.graph.ids], False: [[] for _ in self.graph.ids]}
        for i, j in zip(self.graph.source.tolist(), self.graph.target.tolist(), strict=True):
            rise = self.floor[j] - self.floor[i]
            if abs(rise) > STEEP:
                found[bool(rise > 0)][i].append(j)
        return found

    def passed(self, path: Sequence[int]) -> Bools:
        """The things that somebody on a path has gone past when it ends, and that were ahead when it began: (things,)."""
        place = self.graph.position[list(path), :2]
        before = np.abs(_angle(place[1] - place[0], self._centre - place[0]))
        after = np.abs(_angle(place[-1] - place[-2], self._centre - place[-1]))
        good: Bools = self.standing & self.same_storey[list(path)].all(axis=0) & (before <= BEFORE) & (after >= BEHIND)
        some = np.flatnonzero(good)
        points = self._outline[some].reshape(-1, 2)
        away = [_to_segment(points, place[i], place[i + 1]).reshape(-1, 9).min(axis=1) for i in range(len(place) - 1)]
        good[some] = np.min(away, axis=0) <= CLOSE_BY
        return good

    @cached_property
    def _centre(self) -> Float64:
        """(things, 2)."""
        return np.array([each.box.centre[:2] for each in self.house.objects]).reshape(-1, 2)

    def bearing_of(self, here: int, thing: int) -> float:
        """The compass direction of a thing from a viewpoint, degrees."""
        return float(_compass(self._centre[thing] - self.graph.position[here, :2]))

    @cached_property
    def _outline(self) -> Float64:
        """The middle and the corners of each thing on the floor: (things, 9, 2)."""
        corners = np.array([each.box.corners() for each in self.house.objects]).reshape(-1, 8, 3)[:, :, :2]
        return np.concatenate([self._centre[:, None], corners], axis=1)

    def side_passed(self, path: Sequence[int], thing: int) -> Side:
        """On which side of a path a thing is that one passes."""
        place = self.graph.position[list(path), :2]
        centre = self._centre[thing]
        nearest = min(range(len(place) - 1), key=lambda i: float(_to_segment(centre[None], place[i], place[i + 1])[0]))
        return "right" if _angle(place[nearest + 1] - place[nearest], centre - place[nearest]) > 0 else "left"

    def in_destination_room(self, here: int, there: int, thing: int) -> bool:
        """Return whether a thing is in the room that the path leads into; always true of paths that stay in one room."""
        rooms, own = self.room[self.path(here, there)], self.house.objects[thing].room
        return own is None or own == rooms[-1] or bool((rooms == rooms[0]).all())

    def side_of_thing(self, here: int, view: int, thing: int) -> Side | None:
        """Where in the view a thing is."""
        if not self.visible[here, view, thing]:
            return None
        across = float(self.across[here, view, thing])
        return "ahead" if abs(across) <= AHEAD else "left" if across < 0 else "right"

    def nears(self, here: int, there: int, thing: int) -> bool:
        """Whether one comes nearer to a thing."""
        return bool(self.apart[here, thing] - self.apart[there, thing] >= NEARER)

    def is_named(self, here: int, view: int, thing: int, *, coloured: bool) -> bool:
        """Whether its words can mean nothing else in view."""
        return bool((self.named_with_hue if coloured else self.named)[here, view, thing])

    def is_only_one(self, thing: int) -> bool:
        """Whether its noun can mean nothing else in the house."""
        return self.noun[thing] != NOTHING and int(self._mistaken[thing].sum()) == 1

    def turning(self, view: int, left: bool) -> Iterator[int]:
        """The views of a turn, one after the other, until it is almost complete."""
        row, heading = divmod(view, HEADINGS)
        for steps in range(1, HEADINGS):
            yield row * HEADINGS + (heading + (-steps if left else steps)) % HEADINGS

    def led(self, pose: int, there: int) -> int:
        """The pose of somebody whom the navigation teacher has led to a viewpoint."""
        return self.leading(pose, there)[1]

    def way(self, pose: int, there: int) -> tuple[Nav, ...]:
        """The navigation teacher's actions to a viewpoint."""
        return self.leading(pose, there)[0]

    def leading(self, pose: int, there: int) -> tuple[tuple[Nav, ...], int]:
        """The navigation teacher's actions to a viewpoint, and the pose of somebody whom they have led there."""
        (here, view), actions = divmod(pose, VIEWS), list[Nav]()
        for step in self.path(here, there)[1:]:
            toward = self.toward[self.edge[here, step]]
            while (action := _NAV[toward[view]]) is not Nav.FORWARD:
                actions.append(action)
                view = _looking(view, action)
            actions.append(action)
            here = step
        return tuple(actions), here * VIEWS + view

    def after(self, pose: int, action: Nav) -> int:
        """The pose after an action of somebody who has no goal."""
        here, view = divmod(pose, VIEWS)
        if action is Nav.FORWARD:
            there = int(self._ahead[here, view])
            return pose if there == NOWHERE else there * VIEWS + view
        return pose if action is Nav.STOP else here * VIEWS + _looking(view, action)

    @cached_property
    def _ahead(self) -> Ints:
        """The viewpoint that one comes to straight on, or NOWHERE: (viewpoints, 36)."""
        return ahead_of(self.graph, self.graph.looks())

    @cached_property
    def toward(self) -> NDArray[np.int8]:
        """The navigation teacher's action for each edge and view: (edges, 36)."""
        return action_toward(self.graph, self.graph.looks())

    @cached_property
    def edge(self) -> dict[tuple[int, int], int]:
        """The number of the edge from one viewpoint to another."""
        pairs = zip(self.graph.source.tolist(), self.graph.target.tolist(), strict=True)
        return {pair: number for number, pair in enumerate(pairs)}


def turned(bearing: Any, view: Any) -> Any:
    """A compass direction as seen in a view: degrees to the right of its middle, -180 to 180. Numbers or arrays."""
    return (bearing - 30.0 * (view % HEADINGS) + 180.0) % 360.0 - 180.0


def on_side(bearing: Any, side: Side | None) -> Any:
    """Whether a door at an angle is on a side; on none, whether it is in view. Numbers or arrays."""
    if side is None:
        return abs(bearing) <= math.degrees(HALF_FIELD)
    if side == "ahead":
        return abs(bearing) <= DOOR_AHEAD
    if side == "behind":
        return abs(bearing) > BEHIND
    away = bearing if side == "right" else -bearing
    return (away > DOOR_AHEAD) & (away <= BEHIND)


def meant(ways: Sequence[Way], side: Side | None, ordinal: int) -> list[Way]:
    """Of ways out those that "the second on the left" can mean; ordinal 0 is "the one on the left"."""
    found = []
    for door in (True, False):
        some = [way for way in ways if way.door == door and on_side(way.bearing, side)]
        if (ordinal == 0) != (len(some) == 1) or len(some) < ordinal:
            continue
        way = some[max(ordinal - 1, 0)]
        if way.beyond is not None:
            found.append(way)
    return found


def _same(ways: NDArray[np.void], one: int, other: int) -> Bools:
    joins: Bools = ((ways["one"] == one) & (ways["other"] == other)) | ((ways["one"] == other) & (ways["other"] == one))
    return joins


def _known(place: int) -> int | None:
    return None if place == NOWHERE else int(place)


def _nearest(ways: Float64) -> int | None:
    there = int(ways.argmin())
    return there if np.isfinite(ways[there]) else None


def _compass(offset: Float64) -> Float64:
    """Degrees from north, clockwise."""
    return np.degrees(np.arctan2(offset[..., 0], offset[..., 1]))


def _angle(one: Float64, other: Float64) -> Float64:
    """Degrees from one direction to others, to the right positive."""
    angle: Float64 = (_compass(other) - _compass(one) + 180.0) % 360.0 - 180.0
    return angle


def _to_box(points: Float64, box: OrientedBox) -> Float64:
    """Metres on the floor from points to a box."""
    offset = points[:, :2] - np.array(box.centre[:2])
    outside = np.zeros(len(points))
    for axis, radius in _flat_axes(box):
        outside += np.maximum(np.abs(offset @ axis) - radius, 0.0) ** 2
    return np.sqrt(outside)


def _flat_axes(box: OrientedBox) -> list[tuple[Float64, float]]:
    """The two directions of a box's outline on the floor, and how far it reaches in them: exact for an upright box."""
    corners = np.array(box.corners())[:, :2] - np.array(box.centre[:2])
    flat = [np.array(axis[:2]) for axis in (box.axis0, box.axis1)]
    first = max(flat, key=lambda axis: float(np.linalg.norm(axis)))
    length = float(np.linalg.norm(first))
    first = first / length if length > 0 else np.array([1.0, 0.0])
    second = np.array([-first[1], first[0]])
    return [(axis, float(np.abs(corners @ axis).max())) for axis in (first, second)]


def _to_segment(points: Float64, start: Float64, end: Float64) -> Float64:
    """Metres from points to a segment."""
    along = end - start
    share = np.clip((points - start) @ along / max(float(along @ along), 1e-9), 0.0, 1.0)
    away: Float64 = np.linalg.norm(points - (start + share[:, None] * along), axis=1)
    return away


def _looking(view: int, action: Nav) -> int:
    row, heading = divmod(view, HEADINGS)
    if action in (Nav.LEFT, Nav.RIGHT):
        return row * HEADINGS + (heading + (1 if action is Nav.RIGHT else -1)) % HEADINGS
    return min(max(row + (1 if action is Nav.UP else -1), 0), 2) * HEADINGS + heading

"""Where a frame may lead that is not so as frames mean it: places that somebody may mean, and what it costs to think so.

People name things of which there are two, doors that they have to turn to, sofas that one never comes within a metre and a
half of, and rooms by other names. `loose_leads` gives every pose that they may mean; `vnla.language.grounding` chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np

from vnla.camera import HEADINGS, VIEWS
from vnla.language import word_lists
from vnla.language.costs import COSTS
from vnla.language.frames import (
    Enter,
    Face,
    Frame,
    Have,
    Leave,
    LevelFrame,
    Overlook,
    Pass,
    Reach,
    Remember,
    Spot,
    Stairs,
    Step,
    Through,
    Walk,
)
from vnla.language.surroundings import Side, Surroundings, turned
from vnla.language.things import DOOR, MISTAKEN, NOTHING, ROOMS, THINGS
from vnla.world.actions import Nav

_NOT_BEHIND = 4.0  # for what is not behind somebody, if that is said
_IN_VIEW = 40.0  # degrees from the middle of the view
_FAR_OFF = 4  # steps to what may loosely be meant

KIN = tuple(tuple(map(" ".join, word_lists.phrases(line))) for line in word_lists.lines("alike.txt"))
"""Kinds of things that people call by each other's names."""
_KIN_THINGS = [{other for names in KIN if noun.name in names for other in names} for noun in THINGS]
_ROOM_KIN = ("flnvr", "eh", "at", "ju", "oim", "kd", "rw", "xpy", "bc")
"""Letters of rooms that people call by each other's names."""
KIN_ROOMS = {
    room: {other for other, each in enumerate(ROOMS) if any(noun.name in kin and each.name in kin for kin in _ROOM_KIN)}
    for room, noun in enumerate(ROOMS)
}


Made = TypeVar("Made")


def onward() -> list[tuple[int, float]]:
    """How many steps "go on" may be, and what it costs to think so."""
    return [(steps, COSTS.onward * (steps - 1)) for steps in range(1, 5)]


class Lead(NamedTuple):
    """One place that a frame may lead to."""

    plan: tuple[Nav, ...]
    end: int
    cost: float
    exact: bool = False
    """Whether that is what a frame means."""


def mistaken(said: int, noun: int) -> float | None:
    """What it costs to think that who says one noun means another; None if nobody would."""
    if said == noun or MISTAKEN[said, noun]:
        return 0.0 if said == noun else 0.3
    return 0.6 if THINGS[noun].name in _KIN_THINGS[said] else None


@dataclass
class GroundingContext:
    """Where one is heard."""

    around: Surroundings
    step: Step
    seen: Sequence[int] = field(default_factory=tuple)
    loosely: bool = True
    count: int | None = None
    guided: bool = False
    beginnings: set[tuple[Nav, ...]] = field(default_factory=set)
    made: dict[tuple[Any, ...], Any] = field(default_factory=dict)

    def once(self, make: Callable[..., Made], *key: Any) -> Made:
        """What a function makes of some arguments here, which it is asked for once."""
        if (make, *key) not in self.made:
            self.made[(make, *key)] = make(*key, self)
        found: Made = self.made[(make, *key)]
        return found

    def way(self, pose: int, there: int, cost: float) -> Lead:
        """How the navigation teacher leads somewhere; it costs what nobody has said as well."""
        if (pose, there) not in self.made:
            self.made[pose, there] = self.around.leading(pose, there)
        plan, end = self.made[pose, there]
        return Lead(plan, end, cost + COSTS.unsaid_turn * sum(action in (Nav.LEFT, Nav.RIGHT) for action in plan))

    def begin(self, pose: int) -> None:
        """Find out how shortest ways begin from a pose, as far as each step goes where it should."""
        for there in np.flatnonzero(np.isfinite(self.around.graph.distance[pose // VIEWS])).tolist():
            way, now = self.around.way(pose, there)[: self.count], pose
            for done, action in enumerate(way, start=1):
                onward = int(self.around.graph.hop[now // VIEWS, there]) if action is Nav.FORWARD else now // VIEWS
                now = self.step(now, action)
                if now // VIEWS != onward and not self.guided:
                    break
                self.beginnings.add(way[:done])

    def is_led(self, plan: tuple[Nav, ...]) -> bool:
        """Whether a plan, but for a stop, is the beginning of a shortest way to anywhere."""
        moves = plan[:-1] if plan[-1:] == (Nav.STOP,) else plan
        return not self.loosely or not moves or moves in self.beginnings


def loose_leads(frame: Frame, pose: int, place: GroundingContext) -> Iterator[Lead]:
    """The poses that somebody may mean who says what is not quite so, and what it costs to think so."""
    around, (here, view) = place.around, divmod(pose, VIEWS)
    match frame:
        case LevelFrame():
            plan = ((Nav.UP,), (), (Nav.DOWN,))[view // HEADINGS]
            yield Lead(plan, here * VIEWS + HEADINGS + view % HEADINGS, 0.0)
        case Have(None, room) if room == NOTHING:
            yield Lead((), pose, 0.0)  # one is there already
        case Have(side=side):
            bearings = _bearings(frame, around, here, view)
            away = min(map(abs, bearings), default=180.0)
            if side in ("left", "right", "behind"):
                missed = 0.3 if any(_is_on(each, side) for each in bearings) else 2.0
            else:
                missed = min(away / 40 if side == "ahead" else max(away - 25, 0) / 20, 2.0)
            yield Lead((), pose, missed)
        case Face(side) | Spot(side) | Overlook(side):
            for times, there in enumerate(around.turning(view, side == "left"), start=1):
                away = min(map(abs, _bearings(frame, around, here, there)), default=180.0)
                if times <= 6 and away <= _IN_VIEW:
                    yield Lead(turns(side, times), here * VIEWS + there, COSTS.loose + max(away - 12, 0) / 40)
        case Enter(room) if around.room_nouns[here] == room:
            for steps, cost in onward():  # farther in
                end = pose
                for _ in range(steps):
                    end = place.step(end, Nav.FORWARD)
                yield Lead((Nav.FORWARD,) * steps, end, 2 * COSTS.loose + cost)
    yield from (place.way(pose, there, COSTS.loose + cost) for there, cost in _goals(frame, around, here, view))


def _goals(frame: Frame, around: Surroundings, here: int, view: int) -> Iterator[tuple[int, float]]:
    """The viewpoints that somebody may mean to whom such a frame leads, and what it costs to think so."""
    match frame:
        case Walk(steps, toward):
            for there in _near(around, here, steps):
                if around.hops[here, there] != steps:
                    continue
                if toward is None and around.begins_ahead(here, view, there):
                    yield there, 0.4
                elif toward is not None and around.nears(here, there, toward.thing):
                    yield there, 0.05 * float(around.apart[there, toward.thing])
        case Reach(landmark, side):
            bearing = float(turned(around.bearing_of(here, landmark.thing), view))
            beyond = 0.0 if side is None or _is_on(bearing, side) else 0.6
            yield from ((there, cost + beyond) for there, cost in _toward(landmark.thing, around, here))
        case Remember(landmark):
            yield from _toward(landmark.thing, around, here)
        case Pass(landmark):
            yield from _past(landmark.thing, around, here, view)
        case Enter() | Leave():
            yield from _rooms(frame, around, here, view)
        case Through(door, ordinal, side):
            yield from _doors(door, ordinal, side, around, here, view)
        case Stairs(up, whole):
            landing = around.along_stairs(here, up, whole)
            if landing is not None and landing != here:
                yield landing, 0.0


def turns(side: Side, times: int) -> tuple[Nav, ...]:
    """So many turns to a side."""
    return (Nav.LEFT if side == "left" else Nav.RIGHT,) * times


def _near(around: Surroundings, here: int, hops: int = _FAR_OFF) -> list[int]:
    """Viewpoints that are not many steps away."""
    return [int(there) for there in np.flatnonzero((around.hops[here] > 0) & (around.hops[here] <= hops))]


def _is_on(bearing: float, side: Side) -> bool:
    """Whether something at an angle is on a side, in a wide sense."""
    if side in ("ahead", "behind"):
        return abs(bearing) <= 35 if side == "ahead" else abs(bearing) >= 100
    return 0 < (bearing if side == "right" else -bearing) <= 150


def _bearings(frame: Face | Spot | Overlook | Have, around: Surroundings, here: int, view: int) -> list[float]:
    """Where the thing is from here of which a frame speaks, or the ways into its rooms."""
    landmark = None if isinstance(frame, Overlook) else frame.landmark
    if landmark is not None:
        seen = around.largest[here, landmark.thing] > 0
        return [float(turned(around.bearing_of(here, landmark.thing), view))] if seen else []
    room = NOTHING if isinstance(frame, Face | Spot) else frame.room
    alike = {room, *KIN_ROOMS.get(room, ())}
    return [
        way.bearing
        for way in around.ways_from(here, view)
        if way.beyond is not None and (room == NOTHING or int(around.room_nouns[way.beyond]) in alike)
    ]


def _toward(thing: int, around: Surroundings, here: int) -> Iterator[tuple[int, float]]:
    """Places nearer to a thing, the nearest first; whoever goes to something may not quite reach it."""
    near = [there for there in _near(around, here) if around.same_storey[there, thing]]
    now = float(around.apart[here, thing])
    least = min((float(around.apart[there, thing]) for there in near), default=now)
    for there in near:
        apart = float(around.apart[there, thing])
        if now - apart > 0.3:
            short = (apart - least) / max(now - least, 0.5)
            unseen = 0.0 if around.largest[there, thing] > 0 else 0.5
            unseen -= 0.25 * (around.noun[thing] == DOOR)  # of which there is no strict sense
            yield there, short + unseen + 0.05 * max(apart - 1.5, 0.0)


def _past(thing: int, around: Surroundings, here: int, view: int) -> Iterator[tuple[int, float]]:
    """Places on the way to which a thing is passed, more or less."""
    for there in _near(around, here, 3):
        path = around.path(here, there)
        if not around.begins_ahead(here, view, there):
            continue
        if around.passed(path)[thing]:
            yield there, 0.0
        elif min(float(around.apart[each, thing]) for each in path) <= 1.5:
            gone = abs(float(turned(around.bearing_of(there, thing), 0)) - float(around.bearings[path[-2], there]))
            if min(gone % 360, 360 - gone % 360) > 50:
                yield there, 0.3


def _rooms(frame: Enter | Leave, around: Surroundings, here: int, view: int) -> Iterator[tuple[int, float]]:
    """The first places in other rooms, cheap where they are of the kind that is said."""
    wanted, holding = (frame.room, frame.holding) if isinstance(frame, Enter) else (frame.into, NOTHING)
    for there in _near(around, here):
        path = around.path(here, there)
        deeper = [each for each in path[:-1] if around.room[each] == around.room[there]]
        through = {int(around.room[each]) for each in path[1:-1]} - {int(around.room[here]), int(around.room[there])}
        if around.room[there] == around.room[here] or len(deeper) > 1:
            continue
        noun, cost = int(around.room_nouns[there]), 0.4 * len(deeper) + 0.2 * len(through)
        if wanted >= 0 and noun != wanted:
            cost += 0.4 if noun in KIN_ROOMS[wanted] else 1.5
        if holding != NOTHING:
            own = around.noun[[thing.room == around.room[there] for thing in around.house.objects]].tolist()
            cost += 0.0 if any(each != NOTHING and mistaken(holding, each) is not None for each in own) else 1.0
        if frame.side is not None and not _is_on(around.begins(here, view, there), frame.side):
            cost += _NOT_BEHIND if frame.side == "behind" else COSTS.elsewhere
        yield there, cost


def _doors(
    door: bool, ordinal: int, side: Side | None, around: Surroundings, here: int, view: int
) -> Iterator[tuple[int, float]]:
    """What is behind the ways out of a room, cheap where they are as is said."""
    rank = 0
    for way in around.ways_from(here, view):
        if way.beyond is None:
            continue
        cost, sided = 0.0 if way.door == door else 0.2, side is None or _is_on(way.bearing, side)
        if not sided:
            cost += _NOT_BEHIND if side == "behind" else 0.8
        rank += way.door == door and sided
        if ordinal and rank != ordinal:
            cost += 0.6
        cost += 0.003 * abs(180 * (side == "behind") - abs(way.bearing)) + 0.05 * way.distance
        yield way.beyond, cost
        path = around.path(here, way.beyond)
        if len(path) > 2 and not ordinal:
            yield path[-2], cost + 0.6

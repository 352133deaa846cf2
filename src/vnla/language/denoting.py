"""Where what somebody said leads in a house: which thing they mean, and the actions that take one there.

Clauses are taken in the sense that frames have where that is true at the pose. People are less strict: they name things of
which there are two, doors that they have to turn to, sofas that one never comes within a metre and a half of. So a frame
may also be taken loosely, at a cost, and of all ways to take the clauses of a sentence the one that costs least is meant.
A clause that leads nowhere however it is taken is not understood here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from vnla.language.frames import (
    Enter,
    Face,
    Frame,
    Landmark,
    Leave,
    Look,
    Pass,
    Reach,
    Remember,
    Spot,
    Stairs,
    Step,
    Stop,
    Through,
    Turn,
    Walk,
    check,
    follow,
)
from vnla.language.parser import FAR, UNSAID, Clause, Parsed, Part
from vnla.language.surroundings import Side, Surroundings, on_side
from vnla.language.things import MISTAKEN, NOTHING, THINGS
from vnla.world.actions import Nav
from vnla.world.views import HEADINGS, VIEWS

LONGEST_PLAN = 40
"""Actions of the longest plan that anybody is led."""
_BEAM = 12  # ways to take the clauses so far that are kept
_LOOSE, _BLOCKED, _LOST = 1.0, 3.0, 8.0
_TURNING = 0.15  # for each turn to a thing: the first that comes into view is meant
_ASTRAY = 0.2  # for each turn of a plan that the next one takes back
_OTHERWISE = 0.25  # for each way in which a clause is not taken as it is most likely meant
_VAGUELY = {3: 0.0, 2: 0.3, 4: 0.4, 1: 0.5, 5: 0.6}  # how far "turn left" may be, and what that costs

_KIN = (
    ("chair", "armchair", "stool", "bar stool", "booth seat"),
    ("sofa", "armchair", "bench", "booth seat"),
    ("table", "dining table", "coffee table", "desk", "side table", "console table", "bedside table", "vanity table"),
    ("cabinet", "kitchen cabinet", "wall cabinet", "sideboard", "dresser", "wardrobe", "china cabinet", "bookshelf"),
    ("table lamp", "floor lamp", "wall lamp", "chandelier"),
    ("shelf", "bookshelf", "shoe rack"),
    ("bed", "bunk bed", "crib"),
    ("planter", "flowers", "bush", "tree"),
    ("picture", "mirror", "map", "notice board"),
    ("stove", "oven", "kitchen cabinet"),
    ("tv", "computer monitor", "tv stand"),
    ("clock", "grandfather clock"),
    ("kitchen island", "kitchen cabinet", "bar counter"),
    ("washing machine", "dishwasher"),
)  # fmt: skip
"""Kinds of things that people call by each other's names."""
_NUMBER = {noun.name: number for number, noun in enumerate(THINGS)}


class _Taken(NamedTuple):
    """The clauses so far, taken in one way."""

    cost: float
    pose: int
    frames: tuple[Frame | None, ...]  # None for a clause that leads nowhere
    plan: tuple[Nav, ...]
    thing: int  # that was named last


@dataclass(frozen=True)
class Denoted:
    """What a text means at a pose: the frames, the plan that they give back, and where it ends."""

    frames: tuple[Frame, ...]
    plan: tuple[Nav, ...]
    pose: int
    parts: tuple[Part, ...]
    why: str | None = None
    """Why not all of it was understood."""
    true: bool = False
    """Whether all of it was understood, and is so as frames mean it: nothing had to be taken loosely."""


@dataclass
class _Place:
    """Where one is heard."""

    around: Surroundings
    step: Step
    seen: Sequence[int] = field(default_factory=tuple)


def denote(parsed: Parsed, around: Surroundings, pose: int, step: Step, seen: Sequence[int] = ()) -> Denoted:
    """What a text means to somebody at a pose who has been at the poses `seen` before."""
    place = _Place(around, step, seen)
    ways = [_Taken(0.0, pose, (), (), NOTHING)]
    for clause in parsed.clauses:
        onward = [after for way in ways for after in _onward(way, clause, place)]
        ways = _best(onward)
    meant = ways[0]
    good = {(each.start, each.end): frame is not None for each, frame in zip(parsed.clauses, meant.frames, strict=True)}
    parts = tuple((start, end, each and good.get((start, end), True)) for start, end, each in parsed.parts)
    frames = tuple(frame for frame in meant.frames if frame is not None)
    why = parsed.why
    if not frames and parsed.clauses:
        why = "it speaks of what is not here, or cannot be reached"
    elif why is None and not all(good.values()):
        why = "some of it speaks of what is not here, or cannot be reached"
    return Denoted(
        frames, meant.plan, meant.pose, parts, why, why is None and meant.cost < _LOOSE and _holds(meant, pose, place)
    )


def _holds(meant: _Taken, pose: int, place: _Place) -> bool:
    """Whether every frame of a sentence is true where it is said."""
    for frame in meant.frames:
        if frame is None or not check(frame, place.around, pose, place.seen):
            return False
        end = follow(frame, place.around, pose, place.step)
        if end is None:
            return False
        pose = end
    return pose == meant.pose


def _best(ways: Sequence[_Taken]) -> list[_Taken]:
    """The cheapest few, one for each place that they lead to."""
    kept: dict[tuple[int, int], _Taken] = {}
    for way in sorted(ways, key=lambda each: (each.cost, len(each.plan))):
        kept.setdefault((way.pose, way.thing), way)
    return list(kept.values())[:_BEAM]


def _onward(way: _Taken, clause: Clause, place: _Place) -> Iterator[_Taken]:
    """All ways to take a clause after others."""
    if Nav.STOP in way.plan[-1:]:
        yield way._replace(frames=(*way.frames, None))
        return
    for number, frame in enumerate(clause.frames):
        for meant, cost in _meanings(frame, clause, way, place):
            plan, end = _led(meant, way.pose, place)
            if end is None or len(way.plan) + len(plan) > LONGEST_PLAN:
                continue
            total = cost + number * _OTHERWISE + _ASTRAY * _taken_back(way.plan, plan)
            if end == way.pose and not isinstance(meant, Stop):
                total += _BLOCKED
            if isinstance(meant, Face | Spot):
                total += _TURNING * len(plan)
            thing = _thing(meant)
            yield _Taken(
                way.cost + total,
                end,
                (*way.frames, meant),
                way.plan + plan,
                way.thing if thing == NOTHING else thing,
            )
    yield way._replace(cost=way.cost + _LOST, frames=(*way.frames, None))


def _taken_back(before: Sequence[Nav], after: Sequence[Nav]) -> int:
    """How many turns at the end of a plan the next one takes back."""
    opposite = {Nav.LEFT: Nav.RIGHT, Nav.RIGHT: Nav.LEFT, Nav.UP: Nav.DOWN, Nav.DOWN: Nav.UP}
    count = 0
    while count < min(len(before), len(after)) and opposite.get(before[-1 - count]) == after[count]:
        count += 1
    return count


def _thing(frame: Frame) -> int:
    landmark = getattr(frame, "landmark", None) or getattr(frame, "toward", None)
    return NOTHING if landmark is None else int(landmark.thing)


def _meanings(frame: Frame, clause: Clause, way: _Taken, place: _Place) -> Iterator[tuple[Frame, float]]:
    """What a frame may mean at a pose, each with what it costs to take it so."""
    around, here = place.around, way.pose // VIEWS
    match frame:
        case Turn(side, _) if clause.vague:
            yield from ((Turn(side, times), cost) for times, cost in _VAGUELY.items())
        case Walk(steps, None) if steps == FAR:
            yield Walk(_straight_on(way.pose, place)), 0.0
        case Leave(room, into) if room == UNSAID:
            yield from _judged(Leave(around.room_noun(here), into), way, place)
        case Walk(_, Landmark() as landmark) | Face(_, landmark) | Spot(_, landmark) | Reach(landmark, _):
            yield from _about(frame, landmark, clause, way, place)
        case Remember(landmark) | Pass(landmark, _):
            yield from _about(frame, landmark, clause, way, place)
        case _:
            yield from _judged(frame, way, place)


def _about(frame: Frame, landmark: Landmark, clause: Clause, way: _Taken, place: _Place) -> Iterator[tuple[Frame, float]]:
    """A frame about the things that its words may mean."""
    name = "toward" if isinstance(frame, Walk) else "landmark"
    for thing, cost in _things(landmark, way, place, clause.again, isinstance(frame, Face | Spot)):
        named = Landmark(thing, landmark.noun, landmark.hue)
        meant = replace(frame, **{name: named})  # type: ignore[arg-type]
        yield from ((each, cost + more) for each, more in _judged(meant, way, place))


def _things(landmark: Landmark, way: _Taken, place: _Place, again: bool, turning: bool) -> Iterator[tuple[int, float]]:
    """Things that words may mean, with what it costs to think so: others than are named, farther away, out of view."""
    around = place.around
    here, view = divmod(way.pose, VIEWS)
    if again and way.thing != NOTHING:
        yield way.thing, 0.0
        return
    kin = {_NUMBER[each] for names in _KIN if THINGS[landmark.noun].name in names for each in names}
    found: list[tuple[float, float, int]] = []
    for thing, noun in enumerate(around.noun.tolist()):
        if noun == NOTHING or not (MISTAKEN[landmark.noun, noun] or noun in kin):
            continue
        cost = 0.0 if noun == landmark.noun else 0.4 if MISTAKEN[landmark.noun, noun] else 0.8
        if landmark.hue != NOTHING and around.hue[thing] != landmark.hue:
            cost += 0.3 if around.hue[thing] == NOTHING else 0.9
        if not around.visible[here, view, thing]:
            cost += 0.3 * (not turning) if around.largest[here, thing] > 0 else 1.5
        found.append((cost, float(around.apart[here, thing]), thing))
    for rank, (cost, _, thing) in enumerate(sorted(found)[:6]):
        yield thing, cost + 0.1 * rank * (not turning)


def _judged(frame: Frame, way: _Taken, place: _Place) -> Iterator[tuple[Frame, float]]:
    """A frame as it is, cheap where it is true."""
    yield frame, 0.0 if check(frame, place.around, way.pose, place.seen) else _LOOSE


def _straight_on(pose: int, place: _Place) -> int:
    """How many steps one can go straight on."""
    steps = 0
    while steps < place.around.longest_leg + 1 and (after := place.step(pose, Nav.FORWARD)) != pose:
        pose, steps = after, steps + 1
    return max(steps, 1)


def _led(frame: Frame, pose: int, place: _Place) -> tuple[tuple[Nav, ...], int | None]:
    """The actions that a frame leads through and where they end: as it is meant strictly where it is true, else loosely."""
    around = place.around
    end = follow(frame, around, pose, place.step) if check(frame, around, pose, place.seen) else None
    if end is None:
        end = _loosely(frame, pose, place)
    return (() if end is None else plan_to(frame, around, pose, end)), end


def plan_to(frame: Frame, around: Surroundings, pose: int, end: int) -> tuple[Nav, ...]:
    """The actions that a frame is about which leads from one pose to another."""
    turn, view, last = getattr(frame, "side", None), pose % VIEWS, end % VIEWS
    match frame:
        case Stop():
            return (Nav.STOP,)
        case Look(up, times):
            return (Nav.UP if up else Nav.DOWN,) * times
        case Turn(_, times):
            return (Nav.LEFT if turn == "left" else Nav.RIGHT,) * times
        case Face() | Spot():
            return (Nav.LEFT,) * ((view - last) % HEADINGS) if turn == "left" else (Nav.RIGHT,) * ((last - view) % HEADINGS)
        case Walk(steps, _) if view == last:
            return (Nav.FORWARD,) * steps
        case _:
            return around.way(pose, end // VIEWS)


def _loosely(frame: Frame, pose: int, place: _Place) -> int | None:
    """The pose that somebody most likely means who says what is not quite so."""
    around = place.around
    here, view = divmod(pose, VIEWS)
    match frame:
        case Face(side, landmark) | Spot(side, landmark):
            return _turning_to(around, here, view, side, landmark.thing)
        case Walk(steps, Landmark() as toward):
            there = _beside(around, here, toward.thing)
            path = around.path(here, there) if there is not None else []
            return around.led(pose, path[min(steps, len(path) - 1)]) if len(path) > 1 else None
        case Reach(landmark, _) | Remember(landmark):
            there = _beside(around, here, landmark.thing)
        case Pass(landmark, _):
            there = _behind(around, here, view, landmark.thing)
        case Enter(room):
            there = (
                _first(np.where(around.room_nouns == room, around.graph.distance[here], np.inf))
                if around.room_nouns[here] != room
                else None
            )
        case Leave(room, into):
            there = _out(around, here, room, into)
        case Through(door, ordinal, side):
            there = _way_out(around, here, view, door, ordinal, side)
        case Stairs(up, whole):
            there = _up(around, here, up, whole)
        case _:
            return None
    return None if there is None or there == here else around.led(pose, there)


def _turning_to(around: Surroundings, here: int, view: int, side: Side, thing: int) -> int | None:
    """Turning until a thing is nearest to the middle of the view."""
    best: tuple[float, int] | None = None
    for there in (view, *around.turning(view, side == "left")):
        if around.present[here, there, thing]:
            away = abs(float(around.across[here, there, thing]))
            if best is None or away < best[0]:
                best = away, there
        elif best is not None:
            break
    return None if best is None or best[1] == view else here * VIEWS + best[1]


def _beside(around: Surroundings, here: int, thing: int) -> int | None:
    """The place nearest to a thing, of those that are not far; None for somebody who is there."""
    known = around.next_to(here, thing)
    if known is not None:
        return known
    ways = np.where(around.same_storey[:, thing], around.within_reach[here], np.inf)
    ways[here] = 0.0
    cost = np.where(np.isfinite(ways), around.apart[:, thing] + 0.05 * ways, np.inf)
    there = _first(cost)
    return None if there == here else there


def _behind(around: Surroundings, here: int, view: int, thing: int) -> int | None:
    """The nearest place on the way to which a thing is passed, more or less where one looks."""
    for there in np.argsort(around.within_reach[here], kind="stable").tolist():
        if not np.isfinite(around.within_reach[here, there]):
            return None
        if around.begins_ahead(here, view, there) and around.passed(around.path(here, there))[thing]:
            return int(there)
    return None


def _out(around: Surroundings, here: int, room: int, into: int) -> int | None:
    """Out of the room, whatever it is called; into another, if that is said."""
    if around.room_nouns[here] != room and room != UNSAID and into == NOTHING:
        return None
    if into != NOTHING:
        goal = around.room_nouns == into
        return _first(np.where(goal, around.graph.distance[here], np.inf)) if not goal[here] else None
    return around.nearest_out(here)


def _way_out(around: Surroundings, here: int, view: int, door: bool, ordinal: int, side: Side | None) -> int | None:
    """The nearest way out that may be meant; on no side, the one that is least far from where one looks."""
    ways = [way for way in around.ways_from(here, view) if way.beyond is not None]
    some = [way for way in ways if (side is None or on_side(way.bearing, side)) and way.door == door]
    if side is None and not ordinal:
        some.sort(key=lambda way: abs(way.bearing))
    return some[max(ordinal - 1, 0)].beyond if len(some) > max(ordinal - 1, 0) else None


def _up(around: Surroundings, here: int, up: bool, whole: bool) -> int | None:
    """The end of the nearest stairs, from a place where they do not begin."""
    for there in np.argsort(around.within_reach[here], kind="stable").tolist():
        if not np.isfinite(around.within_reach[here, there]):
            return None
        end = around.along_stairs(there, up, whole)
        if end is not None:
            return end
    return None


def _first(ways: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> int | None:
    there = int(ways.argmin())
    return there if np.isfinite(ways[there]) else None

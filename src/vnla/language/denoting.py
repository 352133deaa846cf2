"""Where what somebody said leads in a house: which thing they mean, and the actions that take one there.

Clauses are taken in the sense that frames have where that is true at the pose. People are less strict: they name things of
which there are two, doors that they have to turn to, sofas that one never comes within a metre and a half of, and they leave
out how far. So a frame may also be taken loosely, to any place that it may mean, at a cost; so may wandering: many actions,
turns that are taken back, places where one has been. Of all ways to take the clauses of a sentence the one that costs least
is meant, found by a beam over clauses. A clause that leads nowhere however it is taken is not understood here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from vnla.camera.views import HEADINGS, VIEWS
from vnla.language.frames import (
    Enter,
    Face,
    Frame,
    Have,
    Landmark,
    Leave,
    Level,
    Look,
    Overlook,
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
from vnla.language.surroundings import Side, Surroundings, turned
from vnla.language.things import DOOR, MISTAKEN, NOTHING, ROOMS, THINGS
from vnla.world.actions import Nav

LONGEST_PLAN = 40
"""Actions of the longest plan that anybody is led."""
_BEAM = 40  # ways to take the clauses so far that are kept
_LOOSE = 0.3  # for what is not so as frames mean it
_BLOCKED, _LOST = 3.0, 5.0
_ASTRAY = 0.25  # for each turn of a plan that the next one takes back
_AGAIN = 0.8  # for each place where one has been before
_OTHERWISE = 0.25  # for each way in which a clause is not taken as it is most likely meant
_ACTION, _MANY, _TOO_MANY = 0.05, 8, 0.25  # for each action, and for those that are more than people describe at a time
_UNSAID_TURN = 0.1  # for each turn that nobody speaks of
_MISCOUNTED = 0.5  # for each action more or less than are meant, where that is known
_TURNS = range(1, 7)  # how far "turn left" may be
_MORE_OR_LESS = 0.1  # for each of these turns more or less, where nothing that follows tells
_ONWARD = {1: 0.0, 2: 0.25, 3: 0.5, 4: 0.8}  # how many steps "go on" may be
_ELSEWHERE = 0.3  # for a room that is not on the side that is said
_FAR_OFF = 4  # steps to what may loosely be meant

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


_ROOM_KIN = ("flnvr", "eh", "at", "ju", "oim", "kd", "rw", "xpy", "bc")
"""Letters of rooms that people call by each other's names."""
_KIN_ROOMS = {
    room: {other for other, each in enumerate(ROOMS) if any(noun.name in kin and each.name in kin for kin in _ROOM_KIN)}
    for room, noun in enumerate(ROOMS)
}


class _Taken(NamedTuple):
    """The clauses so far, taken in one way."""

    cost: float
    pose: int
    frames: tuple[Frame | None, ...]  # None for a clause that leads nowhere
    plan: tuple[Nav, ...]
    thing: int  # that was named last
    been: tuple[int, ...]  # viewpoints
    strict: bool = True  # whether nothing had to be taken loosely


class _Lead(NamedTuple):
    """One place that a frame may lead to."""

    plan: tuple[Nav, ...]
    end: int
    cost: float


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
    loosely: bool = True
    ways: dict[tuple[int, int], _Lead] = field(default_factory=dict)
    about: dict[tuple[Frame, int], list[_Lead]] = field(default_factory=dict)

    def way(self, pose: int, there: int) -> _Lead:
        """How the navigation teacher leads somewhere; it costs what nobody has said."""
        if (pose, there) not in self.ways:
            plan = self.around.way(pose, there)
            turns = sum(action in (Nav.LEFT, Nav.RIGHT) for action in plan)
            self.ways[pose, there] = _Lead(plan, self.around.led(pose, there), _UNSAID_TURN * turns)
        return self.ways[pose, there]


def denote(
    parsed: Parsed,
    around: Surroundings,
    pose: int,
    step: Step,
    seen: Sequence[int] = (),
    *,
    count: int | None = None,
    loosely: bool = True,
) -> Denoted:
    """What a text means to somebody at a pose who has been at the poses `seen` before, may know how many actions are meant
    (`count`), and takes nothing loosely if told so: that is quicker. Nor is what speaks of turns and steps alone."""
    place = _Place(around, step, seen, loosely and not all(map(_exact, parsed.clauses)))
    ways = [_Taken(0.0, pose, (), (), NOTHING, (pose // VIEWS,))]
    for clause in parsed.clauses:
        ways = _best([after for way in ways for after in _onward(way, clause, place)])
    meant = min(ways, key=lambda way: way.cost + _miscounted(way.plan, count) + _unguided(way, parsed.clauses))
    good = {(each.start, each.end): frame is not None for each, frame in zip(parsed.clauses, meant.frames, strict=True)}
    parts = tuple((start, end, each and good.get((start, end), True)) for start, end, each in parsed.parts)
    frames = tuple(frame for frame in meant.frames if frame is not None)
    why = parsed.why
    if not frames and parsed.clauses:
        why = "it speaks of what is not here, or cannot be reached"
    elif why is None and not all(good.values()):
        why = "some of it speaks of what is not here, or cannot be reached"
    return Denoted(frames, meant.plan, meant.pose, parts, why, why is None and meant.strict and _holds(meant, pose, place))


def _exact(clause: Clause) -> bool:
    """Whether a clause says what to do, whatever is there."""
    return all(
        isinstance(each, Turn | Look | Stop) or (isinstance(each, Walk) and not each.toward) for each in clause.frames
    )


def _miscounted(plan: Sequence[Nav], count: int | None) -> float:
    """What it costs that a plan has not as many actions as are meant."""
    if count is None or (Nav.STOP in plan and len(plan) <= count):
        return 0.0
    return _MISCOUNTED * abs(len(plan) - count)


def _unguided(way: _Taken, clauses: Sequence[Clause]) -> float:
    """What it costs that a turn is not as far as is usual, where nothing follows that would tell how far."""
    for clause, frame in zip(reversed(clauses), reversed(way.frames), strict=True):
        if isinstance(frame, Turn) and clause.vague:
            return _MORE_OR_LESS * abs(frame.times - next(each.times for each in clause.frames if isinstance(each, Turn)))
        if frame is not None and not _exact(clause):
            return 0.0
    return 0.0


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
    kept: dict[tuple[int, int, int], _Taken] = {}
    for way in sorted(ways, key=lambda each: (each.cost, len(each.plan))):
        kept.setdefault((way.pose, way.thing, len(way.plan)), way)
    return list(kept.values())[:_BEAM]


def _onward(way: _Taken, clause: Clause, place: _Place) -> Iterator[_Taken]:
    """All ways to take a clause after others."""
    if Nav.STOP in way.plan[-1:]:
        yield way._replace(frames=(*way.frames, None))
        return
    for number, frame in enumerate(clause.frames):
        for meant, cost, strict in _meanings(frame, clause, way, place):
            for lead, exact in _leads(meant, way, place):
                if len(way.plan) + len(lead.plan) > LONGEST_PLAN:
                    continue
                total = cost + lead.cost + number * _OTHERWISE + _effort(way, lead, place)
                if lead.end == way.pose and (lead.plan or isinstance(meant, Turn | Walk)) and not isinstance(meant, Stop):
                    total += _BLOCKED
                thing = _thing(meant)
                yield _Taken(
                    way.cost + total,
                    lead.end,
                    (*way.frames, meant),
                    way.plan + lead.plan,
                    way.thing if thing == NOTHING else thing,
                    (*way.been, *_walked(way.pose, lead, place)),
                    way.strict and strict and exact,
                )
    yield way._replace(cost=way.cost + _LOST, frames=(*way.frames, None), strict=False)


def _walked(pose: int, lead: _Lead, place: _Place) -> list[int]:
    """The viewpoints on the way, but for the first."""
    if lead.end // VIEWS == pose // VIEWS:
        return []
    return place.around.path(pose // VIEWS, lead.end // VIEWS)[1:]


def _effort(way: _Taken, lead: _Lead, place: _Place) -> float:
    """What it costs to do so much: long plans, turns that are taken back, and coming back are seldom meant."""
    before, after = len(way.plan), len(way.plan) + len(lead.plan)
    many = max(after - _MANY, 0) - max(before - _MANY, 0)
    again = sum(each in way.been for each in _walked(way.pose, lead, place))
    return _ACTION * len(lead.plan) + _TOO_MANY * many + _ASTRAY * _taken_back(way.plan, lead.plan) + _AGAIN * again


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


def _meanings(frame: Frame, clause: Clause, way: _Taken, place: _Place) -> Iterator[tuple[Frame, float, bool]]:
    """What a frame may mean at a pose, what it costs to take it so, and whether that is what it says."""
    around, here = place.around, way.pose // VIEWS
    match frame:
        case Turn(side, times) if clause.vague:
            yield from ((Turn(side, each), _MORE_OR_LESS / 5 * abs(each - times), True) for each in _TURNS)
        case Walk(steps, None) if steps == FAR:
            yield Walk(_straight_on(way.pose, place)), 0.0, True
            yield from ((Walk(each), 0.3 + cost, False) for each, cost in _ONWARD.items())
        case Walk(1, None) if clause.vague:
            yield from ((Walk(each), cost, True) for each, cost in _ONWARD.items())
        case Leave(room, into, side) if room == UNSAID:
            yield Leave(around.room_noun(here), into, side), 0.0, True
        case Walk(_, Landmark() as landmark) | Face(_, landmark) | Spot(_, landmark) | Reach(landmark, _):
            yield from _about(frame, landmark, clause, way, place)
        case Remember(landmark) | Pass(landmark, _) | Have(Landmark() as landmark):
            yield from _about(frame, landmark, clause, way, place)
        case _:
            yield frame, 0.0, True


def _about(
    frame: Frame, landmark: Landmark, clause: Clause, way: _Taken, place: _Place
) -> Iterator[tuple[Frame, float, bool]]:
    """A frame about the things that its words may mean."""
    name = "toward" if isinstance(frame, Walk) else "landmark"
    turning = isinstance(frame, Face | Spot | Have)
    for thing, cost in _things(landmark, way, place, clause.again, turning):
        named = Landmark(thing, landmark.noun, landmark.hue)
        yield replace(frame, **{name: named}), cost, cost < _LOOSE  # type: ignore[arg-type]


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
        cost = 0.0 if noun == landmark.noun else 0.3 if MISTAKEN[landmark.noun, noun] else 0.6
        if landmark.hue != NOTHING and around.hue[thing] != landmark.hue:
            cost += 0.3 if around.hue[thing] == NOTHING else 0.7
        if not around.visible[here, view, thing]:
            cost += 0.3 * (not turning) if around.largest[here, thing] > 0 else 1.0
        found.append((cost, float(around.apart[here, thing]), thing))
    for rank, (cost, _, thing) in enumerate(sorted(found)[:6]):
        yield thing, cost + 0.08 * rank * (not turning)


def _straight_on(pose: int, place: _Place) -> int:
    """How many steps one can go straight on."""
    steps = 0
    while steps < place.around.longest_leg + 1 and (after := place.step(pose, Nav.FORWARD)) != pose:
        pose, steps = after, steps + 1
    return max(steps, 1)


def _leads(frame: Frame, way: _Taken, place: _Place) -> Iterator[tuple[_Lead, bool]]:
    """Where a frame may lead, and whether that is what it means strictly."""
    pose, around = way.pose, place.around
    end = follow(frame, around, pose, place.step) if check(frame, around, pose, place.seen) else None
    if end is not None:
        yield _Lead(plan_to(frame, around, pose, end), end, 0.0), True
    if (
        place.loosely
        and isinstance(frame, Look)
        and (Nav.UP if frame.up else Nav.DOWN) in way.plan
        and pose % VIEWS // HEADINGS == 1
    ):
        yield _Lead((), pose, _LOOSE), False  # one has had to already
    arrived = way.plan[-1:] == (Nav.FORWARD,)
    if not place.loosely or (frame == Have() and not arrived):
        return
    if (frame, pose) not in place.about:
        place.about[frame, pose] = list(_loosely(frame, pose, place))
    yield from ((lead, False) for lead in place.about[frame, pose])


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


def _loosely(frame: Frame, pose: int, place: _Place) -> Iterator[_Lead]:
    """The poses that somebody may mean who says what is not quite so, and what it costs to think so."""
    around = place.around
    here, view = divmod(pose, VIEWS)
    match frame:
        case Level():
            row = view // HEADINGS
            plan = () if row == 1 else (Nav.UP,) if row == 0 else (Nav.DOWN,)
            yield _Lead(plan, here * VIEWS + HEADINGS + view % HEADINGS, 0.0)
        case Have(landmark, room, side):
            thing = NOTHING if landmark is None else landmark.thing
            yield _Lead((), pose, _missed(around, here, view, thing, room, side))
        case Face(side, landmark) | Spot(side, landmark):
            yield from _turns(around, pose, side, landmark.thing, spot=isinstance(frame, Spot))
        case Overlook(side, room):
            for times, there in enumerate(around.turning(view, side == "left"), start=1):
                away = _off_room(around, here, there, room)
                if times <= 6 and away <= 40:
                    yield _Lead(_turn(side, times), here * VIEWS + there, _LOOSE + max(away - 12, 0) / 40)
        case Walk(steps, None):
            for there in _near(around, here, steps):
                if around.hops[here, there] == steps and around.begins_ahead(here, view, there):
                    yield _costing(place.way(pose, there), _LOOSE + 0.4)
        case Walk(steps, Landmark() as toward):
            for there in _near(around, here, steps):
                if around.hops[here, there] == steps and around.nears(here, there, toward.thing):
                    yield _costing(place.way(pose, there), _LOOSE + 0.05 * around.apart[there, toward.thing])
        case Reach(landmark, side):
            beyond = 0.0 if side is None or _sided(around, here, view, landmark.thing, side) else 0.6
            yield from (_costing(lead, beyond) for lead in _toward(landmark.thing, pose, place))
        case Remember(landmark):
            yield from _toward(landmark.thing, pose, place)
        case Pass(landmark, _):
            yield from _past(landmark.thing, pose, place)
        case Enter() | Leave():
            yield from _rooms(frame, pose, place)
        case Through(door, ordinal, side):
            yield from _doors(door, ordinal, side, pose, place)
        case Stairs(up, whole):
            landing = _up(around, here, up, whole)
            if landing is not None and landing != here:
                yield _costing(place.way(pose, landing), _LOOSE)
        case _:
            return


def _costing(lead: _Lead, cost: float) -> _Lead:
    return lead._replace(cost=lead.cost + cost)


def _turn(side: Side, times: int) -> tuple[Nav, ...]:
    return (Nav.LEFT if side == "left" else Nav.RIGHT,) * times


def _near(around: Surroundings, here: int, hops: int = _FAR_OFF) -> list[int]:
    """Viewpoints that are not many steps away."""
    return [int(there) for there in np.flatnonzero((around.hops[here] > 0) & (around.hops[here] <= hops))]


def _turns(around: Surroundings, pose: int, side: Side, thing: int, *, spot: bool) -> Iterator[_Lead]:
    """Turning until a thing is more or less ahead, or has come well into view."""
    here, view = divmod(pose, VIEWS)
    first = 0
    for times, there in enumerate(around.turning(view, side == "left"), start=1):
        if not around.present[here, there, thing]:
            if first:
                return
            continue
        first = first or times
        away = abs(float(around.across[here, there, thing])) / 30
        hardly = 0.0 if around.visible[here, there, thing] else 0.3
        late = 0.15 * (times - first) if spot else away * 0.6
        yield _Lead(_turn(side, times), here * VIEWS + there, _LOOSE + late + hardly)


def _bearing(around: Surroundings, here: int, view: int, thing: int) -> float:
    """Where a thing is: degrees to the right of the middle of the view."""
    return float(turned(around.bearing_of(here, thing), view))


def _sided(around: Surroundings, here: int, view: int, thing: int, side: Side) -> bool:
    return _is_on(_bearing(around, here, view, thing), side)


def _is_on(bearing: float, side: Side) -> bool:
    """Whether something at an angle is on a side, in a wide sense."""
    return abs(bearing) <= 35 if side == "ahead" else 0 < (bearing if side == "right" else -bearing) <= 150


def _missed(around: Surroundings, here: int, view: int, thing: int, room: int, side: Side | None) -> float:
    """What it costs to think that a thing or a room is where it is said to be."""
    if thing == NOTHING and room == NOTHING:
        return 0.0  # one is there already
    if thing == NOTHING:
        away = _off_room(around, here, view, room)
        if side in ("left", "right"):
            return 0.3 if any(_is_on(each, side) for each in _room_bearings(around, here, view, room)) else 2.0
        return min(away / 40 if side == "ahead" else max(away - 25, 0) / 20, 2.0)
    if side in ("left", "right"):
        return 0.3 if around.largest[here, thing] > 0 and _sided(around, here, view, thing, side) else 2.0
    if not around.present[here, view, thing]:
        return 2.0
    away = abs(float(around.across[here, view, thing])) / 30
    return (0.0 if around.visible[here, view, thing] else 0.4) + away * (0.8 if side == "ahead" else 0.2)


def _off_room(around: Surroundings, here: int, view: int, room: int) -> float:
    """How far from the middle of the view the way into a room of a kind is."""
    return min((abs(each) for each in _room_bearings(around, here, view, room)), default=180.0)


def _room_bearings(around: Surroundings, here: int, view: int, room: int) -> list[float]:
    """Where the ways into rooms of a kind are, from here: doors, or else places behind them."""
    alike = {room, *_KIN_ROOMS.get(room, ())}
    found = [
        way.bearing
        for way in around.ways_from(here, view)
        if way.beyond is not None and int(around.room_nouns[way.beyond]) in alike
    ]
    if found:
        return found
    for there in _near(around, here, 3):
        noun = int(around.room_nouns[there])
        if around.room[there] != around.room[here] and noun in alike:
            first = int(around.graph.hop[here, there])
            found.append(float(turned(around.bearings[here, there], view)))
            found.append(float(turned(around.bearings[here, first], view)))
    return found


def _toward(thing: int, pose: int, place: _Place) -> Iterator[_Lead]:
    """Places nearer to a thing, the nearest first; whoever goes to something may not quite reach it."""
    around, here = place.around, pose // VIEWS
    near = [there for there in _near(around, here) if around.same_storey[there, thing]]
    now = float(around.apart[here, thing])
    least = min((float(around.apart[there, thing]) for there in near), default=now)
    for there in near:
        apart = float(around.apart[there, thing])
        if now - apart > 0.3:
            short = (apart - least) / max(now - least, 0.5)
            unseen = 0.0 if around.largest[there, thing] > 0 else 0.5
            unseen -= 0.25 * (around.noun[thing] == DOOR)  # of which there is no strict sense
            yield _costing(place.way(pose, there), _LOOSE + short + unseen + 0.05 * max(apart - 1.5, 0.0))


def _past(thing: int, pose: int, place: _Place) -> Iterator[_Lead]:
    """Places on the way to which a thing is passed, more or less."""
    around = place.around
    here, view = divmod(pose, VIEWS)
    for there in _near(around, here, 3):
        path = around.path(here, there)
        if not around.begins_ahead(here, view, there):
            continue
        if around.passed(path)[thing]:
            yield _costing(place.way(pose, there), _LOOSE)
        elif min(float(around.apart[each, thing]) for each in path) <= 1.5:
            gone = abs(float(turned(around.bearing_of(there, thing), 0)) - float(around.bearings[path[-2], there]))
            if min(gone % 360, 360 - gone % 360) > 50:
                yield _costing(place.way(pose, there), _LOOSE + 0.3)


def _rooms(frame: Enter | Leave, pose: int, place: _Place) -> Iterator[_Lead]:
    """The first places in other rooms, cheap where they are of the kind that is said."""
    around, (here, view) = place.around, divmod(pose, VIEWS)
    wanted = frame.room if isinstance(frame, Enter) else frame.into
    holding = frame.holding if isinstance(frame, Enter) else NOTHING
    for there in _near(around, here):
        path = around.path(here, there)
        deeper = [each for each in path[:-1] if around.room[each] == around.room[there]]
        through = {int(around.room[each]) for each in path[1:-1]} - {int(around.room[here]), int(around.room[there])}
        if around.room[there] == around.room[here] or len(deeper) > 1:
            continue
        noun, cost = int(around.room_nouns[there]), 0.4 * len(deeper) + 0.2 * len(through)
        if wanted >= 0 and noun != wanted:
            cost += 0.4 if noun in _KIN_ROOMS[wanted] else 1.5
        if isinstance(frame, Leave) and wanted < 0:
            cost += 0.6 * len(through)
        if holding != NOTHING:
            cost += 0.0 if _holds_such(around, int(around.room[there]), holding) else 1.0
        if frame.side is not None and not _is_on(around.begins(here, view, there), frame.side):
            cost += _ELSEWHERE
        yield _costing(place.way(pose, there), _LOOSE + cost)
    if isinstance(frame, Enter) and around.room_nouns[here] == wanted:
        for steps, cost in _ONWARD.items():  # farther in
            end = pose
            for _ in range(steps):
                end = place.step(end, Nav.FORWARD)
            yield _Lead((Nav.FORWARD,) * steps, end, 2 * _LOOSE + cost)


def _holds_such(around: Surroundings, room: int, noun: int) -> bool:
    """Whether there is such a thing in a room."""
    kin = {_NUMBER[each] for names in _KIN if THINGS[noun].name in names for each in names}
    own = (each for each, thing in zip(around.noun.tolist(), around.house.objects, strict=True) if thing.room == room)
    return any(each != NOTHING and (MISTAKEN[noun, each] or each in kin) for each in own)


def _doors(door: bool, ordinal: int, side: Side | None, pose: int, place: _Place) -> Iterator[_Lead]:
    """What is behind the ways out of a room, cheap where they are as is said."""
    around = place.around
    here, view = divmod(pose, VIEWS)
    rank = 0
    for way in around.ways_from(here, view):
        if way.beyond is None:
            continue
        cost = 0.0 if way.door == door else 0.2
        if side is not None and not _is_on(way.bearing, side):
            cost += 0.8
        rank += way.door == door and (side is None or _is_on(way.bearing, side))
        if ordinal and rank != ordinal:
            cost += 0.6
        cost += 0.003 * abs(way.bearing) + 0.05 * way.distance
        lead = place.way(pose, way.beyond)
        yield _costing(lead, _LOOSE + cost)
        path = around.path(here, way.beyond)
        if len(path) > 2 and not ordinal:
            yield _costing(place.way(pose, path[-2]), _LOOSE + cost + 0.6)


def _up(around: Surroundings, here: int, up: bool, whole: bool) -> int | None:
    """The end of the nearest stairs, from a place where they do not begin."""
    for there in np.argsort(around.within_reach[here], kind="stable").tolist():
        if not np.isfinite(around.within_reach[here, there]):
            return None
        end = around.along_stairs(there, up, whole)
        if end is not None:
            return end
    return None

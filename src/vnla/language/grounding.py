"""Where what somebody said leads in a house: which thing they mean, and the actions that take one there.

Clauses are taken in the sense that frames have where that is true at the pose. People are less strict: they name things of
which there are two, doors that they have to turn to, sofas that one never comes within a metre and a half of, and they leave
out how far. So a frame may also be taken loosely (`vnla.language.relaxed_matching`), to any place that it may mean, at a
cost, or as saying again what was said. Wandering costs too: many actions, turns that are taken
back, places where one has been, and what is not the beginning of a shortest way to anywhere. Who knows how many actions are
meant may take a clause for less than it says, or for a little more. Of all ways to take the clauses of a sentence the one
that costs least is meant, found by a beam over clauses. A clause that leads nowhere however it is taken is not understood
here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from vnla.camera import HEADINGS, VIEWS
from vnla.language.clauses import FAR, MOST, UNSAID
from vnla.language.costs import COSTS
from vnla.language.frames import (
    Enter,
    Face,
    Frame,
    Have,
    Landmark,
    Leave,
    Look,
    Pass,
    Reach,
    Remember,
    Spot,
    Step,
    StopFrame,
    Turn,
    Walk,
    check,
    follow,
)
from vnla.language.parser import Clause, Parsed, Part
from vnla.language.relaxed_matching import KIN, NUMBER, GroundingContext, Lead, loose_leads, onward, restated
from vnla.language.surroundings import LONGEST_LEG, Surroundings
from vnla.language.things import MISTAKEN, NOTHING, THINGS
from vnla.world.actions import Nav

LONGEST_PLAN = 40
"""Actions of the longest plan that anybody is led."""
_NOT_HERE = "it speaks of what is not here, or cannot be reached"
_BEAM, _LEAST_BEAM = 40, 6  # ways to take the clauses so far that are kept: fewer from the sixth clause on
_MANY = 8  # actions that people describe at a time
USUAL = 4
"""Actions that most sentences are about, if not of turns and steps alone."""
_MOST_CUT, _MOST_FARTHER = 4, 2  # actions that a clause is cut short by, or goes on for
_TURNS = range(1, 7)  # how far "turn left" may be


class TakenWay(NamedTuple):
    """The clauses so far, taken in one way."""

    cost: float
    pose: int
    frames: tuple[Frame | None, ...]  # None for a clause that leads nowhere
    plan: tuple[Nav, ...]
    thing: int  # that was named last
    been: tuple[int, ...]  # viewpoints
    strict: bool = True  # whether nothing had to be taken loosely
    led: bool = True  # whether it is the beginning of a shortest way
    placed: bool = False  # whether anything of it speaks of a place
    counts: tuple[int, ...] = ()  # actions of the plan after each clause


@dataclass(frozen=True)
class Grounded:
    """What a text means at a pose: the frames, the plan that they give back, and where it ends."""

    frames: tuple[Frame, ...]
    plan: tuple[Nav, ...]
    pose: int
    parts: tuple[Part, ...]
    why: str | None = None
    """Why not all of it was understood."""
    true: bool = False
    """Whether all of it was understood, and is so as frames mean it: nothing had to be taken loosely."""
    counts: tuple[int, ...] = ()
    """Actions of the plan after each clause."""
    rival: tuple[Nav, ...] = ()
    """Another plan, to another viewpoint, that is almost as likely meant; empty where there is none."""


def denote(
    parsed: Parsed,
    around: Surroundings,
    pose: int,
    step: Step,
    seen: Sequence[int] = (),
    *,
    count: int | None = None,
    loosely: bool = True,
    guided: bool = False,
) -> Grounded:
    """What a text means to somebody at a pose who has been at the poses `seen` before, may know how many actions are meant
    (`count`), and takes nothing loosely if told so: that is quicker. Nor is what speaks of turns and steps alone. Who is
    `guided`, as in episodes, comes along the way to the goal by a step that without one would lead elsewhere."""
    exact = all(is_exact(each) for clause in parsed.clauses for each in clause.frames)
    place = GroundingContext(around, step, seen, loosely and not exact, count, guided)
    ways = ways_to_take(parsed, place, pose)
    meant, *others = sorted((priced(way, parsed, place) for way in ways), key=lambda way: way.cost)
    found = _denoted(parsed, meant.frames, meant.plan, meant.pose, meant.counts)
    close = (way.plan for way in others if way.cost - meant.cost <= COSTS.close and way.pose // VIEWS != meant.pose // VIEWS)
    holds = found.why is None and meant.strict and _holds(meant, pose, place)
    return replace(found, true=holds, rival=() if holds else next(close, ()))


def ways_to_take(parsed: Parsed, place: GroundingContext, pose: int) -> list[TakenWay]:
    """The cheapest ways to take all clauses of a sentence, with what they cost but for what is known at the end."""
    if place.loosely:
        place.begin(pose)
    ways = [TakenWay(0.0, pose, (), (), NOTHING, (pose // VIEWS,))]
    kept = min(_BEAM, max(25 * _BEAM // max(len(parsed.clauses), 1) ** 2, _LEAST_BEAM))
    for clause in parsed.clauses:
        ways = _best([after for way in ways for after in _onward(way, clause, place)], kept)
    return ways


def motions(parsed: Parsed) -> Grounded:
    """What a text means where no house is known: turns, steps, looks and stops alone, each in its likeliest sense."""
    frames: list[Frame | None] = []
    plan: tuple[Nav, ...] = ()
    counts: list[int] = []
    for clause in parsed.clauses:
        frame = next((each for each in clause.frames if is_exact(each) and each != Walk(FAR)), None)
        frames.append(None if Nav.STOP in plan else frame)
        if frames[-1] is not None:
            plan += _actions(frames[-1])
        counts.append(len(plan))
    return _denoted(parsed, frames, plan, NOTHING, tuple(counts))


def _denoted(
    parsed: Parsed, meant: Sequence[Frame | None], plan: tuple[Nav, ...], pose: int, counts: tuple[int, ...]
) -> Grounded:
    """What clauses mean that are taken as these frames, None where they lead nowhere."""
    lost = [(each.start, each.end) for each, frame in zip(parsed.clauses, meant, strict=True) if frame is None]
    parts = tuple(
        (start, end, good and not any(first <= start and end <= last for first, last in lost))
        for start, end, good in parsed.parts
    )
    frames = tuple(frame for frame in meant if frame is not None)
    why = parsed.why
    if not frames and parsed.clauses and not parsed.notes:
        why = _NOT_HERE if pose != NOTHING else "it speaks of what is there, and nothing is known of the house"
    elif why is None and lost:
        why = f"some of {_NOT_HERE}"
    return Grounded(frames, plan, pose, parts, why, counts=counts)


def is_exact(frame: Frame) -> bool:
    """Whether a frame says what to do, whatever is there."""
    return isinstance(frame, Turn | Look | StopFrame) or (isinstance(frame, Walk) and not frame.toward)


def at_the_end(way: TakenWay, parsed: Parsed, place: GroundingContext) -> dict[str, float]:
    """What is known at the end of a sentence that is taken so: how much of which cost."""
    size, stops = len(way.plan), Nav.STOP in way.plan
    found = {"more_or_less": _unguided(way, parsed.clauses), "forbidden": float(_is_forbidden(way, parsed, place))}
    if place.count is not None:
        early = stops and size <= place.count
        found["early" if early else "miscounted"] = abs(size - place.count)
    elif place.loosely and not stops:  # whoever does not say where to stop seldom means many actions
        longest = max((after - before for before, after in pairwise((0, *way.counts))), default=0)
        found["more_strict" if way.strict else "more"] = max(size - max(USUAL, longest), 0)  # one thing takes what it takes
    return found


def priced(way: TakenWay, parsed: Parsed, place: GroundingContext) -> TakenWay:
    """A way with what it costs at the end."""
    amounts = at_the_end(way, parsed, place).items()
    return way._replace(cost=way.cost + sum(getattr(COSTS, name) * amount for name, amount in amounts))


def _is_forbidden(way: TakenWay, parsed: Parsed, place: GroundingContext) -> bool:
    """Whether it leads into a room that one should not enter."""
    nouns = [int(place.around.room_nouns[each]) for each in way.been]
    rooms = {each.room for each in parsed.forbidden if isinstance(each, Enter)}
    return any(noun in rooms and noun != nouns[0] for noun in nouns[1:])


def _unguided(way: TakenWay, clauses: Sequence[Clause]) -> float:
    """How many turns more or less than is usual there are, where nothing follows that would tell how far."""
    amount = 0.0
    for clause, frame in zip(reversed(clauses), reversed(way.frames), strict=True):
        if isinstance(frame, Turn) and clause.vague:
            usual = next(each.times for each in clause.frames if isinstance(each, Turn))
            amount += abs(frame.times - usual)
        elif frame is not None and not all(map(is_exact, clause.frames)):
            break
    return amount


def _holds(meant: TakenWay, pose: int, place: GroundingContext) -> bool:
    """Whether every frame of a sentence is true where it is said."""
    for frame in meant.frames:
        if frame is None or not check(frame, place.around, pose, place.seen):
            return False
        end = follow(frame, place.around, pose, place.step)
        if end is None:
            return False
        pose = end
    return pose == meant.pose


def _best(ways: Sequence[TakenWay], most: int) -> list[TakenWay]:
    """The cheapest few, one for each place that they lead to."""
    kept: dict[tuple[int, int, int], TakenWay] = {}
    for way in sorted(ways, key=lambda each: (each.cost, len(each.plan))):
        kept.setdefault((way.pose, way.thing, len(way.plan)), way)
        if len(kept) == most:
            break
    return list(kept.values())


def _onward(way: TakenWay, clause: Clause, place: GroundingContext) -> Iterator[TakenWay]:
    """All ways to take a clause after others."""
    if Nav.STOP in way.plan[-1:]:
        yield way._replace(frames=(*way.frames, None), counts=(*way.counts, len(way.plan)))
        return
    must = not place.loosely and all(is_exact(each) for each in clause.frames)  # turns and steps are done, walls or not
    done = False
    for number, frame in enumerate(clause.frames):
        for meant, cost, strict in _meanings(frame, clause, way, place):
            for lead, exact in _varied(_leads(meant, clause, way, place), clause, way, place):
                if len(way.plan) + len(lead.plan) > LONGEST_PLAN:
                    continue
                led = way.led and (not lead.plan or place.is_led(way.plan + lead.plan))
                walked = _walked(way.pose, lead, place)
                total = cost + lead.cost + number * COSTS.otherwise + _effort(way, lead, walked, place)
                if (
                    lead.end == way.pose
                    and (lead.plan or (exact and isinstance(meant, Turn | Walk)))
                    and meant != StopFrame()
                ):
                    total += COSTS.blocked
                placed = way.placed or not is_exact(meant)
                total += COSTS.detour * ((placed and not led) - (way.placed and not way.led))
                thing, done = _thing(meant), True
                yield TakenWay(
                    way.cost + total,
                    lead.end,
                    (*way.frames, meant),
                    way.plan + lead.plan,
                    way.thing if thing == NOTHING else thing,
                    (*way.been, *walked),
                    way.strict and strict and exact,
                    led,
                    placed,
                    (*way.counts, len(way.plan) + len(lead.plan)),
                )
    if not (done and must):
        lost = way.cost + COSTS.lost
        yield way._replace(cost=lost, frames=(*way.frames, None), strict=False, counts=(*way.counts, len(way.plan)))


def _walked(pose: int, lead: Lead, place: GroundingContext) -> list[int]:
    """The viewpoints on the way, but for the first."""
    if lead.end // VIEWS == pose // VIEWS:
        return []
    return place.around.path(pose // VIEWS, lead.end // VIEWS)[1:]


def _effort(way: TakenWay, lead: Lead, walked: Sequence[int], place: GroundingContext) -> float:
    """What it costs to do so much: long plans, turns that are taken back, and coming back are seldom meant."""
    before, after = len(way.plan), len(way.plan) + len(lead.plan)
    many = max(after - _MANY, 0) - max(before - _MANY, 0)
    again = sum(each in way.been for each in walked)
    each = COSTS.action_more if place.count is None else COSTS.action
    return (
        each * len(lead.plan) + COSTS.too_many * many + COSTS.astray * _taken_back(way.plan, lead.plan) + COSTS.again * again
    )


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


def _meanings(frame: Frame, clause: Clause, way: TakenWay, place: GroundingContext) -> Iterator[tuple[Frame, float, bool]]:
    """What a frame may mean at a pose, what it costs to take it so, and whether that is what it says."""
    around, here = place.around, way.pose // VIEWS
    match frame:
        case Turn(side, times) if clause.vague:
            yield from ((Turn(side, each), COSTS.told_later * abs(each - times), True) for each in _TURNS)
        case Walk(_, toward, metres) if metres:
            yield from _meanings(Walk(_steps_of(metres, way.pose, place), toward), clause, way, place)
        case Walk(steps, None) if steps == FAR:
            yield Walk(_straight_on(way.pose, place)), 0.0, True
            yield from ((Walk(each), 0.3 + cost, False) for each, cost in onward())
        case Walk(1, None) if clause.vague:
            yield from ((Walk(each), cost, True) for each, cost in onward())
        case Leave(room, into, side) if room == UNSAID:
            yield Leave(around.room_noun(here), into, side), 0.0, True
        case Walk(_, Landmark() as landmark) | Face(_, landmark) | Spot(_, landmark) | Reach(landmark, _):
            yield from _about(frame, landmark, clause, way, place)
        case Remember(landmark) | Pass(landmark, _) | Have(Landmark() as landmark):
            yield from _about(frame, landmark, clause, way, place)
        case _:
            yield frame, 0.0, True


def _about(
    frame: Frame, landmark: Landmark, clause: Clause, way: TakenWay, place: GroundingContext
) -> Iterator[tuple[Frame, float, bool]]:
    """A frame about the things that its words may mean."""
    name = "toward" if isinstance(frame, Walk) else "landmark"
    turning = isinstance(frame, Face | Spot | Have)
    for thing, cost in _things(landmark, way, place, clause.again, turning):
        named = Landmark(thing, landmark.noun, landmark.hue)
        yield replace(frame, **{name: named}), cost, cost < COSTS.loose  # type: ignore[arg-type]


def _things(
    landmark: Landmark, way: TakenWay, place: GroundingContext, again: bool, turning: bool
) -> Iterator[tuple[int, float]]:
    """Things that words may mean, with what it costs to think so: others than are named, farther away, out of view."""
    if again and way.thing != NOTHING:
        yield way.thing, 0.0
        return
    if (landmark, way.pose, turning) not in place.things:
        place.things[landmark, way.pose, turning] = list(_things_at(landmark, way.pose, place.around, turning))
    yield from place.things[landmark, way.pose, turning]


def _things_at(landmark: Landmark, pose: int, around: Surroundings, turning: bool) -> Iterator[tuple[int, float]]:
    here, view = divmod(pose, VIEWS)
    kin = {NUMBER[each] for names in KIN if THINGS[landmark.noun].name in names for each in names}
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


def _straight_on(pose: int, place: GroundingContext) -> int:
    """How many steps one can go straight on."""
    steps = 0
    while steps < LONGEST_LEG + 1 and (after := place.step(pose, Nav.FORWARD)) != pose:
        pose, steps = after, steps + 1
    return max(steps, 1)


def _steps_of(metres: float, pose: int, place: GroundingContext) -> int:
    """How many steps straight on come nearest to a distance."""
    here, gone = place.around.graph.position[pose // VIEWS], [0.0]
    while len(gone) <= MOST and (after := place.step(pose, Nav.FORWARD)) != pose:
        gone.append(float(np.linalg.norm(place.around.graph.position[after // VIEWS] - here)))
        pose = after
    return max(min(range(len(gone)), key=lambda steps: abs(gone[steps] - metres)), 1)


def _varied(
    leads: Iterator[tuple[Lead, bool]], clause: Clause, way: TakenWay, place: GroundingContext
) -> Iterator[tuple[Lead, bool]]:
    """Leads, and where it is known how many actions are meant the same cut short or going on, to as many as are left."""
    if place.count is None or not place.loosely or all(map(is_exact, clause.frames)):
        yield from leads
        return
    left = place.count - len(way.plan)
    for lead, exact in leads:
        if len(lead.plan) <= left:
            yield lead, exact
        yield from ((each, False) for each in (*_cut(lead, left, way.pose, place), *_farther(lead, left, place)))


def _cut(lead: Lead, left: int, pose: int, place: GroundingContext) -> Iterator[Lead]:
    """The beginnings of a lead that are not longer than what is left."""
    size = len(lead.plan)
    for done, action in enumerate(lead.plan[: min(size - 1, left)], start=1):
        pose = place.step(pose, action)
        if size - done <= _MOST_CUT:
            yield Lead(lead.plan[:done], pose, lead.cost + COSTS.cut * (size - done))


def _farther(lead: Lead, left: int, place: GroundingContext) -> Iterator[Lead]:
    """A lead and some more of its last action."""
    end = lead.end
    for more in range(1, min(left - len(lead.plan), _MOST_FARTHER) + 1 if lead.plan else 0):
        before, end = end, place.step(end, lead.plan[-1])
        if end == before:
            return
        yield Lead(lead.plan + lead.plan[-1:] * more, end, lead.cost + COSTS.farther * more)


def _leads(frame: Frame, clause: Clause, way: TakenWay, place: GroundingContext) -> Iterator[tuple[Lead, bool]]:
    """Where a frame may lead, and whether that is what it means strictly."""
    pose, around = way.pose, place.around
    if (frame, pose) not in place.strictly:
        end = follow(frame, around, pose, place.step) if check(frame, around, pose, place.seen) else None
        place.strictly[frame, pose] = None if end is None else Lead(plan_to(frame, around, pose, end), end, 0.0)
    if (strict := place.strictly[frame, pose]) is not None:
        yield strict, True
    if (
        place.loosely
        and isinstance(frame, Look)
        and (Nav.UP if frame.up else Nav.DOWN) in way.plan
        and pose % VIEWS // HEADINGS == 1
    ):
        yield Lead((), pose, COSTS.loose), False  # one has had to already
    arrived = way.plan[-1:] == (Nav.FORWARD,)
    if not place.loosely or (frame == Have() and not arrived):
        return
    if (frame, pose) not in place.about:
        place.about[frame, pose] = list(loose_leads(frame, pose, place))
    yield from ((lead, False) for lead in place.about[frame, pose])
    again = restated(frame, way.plan, way.been, pose, around, place.step)
    if again is not None:
        yield again._replace(cost=again.cost + (COSTS.restated_then if clause.after == "&" else COSTS.restated)), False
    elif isinstance(frame, Walk) and clause.vague and not clause.after and arrived:
        yield Lead((), pose, COSTS.restated), False  # "into the kitchen you go"


def plan_to(frame: Frame, around: Surroundings, pose: int, end: int) -> tuple[Nav, ...]:
    """The actions that a frame is about which leads from one pose to another."""
    view, last = pose % VIEWS, end % VIEWS
    match frame:
        case Face("left", _) | Spot("left", _):
            return (Nav.LEFT,) * ((view - last) % HEADINGS)
        case Face() | Spot():
            return (Nav.RIGHT,) * ((last - view) % HEADINGS)
        case Walk() if view != last:
            return around.way(pose, end // VIEWS)
        case StopFrame() | Look() | Turn() | Walk():
            return _actions(frame)
        case _:
            return around.way(pose, end // VIEWS)


def _actions(frame: Frame) -> tuple[Nav, ...]:
    """The actions of a frame that says how many there are."""
    match frame:
        case StopFrame():
            return (Nav.STOP,)
        case Look(up, times):
            return (Nav.UP if up else Nav.DOWN,) * times
        case Turn(side, times):
            return (Nav.LEFT if side == "left" else Nav.RIGHT,) * times
        case Walk(steps):
            return (Nav.FORWARD,) * steps
    return ()

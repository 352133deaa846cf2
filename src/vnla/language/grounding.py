"""Where what somebody said leads in a house: which thing they mean, and the actions that take one there.

Clauses are taken in the sense that frames have where that is true at the pose. People are less strict: they name things of
which there are two, doors that they have to turn to, sofas that one never comes within a metre and a half of, and they leave
out how far. So a frame may also be taken loosely (`vnla.language.relaxed_matching`), to any place that it may mean, at a
cost, or as saying again what was said. Wandering costs too: many actions, turns that are taken
back, places where one has been, and what is not the beginning of a shortest way to anywhere. Who knows how many actions are
meant may take a clause for less than it says. Of all ways to take the clauses of a sentence the one
that costs least is meant, found by a beam over clauses. A clause that leads nowhere however it is taken is not understood
here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
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
    Spot,
    Step,
    StopFrame,
    Turn,
    Walk,
    check,
    follow,
)
from vnla.language.parser import Clause, Parsed, Part
from vnla.language.relaxed_matching import GroundingContext, Lead, loose_leads, mistaken, onward, turns
from vnla.language.surroundings import LONGEST_LEG, Surroundings
from vnla.language.things import NOTHING
from vnla.world.actions import Nav

LONGEST_PLAN = 40
"""Actions of the longest plan that anybody is led."""
_NOT_HERE = "it speaks of what is not here, or cannot be reached"
_BEAM, _LEAST_BEAM = 40, 6  # ways to take the clauses so far that are kept: fewer from the sixth clause on
_MANY = 8  # actions that people describe at a time
USUAL = 4
"""Actions that most sentences are about, if not of turns and steps alone."""
_MOST_CUT = 4  # actions that a clause is cut short by
_MOST_RESTATED = 5  # clauses that one tells again


class TakenWay(NamedTuple):
    """The clauses so far, taken in one way."""

    cost: float = 0.0
    pose: int = NOTHING
    starts: tuple[int, ...] = ()  # poses at which the clauses begin
    frames: tuple[Frame | None, ...] = ()  # None for a clause that leads nowhere
    plan: tuple[Nav, ...] = ()
    thing: int = NOTHING  # that was named last
    been: tuple[int, ...] = ()  # viewpoints
    strict: bool = True  # whether nothing had to be taken loosely
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
    meant, *others = ways_to_take(parsed, GroundingContext(around, step, seen, loosely, count, guided), pose)
    found = _denoted(parsed, meant)
    close = (way.plan for way in others if way.cost - meant.cost <= COSTS.close and way.pose // VIEWS != meant.pose // VIEWS)
    true = found.why is None and meant.strict
    return replace(found, true=true, rival=() if true else next(close, ()))


def ways_to_take(parsed: Parsed, place: GroundingContext, pose: int) -> list[TakenWay]:
    """The ways to take all clauses of a sentence, the cheapest first."""
    found = []
    for way in unpriced(parsed, place, pose):
        end = at_the_end(way, parsed, place).items()
        found.append(way._replace(cost=way.cost + sum(getattr(COSTS, name) * much for name, much in end)))
    return sorted(found, key=lambda way: way.cost)


def unpriced(parsed: Parsed, place: GroundingContext, pose: int) -> list[TakenWay]:
    """The cheapest ways to take all clauses of a sentence, with what they cost but for what is known at the end."""
    place.loosely = place.loosely and not all(map(_is_motion, parsed.clauses))
    if place.loosely:
        place.begin(pose)
    ways = [TakenWay(pose=pose, been=(pose // VIEWS,))]
    kept = min(_BEAM, max(25 * _BEAM // max(len(parsed.clauses), 1) ** 2, _LEAST_BEAM))
    for clause in parsed.clauses:
        ways = _best([after for way in ways for after in _onward(way, clause, place)], kept, place)
    return ways


def motions(parsed: Parsed) -> Grounded:
    """What a text means where no house is known: turns, steps, looks and stops alone, each in its likeliest sense."""
    way = TakenWay()
    for clause in parsed.clauses:
        frame = next((each for each in clause.frames if is_exact(each) and each != Walk(FAR)), None)
        way = _with(way, None if Nav.STOP in way.plan else frame)
    return _denoted(parsed, way)


def _denoted(parsed: Parsed, way: TakenWay) -> Grounded:
    """What clauses mean that are taken in one way."""
    lost = [(each.start, each.end) for each, frame in zip(parsed.clauses, way.frames, strict=True) if frame is None]
    parts = tuple(
        (start, end, good and not any(first <= start and end <= last for first, last in lost))
        for start, end, good in parsed.parts
    )
    frames = tuple(frame for frame in way.frames if frame is not None)
    why = parsed.why
    if not frames and parsed.clauses and not parsed.notes:
        why = _NOT_HERE if way.pose != NOTHING else "it speaks of what is there, and nothing is known of the house"
    elif why is None and lost:
        why = f"some of {_NOT_HERE}"
    return Grounded(frames, way.plan, way.pose, parts, why, counts=way.counts)


def is_exact(frame: Frame) -> bool:
    """Whether a frame says what to do, whatever is there."""
    return isinstance(frame, Turn | Look | StopFrame) or (isinstance(frame, Walk) and not frame.toward)


def _is_motion(clause: Clause) -> bool:
    return all(map(is_exact, clause.frames))


def at_the_end(way: TakenWay, parsed: Parsed, place: GroundingContext) -> dict[str, float]:
    """What is known at the end of a sentence that is taken so: how much of which cost."""
    size, stops = len(way.plan), Nav.STOP in way.plan
    found = {
        "detour": float(way.placed and not place.is_led(way.plan)),
        "more_or_less": _unguided(way, parsed.clauses),
        "forbidden": float(_is_forbidden(way, parsed, place)),
    }
    if place.count is not None:
        found["miscounted"] = abs(size - place.count)
    elif place.loosely and not stops:  # whoever does not say where to stop seldom means many actions
        longest = max((after - before for before, after in pairwise((0, *way.counts))), default=0)
        found["more"] = max(size - max(USUAL, longest), 0)  # one thing takes what it takes
    return found


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
        elif frame is not None and not _is_motion(clause):
            break
    return amount


def _best(ways: Sequence[TakenWay], most: int, place: GroundingContext) -> list[TakenWay]:
    """The cheapest few, one for each place that they lead to."""
    kept: dict[tuple[int, int, int], TakenWay] = {}

    def order(way: TakenWay) -> tuple[float, int]:
        return way.cost + COSTS.detour * (way.placed and not place.is_led(way.plan)), len(way.plan)

    for way in sorted(ways, key=order):
        kept.setdefault((way.pose, way.thing, len(way.plan)), way)
        if len(kept) == most:
            break
    return list(kept.values())


def _onward(way: TakenWay, clause: Clause, place: GroundingContext) -> Iterator[TakenWay]:
    """All ways to take a clause after others."""
    if Nav.STOP in way.plan[-1:]:
        yield _with(way, None)
        return
    done = False
    for number, frame in enumerate(clause.frames):
        for meant, cost, strict in _meanings(frame, clause, way, place):
            for lead in _varied(_leads(meant, clause, way, place), clause, way, place):
                if len(way.plan) + len(lead.plan) <= LONGEST_PLAN:
                    path = place.around.path(way.pose // VIEWS, lead.end // VIEWS)[1:]
                    total = cost + number * COSTS.otherwise + _effort(way, meant, lead, path, place)
                    after, done = _with(way, meant, lead.plan), True
                    yield after._replace(
                        cost=way.cost + total,
                        pose=lead.end,
                        been=(*way.been, *path),
                        strict=way.strict and strict and lead.exact,
                    )
    if place.loosely or not (done and _is_motion(clause)):  # turns and steps are done, walls or not
        yield _with(way, None)._replace(cost=way.cost + COSTS.lost, strict=False)


def _with(way: TakenWay, frame: Frame | None, plan: tuple[Nav, ...] | None = None) -> TakenWay:
    """A way with one more clause, taken as a frame, and its plan."""
    plan = way.plan + (_actions(frame) if plan is None else plan)
    named = getattr(frame, "landmark", None) or getattr(frame, "toward", None)
    return way._replace(
        starts=(*way.starts, way.pose),
        frames=(*way.frames, frame),
        plan=plan,
        thing=named.thing if named else way.thing,
        placed=way.placed or not (frame is None or is_exact(frame)),
        counts=(*way.counts, len(plan)),
    )


def _effort(way: TakenWay, frame: Frame, lead: Lead, path: Sequence[int], place: GroundingContext) -> float:
    """What it costs to do so much: long plans, turns that are taken back, and coming back are seldom meant."""
    before, after = len(way.plan), len(way.plan) + len(lead.plan)
    many = max(after - _MANY, 0) - max(before - _MANY, 0)
    again = sum(map(way.been.__contains__, path))
    blocked = bool(lead.plan) and lead.end == way.pose and frame != StopFrame()
    action = COSTS.action_more if place.count is None else COSTS.action
    total: float = (
        lead.cost + action * len(lead.plan) + COSTS.too_many * many + COSTS.astray * _taken_back(way.plan, lead.plan)
    )
    total += COSTS.again * again + COSTS.blocked * blocked
    return total


def _taken_back(before: Sequence[Nav], after: Sequence[Nav]) -> int:
    """How many turns at the end of a plan the next one takes back."""
    opposite = {Nav.LEFT: Nav.RIGHT, Nav.RIGHT: Nav.LEFT, Nav.UP: Nav.DOWN, Nav.DOWN: Nav.UP}
    pairs = takewhile(lambda pair: opposite.get(pair[0]) is pair[1], zip(reversed(before), after, strict=False))
    return sum(1 for _ in pairs)


def _meanings(frame: Frame, clause: Clause, way: TakenWay, place: GroundingContext) -> Iterator[tuple[Frame, float, bool]]:
    """What a frame may mean at a pose, what it costs to take it so, and whether that is what it says."""
    name = "toward" if isinstance(frame, Walk) else "landmark"
    landmark: Landmark | None = getattr(frame, name, None)
    match frame:
        case Turn(side, times) if clause.vague:
            yield from ((Turn(side, each), COSTS.told_later * abs(each - times), True) for each in range(1, 7))
        case Walk(_, toward, metres) if metres:
            yield from _meanings(Walk(_steps_of(metres, way.pose, place), toward), clause, way, place)
        case Walk(steps, None) if steps == FAR:
            far = len(_straight_on(way.pose, place)) - 1
            yield Walk(min(max(far, 1), LONGEST_LEG + 1)), 0.0, True
            yield from ((Walk(each), COSTS.loose + cost, False) for each, cost in onward())
        case Walk(1, None) if clause.vague:
            yield from ((Walk(each), cost, True) for each, cost in onward())
        case Leave(room, into, side) if room == UNSAID:
            yield Leave(place.around.room_noun(way.pose // VIEWS), into, side), 0.0, True
        case _ if landmark is not None:
            again = clause.again and way.thing != NOTHING
            some = place.once(_things_at, landmark, way.pose, isinstance(frame, Face | Spot | Have))
            for thing, cost in [(way.thing, 0.0)] if again else some:
                yield replace(frame, **{name: replace(landmark, thing=thing)}), cost, cost < COSTS.loose  # type: ignore[arg-type]
        case _:
            yield frame, 0.0, True


def _things_at(landmark: Landmark, pose: int, turning: bool, place: GroundingContext) -> list[tuple[int, float]]:
    """Things that words may mean, with what it costs to think so: others than are named, farther away, out of view."""
    around, (here, view) = place.around, divmod(pose, VIEWS)
    found: list[tuple[float, float, int]] = []
    for thing, noun in enumerate(around.noun.tolist()):
        if noun == NOTHING or (cost := mistaken(landmark.noun, noun)) is None:
            continue
        if landmark.hue != NOTHING and around.hue[thing] != landmark.hue:
            cost += 0.3 if around.hue[thing] == NOTHING else 0.7
        if not around.visible[here, view, thing]:
            cost += 0.3 * (not turning) if around.largest[here, thing] > 0 else 1.0
        found.append((cost, float(around.apart[here, thing]), thing))
    return [(thing, cost + 0.08 * rank * (not turning)) for rank, (cost, _, thing) in enumerate(sorted(found)[:6])]


def _straight_on(pose: int, place: GroundingContext) -> list[int]:
    """The poses straight on, from this one, as many as anybody would count."""
    poses = [pose]
    while len(poses) <= MOST and (after := place.step(poses[-1], Nav.FORWARD)) != poses[-1]:
        poses.append(after)
    return poses


def _steps_of(metres: float, pose: int, place: GroundingContext) -> int:
    """How many steps straight on come nearest to a distance."""
    positions = place.around.graph.position[[each // VIEWS for each in _straight_on(pose, place)]]
    gone = np.linalg.norm(positions - positions[0], axis=1)
    return max(int(np.abs(gone - metres).argmin()), 1)


def _varied(leads: Iterable[Lead], clause: Clause, way: TakenWay, place: GroundingContext) -> Iterator[Lead]:
    """Leads, and where it is known how many actions are meant the same cut short to as many as are left."""
    if place.count is None or not place.loosely or _is_motion(clause):
        yield from leads
        return
    left = max(place.count - len(way.plan), 0)
    for lead in leads:
        size, pose = len(lead.plan), way.pose
        if size <= left:
            yield lead
        for done, action in enumerate(lead.plan[: min(size - 1, left)], start=1):
            pose = place.step(pose, action)
            if size - done <= _MOST_CUT:
                yield Lead(lead.plan[:done], pose, lead.cost + COSTS.cut * (size - done))


def _leads(frame: Frame, clause: Clause, way: TakenWay, place: GroundingContext) -> Iterator[Lead]:
    """Where a frame may lead."""
    pose, arrived = way.pose, way.plan[-1:] == (Nav.FORWARD,)
    if frame == Have() and not arrived:
        return
    yield from place.once(_leads_at, frame, pose)
    if not place.loosely:
        return
    if isinstance(frame, Look) and (Nav.UP if frame.up else Nav.DOWN) in way.plan and pose % VIEWS // HEADINGS == 1:
        yield Lead((), pose, COSTS.loose)  # one has had to already
    yield from _restated(frame, clause, way, place)


def _restated(frame: Frame, clause: Clause, way: TakenWay, place: GroundingContext) -> list[Lead]:
    """What is left to do of a frame that tells again what has been done since one of the last clauses began: "into the
    bathroom, all the way to the window, three steps" is one walk."""
    found: dict[tuple[tuple[Nav, ...], int], float] = {}
    for start, before in list(zip(way.starts, (0, *way.counts), strict=False))[-_MOST_RESTATED:]:
        done = way.plan[before:]
        for lead in place.once(_leads_at, frame, start) if done else ():
            cost = COSTS.restated_loosely * lead.cost
            if lead.plan[: len(done)] == done:
                rest = lead.plan[len(done) :], lead.end
            elif lead.end // VIEWS == way.pose // VIEWS != start // VIEWS:
                rest = (), way.pose
            else:
                continue
            if rest not in found or cost < found[rest]:
                found[rest] = cost
    said = COSTS.restated_then if clause.after == "&" else COSTS.restated
    return [Lead(plan, end, cost + said) for (plan, end), cost in found.items()]


def _leads_at(frame: Frame, pose: int, place: GroundingContext) -> list[Lead]:
    """Where a frame leads from a pose as it says, and loosely."""
    end = follow(frame, place.around, pose, place.step) if check(frame, place.around, pose, place.seen) else None
    strict = [] if end is None else [Lead(_plan_to(frame, place.around, pose, end), end, 0.0, True)]
    return [*strict, *(loose_leads(frame, pose, place) if place.loosely else ())]


def _plan_to(frame: Frame, around: Surroundings, pose: int, end: int) -> tuple[Nav, ...]:
    """The actions that a frame is about which leads from one pose to another."""
    turned = (end - pose) % VIEWS % HEADINGS
    if isinstance(frame, Face | Spot):
        return turns(frame.side, -turned % HEADINGS if frame.side == "left" else turned)
    if isinstance(frame, Turn | Look | StopFrame) or (isinstance(frame, Walk) and not turned):
        return _actions(frame)
    return around.way(pose, end // VIEWS)


def _actions(frame: Frame | None) -> tuple[Nav, ...]:
    """The actions of a frame that says how many there are."""
    match frame:
        case StopFrame():
            return (Nav.STOP,)
        case Look(up, times):
            return (Nav.UP if up else Nav.DOWN,) * times
        case Turn(side, times):
            return turns(side, times)
        case Walk(steps):
            return (Nav.FORWARD,) * steps
    return ()

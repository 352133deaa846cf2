"""What is said again: "into the bathroom, all the way to the window, three steps" is one walk in three clauses.

A clause that is true of what the clauses before it have had somebody do may add nothing to it, or only the rest: after one
step on the way to the window "three steps" are two more.
"""

from __future__ import annotations

from collections.abc import Sequence

from vnla.camera import VIEWS
from vnla.language.frames import (
    Enter,
    Face,
    Frame,
    Landmark,
    Leave,
    Overlook,
    Pass,
    Reach,
    Spot,
    Stairs,
    Step,
    Through,
    Turn,
    Walk,
)
from vnla.language.relaxed_matching import KIN_ROOMS, Lead, off_room
from vnla.language.surroundings import STEEP, Surroundings
from vnla.world.actions import Nav

_THERE = 3.0  # metres to a thing that one has come to, more or less
_BY = 2.0  # to one that one has passed
_AHEAD = 20.0  # degrees to the way into a room that one has turned to


def restated(
    frame: Frame, plan: Sequence[Nav], been: Sequence[int], pose: int, around: Surroundings, step: Step
) -> Lead | None:
    """What is left to do where a frame tells again what a plan along viewpoints did; None if it tells something else."""
    here, view = divmod(pose, VIEWS)
    last = plan[-1] if plan else None
    match frame:
        case Walk(steps, None) if last is Nav.FORWARD:
            return _rest(plan, steps, pose, step)
        case Turn(side, times) if last is _turning(side):
            return _rest(plan, times, pose, step)
        case Face(side, landmark) if last is _turning(side) and around.ahead[here, view, landmark.thing]:
            return Lead((), pose, 0.0)
        case Spot(side, landmark) if last is _turning(side) and around.visible[here, view, landmark.thing]:
            return Lead((), pose, 0.0)
        case Overlook(side, room) if last is _turning(side) and off_room(around, here, view, room) <= _AHEAD:
            return Lead((), pose, 0.0)
    cost = _walked(frame, been, around) if last is Nav.FORWARD else None
    return None if cost is None else Lead((), pose, cost)


def _turning(side: str) -> Nav:
    return Nav.LEFT if side == "left" else Nav.RIGHT


def _rest(plan: Sequence[Nav], times: int, pose: int, step: Step) -> Lead | None:
    """As often as is said, of which some has been done."""
    done = next((i for i, each in enumerate(reversed(plan)) if each is not plan[-1]), len(plan))
    if not done <= times:
        return None
    for _ in range(times - done):
        pose = step(pose, plan[-1])
    return Lead((plan[-1],) * (times - done), pose, 0.0)


def _walked(frame: Frame, been: Sequence[int], around: Surroundings) -> float | None:
    """What it costs to think that somebody who has been at viewpoints has walked as a frame says; None if they have not."""
    first, here = been[0], been[-1]
    elsewhere = around.room[here] != around.room[first]
    match frame:
        case Reach(landmark, _) | Walk(_, Landmark() as landmark):
            apart = around.apart[[first, here], landmark.thing]
            seen = around.same_storey[here, landmark.thing] and around.largest[here, landmark.thing] > 0
            nearer = 0.0 if around.next_to(here, landmark.thing) is None else 0.3
            return nearer + 0.2 * max(float(apart[1]) - 1.0, 0.0) if seen and apart[1] < min(apart[0], _THERE) else None
        case Pass(landmark, _):
            near = float(around.apart[list(been), landmark.thing].min())
            return 0.15 * near if near <= _BY and around.same_storey[here, landmark.thing] else None
        case Enter(room) | Leave(_, room) if elsewhere and (room >= 0 or isinstance(frame, Leave)):
            noun = int(around.room_nouns[here])
            return 0.0 if room < 0 or noun == room else 0.4 if noun in KIN_ROOMS[room] else None
        case Through() if elsewhere:
            return 0.0
        case Stairs(up, _):
            rise = float(around.floor[here] - around.floor[first])
            return 0.0 if (rise if up else -rise) > STEEP else None
        case _:
            return None

"""Every sequence of frames that is true of a plan, found by trying all of them: what advisors say is to be among these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vnla.camera import VIEWS
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
    StopFrame,
    Through,
    Turn,
    Walk,
    check,
    follow,
)
from vnla.language.surroundings import SIDES, Side, Surroundings
from vnla.language.things import NOTHING, ROOMS
from vnla.world.actions import Nav


def plan_frames(
    actions: Sequence[Nav], poses: Sequence[int], around: Surroundings, step: Step, seen: Sequence[int] = ()
) -> Iterator[tuple[Frame, ...]]:
    """Every sequence of frames that is true of a plan: `poses` are those before each action and after the last one."""
    ends = _following(actions, poses, around, step, seen)

    def rest(at: int) -> Iterator[tuple[Frame, ...]]:
        if at == len(actions) or (at and actions[at - 1] is Nav.STOP):
            yield ()
            return
        for frame, end in ends[at]:
            for more in rest(end):
                yield frame, *more

    return rest(0)


def _following(
    actions: Sequence[Nav], poses: Sequence[int], around: Surroundings, step: Step, seen: Sequence[int]
) -> list[list[tuple[Frame, int]]]:
    """For each action of a plan the frames that may be said before it, and the action that comes after each."""
    found: list[list[tuple[Frame, int]]] = []
    for at, pose in enumerate(poses[:-1]):
        true = [
            frame for frame in _candidates(actions, at, around, pose) if check(frame, around, pose, [*seen, *poses[:at]])
        ]
        own: list[tuple[Frame, int]] = []
        for frame in true:
            end = follow(frame, around, pose, step)
            own += [(frame, later) for later in _ends(frame, actions, at) if end is not None and poses[later] == end]
        found.append(own)
    return found


def _ends(frame: Frame, actions: Sequence[Nav], at: int) -> range:
    """Where a frame that begins with an action of a plan may end: its run of like actions, or after any step forward."""
    run = _run(actions, at)
    if isinstance(frame, StopFrame | Look | Turn | Face | Spot | Walk | Pass):
        return range(at + run, at + run + 1)
    after = [i + 1 for i in range(at, len(actions)) if actions[i] is Nav.FORWARD]
    last = max(after, default=at)
    return range(at + 1, last + 1)


def _run(actions: Sequence[Nav], at: int) -> int:
    """How many like actions there are from one on."""
    return next((i - at for i in range(at, len(actions)) if actions[i] is not actions[at]), len(actions) - at)


def _candidates(actions: Sequence[Nav], at: int, around: Surroundings, pose: int) -> Iterator[Frame]:
    """Frames that might be said before an action of a plan, true or not."""
    action, run = actions[at], _run(actions, at)
    landmarks = list(_landmarks(around))
    if action is Nav.STOP:
        yield StopFrame()
        return
    if action in (Nav.UP, Nav.DOWN):
        yield Look(action is Nav.UP, run)
    if action in (Nav.LEFT, Nav.RIGHT):
        side: Side = "left" if action is Nav.LEFT else "right"
        yield Turn(side, run)
        for landmark in landmarks:
            yield from (Face(side, landmark), Spot(side, landmark))
    if action is Nav.FORWARD:
        yield Walk(run)
        yield from (Walk(run, landmark) for landmark in landmarks)
        yield from (Pass(landmark, side) for landmark in landmarks for side in (None, "left", "right"))
    if Nav.FORWARD in actions[at:]:
        yield from (Reach(landmark, side) for landmark in landmarks for side in (None, "left", "right", "ahead"))
        yield from (Remember(landmark) for landmark in landmarks if landmark.hue == NOTHING)
        yield from _ways_out(around, pose // VIEWS)


def _ways_out(around: Surroundings, here: int) -> Iterator[Frame]:
    sides: tuple[Side | None, ...] = (None, *SIDES)
    yield from (Enter(room, side=side) for room in range(len(ROOMS)) for side in sides)
    own = around.room_noun(here)
    if own != NOTHING:
        yield from (Leave(own, into, side) for into in range(NOTHING, len(ROOMS)) for side in sides)
    for door in (True, False):
        yield from (Through(door, 0, side) for side in sides)
        yield from (Through(door, nth, side) for nth in (1, 2, 3) for side in ("left", "right"))
    yield from (Stairs(up, whole) for up in (True, False) for whole in (True, False))


def _landmarks(around: Surroundings) -> Iterator[Landmark]:
    for thing, noun in enumerate(around.noun.tolist()):
        if noun != NOTHING:
            hue = int(around.hue[thing])
            yield from (Landmark(thing, noun, each) for each in dict.fromkeys((NOTHING, hue)))

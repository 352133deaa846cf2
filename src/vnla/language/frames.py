"""What can be said of a walk: small typed frames, each of which is true or false of a place, and leads somewhere.

A frame is one thing that somebody does: `Turn`, `Walk`, `Reach` a thing, `Pass` it, go `Through` a door, `Enter` a room.
Said at a pose it is true if what it speaks of is there (`check`), and it leads to one pose (`follow`): the inverse of saying
it. An advisor may say a frame of a plan if it is true where it is said and leads along the plan.
Distances and angles are those of `vnla.language.surroundings`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from vnla.camera import VIEWS
from vnla.language.surroundings import LONGEST_LEG, Bools, Side, Surroundings, Way, on_side
from vnla.language.things import HUES, NOTHING, ROOMS, THINGS
from vnla.world.actions import Nav

Step = Callable[[int, Nav], int]
"""The pose after an action at a pose."""


class FrameKind(IntEnum):
    """The kinds of frames as tables have them. The values are part of every sentence: add, never renumber."""

    STOP = 0
    LOOK_UP = 1
    LOOK_DOWN = 2
    WALK = 3
    TURN = 4
    FACE = 5
    SPOT = 6
    REACH = 7
    PASS = 8
    ENTER = 9
    LEAVE = 10
    CROSS = 11
    THROUGH = 12
    CLIMB = 13
    DESCEND = 14
    RISE = 15
    SINK = 16
    TOWARD = 17
    RETURN = 18


@dataclass(frozen=True)
class StopFrame:
    """Stay."""


@dataclass(frozen=True)
class Look:
    """Tilt the camera so many times."""

    up: bool
    times: int = 1


@dataclass(frozen=True)
class Walk:
    """Go forward so many steps; `toward` something that is ahead, if it is named. Only people say how many `metres`."""

    steps: int
    toward: Landmark | None = None
    metres: float = 0.0


@dataclass(frozen=True)
class Turn:
    """Turn so many times 30 degrees."""

    side: Side
    times: int


@dataclass(frozen=True)
class Landmark:
    """A thing of the house, and what of it is said: its noun, and its colour or NOTHING."""

    thing: int
    noun: int
    hue: int = NOTHING

    def __str__(self) -> str:
        words = THINGS[self.noun].words[0]
        return words if self.hue == NOTHING else f"{HUES[self.hue].words[0]} {words}"


@dataclass(frozen=True)
class Face:
    """Turn until a thing is ahead."""

    side: Side
    landmark: Landmark


@dataclass(frozen=True)
class Spot:
    """Turn until a thing comes into view."""

    side: Side
    landmark: Landmark


@dataclass(frozen=True)
class Reach:
    """Go to a thing: the nearest place that is next to it. `side` is where in the view it is, if that is said."""

    landmark: Landmark
    side: Side | None = None


@dataclass(frozen=True)
class Remember:
    """Go back to a thing that was seen before, and is not in view."""

    landmark: Landmark


@dataclass(frozen=True)
class Pass:
    """Go forward until a thing is behind. `side` is where it is on the way, if that is said."""

    landmark: Landmark
    side: Side | None = None


@dataclass(frozen=True)
class Enter:
    """Go into the nearest room of a kind. `side` is where the way there begins, if that is said. Only people say by its
    furniture which one: `holding` is a noun."""

    room: int
    holding: int = NOTHING
    side: Side | None = None

    def __str__(self) -> str:
        return ROOMS[self.room].words[0] if self.room >= 0 else "room"


@dataclass(frozen=True)
class Leave:
    """Go out of the room; into another of a kind, if that is said. `side` is where the way out begins, if that is said."""

    room: int
    into: int = NOTHING
    side: Side | None = None


@dataclass(frozen=True)
class Through:
    """Go through a way out of the room: with a door or without, on a side, the nth there; 0 if there is one only."""

    door: bool
    ordinal: int = 0
    side: Side | None = None


@dataclass(frozen=True)
class Stairs:
    """Go up or down: as far as the flight goes, or only begin."""

    up: bool
    whole: bool = True


@dataclass(frozen=True)
class Overlook:
    """Turn until the way into a room of a kind is ahead. Only people say so."""

    side: Side
    room: int


@dataclass(frozen=True)
class LevelFrame:
    """Look neither up nor down. Only people say so."""


@dataclass(frozen=True)
class Have:
    """Do nothing, but be where a thing, or a room of a kind, is in view, or on a side. Only people say so."""

    landmark: Landmark | None = None
    room: int = NOTHING
    side: Side | None = None


Frame = (
    StopFrame | Look | Walk | Turn | Face | Spot | Reach | Remember | Pass | Enter | Leave | Through | Stairs
    | Overlook | LevelFrame | Have
)  # fmt: skip


def said(what: int, side: int, action: Nav, actions: int) -> Frame:
    """The frame that tables have as a number (`vnla.language.facts.pack`), with the side that is said (1 left, 2 right,
    3 ahead), of a clause about so many actions that begins with one."""
    noun, hue, ordinal = (what >> 5 & 255) - 1, (what >> 13 & 15) - 1, what >> 17 & 3
    room, landmark = (what >> 19 & 63) - 1, Landmark((what >> 25) - 1, noun, hue)
    turn: Side = "left" if action is Nav.LEFT else "right"
    where: Side | None = (None, "left", "right", "ahead")[side]
    made: dict[FrameKind, Callable[[], Frame]] = {
        FrameKind.STOP: StopFrame,
        FrameKind.LOOK_UP: lambda: Look(True, actions),
        FrameKind.LOOK_DOWN: lambda: Look(False, actions),
        FrameKind.WALK: lambda: Walk(actions),
        FrameKind.TURN: lambda: Turn(turn, actions),
        FrameKind.FACE: lambda: Face(turn, landmark),
        FrameKind.SPOT: lambda: Spot(turn, landmark),
        FrameKind.REACH: lambda: Reach(landmark, where),
        FrameKind.PASS: lambda: Pass(landmark, where),
        FrameKind.ENTER: lambda: Enter(noun, side=where),
        FrameKind.LEAVE: lambda: Leave(room, side=where),
        FrameKind.CROSS: lambda: Leave(room, noun, where),
        FrameKind.THROUGH: lambda: Through(noun == 1, ordinal, where),
        FrameKind.CLIMB: lambda: Stairs(True),
        FrameKind.DESCEND: lambda: Stairs(False),
        FrameKind.RISE: lambda: Stairs(True, False),
        FrameKind.SINK: lambda: Stairs(False, False),
        FrameKind.TOWARD: lambda: Walk(actions, landmark),
        FrameKind.RETURN: lambda: Remember(landmark),
    }
    return made[FrameKind(what & 31)]()


def check(frame: Frame, around: Surroundings, pose: int, seen: Sequence[int] = ()) -> bool:
    """Whether what a frame speaks of is so at a pose; `seen` are the poses before, for what is remembered."""
    here, view = divmod(pose, VIEWS)
    match frame:
        case Walk(steps, None):
            return steps > 0
        case Walk(_, Landmark() as landmark):
            return _names(landmark, around, here, view) and bool(around.ahead[here, view, landmark.thing])
        case Face() | Spot():
            return not _done(frame, around, here, view).any() and _turned(frame, around, pose) is not None
        case Reach(landmark, side):
            sided = side is None or around.side_of_thing(here, view, landmark.thing) == side
            return sided and _names(landmark, around, here, view) and _there(frame, around, here, view) is not None
        case Remember(landmark):
            before = any(around.visible[(*divmod(each, VIEWS), landmark.thing)] for each in seen)
            alone = around.is_only_one(landmark.thing) and not around.present[here, view, landmark.thing]
            return before and alone and _there(frame, around, here, view) is not None
        case Pass(landmark, side):
            sided = side is None or (side != "ahead" and around.side_of_thing(here, view, landmark.thing) == side)
            passable = bool(around.standing[landmark.thing] and around.same_storey[here, landmark.thing])
            return sided and _names(landmark, around, here, view) and passable
        case Enter(side=side) | Leave(side=side):
            there = _there(frame, around, here, view)
            return there is not None and (side is None or on_side(around.begins(here, view, there), side))
        case Through() | Stairs():
            return _there(frame, around, here, view) is not None
        case Overlook() | LevelFrame() | Have():
            return False  # what no advisor says has no strict meaning
        case _:
            return True


def follow(frame: Frame, around: Surroundings, pose: int, step: Step) -> int | None:
    """The pose that a frame leads to from `pose`; None if it leads nowhere. `step` is what actions do."""
    here, view = divmod(pose, VIEWS)
    match frame:
        case StopFrame():
            return pose
        case Look(up, times):
            return _repeat(pose, Nav.UP if up else Nav.DOWN, times, step)
        case Turn(side, times):
            return _repeat(pose, Nav.LEFT if side == "left" else Nav.RIGHT, times, step)
        case Walk(steps, toward):
            end = _repeat(pose, Nav.FORWARD, steps, step)
            return end if toward is None or around.nears(here, end // VIEWS, toward.thing) else None
        case Face() | Spot():
            return _turned(frame, around, pose)
        case Pass(landmark, _):
            return _passed(landmark.thing, around, pose, step)
        case _:
            there = _there(frame, around, here, view)
            return None if there is None else around.led(pose, there)


def _names(landmark: Landmark, around: Surroundings, here: int, view: int) -> bool:
    """Whether the words for a thing can mean no other in view."""
    return around.is_named(here, view, landmark.thing, coloured=landmark.hue != NOTHING)


def _repeat(pose: int, action: Nav, times: int, step: Step) -> int:
    for _ in range(times):
        pose = step(pose, action)
    return pose


def _turned(frame: Face | Spot, around: Surroundings, pose: int) -> int | None:
    """The first pose of a turn at which the thing is ahead, or in view; if it is another that its words may mean, none."""
    here, view = divmod(pose, VIEWS)
    thing, coloured = frame.landmark.thing, frame.landmark.hue != NOTHING
    for there in around.turning(view, frame.side == "left"):
        done = _done(frame, around, here, there)
        if done.any():
            return here * VIEWS + there if done[thing] and around.is_named(here, there, thing, coloured=coloured) else None
    return None


def _done(frame: Face | Spot, around: Surroundings, here: int, view: int) -> Bools:
    """Of what the words of a frame may mean, what is ahead, or in view: (things,)."""
    seen = around.ahead if isinstance(frame, Face) else around.present
    done: Bools = seen[here, view] & around.taken_for(frame.landmark.thing, coloured=frame.landmark.hue != NOTHING)
    return done


def _passed(thing: int, around: Surroundings, pose: int, step: Step) -> int | None:
    """The first pose straight on from which a thing that was ahead is behind."""
    path = [pose // VIEWS]
    while (after := step(pose, Nav.FORWARD)) != pose and len(path) < LONGEST_LEG:
        pose = after
        path.append(pose // VIEWS)
        if around.passed(path)[thing]:
            return pose
    return None


def _there(frame: Frame, around: Surroundings, here: int, view: int) -> int | None:
    """The viewpoint that a frame leads to; None if there is none, or the way to it begins behind one's back."""
    match frame:
        case Reach(landmark, _) | Remember(landmark):
            there = around.next_to(here, landmark.thing)
        case Enter(room):
            there = around.nearest_in(here, room)
        case Leave(room, into, _):
            there = around.nearest_out(here) if around.room_noun(here) == room else None
            if there is not None and into != NOTHING and around.nearest_in(here, into) != there:
                there = None
        case Through(door, ordinal, side):
            found: list[Way] = [way for way in around.ways_on(here, view, side, ordinal) if way.door == door]
            there = found[0].beyond if found else None
        case Stairs(up, whole):
            there = around.along_stairs(here, up, whole)
        case _:
            there = None
    if there is None or not around.begins_ahead(here, view, there):
        return None
    return there

"""From a program to a finished plan: storeys stacked, turned and mirrored, given doors, windows, stairs and porches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from numpy.random import Generator

from vnla.common.errors import InputError
from vnla.houses.generate.layout import openings
from vnla.houses.generate.layout.blocks import HALL, Area, Kind
from vnla.houses.generate.layout.frame import StoreyFrame, draw_frame
from vnla.houses.generate.layout.judgement import badness, reachable, walkable
from vnla.houses.generate.layout.openings import NoWallError
from vnla.houses.generate.layout.program import Program, draw_program
from vnla.houses.generate.layout.storeys import DoesNotFitError, StoreyDraft, draw_storey
from vnla.houses.generate.plan import FloorPlan, Opening, PlannedLevel, PlannedRoom, Rectangle, StairFlight
from vnla.houses.generate.walls import outer, shared
from vnla.houses.generate.wishes import FEWEST_ROOMS, Wishes

DRAWS = 5
"""Sound plans to draw before the best of them is taken."""

ATTEMPTS = 400


def draw_plan(random: Generator, rooms: int, wishes: Wishes | None = None) -> FloorPlan:
    """A building of about `rooms` rooms (6 to 80), as somebody wishes it."""
    if not 6 <= rooms <= 120:
        raise ValueError(f"a building has 6 to 120 rooms, not {rooms}")
    storeys = _storeys(random, rooms) if wishes is None else _wished(random, rooms, wishes)
    programme = None if wishes is None else wishes.programme
    drawn: list[FloorPlan] = []
    for attempt in range(ATTEMPTS):
        try:
            drawn.append(_draw(random, _asked(rooms, attempt, wishes), storeys, programme))
        except (DoesNotFitError, NoWallError):
            continue
        if not reachable(drawn[-1]) or not (wishes is None or wishes.met_by(drawn[-1])):
            drawn.pop()
        elif len(drawn) == DRAWS:
            drawn.sort(key=lambda plan: badness(plan, rooms))
            best = next((plan for plan in drawn if walkable(plan)), None)
            if best is not None:
                return best
            drawn.clear()
    if wishes is not None:
        return _last_resort(drawn, rooms, wishes)
    raise RuntimeError(f"no plan of {rooms} rooms came out in {ATTEMPTS} draws")


def _asked(rooms: int, attempt: int, wishes: Wishes | None) -> int:
    """How many rooms to ask for: plans come out larger, so fewer where their number matters."""
    if wishes is None or wishes.rooms is None:
        return rooms
    return max(6, rooms - attempt % (3 + rooms // 6))


def _wished(random: Generator, rooms: int, wishes: Wishes) -> int:
    """As many storeys as are wished, where the rooms allow them; any number in a range is as good."""
    if wishes.storeys is None:
        return _storeys(random, rooms)
    low, high = wishes.storeys
    most = rooms if wishes.rooms is None else wishes.rooms[1]
    possible = [each for each in range(low, high + 1) if wishes.rooms is None or FEWEST_ROOMS[each] <= most]
    return int(random.choice(possible or [low]))


def _last_resort(drawn: list[FloorPlan], rooms: int, wishes: Wishes) -> FloorPlan:
    """The best of few plans, where wishes are hard to meet."""
    drawn.sort(key=lambda plan: badness(plan, rooms))
    best = next((plan for plan in drawn if walkable(plan)), None)
    if best is None:
        raise InputError(f"no house of about {rooms} rooms came out with{wishes.options()}; wish for a wider range")
    return best


def _storeys(random: Generator, rooms: int) -> int:
    """Half of the buildings have more than one storey, the smallest hardly ever."""
    if rooms < 11:
        return 1
    shares = (0.42, 0.58, 0.0) if rooms < 20 else (0.30, 0.42, 0.28)
    return 1 + int(random.choice(3, p=shares))


@dataclass
class _Draft:
    """A plan in the making, in metres, turned and mirrored."""

    levels: list[PlannedLevel]
    rooms: list[PlannedRoom] = field(default_factory=list)
    openings: list[Opening] = field(default_factory=list)
    stairs: list[StairFlight] = field(default_factory=list)


def _draw(random: Generator, rooms: int, storeys: int, programme: str | None = None) -> FloorPlan:
    depth = int(random.integers(50, 58)) if storeys > 1 else int(random.integers(43, 57))
    program = draw_program(random, rooms, storeys, depth, programme)
    frame, drawn = _stacked(random, program)
    way = _Turn(bool(random.random() < 0.5), bool(random.random() < 0.5), bool(random.random() < 0.5))
    draft = _Draft(_levels(random, storeys))
    first_ids = _add_rooms(draft, drawn, way)
    _add_ways(random, draft, drawn, first_ids)
    if frame.stairs is not None:
        _add_stairs(random, draft, drawn, frame, first_ids, way)
    _add_front_door(random, draft)
    _add_shortcuts(random, draft)
    _add_outdoors(random, draft, program)
    _add_garage_doors(random, draft)
    for level in draft.levels:
        draft.openings += openings.place_windows(random, draft.rooms, draft.openings, level)
    return FloorPlan(tuple(draft.levels), tuple(draft.rooms), tuple(draft.openings), tuple(draft.stairs))


def _stacked(random: Generator, program: Program) -> tuple[StoreyFrame, list[StoreyDraft]]:
    """All storeys in the tightest of some frames that holds them."""
    for slack in (0.0, 0.03, 0.06, 0.1, 0.15):
        frame = draw_frame(random, program, slack)
        try:
            return frame, [draw_storey(random, program, frame, number) for number in range(len(program.storeys))]
        except DoesNotFitError:
            continue
    raise DoesNotFitError


@dataclass(frozen=True, slots=True)
class _Turn:
    """A turn by a right angle and mirror images, for decimetres on the drawing → metres on the ground."""

    swapped: bool
    east_west: bool
    north_south: bool

    def area(self, area: Area) -> Rectangle:
        west, south, east, north = area
        if self.swapped:
            west, south, east, north = south, west, north, east
        if self.east_west:
            west, east = -east, -west
        if self.north_south:
            south, north = -north, -south
        return Rectangle(west / 10, south / 10, east / 10, north / 10)


def _levels(random: Generator, storeys: int) -> list[PlannedLevel]:
    """Storeys of the same height: 3.0 to 3.5 m from floor to floor, of which the slab takes 0.3."""
    rise = round(float(random.uniform(3.0, 3.5)), 2)
    return [PlannedLevel(number, number * rise, round(rise - 0.3, 2)) for number in range(storeys)]


def _add_rooms(draft: _Draft, drawn: Sequence[StoreyDraft], way: _Turn) -> list[int]:
    """All rooms, numbered through; the number of each storey's first."""
    first_ids = []
    for number, storey in enumerate(drawn):
        first_ids.append(len(draft.rooms))
        for label, area in storey.rooms:
            draft.rooms.append(PlannedRoom(len(draft.rooms), label, number, way.area(area)))
    return first_ids


def _add_ways(random: Generator, draft: _Draft, drawn: Sequence[StoreyDraft], first_ids: Sequence[int]) -> None:
    """Doors and arches for every link; arches first, since doors can go around them."""
    for storey, start in zip(drawn, first_ids, strict=True):
        links = sorted(storey.links, key=lambda link: link[2])
        for first, second, kind in links:
            other = _hall_beside(draft, storey, start, first) if second == HALL else start + second
            draft.openings.append(openings.place_way(random, draft.rooms, draft.openings, start + first, other, kind))


def _hall_beside(draft: _Draft, storey: StoreyDraft, start: int, room: int) -> int:
    """The piece of hallway with the longest wall to a room; for a branch, the piece of the main hallway."""
    candidates = storey.main if room in storey.branches else storey.main + storey.branches
    best, length = None, 0.0
    for number in candidates:
        wall = shared(draft.rooms[start + room].area, draft.rooms[start + number].area)
        if wall is not None and wall.length > length:
            best, length = start + number, wall.length
    if best is None:
        raise NoWallError
    return best


def _add_stairs(
    random: Generator, draft: _Draft, drawn: Sequence[StoreyDraft], frame: StoreyFrame, first_ids: Sequence[int], way: _Turn
) -> None:
    """The same flight on every storey, along one side of the stair room, up towards the hallway or away from it."""
    assert frame.stairs is not None
    west, room_width = frame.stairs
    depth = frame.depths[1]
    width = min(int(random.integers(10, 13)), room_width - 12)
    length = min(int(random.integers(32, 41)), depth - 20)
    inset = west + 1 if random.random() < 0.5 else west + room_width - 1 - width
    south = frame.hall + (depth - length) // 2
    flight = (inset, south, inset + width, south + length)
    away = random.random() < 0.6
    rises = _direction(way, away)
    for lower, upper in zip(range(len(drawn)), range(1, len(drawn)), strict=False):
        below, above = drawn[lower].stairs, drawn[upper].stairs
        assert below is not None and above is not None
        draft.stairs.append(StairFlight(first_ids[lower] + below, first_ids[upper] + above, way.area(flight), rises))


def _direction(way: _Turn, away: bool) -> Literal["north", "south", "east", "west"]:
    """Away from the hallway is north on the drawing."""
    if way.swapped:
        return "east" if away != way.east_west else "west"
    return "north" if away != way.north_south else "south"


def _add_front_door(random: Generator, draft: _Draft) -> None:
    entries = [room.id for room in draft.rooms if room.label == "e" and room.level == 0]
    if not entries:
        raise NoWallError
    draft.openings.append(openings.front_door(random, draft.rooms, draft.openings, entries[0]))


def _add_garage_doors(random: Generator, draft: _Draft) -> None:
    """A wide door for the car, in the longest outer wall of every garage."""
    for garage in draft.rooms:
        walls = outer(garage, draft.rooms) if garage.label == "g" else []
        if walls:
            wall = max(walls, key=lambda each: each.length)
            draft.openings.append(openings.garage_door(random, draft.rooms, draft.openings, garage, wall))


NEIGHBOURS: tuple[tuple[str, float, Kind], ...] = (
    ("ld", 0.7, "arch"),
    ("dk", 0.7, "arch"),
    ("lk", 0.3, "arch"),
    ("lf", 0.5, "arch"),
    ("kf", 0.4, "arch"),
    ("el", 0.5, "arch"),
    ("ed", 0.3, "arch"),
    ("kj", 0.5, "door"),
    ("kg", 0.4, "door"),
    ("lo", 0.3, "door"),
    ("li", 0.3, "door"),
    ("fv", 0.3, "arch"),
    ("ln", 0.3, "arch"),
    ("oo", 0.2, "door"),
    ("om", 0.3, "door"),
)
"""Pairs of rooms that open into each other where they happen to lie side by side, and how often."""


def _add_shortcuts(random: Generator, draft: _Draft) -> None:
    """Ways between neighbouring rooms that no block asked for: real houses can be walked in circles."""
    joined = {frozenset(opening.rooms) for opening in draft.openings}
    for pair, share, kind in NEIGHBOURS:
        for one in draft.rooms:
            for other in draft.rooms:
                if one.label != pair[0] or other.label != pair[1] or one.level != other.level or one.id == other.id:
                    continue
                wall = shared(one.area, other.area)
                if wall is None or wall.length < 2.2 or frozenset((one.id, other.id)) in joined or random.random() > share:
                    continue
                joined.add(frozenset((one.id, other.id)))
                draft.openings.append(openings.place_way(random, draft.rooms, draft.openings, one.id, other.id, kind))


def _add_outdoors(random: Generator, draft: _Draft, program: Program) -> None:
    """A porch before the front door, terraces off the living rooms, balconies upstairs."""
    left = program.outdoors
    front = next(each for each in draft.openings if each.kind == "door" and each.rooms[1] is None)
    if left and random.random() < 0.7:
        left -= _add_porch(random, draft, front)
    wanted = {0: "ldkfnrh", **dict.fromkeys(range(1, len(draft.levels)), "bfnvh")}
    rooms = [room for room in draft.rooms if room.label in wanted[room.level]]
    for at in random.permutation(len(rooms)):
        if left <= 0:
            return
        left -= _add_terrace(random, draft, rooms[int(at)])


def _add_porch(random: Generator, draft: _Draft, front: Opening) -> bool:
    room = draft.rooms[front.rooms[0]]
    wall = next(each for each in outer(room, draft.rooms) if each.holds(front))
    area = openings.outside(random, draft.rooms, wall, room, "p")
    if area is None:
        return False
    draft.rooms.append(PlannedRoom(len(draft.rooms), "p", room.level, area))
    draft.openings[draft.openings.index(front)] = openings.opened_to(front, draft.rooms[-1].id)
    return True


def _add_terrace(random: Generator, draft: _Draft, room: PlannedRoom) -> bool:
    """A terrace (downstairs) or a balcony (upstairs) along the longest outer wall of a room, with a glass door to it."""
    walls = [wall for wall in outer(room, draft.rooms) if wall.length >= (1.3 if room.label == "h" else 2.4)]
    if not walls:
        return False
    label = "y" if room.level else str(random.choice(["x", "p"]))
    wall = max(walls, key=lambda each: each.length)
    area = openings.outside(random, draft.rooms, wall, room, label)
    if area is None:
        return False
    draft.rooms.append(PlannedRoom(len(draft.rooms), label, room.level, area))
    draft.openings.append(openings.place_way(random, draft.rooms, draft.openings, room.id, draft.rooms[-1].id, "door"))
    return True

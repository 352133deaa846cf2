"""Which plans are sound, and which of two an architect would rather have drawn."""

from __future__ import annotations

from vnla.houses.generate.free_space import FreeSpace, points_within
from vnla.houses.generate.plan import FloorPlan, PlannedRoom
from vnla.houses.house import connected

STANDING = 0.25
"""Half the width, in metres, of someone who must get everywhere."""

NARROWEST = {"c": 1.2, "t": 1.2, "h": 1.2}
"""Least width of a room in metres; of any other 1.5."""

LARGEST = {"c": 8.0, "t": 5.5, "a": 14.0, "b": 27.0, "l": 62.0, "j": 14.0, "u": 14.0, "e": 20.0, "s": 16.0, "h": 20.0}
"""Square metres that a room may have; any other 60."""


def reachable(plan: FloorPlan) -> bool:
    """Whether every room can be reached from every other, through doors and over stairs."""
    ways: dict[int, list[int]] = {room.id: [] for room in plan.rooms}
    for one, other in [
        *((opening.rooms[0], opening.rooms[1]) for opening in plan.openings if opening.passable),
        *((stairs.lower_room, stairs.upper_room) for stairs in plan.stairs),
    ]:
        if other is not None:
            ways[one].append(other)
            ways[other].append(one)
    return len(connected(ways)) == 1


def walkable(plan: FloorPlan) -> bool:
    """Whether one fits through every door and into every room, past the leaves that stand open."""
    for level in plan.levels:
        space = FreeSpace(plan, level.id)
        stands, spots = list(space.doors), space.spots(STANDING)
        for room in plan.rooms:
            if room.level == level.id:
                within = points_within(spots, room.area)
                if len(within) == 0:
                    return False
                stands += [(float(x), float(y)) for x, y in within[:: max(1, len(within) // 8)]]
        if not space.connected(stands, STANDING):
            return False
    return True


def badness(plan: FloorPlan, rooms: int) -> float:
    """Lower is better: few odd shapes, about the wanted number of rooms, hallways that do not dominate."""
    odd = sum(_oddness(room) for room in plan.rooms)
    indoors = [room for room in plan.rooms if not room.outdoor]
    halls = sum(room.area.area for room in indoors if room.label in "hs") / sum(room.area.area for room in indoors)
    return (
        odd / len(plan.rooms) * 8 + 6 * abs(len(plan.rooms) - rooms) / rooms + 10 * max(0.0, halls - 0.2) + _overhang(plan)
    )


def _oddness(room: PlannedRoom) -> float:
    """0 for a room of a plausible size and shape, up to several for one that nobody would build."""
    narrow, long = sorted((room.area.width, room.area.depth))
    odd = 4.0 * max(0.0, NARROWEST.get(room.label, 1.5) - narrow)
    odd += max(0.0, room.area.area / LARGEST.get(room.label, 60.0) - 1.0) * 2
    if room.label not in "hsyp":
        odd += max(0.0, long / narrow - 2.0)
    if room.label in "bldkofvm":
        odd += max(0.0, 2.4 - narrow) * 2
    return odd


def _overhang(plan: FloorPlan) -> float:
    """How much of the upper storeys hangs in the air: square metres over the area of the building."""
    hanging = 0.0
    for room in plan.rooms:
        below = [each.area for each in plan.rooms if each.level == room.level - 1 and not each.outdoor]
        if room.level == min(plan.level_by_id) or room.outdoor:
            continue
        covered = sum(
            max(0.0, min(room.area.east, each.east) - max(room.area.west, each.west))
            * max(0.0, min(room.area.north, each.north) - max(room.area.south, each.south))
            for each in below
        )
        hanging += max(0.0, room.area.area - covered)
    return 20 * hanging / sum(room.area.area for room in plan.rooms)

"""What is shown at the end of a walk: the object that was sought, and after a failure where the walk went wrong.

Nothing of this is told before the walk has ended. A study tells none of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from vnla.camera import HEADINGS, LEVEL_ROW, ROWS, TURN, VIEWS, view_index
from vnla.houses.house import House, Object
from vnla.houses.rooms import NO_LABEL
from vnla.report.plan import storeys
from vnla.serve.events import Ending, SoughtObject, WrongTurn
from vnla.serve.places import VisitorWorld
from vnla.tasks.buckets import delegate
from vnla.tasks.end_goals import plain
from vnla.tasks.task import Task

_MOST = 0.02
"""Metres by which a distance may differ and still count as the same."""


def ending(world: VisitorWorld, task: Task, poses: Sequence[int], *, success: bool, names: bool = False) -> Ending:
    """Return what is shown at the end of a walk; `names` are those of the rooms, for whoever has not been told them."""
    house = world.house(task)
    return Ending(
        sought=_sought(world, house, task, poses[-1]) if success else None,
        wrong_turn=None if success else _wrong_turn(world, task, poses),
        rooms=room_names(house) if names else None,
    )


def room_names(house: House) -> list[list[str | None]]:
    """Return the names of the rooms of each storey, in the order in which the house's plan has them."""
    return [
        [None if room.label == NO_LABEL else room.name for room in storey.rooms if room.box is not None]
        for storey in storeys(house)
    ]


def _wrong_turn(world: VisitorWorld, task: Task, poses: Sequence[int]) -> WrongTurn:
    """Return the last place from which the way was still right: afterwards the walk never came as near to a goal again."""
    metres = [world.metres(pose, task) for pose in poses]
    last = max(i for i, each in enumerate(metres) if each <= min(metres) + _MOST)
    step = min(last, len(poses) - 2)
    return WrongTurn(step=step, pose=world.pose(poses[step]), metres=round(metres[step], 2), left=last < len(poses) - 1)


def _sought(world: VisitorWorld, house: House, task: Task, pose: int) -> SoughtObject | None:
    """Return the object that was found: the nearest, first in the room where the walk ended; None if none is known."""
    number = world.viewpoint(pose)
    here = house.viewpoints[number]
    things = sorted(
        _things(house, task), key=lambda each: (each.room != here.room, math.dist(each.box.centre, here.position))
    )
    if not things:
        return None
    best = things[0]
    view = _view_of(np.subtract(best.box.centre, here.position))
    return SoughtObject(
        corners=[(round(x, 2), round(y, 2), round(z, 2)) for x, y, z in best.box.corners()],
        pose=world.pose(pose // VIEWS * VIEWS + view),
        near=world.places.viewpoints(house)[delegate(house, best)],
        same_room=best.room == here.room,
    )


def _things(house: House, task: Task) -> Iterator[Object]:
    """Yield the objects that fulfil a task: of its label, and with a delegate among its goals."""
    goals = {house.number[goal] for goal in task.goals}
    for thing in house.objects:
        if thing.room is not None and plain(thing.label) == plain(task.object) and delegate(house, thing) in goals:
            yield thing


def _view_of(offset: NDArray[np.float64]) -> int:
    """Return the view whose middle is nearest to a direction, given as an offset from the camera."""
    x, y, z = offset.tolist()
    row = LEVEL_ROW + round(math.atan2(z, math.hypot(x, y)) / TURN)
    return view_index(min(max(row, 0), ROWS - 1), round(math.atan2(x, y) / TURN) % HEADINGS)

"""What places people may mean, and the ways there."""

from __future__ import annotations

from cottage_poses import AROUND
from vnla.camera import VIEWS
from vnla.language.frames import Step
from vnla.language.relaxed_matching import GroundingContext
from vnla.world.actions import Nav

POSES = range(len(AROUND.graph.ids) * VIEWS)


def begun(pose: int, step: Step, *, guided: bool) -> set[tuple[Nav, ...]]:
    place = GroundingContext(AROUND, step, count=4, guided=guided)
    place.begin(pose)
    return place.beginnings


def blocked(pose: int, action: Nav) -> int:
    return pose if action is Nav.FORWARD else AROUND.after(pose, action)


def test_shortest_ways_begin_with_the_navigation_teachers_actions() -> None:
    for pose in POSES:
        ways = [AROUND.way(pose, there) for there in range(len(AROUND.graph.ids))]
        wanted = {way[:size] for way in ways for size in range(1, min(len(way), 4) + 1)}
        assert begun(pose, blocked, guided=True) == wanted == begun(pose, AROUND.after, guided=False)


def test_without_a_goal_they_end_before_a_step_that_leads_elsewhere() -> None:
    for pose in POSES:
        wanted = {plan for plan in begun(pose, blocked, guided=True) if Nav.FORWARD not in plan}
        assert begun(pose, blocked, guided=False) == wanted

"""The scripted searcher in the cottage, by hand. Bearings are clockwise from north; a view shows 40 degrees to each side."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from cottage_players import TASKS, WORLD
from vnla.camera import LEVEL_ROW, VIEWS, view_index
from vnla.episode import Episodes
from vnla.evaluation.ceilings.searcher import Searcher, walked
from vnla.world.budgets import SUBGOAL_ACTIONS
from vnla.world.compiled import Environment

NORTH, EAST, SOUTH, WEST = 0, 3, 6, 9
ONE_VIEW, PANORAMA = Searcher(), Searcher(panorama=True)


def begin(start: str, heading: int, goal: str, steps: int, requests: int) -> Episodes:
    """One episode with every time budget up to so many steps: together they show where the searcher is after each."""
    environment = Environment.compile(WORLD, [("cottage", [goal])])
    key = torch.arange(steps)
    pose = WORLD.viewpoint("cottage", start) * VIEWS + view_index(LEVEL_ROW, heading)
    begun = Episodes.begin(environment, key=key, start=key * 0 + pose, goals=key * 0, time_budget=key + 1, seed=0)
    return replace(begun, help_budget=key * 0 + requests)


def places(searcher: Searcher, start: str, heading: int, goal: str, steps: int, requests: int = 0) -> list[str]:
    """Where it is after 1, 2, … actions."""
    final = walked(begin(start, heading, goal, steps, requests), searcher, SUBGOAL_ACTIONS)
    return [WORLD.ids[pose // VIEWS] for pose in final.pose.tolist()]


def used(searcher: Searcher, start: str, heading: int, goal: str, steps: int, requests: int) -> int:
    """How many requests it makes in so many steps."""
    final = walked(begin(start, heading, goal, steps, requests), searcher, SUBGOAL_ACTIONS)
    return requests - int(final.requests_left[-1])


def test_one_view_does_not_show_what_is_beside_it() -> None:
    """From the hall, looking north: the kitchen is at 99 degrees, the north of the hall at 4, and beyond it the stairs."""
    assert places(ONE_VIEW, "hall_south", NORTH, "kitchen", 2) == ["hall_north", "stairs_foot"]


def test_a_panorama_does() -> None:
    """Two turns to the right, to 60 degrees, bring the kitchen into view, and `forward` goes there. There it stops."""
    assert places(PANORAMA, "hall_south", NORTH, "kitchen", 6) == ["hall_south"] * 2 + ["kitchen"] * 4


@pytest.mark.parametrize("searcher", [ONE_VIEW, PANORAMA])
def test_with_nothing_in_view_it_turns(searcher: Searcher) -> None:
    """Looking south in the entryway: five turns of 30 degrees show the hall, which is 6 degrees to the west of north."""
    assert places(searcher, "entryway", SOUTH, "hall_south", 8) == ["entryway"] * 5 + ["hall_south"] * 3


def test_it_goes_back_to_the_nearest_place_that_it_has_seen() -> None:
    """From the east of the living room, looking west: first to the west of it, one action; then back to the hall, eight:
    six turns to the left, until it looks east, and forward twice. By the right it is five turns, forward, one turn, forward:
    as many, and the left comes first."""
    walk = places(PANORAMA, "living_east", WEST, "bathroom", 9)
    assert walk == [*["living_west"] * 7, "living_east", "hall_south"]


def test_one_view_looks_around_where_nothing_is_left_to_go_to() -> None:
    """It has not looked east before it went west. So it turns once around in the west, eleven times to the left, and goes
    back to look on: from 300 degrees, the last heading, four turns to the right bring the room's east into view again."""
    walk = places(ONE_VIEW, "living_east", WEST, "bathroom", 18)
    assert walk == [*["living_west"] * 16, *["living_east"] * 2]


def test_advice_is_followed_to_the_letter() -> None:
    """The teacher turns three times and goes forward: the four actions of a subgoal."""
    assert places(ONE_VIEW, "hall_south", NORTH, "kitchen", 6, requests=1) == ["hall_south"] * 3 + ["kitchen"] * 3
    assert used(ONE_VIEW, "hall_south", NORTH, "kitchen", 6, requests=2) == 1


def test_who_sees_the_goal_does_not_ask() -> None:
    assert used(PANORAMA, "hall_south", NORTH, "kitchen", 6, requests=2) == 0
    assert used(ONE_VIEW, "hall_south", NORTH, "hall_north", 6, requests=2) == 0


def test_who_asks_if_wrong_asks_where_the_teacher_would_do_something_else() -> None:
    """One view would go forward at once, where the teacher turns. A panorama turns twice with the teacher, and then goes
    forward where the teacher turns once more."""
    for searcher in (ONE_VIEW, PANORAMA):
        asking = replace(searcher, if_wrong=True)
        assert used(asking, "hall_south", NORTH, "kitchen", 1, requests=2) == (searcher is ONE_VIEW)
        assert used(asking, "hall_south", NORTH, "kitchen", 6, requests=2) == 1
        assert used(asking, "hall_south", NORTH, "hall_north", 6, requests=2) == 0


@pytest.mark.parametrize("searcher", [ONE_VIEW, PANORAMA])
def test_with_a_request_for_every_error_it_walks_as_the_teacher(searcher: Searcher) -> None:
    begun = TASKS.episodes(torch.arange(len(TASKS)), seed=1)
    begun = replace(begun, help_budget=begun.time_budget)
    final = walked(begun, replace(searcher, if_wrong=True), SUBGOAL_ACTIONS)
    _, poses = begun.environment.taught_way(begun.start, begun.goals, int(begun.time_budget.max()))
    assert torch.equal(final.pose, torch.stack(poses, dim=1).gather(1, begun.time_budget[:, None]).squeeze(1))


@pytest.mark.parametrize("searcher", [ONE_VIEW, PANORAMA])
def test_company_changes_nothing(searcher: Searcher) -> None:
    together = walked(TASKS.episodes(torch.arange(len(TASKS)), seed=1), searcher, SUBGOAL_ACTIONS)
    for task in range(len(TASKS)):
        alone = walked(TASKS.episodes(torch.tensor([task]), seed=1), searcher, SUBGOAL_ACTIONS)
        assert alone.pose.item() == together.pose[task] and alone.requests_left.item() == together.requests_left[task]

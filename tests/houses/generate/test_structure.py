"""The building of a plan: walls where they should be, holes where one walks, objects in their rooms."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest

from vnla.houses.generate.layout import draw_plan
from vnla.houses.generate.plan import FloorPlan, Opening, PlannedLevel, PlannedRoom, Rectangle
from vnla.houses.generate.structure import Structure, build_structure
from vnla.houses.generate.style import Style
from vnla.houses.generate.viewpoints import place_viewpoints
from vnla.houses.scene import Material, Part

WHITE, RED, GREEN, GREY, BROWN, BRICK = (
    Material(colour) for colour in ((1, 1, 1), (1, 0, 0), (0, 1, 0), (0.5, 0.5, 0.5), (0.4, 0.3, 0.2), (0.6, 0.2, 0.1))
)
STYLE = Style(
    name="test",
    walls={"": WHITE, "b": RED, "h": GREEN},
    floors={"": BROWN},
    ceiling=WHITE,
    outside=BRICK,
    trim=WHITE,
    doors=BROWN,
    wood=(BROWN,),
    fabric=(GREY,),
    metal=GREY,
    accent=((1.0, 0.0, 0.0),),
    light_colour=(1.0, 1.0, 1.0),
    light_power=1.0,
    sun=(0.4, 0.5, 0.75),
)

CASES = [(0, 8), (1, 14), (2, 22), (3, 22), (4, 30), (5, 18), (6, 22)]


@cache
def built(seed: int, rooms: int) -> tuple[FloorPlan, Structure]:
    plan = draw_plan(np.random.default_rng(seed), rooms)
    return plan, build_structure(plan, STYLE)


@pytest.fixture(params=CASES, ids=lambda case: f"seed{case[0]}-rooms{case[1]}")
def case(request: pytest.FixtureRequest) -> tuple[FloorPlan, Structure]:
    return built(*request.param)


Case = tuple[FloorPlan, Structure]


def inside(part: Part, point: tuple[float, float, float]) -> bool:
    """Whether a point lies in an unturned box."""
    bounds = zip(part.centre, part.size, point, strict=True)
    return all(abs(centre - value) < size / 2 - 1e-9 for centre, size, value in bounds)


def everything(structure: Structure) -> list[Part]:
    return [*structure.parts, *(part for piece in structure.pieces for part in piece.parts)]


def test_every_part_has_a_size(case: Case):
    _, structure = case
    for part in everything(structure):
        assert all(size > 0 for size in part.size), part


def test_one_object_for_each_door_window_and_flight(case: Case):
    plan, structure = case
    labels = Counter(piece.label for piece in structure.pieces)
    kinds = Counter(opening.kind for opening in plan.openings)
    assert labels["door"] + labels["garage door"] == kinds["door"] and labels["window"] == kinds["window"]
    assert labels["stairs"] == len(plan.stairs)
    assert labels["railing"] >= len(plan.stairs) - 1


def test_objects_lie_in_their_rooms(case: Case):
    plan, structure = case
    for piece in structure.pieces:
        room = plan.room_by_id[piece.room]
        level = plan.level_by_id[room.level]
        x, y, z = piece.box.centre
        assert room.area.contains(x, y), piece.label
        assert level.floor <= z <= level.floor + level.height


def test_one_walks_through_doors_and_arches_but_not_through_walls(case: Case):
    plan, structure = case
    parts = everything(structure)
    for opening in plan.openings:
        floor = plan.level_by_id[opening.level].floor
        # A little off the line where the two sides of a wall meet.
        chest = (opening.x + 0.001, opening.y + 0.001, floor + 1.6)
        blocked = any(inside(part, chest) for part in parts)
        assert blocked == (not opening.passable), opening
        over = floor + (opening.top + plan.level_by_id[opening.level].height) / 2
        assert any(inside(part, (*chest[:2], over)) for part in parts), "there is wall above every opening"


def test_nobody_stands_in_a_wall_and_nobody_floats(case: Case):
    plan, structure = case
    parts = [part for part in everything(structure) if part.shape == "box"]
    viewpoints, _ = place_viewpoints(plan, [], np.random.default_rng(0), 4 * len(plan.rooms))
    for viewpoint in viewpoints:
        x, y, z = viewpoint.position
        floor = z - viewpoint.height
        assert not any(inside(part, viewpoint.position) for part in parts)
        below = [part.centre[2] + part.size[2] / 2 for part in parts if inside(part, (x, y, part.centre[2]))]
        assert any(abs(top - floor) < 0.01 for top in below), "there is a floor or a step under the feet"


def test_stairs_have_head_room(case: Case):
    plan, structure = case
    parts = [part for part in structure.parts if part.shape == "box"]
    for stairs in plan.stairs:
        lower, upper = (plan.room_by_id[room] for room in (stairs.lower_room, stairs.upper_room))
        floor, top = plan.level_by_id[lower.level].floor, plan.level_by_id[upper.level].floor
        for share in np.linspace(0.05, 0.95, 10):
            x, y = stairs.tread(share - 0.01, share + 0.01).centre
            step = floor + share * (top - floor)
            for above in (0.3, 1.0, 1.9):
                assert not any(inside(part, (x, y, step + above)) for part in parts)


def _two_rooms() -> FloorPlan:
    rooms = (
        PlannedRoom(0, "b", 0, Rectangle(0.0, 0.0, 4.0, 3.0)),
        PlannedRoom(1, "h", 0, Rectangle(0.0, 3.0, 4.0, 5.0)),
    )
    openings = (
        Opening("door", 0, (0, 1), 1.0, 3.0, "x", 0.8, top=2.0),
        Opening("window", 0, (0, None), 2.0, 0.0, "x", 1.0, bottom=0.9, top=2.0),
    )
    return FloorPlan((PlannedLevel(0, 0.0, 2.5),), rooms, openings)


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        ((3.0, 2.97, 1.0), RED),  # the wall between the rooms, bedroom's side
        ((3.0, 3.03, 1.0), GREEN),  # and the hallway's side
        ((1.0, 2.97, 2.2), RED),  # above the door
        ((1.0, 2.97, 1.0), None),  # in the door
        ((3.0, 0.03, 1.0), RED),  # the outer wall from inside
        ((3.0, -0.03, 1.0), BRICK),  # and from outside
        ((2.0, 0.03, 0.5), RED),  # below the window
        ((2.0, 0.03, 1.2), None),  # in the window
        ((2.0, 1.5, -0.05), BROWN),  # the floor
        ((2.0, 1.5, 2.52), WHITE),  # the ceiling
        ((2.0, 1.5, 1.2), None),  # the air
    ],
)
def test_two_rooms_by_hand(point: tuple[float, float, float], expected: Material | None):
    found = [part.material for part in build_structure(_two_rooms(), STYLE).parts if inside(part, point)]
    assert found == ([] if expected is None else [expected])

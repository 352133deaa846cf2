"""Furnished rooms: nothing collides, floats, sticks out or stands in the way."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from functools import cache
from time import process_time

import numpy as np
import pytest
from shapely import Polygon

from vnla.houses.generate.catalogue import CATALOGUE
from vnla.houses.generate.catalogue.registry import AtAnchor, AtWindow, OnCeiling, OnFloor, OnTop, OnWall
from vnla.houses.generate.free_space import FreeSpace
from vnla.houses.generate.furnish import Furnishing, PlacedPiece, furnish
from vnla.houses.generate.furnish.rows import arranged
from vnla.houses.generate.furnish.space import FLAT, Solid
from vnla.houses.generate.layout import draw_plan
from vnla.houses.generate.plan import WALL, FloorPlan, Opening, PlannedLevel, PlannedRoom, Rectangle
from vnla.houses.generate.styles import draw_style
from vnla.houses.rooms import ROOM_NAMES

SEEDS = range(4)
ROOMS = 20


@cache
def house(seed: int) -> tuple[FloorPlan, Furnishing]:
    plan = draw_plan(np.random.default_rng(seed), ROOMS)
    return plan, furnish(plan, draw_style(np.random.default_rng(seed)), np.random.default_rng(seed))


def one_room(label: str, width: float = 5.0, depth: float = 4.0) -> FloorPlan:
    """A room with a door in the south wall to a hall below it and a window in the north wall."""
    room = PlannedRoom(0, label, 0, Rectangle(0.0, 0.0, width, depth))
    hall = PlannedRoom(1, "h", 0, Rectangle(0.0, -2.0, width, 0.0))
    door = Opening("door", 0, (0, 1), 0.8, 0.0, "x", 0.8)
    window = Opening("window", 0, (0, None), width / 2, depth, "x", 1.4, 0.9, 2.1)
    return FloorPlan((PlannedLevel(0, 0.0, 2.6),), (room, hall), (door, window))


def contents(label: str, seed: int, width: float = 5.0, depth: float = 4.0) -> list[PlacedPiece]:
    style = draw_style(np.random.default_rng(seed))
    pieces = furnish(one_room(label, width, depth), style, np.random.default_rng(seed)).pieces
    return [piece for piece in pieces if piece.room == 0]


def outline(piece: PlacedPiece) -> Polygon:
    x, y, _ = piece.box.centre
    (ax, ay, _), (bx, by, _), (w, d, _) = piece.box.axis0, piece.box.axis1, piece.box.radii
    corners = [(x + i * w * ax + j * d * bx, y + i * w * ay + j * d * by) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return Polygon(corners)


def heights(piece: PlacedPiece) -> tuple[float, float]:
    return piece.box.centre[2] - piece.box.radii[2], piece.box.centre[2] + piece.box.radii[2]


def flat(plan: FloorPlan, piece: PlacedPiece) -> bool:
    floor = plan.level_by_id[plan.room_by_id[piece.room].level].floor
    return heights(piece)[1] <= floor + FLAT + 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_pieces_do_not_collide(seed: int) -> None:
    plan, furnishing = house(seed)
    by_room = defaultdict(list)
    for number, piece in enumerate(furnishing.pieces):
        by_room[piece.room].append((number, piece, outline(piece).buffer(-0.003), *heights(piece)))
    compared = 0
    for pieces in by_room.values():
        for i, (number, piece, shape, low, high) in enumerate(pieces):
            for other_number, other, other_shape, other_low, other_high in pieces[:i]:
                if number == other.host or other_number == piece.host or flat(plan, piece) != flat(plan, other):
                    continue
                compared += 1
                apart = high <= other_low + 0.005 or other_high <= low + 0.005
                assert apart or not shape.intersects(other_shape), (piece.label, other.label)
    assert compared > 1000


@pytest.mark.parametrize("seed", SEEDS)
def test_everything_is_inside_its_room(seed: int) -> None:
    plan, furnishing = house(seed)
    for piece in furnishing.pieces:
        room = plan.room_by_id[piece.room]
        level, inner = plan.level_by_id[room.level], room.area.grown(-WALL / 2)
        for x, y, z in piece.box.corners():
            assert inner.contains(x, y, margin=-1e-6), piece.label
            assert level.floor - 1e-6 <= z <= level.floor + level.height + 0.01, piece.label


@pytest.mark.parametrize("seed", SEEDS)
def test_parts_are_inside_their_box(seed: int) -> None:
    for piece in house(seed)[1].pieces:
        (ax, ay, _), (bx, by, _) = piece.box.axis0, piece.box.axis1
        for part in piece.parts:
            dx, dy, dz = (part.centre[i] - piece.box.centre[i] for i in range(3))
            assert abs(dx * ax + dy * ay) <= piece.box.radii[0] + 1e-6
            assert abs(dx * bx + dy * by) <= piece.box.radii[1] + 1e-6
            assert abs(dz) + part.size[2] / 2 <= piece.box.radii[2] + 1e-6


@pytest.mark.parametrize("seed", SEEDS)
def test_doors_and_stairs_stay_free(seed: int) -> None:
    plan, furnishing = house(seed)
    for piece in furnishing.pieces:
        if piece.footprint is not None:
            shape = Polygon(piece.footprint).buffer(-0.006)
            for area in plan.keep_free(piece.room):
                kept = Polygon(
                    [(area.west, area.south), (area.east, area.south), (area.east, area.north), (area.west, area.north)]
                )
                assert not shape.intersects(kept), piece.label


@pytest.mark.parametrize("seed", SEEDS)
def test_one_can_walk_from_door_to_door(seed: int) -> None:
    plan, furnishing = house(seed)
    walked = 0
    for room in plan.rooms:
        space = FreeSpace.of_room(plan, room.id)
        if not space.passable(0.25):
            continue
        before = int(space.grid.sum())
        for piece in furnishing.pieces:
            if piece.room == room.id and piece.footprint is not None:
                space.block(piece.footprint)
        assert space.connected(space.doors, radius=0.25), ROOM_NAMES[room.label]
        assert space.grid.sum() >= 0.35 * before, ROOM_NAMES[room.label]
        walked += 1
    assert walked >= 0.8 * len(plan.rooms)


@pytest.mark.parametrize("seed", SEEDS)
def test_pieces_stand_where_their_rule_says(seed: int) -> None:
    plan, furnishing = house(seed)
    for piece in furnishing.pieces:
        level = plan.level_by_id[plan.room_by_id[piece.room].level]
        low, high = heights(piece)
        rule = CATALOGUE[piece.label].rule
        if isinstance(rule, OnCeiling):
            assert high == pytest.approx(level.floor + level.height)
        elif isinstance(rule, OnTop):
            assert piece.host is not None
            assert furnishing.pieces[piece.host].label in rule.hosts
        elif isinstance(rule, OnWall | AtWindow):
            assert low > level.floor
            assert touches_wall(plan, piece)
        elif isinstance(rule, AtAnchor) and piece.host is not None:
            assert furnishing.pieces[piece.host].label in rule.hosts
        elif isinstance(rule, OnFloor):
            assert low == pytest.approx(level.floor)
            assert piece.footprint is None
        else:
            assert low == pytest.approx(level.floor)
            assert piece.footprint is not None
            assert Polygon(piece.footprint).area == pytest.approx(4 * piece.box.radii[0] * piece.box.radii[1])


def touches_wall(plan: FloorPlan, piece: PlacedPiece) -> bool:
    """Whether the middle of its back is at a wall."""
    (x, y, _), (bx, by, _), depth = piece.box.centre, piece.box.axis1, piece.box.radii[1]
    inner = plan.room_by_id[piece.room].area.grown(-WALL / 2)
    x, y = x + bx * depth, y + by * depth
    return min(inner.north - y, y - inner.south, inner.east - x, x - inner.west) < 0.03


@pytest.mark.parametrize("seed", SEEDS)
def test_small_things_stand_on_a_top_of_their_host(seed: int) -> None:
    _, furnishing = house(seed)
    checked = 0
    for piece in furnishing.pieces:
        if piece.host is None or not isinstance(CATALOGUE[piece.label].rule, OnTop):
            continue
        host = furnishing.pieces[piece.host]
        assert outline(host).buffer(0.002).contains(outline(piece)), (piece.label, host.label)
        ground = [part.centre[2] + part.size[2] / 2 for part in host.parts]
        assert min(abs(face - heights(piece)[0]) for face in ground) < 0.012, (piece.label, host.label)
        checked += 1
    assert checked > 20


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_hangs_over_a_window(seed: int) -> None:
    plan, furnishing = house(seed)
    for piece in furnishing.pieces:
        floor = plan.level_by_id[plan.room_by_id[piece.room].level].floor
        if isinstance(CATALOGUE[piece.label].rule, AtWindow):
            continue
        low, high = heights(piece)
        for window in plan.openings_of(piece.room):
            if window.kind == "window" and low < floor + window.top - 0.01 and high > floor + window.bottom + 0.01:
                glass = window.clearance(0.2)
                corners = [
                    (glass.west, glass.south),
                    (glass.east, glass.south),
                    (glass.east, glass.north),
                    (glass.west, glass.north),
                ]
                assert not outline(piece).buffer(-0.006).intersects(Polygon(corners)), piece.label


@pytest.mark.parametrize("seed", SEEDS)
def test_every_indoor_room_is_lit(seed: int) -> None:
    plan, furnishing = house(seed)
    lit = {piece.room for piece in furnishing.pieces if piece.lights and isinstance(CATALOGUE[piece.label].rule, OnCeiling)}
    assert {room.id for room in plan.rooms if not room.outdoor} <= lit
    for piece in furnishing.pieces:
        for light in piece.lights:
            assert math.dist(light.position, piece.box.centre) < 1.5


def test_houses_are_full_but_not_crammed() -> None:
    counts = [len(furnishing.pieces) / len(plan.rooms) for plan, furnishing in map(house, SEEDS)]
    assert 11 < np.mean(counts) < 24
    labels = {piece.label for seed in SEEDS for piece in house(seed)[1].pieces}
    assert len(labels) > 120


def test_the_same_seed_furnishes_alike_and_another_does_not() -> None:
    plan, furnishing = house(0)
    style = draw_style(np.random.default_rng(0))
    assert furnish(plan, style, np.random.default_rng(0)) == furnishing
    assert furnish(plan, style, np.random.default_rng(1)) != furnishing


def test_a_room_does_not_depend_on_the_others() -> None:
    plan = one_room("b")
    style = draw_style(np.random.default_rng(0))
    alone = FloorPlan(plan.levels, plan.rooms[:1], tuple(opening for opening in plan.openings if opening.kind == "window"))
    pair = FloorPlan(plan.levels, plan.rooms[::-1], alone.openings)
    first = [piece for piece in furnish(alone, style, np.random.default_rng(5)).pieces if piece.room == 0]
    second = [piece for piece in furnish(pair, style, np.random.default_rng(5)).pieces if piece.room == 0]
    assert [(piece.label, piece.box) for piece in first] == [(piece.label, piece.box) for piece in second]


@pytest.mark.parametrize(
    ("room", "labels"),
    [
        ("b", ("bed", "pillow", "ceiling lamp|chandelier|ceiling fan|paper lantern|pendant lamp")),
        ("a", ("toilet", "washbasin|washbasin cabinet", "bathtub|shower", "towel")),
        ("l", ("sofa", "cushion", "picture|painting")),
        ("d", ("dining table", "dining chair")),
        ("k", ("refrigerator", "stove", "sink", "kitchen cabinet")),
        ("o", ("desk", "office chair")),
        ("j", ("washing machine",)),
        ("w", ("treadmill",)),
        ("i", ("bookshelf",)),
        ("C", ("school desk", "whiteboard|blackboard")),
        ("m", ("meeting table", "office chair")),
        ("S", ("sauna bench",)),
    ],
)
def test_a_person_could_name_the_room(room: str, labels: tuple[str, ...]) -> None:
    """In nine of ten draws a room of ordinary size has what its kind is known by."""
    drawn = [{piece.label for piece in contents(room, seed)} for seed in range(10)]
    for wanted in labels:
        found = sum(not here.isdisjoint(wanted.split("|")) for here in drawn)
        assert found >= 8, (ROOM_NAMES[room], wanted, found)


@pytest.mark.parametrize("room", [label for label in ROOM_NAMES if label != "-"])
def test_small_rooms_get_something(room: str) -> None:
    assert len(contents(room, 0, 1.8, 1.9)) >= 1


def test_chairs_look_at_their_table() -> None:
    looked = 0
    for seed in range(8):
        pieces = contents("d", seed, 5.5, 5.0)
        tables = [piece for piece in pieces if piece.label == "dining table"]
        for chair in (piece for piece in pieces if piece.label == "dining chair"):
            ahead = (-chair.box.axis1[0], -chair.box.axis1[1])
            gaps = [
                (table.box.centre[0] - chair.box.centre[0], table.box.centre[1] - chair.box.centre[1]) for table in tables
            ]
            assert any(ahead[0] * dx + ahead[1] * dy > 0 for dx, dy in gaps)
            looked += 1
    assert looked >= 20


def test_a_bed_has_its_head_at_a_wall_and_pillows_at_its_head() -> None:
    for seed in range(6):
        pieces = contents("b", seed, 4.5, 4.5)
        for number, piece in enumerate(pieces):
            if piece.label == "bed":
                assert touches_wall(one_room("b", 4.5, 4.5), piece)
                pillows = [each for each in pieces if each.label == "pillow" and each.host == number]
                for pillow in pillows:
                    to_head = [pillow.box.centre[i] - piece.box.centre[i] for i in range(2)]
                    assert to_head[0] * piece.box.axis1[0] + to_head[1] * piece.box.axis1[1] > 0.4


def test_chairs_of_a_set_are_of_one_design() -> None:
    for seed in range(4):
        sizes = Counter(piece.box.radii for piece in contents("d", seed, 5.5, 5.0) if piece.label == "dining chair")
        assert len(sizes) <= 1


def test_kitchen_units_stand_in_a_row_with_cabinets_between() -> None:
    units = [
        CATALOGUE[label] for label in ("kitchen cabinet", "stove", "kitchen cabinet", "refrigerator", "kitchen cabinet")
    ]
    names = [entry.label for entry in arranged(units)]
    assert names == ["refrigerator", "kitchen cabinet", "stove", "kitchen cabinet", "kitchen cabinet"]


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (Solid(1.2, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0), False),
        (Solid(0.9, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0), True),
        (Solid(0.9, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0), False),
        # turned by 45 degrees a unit square reaches 0.707 from its middle: the corner pokes in, or just does not
        (Solid(1.15, 0.0, math.pi / 4, 1.0, 1.0, 0.0, 1.0), True),
        (Solid(1.25, 0.0, math.pi / 4, 1.0, 1.0, 0.0, 1.0), False),
        # boxes along the axes overlap here, the turned squares do not
        (Solid(0.95, 0.95, math.pi / 4, 1.0, 1.0, 0.0, 1.0), False),
    ],
)
def test_solids_overlap_as_turned_boxes_do(other: Solid, expected: bool) -> None:
    unit = Solid(0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0)
    assert unit.overlaps(other) is expected
    assert other.overlaps(unit) is expected


def test_furnishing_is_fast() -> None:
    plan = draw_plan(np.random.default_rng(9), 22)
    style = draw_style(np.random.default_rng(9))
    start = process_time()
    furnish(plan, style, np.random.default_rng(9))
    assert process_time() - start < 1.2  # 0.3 s on an idle core

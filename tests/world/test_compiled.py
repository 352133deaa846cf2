"""The compiled world: tables by hand on the cottage, and properties on random houses.

Hand-worked numbers use the cottage's plan (`vnla.houses.cottage`). Bearings are clockwise from north:

    stairs foot (0, 5, 1.5) to half-way (1.5, 6.5, 2.9): offset (1.5, 1.5, 1.4), bearing 45.00, rise atan(1.4/2.1213) = 33.42
    half-way to landing (3.5, 6.2, 4.3): offset (2.0,-0.3, 1.4), bearing 98.53, rise atan(1.4/2.0224) = 34.69
    landing to bathroom (6, 6, 4.3): offset (2.5,-0.2, 0.0), bearing 94.57, rise 0
    hall, south (0, 0) to kitchen (3, -0.5): offset (3.0,-0.5, 0.0), bearing 99.46, rise 0
    hall, south to living room, east (-2.5, 0.5): offset (-2.5,0.5, 0.0), bearing 281.31, rise 0
    hall, south to hall, north (0.2, 3): offset (0.2, 3.0, 0.0), bearing 3.81, rise 0
    hall, south to entryway (0.3, -3): offset (0.3,-3.0, 0.0), bearing 174.29, rise 0
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from cottage_run import severed
from strategies import connected_houses
from vnla.camera import VIEWS, view_index
from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.houses.house import House, Viewpoint
from vnla.houses.rooms import ROOM_LABELS
from vnla.world.actions import Nav
from vnla.world.compiled import NO_ROOM, NOWHERE, Environment, World, ahead_of, look_up, view_of, viewpoint_of
from vnla.world.forward import INFORMED, PLAIN

L, R, U, D, F, S = Nav
LINE = [(0.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 5.0, 0.0)]


@pytest.fixture(scope="module")
def world() -> World:
    return World.compile([cottage()])


def pose_at(world: World, viewpoint: str, heading: int, row: int = 1) -> torch.Tensor:
    return torch.tensor([world.viewpoint("cottage", viewpoint) * VIEWS + view_index(row, heading)])


def teacher_walk(
    environment: Environment, pose: torch.Tensor, goals: torch.Tensor, most: int = 200
) -> list[tuple[int, Nav]]:
    """Pose and action of every step until the teacher stops."""
    walk = []
    for _ in range(most):
        action = environment.nav_teacher(pose, goals)
        walk.append((int(pose), Nav(int(action))))
        if walk[-1][1] is Nav.STOP:
            return walk
        pose = environment.step(pose, action, goals)
    raise AssertionError(f"the teacher did not arrive in {most} steps")


@pytest.mark.parametrize(
    ("viewpoint", "heading", "expected"),
    [
        ("hall_south", 0, "hall_north"),  # 3.81 off the centre, alone in ±40
        ("hall_south", 3, "kitchen"),  # 9.46 off
        ("hall_south", 2, "kitchen"),  # 39.46 off: just inside the field of view
        ("hall_south", 1, "hall_north"),  # 26.19 to the left; the kitchen is 69.46 to the right, out of view
        ("hall_south", 4, "kitchen"),  # 20.54 to the left
        ("hall_south", 7, "entryway"),  # 35.71 to the left; the living room 71.31 to the right
        ("hall_south", 8, None),  # heading 240: the living room is 41.31 right, the entryway 65.71 left
        ("living_west", 9, None),  # looking out of the house
    ],
)
def test_ahead_is_the_neighbour_nearest_to_the_centre_of_the_view(
    world: World, viewpoint: str, heading: int, expected: str | None
) -> None:
    ahead = int(world.ahead[pose_at(world, viewpoint, heading)])
    assert (None if ahead == NOWHERE else world.ids[ahead]) == expected
    assert bool(world.blocked[pose_at(world, viewpoint, heading)]) == (expected is None)


def test_turning_wraps_round_and_tilting_ends_at_the_extremes(world: World) -> None:
    environment = Environment.compile(world, [("cottage", ["bathroom"])])
    goals = torch.tensor([0])

    def after(action: Nav, heading: int, row: int) -> int:
        return int(environment.step(pose_at(world, "kitchen", heading, row), torch.tensor([action]), goals)) % VIEWS

    assert after(Nav.LEFT, 0, 1) == view_index(1, 11)
    assert after(Nav.RIGHT, 11, 2) == view_index(2, 0)
    assert after(Nav.UP, 4, 0) == view_index(1, 4)
    assert after(Nav.UP, 4, 2) == view_index(2, 4)
    assert after(Nav.DOWN, 4, 0) == view_index(0, 4)
    assert after(Nav.STOP, 4, 0) == view_index(0, 4)


def test_the_teacher_walks_from_the_entryway_to_the_bathroom_as_worked_out_by_hand(world: World) -> None:
    """Start at the entryway facing west (270). The hall lies at bearing 354.29.

    entryway   270: 84.29 right, out of view: right. 300: 54.29: right. 330: 24.29: forward.
    hall south 330: hall north at 3.81 is 33.81 right: in view, but beyond 30: right. 0: forward.
    hall north 0: stairs foot at offset (-0.2, 2), bearing 354.29: forward.
    stairs     0: half-way at 45 is out of view: right. 30: 15 right, but 33.42 up: up. Then 3.42: forward.
    half-way   30, looking up: landing at 98.53, out of view: level the camera first: down. right. 60: 38.53, in view: right.
               90: 8.53, but 34.69 up: up. forward.
    landing    90, looking up: bathroom 4.57 right and exactly 30 down, which is not beyond 30: forward.
    bathroom   the goal: stop.
    """
    environment = Environment.compile(world, [("cottage", ["bathroom"])])
    walk = teacher_walk(environment, pose_at(world, "entryway", 9), torch.tensor([0]))
    assert [action for _, action in walk] == [R, R, F, R, F, F, R, U, F, D, R, R, U, F, F, S]
    visited = list(dict.fromkeys(world.ids[pose // VIEWS] for pose, _ in walk))
    assert visited == ["entryway", "hall_south", "hall_north", "stairs_foot", "stairs_middle", "landing", "bathroom"]


def test_down_the_stairs_the_teacher_looks_down(world: World) -> None:
    """From the landing facing west (270): half-way is at bearing 278.53 and 34.69 below: down, then forward."""
    environment = Environment.compile(world, [("cottage", ["stairs_middle"])])
    walk = teacher_walk(environment, pose_at(world, "landing", 9), torch.tensor([0]))
    assert [action for _, action in walk] == [D, F, S]


def test_every_viewpoint_may_be_a_goal_of_its_own() -> None:
    """As if each were the only goal of a set; other houses, of other sizes, stand before and after."""
    houses = [replace(severed(), name="first"), cottage(), replace(severed(), name="last")]
    several = World.compile(houses)
    everywhere, wanted = Environment.everywhere(several), []
    for house, graph in zip(several.houses, several.graphs, strict=True):
        wanted += [(house, [each]) for each in graph.ids]
    alone = Environment.compile(several, wanted)
    for goal in range(len(several.ids)):
        house = int(torch.searchsorted(several.first, goal, right=True)) - 1
        pose = torch.arange(several.firsts[house] * VIEWS, several.firsts[house + 1] * VIEWS)
        goals = torch.full_like(pose, goal)
        assert torch.equal(everywhere.nav_teacher(pose, goals), alone.nav_teacher(pose, goals))
        assert torch.equal(everywhere.distance_left(pose, goals), alone.distance_left(pose, goals))
        forward = torch.full_like(pose, F)
        assert torch.equal(everywhere.step(pose, forward, goals), alone.step(pose, forward, goals))
        assert (everywhere.goal(pose, goals) == goal).all()


def test_the_goal_is_the_one_that_the_teacher_leads_to(world: World) -> None:
    environment = Environment.compile(world, [("cottage", ["bathroom", "kitchen"])])
    for start, goal in (("landing", "bathroom"), ("hall_south", "kitchen")):
        pose, goals = pose_at(world, start, 0), torch.tensor([0])
        assert world.ids[int(environment.goal(pose, goals))] == goal
        assert teacher_walk(environment, pose, goals)[-1][0] // VIEWS == int(environment.goal(pose, goals))


def test_forward_takes_the_shortest_path_within_thirty_degrees_and_else_the_centre_of_the_view(world: World) -> None:
    """At the landing (3.5, 6.2): bathroom bearing 94.57, bedroom offset (-0.3,-2.8) bearing 186.12, half-way 278.53.

    In a view where two viewpoints are seen, forward goes to the one on the way even if the other is nearer to the centre.
    """
    environment = Environment.compile(world, [("cottage", ["kitchen"]), ("cottage", ["hall_north"])])
    south = pose_at(world, "hall_south", 2)  # heading 60: kitchen 39.46 right, alone
    assert world.ids[int(environment.step(south, torch.tensor([F]), torch.tensor([1]))) // VIEWS] == "kitchen"
    blocked = pose_at(world, "living_west", 9)
    assert int(environment.step(blocked, torch.tensor([F]), torch.tensor([0]))) == int(blocked)


def test_forward_prefers_the_viewpoint_on_the_way_over_the_one_in_the_centre() -> None:
    """A fork: from the middle, one viewpoint 5 degrees left of north and one 20 degrees right of it."""

    def at(degrees: float) -> tuple[float, float, float]:
        return (2 * math.sin(math.radians(degrees)), 2 * math.cos(math.radians(degrees)), 0.0)

    fork = _house_of([(0.0, 0.0, 0.0), at(-5), at(20), at(35)], [(0, 1), (0, 2), (0, 3)])
    world = World.compile([fork])
    environment = Environment.compile(world, [("drawn", [goal]) for goal in ("v1", "v2", "v3")])
    north = torch.full((3,), view_index(1, 0))
    arrived = viewpoint_of(environment.step(north, torch.full((3,), F), torch.arange(3)))
    assert arrived.tolist() == [1, 2, 1], "v3 is on the way but 35 degrees off: the view's centre wins"


def _in_the_middle(*degrees: float) -> list[tuple[float, float, float]]:
    """The middle, and viewpoints two metres from it in these directions."""
    angles = [math.radians(each) for each in degrees]
    return [(0.0, 0.0, 0.0), *((2 * math.sin(each), 2 * math.cos(each), 0.0) for each in angles)]


def test_a_plain_forward_goes_to_the_centre_of_the_view_whatever_the_goal() -> None:
    """The fork above, facing north: 5 degrees off is nearer than 20 and 35."""
    fork = _house_of(_in_the_middle(-5, 20, 35), [(0, 1), (0, 2), (0, 3)])
    environment = Environment.compile(
        World.compile([fork], forward=PLAIN), [("drawn", [each]) for each in ("v1", "v2", "v3")]
    )
    north = torch.full((3,), view_index(1, 0))
    assert viewpoint_of(environment.step(north, torch.full((3,), F), torch.arange(3))).tolist() == [1, 1, 1]
    assert environment.nav_teacher(north, torch.arange(3)).tolist() == [F, S, R], (
        "v2 is the nearest in no view: nobody gets there"
    )
    assert environment.distance_left(north, torch.arange(3)).tolist() == pytest.approx([2, 2, 2]), (
        "metres stay those of all edges"
    )


def test_where_a_plain_forward_passes_a_viewpoint_over_the_teacher_goes_round() -> None:
    """v2 is 20 degrees off facing 0, where v1 is 5 off, and 10 off facing 30, where v3 is 5 off: it is never the nearest.

    So by v3: right to 30, forward. From there v2 lies at bearing 297.5, 32.5 off facing 330, where nothing else is in view:
    left, left, forward.
    """
    fork = _house_of(_in_the_middle(-5, 20, 35), [(0, 1), (0, 2), (0, 3), (2, 3)])
    plain, informed = (World.compile([fork], forward=each) for each in (PLAIN, INFORMED))
    north, goals = torch.tensor([view_index(1, 0)]), torch.tensor([0])
    walk = teacher_walk(Environment.compile(plain, [("drawn", ["v2"])]), north, goals)
    assert [action for _, action in walk] == [R, F, L, L, F, S]
    walk = teacher_walk(Environment.compile(informed, [("drawn", ["v2"])]), north, goals)
    assert [action for _, action in walk] == [F, S]


def test_a_teacher_whose_forward_is_plain_walks_to_the_bathroom_as_worked_out_by_hand(world: World) -> None:
    """The way is the same; forward is pressed as soon as nothing else is nearer to the centre, also at more than 30 degrees.

    entryway   270: 84.29 right, out of view: right. 300: 54.29: right. 330: 24.29: forward.
    hall south 330: hall north is 33.81 right, and alone in view: forward. hall north: stairs foot is 24.29 right: forward.
    stairs     330: half-way at 45 is out of view: right, right. 30: 15 right, alone in view: forward, without looking up.
    half-way   30: landing at 98.53, out of view: right. 60: 38.53, alone in view: forward.
    landing    60: bathroom 34.57 right, alone in view: forward, and stop.
    """
    environment = Environment.compile(world.with_forward(PLAIN), [("cottage", ["bathroom"])])
    walk = teacher_walk(environment, pose_at(world, "entryway", 9), torch.tensor([0]))
    assert [action for _, action in walk] == [R, R, F, F, F, R, R, F, R, F, F, S]


@given(connected_houses(), st.data())
@settings(deadline=None)
def test_with_a_plain_forward_the_teacher_arrives_wherever_there_is_a_way(house: House, data: st.DataObject) -> None:
    """From every pose, in no more turns than half round and twice up or down for each viewpoint of the way."""
    world = World.compile([house], forward=PLAIN)
    goal_ids = data.draw(st.lists(st.sampled_from(world.ids), min_size=1, max_size=3, unique=True))
    environment = Environment.compile(world, [(house.name, goal_ids)])
    pose = torch.arange(len(world.ids) * VIEWS)
    goals = torch.zeros_like(pose)
    numbers = [world.viewpoint(house.name, each) for each in goal_ids]
    can = torch.from_numpy(world.graphs[0].walked[:, numbers].min(axis=1)).isfinite()[viewpoint_of(pose)]
    for _ in range((6 + 2 + 1) * len(world.ids)):
        pose = environment.step(pose, environment.nav_teacher(pose, goals), goals)
    assert environment.at_goal(pose, goals)[can].all()


def test_a_world_with_another_forward_is_the_one_that_is_compiled_with_it(world: World) -> None:
    plain = World.compile([cottage()], forward=PLAIN)
    for made, other in ((world.with_forward(PLAIN), plain), (plain.with_forward(INFORMED), world)):
        assert made.forward == other.forward
        for name, table in vars(other).items():
            if isinstance(table, torch.Tensor):
                assert torch.equal(getattr(made, name), table), name
    with pytest.raises(InputError, match="forward 'sideways': unknown; choose from informed, plain"):
        world.with_forward("sideways")


def test_a_steep_viewpoint_is_reached_only_with_the_camera_brought_to_it() -> None:
    """45 degrees above: level, forward goes to the other neighbour in view; looking up (15 off), it goes there. At 70
    degrees, 40 remain with the camera as high as it can go, and forward goes there all the same (section 5)."""
    steep = _house_of([(0.0, 0.0, 0.0), (0.0, 2.0, 2.0), (0.5, 2.0, 0.0)], [(0, 1), (0, 2)])
    environment = Environment.compile(World.compile([steep]), [("drawn", ["v1"])])
    level, up = torch.tensor([view_index(1, 0)]), torch.tensor([view_index(2, 0)])
    goals = torch.tensor([0])
    assert int(viewpoint_of(environment.step(level, torch.tensor([F]), goals))) == 2
    assert int(viewpoint_of(environment.step(up, torch.tensor([F]), goals))) == 1
    steeper = _house_of([(0.0, 0.0, 0.0), (0.0, 1.0, math.tan(math.radians(70))), (0.1, 1.0, 0.0)], [(0, 1), (0, 2)])
    environment = Environment.compile(World.compile([steeper]), [("drawn", ["v1"])])
    assert int(viewpoint_of(environment.step(up, torch.tensor([F]), goals))) == 1


def test_the_teacher_tilts_the_camera_as_far_as_it_goes_and_no_farther() -> None:
    """Viewpoints 70 degrees above and below: the camera is brought to 30, and then the way is forward."""
    height = math.tan(math.radians(70))
    steep = _house_of([(0.0, 0.0, 0.0), (0.0, 1.0, height), (0.0, 1.0, -height)], [(0, 1), (0, 2)])
    environment = Environment.compile(World.compile([steep]), [("drawn", ["v1"]), ("drawn", ["v2"])])
    rows = torch.tensor([view_index(row, 0) for row in range(3)])
    assert environment.nav_teacher(rows, torch.zeros(3, dtype=torch.long)).tolist() == [U, U, F]
    assert environment.nav_teacher(rows, torch.ones(3, dtype=torch.long)).tolist() == [F, D, D]


def test_what_is_thirty_degrees_off_the_centre_is_in_the_middle() -> None:
    line = _house_of([(0.0, 0.0, 0.0), (0.0, 2.0, 0.0)], [(0, 1)])
    environment = Environment.compile(World.compile([line]), [("drawn", ["v1"])])
    rows = torch.tensor([view_index(row, 0) for row in range(3)])
    assert environment.nav_teacher(rows, torch.zeros(3, dtype=torch.long)).tolist() == [F, F, F]


def test_the_nearest_goal_is_the_first_listed_of_equals() -> None:
    line = _house_of([(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (-2.0, 0.0, 0.0)], [(0, 1), (0, 2)])
    environment = Environment.compile(World.compile([line]), [("drawn", ["v2", "v1"]), ("drawn", ["v1", "v2"])])
    east, west = torch.tensor([view_index(1, 3)]), torch.tensor([view_index(1, 9)])
    assert int(environment.nav_teacher(west, torch.tensor([0]))) == F
    assert int(environment.nav_teacher(east, torch.tensor([1]))) == F


@pytest.mark.parametrize("bearing", [0, 45, 100, 180, 200, 260, 290, 350])
def test_what_is_out_of_view_is_turned_to_the_short_way_round_and_from_half_way_round_by_the_right(bearing: int) -> None:
    place = (2 * math.sin(math.radians(bearing)), 2 * math.cos(math.radians(bearing)), 0.0)
    if bearing % 180 == 0:
        place = (0.0, place[1], 0.0)  # exactly half-way round
    environment = Environment.compile(World.compile([_house_of([(0.0, 0.0, 0.0), place], [(0, 1)])]), [("drawn", ["v1"])])
    for heading in range(12):
        off = (bearing - 30 * heading + 180) % 360 - 180
        if abs(off) > 40:
            action = environment.nav_teacher(torch.tensor([view_index(1, heading)]), torch.tensor([0]))
            assert int(action) == (L if -180 < off < 0 else R), f"{off} degrees off"


def test_distance_to_the_path_is_to_the_goal_that_is_nearest_now(world: World) -> None:
    """Start at the kitchen, goals living room west and bathroom. At the hall's south end the living room is nearer
    (2.54951 + 2.54951) than the bathroom (12.52595); its path kitchen - hall - living room passes there: 0 m off. At the
    landing the bathroom is nearer and the reference path is the one from the kitchen to it, which passes the landing. In
    the east bedroom (3.2, 3.4): nearest viewpoint of that path is the landing, sqrt(0.09 + 7.84) = 2.81603 away."""
    environment = Environment.compile(world, [("cottage", ["living_west", "bathroom"])])
    goals = torch.zeros(3, dtype=torch.long)
    start = pose_at(world, "kitchen", 0).expand(3)
    paths = environment.paths_from(start, goals)
    here = torch.cat([pose_at(world, name, 4) for name in ("hall_south", "landing", "bedroom_east")])
    off = environment.distance_to_path(here, paths, goals)
    torch.testing.assert_close(off, torch.tensor([0.0, 0.0, 2.81603]), atol=1e-5, rtol=0)


def test_unknown_names_are_refused_with_the_name(world: World) -> None:
    with pytest.raises(InputError, match="house castle"):
        world.viewpoint("castle", "tower")
    with pytest.raises(InputError, match="no included viewpoint tower"):
        world.viewpoint("cottage", "tower")
    with pytest.raises(InputError, match="house cottage: given twice"):
        World.compile([_house_of(LINE, [(0, 1), (1, 2)]), cottage(), cottage()])
    with pytest.raises(InputError, match="at least one goal"):
        Environment.compile(world, [("cottage", [])])


def _house_of(positions: list[tuple[float, float, float]], edges: list[tuple[int, int]]) -> House:
    return House("drawn", tuple(Viewpoint(f"v{i}", each) for i, each in enumerate(positions)), tuple(edges))


@given(connected_houses(), st.data())
@settings(deadline=None, max_examples=60)
def test_following_the_teacher_reaches_the_nearest_goal_over_the_shortest_distance(
    house: House, data: st.DataObject
) -> None:
    world = World.compile([house])
    names = [viewpoint.id for viewpoint in house.viewpoints]
    chosen = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
    pose = torch.tensor([data.draw(st.integers(0, len(names) * VIEWS - 1))])
    environment = Environment.compile(world, [("random", chosen)])
    walk = teacher_walk(environment, pose, torch.tensor([0]), most=20 * len(names))
    path = [house.viewpoints[pose // VIEWS] for pose, _ in walk]
    walked = sum(math.dist(here.position, there.position) for here, there in itertools.pairwise(path))
    assert path[-1].id in chosen
    assert walked == pytest.approx(float(environment.distance_left(pose, torch.tensor([0]))), rel=1e-5, abs=1e-5)
    assert walked == pytest.approx(
        min(
            float(world.distance_between(viewpoint_of(pose), torch.tensor([world.viewpoint("random", each)])))
            for each in chosen
        ),
        rel=1e-5,
        abs=1e-5,
    )


@given(connected_houses(), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=60)
def test_no_action_ever_leaves_the_graph(house: House, seed: int) -> None:
    world = World.compile([house])
    names = [viewpoint.id for viewpoint in house.viewpoints]
    environment = Environment.compile(world, [("random", [name]) for name in names])
    generator = torch.Generator().manual_seed(seed)
    pose = torch.arange(len(names) * VIEWS)
    goals = torch.randint(0, len(names), pose.shape, generator=generator)
    for action in Nav:
        moved = environment.step(pose, torch.full_like(pose, action), goals)
        here, there = viewpoint_of(pose), viewpoint_of(moved)
        if action is Nav.FORWARD:
            allowed = [t == h or t in house.neighbours[h] for h, t in zip(here.tolist(), there.tolist(), strict=True)]
            assert all(allowed)
            assert ((here == there) == environment.blocked(pose)).all(), "forward moves exactly where something is in view"
            assert (moved % VIEWS == pose % VIEWS).all(), "heading and elevation survive a move"
        else:
            assert (here == there).all()


@given(st.lists(connected_houses(most=5), min_size=2, max_size=4), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=30)
def test_houses_compiled_together_behave_as_each_alone(houses: list[House], seed: int) -> None:
    houses = [House(f"h{i}", house.viewpoints, house.edges) for i, house in enumerate(houses)]
    sets = [(house.name, [house.viewpoints[-1].id]) for house in houses]
    together = Environment.compile(World.compile(houses), sets)
    generator = torch.Generator().manual_seed(seed)
    for i, house in enumerate(houses):
        alone = Environment.compile(World.compile([house]), [sets[i]])
        pose = torch.arange(len(house.viewpoints) * VIEWS)
        action = torch.randint(0, len(Nav), pose.shape, generator=generator)
        offset = int(together.world.first[i]) * VIEWS
        here, set_here, set_alone = pose + offset, torch.full_like(pose, i), torch.zeros_like(pose)
        assert torch.equal(together.step(here, action, set_here) - offset, alone.step(pose, action, set_alone))
        assert torch.equal(together.nav_teacher(here, set_here), alone.nav_teacher(pose, set_alone))
        assert torch.equal(together.distance_left(here, set_here), alone.distance_left(pose, set_alone))


def test_every_viewpoint_knows_its_room() -> None:
    assert [ROOM_LABELS[i] for i in World.compile([cottage()]).rooms.tolist()] == list("ehhllkdsshbab")


def test_a_place_without_a_room_is_in_none() -> None:
    assert NO_ROOM not in range(len(ROOM_LABELS))
    assert World.compile([_house_of([(0.0, 0.0, 0.0), (0.0, 2.0, 0.0)], [(0, 1)])]).rooms.tolist() == [NO_ROOM, NO_ROOM]


@pytest.fixture(scope="module")
def street() -> World:
    """A house of three viewpoints in a row, after the cottage of thirteen."""
    return World.compile([cottage(), _house_of(LINE, [(0, 1), (1, 2)])])


def test_a_path_ends_with_its_last_viewpoint_again_and_again(street: World) -> None:
    """The longest of all goes from a living room over halls, stairs and landing to a bedroom; see the cottage's plan."""
    path = street.path(torch.tensor([13, 15, 14]), torch.tensor([15, 13, 14]))
    assert path.shape == (3, street.longest)
    assert path[:, :4].tolist() == [[13, 14, 15, 15], [15, 14, 13, 13], [14, 14, 14, 14]]
    assert (path[:, 2:] == path[:, -1:]).all()
    assert street.longest == max(graph.longest_path() for graph in street.graphs) > 3


def test_the_way_between_viewpoints_is_the_edge_to_the_next_one(street: World) -> None:
    here = torch.cat([torch.arange(13).repeat_interleave(13), torch.arange(13, 16).repeat_interleave(3)])
    ways = street.ways()
    moving = here != street.hop
    assert torch.equal(street.source[ways[moving]], here[moving])
    assert torch.equal(street.target[ways[moving]], street.hop[moving])
    assert (ways[~moving] == len(street.source)).all(), "to stay is the row after all edges"


def test_numbers_of_houses_and_viewpoints_go_through(street: World) -> None:
    assert (street.house("cottage"), street.house("drawn")) == (0, 1)
    assert [street.viewpoint("drawn", each) for each in ("v0", "v2")] == [13, 15]
    assert street.ids[13:] == ("v0", "v1", "v2") and street.first.tolist() == [0, 13, 16]
    assert street.distance_between(torch.tensor([[13], [15]]), torch.tensor([13, 14, 15])).tolist() == [[0, 2, 5], [5, 3, 0]]
    pose = torch.tensor([14 * VIEWS + 5])
    assert (int(viewpoint_of(pose)), int(view_of(pose))) == (14, 5)


def test_goals_are_kept_as_given_and_the_last_is_repeated(street: World) -> None:
    sets = [("drawn", ["v2", "v0"]), ("cottage", ["kitchen"]), ("drawn", ["v1"])]
    environment = Environment.compile(street, sets)
    kitchen = street.viewpoint("cottage", "kitchen")
    assert environment.goal_viewpoints.tolist() == [[15, 13], [kitchen, kitchen], [14, 14]]
    pose, goals = torch.tensor([13, 14, 15, kitchen, 13]) * VIEWS, torch.tensor([0, 0, 0, 1, 2])
    assert environment.at_goal(pose, goals).tolist() == [True, False, True, True, False]
    assert environment.distance_left(pose, goals).tolist() == [0, 2, 0, 0, 2]
    paths = environment.paths_from(pose[:2], goals[:2])
    assert paths[:, :, :3].tolist() == [[[13, 14, 15], [13, 13, 13]], [[14, 15, 15], [14, 13, 13]]]
    with pytest.raises(InputError, match="needs at least one goal set"):
        Environment.compile(street, [])
    with pytest.raises(InputError, match="at least one house"):
        World.compile([])


def test_without_goals_the_teacher_stops_and_forward_goes_where_the_camera_looks(street: World) -> None:
    environment = Environment.aimless(street)
    pose = torch.arange(len(street.ids) * VIEWS)
    goals = (pose >= 13 * VIEWS).long()
    assert (environment.nav_teacher(pose, goals) == S).all()
    assert environment.distance_left(pose, goals).isinf().all() and not environment.at_goal(pose, goals).any()
    moved = viewpoint_of(environment.step(pose, torch.full_like(pose, F), goals))
    assert torch.equal(moved, torch.where(street.blocked, viewpoint_of(pose), street.ahead))
    assert environment.goal_viewpoints.tolist() == [[0], [13]]


def test_all_tables_move_together(street: World) -> None:
    environment = Environment.compile(street, [("drawn", ["v2"])])
    assert (street.device, environment.world.device) == (torch.device("cpu"),) * 2
    moved = environment.to("meta")
    tables = [each for each in (*vars(moved).values(), *vars(moved.world).values()) if isinstance(each, torch.Tensor)]
    assert len(tables) == 17 and all(each.is_meta for each in tables)
    assert street.nbytes == sum(each.nbytes for each in vars(street).values() if isinstance(each, torch.Tensor)) > 0


def test_a_house_alone_numbers_its_viewpoints_from_nought(street: World) -> None:
    graph = street.graphs[1]
    assert set(ahead_of(graph, graph.looks()).ravel().tolist()) == {NOWHERE, 0, 1, 2}


def test_a_table_is_looked_up_at_places_of_any_shape() -> None:
    table, places = torch.tensor([5, 7, 9]), torch.tensor([[2, 0], [1, 1]])
    for index in (places, places[0], places[0, 0], places[None]):
        assert torch.equal(look_up(table, index), table[index])

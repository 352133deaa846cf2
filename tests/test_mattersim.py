"""The MatterSim drop-in, against values worked out by hand on the cottage and against a plain computation on random graphs.

Unless a test says otherwise the camera is the task's: 640×480, 60 degrees, so that neighbours within 40 degrees to either
side of the heading are navigable; headings are clockwise from north.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from vnla import mattersim
from vnla.houses.cottage import cottage
from vnla.houses.house import UPRIGHT
from vnla.houses.skybox import face_directions, write_skybox
from vnla.mattersim import SimState, Simulator, graph
from vnla.mattersim.__main__ import drop_in_folder

DEGREE = math.pi / 180
RIGHT, LEFT, UP, DOWN = (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)
SOURCE = Path(mattersim.__file__).parents[2]


def write_connectivity(
    folder: Path,
    scan: str,
    points: Sequence[Sequence[float]],
    edges: Sequence[tuple[int, int]],
    ids: Sequence[str] | None = None,
    excluded: Sequence[int] = (),
) -> None:
    names = ids or [f"v{i}" for i in range(len(points))]
    joined = {*edges, *((j, i) for i, j in edges)}
    a, b, c, d, e, f, g, h, k = UPRIGHT
    records = [
        {
            "image_id": names[i],
            "pose": [a, b, c, x, d, e, f, y, g, h, k, z, 0, 0, 0, 1],
            "included": i not in excluded,
            "visible": [False] * len(points),
            "unobstructed": [(i, j) in joined for j in range(len(points))],
            "height": 1.5,
        }
        for i, (x, y, z) in enumerate(points)
    ]
    (folder / f"{scan}_connectivity.json").write_text(json.dumps(records))


@pytest.fixture
def connectivity(tmp_path: Path) -> Path:
    """A folder with the cottage, and with `small`: v0 in the middle, v1 north (excluded), v2 north-east, v3 alone."""
    folder = tmp_path / "connectivity"
    folder.mkdir()
    house = cottage()
    positions = [viewpoint.position for viewpoint in house.viewpoints]
    write_connectivity(folder, "cottage", positions, house.edges, [viewpoint.id for viewpoint in house.viewpoints])
    write_connectivity(folder, "small", [(0, 0, 0), (0, 2, 0), (1, 2, 0), (9, 9, 0)], [(0, 1), (0, 2), (1, 2)], excluded=[1])
    write_connectivity(folder, "shut", [(0, 0, 0), (0, 2, 0)], [(0, 1)], excluded=[0, 1])
    return folder


@pytest.fixture
def no_renderer() -> Iterator[None]:
    yield
    mattersim.set_renderer(None)


def configured(folder: Path, discretised: bool = True, vfov: float = 60, rendering: bool = False) -> Simulator:
    simulator = Simulator()
    simulator.setRenderingEnabled(rendering)
    simulator.setDiscretizedViewingAngles(discretised)
    simulator.setCameraResolution(640, 480)
    simulator.setCameraVFOV(vfov * DEGREE)
    simulator.setNavGraphPath(str(folder))
    return simulator


def single(folder: Path, discretised: bool = True, vfov: float = 60, rendering: bool = False) -> Simulator:
    simulator = configured(folder, discretised, vfov, rendering)
    simulator.init()
    return simulator


def batch(folder: Path, size: int, discretised: bool = True, vfov: float = 60, rendering: bool = False) -> Simulator:
    simulator = configured(folder, discretised, vfov, rendering)
    simulator.setBatchSize(size)
    simulator.initialize()
    return simulator


def names(state: SimState) -> list[str]:
    return [location.viewpointId for location in state.navigableLocations]


def facts(state: SimState) -> tuple[Any, ...]:
    """All of a state but its images, as plain values."""

    def place(location: Any) -> tuple[Any, ...]:
        angles = location.rel_heading, location.rel_elevation, location.rel_distance
        return location.viewpointId, location.ix, tuple(location.point), angles

    return (
        state.scanId,
        state.step,
        state.heading,
        state.elevation,
        state.viewIndex,
        place(state.location),
        [place(location) for location in state.navigableLocations],
    )


# What is navigable, and how it lies


def test_navigable_locations_by_hand(connectivity: Path) -> None:
    """At hall_south (0, 0) facing west (270°): living_east is at (-2.5, 0.5), bearing 270° + atan(0.5 / 2.5) = 281.31°.

    So it is 11.3099° = 0.1973956 rad to the right, at sqrt(6.25 + 0.25) = 2.5495098 m, on the level. The others (bearings
    3.81°, 174.29° and 99.46°) are further than 40° away.
    """
    simulator = single(connectivity)
    simulator.newEpisode("cottage", "hall_south", 270 * DEGREE, 0)
    state = simulator.getState()
    assert names(state) == ["hall_south", "living_east"]
    here, living = state.navigableLocations
    assert (here.ix, here.rel_heading, here.rel_elevation, here.rel_distance) == (1, 0.0, 0.0, 0.0)
    assert living.ix == 3
    assert living.point == [-2.5, 0.5, 1.5] == [living.x, living.y, living.z]
    assert living.rel_heading == pytest.approx(0.1973956, abs=1e-6)
    assert living.rel_elevation == 0
    assert living.rel_distance == pytest.approx(2.5495098, abs=1e-6)
    assert (state.scanId, state.step, state.viewIndex, state.rgb) == ("cottage", 0, 12 + 9, None)
    assert state.location.viewpointId == "hall_south"


def test_elevation_by_hand(connectivity: Path) -> None:
    """From stairs_middle (1.5, 6.5, 2.9) east to landing (3.5, 6.2, 4.3): 1.4 up over a flat sqrt(4 + 0.09) = 2.0223748.

    That is atan(1.4 / 2.0223748) = 0.6055093 rad, 34.69°, and atan(0.3 / 2) = 0.1488899 to the right. The camera tilted up
    by 30° = 0.5235988 leaves 0.0819106; tilted down it is 1.1291081, and still navigable: only the horizontal angle
    counts. The distance is sqrt(4.09 + 1.96) = 2.4596748.
    """
    simulator = single(connectivity)
    for elevation, rest in ((0, 0.6055093), (30, 0.0819106), (-30, 1.1291081)):
        simulator.newEpisode("cottage", "stairs_middle", 90 * DEGREE, elevation * DEGREE)
        landing = simulator.getState().navigableLocations[1]
        assert landing.viewpointId == "landing"
        assert landing.rel_heading == pytest.approx(0.1488899, abs=1e-6)
        assert landing.rel_elevation == pytest.approx(rest, abs=1e-6)
        assert landing.rel_distance == pytest.approx(2.4596748, abs=1e-6)


def test_nearest_to_the_centre_of_the_view_comes_first(connectivity: Path) -> None:
    """At landing with a field of 110° · 4/3, 73.3° to either side: bedroom_east bears 186.12°, bathroom 94.57°.

    Facing 120° they are 66.12° and 25.43° away: the bathroom first, though it comes later in the file. Facing 150° they
    are 36.12° and 55.43° away: the bedroom first.
    """
    simulator = single(connectivity, vfov=110)
    simulator.newEpisode("cottage", "landing", 120 * DEGREE, 0)
    assert names(simulator.getState()) == ["landing", "bathroom", "bedroom_east"]
    simulator.makeAction(*RIGHT)
    assert names(simulator.getState()) == ["landing", "bedroom_east", "bathroom"]


def test_elevation_counts_in_the_order(tmp_path: Path) -> None:
    """v1 straight ahead but 45° up, 0.785 rad; v2 on the level, atan(1 / 2) = 26.6° to the right, 0.464: v2 first.

    Tilted up by 30° it is 15° = 0.262 for v1, and sqrt(0.464² + 0.524²) = 0.700 for v2: v1 first.
    """
    write_connectivity(tmp_path, "steep", [(0, 0, 0), (0, 2, 2), (1, 2, 0)], [(0, 1), (0, 2)])
    simulator = single(tmp_path)
    simulator.newEpisode("steep", "v0", 0, 0)
    assert names(simulator.getState()) == ["v0", "v2", "v1"]
    simulator.makeAction(*UP)
    assert names(simulator.getState()) == ["v0", "v1", "v2"]


@pytest.mark.parametrize("first", [-1, 1])
def test_neighbours_at_one_angle_keep_the_order_of_the_file(tmp_path: Path, first: int) -> None:
    """Two neighbours 45° to the left and to the right, in a field of 50° to either side."""
    write_connectivity(tmp_path, "fork", [(0, 0, 0), (first, 1, 0), (-first, 1, 0)], [(0, 1), (0, 2)])
    simulator = single(tmp_path, vfov=75)
    simulator.newEpisode("fork", "v0", 0, 0)
    assert names(simulator.getState()) == ["v0", "v1", "v2"]


def test_an_excluded_neighbour_is_never_navigable(connectivity: Path) -> None:
    """From v0, v1 lies straight ahead but is excluded; v2, atan(1 / 2) = 26.6° to the right, keeps its number 2."""
    simulator = single(connectivity)
    simulator.newEpisode("small", "v0", 0, 0)
    state = simulator.getState()
    assert [(location.viewpointId, location.ix) for location in state.navigableLocations] == [("v0", 0), ("v2", 2)]


def test_unrestricted_navigation_lets_every_neighbour_count(connectivity: Path) -> None:
    """hall_south facing north: hall_north 3.8° away, then living_east 78.7°, kitchen 99.5° and entryway 174.3°."""
    simulator = configured(connectivity)
    simulator.setRestrictedNavigation(False)
    simulator.initialize()
    simulator.newEpisode(["cottage"], ["hall_south"], [0], [0])
    assert names(simulator.getState()[0]) == ["hall_south", "hall_north", "living_east", "kitchen", "entryway"]


def test_a_change_of_the_camera_counts_from_the_next_action(connectivity: Path) -> None:
    """dining, facing 240°: kitchen bears 180° and hall_north 265.9°; with 40° to a side one is in view, with 66.7° both."""
    simulator = single(connectivity)
    simulator.newEpisode("cottage", "dining", 240 * DEGREE, 0)
    assert names(simulator.getState()) == ["dining", "hall_north"]
    simulator.setCameraVFOV(100 * DEGREE)
    simulator.makeAction(0, 0, 0)
    assert names(simulator.getState()) == ["dining", "hall_north", "kitchen"]


@st.composite
def buildings(draw: st.DrawFn) -> tuple[list[list[float]], list[tuple[int, int]], list[int]]:
    """Points within 20 m, edges from the first to most and between some others, some points excluded, the first one not."""
    size = draw(st.integers(2, 14))
    coordinates = np.random.default_rng(draw(st.integers(0, 10**6))).uniform(-10, 10, (size, 3))
    points = coordinates.astype(np.float32).tolist()
    pairs = [(i, j) for i in range(1, size) for j in range(i)]
    dropped = draw(st.sets(st.sampled_from(pairs), max_size=3))
    edges = [(i, j) for i, j in pairs if (j == 0 or (i + j) % 3 == 0) and (i, j) not in dropped]
    excluded = draw(st.lists(st.integers(1, len(points) - 1), unique=True, max_size=3))
    return points, edges, excluded


def plainly_navigable(
    building: tuple[list[list[float]], list[tuple[int, int]], list[int]], view: int
) -> list[tuple[float, int, float, float, float]]:
    """The neighbours of viewpoint 0 in a view, sorted by angle to its centre: a plain computation in float64."""
    points, edges, excluded = building
    x, y, z = points[0]
    heading, elevation = view % 12 * 30 * DEGREE, (view // 12 - 1) * 30 * DEGREE
    found = []
    for j in sorted({i + j for i, j in edges if 0 in (i, j)} - set(excluded)):
        east, north, rise = points[j][0] - x, points[j][1] - y, points[j][2] - z
        flat = math.hypot(east, north)
        assume(flat > 0.01)
        turn = (math.atan2(east, north) - heading + math.pi) % (2 * math.pi) - math.pi
        tilt = math.atan2(rise, flat) - elevation
        assume(abs(abs(turn) - 40 * DEGREE) > 1e-5 and abs(abs(turn) - math.pi) > 1e-5)
        if abs(turn) < 40 * DEGREE:
            found.append((math.hypot(turn, tilt), j, turn, tilt, math.hypot(flat, rise)))
    found.sort()
    assume(all(after[0] - before[0] > 1e-5 for before, after in itertools.pairwise(found)))
    return found


@settings(max_examples=150, deadline=None)
@given(building=buildings(), view=st.integers(0, 35))
def test_navigable_locations_are_those_of_a_plain_computation(
    tmp_path_factory: pytest.TempPathFactory,
    building: tuple[list[list[float]], list[tuple[int, int]], list[int]],
    view: int,
) -> None:
    expected = plainly_navigable(building, view)
    folder = tmp_path_factory.mktemp("random")
    write_connectivity(folder, "random", *building[:2], excluded=building[2])
    simulator = single(folder)
    simulator.newEpisode("random", "v0", view % 12 * 30 * DEGREE, (view // 12 - 1) * 30 * DEGREE)
    state = simulator.getState()
    assert state.viewIndex == view
    assert [location.ix for location in state.navigableLocations] == [0, *(j for _, j, *_ in expected)]
    for location, (_, _, *values) in zip(state.navigableLocations[1:], expected, strict=True):
        got = [location.rel_heading, location.rel_elevation, location.rel_distance]
        assert got == pytest.approx(values, abs=1e-5)


# Looking and moving


@pytest.mark.parametrize(
    ("heading", "elevation", "snapped", "tilt", "view"),
    [
        (14.9, 0, 0, 0, 12),
        (15.1, 15, 30, 0, 13),
        (-15.1, 15.1, 330, 30, 35),
        (345.1, -15.1, 0, -30, 0),
        (-730, -15, 0, 0, 12),
        (180, 89, 180, 30, 30),
    ],
)
def test_snapping(connectivity: Path, heading: float, elevation: float, snapped: float, tilt: float, view: int) -> None:
    """To the nearest 30° of heading; beyond 15° from level counts as 30° up or down. -730° is -10°, nearest to 0°."""
    simulator = single(connectivity)
    simulator.newEpisode("cottage", "kitchen", heading * DEGREE, elevation * DEGREE)
    state = simulator.getState()
    assert state.heading == pytest.approx(snapped * DEGREE)
    assert state.elevation == pytest.approx(tilt * DEGREE)
    assert state.viewIndex == view


def test_half_a_step_of_heading_snaps_away_from_zero(connectivity: Path) -> None:
    simulator = single(connectivity)
    simulator.newEpisode("cottage", "kitchen", math.pi / 12, 0)
    assert simulator.getState().viewIndex == 13
    simulator.newEpisode("cottage", "kitchen", math.nextafter(math.pi / 12, 0), 0)
    assert simulator.getState().viewIndex == 12


def test_turning_goes_by_the_sign_and_stops_at_the_top(connectivity: Path) -> None:
    """From level north: up, up again (nothing more to tilt), left across north, down twice, in steps of one view."""
    simulator = single(connectivity)
    simulator.setElevationLimits(-10 * DEGREE, 10 * DEGREE)
    simulator.newEpisode("cottage", "kitchen", 0, 0)
    views = []
    for _, turn, tilt in (UP, UP, (0, -0.001, 0), DOWN, (0, 0, -77.0)):
        simulator.makeAction(0, turn, tilt)
        views.append(simulator.getState().viewIndex)
    assert views == [24, 24, 35, 23, 11]
    assert simulator.getState().step == 5


def test_a_move_keeps_heading_and_elevation(connectivity: Path) -> None:
    simulator = single(connectivity)
    simulator.newEpisode("cottage", "hall_south", 0, 30 * DEGREE)
    simulator.makeAction(1, 0, 0)
    state = simulator.getState()
    assert (state.location.viewpointId, state.location.ix, state.step, state.viewIndex) == ("hall_north", 2, 1, 24)
    assert (state.location.rel_heading, state.location.rel_elevation, state.location.rel_distance) == (0, 0, 0)
    assert names(state) == ["hall_north", "stairs_foot"]


def test_a_move_comes_before_the_turn(connectivity: Path) -> None:
    """hall_south north to hall_north, turned right to 30°: stairs_foot, 2 m north and 0.2 m west, is then on the left.

    At 30° + atan(0.2 / 2) = 35.71° = 0.6232674 rad; dining, bearing 85.91°, is out of view.
    """
    simulator = single(connectivity)
    simulator.newEpisode("cottage", "hall_south", 0, 0)
    simulator.makeAction(1, 1.0, 0)
    state = simulator.getState()
    assert names(state) == ["hall_north", "stairs_foot"]
    assert state.navigableLocations[1].rel_heading == pytest.approx(-0.6232674, abs=1e-6)


def test_continuous_angles(connectivity: Path) -> None:
    """Angles add up, headings stay in 0 to 360°, elevation stays within its limits, and there is no view index.

    hall_south facing 350°: hall_north is 10° + atan(0.2 / 3) = 13.81° = 0.2411011 rad to the right, and 0.2 rad below the
    centre of a camera tilted up by 0.2.
    """
    simulator = single(connectivity, discretised=False)
    simulator.newEpisode("cottage", "hall_south", 370 * DEGREE, 0.2)
    assert simulator.getState().heading == pytest.approx(10 * DEGREE)
    simulator.makeAction(0, -20 * DEGREE, 0)
    state = simulator.getState()
    assert (state.heading, state.elevation) == (pytest.approx(350 * DEGREE), 0.2)
    assert state.navigableLocations[1].rel_heading == pytest.approx(0.2411011, abs=1e-6)
    assert state.navigableLocations[1].rel_elevation == pytest.approx(-0.2, abs=1e-6)
    simulator.makeAction(0, 0, 3)
    assert simulator.getState().elevation == 0.94
    assert simulator.setElevationLimits(-0.5, 0.25) is True
    simulator.makeAction(0, 0, -3)
    assert simulator.getState().elevation == -0.5
    assert simulator.getState().viewIndex == 0


@pytest.mark.parametrize("limits", [(0, 1), (-1, 0), (-1.58, 1), (-1, 1.58), (1, -1), (math.nan, 1)])
def test_limits_that_make_no_sense_are_refused(connectivity: Path, limits: tuple[float, float]) -> None:
    simulator = single(connectivity, discretised=False)
    assert simulator.setElevationLimits(*limits) is False
    simulator.newEpisode("cottage", "kitchen", 0, 2)
    assert simulator.getState().elevation == 0.94


def test_set_location_changes_the_name_now_and_the_neighbours_later(connectivity: Path) -> None:
    """As in the authors' fork: the position stays that of hall_south until the agent moves to another viewpoint."""
    simulator = single(connectivity)
    simulator.newEpisode("cottage", "hall_south", 0, 0)
    simulator.setLocation("hall_north", 2)
    state = simulator.getState()
    assert (state.location.viewpointId, state.location.ix, state.location.point) == ("hall_north", 2, [0, 0, 1.5])
    assert names(state) == ["hall_north", "hall_north"]
    simulator.makeAction(0, 0, 0)
    assert names(simulator.getState()) == ["hall_north", "stairs_foot"]


def test_a_state_does_not_change_under_later_actions(connectivity: Path) -> None:
    simulator = single(connectivity)
    simulator.newEpisode("cottage", "hall_south", 0, 0)
    state = simulator.getState()
    before = facts(state)
    simulator.makeAction(1, 1, 1)
    assert facts(state) == before
    assert facts(simulator.getState()) != before


def test_writing_on_a_state_does_no_harm(connectivity: Path) -> None:
    simulator = single(connectivity)
    simulator.newEpisode("cottage", "hall_south", 0, 0)
    state = simulator.getState()
    before = facts(state)
    state.navigableLocations[1].point[0] = 99.0
    state.navigableLocations[1].rel_heading = 1.0
    state.navigableLocations.clear()
    assert facts(simulator.getState()) == before
    another = single(connectivity)
    another.newEpisode("cottage", "hall_south", 0, 0)
    assert facts(another.getState()) == before


# Random episodes


def test_an_empty_viewpoint_id_means_a_random_included_one(connectivity: Path) -> None:
    """In `small` 1 of 4 is excluded: the three others all come up, and the same seed gives the same ones."""
    runs = []
    for _ in range(2):
        simulator = single(connectivity)
        simulator.setSeed(7)
        runs.append([])
        for _ in range(40):
            simulator.newEpisode("small", "", 0, 0)
            runs[-1].append(simulator.getState().location.viewpointId)
    assert set(runs[0]) == {"v0", "v2", "v3"}
    assert runs[0] == runs[1]


def test_new_random_episode(connectivity: Path) -> None:
    simulator = batch(connectivity, 8, discretised=False)
    simulator.newRandomEpisode(["cottage"] * 8)
    states = simulator.getState()
    assert len({state.heading for state in states}) == 8
    assert all(0 <= state.heading < 2 * math.pi and state.elevation == 0 for state in states)
    assert len({state.location.viewpointId for state in states}) > 1


# Errors


@pytest.mark.parametrize("index", [-1, 2, 100])
def test_an_index_out_of_range(connectivity: Path, index: int) -> None:
    simulator = single(connectivity)
    simulator.newEpisode("cottage", "hall_south", 0, 0)
    before = facts(simulator.getState())
    with pytest.raises(ValueError, match=f"Invalid action index: {index}"):
        simulator.makeAction(index, 0, 0)
    assert facts(simulator.getState()) == before


def test_acting_before_an_episode(connectivity: Path) -> None:
    simulator = configured(connectivity)
    with pytest.raises(ValueError, match="Invalid action index"):
        simulator.makeAction(0, 0, 0)
    simulator.init()
    with pytest.raises(ValueError, match="Invalid action index"):
        simulator.makeAction(0, 0, 0)
    with pytest.raises(RuntimeError, match="newEpisode"):
        simulator.getState()
    simulator.newEpisode("cottage", "kitchen", 0, 0)
    simulator.close()
    with pytest.raises(ValueError, match="Invalid action index"):
        simulator.makeAction(0, 0, 0)
    simulator.newEpisode("cottage", "kitchen", 0, 0)
    assert simulator.getState().step == 0


@pytest.mark.parametrize(
    ("scan", "viewpoint", "error", "message"),
    [
        ("castle", "kitchen", ValueError, "castle_connectivity.json: no such file"),
        ("cottage", "cellar", ValueError, "Could not find viewpointId: cellar"),
        ("small", "v1", ValueError, "excluded"),
        ("shut", "", RuntimeError, "no included viewpoints"),
    ],
)
def test_places_that_are_not_there(
    connectivity: Path, scan: str, viewpoint: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        single(connectivity).newEpisode(scan, viewpoint, 0, 0)
    with pytest.raises(error, match=message):
        batch(connectivity, 1).newEpisode([scan], [viewpoint], [0], [0])


@pytest.mark.parametrize("content", ["{}", '[{"image_id": "a"}]', "[", '[{"image_id": "a", "included": true, "pose": [1], '
                                     '"unobstructed": [false]}]'])  # fmt: skip
def test_a_broken_connectivity_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "bad_connectivity.json").write_text(content)
    with pytest.raises(ValueError, match=r"bad_connectivity\.json"):
        single(tmp_path).newEpisode("bad", "a", 0, 0)


@pytest.mark.parametrize("action", [(1.0, 0, 0), ("1", 0, 0), (0, "0", 0), (0, 0, None), ([0], [0], [0]), (None, 0, 0)])
def test_arguments_of_the_wrong_type(connectivity: Path, action: tuple[Any, Any, Any]) -> None:
    simulator = single(connectivity)
    simulator.newEpisode("cottage", "hall_south", 0, 0)
    with pytest.raises(TypeError, match="MatterSim"):
        simulator.makeAction(*action)
    assert simulator.getState().step == 0


def test_numbers_of_other_kinds_are_taken(connectivity: Path) -> None:
    simulator = single(connectivity)
    simulator.newEpisode("cottage", "hall_south", np.float32(0), np.int64(0))
    simulator.makeAction(np.int64(1), np.float64(1.0), np.float32(0.0))
    state = simulator.getState()
    assert (state.location.viewpointId, state.viewIndex) == ("hall_north", 13)


def test_settings_of_the_wrong_type() -> None:
    simulator = Simulator()
    with pytest.raises(TypeError, match="path"):
        simulator.setNavGraphPath(7)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="value"):
        simulator.setRenderingEnabled("no")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="width"):
        simulator.setCameraResolution(640.0, 480)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="0×480"):
        simulator.setCameraResolution(0, 480)
    with pytest.raises(ValueError, match="finite"):
        simulator.setCameraVFOV(math.inf)


def test_settings_after_initialisation_are_ignored(connectivity: Path) -> None:
    simulator = single(connectivity)
    simulator.setDiscretizedViewingAngles(False)
    simulator.setRenderingEnabled(True)
    simulator.newEpisode("cottage", "kitchen", 0.1, 0)
    assert (simulator.getState().heading, simulator.getState().rgb) == (0, None)


def test_the_default_folder_of_connectivity(connectivity: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(connectivity.parent)
    for path in (None, ""):
        simulator = Simulator()
        simulator.setRenderingEnabled(False)
        if path is not None:
            simulator.setNavGraphPath(path)
        simulator.newEpisode("cottage", "kitchen", 0.1, 0)
        assert simulator.getState().heading == 0.1


# Batches


def test_a_batch_is_as_many_singles(connectivity: Path) -> None:
    """Three agents in two buildings walk at random; each one's states are those of a simulator of its own."""
    starts = [("cottage", "hall_south", 0.0, 0.0), ("small", "v2", 3.5, 0.0), ("cottage", "landing", 2.1, -1.0)]
    for discretised in (True, False):
        together = batch(connectivity, 3, discretised, vfov=90)
        together.newEpisode(*map(list, zip(*starts, strict=True)))
        alone = [single(connectivity, discretised, vfov=90) for _ in starts]
        for simulator, start in zip(alone, starts, strict=True):
            simulator.newEpisode(*start)
        generator = np.random.default_rng(3)
        moved = 0
        for _ in range(120):
            states = together.getState()
            assert [facts(state) for state in states] == [facts(simulator.getState()) for simulator in alone]
            places = [int(generator.integers(len(state.navigableLocations))) for state in states]
            turns, tilts = generator.uniform(-1, 1, (2, 3)).tolist()
            together.makeAction(places, turns, tilts)
            for simulator, *action in zip(alone, places, turns, tilts, strict=True):
                simulator.makeAction(*action)
            moved += sum(place > 0 for place in places)
        assert moved > 20


def test_the_states_of_a_batch_are_kept_up_to_date(connectivity: Path) -> None:
    """As upstream: the objects from the first getState() tell the present, and are those of every getState()."""
    simulator = batch(connectivity, 2)
    first = simulator.getState()
    assert [state.location for state in first] == [None, None]
    simulator.newEpisode(["cottage"] * 2, ["hall_south"] * 2, [0, 0], [0, 0])
    simulator.makeAction([1, 0], [0, 1], [0, 0])
    assert [state.location.viewpointId for state in first] == ["hall_north", "hall_south"]
    assert [state.viewIndex for state in first] == [12, 13]
    assert all(now is then for now, then in zip(simulator.getState(), first, strict=True))


def test_images_of_a_batch_without_rendering_are_black(connectivity: Path) -> None:
    simulator = batch(connectivity, 1)
    simulator.newEpisode(["cottage"], ["kitchen"], [0], [0])
    (state,) = simulator.getState()
    assert np.array(state.rgb).shape == (480, 640, 3) and not np.array(state.rgb).any()
    assert np.array(state.depth).shape == (480, 640, 1)


def test_lists_too_short_for_the_batch(connectivity: Path) -> None:
    simulator = batch(connectivity, 2)
    with pytest.raises(IndexError, match="heading has 1 entries for a batch of 2"):
        simulator.newEpisode(["cottage"] * 2, ["kitchen"] * 2, [0], [0, 0])
    simulator.newEpisode(["cottage"] * 2, ["kitchen"] * 2, [0, 0], [0, 0])
    with pytest.raises(IndexError, match="index"):
        simulator.makeAction([0], [0, 0], [0, 0])


def test_wrong_arguments_of_a_batch(connectivity: Path) -> None:
    simulator = configured(connectivity)
    simulator.setBatchSize(2)
    with pytest.raises(RuntimeError, match="newEpisode must be called"):
        simulator.makeAction([0, 0], [0, 0], [0, 0])
    simulator.initialize()
    with pytest.raises(TypeError, match="a batch of 2 takes lists"):
        simulator.newEpisode("cottage", "kitchen", 0, 0)
    simulator.newEpisode(("cottage",) * 2, ["kitchen", "dining"], np.zeros(2), np.zeros(2))
    for action in (([0, -1], [0, 0], [0, 0]), ([0, 1.0], [0, 0], [0, 0]), (0, 0, 0), ("00", [0, 0], [0, 0])):
        with pytest.raises(TypeError):
            simulator.makeAction(*action)
    with pytest.raises(ValueError, match="Invalid action index: 9 in environment 1 of 2"):
        simulator.makeAction([0, 9], [0, 0], [0, 0])
    assert [state.step for state in simulator.getState()] == [0, 0]


def test_initialize_followed_by_single_values_is_one_agent(connectivity: Path) -> None:
    """An upstream of between the two generations: the new name with the old calls."""
    simulator = configured(connectivity)
    simulator.initialize()
    simulator.newEpisode("cottage", "hall_south", 0, 0)
    simulator.makeAction(1, 0, 0)
    assert simulator.getState().location.viewpointId == "hall_north"


# One parse for all


def test_a_building_is_read_once_for_all_simulators(connectivity: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    parse = graph._parse
    monkeypatch.setattr(graph, "_parse", lambda path: read.append(path.name) or parse(path))
    for _ in range(20):
        single(connectivity).newEpisode("cottage", "kitchen", 0, 0)
    assert read == ["cottage_connectivity.json"]
    write_connectivity(connectivity, "cottage", [(0, 0, 0), (5, 0, 0)], [(0, 1)])
    simulator = single(connectivity)
    simulator.newEpisode("cottage", "v0", 90 * DEGREE, 0)
    assert names(simulator.getState()) == ["v0", "v1"]
    assert len(read) == 2


# Images


def test_without_images_the_error_says_where_they_were_sought(connectivity: Path) -> None:
    simulator = single(connectivity, rendering=True)
    simulator.setDatasetPath("nowhere")
    with pytest.raises(ValueError, match=r"nowhere/v1/scans/cottage/matterport_skybox_images.*setRenderingEnabled\(False\)"):
        simulator.newEpisode("cottage", "kitchen", 0, 0)


@pytest.mark.parametrize("layout", ["v1/scans/cottage", "cottage"])
def test_views_of_skybox_images_are_bgr(connectivity: Path, tmp_path: Path, layout: str) -> None:
    """A panorama that is redder to the east, greener to the north, bluer upwards; looking east, then up, then north."""
    folder = tmp_path / layout / "matterport_skybox_images"
    faces = np.rint((face_directions(32, UPRIGHT) + 1) * 127.5).astype(np.uint8)
    write_skybox(folder, "kitchen", faces)
    simulator = single(connectivity, rendering=True)
    simulator.setDatasetPath(str(tmp_path))
    simulator.newEpisode("cottage", "kitchen", 90 * DEGREE, 0)
    east = simulator.getState().rgb
    assert east.shape == (480, 640, 3) and east.dtype == np.uint8
    np.testing.assert_allclose(east[240, 320].astype(int), (128, 128, 255), atol=6)
    simulator.makeAction(*UP)
    blue, green, red = simulator.getState().rgb[240, 320].astype(int)
    np.testing.assert_allclose((blue, green, red), (191, 128, 238), atol=6)  # sin 30° and cos 30° of 127.5, plus 127.5
    np.testing.assert_allclose(east[240, 320].astype(int), (128, 128, 255), atol=6)
    together = configured(connectivity, rendering=True)
    together.setDatasetPath(str(tmp_path))
    together.newEpisode(["cottage"], ["kitchen"], [0], [0])
    np.testing.assert_allclose(together.getState()[0].rgb[240, 320].astype(int), (128, 255, 128), atol=6)


@pytest.mark.usefixtures("no_renderer")
def test_a_renderer_draws_what_has_no_images(connectivity: Path) -> None:
    asked = []

    def draw(scan: str, viewpoint: str, heading: float, elevation: float, *camera: float) -> Any:
        asked.append((scan, viewpoint, heading, elevation, *camera))
        return np.broadcast_to(np.array([1, 2, 3], np.uint8), (480, 640, 3)) if viewpoint == "kitchen" else None

    mattersim.set_renderer(draw)
    simulator = single(connectivity, rendering=True)
    simulator.newEpisode("cottage", "kitchen", 0, 0)
    state = simulator.getState()
    assert asked == [("cottage", "kitchen", 0.0, 0.0, 640, 480, 60 * DEGREE)]
    assert state.rgb[7, 7].tolist() == [3, 2, 1]
    state.rgb[:] = 0
    assert simulator.getState().rgb.any()
    with pytest.raises(ValueError, match="no skybox images of viewpoint dining"):
        simulator.newEpisode("cottage", "dining", 0, 0)


# Other people's programs

PROGRAM = """
import sys, math
sys.path.append('build')
import MatterSim
import helper
sim = MatterSim.Simulator()
sim.setRenderingEnabled(False)
sim.setDiscretizedViewingAngles(True)
sim.setCameraResolution(640, 480)
sim.setCameraVFOV(math.radians(60))
sim.setNavGraphPath(sys.argv[1])
sim.init()
sim.newEpisode('cottage', 'hall_south', 0, 0)
sim.makeAction(1, 0, 0)
print(__name__, helper.WORD, sim.getState().location.viewpointId, sys.argv[2:])
sys.exit(3)
"""


def run_python(*arguments: str, folder: Path, python_path: Sequence[Path] = ()) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [SOURCE, *python_path]))}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program beside a module of its own, to be run in another folder with a wrong MatterSim where it will look."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "MatterSim.py").write_text("raise ImportError('the one that cannot be built')")
    (folder / "helper.py").write_text("WORD = 'helped'")
    (folder / "walk.py").write_text(PROGRAM)
    return folder / "walk.py"


def test_a_program_runs_unchanged(program: Path, connectivity: Path) -> None:
    ran = run_python("-m", "vnla.mattersim", str(program), str(connectivity), "--more", folder=program.parents[1])
    assert (ran.stdout, ran.stderr, ran.returncode) == ("__main__ helped hall_north ['--more']\n", "", 3)


def test_a_program_started_by_others_finds_the_folder(program: Path, connectivity: Path) -> None:
    printed = run_python("-m", "vnla.mattersim", "--path", folder=program.parents[1])
    assert Path(printed.stdout.strip()) == drop_in_folder()
    ran = run_python(str(program), str(connectivity), folder=program.parents[1], python_path=[Path(printed.stdout.strip())])
    assert (ran.stdout, ran.returncode) == ("__main__ helped hall_north []\n", 3)


@pytest.mark.parametrize(("arguments", "said"), [((), "usage: "), (("absent.py",), "absent.py: no such file")])
def test_no_script_to_run(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    ran = run_python("-m", "vnla.mattersim", *arguments, folder=tmp_path)
    assert ran.returncode == 2
    assert ran.stderr.startswith(said) and ran.stderr.count("\n") == 1 and not ran.stdout


def test_install_wins_over_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "MatterSim.py").write_text("raise ImportError('the wrong one')")
    monkeypatch.setitem(sys.modules, "MatterSim", None)  # restored at the end
    assert mattersim.install() is mattersim.install()
    monkeypatch.syspath_prepend(tmp_path)
    import MatterSim

    assert MatterSim.Simulator is Simulator

"""Frames against geometry worked out by hand: silhouettes, depth, textures, occlusion, seams and edges."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from vnla.camera import view_angles
from vnla.houses.render import SKY, PreparedScene, prepare, render_view
from vnla.houses.scene import NO_OBJECT, Light, Material, Part, Scene

GREY = Material((0.5, 0.5, 0.5))
FIELD = math.radians(60)


def stage_of(*parts: Part, owner: tuple[int, ...] | None = None) -> PreparedScene:
    return prepare(Scene(parts, owner or tuple(range(len(parts))), (Light((0, 0, 5.0), power=3.0),)))


def rays(width: int, height: int, heading: float, elevation: float) -> NDArray[np.float64]:
    """The direction in the world of each pixel's ray, one metre long along the camera's axis."""
    tangent = math.tan(FIELD / 2)
    x = ((np.arange(width) + 0.5) / width * 2 - 1) * tangent * width / height
    y = ((np.arange(height) + 0.5) / height * 2 - 1) * tangent
    ahead = np.array([math.sin(heading) * math.cos(elevation), math.cos(heading) * math.cos(elevation), math.sin(elevation)])
    right = np.array([math.cos(heading), -math.sin(heading), 0])
    up = np.cross(right, ahead)
    return ahead + x[None, :, None] * right - y[:, None, None] * up


@pytest.mark.parametrize(("heading", "elevation"), [(0.0, 0.0), (2.1, 0.5), (-1.0, -0.5)])
def test_a_ball_covers_its_silhouette_and_is_centred(heading: float, elevation: float) -> None:
    distance, radius, size = 3.0, 0.5, 240
    eye = np.array([1.0, -2.0, 1.5])
    towards = np.array(
        [math.sin(heading) * math.cos(elevation), math.cos(heading) * math.cos(elevation), math.sin(elevation)]
    )
    centre = eye + distance * towards
    ball = Part("sphere", tuple(centre.tolist()), (2 * radius,) * 3, GREY)  # type: ignore[arg-type]
    frame = render_view(stage_of(ball), tuple(eye.tolist()), heading, elevation, size, size, FIELD)
    rows, columns = np.nonzero(frame.objects == 0)
    pixels = math.tan(math.asin(radius / distance)) / math.tan(FIELD / 2) * size / 2
    # The ball is a polyhedron inside of the true one: a little smaller, never larger.
    assert 0.92 < len(rows) / (math.pi * pixels**2) < 1.005
    assert rows.mean() + 0.5 == pytest.approx(size / 2, abs=0.6)
    assert columns.mean() + 0.5 == pytest.approx(size / 2, abs=0.6)
    assert frame.depth[size // 2, size // 2] == pytest.approx(distance - radius, rel=0.02)


def test_a_box_covers_exactly_its_projection() -> None:
    # Its front is 2 m away and 1 m wide: half a metre to each side at 2 m is tan = 0.25.
    frame = render_view(stage_of(Part("box", (0, 2.5, 0), (1, 1, 1), GREY)), (0, 0, 0), 0.0, 0.0, 200, 160, FIELD)
    focal = 80 / math.tan(FIELD / 2)
    reach = 0.25 * focal
    inside_x = np.abs(np.arange(200) + 0.5 - 100) < reach
    inside_y = np.abs(np.arange(160) + 0.5 - 80) < reach
    expected = inside_y[:, None] & inside_x[None]
    assert ((frame.objects == 0) == expected).all()
    assert frame.depth[expected] == pytest.approx(2.0, rel=1e-5)
    assert np.isinf(frame.depth[~expected]).all()


@pytest.mark.parametrize("elevation", [-0.6, 0.0])
@pytest.mark.parametrize("heading", [0.0, 1.0])
def test_depth_of_a_floor_is_the_distance_to_a_plane_even_under_the_camera(heading: float, elevation: float) -> None:
    stage = stage_of(Part("box", (0, 0, -0.5), (2000, 2000, 1), GREY))
    frame = render_view(stage, (0.3, 0.2, 1.6), heading, elevation, 160, 120, FIELD)
    down = -rays(160, 120, heading, elevation)[..., 2]
    below = down > 0.01
    assert frame.depth[below] == pytest.approx(1.6 / down[below], rel=1e-3)
    assert (frame.objects[down < 0] == SKY).all()


def test_a_checkerboard_has_its_cells_where_projection_says() -> None:
    board = Material((0.05, 0.05, 0.05), "checks", (0.95, 0.95, 0.95), scale=1.0)
    stage = stage_of(Part("box", (0, 0, -0.05), (12, 12, 0.1), board))
    eye, heading, elevation = np.array([0.2, -0.1, 1.4]), 0.5, -0.7
    frame = render_view(stage, tuple(eye.tolist()), heading, elevation, 320, 240, FIELD)
    ray = rays(320, 240, heading, elevation)
    hit = eye + ray * (eye[2] / -ray[..., 2])[..., None]
    cell = np.stack([hit[..., 0], -hit[..., 1]], axis=-1) * 2  # cells of half a metre; textures run down, so against y
    light = (np.floor(cell).sum(axis=-1) % 2).astype(bool)
    footprint = 2 * 2 * math.tan(FIELD / 2) / 240 * (eye[2] / -ray[..., 2]) ** 2 / eye[2]  # of a pixel, in cells
    clear = (np.abs(cell - np.rint(cell)) > 1.5 * footprint[..., None] + 0.03).all(axis=-1)
    clear &= (np.abs(hit[..., :2]) < 5.9).all(axis=-1)
    shade = frame.rgb.mean(axis=-1)
    assert clear.mean() > 0.5
    assert 0.3 < light[clear].mean() < 0.7
    assert (shade[clear & light] > 100).all()
    assert (shade[clear & ~light] < 60).all()


def test_what_is_nearer_hides_what_is_behind() -> None:
    near, far = Part("box", (0, 2, 0), (0.4, 0.2, 0.4), GREY), Part("box", (0, 4, 0), (2, 0.2, 1), GREY)
    wall = Part("box", (0, 6, 0), (20, 0.2, 1.5), GREY)
    for order in ([near, far, wall], [wall, far, near]):
        owner = tuple({id(near): 5, id(far): 9, id(wall): NO_OBJECT}[id(part)] for part in order)
        frame = render_view(stage_of(*order, owner=owner), (0, 0, 0), 0.0, 0.0, 160, 120, FIELD)
        focal = 60 / math.tan(FIELD / 2)
        assert frame.objects[60, 80] == 5
        assert frame.objects[60, 80 + round(0.2 / 1.9 * focal) - 2] == 5
        assert frame.objects[60, 80 + round(0.2 / 1.9 * focal) + 2] == 9
        assert frame.objects[60, 80 + round(1.0 / 3.9 * focal) + 2] == NO_OBJECT
        assert frame.objects[2, 80] == SKY


def test_a_closed_room_has_no_cracks(room: Scene) -> None:
    stage = prepare(room)
    for heading, elevation in zip(*view_angles(), strict=True):
        frame = render_view(stage, (0.3, -0.2, 1.5), heading, elevation, 160, 120)
        assert (frame.objects != SKY).all()
        assert frame.depth.max() < 6.0


def test_a_ball_has_no_holes() -> None:
    stage = stage_of(Part("sphere", (0, 2, 0), (1, 1, 1), GREY), Part("box", (0, 5, 0), (20, 0.1, 20), GREY))
    frame = render_view(stage, (0, 0, 0), 0.0, 0.0, 400, 400, FIELD)
    for row in frame.objects == 0:
        covered = np.flatnonzero(row)
        assert covered.size == 0 or covered.size == np.ptp(covered) + 1


def test_smooth_edges_are_nearer_to_a_finer_picture() -> None:
    black, white = Material((0.02, 0.02, 0.02)), Material((0.9, 0.9, 0.9))
    bars = [Part("box", (0.4 * k, 3, 0), (0.1, 0.1, 4), black, turn=0.3 * k) for k in range(-5, 6)]
    balls = [Part("sphere", (0.7 * k, 2.5, 0.5), (0.4, 0.4, 0.4), white) for k in range(-2, 3)]
    stage = stage_of(*bars, *balls, Part("box", (0, 5, 0), (20, 0.1, 20), white))

    def view(width: int, height: int, samples: int) -> NDArray[np.float64]:
        return render_view(stage, (0, 0, 0), 0.1, 0.05, width, height, samples=samples).rgb.astype(np.float64)

    fine = view(480, 360, 2).reshape(90, 4, 120, 4, 3).mean(axis=(1, 3))
    rough, smooth = np.abs(view(120, 90, 1) - fine).mean(), np.abs(view(120, 90, 2) - fine).mean()
    assert smooth < 0.75 * rough


def test_a_lamp_shade_glows_and_nothing_burns_out(stage: PreparedScene) -> None:
    glowing = Material((0.9, 0.6, 0.3), glow=1.0)
    dark = Scene(
        (Part("box", (0, 2, 0), (1, 0.1, 1), glowing), Part("box", (0, 2, 3), (1, 0.1, 1), GREY)), (0, 1), sun=(0, 0, -1)
    )
    frame = render_view(prepare(dark), (0, 0, 0), 0.0, 0.0, 64, 64)
    assert (frame.rgb[32, 32] > [180, 120, 60]).all()
    for heading in np.arange(0, 6.2, 0.5):
        rgb = render_view(stage, (0, 0, 1.5), float(heading), 0.0, 160, 120).rgb
        assert (rgb.min(axis=-1) == 255).mean() < 0.02


def test_frames_are_the_same_each_time(room: Scene) -> None:
    one, other = (render_view(prepare(room), (0, 0, 1.5), 1.0, -0.2, 96, 72, samples=2) for _ in range(2))
    assert all((a == b).all() for a, b in zip(one, other, strict=True))


def test_two_faces_in_one_plane_do_not_flicker() -> None:
    # The second box is the first one moved along its own x, so their fronts lie in one plane and overlap.
    turn = 0.3
    centre = np.array([-0.5, 3.0, 0.0])
    moved = centre + np.array([math.cos(turn), math.sin(turn), 0.2])
    parts = [Part("box", tuple(c.tolist()), (3, 1, 2), GREY, turn=turn) for c in (centre, moved)]  # type: ignore[arg-type]
    frame = render_view(stage_of(*parts), (0, 0, 0.1), 0.05, 0.0, 200, 150, FIELD)
    for row in frame.objects[60:90]:
        assert (np.diff(row[row >= 0]) != 0).sum() <= 1

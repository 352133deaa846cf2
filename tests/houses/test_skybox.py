"""Panoramas: the orientation of the six faces, the views cut out of them, and their files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from vnla.common.errors import InputError
from vnla.houses.house import UPRIGHT
from vnla.houses.skybox import (
    face_directions,
    load_skybox,
    load_skybox_depth,
    render_depth,
    render_view,
    skybox_files,
    write_skybox,
)

SIDE = 64
VFOV = math.radians(60)
UP, SOUTH, WEST, NORTH, EAST, DOWN = range(6)


def opengl_lookup(t: NDArray[np.float64]) -> tuple[int, float, float]:
    """Face number and place in it, 0 to 1 from the left and from the top, of an OpenGL cube map look-up.

    The table of the OpenGL specification (3.8.10): major axis, then sc, tc and ma; and the simulator's assignment of
    Matterport3D's six images to the six sides: +x 2, -x 4, +y 0, -y 5, +z 1, -z 3.
    """
    x, y, z = t
    rows = {
        ("x", True): (2, -z, -y),
        ("x", False): (4, z, -y),
        ("y", True): (0, x, z),
        ("y", False): (5, x, -z),
        ("z", True): (1, x, -y),
        ("z", False): (3, -x, -y),
    }
    axis = max(range(3), key=lambda i: abs(t[i]))
    face, sc, tc = rows["xyz"[axis], bool(t[axis] > 0)]
    return face, (sc / abs(t[axis]) + 1) / 2, (tc / abs(t[axis]) + 1) / 2


def rotate(axis: str, radians: float) -> NDArray[np.float64]:
    """The right-handed rotation about an axis that glm::rotate makes."""
    c, s = math.cos(radians), math.sin(radians)
    if axis == "x":
        return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def simulator_lookup(
    rotation: NDArray[np.float64], heading: float, elevation: float, x: float, y: float
) -> tuple[int, float, float]:
    """What today's C++ simulator shows at a pixel, x to the right and y downwards in units of the focal length.

    Its view matrix is RotX(-90° + elevation) · RotZ(180° + heading), its model matrix the pose's rotation, and the cube is
    looked up at the vertex itself. The image is read from OpenGL without turning it over, so its first row is the lowest
    of the frame buffer: downwards in the image is +y of the eye, which looks along -z.
    """
    view = rotate("x", -math.pi / 2 + elevation) @ rotate("z", math.pi + heading)
    eye = np.array([x, y, -1.0])
    return opengl_lookup(rotation.T @ view.T @ eye)


def rotations() -> st.SearchStrategy[NDArray[np.float64]]:
    """Rotations of any kind, from four numbers as a quaternion."""
    numbers = st.floats(-1, 1)

    def matrix(parts: tuple[float, float, float, float]) -> NDArray[np.float64]:
        w, x, y, z = np.array(parts) / np.linalg.norm(parts)
        return np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )

    return st.tuples(numbers, numbers, numbers, numbers).filter(lambda parts: np.linalg.norm(parts) > 0.1).map(matrix)


def test_the_faces_of_an_upright_panorama() -> None:
    """Face 3 looks north, 4 east, 1 south, 2 west, 0 up, 5 down: the middle of each, by hand."""
    middle = face_directions(1, UPRIGHT)[:, 0, 0]
    by_hand = {UP: (0, 0, 1), SOUTH: (0, -1, 0), WEST: (-1, 0, 0), NORTH: (0, 1, 0), EAST: (1, 0, 0), DOWN: (0, 0, -1)}
    for face, direction in by_hand.items():
        np.testing.assert_allclose(middle[face], direction, atol=1e-6)


def test_the_pictures_are_not_mirrored() -> None:
    """Looking north, west is on the left and up is at the top; looking up, the lower edge is south as face 1 is below it."""
    directions = face_directions(9, UPRIGHT)
    assert directions[NORTH, 4, 0] @ (-1, 0, 0) > 0.6
    assert directions[NORTH, 0, 4] @ (0, 0, 1) > 0.6
    assert directions[EAST, 4, 0] @ (0, 1, 0) > 0.6
    assert directions[UP, 8, 4] @ (0, -1, 0) > 0.6
    assert directions[UP, 4, 0] @ (1, 0, 0) > 0.6
    assert directions[DOWN, 0, 4] @ (0, -1, 0) > 0.6


@settings(max_examples=200, deadline=None)
@given(
    rotation=rotations(),
    heading=st.floats(0, 6.28),
    elevation=st.floats(-1, 1),
    x=st.floats(-0.7, 0.7),
    y=st.floats(-0.5, 0.5),
)
def test_a_view_shows_what_the_simulator_shows(
    rotation: NDArray[np.float64], heading: float, elevation: float, x: float, y: float
) -> None:
    """The direction of a pixel, found in our faces, is where OpenGL finds it: same face, same place in it."""
    face, across, down = simulator_lookup(rotation, heading, elevation, x, y)
    size = 16
    column, row = min(int(across * size), size - 1), min(int(down * size), size - 1)
    found = face_directions(size, rotation)[face, row, column]
    ahead = np.array([math.sin(heading) * math.cos(elevation), math.cos(heading) * math.cos(elevation), math.sin(elevation)])
    right = np.array([math.cos(heading), -math.sin(heading), 0])
    wanted = ahead + x * right + y * np.cross(ahead, right)
    wanted /= np.linalg.norm(wanted)
    # A texel in the middle of a face of 16 is 1/8 wide at distance 1: its corner is at most 0.09 from its centre.
    assert np.linalg.norm(found - wanted) < 0.09


def coloured(rotation: object) -> NDArray[np.uint8]:
    """Six faces whose colour is the direction: red from west to east, green from south to north, blue from down to up."""
    return np.rint((face_directions(SIDE, rotation) + 1) * 127.5).astype(np.uint8)  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(rotation=rotations(), heading=st.floats(0, 6.28), elevation=st.floats(-1.2, 1.2))
def test_every_pixel_has_the_colour_of_its_direction(
    rotation: NDArray[np.float64], heading: float, elevation: float
) -> None:
    """Seams between faces are in most of these views: a face that is turned or mirrored would leave wrong colours."""
    width, height = 40, 30
    view = render_view(coloured(rotation), rotation, heading, elevation, width, height, VFOV)
    tangent = math.tan(VFOV / 2)
    x = ((np.arange(width) + 0.5) / width * 2 - 1) * tangent * width / height
    y = ((np.arange(height) + 0.5) / height * 2 - 1) * tangent
    ahead = np.array([math.sin(heading) * math.cos(elevation), math.cos(heading) * math.cos(elevation), math.sin(elevation)])
    right = np.array([math.cos(heading), -math.sin(heading), 0])
    directions = ahead + x[None, :, None] * right + y[:, None, None] * np.cross(ahead, right)
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
    # Half a texel at the seam, where sampling is clamped, is 1/64 or 2 of 127.5 levels; rounding adds one.
    assert np.abs(view - (directions + 1) * 127.5).max() < 3.1


def test_landmarks_of_a_level_view() -> None:
    """Facing north in an upright panorama: north in the middle, east to the right, sky above."""
    view = render_view(coloured(UPRIGHT), UPRIGHT, 0.0, 0.0, 41, 31, math.radians(90)).astype(int)
    red, green, blue = view[15, 20]
    assert abs(red - 128) < 3 and abs(blue - 128) < 3 and green > 250
    assert view[15, 40, 0] > 200 and view[15, 0, 0] < 55
    assert view[0, 20, 2] > 200 and view[30, 20, 2] < 55


def test_turning_right_brings_what_was_on_the_right_to_the_middle() -> None:
    east = render_view(coloured(UPRIGHT), UPRIGHT, math.pi / 2, 0.0, 41, 31, VFOV)
    assert east[15, 20, 0] > 250
    up = render_view(coloured(UPRIGHT), UPRIGHT, 0.0, math.radians(80), 41, 31, VFOV)
    assert up[15, 20, 2] > 250


def test_depth_is_the_distance_from_the_plane_of_the_camera() -> None:
    """A sphere of radius 10000 around the camera: in the middle 10000; at a half angle of 45 degrees 10000 · cos 45°."""
    faces = np.full((6, 8, 8), 10000, dtype=np.uint16)
    depth = render_depth(faces, UPRIGHT, 0.0, 0.0, 401, 401, math.radians(90))
    assert depth[200, 200] == 10000
    assert abs(int(depth[200, 400]) - 7071) < 20


def test_files_have_the_names_of_matterport3d_and_come_back(tmp_path: Path) -> None:
    faces = coloured(UPRIGHT)
    write_skybox(tmp_path, "abc", faces)
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"abc_skybox{i}_sami.jpg" for i in range(6)]
    assert np.abs(load_skybox(tmp_path, "abc").astype(int) - faces).max() < 12


def test_a_rewritten_panorama_is_read_again(tmp_path: Path) -> None:
    write_skybox(tmp_path, "abc", np.zeros((6, 8, 8, 3), np.uint8))
    assert load_skybox(tmp_path, "abc").max() == 0
    write_skybox(tmp_path, "abc", np.full((6, 8, 8, 3), 200, np.uint8))
    assert load_skybox(tmp_path, "abc").min() > 190


def test_a_strip_of_six_faces_side_by_side(tmp_path: Path) -> None:
    """Faces of one grey each, from left to right 0, 40, … 200."""
    strip = np.repeat(np.arange(6, dtype=np.uint8) * 40, 16)[None, :, None].repeat(16, axis=0).repeat(3, axis=2)
    Image.fromarray(strip).save(tmp_path / "abc_skybox_small.jpg", quality=95)
    faces = load_skybox(tmp_path, "abc")
    assert faces.shape == (6, 16, 16, 3)
    np.testing.assert_allclose(faces.mean(axis=(1, 2, 3)), np.arange(6) * 40, atol=2)


def test_a_depth_strip(tmp_path: Path) -> None:
    strip = np.repeat(np.arange(6, dtype=np.uint16) * 9000, 4)[None].repeat(4, axis=0)
    Image.fromarray(strip).save(tmp_path / "abc_skybox_depth_small.png")
    faces = load_skybox_depth(tmp_path, "abc")
    np.testing.assert_array_equal(faces[:, 0, 0], np.arange(6) * 9000)


def test_what_is_wrong_with_the_files_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"abc_skybox0_sami\.jpg: no such file"):
        load_skybox(tmp_path, "abc")
    write_skybox(tmp_path, "abc", np.zeros((6, 8, 8, 3), np.uint8))
    Image.fromarray(np.zeros((8, 16, 3), np.uint8)).save(tmp_path / "abc_skybox3_sami.jpg")
    with pytest.raises(InputError, match=r"abc_skybox3_sami.jpg: 16×8 pixels"):
        load_skybox(tmp_path, "abc")
    (tmp_path / "abc_skybox3_sami.jpg").write_bytes(b"not a picture")
    with pytest.raises(InputError, match=r"abc_skybox3_sami\.jpg: cannot be read as an image"):
        load_skybox(tmp_path, "abc")
    (tmp_path / "abc_skybox3_sami.jpg").unlink()
    assert skybox_files(tmp_path, "abc") == ()
    with pytest.raises(InputError, match="six square RGB pictures"):
        write_skybox(tmp_path, "abc", np.zeros((5, 8, 8, 3), np.uint8))

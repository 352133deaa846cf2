"""Triangles of parts: closed, facing outwards, of the right volume, and with light samples on their surface."""

import math

import numpy as np
import pytest

from vnla.houses.render.mesh import Mesh, build_mesh
from vnla.houses.scene import NO_OBJECT, Material, Part, Scene

GREY = Material((0.5, 0.5, 0.5))


def mesh_of(*parts: Part) -> Mesh:
    return build_mesh(Scene(parts, tuple(range(len(parts)))))


def volume(mesh: Mesh) -> float:
    """By the divergence theorem: positive only for closed surfaces that face outwards."""
    a, b, c = (mesh.position[mesh.triangles[:, k]].astype(np.float64) - mesh.position.mean(axis=0) for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def test_whole_numbers_make_arrays_of_the_same_kind_for_which_nothing_is_compiled_anew() -> None:
    whole, broken = (
        mesh_of(Part("box", at, size, GREY)) for at, size in (((3, 2, 1), (2, 2, 2)), ((0.5, 2, 1), (2, 2, 0.5)))
    )
    assert [each.dtype for each in whole.solids] == [each.dtype for each in broken.solids]
    assert whole.position.dtype == broken.position.dtype


@pytest.mark.parametrize("turn", [0.0, 0.7])
@pytest.mark.parametrize("taper", [1.0, 0.5, 0.0, 1.4])
def test_a_tapered_box_has_the_volume_of_a_frustum(turn: float, taper: float) -> None:
    mesh = mesh_of(Part("box", (3, -2, 1), (2.0, 1.0, 0.6), GREY, turn=turn, taper=taper))
    assert volume(mesh) == pytest.approx(2.0 * 1.0 * 0.6 * (1 + taper + taper**2) / 3, rel=1e-4)


@pytest.mark.parametrize("axis", ["x", "y", "z"])
@pytest.mark.parametrize("taper", [1.0, 0.3])
def test_a_cylinder_has_the_volume_of_its_prism_along_each_axis(axis: str, taper: float) -> None:
    size = {"x": (2.0, 0.8, 0.6), "y": (0.6, 2.0, 0.8), "z": (0.8, 0.6, 2.0)}[axis]
    mesh = mesh_of(Part("cylinder", (1, 1, 1), size, GREY, turn=0.3, axis=axis, taper=taper))  # type: ignore[arg-type]
    sides = 20
    polygon = sides / 2 * math.sin(2 * math.pi / sides) * 0.4 * 0.3
    assert volume(mesh) == pytest.approx(polygon * 2.0 * (1 + taper + taper**2) / 3, rel=1e-4)
    along = "xyz".index(axis)
    assert np.ptp(mesh.position[:, 2]) == pytest.approx(size[2], rel=0.02)
    assert mesh.solids.order[0, 2] == along


def test_an_ellipsoid_lies_just_inside_of_the_true_one() -> None:
    mesh = mesh_of(Part("sphere", (0, 0, 0), (1.0, 0.8, 0.6), GREY))
    true = 4 / 3 * math.pi * 0.5 * 0.4 * 0.3
    assert 0.88 * true < volume(mesh) < true
    on_surface = (mesh.position / [0.5, 0.4, 0.3]) ** 2
    assert on_surface.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    assert 100 <= len(mesh.triangles) <= 200


def test_normals_point_the_way_triangles_face() -> None:
    shapes = [
        Part("box", (0, 0, 0), (1, 2, 0.5), GREY, turn=1.0, taper=0.6),
        Part("cylinder", (5, 0, 0), (1, 1, 2), GREY, taper=0.4),
        Part("cylinder", (5, 5, 0), (1, 1, 2), GREY, axis="x", turn=0.5),
        Part("sphere", (0, 5, 0), (1, 0.5, 0.7), GREY, turn=0.5),
    ]
    mesh = mesh_of(*shapes)
    a, b, c = (mesh.position[mesh.triangles[:, k]] for k in range(3))
    facing = np.cross(b - a, c - a)
    facing /= np.maximum(np.linalg.norm(facing, axis=1, keepdims=True), 1e-9)
    for k in range(3):
        assert (np.einsum("ij,ij->i", facing, mesh.normal[mesh.triangles[:, k]]) > 0.5).all()
    assert np.linalg.norm(mesh.normal, axis=1) == pytest.approx(1.0, abs=1e-5)


def test_every_triangle_knows_its_object_and_material() -> None:
    red, blue = Material((1, 0, 0)), Material((0, 0, 1))
    parts = (
        Part("sphere", (0, 0, 5), (1, 1, 1), red),
        Part("box", (0, 0, 0), (1, 1, 1), blue),
        Part("cylinder", (0, 0, 9), (1, 1, 1), red),
    )
    mesh = build_mesh(Scene(parts, (7, NO_OBJECT, 3)))
    height = mesh.position[mesh.triangles[:, 0], 2]
    assert set(mesh.owner[height < 2]) == {NO_OBJECT}
    assert set(mesh.owner[(height > 2) & (height < 7)]) == {7}
    assert set(mesh.owner[height > 7]) == {3}
    assert {mesh.materials[i] for i in mesh.material[height > 2]} == {red}
    assert {mesh.materials[i] for i in mesh.material[height < 2]} == {blue}


def test_a_picture_fills_a_face_once_and_other_patterns_keep_their_size() -> None:
    mesh = mesh_of(Part("box", (4, 0, 1), (3.0, 0.1, 1.0), Material((1, 1, 1), "picture")))
    assert mesh.uv.min() == 0.0
    assert mesh.uv.max() == 1.0
    mesh = mesh_of(Part("box", (4, 0, 1), (3.0, 0.1, 1.0), Material((1, 1, 1), "tiles", scale=0.25)))
    front = mesh.normal[:, 1] < -0.9
    assert np.ptp(mesh.uv[front], axis=0) == pytest.approx([12.0, 4.0])


def test_patterns_run_on_from_one_piece_of_wall_to_the_next() -> None:
    bricks = Material((0.6, 0.3, 0.2), "bricks", scale=0.7)
    mesh = mesh_of(Part("box", (1, 0, 1), (2, 0.1, 2), bricks), Part("box", (3, 0, 1), (2, 0.1, 2), bricks))
    seam = (mesh.normal[:, 1] < -0.9) & (np.abs(mesh.position[:, 0] - 2) < 1e-6) & (mesh.position[:, 2] > 1)
    assert seam.sum() == 2
    assert mesh.uv[seam][0] == pytest.approx(mesh.uv[seam][1])


def test_light_samples_lie_on_the_surface_and_shadows_get_many_on_a_floor() -> None:
    floor = Part("box", (0, 0, 0), (4, 3, 0.2), GREY)
    mesh = build_mesh(Scene((floor,), (NO_OBJECT,)))
    top = mesh.samples.normal[:, 2] > 0.9
    assert mesh.samples.position[top, 2] == pytest.approx(0.1)
    assert top.sum() > 150
    cylinder = mesh_of(Part("cylinder", (0, 0, 0), (1, 1, 2), GREY))
    side = np.abs(cylinder.samples.normal[:, 2]) < 0.1
    assert np.linalg.norm(cylinder.samples.position[side, :2], axis=1) == pytest.approx(0.5, abs=1e-5)


def test_a_scene_without_parts_is_refused() -> None:
    with pytest.raises(ValueError, match="without parts"):
        build_mesh(Scene((), ()))

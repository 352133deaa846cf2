"""Meshes for the page: where the panorama sees a surface there is one, and nothing tells what it is."""

from __future__ import annotations

import io
import json
import struct
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from vnla.houses.cottage import cottage
from vnla.houses.folder import WorldFolder, read_world, write_world
from vnla.houses.generate.world import HouseRecipe, as_extra
from vnla.houses.house import UPRIGHT
from vnla.houses.render.mesh import build_mesh
from vnla.houses.render.panorama import render_panorama
from vnla.houses.render.stage import prepare
from vnla.houses.scene import NO_OBJECT, Material, Part, Scene
from vnla.houses.skybox import face_directions
from vnla.serve.file_cache import FileCache
from vnla.serve.meshes import MOST_TRIANGLES, Meshes, bare, glb
from vnla.serve.places import PlaceNames

trimesh = pytest.importorskip("trimesh")

WHITE = Material((1.0, 1.0, 1.0))
RECIPE = HouseRecipe("small", 1, 8)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> WorldFolder:
    path = tmp_path_factory.mktemp("worlds") / "g"
    write_world(path, [RECIPE.make().house], source="generated", extra=as_extra("test", 0, [RECIPE]))
    return read_world(path)


@pytest.fixture(scope="module")
def mesh(world: WorldFolder, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    made = Meshes(world, PlaceNames(world.houses), FileCache(tmp_path_factory.mktemp("kept"))).mesh(world.houses[0])
    assert made is not None
    return made


def triangles(data: bytes) -> NDArray[np.float64]:
    """The corners of all triangles (triangles, 3, 3), in the axes of the house."""
    model = trimesh.load(io.BytesIO(data), file_type="glb", force="mesh", process=False)
    corners: NDArray[np.float64] = np.asarray(model.vertices)[model.faces]
    return corners[..., [0, 2, 1]] * [1, -1, 1]


def test_a_ray_meets_the_mesh_where_the_panorama_sees_something(mesh: bytes, world: WorldFolder) -> None:
    stage, stand, size = prepare(RECIPE.make().scene), world.houses[0].viewpoints[3], 64
    seen = render_panorama(stage, stand.position, size).depth  # along each face's axis
    directions = face_directions(size, UPRIGHT)
    axes = directions.sum(axis=(1, 2), keepdims=True)
    axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
    some = np.random.default_rng(0).choice(6 * size * size, 300, replace=False)
    along = (directions * axes).sum(axis=-1).reshape(-1)[some]
    met = distances(np.array(stand.position), directions.reshape(-1, 3)[some].astype(float), triangles(mesh)) * along
    apart = np.abs(met - seen.reshape(-1)[some]) / met
    assert np.median(apart) < 1e-3
    assert (apart < 0.01).mean() > 0.97  # the rest pass an edge on its other side


def distances(eye: NDArray[np.float64], rays: NDArray[np.float64], corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far each ray goes until it meets a triangle (Möller and Trumbore)."""
    first, one, two = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    from_first = eye - first
    across = np.cross(from_first, one)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = -1 / (rays @ np.cross(one, two).T)  # (rays, triangles)
        u, v = rays @ np.cross(two, from_first).T * scale, rays @ across.T * scale
        far = (two * across).sum(axis=1) * scale
        meets = (u >= 0) & (v >= 0) & (u + v <= 1) & (far > 1e-6)
    shortest: NDArray[np.float64] = np.where(meets, far, np.inf).min(axis=1)
    return shortest


def test_it_is_bare(mesh: bytes, world: WorldFolder) -> None:
    length = struct.unpack_from("<I", mesh, 12)[0]
    head = mesh[20 : 20 + length]
    model = json.loads(head)
    assert not {"materials", "textures", "images", "animations"} & set(model)
    assert [set(each["attributes"]) for part in model["meshes"] for each in part["primitives"]] == [{"POSITION"}]
    words = {thing.label for thing in world.houses[0].objects} | {room.name for room in world.houses[0].rooms}
    assert not [word for word in (*words, "small") if f'"{word}'.encode() in head]


def test_a_house_is_made_once_and_the_same_every_time(mesh: bytes, world: WorldFolder, tmp_path: Path) -> None:
    for _ in range(2):
        assert Meshes(world, PlaceNames(world.houses), FileCache(tmp_path)).mesh(world.houses[0]) == mesh
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [mesh]


def test_nobody_knows_the_shape_of_a_house_that_was_not_generated(tmp_path: Path) -> None:
    write_world(tmp_path / "w", [cottage()], source="handmade")
    found = read_world(tmp_path / "w")
    assert Meshes(found, PlaceNames(found.houses), FileCache(tmp_path / "kept")).mesh(found.houses[0]) is None


def test_of_too_many_parts_the_smallest_are_left_out() -> None:
    sizes = [0.1, 2.0, 0.5, 1.0]
    parts = tuple(Part("box", (4.0 * i, 0, 0), (size, size, size), WHITE) for i, size in enumerate(sizes))
    made = build_mesh(Scene(parts, (NO_OBJECT,) * 4))
    position, corners = bare(made, most=30)
    assert len(corners) == 24 and len(position) == 16, "two boxes, of eight corners each"
    assert sorted({round(x) // 4 for x in position[:, 0] + 1}) == [1, 3]


def test_no_mesh_is_larger_than_two_million_bytes() -> None:
    """Boxes have the most corners for their triangles."""
    boxes = tuple(Part("box", (i % 100, i // 100, 0), (0.5, 0.5, 0.5), WHITE) for i in range(MOST_TRIANGLES // 12 + 50))
    assert 1_850_000 < len(glb(Scene(boxes, (NO_OBJECT,) * len(boxes)))) <= 2_000_000

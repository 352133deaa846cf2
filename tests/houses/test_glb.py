"""GLB files can be read back: the right size, upright, named, textured."""

from pathlib import Path

import numpy as np
import pytest

from vnla.common.errors import InputError
from vnla.houses import glb
from vnla.houses.glb import BUILDING, write_glb
from vnla.houses.scene import NO_OBJECT, Material, Part, Scene

trimesh = pytest.importorskip("trimesh")

WOOD = Material((0.5, 0.3, 0.2), "wood")
SCENE = Scene(
    (
        Part("box", (0, 0, -0.1), (6, 4, 0.2), Material((0.7, 0.7, 0.7), "tiles")),
        Part("box", (1, 0.5, 0.7), (1.2, 0.8, 0.05), WOOD),
        Part("cylinder", (1, 0.5, 0.35), (0.1, 0.1, 0.7), WOOD),
        Part("sphere", (-2, 1, 1), (0.5, 0.5, 0.5), Material((0.9, 0.2, 0.2))),
        Part("sphere", (-2, -1, 1), (0.5, 0.5, 0.5), Material((0.2, 0.2, 0.9))),
    ),
    (NO_OBJECT, 3, 3, 4, 5),
)


def test_a_written_house_reads_back_upright_and_to_size(tmp_path: Path) -> None:
    write_glb(tmp_path / "house.glb", SCENE)
    assert [path.name for path in tmp_path.iterdir()] == ["house.glb"]
    model = trimesh.load(tmp_path / "house.glb")
    # y is up in these files, and north is away from the viewer.
    assert model.bounds == pytest.approx(np.array([[-3, -0.2, -2], [3, 1.25, 2]]), abs=1e-4)


def test_every_object_is_a_node_of_its_name(tmp_path: Path) -> None:
    write_glb(tmp_path / "house.glb", SCENE, {3: "table", 4: "ball", 5: "ball"})
    nodes = set(trimesh.load(tmp_path / "house.glb").graph.nodes)
    assert {BUILDING, "table", "ball", "ball 2"} <= nodes
    write_glb(tmp_path / "house.glb", SCENE)
    assert "object 3" in trimesh.load(tmp_path / "house.glb").graph.nodes


def test_surfaces_have_their_textures(tmp_path: Path) -> None:
    write_glb(tmp_path / "house.glb", SCENE, {3: "table"})
    model = trimesh.load(tmp_path / "house.glb")
    sizes = {mesh.visual.material.baseColorTexture.size for mesh in model.geometry.values()}
    assert sizes == {(1, 1), (128, 128)}
    assert sum(len(mesh.faces) for mesh in model.geometry.values()) > 12 * 2


def test_without_trimesh_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(glb.__dict__["__builtins__"], "__import__", _no_trimesh)
    with pytest.raises(InputError, match="pip install trimesh"):
        write_glb(tmp_path / "house.glb", SCENE)
    assert not list(tmp_path.iterdir())


def _no_trimesh(name: str, *rest: object) -> object:
    if name == "trimesh":
        raise ImportError(name)
    return __import__(name, *rest)  # type: ignore[arg-type]

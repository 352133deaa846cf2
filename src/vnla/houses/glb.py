"""A scene as a GLB file, which any viewer of three-dimensional models opens.

Every object is one node under its name, with a mesh for each of its materials; the building is the node "building". Light
is left to the viewer; colours and patterns are those of the renderer.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from vnla.common.errors import InputError
from vnla.common.files import write_bytes
from vnla.houses.render.mesh import Mesh, build_mesh
from vnla.houses.render.textures import picture
from vnla.houses.scene import NO_OBJECT, Material, Scene

BUILDING = "building"

_UPRIGHT = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], dtype=np.float64)
"""From the house's axes (z up) to those of GLB files (y up)."""


def write_glb(path: Path, scene: Scene, names: Mapping[int, str] | None = None) -> None:
    """Write a scene; `names` gives the name of each object id's node, "object 7" where it has none."""
    trimesh = _trimesh()
    mesh = build_mesh(scene)
    model = trimesh.Scene(base_frame="house")
    finishes = [_finish(trimesh, material) for material in mesh.materials]
    for owner in np.unique(mesh.owner):
        name = BUILDING if owner == NO_OBJECT else _unused(model, (names or {}).get(int(owner), f"object {owner}"))
        model.graph.update(frame_to=name, frame_from="house", matrix=_UPRIGHT)
        of_object = mesh.owner == owner
        for number in np.unique(mesh.material[of_object]):
            chosen = np.flatnonzero(of_object & (mesh.material == number))
            piece = _piece(trimesh, mesh, chosen, finishes[number])
            model.add_geometry(piece, geom_name=f"{name}, {number}", parent_node_name=name)
    stream = io.BytesIO()
    model.export(file_obj=stream, file_type="glb")
    write_bytes(path, stream.getvalue())


def _trimesh() -> Any:
    try:
        import trimesh
    except ImportError:
        raise InputError("writing GLB files needs trimesh; install it with: pip install trimesh") from None
    return trimesh


def _unused(model: Any, name: str) -> str:
    """`name`, with a number where the model has a node of that name already."""
    taken = set(model.graph.nodes)
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} {number}"
    return free


def _piece(trimesh: Any, mesh: Mesh, triangles: NDArray[np.int64], finish: Any) -> Any:
    """Some triangles of a mesh with one material."""
    vertices, corners = np.unique(mesh.triangles[triangles], return_inverse=True)
    uv = mesh.uv[vertices] * [1, -1]  # in GLB files as trimesh writes them, v grows upwards
    return trimesh.Trimesh(
        vertices=mesh.position[vertices],
        faces=corners.reshape(-1, 3),
        vertex_normals=mesh.normal[vertices],
        visual=trimesh.visual.TextureVisuals(uv=uv, material=finish),
        process=False,
    )


def _finish(trimesh: Any, material: Material) -> Any:
    pixels = np.clip(picture(material), 0, 1)
    glow = None if material.glow == 0 else np.clip(np.array(material.colour) * material.glow, 0, 1)
    return trimesh.visual.material.PBRMaterial(
        name=material.pattern,
        baseColorTexture=Image.fromarray(np.rint(pixels * 255).astype(np.uint8)),
        metallicFactor=0.8 if material.pattern == "metal" else 0.0,
        roughnessFactor=1 - 0.8 * material.gloss,
        emissiveFactor=glow,
    )

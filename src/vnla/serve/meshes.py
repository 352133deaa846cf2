"""The shape of a house as the page needs it for walking from one panorama to the next: bare triangles in a GLB file.

It has neither names nor materials, and nothing in it tells what a thing is. As in all such files y is up: a point (x, y, z)
of the house is at (x, z, -y). Of very large houses the smallest parts are left out; what stands behind them is seen in their
place while one walks past.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vnla.houses.folder import WorldFolder
from vnla.houses.generate.world import recipe_of
from vnla.houses.house import House
from vnla.houses.render.mesh import Mesh, build_mesh
from vnla.houses.scene import Scene
from vnla.serve.file_cache import FileCache
from vnla.serve.places import PlaceNames, digits

VERSION = 1
"""Changes when the same house gets another mesh."""
MOST_TRIANGLES = 95_000
"""A triangle takes twenty bytes at most, so that a file has no more than two million."""


class Meshes:
    """The meshes of a world's generated houses."""

    def __init__(self, world: WorldFolder, places: PlaceNames, files: FileCache) -> None:
        self._world, self._places, self._files = world, places, files

    def mesh(self, house: House) -> bytes | None:
        """Return a house as a GLB file; None if it was not generated, so that its shape is unknown."""
        recipe = recipe_of(self._world, house.name)
        if recipe is None:
            return None
        name = mesh_file(self._places.name(house))
        return self._files.get(name, name, lambda: {name: glb(recipe.make().scene)})


def mesh_file(house: str) -> str:
    """Return the name of the file that has the mesh of a house."""
    return f"{digits(house, VERSION, length=16)}.glb"


def glb(scene: Scene, most: int = MOST_TRIANGLES) -> bytes:
    """Return the triangles of a scene, at most so many, as a GLB file."""
    import trimesh

    position, triangles = bare(build_mesh(scene), most)
    model: Any = trimesh.Trimesh(position[:, [0, 2, 1]] * [1, 1, -1], triangles, process=False)
    data: bytes = model.export(file_type="glb")
    return data


def bare(mesh: Mesh, most: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return vertices, each place once, and triangles of the largest parts that have no more than `most` together."""
    counts = np.diff(mesh.solids.triangles)
    largest = np.argsort(-mesh.solids.radius, kind="stable")
    chosen = np.zeros(len(counts), dtype=bool)
    chosen[largest[np.cumsum(counts[largest]) <= most]] = True
    corners = mesh.triangles[np.repeat(chosen, counts)]
    places, inverse = np.unique(mesh.position[corners.ravel()].round(3), axis=0, return_inverse=True)
    return places, inverse.reshape(-1, 3)

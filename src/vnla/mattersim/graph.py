"""The connectivity of one building, and what is navigable from each of its viewpoints in each view.

A file is parsed once a process, however many simulators walk through it. What is navigable is worked out for the 36 views
of a viewpoint at once, when an agent first stands there, and kept; from then on a step of the simulator is a look-up.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vnla.camera import Float32, Float64, relative, view_angles
from vnla.common.errors import InputError
from vnla.common.files import read_json

Location = tuple[str, int, tuple[float, float, float], float, float, float]
"""A location: viewpoint id, its number in the file, its position, and where it lies (heading, elevation, distance)."""

Navigable = tuple[Location, ...]

_POSE = 16
_WHAT = "a connectivity file of Matterport3DSimulator"


class ScanGraph:
    """The viewpoints of a building. Numbers are places in the connectivity file, excluded viewpoints included."""

    def __init__(self, ids: list[str], included: list[bool], poses: Float32, unobstructed: NDArray[np.bool_]) -> None:
        self.ids = ids
        self.included = included
        self.number = {viewpoint: i for i, viewpoint in enumerate(ids)}
        self.rotations = poses[:, :3, :3]
        self.positions = poses[:, :3, 3]  # float32, as the C++ simulator has them
        self.points: list[tuple[float, float, float]] = [(x, y, z) for x, y, z in self.positions.tolist()]
        reachable = unobstructed & np.array(included, dtype=bool)
        np.fill_diagonal(reachable, False)
        self._neighbours = [np.flatnonzero(row) for row in reachable]
        self._tables: dict[float | None, list[list[Navigable] | None]] = {}

    def __len__(self) -> int:
        return len(self.ids)

    def here(self, number: int) -> Location:
        """A viewpoint as the place where the agent is."""
        return self.ids[number], number, self.points[number], 0.0, 0.0, 0.0

    def in_view(self, number: int, view: int, half_field: float | None) -> Navigable:
        """The neighbours that can be walked to in one of the 36 views, nearest to its centre first.

        `half_field` is half of the horizontal field of view; None lets every neighbour count, wherever it lies.
        """
        table = self._tables.get(half_field)
        if table is None:
            table = self._tables[half_field] = [None] * len(self)
        views = table[number]
        if views is None:
            views = table[number] = self._look(number, *view_angles(), half_field)
        return views[view]

    def in_sight(self, number: int, heading: float, elevation: float, half_field: float | None) -> Navigable:
        """The same for a camera of any heading and elevation."""
        return self._look(number, np.array([heading]), np.array([elevation]), half_field)[0]

    def _look(self, number: int, headings: Float64, elevations: Float64, half_field: float | None) -> list[Navigable]:
        neighbours = self._neighbours[number]
        offsets = self.positions[neighbours] - self.positions[number]
        seen = relative(offsets[:, None], headings, elevations, math.pi if half_field is None else half_field)
        visible = np.ones_like(seen.visible) if half_field is None else seen.visible  # (neighbours, views)
        # Stable: neighbours at one angle keep the order of the file, as they do in C++ for lists of this length.
        order = np.argsort(np.sqrt(seen.heading**2 + seen.elevation**2), axis=0, kind="stable").T
        shown = np.take_along_axis(visible, order.T, axis=0).T
        numbers = neighbours.tolist()
        heading, elevation = seen.heading.tolist(), seen.elevation.tolist()
        distance = seen.distance[:, 0].tolist()
        return [
            tuple(
                (self.ids[numbers[k]], numbers[k], self.points[numbers[k]], heading[k][v], elevation[k][v], distance[k])
                for k in nearest[visible_there].tolist()
            )
            for v, (nearest, visible_there) in enumerate(zip(order, shown, strict=True))
        ]


_graphs: dict[str, tuple[tuple[int, int], ScanGraph]] = {}


def load_graph(folder: str, scan: str) -> ScanGraph:
    """The graph of a building from `<folder>/<scan>_connectivity.json`, parsed only if the file is new or has changed."""
    path = Path(folder, f"{scan}_connectivity.json").absolute()
    try:
        status = path.stat()
    except OSError:
        raise InputError(
            f"{path}: no such file; is the scan id {scan!r} right, and the path given to setNavGraphPath?"
        ) from None
    stamp = (status.st_mtime_ns, status.st_size)
    cached = _graphs.get(str(path))
    if cached is None or cached[0] != stamp:
        cached = _graphs[str(path)] = (stamp, _parse(path))
    return cached[1]


def _parse(path: Path) -> ScanGraph:
    records = read_json(path, _WHAT)
    if not isinstance(records, list):
        raise InputError(f"{path}: is not a list of viewpoints; expected {_WHAT}")
    try:
        ids = [str(record["image_id"]) for record in records]
        included = [bool(record["included"]) for record in records]
        poses = _array(records, "pose", _POSE, np.float32).reshape(-1, 4, 4)
        unobstructed = _array(records, "unobstructed", len(records), np.bool_)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{path}: a viewpoint has a missing or wrong field ({error}); expected {_WHAT}") from None
    if not np.isfinite(poses).all():
        raise InputError(f"{path}: a pose has a value that is not a finite number")
    return ScanGraph(ids, included, poses, unobstructed)


def _array(records: list[Any], field: str, length: int, kind: type[np.generic]) -> NDArray[Any]:
    values = np.array([record[field] for record in records], dtype=kind)
    return values.reshape(len(records), length)

"""A house as a graph: its included viewpoints, its edges in both directions, and all shortest paths.

Distances are float64 and ties are broken as the authors' code does (networkx's Dijkstra over the connectivity file): of two
shortest paths that meet in a viewpoint, the one whose last viewpoint before it is nearer to the start, which is found first;
then the viewpoint that comes first in the file.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from vnla.camera.views import Float64, Ints, Relative, relative, view_angles
from vnla.common.errors import InputError
from vnla.houses.house import House


@dataclass(frozen=True)
class Graph:
    """One house made ready: its included viewpoints with numbers from 0, its edges in both directions and all distances."""

    ids: tuple[str, ...]
    position: Float64  # (viewpoints, 3)
    source: Ints  # (edges,), sorted by source, then target
    target: Ints  # (edges,)
    distance: Float64  # (viewpoints, viewpoints), metres along the shortest path, inf where there is none
    hop: Ints  # (viewpoints, viewpoints), the next viewpoint on that path; the viewpoint itself at its end or without a path

    @classmethod
    def of(cls, house: House) -> Graph:
        """Shortest paths of a house, by Dijkstra over Euclidean edge lengths."""
        stands = house.stands
        if not stands:
            raise InputError(f"house {house.name}: it has no included viewpoint to stand on")
        number = {old: new for new, old in enumerate(stands)}
        pairs = [(number[i], number[j]) for i in stands for j in house.neighbours[i]]
        source, target = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        position = np.array([house.viewpoints[i].position for i in stands], dtype=np.float64)
        length = np.sqrt(((position[target] - position[source]) ** 2).sum(axis=1))
        weights = csr_array((length, (source, target)), shape=(len(stands), len(stands)))
        distance = dijkstra(weights)
        try:
            hop = _first_hops(distance, source, target, length)
        except InputError as error:
            raise InputError(f"house {house.name}: {error}") from None
        return cls(tuple(house.viewpoints[i].id for i in stands), position, source, target, distance, hop)

    def looks(self) -> Relative:
        """How the end of each edge appears from its start in each view: arrays (edges, 36)."""
        position = self.position.astype(np.float32)
        headings, elevations = view_angles()
        return relative((position[self.target] - position[self.source])[:, None, :], headings, elevations)

    def longest_path(self) -> int:
        """How many viewpoints the longest shortest path has."""
        end = np.arange(len(self.hop))[None, :]
        here = np.broadcast_to(end.T, self.hop.shape)
        longest = 1
        while (moved := self.hop[here, end] != here).any():
            here = np.where(moved, self.hop[here, end], here)
            longest += 1
        return longest


def _first_hops(distance: Float64, source: Ints, target: Ints, length: Float64) -> Ints:
    """The second viewpoint of every shortest path, from all-pairs distances."""
    count = len(distance)
    start = np.arange(count)[:, None]
    before = np.broadcast_to(start, (count, count)).copy()  # the last-but-one viewpoint of the path from row to column
    through = distance[:, source] + length  # (viewpoints, edges)
    tight = np.where(through == distance[:, target], distance[:, source], np.inf)
    for end in np.unique(target):
        edges = np.flatnonzero(target == end)
        before[:, end] = source[edges][tight[:, edges].argmin(axis=1)]
    joined = np.isfinite(distance) & ~np.eye(count, dtype=bool)
    hop = np.where(joined, np.arange(count)[None, :], start)
    for _ in range(count):
        farther = joined & (before[start, hop] != start)
        if not farther.any():
            return hop
        hop = np.where(farther, before[start, hop], hop)
    raise InputError("viewpoints lie so close together that their distances cannot be told apart")

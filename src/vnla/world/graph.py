"""A house as a graph: its included viewpoints, its edges in both directions, and all shortest paths.

Distances are float64 and ties are broken as the authors' code does (networkx's Dijkstra over the connectivity file): of two
shortest paths that meet in a viewpoint, the one whose last viewpoint before it is nearer to the start, which is found first;
then the viewpoint that comes first in the file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from vnla.camera import Float64, Ints, Relative, relative, view_angles
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
    walked: Float64  # (viewpoints, viewpoints), metres along the path that `hop` leads; `distance` but for `along`

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
        length = _lengths(position, source, target)
        weights = csr_array((length, (source, target)), shape=(len(stands), len(stands)))
        distance = dijkstra(weights)
        try:
            hop = _first_hops(distance, source, target, length)
        except InputError as error:
            raise InputError(f"house {house.name}: {error}") from None
        return cls(tuple(house.viewpoints[i].id for i in stands), position, source, target, distance, hop, distance)

    def along(self, takes: NDArray[np.bool_]) -> Graph:
        """The same graph with paths along some of its edges only, (edges,); `distance` stays that of all edges."""
        source, target, length, count = self.source[takes], self.target[takes], self._length[takes], len(self.ids)
        # Backwards, from every end: then what comes before a viewpoint is where its path goes on.
        walked, onward = dijkstra(csr_array((length, (target, source)), shape=(count, count)), return_predecessors=True)
        hop = np.where(onward.T < 0, np.arange(count)[:, None], onward.T)
        return replace(self, hop=hop.astype(np.int64), walked=np.ascontiguousarray(walked.T))

    def along_all(self) -> Graph:
        """The same graph with paths along all of its edges."""
        return replace(self, hop=_first_hops(self.distance, self.source, self.target, self._length), walked=self.distance)

    @property
    def _length(self) -> Float64:
        """Metres of each edge."""
        return _lengths(self.position, self.source, self.target)

    def looks(self) -> Relative:
        """How the end of each edge appears from its start in each view: arrays (edges, 36)."""
        position = self.position.astype(np.float32)
        headings, elevations = view_angles()
        return relative((position[self.target] - position[self.source])[:, None, :], headings, elevations)

    def longest_path(self) -> int:
        """How many viewpoints the longest shortest path has."""
        count = len(self.hop)
        end = np.arange(count)
        onward = (self.hop * count + end).ravel()  # (pairs,), where a path goes on: after one step, then 2, 4, 8 …
        steps = (self.hop != end[:, None]).astype(np.int64).ravel()  # (pairs,), how many of them it has
        for _ in range(count.bit_length()):
            more = steps[onward]
            if not more.any():
                break
            steps, onward = steps + more, onward[onward]
        return int(steps.max()) + 1


def _lengths(position: Float64, source: Ints, target: Ints) -> Float64:
    length: Float64 = np.sqrt(((position[target] - position[source]) ** 2).sum(axis=1))
    return length


def nearest_targets(measure: Float64, source: Ints, target: Ints, count: int) -> Ints:
    """Of the edges of each of `count` viewpoints the target of the one that measures least: (viewpoints, columns).

    `measure` is (edges, columns), with infinity for an edge that does not count; of equal ones the first is taken, and where
    there is none the target is −1. Edges are sorted as in a `Graph`.
    """
    least = np.full((count, measure.shape[1]), np.inf)
    nearest = np.full(least.shape, -1)
    place = np.arange(len(source)) - np.searchsorted(source, source)  # (edges,), among those of the same viewpoint
    for each in range(place.max(initial=-1) + 1):
        edges = np.flatnonzero(place == each)
        here, measured = source[edges], measure[edges]
        so_far = least[here]
        nearest[here] = np.where(measured < so_far, target[edges, None], nearest[here])
        least[here] = np.minimum(measured, so_far)
    return nearest


def _first_hops(distance: Float64, source: Ints, target: Ints, length: Float64) -> Ints:
    """The second viewpoint of every shortest path, from all-pairs distances."""
    count = len(distance)
    start, end = np.arange(count)[:, None], np.arange(count)
    joined = np.isfinite(distance) & (start != end)
    before = _last_but_one(distance, source, target, length)
    settled = (~joined | (before == start)).ravel()  # (pairs,), nothing is left between them
    hop = np.where(joined, np.where(before == start, end, before), start)
    back = (start * count + hop).ravel()  # (pairs,), from the end one step back, then 2, 4, 8 …, but not as far as the start
    for _ in range(count.bit_length() + 1):
        if settled[back].all():
            return back.reshape(count, count) - start * count
        back = back[back]
    raise InputError("viewpoints lie so close together that their distances cannot be told apart")


def _last_but_one(distance: Float64, source: Ints, target: Ints, length: Float64) -> Ints:
    """The viewpoint before the end of every shortest path: (starts, ends)."""
    reached = np.ascontiguousarray(distance.T)  # (viewpoints, starts)
    # Each edge is there in both directions: the targets of a viewpoint's edges are those that a path can come from.
    so_far = reached[target]  # (edges, starts)
    tight = np.where(so_far + length[:, None] == reached[source], so_far, np.inf)
    return nearest_targets(tight, source, target, len(distance)).T

"""The graph of a building: which viewpoints one can walk between, and which of these ways become edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from vnla.houses.generate.free_space import FreeSpace
from vnla.houses.generate.plan import FloorPlan, PlannedRoom

LONGEST = 4.95
"""Metres: no edge is as long as five."""

SIGHT = 10.0
"""Metres within which viewpoints that nothing stands between are noted as visible."""

NEIGHBOURS = 4.1
MOST_NEIGHBOURS = 13
"""Neighbours of a viewpoint in the scanned buildings, on average and at most."""

PREFERRED = 2.8
SPREAD = 1.1
"""Metres: edges of about the preferred length, give or take the spread, are kept before shorter and longer ones."""

TREE = 1.9
"""Metres: the length of edge that the tree joining all viewpoints is made of, as far as it can be."""

CROWDING = 0.6
"""How much less readily edges are kept where there are many to choose from."""

Pair = tuple[int, int]


@dataclass
class Stand:
    """A viewpoint in the making."""

    x: float
    y: float
    room: PlannedRoom
    lift: float = 0.0
    """Height of the step it stands on above the floor of its room."""


@dataclass
class PlacedViewpoints:
    """Everything placed so far, with the floors of all levels."""

    plan: FloorPlan
    spaces: dict[int, FreeSpace]
    spots: dict[int, NDArray[np.float64]]
    """Room → places in it where one can stand, (places, 2)."""
    stands: list[Stand] = field(default_factory=list)
    flights: list[Pair] = field(default_factory=list)
    """Pairs of viewpoints that follow each other on stairs."""

    def add(self, stand: Stand) -> int:
        self.stands.append(stand)
        return len(self.stands) - 1

    def drop(self, gone: set[int]) -> None:
        """Take viewpoints away; those that stay are numbered anew."""
        kept = [number for number in range(len(self.stands)) if number not in gone]
        new = {number: at for at, number in enumerate(kept)}
        self.stands = [self.stands[number] for number in kept]
        self.flights = [(new[lower], new[upper]) for lower, upper in self.flights]


def in_reach(space: FreeSpace, points: NDArray[np.float64], cells: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which cells can be walked to straight from which points: (points, cells)."""
    first, second = np.nonzero(np.linalg.norm(points[:, None] - cells, axis=-1) < LONGEST)
    found = np.zeros((len(points), len(cells)), dtype=bool)
    found[first, second] = space.lines_free(points[first], cells[second])
    return found


def on_floor(walk: PlacedViewpoints, level: int) -> list[int]:
    """The viewpoints that stand on the floor of a level, not on steps."""
    return [i for i, stand in enumerate(walk.stands) if stand.room.level == level and stand.lift == 0.0]


def walkable(walk: PlacedViewpoints, level: int, here: Sequence[int]) -> NDArray[np.int64]:
    """Pairs (pairs, 2) of viewpoints on one floor between which one can walk straight."""
    place = np.array([(walk.stands[i].x, walk.stands[i].y) for i in here])
    first, second = np.triu_indices(len(here), 1)
    near = np.linalg.norm(place[first] - place[second], axis=1) < LONGEST
    first, second = first[near], second[near]
    free = walk.spaces[level].lines_free(place[first], place[second])
    numbers = np.asarray(here, dtype=np.int64)
    pairs: NDArray[np.int64] = np.stack([numbers[first[free]], numbers[second[free]]], axis=1)
    return pairs


def groups(count: int, pairs: NDArray[np.int64]) -> tuple[int, NDArray[np.int32]]:
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    number, group = connected_components(graph, directed=False)
    return int(number), np.asarray(group, dtype=np.int32)


def choose_edges(walk: PlacedViewpoints, random: Generator) -> tuple[Pair, ...]:
    """Stairs, a tree that joins everything, and of the other ways as many as real buildings have."""
    levels = [walkable(walk, level.id, on_floor(walk, level.id)) for level in walk.plan.levels]
    flights = np.array(walk.flights, dtype=np.int64).reshape(-1, 2)
    pairs = np.sort(np.concatenate([*levels, flights]), axis=1)
    place = np.array([(stand.x, stand.y) for stand in walk.stands])
    length = np.linalg.norm(place[pairs[:, 0]] - place[pairs[:, 1]], axis=1)
    count = len(walk.stands)
    chosen = _tree(count, pairs, length)
    chosen.update((int(i), int(j)) for i, j in np.sort(flights, axis=1))
    # Exponential clocks: sampling without replacement in proportion to the weights.
    clock = random.exponential(size=len(pairs)) / _weight(count, pairs, length)
    wanted = round(NEIGHBOURS / 2 * count)
    neighbours = Counter(number for pair in chosen for number in pair)
    for i in np.argsort(clock):
        if len(chosen) >= wanted:
            break
        pair = (int(pairs[i, 0]), int(pairs[i, 1]))
        if pair not in chosen and max(neighbours[pair[0]], neighbours[pair[1]]) < MOST_NEIGHBOURS:
            chosen.add(pair)
            neighbours.update(pair)
    return tuple(sorted(chosen))


def _tree(count: int, pairs: NDArray[np.int64], length: NDArray[np.float64]) -> set[Pair]:
    """Pairs that join all viewpoints, none much shorter or longer than it must be."""
    cost = 0.3 + (length - TREE) ** 2
    tree = coo_array(minimum_spanning_tree(coo_array((cost, (pairs[:, 0], pairs[:, 1])), shape=(count, count)).tocsr()))
    return {(int(min(i, j)), int(max(i, j))) for i, j in zip(tree.row, tree.col, strict=True)}


def _weight(count: int, pairs: NDArray[np.int64], length: NDArray[np.float64]) -> NDArray[np.float64]:
    """How readily a way becomes an edge: by its length, and less where there are many ways, as in large open rooms."""
    ways = np.bincount(pairs.ravel(), minlength=count)[pairs].prod(axis=1)
    weight: NDArray[np.float64] = (np.exp(-0.5 * ((length - PREFERRED) / SPREAD) ** 2) + 0.01) / ways**CROWDING
    return weight


def seen(walk: PlacedViewpoints) -> list[Pair]:
    """Pairs of viewpoints on one floor with no wall between them; one looks over the furniture."""
    found: list[Pair] = []
    for level in walk.plan.levels:
        here = on_floor(walk, level.id)
        place = np.array([(walk.stands[i].x, walk.stands[i].y) for i in here])
        first, second = np.triu_indices(len(here), 1)
        near = np.linalg.norm(place[first] - place[second], axis=1) < SIGHT
        first, second = first[near], second[near]
        free = FreeSpace(walk.plan, level.id).lines_free(place[first], place[second], radius=0.02)
        found += [(here[i], here[j]) for i, j in zip(first[free], second[free], strict=True)]
    return found

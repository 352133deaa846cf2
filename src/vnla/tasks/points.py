"""The valid data points of a house (appendix): start viewpoints, headings, the teacher's trajectories, and the last filters.

A house is worked out on its compiled tables, all its points at once, and kept as a few arrays: a paper-sized world has
hundreds of thousands of candidates, of which most never become a record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vnla.camera import HEADINGS, LEVEL_ROW, VIEWS, Float64, Ints
from vnla.houses.house import House
from vnla.tasks.buckets import Bucket, Filters, buckets_of
from vnla.tasks.recipes import FEWEST_ACTIONS, MOST_ACTIONS, DatasetRecipe, Per, random_for
from vnla.world.actions import NAV_ACTIONS, Nav
from vnla.world.compiled import World
from vnla.world.graph import Graph

Bools = NDArray[np.bool_]
Bytes = NDArray[np.int8]

TURNS = {Nav.LEFT: -1, Nav.RIGHT: -2, Nav.UP: -3, Nav.DOWN: -4}
"""How `HousePoints.moves` writes turns; 0 is `stop`, a positive number the simulator's index of the viewpoint to go to."""

ARRAYS = ("bucket", "start", "heading", "first", "moves", "lengths")
"""The arrays of `HousePoints`."""

_NO_ROOM = -1


@dataclass(frozen=True)
class HousePoints:
    """All valid data points of one house. Viewpoints are numbers in `graph`. A point has one row a goal, in `moves`."""

    house: House
    graph: Graph
    buckets: tuple[Bucket, ...]
    candidates: int
    """How many points there were before the filters."""
    bucket: Ints  # (points,)
    start: Ints  # (points,)
    heading: Ints  # (points,)
    first: Ints  # (points + 1,), the point's first row below
    moves: Bytes  # (rows, 25)
    lengths: Bytes  # (rows,), actions with the final `stop`

    def __len__(self) -> int:
        return len(self.bucket)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that does not follow from the house itself and the filters."""
        return {name: getattr(self, name) for name in ARRAYS}


def house_points(house: House, filters: Filters, recipe: DatasetRecipe, seed: int) -> HousePoints:
    """Every data point of a house that obeys the paper's rules."""
    world = World.compile([house])
    graph = world.graphs[0]
    number = {viewpoint: i for i, viewpoint in enumerate(graph.ids)}
    buckets = tuple(buckets_of(house, filters, recipe))
    goals = [np.array([number[house.viewpoints[goal.viewpoint].id] for goal in each.goals]) for each in buckets]
    rooms = _rooms(house, graph)
    drawn = [_starts(graph, rooms, *pair, recipe, seed) for pair in zip(buckets, goals, strict=True)]
    bucket = np.repeat(np.arange(len(buckets)), [len(start) for start, _ in drawn])
    start, heading = (np.concatenate([np.zeros(0, np.int64), *each]) for each in _columns(drawn))
    apart = _apart(graph, start, bucket, goals)
    bucket, start, heading = bucket[apart], start[apart], heading[apart]
    first, moves, lengths = _trajectories(world, start, heading, [goals[each] for each in bucket])
    feasible = (lengths >= FEWEST_ACTIONS) & (lengths <= MOST_ACTIONS)
    kept = np.logical_and.reduceat(feasible, first[:-1]) if len(start) else np.zeros(0, bool)
    rows = np.repeat(kept, np.diff(first))
    return HousePoints(
        house,
        graph,
        buckets,
        candidates=len(apart),
        bucket=bucket[kept],
        start=start[kept],
        heading=heading[kept],
        first=np.cumsum([0, *np.diff(first)[kept]]),
        moves=moves[rows],
        lengths=lengths[rows].astype(np.int8),
    )


def _columns(drawn: Sequence[tuple[Ints, Ints]]) -> tuple[list[Ints], list[Ints]]:
    return [start for start, _ in drawn], [heading for _, heading in drawn]


def _rooms(house: House, graph: Graph) -> Ints:
    """The room of each viewpoint of the graph; those without one share a room of their own."""
    found = [house.viewpoints[house.number[each]].room for each in graph.ids]
    return np.array([_NO_ROOM if room is None else room for room in found], dtype=np.int64)


def _starts(graph: Graph, rooms: Ints, bucket: Bucket, goals: Ints, recipe: DatasetRecipe, seed: int) -> tuple[Ints, Ints]:
    """Start viewpoints sampled for a bucket from those that can reach its goals, in file order, and headings.

    Each viewpoint has its own two numbers, so neither depends on which others are candidates.
    """
    random = random_for(seed, recipe.name, bucket.house, bucket.end_goal)
    lot, turn = random.random((2, len(graph.ids)))
    candidates = np.flatnonzero(np.isfinite(graph.distance[:, goals]).all(axis=1))
    if recipe.per is Per.ROOM:
        start = at_most_of_each(rooms[candidates], lot[candidates], recipe.starts, candidates)
    else:
        start = np.sort(candidates[lot[candidates].argsort()][: recipe.starts * bucket.objects])
    return start, (turn[start] * HEADINGS).astype(np.int64)


def at_most_of_each(group: Ints, lot: Float64, most: int, values: Ints) -> Ints:
    """The values with the lowest lots of each group, at most `most` of each, in rising order."""
    order = np.lexsort((lot, group))
    ordered = group[order]
    place = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    return np.sort(values[order[place < most]])


def _apart(graph: Graph, start: Ints, bucket: Ints, goals: Sequence[Ints]) -> Bools:
    """Whether each start is neither a goal of its bucket nor next to one."""
    beside = np.eye(len(graph.ids), dtype=bool)
    beside[graph.source, graph.target] = True
    close = np.array([beside[:, each].any(axis=1) for each in goals], dtype=bool).reshape(len(goals), len(graph.ids))
    return ~close[bucket, start]


def _trajectories(world: World, start: Ints, heading: Ints, goals: Sequence[Ints]) -> tuple[Ints, Bytes, Ints]:
    """The teacher's moves from each start to each of its goals: the points' first rows, the moves, and their lengths.

    A trajectory leads to its own goal, not to the nearest of the bucket, and what happens next depends only on the edge
    to take and the view. So a step of all trajectories is two look-ups, and those that have arrived take no part in it. The
    length is one more than the most allowed where that is exceeded.
    """
    first = np.cumsum([0, *map(len, goals)])
    goal = np.concatenate([np.zeros(0, np.int64), *goals])
    pose = np.repeat(start * VIEWS + LEVEL_ROW * HEADINGS + heading, np.diff(first))
    moves = np.zeros((len(goal), MOST_ACTIONS), np.int8)
    lengths = np.full(len(goal), MOST_ACTIONS + 1)
    move_of, next_of = _step_tables(world)
    edge_to = _edges_to(world.graphs[0])
    walking = np.arange(len(goal))
    for step in range(MOST_ACTIONS):
        here, view = np.divmod(pose, VIEWS)
        arrived = here == goal[walking]
        lengths[walking[arrived]] = step + 1
        walking, here, view = walking[~arrived], here[~arrived], view[~arrived]
        way = edge_to[here, goal[walking]] * VIEWS + view
        moves[walking, step] = move_of[way]
        pose = next_of[way]
    return first, moves, lengths


def _step_tables(world: World) -> tuple[Bytes, Ints]:
    """The teacher's move and the pose after it, for each edge and view: (edges·36,)."""
    graph = world.graphs[0]
    view = np.arange(VIEWS)
    action = world.toward.numpy()[:-VIEWS].reshape(-1, VIEWS).astype(np.int64)
    forward = action == Nav.FORWARD
    turned = world.after.numpy()[(graph.source[:, None] * VIEWS + view) * NAV_ACTIONS + action]
    turns = np.array([TURNS.get(each, 0) for each in Nav], dtype=np.int8)
    moves = np.where(forward, navigable_index(graph), turns[action])
    return moves.ravel(), np.where(forward, graph.target[:, None] * VIEWS + view, turned).ravel()


def _edges_to(graph: Graph) -> Ints:
    """The number of the first edge on the way from each viewpoint to each other, (viewpoints, viewpoints)."""
    count = len(graph.ids)
    here = np.arange(count)[:, None]
    return np.searchsorted(graph.source * count + graph.target, here * count + graph.hop)


def navigable_index(graph: Graph) -> Bytes:
    """For each edge and view, (edges, 36), the place of its end among the simulator's navigable locations; 0 is "stay".

    These are the neighbours in view by their angle to its centre, in file order where angles are equal.
    """
    look = graph.looks()
    angle = np.where(look.visible, np.sqrt(look.heading**2 + look.elevation**2), np.inf)
    index = np.zeros(angle.shape, dtype=np.int8)
    for here in np.unique(graph.source):
        edges = slice(*np.searchsorted(graph.source, [here, here + 1]))
        order = np.argsort(angle[edges], axis=0, kind="stable")
        np.put_along_axis(index[edges], order, np.arange(1, len(order) + 1, dtype=np.int8)[:, None], axis=0)
    return np.where(look.visible, index, np.int8(0))

"""Shortest paths: by hand on the cottage, and against networkx, which the authors' code uses."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from strategies import connected_houses
from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.houses.house import House, Viewpoint
from vnla.world.graph import Graph


def test_distances_of_the_cottage_worked_out_by_hand() -> None:
    """Entryway (0) to bathroom (11), edge by edge:

    0-1  (-0.3, 3.0, 0.0)  sqrt(0.09 + 9)            = 3.01496
    1-2  ( 0.2, 3.0, 0.0)  sqrt(0.04 + 9)            = 3.00666
    2-7  (-0.2, 2.0, 0.0)  sqrt(0.04 + 4)            = 2.00998
    7-8  ( 1.5, 1.5, 1.4)  sqrt(2.25 + 2.25 + 1.96)  = 2.54165
    8-9  ( 2.0,-0.3, 1.4)  sqrt(4 + 0.09 + 1.96)     = 2.45967
    9-11 ( 2.5,-0.2, 0.0)  sqrt(6.25 + 0.04)         = 2.50799
                                               sum   = 15.54091
    """
    graph = Graph.of(cottage())
    assert graph.distance[0, 11] == pytest.approx(15.54091, abs=1e-5)
    assert graph.distance[0, 1] == pytest.approx(3.01496, abs=1e-5)


def test_the_next_viewpoint_follows_the_shorter_way_round_the_square() -> None:
    """From the south end of the hall (1) to the dining room (6): over the north end (2) it is 3.00666 + 2.80713, over the
    kitchen (5) 3.04138 + 3.7."""
    graph = Graph.of(cottage())
    assert graph.hop[1, 6] == 2
    assert graph.hop[5, 2] == 1, "kitchen to hall, north: 3.04138 + 3.00666 beats 3.7 + 2.80713"
    assert graph.hop[4, 12] == 3
    assert graph.hop[12, 12] == 12


def test_of_two_equal_ways_the_one_first_in_the_file_is_taken() -> None:
    """A square of side 1: from corner 0 to the opposite corner 3 both ways are 2 long and both middles 1 away."""
    corners = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 1.0, 0.0))
    viewpoints = tuple(Viewpoint(f"v{i}", corner) for i, corner in enumerate(corners))
    graph = Graph.of(House("square", viewpoints, ((0, 1), (0, 2), (1, 3), (2, 3))))
    assert graph.hop[0, 3] == 1
    assert graph.hop[3, 0] == 1


def test_viewpoints_too_close_to_be_told_apart_are_refused() -> None:
    places = ((0.0, 0.0, 0.0), (2e-17, 3.0, 0.0), (1e-17, 3.0, 0.0), (0.0, 3.0, 0.0))
    viewpoints = tuple(Viewpoint(f"v{i}", place) for i, place in enumerate(places))
    with pytest.raises(InputError, match="house near: viewpoints lie so close together"):
        Graph.of(House("near", viewpoints, ((0, 3), (2, 3), (1, 2))))


def test_excluded_viewpoints_take_no_part_and_isolated_ones_reach_nothing() -> None:
    viewpoints = (
        Viewpoint("a", (0.0, 0.0, 0.0)),
        Viewpoint("gone", (1.0, 0.0, 0.0), included=False),
        Viewpoint("b", (2.0, 0.0, 0.0)),
        Viewpoint("alone", (9.0, 9.0, 0.0)),
    )
    graph = Graph.of(House("parts", viewpoints, ((0, 1), (0, 2), (1, 2))))
    assert graph.ids == ("a", "b", "alone")
    assert graph.distance[0, 1] == 2.0
    assert math.isinf(graph.distance[0, 2])
    assert graph.hop[0, 2] == 0, "without a path the agent stays"


def test_a_house_where_nobody_can_stand_is_refused() -> None:
    with pytest.raises(InputError, match="no included viewpoint"):
        Graph.of(House("empty", (Viewpoint("gone", (0.0, 0.0, 0.0), included=False),), ()))


@given(connected_houses())
@settings(deadline=None, max_examples=100)
def test_distances_are_symmetric_and_triangular_and_paths_are_those_of_networkx(house: House) -> None:
    graph = Graph.of(house)
    np.testing.assert_allclose(graph.distance, graph.distance.T, rtol=1e-12)
    detour = graph.distance[:, :, None] + graph.distance[None, :, :]
    assert (graph.distance[:, None, :] <= detour + 1e-9).all()

    reference = nx.Graph()
    for i, here in enumerate(house.viewpoints):
        for j in house.neighbours[i]:
            reference.add_edge(i, j, weight=math.dist(here.position, house.viewpoints[j].position))
    for start, paths in nx.all_pairs_dijkstra_path(reference):
        for end, path in paths.items():
            assert graph.hop[start, end] == path[min(1, len(path) - 1)]
    assert graph.longest_path() == max(
        len(path) for _, paths in nx.all_pairs_dijkstra_path(reference) for path in paths.values()
    )

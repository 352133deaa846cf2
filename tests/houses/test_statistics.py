"""The figures of a world, worked out by hand."""

from __future__ import annotations

import math

import pytest

from vnla.houses.house import Box, House, Object, OrientedBox, Room, Viewpoint
from vnla.houses.statistics import REAL, Spread, edge_lengths, height, spread, world_statistics


def line(*heights: float) -> House:
    """Viewpoints three metres apart, each joined to the next; the last one is excluded."""
    viewpoints = tuple(
        Viewpoint(f"v{i}", (3.0 * i, 0.0, z), room=0, included=i < len(heights) - 1) for i, z in enumerate(heights)
    )
    edges = tuple((i, i + 1) for i in range(len(heights) - 1))
    lamp = Object(0, "lamp", 0, OrientedBox((9.0, 9.0, 9.0)))
    return House("line", viewpoints, edges, (Room(0, "h", box=Box((0, 0, 0), (1, 1, 1))),), (lamp,))


def test_deciles_lie_between_values() -> None:
    assert spread(range(11)).deciles == tuple(range(1, 10))
    assert spread([0.0, 1.0]).deciles == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])


def test_one_value_is_its_own_spread_and_no_value_has_none() -> None:
    assert spread([4.0]) == Spread(4.0, 4.0, (4.0,) * 9, 4.0)
    assert spread([]) == Spread()


def test_edges_are_measured_in_space_and_only_between_included_viewpoints() -> None:
    assert edge_lengths(line(0.0, 4.0, 4.0, 0.0)) == [5.0, 3.0]


def test_height_is_between_the_lowest_and_highest_included_viewpoint() -> None:
    assert height(line(1.0, 3.5, 2.0, 99.0)) == 2.5
    assert height(House("empty", (), ())) == 0.0


def test_the_figures_of_two_houses_together() -> None:
    figures = world_statistics([line(0.0, 4.0, 4.0, 0.0), line(1.0, 1.0)])
    assert (figures.houses, figures.viewpoints, figures.edges) == (2, 4, 2)
    assert (figures.excluded, figures.isolated) == (2, 1)
    assert (figures.rooms, figures.objects, figures.objects_outside) == (2, 2, 2)
    assert (figures.viewpoints_a_house.least, figures.viewpoints_a_house.most) == (1, 3)
    assert figures.neighbours.mean == 1.0
    assert figures.edge_length.mean == 4.0
    assert (figures.height.least, figures.height.most) == (0.0, 4.0)
    assert figures.rooms_a_house.mean == 1.0


def test_the_real_figures_agree_with_each_other() -> None:
    assert REAL.viewpoints_a_house.mean == round(REAL.viewpoints / REAL.houses)
    mean = REAL.neighbours.mean
    assert mean is not None
    assert math.isclose(mean, 2 * REAL.edges / REAL.viewpoints, abs_tol=0.05)

"""The picture all around a viewpoint, and what views have of it."""

from __future__ import annotations

import math

import numpy as np

from vnla.camera import (
    AROUND_HEIGHT,
    AROUND_WIDTH,
    CELL,
    CELLS_HIGH,
    CELLS_REPEATED,
    CELLS_WIDE,
    HEADINGS,
    VIEWS,
    angles_around,
    shares,
    view_angles,
    view_index,
)

OWN = slice(CELLS_REPEATED, -CELLS_REPEATED)


def test_cells_fill_the_picture() -> None:
    headings, elevations = angles_around()
    assert (len(headings), len(elevations)) == (AROUND_WIDTH, AROUND_HEIGHT) == (CELLS_WIDE * CELL, CELLS_HIGH * CELL)
    np.testing.assert_allclose(np.diff(headings), -np.diff(elevations)[0])
    np.testing.assert_allclose(headings[CELL * OWN.start] % (2 * math.pi), headings[-CELL * OWN.start] % (2 * math.pi))
    assert elevations[0] >= math.radians(60) - 0.01 and elevations.sum() < 1e-9


def test_a_view_is_the_sum_of_its_shares() -> None:
    found = shares()
    np.testing.assert_allclose(found.sum(axis=(1, 2)), 1)
    assert not found[:, :, : OWN.start].any() and not found[:, :, OWN.stop :].any(), "what is repeated belongs to nobody"


def test_shares_lie_where_a_view_looks() -> None:
    """The mean direction over the cells of a view is the direction of its middle."""
    headings, elevations = (each.reshape(-1, CELL).mean(axis=1) for each in angles_around())
    around, above = np.meshgrid(headings, elevations)
    for view, (heading, elevation) in enumerate(zip(*view_angles(), strict=True)):
        mine = shares()[view]
        mean = math.atan2((mine * np.sin(around)).sum(), (mine * np.cos(around)).sum())
        assert abs((mean - heading + math.pi) % (2 * math.pi) - math.pi) < math.radians(0.5)
        assert abs((mine * above).sum() - elevation) < math.radians(4)


def test_opposite_views_share_nothing_and_neighbours_do() -> None:
    found = shares().reshape(VIEWS, -1)
    level = view_index(1, 0)
    assert not np.minimum(found[level], found[view_index(1, HEADINGS // 2)]).any()
    assert np.minimum(found[level], found[view_index(1, 1)]).sum() > 0.4
    assert np.minimum(found[level], found[view_index(2, 0)]).sum() > 0.3

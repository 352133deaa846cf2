"""The camera: the simulator's numbers, and where things lie in a view, worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vnla import camera
from vnla.camera import Relative, relative, view_angles, view_index

THERE = (3.0, 4.0, 12.0)
"""5 m away on the floor at bearing atan(3/4) = 36.870°, 13 m in the air, atan(12/5) = 67.380° up."""


def seen(offset: tuple[float, float, float], heading: float, elevation: float = 0.0, **options: float) -> Relative:
    """With a camera of that heading and elevation, in degrees."""
    angles = (np.array(math.radians(each)) for each in (heading, elevation))
    return relative(np.array(offset, dtype=np.float32), *angles, **options)


def test_the_camera_is_the_simulators() -> None:
    assert (camera.HEADINGS, camera.ROWS, camera.VIEWS, camera.LEVEL_ROW) == (12, 3, 36, 1)
    assert math.degrees(camera.TURN) == pytest.approx(30)
    assert (camera.WIDTH, camera.HEIGHT) == (640, 480)
    assert math.degrees(camera.VERTICAL_FIELD) == pytest.approx(60)
    assert math.degrees(camera.HALF_FIELD) == pytest.approx(40)


def test_views_are_numbered_from_below_and_clockwise() -> None:
    assert [view_index(row, heading) for row, heading in [(0, 0), (0, 11), (1, 0), (2, 11)]] == [0, 11, 12, 35]
    assert view_index(1, 12) == view_index(1, 0) and view_index(1, -1) == view_index(1, 11)
    headings, elevations = (np.degrees(each) for each in view_angles())
    assert [headings[i] for i in (0, 3, 12, 35)] == pytest.approx([0, 90, 0, 330])
    assert [elevations[i] for i in (0, 11, 12, 23, 24, 35)] == pytest.approx([-30, -30, 0, 0, 30, 30])


@pytest.mark.parametrize(
    ("heading", "elevation", "right", "up", "visible"),
    [
        (30, 30, 6.870, 37.380, True),
        (60, 0, -23.130, 67.380, True),
        (0, -30, 36.870, 97.380, True),
        (90, 0, -53.130, 67.380, False),
        (330, 0, 66.870, 67.380, False),
        (210, 30, -173.130, 37.380, False),
    ],
)
def test_where_a_target_lies_in_a_view(heading: float, elevation: float, right: float, up: float, visible: bool) -> None:
    found = seen(THERE, heading, elevation)
    assert math.degrees(found.heading) == pytest.approx(right, abs=1e-3)
    assert math.degrees(found.elevation) == pytest.approx(up, abs=1e-3)
    assert float(found.distance) == pytest.approx(13)
    assert bool(found.visible) is visible


def test_the_field_of_view_has_its_edge_in_it() -> None:
    assert seen((0.0, 2.0, 0.0), 0, half_field=0.0).visible
    assert not seen((0.1, 2.0, 0.0), 0, half_field=0.0).visible
    assert seen(THERE, 90, half_field=math.radians(54)).visible


def test_what_is_straight_above_is_seen_from_nowhere() -> None:
    headings, elevations = view_angles()
    assert not relative(np.array([[0, 0, 1]], dtype=np.float32), headings, elevations).visible.any()

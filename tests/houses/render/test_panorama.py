"""Panoramas and the views cut out of them, against the NumPy cutter and against frames drawn straight away."""

import math

import numpy as np
import pytest

from vnla.camera import AROUND_HEIGHT, AROUND_WIDTH, CELL, VERTICAL_FIELD, VIEWS, angles_around, view_angles, view_index
from vnla.houses import skybox
from vnla.houses.house import UPRIGHT
from vnla.houses.render import (
    PreparedScene,
    around_of,
    objects_in_views,
    panorama_objects,
    prepare,
    render_panorama,
    render_view,
    views_of,
)
from vnla.houses.scene import Material, Part, Scene

EYE = (0.3, -0.2, 1.5)


def turned(angle: float, tilt: float) -> np.ndarray:
    """A panorama's rotation: upright, then turned about the vertical and tilted."""
    cosine, sine = math.cos(angle), math.sin(angle)
    about_z = np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]])
    cosine, sine = math.cos(tilt), math.sin(tilt)
    about_x = np.array([[1, 0, 0], [0, cosine, -sine], [0, sine, cosine]])
    return about_z @ about_x @ np.array(UPRIGHT).reshape(3, 3)


@pytest.mark.parametrize("rotation", [np.array(UPRIGHT), turned(1.1, 0.1)])
def test_views_are_those_of_the_skybox_module_to_rounding(rotation: np.ndarray) -> None:
    faces = np.random.default_rng(2).integers(0, 256, (6, 40, 40, 3)).astype(np.uint8)
    views = views_of(faces, 64, 48, rotation=rotation)
    assert views.shape == (VIEWS, 48, 64, 3)
    for view, (heading, elevation) in enumerate(zip(*view_angles(), strict=True)):
        expected = skybox.render_view(faces, rotation, heading, elevation, 64, 48, VERTICAL_FIELD)
        difference = np.abs(views[view].astype(int) - expected)
        # A ray through the very edge of two faces may take either.
        assert (difference <= 1).mean() > 0.9995
        assert (difference == 0).mean() > 0.95


@pytest.mark.parametrize("rotation", [np.array(UPRIGHT), turned(1.1, 0.1)])
def test_all_around_each_pixel_is_what_a_view_has_in_its_middle(rotation: np.ndarray) -> None:
    faces = np.random.default_rng(2).integers(0, 256, (6, 40, 40, 3)).astype(np.uint8)
    around = around_of(faces, rotation)
    assert around.shape == (AROUND_HEIGHT, AROUND_WIDTH, 3)
    headings, elevations = angles_around()
    for row, column in ((0, 40), (100, 500), (AROUND_HEIGHT // 2, 33), (250, 1000), (AROUND_HEIGHT - 1, 700)):
        view = skybox.render_view(faces, rotation, headings[column], elevations[row], 1, 1, 0.001)
        assert np.abs(around[row, column].astype(int) - view[0, 0]).max() <= 1
    np.testing.assert_array_equal(around[:, :CELL], around[:, -2 * CELL : -CELL])


def test_views_of_a_panorama_look_like_frames_drawn_straight_away(stage: PreparedScene) -> None:
    views = views_of(render_panorama(stage, EYE, 256, samples=2).rgb, 96, 72)
    for view, (heading, elevation) in enumerate(zip(*view_angles(), strict=True)):
        frame = render_view(stage, EYE, heading, elevation, 96, 72, samples=2).rgb
        difference = np.abs(views[view].astype(int) - frame)
        assert difference.mean() < 3.0
        assert np.corrcoef(views[view].ravel(), frame.ravel())[0, 1] > 0.97


def test_a_turned_panorama_gives_the_same_views(stage: PreparedScene) -> None:
    upright = views_of(render_panorama(stage, EYE, 192, samples=2).rgb, 64, 48)
    rotation = turned(0.8, 0.15)
    other = views_of(render_panorama(stage, EYE, 192, rotation, samples=2).rgb, 64, 48, rotation=rotation)
    assert np.abs(upright.astype(int) - other).mean() < 2.5


def test_a_face_looks_where_the_skybox_module_says() -> None:
    """A ball in each of the six directions: each face shows its own in the middle."""
    directions = skybox.face_directions(1, UPRIGHT)[:, 0, 0] * 3
    balls = tuple(Part("sphere", tuple(map(float, d)), (1, 1, 1), Material((0.5, 0.5, 0.5))) for d in directions)  # type: ignore[arg-type]
    panorama = render_panorama(prepare(Scene(balls, tuple(range(6)))), (0, 0, 0), 33)
    assert panorama.objects[:, 16, 16].tolist() == list(range(6))
    assert panorama.depth[:, 16, 16] == pytest.approx(2.5, rel=0.02)


def test_objects_in_views_have_their_true_share_of_the_picture() -> None:
    # A square of 1 m, 2 m to the north (its front): tan = 0.25 to each side of the level view north.
    box = Part("box", (0, 2.5, 0), (1, 1, 1), Material((0.5, 0.5, 0.5)))
    far = Part("box", (0, -15, 0), (0.3, 0.3, 0.3), Material((0.5, 0.5, 0.5)))
    panorama = render_panorama(prepare(Scene((box, far), (4, 2))), (0, 0, 0), 256)
    seen = objects_in_views(panorama.objects)
    north = (seen.view == view_index(1, 0)) & (seen.object == 4)
    tangent = math.tan(VERTICAL_FIELD / 2)
    assert seen.share[north] == pytest.approx([0.5 * 0.5 / (2 * tangent * 2 * tangent * 4 / 3)], rel=0.03)
    assert 2 not in seen.object  # a few pixels at most
    assert not ((seen.view == view_index(1, 6)) & (seen.object == 4)).any()
    assert (seen.object == 4).sum() >= 3
    assert 2 in objects_in_views(panorama.objects, least=0.0).object


def test_objects_alone_are_those_of_the_picture(stage: PreparedScene) -> None:
    rotation = turned(0.7, 0.2)
    drawn = render_panorama(stage, EYE, 48, rotation).objects
    assert len(np.unique(drawn)) > 2
    assert (panorama_objects(stage, EYE, 48, rotation) == drawn).all()


def test_threads_change_no_pixel_of_views(stage: PreparedScene) -> None:
    faces = render_panorama(stage, EYE, 48).rgb
    assert (views_of(faces, 64, 48, workers=1) == views_of(faces, 64, 48, workers=2)).all()

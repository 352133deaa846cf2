"""Rays against solids, held against the rasteriser, which knows nothing of them, and against each other."""

import math

import numpy as np
import pytest

from vnla.camera import camera_axes
from vnla.houses.render import prepare, render_view
from vnla.houses.render.rays import NOTHING, blocked, build_tree, containing, first_hits
from vnla.houses.scene import Light, Material, Part, Scene

GREY = Material((0.5, 0.5, 0.5))


def scattered(count: int) -> Scene:
    random = np.random.default_rng(4)
    parts = []
    for number in range(count):
        shape, axis = ("box", "cylinder", "sphere")[number % 3], "xyz"[number % 7 % 3]
        centre, size = random.uniform(-4, 4, 3), random.uniform(0.3, 1.5, 3)
        turn = float(random.uniform(0, 6))
        parts.append(Part(shape, tuple(centre.tolist()), tuple(size.tolist()), GREY, turn, axis))  # type: ignore[arg-type]
    return Scene(tuple(parts), tuple(range(count)), (Light((0, 0, 9)),))


def test_rays_meet_what_the_rasteriser_draws() -> None:
    scene = scattered(60)
    stage = prepare(scene)
    tree = build_tree(stage.mesh.solids, np.zeros(60, np.bool_))
    size, eye = 96, np.array([0.1, -7.5, 0.2], np.float32)
    frame = render_view(stage, tuple(eye.tolist()), 0.2, 0.1, size, size, math.radians(60))
    steps = ((np.arange(size) + 0.5) / size * 2 - 1) * math.tan(math.radians(30))
    x, y = np.meshgrid(steps, steps)
    direction = (np.stack([x, y, np.ones_like(x)], axis=-1) @ camera_axes(0.2, 0.1)).reshape(-1, 3).astype(np.float32)
    origin = np.repeat(eye[None], len(direction), axis=0)
    hits = first_hits(tree, origin, direction, np.full(len(direction), -1, np.int32))
    owner = np.append(stage.mesh.solids.owner[stage.mesh.patches.part], -2)[hits.patch]
    same = owner == frame.objects.ravel()
    # Round things are drawn with flat sides, so their outlines differ a little.
    assert same.mean() > 0.975
    both = same & (hits.patch != NOTHING)
    assert both.mean() > 0.3
    boxes = both & (owner % 3 == 0)
    assert hits.distance[boxes] == pytest.approx(frame.depth.ravel()[boxes], rel=1e-3)
    assert np.abs(hits.distance[both] - frame.depth.ravel()[both]).mean() < 0.02


def test_blocked_agrees_with_first_hits() -> None:
    solids = prepare(scattered(60)).mesh.solids
    tree = build_tree(solids, np.zeros(60, np.bool_))
    random = np.random.default_rng(1)
    origin, target = (random.uniform(-6, 6, (4000, 3)).astype(np.float32) for _ in range(2))
    nobody = np.full(4000, -1, np.int32)
    hits = first_hits(tree, origin, target - origin, nobody)
    assert (blocked(tree, origin, target, nobody) == (hits.distance < 1)).mean() > 0.999
    assert 0.2 < (hits.distance < 1).mean() < 0.95
    inside = containing(tree, origin, nobody) >= 0
    assert (hits.distance[inside] == 0).all()
    assert (hits.distance[~inside] > 0).all()


def test_clear_parts_stop_nothing_and_ones_own_part_is_not_met() -> None:
    pane, wall = Part("box", (0, 1, 0), (4, 0.02, 4), GREY), Part("box", (0, 2, 0), (4, 0.1, 4), GREY)
    solids = prepare(Scene((pane, wall), (0, 1))).mesh.solids
    tree = build_tree(solids, np.array([True, False]))
    origin = np.zeros((2, 3), np.float32)
    before, behind = np.array([[0, 1.5, 0], [0, 3, 0]], np.float32), np.array([[0, 3, 0]] * 2, np.float32)
    nobody, wall_itself = np.full(2, -1, np.int32), np.full(2, 1, np.int32)
    assert blocked(tree, origin, before, nobody).tolist() == [False, True]
    assert not blocked(tree, origin, behind, wall_itself).any()
    assert first_hits(tree, origin, behind, nobody).distance[0] == pytest.approx(0.99 / 3, rel=1e-4)

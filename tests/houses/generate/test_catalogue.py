"""Every label of the catalogue: what its maker builds stands where its rule says, within its size and budget."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise, product
from random import Random

import numpy as np
import pytest

from in_turn import in_turn
from vnla.houses.generate.catalogue import CATALOGUE, Furniture
from vnla.houses.generate.catalogue.pieces import box, build, row
from vnla.houses.generate.catalogue.registry import (
    AtAnchor,
    Beside,
    CatalogueEntry,
    InFront,
    OnCeiling,
    OnFloor,
    OnTop,
    OnWall,
    read_entries,
)
from vnla.houses.generate.style import Style
from vnla.houses.generate.styles import draw_style
from vnla.houses.rooms import ROOM_NAMES
from vnla.houses.scene import Light, Material, Part

SEEDS = range(5)
TRIANGLES = {"box": 12, "cylinder": 60, "sphere": 160}
"""About what the renderer makes of a primitive."""
PLAIN = Material((0.5, 0.5, 0.5))


@pytest.fixture(scope="module")
def styles() -> list[Style]:
    return [draw_style(np.random.default_rng(seed)) for seed in SEEDS]


def some(entry: CatalogueEntry, styles: list[Style]) -> list[Furniture]:
    return [entry.make(Random(seed), style) for seed, style in zip(SEEDS, styles, strict=True)]


def corners(part: Part) -> list[tuple[float, float, float]]:
    """Corners of the box around a part before any turn, turned about the vertical through its centre."""
    x, y, z = part.centre
    wider = max(1.0, part.taper)
    cos, sin = math.cos(part.turn), math.sin(part.turn)
    found = []
    for a, b, c in product((-0.5, 0.5), repeat=3):
        dx, dy = a * part.size[0] * wider, b * part.size[1] * wider
        found.append((x + cos * dx - sin * dy, y + sin * dx + cos * dy, z + c * part.size[2]))
    return found


def test_there_are_many_labels_named_as_people_speak() -> None:
    assert len(CATALOGUE) >= 130
    for label in CATALOGUE:
        assert label == label.lower().strip()
        assert label.replace(" ", "").replace("-", "").isalpha()
    for label in ("towel", "curtains", "blinds", "books", "shoes", "dumbbells", "dining chair", "washing machine", "tv"):
        assert label in CATALOGUE


def test_a_label_is_registered_once() -> None:
    head = 'categories = ["towel"]\n[groups]\n'
    towel = 'towel = { category = "towel", OnWall = {}, rooms = {ab = 1}, rank = 1 }\n'
    entry = read_entries(head + "[bathroom]\n" + towel)["towel"]
    assert (entry.rule, entry.rooms, entry.category) == (OnWall(), {"a": 1, "b": 1}, (0, "towel"))
    with pytest.raises(ValueError, match="already has 'towel'"):
        read_entries(head + "[bathroom]\n" + towel + "[beds]\n" + towel.replace("rank = 1", 'rank = 1, maker = "bed"'))
    with pytest.raises(ValueError, match="hovercrafts"):
        read_entries(head + "[bathroom]\n" + towel.replace('"towel"', '"hovercrafts"'))


@in_turn("label", CATALOGUE)
def test_rooms_and_hosts_exist(label: str) -> None:
    entry = CATALOGUE[label]
    assert set(entry.rooms) <= set(ROOM_NAMES)
    assert 1 <= entry.category[0] <= 40
    rule = entry.rule
    if isinstance(rule, AtAnchor | Beside | InFront | OnTop):
        assert rule.hosts
        assert set(rule.hosts) <= set(CATALOGUE)
    if isinstance(rule, OnWall | OnCeiling):
        assert set(rule.above) <= set(CATALOGUE)
    if isinstance(rule, OnFloor):
        assert set(rule.under) | set(rule.before) <= set(CATALOGUE)


def test_every_kind_of_room_has_something_of_its_own() -> None:
    for room in set(ROOM_NAMES) - {"-"}:
        assert sum(entry.rooms.get(room, 0) for entry in CATALOGUE.values()) > 3, ROOM_NAMES[room]


@in_turn("label", CATALOGUE)
def test_a_piece_is_within_its_size_and_touches_its_ground(label: str, styles: list[Style]) -> None:
    for piece in some(CATALOGUE[label], styles):
        width, depth, height = piece.size
        points = np.array([corner for part in piece.parts for corner in corners(part)])
        low, high = points.min(axis=0), points.max(axis=0)
        np.testing.assert_allclose(low, (-width / 2, -depth / 2, 0.0), atol=1e-6)
        np.testing.assert_allclose(high, (width / 2, depth / 2, height), atol=1e-6)


@in_turn("label", CATALOGUE)
def test_a_piece_hangs_together(label: str, styles: list[Style]) -> None:
    """No part floats: from those at the bottom every other is reached over parts at most two centimetres apart."""
    for piece in some(CATALOGUE[label], styles):
        points = np.array([corners(part) for part in piece.parts])
        low, high = points.min(axis=1) - 0.01, points.max(axis=1) + 0.01
        touch = ((low[:, None] <= high[None]) & (low[None] <= high[:, None])).all(axis=-1)
        reached = low[:, 2] < low[:, 2].min() + 0.005
        for _ in points:
            reached |= touch[reached].any(axis=0)
        assert reached.all(), [piece.parts[i] for i in np.flatnonzero(~reached)]


@in_turn("label", CATALOGUE)
def test_a_piece_is_detailed_but_cheap(label: str, styles: list[Style]) -> None:
    for piece in some(CATALOGUE[label], styles):
        assert 2 <= len(piece.parts) <= 40
        assert sum(TRIANGLES[part.shape] for part in piece.parts) <= 1800
        assert all(min(part.size) > 0 for part in piece.parts)
        for part in piece.parts:
            colours = (part.material.colour, part.material.accent or part.material.colour)
            assert all(0.0 <= channel <= 1.0 for colour in colours for channel in colour)


def test_pieces_are_cheap_on_average(styles: list[Style]) -> None:
    pieces = [entry.make(Random(1), styles[0]) for entry in CATALOGUE.values()]
    assert np.mean([sum(TRIANGLES[part.shape] for part in piece.parts) for piece in pieces]) < 400


@in_turn("label", CATALOGUE)
def test_the_same_draw_makes_the_same_piece(label: str, styles: list[Style]) -> None:
    entry = CATALOGUE[label]
    assert entry.make(Random(3), styles[0]) == entry.make(Random(3), styles[0])


def test_most_labels_vary(styles: list[Style]) -> None:
    """A label that looks the same in every house teaches nothing; a few (a bidet) are alike everywhere."""
    alike = [label for label, entry in CATALOGUE.items() if len({piece.parts for piece in some(entry, styles)}) == 1]
    assert len(alike) <= 0.06 * len(CATALOGUE), alike


@pytest.mark.parametrize(
    ("label", "least", "most"),
    [
        ("bed", (0.9, 1.9, 0.5), (2.0, 2.3, 1.4)),
        ("sofa", (1.2, 0.7, 0.6), (2.6, 1.1, 1.1)),
        ("dining chair", (0.35, 0.35, 0.8), (0.6, 0.6, 1.1)),
        ("dining table", (0.8, 0.7, 0.7), (2.4, 1.3, 0.8)),
        ("towel", (0.3, 0.02, 0.4), (0.6, 0.12, 1.0)),
        ("toilet", (0.3, 0.5, 0.6), (0.5, 0.8, 0.9)),
        ("cup", (0.06, 0.06, 0.07), (0.16, 0.16, 0.15)),
        ("refrigerator", (0.5, 0.5, 1.5), (0.9, 0.8, 2.0)),
        ("wardrobe", (0.8, 0.5, 1.8), (1.9, 0.7, 2.3)),
        ("car", (1.5, 3.2, 1.2), (2.0, 4.5, 1.6)),
    ],
)
def test_sizes_are_those_of_real_things(
    label: str, least: tuple[float, ...], most: tuple[float, ...], styles: list[Style]
) -> None:
    for piece in some(CATALOGUE[label], styles):
        assert all(low <= value <= high for low, value, high in zip(least, piece.size, most, strict=True)), piece.size


@in_turn("label", [label for label, entry in CATALOGUE.items() if isinstance(entry.rule, OnTop)])
def test_small_things_have_tops_they_fit_on(label: str, styles: list[Style]) -> None:
    entry = CATALOGUE[label]
    assert isinstance(entry.rule, OnTop)
    for piece in some(entry, styles):
        tops = [top for host in entry.rule.hosts for each in some(CATALOGUE[host], styles) for top in each.tops]
        assert any(
            top.width >= piece.size[0] and top.depth >= piece.size[1] and top.headroom >= piece.size[2] for top in tops
        )


@in_turn("label", [label for label, entry in CATALOGUE.items() if isinstance(entry.rule, AtAnchor)])
def test_spots_are_kept_for_what_goes_there(label: str, styles: list[Style]) -> None:
    entry = CATALOGUE[label]
    assert isinstance(entry.rule, AtAnchor)
    offered = Counter(host for host in entry.rule.hosts for each in some(CATALOGUE[host], styles) if each.anchors.get(label))
    assert offered


@in_turn("label", CATALOGUE)
def test_tops_lie_on_the_piece(label: str, styles: list[Style]) -> None:
    """Under the middle of each top there is a part whose upper face is at its height."""
    for piece in some(CATALOGUE[label], styles):
        for top in piece.tops:
            assert abs(top.x) + top.width / 2 <= piece.size[0] / 2 + 1e-6
            assert abs(top.y) + top.depth / 2 <= piece.size[1] / 2 + 1e-6
            faces = [part.centre[2] + part.size[2] / 2 for part in piece.parts if covers(part, top.x, top.y)]
            assert any(abs(face - top.z) < 0.012 for face in faces), (top, faces)


def covers(part: Part, x: float, y: float) -> bool:
    return abs(part.centre[0] - x) <= part.size[0] / 2 + 0.03 and abs(part.centre[1] - y) <= part.size[1] / 2 + 0.03


def test_ceiling_lamps_give_light(styles: list[Style]) -> None:
    for label in ("ceiling lamp", "chandelier", "pendant lamp", "floor lamp", "table lamp", "wall lamp"):
        for piece in some(CATALOGUE[label], styles):
            assert piece.lights
            assert any(part.material.glow > 0.3 for part in piece.parts)


def test_build_moves_everything_to_the_middle() -> None:
    parts = [box(1.0, 2.0, 0.0, 2.0, 1.0, 0.5, PLAIN), box(2.5, 2.0, 0.0, 1.0, 1.0, 1.0, PLAIN)]
    piece = build("step", [*parts, Light((1.5, 2.0, 1.0))])
    assert piece.label == "step"
    assert piece.size == (3.0, 1.0, 1.0)
    assert [part.centre for part in piece.parts] == [(-0.5, 0.0, 0.25), (1.0, 0.0, 0.5)]
    assert piece.lights[0].position == (0.0, 0.0, 1.0)


def test_row_shares_a_length_evenly() -> None:
    assert row(1, 2.0) == [0.0]
    places = row(4, 2.0)
    assert places[0] == -0.75
    assert all(b - a == pytest.approx(0.5) for a, b in pairwise(places))

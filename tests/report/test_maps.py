"""The picture of a house: that it is there whole, shows what it was given, and keeps texts apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image

from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.houses.house import House, Object, OrientedBox, Viewpoint
from vnla.houses.rooms import ROOM_NAMES
from vnla.report import palette
from vnla.report.labels import Font, ObstacleKind, PixelAxes, around
from vnla.report.layout import WIDTH, arrange
from vnla.report.maps import Step, draw_house

WALK = (Step(4, 15, "turn left, go forward"), Step(4, 14), Step(3, 14), Step(1, 14), Step(5, 14, action="stop"))
EVERYWHERE = (0.0, 0.0, 1000.0, 1000.0)
FONT = Font(20, palette.INK)


def pixels(path: Path) -> np.ndarray:
    with Image.open(path) as image:
        assert image.format == "PNG"
        return np.asarray(image.convert("RGB"))


def count(path: Path, colour: str) -> int:
    """How many pixels have exactly that colour."""
    wanted = np.round(np.array(to_rgb(colour)) * 255).astype(np.uint8)
    return int((pixels(path) == wanted).all(axis=-1).sum())


def page() -> PixelAxes:
    figure = Figure(figsize=(10, 10), dpi=100)
    canvas = FigureCanvasAgg(figure)
    return PixelAxes(figure.add_axes((0, 0, 1, 1)), canvas.get_renderer())


def test_the_picture_has_its_width_and_every_room_its_colour(tmp_path: Path) -> None:
    path = tmp_path / "cottage.png"
    draw_house(cottage(), path)
    assert pixels(path).shape[1] == WIDTH
    for room in cottage().rooms:
        assert count(path, palette.ROOMS[room.label]) > 1000, room.name


def test_walk_request_and_goal_show_only_where_given(tmp_path: Path) -> None:
    plain, walked = tmp_path / "plain.png", tmp_path / "walked.png"
    draw_house(cottage(), plain)
    draw_house(cottage(), walked, walk=WALK, goals=[5])
    for colour in (palette.WALK, palette.HELP, palette.GOAL):
        assert count(plain, colour) == 0
        assert count(walked, colour) > 100


def test_a_walk_without_requests_has_no_request_marks_on_the_plan(tmp_path: Path) -> None:
    silent, asked = tmp_path / "silent.png", tmp_path / "asked.png"
    draw_house(cottage(), asked, walk=WALK)
    draw_house(cottage(), silent, walk=[replace(step, said=None) for step in WALK])
    assert count(silent, palette.HELP) < count(asked, palette.HELP)


def test_the_same_house_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one.png", "two.png"):
        draw_house(cottage(), tmp_path / name, walk=WALK)
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


def test_the_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "map.png"
    path.write_bytes(b"old")
    with pytest.raises(InputError, match="viewpoint 99"):
        draw_house(cottage(), path, walk=[Step(99, 0)])
    assert path.read_bytes() == b"old"
    draw_house(cottage(), path)
    assert pixels(path).shape[1] == WIDTH
    assert [each.name for each in tmp_path.iterdir()] == ["map.png"]


def test_a_house_of_bare_viewpoints(tmp_path: Path) -> None:
    viewpoints = tuple(Viewpoint(f"v{i}", (2.0 * i, 1.0, 1.5)) for i in range(3))
    joined, apart = tmp_path / "joined.png", tmp_path / "apart.png"
    draw_house(House("bare", viewpoints, ((0, 1), (1, 2))), joined)
    draw_house(House("bare", viewpoints, ()), apart)
    for path in (joined, apart):
        assert count(path, palette.DOT) > 30
    middle = slice(300, -120)  # below the titles, above the key
    assert (pixels(joined)[middle] != pixels(apart)[middle]).any()


def test_rooms_without_boxes_are_named_at_their_viewpoints(tmp_path: Path) -> None:
    house = cottage()
    unmeasured = replace(house, rooms=tuple(replace(room, box=None) for room in house.rooms), objects=())
    nameless = replace(unmeasured, rooms=tuple(replace(room, label="-") for room in unmeasured.rooms))
    with_names, without = tmp_path / "named.png", tmp_path / "nameless.png"
    draw_house(unmeasured, with_names)
    draw_house(nameless, without)
    assert count(with_names, palette.INK) > count(without, palette.INK)


def test_a_dollar_sign_is_not_a_formula(tmp_path: Path) -> None:
    odd = Object(99, r"$\box$", 2, OrientedBox((-3.0, 2.0, 0.5), radii=(0.6, 0.5, 0.5)))
    draw_house(replace(cottage(), objects=(odd,)), tmp_path / "map.png", title=r"$\nonsense$")
    assert (tmp_path / "map.png").exists()


def test_every_room_label_has_a_colour() -> None:
    assert palette.ROOMS.keys() == ROOM_NAMES.keys()


def test_panels_share_a_scale_and_do_not_overlap() -> None:
    panels, height = arrange(cottage(), right=1200)
    first, second = (panel.rectangle for panel in panels)
    assert panels[0].scale == panels[1].scale
    assert first[2] <= second[0] or second[3] <= first[1]
    for left, bottom, right, top in (first, second):
        assert 0 < left < right <= 1200
        assert 0 < bottom < top < height


def test_a_label_takes_the_first_free_spot() -> None:
    board = page()
    board.take([around((100, 100), 50, 50)], ObstacleKind.MARK)
    assert board.place("sofa", [(100, 100), (300, 300)], FONT, EVERYWHERE)
    assert not board.is_free(around((300, 300), 4, 4))
    assert not board.place("sofa", [(100, 100), (300, 300)], FONT, EVERYWHERE), "both spots are taken now"


def test_a_label_stays_within_its_room() -> None:
    assert not page().place("kitchen cabinet", [(50, 50)], FONT, (20, 20, 80, 80))
    assert page().place("kitchen cabinet", [(150, 50)], FONT, (20, 20, 280, 80))


def test_a_name_may_cross_lines_but_not_marks() -> None:
    board = page()
    board.take_line((0, 100), (200, 100), 3)
    board.take([around((100, 300), 5, 5)], ObstacleKind.MARK)
    over_lines = (ObstacleKind.MARK, ObstacleKind.TEXT)
    assert not board.place("hall", [(100, 100)], FONT, EVERYWHERE)
    assert board.place("hall", [(100, 100)], FONT, EVERYWHERE, kinds=over_lines)
    assert not board.place("hall", [(100, 300)], FONT, EVERYWHERE, kinds=over_lines)


def test_wrapping_keeps_every_word_and_the_width() -> None:
    board = page()
    text = "turn 60 degrees right, go forward 2 steps, stop"
    lines = board.wrap(text, FONT, 200)
    assert len(lines) > 1
    assert " ".join(lines) == text
    assert all(board.measure(line, FONT)[0] <= 200 for line in lines)

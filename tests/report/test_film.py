"""Film strip and moving map: that every step is there, requests stand out, and files are whole or absent."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from numpy.typing import NDArray
from PIL import Image

from cottage_players import HOUSE, TASKS, context, scripted
from vnla.assistance.help_policies import AtFirst, Never
from vnla.common.errors import InputError
from vnla.evaluation.evaluate import run_task
from vnla.report import animation, palette
from vnla.report.animation import ACROSS, LAST, LONGER, USUAL, shots, write_animation
from vnla.report.film import draw_strip, looking, one_by_one, shortened, views_of
from vnla.report.labels import Font, PixelAxes, new_page
from vnla.report.sketch import draw_sketch
from vnla.report.story import Account, follow
from vnla.world.actions import Nav

SHORT = (Nav.LEFT, Nav.LEFT, Nav.LEFT, Nav.FORWARD, Nav.STOP)


def account(*actions: Nav, asks: bool) -> Account:
    who = context(scripted(*actions), AtFirst() if asks else Never())
    return follow(run_task(who, TASKS, "1", ratio=0.16), 0, HOUSE, TASKS.tasks[1], who.advisor)


def pixels(image: Image.Image, colour: str) -> int:
    wanted = np.round(np.array(to_rgb(colour)) * 255).astype(np.uint8)
    return int((np.asarray(image.convert("RGB")) == wanted).all(axis=-1).sum())


def test_there_is_a_view_before_each_action_and_one_when_time_is_up() -> None:
    stopped, late = account(*SHORT, asks=True), account(asks=False)
    assert [view.view for view in views_of(stopped)] == [18, 17, 16, 15, 15]
    assert [view.letter for view in views_of(stopped)] == ["A", None, None, None, None]
    assert len(views_of(late)) == late.time_budget + 1
    assert views_of(late)[-1].step is None


def test_requests_stand_out_on_the_strip(tmp_path: Path) -> None:
    found = []
    for asks in (True, False):
        path = tmp_path / f"{asks}.png"
        draw_strip(account(*SHORT, asks=asks), path)
        with Image.open(path) as image:
            assert image.width == 1600
            found.append(pixels(image, palette.HELP))
    assert found[0] > 2 * found[1] > 0  # without a request, only the word "Failure" has that colour


def test_the_share_below_a_view_is_that_of_the_action_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = account(*SHORT, asks=False)
    written: list[str] = []
    write = PixelAxes.write
    monkeypatch.setattr(
        PixelAxes, "write", lambda page, text, *rest, **more: written.append(text) or write(page, text, *rest, **more)
    )
    draw_strip(told, tmp_path / "strip.png")
    shares = [text for text in written if text.endswith("%")]
    assert shares == [f"{step.final[step.action]:.0%}" for step in told.steps]
    assert shares != [f"{max(step.final):.0%}" for step in told.steps]  # the script takes actions that the agent would not


def test_the_strip_grows_with_the_episode(tmp_path: Path) -> None:
    heights = []
    for actions in (SHORT, ()):
        draw_strip(account(*actions, asks=False), tmp_path / "strip.png")
        with Image.open(tmp_path / "strip.png") as image:
            heights.append(image.height)
    assert heights[1] > 4 * heights[0]  # 26 views are six rows of five, and 5 are one


def test_pictures_are_asked_for_by_house_viewpoint_and_view(tmp_path: Path) -> None:
    asked = []

    def images(house: str, viewpoint: str, view: int) -> NDArray[np.uint8]:
        asked.append((house, viewpoint, view))
        return np.full((24, 32, 3), (10, 200, 30), dtype=np.uint8)

    draw_strip(account(*SHORT, asks=False), tmp_path / "strip.png", images)
    expected = [("cottage", "living_west", view) for view in (18, 17, 16, 15)] + [("cottage", "living_east", 15)]
    assert asked == expected
    with Image.open(tmp_path / "strip.png") as image:
        assert pixels(image, "#0ac81e") > 5 * 250 * 190


def test_a_source_of_all_views_is_asked_once_a_viewpoint() -> None:
    asked = []

    def all_views(house: str, viewpoint: str) -> NDArray[np.uint8]:
        asked.append((house, viewpoint))
        return np.arange(36, dtype=np.uint8)[:, None, None, None] + np.zeros((36, 2, 2, 3), np.uint8)

    images = one_by_one(all_views)
    assert [int(images("cottage", "kitchen", view)[0, 0, 0]) for view in (3, 35)] == [3, 35]
    assert asked == [("cottage", "kitchen")]


def test_a_picture_of_the_wrong_shape_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\(24, 32\)"):
        draw_strip(account(*SHORT, asks=False), tmp_path / "strip.png", lambda *_: np.zeros((24, 32), np.uint8))
    assert list(tmp_path.iterdir()) == []


def test_a_sketch_names_what_is_in_view_and_where_one_can_go() -> None:
    page, _ = new_page(400, 300)
    draw_sketch(page, HOUSE, 11, 12, (0, 0, 400, 300))  # the bathroom, to the north
    assert {text.get_text() for text in page.axes.texts} == {"towel", "mirror"}
    page, _ = new_page(400, 300)
    draw_sketch(page, HOUSE, 11, 12 + 9, (0, 0, 400, 300))  # and to the west, where the landing is
    assert {text.get_text() for text in page.axes.texts} == {"to: hallway"}


def test_a_view_in_words() -> None:
    assert [looking(view) for view in (0, 12 + 3, 24 + 6)] == ["down, north", "east", "up, south"]


def test_a_text_too_wide_is_cut() -> None:
    page, _ = new_page(400, 300)
    font = Font(20, palette.INK)
    cut = shortened(page, "a very long end-goal", font, 100)
    assert cut.endswith(" …")
    assert page.measure(cut, font)[0] <= 100
    assert shortened(page, "short", font, 100) == "short"


def test_the_moving_map_has_a_frame_a_step_and_dwells_on_requests(tmp_path: Path) -> None:
    path = tmp_path / "walk.gif"
    write_animation(account(*SHORT, asks=True), path)
    with Image.open(path) as film:
        assert film.format == "GIF"
        assert film.n_frames == len(SHORT)
        durations = []
        for i in range(film.n_frames):
            film.seek(i)
            durations.append(film.info["duration"] / 1000)
            assert film.width == ACROSS
        assert durations == [LONGER, USUAL, USUAL, USUAL, LAST]
        assert pixels(film, palette.GOAL) > 20  # kept exactly among 256 colours


def test_the_walk_grows_from_frame_to_frame() -> None:
    frames = [shot.picture for shot in shots(account(*SHORT, asks=False))]
    blue = [pixels(frame.crop((0, 0, 900, frame.height)), palette.WALK) for frame in frames]
    assert blue[-1] > blue[0] > 0  # at first there is only where it stands, in the end an arrow as well


def test_the_key_of_a_moving_map_has_the_walk_and_the_requests() -> None:
    first = next(iter(shots(account(*SHORT, asks=False)))).picture
    key = first.crop((0, first.height - 90, 900, first.height))
    for colour in (palette.WALK, palette.HELP):
        away = np.abs(np.asarray(key) / 255 - np.array(to_rgb(colour))).max(axis=-1)
        assert (away < 0.1).sum() > 20  # almost: the page was made smaller


def test_an_mp4_without_ffmpeg_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(animation, "find_ffmpeg", lambda: None)
    with pytest.raises(InputError, match="needs ffmpeg"):
        write_animation(account(*SHORT, asks=False), tmp_path / "walk.mp4")
    with pytest.raises(InputError, match=r"is a \.gif or an \.mp4"):
        write_animation(account(*SHORT, asks=False), tmp_path / "walk.avi")
    assert list(tmp_path.iterdir()) == []


def fake_ffmpeg(folder: Path, body: str, reads: bool = True) -> str:
    program = folder / "ffmpeg"
    start = "data = sys.stdin.buffer.read()" if reads else ""
    program.write_text(f"#!{sys.executable}\nimport sys\n{start}\n{body}\n")
    program.chmod(0o755)
    return str(program)


def test_ffmpeg_gets_every_frame_as_long_as_it_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """8 frames for a usual step, 24 for a request and 40 for the last one, at ten a second: 24 + 3 · 8 + 40 = 88."""
    body = "size = sys.argv[sys.argv.index('-s') + 1]\nopen(sys.argv[-1], 'w').write(f'{size} {len(data)}')"
    monkeypatch.setattr(animation, "find_ffmpeg", lambda: fake_ffmpeg(tmp_path, body))
    path = tmp_path / "films" / "walk.mp4"
    write_animation(account(*SHORT, asks=True), path)
    size, count = path.read_text().split()
    width, height = map(int, size.split("x"))
    assert width % 2 == height % 2 == 0
    assert int(count) == 88 * width * height * 3


@pytest.mark.parametrize("reads", [True, False])
def test_what_ffmpeg_complains_about_is_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reads: bool) -> None:
    program = fake_ffmpeg(tmp_path, "sys.stderr.write('Unknown encoder libx264')\nsys.exit(1)", reads)
    monkeypatch.setattr(animation, "find_ffmpeg", lambda: program)
    with pytest.raises(InputError, match="Unknown encoder libx264"):
        write_animation(account(Nav.STOP, asks=False), tmp_path / "films" / "walk.mp4")
    assert not (tmp_path / "films").exists()

"""An episode as a film strip: what the agent saw before each action, what it asked, what it was told, what it did.

    draw_strip(follow(rollout, 0, house, task, advisor), Path("episode.png"), images)

Where there are no pictures of the house, a frame is a sketch (`vnla.report.sketch`). The same episode as a moving map:
`vnla.report.animation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle as Patch
from numpy.typing import NDArray

from vnla.camera import HEADINGS, HEIGHT, LEVEL_ROW
from vnla.camera import WIDTH as VIEW_WIDTH
from vnla.common import files
from vnla.common.errors import InputError
from vnla.houses.house import House
from vnla.houses.rooms import NO_LABEL
from vnla.report import palette
from vnla.report.labels import Font, PixelAxes, Rectangle, badge, new_page, png
from vnla.report.layout import MARGIN, WIDTH
from vnla.report.plan import requests, spoken
from vnla.report.sketch import draw_sketch
from vnla.report.story import ACTIONS, Account, EpisodeStep, compass, count, distance_to_goal, final_chance

Images = Callable[[str, str, int], NDArray[np.uint8]]
"""(house, viewpoint id, view) → the picture, RGB (height, width, 3)."""

COLUMNS = 5
SPACE = 26
TOP = 132
BOTTOM = 48
CAPTION = 82
"""Pixels below a frame for what is said about it, without the advisor's words."""
LINE = 19
"""Pixels for a line of them."""
MOST_LINES = 4
KEY = (
    "Below each view: the action that was taken there, and how probable the agent found it. In colour: it asked for help,"
    " and what the advisor said."
)

TITLE = Font(31, palette.INK, weight="bold")
SUBTITLE = Font(17, palette.QUIET_INK)
VERDICT = Font(17, palette.INK, weight="bold")
NUMBER = Font(16, palette.QUIET_INK, weight="bold")
ACTION = Font(16, palette.INK, weight="bold")
WHERE = Font(13.5, palette.QUIET_INK)
SAID = Font(14, palette.HELP)
LETTER = Font(13, "white", weight="bold")
SUCCESS = "#2f7d4f"


@dataclass(frozen=True)
class FilmFrame:
    """What one frame shows."""

    viewpoint: int
    view: int
    step: EpisodeStep | None  # None after the last action
    letter: str | None  # of the request made there


def draw_strip(account: Account, path: Path, images: Images | None = None) -> None:
    """Write the film strip of an episode to `path`."""
    files.write_bytes(path, png(strip(account, images)))


def strip(account: Account, images: Images | None = None) -> Figure:
    """The film strip of an episode as a page."""
    across = (WIDTH - 2 * MARGIN - (COLUMNS - 1) * SPACE) / COLUMNS
    down = across * HEIGHT / VIEW_WIDTH
    ruler, _ = new_page(WIDTH, 100)
    rows = list(batched(views_of(account), COLUMNS))
    captions = [CAPTION + LINE * max(len(_words(ruler, view, across)) for view in row) for row in rows]
    height = round(TOP + BOTTOM + len(rows) * down + sum(captions))
    page, figure = new_page(WIDTH, height)
    _header(page, account, height)
    top = float(height - TOP)
    for row, caption in zip(rows, captions, strict=True):
        for column, view in enumerate(row):
            left = MARGIN + column * (across + SPACE)
            frame = (left, top - down, left + across, top)
            draw_view(page, account.house, view, frame, images)
            _caption(page, account, view, frame)
        top -= down + caption
    page.write(KEY, (MARGIN, 30), WHERE)
    return figure


def batched(views: Sequence[FilmFrame], size: int) -> Iterator[Sequence[FilmFrame]]:
    """Runs of so many; the last may be shorter."""
    for first in range(0, len(views), size):
        yield views[first : first + size]


def one_by_one(all_views: Callable[[str, str], NDArray[np.uint8]]) -> Images:
    """Pictures from a source that gives all 36 views of a viewpoint at once; those of the last few are kept."""
    kept = lru_cache(maxsize=8)(all_views)
    return lambda house, viewpoint, view: kept(house, viewpoint)[view]


def views_of(account: Account) -> list[FilmFrame]:
    """The frames of an episode: one before each action, and what it saw when its time was up."""
    letters = {number: letter for letter, number in requests(account.walk())}
    views = [FilmFrame(step.viewpoint, step.view, step, letters.get(i)) for i, step in enumerate(account.steps)]
    return views if account.stopped else [*views, FilmFrame(*account.last, None, None)]


def show(page: PixelAxes, picture: NDArray[np.uint8], frame: Rectangle) -> None:
    """A picture that fills a frame."""
    left, bottom, right, top = frame
    limits = page.axes.get_xlim(), page.axes.get_ylim()
    page.axes.imshow(picture, extent=(left, right, bottom, top), aspect="auto", interpolation="antialiased", zorder=2)
    page.axes.set_xlim(limits[0])
    page.axes.set_ylim(limits[1])


def draw_view(page: PixelAxes, house: House, view: FilmFrame, frame: Rectangle, images: Images | None) -> None:
    """What the agent saw: its picture, or a sketch; with a strong border where it asked for help."""
    if images is None:
        draw_sketch(page, house, view.viewpoint, view.view, frame)
    else:
        picture = images(house.name, house.viewpoints[view.viewpoint].id, view.view)
        if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8:
            raise InputError(
                f"house {house.name}: a picture has the shape {picture.shape}; expected (height, width, 3) bytes"
            )
        show(page, picture, frame)
    left, bottom, right, top = frame
    colour, width = (palette.HELP, 3.4) if view.letter else (palette.WALL, 1.0)
    border = Patch((left, bottom), right - left, top - bottom, fill=False, edgecolor=colour, linewidth=width, zorder=6)
    page.axes.add_patch(border)


def looking(view: int) -> str:
    """The direction of a view in words."""
    rise = ("down, ", "", "up, ")[view // HEADINGS] if view // HEADINGS != LEVEL_ROW else ""
    return f"{rise}{compass(view)}"


def shortened(page: PixelAxes, text: str, font: Font, width: float) -> str:
    """`text`, cut where it is wider than `width`."""
    if page.measure(text, font)[0] <= width:
        return text
    while text and page.measure(f"{text} …", font)[0] > width:
        text = text[:-1].rstrip()
    return f"{text} …"


def _caption(page: PixelAxes, account: Account, view: FilmFrame, frame: Rectangle) -> None:
    """The number of the action and what it was, where, and what the advisor said."""
    left, bottom, right, _ = frame
    y = bottom - 24
    if view.step is None:
        page.write("the time is up", (left, y), ACTION)
    else:
        number = f"{view.step.number + 1}"
        page.write(number, (left, y), NUMBER)
        page.write(ACTIONS[view.step.action], (left + page.measure(number, NUMBER)[0] + 9, y), ACTION)
        page.write(final_chance(view.step), (right, y), WHERE, across="right")
    room = account.house.room_of(view.viewpoint)
    if room is not None and room.label != NO_LABEL:
        page.write(f"{room.name}, looking {looking(view.view)}", (left, y - 20), WHERE)
    words = _words(page, view, right - left)
    if words and view.letter is not None:
        badge(page, view.letter, (left + 11, y - 41), LETTER, palette.HELP)
        for line in words:
            page.write(line, (left + 28, y - 45), SAID)
            y -= LINE


def _words(page: PixelAxes, view: FilmFrame, width: float) -> list[str]:
    """What the advisor said, in lines; none where it was not asked."""
    if view.step is None or view.step.said is None:
        return []
    return clipped(page, quoted(view.step.said), SAID, width - 28)


def quoted(said: str) -> str:
    """The advisor's words, or that there were none."""
    return f"“{spoken(said)}”" if said else "help, without words"


def clipped(page: PixelAxes, text: str, font: Font, width: float, most: int = MOST_LINES) -> list[str]:
    """`text` in lines, at most so many."""
    lines = page.wrap(text, font, width)
    return lines if len(lines) <= most else [*lines[: most - 1], f"{lines[most - 1]} …"]


def _header(page: PixelAxes, account: Account, height: int) -> None:
    top = height - 62.0
    page.write(shortened(page, f"{account.end_goal}.", TITLE, WIDTH - 2 * MARGIN), (MARGIN, top), TITLE)
    verdict, rest = outcome(account)
    colour = SUCCESS if account.success else palette.HELP
    page.write(verdict, (MARGIN, top - 34), Font(VERDICT.size, colour, VERDICT.weight))
    page.write(rest, (MARGIN + page.measure(verdict, VERDICT)[0] + 16, top - 34), SUBTITLE)


def outcome(account: Account) -> tuple[str, str]:
    """How it ended, in one word and in a few."""
    parts = [
        f"ended {distance_to_goal(account)}" + ("" if account.stopped else ", out of time"),
        f"{len(account.steps)} of {count(account.time_budget, 'step')}",
        f"asked for help {account.requests} of {count(account.help_budget, 'time')}",
        f"house {account.house.name}",
    ]
    return "Success" if account.success else "Failure", "   ·   ".join(parts)

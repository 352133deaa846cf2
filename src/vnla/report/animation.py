"""An episode as a moving map: where the agent is on the floor plan, what it sees, thinks, is told and does.

    write_animation(follow(rollout, 0, house, task, advisor), Path("episode.gif"), images)

The floor plan is drawn once (`vnla.report.maps`), the walk over it again for every frame. GIF needs nothing else; MP4 needs
the program ffmpeg.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import itertools
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle as Patch
from PIL import Image, ImageColor

from vnla.camera import HEIGHT
from vnla.camera import WIDTH as VIEW_WIDTH
from vnla.common import files
from vnla.common.errors import InputError
from vnla.report import palette
from vnla.report.film import (
    ACTION,
    LETTER,
    SUCCESS,
    WHERE,
    FilmFrame,
    Images,
    clipped,
    draw_view,
    looking,
    outcome,
    quoted,
    views_of,
)
from vnla.report.labels import Font, PixelAxes, badge, new_page
from vnla.report.layout import MARGIN, WIDTH, Panel, arrange
from vnla.report.maps import house_png
from vnla.report.story import ACTIONS, Account, distance_to_goal, place
from vnla.report.walks import draw_walk
from vnla.world.actions import Nav

SIDE = 420
"""Pixels beside the plan for what the agent sees and thinks."""
LOWEST = 760
"""Pixels that this needs from top to bottom."""
ACROSS = 1200
"""Pixels from left to right of the finished film."""
USUAL, LONGER, LAST = 0.8, 2.4, 4.0
"""Seconds that a frame stays: any, one with the advisor's words, the last one."""
RATE = 10
"""Pictures a second of an MP4."""

DRAWN = (palette.PAPER, palette.INK, palette.WALK, palette.HELP, palette.GOAL, SUCCESS, palette.RULE, palette.WALL)
"""Colours of the drawing that a GIF keeps as they are; with them those of the rooms."""

HEADING = Font(22, palette.INK, weight="bold")
NAME = Font(15, palette.INK)
WORDS = Font(17, palette.HELP)
EARLIER = Font(17, palette.QUIET_INK)


class Shot(NamedTuple):
    """A picture and how long it stays, in seconds."""

    picture: Image.Image
    seconds: float


def write_animation(account: Account, path: Path, images: Images | None = None) -> None:
    """Write the moving map of an episode as a GIF or an MP4, whichever the name of the file says."""
    if path.suffix.lower() not in WRITERS:
        raise InputError(f"{path}: an animation is a .gif or an .mp4")
    writer = WRITERS[path.suffix.lower()]
    writer(path, shots(account, images))


def shots(account: Account, images: Images | None = None) -> Iterator[Shot]:
    """The frames of an episode, one before each action and one at the end."""
    plan, panels = _plan(account)
    walk, views = account.walk(), views_of(account)
    for i, view in enumerate(views):
        picture = _shot(account, plan, panels, view, i + 1, images)
        last = i + 1 == len(views)
        yield Shot(picture, LAST if last else LONGER if walk[i].said is not None else USUAL)


def _plan(account: Account) -> tuple[Image.Image, list[Panel]]:
    """The floor plan with the goals and space beside it, and where its storeys lie."""
    drawn = house_png(account.house, goals=account.goals, title=f"{account.end_goal}.", walked_later=True)
    with Image.open(io.BytesIO(drawn)) as image:
        plan = image.convert("RGBA")
    page = Image.new("RGBA", (WIDTH + SIDE, max(plan.height, LOWEST)), palette.PAPER)
    page.paste(plan)
    panels, _ = arrange(account.house, right=WIDTH - MARGIN)
    lifted = page.height - plan.height  # the page's origin is its lower left corner
    return page, [replace(panel, bottom=panel.bottom + lifted) for panel in panels]


def _shot(
    account: Account, plan: Image.Image, panels: list[Panel], view: FilmFrame, steps: int, images: Images | None
) -> Image.Image:
    """The plan with the walk so far and what is beside it."""
    page, figure = new_page(*plan.size)
    for panel in panels:
        draw_walk(page, account.house, panel, account.walk()[:steps], account.goals)
    _side(page, account, view, plan.height, images)
    picture = Image.alpha_composite(plan, overlay(figure)).convert("RGB")
    down = round(plan.height * ACROSS / plan.width / 2) * 2  # video wants even numbers
    return picture.resize((ACROSS, down), Image.Resampling.LANCZOS)


def overlay(figure: Figure) -> Image.Image:
    """What is drawn on a page, on nothing."""
    figure.patch.set_alpha(0)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # type: ignore[no-untyped-call]
    return Image.fromarray(np.asarray(canvas.buffer_rgba()))  # type: ignore[no-untyped-call]


def _side(page: PixelAxes, account: Account, view: FilmFrame, height: int, images: Images | None) -> None:
    """From top to bottom: the view, where that is, the chances of the six actions, the advisor's last words, the end."""
    left, right = WIDTH, WIDTH + SIDE - MARGIN
    top = height - 56.0
    bottom = top - (right - left) * HEIGHT / VIEW_WIDTH
    draw_view(page, account.house, view, (left, bottom, right, top), images)
    where = place(account.house, view.viewpoint)
    y = bottom - 32
    title = f"step {view.step.number + 1} of {account.time_budget}" if view.step else "the time is up"
    page.write(title, (left, y), HEADING)
    page.write(f"{where}, looking {looking(view.view)}", (left, y - 24), WHERE)
    y -= 60
    if view.step is not None:
        when = "after advice" if view.step.said is not None else "without advice"
        page.write(f"its next action, {when}:", (left, y), WHERE)
        y = _bars(page, view.step.final, view.step.action, left, right, y - 24)
    y = _advice(page, account, view, left, right, y - 18)
    if view == views_of(account)[-1]:
        colour = SUCCESS if account.success else palette.HELP
        page.write(outcome(account)[0], (left, y - 40), Font(HEADING.size, colour, HEADING.weight))
        page.write(distance_to_goal(account), (left, y - 64), NAME)


def _bars(page: PixelAxes, chances: tuple[float, ...], action: Nav, left: float, right: float, y: float) -> float:
    """The probability of each action, that of the one taken in the colour of the walk."""
    begin, end = left + 114, right - 52
    for each in Nav:
        taken = each is action
        page.write(ACTIONS[each], (left, y), ACTION if taken else NAME)
        page.axes.add_patch(Patch((begin, y - 1), end - begin, 13, facecolor=palette.RULE, linewidth=0, zorder=3))
        length, colour = (end - begin) * chances[each], palette.WALK if taken else palette.EDGE
        page.axes.add_patch(Patch((begin, y - 1), length, 13, facecolor=colour, linewidth=0, zorder=4))
        page.write(f"{chances[each]:.0%}", (right, y), WHERE, across="right")
        y -= 24
    return y


def _advice(page: PixelAxes, account: Account, view: FilmFrame, left: float, right: float, y: float) -> float:
    """What the advisor said last, and how many requests are left."""
    until = len(account.steps) if view.step is None else view.step.number + 1
    earlier = [each for each in views_of(account)[:until] if each.letter is not None]
    asked = f"help requested {len(earlier)} of {account.help_budget} times"
    page.write(asked, (left, y), WHERE)
    if not earlier or earlier[-1].step is None:
        return y
    last = earlier[-1].step
    badge(page, earlier[-1].letter or "", (left + 12, y - 28), LETTER, palette.HELP)
    font = WORDS if last is view.step else EARLIER
    for line in clipped(page, quoted(last.said or ""), font, right - left - 34):
        y -= 24
        page.write(line, (left + 34, y - 10), font)
    return y - 10


def write_gif(path: Path, film: Iterator[Shot]) -> None:
    """A GIF that repeats."""
    taken = list(film)
    colours = _colours([shot.picture for shot in taken])
    frames = [shot.picture.quantize(palette=colours, dither=Image.Dither.NONE) for shot in taken]
    buffer = io.BytesIO()
    frames[0].save(
        buffer,
        "GIF",
        save_all=True,
        append_images=frames[1:],
        loop=0,
        duration=[round(1000 * each.seconds) for each in taken],
    )
    files.write_bytes(path, buffer.getvalue())


def _colours(pictures: Sequence[Image.Image]) -> Image.Image:
    """256 colours for a whole film: those that everything is drawn in exactly, the others as the pictures need them."""
    drawn = list(dict.fromkeys(ImageColor.getrgb(each) for each in (*DRAWN, *palette.ROOMS.values())))
    small = [picture.reduce(4) for picture in pictures]
    sheet = Image.new("RGB", (small[0].width, sum(each.height for each in small)))
    for i, each in enumerate(small):
        sheet.paste(each, (0, i * small[0].height))
    others = sheet.quantize(256 - len(drawn)).getpalette() or []
    swatch = Image.new("P", (1, 1))
    swatch.putpalette([*(value for colour in drawn for value in colour), *others])
    return swatch


def write_mp4(path: Path, film: Iterator[Shot]) -> None:
    """An MP4 (H.264), made by ffmpeg."""
    program = find_ffmpeg()
    if program is None:
        raise InputError(f"{path}: an MP4 needs ffmpeg, which is not here; pip install imageio-ffmpeg, or make a .gif")
    with tempfile.TemporaryDirectory() as folder:
        made, complaints = Path(folder) / "film.mp4", Path(folder) / "complaints"
        status = _encode(program, film, made, complaints)
        if status or not made.is_file():
            said = complaints.read_text(errors="replace").strip().splitlines()
            raise InputError(f"{path}: {program} failed ({said[-1] if said else f'status {status}'})")
        files.write_bytes(path, made.read_bytes())


def _encode(program: str, film: Iterator[Shot], made: Path, complaints: Path) -> int:
    """Send the film to ffmpeg frame by frame; its exit status."""
    first = next(film)
    size = "x".join(map(str, first.picture.size))
    command = [program, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r", str(RATE)]
    command += ["-i", "-", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(made)]
    with complaints.open("wb") as errors:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=errors)
    assert process.stdin is not None
    try:
        with contextlib.suppress(BrokenPipeError), process.stdin as pipe:  # broken where it has given up, and says why
            for shot in itertools.chain([first], film):
                for _ in range(max(1, round(RATE * shot.seconds))):
                    pipe.write(shot.picture.tobytes())
    finally:
        process.wait()
    return process.returncode


def find_ffmpeg() -> str | None:
    """The program, from the package imageio-ffmpeg or from the system."""
    try:
        found: str = importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe()
        return found
    except (ImportError, RuntimeError):
        return shutil.which("ffmpeg")


WRITERS: dict[str, Callable[[Path, Iterator[Shot]], None]] = {".gif": write_gif, ".mp4": write_mp4}

"""What happens in a house, drawn over its floor plan: the walk, the goals, the requests for help and the key to it all."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from matplotlib.patches import FancyArrowPatch, Wedge

from vnla.camera import HALF_FIELD, HEADINGS, TURN
from vnla.houses.house import House
from vnla.houses.rooms import NO_LABEL
from vnla.report import palette
from vnla.report.labels import XY, Font, ObstacleKind, PixelAxes, Rectangle, around, badge
from vnla.report.layout import Panel, stub
from vnla.report.plan import Step, requests, spoken, visits

LANE = 5.0
"""How far, in pixels, a line keeps to its right when the same edge is walked more than once."""
SIGHT = 46.0
"""Length in pixels of the fan that shows where the agent looks."""

NUMBER = Font(12.5, "white", weight="bold")
LETTER = Font(12.5, "white", weight="bold")
HEADING = Font(18, palette.INK, weight="bold")
WHERE = Font(13.5, palette.QUIET_INK)
WORDS = Font(16, palette.INK)
KEY = Font(13.5, palette.QUIET_INK)


def draw_goals(page: PixelAxes, house: House, panel: Panel, goals: Sequence[int]) -> None:
    """A star on each goal of the storey."""
    for i in sorted(set(goals) & set(panel.storey.viewpoints)):
        at = panel.at(house.viewpoints[i].position)
        _star(page, at)
        page.take([around(at, 34, 34)], ObstacleKind.MARK)


def draw_walk(page: PixelAxes, house: House, panel: Panel, walk: Sequence[Step], goals: Sequence[int]) -> None:
    """The part of a walk that is on the storey: lines with arrows, numbers where it stood, letters where it asked."""
    stays = visits(walk)
    here = set(panel.storey.viewpoints)
    times = Counter(frozenset((a.viewpoint, b.viewpoint)) for a, b in pairwise(stays))
    for a, b in pairwise(stays):
        lane = LANE if times[frozenset((a.viewpoint, b.viewpoint))] > 1 else 0.0
        start, end = (panel.at(house.viewpoints[stay.viewpoint].position) for stay in (a, b))
        if a.viewpoint in here and b.viewpoint in here:
            _arrow(page, start, end, lane)
        elif a.viewpoint in here:
            _arrow(page, start, stub(start, end), lane, to_other_storey=True)
        elif b.viewpoint in here:
            _arrow(page, stub(end, start), end, lane, to_other_storey=True)
    stands = sorted({stay.viewpoint for stay in stays} & here)
    for i in stands:
        at = panel.at(house.viewpoints[i].position)
        _stand(page, at, [stay.number for stay in stays if stay.viewpoint == i], below=i in goals)
    for i in stands:
        asked = [letter for letter, number in requests(walk) if walk[number].viewpoint == i]
        if asked:
            _ask(page, panel.at(house.viewpoints[i].position), asked)
    for step, fan in ((walk[0], 0.16), (walk[-1], 0.3)):
        if step.viewpoint in here:
            _sight(page, panel.at(house.viewpoints[step.viewpoint].position), step.view, fan)


def draw_requests(page: PixelAxes, house: House, walk: Sequence[Step], side: Rectangle) -> None:
    """The list of what the advisor said, beside the plan."""
    left, bottom, right, top = side
    page.axes.plot([left - 28] * 2, [bottom, top - 8], color=palette.RULE, linewidth=1)
    y = top - 30.0
    page.write("The advisor said", (left, y), HEADING)
    letters = requests(walk)
    if not letters:
        page.write("Help was not requested.", (left, y - 34), WHERE)
    for done, (letter, number) in enumerate(letters):
        lines = page.wrap(f"“{spoken(walk[number].said)}”", WORDS, right - left - 36)
        if y - 66 - 22 * len(lines) < bottom:
            page.write(f"and {len(letters) - done} more", (left + 36, y - 40), WHERE)
            break
        y -= 44
        _badge(page, letter, (left + 12, y + 4), LETTER, palette.HELP)
        page.write(_where(house, walk[number], number), (left + 36, y), WHERE)
        for line in lines:
            y -= 22
            page.write(line, (left + 36, y - 2), WORDS)


def draw_key(page: PixelAxes, at: XY, panels: Sequence[Panel], walked: bool, with_goals: bool) -> None:
    """Scale bar, north arrow and what the marks mean, in one line."""
    x, y = at
    scale = panels[0].scale
    metres = 1 if scale > 70 else 2 if scale > 30 else 5
    x = _scale_bar(page, (x, y), metres * scale, f"{metres} m") + 46
    page.axes.annotate("", (x, y + 15), (x, y - 13), arrowprops={"arrowstyle": "-|>", "color": palette.QUIET_INK, "lw": 1.3})
    page.write("N", (x + 11, y - 5), KEY)
    x = _key_mark(page, x + 62, y, "viewpoint", marker="o", color=palette.DOT, markersize=5)
    if len(panels) > 1:
        x = _key_mark(page, x, y, "stairs up", marker="^", color=palette.QUIET_INK, markersize=6)
        x = _key_mark(page, x, y, "stairs down", marker="v", color=palette.QUIET_INK, markersize=6)
    if walked:
        _badge(page, "7", (x, y), NUMBER, palette.WALK)
        x = _key_text(page, x + 20, y, "walk, with the actions taken so far")
        _badge(page, "A", (x, y), LETTER, palette.HELP)
        x = _key_text(page, x + 20, y, "help requested")
    if with_goals:
        _star(page, (x, y), size=15)
        _key_text(page, x + 20, y, "goal")


def _arrow(page: PixelAxes, start: XY, end: XY, lane: float, to_other_storey: bool = False) -> None:
    length = max(1e-6, math.dist(start, end))
    across = ((end[1] - start[1]) / length * lane, -(end[0] - start[0]) / length * lane)
    start, end = ((x + across[0], y + across[1]) for x, y in (start, end))
    page.axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>",
            mutation_scale=15,
            shrinkA=7,
            shrinkB=9,
            color=palette.WALK,
            linewidth=2.6,
            linestyle=(0, (2.2, 1.4)) if to_other_storey else "solid",
            joinstyle="miter",
            zorder=6,
        )
    )
    page.take_line(start, end, 8, ObstacleKind.MARK)


def _badge(page: PixelAxes, text: str, at: XY, font: Font, colour: str) -> None:
    badge(page, text, at, font, colour, pad=0.32)
    page.take([_badge_size(page, text, at, font)], ObstacleKind.TEXT)


def _badge_size(page: PixelAxes, text: str, at: XY, font: Font, margin: float = 0) -> Rectangle:
    return around(at, max(page.measure(text, font)[0], 10) + 14 + margin, 26 + margin)


def _stand(page: PixelAxes, at: XY, numbers: Sequence[int], below: bool) -> None:
    """When the agent stood here; a dot alone where the number would cover another one."""
    if below:  # there is a star
        at = (at[0], at[1] - 25)
    text = _some([str(number) if number else "start" for number in numbers])
    if page.is_free(_badge_size(page, text, at, NUMBER), [ObstacleKind.TEXT]):
        _badge(page, text, at, NUMBER, palette.WALK)
    else:
        page.axes.plot(*at, "o", color=palette.WALK, markersize=8, markeredgecolor="white", zorder=7)


def _ask(page: PixelAxes, at: XY, letters: Sequence[str]) -> None:
    text = _some(letters)
    spots = [(at[0] + x, at[1] + y) for x, y in ((18, 22), (-18, 22), (18, -22), (-18, -22), (0, 28), (0, -28))]
    sizes = {spot: _badge_size(page, text, spot, LETTER, margin=-8) for spot in spots}
    off_texts = [spot for spot in spots if page.is_free(sizes[spot], [ObstacleKind.TEXT])]
    off_path = [spot for spot in off_texts if page.is_free(sizes[spot], [ObstacleKind.MARK])]
    _badge(page, text, (off_path or off_texts or spots)[0], LETTER, palette.HELP)


def _some(texts: Sequence[str]) -> str:
    return ", ".join(texts) if len(texts) < 3 else f"{texts[0]}, {texts[1]} …"


def _star(page: PixelAxes, at: XY, size: float = 22) -> None:
    page.axes.plot(*at, "*", markersize=size, color=palette.GOAL, markeredgecolor=palette.INK, markeredgewidth=0.9, zorder=7)


def _sight(page: PixelAxes, at: XY, view: int, opacity: float) -> None:
    """A fan as wide as the field of view; heading 0 is north and grows clockwise."""
    middle, half = 90 - math.degrees(TURN) * (view % HEADINGS), math.degrees(HALF_FIELD)
    page.axes.add_patch(Wedge(at, SIGHT, middle - half, middle + half, color=palette.WALK, alpha=opacity, lw=0, zorder=5))


def _where(house: House, step: Step, number: int) -> str:
    room = house.room_of(step.viewpoint)
    when = f"after {number} action{'' if number == 1 else 's'}" if number else "at the start"
    return f"{when}, {room.name}" if room and room.label != NO_LABEL else when


def _scale_bar(page: PixelAxes, at: XY, length: float, text: str) -> float:
    x, y = at
    xs, ys = [x, x, x + length, x + length], [y + 5, y - 5, y - 5, y + 5]
    page.axes.plot(xs, ys, color=palette.QUIET_INK, linewidth=1.4)
    page.write(text, (x + length + 10, y - 5), KEY)
    return x + length + 10 + page.measure(text, KEY)[0]


def _key_mark(page: PixelAxes, x: float, y: float, text: str, **marker: object) -> float:
    page.axes.plot([x], [y], linestyle="none", **marker)  # type: ignore[arg-type]
    return _key_text(page, x + 14, y, text)


def _key_text(page: PixelAxes, x: float, y: float, text: str) -> float:
    page.write(text, (x, y - 5), KEY)
    return x + page.measure(text, KEY)[0] + 34

"""Text on a picture that never runs into anything: a label takes the first of its places that is free, or is left out."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from vnla.report import palette

XY = tuple[float, float]
Rectangle = tuple[float, float, float, float]
"""Left, bottom, right and top, in pixels."""

POINTS = 0.72
"""Points in a pixel: pictures are made at 100 dots an inch."""

FAMILY = "DejaVu Sans"
"""Comes with Matplotlib, so that a picture looks the same on every machine."""


class ObstacleKind(Enum):
    """What takes a place. A text may run over a thin line if it must, never over a mark or another text."""

    LINE = 0
    MARK = 1
    TEXT = 2


@dataclass(frozen=True, slots=True)
class Font:
    """How a text is written; `size` in pixels."""

    size: float
    colour: str
    weight: str = "normal"
    halo: str | None = None

    @property
    def properties(self) -> FontProperties:
        """The same in Matplotlib's words."""
        return FontProperties(family=FAMILY, size=self.size * POINTS, weight=self.weight)


class PixelAxes:
    """Axes whose unit is the pixel, and what is taken on them."""

    def __init__(self, axes: Axes, renderer: RendererAgg) -> None:
        self.axes = axes
        self._renderer = renderer
        self._taken: dict[ObstacleKind, NDArray[np.float64]] = {kind: np.empty((0, 4)) for kind in ObstacleKind}

    def measure(self, text: str, font: Font) -> XY:
        """Width and height of a text of one or more lines."""
        lines = text.split("\n")
        widths = [self._line_width(line, font) for line in lines]
        return max(widths), font.size * (1.2 * len(lines) - 0.1)

    def _line_width(self, line: str, font: Font) -> float:
        width: float = self._renderer.get_text_width_height_descent(line, font.properties, False)[0]  # type: ignore[no-untyped-call]
        return width

    def wrap(self, text: str, font: Font, width: float) -> list[str]:
        """`text` in lines that are no wider than `width`, broken at spaces."""
        lines = [""]
        for word in text.split():
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and self.measure(longer, font)[0] > width:
                lines.append(word)
            else:
                lines[-1] = longer
        return lines

    def write(
        self, text: str, at: XY, font: Font, across: str = "left", down: str = "baseline", turned: bool = False
    ) -> None:
        """Write at a place regardless of what is there."""
        self.axes.text(
            *at,
            text,
            fontproperties=font.properties,
            color=font.colour,
            ha=across,
            va=down,
            rotation=90 if turned else 0,
            multialignment="left",
            linespacing=1.15,
            parse_math=False,  # a "$" in somebody's label is a dollar
            path_effects=[withStroke(linewidth=2.4, foreground=font.halo)] if font.halo else [],
            zorder=9,
        )

    def take(self, rectangles: Iterable[Rectangle], kind: ObstacleKind) -> None:
        """Keep labels off these rectangles."""
        self._taken[kind] = np.vstack([self._taken[kind], *([each] for each in rectangles)])

    def take_line(self, start: XY, end: XY, width: float, kind: ObstacleKind = ObstacleKind.LINE) -> None:
        """Keep labels off a line."""
        pieces = max(2, int(np.hypot(end[0] - start[0], end[1] - start[1]) / width) + 1)
        xs, ys = np.linspace(start[0], end[0], pieces), np.linspace(start[1], end[1], pieces)
        self.take((around((float(x), float(y)), width, width) for x, y in zip(xs, ys, strict=True)), kind)

    def take_outline(self, corners: Sequence[XY]) -> None:
        """Keep labels off the border of a shape; its inside stays free."""
        for start, end in zip(corners, [*corners[1:], *corners[:1]], strict=True):
            self.take_line(start, end, 3)

    def is_free(self, rectangle: Rectangle, kinds: Iterable[ObstacleKind] = tuple(ObstacleKind)) -> bool:
        """Whether nothing of those kinds overlaps `rectangle`."""
        left, bottom, right, top = rectangle
        taken = np.vstack([self._taken[kind] for kind in kinds])
        clear = (taken[:, 2] <= left) | (taken[:, 0] >= right) | (taken[:, 3] <= bottom) | (taken[:, 1] >= top)
        return bool(clear.all())

    def place(
        self,
        text: str,
        spots: Sequence[XY],
        font: Font,
        within: Rectangle,
        turned: bool = False,
        kinds: Iterable[ObstacleKind] = tuple(ObstacleKind),
    ) -> bool:
        """Write `text` centred on the first spot where it touches none of `kinds` and stays `within`; False if none is."""
        width, height = self.measure(text, font)
        if turned:
            width, height = height, width
        for spot in spots:
            rectangle = around(spot, width + 4, height + 2)
            if holds(within, rectangle) and self.is_free(rectangle, kinds):
                self.write(text, spot, font, "center", "center", turned)
                self.take([rectangle], ObstacleKind.TEXT)
                return True
        return False


def around(centre: XY, width: float, height: float) -> Rectangle:
    """The rectangle of that size about `centre`."""
    x, y = centre
    return (x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def grown(rectangle: Rectangle, margin: float) -> Rectangle:
    """`rectangle` with a margin on every side."""
    left, bottom, right, top = rectangle
    return (left - margin, bottom - margin, right + margin, top + margin)


def holds(outer: Rectangle, inner: Rectangle) -> bool:
    """Whether `inner` lies in `outer`."""
    return outer[0] <= inner[0] and outer[1] <= inner[1] and inner[2] <= outer[2] and inner[3] <= outer[3]


def new_page(width: int, height: int) -> tuple[PixelAxes, Figure]:
    """Return an empty page of that many pixels."""
    figure = Figure(figsize=(width / 100, height / 100), dpi=100)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    return PixelAxes(axes, canvas.get_renderer()), figure  # type: ignore[no-untyped-call]


def png(figure: Figure) -> bytes:
    """Return the page as a PNG file."""
    return _saved(figure, format="png", metadata={"Software": "vnla"})


def jpeg(figure: Figure) -> bytes:
    """Return the page as a JPEG file, which is much smaller than a PNG where there are pictures on it."""
    return _saved(figure, format="jpeg", pil_kwargs={"quality": 85})


def _saved(figure: Figure, **options: Any) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, facecolor=palette.PAPER, **options)
    return buffer.getvalue()


def badge(page: PixelAxes, text: str, at: XY, font: Font, colour: str, pad: float = 0.3) -> None:
    """Write a letter or number on a coloured button."""
    box = {"boxstyle": f"round,pad={pad},rounding_size=0.8", "facecolor": colour, "edgecolor": "white", "linewidth": 1.2}
    page.axes.text(
        *at, text, fontproperties=font.properties, color=font.colour, ha="center", va="center_baseline", bbox=box, zorder=8
    )

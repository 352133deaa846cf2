"""The look that all charts of a report share: paper, ink, quiet axes, series that differ in mark as well as in colour."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping
from itertools import cycle
from typing import Any, NamedTuple, TypeVar

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from vnla.evaluation.confidence import Interval
from vnla.report import palette

DOTS = 160
LABEL = 9.5
"""Size of the names of axes, in points."""

Content = TypeVar("Content")


class LineStyle(NamedTuple):
    """How a series is drawn."""

    colour: str
    mark: str
    line: str | tuple[int, tuple[float, ...]]


STYLES = (
    LineStyle(palette.SEEN, "o", "-"),
    LineStyle(palette.UNSEEN, "s", "--"),
    LineStyle("#3a8f7b", "^", "-."),
    LineStyle("#7b5ea7", "D", ":"),
    LineStyle(palette.INK, "v", (0, (6, 1.5, 1, 1.5, 1, 1.5))),
    LineStyle(palette.WALL, "X", (0, (1, 1))),
)


def styled(series: Mapping[str, Content]) -> Iterator[tuple[str, Content, LineStyle]]:
    """Each series with its name and its style."""
    for (name, content), style in zip(series.items(), cycle(STYLES), strict=False):
        yield name, content, style


def new_canvas(width: float, height: float) -> Figure:
    """An empty figure of so many inches."""
    canvas = Figure(figsize=(width, height), facecolor=palette.PAPER, layout="constrained")
    FigureCanvasAgg(canvas)
    return canvas


def finish(axes: Axes, x: str, y: str, *, percent: bool = True, legend: bool = True) -> None:
    """Names of the axes, grid, and a key where there are several series."""
    tidy(axes)
    axes.set_xlabel(x, fontsize=LABEL, color=palette.INK)
    axes.set_ylabel(y, fontsize=LABEL, color=palette.INK)
    axes.grid(axis="y", color=palette.RULE, linewidth=0.8)
    if percent:
        in_percent(axes.yaxis)
    if legend and len(axes.get_legend_handles_labels()[1]) > 1:
        axes.legend(frameon=False, fontsize=8.5, labelcolor=palette.INK)


def in_percent(axis: Axis) -> None:
    """Percents along an axis that has them as numbers, with as many digits as tell them apart."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}%"))
    axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))


def tidy(axes: Axes) -> None:
    """Two quiet axes and no ticks."""
    axes.set_facecolor(palette.PAPER)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8.5, length=0, colors=palette.INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(palette.WALL)


def png(canvas: Figure) -> bytes:
    """The figure as a PNG file; the same figure is always the same file."""
    buffer = io.BytesIO()
    canvas.savefig(buffer, format="png", dpi=DOTS, metadata={"Software": "vnla"})
    return buffer.getvalue()


def svg(canvas: Figure) -> bytes:
    """The figure as an SVG file, which prints sharply at any size."""
    buffer = io.BytesIO()
    with rc_context({"svg.hashsalt": "vnla"}):  # the same figure is always the same file
        canvas.savefig(buffer, format="svg", metadata={"Date": None, "Creator": "vnla"})
    return buffer.getvalue()


def margins(found: Interval) -> tuple[float, float]:
    """Return how far an interval reaches below and above; not at all where there is none."""
    sides = (found.value - found.low, found.high - found.value)
    below, above = (max(0.0, side) if math.isfinite(side) else 0.0 for side in sides)
    return below, above


def dot(axes: Axes, at: float, found: Interval, colour: str, *, upright: bool = False, mark: str = "o") -> None:
    """Draw a value with its interval: in the line `at`, or upright in the column `at`."""
    x, y, bars = (at, found.value, "yerr") if upright else (found.value, at, "xerr")
    bar: dict[str, Any] = {bars: [[side] for side in margins(found)]}
    axes.errorbar(x, y, **bar, fmt=mark, markersize=5, capsize=2.5, elinewidth=1.1, color=colour)

"""Success against requests over τ, as a figure with a band for the 95% interval of each point."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from vnla.evaluation.confidence import Interval
from vnla.experiments.benchmark.board.listed import BoardPart, ListedEntry
from vnla.experiments.benchmark.definition import COMMON, FRESH
from vnla.experiments.benchmark.figures import CurvePoint
from vnla.report import palette
from vnla.report.charts import STYLES, finish, new_canvas, styled, svg
from vnla.report.document import Figure

LONGEST_LABEL = 32
REFERENCE = "#77726a"
"""Colour of reference lines."""

Curves = Mapping[str, Sequence[CurvePoint]]


def part_figures(part: BoardPart) -> list[Figure]:
    """Return the figures of a part: in each as many entries as there are styles, and all reference lines."""
    letters, everybody = part.letters(), part.compared()
    references = {_label(f"reference {number}", each): _drawn(each) for number, each in enumerate(part.references, start=1)}
    shown = [everybody[first : first + len(STYLES)] for first in range(0, len(everybody), len(STYLES))] or [()]
    figures = []
    for number, entries in enumerate(shown, start=1):
        curves = {_label(letters[each.page], each): _drawn(each) for each in entries}
        some = f" ({number} of {len(shown)})" if len(shown) > 1 else ""
        name = f"curves-{part.slug}-{number}"
        figures.append(_figure(name, f"{part.title}: success against requests{some}", curves, references))
    return figures


def entry_figure(entry: ListedEntry) -> Figure:
    """Return the figure of one entry, in both sets of houses."""
    curves = {f"{houses} houses": entry.curve(houses) for houses in (FRESH, COMMON) if houses in entry.sets}
    return _figure("curves", "Success against requests", curves, {})


def _figure(name: str, title: str, curves: Curves, references: Curves) -> Figure:
    canvas = new_canvas(7.6, 4.2)
    axes = canvas.add_subplot()
    for label, points, style in styled(curves):
        x, y = [each.requests.value for each in points], [each.success.value for each in points]
        low, high = zip(*(_band(each.success) for each in points), strict=True)
        axes.fill_between(x, low, high, color=style.colour, alpha=0.13, linewidth=0)
        axes.plot(x, y, color=style.colour, marker=style.mark, ms=5, linestyle=style.line, linewidth=1.6, label=label)
    for label, points in references.items():
        x, y = [each.requests.value for each in points], [each.success.value for each in points]
        axes.plot(x, y, color=REFERENCE, linestyle=(0, (1, 2)), linewidth=1.2, marker="|", label=label)
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    finish(axes, "requests an episode", "success rate")
    if axes.legend_ is not None:
        for text in axes.legend_.get_texts():
            text.set_parse_math(False)  # a "$" in an entry's name is a dollar
            text.set_color(palette.INK)
    return Figure(
        name, title, svg(canvas), alt=_in_words({**curves, **references}),
        caption="Each point is a τ of the help budgets, from 0 at the left; bands are 95% intervals over houses of the"
        " success rate. The table below has every number.",
    )  # fmt: skip


def _drawn(entry: ListedEntry) -> tuple[CurvePoint, ...]:
    """Return the curve in fresh houses, in the common ones of a reference line that was nowhere else."""
    return entry.curve(FRESH) or entry.curve(COMMON)


def _label(before: str, entry: ListedEntry) -> str:
    """Return a label that no other entry of the figure has, and that the key does not leave out."""
    name = entry.name if len(entry.name) <= LONGEST_LABEL else f"{entry.name[: LONGEST_LABEL - 1]}…"
    return f"{before}: {name}"


def _band(found: Interval) -> tuple[float, float]:
    """Return the bounds of an interval; where there is none the band has no width."""
    return (found.low, found.high) if math.isfinite(found.low) else (found.value, found.value)


def _in_words(curves: Curves) -> str:
    words = [
        f"{label}: from {points[0].success.value:.1f}% with {points[0].requests.value:.1f} requests to"
        f" {points[-1].success.value:.1f}% with {points[-1].requests.value:.1f}"
        for label, points in curves.items()
    ]
    return f"Success rate against requests an episode. {'; '.join(words)}."

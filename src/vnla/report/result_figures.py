"""The figures of results: when agents ask, on what they succeed, what help is worth, how training went.

    requests_figure({"Test seen": requests_over_time(seen), "Test unseen": requests_over_time(unseen)})

Each is a pure function from what was counted (`vnla.evaluation.breakdown`) to a `Figure`: a PNG, its data, and words for
those who do not see it. They follow the appendix ("Qualitative Analysis": fig:request_dist, fig:success_len,
fig:success_obj, fig:success_room); what help is worth and the training curves are not in the paper.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from vnla.evaluation.breakdown import FREQUENT, TOP, SubsetShare, best_and_worst
from vnla.evaluation.confidence import Interval
from vnla.evaluation.metrics import METRICS
from vnla.evaluation.sweep import SweepRow
from vnla.report import palette
from vnla.report.charts import LABEL, LineStyle, dot, finish, in_percent, margins, new_canvas, png, styled, tidy
from vnla.report.curves import TrainingCurves
from vnla.report.document import Figure, Value

Series = Mapping[str, Sequence[SubsetShare]]
"""Name of a split or of an agent → its parts, the same labels in each."""

BESIDE = 0.06
"""How far the points of one series keep from those of the next, so that error bars do not cover each other."""
SMOOTHED = 20
"""Reports of the loss that are averaged into one point of its curve."""


def requests_figure(series: Series, name: str = "figure-requests") -> Figure:
    """Which share of all requests is made in each part of an episode's time."""
    canvas = new_canvas(7.2, 3.7)
    axes = canvas.add_subplot()
    for place, (label, parts, style) in enumerate(styled(series)):
        _points(axes, np.arange(len(parts)) + BESIDE * place, parts, style, label)
    labels = [part.label for part in next(iter(series.values()))]
    axes.set_xticks(range(len(labels)), labels)
    _from_zero(axes)
    if not any(math.isfinite(part.share.value) for parts in series.values() for part in parts):
        axes.text(0.5, 0.5, "help was never requested", ha="center", transform=axes.transAxes, color=palette.QUIET_INK)
    finish(axes, "time, from the first action to the last", "share of requests")
    most = [f"{label}: {_peak(parts)}" for label, parts in series.items()]
    return Figure(
        name, "Requests over time", png(canvas),
        alt=f"Share of help requests in each part of an episode. {' '.join(most)}",
        caption="Share of all help requests that are made in each part of an episode's time, with 95% intervals over tasks"
        " in the same houses.",
        data=_data(series),
    )  # fmt: skip


def success_figure(splits: Mapping[str, Mapping[str, Interval]], name: str = "figure-success") -> Figure:
    """How often each of several agents succeeds on each split: bars, with an interval on each."""
    canvas = new_canvas(7.2, 3.7)
    axes = canvas.add_subplot()
    width = 0.8 / len(splits)
    for place, (label, rates, style) in enumerate(styled(splits)):
        at = np.arange(len(rates)) + width * (place - (len(splits) - 1) / 2)
        axes.bar(at, [rate.value for rate in rates.values()], width, color=style.colour, label=label)
        for x, rate in zip(at, rates.values(), strict=True):
            dot(axes, x, rate, palette.INK, upright=True, mark="none")
            axes.annotate(f"{rate.value:.0f}", (x, 1.0), ha="center", fontsize=8, color=palette.PAPER)
    names = list(next(iter(splits.values())))
    axes.set_xticks(range(len(names)), names)
    finish(axes, "", "success rate")
    over = " and ".join(dict.fromkeys(rate.over for rates in splits.values() for rate in rates.values()))
    words = [
        f"{label}: {', '.join(f'{each} {rate.value:.1f}%' for each, rate in rates.items())}."
        for label, rates in splits.items()
    ]
    return Figure(
        name, "How often each help policy succeeds", png(canvas),
        alt=f"Success rates of agents under different help policies. {' '.join(words)}",
        caption=f"Success rates. Lines are 95% intervals over {over}: they say what other tasks in the same"
        " houses would give, with the same trainings.",
        data={label: {each: rate.as_dict() for each, rate in rates.items()} for label, rates in splits.items()},
    )  # fmt: skip


def lengths_figure(by_teacher: Series, by_agent: Series, name: str = "figure-lengths") -> Figure:
    """Success against the number of actions: of the navigation teacher, and of the agent."""
    canvas = new_canvas(9.2, 3.7)
    panels = {"actions of the navigation teacher": by_teacher, "actions of the agent": by_agent}
    first: Axes | None = None
    for number, (title, series) in enumerate(panels.items(), start=1):
        axes = first = canvas.add_subplot(1, 2, number, sharey=first)
        _length_panel(axes, series)
        finish(axes, title, "success rate" if number == 1 else "", legend=number == 1)
    _from_zero(axes)  # of both: it is shared
    words = [f"By {title}: {_in_words(series)}" for title, series in panels.items()]
    return Figure(
        name, "Success against the length of the way", png(canvas),
        alt=f"Success rate by number of actions. {' '.join(words)}",
        caption="Success rate by the number of actions of the navigation teacher (left) and of the agent (right), the final"
        " stop included, with 95% intervals over tasks in the same houses.",
        data={"teacher": _data(by_teacher), "agent": _data(by_agent)},
    )  # fmt: skip


def _length_panel(axes: Axes, series: Series) -> None:
    """Buckets that any series has, in order; a series may lack some."""
    labels = sorted({part.label for parts in series.values() for part in parts}, key=lambda label: int(label.split("–")[0]))
    for place, (label, parts, style) in enumerate(styled(series)):
        x = np.array([labels.index(part.label) + BESIDE * place for part in parts])
        _points(axes, x, parts, style, label)
    axes.set_xticks(range(len(labels)), labels)
    axes.set_xlim(-0.4, len(labels) - 0.4)


def best_and_worst_figure(
    series: Series, what: str, *, top: int = TOP, more_than: int = FREQUENT, name: str | None = None
) -> Figure:
    """The objects, or goal rooms, on which agents succeed most and least often; `what` names them in the plural."""
    chosen = {label: best_and_worst(parts, top, more_than) for label, parts in series.items()}
    lines = max((len(best) + len(worst) for best, worst in chosen.values()), default=1)
    canvas = new_canvas(4.6 * max(1, len(chosen)), 1.25 + 0.27 * (lines + 1))
    first: Axes | None = None
    for number, (label, (best, worst)) in enumerate(chosen.items(), start=1):
        axes = first = canvas.add_subplot(1, len(chosen), number, sharex=first)
        _bars(axes, best, worst, top)
        axes.set_title(label, loc="left", fontsize=10.5, fontweight="bold", color=palette.INK)
    words = [f"{label}: {_ends(best, worst)}" for label, (best, worst) in chosen.items()]
    return Figure(
        name or f"figure-{what.replace(' ', '-')}",
        f"{what.capitalize()} with the highest and lowest success rates",
        png(canvas),
        alt=f"Success rates by {what}. {' '.join(words)}",
        caption=f"The {top} {what} with the highest success rates and the {top} with the lowest, of those of more than"
        f" {more_than:,} task{'' if more_than == 1 else 's'}; in parentheses the number of tasks, with 95% intervals over"
        " tasks in the same houses.",
        data={"more_than": more_than, **_data({label: [*best, *worst] for label, (best, worst) in chosen.items()})},
    )  # fmt: skip


def _bars(axes: Axes, best: Sequence[SubsetShare], worst: Sequence[SubsetShare], top: int) -> None:
    """Horizontal bars: the best, a gap, the worst."""
    if not best:
        axes.text(
            0.5, 0.5, "none is frequent enough", ha="center", va="center", transform=axes.transAxes, color=palette.QUIET_INK
        )
        axes.set_axis_off()
        return
    for parts, first, colour in ((best, 0.0, palette.SEEN), (worst, top + 0.6, palette.UNSEEN)):
        y = first + np.arange(len(parts))
        shares = [part.share.value for part in parts]
        axes.barh(y, shares, color=colour, height=0.7, alpha=0.85)
        axes.errorbar(shares, y, xerr=_margins(parts), fmt="none", ecolor=palette.INK, elinewidth=1, capsize=2)
    parts = [*best, *worst]
    places = [*range(len(best)), *(top + 0.6 + np.arange(len(worst)))]
    axes.set_yticks(places, [f"{part.label} ({part.tasks:,})" for part in parts])
    axes.set_ylim(max(places) + 0.6, -0.6)
    in_percent(axes.xaxis)
    tidy(axes)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("success rate", fontsize=LABEL, color=palette.INK)


def help_figure(series: Mapping[str, Sequence[SweepRow]], metric: str = "success_rate", name: str = "figure-help") -> Figure:
    """A figure of agents that were evaluated with more and less help: a line each, a point for each ratio τ."""
    canvas = new_canvas(7.2, 4.0)
    axes = canvas.add_subplot()
    for label, rows, style in styled(series):
        _help_line(axes, sorted(rows, key=lambda row: row.ratio), metric, style, label)
    unit, what = METRICS[metric].unit, metric.replace("_", " ")
    finish(axes, "requests an episode (numbers at the points: τ)", what, percent=unit == "%")
    axes.set_xlim(left=-0.03 * axes.get_xlim()[1])
    words = [f"{label}: {_help_in_words(rows, metric)}" for label, rows in series.items()]
    return Figure(
        name, f"{what.removesuffix(' rate').capitalize()} against help", png(canvas),
        alt=f"{what.capitalize()} against the number of requests an episode. {' '.join(words)}",
        caption=f"{what.capitalize()} of the same agent with more or less help: τ is the share of the time in which it"
        " receives assistance. Bands are 95% intervals over the seeds of the help budgets.",
        data={label: [row.as_dict() for row in rows] for label, rows in series.items()},
    )  # fmt: skip


def _help_line(axes: Axes, rows: Sequence[SweepRow], metric: str, style: LineStyle, label: str) -> None:
    x = [row.figures["requests"].mean for row in rows]
    y = np.array([row.figures[metric].mean for row in rows])
    margin = np.nan_to_num([row.figures[metric].margin for row in rows])
    axes.fill_between(x, y - margin, y + margin, color=style.colour, alpha=0.18, linewidth=0)
    axes.plot(x, y, color=style.colour, marker=style.mark, linestyle=style.line, linewidth=1.8, markersize=5, label=label)
    for row, at in zip(rows, zip(x, y, strict=True), strict=True):
        axes.annotate(f"{row.ratio:g}", at, (0, 7), textcoords="offset points", ha="center", fontsize=8, color=style.colour)


def training_figure(runs: Mapping[str, TrainingCurves], name: str = "figure-training") -> Figure:
    """The navigation loss and the success on the validation splits in the course of training."""
    canvas = new_canvas(9.2, 3.7)
    loss = canvas.add_subplot(1, 2, 1)
    success = canvas.add_subplot(1, 2, 2, sharex=loss)
    for label, curves, (colour, mark, _) in styled(runs):
        loss.plot(curves.iterations, curves.nav_loss, color=colour, linewidth=0.6, alpha=0.3)
        loss.plot(*_smooth(curves.iterations, curves.nav_loss), color=colour, linewidth=1.8, label=label)
        for split, rates in curves.success.items():
            line = "--" if "unseen" in split else "-"
            success.plot(curves.validations, rates, color=colour, marker=mark, markersize=4, linestyle=line, linewidth=1.6)
    finish(loss, "iterations", "navigation loss", percent=False)
    for split, line in (("seen houses", "-"), ("unseen houses", "--")):
        success.plot([], [], color=palette.INK, linestyle=line, label=split)
    finish(success, "iterations", "success on validation tasks")
    _from_zero(success)
    loss.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    loss.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    words = [f"{label}: {_training_in_words(curves)}" for label, curves in runs.items()]
    return Figure(
        name, "The course of training", png(canvas),
        alt=f"Navigation loss and validation success over iterations. {' '.join(words)}",
        caption="Left: the navigation loss, summed over an episode's steps, as reported and smoothed. Right: success on the"
        " validation tasks in seen and unseen houses.",
        data={
            label: {
                "iterations": curves.iterations, "nav_loss": curves.nav_loss,
                "validations": curves.validations, "success": curves.success,
            }
            for label, curves in runs.items()
        },
    )  # fmt: skip


def _from_zero(axes: Axes) -> None:
    """An axis of shares: from nothing to what there is, at least one per cent."""
    axes.set_ylim(0, max(1.0, min(105.0, axes.get_ylim()[1])))


def _smooth(x: Sequence[int], y: Sequence[float]) -> tuple[Sequence[int], list[float]]:
    """The mean of the last few reports at each."""
    return x, [float(np.mean(y[max(0, i - SMOOTHED + 1) : i + 1])) for i in range(len(y))]


def _points(axes: Axes, x: Any, parts: Sequence[SubsetShare], style: LineStyle, label: str) -> None:
    """A line with error bars."""
    axes.errorbar(
        x, [part.share.value for part in parts], yerr=_margins(parts), label=label, linewidth=1.8, markersize=5, capsize=2.5,
        color=style.colour, marker=style.mark, linestyle=style.line, elinewidth=1.1,
    )  # fmt: skip


def _margins(parts: Sequence[SubsetShare]) -> Any:
    """Return how far intervals reach below and above, in two rows."""
    return np.array([margins(part.share) for part in parts]).reshape(-1, 2).T


def _data(series: Series) -> dict[str, list[dict[str, Any]]]:
    return {label: [part.as_dict() for part in parts] for label, parts in series.items()}


def _in_words(series: Series) -> str:
    """Every part in words."""
    each = [
        f"{label}: {', '.join(f'{part.label} {_percentage(part)}' for part in parts)}." for label, parts in series.items()
    ]
    return " ".join(each)


def _peak(parts: Sequence[SubsetShare]) -> str:
    known = [part for part in parts if math.isfinite(part.share.value)]
    if not known:
        return "no requests."
    most = max(known, key=lambda part: part.share.value)
    first, last = _percentage(known[0]), _percentage(known[-1])
    return f"{first} in the first part, {last} in the last; most, {_percentage(most)}, at {most.label}."


def _ends(best: Sequence[SubsetShare], worst: Sequence[SubsetShare]) -> str:
    if not best:
        return "none is frequent enough."
    low = worst[-1] if worst else best[-1]
    return f"from {best[0].label} ({_percentage(best[0])}) down to {low.label} ({_percentage(low)})."


def _help_in_words(rows: Sequence[SweepRow], metric: str) -> str:
    each = [f"{row.figures[metric].mean:.1f} at τ = {row.ratio:g}" for row in sorted(rows, key=lambda row: row.ratio)]
    return f"{', '.join(each)}."


def _training_in_words(curves: TrainingCurves) -> str:
    last = [f"{split.replace('_', ' ')} {rates[-1]:.1f}%" for split, rates in curves.success.items() if rates]
    loss = f"loss {curves.nav_loss[0]:.2f} to {curves.nav_loss[-1]:.2f}" if curves.nav_loss else "no losses"
    return f"{loss}; success at the end: {', '.join(last) or 'not measured'}."


def _percentage(part: SubsetShare) -> str:
    return str(Value(part.share.value, unit="%"))

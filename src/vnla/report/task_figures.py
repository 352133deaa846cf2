"""The figures of the appendix: the most common objects, start rooms and goal rooms, and how long paths are."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from vnla.report.charts import in_percent
from vnla.report.palette import SEEN, UNSEEN
from vnla.tasks.recipes import FEWEST_ACTIONS, MOST_ACTIONS
from vnla.tasks.statistics import LONG, SHOWN, TOP, SplitStatistics

_TITLES = {"train": "Train", "test_seen": "Test seen", "test_unseen": "Test unseen"}
_COLOURS = {"train": "#5b6573", "test_seen": SEEN, "test_unseen": UNSEEN}
_QUIET = "#8a8f98"
_DOTS = 150

Splits = Mapping[str, SplitStatistics]


def figures(splits: Splits) -> dict[str, bytes]:
    """Name → PNG of each figure for which there is data: three panels, train, test seen and test unseen."""
    counted: dict[str, tuple[str, Callable[[SplitStatistics], Mapping[str, int]]]] = {
        "objects": ("common objects", lambda each: each.objects),
        "start_rooms": ("common start rooms", lambda each: each.start_rooms),
        "goal_rooms": ("common goal rooms", lambda each: each.goal_rooms),
    }
    made = {}
    for name, (title, values) in counted.items():
        counts = {split: values(splits[split]) for split in SHOWN if split in splits}
        if any(counts.values()):
            made[name] = _png(bars(title, counts))
    made["path_lengths"] = _png(_lengths({split: splits[split] for split in SHOWN if split in splits}))
    return made


def bars(title: str, counts: Mapping[str, Mapping[str, int]]) -> Figure:
    """Horizontal bars, the most common on top, as shares of the data points of the split."""
    shown = max(min(TOP, len(each)) for each in counts.values())
    figure = Figure(figsize=(3.4 * len(counts), 1.1 + 0.2 * shown), layout="constrained")
    figure.suptitle(f"{f'Top {TOP} most' if shown == TOP else 'Most'} {title}, share of data points", fontsize=10)
    for axes, (split, each) in zip(_row(figure, len(counts)), counts.items(), strict=True):
        total = sum(each.values()) or 1
        top = list(each.items())[:shown]
        axes.barh([name for name, _ in top], [100 * count / total for _, count in top], color=_COLOURS[split], height=0.72)
        axes.set_ylim(shown - 0.4, -0.6)
        in_percent(axes.xaxis)
        _tidy(axes, f"{_TITLES[split]} ({total:,})")
    return figure


def _lengths(splits: Splits) -> Figure:
    """Histograms of the number of actions, the final stop included, with the share of long paths."""
    figure = Figure(figsize=(3.4 * max(1, len(splits)), 2.6), layout="constrained")
    figure.suptitle("Actions of the shortest path to a goal, share of paths", fontsize=10)
    for axes, (split, each) in zip(_row(figure, len(splits)), splits.items(), strict=True):
        axes.bar(list(each.lengths), [100 * count / each.goals for count in each.lengths.values()], color=_COLOURS[split])
        axes.axvline(LONG - 0.5, color=_QUIET, linewidth=1, linestyle=":")
        axes.set_xlim(FEWEST_ACTIONS - 1, MOST_ACTIONS + 1)
        axes.set_xticks(range(FEWEST_ACTIONS, MOST_ACTIONS + 1, 5))
        in_percent(axes.yaxis)
        share = "" if each.long_share is None else f": {each.long_share:.0%} at least {LONG}"
        _tidy(axes, f"{_TITLES[split]}{share}")
    return figure


def _row(figure: Figure, panels: int) -> list[Axes]:
    return [figure.add_subplot(1, panels, i + 1) for i in range(panels)]


def _tidy(axes: Axes, title: str) -> None:
    axes.set_title(title, fontsize=9)
    axes.tick_params(labelsize=7.5, length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(_QUIET)


def _png(figure: Figure) -> bytes:
    stream = io.BytesIO()
    FigureCanvasAgg(figure)
    figure.savefig(stream, format="png", dpi=_DOTS)
    return stream.getvalue()

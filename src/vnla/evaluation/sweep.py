"""Success against help: the same agent with more or less of it.

    rows = sweep({4: players}, tasks, end_goals, rooms, ratios=(0, 0.2, 0.4, 0.6, 0.8, 1))
    draw_sweep(rows, Path("sweep.png"))

The help-request ratio τ is the share of the time in which the agent receives assistance; with it grows the number of
requests. The number k of actions that a subgoal describes makes each one worth more, and fewer.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from torch import Tensor

from vnla import files
from vnla.advisor import Subgoals
from vnla.agent.agent import tails
from vnla.agent.encoder import Words
from vnla.bcui import Players
from vnla.errors import InputError
from vnla.evaluation.confidence import Estimate
from vnla.evaluation.evaluate import METRICS, SEEDS, Evaluation, evaluate
from vnla.tasks.task_set import TaskSet

RATIOS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)

Report = Callable[[int, int], None]


@dataclass(frozen=True)
class Row:
    """One setting and its figures."""

    ratio: float
    k: int
    figures: Mapping[str, Estimate]

    def as_dict(self) -> dict[str, Any]:
        """The row for a JSON file."""
        figures = {name: [_known(each.mean), _known(each.margin)] for name, each in self.figures.items()}
        return {"ratio": self.ratio, "k": self.k, **figures}


def with_k(players: Players, k: int, vocabulary: Mapping[str, int], end_mark: int) -> Players:
    """The same players with an advisor that describes `k` actions."""
    advisor = replace(players.advisor, k=k)
    table = Subgoals.table(advisor, vocabulary).to(players.tails.tokens.device)
    return replace(players, advisor=advisor, tails=tails(table, end_mark))


def sweep(
    players: Mapping[int, Players],
    tasks: TaskSet,
    end_goals: Words,
    rooms: Tensor,
    *,
    ratios: Sequence[float] = RATIOS,
    seeds: Sequence[int] = SEEDS,
    batch: int | None = None,
    progress: Report = lambda _done, _all: None,
) -> list[Row]:
    """Evaluate with every ratio and every k: `players` has those who play under each k (`with_k`)."""
    for ratio in ratios:
        if not 0 <= ratio <= 1:
            raise InputError(f"sweep: a help-request ratio of {ratio} is not between 0 and 1")
    settings = [(ratio, k) for k in sorted(players) for ratio in sorted(set(ratios))]
    rows = []
    for done, (ratio, k) in enumerate(settings, start=1):
        found: Evaluation = evaluate(players[k], tasks, end_goals, rooms, seeds=seeds, ratio=ratio, k=k, batch=batch)
        rows.append(Row(ratio, k, found.summary()))
        progress(done, len(settings))
    return rows


def draw_sweep(
    rows: Sequence[Row], path: Path, *, figure: str = "success_rate", title: str = "Success against help"
) -> None:
    """Write a picture of a figure over the requests an episode, one line a k, with bands of the 95% intervals."""
    # evaluation itself runs where nothing draws, so Matplotlib is imported by who wants a picture
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from vnla.report import palette

    if not rows:
        raise InputError("sweep: there are no rows to draw")
    page = Figure(figsize=(8, 5.2), dpi=150, facecolor=palette.PAPER, layout="constrained")
    FigureCanvasAgg(page)
    axes = page.add_subplot(facecolor=palette.PAPER)
    colours = (palette.WALK, palette.HELP, palette.GOAL, palette.QUIET_INK)
    for i, k in enumerate(sorted({row.k for row in rows})):
        _line(axes, [row for row in rows if row.k == k], figure, colours[i % len(colours)], f"k = {k}", above=bool(i % 2))
    axes.set_title(title, loc="left", fontsize=14, fontweight="bold", color=palette.INK, pad=14)
    axes.set_xlabel("requests an episode, mean (numbers at the points: τ)", color=palette.INK)
    axes.set_ylabel(f"{figure.replace('_', ' ')} ({METRICS[figure].unit})", color=palette.INK)
    axes.set_xlim(left=0)
    axes.grid(color=palette.RULE, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(palette.WALL)
    axes.tick_params(colors=palette.QUIET_INK)
    if len({row.k for row in rows}) > 1:
        axes.legend(frameon=False, labelcolor=palette.INK)
    buffer = io.BytesIO()
    page.savefig(buffer, format="png", metadata={"Software": "vnla"})
    files.write_bytes(path, buffer.getvalue())


def _line(axes: Any, rows: Sequence[Row], figure: str, colour: str, label: str, above: bool) -> None:
    """One k: the line, the band, and the ratio above or below each point."""
    rows = sorted(rows, key=lambda row: row.figures["requests"].mean)
    x = [row.figures["requests"].mean for row in rows]
    y = [row.figures[figure].mean for row in rows]
    margin = [_known(row.figures[figure].margin) or 0.0 for row in rows]
    low, high = ([mean + sign * each for mean, each in zip(y, margin, strict=True)] for sign in (-1, 1))
    axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
    axes.plot(x, y, "o-", color=colour, linewidth=2, markersize=5, label=label)
    for row, at in zip(rows, zip(x, y, strict=True), strict=True):
        axes.annotate(
            f"{row.ratio:g}", at, (0, 8 if above else -14), textcoords="offset points", ha="center", fontsize=8, color=colour
        )


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None

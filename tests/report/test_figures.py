"""Figures of results: what is drawn is what was counted, and the words say the same."""

from __future__ import annotations

import gzip
import io
import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas
from PIL import Image

from vnla.common.errors import InputError
from vnla.evaluation.breakdown import SubsetShare
from vnla.evaluation.confidence import Estimate, Interval
from vnla.evaluation.sweep import SweepRow
from vnla.report.curves import TrainingCurves
from vnla.report.document import Figure, json_text
from vnla.report.result_figures import (
    best_and_worst_figure,
    help_figure,
    lengths_figure,
    requests_figure,
    success_figure,
    training_figure,
)


def part(label: str, value: float, low: float, high: float, tasks: int = 60) -> SubsetShare:
    return SubsetShare(label, Interval(value, low, high), tasks, 2 * tasks)


SEEN = [part("1–5", 60, 50, 68), part("6–10", 30, 25, 36), part("11–15", 10, math.nan, math.nan)]
UNSEEN = [part("6–10", 20, 18, 25), part("11–15", 5, 0, 9)]
OBJECTS = [part(f"thing {i}", 5.0 * i, 5.0 * i - 2, 5.0 * i + 2, tasks=49 + i) for i in range(1, 15)]
CURVES = TrainingCurves((10, 20, 30), (30.0, 20.0, 10.0), (15, 30), {"val_seen": (20.0, 40.0), "val_unseen": (10.0, 25.0)})


def row(ratio: float, requests: float, success: float, margin: float = 1.0) -> SweepRow:
    return SweepRow(ratio, 4, {"requests": Estimate(requests, 0.1, ()), "success_rate": Estimate(success, margin, ())})


@pytest.fixture
def canvases(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Canvas]]:
    """What was drawn, kept for a look at the marks themselves."""
    kept: list[Canvas] = []
    save = Canvas.savefig

    def keep(self: Canvas, *arguments: object, **options: object) -> None:
        kept.append(self)
        save(self, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Canvas, "savefig", keep)
    return iter([kept])  # type: ignore[return-value]


def test_both_panels_of_lengths_show_everything_that_either_has(canvases: Iterator[list[Canvas]]) -> None:
    lengths_figure({"Test seen": SEEN}, {"Test seen": [part("1–5", 90, 80, 97)]})
    (canvas,) = next(canvases)
    assert all(axes.get_ylim()[0] == 0 and axes.get_ylim()[1] >= 97 for axes in canvas.axes)


def all_figures() -> list[Figure]:
    series = {"Test seen": SEEN, "Test unseen": UNSEEN}
    return [
        requests_figure({"Test seen": SEEN, "Test unseen": SEEN}),
        lengths_figure(series, series),
        best_and_worst_figure({"Test seen": OBJECTS, "Test unseen": OBJECTS[:3]}, "objects"),
        best_and_worst_figure({"Test seen": OBJECTS}, "goal rooms"),
        help_figure({"LEARNED": [row(0, 0, 10), row(0.4, 2, 30)], "RANDOM": [row(0.4, 2, 20, math.nan)]}),
        training_figure({"LEARNED": CURVES}),
    ]


def test_every_figure_is_a_picture_with_words_and_data() -> None:
    figures = all_figures()
    assert len({figure.name for figure in figures}) == len(figures)
    for figure in figures:
        with Image.open(io.BytesIO(figure.image)) as image:
            assert image.format == "PNG"
            assert np.asarray(image.convert("L")).std() > 5  # something is on it
        assert len(figure.alt) > 20
        assert figure.caption.endswith(".")
        assert json.loads(json_text(figure.data))


def test_the_same_data_is_the_same_file() -> None:
    one, other = (training_figure({"LEARNED": CURVES}).image for _ in range(2))
    assert one == other


def test_points_and_error_bars_are_where_the_numbers_are(canvases: Iterator[list[Canvas]]) -> None:
    lengths_figure({"Test seen": SEEN, "Test unseen": UNSEEN}, {"Test seen": SEEN})
    axes = next(canvases)[0].axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["1–5", "6–10", "11–15"]
    seen, unseen = axes.containers
    assert seen.lines[0].get_ydata().tolist() == [60, 30, 10]
    assert np.round(unseen.lines[0].get_xdata()).tolist() == [1, 2]  # it has no ways of 1 to 5 actions
    bars = seen.lines[2][0].get_segments()
    assert [(bar[0][1], bar[1][1]) for bar in bars] == [(50, 68), (25, 36), (10, 10)]


def test_the_best_stand_above_the_worst_with_their_counts(canvases: Iterator[list[Canvas]]) -> None:
    figure = best_and_worst_figure({"Test seen": OBJECTS}, "objects", top=2)
    axes = next(canvases)[0].axes[0]
    labels = [text.get_text() for text in axes.get_yticklabels()]
    assert labels == ["thing 14 (63)", "thing 13 (62)", "thing 3 (52)", "thing 2 (51)"]  # thing 1 has 50 tasks, not more
    assert [bar.get_width() for bar in axes.patches] == [70, 65, 15, 10]
    assert axes.yaxis_inverted()
    assert "from thing 14 (70.0%) down to thing 2 (10.0%)" in figure.alt
    assert "more than 50 tasks" in figure.caption


def test_nothing_to_compare_is_said() -> None:
    assert "none is frequent enough" in best_and_worst_figure({"Test seen": SEEN}, "objects", more_than=99).alt
    silent = [part("0–50%", math.nan, math.nan, math.nan, 0)]
    assert "no requests" in requests_figure({"Test seen": silent}).alt


def test_help_is_drawn_by_rising_ratio(canvases: Iterator[list[Canvas]]) -> None:
    figure = help_figure({"LEARNED": [row(0.4, 2, 30), row(0, 0, 10)]})
    axes = next(canvases)[0].axes[0]
    assert axes.lines[0].get_xdata().tolist() == [0, 2]
    assert axes.lines[0].get_ydata().tolist() == [10, 30]
    assert [text.get_text() for text in axes.texts] == ["0", "0.4"]
    assert "10.0 at τ = 0, 30.0 at τ = 0.4" in figure.alt


def test_bars_are_as_high_as_the_rates_and_say_what_their_lines_are_over(canvases: Iterator[list[Canvas]]) -> None:
    rates = {"NONE": Interval(10, 8, 13, "60 tasks"), "LEARNED": Interval(40, 35, 44, "60 tasks")}
    figure = success_figure({"Test seen": rates, "Test unseen": {name: rate.scaled(0.5) for name, rate in rates.items()}})
    (axes,) = next(canvases)[0].axes
    assert [round(bar.get_height()) for bar in axes.patches] == [10, 40, 5, 20]
    assert "95% intervals over 60 tasks" in figure.caption and "LEARNED 40.0%" in figure.alt
    assert figure.data["Test unseen"]["NONE"] == {"value": 5, "low": 4, "high": 6.5, "over": "60 tasks"}


def test_the_curves_of_a_run_that_goes_on_begin_where_the_other_was() -> None:
    later = CURVES.later(225)
    assert (later.iterations, later.validations) == ((235, 245, 255), (240, 255))
    assert (later.nav_loss, later.success) == (CURVES.nav_loss, CURVES.success)


def test_curves_come_from_the_log_of_a_run(tmp_path: Path) -> None:
    lines = [
        {"iteration": 10, "nav_loss": 30.0, "ask_loss": 1.0},
        {"iteration": 15, "val_seen": {"success_rate": 20.0}, "val_unseen": {"success_rate": 10.0}},
        {"iteration": 20, "nav_loss": 20.0, "ask_loss": 1.0},
    ]
    log = tmp_path / "log.jsonl"
    log.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    expected = TrainingCurves((10, 20), (30.0, 20.0), (15,), {"val_seen": (20.0,), "val_unseen": (10.0,)})
    assert TrainingCurves.read(tmp_path) == expected
    (tmp_path / "log.jsonl.gz").write_bytes(gzip.compress(log.read_bytes(), mtime=0))
    log.unlink()
    assert TrainingCurves.read(tmp_path) == expected, "packed"


def test_logs_of_the_results_are_packed_and_read() -> None:
    results = Path(__file__).parents[2] / "results"
    assert not list(results.rglob("*.jsonl"))
    for run in ("first", "learned", "none", "random"):
        assert TrainingCurves.read(results / "paper" / "runs" / run).iterations[-1] == 75_000


@pytest.mark.parametrize("line", ["{", "[1]", '{"nav_loss": 1}', '{"iteration": 1, "nav_loss": null}'])
def test_a_log_that_is_none_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "log.jsonl").write_text(f"{line}\n")
    with pytest.raises(InputError, match=r"log\.jsonl"):
        TrainingCurves.read(tmp_path)


def test_the_loss_is_smoothed_over_what_came_before(canvases: Iterator[list[Canvas]]) -> None:
    training_figure({"LEARNED": CURVES})
    loss, success = next(canvases)[0].axes
    assert loss.lines[1].get_ydata() == pytest.approx([30, 25, 20])
    assert [line.get_linestyle() for line in success.lines[:2]] == ["-", "--"]
    assert list(success.lines[1].get_ydata()) == [10, 25]

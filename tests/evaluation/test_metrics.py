"""Figures from scores, and metrics that somebody brings."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from cottage_players import TASKS, context, scripted
from vnla.assistance.help_policies import Never
from vnla.common.errors import InputError
from vnla.evaluation.evaluate import Evaluation, evaluate
from vnla.evaluation.metrics import ENDINGS, METRICS, Metric, metrics_named
from vnla.evaluation.scores import Case, Scores, ending
from vnla.world.actions import Nav

CALLS: list[int] = []


def turning(case: Case) -> dict[str, Tensor]:
    """How often the agent turned; the sum over right turns is known to who writes the script."""
    CALLS.append(len(case.trace))
    return {"right": (case.trace.nav == Nav.RIGHT).sum(dim=1), "left": (case.trace.nav == Nav.LEFT).sum(dim=1)}


RIGHT = Metric("turns", ("right",), turning)
SHARE = Metric("%", ("right", "left"), turning, bottom=lambda right, left: right + left)


def run(metrics: dict[str, Metric]) -> Evaluation:
    """Left, right twice, stop: in every episode."""
    who = context(scripted(Nav.LEFT, Nav.RIGHT, Nav.RIGHT, Nav.STOP), Never())
    return evaluate(who, TASKS, seeds=[1, 2], batch=5, metrics=METRICS | metrics)


def test_figures_are_ratios_of_sums_by_hand() -> None:
    """Budgets 2 and an unknown one: of 2 requests that could be made 1 was. Both would ask twice, the agent alone once."""
    counts = {"requests": [1, 5], "help_budget": [2, -1], "ask_both": [2, 0], "ask_agent_only": [0, 1]}
    counts |= {"ask_teacher_only": [1, 1], "ask_neither": [0, 3], "success": [True, False], "nav_error": [1.5, 2.5]}
    scores = Scores({name: np.array(values) for name, values in counts.items()})
    figures = {name: metric(scores) for name, metric in METRICS.items() if metric.can_tell(scores)}
    assert figures == {
        "success_rate": 50,
        "nav_error": 2,
        "requests": 3,
        "budget_used": 50,
        "ask_accuracy": pytest.approx(100 * 5 / 8),
        "ask_precision": pytest.approx(100 * 2 / 3),
        "ask_recall": 50,
        "ask_f1": pytest.approx(100 * 4 / 7),
    }
    with pytest.raises(InputError, match="these episodes have no score spl; evaluate the agent again"):
        METRICS["spl"](scores)
    assert not METRICS["budget_used"].can_tell(Scores({"requests": scores.requests})), "without the budgets"


def test_figures_of_walks_by_hand() -> None:
    """Two episodes: the means, and those that are shares as per cent."""
    walks = {
        "success": [True, True],
        "room_success": [True, False],
        "oracle_success": [True, True],
        "oracle_error": [0.5, 1.5],
    }
    walks |= {"spl": [0.5, 0.25], "ndtw": [0.75, 0.25], "steps": [4, 8], "path_length": [3.0, 6.0], "nav_error": [1.0, 4.0]}
    scores = Scores({name: np.array(values) for name, values in walks.items()})
    figures = {name: (metric(scores), metric.unit) for name, metric in METRICS.items() if metric.can_tell(scores)}
    assert figures == {
        "success_rate": (100, "%"),
        "room_success_rate": (50, "%"),
        "nav_error": (2.5, "m"),
        "oracle_rate": (100, "%"),
        "oracle_error": (1, "m"),
        "spl": (37.5, "%"),
        "ndtw": (50, "%"),
        "steps": (6, "steps"),
        "length": (4.5, "m"),
    }


def test_only_of_errors_less_is_better() -> None:
    assert [name for name, metric in METRICS.items() if metric.lower_is_better] == ["nav_error", "oracle_error"]
    assert {METRICS[name].unit for name in METRICS if name.startswith("ask_") or name == "budget_used"} == {"%"}
    assert METRICS["requests"].unit == "requests"


def test_the_interval_is_of_the_figure_in_its_unit() -> None:
    scores = Scores({"success": np.array([True, False] * 20), "nav_error": np.arange(40.0)})
    share, metres = METRICS["success_rate"].over_episodes(scores), METRICS["nav_error"].over_episodes(scores)
    assert share.value == 50 and 25 < share.low < 45 and 55 < share.high < 75
    assert metres.value == 19.5 and 14 < metres.low < 18 and 21 < metres.high < 25


def test_somebodys_metric_is_among_the_figures_with_its_unit() -> None:
    found = run({"right_turns": RIGHT, "right_share": SHARE})
    assert found.scores.right.tolist() == [[2] * 6] * 2
    assert found.summary()["right_turns"].mean == 2
    assert found.summary()["right_share"].mean == pytest.approx(100 * 2 / 3)
    assert found.over_tasks("right_turns").value == 2
    assert found.as_dict()["figures"]["right_turns"] == {"mean": 2, "margin": 0, "unit": "turns", "seeds": [2, 2]}
    assert list(found.summary())[: len(METRICS)] == list(METRICS)


def test_a_scorer_is_called_once_for_all_its_metrics() -> None:
    CALLS.clear()
    run({"right_turns": RIGHT, "right_share": SHARE})
    assert CALLS == [5, 5, 2]  # the batches


def test_a_scorer_that_gives_something_else_is_named() -> None:
    def short(_case: Case) -> dict[str, Tensor]:
        return {"right": torch.zeros(1)}

    def success(case: Case) -> dict[str, Tensor]:
        return {"success": case.metres_left[:, -1] < 1, "right": case.trace.length}

    with pytest.raises(InputError, match=r"metric mine: right has the shape \(1,\); expected an entry for each episode"):
        run({"mine": replace(RIGHT, scorer=short)})
    with pytest.raises(InputError, match="metric mine: its scorer returned a list; expected tensors by name"):
        run({"mine": replace(RIGHT, scorer=lambda _: [1])})  # type: ignore[arg-type,return-value]
    with pytest.raises(InputError, match="metric mine: its scorer returned a str as right; expected a tensor"):
        run({"mine": replace(RIGHT, scorer=lambda _: {"right": "much"})})  # type: ignore[arg-type,dict-item]
    with pytest.raises(InputError, match=r"metric of right: top returned \S+ \(\); expected numbers \(.*\), one an episode"):
        run({"mine": replace(RIGHT, top=lambda right: right.sum())}).summary()
    with pytest.raises(InputError, match="metric mine: another scorer gives success too"):
        run({"mine": replace(RIGHT, scorer=success)})
    with pytest.raises(InputError, match="metric mine: needs right, which its scorer does not give"):
        run({"mine": replace(RIGHT, scorer=ending)})
    with pytest.raises(InputError, match="needs is 'right'; expected names of arrays"):
        Metric("turns", "right", turning)  # type: ignore[arg-type]


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "own_metrics.py").write_text(
        "from vnla.evaluation.metrics import METRICS, Metric\n"
        "from vnla.evaluation.scores import ending\n"
        "twice = Metric('m', ('nav_error',), ending, top=lambda metres: 2 * metres)\n"
        "spl = twice\n"
        "nothing = 3\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield "own_metrics"
    sys.modules.pop("own_metrics", None)


def test_metrics_are_found_by_name(module: str) -> None:
    chosen = metrics_named([f"{module}:twice", "spl"])
    assert list(chosen) == [*METRICS, "twice"]
    assert "twice" not in METRICS
    with pytest.raises(InputError, match="metric own_metrics:spl: there is another metric called spl"):
        metrics_named([f"{module}:spl"])
    with pytest.raises(InputError, match="metric own_metrics:nothing: is a int, not a"):
        metrics_named([f"{module}:nothing"])


def test_each_failure_ends_in_one_way() -> None:
    """By hand: all that can be true of an episode. A goal that it came near counts before the room, the room before time."""
    every = np.array([[bool(number >> bit & 1) for bit in range(4)] for number in range(16)]).T
    scores = Scores(dict(zip(("success", "oracle_success", "room_success", "stopped"), every, strict=True)))
    ended = {name: metric.sums(scores)[0].astype(bool) for name, metric in ENDINGS.items()}
    assert [int(each.sum()) for each in ended.values()] == [4, 2, 1, 1]
    assert np.array_equal(sum(ended.values()), ~every[0]), "each failure once, and no success"
    where = {name: every.T[each].astype(int).tolist() for name, each in ended.items()}
    assert where["right_kind_of_room"] == [[0, 0, 1, 0], [0, 0, 1, 1]]
    assert (where["stopped_elsewhere"], where["out_of_time"]) == ([[0, 0, 0, 1]], [[0, 0, 0, 0]])


@pytest.mark.parametrize("last", [Nav.STOP, Nav.LEFT])
def test_who_does_not_stop_runs_out_of_time(last: Nav) -> None:
    who = context(scripted(Nav.LEFT, Nav.LEFT, last, *[Nav.LEFT] * 30), Never())
    scores = evaluate(who, TASKS, seeds=[1], batch=5, metrics=metrics_named(["endings"])).scores
    assert scores.stopped.all() == (last == Nav.STOP)
    assert scores.stopped.any() == (last == Nav.STOP)
    shares = [metric(scores) for metric in (METRICS["success_rate"], *ENDINGS.values())]
    assert sum(shares) == pytest.approx(100)
    assert shares[4 if last == Nav.LEFT else 3] > 0
    assert shares[3 if last == Nav.LEFT else 4] == 0


def test_endings_are_asked_for_by_one_name_and_take_no_other_metrics_place() -> None:
    assert metrics_named(["endings"]) == METRICS | ENDINGS
    assert list(metrics_named([])) == list(METRICS)
    with pytest.raises(InputError, match=r"^metric speed: unknown; choose from success_rate, .*, endings, or name your own"):
        metrics_named(["speed"])

"""The example of a metric, through the command."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
import torch

from cottage_players import TASKS
from cottage_run import write_cottage
from vnla import cli
from vnla.evaluation.evaluation_file import read_scores
from vnla.evaluation.metrics import METRICS, Metric, metrics_named
from vnla.evaluation.scores import Case
from vnla.evaluation.trace import NOTHING, Trace

ROOT = Path(__file__).parents[2]
NAME = "examples.metric:steps_after_help"


@pytest.fixture
def metric(monkeypatch: pytest.MonkeyPatch) -> Metric:
    monkeypatch.chdir(ROOT)
    return metrics_named([NAME])["steps_after_help"]


def test_it_counts_from_the_last_request_to_the_end(metric: Metric) -> None:
    """Episodes of 5, 3 and 4 steps; requests before the first and third step, before the first, never: 3, 3 and none."""
    asked = torch.tensor([[1, 0, 1, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 0]]).bool()
    pose, nothing = TASKS.start[:3, None].repeat(1, 6), torch.full((3, 5), NOTHING)
    trace = Trace(pose, torch.tensor([5, 3, 4]), nothing, asked, asked, nothing, nothing, torch.full((3,), 2))
    found = metric.scorer(Case(trace, TASKS.environment, TASKS.goals[:3]))
    assert found["after_help"].tolist() == [3, 3, 0]
    assert found["has_asked"].tolist() == [True, True, False]


def vnla(*arguments: object) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main([str(each) for each in arguments])
    assert left.value.code == 0


def test_it_is_in_the_table_and_in_every_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With one request at most (25 · 0.15 / 4 < 1) the policy "first" makes it before the first step: all come after it."""
    monkeypatch.chdir(ROOT)
    run, (world, tasks) = tmp_path / "run", write_cottage(tmp_path)
    vnla("train", run, "--world", world, "--tasks", tasks, "--features", "symbolic", "--help-policy", "first",
         "--iterations", 1, "--batch", 4, "--hidden", 8)  # fmt: skip
    vnla("evaluate", run, "--split", "test_seen", "--seeds", 1, "--k", 4, "--ratio", 0.15, "--metric", NAME,
         "--json", tmp_path / "s.json", "--csv", tmp_path / "e.csv", "--npz", tmp_path)  # fmt: skip
    assert "steps_after_help, steps" in capsys.readouterr().out
    figures = json.loads((tmp_path / "s.json").read_text())["test_seen"]["figures"]
    assert list(figures) == [*METRICS, "steps_after_help"]
    with (tmp_path / "e.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert any(row["has_asked"] == "1" for row in rows)
    assert all(int(row["after_help"]) == int(row["has_asked"]) * int(row["steps"]) for row in rows)
    scores = read_scores(tmp_path / "test_seen" / "evaluation.npz")
    assert [str(each) for each in scores.after_help[0]] == [row["after_help"] for row in rows]

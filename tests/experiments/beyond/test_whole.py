"""A whole comparison from nothing to the report, in the smallest world: killed on the way, started again, recomputed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import tiny_beyond
from vnla.training.config import RunConfig


def begin(out: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen([sys.executable, tiny_beyond.__file__, str(out)], env=environment, stderr=subprocess.DEVNULL)


def done(out: Path) -> dict[str, float]:
    """Stages that are done, and when their records were written."""
    records = {path: json.loads(path.read_text()) for path in (out / "stages").glob("*.json")}
    return {record["stage"]: path.stat().st_mtime for path, record in records.items() if record["done"]}


def success(out: Path, arm: str, name: str) -> list[float]:
    """The success rate of each training, from the files of its evaluations."""
    paths = [out / "evaluations" / arm / f"seed{seed}" / name / "evaluation.npz" for seed in (0, 1)]
    return [100 * float(np.load(path)["scores.success"].mean()) for path in paths]


@pytest.mark.slow
def test_a_comparison_is_whole_even_if_it_was_killed_on_the_way(tmp_path: Path) -> None:
    first = begin(tmp_path)
    while sum(name.startswith("train/") for name in done(tmp_path)) < 5 and first.poll() is None:
        time.sleep(0.1)
    first.send_signal(signal.SIGKILL)
    first.wait()
    time.sleep(1)  # the workers notice
    before = done(tmp_path)
    assert "report" not in before and "world" in before

    assert begin(tmp_path).wait() == 0
    after = done(tmp_path)
    assert {name: after[name] for name in before} == before  # kept as they were
    # world, two data sets; five phases and three agents on four sets of tasks, twice; two that are not trained on four sets;
    # three sweeps, two ceilings, the report
    assert len(after) == 1 + 2 + 2 * (5 + 3 * 4) + 2 * 4 + 3 + 2 + 1

    for name in ("table-b1", "table-b2", "table-b3", "table-b4"):
        rows = json.loads((tmp_path / "tables" / f"{name}.json").read_text())["rows"]
        assert rows, name
    document = json.loads((tmp_path / "document.json").read_text())
    items = [item for section in document["sections"] for item in section["items"]]
    assert {item["name"] for item in items if item["kind"] == "figure"} == {"figure-help", "figure-training"}
    assert (tmp_path / "report.html").stat().st_size > 50_000

    table = json.loads((tmp_path / "tables" / "table-b1.json").read_text())
    names = {"Test seen": "test_seen", "NoRoom, test unseen": "noroom_test_unseen"}
    trained = {"LEARNED", "BEST", "VALUED"}  # the others are evaluated once, without a training
    assert trained < {row["cells"][0] for row in table["rows"]}
    for row in table["rows"]:
        if row["group"] in names and row["cells"][0] in trained:
            rates = success(tmp_path, row["cells"][0].lower(), names[row["group"]])
            assert row["cells"][1]["mean"] == pytest.approx(sum(rates) / 2)
            assert row["cells"][5] == " · ".join(f"{rate:.1f}" for rate in rates)

    run = RunConfig.read(tmp_path / "runs" / "valued" / "seed1" / "config.json")
    assert run.begins_with == str(tmp_path.resolve() / "runs" / "start-valued" / "seed1")
    course = json.loads((tmp_path / "figures" / "figure-training.json").read_text())["VALUED"]["iterations"]
    assert course == [2, 4, 5]

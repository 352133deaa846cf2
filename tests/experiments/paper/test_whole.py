"""All experiments from nothing to the report, in the smallest world: killed on the way, and started again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tiny_paper

TABLES = {*(f"table-{number}" for number in range(1, 8)), "early-requests"}
FIGURES = {
    "figure-requests",
    "figure-lengths",
    "figure-objects",
    "figure-goal-rooms",
    "figure-training",
    *(f"figure-asknav-{what}" for what in ("objects", "start-rooms", "goal-rooms", "path-lengths")),
    *(f"figure-noroom-{what}" for what in ("objects", "start-rooms", "path-lengths")),
}


def begin(out: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen([sys.executable, tiny_paper.__file__, str(out)], env=environment, stderr=subprocess.DEVNULL)


def done(out: Path) -> dict[str, float]:
    """Stages that are done, and when their records were written."""
    records = {path: json.loads(path.read_text()) for path in (out / "stages").glob("*.json")}
    return {record["stage"]: path.stat().st_mtime for path, record in records.items() if record["done"]}


@pytest.mark.slow
def test_every_table_and_figure_is_there_even_if_it_was_killed_on_the_way(tmp_path: Path) -> None:
    first = begin(tmp_path)
    while sum(name.startswith("train/") for name in done(tmp_path)) < 3 and first.poll() is None:
        time.sleep(0.1)
    first.send_signal(signal.SIGKILL)
    first.wait()
    time.sleep(1)  # the workers notice
    before = done(tmp_path)
    assert "report" not in before and "world" in before

    assert begin(tmp_path).wait() == 0
    after = done(tmp_path)
    assert {name: after[name] for name in before} == before  # kept as they were
    assert len(after) == 1 + 2 + 12 + 36 + 8 + 1

    document = json.loads((tmp_path / "document.json").read_text())
    items = [item for section in document["sections"] for item in section["items"]]
    assert {item["name"] for item in items if item["kind"] == "table"} == TABLES
    assert {item["name"] for item in items if item["kind"] == "figure"} == FIGURES
    assert "figure-1" in {item["name"] for item in items if item["kind"] == "episode"}
    for name in TABLES:
        rows = json.loads((tmp_path / "tables" / f"{name}.json").read_text())["rows"]
        assert rows and all(cell is not None for row in rows for cell in row["cells"]), name
    assert sum(item["kind"] == "finding" for item in items) == 39
    assert (tmp_path / "report.html").stat().st_size > 100_000

"""The log of a run and its curves."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from vnla.common.errors import InputError
from vnla.training.log import CURVES, RunLog

RATES = {"success_rate": 12.5, "nav_error": 3.0}
FULL = Path("/dev/full")


def written(path: Path, done: int, iterations: range) -> None:
    log = RunLog(path, done)
    for iteration in iterations:
        log.write({"iteration": iteration, "nav_loss": iteration / 4})
    log.write({"iteration": iterations[-1], "val_seen": RATES})
    log.close()


def curve(path: Path, name: str) -> list[tuple[int, float]]:
    curves = EventAccumulator(str(path / CURVES)).Reload()
    return [(point.step, point.value) for point in curves.Scalars(name)]


def test_curves_are_what_the_log_says(tmp_path: Path) -> None:
    written(tmp_path, 0, range(1, 4))
    assert curve(tmp_path, "nav_loss") == [(1, 0.25), (2, 0.5), (3, 0.75)]
    assert curve(tmp_path, "val_seen/success_rate") == [(3, 12.5)]
    last = json.loads((tmp_path / "log.jsonl").read_text().splitlines()[-1])
    assert last == {"iteration": 3, "val_seen": RATES}


def test_a_run_that_goes_on_has_no_point_twice(tmp_path: Path) -> None:
    written(tmp_path, 0, range(1, 5))
    written(tmp_path, 2, range(3, 6))
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [line["iteration"] for line in lines] == [1, 2, 3, 4, 5, 5]
    assert [step for step, _ in curve(tmp_path, "nav_loss")] == [1, 2, 3, 4, 5]


def test_points_can_be_seen_while_the_run_goes_on_and_no_thread_is_begun(tmp_path: Path) -> None:
    before = threading.active_count()
    log = RunLog(tmp_path, 0)
    log.write({"iteration": 7, "nav_loss": 0.5})
    assert curve(tmp_path, "nav_loss") == [(7, 0.5)]
    assert threading.active_count() == before
    log.close()


def test_lines_can_be_had_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = []
    monkeypatch.setattr("os.fsync", lambda handle: synced.append(os.fstat(handle).st_ino))
    log = RunLog(tmp_path, 0)
    log.write({"iteration": 7, "nav_loss": 0.5})
    log.sync()
    assert synced == [(tmp_path / "log.jsonl").stat().st_ino]
    log.close()


@pytest.mark.skipif(not FULL.exists(), reason="there is no disk that is always full")
@pytest.mark.parametrize("which", ["log.jsonl", "events"])
def test_a_full_disk_is_one_line(which: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Path.open

    def opened(path: Path, mode: str = "r", **options: Any) -> Any:
        return (
            plain(FULL, "wb" if "b" in mode else "w", **options)
            if path.name.startswith(which)
            else plain(path, mode, **options)
        )

    monkeypatch.setattr(Path, "open", opened)
    with pytest.raises(InputError, match=rf"{which}.*: cannot be written \(No space left on device\)"):
        RunLog(tmp_path, 0).write({"iteration": 1, "nav_loss": 0.5})

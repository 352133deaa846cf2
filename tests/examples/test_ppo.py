"""The example of reinforcement learning, a few steps of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cottage_run import write_cottage
from examples.ppo import main

TINY = ["--steps", "256", "--episodes", "4", "--envs", "4"]


def test_it_learns_in_a_world_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world, tasks = write_cottage(tmp_path)
    assert all(0 <= share <= 1 for share in main([*TINY, "--world", str(world), "--tasks", str(tasks)]))
    before, after = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"before: [01]\.\d\d of 4 episodes succeed", before)
    assert re.fullmatch(r"after 256 steps: [01]\.\d\d", after)

"""Loops that PyTorch's threads share."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from vnla.common.native import compiled, inlined
from vnla.common.openmp import member, share


@inlined
def _note(values, factor, who, first, last):  # type: ignore[no-untyped-def]
    for i in range(first, last):
        values[i] += factor * i
        who[i] = member()


@compiled
def note(values, factor, who, least):  # type: ignore[no-untyped-def]
    """Add the numbers from 0, times a factor; and who did it."""
    share(_note, values.shape[0], least, (values, factor, who))


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("count", [0, 1, 2, 7, 1000])
def test_every_number_is_somebodys_and_nobodys_twice(threads: int, count: int) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        values, who = np.ones(count), np.full(count, -1)
        note(values, 2.0, who, 2)
    finally:
        torch.set_num_threads(before)
    assert values.tolist() == [1 + 2.0 * i for i in range(count)]
    shares = [int((who == each).sum()) for each in range(threads)]
    assert sum(shares) == count and (who[1:] >= who[:-1]).all()
    if count > 2:
        assert max(shares) - min(shares) <= 1, "PyTorch here has a team, and all of it works"


def test_what_is_too_little_is_not_shared() -> None:
    values, who = np.ones(7), np.full(7, -1)
    note(values, 1.0, who, 8)
    assert (who == 0).all()


ALONE = """
import ctypes

import numba
import numpy as np
import torch

ctypes.CDLL = lambda _: object()
from common.test_openmp import note

values, who = np.ones(50), np.full(50, -1)
note(values, 2.0, who, 2)
assert values.tolist() == [1 + 2.0 * i for i in range(50)] and (who == 0).all()
print("done")
"""


def test_without_a_team_one_thread_does_all() -> None:
    """In a process of its own, in which PyTorch seems to be linked with nothing."""
    done = subprocess.run(
        [sys.executable, "-c", ALONE], capture_output=True, text=True, check=False, env={"PYTHONPATH": ":".join(sys.path)}
    )
    assert done.stdout == "done\n", done.stderr


TRAINED = """
import hashlib

from benchmarks.setting import bare_setting
from vnla.training.config import TrainingConfig
from vnla.training.trainer import Trainer

setting = bare_setting(20, hidden=128, view_size=128, seed=0, device="cpu", houses=2)
config = TrainingConfig(batch=20, learning_rate=1e-2)
trainer = Trainer(setting.context, setting.tasks, config, learns_to_ask=True)
for _ in range(3):
    trainer.iterate()
digest = hashlib.sha256()
for parameter in trainer.context.agent.parameters():
    digest.update(parameter.detach().numpy().tobytes())
print(digest.hexdigest())
"""


@pytest.mark.slow
def test_a_training_does_not_depend_on_whether_kernels_were_compiled_or_found(tmp_path: Path) -> None:
    """The first process compiles and keeps them, the second finds them."""
    environment = {"PYTHONPATH": ":".join(sys.path), "NUMBA_CACHE_DIR": str(tmp_path), "OMP_NUM_THREADS": "1"}
    weights = []
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", TRAINED], capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stderr
        weights.append(done.stdout)
    assert list(tmp_path.rglob("*.nbc")), "kernels were kept"
    assert weights[0] == weights[1]

"""Loops that PyTorch's threads share."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import torch

from vnla.agent.kernels.team import member, share
from vnla.houses.render.kernels import compiled, inlined


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
from agent.test_team import note

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

"""Kernels for the whole batch on a GPU (`vnla.agents.fast.gpu.state`): each a module with the plain PyTorch version beside
it.

What a step of an episode costs on a GPU is the number of kernels in a row, not arithmetic; these do in one what PyTorch does
in dozens. A public function takes the Triton kernel where `use_triton` says so and the plain version elsewhere; both give
the same result up to rounding, which the tests check, forward and backward.
"""

from __future__ import annotations

import importlib.util
import os
from functools import cache
from importlib import import_module
from typing import Any

import torch
from torch import Tensor


@cache
def _installed() -> bool:
    return importlib.util.find_spec("triton") is not None


def interpreted() -> bool:
    """Whether Triton runs its kernels in Python on a CPU: for tests."""
    return os.environ.get("TRITON_INTERPRET") == "1"


def use_triton(tensor: Tensor, *sizes: int) -> bool:
    """Whether Triton computes on this tensor; `sizes` are those that a kernel wants to be multiples of 16."""
    there = tensor.device.type == "cuda" or interpreted()
    return there and _installed() and all(size % 16 == 0 for size in sizes)


@cache
def triton_side(name: str) -> Any:
    """Return the module with the Triton kernels of a module here; only this imports Triton."""
    return import_module(f"{__name__}._{name}")


def tf32_will_do() -> bool:
    """Whether products may be rounded as a GPU's matrix units do. The interpreter does not round."""
    return interpreted() or torch.backends.cuda.matmul.allow_tf32


def power_of_2(size: int) -> int:
    """The next one: blocks of a kernel have such sizes."""
    return 1 << (size - 1).bit_length()
